/* network_odd.c: what of round trips contradicts the model of their noise, and is warned of. */
#include "network_noise_int.h"

#include <math.h>
#include <stdio.h>

/* Two modes are told if each has a tenth of at least 40 round trips, that is four, if they are 5 %
 * apart, and by three deviations of both, so that they hardly overlap. By choice: two that are
 * closer, or one that is rarer, are left to the mixture. */
enum { MODES_LEAST = 40 };
static const double MODE_WEIGHT = 0.1, MODE_GAP = 0.05, MODE_DEVIATIONS = 3;
/* A drift is told of more than 50 round trips, where 0.25 is 1.75 deviations, 1 / sqrt(n - 1) each,
 * of a rank correlation by chance; and only if the halves differ by 2 %. By choice. */
enum { DRIFT_LEAST = 50 };
static const double DRIFT_CORRELATION = 0.25, DRIFT_HALVES = 0.02;

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

int bimodal_look(struct work *w, struct err *err)
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

void drift_look(struct work *w)
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
