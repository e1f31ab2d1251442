/* network_noise.c: what is left of the round trips when the fit is taken off, as noise of messages:
 * noise/network.
 *
 * A message's noise is its size's usual scatter (the body) and, rarely, a delay (another process, a
 * timer). Sections of sizes have a few dozen round trips each, which say next to nothing of a tail:
 * so what they have in common is estimated from all together.
 *
 * 1. What goes with the size is the fit's error and no noise: sections where neighbours in size are
 *    alike (Bartels's test) are levelled first.
 * 2. Sections next to each other whose residuals are of one distribution (Kolmogorov and Smirnov),
 *    in seconds or relative, are one sample.
 * 3. Rare: what is over RARE deviations late, measured above the median, where fewer than a fifth
 *    are. Fewer than RARE_LEAST in all say nothing, and are told. Those that follow each other are
 *    one event: something else ran then, and it is warned of. How long: of all together, in seconds
 *    or relative, whichever scatters less; none longer than RARE_LEAST were. How likely: relative
 *    delays belong to messages, and all have the same chance. Delays of so many seconds whatever
 *    the message belong to time: they come at a rate, and hit what is under way, or begins while
 *    one lasts, which in a program happens to one message of many in a row. A section that has FEW
 *    or more, and more than chance would give it, keeps its own number.
 * 4. The rest, the body, is a mixture of normals. Its mean is 1: a program adds up messages, sums
 *    keep means, and the run without noise is the sum without rare delays, which the fit leaves
 *    out. Delays come on top.
 * 5. A round trip is two messages. Its scatter is taken for that of each, as processors that sleep
 *    do so for both; a delay for that of one of them. */
#include "network_int.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST = 12 /* round trips in a section */, RARE = 5, RARE_LEAST = 3, FEW = 5 };
#define CHANCE 1e-3 /* what is less likely than this by chance is not taken for it */
/* Sections are one sample unless chance makes them look so different in less than one of a hundred
 * cases: the usual level of Smirnov's test. */
static const double ALIKE = 0.01;
/* Quantiles of the normal distribution: of the upper side of the middle, and the level of Bartels's
 * test. */
static const double NORMAL_80 = 0.8416, NORMAL_99 = 2.326;
/* Standard errors, two-sided 1 %. */
static const double MOVED = 2.5;
/* Of the time that a round trip takes: a deviation is no less, below which clocks are not read. */
static const double DEVIATION_LEAST = 1e-3;
/* Of round trips, at either end: what delays and the quickest may have moved is left out of means
 * that are compared. */
static const double TRIMMED = 0.05;
/* Delays go with time unless relative to their messages they scatter by less than this part: by
 * choice, as of few delays either may look narrower. */
static const double MUCH_NARROWER = 0.7;
/* Delays that are looked at for one row. */
enum { ROW_MOST = 50 };
/* Less likely than that, a delay is none; a component's mean is no less of the message's time. By
 * choice: neither is seen in a prediction. */
static const double NEVER = 1e-6, MEAN_LEAST = 0.05;
/* What is drawn is no less of its component's mean (src/mp/noise/noise.c). */
static const double DRAWN_LEAST = 0.01;
/* Two modes are told if each has a tenth of at least 40 round trips, that is four, if they are 5 %
 * apart, and by three deviations of both, so that they hardly overlap. By choice: two that are
 * closer, or one that is rarer, are left to the mixture. */
enum { MODES_LEAST = 40 };
static const double MODE_WEIGHT = 0.1, MODE_GAP = 0.05, MODE_DEVIATIONS = 3;
/* A drift is told of more than 50 round trips, where 0.25 is 1.75 deviations, 1 / sqrt(n - 1) each,
 * of a rank correlation by chance; and only if the halves differ by 2 %. By choice. */
enum { DRIFT_LEAST = 50 };
static const double DRIFT_CORRELATION = 0.25, DRIFT_HALVES = 0.02;

