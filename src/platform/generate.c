/* generate.c: descriptions of regular machines, written as SimGrid XML from a few figures. What it
 * writes is an ordinary file, for us and for SimGrid: nothing else in the house knows that it was
 * generated.
 *
 * flat, torus, fat-tree and dragonfly are one <cluster> each. hierarchical is a tree of switches:
 * at its leaves flat clusters, above them zones whose children each have one cable (two ways) to a
 * router in the middle. */
#include "platform/platform_int.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHAPE_MAX = 8, GENERATE_HOSTS_MAX = 1 << 28, CHILDREN_MAX = 2000 };

struct shape {
	uint32_t n, v[SHAPE_MAX];
};

struct generator {
	const struct generate_spec *g;
	struct shape shape;
	struct str *out;
	uint32_t first; /* number of the next host */
};

/* "8x8x4": n numbers of at least 1. */
static int shape_parse(const char *option, const char *text, struct shape *s, struct err *err)
{
	const char *p = text;
	s->n = 0;
	for (;;) {
		int64_t v;
		size_t digits = num_take_digits(p, &v);
		const char *end = p + digits;
		if (!digits || v < 1 || v > GENERATE_HOSTS_MAX)
			return err_set(
			    err, ERR_INPUT,
			    "platform generate: %s wants numbers from 1 such as 8x8x4, but is '%s'",
			    option, text);
		if (s->n == SHAPE_MAX)
			return err_set(err, ERR_INPUT,
			               "platform generate: %s has more than %d numbers: '%s'",
			               option, SHAPE_MAX, text);
		s->v[s->n++] = (uint32_t)v;
		if (!*end)
			return 0;
		if (*end != 'x')
			return err_set(
			    err, ERR_INPUT,
			    "platform generate: %s wants numbers from 1 such as 8x8x4, but is '%s'",
			    option, text);
		p = end + 1;
	}
}

static int shape_hosts(const struct shape *s, const char *text, uint32_t *out, struct err *err)
{
	uint64_t n = 1;
	for (uint32_t i = 0; i < s->n; i++) {
		n *= s->v[i];
		if (n > GENERATE_HOSTS_MAX)
			return err_set(err, ERR_INPUT,
			               "platform generate: '%s' are more than %d hosts", text,
			               GENERATE_HOSTS_MAX);
	}
	*out = (uint32_t)n;
	return 0;
}

static void shape_put(struct str *out, const struct shape *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		str_printf(out, "%s%u", i ? "," : "", s->v[i]);
}

/* --- checks --- */

static int name_check(const char *option, const char *text, struct err *err)
{
	for (const char *p = text; *p; p++) {
		if (!isalnum((unsigned char)*p) && !strchr("._-", *p))
			return err_set(err, ERR_INPUT,
			               "platform generate: --%s may have letters, digits, '.', '_' "
			               "and '-', but is '%s'",
			               option, text);
	}
	return 0;
}

/* One figure with its unit; above: it must be more than 0. */
static int figure_check(const char *option, const char *text, enum unit_kind kind, int above,
                        struct err *err)
{
	double v;
	struct err why;
	if (units_parse(text, kind, &v, &why) < 0)
		return err_set(err, ERR_INPUT, "platform generate: --%s: %s", option, why.text);
	if (v < 0 || (above && v == 0))
		return err_set(err, ERR_INPUT, "platform generate: --%s must be %s, but is '%s'",
		               option, above ? "more than 0" : "0 or more", text);
	return 0;
}

struct cable {
	char bandwidth[64], latency[64];
};

