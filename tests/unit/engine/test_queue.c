/* test_queue.c: the event queue against a plain sorted array; ties; renumbering. */
#include "engine/queue.h"
#include "test.h"

enum { IDS = 200 };

static uint32_t least_id(const double *date, const uint64_t *seq, const int *in)
{
	uint32_t best = QUEUE_OUT;

	for (uint32_t i = 0; i < IDS; i++)
		if (in[i] && (best == QUEUE_OUT || date[i] < date[best] ||
		              (date[i] == date[best] && seq[i] < seq[best])))
			best = i;
	return best;
}

static void order_is_that_of_a_sorted_array(void **state)
{
	static double date[IDS];
	static uint64_t seq[IDS];
	static int in[IDS];
	struct queue q;
	struct rng rng;
	struct err err;

	(void)state;
	queue_init(&q);
	rng_init(&rng, 7, "queue", 0);
	for (uint32_t i = 0; i < IDS; i++)
		assert_ok(queue_reserve(&q, i, &err), err);
	for (uint64_t step = 0; step < 20000; step++) {
		uint32_t id = (uint32_t)rng_below(&rng, IDS);
		if (rng_below(&rng, 3)) {
			date[id] = (double)rng_below(&rng, 50) / 4;
			seq[id] = step;
			in[id] = 1;
			queue_set(&q, id, date[id]);
			if (rng_below(&rng, 500) == 0)
				queue_renumber(&q);
		} else if (rng_below(&rng, 2)) {
			queue_remove(&q, id);
			in[id] = 0;
		} else if (!queue_empty(&q)) {
			in[event_id(queue_top(&q))] = 0;
			queue_pop(&q);
		}
		if (rng_below(&rng, 2))
			continue; /* several changes between two looks */
		uint32_t least = least_id(date, seq, in);
		assert_int_equal(queue_empty(&q), least == QUEUE_OUT);
		if (least != QUEUE_OUT) {
			assert_int_equal(event_id(queue_top(&q)), least);
			assert_double_is(event_date(queue_top(&q)), date[least]);
		}
	}
	queue_release(&q);
}

static void sequence_numbers_do_not_run_out(void **state)
{
	struct queue q;
	struct err err;

	(void)state;
	queue_init(&q);
	for (uint32_t i = 0; i < 3; i++)
		assert_ok(queue_reserve(&q, i, &err), err);
	q.seq = QUEUE_MAX_SEQ;
	queue_set(&q, 2, 1);
	queue_set(&q, 0, 1);
	queue_set(&q, 1, 1);
	assert_true(q.seq <= 3);
	static const uint32_t order[] = {2, 0, 1};
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(event_id(queue_top(&q)), order[i]);
		queue_remove(&q, order[i]);
	}
	assert_true(queue_empty(&q));
	queue_release(&q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(order_is_that_of_a_sorted_array),
	    cmocka_unit_test(sequence_numbers_do_not_run_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
