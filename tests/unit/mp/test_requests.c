/* test_requests.c: waits, tests, probes, persistent requests, cancelling, against dates worked by
 * hand (FLAT_TIME as in sim.h). */
#include "sim.h"

/* Three messages that leave at 0.3, 0.1, 0.2 s. */
static void waitany(void **state)
{
	const struct act receives[] = {
	    IRECV(1, 0, 1e9, 0), IRECV(2, 0, 1e9, 1), IRECV(3, 0, 1e9, 2), WAITANY(0, 3),
	    WAITANY(0, 3),       WAITANY(0, 3),       WAITANY(0, 3),       {0}};
	const struct act one[] = {SLEEP(0.3), SEND(0, 0, 100), {0}},
	                 two[] = {SLEEP(0.1), SEND(0, 0, 100), {0}};
	const struct act three[] = {SLEEP(0.2), SEND(0, 0, 100), {0}};
	const struct act *programs[4] = {receives, one, two, three};
	const uint32_t want[] = {1, 2, 0};
	const double dates[] = {0.1, 0.2, 0.3};
	struct sim s;

	(void)state;
	sim_do(&s, FLAT, PLAIN, programs, 4);
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(s.rank[0].seen[3 + i].n, 1);
		assert_int_equal(s.rank[0].seen[3 + i].index[0], want[i]);
		assert_close(sim_date(&s, 0, 3 + i), dates[i] + FLAT_TIME(100), 1e-12);
	}
	assert_int_equal(s.rank[0].seen[6].n, 0); /* only null requests */
	sim_release(&s);
}

/* What is there when the call is made: a detached send first, else the first of the array. */
static void waitany_of_complete(void **state)
{
	const struct act acts[] = {
	    IRECV(1, 0, 1e9, 0), IRECV(1, 1, 1e9, 1), ISEND(1, 0, 10, 2), SLEEP(1),
	    WAITANY(0, 3),       WAITANY(0, 3),       WAITANY(0, 3),      {0}};
	const struct act peer[] = {SEND(0, 1, 10), SEND(0, 0, 20), RECV(0, 0, 10), {0}};
	const struct act *programs[2] = {acts, peer};
	struct sim s;

	(void)state;
	sim_do(&s, FLAT, PLAIN, programs, 2);
	assert_int_equal(s.rank[0].seen[4].index[0], 2);
	assert_int_equal(s.rank[0].seen[5].index[0], 0);
	assert_int_equal(s.rank[0].seen[6].index[0], 1);
	sim_release(&s);
}

/* In compat, as in SimGrid: of the two sides of a message to oneself the first of the array. */
static void waitany_of_oneself(void **state)
{
	const struct act receives[] = {
	    IRECV(0, 0, 1e9, 0), ISEND(0, 0, 1e6, 1), WAITANY(0, 2), WAITANY(0, 2), {0}};
	const struct act sends[] = {
	    ISEND(0, 0, 1e6, 0), IRECV(0, 0, 1e9, 1), WAITANY(0, 2), WAITANY(0, 2), {0}};
	const struct act *programs[1];
	struct sim s;

	(void)state;
	for (int k = 0; k < 2; k++) {
		programs[0] = k ? sends : receives;
		sim_do(&s, FLAT, PLAIN " compat:simgrid-3.32", programs, 1);
		assert_int_equal(s.rank[0].seen[2].index[0], 0);
		assert_int_equal(s.rank[0].seen[3].index[0], 1);
		sim_release(&s);
	}
}

/* Two arrive together (one link shared by both: 20e-6 + 2 x 116 / 100e6), the third later; `or` is
 * paid for what is completed. */
