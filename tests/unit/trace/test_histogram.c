/* test_histogram.c: what a histogram keeps, and what is drawn from it: few values as they are, bins
 * no wider or no heavier than the precision allows, the same mean, the same values whoever asks. */
#include "unit/trace/trace_test.h"

#include "trace/column/histogram.h"

#include "base/rng.h"

#include <math.h>

enum { VALUES = 20000, MESSAGES = 2000 };

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
		assert_ok(histogram_add(&x->h, v[i], 1, (uint32_t)i, &err), err);
	histogram_write(&x->h, precision, 0, &x->text);
	p = (const uint8_t *)x->text.s;
	assert_ptr_equal(bins_read(&x->bins, precision, p, p + x->text.n, &x->arena, &err),
	                 p + x->text.n);
	for (size_t cut = 1; cut < x->text.n; cut++) {
		struct bins other;

		assert_null(bins_read(&other, precision, p, p + x->text.n - cut, &x->arena, &err));
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
	assert_true(fabs(x.bins.mean - 8.01 / 5) < 1e-6); /* a float */
	assert_int_equal(x.bins.bins, 5);                 /* few values: each is kept */
	for (uint64_t i = 0; i < 50; i++) {
		double d = bins_draw(&x.bins, 1, 0, 0, i);

		assert_true(d == 0 || d == 1 || d == 1.01 || d == 2 || d == 4);
	}
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

static int double_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* What is drawn has the quartiles of what was put in, but for a bin's share and a bin's width. */
static void quantiles_check(const struct fixture *x, const double *v)
{
	static double drawn[VALUES], sorted[VALUES];

	memcpy(sorted, v, sizeof sorted);
	for (uint64_t i = 0; i < VALUES; i++)
		drawn[i] = bins_draw(&x->bins, 3, 1, 2, i);
	qsort(sorted, VALUES, sizeof *sorted, double_compare);
	qsort(drawn, VALUES, sizeof *drawn, double_compare);
	for (int q = 1; q < 4; q++) {
		double d = drawn[q * VALUES / 4];

		assert_true(d > 0.8 * sorted[q * VALUES / 4 - VALUES / 10]);
		assert_true(d < 1.2 * sorted[q * VALUES / 4 + VALUES / 10]);
	}
}

static void precision_check(int precision, const double *v, double mean)
{
	struct fixture x;
	double sum = 0;

	make(&x, precision, v, VALUES);
	/* A bin holds values that differ by no more than the precision allows, or so many of all.
	 */
	for (uint32_t i = 1; precision > 0 && i < x.bins.bins; i++)
		assert_true(x.bins.high[i] - x.bins.low[i] <=
		                (100 - precision) / 100.0 * x.bins.high[i] * (1 + 1e-9) ||
		            x.bins.upto[i] - x.bins.upto[i - 1] <=
		                (100 - precision) / 100.0 * (1 + 1e-9));
	if (precision == 0)
		assert_int_equal(x.bins.bins, 1 + HISTOGRAM_FORCED_BINS);
	for (uint64_t i = 0; i < VALUES; i++) {
		double d = bins_draw(&x.bins, 1, (uint32_t)(i % 7), 5, i);

		assert_true(d >= 0);
		assert_true(d == bins_draw(&x.bins, 1, (uint32_t)(i % 7), 5, i));
		sum += d;
	}
	/* Quantiles too: half of the values are below the median. */
	quantiles_check(&x, v);
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
	int differ[4] = {0};

	(void)state;
	make(&x, 95, v, 9);
	for (uint64_t i = 0; i < 40; i++) {
		double d = bins_draw(&x.bins, 1, 0, 0, i);

		differ[0] += d != bins_draw(&x.bins, 1, 1, 0, i);
		differ[1] += d != bins_draw(&x.bins, 1, 0, 1, i);
		differ[2] += d != bins_draw(&x.bins, 1, 0, 0, i + 1);
		differ[3] += d != bins_draw(&x.bins, 2, 0, 0, i);
	}
	/* Eight of nine times. */
	for (int k = 0; k < 4; k++)
		assert_in_range(differ[k], 25, 40);
	release(&x);
}

/* Three values far above the others are where they were, within 5 %, and nowhere else; the mean of
 * the others is kept. */
static void outliers(void **state)
{
	static const struct outlier far[] = {{500, 3, 7, 40}, {90, 1, 7, 0}, {700, 3, 6, 40}};
	struct fixture x = {0};
	struct rng rng;
	struct err err;
	const uint8_t *p;
	double sum = 0;

	(void)state;
	arena_init(&x.arena);
	histogram_init(&x.h, 95);
	rng_init(&rng, 5, "outliers", 0);
	for (uint32_t i = 0; i < VALUES; i++) {
		struct outlier o = {1 + rng_unit(&rng), i % 5, 7, i / 5};

		for (size_t k = 0; k < 3; k++)
			if (far[k].rank == o.rank && far[k].i == o.i && far[k].slot == o.slot)
				o = far[k];
		if (i == VALUES - 1)
			o = far[2];
		sum += o.v < 50 ? o.v : 0;
		assert_ok(histogram_add(&x.h, o.v, 1, o.rank, &err), err);
		outliers_note(&x.h.top, &o);
	}
	histogram_write(&x.h, 95, 50, &x.text);
	p = (const uint8_t *)x.text.s;
	assert_ptr_equal(bins_read(&x.bins, 95, p, p + x.text.n, &x.arena, &err), p + x.text.n);
	for (size_t cut = 1; cut < x.text.n; cut++) {
		struct bins other;

		assert_null(bins_read(&other, 95, p, p + x.text.n - cut, &x.arena, &err));
	}
	assert_int_equal(x.bins.n, VALUES);
	assert_true(x.bins.most == 700 && x.bins.most_rank == 3);
	for (size_t k = 0; k < 3; k++) {
		double v = bins_draw(&x.bins, 1, far[k].rank, far[k].slot, far[k].i);

		assert_true(v > far[k].v * 0.95 && v < far[k].v / 0.95);
	}
	sum /= VALUES - 3;
	for (uint64_t i = 0; i < VALUES; i++) {
		double v = bins_draw(&x.bins, 1, 2, 7, i);

		assert_true(v >= 0.95 && v < 2.2);
		sum -= v / VALUES;
	}
	assert_true(fabs(sum) < 0.01); /* three deviations of a mean of so many are 0.006 */
	release(&x);
}

/* Of a program: the computation that took a thousand times longer is the one that it was. */
static void outlier_of_a_rank(void **state)
{
	struct trace_event ev;
	struct trace_writer *w;
	struct trace *t;
	struct rng rng;
	struct err err;
	char dir[64], path[128];
	int found = 0;

	(void)state;
	folder_make(dir);
	snprintf(path, sizeof path, "%s/trace", dir);
	w = trace_writer_open(path, TRACE_WRITE_COMPRESSED, 4, &err);
	assert_non_null(w);
	trace_writer_precision(w, 95);
	rng_init(&rng, 6, "outlier", 0);
	for (uint32_t rank = 0; rank < 4; rank++)
		for (int i = 0; i < 200; i++) {
			trace_event_init(&ev, TRACE_COMPUTE);
			ev.volume = floor((rank == 2 && i == 77 ? 1e6 : 1e3) *
			                  (1 + rng_unit(&rng)));
			ev.duration = ev.volume * 1e-9;
			assert_ok(trace_writer_put(w, rank, &ev, &err), err);
			trace_event_init(&ev, TRACE_BARRIER);
			assert_ok(trace_writer_put(w, rank, &ev, &err), err);
		}
	assert_ok(trace_writer_commit(w, NULL, NULL, &err), err);
	t = trace_open(path, 0, &err);
	assert_non_null(t);
	for (uint32_t rank = 0; rank < 4; rank++)
		for (int i = 0; trace_next(t, rank, &ev, &err) > 0; i++)
			if (ev.op == TRACE_COMPUTE && ev.volume > 3e3) {
				assert_true(rank == 2 && i == 2 * 77 && ev.volume > 0.95e6 &&
				            ev.duration > 0.95e-3);
				found++;
			}
	assert_int_equal(found, 1);
	trace_close(t);
	folder_remove(dir);
}

/* Rank 0 sends rank 1 so many messages, of `least` bytes or up to `most`; rank 1 gets them. */
static void messages_write(const char *path, int precision, int64_t least, int64_t most)
{
	struct trace_writer *w;
	struct trace_event ev;
	struct err err;

	w = trace_writer_open(path, TRACE_WRITE_COMPRESSED, 2, &err);
	assert_non_null(w);
	trace_writer_precision(w, precision);
	for (uint32_t rank = 0; rank < 2; rank++)
		for (int64_t i = 0; i < MESSAGES; i++) {
			trace_event_init(&ev, rank ? TRACE_RECV : TRACE_SEND);
			ev.peer = (int32_t)!rank;
			ev.count = least + i * 37 % (most - least + 1);
			ev.type = 6;
			ev.type_size = 1;
			assert_ok(trace_writer_put(w, rank, &ev, &err), err);
		}
	assert_ok(trace_writer_commit(w, NULL, NULL, &err), err);
}

/* Whether sizes are drawn; where they are not, they are what they were. */
static int messages_are_drawn(int precision, int64_t least, int64_t most)
{
	struct trace_event ev;
	struct trace *t;
	struct err err;
	char dir[64], path[128];
	int n = 0, drawn = 0;

	folder_make(dir);
	snprintf(path, sizeof path, "%s/trace", dir);
	messages_write(path, precision, least, most);
	t = trace_open(path, 0, &err);
	assert_non_null(t);
	while (trace_next(t, 0, &ev, &err) > 0) {
		if (ev.op != TRACE_SEND)
			continue;
		assert_in_range(ev.count, least, most);
		drawn += (ev.drawn & TRACE_DRAWN_COUNT) != 0;
		if (!drawn)
			assert_int_equal(ev.count, least + n * 37 % (most - least + 1));
		n++;
	}
	assert_int_equal(n, MESSAGES);
	/* Those before the loop is found are calls of their own. */
	assert_true(drawn == 0 || drawn > MESSAGES - 32);
	trace_close(t);
	folder_remove(dir);
	return drawn > 0;
}

/* Sizes merge if they differ by at most 100 - P per cent of the greater: 950 and 1,000 at 95, 949
 * and 1,000 not; whatever they are at 0. */
static void near_only(void **state)
{
	(void)state;
	assert_true(messages_are_drawn(95, 950, 1000));
	assert_false(messages_are_drawn(95, 949, 1000));
	assert_true(messages_are_drawn(50, 500, 1000));
	assert_false(messages_are_drawn(50, 499, 1000));
	assert_false(messages_are_drawn(50, 0, 1000));
	assert_true(messages_are_drawn(0, 0, 1000));
	assert_false(messages_are_drawn(100, 950, 1000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(outliers),  cmocka_unit_test(outlier_of_a_rank),
	    cmocka_unit_test(by_hand),   cmocka_unit_test(constant),
	    cmocka_unit_test(draws),     cmocka_unit_test(apart),
	    cmocka_unit_test(near_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
