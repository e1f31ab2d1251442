/* verb_platform.c: `orrery platform list|show|check|generate`: the catalogue, and what is in a
 * description of a machine. */
#include "base/nearest.h"
#include "net/net.h"
#include "outputs.h"
#include "platform/platform.h"
#include "platform_print.h"
#include "verbs.h"

#include <string.h>

/* Options of generate: from OPT_SPEED. */
enum {
	OPT_JSON = 1,
	OPT_ROUTE,
	OPT_HOSTS,
	OPT_CFG,
	OPT_SVG,
	OPT_OUT,
	OPT_SPEED,
	OPT_CORES,
	OPT_BANDWIDTH,
	OPT_LATENCY,
	OPT_SHARING,
	OPT_LOOPBACK,
	OPT_LIMITER,
	OPT_BACKBONE,
	OPT_UPLINK,
	OPT_CABLES,
	OPT_PARENTS,
	OPT_TAPER,
	OPT_PRESET,
	OPT_PROCESSOR,
	OPT_NAME,
	OPT_PREFIX,
	OPT_SUFFIX,
	OPT_COUNT
};
enum { FOR_LIST = 1, FOR_SHOW = 2, FOR_CHECK = 4, FOR_GENERATE = 8 };

static const struct option_row platform_options[] = {
    {OPT_JSON, 0, "json", NULL, "print JSON"},
    {OPT_ROUTE, 'r', "route", "HOST,HOST", "show: the links between two hosts"},
    {OPT_HOSTS, 0, "hosts", NULL, "show: every host with its speed and cores"},
    {OPT_CFG, 0, "cfg", "NAME:VALUE",
     "show, check: a setting, may be repeated (some decide routes)"},
    {OPT_SVG, 0, "svg", "FILE", "show: draw the machine, or the route, into FILE"},
    {OPT_OUT, 'o', "output", "FILE", "generate: write to FILE; default: standard output"},
    {OPT_NAME, 0, "name", "NAME", "generate: of the machine; default: the kind, with '_'"},
    {OPT_PREFIX, 0, "prefix", "TEXT", "generate: of the names of hosts; default: " GENERATE_PREFIX},
    {OPT_SUFFIX, 0, "suffix", "TEXT", "generate: of the names of hosts; default: none"},
    {OPT_PRESET, 0, "preset", "NETWORK",
     "1gbe, 10gbe, 100gbe, ib-fdr, ib-hdr, ib-ndr, omni-path or slingshot-11: bandwidth, latency, "
     "overheads, thresholds and factors that were measured on such a network; the sources are in "
     "the file"},
    {OPT_PROCESSOR, 0, "processor", "MODEL",
     "generate: such as 'AMD EPYC 9654': traces of time from other processors go by the ratio of "
     "both in published figures; default: as long as where they were traced"},
    {OPT_SPEED, 0, "speed", "SPEED", "generate: of a core; default: " GENERATE_SPEED},
    {OPT_CORES, 0, "cores", "N", "generate: of a host; default: 1"},
    {OPT_BANDWIDTH, 0, "bandwidth", "BW", "generate: of a cable; default: " GENERATE_BANDWIDTH},
    {OPT_LATENCY, 0, "latency", "TIME", "generate: of a cable; default: " GENERATE_LATENCY},
    {OPT_SHARING, 0, "sharing", "POLICY",
     "generate: SPLITDUPLEX (one link each way, default), SHARED or FATPIPE"},
    {OPT_LOOPBACK, 0, "loopback", "BW[,TIME]",
     "generate: between ranks of one host; default: they cross its cable"},
    {OPT_LIMITER, 0, "limiter", "BW", "generate: both ways of a host together; default: no limit"},
    {OPT_BACKBONE, 0, "backbone", "BW[,TIME]",
     "generate flat: a link that all messages share; default: none"},
    {OPT_UPLINK, 0, "uplink", "BW[,TIME][;…]",
     "generate hierarchical: from each group up, lowest level first; default: as a host's cable"},
    {OPT_CABLES, 0, "cables", "NxN…",
     "generate fat-tree: parallel ones of each level; dragonfly: between groups, chassis and "
     "routers; default: 1"},
    {OPT_PARENTS, 0, "parents", "NxN…",
     "generate fat-tree: parents of a node of each level; default: full bisection"},
    {OPT_TAPER, 0, "taper", "RATIO",
     "generate fat-tree: cables down of a switch per cable up; default: 1"},
    {0, 0, NULL, NULL, NULL},
};
static const struct option_group platform_groups[] = {
    {OPT_JSON, "list, show, check"},
    {OPT_OUT, "generate"},
    {OPT_PRESET, "generate: hosts and cables"},
    {OPT_BACKBONE, "generate: shapes"},
    {0, NULL},
};