/* The i-th "BANDWIDTH[,LATENCY]" of a list with ';', the last one for all that follow. */
static int cable_parse(const char *option, const char *text, uint32_t i, const char *latency,
                       struct cable *c, struct err *err)
{
	const char *semi;
	while (i-- > 0 && (semi = strchr(text, ';')))
		text = semi + 1;
	size_t n = strcspn(text, ";"), b = strcspn(text, ",;");
	if (b >= sizeof c->bandwidth || (b < n && n - b - 1 >= sizeof c->latency))
		return err_set(err, ERR_INPUT,
		               "platform generate: a figure of --%s has more than %zu characters: "
		               "'%.*s…'",
		               option, sizeof c->latency - 1, 40, text);
	snprintf(c->bandwidth, sizeof c->bandwidth, "%.*s", (int)b, text);
	snprintf(c->latency, sizeof c->latency, "%.*s",
	         b < n ? (int)(n - b - 1) : (int)strlen(latency), b < n ? text + b + 1 : latency);
	if (figure_check(option, c->bandwidth, UNIT_BANDWIDTH, 1, err) < 0)
		return -1;
	return figure_check(option, c->latency, UNIT_TIME, 0, err);
}

static int spec_check(const struct generate_spec *g, struct err *err)
{
	struct cable c;
	if (name_check("name", g->name, err) < 0 || name_check("prefix", g->prefix, err) < 0 ||
	    name_check("suffix", g->suffix, err) < 0)
		return -1;
	if (!g->name[0] || !isalpha((unsigned char)g->name[0]))
		return err_set(err, ERR_INPUT,
		               "platform generate: --name must begin with a letter, but is '%s'",
		               g->name);
	if (figure_check("speed", g->speed, UNIT_SPEED, 1, err) < 0 ||
	    figure_check("bandwidth", g->bandwidth, UNIT_BANDWIDTH, 1, err) < 0 ||
	    figure_check("latency", g->latency, UNIT_TIME, 0, err) < 0 ||
	    (g->limiter && figure_check("limiter", g->limiter, UNIT_BANDWIDTH, 1, err) < 0) ||
	    (g->backbone && cable_parse("backbone", g->backbone, 0, "0s", &c, err) < 0) ||
	    (g->loopback && cable_parse("loopback", g->loopback, 0, "0s", &c, err) < 0))
		return -1;
	return 0;
}

/* An option that this kind has no use for is an error, not ignored. */
static int unused(const struct generate_spec *g, const char *option, const void *given,
                  struct err *err)
{
	if (!given)
		return 0;
	return err_set(err, ERR_INPUT, "platform generate: --%s has no meaning for %s", option,
	               g->kind);
}

/* --- what clusters have in common --- */

static void cluster_begin(struct generator *w, const char *indent, const char *id, uint32_t hosts)
{
	const struct generate_spec *g = w->g;
	struct cable c;
	str_printf(w->out,
	           "%s<cluster id=\"%s\" prefix=\"%s\" suffix=\"%s\" radical=\"%u-%u\" "
	           "speed=\"%s\" core=\"%u\"\n",
	           indent, id, g->prefix, g->suffix, w->first, w->first + hosts - 1, g->speed,
	           g->cores);
	str_printf(w->out, "%s\tbw=\"%s\" lat=\"%s\" sharing_policy=\"%s\"", indent, g->bandwidth,
	           g->latency, g->sharing);
	if (g->loopback && cable_parse("loopback", g->loopback, 0, "0s", &c, NULL) == 0)
		str_printf(w->out, " loopback_bw=\"%s\" loopback_lat=\"%s\"", c.bandwidth,
		           c.latency);
	if (g->limiter)
		str_printf(w->out, " limiter_link=\"%s\"", g->limiter);
	w->first += hosts;
}

static int topology_put(struct generator *w, const char *topology, const struct str *parameters,
                        struct err *err)
{
	uint32_t hosts;
	if (unused(w->g, "backbone", w->g->backbone, err) < 0 ||
	    unused(w->g, "uplink", w->g->uplink, err) < 0 ||
	    shape_hosts(&w->shape, w->g->shape, &hosts, err) < 0)
		return -1;
	str_printf(w->out, "\t<zone id=\"%s\" routing=\"Full\">\n", w->g->name);
	char id[300];
	snprintf(id, sizeof id, "%s_net", w->g->name);
	cluster_begin(w, "\t\t", id, hosts);
	str_printf(w->out, "\n\t\t\ttopology=\"%s\" topo_parameters=\"%s\"/>\n\t</zone>\n",
	           topology, str_of(w->out, parameters));
	return 0;
}

