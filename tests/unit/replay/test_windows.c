/* test_windows.c: one-sided communication: dates worked by hand. T(n) = 30e-6 + (n + 16) / 125e6
 * between two hosts alone; an empty message T(0). Making a window of two: allgather of 32 bytes
 * (both at once), then the linear barrier: to 0 and back. */
#include "sim.h"

#include "test.h"

#define FLAT SIM_CLUSTER("")
#define ONE \
	"network/latency-factor:1 network/bandwidth-factor:1 network/crosstraffic:no " \
	"network/TCP-gamma:0 smpi/comm-setup:none"

static double T(double n)
{
	return 30e-6 + (n + 16) / 125e6;
}

#define MADE "# orrery-trace 1\n0 win_create 8 win=0\n1 win_create 8 win=0\n"

/* Seconds after both have left win_create. Rank 0 leaves it a T(0) before rank 1; it computes
 * meanwhile. */
static double after(const char *rest, const char *settings)
{
	char text[4096], all[512];

	snprintf(text, sizeof text, MADE "0 compute 1e6\n1 compute 1e6\n%s", rest);
	snprintf(all, sizeof all, ONE "%s", settings);
	return sim_time(FLAT, text, 2, all) - 1e-3;
}

static double made(void)
{
	return T(32) + 2 * T(0); /* seen from rank 1 */
}

static void windows(void **state)
{
	(void)state;
	assert_close(sim_time(FLAT, MADE, 2, ONE), made(), 1e-12);
	/* two barriers: that of freeing begins with the later one */
	assert_close(sim_time(FLAT, MADE "0 win_free win=0\n1 win_free win=0\n", 2, ONE),
	             made() + 2 * T(0), 1e-12);
}

/* Over connections: rank 1 has computed while the reply to its message came, and waits then for a
 * lock that rank 0 holds until it has that message: it sees the reply in MPI_Win_lock as it would
 * in MPI_Wait. After the data comes the release; and the first lock's request, of 16 bytes, is on
 * the links while rank 1 is still told that the window is made. */
static void seen_while_waiting(void **state)
{
	static const char connections[] = " smpi/connections:ordered";

	(void)state;
	assert_close(
	    after("0 win_lock 1 win=0 lock=exclusive\n0 recv 1 7 1000000 6\n0 win_unlock 1 win=0\n"
	          "1 isend 0 7 1000000 6 req=0\n"
	          "1 compute 1e9\n1 win_lock 1 win=0 lock=exclusive\n1 win_unlock 1 win=0\n"
	          "1 wait req=0\n",
	          connections),
	    after(
	        "0 recv 1 7 1000000 6\n1 isend 0 7 1000000 6 req=0\n1 compute 1e9\n1 wait req=0\n",
	        connections) +
	        T(0) + 16 / 125e6,
	    1e-12);
}

/* Rank 1 does it alone; rank 0 takes no part. */
static void passive(void **state)
{
	(void)state;
	/* a request there, a grant back */
	assert_close(after("1 win_lock 0 win=0\n", ""), made() + 2 * T(0), 1e-12);
	/* put, then its acknowledgement; the release is not waited for, but is a message that
	 * arrives */
	assert_close(after("1 win_lock 0 win=0\n1 put 0 1000 6 win=0\n1 win_unlock 0 win=0\n", ""),
	             made() + 2 * T(0) + T(1000) + T(0), 1e-12);
	/* get: a request there, the data back; nothing more to acknowledge but that it was done */
	assert_close(
	    after("1 win_lock 0 win=0\n1 get 0 1000 6 win=0\n1 win_flush_local 0 win=0\n", ""),
	    made() + 2 * T(0) + T(0) + T(1000), 1e-12);
	/* a flush after it too: the answer has said it */
	assert_close(after("1 win_lock 0 win=0\n1 get 0 1000 6 win=0\n1 win_flush 0 win=0\n", ""),
	             made() + 2 * T(0) + T(0) + T(1000), 1e-12);
	/* fetch_and_op: the operand there, the old value back */
	assert_close(
	    after("1 win_lock_all win=0\n1 fetch_and_op 0 0 win=0\n1 win_flush_local_all win=0\n",
	          ""),
	    made() + 2 * T(0) + 2 * T(8), 1e-12);
	/* on oneself all is there */
	assert_close(after("1 win_lock 1 win=0\n1 put 1 1000 6 win=0\n1 win_unlock 1 win=0\n", ""),
	             made(), 1e-12);
	/* Rput: complete when it has arrived */
	assert_close(after("1 win_lock_all win=0\n1 put 0 1000 6 win=0 req=0\n1 wait req=0\n", ""),
	             made() + 2 * T(0) + T(1000), 1e-12);
	/* a lock, a put, the release: three overheads; the acknowledgement is the target's */
	assert_close(after("1 win_lock 0 win=0\n1 put 0 1000 6 win=0\n1 win_unlock 0 win=0\n",
	                   " smpi/ois:0:1e-3:0"),
	             sim_time(FLAT, MADE, 2, ONE " smpi/ois:0:1e-3:0") + 3e-3 + 2 * T(0) + T(1000) +
	                 T(0),
	             1e-9);
	/* each put costs its overhead */
	assert_close(after("1 put 0 1000 6 win=0\n1 put 0 1000 6 win=0\n", " smpi/ois:0:1e-3:0"),
	             sim_time(FLAT, MADE, 2, ONE " smpi/ois:0:1e-3:0") + 2e-3, 1e-9);
}

