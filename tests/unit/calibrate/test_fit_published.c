/* test_fit_published.c: lines that another program found in measurements of real machines
 * (pycewise, in the data of T. Cornebize's thesis, 2021: calls and round trips on dahu, gros,
 * paravance and pyxis, copies of memory) as the truth: measurements are drawn of them, with the
 * scatter that it found, and the breaks, slopes and values come back. */
#include "test.h"

#include "base/rng.h"
#include "calibrate/fit/fit.h"

#include <math.h>

enum { PIECES = 4, POINTS = 600, DRAWS = 10 };

/* s = intercept + slope * bytes for bytes up to `to`; sigma: deviation of logarithms. */
struct piece {
	double to, slope, intercept, sigma;
};
static const struct published {
	const char *name;
	struct piece piece[PIECES];
	int n;
} published[] = {
    {"copies of memory",
     {{16000, 1.781e-11, 4.268e-08, 0.0985},
      {1071669, 5.401e-11, 0, 0.0836},
      {5629667, 8.897e-11, 0, 0.0337},
      {INFINITY, 1.926e-10, 0, 0.0262}},
     4},
    {"pyxis, isend",
     {{99, 5.748e-08, 4.25e-06, 0.1506},
      {12592, 2.005e-10, 4.11e-06, 0.0974},
      {INFINITY, 1.264e-15, 8.325e-06, 0.0599}},
     3},
    {"pyxis, ping-pong",
     {{89, 2.243e-08, 7.112e-06, 0.0693},
      {8100, 1.751e-09, 1.073e-05, 0.0361},
      {INFINITY, 5.525e-10, 2.405e-05, 0.0680}},
     3},
    {"dahu, recv",
     {{60635, 7.886e-11, 1.532e-06, 0.0734}, {INFINITY, 8.193e-11, 1.404e-05, 0.0095}},
     2},
    {"gros, recv",
     {{1133, 3.559e-10, 3.886e-06, 0.0205},
      {60635, 1.797e-10, 7.807e-06, 0.0636},
      {7563369, 6.075e-10, 2.456e-05, 0.1629},
      {INFINITY, 4.46e-10, 0.003928, 0.0660}},
     4},
    {"paravance, recv",
     {{1133, 3.211e-10, 4.287e-06, 0.0126},
      {60635, 3.046e-10, 6.154e-06, 0.0915},
      {INFINITY, 1.197e-09, 3.239e-05, 0.0447}},
     3},
    {"paravance, send",
     {{60635, 8.991e-11, 3.558e-06, 0.0639},
      {235840, 2.156e-10, 6.623e-05, 0.0648},
      {780046, 9.899e-10, 0, 0.1113},
      {INFINITY, 1.273e-09, 0, 0.0207}},
     4},
    {"pyxis, send",
     {{99, 5.735e-08, 4.272e-06, 0.1503},
      {8100, 1.65e-10, 3.929e-06, 0.0209},
      {INFINITY, 2.561e-10, 1.193e-05, 0.0178}},
     3},
    {"dahu, ping-pong",
     {{68802, 5.18e-10, 3.255e-06, 0.0757}, {INFINITY, 1.633e-10, 3.122e-05, 0.0119}},
     2},
};

static const struct piece *piece_at(const struct published *p, double x)
{
	const struct piece *q = p->piece;

	while (x > q->to)
		q++;
	return q;
}

static double value_at(const struct published *p, double x)
{
	const struct piece *q = piece_at(p, x);

	return q->intercept + q->slope * x;
}

/* Sizes up to 1 GB on a scale of logarithms, as there. */
static void draw(const struct published *p, uint64_t seed, double *x, double *y)
{
	struct rng r;

	rng_init(&r, seed, p->name, 0);
	for (int i = 0; i < POINTS; i++) {
		x[i] = floor(pow(10, 9 * rng_unit(&r)));
		y[i] = value_at(p, x[i]) * exp(piece_at(p, x[i])->sigma * rng_normal(&r));
	}
}

/* Beyond doubt: a size a quarter of a decade or more from any break. */
static int is_inside(const struct published *p, double x)
{
	for (int i = 0; i + 1 < p->n; i++)
		if (fabs(log10(x / p->piece[i].to)) < 0.25)
			return 0;
	return 1;
}

struct tally {
	int breaks, breaks_found, values, values_right, pieces_more;
};

static void tally_add(const struct published *p, const struct fit_segments *s, struct tally *t)
{
	for (int i = 0; i + 1 < p->n; i++) {
		int found = 0;

		for (size_t k = 1; k < s->n; k++)
			found |= s->segment[k].break_low <= p->piece[i].to &&
			         p->piece[i].to <= s->segment[k].break_high;
		t->breaks++;
		t->breaks_found += found;
	}
	for (double x = 1; x < 1e9; x *= 1.5) {
		double off = fabs(log(fit_segments_value(s, x) / value_at(p, x)));

		if (!is_inside(p, x))
			continue;
		t->values++;
		/* A piece has 50 points or more: 4 deviations of their mean, twice that at an end;
		 * a mean is above the middle of a log-normal by half a variance. */
		t->values_right += off < 8 * piece_at(p, x)->sigma / sqrt(50) + 0.02;
	}
	t->pieces_more += (int)s->n > p->n;
}

static void comes_back(const struct published *p, struct tally *t)
{
	static double x[POINTS], y[POINTS];
	struct fit_segments s;
	struct err err;

	for (uint64_t seed = 0; seed < DRAWS; seed++) {
		draw(p, seed, x, y);
		assert_ok(fit_segments_find(x, y, POINTS, NULL, &s, &err), err);
		tally_add(p, &s, t);
		fit_segments_release(&s);
	}
}

/* Breaks are in their intervals 95 times of 100: of 200, 190 with a deviation of 3.1. Three
 * quarters of each machine's at least. */
static void all_come_back(void **state)
{
	struct tally all = {0};

	(void)state;
	for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
		struct tally t = {0};

		comes_back(&published[i], &t);
		print_message("%s: %d of %d breaks, %d of %d values; more lines in %d of %d\n",
		              published[i].name, t.breaks_found, t.breaks, t.values_right, t.values,
		              t.pieces_more, DRAWS);
		assert_true(t.breaks_found >= 0.75 * t.breaks);
		assert_true(t.values_right >= 0.98 * t.values);
		assert_true(t.pieces_more <= DRAWS / 5);
		all.breaks += t.breaks;
		all.breaks_found += t.breaks_found;
	}
	assert_true(all.breaks_found >= 0.9 * all.breaks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(all_come_back)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
