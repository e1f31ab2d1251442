/* network_rare.c: rare delays of messages: which round trips have one, which of these are one
 * event, how long they are and how often they come (network_noise.c, 3). */
#include "network_noise_int.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { RARE = 5, RARE_LEAST = 3, FEW = 5 };
#define CHANCE 1e-3 /* what is less likely than this by chance is not taken for it */
/* Of the time that a round trip takes: a deviation is no less, below which clocks are not read. */
static const double DEVIATION_LEAST = 1e-3;
/* Delays go with time unless relative to their messages they scatter by less than this part: by
 * choice, as of few delays either may look narrower. */
static const double MUCH_NARROWER = 0.7;
/* Delays that are looked at for one row. */
enum { ROW_MOST = 50 };

static int by_start(const void *a, const void *b)
{
	const struct residual *p = a, *q = b;

	return (p->start > q->start) - (p->start < q->start);
}

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
	qsort(w->r, w->n, sizeof *w->r, residual_by_size);
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

void rare_fit(struct work *w)
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
