/* fit_segments.c: piecewise linear regression: see fit.h.
 *
 * 1. Points are sorted by x; those far from the median of their neighbours are outliers and take no
 *    further part.
 * 2. Candidates for breaks are the places between different x, at most 600 of them, evenly spread
 *    over the points; then, in further rounds, places near the breaks of the round before, at most
 *    600 again and so ever closer, until all are looked at: a jump inside what should be one step
 *    would look like a short segment.
 * 3. The cost of any segment comes in O(1) from sums over prefixes; dynamic programming finds the
 *    best way to cut in O(candidates^2).
 * Weights are 1/median^2 of the neighbourhood, not 1/y^2, which would favour the points that happen
 * to lie low. */
#include "fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CANDIDATES = 600, NEIGHBOURS = 7 /* on each side */ };

struct sums { /* of weights w: w, wx, wxx, wy, wxy, wyy, points, different x */
	long double w, x, xx, y, xy, yy;
	size_t n, sizes;
};

struct point {
	double x, y, smooth; /* smooth: what the neighbours say */
	double sides[2];     /* those on either side alone: at a step both are right */
	double scale;        /* what residuals are relative to */
};

struct work {
	struct point *p;
	size_t n, outliers;
	char *allowed;       /* by point: a break may come before it */
	struct sums *prefix; /* of the points before candidate c */
	size_t *at;          /* point index of candidate c; at[0] = 0, at[last] = n */
	size_t candidates;   /* their number, both ends included */
	double *best;        /* least cost of the points before candidate c */
	size_t *from;        /* the candidate at which the last segment of that begins */
	struct fit_options o;
};

struct line {
	double slope, intercept, rss, det;
};

static int by_x(const void *a, const void *b)
{
	const struct point *p = a, *q = b;

	if (p->x != q->x)
		return p->x < q->x ? -1 : 1;
	return (p->y > q->y) - (p->y < q->y);
}

/* --- outliers --- */

enum { WINDOW = 2 * NEIGHBOURS + 1, SLOPES = WINDOW * (WINDOW - 1) / 2 };
/* Of what neighbours are off their median: a line through them that leaves less is believed. A step
 * leaves half. */
static const double STEEP = 1.0 / 3;

static double off_sum(const struct point *p, size_t n, double level, double slope)
{
	double sum = 0;

	for (size_t k = 0; k < n; k++)
		sum += fabs(p[k].y - level - slope * p[k].x);
	return sum;
}

/* What neighbours say of y at x. Few measurements of large messages are so far apart that the
 * median of the next ones is far off at both ends, and these would be taken for outliers: where a
 * line (medians of slopes and of levels: Theil and Sen) explains them much better, it is that. */
static double neighbours_say(const struct point *p, size_t n, double x)
{
	double v[SLOPES], y[WINDOW] = {0}, middle, slope, level;
	size_t slopes = 0;

	for (size_t k = 0; k < n; k++)
		y[k] = p[k].y;
	middle = fit_median(y, n);
	for (size_t k = 0; k < n; k++)
		for (size_t j = 0; j < k; j++)
			if (p[k].x > p[j].x)
				v[slopes++] = (p[k].y - p[j].y) / (p[k].x - p[j].x);
	if (slopes == 0)
		return middle;
	slope = fit_median(v, slopes);
	for (size_t k = 0; k < n; k++)
		y[k] = p[k].y - slope * p[k].x;
	level = fit_median(y, n);
	return off_sum(p, n, level, slope) < STEEP * off_sum(p, n, middle, 0) &&
	               level + slope * x > 0
	           ? level + slope * x
	           : middle;
}

static void sides_make(struct work *w, size_t i)
{
	enum { LEAST = 5 }; /* of which two may be outliers */
	size_t left = i < NEIGHBOURS ? i : NEIGHBOURS,
	       right = w->n - 1 - i < NEIGHBOURS ? w->n - 1 - i : NEIGHBOURS;
	struct point *p = &w->p[i];

	p->sides[0] = left < LEAST ? p->smooth : neighbours_say(p - left, left, p->x);
	p->sides[1] = right < LEAST ? p->smooth : neighbours_say(p + 1, right, p->x);
}

