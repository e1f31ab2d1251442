/* apart.c: see apart.h. */
#include "apart.h"

#include "fit.h"

#include <math.h>
#include <stdlib.h>

/* So many are taken off at most, of thousands. */
enum { OFF_MOST = 200 };
/* Several steps give chance several times: each has less than the level of the whole. From so many
 * units on Rosner found his critical values to be right, and less correction keeps to it; by
 * simulation (test_apart.c). */
enum { RIGHT_FROM = 25 };
static const double STEPS_OF_FEW = 2, STEPS_OF_MANY = 1.5;
/* Errors of one session may be skewed, those of the mean of several are less so: by choice, as kept
 * APART_CHANCE where a session's errors are distributed as the sum of two exponential ones. */
static const double DEGREES_A_DRAW = 4;

/* Those not taken off: their weighted mean, and what they differ by beyond errors. */
struct rest {
	size_t n;
	double mean, weight, variance;
};

static double error_of(const struct apart_unit *u)
{
	return u->error * u->error;
}

/* Sum of squares, each over its variance, and the mean; of units that are in.
 * *turn: minus the derivative of the sum by the variance. */
static double squares(const struct apart_unit *u, size_t n, const char *off, double variance,
                      struct rest *r, double *turn)
{
	double wy = 0, q = 0;

	*r = (struct rest){.variance = variance};
	for (size_t i = 0; i < n; i++) {
		double w = 1 / (variance + error_of(&u[i]));

		if (off[i])
			continue;
		r->n++;
		r->weight += w;
		wy += w * u[i].value;
	}
	r->mean = wy / r->weight;
	*turn = 0;
	for (size_t i = 0; i < n; i++) {
		double w = 1 / (variance + error_of(&u[i])), far = u[i].value - r->mean;

		if (off[i])
			continue;
		q += w * far * far;
		*turn += w * w * far * far;
	}
	return q;
}

/* A variance of logarithms that is none. */
static const double NO_VARIANCE = 1e-18;

/* The variance at which the sum of squares is `wanted` (it falls with it); NO_VARIANCE where it is
 * less even there. By Newton's method, from r->variance on, on logarithms of the sum and of the
 * variance with the least error: a straight line, where all have the same. */
static void variance_find(const struct apart_unit *u, size_t n, const char *off, double wanted,
                          struct rest *r)
{
	enum { STEPS = 100 };
	double least = INFINITY, lo = 0, hi = INFINITY, at = fmax(r->variance, NO_VARIANCE), turn,
	       q = 1;

	for (size_t i = 0; i < n; i++)
		least = off[i] ? least : fmin(least, error_of(&u[i]));
	for (int k = 0; k < STEPS && q > 0; k++) {
		double next;

		q = squares(u, n, off, at, r, &turn);
		if (q > wanted)
			lo = at;
		else
			hi = at;
		if (!(q > 0) || hi <= NO_VARIANCE)
			break;
		next = (at + least) * exp(log(q / wanted) * q / (turn * (at + least))) - least;
		if (!(next > lo)) /* nothing is known below hi, or it is between */
			next = lo > 0 ? lo + (hi - lo) / 2 : NO_VARIANCE;
		if (!(next < hi))
			next = lo + (hi - lo) / 2;
		if (fabs(next - at) <= 1e-10 * next)
			break;
		at = next;
	}
}

static void rest_find(const struct apart_unit *u, size_t n, const char *off, struct rest *r)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		count += !off[i];
	variance_find(u, n, off, fmax(1, (double)count - 1), r);
}

/* Degrees of freedom of a sum of two variances (Welch 1947). */
static double degrees_of(double a, double a_degrees, double b, double b_degrees)
{
	double under = a * a / a_degrees + b * b / fmax(b_degrees, 1);

	return under > 0 ? (a + b) * (a + b) / under : a_degrees;
}

/* How far a unit is off the rest, as Student's t, and its p, of one unit. Of a few units the spread
 * is hardly known, however well each of them is. */
static double p_of(const struct apart_unit *u, const struct rest *r)
{
	double of_rest = r->variance + 1 / r->weight, all = of_rest + error_of(u);
	double degrees = degrees_of(of_rest, (double)r->n - 1, error_of(u), u->degrees);

	degrees = fmin(degrees, (double)r->n - 1);
	degrees = fmin(degrees, DEGREES_A_DRAW * fmax(u->draws, 1));
	return 2 * fit_t_tail(fabs(u->value - r->mean) / sqrt(all), degrees);
}

/* Of units that are in, the most extreme beside these. */
static size_t extreme_find(const struct apart_unit *u, size_t n, const char *off,
                           const struct rest *r)
{
	double far = -1;
	size_t most = 0;

	for (size_t i = 0; i < n; i++) {
		double t = fabs(u[i].value - r->mean) / sqrt(r->variance + error_of(&u[i]));

		if (!off[i] && t > far) {
			far = t;
			most = i;
		}
	}
	return most;
}

