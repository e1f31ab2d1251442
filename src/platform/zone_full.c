/* zone_full.c: routing="Full": every way between two points of the zone is declared.
 *
 * A host that sends to itself takes the global loopback link unless a route from it to itself is
 * declared; only a zone without child zones does that (SimGrid's "base" zones).
 *
 * Quirk: where a way through gateways needs one between two hosts or routers here that is not
 * declared, SimGrid goes on as if there were nothing to cross. */
#include "platform/platform_int.h"

static int full_init(struct build *b, struct zone *z, struct err *err)
{
	z->self = arena_alloc(&b->p->arena, sizeof(struct hop_table), err);
	if (!z->self)
		return -1;
	hop_table_init(z->self);
	return 0;
}

static int full_declare(struct build *b, struct zone *z, const struct declared *d, struct err *err)
{
	return hop_table_declare(z->self, b, d, err);
}

static int full_walk(struct walk *w, const struct zone *z, const struct ends *e)
{
	const struct hop *h = hop_table_find(z->self, e->a, e->b);
	struct point at = e->src;
	if (h) {
		walk_add(w, h);
		if (walk_hop(w, h, &at) < 0)
			return -1;
		return walk_to(w, at, e->dst);
	}
	if (point_same(e->src, e->dst) && !z->children)
		return walk_loopback(w);
	int within = w->inside && point_kind(e->a) != POINT_ZONE && point_kind(e->b) != POINT_ZONE;
	return within && w->p->compat ? 0 : walk_missing(w, z, e);
}

static void full_release(struct zone *z)
{
	if (z->self)
		hop_table_release(z->self);
}

static const struct hop_table *full_declared(const struct zone *z)
{
	return z->self;
}

const struct zone_kind zone_full = {
    .name = "Full",
    .describe = "every route is declared",
    .init = full_init,
    .declare = full_declare,
    .declared = full_declared,
    .walk = full_walk,
    .release = full_release,
};