static void smooth_make(struct work *w)
{
	size_t i, lo, hi;

	for (i = 0; i < w->n; i++) {
		lo = i < NEIGHBOURS ? 0 : i - NEIGHBOURS;
		hi = i + NEIGHBOURS + 1 > w->n ? w->n : i + NEIGHBOURS + 1;
		/* Many measurements of one x: they are their own neighbours, wherever in the order
		 * of y this one stands. */
		while (lo > 0 && hi < w->n && i - lo < hi - 1 - i)
			lo--;
		w->p[i].smooth = neighbours_say(w->p + lo, hi - lo < WINDOW ? hi - lo : WINDOW,
		                                w->p[i].x);
		sides_make(w, i);
	}
}

/* The place after the last point with the x of point i. */
static size_t group_end(const struct work *w, size_t i)
{
	size_t j = i;

	while (j < w->n && w->p[j].x == w->p[i].x)
		j++;
	return j;
}

/* The median y of each x stands for the points of that x where there are several; else that of the
 * neighbours. */
static int smooth_groups(struct work *w, struct err *err)
{
	double *y = malloc(w->n * sizeof *y);
	size_t i, j, k;

	if (!y)
		return err_nomem(err, "medians", w->n * sizeof *y);
	for (i = 0; i < w->n; i = j) {
		double middle;

		j = group_end(w, i);
		if (j - i < 5)
			continue;
		for (k = i; k < j; k++)
			y[k - i] = w->p[k].y;
		middle = fit_median(y, j - i);
		for (k = i; k < j; k++)
			w->p[k].smooth = w->p[k].sides[0] = w->p[k].sides[1] = middle;
	}
	free(y);
	return 0;
}

/* A logarithm: how far y is off what is usual. */
static double off_usual(const struct work *w, const struct point *p, double usual)
{
	double change = (p->y - usual) / (w->o.scale ? p->scale : usual);

	return change > -1 ? fabs(log1p(change)) : INFINITY;
}

/* Drops points whose logarithm differs from the smooth one by more than 6 deviations of the 61
 * around (and 10 %). Around: by x alone. Points of one x stand in the order of y, the strange ones
 * side by side, and would each be usual among their next neighbours. */
static int outliers_drop(struct work *w, struct err *err)
{
	enum { AROUND = 30 };
	double *r = malloc(w->n * sizeof *r);
	size_t i, j, lo, hi, kept = 0;

	if (!r)
		return err_nomem(err, "residuals", w->n * sizeof *r);
	for (i = 0; i < w->n; i++) {
		const struct point *p = &w->p[i];

		r[i] = fmin(off_usual(w, p, p->smooth),
		            fmin(off_usual(w, p, p->sides[0]), off_usual(w, p, p->sides[1])));
	}
	for (i = 0; i < w->n; i = j) {
		size_t middle;
		double most;

		j = group_end(w, i);
		middle = (i + j - 1) / 2;
		lo = middle < AROUND ? 0 : middle - AROUND;
		hi = middle + AROUND + 1 > w->n ? w->n : middle + AROUND + 1;
		lo = lo < i ? lo : i;
		hi = hi > j ? hi : j;
		most = fmax(0.1, 6 * 1.4826 * fit_median(r + lo, hi - lo));
		for (size_t k = i; k < j; k++)
			if (r[k] <= most)
				w->p[kept++] = w->p[k];
	}
	free(r);
	w->outliers = w->n - kept;
	w->n = kept;
	return 0;
}

/* --- sums and lines --- */

static void sums_add(struct sums *s, const struct point *p, int new_size)
{
	long double weight = 1 / ((long double)p->scale * p->scale), x = p->x, y = p->y;

	s->w += weight;
	s->x += weight * x;
	s->xx += weight * x * x;
	s->y += weight * y;
	s->xy += weight * x * y;
	s->yy += weight * y * y;
	s->n++;
	s->sizes += (size_t)new_size;
}

static struct sums sums_between(const struct sums *a, const struct sums *b)
{
	return (struct sums){b->w - a->w,   b->x - a->x,   b->xx - a->xx, b->y - a->y,
	                     b->xy - a->xy, b->yy - a->yy, b->n - a->n,   b->sizes - a->sizes};
}

