/* read_cluster.c: <cluster>, and what a zone with routing="Cluster" is made of: <cabinet>,
 * <host_link>, <backbone>. */
#include "platform/cluster.h"
#include "platform/reader.h"
#include "platform/star.h"

#include <stdio.h>
#include <string.h>

/* A bandwidth and a latency of which the former may not be missing alone. */
static int optional_link_read(const struct reader *r, const struct xml *x, const char *bw,
                              const char *lat, double *bw_out, double *lat_out, struct err *err)
{
	if (value_read_optional(x, bw, UNIT_BANDWIDTH, bw_out, err) < 0 ||
	    value_read_time_optional(r, x, lat, lat_out, err) < 0)
		return -1;
	if (*lat_out > 0 && !(*bw_out > 0))
		return xml_error(
		    x, xml_place_of(x, lat), err,
		    "%s of <cluster> is given without %s: that link would have no bandwidth", lat,
		    bw);
	return 0;
}

static int spec_read(const struct reader *r, const struct xml *x, struct cluster_spec *s,
                     struct err *err)
{
	*s = (struct cluster_spec){0};
	if (value_read(x, "bw", UNIT_BANDWIDTH, &s->bw, err) < 0 ||
	    value_read_time(r, x, "lat", &s->lat, err) < 0 ||
	    optional_link_read(r, x, "bb_bw", "bb_lat", &s->bb_bw, &s->bb_lat, err) < 0 ||
	    optional_link_read(r, x, "loopback_bw", "loopback_lat", &s->loopback_bw,
	                       &s->loopback_lat, err) < 0 ||
	    value_read_optional(x, "limiter_link", UNIT_BANDWIDTH, &s->limiter, err) < 0)
		return -1;
	if (!(s->bw > 0))
		return value_refuse(x, "bw", "must be positive", err);
	if (s->lat < 0)
		return value_refuse(x, "lat", "cannot be negative", err);
	const char *policy = xml_get(x, "sharing_policy");
	s->split = strstr(policy, "DUPLEX") != NULL;
	s->fatpipe = strcmp(policy, "FATPIPE") == 0;
	s->policy = s->fatpipe ? LINK_FATPIPE : LINK_SHARED;
	s->bb_policy = strcmp(xml_get(x, "bb_sharing_policy"), "FATPIPE") == 0 ? LINK_FATPIPE
	                                                                       : LINK_SHARED;
	return 0;
}

/* want: how many hosts the topology has; 0: as many as the radical. */
static int radical_read(struct reader *r, const struct xml *x, uint32_t want, struct radical *out,
                        struct err *err)
{
	struct err why;
	if (radical_parse(xml_get(x, "radical"), out, &why) < 0) {
		if (why.kind == ERR_LIMIT)
			return err_set(err, ERR_LIMIT, "%s", why.text);
		return xml_error(x, xml_place_of(x, "radical"), err, "%s", why.text);
	}
	if (out->count < want) {
		xml_error(x, xml_place_of(x, "radical"), err,
		          "the topology has %u hosts, but the radical names %u", want, out->count);
		radical_release(out);
		return -1;
	}
	if (want && out->count > want &&
	    reader_notice(r, x, E_CLUSTER,
	                  "the hosts that its radical names beyond those of its topology",
	                  err) < 0) {
		radical_release(out);
		return -1;
	}
	if (want)
		radical_truncate(out, want);
	return 0;
}

static int hosts_read(struct reader *r, const struct xml *x, const struct host_info *info,
                      uint32_t want, struct err *err)
{
	struct radical radical;
	if (radical_read(r, x, want, &radical, err) < 0)
		return -1;
	int got = host_add_block(&r->b, xml_get(x, "prefix"), &radical, xml_get(x, "suffix"), info,
	                         xml_place_of(x, "radical"), err);
	radical_release(&radical);
	return got;
}

static int cluster_hosts_read(struct reader *r, const struct xml *x, uint32_t want, struct err *err)
{
	struct host_info info;
	if (value_read_cores(x, &info, err) < 0 ||
	    value_read_speed(r, x, 0, 1, &info.speed, err) < 0 ||
	    hosts_read(r, x, &info, want, err) < 0)
		return -1;
	struct host_block *k = &r->b.p->host_blocks[r->b.p->host_blocks_n - 1];
	r->b.current->first_host = k->first;
	r->props = &k->props;
	if (profiles_read_cluster(r, x, "availability_file", PROFILE_SPEED, err) < 0)
		return -1;
	return profiles_read_cluster(r, x, "state_file", PROFILE_HOST, err);
}

static int router_read(struct reader *r, const struct xml *x, struct point *out, struct err *err)
{
	char name[3 * NAME_MAX_LEN + 16];
	const char *given = xml_get(x, "router_id");
	if (*given)
		snprintf(name, sizeof name, "%s", given);
	else
		snprintf(name, sizeof name, "%s%s_router%s", xml_get(x, "prefix"), xml_get(x, "id"),
		         xml_get(x, "suffix"));
	*out = point_make(POINT_ROUTER, r->b.p->routers_n);
	return router_add(&r->b, name, NULL, xml_place_of(x, *given ? "router_id" : "id"), err);
}

