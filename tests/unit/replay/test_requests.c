/* test_requests.c: matched probes, partitioned requests, and when non-blocking collectives go on:
 * dates worked by hand. T(n) = 30e-6 + (n + 16) / 125e6 between two hosts alone. */
#include "sim.h"

#include "test.h"

#define FLAT SIM_CLUSTER("")
#define ONE \
	"network/latency-factor:1 network/bandwidth-factor:1 network/crosstraffic:no " \
	"network/TCP-gamma:0"

static double T(double n)
{
	return 30e-6 + (n + 16) / 125e6;
}

/* The probe takes the message of 8000 bytes: the receive of 80 gets the next one, which would not
 * fit otherwise. */
static void matched(void **state)
{
	struct sim s;

	(void)state;
	assert_close(
	    sim_time(
	        FLAT,
	        "# orrery-trace 1\n0 send 1 5 8000 6\n0 send 1 5 80 6\n1 mprobe 0 5 message=3\n"
	        "1 recv 0 5 80 6\n"
	        "1 mrecv 0 5 8000 6 message=3\n",
	        2, ONE),
	    T(80) + T(8000), 1e-12);
	/* found when it is sent, after a millisecond; received without blocking */
	assert_close(
	    sim_time(
	        FLAT,
	        "# orrery-trace 1\n0 compute 1e6\n0 send 1 5 8000 6\n1 mprobe -1 -1 message=3\n"
	        "1 imrecv 0 5 8000 6 message=3 req=0\n1 wait req=0\n",
	        2, ONE),
	    1e-3 + T(8000), 1e-12);
	assert_int_equal(sim_run(&s, FLAT,
	                         "# orrery-trace 1\n1 mrecv 0 5 8000 6 message=3\n0 init\n", 2, ONE,
	                         NULL),
	                 -1);
	assert_non_null(strstr(s.err.text, "message 3 was not probed"));
	assert_int_equal(
	    sim_run(&s, FLAT, "# orrery-trace 1\n0 init\n1 mprobe 0 5 message=3\n", 2, ONE, NULL),
	    -1);
	assert_non_null(strstr(s.err.text, "deadlock"));
}

#define CHANNEL \
	"# orrery-trace 1\n0 psend_init 1 5 2 1000 6 req=0\n1 precv_init 0 5 2 1000 6 req=0\n"

static void partitions(void **state)
{
	(void)state;
	/* two messages, the second a millisecond later */
	assert_close(
	    sim_time(FLAT,
	             CHANNEL
	             "0 start 1 reqs=0\n1 start 1 reqs=0\n0 pready req=0 parts=0\n0 compute 1e6\n"
	             "0 pready req=0 parts=1\n0 wait req=0\n1 wait req=0\n",
	             2, ONE),
	    1e-3 + T(1000), 1e-12);
	/* the receiver starts late: both move then, over one link */
	assert_close(
	    sim_time(FLAT,
	             CHANNEL
	             "0 start 1 reqs=0\n0 pready req=0 parts=0-1\n0 wait req=0\n1 compute 1e6\n"
	             "1 start 1 reqs=0\n"
	             "1 wait req=0\n",
	             2, ONE),
	    1e-3 + 30e-6 + 2 * 1016 / 125e6, 1e-12);
	/* parrived waits for its partition only; the computation after it overlaps with the other
	 * one's way */
	assert_close(
	    sim_time(
	        FLAT,
	        CHANNEL
	        "0 start 1 reqs=0\n1 start 1 reqs=0\n0 pready req=0 parts=1\n0 compute 1e6\n"
	        "0 pready req=0 parts=0\n0 wait req=0\n1 parrived req=0 parts=1\n1 compute 2e6\n"
	        "1 wait req=0\n",
	        2, ONE),
	    T(1000) + 2e-3, 1e-12);
	/* the overhead of a non-blocking send for each */
	assert_close(sim_time(FLAT,
	                      CHANNEL "0 start 1 reqs=0\n1 start 1 reqs=0\n0 pready req=0 parts=0\n"
	                              "0 pready req=0 parts=1\n"
	                              "0 wait req=0\n1 wait req=0\n",
	                      2, ONE " smpi/ois:0:1e-3:0"),
	             2e-3 + T(1000), 1e-12);
	/* cut otherwise by the receiver; started twice; freed */
	assert_close(
	    sim_time(FLAT,
	             "# orrery-trace 1\n0 psend_init 1 5 2 1000 6 req=0\n"
	             "1 precv_init 0 5 1 2000 6 req=0\n"
	             "0 start 1 reqs=0\n1 start 1 reqs=0\n0 pready req=0 parts=0-1\n0 wait req=0\n"
	             "1 parrived req=0 parts=0\n"
	             "1 wait req=0\n0 start 1 reqs=0\n1 start 1 reqs=0\n0 pready req=0 parts=0-1\n"
	             "0 wait req=0\n1 wait req=0\n"
	             "0 request_free req=0\n1 request_free req=0\n",
	             2, ONE),
	    2 * (30e-6 + 2 * 1016 / 125e6), 1e-12);
}