/* Takes off the most extreme, one after the other; those that chance explains are put back.
 * order: those taken off. Returned: how many stay off. */
static size_t take_off(struct apart_unit *u, size_t n, char *off, size_t *order)
{
	size_t most = (n - 1) / 3 < OFF_MOST ? (n - 1) / 3 : OFF_MOST, apart = 0;
	double least = 1, times = n < RIGHT_FROM ? STEPS_OF_FEW : STEPS_OF_MANY;
	struct rest r = {.variance = NO_VARIANCE};

	most += n == APART_LEAST;
	rest_find(u, n, off, &r);
	for (size_t k = 0; k < most; k++) {
		size_t i = order[k] = extreme_find(u, n, off, &r);

		off[i] = 1;
		rest_find(u, n, off, &r);
		u[i].p = fmin(1, p_of(&u[i], &r) * (double)(r.n + 1) * times);
		apart = u[i].p < APART_CHANCE ? k + 1 : apart;
	}
	for (size_t k = most; k-- > 0;) {
		struct apart_unit *taken = &u[order[k]];

		if (k < apart)
			taken->p = least = fmin(least, taken->p);
		else
			off[order[k]] = 0;
	}
	return apart;
}

/* The weight and the mean of those that do not stand apart but for the i-th. One that weighs more
 * than all others is not subtracted: nothing would be left of these in a double. */
static void others_find(const struct apart_unit *u, size_t n, const char *off, const struct rest *r,
                        size_t i, double *weight, double *mean)
{
	double w = off[i] ? 0 : 1 / (r->variance + error_of(&u[i])), sum = 0;

	*weight = r->weight - w;
	sum = r->mean * r->weight - w * u[i].value;
	if (w > *weight) {
		*weight = sum = 0;
		for (size_t k = 0; k < n; k++)
			if (k != i && !off[k]) {
				w = 1 / (r->variance + error_of(&u[k]));
				*weight += w;
				sum += w * u[k].value;
			}
	}
	*mean = sum / *weight;
}

/* How far each is off those that do not stand apart, and how well that is known: not at all, beside
 * a single one of no known error. Where its own error is not known, it may be all of the spread:
 * one variance, then, for both of them. */
static void offs_find(struct apart_unit *u, size_t n, const char *off, const struct rest *r)
{
	for (size_t i = 0; i < n; i++) {
		double own = error_of(&u[i]), degrees = (double)r->n - (off[i] ? 1 : 2);
		double weight, mean;

		others_find(u, n, off, r, i, &weight, &mean);
		if (own > 0)
			degrees = degrees_of(1 / weight, degrees, own, u[i].degrees);
		u[i].off = u[i].value - mean;
		u[i].off_95 = degrees > 0 ? fit_t_quantile(0.025, degrees) *
		                                sqrt(1 / weight + (own > 0 ? own : r->variance))
		                          : INFINITY;
		u[i].apart = off[i] ? (u[i].off > 0 ? 1 : -1) : 0;
	}
}

/* Quantile of chi square (Wilson and Hilferty 1931); z: the normal one's. */
static double chi_square(double degrees, double z)
{
	double a = 2 / (9 * degrees), root = fmax(1 - a + z * sqrt(a), 0);

	return fmax(degrees * root * root * root, 1e-9);
}

static double deviation_of(const struct rest *r)
{
	return r->variance > 2 * NO_VARIANCE ? sqrt(r->variance) : 0;
}

/* What sums of squares are usual says what variances are possible (Viechtbauer 2007). */
static void spread_find(const struct apart_unit *u, size_t n, const char *off, struct apart *out)
{
	static const double z = 1.959963985;
	struct rest r = {.variance = NO_VARIANCE}, low, high;

	rest_find(u, n, off, &r);
	low = high = r;
	variance_find(u, n, off, chi_square((double)r.n - 1, z), &low);
	variance_find(u, n, off, chi_square((double)r.n - 1, -z), &high);
	out->spread = deviation_of(&r);
	out->spread_low = deviation_of(&low);
	out->spread_high = deviation_of(&high);
}

int apart_find(struct apart_unit *unit, size_t n, struct apart *out, struct err *err)
{
	char *off = calloc(n + 1, 1);
	size_t *order = calloc(n + 1, sizeof *order);
	struct rest r = {.variance = NO_VARIANCE};

	*out = (struct apart){.units = n};
	for (size_t i = 0; i < n; i++) {
		unit[i].off = unit[i].off_95 = 0;
		unit[i].p = 1;
		unit[i].apart = 0;
	}
	if (!off || !order) {
		free(off);
		free(order);
		return err_nomem(err, "units", n * sizeof *order);
	}
	if (n >= APART_LEAST) {
		out->apart = take_off(unit, n, off, order);
		rest_find(unit, n, off, &r);
		offs_find(unit, n, off, &r);
		spread_find(unit, n, off, out);
	}
	free(off);
	free(order);
	return 0;
}