/* Nobody is asked for a lock that is not checked (MPI_MODE_NOCHECK): it waits for no other, keeps
 * none waiting, and neither it nor its unlock takes a message. */
static void unchecked(void **state)
{
	(void)state;
	assert_close(after("0 win_lock 1 win=0 lock=unchecked\n0 win_unlock 1 win=0\n"
	                   "0 win_lock_all win=0 lock=unchecked\n0 win_unlock_all win=0\n",
	                   ""),
	             after("", ""), 1e-12);
	assert_close(
	    after("0 win_lock_all win=0 lock=unchecked\n0 recv 1 7 8 6\n0 win_unlock_all win=0\n"
	          "1 win_lock 0 win=0 lock=exclusive\n1 win_unlock 0 win=0\n1 send 0 7 8 6\n",
	          ""),
	    after("0 recv 1 7 8 6\n1 win_lock 0 win=0 lock=exclusive\n1 win_unlock 0 win=0\n"
	          "1 send 0 7 8 6\n",
	          ""),
	    1e-12);
}

/* 0 holds its own window's lock for a millisecond; 1 gets it when that is over. */
static void exclusive(void **state)
{
	(void)state;
	assert_close(
	    after("0 win_lock 0 win=0 lock=exclusive\n0 compute 1e6\n0 win_unlock 0 win=0\n"
	          "1 win_lock 0 win=0 lock=exclusive\n1 win_unlock 0 win=0\n",
	          ""),
	    T(32) + T(0) + 1e-3 + T(0), 1e-12);
	/* shared ones do not wait for each other; but a lock_all waits for an exclusive one */
	assert_close(
	    after("0 win_lock 0 win=0\n0 compute 1e6\n0 win_unlock 0 win=0\n1 win_lock 0 win=0\n"
	          "1 win_unlock 0 win=0\n",
	          ""),
	    T(32) + T(0) + 1e-3, 1e-12);
	assert_close(
	    after("0 win_lock 0 win=0 lock=exclusive\n0 compute 1e6\n0 win_unlock 0 win=0\n"
	          "1 win_lock_all win=0\n",
	          ""),
	    T(32) + T(0) + 1e-3 + T(0), 1e-12);
}

static void fence(void **state)
{
	(void)state;
	/* Rank 1's put arrives, then the barrier */
	assert_close(after("1 put 0 1000 6 win=0\n0 win_fence win=0\n1 win_fence win=0\n", ""),
	             made() + T(1000) + 2 * T(0), 1e-12);
}

static void post_start_complete_wait(void **state)
{
	(void)state;
	/* Rank 0 posts late, by a millisecond: the notice, the data, the notice that it was all */
	assert_close(after("0 compute 1e6\n0 win_post win=0 group=1\n0 win_wait win=0\n"
	                   "1 win_start win=0 group=0\n1 put 0 1000 6 win=0\n"
	                   "1 win_complete win=0\n",
	                   ""),
	             T(32) + T(0) + 1e-3 + T(0) + T(1000) + T(0), 1e-12);
	/* notices have overheads: of the post, and of the completion */
	assert_close(after("0 win_post win=0 group=1\n0 win_wait win=0\n1 win_start win=0 group=0\n"
	                   "1 win_complete win=0\n",
	                   " smpi/ois:0:1e-2:0"),
	             sim_time(FLAT, MADE, 2, ONE " smpi/ois:0:1e-2:0") + 2e-2 + T(0),
	             1e-9); /* rank 0 posts a T(0) before rank 1 starts */
	/* twice: a post for the second epoch does not open the first */
	assert_close(
	    after("0 win_post win=0 group=1\n0 win_wait win=0\n0 win_post win=0 group=1\n"
	          "0 win_wait win=0\n"
	          "1 win_start win=0 group=0\n1 win_complete win=0\n1 win_start win=0 group=0\n"
	          "1 win_complete win=0\n",
	          ""),
	    made() + 3 * T(0), 1e-12);
}