static void partitions_that_are_wrong(void **state)
{
	struct sim s;

	(void)state;
	assert_int_equal(sim_run(&s, FLAT, CHANNEL "0 pready req=0 parts=0\n", 2, ONE, NULL), -1);
	assert_non_null(
	    strstr(s.err.text, "partition 0 is ready twice, or its request was not started"));
	assert_int_equal(
	    sim_run(&s, FLAT, CHANNEL "0 start 1 reqs=0\n0 pready req=0 parts=2\n", 2, ONE, NULL),
	    -1);
	assert_non_null(strstr(s.err.text, "partition 2 of 2"));
	assert_int_equal(sim_run(&s, FLAT, CHANNEL "1 pready req=0 parts=0\n", 2, ONE, NULL), -1);
	assert_non_null(strstr(s.err.text, "is no partitioned send"));
	assert_int_equal(sim_run(&s, FLAT,
	                         "# orrery-trace 1\n0 psend_init 1 5 2 1000 6 req=0\n"
	                         "1 precv_init 0 5 2 999 6 req=0\n",
	                         2, ONE, NULL),
	                 -1);
	assert_non_null(strstr(s.err.text, "made its other side with"));
}

/* A broadcast over three ranks of a binomial tree: 0 to 2 and to 1; 2 to 3. Rank 2 computes
 * meanwhile, a millisecond. */
#define IBCAST \
	"# orrery-trace 1\n0 ibcast 1000 0 6 req=0\n1 ibcast 1000 0 6 req=0\n" \
	"2 ibcast 1000 0 6 req=0\n3 ibcast 1000 0 6 req=0\n" \
	"2 compute 1e6\n0 wait req=0\n1 wait req=0\n2 wait req=0\n3 wait req=0\n"

static void progress(void **state)
{
	double first = 30e-6 + 2 * 1016 / 125e6;
	struct sim s;

	(void)state;
	/* in calls only: what has arrived at 2 leaves for 3 when 2 waits */
	assert_close(sim_time(FLAT, IBCAST, 4, ONE), 1e-3 + T(1000), 1e-12);
	/* on its own: 3 has it long before 2 is through */
	assert_close(sim_time(FLAT, IBCAST "3 compute 1e6\n", 4, ONE " smpi/progress:async"),
	             first + T(1000) + 1e-3, 1e-12);
	/* SMPI's linear one has nothing to forward */
	assert_close(sim_time(FLAT, IBCAST, 4, ONE " compat:simgrid-3.32"), 1e-3, 1e-12);
	assert_int_equal(sim_run(&s, FLAT, IBCAST, 4, ONE " smpi/progress:never", NULL), -1);
	assert_non_null(strstr(s.err.text, "smpi/progress takes calls or async"));
}

/* A message of 100 kB, T(100000) = 830 us on its way; the receiver computes for 0.1 ms and 2 ms,
 * with `test` between. */
#define OVERLAP(test) \
	"# orrery-trace 1\n0 isend 1 5 100000 6 req=0\n0 wait req=0\n" \
	"1 irecv 0 5 100000 6 req=0\n1 irecv 0 6 8 6 req=1\n" \
	"1 compute 1e5\n" test "1 compute 2e6\n0 send 1 6 8 6\n1 waitall 2 reqs=0,1\n"

