/* test_replay.c: the actions of a trace, under SimGrid's names for requests and under ours, and
 * what is said of wrong programs. */
#include "sim.h"

#include "test.h"

#define FLAT SIM_CLUSTER("")
#define ONE "network/latency-factor:1 network/bandwidth-factor:1"

/* L + (n + 16) / B with factors 1 */
static double transfer(double n)
{
	return 30e-6 + (n + 16) / 125e6;
}

static void test_wait_by_key(void **state)
{
	(void)state;
	/* Two receives from the same rank with one tag: wait takes the oldest. Both transfers share
	 * the link from 1 to 0. */
	assert_close(
	    sim_time(FLAT,
	             "0 init\n1 init\n0 irecv 1 5 1000\n0 irecv 1 5 1000\n1 isend 0 5 1000\n"
	             "1 isend 0 5 1000\n"
	             "0 wait 1 0 5\n0 wait 1 0 5\n1 waitall 2\n0 finalize\n1 finalize\n",
	             2, ONE),
	    30e-6 + 2 * 1016 / 125e6, 1e-12);
}

static void test_wait_by_number(void **state)
{
	(void)state;
	assert_close(
	    sim_time(
	        FLAT,
	        "# orrery-trace 1\n0 init\n1 init\n0 irecv 1 5 1000 6 req=7\n"
	        "1 isend 0 5 1000 6 req=3\n"
	        "0 compute 1e6\n0 wait 1 0 5 req=7\n1 wait 1 0 5 req=3\n0 finalize\n1 finalize\n",
	        2, ONE),
	    1e-3, 1e-12);
}

static void test_leftover_requests_are_waited_for(void **state)
{
	struct sim s;

	(void)state;
	assert_ok(
	    sim_run(
	        &s, FLAT,
	        "0 init\n1 init\n0 irecv 1 5 100000\n1 isend 0 5 100000\n0 finalize\n1 finalize\n",
	        2, ONE, NULL),
	    s.err);
	assert_close(s.time, transfer(100000), 1e-12);
	assert_non_null(strstr(s.report, "2 requests were not completed"));
}

/* What the program left, with a number: its MPI_Finalize does not wait for it, be it that nothing
 * ever meets it. */
static void test_left_requests_are_not_waited_for(void **state)
{
	static const char *const left[][2] = {
	    {"0 irecv -1 5 100 6 req=0\n", "nothing came"},
	    {"0 isend 1 5 100000000 6 req=0\n", "never received"},
	    {"0 ibarrier req=0\n", "called by 1 of 2 ranks"},
	};
	char trace[256];
	struct sim s;

	(void)state;
	for (size_t i = 0; i < sizeof left / sizeof *left; i++) {
		snprintf(trace, sizeof trace,
		         "# orrery-trace 1\n0 init\n1 init\n%s0 compute 1e6\n0 finalize\n"
		         "1 finalize\n",
		         left[i][0]);
		assert_ok(sim_run(&s, FLAT, trace, 2, ONE, NULL), s.err);
		assert_close(s.time, 1e-3, 1e-12);
		assert_non_null(strstr(s.report, left[i][1]));
	}
}

static void test_old_dialect(void **state)
{
	(void)state;
	/* 2011: named processes, no tags, wait means the last Irecv */
	assert_close(
	    sim_time(
	        FLAT,
	        "p0 init\np1 init\np0 compute 1e6\np0 send p1 1000\np1 Irecv p0 1000\np1 wait\n"
	        "p0 finalize\np1 finalize\n",
	        2, ONE),
	    1e-3 + transfer(1000), 1e-12);
}

static void test_simulate_computation_off(void **state)
{
	(void)state;
	assert_double_is(sim_time(FLAT, "0 init\n0 compute 1e9\n0 finalize\n", 1,
	                          "smpi/simulate-computation:no"),
	                 0.0);
}

static void test_oversubscribed_host(void **state)
{
	struct sim s;

	(void)state;
	/* Three ranks on one core of 1 Gf: 3 Mf take 3 ms in all, whoever runs when. */
	assert_ok(
	    sim_run(&s, FLAT, "0 compute 1e6\n1 compute 1e6\n2 compute 1e6\n", 3, "", "h0:3\n"),
	    s.err);
	assert_close(s.time, 3e-3, 1e-12);
}

static void test_sub_communicators(void **state)
{
	struct sim s;

	(void)state;
	/* Two pairs do a barrier of their own at different dates: neither waits for the other
	 * pair. */
	assert_ok(
	    sim_run(&s, FLAT,
	            "# orrery-trace 1\n0 comm_split comm=0.2 members=0,2\n"
	            "2 comm_split comm=0.2 members=0,2\n"
	            "1 comm_split comm=1.2 members=1,3\n3 comm_split comm=1.2 members=1,3\n"
	            "0 barrier comm=0.2\n2 barrier comm=0.2\n1 compute 1e7\n1 barrier comm=1.2\n"
	            "3 barrier comm=1.2\n",
	            4, ONE " smpi/comm-setup:none", NULL),
	    s.err);
	assert_close(s.time, 1e-2 + 2 * transfer(0), 1e-9);
}

static void test_deadlock(void **state)
{
	struct sim s;

	(void)state;
	assert_fails(
	    sim_run(&s, FLAT, "0 recv 1 0 100\n1 recv 2 0 100\n2 recv 0 0 100\n", 3, "", NULL),
	    s.err, ERR_PROGRAM, "deadlock");
	assert_non_null(strstr(s.err.text, "rank 0"));
	assert_non_null(strstr(s.err.text, "rank 2"));
}

static void test_truncation(void **state)
{
	struct sim s;

	(void)state;
	assert_fails(sim_run(&s, FLAT, "0 send 1 0 100\n1 recv 0 0 10\n", 2, "", NULL), s.err,
	             ERR_PROGRAM, "truncat");
}

static void test_unmatched_message(void **state)
{
	struct sim s;

	(void)state;
	assert_ok(sim_run(&s, FLAT, "0 send 1 3 100\n1 compute 10\n", 2, "", NULL), s.err);
	assert_int_equal(s.remarks, 1);
	assert_non_null(strstr(s.report, "never received"));
}

static void test_bad_partner(void **state)
{
	struct sim s;

	(void)state;
	assert_fails(sim_run(&s, FLAT, "0 send 9 0 100\n1 compute 10\n", 2, "", NULL), s.err,
	             ERR_INPUT, "program.tit:1:8: expected the rank of a destination");
	assert_fails(sim_run(&s, FLAT, "0 bcast 8 7\n1 bcast 8 7\n", 2, "", NULL), s.err, ERR_INPUT,
	             "program.tit:1:11: expected the root");
}

static void test_missing_rank(void **state)
{
	struct sim s;

	(void)state;
	assert_fails(sim_run(&s, FLAT, "0 compute 1\n1 compute 1\n", 4, "", NULL), s.err, ERR_INPUT,
	             "4");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_wait_by_key),
	    cmocka_unit_test(test_wait_by_number),
	    cmocka_unit_test(test_leftover_requests_are_waited_for),
	    cmocka_unit_test(test_left_requests_are_not_waited_for),
	    cmocka_unit_test(test_old_dialect),
	    cmocka_unit_test(test_simulate_computation_off),
	    cmocka_unit_test(test_oversubscribed_host),
	    cmocka_unit_test(test_sub_communicators),
	    cmocka_unit_test(test_deadlock),
	    cmocka_unit_test(test_truncation),
	    cmocka_unit_test(test_unmatched_message),
	    cmocka_unit_test(test_bad_partner),
	    cmocka_unit_test(test_missing_rank),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
