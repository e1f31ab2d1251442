/* test_dimemas.c: Dimemas's model against times worked by hand (docs/models.md; Girona, Labarta,
 * Badia, EuroPVM/MPI 2000; Dimemas 5.5).
 *
 * Messages: L = 1 ms, B = 1 MB/s between nodes, l = 0.1 ms, b = 10 MB/s inside one.
 *   start = the first date >= date + L at which a link out, a link in and a bus are free together,
 *   the oldest message first; arrival = start + bytes / B
 * Collectives: fan = factor x (latency + size / bandwidth); factor 0, 1, P - 1, or the turns of
 * ceil(log2 P) stages; between the nodes, and inside the slowest one. */
#include "models.h"

#define CROSSBAR \
	"<platform version='4.1'><cluster id='c' prefix='n' suffix='' radical='0-7' speed='1Gf' " \
	"bw='125MBps' lat='50us' " \
	"loopback_bw='1GBps' loopback_lat='1us'/></platform>"
#define MODEL \
	"network/model:dimemas dimemas/latency:1e-3 dimemas/bandwidth:1e6 " \
	"dimemas/local-latency:1e-4 dimemas/local-bandwidth:1e7 "
#define L 1e-3

static void links(void **state)
{
	(void)state;
	/* one link each way per node: many to one, one to many, the others do not wait; latencies
	 * pass while links are used */
	CHECK(CROSSBAR, MODEL "dimemas/buses:0", {0, "n1", "n0", 1e6, L + 1},
	      {0, "n2", "n0", 1e6, L + 2}, {0, "n3", "n0", 2e6, L + 4}, {0, "n4", "n5", 1e6, L + 1},
	      {1, "n5", "n4", 1e6, 1 + L + 1}, {3.5, "n4", "n0", 1e6, L + 5});
	CHECK(CROSSBAR, MODEL "dimemas/buses:0", {0, "n0", "n1", 1e6, L + 1},
	      {0, "n0", "n2", 1e6, L + 2}, {0, "n3", "n2", 1e6, L + 1});
	CHECK(CROSSBAR, MODEL "dimemas/buses:0 dimemas/in-links:2 dimemas/out-links:0",
	      {0, "n1", "n0", 1e6, L + 1}, {0, "n1", "n0", 1e6, L + 1}, {0, "n1", "n0", 1e6, L + 2},
	      {0, "n1", "n2", 1e6, L + 1});
	/* nothing has a limit: a plain sum */
	CHECK(CROSSBAR, MODEL "dimemas/buses:0 dimemas/in-links:0 dimemas/out-links:0",
	      {0, "n1", "n0", 1e6, L + 1}, {0, "n1", "n0", 1e6, L + 1}, {0, "n2", "n0", 0, L});
}

/* Who waits for a link holds no bus: with two busses, n3 -> n4 passes n2 -> n0, which waits for the
 * link that n1 -> n0 has. Then n5 -> n6 waits for a bus; at L + 1 both are free, and the older n2
 * -> n0 goes first. */
static void no_bus_while_waiting(void **state)
{
	(void)state;
	CHECK(CROSSBAR, MODEL "dimemas/buses:2", {0, "n1", "n0", 1e6, L + 1},
	      {0, "n2", "n0", 1e6, L + 2}, {0, "n3", "n4", 1e6, L + 1}, {0, "n5", "n6", 1e6, L + 2},
	      {0, "n7", "n1", 1e6, L + 3});
	/* one bus. n1 -> n0 (waits for the link that n2 -> n0 has) is older than n3 -> n4 (waits
	 * for the bus): at L + 2 it goes first */
	CHECK(CROSSBAR, MODEL "dimemas/buses:1", {0, "n2", "n0", 2e6, L + 2},
	      {0, "n1", "n0", 1e6, L + 3}, {0, "n3", "n4", 1e6, L + 4});
	/* the other way round: freed, the link's waiter finds the bus taken by the older one and
	 * goes on waiting, for the bus */
	CHECK(CROSSBAR, MODEL "dimemas/buses:1", {0, "n2", "n0", 2e6, L + 2},
	      {0, "n3", "n4", 1e6, L + 3}, {0, "n1", "n0", 1e6, L + 4},
	      {2.5, "n5", "n6", 1e6, L + 5});
	/* three parts at once: out of n1 until 3, into n2 until 2, a bus */
	CHECK(CROSSBAR, MODEL "dimemas/buses:3", {0, "n1", "n3", 3e6, L + 3},
	      {0, "n4", "n2", 2e6, L + 2}, {0, "n1", "n2", 1e6, L + 4}, {0, "n5", "n2", 1e6, L + 3},
	      {0, "n6", "n7", 1e6, L + 1});
}

