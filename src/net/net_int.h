/* net_int.h: what the files of this room share.
 *
 * Invariants
 *  1. A link or a host becomes an engine resource once, when first used (resource_of_link,
 *     resource_of_host).
 *  2. A cached path is what routes give, merged: each resource once. The cache may be emptied at
 *     any time, and keeps only what is asked for again; nothing keeps a pointer to a path, or to
 *     its uses, across two calls of path_get.
 */
#ifndef ORRERY_NET_INT_H
#define ORRERY_NET_INT_H

#include "factor.h"
#include "memory.h"
#include "model.h"
#include "storage.h"

struct changes;
struct crossings;
struct storage;
struct load;

/* All that a flow model needs to know of the way between two hosts. */
struct path {
	double latency;        /* s, sum over the links there */
	double bandwidth;      /* least capacity of the links there, bytes/s; 0: no link */
	double inverse;        /* sum over the links there of 1 / capacity, s/byte */
	double penalty;        /* latency + weight_s * inverse, s, summed up as SimGrid does */
	uint32_t uses, n_uses; /* place in the cache's uses */
	/* What a flow model found for all messages of a way that is kept (model_flow.c). */
	double bound, weight;
	int reckoned;
};

/* Which pairs were asked for before: one bit for each value of a hash of theirs. */
struct seen_pairs {
	uint64_t *bits;
	uint32_t n, size; /* bits set, bits; 0 before the first */
};

/* Where a resource is among the uses of the way that is being built. */
struct way_place {
	uint32_t resource, at;
	uint32_t way; /* its number: of another way it stands for nothing */
};
struct path_cache {
	struct hash64 index; /* from << 32 | to -> path */
	struct seen_pairs seen;
	uint64_t last; /* the pair of the path behind the cached ones, if has_last */
	int has_last;
	struct path *paths;
	struct flow_use *uses;
	uint32_t n_paths, paths_cap, n_uses, uses_cap;
	struct way_place *places; /* of a long way (uses_find), by a hash: 2^places_log */
	unsigned places_log;
	uint32_t way;    /* number of the last one whose places were noted */
	size_t limit;    /* bytes, about */
	double weight_s; /* network/weight-S in compat, bytes: for the penalties of ways */
	struct route there, back;
};

enum { PATH_CACHE_BYTES = 64 << 20 };

struct net {
	struct net_memory memory;
	double processors; /* that all hosts share, being virtual; 0: none */
	struct resource_id shared;
	int apart; /* computations take no part of them */
	const struct platform *platform;
	const struct config *cfg;
	struct engine *engine;
	const struct net_model *model;
	void *state;
	const char *arguments; /* what follows "name:" in network/model, or "" */
	/* By id: resource + 1, or 0 when not yet used. Zeroed pages that nobody touches cost no
	 * memory. */
	uint32_t *link_resource, *host_resource;
	int many; /* links: what is known of them is in no cache */
	struct path_cache cache;
	/* availability profiles (change.h); NULL: the machine does not change */
	struct changes *changes;
	struct crossings *crossings; /* messages that a link that goes off would stop (change.h),
	                                where they are no flows; or NULL */
	int noise_unsaid;            /* 1: a plugin that does not say that it follows noise */
	enum net_links links;        /* the model's, or what its settings make of it */
	struct net_parts parts;      /* part: NULL: nobody asks */
	struct storage *storage;     /* NULL: there is none (storage.c) */
	double queue;                /* bytes that a message under way keeps before a link */
	float crosstraffic;          /* of a byte, on the way back */
	struct buckets *buckets;     /* NULL: links send nothing at once */
	struct load *load;           /* NULL: nobody has asked (load.c) */
};

/* Tells what a message is at from that date on, if anybody wants to know. */
static inline void part_tell(const struct net *n, uint64_t user, double from, const char *name)
{
	if (n->parts.part)
		n->parts.part(n->parts.self, user, from, name);
}

/* ask.c */
const char *net_setting(
    const struct net *n,
    enum config_id id); /* the user's, the platform's, the model's own default, or the default */
int net_setting_number(const struct net *n, enum config_id id, double *out, struct err *err);

/* resource.c */
int resource_of_link(struct net *n, struct link_id l, struct resource_id *out, struct err *err);
int resource_of_host(struct net *n, struct host_id h, struct resource_id *out, struct err *err);

/* bucket.c: *credit bytes of a part of a message that starts now are sent at once; below 0, its
 * headers take so many more. Only with n->buckets. */
int buckets_init(struct net *n, struct err *err);
void buckets_free(struct buckets *b);
/* The resource is about to have another capacity. */
void buckets_settle(struct net *n, struct resource_id r);
int buckets_take(struct net *n, const struct path *p, double bytes, const struct net_part *part,
                 double *credit, struct err *err);

/* load.c */
void load_free(struct load *l);

/* storage.c */
int storage_init(struct net *n, struct err *err);
void storage_free(struct storage *s);

/* path.c */
void path_cache_init(struct path_cache *c, size_t limit);
void path_cache_release(struct path_cache *c);
void path_cache_empty(struct path_cache *c);
/* The path from one host to another. crosstraffic: the links of the way back are used too, a
 * little. NULL with *err set: no route. */
const struct path *path_get(struct net *n, struct host_id from, struct host_id to, int crosstraffic,
                            struct err *err);

/* Bytes of MPI's envelope that travel with each message, in the flow and in the key of its factors
 * (SMPI since 3.26). */
enum { ENVELOPE_BYTES = 16 };

extern const struct net_model net_model_ib;
/* Of "name" or "name:arguments"; NULL: none of ours. */
const struct net_model *net_model_named(const char *text);
extern const struct net_model net_model_hybrid, net_model_lv08, net_model_cm02, net_model_constant,
    net_model_loggps;
extern const struct net_model net_model_psins_simple, net_model_psins_bus, net_model_psins_in,
    net_model_psins_out, net_model_psins_pmac, net_model_dimemas;

/* unused.c: a line for each setting of the user that has no effect. */
void unused_notices(const struct net *n, struct str *out);

#endif
