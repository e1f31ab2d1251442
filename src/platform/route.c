/* route.c: the way between two hosts, composed over the tree of zones.
 *
 * Let C be the innermost zone that holds both ends, a and b the points of C that hold them (the
 * ends themselves when they live in C). C's kind walks from a to b; where it passes through
 * gateways, the way between an end and its gateway is again composed, inside a or b, strictly
 * deeper in the tree; so it ends. The rule and the order of links are SimGrid's, and so is the
 * order in which latencies are added, for a sum's last bit may decide which of two messages is
 * first: those of C's walk, then those of the way in a, then in b; around a bypass in the order of
 * links.
 *
 * Zones may be nested to any depth: nothing recurs. A walk that comes to a way between an end and a
 * gateway leaves it in r->todo, a stack, with all that follows it, and the top of the stack goes on
 * from there. Most walks have none, and append their links at once. The length limit is there for
 * tori of absurd sizes. */
#include "platform/platform_int.h"

#include <stdlib.h>

void route_init(struct route *r)
{
	*r = (struct route){0};
}

void route_release(struct route *r)
{
	free(r->links);
	free(r->todo);
	*r = (struct route){0};
}

/* --- what walks append --- */

static __attribute__((noinline)) int links_widen(struct walk *w, uint32_t n)
{
	struct route *r = w->r;
	if ((uint64_t)r->n + n > ROUTE_LINKS_MAX)
		return err_set(w->err, ERR_INPUT, "the route has more than %d links",
		               ROUTE_LINKS_MAX);
	struct link_id *grown = vec_grow(r->links, &r->cap, sizeof *grown, (size_t)r->n + n,
	                                 "links of a route", w->err);
	if (!grown)
		return -1;
	r->links = grown;
	return 0;
}

static int links_append(struct walk *w, const struct link_id *links, uint32_t n)
{
	struct route *r = w->r;
	if ((uint64_t)r->n + n > r->cap && links_widen(w, n) < 0)
		return -1;
	for (uint32_t i = 0; i < n; i++)
		r->links[r->n++] = links[i];
	return 0;
}

static inline int link_append(struct walk *w, struct link_id l)
{
	struct route *r = w->r;
	if (r->n == r->cap && links_widen(w, 1) < 0)
		return -1;
	r->links[r->n++] = l;
	return 0;
}

/* Something of this walk waits: what comes behind it must wait too. */
static int walk_waits(const struct walk *w)
{
	return w->r->todo_n > w->mark;
}

static int piece_push(struct walk *w, const struct route_piece *piece)
{
	struct route *r = w->r;
	struct route_piece *grown = vec_grow(r->todo, &r->todo_cap, sizeof *grown,
	                                     (size_t)r->todo_n + 1, "a route's pieces", w->err);
	if (!grown)
		return -1;
	r->todo = grown;
	r->todo[r->todo_n++] = *piece;
	return 0;
}

static int walk_between(struct walk *w, struct point src, struct point dst, uint32_t base)
{
	return piece_push(
	    w, &(struct route_piece){.kind = PIECE_BETWEEN, .src = src, .dst = dst, .at = base});
}

static int hop_append(struct walk *w, const struct hop *h, int reversed)
{
	for (uint32_t i = h->n; reversed && i-- > 0;) {
		if (link_append(w, w->p->hop_links[h->first + i]) < 0)
			return -1;
	}
	return h->n && !reversed ? links_append(w, w->p->hop_links + h->first, h->n) : 0;
}

static void links_reverse(struct link_id *l, uint32_t n)
{
	for (uint32_t i = 0; i < n / 2; i++) {
		struct link_id t = l[i];
		l[i] = l[n - 1 - i];
		l[n - 1 - i] = t;
	}
}

void walk_to_front(struct walk *w, uint32_t from)
{
	struct route *r = w->r;
	if (from == w->base || from == r->n)
		return;
	links_reverse(r->links + w->base, from - w->base);
	links_reverse(r->links + from, r->n - from);
	links_reverse(r->links + w->base, r->n - w->base);
}