static struct line line_positive(const struct sums *s, struct line l)
{
	if (l.slope < 0) {
		long double level = s->y / s->w, rss = s->yy - level * s->y;

		l = (struct line){0, level > 0 ? (double)level : 0,
		                  level > 0 && rss > 0 ? (double)rss
		                  : level > 0          ? 0
		                                       : (double)s->yy,
		                  l.det};
	} else if (l.intercept < 0) {
		long double slope = s->xy > 0 ? s->xy / s->xx : 0,
		            rss = s->yy - slope * s->xy; /* of values below 0 all is 0 */

		l = (struct line){(double)slope, 0, rss > 0 ? (double)rss : 0, l.det};
	}
	return l;
}

static struct line line_fit(const struct sums *s, int positive)
{
	long double mx = s->x / s->w, my = s->y / s->w, sxx = s->xx - s->x * mx,
	            sxy = s->xy - s->x * my, syy = s->yy - s->y * my;
	long double slope = sxx > 0 ? sxy / sxx : 0, rss = syy - slope * sxy;

	struct line l = {(double)slope, (double)(my - slope * mx), rss > 0 ? (double)rss : 0,
	                 (double)sxx};
	return positive ? line_positive(s, l) : l;
}

static int arrays_make(struct work *w, struct err *err)
{
	size_t n = w->n + 2;

	w->allowed = calloc(n, 1);
	w->prefix = calloc(n, sizeof *w->prefix);
	w->at = calloc(n, sizeof *w->at);
	w->best = calloc(n, sizeof *w->best);
	w->from = calloc(n, sizeof *w->from);
	if (!w->allowed || !w->prefix || !w->at || !w->best || !w->from)
		return err_nomem(err, "sums", n * sizeof *w->prefix);
	return 0;
}

static void candidates_make(struct work *w)
{
	size_t c = 1;
	struct sums s = {0};

	for (size_t i = 0; i < w->n; i++) {
		int new_size = i == 0 || w->p[i].x != w->p[i - 1].x;

		if (new_size && i > 0 && w->allowed[i]) {
			w->at[c] = i;
			w->prefix[c++] = s;
		}
		sums_add(&s, &w->p[i], new_size);
	}
	w->at[c] = w->n;
	w->prefix[c++] = s;
	w->candidates = c;
}

/* Of many points with one x, the first one can have a break before it: so the next place after each
 * step is allowed, not the step itself. */
static void allow_evenly(struct work *w, size_t lo, size_t hi, size_t step)
{
	size_t next = lo > 1 ? lo : 1;

	for (size_t i = next; i < hi; i++) {
		if (i >= next && w->p[i].x != w->p[i - 1].x) {
			w->allowed[i] = 1;
			next = i + step;
		}
	}
}

/* Places within the 2 steps around the breaks just found, and these themselves. Returned: the new
 * step between them. */
static size_t allow_around(struct work *w, size_t step)
{
	size_t breaks = 0, closer;

	for (size_t c = w->from[w->candidates - 1]; c > 0; c = w->from[c])
		breaks++;
	closer = breaks * 4 * step / CANDIDATES + 1;
	closer = closer <= step / 2 ? closer : step / 2;
	memset(w->allowed, 0, w->n);
	for (size_t c = w->from[w->candidates - 1]; c > 0; c = w->from[c]) {
		size_t at = w->at[c], lo = at > 2 * step ? at - 2 * step : 0,
		       hi = at + 2 * step < w->n ? at + 2 * step : w->n - 1;

		allow_evenly(w, lo, hi + 1, closer);
		w->allowed[at] = 1;
	}
	return closer;
}

/* Twice the negative logarithm of the likelihood, but for a constant; INFINITY if too short. */
static double cost_of(const struct work *w, const struct sums *s)
{
	double n = (double)s->n, variance;

	if (s->n < w->o.least_points || s->sizes < (size_t)w->o.least_sizes)
		return INFINITY;
	/* The square that is left of 2 parameters, over the points that they leave free: short
	 * segments look too good otherwise. */
	variance = line_fit(s, w->o.positive).rss / (n - 2);
	return n * log(fmax(variance, w->o.least_sigma * w->o.least_sigma));
}

static double segment_cost(const struct work *w, size_t a, size_t b)
{
	struct sums s = sums_between(&w->prefix[a], &w->prefix[b]);

	return cost_of(w, &s);
}

static void cut(struct work *w)
{
	double penalty = 4 * w->o.penalty * log((double)w->n);

	for (size_t b = 1; b < w->candidates; b++) {
		w->best[b] = INFINITY;
		for (size_t a = 0; a < b; a++) {
			double cost = w->best[a] + segment_cost(w, a, b) + penalty;

			if (cost < w->best[b]) {
				w->best[b] = cost;
				w->from[b] = a;
			}
		}
	}
}