/* smpi/one-sided:messages: rank 0 computes for another millisecond, until t0 = T(32) + T(0) + 2 ms,
 * and answers at its next call (here its end). `after` counts from 1 ms on, so that t0 is made() -
 * T(0) + 1 ms there. */
#define MESSAGES " smpi/one-sided:messages"
static void target_takes_part(void **state)
{
	static const char lock[] =
	    "0 compute 1e6\n1 win_lock 0 win=0\n1 put 0 1000 6 win=0\n1 win_unlock 0 win=0\n";
	static const char get[] =
	    "0 recv 1 7 8 6\n1 win_lock 0 win=0\n1 get 0 1000 6 win=0\n1 win_unlock 0 win=0\n"
	    "1 send 0 7 8 6\n";
	static const char over[] = " smpi/or:0:1e-4:0 smpi/os:0:2e-4:0" MESSAGES;

	(void)state;
	/* the grant leaves at t0; then rank 0 has ended, and nothing waits */
	assert_close(after(lock, MESSAGES), made() + 1e-3 + T(1000) + T(0), 1e-12);
	assert_close(after(lock, MESSAGES " smpi/progress:async"), after(lock, ""), 1e-12);
	/* over connections they are messages, unless told otherwise */
	assert_close(
	    after(lock, " smpi/connections:ordered smpi/async-small-thresh:65536"),
	    after(lock, MESSAGES " smpi/connections:ordered smpi/async-small-thresh:65536"), 0);
	assert_close(
	    after(
	        lock,
	        " smpi/connections:ordered smpi/async-small-thresh:65536 smpi/one-sided:hardware"),
	    T(32) + T(0) + 1e-3, 1e-12); /* rank 0's end */
	/* a target that waits in a call answers at once */
	assert_close(after(get, MESSAGES), after(get, ""), 1e-12);
	/* each answer costs or of the request and os of itself: the grant, the data. (the release
	 * is not answered); then the send's own */
	assert_close(after(get, over),
	             sim_time(FLAT, MADE, 2, ONE " smpi/or:0:1e-4:0 smpi/os:0:2e-4:0") + 2 * T(0) +
	                 3e-4 + T(0) + T(1000) + 3e-4 + 2e-4 + T(8) + 1e-4,
	             1e-12);
	/* from 65536 bytes on, data are asked for: they go at t0 + T(0), when rank 1 is in a
	 * call */
	assert_close(
	    after("0 compute 1e6\n1 put 0 100000 6 win=0\n1 win_flush_local 0 win=0\n", MESSAGES),
	    made() + 1e-3 + T(1e5), 1e-12);
	assert_close(
	    after(
	        "0 compute 1e6\n1 put 0 100000 6 win=0\n1 compute 5e6\n1 win_flush_local 0 win=0\n",
	        MESSAGES),
	    made() + 5e-3 + T(1e5), 1e-12);
	/* an acknowledgement too is given in a call */
	assert_close(after("0 compute 1e6\n1 put 0 1000 6 win=0\n1 win_flush 0 win=0\n", MESSAGES),
	             made() - T(0) + 1e-3 + T(0), 1e-12);
}

/* Who keeps whom waiting. */
static void deadlocks(void **state)
{
	static const char *const cases[][2] = {
	    {"0 win_lock 0 win=0 lock=exclusive\n0 recv 1 7 8 6\n1 compute 1e6\n"
	     "1 win_lock 0 win=0\n1 win_unlock 0 win=0\n1 send 0 7 8 6\n",
	     "waits for rank 0 to unlock"},
	    {"0 win_lock 1 win=0 lock=exclusive\n0 barrier\n1 compute 1e6\n1 win_lock_all win=0\n"
	     "1 barrier\n",
	     "waits for rank 0 to unlock"},
	    {"0 win_lock_all win=0\n0 barrier\n1 compute 1e6\n1 win_lock 1 win=0 lock=exclusive\n"
	     "1 barrier\n",
	     "waits for rank 0 to unlock"},
	    {"0 recv 1 7 8 6\n0 win_post win=0 group=1\n1 win_start win=0 group=0\n"
	     "1 send 0 7 8 6\n",
	     "waits for rank 0 to post"},
	    {"0 win_post win=0 group=1\n0 win_wait win=0\n0 send 1 7 8 6\n"
	     "1 win_start win=0 group=0\n1 recv 0 7 8 6\n1 win_complete win=0\n",
	     "waits for rank 1 to complete"},
	};
	struct sim s;
	char text[1024];

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		snprintf(text, sizeof text, MADE "%s", cases[i][0]);
		assert_int_equal(sim_run(&s, FLAT, text, 2, ONE, NULL), -1);
		if (!strstr(s.err.text, cases[i][1]) || !strstr(s.err.text, "The cycle:"))
			fail_msg("expected '%s' in: %s", cases[i][1], s.err.text);
	}
}

