/* test_zone_flat.c: routes and links of flat clusters, worked by hand from the rule at the head of
 * zone_flat.c. */
#include "lib.h"

#define CLUSTER(more) \
	"<platform version='4.1'><cluster id='c' prefix='n' suffix='' radical='2,5' speed='1Gf' " \
	"core='4' bw='100MBps' " \
	"lat='10us' " more "/></platform>"

static void check(const char *text, const char *settings, const char *want, double latency,
                  const char *self, double self_latency)
{
	struct fixture f;
	double got;
	fixture_must_read(&f, text, settings);
	assert_string_equal(route_text(f.p, "n2", "n5", &got), want);
	assert_close(got, latency, 1e-15);
	assert_string_equal(route_text(f.p, "n5", "n5", &got), self);
	assert_close(got, self_latency, 1e-15);
	fixture_release(&f);
}

static void routes(void **state)
{
	(void)state;
	check(CLUSTER(""), NULL, "c_link_2_UP c_link_5_DOWN", 20e-6, "c_link_5_UP c_link_5_DOWN",
	      20e-6);
	check(CLUSTER("bb_bw='1GBps' bb_lat='3us'"), NULL, "c_link_2_UP c_backbone c_link_5_DOWN",
	      23e-6, "c_link_5_UP c_backbone c_link_5_DOWN", 23e-6);
	check(CLUSTER("bb_bw='1GBps' sharing_policy='SHARED'"), NULL,
	      "c_link_2 c_backbone c_link_5", 20e-6, "c_link_5 c_backbone", 10e-6);
	check(CLUSTER("limiter_link='150MBps'"), NULL,
	      "c_link_2_limiter c_link_2_UP c_link_5_DOWN c_link_5_limiter", 20e-6,
	      "c_link_5_limiter c_link_5_UP c_link_5_DOWN", 20e-6);
	check(CLUSTER("loopback_bw='6GBps' loopback_lat='2ns'"), NULL, "c_link_2_UP c_link_5_DOWN",
	      20e-6, "c_link_5_loopback", 2e-9);
}

static enum link_policy policy_of_private(const char *text, const char *settings)
{
	struct fixture f;
	struct link_info info;
	fixture_must_read(&f, text, settings);
	struct route r;
	route_init(&r);
	assert_ok(route_find(f.p, host_named(f.p, "n2"), host_named(f.p, "n5"), &r, &f.err), f.err);
	platform_link(f.p, r.links[0], &info);
	route_release(&r);
	fixture_release(&f);
	return info.policy;
}

static void fatpipe_is_honoured_but_in_compat(void **state)
{
	(void)state;
	assert_int_equal(policy_of_private(CLUSTER("sharing_policy='FATPIPE'"), NULL),
	                 LINK_FATPIPE);
	assert_int_equal(
	    policy_of_private(CLUSTER("sharing_policy='FATPIPE'"), "compat:simgrid-3.32"),
	    LINK_SHARED);
	assert_int_equal(policy_of_private(CLUSTER("sharing_policy='SPLITDUPLEX'"), NULL),
	                 LINK_SHARED);
}

/* Not those of two zones, nor any once one was changed. */
static void hosts_are_alike(void **state)
{
	struct fixture f;
	(void)state;
	fixture_must_read(
	    &f,
	    "<platform version='4.1'><zone id='w' routing='Full'>"
	    "<cluster id='a' prefix='a' suffix='' radical='0-1' speed='1Gf' bw='1GBps' "
	    "lat='1us'/><cluster id='b' prefix='b' suffix='' radical='0-1' "
	    "speed='1Gf' bw='1GBps' lat='1us'/></zone></platform>",
	    NULL);
	assert_true(platform_hosts_alike(f.p, host_named(f.p, "b0"), host_named(f.p, "b1")));
	assert_false(platform_hosts_alike(f.p, host_named(f.p, "a1"), host_named(f.p, "b0")));
	assert_ok(platform_host_scale(f.p, host_named(f.p, "b1"), 2, &f.err), f.err);
	assert_false(platform_hosts_alike(f.p, host_named(f.p, "b0"), host_named(f.p, "b1")));
	fixture_release(&f);
}

static void hosts_and_links_are_described(void **state)
{
	struct fixture f;
	struct host_info host;
	struct link_info link;
	char name[64];
	(void)state;
	fixture_must_read(&f,
	                  CLUSTER("limiter_link='150MBps' loopback_bw='6GBps' bb_bw='1GBps' "
	                          "bb_lat='1us' bb_sharing_policy='FATPIPE'"),
	                  NULL);
	platform_host(f.p, host_named(f.p, "n5"), &host);
	assert_double_is(host.speed, 1e9);
	assert_int_equal(host.cores, 4);
	assert_int_equal(platform_link_count(f.p),
	                 1 + 2 * 4 +
	                     1); /* the global loopback, four links per host, the backbone */
	platform_link(f.p, (struct link_id){9}, &link);
	assert_string_equal(platform_link_name(f.p, (struct link_id){9}, name, sizeof name),
	                    "c_backbone");
	assert_double_is(link.bandwidth, 1e9);
	assert_int_equal(link.policy, LINK_FATPIPE);
	platform_link(f.p, (struct link_id){6}, &link);
	assert_string_equal(platform_link_name(f.p, (struct link_id){6}, name, sizeof name),
	                    "c_link_5_limiter");
	assert_double_is(link.bandwidth, 150e6);
	assert_double_is(link.latency, 0);
	fixture_release(&f);
}

static void missing_bandwidths_are_refused(void **state)
{
	(void)state;
	assert_refused(CLUSTER("bb_lat='1us'"), 1, 121,
	               "bb_lat of <cluster> is given without bb_bw");
	assert_refused(CLUSTER("limiter_link='-1'"), 1, 121, "cannot be negative");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(routes),
	    cmocka_unit_test(fatpipe_is_honoured_but_in_compat),
	    cmocka_unit_test(hosts_and_links_are_described),
	    cmocka_unit_test(hosts_are_alike),
	    cmocka_unit_test(missing_bandwidths_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