/* --- the kinds --- */

static int flat_put(struct generator *w, struct err *err)
{
	const struct generate_spec *g = w->g;
	uint32_t hosts;
	struct cable c;
	if (unused(g, "uplink", g->uplink, err) < 0 || unused(g, "cables", g->cables, err) < 0 ||
	    unused(g, "parents", g->parents, err) < 0 || unused(g, "taper", g->taper, err) < 0 ||
	    shape_hosts(&w->shape, g->shape, &hosts, err) < 0)
		return -1;
	if (w->shape.n != 1)
		return err_set(err, ERR_INPUT,
		               "platform generate: flat wants a number of hosts, but got '%s'",
		               g->shape);
	cluster_begin(w, "\t", g->name, hosts);
	if (g->backbone && cable_parse("backbone", g->backbone, 0, "0s", &c, err) == 0)
		str_printf(w->out, "\n\t\tbb_bw=\"%s\" bb_lat=\"%s\"", c.bandwidth, c.latency);
	str_puts(w->out, "/>\n");
	return 0;
}

static int torus_put(struct generator *w, struct err *err)
{
	struct str t;
	if (unused(w->g, "cables", w->g->cables, err) < 0 ||
	    unused(w->g, "parents", w->g->parents, err) < 0 ||
	    unused(w->g, "taper", w->g->taper, err) < 0)
		return -1;
	str_init(&t);
	shape_put(&t, &w->shape);
	int r = topology_put(w, "TORUS", &t, err);
	str_release(&t);
	return r;
}

/* Numbers per level, as many as the shape has; without option: `one` each. */
static int level_numbers(const struct generator *w, const char *option, const char *text,
                         struct shape *s, struct err *err)
{
	if (!text) {
		s->n = w->shape.n;
		for (uint32_t i = 0; i < s->n; i++)
			s->v[i] = 1;
		return 0;
	}
	if (shape_parse(option, text, s, err) < 0)
		return -1;
	if (s->n != w->shape.n)
		return err_set(err, ERR_INPUT,
		               "platform generate: %s wants a number for each of the %u levels of "
		               "'%s', but has %u",
		               option, w->shape.n, w->g->shape, s->n);
	return 0;
}

/* Without --parents every switch has as many cables up as down (full bisection), or a taper-th of
 * them: of level l+1 there are w parents for each switch of level l, w x cables(l+1) = children(l)
 * x cables(l) / taper. */
static int fat_tree_parents(const struct generator *w, const struct shape *cables,
                            struct shape *parents, struct err *err)
{
	double taper = 1;
	if (w->g->parents && w->g->taper)
		return err_set(err, ERR_INPUT,
		               "platform generate: --taper and --parents say the same thing: give "
		               "one of them");
	if (w->g->parents)
		return level_numbers(w, "--parents", w->g->parents, parents, err);
	if (w->g->taper && (num_parse_double(w->g->taper, strlen(w->g->taper), &taper) < 0 ||
	                    !(taper >= 1 && taper <= GENERATE_HOSTS_MAX)))
		return err_set(err, ERR_INPUT,
		               "platform generate: --taper wants a number from 1, but is '%s'",
		               w->g->taper);
	parents->n = w->shape.n;
	parents->v[0] = 1;
	for (uint32_t l = 1; l < w->shape.n; l++) {
		double up = (double)w->shape.v[l - 1] * cables->v[l - 1] / taper / cables->v[l];
		parents->v[l] = up < 1 ? 1 : (uint32_t)(up + 0.5);
	}
	return 0;
}