static void waitsome(void **state)
{
	const struct act receives[] = {IRECV(1, 0, 1e9, 0), IRECV(2, 0, 1e9, 1),
	                               IRECV(3, 0, 1e9, 2), WAITSOME(0, 3),
	                               WAITSOME(0, 3),      {0}};
	const struct act late[] = {SLEEP(0.1), SEND(0, 0, 100), {0}},
	                 soon[] = {SEND(0, 0, 100), {0}};
	const struct act *programs[4] = {receives, late, soon, soon};
	double first = 20e-6 + 2 * 116 / 100e6 + 2 * 1e-3;
	struct sim s;

	(void)state;
	sim_do(&s, FLAT, PLAIN " smpi/or:0:1e-3:0", programs, 4);
	assert_int_equal(s.rank[0].seen[3].n, 2);
	assert_close(sim_date(&s, 0, 3), first, 1e-12);
	assert_close(sim_date(&s, 0, 4), 0.1 + FLAT_TIME(100) + 1e-3, 1e-12);
	sim_release(&s);
}

/* In compat, as in SimGrid: what a test found ends the row of all ranks' failures once its or is
 * paid, here 1 ms after it looked; the other's failure in between is forgotten with it. */
static void found_in_compat(void **state)
{
	const struct act first[] = {IRECV(2, 0, 1e9, 0), SLEEP(0.5), TEST(0), {0}},
	                 some[] = {
	                     IRECV(2, 0, 1e9, 0), SLEEP(0.5), TEST_AS(MP_TESTSOME, 0, 1), {0}};
	const struct act other[] = {IRECV(2, 1, 1e9, 0), SLEEP(0.50005), TEST(0),
	                            SLEEP(0.01),         TEST(0),        {0}};
	const struct act sends[] = {SEND(0, 0, 100), SLEEP(1), SEND(1, 1, 100), {0}};
	const struct act *programs[3] = {first, other, sends};
	struct sim s;

	(void)state;
	for (int k = 0; k < 2; k++) {
		programs[0] = k ? some : first;
		sim_do(&s, FLAT, PLAIN " compat:simgrid-3.32 smpi/or:0:1e-3:0", programs, 3);
		assert_close(sim_date(&s, 0, 2), 0.5 + 1e-4 + 1e-3, 1e-9);
		assert_close(sim_date(&s, 1, 2), 0.50005 + 1e-4, 1e-9);
		assert_close(sim_date(&s, 1, 4), 0.50005 + 1e-4 + 0.01 + 1e-4, 1e-9);
		sim_release(&s);
	}
}

/* In compat, as in SimGrid: a test of rank 1 fails at 0.1 ms, which it counts in its next turn:
 * what begins there in the turn before takes 0.1 ms still, what begins after another request 0.2
 * ms. The dates are smpirun's. */
static void failed_in_compat(void **state)
{
	const struct act tests[] = {IRECV(2, 1, 1e9, 0), TEST(0), {0}},
	                 some[] = {IRECV(2, 1, 1e9, 0), TEST_AS(MP_TESTSOME, 0, 1), {0}},
	                 probes[] = {IPROBE(2, 1), {0}};
	const struct act at_once[] = {IRECV(2, 0, 1e9, 0), SLEEP(1e-4), TEST(0), {0}},
	                 later[] = {SLEEP(1e-4), IRECV(2, 0, 1e9, 0), TEST(0), {0}};
	const struct act looks[] = {SLEEP(1e-4), IRECV(2, 0, 1e9, 0), IPROBE(2, 5), {0}};
	const struct act sends[] = {SLEEP(1), SEND(0, 0, 100), SEND(1, 1, 100), {0}};
	const struct act *const pairs[][2] = {
	    {at_once, tests}, {later, tests}, {at_once, some}, {later, some}, {looks, probes}};
	const double ends[] = {2e-4, 3e-4, 2e-4, 3e-4, 2e-4};

	(void)state;
	for (int k = 0; k < 5; k++) {
		const struct act *programs[3] = {pairs[k][0], pairs[k][1], sends};
		struct sim s;

		sim_do(&s, FLAT, PLAIN " compat:simgrid-3.32", programs, 3);
		assert_close(sim_date(&s, 0, 2), ends[k], 1e-9);
		sim_release(&s);
	}
}

