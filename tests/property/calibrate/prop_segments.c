/* prop_segments.c: piecewise lines beside an exhaustive search of a few points: of all ways to cut
 * them the one that is found has the least criterion of fit.h, worked out anew for each segment.
 * The interval of a line is the textbook's, of independent points or of independent sizes, and
 * holds the truth as often as it says where each size has an error of its own. Laws: the order of
 * points changes nothing; seconds counted in others change slope and intercept by as much; a point
 * lies in the segment that it was fitted with, of size 0 too; lines that may not be negative are
 * the best of those. */
#include "../prop.h"

#include "calibrate/fit/fit.h"

#include <math.h>

enum { FEW = 18, MANY = 400, LEAST_POINTS = 4, LEAST_SIZES = 3 };
static const double least_sigma = 1e-3;

struct points {
	double x[MANY], y[MANY], scale[MANY];
	int n;
};

/* --- lines anew --- */

struct slow_line {
	double slope, intercept, rss, slope_95, intercept_95;
};

/* As if all points of a size were one draw: (X'WX)^-1 sum(u u') (X'WX)^-1, u being X'W e of a size,
 * with uncentred columns. */
static void intervals_by_size(const struct points *p, int a, int b, struct slow_line *l)
{
	double n[3] = {0}, v[3] = {0}, u[2], det, i00, i01, i11, t;
	int sizes = 0;

	for (int i = a, j; i < b; i = j, sizes++) {
		u[0] = u[1] = 0;
		for (j = i; j < b && p->x[j] == p->x[i]; j++) {
			double weight = 1 / (p->scale[j] * p->scale[j]), x = p->x[j],
			       e = weight * (p->y[j] - l->intercept - l->slope * x);

			n[0] += weight, n[1] += weight * x, n[2] += weight * x * x;
			u[0] += e, u[1] += e * x;
		}
		v[0] += u[0] * u[0], v[1] += u[0] * u[1], v[2] += u[1] * u[1];
	}
	if (sizes == b - a)
		return;
	det = n[0] * n[2] - n[1] * n[1];
	i00 = n[2] / det, i01 = -n[1] / det, i11 = n[0] / det;
	t = fit_t975(sizes - 2) * sqrt(sizes / (sizes - 2.0));
	l->intercept_95 = fmax(
	    l->intercept_95, t * sqrt(i00 * i00 * v[0] + 2 * i00 * i01 * v[1] + i01 * i01 * v[2]));
	l->slope_95 = fmax(l->slope_95,
	                   t * sqrt(i01 * i01 * v[0] + 2 * i01 * i11 * v[1] + i11 * i11 * v[2]));
}

/* Weighted least squares of points a to b, in two passes: means, then products of distances. */
static struct slow_line line_slow(const struct points *p, int a, int b)
{
	double w = 0, mx = 0, my = 0, sxx = 0, sxy = 0, variance;
	struct slow_line l = {0};

	for (int i = a; i < b; i++)
		w += 1 / (p->scale[i] * p->scale[i]);
	for (int i = a; i < b; i++) {
		mx += p->x[i] / (p->scale[i] * p->scale[i]) / w;
		my += p->y[i] / (p->scale[i] * p->scale[i]) / w;
	}
	for (int i = a; i < b; i++) {
		double weight = 1 / (p->scale[i] * p->scale[i]);

		sxx += weight * (p->x[i] - mx) * (p->x[i] - mx);
		sxy += weight * (p->x[i] - mx) * (p->y[i] - my);
	}
	l.slope = sxy / sxx;
	l.intercept = my - l.slope * mx;
	for (int i = a; i < b; i++)
		l.rss += pow((p->y[i] - l.intercept - l.slope * p->x[i]) / p->scale[i], 2);
	variance = fmax(l.rss / (b - a - 2), least_sigma * least_sigma);
	l.slope_95 = fit_t975(b - a - 2) * sqrt(variance / sxx);
	l.intercept_95 = fit_t975(b - a - 2) * sqrt(variance * (1 / w + mx * mx / sxx));
	intervals_by_size(p, a, b, &l);
	return l;
}

static double cost_slow(const struct points *p, int a, int b)
{
	int sizes = 0;

	for (int i = a; i < b; i++)
		sizes += i == a || p->x[i] != p->x[i - 1];
	if (b - a < LEAST_POINTS || sizes < LEAST_SIZES)
		return INFINITY;
	return (b - a) *
	           log(fmax(line_slow(p, a, b).rss / (b - a - 2), least_sigma * least_sigma)) +
	       4 * log(p->n);
}

