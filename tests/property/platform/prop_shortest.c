/* prop_shortest.c: routes of zones that look for them (Dijkstra, DijkstraCache, Floyd) on random
 * graphs of hosts and routers: each is a chain of declared ways from its source to its destination,
 * of as few links as Bellman and Ford's algorithm finds; and of tori, of as many cables as the
 * coordinates differ by, the shorter way round. */
#include "../prop.h"

#include "unit/platform/lib.h"

#include "base/rng.h"

enum { POINTS_MOST = 10, WAYS_MOST = 40, NEVER = 1000000 };

struct graph {
	int points, hosts; /* points: the hosts, then routers */
	struct way {
		int a, b, links;
	} way[WAYS_MOST];
	int ways;
};

static int is_joined(const struct graph *g, int a, int b)
{
	for (int i = 0; i < g->ways; i++)
		if ((g->way[i].a == a && g->way[i].b == b) ||
		    (g->way[i].a == b && g->way[i].b == a))
			return 1;
	return 0;
}

static void way_add(struct graph *g, struct rng *r, int a, int b)
{
	if (a == b || is_joined(g, a, b) || g->ways == WAYS_MOST)
		return;
	g->way[g->ways++] = (struct way){a, b, 1 + (int)rng_below(r, 3)};
}

static void graph_draw(struct graph *g, struct rng *r)
{
	*g = (struct graph){.points = 2 + (int)rng_below(r, POINTS_MOST - 1)};
	g->hosts = 2 + (int)rng_below(r, (uint64_t)g->points - 1);
	for (int i = 1; i < g->points; i++) /* a tree: all are joined */
		way_add(g, r, (int)rng_below(r, (uint64_t)i), i);
	for (uint64_t k = rng_below(r, 20); k > 0; k--)
		way_add(g, r, (int)rng_below(r, (uint64_t)g->points),
		        (int)rng_below(r, (uint64_t)g->points));
}

/* Link k of the way from a to b is called l<a>-<b>-<k>. */
static void graph_write(const struct graph *g, const char *routing, struct str *s)
{
	str_printf(s, "<platform version='4.1'><zone id='w' routing='%s'>", routing);
	for (int i = 0; i < g->points; i++)
		str_printf(s, i < g->hosts ? "<host id='p%d' speed='1Gf'/>" : "<router id='p%d'/>",
		           i);
	for (int i = 0; i < g->ways; i++)
		for (int k = 0; k < g->way[i].links; k++)
			str_printf(s, "<link id='l%d-%d-%d' bandwidth='1GBps' latency='1us'/>",
			           g->way[i].a, g->way[i].b, k);
	for (int i = 0; i < g->ways; i++) {
		str_printf(s, "<route src='p%d' dst='p%d'>", g->way[i].a, g->way[i].b);
		for (int k = 0; k < g->way[i].links; k++)
			str_printf(s, "<link_ctn id='l%d-%d-%d'/>", g->way[i].a, g->way[i].b, k);
		str_puts(s, "</route>");
	}
	str_puts(s, "</zone></platform>");
}

static void distances(const struct graph *g, int from, int out[POINTS_MOST])
{
	for (int i = 0; i < g->points; i++)
		out[i] = i == from ? 0 : NEVER;
	for (int round = 0; round < g->points; round++)
		for (int i = 0; i < g->ways; i++) {
			const struct way *w = &g->way[i];

			if (out[w->a] + w->links < out[w->b])
				out[w->b] = out[w->a] + w->links;
			if (out[w->b] + w->links < out[w->a])
				out[w->a] = out[w->b] + w->links;
		}
}

static const struct way *way_of(const struct graph *g, int a, int b)
{
	for (int i = 0; i < g->ways; i++)
		if (g->way[i].a == a && g->way[i].b == b)
			return &g->way[i];
	fail_msg("no way %d-%d", a, b);
	return NULL;
}

/* The links are ways one after the other, forwards or backwards. */
static void route_is_a_chain(const struct graph *g, const struct platform *p, const struct route *r,
                             int from, int to)
{
	uint32_t i = 0;

	while (i < r->n) {
		char name[64];
		const struct way *w;
		int a, b, k, back;

		platform_link_name(p, r->links[i], name, sizeof name);
		assert_int_equal(sscanf(name, "l%d-%d-%d", &a, &b, &k), 3);
		w = way_of(g, a, b);
		back = b == from;
		assert_true(back || a == from);
		for (int j = 0; j < w->links; j++, i++) {
			char want[64];

			assert_true(i < r->n);
			snprintf(want, sizeof want, "l%d-%d-%d", a, b, back ? w->links - 1 - j : j);
			platform_link_name(p, r->links[i], name, sizeof name);
			assert_string_equal(name, want);
		}
		from = back ? a : b;
	}
	assert_int_equal(from, to);
}

