/* The catalogue's graphene against the figures of the thesis (4.9), by hand. */
#include "lib.h"

static struct fixture f;

static int setup(void **state)
{
	(void)state;
	memset(&f, 0, sizeof f);
	assert_ok(config_init(&f.cfg, &f.err), f.err);
	f.p = platform_read("graphene", &f.cfg, &f.err);
	if (!f.p)
		fail_msg("%s", f.err.text);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	fixture_release(&f);
	return 0;
}

static void it_has_144_hosts(void **state)
{
	struct host_info info;
	char name[64];
	(void)state;
	assert_int_equal(platform_host_count(f.p), 144);
	platform_host(f.p, (struct host_id){143}, &info);
	assert_double_is(info.speed, 3.68e9);
	assert_string_equal(platform_host_name(f.p, (struct host_id){104}, name, sizeof name),
	                    "graphene-104.nancy.grid5000.fr");
	assert_int_equal(host_named(f.p, "graphene-73.nancy.grid5000.fr").v, 73);
	struct host_id h;
	assert_int_equal(platform_host_find(f.p, "graphene-144.nancy.grid5000.fr", &h), -1);
	assert_int_equal(platform_host_find(f.p, "graphene-01.nancy.grid5000.fr", &h), -1);
}

static void it_has_the_settings_of_figure_4_8(void **state)
{
	(void)state;
	assert_double_is(config_number(&f.cfg, CFG_SMPI_EAGER), 65536);
	assert_double_is(config_number(&f.cfg, CFG_SMPI_DETACHED), 327680);
	assert_int_equal(config_from(&f.cfg, CFG_SMPI_OS), CFG_FROM_PLATFORM);
}

static void inside_a_cabinet_a_message_crosses_both_limiters(void **state)
{
	double latency;
	(void)state;
	assert_string_equal(route_text(f.p, "graphene-0.nancy.grid5000.fr",
	                               "graphene-38.nancy.grid5000.fr", &latency),
	                    "AS_sgraphene1_link_0_limiter AS_sgraphene1_link_0_UP "
	                    "AS_sgraphene1_link_38_DOWN AS_sgraphene1_link_38_limiter");
	assert_double_is(latency, 30e-6);
}

static void between_cabinets_it_crosses_their_links_and_limiters(void **state)
{
	double latency;
	(void)state;
	assert_string_equal(
	    route_text(f.p, "graphene-40.nancy.grid5000.fr", "graphene-100.nancy.grid5000.fr",
	               &latency),
	    "AS_sgraphene2_link_40_limiter AS_sgraphene2_link_40_UP switch-backbone2_UP "
	    "explicit-limiter2 explicit-limiter3 "
	    "switch-backbone3_DOWN AS_sgraphene3_link_100_DOWN AS_sgraphene3_link_100_limiter");
	assert_close(latency, 33e-6, 1e-15);
}

static void a_node_talks_to_itself_by_its_loopback(void **state)
{
	struct route r;
	struct err err;
	struct link_info info;
	(void)state;
	route_init(&r);
	assert_ok(route_find(f.p, (struct host_id){143}, (struct host_id){143}, &r, &err), err);
	assert_int_equal(r.n, 1);
	platform_link(f.p, r.links[0], &info);
	assert_double_is(info.bandwidth, 6e9);
	assert_double_is(info.latency, 1.5e-9);
	assert_int_equal(info.policy, LINK_FATPIPE);
	route_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(it_has_144_hosts),
	    cmocka_unit_test(it_has_the_settings_of_figure_4_8),
	    cmocka_unit_test(inside_a_cabinet_a_message_crosses_both_limiters),
	    cmocka_unit_test(between_cabinets_it_crosses_their_links_and_limiters),
	    cmocka_unit_test(a_node_talks_to_itself_by_its_loopback),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
