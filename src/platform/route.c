/* route.c: the way between two hosts, composed over the tree of zones.
 *
 * Let C be the innermost zone that holds both ends, a and b the points of C that hold them (the ends themselves when they live in C). C's kind walks from a to b;
 * where it passes through gateways, the way between an end and its gateway is again composed, inside a or b, strictly deeper in
 * the tree. So the recursion is at most ZONE_DEPTH_MAX deep, and a length limit keeps a hostile platform from doubling at each level.
 * The rule and the order of links are SimGrid's (reference "Global route between two netpoints"). */
#include "platform/platform_int.h"

#include <stdlib.h>

void route_init(struct route *r)
{
	*r = (struct route){0};
}

void route_release(struct route *r)
{
	free(r->links);
	*r = (struct route){0};
}

int walk_push(struct walk *w, uint32_t link, double latency)
{
	struct route *r = w->r;
	if (r->n >= r->cap) {
		if (r->n >= ROUTE_LINKS_MAX)
			return err_set(w->err, ERR_INPUT, "the route has more than %d links", ROUTE_LINKS_MAX);
		struct link_id *grown = vec_grow(r->links, &r->cap, sizeof *grown, (size_t)r->n + 1, "links of a route", w->err);
		if (!grown)
			return -1;
		r->links = grown;
	}
	r->links[r->n++] = (struct link_id){link};
	r->latency += latency;
	return 0;
}

int walk_to(struct walk *w, struct point at, struct point dst)
{
	return point_same(at, dst) ? 0 : walk_between(w, at, dst);
}

int walk_hop(struct walk *w, const struct hop *h, struct point *at)
{
	if (walk_to(w, *at, h->gw_src) < 0)
		return -1;
	for (uint32_t i = 0; i < h->n; i++)
		if (walk_push(w, w->p->hop_links[h->first + i].v, 0) < 0)
			return -1;
	w->r->latency += h->latency;
	*at = h->gw_dst;
	return 0;
}

int walk_missing(struct walk *w, const struct zone *z, const struct ends *e)
{
	char a[256], b[256];
	point_name(w->p, e->a, a, sizeof a);
	point_name(w->p, e->b, b, sizeof b);
	const char *tag = point_kind(e->a) == POINT_ZONE ? "zoneRoute" : "route";
	return err_set(w->err, ERR_INPUT, "zone '%s' (routing %s, %s:%u) has no <%s> from %s '%s' to %s '%s'", z->id, z->kind->name, w->p->path, z->at.line, tag,
	               point_word(e->a), a, point_word(e->b), b);
}

/* Replaces a zone and the point of it by its parent and itself. */
static const struct zone *climb(const struct platform *p, const struct zone *z, struct point *a)
{
	*a = point_make(POINT_ZONE, z->index);
	return p->zones[z->parent];
}

int walk_between(struct walk *w, struct point src, struct point dst)
{
	struct ends e = {src, dst, src, dst};
	const struct zone *za = point_zone(w->p, src), *zb = point_zone(w->p, dst);
	while (za != zb) {
		if (za->depth >= zb->depth) {
			za = climb(w->p, za, &e.a);
			continue;
		}
		zb = climb(w->p, zb, &e.b);
	}
	if (!za->kind->walk)
		return walk_missing(w, za, &e);
	return za->kind->walk(w, za, &e);
}

int route_find(const struct platform *p, struct host_id from, struct host_id to, struct route *r, struct err *err)
{
	struct walk w = {p, r, err};
	struct point src = point_make(POINT_HOST, from.v), dst = point_make(POINT_HOST, to.v);
	r->n = 0;
	r->latency = 0;
	if (walk_between(&w, src, dst) == 0)
		return 0;
	if (err && err->kind == ERR_INPUT) {
		char a[256], b[256];
		struct err why = *err;
		platform_host_name(p, from, a, sizeof a);
		platform_host_name(p, to, b, sizeof b);
		err_set(err, ERR_INPUT, "no route from host '%s' to host '%s': %s", a, b, why.text);
	}
	return -1;
}