struct residual {
	double size, start, late, fitted; /* late: s, of half a round trip */
	double off;                       /* s: what all messages of about that size are late by */
	double alone; /* s, of the message on the network, without overheads: what noise is a factor
	                 of */
	/* s: rare ones: what they are late by beside the usual ones of their section */
	double beyond;
	int section, rare;
};
struct section {
	double from, to;
	size_t first, n, rare; /* in residuals, by size; delays that count */
	double seconds;        /* half a round trip, on average */
	int last, relative;    /* the last one of the sample that it is of, and its unit */
	double shift[2]; /* of its mean beside that of the sample, by unit: what chance made of few
	                    round trips */
};
struct work {
	struct net_fit *f;
	struct residual *r; /* by size */
	size_t n;
	double *some, *other, *third; /* room for n */
	size_t *at;                   /* the same */
	struct section section[NET_PIECES];
	int sections;
};

static int by_size(const void *a, const void *b)
{
	const struct residual *p = a, *q = b;

	if (p->size != q->size)
		return p->size < q->size ? -1 : 1;
	return (p->start > q->start) - (p->start < q->start);
}

static int by_start(const void *a, const void *b)
{
	const struct residual *p = a, *q = b;

	return (p->start > q->start) - (p->start < q->start);
}

/* --- sections --- */

/* At least a factor of two in size, and LEAST round trips; what is left at the end joins the
 * last. */
static void sections_cut(struct work *w)
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

static void level(struct work *w)
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

static double residual(const struct residual *r, int relative)
{
	return relative ? r->late / r->fitted : r->late;
}

/* Residuals of sections a to b, without rare ones, less the mean of their section, or of its middle
 * nine tenths; relative or in s. Their number. */
static size_t body_take(const struct work *w, int a, int b, int relative, int middle, double *out)
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
static double section_joins(struct work *w, int a, int b, int relative)
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

/* Sections from a on that are one sample; returned: the first that is not. */
static int group_find(struct work *w, int a)
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

/* --- rare delays --- */

/* Of sections a to b, one sample. */
static void rare_mark(struct work *w, int a, int b)
{
	int relative = w->section[a].relative;
	size_t n = body_take(w, a, b, relative, 1, w->some);
	double middle, sigma, far;

	fit_sort(w->some, n);
	middle = fit_quantile(w->some, n, 0.5);
	sigma = fmax((fit_quantile(w->some, n, 0.8) - middle) / NORMAL_80,
	             DEVIATION_LEAST * (relative ? 1 : w->section[a].seconds));
	far = RARE * sigma *
	      (1 + (double)LEAST / (double)n); /* few hardly say what the deviation is */
	for (int j = a; j <= b; j++) {
		const struct section *s = &w->section[j];
		double *v = w->some, mean;

		for (size_t i = 0; i < s->n; i++)
			v[i] = residual(&w->r[s->first + i], relative);
		mean = fit_median(v, s->n);
		for (size_t i = 0; i < s->n; i++) {
			struct residual *r = &w->r[s->first + i];

			r->rare = n >= LEAST && v[i] - mean > far;
			r->beyond = (v[i] - mean) * (relative ? r->fitted : 1);
		}
	}
}

/* Where the sections of a sample stand beside each other, now that delays are known: these had
 * moved the means by which it was found out. */
static void shifts_again(struct work *w, int a, int b)
{
	for (int j = a + 1; j <= b; j++)
		section_joins(w, a, j, w->section[a].relative);
}

/* P(at least k of n) of a binomial distribution; below its mean no less than a half. */
static double binomial_tail(size_t k, size_t n, double p)
{
	double sum = 0, term = 1;

	if ((double)k <= p * (double)n)
		return 1;
	for (size_t i = k; i <= n && term > 1e-9 * sum; i++)
		sum += term = exp(lgamma((double)n + 1) - lgamma((double)i + 1) -
		                  lgamma((double)(n - i) + 1) + (double)i * log(p) +
		                  (double)(n - i) * log1p(-p));
	return sum;
}

/* By start: the longest row of delays from number i on that so few round trips hold less than once
 * in 1/CHANCE measurements; at: their places. Returned: the last of the row, or i. */
static size_t row_end(const size_t *at, size_t rare, size_t i, double p)
{
	size_t last = i;

	for (size_t k = i + 2; k < rare && k < i + ROW_MOST; k++)
		if ((double)rare * binomial_tail(k - i, at[k] - at[i], p) < CHANCE)
			last = k;
	return last;
}

