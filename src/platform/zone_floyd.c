/* zone_floyd.c: routing="Floyd": declared ways are steps; between any two points the one with the
 * fewest links is taken.
 *
 * Floyd and Warshall's algorithm when the zone closes, with SimGrid's order, so that ties fall the
 * same way: points in order of declaration as intermediates, a way is replaced by a strictly
 * shorter one only. before[a][b] is the last step's start on the way from a to b. n^2 memory and
 * n^3 time: at most FLOYD_POINTS_MAX points that have routes; Dijkstra zones take more. */
#include "platform/platform_int.h"

#include <stdlib.h>
#include <string.h>

enum { FLOYD_POINTS_MAX = 2048 };

struct floyd {
	struct hop_table steps;
	/* in order of declaration; after sealing only those that have routes */
	struct point *points;
	struct hash64 index; /* point code -> place in points */
	uint32_t n, cap;
	uint32_t *before; /* n x n, NONE32: no way */
};

static int floyd_init(struct build *b, struct zone *z, struct err *err)
{
	struct floyd *f = arena_alloc(&b->p->arena, sizeof *f, err);
	if (!f)
		return -1;
	hop_table_init(&f->steps);
	hash64_init(&f->index);
	z->self = f;
	return 0;
}

static void floyd_release(struct zone *z)
{
	struct floyd *f = z->self;
	if (!f)
		return;
	hop_table_release(&f->steps);
	hash64_release(&f->index);
	free(f->points);
	free(f->before);
}

static int floyd_point(struct build *b, struct zone *z, struct point a, struct err *err)
{
	struct floyd *f = z->self;
	(void)b;
	struct point *grown = vec_grow(f->points, &f->cap, sizeof *grown, (size_t)f->n + 1,
	                               "points of a zone", err);
	if (!grown)
		return -1;
	f->points = grown;
	f->points[f->n++] = a;
	return 0;
}

static int floyd_declare(struct build *b, struct zone *z, const struct declared *d, struct err *err)
{
	return hop_table_declare(&((struct floyd *)z->self)->steps, b, d, err);
}

/* Marks the points that have routes, then keeps only those, in order. */
static int points_keep(struct floyd *f, struct err *err)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < f->steps.n; i++)
		if (hash64_put(&f->index, f->steps.hops[i].src.code, 0, err) < 0 ||
		    hash64_put(&f->index, f->steps.hops[i].dst.code, 0, err) < 0)
			return -1;
	for (uint32_t i = 0; i < f->n; i++) {
		if (hash64_find(&f->index, f->points[i].code) == HASH_NONE)
			continue;
		f->points[kept] = f->points[i];
		if (hash64_put(&f->index, f->points[i].code, kept++, err) < 0)
			return -1;
	}
	f->n = kept;
	return 0;
}

static void costs_start(struct floyd *f, uint32_t *cost)
{
	memset(cost, 0xff, (size_t)f->n * f->n * sizeof *cost);
	memset(f->before, 0xff, (size_t)f->n * f->n * sizeof *f->before);
	for (uint32_t i = 0; i < f->steps.n; i++) {
		const struct hop *h = &f->steps.hops[i];
		size_t a = hash64_find(&f->index, h->src.code),
		       b = hash64_find(&f->index, h->dst.code);
		cost[a * f->n + b] = h->n;
		f->before[a * f->n + b] = (uint32_t)a;
	}
}

static void costs_relax(struct floyd *f, uint32_t *cost)
{
	size_t n = f->n;
	for (size_t c = 0; c < n; c++) {
		for (size_t a = 0; a < n; a++) {
			uint32_t to_c = cost[a * n + c];
			for (size_t b = 0; to_c != NONE32 && b < n; b++) {
				uint32_t from_c = cost[c * n + b];
				if (from_c == NONE32 || (uint64_t)to_c + from_c >= cost[a * n + b])
					continue;
				cost[a * n + b] = to_c + from_c;
				f->before[a * n + b] = f->before[c * n + b];
			}
		}
	}
}

