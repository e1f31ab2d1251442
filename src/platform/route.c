/* route.c: the way between two hosts, composed over the tree of zones.
 *
 * Let C be the innermost zone that holds both ends, a and b the points of C that hold them (the ends themselves when they live in C). C's
 * kind walks from a to b; where it passes through gateways, the way between an end and its gateway is again composed, inside a or
 * b, strictly deeper in the tree. So the recursion is at most ZONE_DEPTH_MAX deep and no zone is walked twice. The length limit is
 * there for tori of absurd sizes. The rule and the order of links are SimGrid's. */
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

int walk_loopback(struct walk *w)
{
	return walk_push(w, w->p->loopback.v, w->p->links[0].info.latency);
}

int walk_missing(struct walk *w, const struct zone *z, const struct ends *e)
{
	char a[256], b[256];
	point_name(w->p, e->a, a, sizeof a);
	point_name(w->p, e->b, b, sizeof b);
	const char *tag = point_kind(e->a) == POINT_ZONE ? "zoneRoute" : "route";
	return err_set(w->err, ERR_INPUT, "zone '%s' (routing %s, %s:%u) has no <%s> from %s '%s' to %s '%s'", z->id, z->kind->name,
	               w->p->path, z->at.line, tag, point_word(e->a), a, point_word(e->b), b);
}

/* Replaces a zone and the point of it by its parent and itself. */
static const struct zone *climb(const struct platform *p, const struct zone *z, struct point *a)
{
	*a = point_make(POINT_ZONE, z->index);
	return p->zones[z->parent];
}

/* The k-th zone around a point, from the one it lies in; NULL from zone z on. */
static const struct zone *zone_around(const struct platform *p, struct point a, uint32_t k, const struct zone *z)
{
	const struct zone *in = point_zone(p, a);
	while (in != z && k--)
		in = p->zones[in->parent];
	return in == z ? NULL : in;
}

static const struct hop *bypass_try(const struct walk *w, const struct zone *z, const struct ends *e, uint32_t i, uint32_t k)
{
	const struct zone *from = zone_around(w->p, e->src, i, z), *to = zone_around(w->p, e->dst, k, z);
	if (!from || !to)
		return NULL;
	return hop_table_find(z->bypass, point_make(POINT_ZONE, from->index), point_make(POINT_ZONE, to->index));
}

/* A bypass declared in z, the innermost common zone: between the ends themselves when both live in it, else between zones around them,
 * the innermost pair first, in SimGrid's order. */
static const struct hop *bypass_find(const struct walk *w, const struct zone *z, const struct ends *e)
{
	if (point_same(e->a, e->src) && point_same(e->b, e->dst))
		return hop_table_find(z->bypass, e->src, e->dst);
	for (uint32_t max = 0; zone_around(w->p, e->src, max, z) || zone_around(w->p, e->dst, max, z); max++) {
		const struct hop *h = NULL;
		for (uint32_t i = 0; i < max && !h; i++) {
			h = bypass_try(w, z, e, i, max);
			h = h ? h : bypass_try(w, z, e, max, i);
		}
		h = h ? h : bypass_try(w, z, e, max, max);
		if (h)
			return h;
	}
	return NULL;
}

/* Quirk: SimGrid walks between an end and the gateway of a zone's bypass even when they are the same host, so that the host's way to itself
 * is added. */
static int bypass_walk(struct walk *w, const struct hop *h, struct point src, struct point dst)
{
	int quirk = w->p->compat && point_kind(h->src) == POINT_ZONE;
	struct point at = src;
	if (quirk && point_same(src, h->gw_src) && walk_between(w, src, src) < 0)
		return -1;
	if (walk_hop(w, h, &at) < 0)
		return -1;
	return quirk && point_same(at, dst) ? walk_between(w, at, at) : walk_to(w, at, dst);
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
	const struct hop *bypass = za->bypass ? bypass_find(w, za, &e) : NULL;
	if (bypass)
		return bypass_walk(w, bypass, src, dst);
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
