/* prop_columns.c: columns of strangers among values that are common, of several kinds, and of what
 * never falls: each value is read as it was written, unfolded too; cut off anywhere it is no
 * column; and what is damaged is either refused or read without a step outside of it (under
 * sanitizers: it is on the heap, as long as it is). */
#include "../prop.h"

#include "unit/trace/trace_test.h"

#include "trace/column/column_int.h"

#include "base/arena.h"
#include "base/rng.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS_MOST = 3000, COLUMNS = 400, DAMAGES = 40 };

struct kind {
	uint64_t common, period,
	    values;            /* so many common values, or in a period; strangers below */
	uint64_t share, bunch; /* in 1,000 a stranger comes, so many at once */
	int rises;
};

static void kind_draw(struct kind *k, struct rng *r)
{
	k->common = UINT64_C(1) << rng_below(r, 5);
	k->period = rng_below(r, 3) ? 0 : 1 + rng_below(r, 60);
	k->values = UINT64_C(1) << rng_below(r, 63);
	k->share = rng_below(r, 2) ? rng_below(r, 300) : rng_below(r, 10);
	k->bunch = rng_below(r, 2) ? 1 : 1 + rng_below(r, 50);
	k->rises = rng_below(r, 4) == 0;
}

static int64_t common_draw(const struct kind *k, uint64_t i, struct rng *r)
{
	uint64_t which = k->period ? i % k->period * 7 % 11 : rng_below(r, k->common);

	return (int64_t)(1000 + 37 * which);
}

static void column_draw(const struct kind *k, int64_t *v, uint64_t n, struct rng *r)
{
	uint64_t in = 0;
	int64_t sum = -(int64_t)(k->values / 2);

	for (uint64_t i = 0; i < n; i++) {
		in = in ? in - 1 : rng_below(r, 1000) < k->share ? k->bunch : 0;
		v[i] = in ? (int64_t)rng_below(r, k->values) - 5 : common_draw(k, i, r);
		if (k->rises) {
			sum += (int64_t)rng_below(r, in ? k->values / ROWS_MOST + 2 : 3);
			v[i] = sum;
		}
	}
}

/* 1 if it is unfolded. v: what its values are, if that is known. */
static int unfold(const uint8_t *p, const int64_t *v, uint64_t n)
{
	const struct unfolded *u;
	size_t most = 1 << 20;
	struct arena a;
	struct err err;

	arena_init(&a);
	assert_int_equal(column_unfold(p, n, &a, &most, &u, &err), 0);
	for (uint64_t i = 0; u && i < n; i++)
		assert_true(unfolded_get(u, (uint32_t)i) == (v ? v[i] : column_get(p, i)));
	arena_release(&a);
	return u != NULL;
}

static void damage(const uint8_t *p, size_t bytes, uint64_t n, struct rng *r)
{
	uint8_t *copy = malloc(bytes);
	volatile int64_t seen = 0;

	assert_non_null(copy);
	for (int k = 0; k < DAMAGES; k++) {
		memcpy(copy, p, bytes);
		copy[rng_below(r, rng_below(r, 2) ? bytes
		                  : bytes < 24    ? bytes
		                                  : 24)] ^= (uint8_t)(1 + rng_below(r, 255));
		if (!column_check(copy, copy + bytes, n))
			continue;
		for (uint64_t i = 0; i < n; i++)
			seen ^= column_get(copy, i);
		unfold(copy, NULL, n);
	}
	free(copy);
}

static void cut(const uint8_t *p, size_t bytes, uint64_t n, struct rng *r)
{
	for (int k = 0; k < DAMAGES; k++) {
		size_t left = rng_below(r, bytes);
		uint8_t *copy = malloc(left + 1);

		assert_non_null(copy);
		memcpy(copy, p, left);
		assert_null(column_check(copy, copy + left, n));
		free(copy);
	}
}

static void as_written(void **state)
{
	static int64_t v[ROWS_MOST];
	uint32_t with[FORM_EXCEPTIONS + 1] = {0}, unfolded = 0;

	(void)state;
	for (uint64_t c = 0; c < COLUMNS; c++) {
		struct str s = {0};
		struct kind kind;
		struct rng r;
		const uint8_t *p;
		uint64_t n;

		rng_init(&r, prop_seed(c), "columns", c);
		kind_draw(&kind, &r);
		n = 1 + rng_below(&r, rng_below(&r, 2) ? 100 : ROWS_MOST);
		column_draw(&kind, v, n, &r);
		column_put(&s, v, n);
		assert_int_equal(s.failed, 0);
		p = (const uint8_t *)s.s;
		assert_ptr_equal(column_check(p, p + s.n, n), p + s.n);
		for (uint64_t i = 0; i < n; i++)
			assert_true(column_get(p, i) == v[i]);
		with[*p]++;
		unfolded += (uint32_t)unfold(p, v, n);
		cut(p, s.n, n, &r);
		damage(p, s.n, n, &r);
		str_release(&s);
	}
	assert_true(with[FORM_RISING] > COLUMNS / 40);
	assert_true(with[FORM_EXCEPTIONS] > COLUMNS / 10);
	assert_true(unfolded > COLUMNS / 40);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(as_written)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
