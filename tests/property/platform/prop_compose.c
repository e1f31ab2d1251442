/* prop_compose.c: ways through random trees of zones of all declared kinds, stars and flat
 * clusters, with bypasses and gateways at any depth, beside a walk written as the definition is,
 * as a recursion: the innermost zone that holds both ends; its way between the two children;
 * before it, between and behind, the ways to the gateways. Links, their order and latency agree
 * for every pair of hosts, and so does whether there is a way at all. */
#include "compose.h"

#include "unit/platform/lib.h"

#include <math.h>

enum { ROUTE_MOST = 4000, NAME = 40 };

struct walked {
	char link[ROUTE_MOST][NAME];
	int n, missing;
};

static void walked_add(struct walked *out, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
static void walked_add(struct walked *out, const char *fmt, ...)
{
	va_list ap;

	assert_true(out->n < ROUTE_MOST);
	va_start(ap, fmt);
	vsnprintf(out->link[out->n++], NAME, fmt, ap);
	va_end(ap);
}

/* Only if it is not among the links from `since` on: a star crosses a link once. */
static void walked_add_once(struct walked *out, int since, const char *name)
{
	for (int i = since; i < out->n; i++)
		if (!strcmp(out->link[i], name))
			return;
	walked_add(out, "%s", name);
}

/* The child of z that holds the point; -1: it lies in z itself. */
static int child_with(const struct world *w, int z, int point)
{
	int in = w->point[point].zone, below = -1;

	for (; in != z; in = w->zone[in].parent)
		below = in;
	return below;
}

static int zone_with_both(const struct world *w, int a, int b)
{
	int z = w->point[a].zone;

	while (!zone_holds(w, z, b))
		z = w->zone[z].parent;
	return z;
}

static void walk(const struct world *w, int src, int dst, struct walked *out);

static void walk_links(const struct way *h, int back, struct walked *out)
{
	for (int i = 0; i < h->n; i++) {
		int k = back ? h->n - 1 - i : i, way = h->on[k].way;

		if (back && way)
			way = 3 - way;
		walked_add(out, "l%d%s", h->on[k].link, way == 1 ? "_UP" : way ? "_DOWN" : "");
	}
}

/* To the way's gateway, over its links; returns where it ends. */
static int walk_way(const struct world *w, const struct way *h, int back, int at,
                    struct walked *out)
{
	int in = back ? h->gw_to : h->gw_from;

	if (at != in)
		walk(w, at, in, out);
	walk_links(h, back, out);
	return back ? h->gw_from : h->gw_to;
}

/* --- stars --- */

static void walk_flat(const struct world *w, int z, int src, int dst, struct walked *out)
{
	const struct pt *a = &w->point[src], *b = &w->point[dst];
	const struct zn *zone = &w->zone[z];
	int since = out->n;
	char name[NAME];

	if (src == dst && !a->router && zone->loopback) {
		walked_add(out, "z%d_link_%d_loopback", z, a->rank);
		return;
	}
	if (!a->router && zone->limiter)
		walked_add(out, "z%d_link_%d_limiter", z, a->rank);
	if (!a->router)
		walked_add(out, "z%d_link_%d%s", z, a->rank, zone->split ? "_UP" : "");
	if (zone->backbone && !(a->router && b->router))
		walked_add(out, "z%d_backbone", z);
	if (b->router)
		return;
	snprintf(name, sizeof name, "z%d_link_%d%s", z, b->rank, zone->split ? "_DOWN" : "");
	walked_add_once(out, since, name);
	snprintf(name, sizeof name, "z%d_link_%d_limiter", z, b->rank);
	if (zone->limiter)
		walked_add_once(out, since, name);
}

static void walk_star(const struct world *w, int z, int src, int dst, struct walked *out)
{
	const struct pt *a = &w->point[src], *b = &w->point[dst];
	int since = out->n;
	char name[NAME];

	if (a->up >= 0)
		walked_add(out, "l%d", a->up);
	if (w->zone[z].backbone && (a->up >= 0 || b->down >= 0))
		walked_add(out, "back%d", z);
	snprintf(name, sizeof name, "l%d", b->down);
	if (b->down >= 0)
		walked_add_once(out, since, name);
	out->missing |= out->n == since && !a->router && !b->router;
}

/* --- declared ways --- */

/* The ways from `from` to `to` over ways that form a tree, or a single one: depth first. Their
 * number, 0 if there are none; they are in path (negative - 1: back). */
static int path_find(const struct world *w, int z, int from, int to, int came, int *path)
{
	if (from == to)
		return 0;
	for (int i = 0; i < w->ways; i++) {
		const struct way *h = &w->way[i];

		if (h->zone != z || h->bypass)
			continue;
		for (int back = 0; back <= h->symmetrical; back++) {
			int a = back ? h->to : h->from, b = back ? h->from : h->to;
			int full = w->zone[z].kind == FULL, n;

			if (a != from || b == came || (full && b != to))
				continue;
			path[0] = back ? -i - 1 : i;
			n = path_find(w, z, b, to, a, path + 1);
			if (n >= 0)
				return n + 1;
		}
	}
	return -1;
}

static void walk_declared(const struct world *w, int z, int src, int dst, struct walked *out)
{
	int a = child_with(w, z, src), b = child_with(w, z, dst), path[ZONES_MOST], at = src, n;

	if (src == dst) {
		walked_add(out, "__loopback__");
		return;
	}
	n = path_find(w, z, a < 0 ? src : a, b < 0 ? dst : b, -1, path);
	if (n < 0) {
		out->missing = 1;
		return;
	}
	for (int i = 0; i < n; i++) {
		int back = path[i] < 0;

		at = walk_way(w, &w->way[back ? -path[i] - 1 : path[i]], back, at, out);
	}
	if (at != dst)
		walk(w, at, dst, out);
}

/* --- bypasses --- */

/* How far a zone lies around a point: 0 is the point's own. */
static int distance(const struct world *w, int point, int zone)
{
	return w->zone[w->point[point].zone].depth - w->zone[zone].depth;
}

/* Of those around both ends: the least outer distance, then the least inner one, then the least of
 * the source. */
static const struct way *bypass_of(const struct world *w, int z, int src, int dst)
{
	const struct way *best = NULL;
	int least[3] = {0};

	for (int i = 0; i < w->ways; i++) {
		const struct way *h = &w->way[i];
		int key[3], s, d;

		if (h->zone != z || !h->bypass)
			continue;
		if (w->zone[z].leaf && h->from == src && h->to == dst)
			return h;
		if (w->zone[z].leaf || !zone_holds(w, h->from, src) || !zone_holds(w, h->to, dst))
			continue;
		s = distance(w, src, h->from);
		d = distance(w, dst, h->to);
		key[0] = s > d ? s : d;
		key[1] = s > d ? d : s;
		key[2] = s;
		for (int k = 0; k < 3; k++) {
			if (best && key[k] > least[k])
				break;
			if (!best || key[k] < least[k] || k == 2) {
				best = h;
				memcpy(least, key, sizeof key);
				break;
			}
		}
	}
	return best;
}

static void walk(const struct world *w, int src, int dst, struct walked *out)
{
	int z = zone_with_both(w, src, dst), at;
	const struct way *bypass = bypass_of(w, z, src, dst);

	if (bypass) {
		at = walk_way(w, bypass, 0, src, out);
		if (at != dst)
			walk(w, at, dst, out);
	} else if (w->zone[z].kind == FLAT) {
		walk_flat(w, z, src, dst, out);
	} else if (w->zone[z].kind == STAR) {
		walk_star(w, z, src, dst, out);
	} else {
		walk_declared(w, z, src, dst, out);
	}
}

/* --- both --- */

static void pair_check(const struct world *w, const struct platform *p, int src, int dst,
                       struct route *r, uint64_t seed)
{
	static struct walked want;
	char name[NAME];
	struct err err;
	double sum = 0;
	const char *a = w->point[src].name, *b = w->point[dst].name;

	want.n = want.missing = 0;
	walk(w, src, dst, &want);
	if ((route_find(p, host_named(p, a), host_named(p, b), r, &err) < 0) != want.missing)
		fail_msg("PROP_SEED=%llu: %s to %s: %s", (unsigned long long)seed, a, b,
		         want.missing ? "there is no way" : err.text);
	if (want.missing)
		return;
	for (uint32_t i = 0; i < r->n; i++) {
		struct link_info l;

		platform_link(p, r->links[i], &l);
		sum += l.latency;
		platform_link_name(p, r->links[i], name, sizeof name);
		if ((int)i >= want.n || strcmp(name, want.link[i]) != 0)
			fail_msg("PROP_SEED=%llu: %s to %s: link %u is %s, not %s",
			         (unsigned long long)seed, a, b, i, name,
			         (int)i < want.n ? want.link[i] : "(end)");
	}
	if ((int)r->n != want.n || fabs(r->latency - sum) > 1e-9 * sum)
		fail_msg("PROP_SEED=%llu: %s to %s: %u links of %g s, not %d of %g s",
		         (unsigned long long)seed, a, b, r->n, r->latency, want.n, sum);
}

static int link_earlier(const void *a, const void *b)
{
	uint32_t x = ((const struct link_id *)a)->v, y = ((const struct link_id *)b)->v;

	return x < y ? -1 : x > y;
}

static int has_zone_bypass(const struct world *w)
{
	for (int i = 0; i < w->ways; i++)
		if (w->way[i].bypass && !w->zone[w->way[i].zone].leaf)
			return 1;
	return 0;
}

/* With compat a way has the same links, though those of Dijkstra zones come in SimGrid's order.
 * What has none by default may have one: SimGrid goes on where a step inside a zone is not
 * declared. */
static void same_in_compat(const struct platform *p, const struct platform *compat,
                           struct host_id a, struct host_id b, uint64_t seed)
{
	struct route r, s;
	struct err err;
	int got;

	route_init(&r);
	route_init(&s);
	got = route_find(p, a, b, &r, &err);
	if (route_find(compat, a, b, &s, &err) < 0 && got == 0)
		fail_msg("PROP_SEED=%llu: %u to %u: with compat %s", (unsigned long long)seed, a.v,
		         b.v, err.text);
	if (got == 0 && r.n > 0)
		qsort(r.links, r.n, sizeof *r.links, link_earlier);
	if (got == 0 && s.n > 0)
		qsort(s.links, s.n, sizeof *s.links, link_earlier);
	if (got == 0 && r.n + s.n > 0 &&
	    (r.n != s.n || memcmp(r.links, s.links, r.n * sizeof *r.links) != 0 ||
	     fabs(r.latency - s.latency) > 1e-12 * r.latency))
		fail_msg("PROP_SEED=%llu: %u to %u: %u links of %g s, with compat %u of %g s",
		         (unsigned long long)seed, a.v, b.v, r.n, r.latency, s.n, s.latency);
	route_release(&r);
	route_release(&s);
}

static void compat_changes_the_order_of_links_only(void **state)
{
	struct prop_run prop = prop_begin(100);
	static struct world w;

	(void)state;
	for (uint64_t i = 0; i < prop.cases; i++) {
		struct fixture f, g;
		struct rng r;

		rng_init(&r, prop.seed + i, "zones", 0);
		world_draw(&w, &r);
		fixture_must_read(&f, w.text.s, NULL);
		fixture_must_read(&g, w.text.s, "compat:simgrid-3.32");
		for (uint32_t a = 0; !has_zone_bypass(&w) && a < platform_host_count(f.p); a++)
			for (uint32_t b = 0; b < platform_host_count(f.p); b++)
				same_in_compat(f.p, g.p, (struct host_id){a}, (struct host_id){b},
				               prop.seed + i);
		fixture_release(&f);
		fixture_release(&g);
		str_release(&w.text);
	}
}

static void ways_are_composed_as_defined(void **state)
{
	struct prop_run prop = prop_begin(150);
	static struct world w;
	struct route route;
	uint64_t pairs = 0;

	(void)state;
	route_init(&route);
	for (uint64_t i = 0; i < prop.cases; i++) {
		struct fixture f;
		struct rng r;

		rng_init(&r, prop.seed + i, "zones", 0);
		world_draw(&w, &r);
		fixture_must_read(&f, w.text.s, NULL);
		for (int a = 0; a < w.points; a++)
			for (int b = 0; b < w.points; b++)
				if (!w.point[a].router && !w.point[b].router) {
					pair_check(&w, f.p, a, b, &route, prop.seed + i);
					pairs++;
				}
		fixture_release(&f);
		str_release(&w.text);
	}
	route_release(&route);
	printf("%llu pairs\n", (unsigned long long)pairs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(ways_are_composed_as_defined),
	    cmocka_unit_test(compat_changes_the_order_of_links_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
