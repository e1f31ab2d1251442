/* path.c: routes as the engine wants them, remembered by pair of hosts.
 *
 * Two links of a route that are one resource are merged: a SHARED one is used the sum of the times
 * it occurs, a FATPIPE one the most (SimGrid, maxmin expand). The way back of cross-traffic adds
 * 0.05 to each of its links.
 *
 * Memory is bounded: when the cache is full it is emptied and starts again. The pairs of a step of
 * a program come back in the next, or never: a cleverer choice of what to forget would cost more
 * than it saves. Those that never come back take no memory: a path is kept from the second time on
 * that it is asked for; the first time it is built behind the cached ones, where the next
 * overwrites it. A bit for each pair tells the first time from the second; two pairs that share a
 * bit are only kept too early. */
#include "change.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void path_cache_init(struct path_cache *c, size_t limit)
{
	*c = (struct path_cache){.limit = limit};
	hash64_init(&c->index);
	route_init(&c->there);
	route_init(&c->back);
}

void path_cache_release(struct path_cache *c)
{
	hash64_release(&c->index);
	free(c->seen.bits);
	free(c->paths);
	free(c->uses);
	free(c->places);
	route_release(&c->there);
	route_release(&c->back);
}

void path_cache_empty(struct path_cache *c)
{
	hash64_release(&c->index);
	hash64_init(&c->index);
	c->n_paths = c->n_uses = 0;
	c->has_last = 0;
}

/* Twice as many bits, up to the most, all clear: who comes back is seen once more. More pairs than
 * the most tells apart have more paths than the cache holds. */
static int seen_grow(struct seen_pairs *s, struct err *err)
{
	enum { LEAST = 1 << 16, MOST = 1 << 23 };
	uint32_t size = s->size == 0 ? LEAST : s->size < MOST ? 2 * s->size : MOST;
	uint64_t *bits = calloc(size / 64, sizeof *bits);

	if (!bits)
		return err_nomem(err, "routes", size / 8);
	free(s->bits);
	*s = (struct seen_pairs){.bits = bits, .size = size};
	return 0;
}

/* Is it asked for again? From now on it is. 1, 0, or -1 on error. */
static int pair_seen(struct seen_pairs *s, uint64_t key, struct err *err)
{
	enum { SPARSE = 8 }; /* one pair in 16 is kept too early, on average */
	uint64_t *word, bit;
	uint32_t at;

	if (SPARSE * (uint64_t)s->n >= s->size && seen_grow(s, err) < 0)
		return -1;
	at = (uint32_t)(hash_mix(key) >> 32) & (s->size - 1);
	word = &s->bits[at / 64];
	bit = (uint64_t)1 << at % 64;
	if (*word & bit)
		return 1;
	*word |= bit;
	s->n++;
	return 0;
}

/* Before its arrays would grow beyond the limit. */
static void cache_make_room(struct path_cache *c)
{
	enum { LONG_WAY = 1024, SLOTS = 40 /* bytes of the index for a path, about */ };
	size_t paths = c->paths_cap * (sizeof *c->paths + SLOTS),
	       uses = c->uses_cap * sizeof *c->uses;

	if ((c->n_paths == c->paths_cap && paths + paths / 2 + uses > c->limit) ||
	    (c->n_uses + LONG_WAY > c->uses_cap && paths + uses + uses / 2 > c->limit))
		path_cache_empty(c);
}

/* Ways up to this length are looked through for a resource; of longer ones their places are noted,
 * in a table that stays in the cache: by resource it would be as large as the machine. */
enum { SHORT_WAY = 32, PLACES_LOG = 8 };

/* Its place, or where it would be noted. Less than half of them are of this way. */
static struct way_place *place_of(const struct path_cache *c, struct resource_id r)
{
	uint32_t mask = ((uint32_t)1 << c->places_log) - 1,
	         i = r.v * 0x9e3779b9u >> (32 - c->places_log);

	while (c->places[i].way == c->way && c->places[i].resource != r.v)
		i = (i + 1) & mask;
	return &c->places[i];
}

static void place_note(struct path_cache *c, uint32_t at)
{
	struct resource_id r = c->uses[at].resource;

	*place_of(c, r) = (struct way_place){.resource = r.v, .at = at, .way = c->way};
}

/* The use of a resource among those from `first` on, or NULL. */
static struct flow_use *uses_find(struct path_cache *c, uint32_t first, struct resource_id r)
{
	if (c->n_uses - first > SHORT_WAY) {
		const struct way_place *p = place_of(c, r);
		return p->way == c->way ? &c->uses[p->at] : NULL;
	}
	for (uint32_t i = first; i < c->n_uses; i++) {
		if (c->uses[i].resource.v == r.v)
			return &c->uses[i];
	}
	return NULL;
}