static void duplex(void **state)
{
	(void)state;
	CHECK(CROSSBAR, MODEL "dimemas/buses:0", {0, "n0", "n1", 1e6, L + 1},
	      {0, "n1", "n0", 1e6, L + 1});
	CHECK(CROSSBAR, MODEL "dimemas/buses:0 dimemas/duplex:half", {0, "n0", "n1", 1e6, L + 1},
	      {0, "n1", "n0", 1e6, L + 2}, {0, "n2", "n0", 1e6, L + 3},
	      {0, "n2", "n3", 1e6, L + 1});
	CHECK(CROSSBAR,
	      MODEL "dimemas/buses:0 dimemas/duplex:half dimemas/in-links:2 dimemas/out-links:2",
	      {0, "n0", "n1", 1e6, L + 1}, {0, "n1", "n0", 1e6, L + 1},
	      {0, "n2", "n0", 1e6, L + 2});
}

static void inside_a_node(void **state)
{
	(void)state;
	CHECK(CROSSBAR, MODEL, {0, "n0", "n0", 1e6, 1e-4 + 0.1}, {0, "n0", "n0", 1e6, 1e-4 + 0.1},
	      {0, "n0", "n1", 1e6, L + 1});
	CHECK(CROSSBAR, MODEL "dimemas/local-buses:1", {0, "n0", "n0", 1e6, 1e-4 + 0.1},
	      {0, "n0", "n0", 1e6, 1e-4 + 0.2}, {0, "n1", "n1", 1e6, 1e-4 + 0.1},
	      {0, "n0", "n1", 1e6, L + 1});
	CHECK(CROSSBAR, MODEL "dimemas/local-in-links:2 dimemas/local-out-links:3",
	      {0, "n0", "n0", 1e6, 1e-4 + 0.1}, {0, "n0", "n0", 1e6, 1e-4 + 0.1},
	      {0, "n0", "n0", 1e6, 1e-4 + 0.2});
}

/* --- collectives --- */

/* p members: member i on host i / per_node; sent, received: as the hook gets them. */
static double lasts(const char *settings, enum net_coll kind, uint32_t p, uint32_t per_node,
                    double sent, double received)
{
	struct host_id host[16];
	void *memo = NULL;
	struct net_collective c = {
	    .kind = kind, .n = p, .host = host, .sent = sent, .received = received, .memo = &memo};
	struct fixture f;
	double seconds, again;

	for (uint32_t i = 0; i < p; i++)
		host[i].v = i / per_node;
	fixture_init(&f, CROSSBAR, settings);
	if (!f.net)
		fail_msg("%s", f.err.text);
	assert_ok(net_collective(f.net, &c, &seconds, &f.err), f.err);
	assert_ok(net_collective(f.net, &c, &again, &f.err), f.err); /* from its memo */
	assert_double_is(again, seconds);
	free(memo);
	fixture_release(&f);
	return seconds;
}

#define R(n) (L + (n) / 1e6)    /* between nodes */
#define I(n) (1e-4 + (n) / 1e7) /* inside one */
#define FREE MODEL "dimemas/buses:0 "

/* The usual table; six members on six nodes: P - 1 = 5, three stages. */
static void usual(void **state)
{
	(void)state;
	assert_close(lasts(FREE, NET_BARRIER, 6, 1, 0, 0), 5 * R(0) + 5 * R(0), 1e-12);
	assert_close(lasts(FREE, NET_BCAST, 6, 1, 1000, 0), 3 * R(1000), 1e-12);
	assert_close(lasts(FREE, NET_REDUCE, 6, 1, 1000, 1000), 3 * R(2000), 1e-12);
	assert_close(lasts(FREE, NET_ALLREDUCE, 6, 1, 1000, 1000), 3 * R(2000) + 3 * R(1000),
	             1e-12);
	assert_close(lasts(FREE, NET_GATHER, 6, 1, 1000, 6000), 3 * R(3500), 1e-12);
	assert_close(lasts(FREE, NET_SCATTERV, 6, 1, 6000, 1000), 3 * R(3500), 1e-12);
	assert_close(lasts(FREE, NET_ALLGATHER, 6, 1, 1000, 6000), 6 * R(3500), 1e-12);
	assert_close(lasts(FREE, NET_ALLTOALL, 6, 1, 6000, 6000), 6 * R(6000), 1e-12);
	assert_close(lasts(FREE, NET_REDUCE_SCATTER, 6, 1, 6000, 1000), 3 * R(12000) + 3 * R(1000),
	             1e-12);
	assert_close(lasts(FREE, NET_SCAN, 6, 1, 1000, 1000), 6 * R(1000), 1e-12);
}