static int fat_tree_put(struct generator *w, struct err *err)
{
	struct shape parents, cables;
	struct str t;
	if (level_numbers(w, "--cables", w->g->cables, &cables, err) < 0 ||
	    fat_tree_parents(w, &cables, &parents, err) < 0)
		return -1;
	str_init(&t);
	str_printf(&t, "%u;", w->shape.n);
	shape_put(&t, &w->shape);
	str_putc(&t, ';');
	shape_put(&t, &parents);
	str_putc(&t, ';');
	shape_put(&t, &cables);
	int r = topology_put(w, "FAT_TREE", &t, err);
	str_release(&t);
	return r;
}

static int dragonfly_put(struct generator *w, struct err *err)
{
	struct shape cables = {3, {1, 1, 1}};
	struct str t;
	if (unused(w->g, "parents", w->g->parents, err) < 0 ||
	    unused(w->g, "taper", w->g->taper, err) < 0)
		return -1;
	if (w->shape.n != 4)
		return err_set(
		    err, ERR_INPUT,
		    "platform generate: dragonfly wants GROUPSxCHASSISxROUTERSxNODES, but got '%s'",
		    w->g->shape);
	if (w->g->cables && shape_parse("--cables", w->g->cables, &cables, err) < 0)
		return -1;
	if (cables.n != 3)
		return err_set(err, ERR_INPUT,
		               "platform generate: --cables of a dragonfly are BLUExBLACKxGREEN "
		               "(between groups, chassis, "
		               "routers), but is '%s'",
		               w->g->cables);
	str_init(&t);
	str_printf(&t, "%u,%u;%u,%u;%u,%u;%u", w->shape.v[0], cables.v[0], w->shape.v[1],
	           cables.v[1], w->shape.v[2], cables.v[2], w->shape.v[3]);
	int r = topology_put(w, "DRAGONFLY", &t, err);
	str_release(&t);
	return r;
}

/* Group `id` of level l (the shape's outermost number is level 0): a flat cluster at the last
 * level, else a zone around a router. */
static int group_put(struct generator *w, uint32_t l, const char *id, struct err *err)
{
	char indent[SHAPE_MAX + 2] = "\t\t\t\t\t\t\t\t", child[400];
	struct cable c;
	indent[l + 1] = 0;
	if (l + 1 == w->shape.n) {
		cluster_begin(w, indent, id, w->shape.v[l]);
		str_printf(w->out, " router_id=\"%s_router\"/>\n", id);
		return 0;
	}
	/* The list of uplinks begins with those of the clusters at the bottom. */
	if (cable_parse("uplink", w->g->uplink ? w->g->uplink : w->g->bandwidth, w->shape.n - 2 - l,
	                w->g->latency, &c, err) < 0)
		return -1;
	str_printf(w->out, "%s<zone id=\"%s\" routing=\"Floyd\">\n", indent, id);
	for (uint32_t i = 0; i < w->shape.v[l]; i++) {
		snprintf(child, sizeof child, "%s_%u", id, i);
		if (group_put(w, l + 1, child, err) < 0)
			return -1;
	}
	str_printf(w->out,
	           "%s\t<zone id=\"%s_middle\" routing=\"Full\">\n%s\t\t<router "
	           "id=\"%s_router\"/>\n%s\t</zone>\n",
	           indent, id, indent, id, indent);
	for (uint32_t i = 0; i < w->shape.v[l]; i++)
		str_printf(w->out,
		           "%s\t<link id=\"%s_%u_up\" bandwidth=\"%s\" latency=\"%s\" "
		           "sharing_policy=\"%s\"/>\n",
		           indent, id, i, c.bandwidth, c.latency, w->g->sharing);
	for (uint32_t i = 0; i < w->shape.v[l]; i++)
		str_printf(w->out,
		           "%s\t<zoneRoute src=\"%s_%u\" dst=\"%s_middle\" gw_src=\"%s_%u_router\" "
		           "gw_dst=\"%s_router\">\n"
		           "%s\t\t<link_ctn id=\"%s_%u_up\"%s/>\n%s\t</zoneRoute>\n",
		           indent, id, i, id, id, i, id, indent, id, i,
		           strcmp(w->g->sharing, "SPLITDUPLEX") != 0 ? "" : " direction=\"UP\"",
		           indent);
	str_printf(w->out, "%s</zone>\n", indent);
	return 0;
}