/* Cuts only between different sizes: all subsets of them. */
static double least_of_all(const struct points *p)
{
	double best = INFINITY;

	for (unsigned cuts = 0; cuts < 1u << (p->n - 1); cuts++) {
		double sum = 0;
		int a = 0, possible = 1;

		for (int i = 1; i <= p->n && possible; i++) {
			if (i < p->n && !(cuts >> (i - 1) & 1))
				continue;
			possible = i == p->n || p->x[i] != p->x[i - 1];
			if (possible && i - a >= LEAST_POINTS)
				sum += cost_slow(p, a, i);
			else
				possible = 0;
			a = i;
		}
		if (possible && sum < best)
			best = sum;
	}
	return best;
}

/* --- points --- */

/* Ascending sizes, some of them twice, from 0 on now and then; one to three lines of one noise. */
static void points_draw(struct rng *r, struct points *p, int n, double noise)
{
	int pieces = 1 + (int)rng_below(r, 3), each = n / pieces + 1;
	double x = prop_once_in(r, 3) ? 0 : 1, base = 0, slope = 0;

	p->n = n;
	for (int i = 0; i < n; i++) {
		if (i % each == 0) {
			base = 1 + 4 * rng_unit(r);
			slope = 0.3 * rng_unit(r) / each;
		}
		if (i > 0 && !prop_once_in(r, 4))
			x += (double)prop_from(r, 1, 5);
		p->x[i] = x;
		p->scale[i] = base + slope * x;
		p->y[i] = p->scale[i] * (1 + noise * rng_normal(r));
	}
	/* What points are relative to is the same for all: 1. */
	for (int i = 0; i < n; i++)
		p->scale[i] = 1 + 0.01 * i;
}

static struct fit_options options_of(const struct points *p)
{
	return (struct fit_options){
	    .least_points = LEAST_POINTS, .least_sizes = LEAST_SIZES, .scale = p->scale};
}

/* A point is in the segment with from < x <= to; the first begins at 0 and has it. */
static int segment_of(const struct fit_segments *s, double x)
{
	for (size_t i = 0; i < s->n; i++)
		if ((i == 0 || x > s->segment[i].from) && x <= s->segment[i].to)
			return (int)i;
	return -1;
}

static void counts_agree(const struct points *p, const struct fit_segments *s)
{
	size_t count[MANY] = {0};

	for (int i = 0; i < p->n; i++) {
		int k = segment_of(s, p->x[i]);

		assert_in_range(k, 0, (int)s->n - 1);
		assert_ptr_equal(fit_segments_at(s, p->x[i]), &s->segment[k]);
		count[k]++;
	}
	for (size_t k = 0; k < s->n; k++)
		if (count[k] != s->segment[k].n)
			fail_msg("segment %zu from %g to %g has %zu points, and was fitted to %zu",
			         k, s->segment[k].from, s->segment[k].to, count[k],
			         s->segment[k].n);
}

static void lines_agree(const struct points *p, const struct fit_segments *s, double *cost)
{
	int a = 0;

	*cost = 0;
	for (size_t k = 0; k < s->n; k++) {
		const struct fit_segment *g = &s->segment[k];
		struct slow_line l = line_slow(p, a, a + (int)g->n);

		assert_true(fabs(g->slope - l.slope) <= 1e-9 * (1 + fabs(l.slope)));
		assert_true(fabs(g->intercept - l.intercept) <= 1e-9 * (1 + fabs(l.intercept)));
		assert_close(g->slope_95, l.slope_95, 1e-6);
		assert_close(g->intercept_95, l.intercept_95, 1e-6);
		*cost += cost_slow(p, a, a + (int)g->n);
		a += (int)g->n;
	}
	assert_int_equal(a, p->n);
}

static void the_best_of_all_cuts(void **state)
{
	struct prop_run run = prop_begin(60);
	uint64_t looked = 0, several = 0;
	struct points p;

	(void)state;
	for (uint64_t i = 0; i < run.cases; i++) {
		struct fit_options o;
		struct fit_segments s;
		struct rng r;
		struct err err;
		double cost, least;
		char all[40];

		rng_init(&r, run.seed + i, "segments", 0);
		points_draw(&r, &p, (int)prop_from(&r, 12, FEW), 0.002);
		o = options_of(&p);
		/* Of few points many look strange beside their neighbours: all are wanted. */
		if (fit_segments_find(p.x, p.y, (size_t)p.n, &o, &s, &err) < 0) {
			/* The message begins with how many are left: strange ones are not. */
			snprintf(all, sizeof all, "%d points of", p.n);
			assert_true(isinf(least_of_all(&p)) || !strstr(err.text, all));
			continue;
		}
		if (s.outliers > 0) {
			fit_segments_release(&s);
			continue;
		}
		counts_agree(&p, &s);
		lines_agree(&p, &s, &cost);
		least = least_of_all(&p);
		if (cost > least + 1e-6 * fabs(least))
			fail_msg("seed %llu: the cut has %.9g, the best one %.9g",
			         (unsigned long long)(run.seed + i), cost, least);
		looked++;
		several += s.n > 1;
		fit_segments_release(&s);
	}
	assert_true(looked >= run.cases / 3 && several >= run.cases / 10);
}