/* Every model and size, as given. */
static void given(void **state)
{
	(void)state;
	assert_close(
	    lasts(FREE "dimemas/collectives:bcast:0:MIN:CT:MAX", NET_BCAST, 8, 1, 3000, 1000),
	    R(3000), 1e-12);
	assert_close(lasts(FREE "dimemas/collectives:bcast:lin:min:ct:max;scan:0:MAX:0:MAX",
	                   NET_BCAST, 8, 1, 3000, 1000),
	             7 * R(1000) + R(3000), 1e-12);
	assert_close(
	    lasts(FREE "dimemas/collectives:bcast:LOG:S+R:LIN:MEAN", NET_BCAST, 8, 1, 3000, 1000),
	    3 * R(4000) + 7 * R(2000), 1e-12);
	assert_close(
	    lasts(FREE "dimemas/collectives:bcast:CTE:2MAX:0:MAX", NET_BCAST, 8, 1, 3000, 1000),
	    R(6000), 1e-12);
	assert_double_is(
	    lasts(FREE "dimemas/collectives:bcast:0:2MAX:0:MAX", NET_BCAST, 8, 1, 3000, 1000), 0);
	assert_double_is(
	    lasts(FREE "dimemas/collectives:bcast:CT:MAX:CT:MAX", NET_BCAST, 1, 1, 3000, 1000), 0);
}

/* Eight nodes: stages of 4, 2, 1 messages. One bus: 7 turns; two: 2 + 1 + 1; three: 2 + 1 + 1. Six
 * nodes: 3, 1, 1 messages: with two, 2 + 1 + 1. */
static void turns(void **state)
{
	(void)state;
	assert_close(lasts(MODEL "dimemas/buses:1", NET_BCAST, 8, 1, 1000, 0), 7 * R(1000), 1e-12);
	assert_close(lasts(MODEL "dimemas/buses:2", NET_BCAST, 8, 1, 1000, 0), 4 * R(1000), 1e-12);
	assert_close(lasts(MODEL "dimemas/buses:3", NET_BCAST, 8, 1, 1000, 0), 4 * R(1000), 1e-12);
	assert_close(lasts(MODEL "dimemas/buses:4", NET_BCAST, 8, 1, 1000, 0), 3 * R(1000), 1e-12);
	assert_close(lasts(MODEL "dimemas/buses:2", NET_BCAST, 6, 1, 1000, 0), 4 * R(1000), 1e-12);
	assert_close(lasts(MODEL "dimemas/buses:1", NET_BCAST, 6, 1, 1000, 0), 5 * R(1000), 1e-12);
}

/* Seven members, three per node: nodes with 3, 3 and 1: the slowest inside has two stages; three
 * nodes: two stages. All on one node: inside only. */
static void levels(void **state)
{
	(void)state;
	assert_close(lasts(FREE, NET_BCAST, 7, 3, 1000, 0), 2 * I(1000) + 2 * R(1000), 1e-12);
	assert_close(lasts(MODEL "dimemas/buses:1", NET_BARRIER, 7, 3, 0, 0), 4 * I(0) + 4 * R(0),
	             1e-12);
	assert_close(lasts(FREE, NET_BCAST, 5, 5, 1000, 0), 3 * I(1000), 1e-12);
	/* by routes: 100 us and 125 MB/s between nodes, 1 us and 1 GB/s inside */
	assert_close(lasts("network/model:dimemas dimemas/buses:0", NET_BCAST, 4, 2, 125e6, 0),
	             1e-6 + 0.125 + 1e-4 + 1, 1e-12);
}

static void refused(const char *settings, const char *part)
{
	struct fixture f;

	fixture_init(&f, CROSSBAR, settings);
	assert_null(f.net);
	if (!strstr(f.err.text, part))
		fail_msg("\"%s\" is not in: %s", part, f.err.text);
	fixture_release(&f);
}

static void errors(void **state)
{
	(void)state;
	refused(MODEL "dimemas/duplex:both",
	        "setting dimemas/duplex is full or half, not \"both\"");
	refused(MODEL "dimemas/local-buses:5e9", "setting dimemas/local-buses is 5e+09");
	refused(MODEL "dimemas/collectives:bcast:LOG:MAX:0",
	        "setting dimemas/collectives: bcast: \"LOG:MAX:0\" is not in-model:in-size");
	refused(MODEL "dimemas/collectives:bcast:LOG:MAX:0:MAX:1.0",
	        "bcast: \"LOG:MAX:0:MAX:1.0\" is not");
	refused(MODEL "dimemas/collectives:bcast:LOG:MAX:0:MOST",
	        "bcast: \"LOG:MAX:0:MOST\" is not");
	refused(MODEL "dimemas/collectives:MPI:LOG:MAX:0:MAX", "there is no collective \"MPI\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(links),  cmocka_unit_test(no_bus_while_waiting),
	    cmocka_unit_test(duplex), cmocka_unit_test(inside_a_node),
	    cmocka_unit_test(usual),  cmocka_unit_test(given),
	    cmocka_unit_test(turns),  cmocka_unit_test(levels),
	    cmocka_unit_test(errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
