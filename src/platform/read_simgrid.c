/* read_simgrid.c: SimGrid's XML platforms, versions 1 to 4: from the elements that xml.c has
 * checked to the building functions.
 *
 * <config> settings are complete before the first resource, because some of them decide links
 * (loopback) and routes (compat); `begin` marks that moment. What has no meaning here is accepted
 * with one notice per element name; what is not supported yet is refused by name. */
#include "platform/reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned version_read(struct xml *x, struct err *err)
{
	const char *text = xml_get(x, "version");
	double v;
	if (num_parse_double(text, strlen(text), &v) < 0) {
		xml_error(x, xml_place_of(x, "version"), err,
		          "version '%.40s' of <platform>: expected a number such as 4.1", text);
		return 0;
	}
	long hundredths = lround(fmin(fmax(v, 0), 1000) * 100);
	if (hundredths >= 100 && hundredths < 300)
		return XML_OLD;
	if (hundredths >= 300 && hundredths < 400)
		return XML_V3;
	if (hundredths >= 400 && hundredths <= 410)
		return XML_V4;
	xml_error(x, xml_place_of(x, "version"), err,
	          "version '%.40s' of <platform>: versions 1 to 4.1 are read%s", text,
	          hundredths < 100 ? " (without version, or version 0: units were Mflop/s and "
	                             "MB/s; simgrid_update_xml converts such files)"
	                           : "");
	return 0;
}

/* --- <config> --- */

static int setting_add(struct reader *r, struct xml *x, struct err *err)
{
	struct setting *grown = vec_grow(r->settings, &r->settings_cap, sizeof *grown,
	                                 (size_t)r->settings_n + 1, "settings", err);
	if (!grown)
		return -1;
	r->settings = grown;
	const char *key = xml_get(x, "id"), *value = xml_get(x, "value");
	struct setting *s = &r->settings[r->settings_n];
	s->key = arena_strndup(&r->b.p->arena, key, strlen(key), err);
	s->value = s->key ? arena_strndup(&r->b.p->arena, value, strlen(value), err) : NULL;
	s->at = xml_place(x);
	if (!s->value)
		return -1;
	r->settings_n++;
	return 0;
}

static int setting_compare(const void *a, const void *b)
{
	const struct setting *x = a, *y = b;
	int by_key = strcmp(x->key, y->key);
	if (by_key)
		return by_key;
	if (x->at.line != y->at.line)
		return x->at.line < y->at.line ? -1 : 1;
	return (x->at.column > y->at.column) - (x->at.column < y->at.column);
}

static int setting_apply(struct reader *r, const struct setting *s, struct err *err)
{
	struct err why;
	if (config_set(r->b.cfg, s->key, s->value, CFG_FROM_PLATFORM, &why) == 0)
		return 0;
	if (why.kind == ERR_LIMIT)
		return err_set(err, ERR_LIMIT, "%s", why.text);
	return build_error(&r->b, s->at, err, "%s", why.text);
}

/* SimGrid applies the settings of one <config> in the order of their names, and the first of two
 * with the same name counts, also of two <config>. */
static int read_config_end(struct reader *r, struct xml *x, struct err *err)
{
	(void)x;
	if (r->settings_n)
		qsort(r->settings, r->settings_n, sizeof *r->settings, setting_compare);
	for (uint32_t i = 0; i < r->settings_n; i++) {
		const struct setting *s = &r->settings[i];

		if (hash_str_find(&r->settings_seen, s->key) != HASH_NONE)
			continue;
		if (hash_str_put(&r->settings_seen, s->key, i, err) < 0 ||
		    setting_apply(r, s, err) < 0)
			return -1;
	}
	r->settings_n = 0;
	return 0;
}

/* compat: smpirun names these on SimGrid's command line, which goes before the platform. */
static int is_of_smpirun(struct reader *r, enum config_id id, const char *here, struct err *err)
{
	struct config *c = r->b.cfg;
	if (!config_compat(c) || config_from(c, id) != CFG_FROM_PLATFORM)
		return 0;
	str_printf(&c->notices,
	           "%s:%s of the platform has no effect with compat: smpirun sets it; %s does "
	           "here\n",
	           config_table[id].name, config_text(c, id), here);
	return c->notices.failed ? err_nomem(err, "notices on settings", c->notices.n + 1)
	                         : config_unset(c, id, err);
}

