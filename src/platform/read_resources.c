/* read_resources.c: <host>, <router>, <link>, <cluster>. */
#include "platform/reader.h"

#include <stdio.h>
#include <string.h>

static const char no_profiles[] = "availability profiles are not supported yet";

static int profiles_refuse(const struct xml *x, struct err *err)
{
	static const char *const attrs[] = {"speed_file", "availability_file", "state_file", "bandwidth_file", "latency_file"};
	for (size_t i = 0; i < sizeof attrs / sizeof *attrs; i++)
		if (value_refuse(x, attrs[i], no_profiles, err) < 0)
			return -1;
	if (xml_given(x, "state") && strcmp(xml_get(x, "state"), "OFF") == 0)
		return xml_error(x, xml_place_of(x, "state"), err, "a %s that is off from the start is not supported", xml_tag(x));
	return 0;
}

/* Version 3's availability scales the speed. */
static int speed_read(const struct xml *x, struct host_info *info, struct err *err)
{
	int64_t pstate;
	if (value_read_int(x, "pstate", 0, 1 << 20, &pstate, err) < 0 || value_read_speed(x, (uint32_t)pstate, &info->speed, err) < 0)
		return -1;
	if (!xml_given(x, "availability"))
		return 0;
	double scale;
	const char *text = xml_get(x, "availability");
	if (num_parse_double(text, strlen(text), &scale) < 0 || !(scale > 0))
		return xml_error(x, xml_place_of(x, "availability"), err, "availability of <host> is '%.100s', expected a positive number", text);
	info->speed *= scale;
	return 0;
}

static int cores_read(const struct xml *x, struct host_info *info, struct err *err)
{
	int64_t cores;
	if (value_read_int(x, "core", 1, 1 << 24, &cores, err) < 0)
		return -1;
	info->cores = (uint32_t)cores;
	return 0;
}

int read_host(struct reader *r, struct xml *x, struct err *err)
{
	struct platform *p = r->b.p;
	struct host_info info;
	const double *coords;
	if (profiles_refuse(x, err) < 0 || speed_read(x, &info, err) < 0 || cores_read(x, &info, err) < 0 ||
	    value_read_coords(x, &p->arena, &coords, err) < 0)
		return -1;
	if (host_add(&r->b, xml_get(x, "id"), &info, coords, xml_place_of(x, "id"), err) < 0)
		return -1;
	r->props = &p->hosts[p->hosts_n - 1].props;
	return 0;
}

int read_router(struct reader *r, struct xml *x, struct err *err)
{
	const double *coords;
	if (value_read_coords(x, &r->b.p->arena, &coords, err) < 0)
		return -1;
	return router_add(&r->b, xml_get(x, "id"), coords, xml_place_of(x, "id"), err);
}

int read_link(struct reader *r, struct xml *x, struct err *err)
{
	struct link_info info = {.policy = LINK_SHARED};
	const char *policy = xml_get(x, "sharing_policy");
	if (strcmp(policy, "WIFI") == 0)
		return xml_error(x, xml_place_of(x, "sharing_policy"), err, "Wi-Fi links are not supported");
	if (profiles_refuse(x, err) < 0 || value_read(x, "bandwidth", UNIT_BANDWIDTH, &info.bandwidth, err) < 0 ||
	    value_read(x, "latency", UNIT_TIME, &info.latency, err) < 0)
		return -1;
	if (!(info.bandwidth > 0))
		return value_refuse(x, "bandwidth", "must be positive", err);
	if (info.latency < 0)
		return value_refuse(x, "latency", "cannot be negative", err);
	if (strcmp(policy, "FATPIPE") == 0)
		info.policy = LINK_FATPIPE;
	enum link_split split = strstr(policy, "DUPLEX") ? LINK_SPLIT : LINK_WHOLE;
	return link_add(&r->b, xml_get(x, "id"), &info, split, xml_place_of(x, "id"), err);
}

/* --- <cluster> --- */