/* For which of the words each option is. */
static const unsigned char meant_for[OPT_COUNT] = {
    [OPT_JSON] = FOR_LIST | FOR_SHOW | FOR_CHECK,
    [OPT_ROUTE] = FOR_SHOW,
    [OPT_HOSTS] = FOR_SHOW,
    [OPT_SVG] = FOR_SHOW,
    [OPT_CFG] = FOR_SHOW | FOR_CHECK,
};

static int options_check(const struct args *a, unsigned what, struct err *err)
{
	for (int i = 0; i < a->n_given; i++) {
		int id = a->given[i].id;
		const struct option_row *o = platform_options;
		while (o->id != id)
			o++;
		if (!((id >= OPT_OUT ? FOR_GENERATE : meant_for[id]) & what))
			return err_set(
			    err, ERR_INPUT,
			    "platform %s: --%s has no meaning here. See 'orrery help platform'.",
			    a->positional[0], o->name);
	}
	return 0;
}

/* --- list --- */

static int platform_list(const struct args *a, struct str *out, struct err *err)
{
	struct catalogue_entry *list;
	int n;

	if (a->n_positional > 1)
		return err_set(
		    err, ERR_INPUT,
		    "platform list: '%s' is one word too many; 'orrery platform show' is "
		    "for one machine",
		    a->positional[1]);
	n = catalogue_list(&list, err);
	if (n < 0)
		return -1;
	if (args_has(a, OPT_JSON))
		catalogue_json(list, n, out);
	else
		catalogue_text(list, n, out);
	catalogue_free(list, n);
	return 0;
}

/* --- show --route --- */

static int host_named(const struct platform *p, const char *name, size_t n, struct host_id *out,
                      struct err *err)
{
	char buf[256], first[256];

	snprintf(buf, sizeof buf, "%.*s", (int)n, name);
	if (platform_host_find(p, buf, out) == 0)
		return 0;
	return err_set(err, ERR_INPUT,
	               "platform: %s has no host '%s' (its first host is '%s'; --hosts shows all)",
	               platform_name(p), buf,
	               platform_host_name(p, (struct host_id){0}, first, sizeof first));
}

/* What the communication model makes of a small and a large message, alone on the machine. */
static int route_model(const struct platform *p, const struct config *cfg, struct host_id from,
                       struct host_id to, struct str *out, struct err *err)
{
	struct net *n = net_new(p, cfg, err);

	if (!n)
		return -1;
	for (double bytes = 1; bytes <= 1048576; bytes *= 1048576) {
		net_explain(n, from, to, bytes, out);
		str_putc(out, '\n');
	}
	net_free(n);
	return 0;
}

static int route_drawing(const struct args *a, const struct platform *p, struct host_id from,
                         struct host_id to, const struct route *r, struct err *err)
{
	struct str svg;

	str_init(&svg);
	int s = route_draw(p, from, to, r, &svg, err) < 0
	            ? -1
	            : print_file(args_get(a, OPT_SVG), &svg, err);
	str_release(&svg);
	return s;
}

static int show_route(const struct args *a, const struct platform *p, const struct config *cfg,
                      struct str *out, struct err *err)
{
	const char *pair = args_get(a, OPT_ROUTE), *comma = strchr(pair, ',');
	struct host_id from, to;
	struct route r;
	int s;

	if (!comma)
		return err_set(err, ERR_INPUT, "platform: --route wants two hosts: FROM,TO");
	if (host_named(p, pair, (size_t)(comma - pair), &from, err) < 0 ||
	    host_named(p, comma + 1, strlen(comma + 1), &to, err) < 0)
		return -1;
	route_init(&r);
	s = route_find(p, from, to, &r, err);
	if (s == 0 && args_has(a, OPT_JSON)) {
		route_json(p, &r, out);
	} else if (s == 0) {
		route_text(p, &r, out);
		s = route_model(p, cfg, from, to, out, err);
	}
	if (s == 0 && args_has(a, OPT_SVG))
		s = route_drawing(a, p, from, to, &r, err);
	route_release(&r);
	return s;
}

static int machine_drawing(const struct args *a, const struct platform *p, struct err *err)
{
	struct str svg;

	str_init(&svg);
	int s = platform_draw(p, &svg, err) < 0 ? -1 : print_file(args_get(a, OPT_SVG), &svg, err);
	str_release(&svg);
	return s;
}

static int platform_show(const struct args *a, const struct platform *p, const struct config *cfg,
                         struct str *out, struct err *err)
{
	if (args_has(a, OPT_ROUTE))
		return show_route(a, p, cfg, out, err);
	if (args_has(a, OPT_SVG) && machine_drawing(a, p, err) < 0)
		return -1;
	if (args_has(a, OPT_JSON)) {
		machine_json(p, cfg, args_has(a, OPT_HOSTS), out);
		return 0;
	}
	machine_text(p, cfg, out);
	if (args_has(a, OPT_HOSTS))
		machine_hosts(p, out);
	return 0;
}

