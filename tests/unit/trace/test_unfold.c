/* test_unfold.c: columns unfolded for many look-ups: which are, what they take, worked by hand, and
 * that each value is the one of the written form. */
#include "unit/trace/trace_test.h"

#include "trace/column/column_int.h"

#include "base/arena.h"

enum { PLENTY = 1 << 20, SIDE = 64 };

/* As a column is written: what of it is unfolded, and the bytes that it takes. */
static const struct unfolded *unfold(const int64_t *v, uint64_t n, struct arena *a, size_t *most)
{
	const struct unfolded *u;
	struct str s = {0};
	struct err err;

	column_put(&s, v, n);
	assert_int_equal(s.failed, 0);
	assert_int_equal(column_unfold((const uint8_t *)s.s, n, a, most, &u, &err), 0);
	for (uint64_t i = 0; u && i < n; i++)
		assert_true(unfolded_get(u, (uint32_t)i) == v[i]);
	str_release(&s);
	return u;
}

/* To whom each rank of a square grid goes in a transposition: a line for each row, and of 4,096
 * values an entry for each 32. */
static void transposed(void **state)
{
	static int64_t v[SIDE * SIDE];
	const struct unfolded *u;
	size_t most = PLENTY;
	struct arena a;

	(void)state;
	for (int64_t r = 0; r < SIDE * SIDE; r++)
		v[r] = r % SIDE * SIDE + r / SIDE;
	arena_init(&a);
	u = unfold(v, SIDE * SIDE, &a, &most);
	assert_non_null(u);
	assert_int_equal(u->period, 0);
	assert_int_equal(u->shift, 5);
	assert_int_equal(u->from[127], 63);
	assert_int_equal(u->piece[1].end, 128);
	assert_int_equal(u->piece[1].step, 64);
	assert_int_equal(u->piece[1].first, 1 - 64 * 64);
	assert_int_equal(PLENTY - most, 64 * sizeof *u->piece + 128 * sizeof *u->from + sizeof *u);
	arena_release(&a);
}

/* Pieces of one to thousands of values: many in the same entry, and many entries for one. */
static void uneven(void **state)
{
	static int64_t v[20000];
	size_t most = PLENTY;
	struct arena a;
	uint64_t n = 0;

	(void)state;
	for (int64_t k = 0; k < 200; k++)
		for (int64_t i = 0; i < (k % 10 == 0 ? 900 : 2 + k % 3); i++)
			v[n++] = k * k - 3 * i;
	arena_init(&a);
	assert_non_null(unfold(v, n, &a, &most));
	arena_release(&a);
}

static void periods(void **state)
{
	int64_t v[100];
	const struct unfolded *u;
	size_t most = PLENTY;
	struct arena a;

	(void)state;
	for (int i = 0; i < 100; i++)
		v[i] = i % 7 * (i % 7) - 3;
	arena_init(&a);
	u = unfold(v, 100, &a, &most);
	assert_non_null(u);
	assert_int_equal(u->period, 7);
	assert_int_equal(PLENTY - most, 7 * sizeof *u->value + sizeof *u);
	arena_release(&a);
}

/* What is as long as the ranks, or nothing to look up, or more than may be taken, stays. */
static void stay(void **state)
{
	static int64_t v[SIDE * SIDE];
	size_t most = PLENTY;
	struct arena a;

	(void)state;
	arena_init(&a);
	for (int i = 0; i < 100; i++)
		v[i] = 5 * i;
	assert_null(unfold(v, 100, &a, &most));
	for (int i = 0; i < 100; i++)
		v[i] = i * 7919 % 101;
	assert_null(unfold(v, 100, &a, &most));
	assert_null(unfold(v, 0, &a, &most));
	assert_int_equal(most, PLENTY);
	for (int64_t r = 0; r < SIDE * SIDE; r++)
		v[r] = r % SIDE * SIDE + r / SIDE;
	for (size_t most_of_them = 0;
	     most_of_them <
	     64 * sizeof(struct unfolded_piece) + 128 * sizeof(uint16_t) + sizeof(struct unfolded);
	     most_of_them += 40) {
		most = most_of_them;
		assert_null(unfold(v, SIDE * SIDE, &a, &most));
	}
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(transposed),
	    cmocka_unit_test(uneven),
	    cmocka_unit_test(periods),
	    cmocka_unit_test(stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
