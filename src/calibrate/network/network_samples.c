/* network_samples.c: round trips in sections by size, without what goes with the size; which
 * sections are one sample (network_noise.c, 1 and 2). */
#include "network_noise_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sections are one sample unless chance makes them look so different in less than one of a hundred
 * cases: the usual level of Smirnov's test. */
static const double ALIKE = 0.01;
/* Quantile of the normal distribution: the level of Bartels's test. */
static const double NORMAL_99 = 2.326;
/* Standard errors, two-sided 1 %. */
static const double MOVED = 2.5;
/* Of round trips, at either end: what delays and the quickest may have moved is left out of means
 * that are compared. */
static const double TRIMMED = 0.05;

int residual_by_size(const void *a, const void *b)
{
	const struct residual *p = a, *q = b;

	if (p->size != q->size)
		return p->size < q->size ? -1 : 1;
	return (p->start > q->start) - (p->start < q->start);
}

/* --- sections --- */

void sections_cut(struct work *w)
{
	double from = 0, to = 2;
	size_t at = 0;

	for (; at < w->n && w->sections < NET_PIECES; to *= 2) {
		size_t k = 0, rest;
		struct section *s = &w->section[w->sections];

		while (at + k < w->n && w->r[at + k].size <= to)
			k++;
		rest = w->n - at - k;
		if (rest > 0 && (k < LEAST || rest < LEAST))
			continue;
		*s = (struct section){.from = from, .to = to, .first = at, .n = k};
		for (size_t i = at; i < at + k; i++) {
			w->r[i].section = w->sections;
			s->seconds += w->r[i].fitted / (double)k;
		}
		w->sections++;
		at += k;
		from = to;
	}
}

/* --- what goes with the size --- */

/* The ratio of von Neumann of ranks: differences of neighbours beside the scatter of all, 2 by
 * chance, its deviation 2 / sqrt(n) (Bartels 1982). */
static int is_trend(struct work *w, const struct section *s)
{
	double differences = 0, square = 0, mean = ((double)s->n - 1) / 2, last = 0;

	for (size_t i = 0; i < s->n; i++)
		w->some[i] = w->r[s->first + i].late;
	fit_sort(w->some, s->n);
	for (size_t i = 0; i < s->n; i++) {
		size_t lo = 0, hi = s->n - 1;

		while (lo < hi) { /* the first that is not less */
			size_t half = (lo + hi) / 2;

			if (w->some[half] < w->r[s->first + i].late)
				lo = half + 1;
			else
				hi = half;
		}
		if (i)
			differences += ((double)lo - last) * ((double)lo - last);
		last = (double)lo;
		square += (last - mean) * (last - mean);
	}
	return s->n >= LEAST && differences < square * (2 - 2 * NORMAL_99 / sqrt((double)s->n));
}

/* The median of the six before and the six after it in size. */
static double level_at(struct work *w, const struct section *s, size_t i)
{
	enum { SIDE = 6 };
	double near[2 * SIDE];
	size_t from = i < SIDE ? 0 : i - SIDE, to = from + 2 * SIDE, n = 0;

	if (to >= s->n) {
		to = s->n - 1;
		from = to > 2 * SIDE ? to - 2 * SIDE : 0;
	}
	for (size_t k = from; k <= to; k++)
		if (k != i)
			near[n++] = w->r[s->first + k].late;
	return fit_median(near, n);
}

void residuals_level(struct work *w)
{
	for (int j = 0; j < w->sections; j++) {
		const struct section *s = &w->section[j];
		int trend = is_trend(w, s);

		for (size_t i = 0; trend && i < s->n; i++)
			w->r[s->first + i].off = level_at(w, s, i);
	}
	for (size_t i = 0; i < w->n; i++)
		w->r[i].late -= w->r[i].off;
}

/* --- what is one sample --- */

size_t body_take(const struct work *w, int a, int b, int relative, int middle, double *out)
{
	size_t k = 0;

	for (int j = a; j <= b; j++) {
		const struct section *s = &w->section[j];
		size_t first = k, cut;
		double mean = 0;

		for (size_t i = s->first; i < s->first + s->n; i++)
			if (!w->r[i].rare)
				out[k++] = residual(&w->r[i], relative);
		fit_sort(out + first, k - first);
		cut = middle ? (size_t)ceil(TRIMMED * (double)(k - first)) : 0;
		for (size_t i = first + cut; i + cut < k; i++)
			mean += out[i] / (double)(k - first - 2 * cut);
		for (size_t i = first; i < k; i++)
			out[i] += s->shift[relative] - mean;
	}
	return k;
}

