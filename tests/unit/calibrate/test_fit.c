/* test_fit.c: fits find the parameters that made the data. Synthetic data are drawn with named
 * streams, so that a failure repeats; the confidence intervals are those of the fit, and they must
 * hold as often as they say. */
#include "test.h"

#include "base/rng.h"
#include "calibrate/fit/fit.h"

#include <math.h>

enum { POINTS = 1000 };

struct piece {
	double to, slope, intercept, noise;
};
/* A protocol's shape: small messages noisy, a break with a jump, a break of slope only, a jump
 * downwards. */
static const struct piece truth[] = {{1500, 2e-9, 30e-6, 0.08},
                                     {65536, 1e-8, 45e-6, 0.03},
                                     {1e6, 8.5e-9, 300e-6, 0.01},
                                     {INFINITY, 8e-9, 800e-6, 0.005}};

static const struct piece *truth_at(double x)
{
	const struct piece *p = truth;

	while (x > p->to)
		p++;
	return p;
}

static void draw(uint64_t seed, double outliers, double *x, double *y)
{
	struct rng r;

	rng_init(&r, seed, "test", 0);
	for (int i = 0; i < POINTS; i++) {
		const struct piece *p;

		x[i] = floor(pow(10, 7 * rng_unit(&r)));
		p = truth_at(x[i]);
		y[i] = (p->intercept + p->slope * x[i]) * (1 + p->noise * rng_normal(&r));
		if (rng_unit(&r) < outliers)
			y[i] = y[i] * (3 + 20 * rng_unit(&r)) + (rng_unit(&r) < 0.3 ? 0.2 : 0);
	}
}

/* Over 40 draws, with 0 and with 4 % outliers: four segments nearly always; each slope and
 * intercept inside its 95 % interval in 90 % of the cases; each break between the two sizes that
 * the fit names, nearly always. */
static void segments_recovered(double outliers)
{
	enum { DRAWS = 30 };
	static double x[POINTS], y[POINTS];
	int right = 0, slopes = 0, intercepts = 0, breaks = 0, bend = 0;
	struct fit_segments s;
	struct err err;

	for (uint64_t seed = 0; seed < DRAWS; seed++) {
		draw(seed, outliers, x, y);
		assert_ok(fit_segments_find(x, y, POINTS, NULL, &s, &err), err);
		if (getenv("SHOW"))
			for (size_t i = 0; i < s.n; i++)
				printf("%zu:%g(%g-%g n%zu s%.3f)%s", i, s.segment[i].from,
				       s.segment[i].break_low, s.segment[i].break_high,
				       s.segment[i].n, s.segment[i].sigma,
				       i + 1 == s.n ? "\n" : " ");
		if (s.n == 4) {
			right++;
			for (size_t i = 0; i < 4; i++) {
				slopes += fabs(s.segment[i].slope - truth[i].slope) <=
				          s.segment[i].slope_95;
				intercepts += fabs(s.segment[i].intercept - truth[i].intercept) <=
				              s.segment[i].intercept_95;
				breaks += i > 0 && s.segment[i].break_low <= truth[i - 1].to &&
				          s.segment[i].break_high >= truth[i - 1].to;
			}
			bend += s.segment[3].break_low <= truth[2].to &&
			        s.segment[3].break_high >= truth[2].to;
		}
		fit_segments_release(&s);
	}
	print_message("%d of %d draws have 4 segments; inside their intervals: slopes %d, "
	              "intercepts %d of %d, breaks %d of %d\n",
	              right, DRAWS, slopes, intercepts, 4 * right, breaks, 3 * right);
	assert_true(right >= DRAWS * 9 / 10);
	assert_true(slopes >= 4 * right * 9 / 10);
	assert_true(intercepts >= 4 * right * 9 / 10);
	assert_true(breaks >= 3 * right * 9 / 10);
	/* At the last one there is no jump, only another slope: the hardest to place. Held in 72 %
	 * where places were only looked for near the best one, as far as they go on being good, by
	 * chi square. */
	assert_true(bend >= right * 9 / 10);
}

static void clean_data(void **state)
{
	(void)state;
	segments_recovered(0);
}

static void with_outliers(void **state)
{
	(void)state;
	segments_recovered(0.04);
}