/* --- check --- */

static int platform_check_print(const struct args *a, const struct platform *p,
                                const struct config *cfg, struct str *out, struct err *err)
{
	struct str remarks;
	uint64_t tried;

	str_init(&remarks);
	str_puts(&remarks, str_of(&remarks, &cfg->notices));
	if (platform_routes_try(p, &remarks, &tried, err) < 0) {
		str_release(&remarks);
		return -1;
	}
	platform_check(p, &remarks);
	out->failed |= remarks.failed;
	if (args_has(a, OPT_JSON))
		check_json(p, remarks.n ? remarks.s : "", tried, out);
	else
		str_printf(out, "%s%s: %u host%s, %u link%s, %llu route%s tried: fine\n",
		           remarks.n ? remarks.s : "", a->positional[1], platform_host_count(p),
		           plural(platform_host_count(p)), platform_link_count(p),
		           plural(platform_link_count(p)), (unsigned long long)tried,
		           plural(tried));
	str_release(&remarks);
	return 0;
}

static int with_machine(const struct args *a, int check, struct str *out, struct err *err)
{
	struct config cfg;
	struct platform *p;
	int r = 0;

	if (a->n_positional != 2)
		return err_set(err, ERR_INPUT,
		               "platform %s: one machine is wanted. See 'orrery help platform'.",
		               a->positional[0]);
	if (config_init(&cfg, err) < 0)
		return -1;
	for (int i = 0; i < a->n_given && r == 0; i++) {
		if (a->given[i].id == OPT_CFG)
			r = config_set_all(&cfg, a->given[i].value, CFG_FROM_USER, err);
	}
	p = r == 0 ? platform_read(a->positional[1], &cfg, err) : NULL;
	if (!p || net_model_by_hand(&cfg, platform_name(p), &cfg.notices, err) < 0 ||
	    outputs_check_machine(&verb_platform, a, &cfg, p, err) < 0)
		r = -1;
	else
		r = check ? platform_check_print(a, p, &cfg, out, err)
		          : platform_show(a, p, &cfg, out, err);
	if (r == 0 && !check)
		print_notices(a, &cfg.notices);
	platform_free(p);
	config_release(&cfg);
	return r;
}

/* --- generate --- */

/* 5 is not 5 us: a figure without its unit is refused, not taken for seconds. */
static int units_demand(const struct args *a, struct err *err)
{
	static const struct {
		int option;
		const char *name, *example;
	} figures[] = {
	    {OPT_SPEED, "speed", "2.5Gf"},       {OPT_BANDWIDTH, "bandwidth", "100Gbps"},
	    {OPT_LATENCY, "latency", "5us"},     {OPT_LOOPBACK, "loopback", "10GBps,200ns"},
	    {OPT_LIMITER, "limiter", "20GBps"},  {OPT_BACKBONE, "backbone", "40Gbps,1us"},
	    {OPT_UPLINK, "uplink", "40Gbps,1us"}};

	for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
		const char *s = args_get(a, figures[i].option);

		for (; s && *s; s += strcspn(s, ",;") + (s[strcspn(s, ",;")] != '\0')) {
			size_t n = strcspn(s, ",;");
			double v;

			if (num_parse_double(s, n, &v) == 0 && v != 0)
				return err_set(
				    err, ERR_INPUT,
				    "platform generate: --%s %.*s: of which unit? For example %s",
				    figures[i].name, (int)n, s, figures[i].example);
		}
	}
	return 0;
}

/* One that nothing is published of is as good a name as any, for traces from the same. */
static int processor_told(const struct args *a, const char *model, struct err *err)
{
	char near[128], text[512];
	int known = processor_find(model, near, sizeof near, err);

	if (known < 0)
		return -1;
	snprintf(
	    text, sizeof text,
	    "no published figures are known of the processor '%s'%s%s%s: computations traced on "
	    "another will take as long as there (docs/machines.md)\n",
	    model, *near ? " (did you mean '" : "", near, *near ? "'?)" : "");
	if (!known)
		print_notice(a, text);
	return 0;
}

