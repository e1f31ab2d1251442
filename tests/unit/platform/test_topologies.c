/* test_topologies.c: torus, fat tree and dragonfly: routes worked by hand from the rules at the
 * heads of their files, the quirks of compat beside the right way, and descriptions that are
 * refused. */
#include "lib.h"

#define CLUSTER(topology, parameters, radical, more) \
	"<platform version='4.1'><zone id='w' routing='Full'>\n<cluster id='c' prefix='n' " \
	"suffix='' radical='" radical "' speed='1Gf' bw='100' lat='1' topology='" topology \
	"' topo_parameters='" parameters "' " more "/></zone></platform>"

static void check(const char *text, const char *settings, const char *from, const char *to,
                  const char *want)
{
	struct fixture f;
	fixture_must_read(&f, text, settings);
	assert_string_equal(route_text(f.p, from, to, NULL), want);
	fixture_release(&f);
}

static void torus_takes_dimensions_in_order_and_the_shorter_way(void **state)
{
	static const char t[] = CLUSTER("TORUS", "4,3", "0-11", "");
	(void)state;
	check(t, NULL, "n0", "n1", "c_link_from_0_to_1_UP");
	check(t, NULL, "n1", "n0", "c_link_from_0_to_1_DOWN");
	check(t, NULL, "n0", "n3", "c_link_from_3_to_0_DOWN"); /* round the end */
	check(t, NULL, "n0", "n6",
	      "c_link_from_0_to_1_UP c_link_from_1_to_2_UP c_link_from_2_to_6_UP"); /* tie: up */
	check(t, NULL, "n10", "n0",
	      "c_link_from_9_to_10_DOWN c_link_from_8_to_9_DOWN c_link_from_8_to_0_UP"); /* tie from
	                                                                                    the
	                                                                                    middle:
	                                                                                    down */
	check(t, NULL, "n5", "n5", "__loopback__");
}

/* With room for its links a way is written at once, else link by link: all pairs, both ways round
 * each dimension, ends that wrap, ties; cables of one link, and of two. */
static void torus_ways_with_room_are_the_same(void **state)
{
	static const char *const torus[] = {
	    CLUSTER("TORUS", "5,4,1,3", "0-59", ""),
	    CLUSTER("TORUS", "5,4,1,3", "0-59", "sharing_policy='SHARED' loopback_bw='150'")};
	enum { HOSTS = 60 };

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct route kept, fresh;
		struct fixture f;
		fixture_must_read(&f, torus[i], NULL);
		route_init(&kept);
		for (uint32_t pair = 0; pair < HOSTS * HOSTS; pair++) {
			struct host_id a = {pair / HOSTS}, b = {pair % HOSTS};
			route_init(&fresh);
			assert_ok(route_find(f.p, a, b, &fresh, &f.err), f.err);
			assert_ok(route_find(f.p, a, b, &kept, &f.err), f.err);
			assert_int_equal(kept.n, fresh.n);
			assert_memory_equal(kept.links, fresh.links, fresh.n * sizeof *fresh.links);
			assert_double_is(kept.latency, fresh.latency);
			route_release(&fresh);
		}
		route_release(&kept);
		fixture_release(&f);
	}
}

static void torus_limiters_and_loopback(void **state)
{
	static const char t[] = CLUSTER("TORUS", "3", "4,6,8",
	                                "limiter_link='150' sharing_policy='SHARED'");
	(void)state;
	check(t, NULL, "n4", "n6", "c_link_0_limiter c_link_from_0_to_1 c_link_1_limiter");
	check(t, "compat:simgrid-3.32", "n4", "n4", "c_link_0_limiter");
	check(CLUSTER("TORUS", "3", "4,6,8", "loopback_bw='150'"), NULL, "n6", "n6",
	      "c_link_6_loopback");
}

static void compat_torus_without_loopback_has_no_way_to_itself(void **state)
{
	struct fixture f;
	struct route r;
	(void)state;
	fixture_must_read(&f, CLUSTER("TORUS", "3", "0-2", ""), "compat:simgrid-3.32");
	route_init(&r);
	assert_fails(route_find(f.p, (struct host_id){1}, (struct host_id){1}, &r, &f.err), f.err,
	             ERR_INPUT, "no route from host 'n1' to host 'n1'");
	route_release(&r);
	fixture_release(&f);
}

