/* prop_histogram.c: histograms of random values, of all shapes, beside the sorted values
 * themselves, by the words of docs/formats/compressed-trace.md: few values each with its count;
 * else bins of equal shares, each over the values that are its own in their order, no further from
 * them than a step of the grid; the mean that was; everything between the extremes. The seed is
 * printed. */
#include "../prop.h"

#include "unit/trace/trace_test.h"

#include "trace/column/histogram.h"

#include "base/rng.h"

#include <math.h>

enum { CASES = 400, VALUES = 3000, DRAWS = 4000, STEPS = 2000 };

struct made {
	double v[VALUES]; /* rising */
	int n, precision, zeros, different;
	struct str text;
	struct arena arena;
	struct bins bins;
};

/* Shapes: noise around one value, a wide range, some values again and again, two heaps, a tail. */
static double value_draw(struct rng *r, int shape)
{
	double u = rng_unit(r);

	switch (shape) {
	case 0:
		return 1e-3 * (1 + 0.01 * rng_normal(r));
	case 1:
		return pow(10, 30 * u - 15);
	case 2:
		return (double)(1 + rng_below(r, 40)) / 7;
	case 3:
		return u < 0.5 ? 1 + u : 1000 + u;
	case 4:
		return u < 0.9 ? u : 1 / (1 - u);
	case 5:
		return u < 0.4 ? 0 : u;
	case 6:
		return 5e-324 * (double)(1 + rng_below(r, 1000)); /* the least there are */
	default:
		return 1e9 + (double)rng_below(r, 5);
	}
}

static int double_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void make(struct made *x, struct rng *r)
{
	static const int precisions[] = {0, 1, 20, 50, 80, 90, 95, 99};
	int shape = (int)rng_below(r, 8);
	struct histogram h;
	const uint8_t *p;
	struct err err;

	memset(x, 0, sizeof *x);
	x->n = 1 + (int)rng_below(r, rng_below(r, 3) ? VALUES : 60);
	x->precision = precisions[rng_below(r, 8)];
	histogram_init(&h, x->precision);
	for (int i = 0; i < x->n;) {
		double v = value_draw(r, shape);
		int times = 1 + (int)rng_below(r, 3);

		times = times < x->n - i ? times : x->n - i;
		assert_ok(histogram_add(&h, v, (uint64_t)times, (uint32_t)i, &err), err);
		while (times-- > 0)
			x->v[i++] = v;
	}
	qsort(x->v, (size_t)x->n, sizeof *x->v, double_compare);
	for (int i = 0; i < x->n; i++) {
		x->zeros += x->v[i] == 0;
		x->different += i == 0 || x->v[i] != x->v[i - 1];
	}
	histogram_write(&h, x->precision, 0, &x->text);
	histogram_release(&h);
	arena_init(&x->arena);
	p = (const uint8_t *)x->text.s;
	assert_ptr_equal(bins_read(&x->bins, x->precision, p, p + x->text.n, &x->arena, &err),
	                 p + x->text.n);
}

static double mean_of(const struct made *x)
{
	double sum = 0;

	for (int i = 0; i < x->n; i++)
		sum += x->v[i];
	return sum / x->n;
}

static void head_is(const struct made *x)
{
	double mean = mean_of(x), squares = 0;

	for (int i = 0; i < x->n; i++)
		squares += (x->v[i] - mean) * (x->v[i] - mean);
	assert_int_equal(x->bins.n, x->n);
	assert_double_is(x->bins.least, x->v[0]);
	assert_double_is(x->bins.most, x->v[x->n - 1]);
	if (mean < 1e-37) /* a float has no such */
		return;
	assert_close(x->bins.mean, mean, 2e-7);
	/* of a difference of sums: as exact as the mean's square allows */
	assert_true(fabs(x->bins.deviation - sqrt(squares / x->n)) <=
	            1e-5 * (mean + sqrt(squares / x->n)));
}

/* Each of few values with its count. */
static void values_are(const struct made *x)
{
	uint32_t k = 0;

	assert_int_equal(x->bins.bins, x->different);
	for (int i = 0; i < x->n; i++)
		if (i + 1 == x->n || x->v[i + 1] != x->v[i]) {
			assert_double_is(x->bins.low[k], x->v[i]);
			assert_close(x->bins.upto[k], (double)(i + 1) / x->n, 1e-12);
			k++;
		}
}

