/* test_match.c: which receive gets which message (MPI 4.0, 3.5). Messages are told apart by their
 * sizes. */
#include "sim.h"

static double got(const struct sim *s, uint32_t rank, uint32_t action)
{
	return s->rank[rank].seen[action].bytes;
}

/* Of two receives that fit, the one posted first gets the first message, wildcards or not. */
static void receives_in_order_of_posting(void **state)
{
	const struct act exact_last[] = {
	    IRECV(ANY, ANY, 1e9, 0), IRECV(1, 5, 1e9, 1), SLEEP(1), WAIT(0), WAIT(1), {0}};
	const struct act exact_first[] = {IRECV(0, 5, 1e9, 0),
	                                  IRECV(ANY, 5, 1e9, 1),
	                                  IRECV(0, ANY, 1e9, 2),
	                                  SLEEP(1),
	                                  WAIT(2),
	                                  WAIT(1),
	                                  WAIT(0),
	                                  {0}};
	const struct act sends[] = {SLEEP(0.1), SEND(0, 5, 100), SEND(0, 5, 200), {0}};
	const struct act sends_three[] = {
	    SLEEP(0.1), SEND(1, 5, 100), SEND(1, 5, 200), SEND(1, 6, 300), {0}};
	const struct act *programs[2] = {exact_last, sends},
	                 *mirrored[2] = {sends_three, exact_first};
	struct sim s;

	(void)state;
	sim_do(&s, FLAT, PLAIN, programs, 2);
	assert_double_is(got(&s, 0, 3), 100);
	assert_int_equal(s.rank[0].seen[3].source, 1);
	assert_int_equal(s.rank[0].seen[3].tag, 5);
	assert_double_is(got(&s, 0, 4), 200);
	sim_release(&s);
	sim_do(&s, FLAT, PLAIN, mirrored, 2);
	assert_double_is(got(&s, 1, 4), 300);
	assert_double_is(got(&s, 1, 5), 200);
	assert_double_is(got(&s, 1, 6), 100);
	sim_release(&s);
}

/* Receives of one pattern form a queue: one in the middle, the last and the first leave it, one
 * comes, and what is left is in order. */
static void receives_leave_their_queue(void **state)
{
	const struct act acts[] = {IRECV(1, 5, 1e9, 0),
	                           IRECV(1, 5, 1e9, 1),
	                           IRECV(1, 5, 1e9, 2),
	                           IRECV(1, 5, 1e9, 3),
	                           IRECV(1, 5, 1e9, 4),
	                           CANCEL(2),
	                           CANCEL(4),
	                           CANCEL(0),
	                           IRECV(1, 5, 1e9, 5),
	                           WAIT(0),
	                           WAIT(2),
	                           WAIT(4),
	                           WAIT(1),
	                           WAIT(3),
	                           WAIT(5),
	                           {0}};
	const struct act sends[] = {
	    SLEEP(0.1), SEND(0, 5, 100), SEND(0, 5, 200), SEND(0, 5, 300), {0}};
	const struct act *programs[2] = {acts, sends};
	struct sim s;

	(void)state;
	sim_do(&s, FLAT, PLAIN, programs, 2);
	assert_double_is(got(&s, 0, 12), 100);
	assert_double_is(got(&s, 0, 13), 200);
	assert_double_is(got(&s, 0, 14), 300);
	sim_release(&s);
}

/* Messages wait for their receives; a wildcard takes the first that came, an exact receive its
 * own. */
static void messages_in_order_of_sending(void **state)
{
	const struct act sends[] = {
	    SEND(0, 1, 100), SEND(0, 2, 200), SEND(0, 1, 300), SEND(0, 3, 400), {0}};
	const struct act receives[] = {SLEEP(1),          RECV(1, 2, 1e9),     RECV(1, ANY, 1e9),
	                               RECV(ANY, 3, 1e9), RECV(ANY, ANY, 1e9), {0}};
	const struct act *programs[2] = {receives, sends};
	struct sim s;

	(void)state;
	sim_do(&s, FLAT, PLAIN, programs, 2);
	assert_double_is(got(&s, 0, 1), 200);
	assert_double_is(got(&s, 0, 2), 100);
	assert_double_is(got(&s, 0, 3), 400);
	assert_double_is(got(&s, 0, 4), 300);
	sim_release(&s);
}

/* From several senders: in order of sending, whoever it is. */
static void any_source(void **state)
{
	const struct act one[] = {SLEEP(0.2), SEND(0, 0, 100), {0}},
	                 two[] = {SLEEP(0.1), SEND(0, 0, 200), {0}};
	const struct act receives[] = {SLEEP(1), RECV(ANY, 0, 1e9), RECV(ANY, 0, 1e9), {0}};
	const struct act *programs[3] = {receives, one, two};
	struct sim s;

	(void)state;
	sim_do(&s, FLAT, PLAIN, programs, 3);
	assert_int_equal(s.rank[0].seen[1].source, 2);
	assert_int_equal(s.rank[0].seen[2].source, 1);
	sim_release(&s);
}

/* Two ranks send two messages each at one date: here one rank does what it can before the next, in
 * compat they take turns, as SimGrid's do. There, moreover, a wildcard looks among the eager
 * messages first (100 and 200 bytes of each rank; 200 is not eager). */