static void looks(void **state)
{
	(void)state;
	/* found complete: it waits. May fail: it does not, and takes no time, but smpi/test where
	 * SimGrid's replayer has such a test */
	assert_close(sim_time(FLAT, OVERLAP("1 test req=0 done=0\n"), 2, ONE), T(100000) + 2e-3,
	             1e-12);
	assert_close(sim_time(FLAT, OVERLAP("1 test req=0\n"), 2, ONE), 2.1e-3, 1e-12);
	assert_close(sim_time(FLAT, OVERLAP("1 testall 2 reqs=0,1\n"), 2, ONE), 2.1e-3, 1e-12);
	assert_close(sim_time(FLAT,
	                      OVERLAP("1 testany 2 reqs=1,0\n1 testsome 2 reqs=1,0\n1 testall\n"),
	                      2, ONE),
	             2.1e-3, 1e-12);
	assert_close(sim_time(FLAT, OVERLAP("1 test 0 1 5\n"), 2, ONE), 2.1e-3 + 1e-4, 1e-12);
	/* compat: not at all, as in the plain form */
	assert_close(sim_time(FLAT, OVERLAP("1 test req=0\n1 testall 2 reqs=0,1\n"), 2,
	                      ONE " compat:simgrid-3.32"),
	             2.1e-3, 1e-12);
	/* what a look completes is not waited for again, in a list or alone; that takes the
	 * overhead `or` once */
	assert_close(
	    sim_time(FLAT,
	             "# orrery-trace 1\n0 send 1 5 8 6\n0 send 1 6 8 6\n1 irecv 0 5 8 6 req=0\n"
	             "1 irecv 0 6 8 6 req=1\n"
	             "1 compute 1e6\n1 testsome 2 reqs=0,1\n1 testall 2 reqs=0,1\n1 wait req=1\n"
	             "1 waitall 1 reqs=0\n",
	             2, ONE " smpi/or:0:1e-3:0"),
	    1e-3 + 2e-3, 1e-12);
	/* a testall that fails has received what it found, and paid for it: the rank then waits
	 * for a third message, and at the end only the second is left to be paid */
	assert_close(sim_time(FLAT,
	                      "# orrery-trace 1\n0 send 1 5 8 6\n0 compute 5e6\n0 send 1 6 8 6\n"
	                      "0 compute 5e6\n0 send 1 7 8 6\n"
	                      "1 irecv 0 5 8 6 req=0\n1 irecv 0 6 8 6 req=1\n1 compute 1e6\n"
	                      "1 testall 2 reqs=0,1\n1 recv 0 7 8 6\n1 testall 2 reqs=0,1\n",
	                      2, ONE " smpi/or:0:1e-3:0"),
	             10e-3 + T(8) + 1e-3 + 1e-3, 1e-12);
	/* a persistent request lives on; its sender does not wait for messages that small */
	assert_close(
	    sim_time(FLAT,
	             "# orrery-trace 1\n0 send 1 5 1000 6\n0 compute 2e6\n0 send 1 5 1000 6\n"
	             "1 recv_init 0 5 1000 6 req=0\n"
	             "1 start 1 reqs=0\n1 compute 1e6\n1 test req=0\n1 testall 1 reqs=0\n"
	             "1 wait req=0\n1 start 1 reqs=0\n"
	             "1 test req=0\n1 wait req=0\n",
	             2, ONE),
	    2e-3 + T(1000), 1e-12);
	/* collectives go on in a look: what has come to 2 leaves for 3 at 0.4 ms (progress,
	 * above) */
	assert_close(
	    sim_time(FLAT,
	             "# orrery-trace 1\n0 ibcast 1000 0 6 req=0\n1 ibcast 1000 0 6 req=0\n"
	             "2 ibcast 1000 0 6 req=0\n"
	             "3 ibcast 1000 0 6 req=0\n2 compute 4e5\n2 test req=0\n2 compute 6e5\n"
	             "0 wait req=0\n1 wait req=0\n"
	             "2 wait req=0\n3 wait req=0\n3 compute 1e6\n",
	             4, ONE),
	    4e-4 + T(1000) + 1e-3, 1e-12);
}

/* A look that found nothing when it was traced finds the message here: there is nothing to cancel
 * any more, and nothing to wait for (MPI 4.1, 3.8.4: the communication completes normally). */
static void cancelled_after_a_look(void **state)
{
	(void)state;
	assert_close(sim_time(FLAT,
	                      "# orrery-trace 1\n0 send 1 5 80 6\n1 irecv 0 5 80 6 req=0\n"
	                      "1 compute 1e6\n1 test req=0\n1 compute 1e6\n1 cancel req=0\n"
	                      "1 wait req=0\n1 compute 1e6\n",
	                      2, ONE),
	             3e-3, 1e-12);
	assert_close(sim_time(FLAT,
	                      "# orrery-trace 1\n0 send 1 5 80 6\n1 irecv 0 5 80 6 req=0\n"
	                      "1 compute 1e6\n1 testsome 1 reqs=0\n1 cancel req=0\n"
	                      "1 request_free req=0\n1 compute 1e6\n",
	                      2, ONE),
	             2e-3, 1e-12);
	/* a persistent one is inactive, starts again, and may be given up then */
	assert_close(sim_time(FLAT,
	                      "# orrery-trace 1\n0 send 1 5 80 6\n0 compute 5e6\n0 send 1 5 80 6\n"
	                      "1 recv_init 0 5 80 6 req=0\n1 start 1 reqs=0\n1 compute 1e6\n"
	                      "1 test req=0\n1 cancel req=0\n1 wait req=0\n1 start 1 reqs=0\n"
	                      "1 compute 1e6\n1 test req=0\n1 cancel req=0\n1 wait req=0\n"
	                      "1 start 1 reqs=0\n1 wait req=0\n1 request_free req=0\n",
	                      2, ONE),
	             5e-3 + T(80), 1e-12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(matched),
	    cmocka_unit_test(partitions),
	    cmocka_unit_test(partitions_that_are_wrong),
	    cmocka_unit_test(progress),
	    cmocka_unit_test(looks),
	    cmocka_unit_test(cancelled_after_a_look),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
