/* prop_change.c: a machine asked about as if it were another (factors, single links with other
 * figures): after any changes the latency of every route is the sum of what its links say then, and
 * of the coordinates of Vivaldi zones; never below 0; exactly 0 when every link's is 0. Figures
 * of links are what a list kept beside says. */
#include "property/prop.h"
#include "unit/platform/lib.h"

#include <math.h>

enum { HOSTS = 14 };

/* Ways through declared links, clusters with and without limiter, backbone and loopback, a fat
 * tree, and coordinates. Latencies of two decimals, whose sums are rounded. */
static void machine_put(struct rng *r, struct str *s)
{
	static const char *const kinds[] = {"Full", "Floyd", "Dijkstra"};

	str_printf(s, "<platform version='4.1'><zone id='w' routing='%s'>", kinds[rng_below(r, 3)]);
	str_printf(s,
	           "<cluster id='a' prefix='a' suffix='' radical='0-3' speed='1f' bw='10' "
	           "lat='%.2f' bb_bw='5' bb_lat='%.2f' loopback_bw='7' loopback_lat='%.2f'/>",
	           rng_unit(r), rng_unit(r), rng_unit(r));
	str_printf(s,
	           "<cluster id='b' prefix='b' suffix='' radical='0-3' speed='1f' bw='10' "
	           "lat='%.2f' limiter_link='3' topology='FAT_TREE' "
	           "topo_parameters='2;2,2;1,2;1,2'/>",
	           rng_unit(r));
	str_puts(s, "<zone id='v' routing='Vivaldi'>");
	for (int i = 0; i < 4; i++)
		str_printf(s,
		           "<peer id='p%d' speed='1f' bw_in='4' bw_out='5' coordinates='%.2f %.2f "
		           "%.2f'/>",
		           i, 100 * rng_unit(r), 100 * rng_unit(r), 10 * rng_unit(r));
	str_puts(s, "</zone><zone id='z' routing='Full'><host id='z0' speed='1f'/>"
	            "<host id='z1' speed='1f'/>");
	for (int i = 0; i < 3; i++)
		str_printf(s, "<link id='s%d' bandwidth='9' latency='%.2f'/>", i, rng_unit(r));
	str_puts(s, "<route src='z0' dst='z1'><link_ctn id='s0'/><link_ctn id='s1'/>"
	            "<link_ctn id='s2'/><link_ctn id='s1'/></route></zone>");
	for (int i = 0; i < 2; i++)
		str_printf(s, "<link id='l%d' bandwidth='9' latency='%.2f'/>", i, rng_unit(r));
	str_puts(s, "<zoneRoute src='a' dst='z' gw_src='aa_router' gw_dst='z0'><link_ctn id='l0'/>"
	            "<link_ctn id='l1'/></zoneRoute></zone></platform>");
}

struct kept {
	double latency, bandwidth;
};

static void links_keep(const struct platform *p, struct kept *kept)
{
	for (uint32_t l = 0; l < platform_link_count(p); l++) {
		struct link_info info;

		platform_link(p, (struct link_id){l}, &info);
		kept[l] = (struct kept){info.latency, info.bandwidth};
	}
}

/* What no link has: between peers, by their coordinates. */
static double beyond_links(const struct platform *p, struct host_id a, struct host_id b,
                           const struct kept *kept)
{
	struct route r;
	struct err err;
	double rest;

	route_init(&r);
	assert_ok(route_find(p, a, b, &r, &err), err);
	rest = r.latency;
	for (uint32_t i = 0; i < r.n; i++)
		rest -= kept[r.links[i].v].latency;
	route_release(&r);
	return fabs(rest) < 1e-9 ? 0 : rest;
}

static void routes_check(const struct platform *p, double beyond[HOSTS][HOSTS], double factor,
                         int all_zero, uint64_t seed)
{
	struct route r;
	struct err err;

	route_init(&r);
	for (uint32_t a = 0; a < HOSTS; a++)
		for (uint32_t b = 0; b < HOSTS; b++) {
			double sum = beyond[a][b] * factor;

			if (route_find(p, (struct host_id){a}, (struct host_id){b}, &r, &err) < 0)
				continue; /* between zones that no route joins */
			for (uint32_t i = 0; i < r.n; i++) {
				struct link_info l;

				platform_link(p, r.links[i], &l);
				sum += l.latency;
			}
			if (!(r.latency >= 0) || fabs(r.latency - sum) > 1e-12 * (1 + sum) ||
			    (all_zero && sum == 0 && r.latency != 0))
				fail_msg("PROP_SEED=%llu: %u to %u: latency %.17g, its links have "
				         "%.17g",
				         (unsigned long long)seed, a, b, r.latency, sum);
		}
	route_release(&r);
}