/* One line stays one line. */
static void no_break(void **state)
{
	static double x[POINTS], y[POINTS];
	struct fit_segments s;
	struct err err;
	int one = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 20; seed++) {
		struct rng r;

		rng_init(&r, seed, "line", 0);
		for (int i = 0; i < POINTS; i++) {
			x[i] = floor(pow(10, 6 * rng_unit(&r)));
			y[i] = (1e-5 + 1e-9 * x[i]) * (1 + 0.05 * rng_normal(&r));
		}
		assert_ok(fit_segments_find(x, y, POINTS, NULL, &s, &err), err);
		one += s.n == 1;
		fit_segments_release(&s);
	}
	assert_true(one >= 19);
}

/* y = 3 + 2x, exactly; fifty measurements of each of a few sizes; too few points. */
static void exact(void **state)
{
	double x[200], y[200];
	struct fit_segments s;
	struct err err;

	(void)state;
	for (int i = 0; i < 200; i++) {
		x[i] = 1 + i / 50;
		y[i] = 3 + 2 * x[i];
	}
	assert_ok(fit_segments_find(x, y, 200, NULL, &s, &err), err);
	assert_int_equal(s.n, 1);
	assert_true(fabs(s.segment[0].slope - 2) < 1e-9 && fabs(s.segment[0].intercept - 3) < 1e-9);
	assert_true(fabs(fit_segments_value(&s, 10) - 23) < 1e-8);
	fit_segments_release(&s);
	assert_fails(fit_segments_find(x, y, 5, NULL, &s, &err), err, ERR_INPUT, "too few");
	assert_fails(fit_segments_find(x, y, 50, NULL, &s, &err), err, ERR_INPUT,
	             "too few"); /* one size */
}

/* 70 % at 1, 25 % at 1.5, 5 % at 3: found to three standard errors. One normal stays one. */
static void mixtures(void **state)
{
	enum { N = 4000 };
	static double v[N];
	struct fit_mixture m;
	struct err err;
	struct rng r;

	(void)state;
	rng_init(&r, 1, "mixture", 0);
	for (int i = 0; i < N; i++) {
		double u = rng_unit(&r);

		v[i] = u < 0.7    ? 1 + 0.05 * rng_normal(&r)
		       : u < 0.95 ? 1.5 + 0.1 * rng_normal(&r)
		                  : 3 + 0.2 * rng_normal(&r);
	}
	assert_ok(fit_mixture_find(v, N, &m, &err), err);
	assert_int_equal(m.n, 3);
	assert_true(fabs(m.mean[0] - 1) < 3 * 0.05 / sqrt(0.7 * N) &&
	            fabs(m.mean[1] - 1.5) < 3 * 0.1 / sqrt(0.25 * N));
	assert_true(fabs(m.mean[2] - 3) < 3 * 0.2 / sqrt(0.05 * N));
	assert_true(fabs(m.weight[0] - 0.7) < 3 * sqrt(0.21 / N) &&
	            fabs(m.weight[2] - 0.05) < 3 * sqrt(0.0475 / N));
	assert_true(fabs(m.sigma[0] - 0.05) < 0.005 && fabs(m.sigma[1] - 0.1) < 0.015);
	for (int i = 0; i < N; i++)
		v[i] = 7 + rng_normal(&r);
	assert_ok(fit_mixture_find(v, N, &m, &err), err);
	assert_int_equal(m.n, 1);
	assert_true(fabs(m.mean[0] - 7) < 3 / sqrt(N) && fabs(m.sigma[0] - 1) < 3 / sqrt(2.0 * N));
	v[0] = 5;
	assert_ok(fit_mixture_find(v, 1, &m, &err), err);
	assert_double_is(m.mean[0], 5);
}

/* A million values are put together in bins: the same three are found, within three standard errors
 * of a million (and 1 %, which bins may cost). */
static void large_mixture(void **state)
{
	enum { N = 1000000 };
	double *v = malloc(N * sizeof *v);
	struct fit_mixture m;
	struct err err;
	struct rng r;

	(void)state;
	assert_non_null(v);
	rng_init(&r, 2, "mixture", 0);
	for (int i = 0; i < N; i++) {
		double u = rng_unit(&r);

		v[i] = u < 0.7     ? 1 + 0.05 * rng_normal(&r)
		       : u < 0.999 ? 1.5 + 0.1 * rng_normal(&r)
		                   : 8 + 0.2 * rng_normal(&r);
	}
	assert_ok(fit_mixture_find(v, N, &m, &err), err);
	assert_int_equal(m.n, 3);
	assert_true(fabs(m.mean[0] - 1) < 3 * 0.05 / sqrt(0.7 * N) &&
	            fabs(m.mean[1] - 1.5) < 3 * 0.1 / sqrt(0.299 * N));
	assert_true(fabs(m.mean[2] - 8) < 3 * 0.2 / sqrt(0.001 * N) &&
	            fabs(m.weight[2] - 0.001) < 3 * sqrt(0.001 / N));
	assert_true(fabs(m.sigma[0] - 0.05) < 0.01 * 0.05 && fabs(m.sigma[1] - 0.1) < 0.01 * 0.1);
	free(v);
}