/* The same with two mailboxes: a small synchronous message that is not awaited waits in the large
 * one, where a small receive looks last, so that rank 1's test begins a turn after rank 2's. Of two
 * sleeps that end together the later one ends first: rank 1 has found something before rank 2
 * counts its second failure. The dates are smpirun's. */
static void synchronous_in_compat(void **state)
{
	const struct act sends[] = {ISEND_AS(MP_SYNCHRONOUS, 1, 0, 100, 0),
	                            SLEEP(0.01),
	                            SEND(2, 1, 100),
	                            SEND(2, 2, 100),
	                            WAIT(0),
	                            {0}};
	const struct act finds[] = {SLEEP(1e-3), IRECV(0, 0, 100, 0), TEST(0), {0}};
	const struct act fails[] = {IRECV(0, 1, 5000, 0),
	                            TEST(0),
	                            SLEEP(9e-4),
	                            IRECV(0, 2, 5000, 1),
	                            TEST(0),
	                            TEST(0),
	                            {0}};
	const struct act *programs[3] = {sends, finds, fails};
	struct sim s;

	(void)state;
	sim_do(&s, FLAT, PLAIN " compat:simgrid-3.32 smpi/async-small-thresh:1000", programs, 3);
	assert_int_equal(s.rank[1].seen[2].flag, 1);
	assert_close(sim_date(&s, 1, 2), 1.2e-3, 1e-9);
	assert_close(sim_date(&s, 2, 4), 1.2e-3, 1e-9);
	assert_close(sim_date(&s, 2, 5), 1.4e-3, 1e-9);
	sim_release(&s);
}

/* In compat no sleep is shorter than surf/precision; none at all stays none. */
static void short_sleeps_in_compat(void **state)
{
	const struct act sleeps[] = {SLEEP(1e-10), SLEEP(0), SLEEP(4e-10), SLEEP(1e-3), {0}};
	const struct act *programs[2] = {sleeps, sleeps};
	struct sim s;

	(void)state;
	sim_do(&s, FLAT, PLAIN " compat:simgrid-3.32", programs, 2);
	assert_close(sim_date(&s, 0, 1), 1e-9, 1e-12);
	assert_close(sim_date(&s, 0, 2), 2e-9, 1e-12);
	sim_release(&s);
	sim_do(&s, FLAT, PLAIN " compat:simgrid-3.32 surf/precision:1e-4", programs, 2);
	assert_close(sim_date(&s, 0, 3), 1.2e-3, 1e-9);
	sim_release(&s);
	sim_do(&s, FLAT, PLAIN, programs, 2);
	assert_close(sim_date(&s, 0, 2), 5e-10, 1e-12);
	sim_release(&s);
}

/* In compat, as in SimGrid: one is waited for (paying its or), then each other is tested at
 * smpi/test a time: the second is there, the third is not, which makes the next test twice as
 * long. */
static void waitsome_in_compat(void **state)
{
	const struct act receives[] = {IRECV(1, 0, 1e9, 0),
	                               IRECV(2, 0, 1e9, 1),
	                               IRECV(3, 0, 1e9, 2),
	                               SLEEP(0.5),
	                               WAITSOME(0, 3),
	                               IRECV(2, 1, 1e9, 3),
	                               TEST(3),
	                               {0}};
	const struct act late[] = {SLEEP(1), SEND(0, 0, 100), {0}},
	                 soon[] = {SEND(0, 0, 100), SEND(0, 1, 100), {0}};
	const struct act *programs[4] = {receives, soon, soon, late};
	struct sim s;

	(void)state;
	sim_do(&s, FLAT, PLAIN " compat:simgrid-3.32 smpi/or:0:1e-3:0", programs, 4);
	assert_int_equal(s.rank[0].seen[4].n, 2);
	assert_close(sim_date(&s, 0, 4), 0.5 + 1e-3 + 1e-4 + 1e-3 + 1e-4, 1e-9);
	assert_close(sim_date(&s, 0, 6), sim_date(&s, 0, 4) + 2e-4 + 1e-3, 1e-9);
	sim_release(&s);
}

