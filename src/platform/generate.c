/* generate.c: descriptions of regular machines, written as SimGrid XML from a few figures. What it
 * writes is an ordinary file, for us and for SimGrid: nothing else in the house knows that it was
 * generated.
 *
 * flat, torus, fat-tree and dragonfly are one <cluster> each. hierarchical is a tree of switches:
 * at its leaves flat clusters, above them zones whose children each have one cable (two ways) to a
 * router in the middle. */
#include "platform/cluster.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHAPE_MAX = 8, GENERATE_HOSTS_MAX = (1 << 28) - 1, CHILDREN_MAX = 2000, NAME_LEN = 200 };

struct shape {
	uint32_t n, v[SHAPE_MAX];
};

struct generator {
	const struct generate_spec *g;
	struct shape shape;
	struct str *out;
	uint32_t hosts; /* in all */
	uint32_t first; /* number of the next host */
};

static int shape_refuse(const char *option, const char *text, struct err *err)
{
	return err_set(err, ERR_INPUT,
	               "platform generate: %s wants numbers from 1 to %d such as 8x8x4, but is "
	               "'%s'",
	               option, GENERATE_HOSTS_MAX, text);
}

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
			return shape_refuse(option, text, err);
		if (s->n == SHAPE_MAX)
			return err_set(err, ERR_INPUT,
			               "platform generate: %s has more than %d numbers: '%s'",
			               option, SHAPE_MAX, text);
		s->v[s->n++] = (uint32_t)v;
		if (!*end)
			return 0;
		if (*end != 'x')
			return shape_refuse(option, text, err);
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
		if (!letter_is(*p) && !isdigit((unsigned char)*p) && !strchr("._-", *p))
			return err_set(err, ERR_INPUT,
			               "platform generate: --%s may have letters, digits, '.', '_' "
			               "and '-', but is '%s'",
			               option, text);
	}
	if (strlen(text) > NAME_LEN)
		return err_set(err, ERR_INPUT,
		               "platform generate: --%s has more than %d characters", option,
		               NAME_LEN);
	return 0;
}

