/* zone_dijkstra.c: routing="Dijkstra" and "DijkstraCache": declared ways are steps; the way with
 * the fewest links is taken, found from its source when it is asked for. DijkstraCache keeps what
 * it found, 4 bytes per point and source.
 *
 * Ties fall as in SimGrid: points are numbered by their first appearance in a route, the nearest
 * point (of equals, the least number) is settled first, its steps are tried in order of
 * declaration, and only a strictly shorter way replaces one. */
#include "platform/platform_int.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct dijkstra {
	struct hop_table steps;
	struct hash64 index;  /* point code -> number */
	struct point *points; /* by number */
	uint32_t n, cap;
	uint32_t *first,
	    *step; /* steps that leave point i: step[first[i]] .. step[first[i + 1] - 1] */
	_Atomic(uint32_t *)
	    *kept; /* by source: the tree found, or NULL; NULL when nothing is kept */
};

static int dijkstra_init(struct build *b, struct zone *z, struct err *err)
{
	struct dijkstra *d = arena_alloc(&b->p->arena, sizeof *d, err);
	if (!d)
		return -1;
	hop_table_init(&d->steps);
	hash64_init(&d->index);
	z->self = d;
	return 0;
}

static void dijkstra_release(struct zone *z)
{
	struct dijkstra *d = z->self;
	if (!d)
		return;
	for (uint32_t i = 0; d->kept && i < d->n; i++)
		free(atomic_load(&d->kept[i]));
	free(d->kept);
	hop_table_release(&d->steps);
	hash64_release(&d->index);
	free(d->points);
	free(d->first);
	free(d->step);
}

static int dijkstra_declare(struct build *b, struct zone *z, const struct declared *d,
                            struct err *err)
{
	return hop_table_declare(&((struct dijkstra *)z->self)->steps, b, d, err);
}

static int point_number(struct dijkstra *d, struct point a, struct err *err)
{
	if (hash64_find(&d->index, a.code) != HASH_NONE)
		return 0;
	struct point *grown = vec_grow(d->points, &d->cap, sizeof *grown, (size_t)d->n + 1,
	                               "points of a zone", err);
	if (!grown)
		return -1;
	d->points = grown;
	d->points[d->n] = a;
	if (hash64_put(&d->index, a.code, d->n, err) < 0)
		return -1;
	d->n++;
	return 0;
}

/* Steps by their source, in order of declaration (a counting sort). */
static void steps_sort(struct dijkstra *d)
{
	for (uint32_t i = 0; i < d->steps.n; i++)
		d->first[hash64_find(&d->index, d->steps.hops[i].src.code) + 1]++;
	for (uint32_t i = 0; i < d->n; i++)
		d->first[i + 1] += d->first[i];
	for (uint32_t i = d->steps.n; i-- > 0;) {
		uint32_t src = hash64_find(&d->index, d->steps.hops[i].src.code);
		d->step[--d->first[src + 1]] = i;
	}
	memmove(d->first, d->first + 1, d->n * sizeof *d->first);
	d->first[d->n] = d->steps.n;
}

static int dijkstra_seal(struct build *b, struct zone *z, struct err *err)
{
	struct dijkstra *d = z->self;
	(void)b;
	for (uint32_t i = 0; i < d->steps.n; i++)
		if (point_number(d, d->steps.hops[i].src, err) < 0 ||
		    point_number(d, d->steps.hops[i].dst, err) < 0)
			return -1;
	d->first = calloc((size_t)d->n + 2, sizeof *d->first);
	d->step = calloc((size_t)d->steps.n + 1, sizeof *d->step);
	if (z->kind == &zone_dijkstra_cache)
		d->kept = calloc((size_t)d->n + 1, sizeof *d->kept);
	if (!d->first || !d->step || (z->kind == &zone_dijkstra_cache && !d->kept))
		return err_nomem(err, "the steps of a Dijkstra zone",
		                 ((size_t)d->n + d->steps.n) * sizeof *d->step);
	steps_sort(d);
	return 0;
}

/* Settles one point: tries the steps that leave it. */
static int point_settle(const struct dijkstra *d, uint32_t at, uint32_t *cost, uint32_t *before,
                        struct heap *queue, struct err *err)
{
	for (uint32_t i = d->first[at]; i < d->first[at + 1]; i++) {
		const struct hop *h = &d->steps.hops[d->step[i]];
		uint32_t to = hash64_find(&d->index, h->dst.code);
		if ((uint64_t)cost[at] + h->n >= cost[to])
			continue;
		cost[to] = cost[at] + h->n;
		before[to] = at;
		if (heap_set(queue, to, cost[to], to, err) < 0)
			return -1;
	}
	return 0;
}