static int floyd_seal(struct build *b, struct zone *z, struct err *err)
{
	struct floyd *f = z->self;
	if (points_keep(f, err) < 0)
		return -1;
	if (f->n > FLOYD_POINTS_MAX)
		return build_error(b, z->at, err,
		                   "zone '%s' has routing Floyd and %u points with routes; more "
		                   "than %d take too long: use routing Dijkstra",
		                   z->id, f->n, FLOYD_POINTS_MAX);
	size_t bytes = ((size_t)f->n * f->n + 1) * sizeof(uint32_t);
	uint32_t *cost = malloc(bytes);
	f->before = malloc(bytes);
	if (!cost || !f->before) {
		free(cost);
		return err_nomem(err, "the ways of a Floyd zone", bytes);
	}
	costs_start(f, cost);
	costs_relax(f, cost);
	free(cost);
	return 0;
}

/* The number of steps from a to b, 0 if there is no way. */
static uint32_t path_steps(const struct floyd *f, uint32_t a, uint32_t b)
{
	uint32_t n = 0, at = b;
	do {
		at = f->before[(size_t)a * f->n + at];
		n++;
	} while (at != NONE32 && at != a && n < f->n);
	return at == a ? n : 0;
}

/* Step number i of them. Found from the end each time: ways are short, and the stack stays
 * small. */
static const struct hop *path_step(const struct floyd *f, uint32_t a, uint32_t b, uint32_t n,
                                   uint32_t i)
{
	uint32_t at = b;
	for (; n > i + 1; n--)
		at = f->before[(size_t)a * f->n + at];
	return hop_table_find(&f->steps, f->points[f->before[(size_t)a * f->n + at]],
	                      f->points[at]);
}

/* Where ways join the steps SimGrid adds their latencies in between, and those of the way to the
 * first step after all of these. */
static int steps_sum(struct walk *w, const struct floyd *f, const struct ends *e, uint32_t a,
                     uint32_t b, uint32_t n)
{
	const struct hop *first = path_step(f, a, b, n, 0);
	struct point at = first->gw_src;
	for (uint32_t i = 0; i < n; i++) {
		const struct hop *h = path_step(f, a, b, n, i);
		if (walk_to(w, at, h->gw_src) < 0 || walk_add_later(w, h) < 0)
			return -1;
		at = h->gw_dst;
	}
	return walk_to(w, e->src, first->gw_src) < 0 ? -1 : walk_to(w, at, e->dst);
}

static int floyd_walk(struct walk *w, const struct zone *z, const struct ends *e)
{
	const struct floyd *f = z->self;
	uint32_t a = hash64_find(&f->index, e->a.code), b = hash64_find(&f->index, e->b.code);
	struct point at = e->src;
	if (point_same(e->a, e->b))
		return walk_itself(w, &f->steps, e);
	uint32_t n = a == HASH_NONE || b == HASH_NONE ? 0 : path_steps(f, a, b);
	if (!n)
		return walk_missing(w, z, e);
	if (point_same(at, path_step(f, a, b, n, 0)->gw_src))
		w->join_base = w->r->n;
	if (w->sums)
		return steps_sum(w, f, e, a, b, n);
	for (uint32_t i = 0; i < n; i++) {
		const struct hop *h = path_step(f, a, b, n, i);
		w->joined |= i && !point_same(at, h->gw_src);
		walk_add(w, h);
		if (walk_hop(w, h, &at) < 0)
			return -1;
	}
	return walk_to(w, at, e->dst);
}

static const struct hop_table *floyd_declared(const struct zone *z)
{
	return &((const struct floyd *)z->self)->steps;
}

const struct zone_kind zone_floyd = {
    .name = "Floyd",
    .describe = "the way with the fewest links over declared steps, all computed at once",
    .init = floyd_init,
    .point = floyd_point,
    .declare = floyd_declare,
    .declared = floyd_declared,
    .seal = floyd_seal,
    .walk = floyd_walk,
    .release = floyd_release,
};