/* Slots of windows and of partitioned requests are used again: many of them, and what was said of
 * the last one stays said. */
static void again_and_again(void **state)
{
	struct str text;
	struct sim s;

	(void)state;
	str_init(&text);
	str_puts(&text, "# orrery-trace 1\n");
	for (int i = 0; i < 50; i++)
		for (int r = 0; r < 2; r++)
			str_printf(&text,
			           "%d win_create 8 win=%d\n%d win_lock_all win=%d\n"
			           "%d put %d 8 6 win=%d\n%d win_unlock_all win=%d\n"
			           "%d win_free win=%d\n%d %s %d 3 2 50 6 req=9\n%d start reqs=9\n"
			           "%s%d wait req=9\n%d request_free req=9\n",
			           r, i, r, i, r, 1 - r, i, r, i, r, i, r,
			           r ? "precv_init" : "psend_init", 1 - r, r,
			           r ? "" : "0 pready req=9 parts=0,1\n", r, r);
	assert_ok(sim_run(&s, FLAT, text.s, 2, ONE, NULL), s.err);
	assert_string_equal(s.report, "");
	str_release(&text);
}

static void wrong(void **state)
{
	static const char *const cases[][2] = {
	    {"0 win_unlock_all win=0\n", "MPI_Win_unlock_all without MPI_Win_lock_all"},
	    {"0 win_complete win=0\n", "MPI_Win_complete without MPI_Win_start"},
	    {"0 win_wait win=0\n", "MPI_Win_wait without MPI_Win_post"},
	    {"0 win_lock 1 win=0\n0 win_lock 1 win=0\n",
	     "locks rank 1 of a window again before it has unlocked it"},
	    {"0 win_lock_all win=0\n0 win_lock 1 win=0\n",
	     "locks a window of which it holds a lock"},
	    {"0 win_lock 0 win=0\n0 win_lock_all win=0\n",
	     "locks a window of which it holds a lock"},
	    {"0 win_post win=0 group=1\n0 win_post win=0 group=1\n",
	     "MPI_Win_post again before MPI_Win_wait"},
	    {"0 win_start win=0 group=\n0 win_start win=0 group=\n",
	     "MPI_Win_start again before MPI_Win_complete"},
	    {"0 win_lock 0 win=0\n0 win_free win=0\n1 win_free win=0\n",
	     "MPI_Win_unlock has not been called"},
	    {"0 win_post win=0 group=\n0 win_free win=0\n1 win_free win=0\n",
	     "MPI_Win_wait has not been called"},
	};
	char text[1024];
	struct sim s;

	(void)state;
	assert_int_equal(sim_run(&s, FLAT, MADE "0 put 1 8 6 win=1\n", 2, ONE, NULL), -1);
	assert_non_null(strstr(s.err.text, "put of number 1, which was not made by this rank"));
	assert_int_equal(sim_run(&s, FLAT, MADE "0 win_unlock 1 win=0\n", 2, ONE, NULL), -1);
	assert_non_null(strstr(s.err.text, "which it has not locked"));
	assert_int_equal(sim_run(&s, FLAT, MADE "0 win_fence win=0\n", 2, ONE, NULL), -1);
	assert_non_null(strstr(s.err.text, "deadlock"));
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		snprintf(text, sizeof text, MADE "%s", cases[i][0]);
		assert_int_equal(sim_run(&s, FLAT, text, 2, ONE, NULL), -1);
		if (!strstr(s.err.text, cases[i][1]))
			fail_msg("expected '%s' in: %s", cases[i][1], s.err.text);
	}
	assert_ok(
	    sim_run(&s, FLAT,
	            MADE
	            "0 put 1 8 6 win=0\n0 put 1 8 6 win=0\n0 win_free win=0\n1 win_free win=0\n",
	            2, ONE, NULL),
	    s.err);
	assert_non_null(
	    strstr(s.report, "MPI_Put to rank 1 outside of an epoch, by rank 0 (its event 2, "));
	assert_int_equal(s.remarks, 1);
	assert_int_equal(sim_run(&s, FLAT, MADE, 2, ONE " smpi/one-sided:perhaps", NULL), -1);
	assert_non_null(strstr(s.err.text, "smpi/one-sided takes hardware, messages or auto"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(windows),
	    cmocka_unit_test(passive),
	    cmocka_unit_test(exclusive),
	    cmocka_unit_test(unchecked),
	    cmocka_unit_test(fence),
	    cmocka_unit_test(post_start_complete_wait),
	    cmocka_unit_test(target_takes_part),
	    cmocka_unit_test(deadlocks),
	    cmocka_unit_test(again_and_again),
	    cmocka_unit_test(wrong),
	    cmocka_unit_test(seen_while_waiting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