/* The settings are known: the global loopback link can be made. */
static int begin(struct reader *r, const struct xml *x, struct err *err)
{
	struct platform *p = r->b.p;
	if (r->begun)
		return 0;
	r->begun = 1;
	if (is_of_smpirun(r, CFG_NET_MODEL, "--model", err) < 0 ||
	    is_of_smpirun(r, CFG_PRECISION_TIME, "--cfg surf/precision:", err) < 0)
		return -1;
	p->compat = config_compat(r->b.cfg);
	struct link_info info = {config_number(r->b.cfg, CFG_NET_LOOPBACK_BW),
	                         config_number(r->b.cfg, CFG_NET_LOOPBACK_LAT), LINK_FATPIPE};
	if (!(info.bandwidth > 0) || !(info.latency >= 0))
		return xml_error(
		    x, xml_place(x), err, "before it: setting %s is '%s', but must be %s",
		    config_table[info.bandwidth > 0 ? CFG_NET_LOOPBACK_LAT : CFG_NET_LOOPBACK_BW]
		        .name,
		    config_text(r->b.cfg,
		                info.bandwidth > 0 ? CFG_NET_LOOPBACK_LAT : CFG_NET_LOOPBACK_BW),
		    info.bandwidth > 0 ? "0 or more" : "positive");
	p->loopback.v = p->link_count;
	if (link_add(&r->b, "__loopback__", &info, LINK_WHOLE, (struct place){0, 0}, err) < 0)
		return -1;
	/* Versions 1 and 2 have no zones: all is in one. */
	if (xml_version(x) == XML_OLD && !zone_open(&r->b, "AS0", &zone_full, xml_place(x), err))
		return -1;
	return 0;
}

static int read_platform_end(struct reader *r, struct xml *x, struct err *err)
{
	return xml_version(x) == XML_OLD && r->begun ? zone_close(&r->b, err) : 0;
}

/* --- <prop>, zones --- */

static int prop_add(struct reader *r, struct xml *x, struct err *err)
{
	struct arena *a = &r->b.p->arena;
	const char *key = xml_get(x, "id"), *value = xml_get(x, "value");
	struct prop **at = r->props;
	for (; *at; at = &(*at)->next)
		if (strcmp((*at)->key, key) == 0)
			return 0; /* the first counts */
	struct prop *new = arena_alloc(a, sizeof *new, err);
	if (!new)
		return -1;
	new->key = arena_strndup(a, key, strlen(key), err);
	new->value = new->key ? arena_strndup(a, value, strlen(value), err) : NULL;
	if (!new->value)
		return -1;
	*at = new;
	return 0;
}

/* Properties that somebody asks for (platform_host_prop). Plugins of SimGrid have theirs, of energy
 * for instance. */
static int prop_known(const char *key)
{
	static const char *const known[] = {"smpi/", "psins/", "cpu-ratio", "remote_disk"};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		if (strncmp(key, known[i], strlen(known[i])) == 0)
			return 1;
	}
	return 0;
}

/* SimGrid's file-system plugin also has size and content: which files there are, which traces
 * say. */
static int read_disk_prop(struct reader *r, struct xml *x, struct err *err)
{
	const char *key = xml_get(x, "id");
	if (strcmp(key, "mount") == 0)
		return prop_add(r, x, err);
	char why[160];
	snprintf(why, sizeof why,
	         "'%.60s' is none of the properties of disks that have a meaning (mount)", key);
	return reader_notice(r, x, E_PROP, why, err);
}

static int read_prop(struct reader *r, struct xml *x, struct err *err)
{
	int in = xml_parent(x);
	if (in == E_CONFIG)
		return setting_add(r, x, err);
	if (in == E_DISK)
		return read_disk_prop(r, x, err);
	if ((in != E_HOST && in != E_CLUSTER) || !prop_known(xml_get(x, "id"))) {
		char why[200];
		snprintf(why, sizeof why,
		         "'%.60s' is none of the properties of hosts that have a meaning (smpi/…, "
		         "psins/…, cpu-ratio, remote_disk)",
		         xml_get(x, "id"));
		if (reader_notice(r, x, E_PROP, why, err) < 0)
			return -1;
	}
	return (in == E_HOST || in == E_CLUSTER) ? prop_add(r, x, err) : 0;
}

static int routing_refuse(const struct xml *x, struct err *err)
{
	struct str known;
	str_init(&known);
	for (int i = 0; zone_kinds[i]; i++)
		str_printf(&known, "%s%s", i ? ", " : "", zone_kinds[i]->name);
	xml_error(x, xml_place_of(x, "routing"), err,
	          "routing '%s' is not supported; supported: %s", xml_get(x, "routing"),
	          known.n ? known.s : "none");
	str_release(&known);
	return -1;
}