static void graph_check(const struct graph *g, const char *routing, uint64_t seed)
{
	struct fixture f;
	struct str text = {0};
	struct route r;

	graph_write(g, routing, &text);
	fixture_must_read(&f, text.s, "network/loopback-lat:0");
	route_init(&r);
	for (int from = 0; from < g->hosts; from++) {
		int distance[POINTS_MOST];

		distances(g, from, distance);
		for (int to = 0; to < g->hosts; to++) {
			if (from == to)
				continue;
			assert_ok(route_find(f.p, (struct host_id){(uint32_t)from},
			                     (struct host_id){(uint32_t)to}, &r, &f.err),
			          f.err);
			if (r.n != (uint32_t)distance[to])
				fail_msg("seed %d, %s: %d to %d takes %u links, not %d", (int)seed,
				         routing, from, to, r.n, distance[to]);
			assert_close(r.latency, 1e-6 * distance[to], 1e-12);
			route_is_a_chain(g, f.p, &r, from, to);
		}
	}
	route_release(&r);
	str_release(&text);
	fixture_release(&f);
}

static void routes_are_shortest_chains(void **state)
{
	static const char *const routings[] = {"Dijkstra", "DijkstraCache", "Floyd"};
	struct graph g;
	struct rng r;

	(void)state;
	for (uint64_t seed = prop_seed(0); seed < prop_seed(120); seed++) {
		rng_init(&r, seed, "graphs", 0);
		graph_draw(&g, &r);
		graph_check(&g, routings[seed % 3], seed);
	}
}

/* --- tori --- */

static uint32_t around(uint32_t a, uint32_t b, uint32_t n)
{
	uint32_t d = a > b ? a - b : b - a;

	return d < n - d ? d : n - d;
}

/* Ranks number the first dimension fastest. */
static void torus_check(const uint32_t *dims, uint32_t n_dims, struct rng *r)
{
	struct fixture f;
	struct str text = {0}, list = {0};
	struct route route;
	uint32_t hosts = 1;

	for (uint32_t i = 0; i < n_dims; i++) {
		str_printf(&list, "%s%u", i ? "," : "", dims[i]);
		hosts *= dims[i];
	}
	str_printf(&text,
	           "<platform version='4.1'><cluster id='c' prefix='h' suffix='' radical='0-%u' "
	           "speed='1Gf' bw='1GBps' lat='1us' topology='TORUS' topo_parameters='%s' "
	           "sharing_policy='SHARED'/></platform>",
	           hosts - 1, list.s);
	fixture_must_read(&f, text.s, NULL);
	route_init(&route);
	for (int k = 0; k < 60; k++) {
		uint32_t a = (uint32_t)rng_below(r, hosts), b = (uint32_t)rng_below(r, hosts),
		         cables = 0, x = a, y = b;

		if (a == b)
			continue;
		for (uint32_t i = 0; i < n_dims; i++, x /= dims[i - 1], y /= dims[i - 1])
			cables += around(x % dims[i], y % dims[i], dims[i]);
		assert_ok(route_find(f.p, (struct host_id){a}, (struct host_id){b}, &route, &f.err),
		          f.err);
		if (route.n != cables)
			fail_msg("torus %s: %u to %u takes %u cables, not %u", list.s, a, b,
			         route.n, cables);
	}
	route_release(&route);
	str_release(&text);
	str_release(&list);
	fixture_release(&f);
}

static void tori_take_the_shorter_way_round(void **state)
{
	struct rng r;

	(void)state;
	for (uint64_t seed = prop_seed(0); seed < prop_seed(60); seed++) {
		uint32_t dims[4], n = 0, most;

		rng_init(&r, seed, "tori", 0);
		most = 1 + (uint32_t)rng_below(&r, 4);
		while (n < most)
			dims[n++] = 2 + (uint32_t)rng_below(&r, 7);
		torus_check(dims, n, &r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(routes_are_shortest_chains),
	    cmocka_unit_test(tori_take_the_shorter_way_round),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
