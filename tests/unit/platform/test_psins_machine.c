/* test_psins_machine.c: machine descriptions of PSINS: hosts, links, settings and placement worked
 * by hand from the file, and messages with place. */
#include "lib.h"

static char *file_text(void)
{
	size_t n;
	struct err err;
	char *text = input_read_all(TEST_SRC "/tests/platforms/mixed.psins", &n, &err);

	if (!text)
		fail_msg("%s", err.text);
	return text;
}

static void check_host(const struct platform *p, const char *name, double speed, uint32_t cores,
                       double ratio)
{
	struct host_info info;

	platform_host(p, host_named(p, name), &info);
	assert_double_is(info.speed, speed);
	assert_int_equal(info.cores, cores);
	assert_double_is(platform_host_ratio(p, host_named(p, name)), ratio);
}

/* Node 2: two processors at 1, one at 0.5, one at 0.25: three hosts. */
static void hosts(void **state)
{
	char *text = file_text(), name[32];
	struct fixture f;

	(void)state;
	fixture_must_read(&f, text, NULL);
	assert_int_equal(platform_host_count(f.p), 5);
	check_host(f.p, "node0", 3e9, 2, 1.5);
	check_host(f.p, "node1", 3e9, 2, 1.5);
	check_host(f.p, "node2.0", 2e9, 2, 1);
	check_host(f.p, "node2.2", 1e9, 1, 0.5);
	check_host(f.p, "node2.3", 0.5e9, 1, 0.25);
	assert_string_equal(platform_host_name(f.p, (struct host_id){4}, name, sizeof name),
	                    "node2.3");
	assert_string_equal(platform_host_prop(f.p, host_named(f.p, "node0"), "psins/out-links"),
	                    "2");
	assert_string_equal(platform_host_prop(f.p, host_named(f.p, "node2.2"), "psins/in-links"),
	                    "0");
	assert_string_equal(
	    platform_host_prop(f.p, host_named(f.p, "node2.2"), "psins/local-bandwidth"),
	    "500MBps");
	assert_string_equal(platform_host_prop(f.p, host_named(f.p, "node2.3"), "psins/node"), "2");
	assert_null(platform_host_prop(f.p, host_named(f.p, "node1"), "psins/node"));
	assert_string_equal(
	    platform_title(f.p),
	    "two nodes of two equal processors, one of four that differ; three busses");
	assert_string_equal(platform_calibration(f.p), "none");
	fixture_release(&f);
	free(text);
}

static struct link_info link_named_(const struct platform *p, const char *name)
{
	struct link_info info = {0};
	char buf[64];

	for (uint32_t l = 0; l < platform_link_count(p); l++) {
		if (!strcmp(platform_link_name(p, (struct link_id){l}, buf, sizeof buf), name))
			platform_link(p, (struct link_id){l}, &info);
	}
	return info;
}

static void check_link(const struct platform *p, const char *name, double bandwidth, double latency,
                       enum link_policy policy)
{
	struct link_info info = link_named_(p, name);

	assert_double_is(info.bandwidth, bandwidth);
	assert_double_is(info.latency, latency);
	assert_int_equal(info.policy, policy);
}

static void links_and_routes(void **state)
{
	char *text = file_text();
	struct fixture f;
	double latency;

	(void)state;
	fixture_must_read(&f, text, NULL);
	assert_int_equal(platform_link_count(f.p), 3 * 3 + 2);
	check_link(f.p, "node0_out", 200e6, 0, LINK_SHARED);
	check_link(f.p, "node0_in", 100e6, 0, LINK_SHARED);
	check_link(f.p, "node0_local", 1e9, 1e-6, LINK_FATPIPE);
	check_link(f.p, "node2_local", 500e6, 2e-6, LINK_FATPIPE);
	check_link(f.p, "network", 100e6, 1e-5, LINK_FATPIPE);
	check_link(f.p, "busses", 300e6, 0, LINK_SHARED);
	assert_string_equal(route_text(f.p, "node0", "node1", &latency),
	                    "node0_out network busses node1_in");
	assert_double_is(latency, 1e-5);
	assert_string_equal(route_text(f.p, "node1", "node2.2", NULL),
	                    "node1_out network busses"); /* no limit in */
	assert_string_equal(route_text(f.p, "node2.3", "node0", NULL),
	                    "node2_out network busses node0_in");
	assert_string_equal(route_text(f.p, "node2.3", "node2.0", &latency), "node2_local");
	assert_double_is(latency, 2e-6);
	assert_string_equal(route_text(f.p, "node1", "node1", NULL), "node1_local");
	fixture_release(&f);
	free(text);
}