/* In compat, as in SimGrid: the first comes while the second is tested, after its own test, and is
 * found by the next call only. */
static void testsome_in_compat(void **state)
{
	const struct act receives[] = {
	    IRECV(1, 0, 1e9, 0),        IRECV(2, 0, 1e9, 1),        SLEEP(0.5),
	    TEST_AS(MP_TESTSOME, 0, 2), TEST_AS(MP_TESTSOME, 0, 2), {0}};
	const struct act late[] = {SLEEP(0.50015), SEND(0, 0, 100), {0}},
	                 soon[] = {SEND(0, 0, 100), {0}};
	const struct act *programs[3] = {receives, late, soon};
	struct sim s;

	(void)state;
	sim_do(&s, FLAT, PLAIN " compat:simgrid-3.32", programs, 3);
	assert_int_equal(s.rank[0].seen[3].n, 1);
	assert_int_equal(s.rank[0].seen[3].index[0], 1);
	assert_close(sim_date(&s, 0, 3), 0.5 + 1e-4 + 2e-4, 1e-9);
	assert_int_equal(s.rank[0].seen[4].n, 1);
	assert_int_equal(s.rank[0].seen[4].index[0], 0);
	assert_close(sim_date(&s, 0, 4), 0.5 + 3e-4 + 1e-4, 1e-9);
	sim_release(&s);
}

/* In compat, as in SimGrid: the first is there and pays its or, though the second is not; from then
 * on the second alone is tested. The program still gets both at once. */
static void testall_in_compat(void **state)
{
	const struct act receives[] = {IRECV(1, 0, 1e9, 0),
	                               IRECV(2, 0, 1e9, 1),
	                               SLEEP(0.5),
	                               TEST_AS(MP_TESTALL, 0, 2),
	                               TEST_AS(MP_TESTALL, 0, 2),
	                               SLEEP(1),
	                               TEST_AS(MP_TESTALL, 0, 2),
	                               IRECV(1, 1, 1e9, 2),
	                               IRECV(2, 1, 1e9, 3),
	                               TEST_AS(MP_TESTALL, 2, 2),
	                               TEST(2),
	                               WAIT(3),
	                               {0}};
	const struct act late[] = {SLEEP(1), SEND(0, 0, 100), SLEEP(1), SEND(0, 1, 100), {0}},
	                 soon[] = {SEND(0, 0, 100), SEND(0, 1, 100), {0}};
	const struct act *programs[3] = {receives, soon, late};
	struct sim s;

	(void)state;
	sim_do(&s, FLAT, PLAIN " compat:simgrid-3.32 smpi/or:0:1e-3:0", programs, 3);
	assert_int_equal(s.rank[0].seen[3].n, 0);
	assert_close(sim_date(&s, 0, 3), 0.5 + 1e-4 + 1e-3 + 1e-4, 1e-9);
	assert_int_equal(s.rank[0].seen[4].n, 0);
	assert_close(sim_date(&s, 0, 4), sim_date(&s, 0, 3) + 2e-4, 1e-9);
	assert_int_equal(s.rank[0].seen[6].n, 2);
	assert_close(sim_date(&s, 0, 6), sim_date(&s, 0, 5) + 3e-4 + 1e-3, 1e-9);
	assert_int_equal(s.rank[0].seen[9].n, 0);
	assert_close(sim_date(&s, 0, 9), sim_date(&s, 0, 6) + 1e-4 + 1e-3 + 1e-4, 1e-9);
	assert_int_equal(s.rank[0].seen[10].n, 1); /* settled: at no cost */
	assert_close(sim_date(&s, 0, 10), sim_date(&s, 0, 9), 1e-9);
	sim_release(&s);
}