/* --- results --- */

/* A whole number between the sizes on either side, if there is one: a size belongs to the segment
 * before if it is as large. */
static double break_between(const struct work *w, size_t c)
{
	const struct point *p = &w->p[w->at[c]];
	double at = floor(sqrt(p[-1].x > 0 ? p[-1].x * p->x : p->x));

	return at >= p[-1].x && at < p->x ? at : p[-1].x;
}

/* What the cost of a place may be higher than that of the best with a probability of 0.95: of
 * Hansen's test of a threshold, -2 ln(1 - sqrt(0.95)) (Econometrica 68, 2000). That of chi square,
 * 3.84, is of parameters on which the likelihood depends smoothly, and a place is none. */
static const double PLACE_95 = 7.352;

/* The places of the break c between candidates a and b whose cost is not significantly higher, and
 * all between them: noise makes places in the middle look worse. All places are looked at, as
 * candidates are only near the best one. */
static void break_interval(const struct work *w, size_t a, size_t c, size_t b,
                           struct fit_segment *out)
{
	struct sums all = sums_between(&w->prefix[a], &w->prefix[b]), left = {0};
	double most = segment_cost(w, a, c) + segment_cost(w, c, b) + PLACE_95;
	size_t lo = w->at[c], hi = w->at[c];

	for (size_t k = w->at[a]; k < w->at[b]; k++) {
		int new_size = k == w->at[a] || w->p[k].x != w->p[k - 1].x;
		struct sums right = sums_between(&left, &all);

		if (new_size && cost_of(w, &left) + cost_of(w, &right) <= most) {
			lo = k < lo ? k : lo;
			hi = k > hi ? k : hi;
		}
		sums_add(&left, &w->p[k], new_size);
	}
	out->break_low = w->p[lo - 1].x;
	out->break_high = w->p[hi].x;
}

/* Half-widths of the 95 % intervals, where sizes were measured more than once: what all of one size
 * have in common, be it a file that holds each row twice, is not the less for repeating it. A
 * size's residuals are one draw (Liang and Zeger 1986; n / (n - 2) as for two parameters). Never
 * less than what independent residuals have. */
static void intervals_by_size(const struct work *w, size_t a, size_t b, const struct line *l,
                              struct fit_segment *out)
{
	struct sums s = sums_between(&w->prefix[a], &w->prefix[b]);
	double mean = (double)(s.x / s.w), slope = 0, level = 0, sizes = (double)s.sizes, t;

	if (s.sizes == s.n || s.sizes < 3 || !(l->det > 0))
		return;
	for (size_t i = w->at[a], j; i < w->at[b]; i = j) {
		double up = 0, turn = 0, by_mean;

		for (j = i; j < w->at[b] && w->p[j].x == w->p[i].x; j++) {
			const struct point *p = &w->p[j];
			double e = (p->y - l->intercept - l->slope * p->x) / (p->scale * p->scale);

			up += e;
			turn += (p->x - mean) * e;
		}
		by_mean = up / (double)s.w - mean * turn / l->det;
		slope += turn * turn / (l->det * l->det);
		level += by_mean * by_mean;
	}
	t = fit_t975(sizes - 2) * sqrt(sizes / (sizes - 2));
	out->slope_95 = fmax(out->slope_95, t * sqrt(slope));
	out->intercept_95 = fmax(out->intercept_95, t * sqrt(level));
}

static void segment_make(const struct work *w, size_t a, size_t b, struct fit_segment *out)
{
	struct sums s = sums_between(&w->prefix[a], &w->prefix[b]);
	struct line l = line_fit(&s, w->o.positive);
	double variance = fmax(l.rss / (double)(s.n - 2), w->o.least_sigma * w->o.least_sigma),
	       t = fit_t975((double)s.n - 2);
	double mean = (double)(s.x / s.w);

	*out = (struct fit_segment){.from = a ? break_between(w, a) : 0,
	                            .to = b + 1 < w->candidates ? break_between(w, b) : INFINITY,
	                            .slope = l.slope,
	                            .intercept = l.intercept,
	                            .sigma = sqrt(l.rss / (double)(s.n - 2)),
	                            .n = s.n};
	out->slope_95 = l.det > 0 ? t * sqrt(variance / l.det) : INFINITY;
	out->intercept_95 = l.det > 0 ? t * sqrt(variance * (1 / (double)s.w + mean * mean / l.det))
	                              : INFINITY;
	intervals_by_size(w, a, b, &l, out);
}

