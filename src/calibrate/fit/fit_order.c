/* fit_order.c: sorting, quantiles, ranks; Student's t. */
#include "fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void fit_sort(double *v, size_t n)
{
	qsort(v, n, sizeof *v, by_value);
}

double fit_quantile(const double *sorted, size_t n, double q)
{
	double at = n ? q * (double)(n - 1) : 0;
	size_t i = (size_t)at;

	if (n == 0)
		return 0;
	if (i + 1 >= n)
		return sorted[n - 1];
	return sorted[i] + (at - (double)i) * (sorted[i + 1] - sorted[i]);
}

/* Puts the value that stands at `at` in order there, none before it greater, none after it less
 * (Hoare 1961, "Find"). */
static void selected(double *v, size_t n, size_t at)
{
	size_t lo = 0, hi = n - 1;

	while (lo < hi) {
		double pivot = v[lo + (hi - lo) / 2], t;
		size_t i = lo, j = hi;

		for (;;) {
			while (v[i] < pivot)
				i++;
			while (v[j] > pivot)
				j--;
			if (i >= j)
				break;
			t = v[i], v[i++] = v[j], v[j--] = t;
		}
		if (at <= j) /* lo to j are not greater than the pivot, the others not less; j < hi,
		                as the pivot stood before it */
			hi = j;
		else
			lo = j + 1;
	}
}

/* How many are less than v[i], and how many as large. */
static void rank_count(const double *v, size_t n, size_t i, size_t *less, size_t *equal)
{
	*less = *equal = 0;
	for (size_t k = 0; k < n; k++) {
		*less += v[k] < v[i];
		*equal += v[k] == v[i];
	}
}

/* The value of this rank, from 0, without memory: slow. */
static double ranked_slowly(const double *v, size_t n, size_t rank)
{
	size_t less, equal;

	for (size_t i = 0; i < n; i++) {
		rank_count(v, n, i, &less, &equal);
		if (less <= rank && rank < less + equal)
			return v[i];
	}
	return NAN;
}

double fit_median(const double *v, size_t n)
{
	double few[64], *copy = n <= 64 ? few : malloc(n * sizeof *copy), m, next = INFINITY;
	size_t at = n ? (n - 1) / 2 : 0;

	if (n == 0)
		return 0;
	if (!copy) {
		m = ranked_slowly(v, n, at);
		return n % 2 ? m : m + 0.5 * (ranked_slowly(v, n, at + 1) - m);
	}
	memcpy(copy, v, n * sizeof *copy);
	selected(copy, n, at);
	m = copy[at];
	for (size_t i = at + 1; i < n && n % 2 == 0; i++)
		next = fmin(next, copy[i]);
	if (n % 2 == 0)
		m += 0.5 * (next - m);
	if (copy != few)
		free(copy);
	return m;
}

/* Of one and two degrees the exact value: tan(0.475 pi), 0.95 sqrt(2 / 0.0975). From there on the
 * expansion of Cornish and Fisher around the normal quantile z (Abramowitz and Stegun, 26.7.5),
 * whose error is 0.12 % of 3 degrees and less beyond; it would be 20 % of one. */
double fit_t975(double degrees)
{
	const double z = 1.959963985;
	double z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z, z9 = z7 * z * z, d = degrees;

	if (d < 1.5)
		return 12.70620474;
	if (d < 2.5)
		return 4.30265273;
	return z + (z3 + z) / (4 * d) + (5 * z5 + 16 * z3 + 3 * z) / (96 * d * d) +
	       (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * d * d * d) +
	       (79 * z9 + 776 * z7 + 1482 * z5 - 1920 * z3 - 945 * z) / (92160 * d * d * d * d);
}

/* The continued fraction of the incomplete beta function (Abramowitz and Stegun, 26.5.8), by
 * Lentz's method. */