static void settings(void **state)
{
	char *text = file_text();
	struct fixture f;

	(void)state;
	fixture_must_read(&f, text, "psins/busses:7");
	assert_double_is(config_number(&f.cfg, CFG_BUS_BUSSES), 7); /* the user's goes before */
	assert_double_is(config_number(&f.cfg, CFG_BUS_BANDWIDTH), 100e6);
	assert_double_is(config_number(&f.cfg, CFG_BUS_LATENCY), 1e-5);
	assert_string_equal(config_text(&f.cfg, CFG_PSINS_COLLECTIVES), "allgather:log");
	assert_string_equal(config_text(&f.cfg, CFG_DIMEMAS_COLLECTIVES), "barrier:LIN:MAX:0:MAX");
	assert_string_equal(config_text(&f.cfg, CFG_PSINS_CURVES),
	                    "allreduce:8:1000:1024:20000:1000000:2000000");
	assert_double_is(config_number(&f.cfg, CFG_DIMEMAS_LOCAL_BUSES), 2);
	assert_double_is(config_number(&f.cfg, CFG_DIMEMAS_LOCAL_OUT), 1);
	assert_string_equal(config_text(&f.cfg, CFG_DIMEMAS_DUPLEX), "half");
	assert_non_null(strstr(f.cfg.notices.s, ":23: IO changes nothing here: files are where "));
	fixture_release(&f);
	free(text);
}

static void check_placement(const struct platform *p, struct config *cfg, uint32_t np,
                            const char *want)
{
	struct placement pl = {0};
	char got[512] = "", name[32];
	struct err err;

	assert_ok(placement_make(p, NULL, np, 0, 0, &pl, cfg, &err), err);
	for (uint32_t i = 0; i < np; i++)
		snprintf(got + strlen(got), sizeof got - strlen(got), "%s%s", i ? " " : "",
		         platform_host_name(p, pl.host[i], name, sizeof name));
	assert_string_equal(got, want);
	placement_release(&pl);
}

#define SMALL "Machine 3 1e6 1e-3 0\nNode -1 2 1 1 1e7 1e-4 1\n"

static void placement(void **state)
{
	char *text = file_text();
	struct placement pl = {0};
	struct fixture f;

	(void)state;
	fixture_must_read(&f, text, NULL); /* task 0 takes the first processor of node 2 */
	check_placement(f.p, &f.cfg, 8, "node2.0 node0 node0 node1 node1 node2.0 node2.2 node2.3");
	assert_fails(placement_make(f.p, NULL, 9, 0, 0, &pl, &f.cfg, &f.err), f.err, ERR_INPUT,
	             "9 ranks, but ");
	assert_ok(placement_make(f.p, NULL, 9, 0, 1, &pl, &f.cfg, &f.err), f.err);
	assert_int_equal(pl.host[8].v, 0); /* and begins again */
	placement_release(&pl);
	fixture_release(&f);
	free(text);
	fixture_must_read(&f, SMALL, NULL); /* without Map: node after node */
	check_placement(f.p, &f.cfg, 5, "node0 node0 node1 node1 node2");
	fixture_release(&f);
	fixture_must_read(&f, SMALL "Map -1 2\n", NULL);
	check_placement(f.p, &f.cfg, 5, "node2 node2 node0 node0 node1");
	fixture_release(&f);
	fixture_must_read(&f, SMALL "Map 0 2\nMap 1 1\nMap 2 2\nMap 3 0", NULL);
	check_placement(f.p, &f.cfg, 4, "node2 node1 node2 node0");
	assert_fails(placement_make(f.p, NULL, 5, 0, 0, &pl, &f.cfg, &f.err), f.err, ERR_INPUT,
	             "has no Map for task 4");
	fixture_release(&f);
	/* as many nodes as the program needs */
	fixture_must_read(&f,
	                  "#machine_profile "
	                  "12\n\nMachine\t-2\t1e6\t1e-3\t0\n\nNode\t-1\t2\t1\t1\t1e7\t1e-4\t1."
	                  "0\r\n\nMap\t-1\t\t0\n",
	                  NULL);
	check_placement(f.p, &f.cfg, 5, "node0 node0 node1 node1 node2");
	fixture_release(&f);
}