/* What bypass_walk adds at the ends of a bypass (route.c) has no links in such a torus. */
static void compat_torus_at_the_end_of_a_bypass(void **state)
{
#define RING(P) \
	"<cluster id='" P "c' prefix='" P "' suffix='' radical='0-2' speed='1Gf' bw='1' lat='1' " \
	"topology='TORUS' topo_parameters='3' sharing_policy='SHARED'/>"
#define ENDS(TAG) "<" TAG " src='ac' dst='bc' gw_src='a1' gw_dst='b1'><link_ctn id='l'/></" TAG ">"
	static const char t[] = "<platform version='4.1'><zone id='w' routing='Full'>" RING("a")
	    RING("b") "<link id='l' bandwidth='1' latency='1'/>" ENDS("zoneRoute")
	        ENDS("bypassZoneRoute") "</zone></platform>";
	(void)state;
	check(t, "compat:simgrid-3.32", "a1", "b1", "l");
	check(t, "compat:simgrid-3.32", "a0", "b1", "ac_link_from_0_to_1 l");
	check(t, "compat:simgrid-3.32", "a1", "b2", "l bc_link_from_1_to_2");
#undef ENDS
#undef RING
}

/* Two levels, four hosts per edge switch, two roots: switch numbers count down from 31, so edge
 * switches are 31..28 and roots 27, 26. The port up is the destination modulo two. Cables: 16
 * below, then 31 -> 27 is 16, 31 -> 26 is 17, 30 -> 27 is 18, … */
static void fat_tree_goes_up_by_destination(void **state)
{
	static const char t[] = CLUSTER("FAT_TREE", "2;4,4;1,2;1,1", "0-15", "");
	(void)state;
	check(t, NULL, "n0", "n3", "link_from_0_31_0_UP link_from_3_31_3_DOWN");
	check(t, NULL, "n1", "n4",
	      "link_from_1_31_1_UP link_from_31_27_16_UP link_from_30_27_18_DOWN "
	      "link_from_4_30_4_DOWN");
	check(t, NULL, "n1", "n5",
	      "link_from_1_31_1_UP link_from_31_26_17_UP link_from_30_26_19_DOWN "
	      "link_from_5_30_5_DOWN");
	check(t, NULL, "n5", "n5", "link_from_5_30_5_UP link_from_5_30_5_DOWN");
}

/* Parallel cables: up by destination (port d / w), down by source modulo p. One switch (7) over
 * four hosts, two cables each. */
static void fat_tree_cables_down_follow_the_source(void **state)
{
	static const char t[] = CLUSTER("FAT_TREE", "1;4;1;2", "0-3", "");
	(void)state;
	check(t, NULL, "n0", "n1", "link_from_0_7_1_UP link_from_1_7_2_DOWN");
	check(t, NULL, "n1", "n2", "link_from_1_7_2_UP link_from_2_7_5_DOWN");
	check(t, NULL, "n3", "n2", "link_from_3_7_6_UP link_from_2_7_5_DOWN");
}

/* A cluster of four hosts before it shifts the positions of the second tree by four in SimGrid: no
 * change modulo 2, but for a tree of six… */
static void fat_tree_positions_start_anew_but_in_compat(void **state)
{
	static const char two[] = "<platform version='4.1'><zone id='w' routing='Full'>"
	                          "<cluster id='a' prefix='a' suffix='' radical='0-2' speed='1' "
	                          "bw='1' lat='0' topology='FAT_TREE' "
	                          "topo_parameters='1;3;1;1'/>"
	                          "<cluster id='b' prefix='b' suffix='' radical='0-3' speed='1' "
	                          "bw='1' lat='0' topology='FAT_TREE' "
	                          "topo_parameters='2;2,2;1,2;1,1'/>"
	                          "</zone></platform>";
	(void)state;
	/* cables of b: 3..6 hosts, then 7 -> 5 is 7, 7 -> 4 is 8, 6 -> 5 is 9, 6 -> 4 is 10; the
	 * root is destination mod 2 (plus 3 in compat) */
	check(two, NULL, "b0", "b2",
	      "link_from_0_7_3_UP link_from_7_5_7_UP link_from_6_5_9_DOWN link_from_2_6_5_DOWN");
	check(two, "compat:simgrid-3.32", "b0", "b2",
	      "link_from_0_7_3_UP link_from_7_4_8_UP link_from_6_4_10_DOWN link_from_2_6_5_DOWN");
}