/* --- laws --- */

static void shuffle(struct rng *r, struct points *p)
{
	for (int i = p->n - 1; i > 0; i--) {
		int k = (int)rng_below(r, (uint64_t)i + 1);
		double x = p->x[i], y = p->y[i];

		p->x[i] = p->x[k], p->y[i] = p->y[k];
		p->x[k] = x, p->y[k] = y;
	}
}

static void order_and_units(void **state)
{
	struct prop_run run = prop_begin(40);
	struct points p, q;

	(void)state;
	for (uint64_t i = 0; i < run.cases; i++) {
		struct fit_segments s, t;
		struct rng r;
		struct err err;

		rng_init(&r, run.seed + i, "laws", 0);
		points_draw(&r, &p, MANY, 0.02);
		q = p;
		shuffle(&r, &q);
		for (int k = 0; k < q.n; k++)
			q.y[k] *= 1024; /* exact in binary */
		assert_ok(fit_segments_find(p.x, p.y, MANY, NULL, &s, &err), err);
		assert_ok(fit_segments_find(q.x, q.y, MANY, NULL, &t, &err), err);
		assert_int_equal(s.n, t.n);
		assert_int_equal(s.outliers, t.outliers);
		for (size_t k = 0; k < s.n; k++) {
			assert_double_is(t.segment[k].from, s.segment[k].from);
			assert_close(t.segment[k].slope, 1024 * s.segment[k].slope, 1e-9);
			assert_close(t.segment[k].intercept, 1024 * s.segment[k].intercept, 1e-9);
			assert_close(t.segment[k].sigma, s.segment[k].sigma, 1e-9);
			assert_int_equal(t.segment[k].n, s.segment[k].n);
			assert_true(k == 0 || (s.segment[k].break_low <= s.segment[k].from &&
			                       s.segment[k].from <= s.segment[k].break_high));
		}
		fit_segments_release(&s);
		fit_segments_release(&t);
	}
}

/* Each point twice says the same line, and no more of it than each once: its interval is that of
 * independent sizes, whatever is there twice. */
static void points_twice(void **state)
{
	struct prop_run run = prop_begin(40);
	enum { N = 100 };

	(void)state;
	for (uint64_t i = 0; i < run.cases; i++) {
		struct fit_options o = {.penalty = 1e9};
		struct fit_segments s, t;
		double x[2 * N], y[2 * N], scale[2 * N];
		struct rng r;
		struct err err;

		rng_init(&r, run.seed + i, "twice", 0);
		for (int k = 0; k < N; k++) { /* each size once */
			x[k] = x[N + k] = 1 + k;
			y[k] = y[N + k] = 1 + 0.001 * x[k] + 0.05 * (rng_unit(&r) - 0.5);
			scale[k] = scale[N + k] = 1;
		}
		o.scale = scale;
		assert_ok(fit_segments_find(x, y, N, &o, &s, &err), err);
		assert_ok(fit_segments_find(x, y, 2 * N, &o, &t, &err), err);
		assert_true(s.n == 1 && t.n == 1 && s.outliers == 0 && t.outliers == 0);
		assert_close(t.segment[0].slope, s.segment[0].slope, 1e-6);
		/* Errors all alike, or each its own: of 100 points these differ by a fifth. */
		assert_close(t.segment[0].slope_95, s.segment[0].slope_95, 0.25);
		assert_close(t.segment[0].intercept_95, s.segment[0].intercept_95, 0.25);
		fit_segments_release(&s);
		fit_segments_release(&t);
	}
}

/* Each size has an error of its own besides that of each point, as real sizes do (packets, pages):
 * the interval of a slope holds it in 95 of 100 draws, but for 4 deviations of so many; whatever
 * the number of repetitions. */