/* Twice as many places, none noted. */
static int places_widen(struct path_cache *c, struct err *err)
{
	unsigned log = c->places ? c->places_log + 1 : PLACES_LOG;
	struct way_place *places = calloc((size_t)1 << log, sizeof *places);

	if (!places)
		return err_nomem(err, "links of routes", sizeof *places << log);
	free(c->places);
	c->places = places;
	c->places_log = log;
	c->way = 0;
	return 0;
}

/* The uses from `first` on are noted anew. */
static int places_note(struct path_cache *c, uint32_t first, struct err *err)
{
	uint32_t n = c->n_uses - first;

	while (!c->places || 2 * (uint64_t)n >= (uint64_t)1 << c->places_log) {
		if (places_widen(c, err) < 0)
			return -1;
	}
	if (++c->way == 0) { /* all numbers have been taken */
		memset(c->places, 0, sizeof *c->places << c->places_log);
		c->way = 1;
	}
	for (uint32_t i = first; i < c->n_uses; i++)
		place_note(c, i);
	return 0;
}

/* The last use is a new one, of a way that is long, perhaps by it. */
static int uses_note(struct path_cache *c, uint32_t first, struct err *err)
{
	uint32_t n = c->n_uses - first;

	if (n == SHORT_WAY + 1 || (2 * (uint64_t)n) >> c->places_log > 0)
		return places_note(c, first, err);
	place_note(c, c->n_uses - 1);
	return 0;
}

/* Room for so many more. */
static int uses_reserve(struct path_cache *c, uint32_t n, struct err *err)
{
	struct flow_use *u;

	if (c->n_uses + (uint64_t)n <= c->uses_cap)
		return 0;
	u = vec_grow(c->uses, &c->uses_cap, sizeof *u, (size_t)c->n_uses + n, "links of routes",
	             err);
	if (!u)
		return -1;
	c->uses = u;
	return 0;
}

/* A way that is being built: its first use, and a bit for each resource that is in it, by a hash,
 * as links of a regular machine have regular numbers. Several share one; if it is clear, the
 * resource is new. */
struct way {
	uint32_t first;
	uint64_t met[4];
};

/* Uses a resource that may be in the way once more: 1 if it is. */
static __attribute__((noinline)) int use_again(struct net *n, const struct way *way,
                                               struct resource_id r, float coef)
{
	struct flow_use *u = uses_find(&n->cache, way->first, r);

	if (!u)
		return 0;
	if (engine_kind(n->engine, r) == RESOURCE_SHARED)
		u->coef += coef;
	else if (u->coef < coef)
		u->coef = coef;
	return 1;
}

/* Adds coef uses of a resource to the way, for which there is room. */
static inline int uses_add(struct net *n, struct way *way, struct resource_id r, float coef,
                           struct err *err)
{
	struct path_cache *c = &n->cache;
	uint32_t hash = r.v * 0x9e3779b9u >> 24, at = c->n_uses;
	uint64_t met = way->met[hash / 64], bit = (uint64_t)1 << hash % 64;

	if ((met & bit) && use_again(n, way, r, coef))
		return 0;
	way->met[hash / 64] = met | bit;
	c->n_uses = at + 1;
	c->uses[at] = (struct flow_use){.resource = r, .coef = coef};
	return at - way->first < SHORT_WAY ? 0 : uses_note(c, way->first, err);
}

/* A link that profiles change: its bandwidth now, and in the way's latency what is other than the
 * platform says. */
static int link_as_it_is(struct net *n, struct link_id l, struct link_info *info, struct path *p,
                         struct err *err)
{
	double described = info->latency;

	if (change_link_on(n, l, err) < 0)
		return -1;
	change_link(n, l, info);
	if (p)
		p->latency += info->latency - described;
	return 0;
}

/* What a way must know of a link that profiles may change, whose resource comes to be if it was not
 * used before. p: NULL on the way back. */
static int link_look(struct net *n, struct link_id l, struct path *p, struct resource_id *r,
                     double *bandwidth, struct err *err)
{
	struct link_info info;

	platform_link(n->platform, l, &info);
	if (link_as_it_is(n, l, &info, p, err) < 0)
		return -1;
	*bandwidth = info.bandwidth;
	return resource_of_link(n, l, r, err);
}

/* The resource of a link, and its bandwidth: the engine answers at once, where the platform looks
 * for the link's zone; unless profiles change it. */
static inline int link_find(struct net *n, struct link_id l, struct path *p, struct resource_id *r,
                            double *bandwidth, struct err *err)
{
	*r = (struct resource_id){n->link_resource[l.v] - 1};
	if (n->changes)
		return link_look(n, l, p, r, bandwidth, err);
	if (n->link_resource[l.v] == 0 && resource_of_link(n, l, r, err) < 0)
		return -1;
	*bandwidth = engine_capacity(n->engine, *r);
	return 0;
}

/* What a way is told of its links by. The bandwidths of neighbours are mostly the same, and a
 * division takes longer than all else. */
struct way_sums {
	double inverse, penalty, least;
	double of, one, weighted; /* a bandwidth, 1 and weight_s divided by it */
};