/* Three groups of two chassis of three routers of one host. Cables: 18 local; green pair (0,1)
 * (0,2) (1,2) of each of six chassis from 18; black from 36; blue (0,1) (0,2) (1,2) from 45. */
#define FLY CLUSTER("DRAGONFLY", "3,4;2,3;3,2;1", "0-17", "")

static void dragonfly_goes_by_the_blue_router(void **state)
{
	(void)state;
	/* (0,0,1) holds the cable to group 1; (1,0,0) the one to group 0 */
	check(FLY, NULL, "n1", "n6",
	      "local_link_from_router_1_to_node_0_1_UP "
	      "blue_link_between_group_0_and_1_routers_1_and_6_45_UP "
	      "local_link_from_router_6_to_node_0_6_DOWN");
	/* (0,1,2) to (1,1,2): green to blade 1 in chassis 1, black to chassis 0, blue, green to
	 * blade 2, black to chassis 1 */
	check(FLY, NULL, "n5", "n11",
	      "local_link_from_router_5_to_node_0_5_UP "
	      "green_link_in_chassis_1_between_routers_1_and_2_23_DOWN "
	      "black_link_in_group_0_between_chassis_0_and_1_blade_1_37_DOWN "
	      "blue_link_between_group_0_and_1_routers_1_and_6_45_UP "
	      "green_link_in_chassis_0_between_routers_0_and_2_25_UP "
	      "black_link_in_group_1_between_chassis_0_and_1_blade_2_41_UP "
	      "local_link_from_router_11_to_node_0_11_DOWN");
}

static void dragonfly_in_a_chassis_is_one_green_hop_but_in_compat(void **state)
{
	static const char green[] = "local_link_from_router_3_to_node_0_3_UP "
	                            "green_link_in_chassis_1_between_routers_0_and_2_22_UP ";
	char want[400];
	(void)state;
	snprintf(want, sizeof want, "%slocal_link_from_router_5_to_node_0_5_DOWN", green);
	check(FLY, NULL, "n3", "n5", want);
	snprintf(want, sizeof want,
	         "%sblack_link_in_group_0_between_chassis_0_and_1_blade_2_38_UP "
	         "local_link_from_router_5_to_node_0_5_DOWN",
	         green);
	check(FLY, "compat:simgrid-3.32", "n3", "n5", want);
}

static void dragonfly_counts_multiply_bandwidth(void **state)
{
	struct fixture f;
	struct link_info info;
	(void)state;
	fixture_must_read(&f, FLY, NULL);
	for (uint32_t i = 0; i < platform_link_count(f.p); i++) {
		char name[128];
		platform_link_name(f.p, (struct link_id){i}, name, sizeof name);
		platform_link(f.p, (struct link_id){i}, &info);
		if (name[0] != '_')
			assert_double_is(info.bandwidth, name[0] == 'l'                     ? 100
			                                 : name[0] == 'g'                   ? 200
			                                 : name[1] == 'l' && name[2] == 'a' ? 300
			                                                                    : 400);
	}
	fixture_release(&f);
}

/* More groups than routers per chassis: the blue routers go on in the next chassis; than routers
 * per group: from the first again. */
static void dragonfly_with_many_groups(void **state)
{
	static const char t[] = CLUSTER("DRAGONFLY", "4,1;2,1;2,1;1", "0-15", "");
	(void)state;
	/* in group 0 router 3 = (chassis 1, blade 1) holds the cable to group 3 */
	check(t, NULL, "n3", "n12",
	      "local_link_from_router_3_to_node_0_3_UP "
	      "blue_link_between_group_0_and_3_routers_3_and_12_34_UP "
	      "local_link_from_router_12_to_node_0_12_DOWN");
	static const char few[] = CLUSTER("DRAGONFLY", "4,1;1,1;2,1;1", "0-7", "");
	check(few, NULL, "n0", "n6",
	      "local_link_from_router_0_to_node_0_0_UP "
	      "green_link_in_chassis_0_between_routers_0_and_1_8_UP "
	      "blue_link_between_group_0_and_3_routers_1_and_6_14_UP "
	      "local_link_from_router_6_to_node_0_6_DOWN");
	struct fixture f;
	fixture_read(&f, few, "compat:simgrid-3.32");
	assert_null(f.p);
	assert_non_null(strstr(f.err.text, "4 groups, but 2 routers in each"));
	fixture_release(&f);
	/* Ways to groups 0 and 1 stay inside SimGrid's tables. */
	check(t, "compat:simgrid-3.32", "n12", "n0",
	      "local_link_from_router_12_to_node_0_12_UP "
	      "blue_link_between_group_0_and_3_routers_3_and_12_34_DOWN "
	      "green_link_in_chassis_1_between_routers_0_and_1_17_DOWN "
	      "local_link_from_router_0_to_node_0_0_DOWN");
	fixture_read(&f, t, "compat:simgrid-3.32");
	assert_non_null(f.p);
	fixture_release(&f);
}

