/* test_parts.c: what MPI 4.0, chapter 4, refuses of partitioned requests, and what it gives to who
 * talks to nobody. */
#include "steps.h"

enum { TWICE, TOO_HIGH, BEFORE_START, ARRIVED_OF_SEND, SIZES, NOBODY, TWICE_IN_ONE };

static int parts(struct steps *s, uint32_t rank, uint32_t step, struct err *err)
{
	static const int64_t first[] = {0, 0}, second[] = {1}, third[] = {2};
	const struct mp_message m = {.peer = s->which == NOBODY ? MP_PROC_NULL : 1 - (int32_t)rank,
	                             .bytes = s->which == SIZES && rank ? 101 : 100};
	struct mp_request *q = s->req[rank];

	switch (step) {
	case 0:
		return mp_part_init(s->mp, rank, rank == 0, &m, 2, q, err);
	case 1:
		if (s->which == SIZES)
			return mp_sleep(s->mp, rank, 0.1, err);
		return s->which == BEFORE_START ? MP_DONE : mp_start(s->mp, rank, q, 1, err);
	case 2:
		if (rank == 1)
			return mp_parrived(s->mp, rank, q[0], 1, err);
		return s->which == ARRIVED_OF_SEND
		           ? mp_parrived(s->mp, rank, q[0], 0, err)
		           : mp_pready(s->mp, rank, q[0], s->which == TOO_HIGH ? third : first,
		                       s->which == TWICE_IN_ONE ? 2 : 1, err);
	case 3:
		return rank == 0 ? mp_pready(s->mp, rank, q[0],
		                             s->which == TWICE_IN_ONE ? second : first, 1, err)
		                 : MP_DONE;
	case 4:
		return mp_wait(s->mp, rank, MP_WAIT, q, 1, err);
	case 5:
		return mp_request_free(s->mp, rank, q[0], err);
	default:
		return STEPS_OVER;
	}
}

static void misuse(void **state)
{
	(void)state;
	steps_fail(PLAIN, parts, TWICE, 2, "partition 0 is ready twice");
	steps_fail(PLAIN, parts, TWICE_IN_ONE, 2, "partition 0 is ready twice");
	steps_fail(PLAIN, parts, TOO_HIGH, 2, "partition 2 of 2");
	steps_fail(PLAIN, parts, BEFORE_START, 2, "its request was not started");
	steps_fail(PLAIN, parts, ARRIVED_OF_SEND, 2, "no partitioned receive");
	steps_fail(PLAIN, parts, SIZES, 2, "made its other side with 200 bytes");
}

static void to_nobody(void **state)
{
	struct steps s;

	(void)state;
	steps_do(&s, PLAIN, parts, NOBODY, 2);
	assert_double_is(s.date[0][5], 0);
	assert_double_is(s.date[1][5], 0);
	steps_tell(&s, "never", 0);
	sim_release(&s.sim);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(misuse), cmocka_unit_test(to_nobody)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