/* 300,000 measurements of 40 sizes, 3 % of them eight times as long: in the order of size and
 * duration these stand side by side, hundreds of them, and are outliers nevertheless. One line, 10
 * us + 1 ns a byte; its slope and intercept inside their intervals, which are 0.05 % and less. */
static void many_of_a_size(void **state)
{
	enum { N = 300000 };
	double *x = malloc(2 * N * sizeof *x), *y = x + N;
	size_t strange = 0;
	struct fit_segments s;
	struct rng r;
	struct err err;

	(void)state;
	assert_non_null(x);
	rng_init(&r, 1, "sizes", 0);
	for (int i = 0; i < N; i++) {
		int out = rng_unit(&r) < 0.03;

		x[i] = 1000.0 * (1 + i % 40);
		y[i] = (1e-5 + 1e-9 * x[i]) * (1 + 0.02 * rng_normal(&r)) * (out ? 8 : 1);
		strange += (size_t)out;
	}
	assert_ok(fit_segments_find(x, y, N, NULL, &s, &err), err);
	assert_int_equal(s.n, 1);
	assert_int_equal(
	    s.outliers,
	    strange); /* 350 deviations away; usual ones within the 12 % that 6 of them are */
	assert_true(fabs(s.segment[0].slope - 1e-9) < s.segment[0].slope_95 &&
	            s.segment[0].slope_95 < 5e-4 * 1e-9);
	assert_true(fabs(s.segment[0].intercept - 1e-5) < s.segment[0].intercept_95 &&
	            s.segment[0].intercept_95 < 5e-4 * 1e-5);
	fit_segments_release(&s);
	free(x);
}

/* A break among 200,000 points is found as closely as the points allow: rounds of 600 places each
 * lead to it. 10 us below 50,000 bytes, 12 above, at random sizes up to 100,000: the sizes next to
 * it on both sides. */
static void far_break(void **state)
{
	enum { N = 200000 };
	double *x = malloc(2 * N * sizeof *x), *y = x + N, below = 0, above = INFINITY;
	struct fit_segments s;
	struct rng r;
	struct err err;

	(void)state;
	assert_non_null(x);
	rng_init(&r, 1, "break", 0);
	for (int i = 0; i < N; i++) {
		x[i] = 1e5 * rng_unit(&r);
		y[i] = (x[i] <= 50000 ? 1e-5 : 1.2e-5) * (1 + 0.001 * rng_normal(&r));
		below = x[i] <= 50000 ? fmax(below, x[i]) : below;
		above = x[i] > 50000 ? fmin(above, x[i]) : above;
	}
	assert_ok(fit_segments_find(x, y, N, NULL, &s, &err), err);
	assert_int_equal(s.n, 2);
	assert_double_is(s.segment[1].break_low, below);
	assert_double_is(s.segment[1].break_high, above);
	fit_segments_release(&s);
	free(x);
}

/* What must not be negative is not: of y = -1 - x nothing is left, of y = -1 + x the slope through
 * 0 (sum of xy / w over sum of xx / w), of 5 - x a level. */
static void not_negative(void **state)
{
	double x[40], y[40], scale[40];
	struct fit_options o = {.positive = 1, .scale = scale, .least_points = 40};
	struct fit_segments s;
	struct err err;

	(void)state;
	for (int shape = 0; shape < 3; shape++) {
		double xy = 0, xx = 0;

		for (int i = 0; i < 40; i++) {
			x[i] = 0.1 * (i + 1);
			y[i] = shape == 0 ? -1 - x[i] : shape == 1 ? -1 + x[i] : 5 - x[i];
			scale[i] = 100;
			xy += x[i] * y[i];
			xx += x[i] * x[i];
		}
		assert_ok(fit_segments_find(x, y, 40, &o, &s, &err), err);
		assert_int_equal(s.n, 1);
		assert_close(s.segment[0].slope, shape == 1 ? xy / xx : 0, 1e-9);
		assert_close(s.segment[0].intercept, shape == 2 ? 5 - 2.05 : 0,
		             1e-9); /* 2.05: the mean of x */
		fit_segments_release(&s);
	}
}