/* A pattern is started again and again; its detached messages may still be on their way. */
static void persistent(void **state)
{
	const struct act sends[] = {SEND_INIT(MP_STANDARD, 1, 0, 1000, 0),
	                            START(0, 1),
	                            {.k = ACT_WAIT, .n = 1, .keep = 1},
	                            START(0, 1),
	                            {.k = ACT_WAIT, .n = 1, .keep = 1},
	                            {.k = ACT_WAIT, .n = 1, .keep = 1},
	                            REQ_FREE_(0),
	                            {0}};
	const struct act receives[] = {SLEEP(1),
	                               RECV_INIT(ANY, ANY, 1e9, 0),
	                               RECV_INIT(0, 0, 1e9, 1),
	                               START(0, 2),
	                               {.k = ACT_WAIT, .n = 2, .mode = MP_WAITALL, .keep = 1},
	                               REQ_FREE_(0),
	                               REQ_FREE_(1),
	                               {0}};
	const struct act *programs[2] = {sends, receives};
	struct str report;
	struct sim s;

	(void)state;
	sim_do(&s, FLAT, PLAIN " smpi/os:0:1e-3:0", programs, 2);
	assert_close(sim_date(&s, 0, 5), 2e-3, 1e-12);
	assert_int_equal(s.rank[0].seen[5].n, 0);
	assert_close(sim_date(&s, 1, 4), 1 + 20e-6 + 2 * 1016 / 100e6, 1e-12);
	assert_int_equal(s.rank[1].seen[4].n, 2);
	str_init(&report);
	assert_int_equal(mp_report(s.mp, &report), 0);
	str_release(&report);
	sim_release(&s);
}

/* Failed tests cost 1, 2, 3… times smpi/test; a success starts again at 1. The message arrives at
 * 0.35 ms + FLAT_TIME(100) = 0.37116 ms: tests end at 0.1, 0.3 and 0.6 ms; the next one, of another
 * message, at 0.7 ms. */
static void test_costs(void **state)
{
	const struct act tests[] = {IRECV(1, 0, 1e9, 0), TEST(0), TEST(0), TEST(0),
	                            IRECV(1, 1, 1e9, 1), TEST(1), TEST(0), {0}};
	const struct act sends[] = {SLEEP(0.35e-3), SEND(0, 0, 100), SEND(0, 1, 100), {0}};
	const struct act *programs[2] = {tests, sends};
	const double grown[] = {1e-4, 3e-4, 6e-4}, even[] = {1e-4, 2e-4, 3e-4};
	struct sim s;

	(void)state;
	sim_do(&s, FLAT, PLAIN, programs, 2);
	for (uint32_t i = 0; i < 3; i++) {
		assert_close(sim_date(&s, 0, 1 + i), grown[i], 1e-12);
		assert_int_equal(s.rank[0].seen[1 + i].flag, i == 2);
	}
	assert_close(sim_date(&s, 0, 5), 7e-4, 1e-12);
	assert_int_equal(s.rank[0].seen[5].flag, 1);
	assert_double_is(sim_date(&s, 0, 6),
	                 sim_date(&s, 0, 5)); /* a null request: true, at no cost */
	assert_int_equal(s.rank[0].seen[6].flag, 1);
	sim_release(&s);
	sim_do(&s, FLAT, PLAIN " smpi/grow-injected-times:no", programs, 2);
	for (uint32_t i = 0; i < 3; i++)
		assert_close(sim_date(&s, 0, 1 + i), even[i], 1e-12);
	assert_int_equal(s.rank[0].seen[3].flag, 0);
	sim_release(&s);
}

