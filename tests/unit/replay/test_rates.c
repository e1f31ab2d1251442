/* test_rates.c: copies and reductions that take time (smpi/copy-rate, smpi/reduce-rate): dates
 * worked by hand. T(n) = 30e-6 + (n + 16) / 125e6 is a message between two hosts alone. */
#include "test.h"

#include "sim.h"

#define FLAT SIM_CLUSTER("")
#define WITH_PROPERTIES \
	"<platform version=\"4.1\"><zone id=\"w\" routing=\"Full\">" \
	"<cluster id=\"c\" prefix=\"h\" suffix=\"\" radical=\"0-15\" speed=\"1Gf\" " \
	"bw=\"125MBps\" lat=\"15us\"><prop id=\"smpi/reduce-rate\" value=\"1e6\"/>" \
	"<prop id=\"smpi/copy-rate\" value=\"1MBps\"/></cluster></zone></platform>"
#define ONE \
	"network/latency-factor:1 network/bandwidth-factor:1 network/crosstraffic:no " \
	"network/TCP-gamma:0"
#define TRACE "# orrery-trace 1\n"

static double T(double n)
{
	return 30e-6 + (n + 16) / 125e6;
}

static void to_oneself(void **state)
{
	static const char trace[] = TRACE
	    "0 irecv 0 0 1e6 6 req=0\n0 isend 0 0 1e6 6 req=1\n0 waitall reqs=0,1\n";

	(void)state;
	assert_close(sim_time(FLAT, trace, 1, ONE " smpi/copy-rate:1GBps"), 1e-3, 1e-12);
	/* by size: above 4096 bytes half as fast; 1e6 is at the end of the second range */
	assert_close(sim_time(FLAT, trace, 1, ONE " smpi/copy-rate:0:2e9;4096:1e9;1000000:1"), 1e-3,
	             1e-12);
	assert_close(sim_time(FLAT, trace, 1, ONE " smpi/copy-rate:0:2e9;1000000:1"), 5e-4, 1e-12);
	assert_close(sim_time(FLAT, trace, 1, ONE " smpi/copy-rate:2000000:4e9"), 2.5e-4,
	             1e-12); /* below the first: as that */
	/* as before without a rate: the host's private link */
	assert_close(sim_time(FLAT, trace, 1, ONE), T(1e6), 1e-9);
	assert_close(sim_time(FLAT, trace, 1, ONE " smpi/reduce-rate:1"), T(1e6), 1e-9);
}

/* 8000 bytes of a derived type at 1 MB/s: 8 ms to pack, 8 ms to unpack. */
static void packed(void **state)
{
	(void)state;
	assert_close(sim_time(FLAT,
	                      TRACE "0 send 1 0 1000 -1 dtsize=8\n1 recv 0 0 1000 -1 dtsize=8\n", 2,
	                      ONE " smpi/copy-rate:1MBps"),
	             8e-3 + T(8000) + 8e-3, 1e-12);
	assert_close(sim_time(FLAT, TRACE "0 send 1 0 1000 -1 dtsize=8\n1 recv 0 0 8000 6\n", 2,
	                      ONE " smpi/copy-rate:1MBps"),
	             8e-3 + T(8000), 1e-12);
	/* in rendezvous too, and for non-blocking and persistent requests */
	assert_close(
	    sim_time(FLAT,
	             TRACE "0 send 1 0 100000 -1 dtsize=1\n1 irecv 0 0 100000 -1 req=0 dtsize=1\n"
	                   "1 wait req=0\n",
	             2, ONE " smpi/copy-rate:1MBps"),
	    0.1 + T(1e5) + 0.1, 1e-12);
	assert_close(
	    sim_time(FLAT,
	             TRACE "0 send_init 1 0 1000 -1 req=0 dtsize=8\n0 start reqs=0\n0 wait req=0\n"
	                   "1 recv_init 0 0 1000 -1 req=0 dtsize=8\n1 start reqs=0\n1 wait req=0\n",
	             2, ONE " smpi/copy-rate:1MBps"),
	    8e-3 + T(8000) + 8e-3, 1e-12);
}

