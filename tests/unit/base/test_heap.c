/* test_heap.c: the event queue's order, against a plain sorted list. */
#include "base/heap.h"

#include "test.h"

static void order_is_date_then_sequence(void **state)
{
	struct heap h;
	struct err err;

	(void)state;
	heap_init(&h);
	assert_null(heap_top(&h));
	assert_ok(heap_set(&h, 7, 2.0, 0, &err), err);
	assert_ok(heap_set(&h, 3, 1.0, 9, &err), err);
	assert_ok(heap_set(&h, 5, 1.0, 4, &err), err);
	assert_int_equal(heap_pop(&h).id, 5);
	assert_int_equal(heap_pop(&h).id, 3);
	assert_int_equal(heap_top(&h)->id, 7);
	assert_int_equal(heap_pop(&h).id, 7);
	assert_null(heap_top(&h));
	heap_release(&h);
}

static void moving_and_removing(void **state)
{
	struct heap h;
	struct err err;
	uint32_t i;

	(void)state;
	heap_init(&h);
	for (i = 0; i < 100; i++)
		assert_ok(heap_set(&h, i, i, i, &err), err);
	assert_ok(heap_set(&h, 50, -1, 0, &err), err);
	assert_int_equal(heap_top(&h)->id, 50);
	assert_ok(heap_set(&h, 50, 1e9, 0, &err), err);
	assert_int_equal(heap_top(&h)->id, 0);
	heap_remove(&h, 0);
	heap_remove(&h, 0);
	heap_remove(&h, 12345);
	assert_false(heap_has(&h, 0));
	assert_false(heap_has(&h, 12345));
	assert_true(heap_has(&h, 50));
	assert_int_equal(h.n, 99);
	for (i = 1; i < 100; i++)
		if (i != 50)
			assert_int_equal(heap_pop(&h).id, i);
	assert_int_equal(heap_pop(&h).id, 50);
	heap_release(&h);
}

static void check_places(const struct heap *h)
{
	uint32_t i;

	for (i = 0; i < h->n; i++) {
		const struct heap_item *item = &h->items[i], *up = &h->items[i ? (i - 1) / 4 : 0];

		assert_int_equal(h->pos[item->id], i);
		assert_true(up->date < item->date ||
		            (up->date == item->date && up->seq <= item->seq));
	}
}

/* Ten thousand random sets, moves, removals and pops of 200 ids; the model is one date per id. */
static void against_a_plain_list(void **state)
{
	enum { IDS = 200 };
	double date[IDS];
	uint64_t seq[IDS], x = 88172645463325252u;
	struct heap h;
	struct err err;
	int step, i, least;

	(void)state;
	heap_init(&h);
	for (i = 0; i < IDS; i++)
		date[i] = -1;
	for (step = 0; step < 10000; step++) {
		x ^= x << 13, x ^= x >> 7, x ^= x << 17; /* xorshift64 (Marsaglia 2003) */
		i = (int)(x % IDS);
		if (x >> 32 & 1) {
			date[i] = (double)(x >> 40 & 15); /* many equal dates */
			seq[i] = (uint64_t)step;
			assert_ok(heap_set(&h, (uint32_t)i, date[i], seq[i], &err), err);
		} else if (x >> 33 & 1) {
			date[i] = -1;
			heap_remove(&h, (uint32_t)i);
		} else if (h.n > 0) {
			for (least = -1, i = 0; i < IDS; i++)
				if (date[i] >= 0 &&
				    (least < 0 || date[i] < date[least] ||
				     (date[i] == date[least] && seq[i] < seq[least])))
					least = i;
			assert_int_equal(heap_pop(&h).id, least);
			date[least] = -1;
		}
		if (step % 97 == 0)
			check_places(&h);
	}
	heap_release(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(order_is_date_then_sequence),
	    cmocka_unit_test(moving_and_removing),
	    cmocka_unit_test(against_a_plain_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