/* z = 1 + 2a - 3b on a grid; a column that repeats another is refused. */
static void least_squares(void **state)
{
	double a[3 * 9], b[9], c[3];
	struct err err;

	(void)state;
	for (int i = 0; i < 9; i++) {
		a[3 * i] = 1, a[3 * i + 1] = i / 3, a[3 * i + 2] = 1e9 * (i % 3);
		b[i] = 1 + 2 * (i / 3) - 3 * (i % 3);
	}
	if (fit_least_squares(a, b, 9, 3, c, &err) < 0) {
		assert_int_equal(err.kind, ERR_LIMIT); /* built without LAPACK: says so */
		skip();
	}
	assert_true(fabs(c[0] - 1) < 1e-12 && fabs(c[1] - 2) < 1e-12 && fabs(c[2] + 3e-9) < 1e-20);
	for (int i = 0; i < 9; i++)
		a[3 * i] = 1, a[3 * i + 1] = i, a[3 * i + 2] = 2 * i;
	assert_fails(fit_least_squares(a, b, 9, 3, c, &err), err, ERR_INPUT, "vary");
	assert_fails(fit_least_squares(a, b, 2, 3, c, &err), err, ERR_INPUT, "cannot fix");
}

/* Ranks: by hand. */
static void order_statistics(void **state)
{
	double x[] = {1, 2, 3, 4, 5}, up[] = {1, 8, 27, 64, 125}, mixed[] = {2, 1, 3, 5, 4};

	(void)state;
	assert_double_is(fit_rank_correlation(x, up, 5), 1);
	assert_true(fabs(fit_rank_correlation(x, mixed, 5) - 0.8) <
	            1e-12); /* 1 - 6 * 4 / (5 * 24) */
	fit_rank_correlation((const double[]){1, NAN, 2, NAN, 3}, up,
	                     5); /* says nothing, and comes to an end */
	assert_double_is(fit_median(mixed, 5), 3);
	assert_double_is(fit_median(up, 4), 17.5);
	assert_double_is(fit_median(up, 1), 1);
	assert_double_is(fit_quantile(x, 5, 0.25), 2);
}

/* Two flows of 1e6 bytes, of hosts that send 1e7 bytes/s each, C the capacity. Ends at 0.1 and 0.2
 * s: 2e6 = 0.1 C + 0.1 min(C, 1e7). At 0.05 and 0.1: C would be 3e7, and 2e7 is all that is sent.
 * At 0.1 and 0.15: 2e6 = 0.1 C + 0.05 * 1e7. Three at once, or beginning later: C is bytes over the
 * time. What is no date says that nothing limits. */
static void capacity(void **state)
{
	const double wanted[] = {2e7, 1e7}, three[] = {3e7, 2e7, 1e7};

	(void)state;
#define CAPACITY(wanted_, n, begin, ...) \
	fit_capacity((const double[]){__VA_ARGS__}, wanted_, n, 1e6, begin)
	assert_true(fabs(CAPACITY(wanted, 2, 0, 0.1, 0.2) - 1e7) < 1);
	assert_true(fabs(CAPACITY(wanted, 2, 0, 0.05, 0.1) - 2e7) < 1);
	assert_true(fabs(CAPACITY(wanted, 2, 0, 0.1, 0.15) - 1.5e7) < 1);
	assert_true(fabs(CAPACITY(wanted, 2, 1, 1.1, 1.15) - 1.5e7) < 1);
	assert_true(fabs(CAPACITY(three, 3, 0, 0.2, 0.2, 0.2) - 1.5e7) < 1);
	assert_true(fabs(CAPACITY(wanted, 1, 0, 0.4) - 2.5e6) < 1);
	assert_true(fabs(CAPACITY(wanted, 2, 0, 0, 0) - 2e7) < 1);
	assert_true(fabs(CAPACITY(wanted, 2, 0, 0.1, NAN) - 2e7) < 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(clean_data),       cmocka_unit_test(with_outliers),
	    cmocka_unit_test(no_break),         cmocka_unit_test(exact),
	    cmocka_unit_test(mixtures),         cmocka_unit_test(least_squares),
	    cmocka_unit_test(order_statistics), cmocka_unit_test(large_mixture),
	    cmocka_unit_test(many_of_a_size),   cmocka_unit_test(far_break),
	    cmocka_unit_test(not_negative),     cmocka_unit_test(capacity),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
