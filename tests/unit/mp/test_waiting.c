/* test_waiting.c: how much of a call is waiting: the part in which the rank is blocked and what it
 * waits for has not begun to move, worked by hand for each kind of call (FLAT_TIME as in sim.h). */
#include "sim.h"

enum { CALLS_SEEN = 8 };

struct waits {
	double entered[4], wait[4][CALLS_SEEN], time[4][CALLS_SEEN];
	uint32_t n[4];
};

static void enter(void *self, uint32_t rank, enum mp_call call, double date)
{
	struct waits *w = self;

	(void)call;
	w->entered[rank] = date;
}

static void leave(void *self, uint32_t rank, enum mp_call call, double date, int32_t partner,
                  double bytes, double wait)
{
	struct waits *w = self;
	uint32_t i = w->n[rank]++;

	(void)call, (void)partner, (void)bytes;
	assert_true(i < CALLS_SEEN);
	w->wait[rank][i] = wait;
	w->time[rank][i] = date - w->entered[rank];
	assert_true(wait >= 0 && wait <= w->time[rank][i] + 1e-15);
}

static void waits_of(struct waits *w, const struct act *const *programs, uint32_t ranks)
{
	struct mp_observer o = {.self = w, .enter = enter, .leave = leave};
	struct sim s;

	memset(w, 0, sizeof *w);
	sim_init(&s, FLAT, PLAIN, programs, ranks);
	assert_ok(mp_observe(s.mp, &o, &s.err), s.err);
	sim_run(&s);
	if (s.result < 0)
		fail_msg("%s", s.err.text);
	sim_release(&s);
}

/* What is small leaves when both are there; the sender has gone on. */
static void who_is_late(void **state)
{
	const struct act sleeper[] = {SLEEP(0.3), SEND(1, 0, 100), SEND(1, 0, 100), {0}};
	const struct act receiver[] = {RECV(0, 0, 100), SLEEP(0.5), RECV(0, 0, 100), {0}};
	const struct act *programs[2] = {sleeper, receiver};
	struct waits w;

	(void)state;
	waits_of(&w, programs, 2);
	assert_int_equal(w.n[1], 3);
	assert_close(w.wait[1][0], 0.3, 1e-12);
	assert_close(w.time[1][0], 0.3 + FLAT_TIME(100), 1e-12);
	assert_double_is(w.wait[1][2], 0); /* it came to a message that was there */
	assert_close(w.time[1][2], FLAT_TIME(100), 1e-9);
	assert_double_is(w.wait[0][1], 0);
	assert_double_is(w.time[0][1], 0);
}

/* What is large keeps its sender until the receiver has come, and then as long as it moves. */
static void a_late_receiver(void **state)
{
	const struct act sender[] = {SEND(1, 0, 1e6), {0}};
	const struct act receiver[] = {SLEEP(0.4), RECV(0, 0, 1e6), {0}};
	const struct act *programs[2] = {sender, receiver};
	struct waits w;

	(void)state;
	waits_of(&w, programs, 2);
	assert_close(w.wait[0][0], 0.4, 1e-12);
	assert_close(w.time[0][0], 0.4 + FLAT_TIME(1e6), 1e-12);
	assert_double_is(w.wait[1][1], 0);
}

/* Of several it is over when the last one begins to move, not the one that ends last: 10 MB since
 * 0.1 s, and 100 bytes that come at 0.15 s and are there at once. */
static void of_several(void **state)
{
	const struct act receives[] = {
	    IRECV(1, 0, 1e9, 0), IRECV(2, 0, 1e9, 1), WAITALL(0, 2), {0}};
	const struct act early[] = {SLEEP(0.1), SEND(0, 0, 1e7), {0}},
	                 late[] = {SLEEP(0.15), SEND(0, 0, 100), {0}};
	const struct act *programs[3] = {receives, early, late};
	struct waits w;

	(void)state;
	waits_of(&w, programs, 3);
	assert_close(w.wait[0][2], 0.15, 1e-12);
	/* the last 10 MB + 16 bytes, a share of the link gone to the other message */
	assert_close(w.time[0][2], 0.1 + FLAT_TIME(1e7) + 116 / 100e6, 1e-12);
}

/* Of one out of several: until that one began to move. */
static void of_one(void **state)
{
	const struct act receives[] = {
	    IRECV(1, 0, 1e9, 0), IRECV(2, 0, 1e9, 1), WAITANY(0, 2), WAITANY(0, 2), {0}};
	const struct act early[] = {SLEEP(0.1), SEND(0, 0, 1e7), {0}},
	                 late[] = {SLEEP(0.15), SEND(0, 0, 100), {0}};
	const struct act *programs[3] = {receives, early, late};
	struct waits w;

	(void)state;
	waits_of(&w, programs, 3);
	assert_close(w.wait[0][2], 0.15, 1e-12); /* the small one */
	assert_double_is(w.wait[0][3], 0);       /* the large one moved before the call */
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(who_is_late),
	                                   cmocka_unit_test(a_late_receiver),
	                                   cmocka_unit_test(of_several), cmocka_unit_test(of_one)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