/* Testall completes all or none; Testsome what is there; Testany one. */
static void test_of_several(void **state)
{
	const struct act tests[] = {IRECV(1, 0, 1e9, 0),
	                            IRECV(1, 1, 1e9, 1),
	                            SLEEP(0.1),
	                            TEST_AS(MP_TESTALL, 0, 2),
	                            TEST_AS(MP_TESTANY, 0, 2),
	                            TEST_AS(MP_TESTSOME, 0, 2),
	                            SLEEP(1),
	                            TEST_AS(MP_TESTALL, 0, 2),
	                            {0}};
	const struct act sends[] = {SEND(0, 1, 10), SLEEP(0.5), SEND(0, 0, 10), {0}};
	const struct act *programs[2] = {tests, sends};
	struct sim s;

	(void)state;
	sim_do(&s, FLAT, PLAIN, programs, 2);
	assert_int_equal(s.rank[0].seen[3].flag, 0);
	assert_int_equal(s.rank[0].seen[3].n, 0);
	assert_int_equal(s.rank[0].seen[4].flag, 1);
	assert_int_equal(s.rank[0].seen[4].index[0], 1);
	assert_int_equal(s.rank[0].seen[5].flag, 0);
	assert_int_equal(s.rank[0].seen[7].flag, 1);
	assert_int_equal(s.rank[0].seen[7].n, 1);
	sim_release(&s);
}

/* MPI_Probe returns when the message has been sent, without receiving it. */
static void probes(void **state)
{
	const struct act probe[] = {
	    PROBE(ANY, 3), RECV(1, 3, 1e9), IPROBE(1, ANY), IPROBE(MP_PROC_NULL, 0), {0}};
	const struct act sends[] = {SLEEP(0.5), SEND(0, 2, 10), SLEEP(0.5), SEND(0, 3, 20), {0}};
	const struct act *programs[2] = {probe, sends};
	struct sim s;

	(void)state;
	sim_do(&s, FLAT, PLAIN, programs, 2);
	assert_close(sim_date(&s, 0, 0), 1, 1e-12);
	assert_int_equal(s.rank[0].seen[0].source, 1);
	assert_double_is(s.rank[0].seen[0].bytes, 20);
	assert_close(sim_date(&s, 0, 1), 1 + FLAT_TIME(20), 1e-12);
	assert_close(sim_date(&s, 0, 2), 1 + FLAT_TIME(20) + 1e-4,
	             1e-12); /* 1e-4 s of computation */
	assert_int_equal(s.rank[0].seen[2].flag, 1);
	assert_int_equal(s.rank[0].seen[2].tag, 2);
	assert_int_equal(s.rank[0].seen[3].source, MP_PROC_NULL);
	sim_release(&s);
}

/* In compat MPI_Probe looks every 1e-4 s (nothing grows). Rank 1 finds at 1e-4 s what rank 2 has
 * sent, and sends at 3.5e-4 s. Rank 0, which looked in vain at 1e-4 s when nothing but probes was
 * going on, finds it at 4e-4 s. */
static void probes_that_poll(void **state)
{
	const struct act a[] = {PROBE(1, 1), RECV(1, 1, 10), {0}},
	                 b[] = {PROBE(2, 1), SLEEP(2.5e-4), SEND(0, 1, 10), RECV(2, 1, 10), {0}},
	                 c[] = {SEND(1, 1, 10), {0}};
	const struct act *programs[3] = {a, b, c};
	struct sim s;

	(void)state;
	sim_do(&s, FLAT, PLAIN " compat:simgrid-3.32 smpi/grow-injected-times:no", programs, 3);
	assert_close(sim_date(&s, 1, 0), 1e-4, 1e-12);
	assert_close(sim_date(&s, 0, 0), 4e-4, 1e-12);
	sim_release(&s);
}

/* What nothing came for can be given up; what moves cannot. */
static void cancel(void **state)
{
	const struct act acts[] = {IRECV(1, 5, 1e9, 0),
	                           CANCEL(0),
	                           WAIT(0),
	                           ISEND(1, 5, 10, 1),
	                           CANCEL(1),
	                           WAIT(1),
	                           IRECV(1, 6, 1e9, 2),
	                           SLEEP(1),
	                           CANCEL(2),
	                           WAIT(2),
	                           {0}};
	const struct act peer[] = {SEND(0, 6, 60), {0}};
	const struct act *programs[2] = {acts, peer};
	struct str report;
	struct sim s;

	(void)state;
	sim_do(&s, FLAT, PLAIN, programs, 2);
	assert_double_is(sim_date(&s, 0, 5), 0);
	assert_double_is(s.rank[0].seen[9].bytes, 60);
	str_init(&report);
	assert_int_equal(mp_report(s.mp, &report), 0);
	str_release(&report);
	sim_release(&s);
}

