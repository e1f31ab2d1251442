/* zone_full.c: routing="Full": every way between two points of the zone is declared.
 *
 * A host that sends to itself takes the global loopback link unless a route from it to itself is declared; only a zone without
 * child zones does that (SimGrid's "base" zones). */
#include "platform/platform_int.h"

#include <stdlib.h>

static int refuse_twice(const struct build *b, struct point src, struct point dst, struct place at, struct err *err)
{
	char x[256], y[256];
	point_name(b->p, src, x, sizeof x);
	point_name(b->p, dst, y, sizeof y);
	return build_error(b, at, err, "the route from '%s' to '%s' is already declared (routes are symmetrical unless symmetrical=\"NO\")", x, y);
}

static struct hop_table *table_get(struct zone *z, struct err *err)
{
	if (!z->self) {
		z->self = malloc(sizeof(struct hop_table));
		if (!z->self) {
			err_nomem(err, "a routing table", sizeof(struct hop_table));
			return NULL;
		}
		hop_table_init(z->self);
	}
	return z->self;
}

static int full_declare(struct build *b, struct zone *z, const struct declared *d, struct err *err)
{
	struct hop_table *t = table_get(z, err);
	if (!t)
		return -1;
	if (hop_table_find(t, d->src, d->dst))
		return refuse_twice(b, d->src, d->dst, d->at, err);
	if (hop_table_put(t, d->src, d->dst, &d->hop, err) < 0)
		return -1;
	if (!d->symmetrical || point_same(d->src, d->dst))
		return 0;
	if (hop_table_find(t, d->dst, d->src))
		return refuse_twice(b, d->dst, d->src, d->at, err);
	return hop_table_put(t, d->dst, d->src, &d->back, err);
}

static int full_walk(struct walk *w, const struct zone *z, const struct ends *e)
{
	const struct hop *h = z->self ? hop_table_find(z->self, e->a, e->b) : NULL;
	struct point at = e->src;
	if (h) {
		if (walk_hop(w, h, &at) < 0)
			return -1;
		return walk_to(w, at, e->dst);
	}
	if (point_same(e->src, e->dst) && !z->children)
		return walk_push(w, w->p->loopback.v, w->p->links[0].info.latency);
	return walk_missing(w, z, e);
}

static void full_release(struct zone *z)
{
	if (z->self)
		hop_table_release(z->self);
	free(z->self);
}

const struct zone_kind zone_full = {
	.name = "Full",
	.describe = "every route is declared",
	.declare = full_declare,
	.walk = full_walk,
	.release = full_release,
};
