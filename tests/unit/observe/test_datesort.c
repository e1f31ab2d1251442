/* test_datesort.c: order of dates, then of arrival, in memory and on disk. */
#include "test.h"

#include "base/base.h"
#include "observe/export_int.h"

static void sorts(uint32_t n, size_t memory)
{
	struct err err;
	struct datesort *s = datesort_new(sizeof(uint32_t), memory, &err);
	struct rng rng;
	uint32_t i, item, last_item = 0, count = 0;
	double date, last = -1;

	assert_non_null(s);
	rng_init(&rng, 1, "datesort", n);
	for (i = 0; i < n; i++)
		assert_ok(datesort_put(s, (double)rng_below(&rng, n / 4 + 1), &i, &err), err);
	assert_ok(datesort_finish(s, &err), err);
	while (datesort_next(s, &date, &item, &err) > 0) {
		assert_true(date > last || (date == last && item > last_item));
		last = date;
		last_item = item;
		count++;
	}
	assert_int_equal(count, n);
	datesort_free(s);
}

static void in_memory(void **state)
{
	(void)state;
	sorts(0, 1 << 20);
	sorts(1, 1 << 20);
	sorts(10000, 1 << 20);
}

static void on_disk(void **state)
{
	(void)state;
	sorts(256, 1);   /* exactly what memory holds at least */
	sorts(257, 1);   /* one more */
	sorts(20000, 1); /* 79 runs */
	sorts(20000, 100000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(in_memory), cmocka_unit_test(on_disk)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
