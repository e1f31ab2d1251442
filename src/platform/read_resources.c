/* read_resources.c: <host>, <peer>, <router>, <link>. */
#include "platform/reader.h"
#include "platform/star.h"

#include <stdio.h>
#include <string.h>

/* Version 3's availability scales the speed. */
static int speed_read(const struct reader *r, const struct xml *x, struct host_info *info,
                      struct err *err)
{
	int64_t pstate;
	if (value_read_int(x, "pstate", 0, 1 << 20, &pstate, err) < 0 ||
	    value_read_speed(r, x, (uint32_t)pstate, 0, &info->speed, err) < 0)
		return -1;
	if (!xml_given(x, "availability"))
		return 0;
	double scale;
	const char *text = xml_get(x, "availability");
	if (num_parse_double(text, strlen(text), &scale) < 0 || !(scale > 0))
		return xml_error(x, xml_place_of(x, "availability"), err,
		                 "availability of <host> is '%.100s', expected a positive number",
		                 text);
	info->speed *= scale;
	return 0;
}

int value_read_cores(const struct xml *x, struct host_info *info, struct err *err)
{
	int64_t cores;
	if (value_read_int(x, "core", 1, 1 << 24, &cores, err) < 0)
		return -1;
	info->cores = (uint32_t)cores;
	return 0;
}

static int idle_tell(struct reader *r, const struct xml *x, struct err *err)
{
	struct str *out = &r->b.cfg->notices;

	if (r->idle_told)
		return 0;
	r->idle_told = 1;
	str_printf(out, "%s:%u: a host of speed 0 computes nothing: no rank is placed on it\n",
	           r->b.file, xml_place(x).line);
	return out->failed ? err_nomem(err, "a notice", 0) : 0;
}

int read_host(struct reader *r, struct xml *x, struct err *err)
{
	struct platform *p = r->b.p;
	struct host_info info;
	const double *coords;
	if (speed_read(r, x, &info, err) < 0 || value_read_cores(x, &info, err) < 0 ||
	    value_read_coords(x, &p->arena, &coords, err) < 0)
		return -1;
	if (host_add(&r->b, xml_get(x, "id"), &info, coords, xml_place_of(x, "id"), err) < 0)
		return -1;
	r->props = &p->hosts[p->hosts_n - 1].props;
	if (info.speed == 0 && idle_tell(r, x, err) < 0)
		return -1;
	return profile_read_host(r, x, p->host_count - 1, err);
}

int read_disk(struct reader *r, struct xml *x, struct err *err)
{
	struct platform *p = r->b.p;
	const char *id = xml_get(x, "id");
	struct disk_info d = {.host = {p->host_count - 1}};
	if (value_read(x, "read_bw", UNIT_BANDWIDTH, &d.read, err) < 0 ||
	    value_read(x, "write_bw", UNIT_BANDWIDTH, &d.write, err) < 0)
		return -1;
	if (!(d.read > 0))
		return value_refuse(x, "read_bw", "must be positive", err);
	if (!(d.write > 0))
		return value_refuse(x, "write_bw", "must be positive", err);
	for (uint32_t i = p->disks_n; i > 0 && p->disks[i - 1].host.v == d.host.v; i--)
		if (strcmp(p->disks[i - 1].name, id) == 0)
			return xml_error(x, xml_place_of(x, "id"), err,
			                 "this host has a disk '%.100s' already", id);
	struct disk_info *grown = vec_grow(p->disks, &p->disks_cap, sizeof *grown,
	                                   (size_t)p->disks_n + 1, "disks", err);
	if (!grown)
		return -1;
	p->disks = grown;
	d.name = arena_strndup(&p->arena, id, strlen(id), err);
	if (!d.name)
		return -1;
	p->disks[p->disks_n++] = d;
	r->host_props = r->props;
	r->disk_props = NULL;
	r->props = &r->disk_props;
	return 0;
}

int read_disk_end(struct reader *r, struct xml *x, struct err *err)
{
	(void)x, (void)err;
	r->b.p->disks[r->b.p->disks_n - 1].mount = r->disk_props ? r->disk_props->value : "/";
	r->props = r->host_props;
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
		return xml_error(x, xml_place_of(x, "sharing_policy"), err,
		                 "Wi-Fi links are not supported");
	if (value_read(x, "bandwidth", UNIT_BANDWIDTH, &info.bandwidth, err) < 0 ||
	    value_read_time(r, x, "latency", &info.latency, err) < 0)
		return -1;
	if (!(info.bandwidth > 0))
		return value_refuse(x, "bandwidth", "must be positive", err);
	if (info.latency < 0)
		return value_refuse(x, "latency", "cannot be negative", err);
	if (strcmp(policy, "FATPIPE") == 0)
		info.policy = LINK_FATPIPE;
	enum link_split split = strstr(policy, "DUPLEX") ? LINK_SPLIT : LINK_WHOLE;
	uint32_t first = r->b.p->link_count;
	if (link_add(&r->b, xml_get(x, "id"), &info, split, xml_place_of(x, "id"), err) < 0)
		return -1;
	for (uint32_t l = first; l < r->b.p->link_count; l++)
		if (profile_read(r, x, "bandwidth_file", PROFILE_BANDWIDTH, l, err) < 0 ||
		    profile_read(r, x, "latency_file", PROFILE_LATENCY, l, err) < 0 ||
		    profile_read_state(r, x, PROFILE_LINK, l, err) < 0)
			return -1;
	return 0;
}

/* One of a peer's two links. */
static int peer_link_add(struct reader *r, const struct xml *x, const char *attr, const char *way,
                         struct link_id *out, struct err *err)
{
	char name[2 * NAME_MAX_LEN + 16];
	struct link_info info = {.policy = LINK_SHARED};
	if (value_read(x, attr, UNIT_BANDWIDTH, &info.bandwidth, err) < 0)
		return -1;
	if (!(info.bandwidth > 0))
		return value_refuse(x, attr, "must be positive", err);
	snprintf(name, sizeof name, "link_%s_%s", xml_get(x, "id"), way);
	out->v = r->b.p->link_count;
	return link_add(&r->b, name, &info, LINK_WHOLE, xml_place_of(x, attr), err);
}

int read_peer(struct reader *r, struct xml *x, struct err *err)
{
	struct platform *p = r->b.p;
	struct host_info info = {.cores = 1};
	const double *coords;
	struct link_id up = {NONE32}, down = {NONE32};
	if (!r->b.current || r->b.current->kind != &zone_vivaldi)
		return xml_error(x, xml_place(x), err,
		                 "<peer> belongs in a zone with routing=\"Vivaldi\"");
	if (value_read_speed(r, x, 0, 1, &info.speed, err) < 0 ||
	    value_read_coords(x, &p->arena, &coords, err) < 0)
		return -1;
	if (xml_given(x, "lat") &&
	    reader_notice(r, x, E_PEER, "its lat: the height (third coordinate) says it instead",
	                  err) < 0)
		return -1;
	if (host_add(&r->b, xml_get(x, "id"), &info, coords, xml_place_of(x, "id"), err) < 0 ||
	    profile_read_host(r, x, p->host_count - 1, err) < 0 ||
	    peer_link_add(r, x, "bw_out", "UP", &up, err) < 0 ||
	    peer_link_add(r, x, "bw_in", "DOWN", &down, err) < 0)
		return -1;
	return star_add_spoke(r->b.current, p->host_count - 1, up, down, err);
}