static int tree_fill(const struct dijkstra *d, uint32_t source, uint32_t *cost, uint32_t *before,
                     struct err *err)
{
	struct heap queue;
	memset(cost, 0xff, d->n * sizeof *cost);
	memset(before, 0xff, d->n * sizeof *before);
	cost[source] = 0;
	heap_init(&queue);
	int got = heap_set(&queue, source, 0, source, err);
	while (got == 0 && heap_top(&queue))
		got = point_settle(d, heap_pop(&queue).id, cost, before, &queue, err);
	heap_release(&queue);
	return got;
}

/* before[i]: the point that comes before i on the way from the source. To be freed by the
 * caller. */
static uint32_t *tree_find(const struct dijkstra *d, uint32_t source, struct err *err)
{
	size_t bytes = (size_t)d->n * sizeof(uint32_t);
	uint32_t *cost = malloc(bytes), *before = malloc(bytes);
	if (!cost || !before)
		err_nomem(err, "ways in a Dijkstra zone", bytes);
	if (!cost || !before || tree_fill(d, source, cost, before, err) < 0) {
		free(before);
		before = NULL;
	}
	free(cost);
	return before;
}

/* The tree from a source, from what is kept if it is; *mine: whether the caller must free it. */
static uint32_t *tree_get(const struct dijkstra *d, uint32_t source, int *mine, struct err *err)
{
	uint32_t *known = d->kept ? atomic_load(&d->kept[source]) : NULL, *none = NULL;
	*mine = 0;
	if (known)
		return known;
	uint32_t *tree = tree_find(d, source, err);
	*mine = !(tree && d->kept && atomic_compare_exchange_strong(&d->kept[source], &none, tree));
	return tree;
}

/* Walks the steps from the source to `to`. Found from the end, for the tree points backwards: each
 * step is looked for again from `to`, which is quick as ways are short, and keeps the stack
 * small. */
static int tree_walk(struct walk *w, const struct dijkstra *d, const uint32_t *before,
                     uint32_t source, uint32_t to, struct point *at)
{
	for (uint32_t from = source; from != to;) {
		uint32_t next = to;
		while (before[next] != from)
			next = before[next];
		if (walk_hop(w, hop_table_find(&d->steps, d->points[from], d->points[next]), at) <
		    0)
			return -1;
		from = next;
	}
	return 0;
}

/* From the end: SimGrid's order. */
static void tree_sum(struct walk *w, const struct dijkstra *d, const uint32_t *before,
                     uint32_t source, uint32_t to)
{
	for (; to != source; to = before[to])
		walk_add(w, hop_table_find(&d->steps, d->points[before[to]], d->points[to]));
}

static int steps_walk(struct walk *w, const struct zone *z, const struct ends *e)
{
	const struct dijkstra *d = z->self;
	uint32_t a = hash64_find(&d->index, e->a.code), b = hash64_find(&d->index, e->b.code);
	struct point at = e->src;
	int mine;
	w->reversed = w->p->compat;
	if (point_same(e->a, e->b))
		return walk_itself(w, &d->steps, e);
	if (a == HASH_NONE || b == HASH_NONE)
		return walk_missing(w, z, e);
	uint32_t *before = tree_get(d, a, &mine, w->err);
	if (!before)
		return -1;
	int found = before[b] != NONE32;
	if (found)
		tree_sum(w, d, before, a, b);
	int got = found ? tree_walk(w, d, before, a, b, &at) : walk_missing(w, z, e);
	if (mine)
		free(before);
	return got < 0 ? -1 : walk_to(w, at, e->dst);
}

/* Quirk: SimGrid walks from the end and puts each step's links before those found so far, reversed;
 * between two points of the zone itself, before those of all the way that it has composed until
 * then. Order decides no time, but for what SimGrid's selective update leaves out. */
static int dijkstra_walk(struct walk *w, const struct zone *z, const struct ends *e)
{
	uint32_t from = w->r->n;
	if (steps_walk(w, z, e) < 0)
		return -1;
	if (w->p->compat && point_same(e->a, e->src) && point_same(e->b, e->dst))
		walk_to_front(w, from);
	return 0;
}

static const struct hop_table *dijkstra_declared(const struct zone *z)
{
	return &((const struct dijkstra *)z->self)->steps;
}

const struct zone_kind zone_dijkstra = {
    .name = "Dijkstra",
    .describe = "the way with the fewest links over declared steps, computed when asked for",
    .init = dijkstra_init,
    .declare = dijkstra_declare,
    .declared = dijkstra_declared,
    .seal = dijkstra_seal,
    .walk = dijkstra_walk,
    .release = dijkstra_release,
};

const struct zone_kind zone_dijkstra_cache = {
    .name = "DijkstraCache",
    .describe = "Dijkstra that keeps what it found",
    .init = dijkstra_init,
    .declare = dijkstra_declare,
    .declared = dijkstra_declared,
    .seal = dijkstra_seal,
    .walk = dijkstra_walk,
    .release = dijkstra_release,
};
