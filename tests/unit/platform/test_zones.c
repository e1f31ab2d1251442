/* test_zones.c: routes of the zone kinds that are computed from declared steps or stars; expected
 * ways worked by hand. */
#include "lib.h"

#define P4(body) "<platform version='4.1'>\n" body "\n</platform>\n"
#define ROUTE(a, b, links) "<route src='" a "' dst='" b "'>" links "</route>\n"
#define L(id) "<link_ctn id='" id "'/>"

/* a - b - c - d in a line of one link each, and a - d by three links. */
#define LINE \
	"<host id='a' speed='1f'/><host id='b' speed='1f'/><host id='c' speed='1f'/><host id='d' " \
	"speed='1f'/><host id='alone' " \
	"speed='1f'/>" \
	"<link id='1' bandwidth='1' latency='1'/><link id='2' bandwidth='1' latency='2'/><link " \
	"id='3' bandwidth='1' latency='4'/>" \
	"<link id='4' bandwidth='1' latency='8'/>" ROUTE("a", "b", L("1")) ROUTE("b", "c", L("2")) \
	    ROUTE("c", "d", L("3")) ROUTE("a", "d", L("4") L("4") L("4"))

static void check_line(const char *text)
{
	struct fixture f;
	struct route r;
	double latency;
	fixture_must_read(&f, text, NULL);
	assert_string_equal(route_text(f.p, "a", "c", &latency), "1 2");
	assert_double_is(latency, 3);
	assert_string_equal(route_text(f.p, "d", "b", NULL), "3 2");
	assert_string_equal(route_text(f.p, "c", "c", NULL), "__loopback__");
	assert_string_equal(route_text(f.p, "alone", "alone", NULL), "__loopback__");
	assert_int_equal(strlen(route_text(f.p, "a", "d", NULL)),
	                 5); /* three links either way: a tie */
	route_init(&r);
	assert_fails(route_find(f.p, host_named(f.p, "a"), host_named(f.p, "alone"), &r, &f.err),
	             f.err, ERR_INPUT, "has no <route> from host 'a' to host 'alone'");
	route_release(&r);
	fixture_release(&f);
}

static void fewest_links(void **state)
{
	(void)state;
	check_line(P4("<zone id='w' routing='Floyd'>" LINE "</zone>"));
	check_line(P4("<zone id='w' routing='Dijkstra'>" LINE "</zone>"));
	check_line(P4("<zone id='w' routing='DijkstraCache'>" LINE "</zone>"));
}

#define ROOM(z, x, y) \
	"<zone id='" z "' routing='Full'><host id='" x "' speed='1f'/><host id='" y \
	"' speed='1f'/><link id='in" z \
	"' bandwidth='1' latency='1'/>" ROUTE(x, y, L("in" z)) "</zone>"
#define THREE_ROOMS \
	ROOM("x", "x1", "x2") \
	ROOM("y", "y1", "y2") \
	ROOM("z", "z1", "z2") \
	"<link id='xy' bandwidth='1' latency='2'/><link id='yz' bandwidth='1' latency='4'/>" \
	"<zoneRoute src='x' dst='y' gw_src='x2' gw_dst='y1'>" L( \
	    "xy") "</zoneRoute>" \
	          "<zoneRoute src='y' dst='z' gw_src='y2' gw_dst='z1'>" L("yz") "</zoneRoute>"

static void check_rooms(const char *text)
{
	struct fixture f;
	double latency;
	fixture_must_read(&f, text, NULL);
	assert_string_equal(route_text(f.p, "x1", "z2", &latency), "inx xy iny yz inz");
	assert_double_is(latency, 9);
	assert_string_equal(route_text(f.p, "z1", "x2", NULL), "yz iny xy");
	fixture_release(&f);
}

static void between_steps_the_gateways_of_a_zone_are_joined(void **state)
{
	(void)state;
	check_rooms(P4("<zone id='w' routing='Floyd'>" THREE_ROOMS "</zone>"));
	check_rooms(P4("<zone id='w' routing='Dijkstra'>" THREE_ROOMS "</zone>"));
	check_rooms(P4("<zone id='w' routing='DijkstraCache'>" THREE_ROOMS "</zone>"));
}

static void none_has_no_route(void **state)
{
	struct fixture f;
	struct route r;
	(void)state;
	fixture_must_read(&f, P4("<zone id='w' routing='None'><host id='a' speed='1f'/></zone>"),
	                  NULL);
	route_init(&r);
	assert_fails(route_find(f.p, (struct host_id){0}, (struct host_id){0}, &r, &f.err), f.err,
	             ERR_INPUT, "zone 'w' (routing None, ");
	route_release(&r);
	fixture_release(&f);
}

