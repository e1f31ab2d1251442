/* test_histogram.c: what a histogram keeps, and what is drawn from it: bins no wider than the
 * precision allows, the same mean, the same values whoever asks. */
#include "unit/trace/trace_test.h"

#include "trace/histogram.h"

#include "base/rng.h"

#include <math.h>

enum { VALUES = 20000 };

struct fixture {
	struct histogram h;
	struct str text;
	struct arena arena;
	struct bins bins;
};

static void make(struct fixture *x, int precision, const double *v, int n)
{
	const uint8_t *p;
	struct err err;

	memset(x, 0, sizeof *x);
	arena_init(&x->arena);
	histogram_init(&x->h, precision);
	for (int i = 0; i < n; i++)
		assert_ok(histogram_add(&x->h, v[i], (uint32_t)i, &err), err);
	histogram_write(&x->h, precision, &x->text);
	p = (const uint8_t *)x->text.s;
	assert_ptr_equal(bins_read(&x->bins, p, p + x->text.n, &x->arena, &err), p + x->text.n);
	for (size_t cut = 1; cut < x->text.n; cut++) {
		struct bins other;

		assert_null(bins_read(&other, p, p + x->text.n - cut, &x->arena, &err));
	}
}

static void release(struct fixture *x)
{
	histogram_release(&x->h);
	str_release(&x->text);
	arena_release(&x->arena);
}

static void by_hand(void **state)
{
	const double v[] = {1, 1.01, 2, 0, 4};
	struct fixture x;

	(void)state;
	make(&x, 95, v, 5);
	assert_int_equal(x.bins.n, 5);
	assert_true(x.bins.least == 0 && x.bins.most == 4);
	assert_int_equal(x.bins.least_rank, 3);
	assert_int_equal(x.bins.most_rank, 4);
	assert_true(fabs(x.bins.mean - 8.01 / 5) < 1e-12);
	assert_int_equal(x.bins.bins, 1 + 3); /* zeros; 1 and 1.01; 2; 4 */
	release(&x);
}

/* A constant comes out as it went in, whatever the precision. */
static void constant(void **state)
{
	const double v[] = {3.25e-5, 3.25e-5, 3.25e-5};
	struct fixture x;

	(void)state;
	for (int precision = 0; precision < 100; precision += 33) {
		make(&x, precision, v, 3);
		for (uint64_t i = 0; i < 10; i++)
			assert_true(bins_draw(&x.bins, 1, 2, 3, i) == 3.25e-5);
		release(&x);
	}
}

static void precision_check(int precision, const double *v, double mean)
{
	struct fixture x;
	double sum = 0;

	make(&x, precision, v, VALUES);
	for (uint32_t i = 1; precision > 0 && i < x.bins.bins; i++)
		assert_true(x.bins.high[i] - x.bins.low[i] <=
		            (100 - precision) / 100.0 * x.bins.high[i] * (1 + 1e-9));
	if (precision == 0)
		assert_in_range(x.bins.bins, 2, 1 + HISTOGRAM_FORCED_BINS);
	for (uint64_t i = 0; i < VALUES; i++) {
		double d = bins_draw(&x.bins, 1, (uint32_t)(i % 7), 5, i);

		assert_true(d >= 0);
		assert_true(d == bins_draw(&x.bins, 1, (uint32_t)(i % 7), 5, i));
		sum += d;
	}
	/* The deviation is about the mean: the mean of so many draws is off by 0.7 % of it. */
	assert_true(fabs(sum / VALUES / mean - 1) < 0.04);
	release(&x);
}

static void draws(void **state)
{
	static double v[VALUES];
	struct rng rng;
	double sum = 0;

	(void)state;
	rng_init(&rng, 3, "durations", 0);
	for (int i = 0; i < VALUES; i++) { /* exponential */
		v[i] = -1e-4 * log(1 - rng_unit(&rng));
		sum += v[i];
	}
	precision_check(99, v, sum / VALUES);
	precision_check(95, v, sum / VALUES);
	precision_check(50, v, sum / VALUES);
	precision_check(0, v, sum / VALUES);
}

/* Ranks, places and turns have draws of their own. */
static void apart(void **state)
{
	const double v[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
	struct fixture x;

	(void)state;
	make(&x, 95, v, 9);
	assert_true(bins_draw(&x.bins, 1, 0, 0, 0) != bins_draw(&x.bins, 1, 1, 0, 0));
	assert_true(bins_draw(&x.bins, 1, 0, 0, 0) != bins_draw(&x.bins, 1, 0, 1, 0));
	assert_true(bins_draw(&x.bins, 1, 0, 0, 0) != bins_draw(&x.bins, 1, 0, 0, 1));
	assert_true(bins_draw(&x.bins, 1, 0, 0, 0) != bins_draw(&x.bins, 2, 0, 0, 0));
	release(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(by_hand),
	    cmocka_unit_test(constant),
	    cmocka_unit_test(draws),
	    cmocka_unit_test(apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