int walk_push_slow(struct walk *w, uint32_t link)
{
	if (walk_waits(w))
		return piece_push(w, &(struct route_piece){.kind = PIECE_LINK, .at = link});
	return link_append(w, (struct link_id){link});
}

void walk_latency(struct walk *w, double seconds)
{
	w->r->latency += seconds;
	w->r->beyond += seconds;
}

/* One by one: after others, a sum of them may round otherwise. */
void walk_add(struct walk *w, const struct hop *h)
{
	double *sum = &w->r->latency;
	if (h->n <= 1 || *sum == 0) {
		*sum += h->latency;
		return;
	}
	for (uint32_t i = 0; i < h->n; i++) {
		struct link_info l;
		link_before_changes(w->p, w->p->hop_links[h->first + i], &l);
		*sum += l.latency;
	}
}

int walk_add_later(struct walk *w, const struct hop *h)
{
	if (walk_waits(w))
		return piece_push(w, &(struct route_piece){.kind = PIECE_SUM, .hop = h});
	walk_add(w, h);
	return 0;
}

int walk_to(struct walk *w, struct point at, struct point dst)
{
	return point_same(at, dst) ? 0 : walk_between(w, at, dst, w->base);
}

int walk_hop(struct walk *w, const struct hop *h, struct point *at)
{
	int first = w->steps++ == 0;
	uint32_t base = first ? w->base : w->join_base;
	if (!point_same(*at, h->gw_src) && walk_between(w, *at, h->gw_src, base) < 0)
		return -1;
	*at = h->gw_dst;
	if (walk_waits(w))
		return piece_push(
		    w, &(struct route_piece){.kind = w->reversed ? PIECE_HOP_BACK : PIECE_HOP,
		                             .at = first ? w->mark : NONE32,
		                             .hop = h});
	return hop_append(w, h, w->reversed);
}

int walk_loopback(struct walk *w)
{
	return walk_push(w, w->p->loopback.v, w->p->links[0].info.latency);
}

int walk_itself(struct walk *w, const struct hop_table *steps, const struct ends *e)
{
	const struct hop *own = hop_table_find(steps, e->a, e->b);
	struct point at = e->src;

	if (!own)
		return walk_loopback(w);
	walk_add(w, own);
	return walk_hop(w, own, &at);
}

int walk_missing(struct walk *w, const struct zone *z, const struct ends *e)
{
	char a[256], b[256];
	point_name(w->p, e->a, a, sizeof a);
	point_name(w->p, e->b, b, sizeof b);
	const char *tag = point_kind(e->a) == POINT_ZONE ? "zoneRoute" : "route";
	return err_set(w->err, ERR_INPUT,
	               "zone '%s' (routing %s, %s:%u:%u) has no <%s> from %s '%s' to %s '%s'",
	               z->id, z->kind->name, w->p->path, z->at.line, z->at.column, tag,
	               point_word(e->a), a, point_word(e->b), b);
}

/* --- bypasses --- */

/* The zones around the two ends, below the innermost common one, are numbered from the inside. Of
 * the bypasses between two of them that goes whose outer zone is innermost; then whose other one
 * is; then that with the inner one around the source: SimGrid's order. */
struct best {
	const struct hop *hop;
	uint32_t outer, inner, src;
};

static void bypass_offer(struct best *best, const struct hop *h, uint32_t src, uint32_t dst)
{
	struct best b = {h, src > dst ? src : dst, src > dst ? dst : src, src};
	if (!best->hop || b.outer < best->outer ||
	    (b.outer == best->outer &&
	     (b.inner < best->inner || (b.inner == best->inner && b.src < best->src))))
		*best = b;
}