static int hierarchical_put(struct generator *w, struct err *err)
{
	const struct generate_spec *g = w->g;
	uint32_t hosts;
	if (unused(g, "backbone", g->backbone, err) < 0 ||
	    unused(g, "cables", g->cables, err) < 0 || unused(g, "parents", g->parents, err) < 0 ||
	    unused(g, "taper", g->taper, err) < 0 ||
	    shape_hosts(&w->shape, g->shape, &hosts, err) < 0)
		return -1;
	if (w->shape.n < 2)
		return err_set(err, ERR_INPUT,
		               "platform generate: hierarchical wants CABINETSxHOSTS, or more "
		               "levels, but got '%s'",
		               g->shape);
	for (uint32_t l = 0; l + 1 < w->shape.n; l++) {
		if (w->shape.v[l] > CHILDREN_MAX)
			return err_set(err, ERR_INPUT,
			               "platform generate: %u groups around one switch are more "
			               "than %d: add a level",
			               w->shape.v[l], CHILDREN_MAX);
	}
	return group_put(w, 0, g->name, err);
}

static const struct {
	const char *name;
	int (*put)(struct generator *w, struct err *err);
} kinds[] = {{"flat", flat_put},
             {"torus", torus_put},
             {"fat-tree", fat_tree_put},
             {"dragonfly", dragonfly_put},
             {"hierarchical", hierarchical_put}};

static int sharing_check(const char *s, struct err *err)
{
	if (!strcmp(s, "SHARED") || !strcmp(s, "SPLITDUPLEX") || !strcmp(s, "FATPIPE"))
		return 0;
	return err_set(err, ERR_INPUT,
	               "platform generate: --sharing is SPLITDUPLEX, SHARED or FATPIPE, not '%s'",
	               s);
}

int platform_generate(const struct generate_spec *g, struct str *out, struct err *err)
{
	struct generator w = {.g = g, .out = out};
	uint32_t k = 0, n = sizeof kinds / sizeof kinds[0];
	while (k < n && strcmp(kinds[k].name, g->kind) != 0)
		k++;
	if (k == n)
		return err_set(err, ERR_INPUT,
		               "platform generate: there is no '%s': flat, torus, fat-tree, "
		               "dragonfly or hierarchical",
		               g->kind);
	if (spec_check(g, err) < 0 || sharing_check(g->sharing, err) < 0 ||
	    shape_parse("the shape", g->shape, &w.shape, err) < 0)
		return -1;
	str_printf(
	    out,
	    "<?xml version='1.0'?>\n<!--\n  name: %s\n  title: %s %s, generated\n  source: orrery "
	    "platform generate%s%s\n  calibration: %s\n  speed: flops: as asked "
	    "for\n-->\n<!DOCTYPE "
	    "platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform version=\"4.1\">\n",
	    g->name, g->kind, g->shape, g->source ? "; network: " : "", g->source ? g->source : "",
	    g->source ? "partly: the network is that of another machine, where it was measured"
	              : "none: all figures are those asked for");
	if (g->settings)
		str_printf(out, "\t<config>\n%s\t</config>\n", g->settings);
	if (kinds[k].put(&w, err) < 0)
		return -1;
	str_puts(out, "</platform>\n");
	return out->failed ? err_nomem(err, "the description", out->n) : 0;
}