/* A bandwidth and a latency of which the former may not be missing alone. */
static int optional_link_read(const struct xml *x, const char *bw, const char *lat, double *bw_out, double *lat_out, struct err *err)
{
	if (value_read_optional(x, bw, UNIT_BANDWIDTH, bw_out, err) < 0 || value_read_optional(x, lat, UNIT_TIME, lat_out, err) < 0)
		return -1;
	if (*lat_out > 0 && !(*bw_out > 0))
		return xml_error(x, xml_place_of(x, lat), err, "%s of <cluster> is given without %s: that link would have no bandwidth", lat, bw);
	return 0;
}

static int flat_spec_read(const struct xml *x, struct flat_spec *s, struct err *err)
{
	*s = (struct flat_spec){0};
	if (value_read(x, "bw", UNIT_BANDWIDTH, &s->bw, err) < 0 || value_read(x, "lat", UNIT_TIME, &s->lat, err) < 0 ||
	    optional_link_read(x, "bb_bw", "bb_lat", &s->bb_bw, &s->bb_lat, err) < 0 ||
	    optional_link_read(x, "loopback_bw", "loopback_lat", &s->loopback_bw, &s->loopback_lat, err) < 0 ||
	    value_read_optional(x, "limiter_link", UNIT_BANDWIDTH, &s->limiter, err) < 0)
		return -1;
	if (!(s->bw > 0))
		return value_refuse(x, "bw", "must be positive", err);
	if (s->lat < 0)
		return value_refuse(x, "lat", "cannot be negative", err);
	const char *policy = xml_get(x, "sharing_policy");
	s->split = strstr(policy, "DUPLEX") != NULL;
	s->policy = strcmp(policy, "FATPIPE") == 0 ? LINK_FATPIPE : LINK_SHARED;
	s->bb_policy = strcmp(xml_get(x, "bb_sharing_policy"), "FATPIPE") == 0 ? LINK_FATPIPE : LINK_SHARED;
	return 0;
}

static int hosts_read(struct reader *r, const struct xml *x, struct err *err)
{
	struct host_info info;
	struct radical radical;
	struct err why;
	if (cores_read(x, &info, err) < 0 || value_read_speed(x, 0, &info.speed, err) < 0)
		return -1;
	if (radical_parse(xml_get(x, "radical"), &radical, &why) < 0) {
		if (why.kind == ERR_LIMIT)
			return err_set(err, ERR_LIMIT, "%s", why.text);
		return xml_error(x, xml_place_of(x, "radical"), err, "%s", why.text);
	}
	int got = host_add_block(&r->b, xml_get(x, "prefix"), &radical, xml_get(x, "suffix"), &info, xml_place_of(x, "radical"), err);
	radical_release(&radical);
	if (got == 0)
		r->props = &r->b.p->host_blocks[r->b.p->host_blocks_n - 1].props;
	return got;
}

static int router_read(struct reader *r, const struct xml *x, struct point *out, struct err *err)
{
	char name[3 * NAME_MAX_LEN + 16];
	const char *given = xml_get(x, "router_id");
	if (*given)
		snprintf(name, sizeof name, "%s", given);
	else
		snprintf(name, sizeof name, "%s%s_router%s", xml_get(x, "prefix"), xml_get(x, "id"), xml_get(x, "suffix"));
	*out = point_make(POINT_ROUTER, r->b.p->routers_n);
	return router_add(&r->b, name, NULL, xml_place_of(x, *given ? "router_id" : "id"), err);
}

int read_cluster(struct reader *r, struct xml *x, struct err *err)
{
	struct flat_spec spec;
	struct point router;
	if (strcmp(xml_get(x, "topology"), "FLAT") != 0)
		return xml_error(x, xml_place_of(x, "topology"), err, "clusters of topology %s are not supported yet", xml_get(x, "topology"));
	if (profiles_refuse(x, err) < 0 || flat_spec_read(x, &spec, err) < 0)
		return -1;
	struct zone *z = zone_open(&r->b, xml_get(x, "id"), &zone_flat, xml_place_of(x, "id"), err);
	if (!z || hosts_read(r, x, err) < 0 || router_read(r, x, &router, err) < 0)
		return -1;
	return flat_make(&r->b, z, &spec, router, err);
}