/* Each declared one: is it around both ends? */
static const struct hop *bypass_of_table(const struct platform *p, const struct hop_table *t,
                                         const struct zone *src, const struct zone *dst)
{
	struct best best = {0};
	for (uint32_t i = 0; i < t->n; i++) {
		const struct hop *h = &t->hops[i];
		if (point_kind(h->src) != POINT_ZONE)
			continue;
		const struct zone *a = p->zones[point_index(h->src)],
		                  *b = p->zones[point_index(h->dst)];
		if (zone_around(a, src) && zone_around(b, dst))
			bypass_offer(&best, h, src->depth - a->depth, dst->depth - b->depth);
	}
	return best.hop;
}

/* Each pair of zones around both ends: is it declared? */
static const struct hop *bypass_of_pairs(const struct platform *p, const struct zone *z,
                                         const struct zone *src, const struct zone *dst)
{
	struct best best = {0};
	for (const struct zone *a = src; a != z; a = p->zones[a->parent]) {
		for (const struct zone *b = dst; b != z; b = p->zones[b->parent]) {
			const struct hop *h = hop_table_find(z->bypass,
			                                     point_make(POINT_ZONE, a->index),
			                                     point_make(POINT_ZONE, b->index));
			if (h)
				bypass_offer(&best, h, src->depth - a->depth,
				             dst->depth - b->depth);
		}
	}
	return best.hop;
}

/* A bypass declared in z, the innermost common zone: between the ends themselves when both live in
 * it, else between zones around them. */
static const struct hop *bypass_find(const struct platform *p, const struct zone *z,
                                     const struct ends *e)
{
	const struct zone *src = point_zone(p, e->src), *dst = point_zone(p, e->dst);
	if (src == z && dst == z)
		return hop_table_find(z->bypass, e->src, e->dst);
	if ((uint64_t)(src->depth - z->depth) * (dst->depth - z->depth) > z->bypass->n)
		return bypass_of_table(p, z->bypass, src, dst);
	return bypass_of_pairs(p, z, src, dst);
}

/* Quirk: SimGrid walks between an end and the gateway of a zone's bypass even when they are the
 * same host, so that the host's way to itself is added. */
static int bypass_walk(struct walk *w, const struct hop *h, struct point src, struct point dst)
{
	int quirk = w->p->compat && point_kind(h->src) == POINT_ZONE;
	struct point at = src;
	if (quirk && point_same(src, h->gw_src) && walk_between(w, src, src, w->base) < 0)
		return -1;
	if (walk_hop(w, h, &at) < 0 || walk_add_later(w, h) < 0)
		return -1;
	return quirk && point_same(at, dst) ? walk_between(w, at, at, w->base)
	                                    : walk_to(w, at, dst);
}

/* The outermost of z and the zones around it that does not hold `other`; NULL if z does. Jumps make
 * it logarithmic in the depth (Myers, "An applicative random-access stack", Inf. Proc. Letters 17,
 * 1983). */
static const struct zone *zone_below(const struct platform *p, const struct zone *z,
                                     const struct zone *other)
{
	if (zone_around(z, other))
		return NULL;
	while (!zone_around(p->zones[z->parent], other)) {
		const struct zone *far = p->zones[z->jump];
		z = zone_around(far, other) ? p->zones[z->parent] : far;
	}
	return z;
}

/* One step of the composition. */
static int walk_compose(struct walk *w, struct point src, struct point dst)
{
	struct ends e = {src, dst, src, dst};
	const struct zone *common = point_zone(w->p, src), *other = point_zone(w->p, dst);
	const struct zone *a = zone_below(w->p, common, other),
	                  *b = zone_below(w->p, other, common);
	if (a) {
		e.a = point_make(POINT_ZONE, a->index);
		common = w->p->zones[a->parent];
	}
	if (b)
		e.b = point_make(POINT_ZONE, b->index);
	const struct hop *bypass = common->bypass ? bypass_find(w->p, common, &e) : NULL;
	if (bypass)
		return bypass_walk(w, bypass, src, dst);
	return common->kind->walk ? common->kind->walk(w, common, &e) : walk_missing(w, common, &e);
}