/* Delays in a row, in the order in which round trips were made, are one event: the first of each
 * row stands for all. Returned: how many are left. */
static size_t clusters_join(struct work *w, size_t rare)
{
	size_t *at = w->at, n = 0, joined = 0;
	char text[300];

	qsort(w->r, w->n, sizeof *w->r, by_start);
	for (size_t i = 0; i < w->n; i++)
		if (w->r[i].rare)
			at[n++] = i;
	for (size_t i = 0, last; i < n; i = last + 1) {
		last = row_end(at, n, i, (double)rare / (double)w->n);
		for (size_t k = i + 1; k <= last; k++, joined++)
			w->r[at[k]].rare = 2;
	}
	qsort(w->r, w->n, sizeof *w->r, by_size);
	if (joined) {
		snprintf(text, sizeof text,
		         "delays in a row: of %zu late round trips %zu follow others more closely "
		         "than chance would have it: "
		         "something else ran then. The noise has %zu events",
		         rare, joined, rare - joined);
		net_warn(w->f, text);
	}
	return rare - joined;
}

/* Of log x, n of them. */
static double log_deviation(const double *x, size_t n)
{
	double mean = 0, square = 0;

	for (size_t i = 0; i < n; i++)
		mean += log(x[i]) / (double)n;
	for (size_t i = 0; i < n; i++)
		square += (log(x[i]) - mean) * (log(x[i]) - mean);
	return sqrt(square / (double)n);
}

/* Lengths, of a whole message: twice what half a round trip is late by, beside the usual ones: what
 * comes on top of the body, wherever the fit is. */
static void rare_lengths(struct work *w, size_t rare)
{
	struct net_fit *f = w->f;
	double mean = 0, square = 0, *v;
	size_t n = 0;

	for (size_t i = 0; i < w->n; i++) {
		if (w->r[i].rare != 1)
			continue;
		w->some[n] = 2 * w->r[i].beyond;
		w->other[n++] = 2 * w->r[i].beyond / w->r[i].fitted;
	}
	f->rare.relative = log_deviation(w->other, rare) <
	                   MUCH_NARROWER * log_deviation(w->some, rare);
	v = f->rare.relative ? w->other : w->some;
	fit_sort(v, rare);
	for (size_t i = rare - RARE_LEAST + 1; i < rare;
	     i++) /* how long the longest are, hardly anything is known of */
		v[i] = v[rare - RARE_LEAST];
	for (size_t i = 0; i < rare; i++)
		mean += v[i] / (double)rare;
	for (size_t i = 0; i < rare; i++)
		square += (v[i] - mean) * (v[i] - mean);
	f->rare.mean = mean;
	f->rare.sigma = sqrt(square / (double)(rare - 1));
}

/* The chance of a round trip of that section: its delay may have begun before it. */
static double rare_expected(const struct net_fit *f, const struct section *s)
{
	return f->rare.relative ? f->rare.p
	                        : fmin(f->rare.rate * (2 * s->seconds + f->rare.mean), 0.5);
}

static void rare_rates(struct work *w, size_t rare)
{
	struct net_fit *f = w->f;
	double exposed = 0;

	for (int i = 0; i < w->sections; i++)
		exposed += (double)w->section[i].n * (2 * w->section[i].seconds + f->rare.mean);
	f->rare.p = f->rare.relative ? (double)rare / (double)w->n : 0;
	f->rare.rate = f->rare.relative ? 0 : (double)rare / exposed;
	for (int i = 0; i < w->sections; i++) {
		const struct section *s = &w->section[i];
		double p = rare_expected(f, s), seen = (double)s->rare / (double)s->n;
		double more = s->rare >= FEW && binomial_tail(s->rare, s->n, p) < CHANCE ? seen - p
		                                                                         : 0;

		/* of the two messages of a round trip, one */
		f->noise[i].rare = fmin(f->rare.p / 2 + f->rare.rate * s->seconds + more / 2, 0.5);
	}
}