/* An eager message that came before its receive waits in a buffer and is copied out of it: 1000
 * bytes, 1 ms. */
static void unexpected(void **state)
{
	static const char late[] = TRACE "0 send 1 0 1000 6\n1 sleep 1\n1 recv 0 0 1000 6\n",
	                  early[] = TRACE "0 send 1 0 1000 6\n1 recv 0 0 1000 6\n";

	(void)state;
	assert_close(
	    sim_time(FLAT, late, 2, ONE " smpi/copy-rate:1MBps smpi/async-small-thresh:65536"),
	    1 + 1e-3, 1e-12);
	assert_close(
	    sim_time(FLAT, early, 2, ONE " smpi/copy-rate:1MBps smpi/async-small-thresh:65536"),
	    T(1000), 1e-12);
	assert_close(sim_time(FLAT, late, 2, ONE " smpi/copy-rate:1MBps"), 1 + T(1000), 1e-12);
}

/* The root gets 4000 bytes and combines 1000 ints: 1 ms at a million a second. */
static void reductions(void **state)
{
	static const char
	    sum[] = TRACE "0 reduce 1000 0 0 1\n1 reduce 1000 0 0 1\n",
	    told[] = TRACE "0 reduce 1000 5e6 0 1\n1 reduce 1000 5e6 0 1\n",
	    behind[] = TRACE
	    "0 ireduce 1000 0 0 1 req=0\n1 ireduce 1000 0 0 1 req=0\n0 wait req=0\n1 wait req=0\n";

	(void)state;
	assert_close(sim_time(FLAT, sum, 2, ONE), T(4000), 1e-12);
	assert_close(sim_time(FLAT, sum, 2, ONE " smpi/reduce-rate:1e6"), T(4000) + 1e-3, 1e-12);
	assert_close(sim_time(FLAT, behind, 2, ONE " smpi/reduce-rate:1e6"), T(4000) + 1e-3, 1e-12);
	/* a trace that knows what its operator costs: 5e6 instructions at 1 Gf, once */
	assert_close(sim_time(FLAT, told, 2, ONE " smpi/reduce-rate:1e6"), T(4000) + 5e-3, 1e-12);
	/* doubles: half as many elements in the same bytes */
	assert_close(sim_time(FLAT, TRACE "0 reduce 500 0 0 0\n1 reduce 500 0 0 0\n", 2,
	                      ONE " smpi/reduce-rate:1e6"),
	             T(4000) + 5e-4, 1e-12);
}

static void by_host(void **state)
{
	static const char sum[] = TRACE "0 reduce 1000 0 0 1\n1 reduce 1000 0 0 1\n";
	struct sim s;

	(void)state;
	/* properties of the hosts: beside the sum, 4 ms for the copy of what the root itself has
	 * (its part of the sum) */
	assert_close(sim_time(WITH_PROPERTIES, sum, 2, ONE), T(4000) + 1e-3 + 4e-3, 4e-3 + 1e-12);
	assert_true(sim_time(WITH_PROPERTIES, sum, 2, ONE) >= T(4000) + 1e-3 - 1e-12);
	/* SimGrid has no such rates */
	assert_close(sim_time(WITH_PROPERTIES, sum, 2, ONE " compat:simgrid-3.32"),
	             sim_time(FLAT, sum, 2, ONE " compat:simgrid-3.32"), 1e-15);
	assert_int_equal(sim_run(&s, FLAT, sum, 2, "smpi/copy-rate:-1", NULL), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(to_oneself), cmocka_unit_test(packed),  cmocka_unit_test(unexpected),
	    cmocka_unit_test(reductions), cmocka_unit_test(by_host),
	};

	return cmocka_run_group_tests_name("replay/rates", tests, NULL, NULL);
}