static int platform_generated(const struct args *a, struct str *out, struct err *err)
{
	int64_t cores = 1;
	struct str notices;
	int r;

	if (a->n_positional != 3)
		return err_set(err, ERR_INPUT,
		               "platform generate: a kind and its shape are wanted, such as "
		               "'fat-tree 16x16x16'. See 'orrery help platform'.");
	if (args_int(a, &verb_platform, OPT_CORES, 1, 1 << 20, &cores, err) < 0)
		return -1;
	if (units_demand(a, err) < 0)
		return -1;
	str_init(&notices);
	const struct generate_spec g = {
	    .kind = a->positional[1],
	    .shape = a->positional[2],
	    .preset = args_get(a, OPT_PRESET),
	    .name = args_get(a, OPT_NAME),
	    .prefix = args_get(a, OPT_PREFIX),
	    .suffix = args_get(a, OPT_SUFFIX),
	    .speed = args_get(a, OPT_SPEED),
	    .processor = args_get(a, OPT_PROCESSOR),
	    .cores = (uint32_t)cores,
	    .bandwidth = args_get(a, OPT_BANDWIDTH),
	    .latency = args_get(a, OPT_LATENCY),
	    .sharing = args_get(a, OPT_SHARING),
	    .loopback = args_get(a, OPT_LOOPBACK),
	    .limiter = args_get(a, OPT_LIMITER),
	    .backbone = args_get(a, OPT_BACKBONE),
	    .uplink = args_get(a, OPT_UPLINK),
	    .cables = args_get(a, OPT_CABLES),
	    .parents = args_get(a, OPT_PARENTS),
	    .taper = args_get(a, OPT_TAPER),
	    .notices = &notices,
	};
	r = platform_generate(&g, out, err);
	if (r == 0 && notices.failed)
		r = err_nomem(err, "notices", notices.cap);
	if (r == 0)
		print_notice(a, notices.s);
	str_release(&notices);
	return r == 0 && g.processor ? processor_told(a, g.processor, err) : r;
}

static void platform_words(struct str *out)
{
	str_puts(out, "list show check generate ");
}

static int what_unknown(const char *what, struct err *err)
{
	struct nearest near;

	nearest_init(&near, what);
	nearest_offer(&near, "list");
	nearest_offer(&near, "show");
	nearest_offer(&near, "check");
	nearest_offer(&near, "generate");
	if (*what)
		return err_set(err, ERR_INPUT,
		               "platform: '%s' is none of list, show, check, generate%s%s%s See "
		               "'orrery help platform'.",
		               what, near.best ? "; did you mean " : ".",
		               near.best ? near.best : "", near.best ? "?" : "");
	return err_set(err, ERR_INPUT,
	               "platform: list, show, check or generate? See 'orrery help platform'.");
}

static int platform_run(const struct args *a, struct err *err)
{
	const char *what = a->n_positional ? a->positional[0] : "";
	struct str out;
	int r;

	str_init(&out);
	if (!strcmp(what, "list"))
		r = options_check(a, FOR_LIST, err) < 0 ? -1 : platform_list(a, &out, err);
	else if (!strcmp(what, "show"))
		r = options_check(a, FOR_SHOW, err) < 0 ? -1 : with_machine(a, 0, &out, err);
	else if (!strcmp(what, "check"))
		r = options_check(a, FOR_CHECK, err) < 0 ? -1 : with_machine(a, 1, &out, err);
	else if (!strcmp(what, "generate"))
		r = options_check(a, FOR_GENERATE, err) < 0 ? -1 : platform_generated(a, &out, err);
	else
		r = what_unknown(what, err);
	if (r == 0)
		r = args_has(a, OPT_OUT) ? print_file(args_get(a, OPT_OUT), &out, err)
		                         : print_stdout(&out, err);
	str_release(&out);
	return r;
}

static const int outputs[] = {OPT_SVG, OPT_OUT, 0};

static const int repeats[] = {OPT_CFG, 0};

static const struct option_rule rules[] = {{OPT_HOSTS, {0}, {OPT_ROUTE}}, {0, {0}, {0}}};

const struct verb verb_platform = {
    .name = "platform",
    .synopsis = "list | show MACHINE | check MACHINE | generate KIND SHAPE [options]",
    .summary = "lists the catalogue of machines; shows, draws, checks or generates a description",
    .text = "list      the machines of the catalogue, with their sources and what of them is "
            "calibrated\n"
            "show      hosts, links, settings of a machine; with --route the links between two "
            "hosts and the bottleneck; with --svg as a picture\n"
            "check     reads a description, tries its routes, reports what has no effect here "
            "and what compat:simgrid-3.32 would change\n"
            "generate  writes the description of a regular machine, by its kind and shape:\n"
            "\n"
            "  flat 64              hosts around a switch\n"
            "  torus 8x8x4          hosts of each dimension\n"
            "  fat-tree 16x16x16    children of each level, hosts first\n"
            "  dragonfly 9x4x4x2    groups, chassis, routers, hosts of a router\n"
            "  hierarchical 4x16    cabinets and hosts of each; more levels with more numbers",
    .options = platform_options,
    .groups = platform_groups,
    .outputs = outputs,
    .repeats = repeats,
    .rules = rules,
    .run = platform_run,
    .words = platform_words,
    .fileless = "generate",
};