/* What a file is wrong in, and where. */
static const struct {
	const char *text, *message;
} wrong[] = {
    {"Machine 3 1e6 1e-3", ":1:1: expected Machine nodes network_bw network_lt buses, "
                           "found 3 words after Machine"},
    {"Machine 3 1e6 1e-3 0 5", ":1:22: expected Machine nodes"},
    {"Machine 0 1e6 1e-3 0", ":1:9: a machine of 0 nodes"},
    {"Machine x 1e6 1e-3 0", ":1:9: nodes 'x': expected a whole number"},
    {"Machine 99999999 1e6 1e-3 0", ":1:9: nodes '99999999': expected a whole number from"},
    {"Machine 3 1e6xyz 1e-3 0", ":1:11: network_bw: "},
    {"Machine 3 -1 1e-3 0", ":1:11: network_bw '-1' cannot be negative"},
    {"Machine 3 1e6 1lightyear 0", ":1:15: network_lt: "},
    {"\n# c\nMachine 3 1e6 1e-3 0.5", ":3:20: buses '0.5': expected a whole number"},
    {"Machine 3 1e6 1e-3 0\nMachine 3 1e6 1e-3 0",
     ":2:1: a second Machine; the first is in line 1"},
    {"Machine 3 1e6 1e-3 0", ":1:1: no Node describes its nodes"},
    {"Node -1 2 1 1 1e7 1e-4 1", "there is no Machine: expected"},
    {"Machine 3 1e6 1e-3 0\nNode 1 2 1 1 1e7 1e-4 1",
     ":1:1: no Node describes node 0 (Node -1 describes all"},
    {"Machine 3 1e6 1e-3 0\nNode 0-3 2 1 1 1e7 1e-4 1",
     ":2:1: node 3: the machine has 3, counted from 0"},
    {"Machine 3 1e6 1e-3 0\nNode 1-2 2 1 1 1e7 1e-4 1\n Node 2 2 1 1 1e7 1e-4 1",
     ":3:2: node 2 has been described in line 2"},
    {SMALL "Node -1 2 1 1 1e7 1e-4 1", ":3:1: all other nodes have been described in line 2"},
    {SMALL "Node 2-1 2 1 1 1e7 1e-4 1",
     ":3:6: node '2-1': expected its number from 0, first-last, or -1"},
    {SMALL "Node -2 2 1 1 1e7 1e-4 1", ":3:6: node '-2'"},
    {SMALL "Node 1- 2 1 1 1e7 1e-4 1", ":3:6: node '1-'"},
    {SMALL "Node 1 0 1 1 1e7 1e-4 1", ":3:8: cores '0': expected a whole number from 1"},
    {SMALL "Node 1 2 -1 1 1e7 1e-4 1", ":3:10: inp '-1'"},
    {SMALL "Node 1 2 1 1 1e7 1e-4 0", ":3:23: cpu_ratio '0': expected a positive number"},
    {SMALL "Node 1 2 1 1 1e7 1e-4 nan", ":3:23: cpu_ratio 'nan'"},
    {SMALL "Node 1 2 1 1 1e7 1e-4 1 1 1", ":3:27: a node of 2 cores with 3 cpu_ratios"},
    {SMALL "Node 1 2 1 1 1e7 1e-4",
     ":3:1: expected Node id cores inp out local_bw local_lt cpu_ratio, found 6 words"},
    {SMALL "Map 0", ":3:1: expected Map task_id node_id, found 1 word after Map"},
    {SMALL "Map 0 3", ":3:7: node 3: the machine has 3, counted from 0"},
    {"Map 0 3\n" SMALL, ":2:1: Map puts task 0 on node 3: the machine has 3 nodes"},
    {"Map -1 4\n" SMALL, ":2:1: Map -1 begins at node 4: the machine has 3 nodes"},
    {SMALL "Map 0 1\nMap 0 2", ":4:5: task 0 is on node 1 already"},
    {SMALL "Map -2 1", ":3:5: task '-2'"},
    {SMALL "Speed 0", ":3:7: a speed of 0"},
    {SMALL "Speed", ":3:1: expected Speed"},
    {SMALL "Collective Talk lin", ":3:12: there is no collective 'Talk'; there are Barrier, Bcast"},
    {SMALL "Collective Bcast", ":3:1: expected Collective operation"},
    {SMALL "Collective Bcast cubic",
     ":3:18: growth 'cubic': expected lin, linear, log, logarithmic, con, constant"},
    {SMALL "Collective Bcast LOG MAX 0",
     ":3:1: expected Collective operation in-model in-size out-model out-size"},
    {SMALL "Collective Bcast LOG MAX 0 3MAX",
     ":3:28: size '3MAX': expected MIN, MAX, MEAN, 2MAX, S+R"},
    {SMALL "Collective Bcast SQR MAX 0 MAX", ":3:18: model 'SQR': expected 0, CT, CTE, LIN, LOG"},
    {SMALL "Collective Allgather pen 0.00774 49.31400 0.68300 4.63500",
     ":3:22: the form of PSINS's penalty function is not published: give its values as "
     "Curve Allgather"},
    {SMALL "Curve Bcast 8", ":3:13: '8': expected size:bandwidth"},
    {SMALL "Curve Bcast 8:1 8:2",
     ":3:17: size '8': expected bytes, more than 0 and than those of the point before"},
    {SMALL "Curve Bcast 0:1", ":3:13: size '0'"},
    {SMALL "Curve Bcast 8:0", ":3:13: bandwidth '0': expected positive bytes/s"},
    {SMALL "Local 1 2", ":3:1: expected Local buses inp out"},
    {SMALL "Local 1 2 x", ":3:11: count 'x'"},
    {SMALL "Duplex quarter", ":3:8: duplex 'quarter': expected half, full"},
    {SMALL "Topology torus", ":3:1: there is no record 'Topology' in a machine description "
                             "of PSINS; there are Machine, Node"},
};

static void errors(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct fixture f;

		fixture_read(&f, wrong[i].text, NULL);
		if (f.p || f.err.kind != ERR_INPUT || !strstr(f.err.text, wrong[i].message))
			fail_msg("\"%s\": expected %s, got %s", wrong[i].text, wrong[i].message,
			         f.p ? "a platform" : f.err.text);
		fixture_release(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(hosts),    cmocka_unit_test(links_and_routes),
	    cmocka_unit_test(settings), cmocka_unit_test(placement),
	    cmocka_unit_test(errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