static void rare_fit(struct work *w)
{
	size_t rare = 0;

	for (int a = 0; a < w->sections; a = w->section[a].last + 1) {
		rare_mark(w, a, w->section[a].last);
		shifts_again(w, a, w->section[a].last);
	}
	for (size_t i = 0; i < w->n; i++)
		rare += w->r[i].rare > 0;
	w->f->rare.seen = rare;
	if (rare < RARE_LEAST || (rare = clusters_join(w, rare)) < RARE_LEAST)
		return;
	for (size_t i = 0; i < w->n; i++)
		w->section[w->r[i].section].rare += w->r[i].rare == 1;
	rare_lengths(w, rare);
	rare_rates(w, rare);
}

/* --- the body --- */

/* A mixture of residuals, of mean 0 in its unit, as factors of a message of section j. */
static void section_put(struct work *w, int j, const struct fit_mixture *m, int relative)
{
	struct section *s = &w->section[j];
	struct net_noise *out = &w->f->noise[j];
	double unit = 0;

	for (size_t i = s->first; i < s->first + s->n; i++)
		unit += (relative ? w->r[i].fitted : 1) / w->r[i].alone / (double)s->n;
	out->from = s->from;
	out->m = *m;
	for (int k = 0; k < m->n; k++) {
		out->m.mean[k] = fmax(1 + m->mean[k] * unit, MEAN_LEAST);
		out->m.sigma[k] = m->sigma[k] * unit;
	}
	if (out->rare > NEVER) {
		double message = 0;

		for (size_t i = s->first; i < s->first + s->n; i++)
			message += (w->f->rare.relative ? w->r[i].fitted : 1) / w->r[i].alone /
			           (double)s->n;
		out->rare_mean = 1 + w->f->rare.mean * message;
		out->rare_sigma = w->f->rare.sigma * message;
	}
}

/* The mean of what is drawn. */
static double drawn_mean(const struct fit_mixture *m)
{
	double sum = 0;

	for (int k = 0; k < m->n; k++) {
		double least = DRAWN_LEAST * m->mean[k], s = m->sigma[k],
		       z = s > 0 ? (least - m->mean[k]) / s : -INFINITY;
		double below = 0.5 * erfc(-z / sqrt(2)),
		       density = s > 0 ? exp(-z * z / 2) / sqrt(2 * acos(-1)) : 0;

		sum += m->weight[k] * (least * below + m->mean[k] * (1 - below) + s * density);
	}
	return sum;
}

static void centre(struct fit_mixture *m)
{
	double mean = drawn_mean(m);

	for (int k = 0; k < m->n; k++) {
		m->mean[k] /= mean;
		m->sigma[k] /= mean;
	}
}

static int body_fit(struct work *w, int a, int b, struct err *err)
{
	int relative = w->section[a].relative;
	size_t n = body_take(w, a, b, relative, 0, w->some);
	struct fit_mixture m;
	double mean = 0;

	if (fit_mixture_find(w->some, n, &m, err) < 0)
		return -1;
	for (int k = 0; k < m.n; k++)
		mean += m.weight[k] * m.mean[k];
	for (int k = 0; k < m.n; k++)
		m.mean[k] -= mean;
	for (int j = a; j <= b; j++) {
		section_put(w, j, &m, relative);
		centre(&w->f->noise[j].m);
	}
	return 0;
}

/* --- what contradicts the model --- */

/* Too few for a component of the mixture, and further from the others than these are from each
 * other: they would make one wide one of it, or of its second state. Values are sorted; how many
 * are left. */
static size_t few_dropped(double *v, size_t n)
{
	enum { COMPONENT = 5 };
	size_t left = n;

	fit_sort(v, n);
	for (size_t k = 1; k < COMPONENT && n >= LEAST; k++)
		if (v[n - k] - v[n - k - 1] > v[n - k - 1] - v[0])
			left = n - k;
	return left;
}

