/* test_fit_order.c: quantiles, medians, ranks and Student's t: beside a table, and on random values
 * with many ties beside their definitions. */
#include "test.h"

#include "calibrate/fit/fit.h"

#include <math.h>

enum { N = 150, DRAWS = 300 };

/* Student's t, 97.5 %: any table. */
static void student(void **state)
{
	static const double table[][2] = {{1, 12.706}, {2, 4.303},   {3, 3.182},    {4, 2.776},
	                                  {5, 2.571},  {6, 2.447},   {7, 2.365},    {8, 2.306},
	                                  {10, 2.228}, {15, 2.131},  {20, 2.086},   {30, 2.042},
	                                  {60, 2.000}, {120, 1.980}, {1e9, 1.95996}};

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		assert_close(fit_t975(table[i][0]), table[i][1], 1.5e-3);
	for (double d = 1; d < 1000; d++)
		if (!(fit_t975(d + 1) < fit_t975(d)))
			fail_msg("t(%g) is not below t(%g)", d + 1, d);
}

/* Tails in closed form: of 1 and 2 degrees (Cauchy; algebraic), of 3 and 4 by integrating by parts;
 * of very many that of a normal. */
static void student_tails(void **state)
{
	(void)state;
	for (double t = 0.1; t < 60; t *= 1.7) {
		double x = t / sqrt(3), y = t * t / 4;

		assert_close(fit_t_tail(t, 1), 0.5 - atan(t) / acos(-1), 1e-12);
		assert_close(fit_t_tail(t, 2), 0.5 - t / (2 * sqrt(2 + t * t)), 1e-10);
		assert_close(fit_t_tail(t, 3), 0.5 - (atan(x) + x / (1 + x * x)) / acos(-1), 1e-9);
		assert_close(fit_t_tail(t, 4),
		             0.5 - 0.75 * sqrt(y / (1 + y)) * (1 - y / (3 * (1 + y))), 1e-8);
		if (t < 6)
			assert_close(fit_t_tail(t, 1e9), erfc(t / sqrt(2)) / 2, 1e-6);
	}
	for (double d = 0.7; d < 500; d *= 1.9)
		for (double tail = 0.4; tail > 1e-9; tail /= 7)
			assert_close(fit_t_tail(fit_t_quantile(tail, d), d), tail, 1e-7);
	assert_close(fit_t_quantile(0.025, 10), 2.228139, 1e-6); /* any table */
	assert_close(fit_t_quantile(0.0005, 20), 3.849516, 1e-6);
}

/* Values of few kinds, so that many are equal; in shapes that are hard for a search by halves. */
static size_t values_draw(struct rng *r, double *v)
{
	size_t n = 1 + (size_t)rng_below(r, N);
	uint64_t shape = rng_below(r, 5), kinds = 1 + rng_below(r, 40);

	for (size_t i = 0; i < n; i++) {
		double x = (double)rng_below(r, kinds) - 7;

		v[i] = shape == 0   ? (double)i
		       : shape == 1 ? -(double)i
		       : shape == 2 ? (double)(i < n / 2 ? i : n - i)
		                    : x;
	}
	return n;
}

/* How many are below x, or as large. */
static size_t below(const double *v, size_t n, double x, int or_equal)
{
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		k += v[i] < x || (or_equal && v[i] == x);
	return k;
}

/* The value of that rank, from 0. */
static double of_rank(const double *v, size_t n, size_t rank)
{
	for (size_t i = 0; i < n; i++)
		if (below(v, n, v[i], 0) <= rank && rank < below(v, n, v[i], 1))
			return v[i];
	fail_msg("no value of rank %zu", rank);
	return NAN;
}

static void quantiles(void **state)
{
	double v[N], sorted[N];
	struct rng r;

	(void)state;
	rng_init(&r, 1, "quantiles", 0);
	for (int draw = 0; draw < DRAWS; draw++) {
		size_t n = values_draw(&r, v), k = (size_t)rng_below(&r, n);
		double between = rng_unit(&r), at = n > 1 ? (double)k / (double)(n - 1) : 0;

		memcpy(sorted, v, n * sizeof *v);
		fit_sort(sorted, n);
		for (size_t i = 0; i < n; i++)
			assert_double_is(sorted[i], of_rank(v, n, i));
		assert_double_is(fit_median(v, n),
		                 (of_rank(v, n, (n - 1) / 2) + of_rank(v, n, n / 2)) / 2);
		assert_double_is(fit_quantile(sorted, n, 0), sorted[0]);
		assert_double_is(fit_quantile(sorted, n, 1), sorted[n - 1]);
		assert_true(fabs(fit_quantile(sorted, n, at) - sorted[k]) < 1e-9);
		if (k + 1 < n) /* linear between two neighbours */
			assert_true(
			    fabs(fit_quantile(sorted, n, ((double)k + between) / (double)(n - 1)) -
			         sorted[k] - between * (sorted[k + 1] - sorted[k])) < 1e-9);
	}
	assert_double_is(fit_quantile(v, 0, 1), 0);
	assert_double_is(fit_median(v, 0), 0);
}

/* Spearman: Pearson's correlation of ranks, equal values having the mean of theirs; between -1 and
 * 1, the same for what rises with x, its opposite for what falls, and symmetrical. */
static void correlations(void **state)
{
	double x[N], y[N], other[N];
	struct rng r;

	(void)state;
	rng_init(&r, 1, "correlations", 0);
	for (int draw = 0; draw < DRAWS; draw++) {
		size_t n = values_draw(&r, x);
		double c, mean = ((double)n - 1) / 2, xy = 0, xx = 0, yy = 0;

		for (size_t i = 0; i < n; i++)
			y[i] = x[i] / 3 + (double)rng_below(&r, 10);
		for (size_t i = 0; i < n; i++) {
			double a = (double)(below(x, n, x[i], 0) + below(x, n, x[i], 1) - 1) / 2 -
			           mean,
			       b = (double)(below(y, n, y[i], 0) + below(y, n, y[i], 1) - 1) / 2 -
			           mean;

			xy += a * b, xx += a * a, yy += b * b;
			other[i] = -exp(x[i] / 50);
		}
		c = fit_rank_correlation(x, y, n);
		if (n < 3) {
			assert_double_is(c, 0);
			continue;
		}
		assert_true(fabs(c - (xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : 0)) < 1e-12);
		assert_true(fabs(fit_rank_correlation(y, x, n) - c) < 1e-12);
		assert_true(fabs(fit_rank_correlation(other, y, n) + c) < 1e-12);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(student), cmocka_unit_test(student_tails), cmocka_unit_test(quantiles),
	    cmocka_unit_test(correlations)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