static void change_draw(struct rng *r, struct platform *p, struct kept *kept)
{
	uint32_t l = (uint32_t)rng_below(r, platform_link_count(p));
	double latency = prop_once_in(r, 3) ? -1 : prop_from(r, 0, 100) / 100.0,
	       bandwidth = prop_once_in(r, 2) ? -1 : 1.0 * prop_from(r, 1, 100);
	struct err err;

	assert_ok(platform_link_set(p, (struct link_id){l}, bandwidth, latency, &err), err);
	kept[l].latency = latency < 0 ? kept[l].latency : latency;
	kept[l].bandwidth = bandwidth < 0 ? kept[l].bandwidth : bandwidth;
}

static void links_check(const struct platform *p, const struct kept *kept)
{
	for (uint32_t l = 0; l < platform_link_count(p); l++) {
		struct link_info info;

		platform_link(p, (struct link_id){l}, &info);
		assert_close(info.latency, kept[l].latency, 1e-15);
		assert_close(info.bandwidth, kept[l].bandwidth, 1e-15);
	}
}

static void scaled(struct rng *r, struct platform *p, struct kept *kept, double *factor)
{
	double latency = prop_from(r, 1, 40) / 10.0, bandwidth = prop_from(r, 1, 40) / 10.0;

	platform_scale(p, latency, bandwidth, 1);
	for (uint32_t l = 0; l < platform_link_count(p); l++) {
		kept[l].latency *= latency;
		kept[l].bandwidth *= bandwidth;
	}
	*factor *= latency;
}

static void one_machine(uint64_t seed)
{
	struct kept kept[200];
	double beyond[HOSTS][HOSTS] = {{0}}, factor = 1;
	struct fixture f;
	struct str text;
	struct rng r;

	rng_init(&r, seed, "changes", 0);
	str_init(&text);
	machine_put(&r, &text);
	fixture_must_read(&f, text.s, NULL);
	assert_int_equal(platform_host_count(f.p), HOSTS);
	assert_true(platform_link_count(f.p) <= sizeof kept / sizeof *kept);
	links_keep(f.p, kept);
	for (uint32_t a = 8; a < 12; a++)
		for (uint32_t b = 8; b < 12; b++)
			beyond[a][b] = beyond_links(f.p, (struct host_id){a}, (struct host_id){b},
			                            kept);
	if (prop_once_in(&r, 2))
		scaled(&r, f.p, kept, &factor);
	for (int i = 0; i < 12; i++) {
		change_draw(&r, f.p, kept);
		links_check(f.p, kept);
		routes_check(f.p, beyond, factor, 0, seed);
	}
	for (uint32_t l = 0; l < platform_link_count(f.p); l++)
		assert_ok(platform_link_set(f.p, (struct link_id){l}, -1, 0, &f.err), f.err);
	routes_check(f.p, beyond, factor, 1, seed);
	fixture_release(&f);
	str_release(&text);
}

static void routes_have_the_latency_of_their_links(void **state)
{
	struct prop_run prop = prop_begin(100);

	(void)state;
	for (uint64_t i = 0; i < prop.cases; i++)
		one_machine(prop.seed + i);
}

/* A link of any name that a platform may have is found, and no other for it. */
static void long_names_are_found(void **state)
{
	struct fixture f;
	struct link_id l;
	struct str text;
	char name[400];

	(void)state;
	memset(name, 'x', sizeof name);
	name[sizeof name - 1] = '\0';
	str_init(&text);
	str_printf(&text,
	           "<platform version='4.1'><zone id='w' routing='Full'><host id='h' speed='1f'/>"
	           "<link id='%s' bandwidth='1'/></zone></platform>",
	           name);
	fixture_must_read(&f, text.s, NULL);
	assert_int_equal(platform_link_find(f.p, name, &l), 0);
	assert_int_equal(l.v, 1);
	name[255] = '\0'; /* the beginning of its name is not its name */
	assert_int_equal(platform_link_find(f.p, name, &l), -1);
	fixture_release(&f);
	str_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(routes_have_the_latency_of_their_links),
	    cmocka_unit_test(long_names_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