static void vivaldi_latency(void **state)
{
	struct fixture f;
	double latency;
	(void)state;
	fixture_must_read(
	    &f,
	    P4("<zone id='w' routing='Vivaldi'><peer id='a' speed='1f' bw_in='1' bw_out='2' "
	       "coordinates='0 0 1'/>"
	       "<peer id='b' speed='1f' bw_in='3' bw_out='4' coordinates='3 4 -2'/></zone>"),
	    NULL);
	assert_string_equal(route_text(f.p, "a", "b", &latency), "link_a_UP link_b_DOWN");
	assert_close(latency, 8e-3, 1e-15);
	fixture_release(&f);
}

static void vivaldi_reaches_zones_by_their_routers(void **state)
{
	struct fixture f;
	double latency;
	(void)state;
	fixture_must_read(
	    &f,
	    P4("<zone id='w' routing='Vivaldi'><zone id='z' routing='Full'><host id='h' "
	       "speed='1f'/><router id='router_z' "
	       "coordinates='0 0 1'/>"
	       "<link id='l' bandwidth='1' latency='1'/>" ROUTE(
	           "h", "router_z", L("l")) "</zone>"
	                                    "<peer id='b' speed='1f' bw_in='3' bw_out='4' "
	                                    "coordinates='3 4 0'/></zone>"),
	    NULL);
	assert_string_equal(route_text(f.p, "h", "b", &latency), "l link_b_DOWN");
	assert_close(latency, 1.006, 1e-15);
	fixture_release(&f);
}

static void a_cluster_zone_wants_links(void **state)
{
	struct fixture f;
	struct route r;
	(void)state;
	assert_refused(P4("<zone id='w' routing='Cluster'><host id='a' speed='1f'/>\n<host_link "
	                  "id='b' up='x' down='y'/></zone>"),
	               3, 1, "zone 'w' has no host 'b'");
	assert_refused(P4("<zone id='w' routing='Cluster'><host id='a' speed='1f'/>\n<host_link "
	                  "id='a' up='x' down='y'/></zone>"),
	               3, 1, "no link is named 'x'");
	assert_refused(P4("<zone id='w' routing='Full'>\n<cabinet id='c' prefix='' suffix='' "
	                  "radical='0' speed='1' bw='1' lat='1'/></zone>"),
	               3, 1, "<cabinet> belongs in a zone with routing=\"Cluster\"");
	fixture_must_read(&f,
	                  P4("<zone id='w' routing='Cluster'><host id='a' speed='1f'/><host id='b' "
	                     "speed='1f'/></zone>"),
	                  NULL);
	route_init(&r);
	assert_fails(route_find(f.p, (struct host_id){0}, (struct host_id){1}, &r, &f.err), f.err,
	             ERR_INPUT, "host 'a' to host 'b'");
	route_release(&r);
	fixture_release(&f);
}

static void a_bypass_wins_one_way(void **state)
{
	struct fixture f;
	(void)state;
	fixture_must_read(
	    &f,
	    P4("<zone id='w' routing='Full'>" ROOM("x", "x1", "x2") ROOM(
	        "y", "y1",
	        "y2") "<link id='xy' bandwidth='1'/><link id='by' bandwidth='1'/>"
	              "<zoneRoute src='x' dst='y' gw_src='x2' gw_dst='y1'>" L(
	                  "xy") "</zoneRoute>"
	                        "<bypassZoneRoute src='x' dst='y' gw_src='x1' gw_dst='y2'>" L(
	                            "by") "</bypassZoneRoute></zone>"),
	    NULL);
	assert_string_equal(route_text(f.p, "x1", "y2", NULL), "by");
	assert_string_equal(route_text(f.p, "x2", "y2", NULL), "inx by");
	assert_string_equal(route_text(f.p, "y2", "x1", NULL), "iny xy inx");
	fixture_release(&f);
	/* gateways on the wrong sides would go round for ever */
	assert_refused(
	    P4("<zone id='w' routing='Full'>" ROOM("x", "x1", "x2") ROOM(
	        "y", "y1", "y2") "<link id='by' bandwidth='1'/>\n"
	                         "<bypassZoneRoute src='x' dst='y' gw_src='y2' gw_dst='x1'>" L(
	                             "by") "</bypassZoneRoute></zone>"),
	    5, 34, "not inside 'x'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(fewest_links),
	    cmocka_unit_test(between_steps_the_gateways_of_a_zone_are_joined),
	    cmocka_unit_test(none_has_no_route),
	    cmocka_unit_test(vivaldi_latency),
	    cmocka_unit_test(vivaldi_reaches_zones_by_their_routers),
	    cmocka_unit_test(a_cluster_zone_wants_links),
	    cmocka_unit_test(a_bypass_wins_one_way),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
