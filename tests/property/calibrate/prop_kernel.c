/* prop_kernel.c: models of kernels beside least squares done by hand: the normal equations in long
 * double, standard errors (HC3) by their formula, deviations by moments. And laws: the
 * order of measurements changes nothing; a slower clock multiplies all of a model; hosts are fitted
 * by themselves, as if the others were not there. */
#include "../prop.h"

#include "calibrate/kernel.h"

#include <math.h>

enum { CALLS = 60, HOSTS = 3 };

struct slow {
	long double coefficient[KERNEL_TERMS], error[KERNEL_TERMS];
};

static const int terms[3][KERNEL_TERMS] = {{4}, {0, 4}, {0, 1, 2, 3, 4}};
static const int terms_n[3] = {1, 2, 5};

static long double term(const struct kernel_row *r, int t)
{
	long double m = r->m, n = r->n, k = r->k, v[] = {m * n * k, m * n, m * k, n * k, 1};

	return v[t];
}

/* Columns brought to one magnitude, that elimination loses nothing. */
static long double unit(int t)
{
	static const long double units[] = {1e7L, 1e5L, 1e5L, 1e5L, 1};

	return units[t];
}

/* x becomes its inverse, by Gauss and Jordan with the largest pivot. */
static void inverse(long double x[KERNEL_TERMS][KERNEL_TERMS], int n)
{
	long double y[KERNEL_TERMS][2 * KERNEL_TERMS] = {{0}};

	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			y[i][j] = x[i][j], y[i][n + j] = i == j;
	for (int p = 0; p < n; p++) {
		int best = p;

		for (int i = p; i < n; i++)
			best = fabsl(y[i][p]) > fabsl(y[best][p]) ? i : best;
		for (int j = 0; j < 2 * n; j++) {
			long double t = y[p][j];

			y[p][j] = y[best][j], y[best][j] = t;
		}
		for (int i = 0; i < n; i++) {
			long double f = i == p ? 0 : y[i][p] / y[p][p];

			for (int j = 0; j < 2 * n; j++)
				y[i][j] -= f * y[p][j];
		}
	}
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			x[i][j] = y[i][n + j] / y[i][i];
}

static void fit_slow(const struct kernel_row *row, int rows, int model, const long double *y,
                     struct slow *out)
{
	long double x[KERNEL_TERMS][KERNEL_TERMS] = {{0}}, b[KERNEL_TERMS] = {0},
	            meat[KERNEL_TERMS][KERNEL_TERMS] = {{0}};
	const int *t = terms[model], n = terms_n[model];

	*out = (struct slow){{0}, {0}};
	for (int i = 0; i < rows; i++)
		for (int c = 0; c < n; c++) {
			b[c] += term(&row[i], t[c]) / unit(t[c]) * y[i];
			for (int k = 0; k < n; k++)
				x[c][k] += term(&row[i], t[c]) / unit(t[c]) * term(&row[i], t[k]) /
				           unit(t[k]);
		}
	inverse(x, n);
	for (int c = 0; c < n; c++)
		for (int k = 0; k < n; k++)
			out->coefficient[t[c]] += x[c][k] * b[k] / unit(t[c]);
	for (int i = 0; i < rows; i++) {
		long double e = y[i], leverage = 0;

		for (int c = 0; c < n; c++) {
			e -= out->coefficient[t[c]] * term(&row[i], t[c]);
			for (int k = 0; k < n; k++)
				leverage += term(&row[i], t[c]) / unit(t[c]) * x[c][k] *
				            term(&row[i], t[k]) / unit(t[k]);
		}
		e /= 1 - leverage; /* HC3 */
		for (int c = 0; c < n; c++)
			for (int k = 0; k < n; k++)
				meat[c][k] += e * e * term(&row[i], t[c]) / unit(t[c]) *
				              term(&row[i], t[k]) / unit(t[k]);
	}
	for (int c = 0; c < n; c++) {
		long double v = 0;

		for (int i = 0; i < n; i++)
			for (int k = 0; k < n; k++)
				v += x[c][i] * meat[i][k] * x[k][c];
		out->error[t[c]] = sqrtl(v) / unit(t[c]);
	}
}

/* --- measurements --- */

static void calls_draw(struct rng *r, struct kernel_row *row)
{
	double base = 1e-6 * (1 + rng_unit(r)), each = 1e-10 * (1 + rng_unit(r));

	for (int i = 0; i < CALLS; i++) {
		struct kernel_row *q = &row[i];

		*q = (struct kernel_row){.m = prop_from(r, 10, 500),
		                         .n = prop_from(r, 10, 500),
		                         .k = prop_from(r, 10, 200),
		                         .host = (uint32_t)(i % HOSTS)};
		q->duration = (base + each * q->m * q->n * q->k + 3 * each * q->m * q->n) *
		              (1 + 0.05 * rng_normal(r)) * (1 + q->host);
	}
}

