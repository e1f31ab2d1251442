/* cluster.h: what the kinds of <cluster> share: the description read from the tag, and the links
 * that each host has by itself. */
#ifndef ORRERY_PLATFORM_CLUSTER_H
#define ORRERY_PLATFORM_CLUSTER_H

#include "platform/platform_int.h"

/* What the tag says, in base units; 0 is "not there". */
struct cluster_spec {
	double bw, lat, bb_bw, bb_lat, limiter, loopback_bw, loopback_lat;
	int split;
	enum link_policy policy, bb_policy;
	int fatpipe; /* private links of policy FATPIPE were asked for, whatever compat made of it
	              */
};
/* What compat changes in any cluster, or NULL. */
const char *cluster_quirk(const struct cluster_spec *s);

/* A kind of cluster. The topology text ("4,4", "2;4,4;1,2;1,2") is parsed before the hosts are
 * made, for it says how many there are. */
struct topology {
	const char *name; /* as topology="…" has it */
	const struct zone_kind *kind;
	/* *self: in the arena; *hosts: how many. Fails without place. */
	int (*parse)(struct arena *a, const char *text, int compat, void **self, uint32_t *hosts,
	             struct err *err);
	/* The hosts of z are made: lays out the links (link_add_block). */
	int (*make)(struct build *b, struct zone *z, const struct cluster_spec *s, struct err *err);
};
extern const struct topology topology_torus, topology_fat_tree, topology_dragonfly;

int flat_make(struct build *b, struct zone *z, const struct cluster_spec *s, struct point router,
              struct err *err);

/* Positive integers separated by `sep` and ended by `end` or the end of the text; *at is moved
 * behind `end`. Their number, or -1. */
int numbers_parse(const char **at, char sep, char end, uint32_t *out, int max, struct err *err);

/* The links a host has besides its cables: a loopback, a limiter, or neither. Offsets in this order
 * from the host's first. */
struct leaf {
	uint32_t n;
	uint32_t loopback, limiter; /* NONE32 if there is none */
};
struct leaf leaf_layout(const struct cluster_spec *s);
void leaf_link(const struct cluster_spec *s, const struct leaf *f, uint32_t role,
               struct link_info *out);
void leaf_link_name(const struct platform *p, const struct zone *z, const struct leaf *f,
                    uint32_t host, uint32_t role, char *buf, size_t n);
/* Offset of "<id>_link_<number>_loopback|_limiter" in a zone whose hosts have `stride` links each
 * from offset 0. */
uint32_t leaf_link_find(const struct platform *p, const struct zone *z, const struct leaf *f,
                        uint32_t stride, const char *name);

/* The rank of the host with this number in its name, NONE32 if there is none. */
uint32_t cluster_host_numbered(const struct platform *p, const struct zone *z, int64_t number);

/* Cables: one link, or two when split (UP first). */
static inline uint32_t cable_links(const struct cluster_spec *s)
{
	return s->split ? 2 : 1;
}
void cable_link(const struct cluster_spec *s, struct link_info *out);
const char *cable_suffix(const struct cluster_spec *s, uint32_t way);
/* The number after "<id>_link_", or -1. */
int64_t number_after_link(const char *name, const char *id);
/* The last number of "…_<n>", "…_<n>_UP" or "…_<n>_DOWN"; -1 if there is none. */
int64_t name_last_number(const char *name);

#endif