static void turns(void **state)
{
	const struct act sends[] = {ISEND(0, 0, 200, 0), ISEND(0, 1, 100, 1), WAITALL(0, 2), {0}};
	const struct act receives[] = {SLEEP(1),
	                               RECV(ANY, ANY, 1e9),
	                               RECV(ANY, ANY, 1e9),
	                               RECV(ANY, ANY, 1e9),
	                               RECV(ANY, ANY, 1e9),
	                               {0}};
	const struct act *programs[3] = {receives, sends, sends};
	const char *settings[] = {PLAIN, PLAIN " compat:simgrid-3.32",
	                          PLAIN " smpi/async-small-thresh:150",
	                          PLAIN " smpi/async-small-thresh:150 compat:simgrid-3.32"};
	const int sources[4][4] = {{1, 1, 2, 2}, {1, 2, 1, 2}, {1, 1, 2, 2}, {1, 2, 1, 2}};
	const double sizes[4][4] = {
	    {200, 100, 200, 100}, {200, 200, 100, 100}, {200, 100, 200, 100}, {100, 100, 200, 200}};
	struct sim s;

	(void)state;
	for (int k = 0; k < 4; k++) {
		sim_do(&s, FLAT, settings[k], programs, 3);
		for (uint32_t i = 0; i < 4; i++) {
			assert_int_equal(s.rank[0].seen[1 + i].source, sources[k][i]);
			assert_double_is(got(&s, 0, 1 + i), sizes[k][i]);
		}
		sim_release(&s);
	}
}

/* Sizes on both sides of both thresholds do not overtake one another, though the small ones move
 * first. */
static void non_overtaking(void **state)
{
	const struct act sends[] = {
	    ISEND(0, 9, 70000, 0), SEND(0, 9, 10), ISEND(0, 9, 2000, 1), SEND(0, 9, 20),
	    ISEND(0, 9, 80000, 2), SEND(0, 9, 30), WAITALL(0, 3),        {0}};
	const struct act late[] = {
	    SLEEP(1),          RECV(1, 9, 1e9), RECV(1, 9, 1e9), RECV(1, ANY, 1e9),
	    RECV(ANY, 9, 1e9), RECV(1, 9, 1e9), RECV(1, 9, 1e9), {0}};
	const double want[] = {70000, 10, 2000, 20, 80000, 30};
	const struct act *programs[2] = {late, sends};
	struct sim s;

	(void)state;
	sim_do(&s, FLAT, PLAIN " smpi/async-small-thresh:1000", programs, 2);
	for (uint32_t i = 0; i < 6; i++)
		assert_double_is(got(&s, 0, i + 1), want[i]);
	sim_release(&s);
}

/* The same tag on two communicators of the same ranks. */
static void communicators_apart(void **state)
{
	static const uint32_t both[] = {0, 1}, swapped[] = {1, 0};
	const struct act sends[] = {COMM(1, 77, both, 2),
	                            COMM(2, 78, swapped, 2),
	                            {.k = ACT_SEND, .peer = 0, .bytes = 100, .comm = 1},
	                            {.k = ACT_SEND, .peer = 0, .bytes = 200, .comm = 2},
	                            SEND(0, 0, 300),
	                            {0}};
	const struct act receives[] = {
	    COMM(1, 77, both, 2),
	    COMM(2, 78, swapped, 2),
	    SLEEP(1),
	    RECV(1, 0, 1e9),
	    {.k = ACT_RECV, .peer = 1, .bytes = 1e9, .comm = 2},
	    {.k = ACT_RECV, .peer = ANY, .tag = ANY, .bytes = 1e9, .comm = 1},
	    {0}};
	const struct act *programs[2] = {receives, sends};
	struct sim s;

	(void)state;
	sim_do(&s, FLAT, PLAIN, programs, 2);
	assert_double_is(got(&s, 0, 3), 300);
	assert_double_is(got(&s, 0, 4), 200);
	assert_double_is(got(&s, 0, 5), 100);
	sim_release(&s);
}

/* Many outstanding messages, received last first, by number or by wildcard source: each is found at
 * once. */
struct many {
	uint32_t n, at, ended;
	int wildcard;
	double bytes;
};

static int many_resume(void *self, struct mp *mp, uint32_t rank, struct err *err)
{
	struct many *m = self;
	int status;

	if (rank == 1) {
		for (uint32_t i = 0; i < m->n; i++) {
			struct mp_message send = {.peer = 0, .tag = (int32_t)i, .bytes = i % 1000};

			if (mp_send(mp, 1, &send, MP_STANDARD, err) != MP_DONE)
				return -1;
		}
		return 1;
	}
	for (;;) {
		struct mp_message recv = {.peer = m->wildcard ? MP_ANY : 1, .bytes = HUGE_VAL};

		if (m->at > 0)
			assert_double_is(mp_result(mp, 0)->bytes, (m->n - m->at) % 1000);
		if (m->at++ == m->n)
			return 1;
		recv.tag = (int32_t)(m->n - m->at);
		status = mp_recv(mp, 0, &recv, err);
		if (status != MP_DONE)
			return status == MP_ERROR ? -1 : 0;
	}
}

static void a_hundred_thousand_outstanding(void **state)
{
	const struct act *none[2] = {NULL, NULL};

	(void)state;
	for (int wildcard = 0; wildcard < 2; wildcard++) {
		struct many m = {.n = 100000, .wildcard = wildcard};
		struct mp_program program = {.self = &m, .resume = many_resume};
		struct str report;
		struct sim s;

		sim_init(&s, FLAT, PLAIN, none, 2);
		assert_ok(mp_run(s.mp, &program, NULL, &s.err), s.err);
		str_init(&report);
		assert_int_equal(mp_report(s.mp, &report), 0);
		str_release(&report);
		sim_release(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(receives_in_order_of_posting),
	    cmocka_unit_test(receives_leave_their_queue),
	    cmocka_unit_test(messages_in_order_of_sending),
	    cmocka_unit_test(any_source),
	    cmocka_unit_test(turns),
	    cmocka_unit_test(non_overtaking),
	    cmocka_unit_test(communicators_apart),
	    cmocka_unit_test(a_hundred_thousand_outstanding),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