static void close_to(const char *what, int t, double got, long double wanted, long double size)
{
	if (fabsl(got - wanted) > 1e-7L * fabsl(wanted) + 1e-12L * size)
		fail_msg("%s of term %d is %.12g, not %.12Lg", what, t, got, wanted);
}

static void host_check(const struct kernel_data *d, uint32_t host, int model, int noise)
{
	struct kernel_row own[CALLS];
	long double y[CALLS], e[CALLS], square = 0;
	struct kernel_model m;
	struct slow s;
	struct err err;
	int n = 0;

	for (uint32_t i = 0; i < d->n; i++)
		if (d->row[i].host == host)
			own[n] = d->row[i], y[n++] = d->row[i].duration;
	assert_ok(kernel_fit(d, host, model, noise, &m, &err), err);
	fit_slow(own, n, model, y, &s);
	assert_int_equal(m.n, n);
	for (int i = 0; i < n; i++) {
		e[i] = y[i];
		for (int t = 0; t < KERNEL_TERMS; t++)
			e[i] -= s.coefficient[t] * term(&own[i], t);
		square += e[i] * e[i];
		e[i] = fabsl(e[i]) * sqrtl(acosl(-1) / 2 * n / (n - terms_n[model]));
	}
	for (int t = 0; t < KERNEL_TERMS; t++) {
		close_to("the mean", t, m.mean[t], s.coefficient[t], s.error[t]);
		close_to("the error", t, m.mean_error[t], s.error[t], s.error[t]);
	}
	if (noise == 1)
		close_to("the deviation", 4, m.deviation[4], sqrtl(square / (n - terms_n[model])),
		         0);
	if (noise != 2)
		return;
	fit_slow(own, n, 2, e, &s);
	for (int t = 0; t < KERNEL_TERMS; t++)
		close_to("the deviation", t, m.deviation[t], s.coefficient[t], s.error[t] * 1e6L);
}

static int is_built(const struct kernel_data *d)
{
	struct kernel_model m;
	struct err err;

	return kernel_fit(d, 0, 0, 0, &m, &err) == 0;
}

static void beside_normal_equations(void **state)
{
	struct prop_run run = prop_begin(40);
	struct kernel_row row[CALLS];
	struct kernel_data d = {.row = row, .n = CALLS};

	(void)state;
	for (uint64_t i = 0; i < run.cases; i++) {
		struct rng r;

		rng_init(&r, run.seed + i, "kernel", 0);
		calls_draw(&r, row);
		if (!is_built(&d))
			skip(); /* without LAPACK */
		for (uint32_t h = 0; h < HOSTS; h++)
			for (int model = 0; model < 3; model++)
				for (int noise = 0; noise < 3; noise++)
					host_check(&d, h, model, noise);
	}
}

static void order_and_clock(void **state)
{
	struct prop_run run = prop_begin(40);
	struct kernel_row row[CALLS], other[CALLS];
	struct kernel_data d = {.row = row, .n = CALLS}, e = {.row = other, .n = CALLS};

	(void)state;
	for (uint64_t i = 0; i < run.cases; i++) {
		struct kernel_model a, b;
		struct rng r;
		struct err err;

		rng_init(&r, run.seed + i, "clock", 0);
		calls_draw(&r, row);
		if (!is_built(&d))
			skip();
		for (int k = 0; k < CALLS; k++) { /* backwards, in units of 1/256 s */
			other[k] = row[CALLS - 1 - k];
			other[k].duration *= 256;
		}
		assert_ok(kernel_fit(&d, 1, 2, 2, &a, &err), err);
		assert_ok(kernel_fit(&e, 1, 2, 2, &b, &err), err);
		for (int t = 0; t < KERNEL_TERMS; t++) {
			assert_true(fabs(b.mean[t] - 256 * a.mean[t]) <= 1e-6 * b.mean_error[t]);
			assert_true(fabs(b.deviation[t] - 256 * a.deviation[t]) <=
			            1e-6 * b.deviation_error[t]);
			assert_close(b.mean_error[t], 256 * a.mean_error[t], 1e-6);
		}
		assert_close(b.r2, a.r2, 1e-9);
		assert_double_is(a.least, b.least);
		assert_double_is(a.most, b.most);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(beside_normal_equations),
	                                   cmocka_unit_test(order_and_clock)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