static void report(void **state)
{
	const struct act acts[] = {IRECV(1, 5, 100, 0), ISEND(1, 8, 10, 1), SEND(1, 9, 77), {0}},
	                 peer[] = {SLEEP(1), {0}};
	const struct act *programs[2] = {acts, peer};
	struct str text;
	struct sim s;

	(void)state;
	sim_do(&s, FLAT, PLAIN, programs, 2);
	str_init(&text);
	assert_int_equal(mp_report(s.mp, &text), 3);
	assert_non_null(strstr(text.s, "MPI_Irecv of rank 0 from rank 1 (tag 5, 100 bytes; posted "
	                               "at 0 s by its operation 1): nothing came"));
	assert_non_null(strstr(text.s, "MPI_Isend of rank 0 to rank 1 (tag 8, 10 bytes; posted at "
	                               "0 s by its operation 2): never received"));
	assert_non_null(strstr(
	    text.s,
	    "MPI_Send of rank 0 to rank 1 (tag 9, 77 bytes; posted at 0 s by its operation 3"));
	str_release(&text);
	sim_release(&s);
}

static void misuse(void **state)
{
	const struct act twice[] = {IRECV(0, 0, 10, 0),
	                            {.k = ACT_WAIT, .n = 1, .keep = 1},
	                            {.k = ACT_WAIT, .n = 1, .keep = 1},
	                            {0}};
	const struct act nobody[] = {SEND(7, 0, 10), {0}}, tag[] = {SEND(0, -3, 10), {0}},
	                 sends[] = {SEND(1, 0, 10), {0}};
	const struct act *double_wait[2] = {sends, twice}, *no_rank[1] = {nobody},
	                 *bad_tag[1] = {tag};
	struct sim s;

	(void)state;
	sim_init(&s, FLAT, PLAIN, double_wait, 2);
	sim_run(&s);
	assert_fails(s.result, s.err, ERR_PROGRAM,
	             "does not exist, or is not this rank's, or was completed before");
	sim_release(&s);
	sim_init(&s, FLAT, PLAIN, no_rank, 1);
	sim_run(&s);
	assert_fails(
	    s.result, s.err, ERR_PROGRAM,
	    "rank 0 at 0 s, action 0: sends to rank 7, which is not in communicator 0 (1 ranks)");
	sim_release(&s);
	sim_init(&s, FLAT, PLAIN, bad_tag, 1);
	sim_run(&s);
	assert_fails(s.result, s.err, ERR_PROGRAM, "tag -3");
	sim_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(waitany),
	    cmocka_unit_test(waitany_of_complete),
	    cmocka_unit_test(waitany_of_oneself),
	    cmocka_unit_test(waitsome),
	    cmocka_unit_test(waitsome_in_compat),
	    cmocka_unit_test(found_in_compat),
	    cmocka_unit_test(failed_in_compat),
	    cmocka_unit_test(synchronous_in_compat),
	    cmocka_unit_test(short_sleeps_in_compat),
	    cmocka_unit_test(testsome_in_compat),
	    cmocka_unit_test(testall_in_compat),
	    cmocka_unit_test(persistent),
	    cmocka_unit_test(test_costs),
	    cmocka_unit_test(test_of_several),
	    cmocka_unit_test(probes),
	    cmocka_unit_test(probes_that_poll),
	    cmocka_unit_test(cancel),
	    cmocka_unit_test(report),
	    cmocka_unit_test(misuse),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
