/* test_zone_full.c: declared routes, gateways, and what a platform without a route says. */
#include "lib.h"

static const char two_rooms[] =
    "<platform version='4.1'>\n"
    "<zone id='w' routing='Full'>\n"
    "<zone id='x' routing='Full'>\n"
    "<host id='a' speed='1f'/><host id='b' speed='1f'/><router id='r'/>\n"
    "<link id='ab' bandwidth='1' latency='1' sharing_policy='SPLITDUPLEX'/>\n"
    "<link id='ar' bandwidth='1' latency='2'/>\n"
    "<route src='a' dst='b'><link_ctn id='ab' direction='UP'/><link_ctn id='ar'/></route>\n"
    "<route src='a' dst='r'><link_ctn id='ar'/></route>\n"
    "</zone>\n"
    "<cluster id='c' prefix='n' suffix='' radical='0-1' speed='1f' bw='1' lat='4'/>\n"
    "<link id='xc' bandwidth='1' latency='8' sharing_policy='SPLITDUPLEX'/>\n"
    "<zoneRoute src='x' dst='c' gw_src='r' gw_dst='nc_router'><link_ctn id='xc' "
    "direction='UP'/></zoneRoute>\n"
    "</zone>\n"
    "</platform>\n";

static void a_symmetrical_route_swaps_directions(void **state)
{
	struct fixture f;
	double latency;
	(void)state;
	fixture_must_read(&f, two_rooms, NULL);
	assert_string_equal(route_text(f.p, "a", "b", NULL), "ab_UP ar");
	assert_string_equal(route_text(f.p, "b", "a", &latency), "ar ab_DOWN");
	assert_double_is(latency, 3);
	fixture_release(&f);
}

static void gateways_join_zones_both_ways(void **state)
{
	struct fixture f;
	double latency;
	(void)state;
	fixture_must_read(&f, two_rooms, NULL);
	assert_string_equal(route_text(f.p, "a", "n1", &latency), "ar xc_UP c_link_1_DOWN");
	assert_double_is(latency, 2 + 8 + 4);
	assert_string_equal(route_text(f.p, "n0", "a", NULL), "c_link_0_UP xc_DOWN ar");
	fixture_release(&f);
}

static void self_takes_the_global_loopback(void **state)
{
	struct fixture f;
	double latency;
	(void)state;
	fixture_must_read(&f, two_rooms, "network/loopback-lat:0.25");
	assert_string_equal(route_text(f.p, "a", "a", &latency), "__loopback__");
	assert_double_is(latency, 0.25);
	fixture_release(&f);
}

static void a_missing_route_names_who_and_where(void **state)
{
	struct fixture f;
	struct route r;
	(void)state;
	fixture_must_read(&f, two_rooms, NULL);
	route_init(&r);
	assert_fails(route_find(f.p, host_named(f.p, "b"), host_named(f.p, "n0"), &r, &f.err),
	             f.err, ERR_INPUT, "no route from host 'b' to host 'n0'");
	assert_non_null(strstr(f.err.text, "zone 'x' (routing Full, "));
	assert_non_null(strstr(f.err.text, "has no <route> from host 'b' to router 'r'"));
	route_release(&r);
	fixture_release(&f);
}

/* SimGrid goes on as if there were nothing to cross, if that is not the whole way. */
static void a_missing_way_to_a_gateway_is_nothing_in_compat(void **state)
{
	struct fixture f;
	struct route r;
	double latency;
	(void)state;
	fixture_must_read(&f, two_rooms, "compat:simgrid-3.32");
	assert_string_equal(route_text(f.p, "b", "n0", &latency), "xc_UP c_link_0_DOWN");
	assert_double_is(latency, 8 + 4);
	assert_string_equal(route_text(f.p, "n1", "b", NULL), "c_link_1_UP xc_DOWN");
	fixture_release(&f);
	fixture_must_read(&f,
	                  "<platform version='4.1'><zone id='w' routing='Full'><host id='a' "
	                  "speed='1f'/><host id='b' speed='1f'/></zone></platform>",
	                  "compat:simgrid-3.32");
	route_init(&r);
	assert_fails(route_find(f.p, host_named(f.p, "a"), host_named(f.p, "b"), &r, &f.err), f.err,
	             ERR_INPUT, "has no <route> from host 'a' to host 'b'");
	route_release(&r);
	fixture_release(&f);
}

#define ROOM(routes) \
	"<platform version='4.1'>\n<zone id='w' routing='Full'>\n<host id='a' speed='1f'/><host " \
	"id='b' speed='1f'/>\n" \
	"<link id='l' bandwidth='1'/><link id='s' bandwidth='1' " \
	"sharing_policy='SPLITDUPLEX'/>\n" routes "</zone></platform>"

static void wrong_routes_are_refused(void **state)
{
	(void)state;
	assert_refused(ROOM("<route src='a' dst='b'/>"), 5, 1, "empty route");
	assert_refused(ROOM("<route src='a' dst='z'/>"), 5, 16, "dst='z' of <route> names no host");
	assert_refused(ROOM("<route src='w' dst='b'/>"), 5, 8, "is a zone");
	assert_refused(ROOM("<route src='a' dst='b'><link_ctn id='m'/></route>"), 5, 34,
	               "no link is named 'm'");
	assert_refused(ROOM("<route src='a' dst='b'><link_ctn id='s'/></route>"), 5, 34,
	               "add direction=\"UP\" or \"DOWN\"");
	assert_refused(ROOM("<route src='a' dst='b'><link_ctn id='l'\n direction='UP'/></route>"),
	               6, 2, "is not split");
	assert_refused(ROOM("<route src='a' dst='b'><link_ctn id='l'/></route>\n<route src='b' "
	                    "dst='a'><link_ctn id='l'/></route>"),
	               6, 1, "already declared");
}

#define ROOMS(route) \
	"<platform version='4.1'><zone id='w' routing='Full'><zone id='x' routing='Full'><host " \
	"id='a' speed='1f'/></zone>" \
	"<zone id='y' routing='Full'><host id='b' speed='1f'/></zone><link id='l' " \
	"bandwidth='1'/>\n" route "<link_ctn id='l'/></zoneRoute></zone></platform>"

static void wrong_gateways_are_refused(void **state)
{
	(void)state;
	assert_refused(ROOMS("<zoneRoute src='x' dst='y' gw_src='b' gw_dst='a'>"), 2, 28,
	               "gateway gw_src='b' is in zone 'y', not inside 'x'");
	assert_refused(ROOMS("<zoneRoute src='x' dst='y' gw_src='x' gw_dst='b'>"), 2, 28,
	               "a gateway is a host or a router");
	assert_refused(ROOMS("<zoneRoute src='a' dst='y' gw_src='a' gw_dst='b'>"), 2, 12,
	               "expected a zone");
	assert_refused(ROOMS("<zoneRoute src='w' dst='y' gw_src='a' gw_dst='b'>"), 2, 12,
	               "is not in zone 'w' itself");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_symmetrical_route_swaps_directions),
	    cmocka_unit_test(gateways_join_zones_both_ways),
	    cmocka_unit_test(self_takes_the_global_loopback),
	    cmocka_unit_test(a_missing_route_names_who_and_where),
	    cmocka_unit_test(a_missing_way_to_a_gateway_is_nothing_in_compat),
	    cmocka_unit_test(wrong_routes_are_refused),
	    cmocka_unit_test(wrong_gateways_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