static void intervals_hold(void **state)
{
	enum { SIZES = 40, REPEATS = 4, N = SIZES * REPEATS };
	struct prop_run run = prop_begin(400);
	double inside = 0, cases = (double)run.cases, off = 4 * sqrt(0.95 * 0.05 * cases);

	(void)state;
	for (uint64_t i = 0; i < run.cases; i++) {
		struct fit_options o = {.penalty = 1e9};
		double x[N], y[N], own = 0, repeated = 0.01 * (double)(i % 3);
		struct fit_segments s;
		struct rng r;
		struct err err;

		rng_init(&r, run.seed + i, "hold", 0);
		for (int k = 0; k < N; k++) {
			own = k % REPEATS ? own : 0.01 * rng_normal(&r);
			x[k] = 1 + k / REPEATS;
			y[k] = (1 + 0.1 * x[k]) * (1 + own + repeated * rng_normal(&r));
		}
		assert_ok(fit_segments_find(x, y, N, &o, &s, &err), err);
		inside += fabs(s.segment[0].slope - 0.1) <= s.segment[0].slope_95;
		fit_segments_release(&s);
	}
	if (inside < 0.95 * cases - off || inside > 0.95 * cases + off)
		fail_msg("%g of %g intervals hold the truth", inside, cases);
}

/* The least squares of a line that may not be negative: of the four kinds there are (free, flat,
 * through the origin, none) the best that is allowed. */
static void lines_not_negative(void **state)
{
	struct prop_run run = prop_begin(200);
	enum { N = 30 };

	(void)state;
	for (uint64_t i = 0; i < run.cases; i++) {
		struct points p = {.n = N};
		struct fit_options o;
		struct fit_segments s;
		struct slow_line l;
		double wy = 0, w = 0, xy = 0, xx = 0, best, rss[4] = {0};
		struct rng r;
		struct err err;
		double base = 2 * rng_unit((rng_init(&r, run.seed + i, "positive", 0), &r)) - 1,
		       slope = 0.2 * (rng_unit(&r) - 0.5);

		for (int k = 0; k < N; k++) {
			p.x[k] = 1 + k;
			p.y[k] = base + slope * p.x[k] + 0.1 * rng_normal(&r);
			p.scale[k] = 100;
			w += 1, wy += p.y[k], xy += p.x[k] * p.y[k], xx += p.x[k] * p.x[k];
		}
		l = line_slow(&p, 0, N);
		for (int k = 0; k < N; k++) {
			double y = p.y[k], x = p.x[k];

			rss[0] += pow(y - l.intercept - l.slope * x, 2);
			rss[1] += pow(y - fmax(wy / w, 0), 2);
			rss[2] += pow(y - fmax(xy / xx, 0) * x, 2);
			rss[3] += y * y;
		}
		best = fmin(rss[3], fmin(rss[1], rss[2]));
		if (l.slope >= 0 && l.intercept >= 0)
			best = rss[0];
		o = options_of(&p);
		o.positive = 1;
		o.penalty = 1e9;
		assert_ok(fit_segments_find(p.x, p.y, N, &o, &s, &err), err);
		assert_true(s.n == 1 && s.segment[0].slope >= 0 && s.segment[0].intercept >= 0);
		rss[0] = 0;
		for (int k = 0; k < N; k++)
			rss[0] += pow(p.y[k] - fit_segments_value(&s, p.x[k]), 2);
		assert_close(rss[0], best, 1e-9);
		fit_segments_release(&s);
	}
}

/* Sizes that are no whole numbers, with a break before 1: it leaves 1 to what comes after it. */
static void a_break_before_one(void **state)
{
	struct points p = {.n = 60};
	struct fit_options o = {.least_points = 20, .least_sizes = 1};
	struct fit_segments s;
	struct err err;

	(void)state;
	for (int i = 0; i < p.n; i++) {
		p.x[i] = i < 20 ? (i % 2) * 0.25 : 1 + (i - 20) / 10;
		p.y[i] = i < 20 ? 1 : 5 + p.x[i];
		p.scale[i] = 1;
	}
	o.scale = p.scale;
	o.least_sizes = 2;
	assert_ok(fit_segments_find(p.x, p.y, (size_t)p.n, &o, &s, &err), err);
	assert_int_equal(s.n, 2);
	counts_agree(&p, &s);
	assert_close(fit_segments_value(&s, 1), 6, 1e-9);
	fit_segments_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_best_of_all_cuts), cmocka_unit_test(order_and_units),
	    cmocka_unit_test(points_twice),         cmocka_unit_test(lines_not_negative),
	    cmocka_unit_test(a_break_before_one),   cmocka_unit_test(intervals_hold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