/* Kolmogorov and Smirnov: how likely two samples of one distribution are as far apart; both are
 * sorted (Stephens's correction for small ones). */
static double same_probability(const double *a, size_t n, const double *b, size_t m)
{
	double most = 0, root, lambda, p = 0;
	size_t i = 0, k = 0;

	while (i < n && k < m) {
		double x = fmin(a[i], b[k]);

		while (i < n && a[i] <= x)
			i++;
		while (k < m && b[k] <= x)
			k++;
		most = fmax(most, fabs((double)i / (double)n - (double)k / (double)m));
	}
	root = sqrt((double)n * (double)m / (double)(n + m));
	lambda = (root + 0.12 + 0.11 / root) * most;
	if (lambda < 0.2) /* the series below converges slowly there, and gives 1 to ten digits */
		return 1;
	for (int j = 1; j <= 100; j++)
		p += 2 * (j % 2 ? 1 : -1) * exp(-2.0 * j * j * lambda * lambda);
	return fmin(fmax(p, 0), 1);
}

static double variance(const double *v, size_t n)
{
	double mean = 0, square = 0;

	for (size_t i = 0; i < n; i++)
		mean += v[i] / (double)n;
	for (size_t i = 0; i < n; i++)
		square += (v[i] - mean) * (v[i] - mean) / (double)n;
	return square;
}

/* Values are sorted, their mean, of the middle, is 0: is it further from the median than two and a
 * half standard errors, by the upper side of the middle? */
static int mean_moved(const double *v, size_t n)
{
	double middle = fit_quantile(v, n, 0.5),
	       sigma = (fit_quantile(v, n, 0.8) - middle) / NORMAL_80;

	return fabs(middle) > MOVED * sigma / sqrt((double)n);
}

/* How likely section b is of one distribution with those from a on. Its mean is that of few round
 * trips, which two narrow states show as a shift of both: up to two and a half standard errors are
 * tried, and the best is kept; if long delays have moved the mean, also around equal medians. */
double section_joins(struct work *w, int a, int b, int relative)
{
	enum { STEPS = 10, TRIED = 2 * STEPS + 1 };
	size_t n = body_take(w, a, b - 1, relative, 1, w->some), m, cut;
	double best = -1, step, medians, shift = 0, keep = 0;
	int tries;

	w->section[b].shift[relative] = 0;
	m = body_take(w, b, b, relative, 1, w->other);
	if (!n || !m)
		return 0;
	fit_sort(w->some, n);
	fit_sort(w->other, m);
	cut = n / 20; /* delays are no state */
	step = MOVED / STEPS * sqrt(variance(w->some + cut, n - 2 * cut) / (double)m);
	medians = fit_quantile(w->some, n, 0.5) - fit_quantile(w->other, m, 0.5);
	tries = mean_moved(w->other, m) ? 2 * TRIED : TRIED;
	for (int k = 0; k < tries; k++) {
		double next = (k < TRIED ? 0 : medians) + (k % TRIED - STEPS) * step, p;

		for (size_t i = 0; i < m; i++)
			w->other[i] += next - shift;
		shift = next;
		p = same_probability(w->some, n, w->other, m);
		if (p > best || (p == best && fabs(shift) < fabs(keep))) {
			best = p;
			keep = shift;
		}
	}
	w->section[b].shift[relative] = keep;
	return best;
}

int group_find(struct work *w, int a)
{
	int unit[2] = {1, 1}, b = a + 1; /* in seconds, relative: may be */

	for (; b < w->sections; b++) {
		int can[2];

		for (int relative = 0; relative < 2; relative++)
			can[relative] = unit[relative] && section_joins(w, a, b, relative) > ALIKE;
		if (!can[0] && !can[1])
			break;
		unit[0] = can[0];
		unit[1] = can[1];
	}
	for (int j = a; j < b; j++) {
		w->section[j].last = b - 1;
		w->section[j].relative = !unit[0];
	}
	return b;
}