static void pieces_reverse(struct route_piece *a, uint32_t n)
{
	for (uint32_t i = 0; i < n / 2; i++) {
		struct route_piece t = a[i];
		a[i] = a[n - 1 - i];
		a[n - 1 - i] = t;
	}
}

/* The ways that join the steps of a walk add to the list that its first step begins. */
static void joins_place(struct route *r, uint32_t mark)
{
	for (uint32_t i = mark; i < r->todo_n; i++)
		if (r->todo[i].kind == PIECE_BETWEEN && r->todo[i].at == NONE32)
			r->todo[i].at = r->n;
}

/* Takes the top of the stack; what of it must wait comes back in its place. */
static int piece_walk(struct walk *w)
{
	struct route *r = w->r;
	struct route_piece piece = r->todo[--r->todo_n];
	w->mark = r->todo_n;
	w->base = piece.at == NONE32 ? r->n : piece.at;
	w->join_base = NONE32;
	w->steps = 0;
	w->reversed = 0;
	w->inside = 1;
	if (piece.kind == PIECE_BETWEEN) {
		int got = walk_compose(w, piece.src, piece.dst);
		pieces_reverse(r->todo + w->mark, r->todo_n - w->mark);
		return got;
	}
	if (piece.kind == PIECE_SUM) {
		walk_add(w, piece.hop);
		return 0;
	}
	if (piece.kind == PIECE_LINK)
		return link_append(w, (struct link_id){piece.at});
	if (piece.kind == PIECE_HOP && piece.at != NONE32)
		joins_place(r, piece.at);
	return hop_append(w, piece.hop, piece.kind == PIECE_HOP_BACK);
}

/* The way as a whole, but for what is left in r->todo. Hosts of one block are in one zone. */
static int walk_hosts(struct walk *w, struct host_id from, struct host_id to)
{
	struct point a = point_make(POINT_HOST, from.v), b = point_make(POINT_HOST, to.v);
	const struct host_block *k = host_block_of(w->p, from.v);
	const struct zone *z = w->p->zones[k->zone];
	if (to.v - k->first < k->n && !z->bypass && z->kind->walk)
		return z->kind->walk(w, z, &(struct ends){a, b, a, b});
	return walk_compose(w, a, b);
}

static int route_walk(struct walk *w, struct host_id from, struct host_id to)
{
	struct route *r = w->r;
	r->n = r->todo_n = 0;
	r->latency = r->beyond = 0;
	int got = walk_hosts(w, from, to);
	if (got == 0)
		pieces_reverse(r->todo, r->todo_n);
	while (got == 0 && r->todo_n)
		got = piece_walk(w);
	return got;
}

/* Where the order of latencies is not that of the walk the way is walked once more for it. */
static int route_sum(const struct walk *walked, struct host_id from, struct host_id to)
{
	struct route again;
	struct walk w = {
	    .p = walked->p, .r = &again, .err = walked->err, .join_base = NONE32, .sums = 1};
	route_init(&again);
	int got = route_walk(&w, from, to);
	walked->r->latency = again.latency;
	route_release(&again);
	return got;
}

int route_find(const struct platform *p, struct host_id from, struct host_id to, struct route *r,
               struct err *err)
{
	struct walk w = {.p = p, .r = r, .err = err, .join_base = NONE32};
	int got = route_walk(&w, from, to);
	if (got == 0 && w.joined)
		got = route_sum(&w, from, to);
	if (got == 0) {
		route_change_apply(p, r);
		return 0;
	}
	if (err && err->kind == ERR_INPUT) {
		char a[256], b[256];
		struct err why = *err;
		platform_host_name(p, from, a, sizeof a);
		platform_host_name(p, to, b, sizeof b);
		err_set(err, ERR_INPUT, "no route from host '%s' to host '%s': %s", a, b, why.text);
	}
	return -1;
}