static int results(const struct work *w, struct fit_segments *out, struct err *err)
{
	size_t last = w->candidates - 1, n = 0, c, *chain;

	for (c = last; c > 0; c = w->from[c])
		n++;
	out->segment = calloc(n, sizeof *out->segment);
	chain = calloc(n + 1, sizeof *chain);
	if (!out->segment || !chain) {
		free(chain);
		return err_nomem(err, "segments", n * sizeof *out->segment);
	}
	out->n = n;
	for (c = last, chain[n] = last; n > 0; c = w->from[c])
		chain[--n] = w->from[c];
	for (size_t i = 0; i < out->n; i++) {
		segment_make(w, chain[i], chain[i + 1], &out->segment[i]);
		if (i > 0)
			break_interval(w, chain[i - 1], chain[i], chain[i + 1], &out->segment[i]);
	}
	free(chain);
	out->points = w->n;
	out->outliers = w->outliers;
	return 0;
}

static int find(struct work *w, struct fit_segments *out, struct err *err)
{
	size_t step;

	qsort(w->p, w->n, sizeof *w->p, by_x);
	smooth_make(w);
	if (smooth_groups(w, err) < 0)
		return -1;
	for (size_t i = 0; i < w->n && !w->o.scale; i++)
		w->p[i].scale = w->p[i].smooth;
	if (outliers_drop(w, err) < 0 || arrays_make(w, err) < 0)
		return -1;
	step = w->n / CANDIDATES + 1;
	allow_evenly(w, step, w->n, step);
	candidates_make(w);
	cut(w);
	while (step > 1 && isfinite(w->best[w->candidates - 1])) {
		step = allow_around(w, step);
		candidates_make(w);
		cut(w);
	}
	if (!isfinite(w->best[w->candidates - 1]))
		return err_set(err, ERR_INPUT,
		               "%zu points of %zu sizes are too few to fit a line: %zu points of "
		               "%d sizes are wanted",
		               w->n, w->prefix[w->candidates - 1].sizes, w->o.least_points,
		               w->o.least_sizes);
	return results(w, out, err);
}

int fit_segments_find(const double *x, const double *y, size_t n, const struct fit_options *o,
                      struct fit_segments *out, struct err *err)
{
	struct work w = {.n = n};
	int r;

	memset(out, 0, sizeof *out);
	if (o)
		w.o = *o;
	w.o.least_sigma = w.o.least_sigma > 0 ? w.o.least_sigma : 1e-3;
	w.o.penalty = w.o.penalty > 0 ? w.o.penalty : 1;
	w.o.least_points = w.o.least_points > 3 ? w.o.least_points : 8;
	w.o.least_sizes = w.o.least_sizes > 1 ? w.o.least_sizes : 3;
	if (n < w.o.least_points)
		return err_set(err, ERR_INPUT,
		               "%zu points are too few to fit lines: at least %zu are wanted", n,
		               w.o.least_points);
	w.p = malloc(n * sizeof *w.p);
	if (!w.p)
		return err_nomem(err, "points", n * sizeof *w.p);
	for (size_t i = 0; i < n; i++)
		w.p[i] = (struct point){
		    .x = x[i], .y = y[i], .scale = w.o.scale ? w.o.scale[i] : 0};
	r = find(&w, out, err);
	free(w.p);
	free(w.allowed);
	free(w.prefix);
	free(w.at);
	free(w.best);
	free(w.from);
	if (r < 0)
		fit_segments_release(out);
	return r;
}

void fit_segments_release(struct fit_segments *s)
{
	free(s->segment);
	memset(s, 0, sizeof *s);
}

const struct fit_segment *fit_segments_at(const struct fit_segments *s, double x)
{
	size_t i = 0;

	while (i + 1 < s->n && x > s->segment[i].to)
		i++;
	return &s->segment[i];
}

double fit_segments_value(const struct fit_segments *s, double x)
{
	const struct fit_segment *g = fit_segments_at(s, x);

	return g->intercept + g->slope * x;
}