static void descriptions_are_checked(void **state)
{
	(void)state;
	assert_refused(CLUSTER("TORUS", "3,0", "0-8", ""), 2, 98,
	               "expected a positive number at '0'");
	assert_refused(CLUSTER("TORUS", "3;3", "0-8", ""), 2, 98, "a torus: expected ',' at");
	assert_refused(CLUSTER("TORUS", "3,4", "0-8", ""), 2, 38,
	               "the topology has 12 hosts, but the radical names 9");
	assert_refused(CLUSTER("TORUS", "99999,99999", "0-8", ""), 2, 98,
	               "more than 268435456 hosts");
	assert_refused(CLUSTER("FAT_TREE", "2;4,4;1,2;1", "0-15", ""), 2, 102,
	               "2 levels, but 1 numbers of parallel cables");
	assert_refused(CLUSTER("FAT_TREE", "2;4,4", "0-15", ""), 2, 102,
	               "expected a positive number at ''");
	assert_refused(CLUSTER("FAT_TREE", "99;4,4;1,1;1,1", "0-15", ""), 2, 102,
	               "99 levels; at most 24");
	assert_refused(CLUSTER("FAT_TREE", "2;1,1;9999999,9999999;1,1", "0", ""), 2, 99,
	               "more than 268435456 hosts, or switches");
	assert_refused(CLUSTER("DRAGONFLY", "2;2,1;2,1;1", "0-7", ""), 2, 102,
	               "expected \"groups,blue;chassis,black;routers,green;hosts\"");
}

static void what_only_flat_has_is_noticed(void **state)
{
	struct fixture f;
	(void)state;
	fixture_must_read(&f, CLUSTER("TORUS", "3", "0-2", "bb_bw='1' router_id='r'"), NULL);
	assert_non_null(strstr(f.cfg.notices.s,
	                       "the backbone and the router_id of a topology other than FLAT"));
	fixture_release(&f);
	fixture_must_read(&f, CLUSTER("TORUS", "3", "0-1,7-9", ""), NULL);
	assert_int_equal(platform_host_count(f.p), 3);
	assert_int_equal(host_named(f.p, "n7").v, 2);
	assert_non_null(strstr(f.cfg.notices.s, "the hosts that its radical names beyond"));
	fixture_release(&f);
}

static void a_million_hosts_cost_nothing(void **state)
{
	struct fixture f;
	double latency;
	(void)state;
	fixture_must_read(&f, CLUSTER("FAT_TREE", "3;64,128,128;1,64,64;1,1,1", "0-1048575", ""),
	                  NULL);
	assert_int_equal(platform_host_count(f.p), 1 << 20);
	route_text(f.p, "n0", "n1048575", &latency);
	assert_double_is(latency, 6);
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(torus_takes_dimensions_in_order_and_the_shorter_way),
	    cmocka_unit_test(torus_ways_with_room_are_the_same),
	    cmocka_unit_test(torus_limiters_and_loopback),
	    cmocka_unit_test(compat_torus_without_loopback_has_no_way_to_itself),
	    cmocka_unit_test(compat_torus_at_the_end_of_a_bypass),
	    cmocka_unit_test(fat_tree_goes_up_by_destination),
	    cmocka_unit_test(fat_tree_cables_down_follow_the_source),
	    cmocka_unit_test(fat_tree_positions_start_anew_but_in_compat),
	    cmocka_unit_test(dragonfly_goes_by_the_blue_router),
	    cmocka_unit_test(dragonfly_in_a_chassis_is_one_green_hop_but_in_compat),
	    cmocka_unit_test(dragonfly_counts_multiply_bandwidth),
	    cmocka_unit_test(dragonfly_with_many_groups),
	    cmocka_unit_test(descriptions_are_checked),
	    cmocka_unit_test(what_only_flat_has_is_noticed),
	    cmocka_unit_test(a_million_hosts_cost_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