static int bimodal_look(struct work *w, struct err *err)
{
	struct net_table *t = &w->f->transfer;
	char text[300];

	for (int i = 0; i < t->n; i++) {
		double hi = i + 1 < t->n ? t->piece[i + 1].from : INFINITY;
		struct fit_mixture *m = &t->piece[i].noise;
		size_t k = 0;

		for (size_t j = 0; j < w->n; j++)
			if (w->r[j].size > t->piece[i].from && w->r[j].size <= hi)
				w->some[k++] = 1 + w->r[j].late / w->r[j].fitted;
		if (fit_mixture_find(w->some, few_dropped(w->some, k), m, err) < 0)
			return -1;
		for (int a = 0; a + 1 < m->n && k >= MODES_LEAST; a++) {
			double gap = m->mean[a + 1] - m->mean[a];

			if (m->weight[a] > MODE_WEIGHT && m->weight[a + 1] > MODE_WEIGHT &&
			    gap > MODE_GAP &&
			    gap > MODE_DEVIATIONS * (m->sigma[a] + m->sigma[a + 1])) {
				snprintf(text, sizeof text,
				         "bimodal: above %.0f bytes, round trips take either %.3g "
				         "or %.3g times the fitted time "
				         "(%.0f %% and %.0f %% of them)",
				         t->piece[i].from, m->mean[a], m->mean[a + 1],
				         100 * m->weight[a], 100 * m->weight[a + 1]);
				net_warn(w->f, text);
			}
		}
	}
	return 0;
}

static void drift_look(struct work *w)
{
	double *ratio = w->some, *start = w->other, rho, early, late, middle, *halves = w->third;
	size_t a = 0, b = 0;
	char text[200];

	for (size_t i = 0; i < w->n; i++) {
		ratio[i] = 1 + w->r[i].late / w->r[i].fitted;
		start[i] = w->r[i].start;
	}
	rho = fit_rank_correlation(start, ratio, w->n);
	middle = fit_median(start, w->n);
	for (size_t i = 0; i < w->n; i++) {
		if (start[i] <= middle)
			halves[a++] = ratio[i];
		else
			halves[w->n - b++] = ratio[i];
	}
	if (a && b) {
		early = fit_median(halves, a);
		late = fit_median(halves + w->n + 1 - b, b);
		if (fabs(rho) > DRIFT_CORRELATION && w->n > DRIFT_LEAST &&
		    fabs(late / early - 1) > DRIFT_HALVES) {
			snprintf(text, sizeof text,
			         "drift: the second half of the round trips took %.3g times as "
			         "long as the first, beside the fit",
			         late / early);
			net_warn(w->f, text);
		}
	}
}

static void residuals_take(const struct net_raw *raw, struct work *w)
{
	for (uint32_t i = 0; i < raw->n; i++) {
		const struct net_row *r = &raw->rows[i];
		struct residual *to = &w->r[w->n];

		if (r->op != NET_PINGPONG || r->local || r->far || !net_is_decided(w->f, r->size))
			continue;
		*to = (struct residual){.size = r->size > 0 ? r->size : 1, .start = r->start};
		to->fitted = net_fit_pingpong(w->f, to->size);
		to->late = r->duration / 2 - to->fitted;
		to->alone = net_fit_alone(w->f, to->size);
		w->n++;
	}
	qsort(w->r, w->n, sizeof *w->r, by_size);
}

static int noise_find(struct work *w, struct err *err)
{
	if (bimodal_look(w, err) < 0)
		return -1;
	drift_look(w);
	sections_cut(w);
	level(w);
	for (int a = 0; a < w->sections;)
		a = group_find(w, a);
	rare_fit(w);
	for (int a = 0; a < w->sections; a = w->section[a].last + 1)
		if (body_fit(w, a, w->section[a].last, err) < 0)
			return -1;
	w->f->n_noise = w->sections;
	return 0;
}

int net_noise_fit(const struct net_raw *raw, struct net_fit *f, struct err *err)
{
	size_t room = (size_t)raw->n + 2;
	struct work w = {.f = f};
	int r;

	w.r = malloc(room * sizeof *w.r);
	w.some = malloc(3 * room * sizeof *w.some);
	w.at = malloc(room * sizeof *w.at);
	if (w.r && w.some && w.at) {
		w.other = w.some + room;
		w.third = w.other + room;
		residuals_take(raw, &w);
		r = noise_find(&w, err);
	} else {
		r = err_nomem(err, "residuals", room * sizeof *w.r);
	}
	free(w.at);
	free(w.some);
	free(w.r);
	return r;
}