static double beta_fraction(double a, double b, double x)
{
	enum { TERMS = 1000 };
	const double tiny = 1e-300;
	double c = 1, d = 1 - (a + b) * x / (a + 1), h;

	d = 1 / (fabs(d) < tiny ? tiny : d);
	h = d;
	for (int m = 1; m < TERMS; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
		       odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)), step;

		for (int k = 0; k < 2; k++) {
			double v = k ? odd : even;

			d = 1 + v * d;
			d = 1 / (fabs(d) < tiny ? tiny : d);
			c = 1 + v / c;
			c = fabs(c) < tiny ? tiny : c;
			step = c * d;
			h *= step;
		}
		if (fabs(step - 1) < 1e-15)
			break;
	}
	return h;
}

/* I_x(a, b), the incomplete beta function over the whole. */
static double beta_part(double a, double b, double x)
{
	double front;

	if (!(x > 0) || !(x < 1))
		return x > 0;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a
	                                 : 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double fit_t_tail(double t, double degrees)
{
	static const double NORMAL = 1e6; /* degrees: beyond, gamma functions cancel out */

	if (degrees > NORMAL)
		return 0.5 * erfc(t / sqrt(2));
	return 0.5 * beta_part(degrees / 2, 0.5, degrees / (degrees + t * t));
}

/* By Newton's method on the logarithm of the tail, which is concave: from below no step goes too
 * far. */
double fit_t_quantile(double tail, double degrees)
{
	enum { STEPS = 200 };
	double constant = lgamma((degrees + 1) / 2) - lgamma(degrees / 2) -
	                  0.5 * log(degrees * acos(-1)),
	       lo = 0, hi = INFINITY, t = 0;

	for (int i = 0; i < STEPS; i++) {
		double p = fit_t_tail(t, degrees),
		       density = exp(constant - (degrees + 1) / 2 * log1p(t * t / degrees)), next;

		if (p > tail)
			lo = t;
		else
			hi = t;
		next = t + log(p / tail) * p / density;
		if (!(next >= lo && next <= hi))
			next = isfinite(hi) ? lo + (hi - lo) / 2 : 2 * lo + 1;
		if (fabs(next - t) <= 1e-12 * next)
			return next;
		t = next;
	}
	return t;
}

struct ranked {
	double value;
	size_t index;
};

static int by_ranked(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

/* Ranks from 0, equal values sharing the mean of theirs. */
static int ranks_make(const double *v, size_t n, double *rank)
{
	struct ranked *r = malloc(n * sizeof *r);
	size_t i, j, k;

	if (!r)
		return -1;
	for (i = 0; i < n; i++)
		r[i] = (struct ranked){v[i], i};
	qsort(r, n, sizeof *r, by_ranked);
	for (i = 0; i < n; i = j) {
		for (j = i + 1; j < n && r[j].value == r[i].value; j++)
			;
		for (k = i; k < j; k++)
			rank[r[k].index] = (double)(i + j - 1) / 2;
	}
	free(r);
	return 0;
}

/* As ranks_make, of one value, without memory: slow. */
static double rank_slowly(const double *v, size_t n, size_t i)
{
	size_t less, equal;

	rank_count(v, n, i, &less, &equal);
	return (double)(2 * less + equal - 1) / 2;
}

double fit_rank_correlation(const double *x, const double *y, size_t n)
{
	double *r = malloc(2 * n * sizeof *r + 1), mean = ((double)n - 1) / 2, xy = 0, xx = 0,
	       yy = 0;
	int made = r && ranks_make(x, n, r) == 0 && ranks_make(y, n, r + n) == 0;

	for (size_t i = 0; n >= 3 && i < n; i++) {
		double a = (made ? r[i] : rank_slowly(x, n, i)) - mean,
		       b = (made ? r[n + i] : rank_slowly(y, n, i)) - mean;

		xy += a * b;
		xx += a * a;
		yy += b * b;
	}
	free(r);
	return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : 0;
}