static int read_zone(struct reader *r, struct xml *x, struct err *err)
{
	const struct zone_kind *kind = zone_kind_find(xml_get(x, "routing"));
	if (!kind)
		return routing_refuse(x, err);
	return zone_open(&r->b, xml_get(x, "id"), kind, xml_place_of(x, "id"), err) ? 0 : -1;
}

static int read_zone_end(struct reader *r, struct xml *x, struct err *err)
{
	(void)x;
	return zone_close(&r->b, err);
}

static int read_include(struct reader *r, struct xml *x, struct err *err)
{
	(void)r;
	return xml_error(
	    x, xml_place(x), err,
	    "<include> is not supported (SimGrid removed it in 3.18): put the content of '%s' here",
	    xml_get(x, "file"));
}

/* --- dispatch --- */

#define OLD_STORAGE \
	"SimGrid removed it in 3.27; describe a <disk> of a host, or --cfg storage/file-systems"

/* What to do at the tags of each element. `notice`: accepted without effect, and why. */
static const struct element_action {
	reader_fn *start, *end;
	const char *notice;
} actions[E_COUNT] = {
    [E_PLATFORM] = {.end = read_platform_end},
    [E_CONFIG] = {.end = read_config_end},
    [E_PROP] = {.start = read_prop},
    [E_INCLUDE] = {.start = read_include},
    [E_TRACE] = {read_trace, read_trace_end, NULL},
    [E_TRACE_CONNECT] = {.start = read_trace_connect},
    [E_ZONE] = {read_zone, read_zone_end, NULL},
    [E_CLUSTER] = {read_cluster, read_zone_end, NULL},
    [E_CABINET] = {.start = read_cabinet},
    [E_PEER] = {.start = read_peer},
    [E_HOST] = {.start = read_host},
    [E_ROUTER] = {.start = read_router},
    [E_LINK] = {.start = read_link},
    [E_BACKBONE] = {.start = read_backbone},
    [E_HOST_LINK] = {.start = read_host_link},
    [E_ROUTE] = {read_route, read_route_end, NULL},
    [E_ZONE_ROUTE] = {read_zone_route, read_route_end, NULL},
    [E_LINK_CTN] = {.start = read_link_ctn},
    [E_BYPASS_ROUTE] = {read_bypass_route, read_bypass_end, NULL},
    [E_BYPASS_ZONE_ROUTE] = {read_bypass_zone_route, read_bypass_end, NULL},
    [E_RANDOM] = {.notice = "SimGrid ignores it too"},
    [E_DISK] = {read_disk, read_disk_end, NULL},
    [E_STORAGE_TYPE] = {.notice = OLD_STORAGE},
    [E_STORAGE] = {.notice = OLD_STORAGE},
    [E_MOUNT] = {.notice = OLD_STORAGE},
    [E_MSTORAGE] = {.notice = OLD_STORAGE},
    [E_GPU] = {.notice = "GPUs of SimGrid 3 never had an effect"},
    [E_ACTOR] =
        {.notice = "ranks are placed by the hostfile or in order of hosts, not by a deployment"},
};

static int on_start(void *ctx, struct xml *x, int element, struct err *err)
{
	struct reader *r = ctx;
	const struct element_action *a = &actions[element];
	if (element != E_PLATFORM && element != E_CONFIG && element != E_RANDOM &&
	    xml_parent(x) != E_CONFIG && begin(r, x, err) < 0)
		return -1;
	if (a->notice && reader_notice(r, x, element, a->notice, err) < 0)
		return -1;
	return a->start ? a->start(r, x, err) : 0;
}

static int on_end(void *ctx, struct xml *x, int element, struct err *err)
{
	return actions[element].end ? actions[element].end(ctx, x, err) : 0;
}

static int on_text(void *ctx, struct xml *x, const char *s, size_t n, struct err *err)
{
	return read_trace_text(ctx, x, s, n, err);
}

int simgrid_read(struct build *b, const char *path, struct err *err)
{
	static const struct xml_dialect dialect = {
	    simgrid_elements, E_COUNT, E_PLATFORM, version_read, on_start, on_end, on_text};
	struct reader r = {.b = *b};
	r.b.file = path;
	hash_str_init(&r.settings_seen);
	hash_str_init(&r.profile_files);
	hash_str_init(&r.trace_ids);
	hash64_init(&r.profiled);
	str_init(&r.trace_text);
	int got = xml_read(path, &dialect, &r, err);
	if (got == 0)
		got = profiles_connect(&r, err);
	hash_str_release(&r.settings_seen);
	hash_str_release(&r.profile_files);
	hash_str_release(&r.trace_ids);
	hash64_release(&r.profiled);
	str_release(&r.trace_text);
	free(r.connections);
	free(r.settings);
	free(r.ctn);
	*b = r.b;
	return got;
}