static int flat_read(struct reader *r, const struct xml *x, const struct cluster_spec *spec,
                     struct err *err)
{
	struct point router;
	struct zone *z = zone_open(&r->b, xml_get(x, "id"), &zone_flat, xml_place_of(x, "id"), err);
	if (!z || cluster_hosts_read(r, x, 0, err) < 0 || router_read(r, x, &router, err) < 0)
		return -1;
	return flat_make(&r->b, z, spec, router, err);
}

static int flat_only_notice(struct reader *r, const struct xml *x, const struct cluster_spec *spec,
                            struct err *err)
{
	if (!(spec->bb_bw > 0) && !*xml_get(x, "router_id"))
		return 0;
	return reader_notice(r, x, E_CLUSTER,
	                     "the backbone and the router_id of a topology other than FLAT", err);
}

static int regular_read(struct reader *r, const struct xml *x, const struct topology *t,
                        const struct cluster_spec *spec, struct err *err)
{
	void *self;
	uint32_t hosts;
	struct err why;
	if (flat_only_notice(r, x, spec, err) < 0)
		return -1;
	if (t->parse(&r->b.p->arena, xml_get(x, "topo_parameters"), r->b.p->compat, &self, &hosts,
	             &why) < 0) {
		if (why.kind == ERR_LIMIT)
			return err_set(err, ERR_LIMIT, "%s", why.text);
		return xml_error(x, xml_place_of(x, "topo_parameters"), err,
		                 "topo_parameters '%.100s' of a %s: %s",
		                 xml_get(x, "topo_parameters"), t->kind->name, why.text);
	}
	struct zone *z = zone_open(&r->b, xml_get(x, "id"), t->kind, xml_place_of(x, "id"), err);
	if (!z || cluster_hosts_read(r, x, hosts, err) < 0)
		return -1;
	z->self = self;
	z->shape = arena_strndup(&r->b.p->arena, xml_get(x, "topo_parameters"),
	                         strlen(xml_get(x, "topo_parameters")), err);
	if (!z->shape)
		return -1;
	return t->make(&r->b, z, spec, err);
}

int read_cluster(struct reader *r, struct xml *x, struct err *err)
{
	static const struct topology *const topologies[] = {&topology_torus, &topology_fat_tree,
	                                                    &topology_dragonfly};
	struct cluster_spec spec;
	if (spec_read(r, x, &spec, err) < 0)
		return -1;
	if (r->b.p->compat)
		spec.policy = LINK_SHARED; /* quirk: SimGrid does not make private links FATPIPE */
	for (size_t i = 0; i < sizeof topologies / sizeof *topologies; i++)
		if (strcmp(topologies[i]->name, xml_get(x, "topology")) == 0)
			return regular_read(r, x, topologies[i], &spec, err);
	return flat_read(r, x, &spec, err);
}

/* --- routing="Cluster" --- */

static int star_check(const struct reader *r, const struct xml *x, struct err *err)
{
	if (r->b.current && r->b.current->kind == &zone_star)
		return 0;
	return xml_error(x, xml_place(x), err, "<%s> belongs in a zone with routing=\"Cluster\"",
	                 xml_tag(x));
}

int read_cabinet(struct reader *r, struct xml *x, struct err *err)
{
	struct host_info info = {.cores = 1};
	struct cabinet_spec spec;
	if (star_check(r, x, err) < 0 || value_read_speed(r, x, 0, 1, &info.speed, err) < 0 ||
	    value_read(x, "bw", UNIT_BANDWIDTH, &spec.bw, err) < 0 ||
	    value_read_time(r, x, "lat", &spec.lat, err) < 0)
		return -1;
	if (!(spec.bw > 0))
		return value_refuse(x, "bw", "must be positive", err);
	if (spec.lat < 0)
		return value_refuse(x, "lat", "cannot be negative", err);
	if (hosts_read(r, x, &info, 0, err) < 0)
		return -1;
	return star_add_cabinet(r->b.current, &r->b.p->host_blocks[r->b.p->host_blocks_n - 1],
	                        &spec, err);
}

int read_host_link(struct reader *r, struct xml *x, struct err *err)
{
	if (star_check(r, x, err) < 0)
		return -1;
	return star_add_host_link(&r->b, r->b.current, xml_get(x, "id"), xml_get(x, "up"),
	                          xml_get(x, "down"), xml_place(x), err);
}

int read_backbone(struct reader *r, struct xml *x, struct err *err)
{
	struct link_info info = {.policy = LINK_SHARED};
	if (star_check(r, x, err) < 0 ||
	    value_read(x, "bandwidth", UNIT_BANDWIDTH, &info.bandwidth, err) < 0 ||
	    value_read_time(r, x, "latency", &info.latency, err) < 0)
		return -1;
	return star_set_backbone(&r->b, r->b.current, xml_get(x, "id"), &info,
	                         xml_place_of(x, "id"), err);
}