static inline void sums_add(struct way_sums *s, double bandwidth, double weight_s)
{
	if (bandwidth != s->of) {
		s->of = bandwidth;
		s->one = 1 / bandwidth;
		s->weighted = weight_s / bandwidth;
	}
	s->inverse += s->one;
	s->penalty += s->weighted;
	s->least = bandwidth < s->least ? bandwidth : s->least;
}

static int path_add_links(struct net *n, const struct route *route, struct way *way, struct path *p,
                          struct err *err)
{
	double latency = p->latency;
	struct way_sums s = {.penalty = latency, .least = INFINITY, .of = -1};

	if (uses_reserve(&n->cache, route->n, err) < 0)
		return -1;
	for (uint32_t i = 0; i < route->n; i++) {
		struct resource_id r;
		double bandwidth;

		if (link_find(n, route->links[i], p, &r, &bandwidth, err) < 0 ||
		    uses_add(n, way, r, 1, err) < 0)
			return -1;
		sums_add(&s, bandwidth, n->cache.weight_s);
	}
	p->penalty = s.penalty + (p->latency - latency); /* what latencies have changed by */
	if (route->n > 0) {
		p->inverse = s.inverse;
		p->bandwidth = s.least;
	}
	return 0;
}

/* The way back, which has no part in latency and bounds. */
static int path_add_back(struct net *n, const struct route *route, struct way *way, struct err *err)
{
	if (uses_reserve(&n->cache, route->n, err) < 0)
		return -1;
	for (uint32_t i = 0; i < route->n; i++) {
		struct resource_id r;
		double bandwidth;

		if (link_find(n, route->links[i], NULL, &r, &bandwidth, err) < 0 ||
		    uses_add(n, way, r, n->crosstraffic, err) < 0)
			return -1;
	}
	return 0;
}

/* Where links are many, what is known of them is in no cache; it is fetched for all links of a
 * route at a time, first which resources they are, then those. */
static void links_fetch(const struct net *n, const struct route *route)
{
	for (uint32_t i = 0; n->many && i < route->n; i++)
		__builtin_prefetch(&n->link_resource[route->links[i].v]);
}

static void resources_fetch(const struct net *n, const struct route *route)
{
	for (uint32_t i = 0; n->many && i < route->n; i++) {
		uint32_t r = n->link_resource[route->links[i].v];
		if (r > 0)
			engine_fetch(n->engine, (struct resource_id){r - 1});
	}
}

static int path_build(struct net *n, struct host_id from, struct host_id to, int crosstraffic,
                      struct path *p, struct err *err)
{
	struct path_cache *c = &n->cache;
	struct way way = {.first = c->n_uses};

	*p = (struct path){.uses = c->n_uses};
	if (route_find(n->platform, from, to, &c->there, err) < 0)
		return -1;
	links_fetch(n, &c->there);
	if (crosstraffic && route_find(n->platform, to, from, &c->back, err) < 0)
		return -1;
	if (crosstraffic)
		links_fetch(n, &c->back);
	resources_fetch(n, &c->there);
	if (crosstraffic)
		resources_fetch(n, &c->back);
	p->latency = c->there.latency;
	if (path_add_links(n, &c->there, &way, p, err) < 0)
		return -1;
	if (crosstraffic && path_add_back(n, &c->back, &way, err) < 0)
		return -1;
	p->n_uses = c->n_uses - p->uses;
	return 0;
}

/* Builds it behind the cached ones. */
static struct path *path_behind(struct net *n, struct host_id from, struct host_id to,
                                int crosstraffic, struct err *err)
{
	struct path_cache *c = &n->cache;
	struct path *paths;
	int failed;

	cache_make_room(c);
	c->has_last = 0;
	paths = vec_grow(c->paths, &c->paths_cap, sizeof *paths, (size_t)c->n_paths + 1, "routes",
	                 err);
	if (!paths)
		return NULL;
	c->paths = paths;
	failed = path_build(n, from, to, crosstraffic, &paths[c->n_paths], err) < 0;
	c->n_uses = paths[c->n_paths].uses; /* not kept, so far */
	return failed ? NULL : &paths[c->n_paths];
}

const struct path *path_get(struct net *n, struct host_id from, struct host_id to, int crosstraffic,
                            struct err *err)
{
	struct path_cache *c = &n->cache;
	uint64_t key = (uint64_t)from.v << 32 | to.v;
	struct path *p;
	int again;

	if (c->has_last && c->last == key)
		return &c->paths[c->n_paths];
	again = pair_seen(&c->seen, key, err);
	if (again > 0) {
		uint32_t at = hash64_find(&c->index, key);
		if (at != HASH_NONE)
			return &c->paths[at];
	}
	p = again >= 0 ? path_behind(n, from, to, crosstraffic, err) : NULL;
	if (!p || (again && hash64_put(&c->index, key, c->n_paths, err) < 0))
		return NULL;
	if (again) {
		c->n_paths++;
		c->n_uses = p->uses + p->n_uses;
	} else {
		c->last = key;
		c->has_last = 1;
	}
	return p;
}