static int bins_wanted(int precision, int values)
{
	int n = precision == 0 ? 5 : (int)ceil(100. / (100 - precision));

	n = n < 5 ? 5 : n;
	return n < values ? n : values;
}

/* Bin 0 is the zeros; of the others each has an equal share of what is left. */
static void bins_are(const struct made *x)
{
	const struct bins *b = &x->bins;
	double step = x->precision ? 100. / x->precision : 100. / 99, none;
	int left = x->n - x->zeros, n = bins_wanted(x->precision, left);

	none = (double)x->zeros / x->n;
	assert_int_equal(b->bins, n + 1);
	assert_close(b->upto[0], none, 1e-12);
	for (int i = 0; i < n; i++) {
		int64_t from = (int64_t)i * left / n, to = (int64_t)(i + 1) * left / n;
		double first = x->v[x->zeros + from], last = x->v[x->zeros + to - 1],
		       next = to < left ? x->v[x->zeros + to] : last;

		assert_close(b->upto[i + 1], none + (1 - none) * (i + 1) / n, 1e-12);
		assert_true(b->low[i + 1] <= first * (1 + 1e-9));
		assert_true(b->high[i + 1] >= last * (1 - 1e-9));
		/* no further away than a step of the grid */
		assert_true(b->low[i + 1] * step >= first * (1 - 1e-9));
		assert_true(b->high[i + 1] <= next * step * (1 + 1e-9));
	}
}

/* The mean of the density x^(-1 - tilt) between two ends, by small steps of equal ratio. */
static double bin_mean(double low, double high, double tilt)
{
	double weights = 0, sum = 0;

	for (int i = 0; i < STEPS; i++) {
		double v = low * pow(high / low, (i + 0.5) / STEPS), w = pow(v / low, -tilt);

		weights += w; /* dx is in proportion to x */
		sum += w * v;
	}
	return sum / weights;
}

static void mean_is_kept(const struct made *x)
{
	const struct bins *b = &x->bins;
	double mean = 0, before = 0;

	for (uint32_t i = 0; i < b->bins; i++) {
		double share = b->upto[i] - before;

		before = b->upto[i];
		if (b->low[i] > 0)
			mean += share * b->scale *
			        (b->tilt ? bin_mean(b->low[i], b->high[i], b->tilt[i]) : b->low[i]);
	}
	if (mean_of(x) > 1e-37)
		assert_close(mean, mean_of(x), 1e-4);
}

/* What is drawn is between the extremes, and the same whenever it is asked for. */
static void draws_are(const struct made *x)
{
	for (uint64_t i = 0; i < DRAWS / 20; i++) {
		double v = bins_draw(&x->bins, 7, 3, 5, i);

		assert_true(v >= x->v[0] && v <= x->v[x->n - 1]);
		assert_double_is(bins_draw(&x->bins, 7, 3, 5, i), v);
	}
}

/* The share of what is drawn below a value is that of the values below it, but for a bin. */
static void shares_are(const struct made *x)
{
	int n = bins_wanted(x->precision, x->n), at = x->n / 2, below = 0, drawn = 0;
	double middle = x->v[at], step = x->precision ? 100. / x->precision : 100. / 99;

	for (int i = 0; i < x->n; i++)
		below += x->v[i] < middle;
	for (uint64_t i = 0; i < DRAWS; i++)
		drawn += bins_draw(&x->bins, 11, 0, 0, i) < middle / step;
	/* two bins, and six times the deviation of so many draws */
	assert_true((double)drawn / DRAWS <= (double)below / x->n + 2. / n + 3 / sqrt(DRAWS));
}

static void histograms_are_of_their_values(void **state)
{
	static struct made x;
	int few = 0, many = 0;

	(void)state;
	for (uint64_t seed = prop_seed(0); seed < prop_seed(CASES); seed++) {
		struct rng r;

		print_message("seed %llu\n", (unsigned long long)seed);
		rng_init(&r, seed, "histograms", 0);
		make(&x, &r);
		head_is(&x);
		if (x.different <= HISTOGRAM_TABLE) {
			values_are(&x);
			few++;
		} else {
			bins_are(&x);
			many++;
		}
		if (seed % 4 == 0)
			mean_is_kept(&x);
		draws_are(&x);
		if (seed % 8 == 0)
			shares_are(&x);
		str_release(&x.text);
		arena_release(&x.arena);
	}
	assert_true(few > CASES / 10 && many > CASES / 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(histograms_are_of_their_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