/* Hosts, zones and routers share one name space: `id` must not be prefix, number, suffix. */
static int id_check(const struct generator *w, const char *id, struct err *err)
{
	size_t p = strlen(w->g->prefix), s = strlen(w->g->suffix), n = strlen(id);
	int64_t number;

	if (n <= p + s || strncmp(id, w->g->prefix, p) != 0 ||
	    strcmp(id + n - s, w->g->suffix) != 0 || strspn(id + p, "0123456789") < n - p - s ||
	    (id[p] == '0' && n - p - s > 1) || num_parse_i64(id + p, n - p - s, &number) < 0 ||
	    number >= w->hosts)
		return 0;
	return err_set(err, ERR_INPUT,
	               "platform generate: '%s' would be the name of a host and of a %s: choose "
	               "another --name or --prefix",
	               id, n > 7 && !strcmp(id + n - 7, "_router") ? "router" : "zone");
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

/* One cable, not a list of them. */
static int single_parse(const char *option, const char *text, struct cable *c, struct err *err)
{
	if (strchr(text, ';'))
		return err_set(err, ERR_INPUT,
		               "platform generate: --%s is one BANDWIDTH[,LATENCY], but is '%s'",
		               option, text);
	return cable_parse(option, text, 0, "0s", c, err);
}

/* It becomes a line of a comment. */
static int processor_check(const char *text, struct err *err)
{
	const char *p = text;

	while (*p && (unsigned char)*p >= ' ' && !(p[0] == '-' && p[1] == '-'))
		p++;
	if (!*p && text[strspn(text, " ")] && strlen(text) <= NAME_LEN)
		return 0;
	return err_set(
	    err, ERR_INPUT,
	    "platform generate: --processor is a model of processor, in %d characters at "
	    "most and without '--', but is '%s'",
	    NAME_LEN, text);
}

static int spec_check(const struct generate_spec *g, struct err *err)
{
	struct cable c;
	if (name_check("name", g->name, err) < 0 || name_check("prefix", g->prefix, err) < 0 ||
	    name_check("suffix", g->suffix, err) < 0)
		return -1;
	if (!g->name[0] || !letter_is(g->name[0]))
		return err_set(err, ERR_INPUT,
		               "platform generate: --name must begin with a letter, but is '%s'",
		               g->name);
	if (strstr(g->name, "--"))
		return err_set(err, ERR_INPUT,
		               "platform generate: --name cannot have '--', which comments of XML "
		               "cannot have, but is '%s'",
		               g->name);
	if (g->processor && processor_check(g->processor, err) < 0)
		return -1;
	if (figure_check("speed", g->speed, UNIT_SPEED, 1, err) < 0 ||
	    figure_check("bandwidth", g->bandwidth, UNIT_BANDWIDTH, 1, err) < 0 ||
	    figure_check("latency", g->latency, UNIT_TIME, 0, err) < 0 ||
	    (g->limiter && figure_check("limiter", g->limiter, UNIT_BANDWIDTH, 1, err) < 0) ||
	    (g->backbone && single_parse("backbone", g->backbone, &c, err) < 0) ||
	    (g->loopback && single_parse("loopback", g->loopback, &c, err) < 0))
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
	if (g->loopback && single_parse("loopback", g->loopback, &c, NULL) == 0)
		str_printf(w->out, " loopback_bw=\"%s\" loopback_lat=\"%s\"", c.bandwidth,
		           c.latency);
	if (g->limiter)
		str_printf(w->out, " limiter_link=\"%s\"", g->limiter);
	w->first += hosts;
}

/* Whether who reads the description will take these parameters. */
static int parameters_check(const struct topology *t, const char *parameters, struct err *err)
{
	struct arena arena;
	struct err why;
	uint32_t hosts;
	void *self;

	arena_init(&arena);
	int got = t->parse(&arena, parameters, 0, &self, &hosts, &why);
	arena_release(&arena);
	if (got < 0 && why.kind == ERR_INPUT)
		return err_set(err, ERR_INPUT, "platform generate: a %s '%s': %s", t->kind->name,
		               parameters, why.text);
	return got < 0 ? err_set(err, why.kind, "%s", why.text) : 0;
}

static int topology_put(struct generator *w, const struct topology *t, const struct str *parameters,
                        struct err *err)
{
	char id[NAME_LEN + 8];
	snprintf(id, sizeof id, "%s_net", w->g->name);
	if (unused(w->g, "backbone", w->g->backbone, err) < 0 ||
	    unused(w->g, "uplink", w->g->uplink, err) < 0 || id_check(w, id, err) < 0 ||
	    (!parameters->failed && parameters_check(t, parameters->s, err) < 0))
		return -1;
	str_printf(w->out, "\t<zone id=\"%s\" routing=\"Full\">\n", w->g->name);
	cluster_begin(w, "\t\t", id, w->hosts);
	str_printf(w->out, "\n\t\t\ttopology=\"%s\" topo_parameters=\"%s\"/>\n\t</zone>\n", t->name,
	           str_of(w->out, parameters));
	return 0;
}

/* --- the kinds --- */

static int flat_put(struct generator *w, struct err *err)
{
	const struct generate_spec *g = w->g;
	struct cable c;
	if (unused(g, "uplink", g->uplink, err) < 0 || unused(g, "cables", g->cables, err) < 0 ||
	    unused(g, "parents", g->parents, err) < 0 || unused(g, "taper", g->taper, err) < 0)
		return -1;
	if (w->shape.n != 1)
		return err_set(err, ERR_INPUT,
		               "platform generate: flat wants a number of hosts, but got '%s'",
		               g->shape);
	cluster_begin(w, "\t", g->name, w->hosts);
	if (g->backbone && single_parse("backbone", g->backbone, &c, err) == 0)
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
	int r = topology_put(w, &topology_torus, &t, err);
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

/* Cables are whole ones: those up of a switch of level l may be others than were asked for. */
static void taper_tell(const struct generator *w, const struct shape *cables,
                       const struct shape *parents, uint32_t l)
{
	uint64_t down = (uint64_t)w->shape.v[l - 1] * cables->v[l - 1],
	         up = (uint64_t)parents->v[l] * cables->v[l];

	if (w->g->notices)
		str_printf(w->g->notices,
		           "a switch of level %u has %llu cable%s down and %llu up: %.4g down for "
		           "each up, not %s\n",
		           l, (unsigned long long)down, plural(down), (unsigned long long)up,
		           (double)down / (double)up, w->g->taper ? w->g->taper : "1");
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
		if (up > GENERATE_HOSTS_MAX)
			return err_set(err, ERR_INPUT,
			               "platform generate: full bisection of '%s' wants more than "
			               "%d parents: give --parents or --taper",
			               w->g->shape, GENERATE_HOSTS_MAX);
		parents->v[l] = up < 1 ? 1 : (uint32_t)(up + 0.5);
		if (parents->v[l] != up)
			taper_tell(w, cables, parents, l);
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
	int r = topology_put(w, &topology_fat_tree, &t, err);
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
		               "(between groups, chassis, routers), but is '%s'",
		               w->g->cables);
	str_init(&t);
	str_printf(&t, "%u,%u;%u,%u;%u,%u;%u", w->shape.v[0], cables.v[0], w->shape.v[1],
	           cables.v[1], w->shape.v[2], cables.v[2], w->shape.v[3]);
	int r = topology_put(w, &topology_dragonfly, &t, err);
	str_release(&t);
	return r;
}

/* Group `id` of level l (the shape's outermost number is level 0): a flat cluster at the last
 * level, else a zone around a router. */
static int group_put(struct generator *w, uint32_t l, const char *id, struct err *err)
{
	char indent[SHAPE_MAX + 2] = "\t\t\t\t\t\t\t\t", child[2 * NAME_LEN];
	struct cable c;
	indent[l + 1] = 0;
	snprintf(child, sizeof child, "%s_router", id);
	if (id_check(w, id, err) < 0 || id_check(w, child, err) < 0)
		return -1;
	snprintf(child, sizeof child, "%s_middle", id);
	if (l + 1 < w->shape.n && id_check(w, child, err) < 0)
		return -1;
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
	uint32_t uplinks = 1;
	if (unused(g, "backbone", g->backbone, err) < 0 ||
	    unused(g, "cables", g->cables, err) < 0 || unused(g, "parents", g->parents, err) < 0 ||
	    unused(g, "taper", g->taper, err) < 0)
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
	for (const char *p = g->uplink ? g->uplink : ""; (p = strchr(p, ';')); p++)
		uplinks++;
	if (uplinks >= w->shape.n)
		return err_set(
		    err, ERR_INPUT,
		    "platform generate: --uplink has %u cables, but '%s' only %u level%s of groups",
		    uplinks, g->shape, w->shape.n - 1, w->shape.n == 2 ? "" : "s");
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

/* What was asked for, and defaults for the rest. name: room for that of the machine. */
static struct generate_spec spec_complete(const struct generate_spec *asked,
                                          const struct platform_preset *q, char *name, size_t n)
{
	struct generate_spec g = *asked;

	snprintf(name, n, "%s", g.kind);
	for (char *p = name; *p; p++)
		*p = *p == '-' ? '_' : *p;
	g.name = g.name ? g.name : name;
	g.prefix = g.prefix ? g.prefix : GENERATE_PREFIX;
	g.suffix = g.suffix ? g.suffix : "";
	g.speed = g.speed ? g.speed : GENERATE_SPEED;
	g.cores = g.cores ? g.cores : 1;
	g.sharing = g.sharing ? g.sharing : "SPLITDUPLEX";
	if (!g.bandwidth)
		g.bandwidth = g.preset ? q->bandwidth : GENERATE_BANDWIDTH;
	if (!g.latency)
		g.latency = g.preset ? q->latency : GENERATE_LATENCY;
	if (!g.loopback && g.preset)
		g.loopback = q->loopback;
	return g;
}

/* What of a preset's network is not the preset's. */
static void replaced_put(const struct generate_spec *asked, struct str *out)
{
	const char *what[] = {asked->bandwidth ? "bandwidth" : NULL,
	                      asked->latency ? "latency" : NULL,
	                      asked->loopback ? "loopback" : NULL};
	int n = 0;

	for (size_t i = 0; asked->preset && i < sizeof what / sizeof *what; i++)
		if (what[i])
			str_printf(out, "%s%s", n++ ? ", " : "; as asked for instead: ", what[i]);
}

static void header_put(const struct generate_spec *g, const struct generate_spec *asked,
                       const struct platform_preset *q, struct str *out)
{
	static const char measured_elsewhere[] =
	    "partly: the network is that of another machine, where it was measured";

	str_printf(out,
	           "<?xml version='1.0'?>\n<!--\n  name: %s\n  title: %s %s, generated\n  source: "
	           "orrery platform generate%s%s\n  calibration: %s",
	           g->name, g->kind, g->shape, g->preset ? "; network: " : "",
	           g->preset ? q->source.s : "",
	           g->preset ? measured_elsewhere
	                     : "none: all figures are those asked for, or defaults");
	replaced_put(asked, out);
	str_printf(out,
	           "\n%s%s%s  speed: flops: as asked for, or the default\n-->\n<!DOCTYPE platform "
	           "SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform version=\"4.1\">\n",
	           g->processor ? "  processor: " : "", g->processor ? g->processor : "",
	           g->processor ? "\n" : "");
	if (q->settings.n)
		str_printf(out, "\t<config>\n%s\t</config>\n", q->settings.s);
}

static int generate(const struct generate_spec *g, const struct generate_spec *asked,
                    const struct platform_preset *q, struct str *out, struct err *err)
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
	    shape_parse("the shape", g->shape, &w.shape, err) < 0 ||
	    shape_hosts(&w.shape, g->shape, &w.hosts, err) < 0 || id_check(&w, g->name, err) < 0)
		return -1;
	header_put(g, asked, q, out);
	if (kinds[k].put(&w, err) < 0)
		return -1;
	str_puts(out, "</platform>\n");
	return out->failed ? err_nomem(err, "the description", out->n) : 0;
}

int platform_generate(const struct generate_spec *asked, struct str *out, struct err *err)
{
	struct platform_preset q;
	struct generate_spec g;
	char name[NAME_LEN];
	int r = -1;

	platform_preset_init(&q);
	if (!asked->preset || platform_preset_read(asked->preset, &q, err) == 0) {
		g = spec_complete(asked, &q, name, sizeof name);
		r = generate(&g, asked, &q, out, err);
	}
	platform_preset_release(&q);
	return r;
}
