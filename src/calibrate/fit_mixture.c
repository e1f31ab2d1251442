/* fit_mixture.c: a mixture of normals by expectation and maximisation (Dempster, Laird, Rubin 1977), its size by Schwarz's criterion. */
#include "fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 200 };

/* log of the density of component k at x. */
static double component(const struct fit_mixture *m, int k, double x)
{
	double z = (x - m->mean[k]) / m->sigma[k];

	return log(m->weight[k]) - log(m->sigma[k]) - 0.918938533204673 - z * z / 2;
}

/* One round: the log-likelihood before it. floor: least deviation. */
static double round_em(struct fit_mixture *m, const double *x, size_t n, double floor_sigma)
{
	double w[FIT_MODES] = {0}, s[FIT_MODES] = {0}, ss[FIT_MODES] = {0}, total = 0;

	for (size_t i = 0; i < n; i++) {
		double l[FIT_MODES], top = -INFINITY, sum = 0;

		for (int k = 0; k < m->n; k++) {
			l[k] = component(m, k, x[i]);
			top = fmax(top, l[k]);
		}
		for (int k = 0; k < m->n; k++)
			sum += l[k] = exp(l[k] - top);
		total += top + log(sum);
		for (int k = 0; k < m->n; k++) {
			double p = l[k] / sum, d = x[i] - m->mean[k];

			w[k] += p;
			s[k] += p * d; /* around the old mean: no cancellation */
			ss[k] += p * d * d;
		}
	}
	for (int k = 0; k < m->n; k++) {
		if (w[k] < 1e-9) {
			m->weight[k] = 1e-12;
			continue;
		}
		m->weight[k] = w[k] / (double)n;
		m->mean[k] += s[k] / w[k];
		m->sigma[k] = fmax(floor_sigma, sqrt(fmax(0, ss[k] / w[k] - (s[k] / w[k]) * (s[k] / w[k]))));
	}
	return total;
}

static void order(struct fit_mixture *m)
{
	for (int i = 1; i < m->n; i++) {
		for (int j = i; j > 0 && m->mean[j] < m->mean[j - 1]; j--) {
			double t;

			t = m->mean[j], m->mean[j] = m->mean[j - 1], m->mean[j - 1] = t;
			t = m->weight[j], m->weight[j] = m->weight[j - 1], m->weight[j - 1] = t;
			t = m->sigma[j], m->sigma[j] = m->sigma[j - 1], m->sigma[j - 1] = t;
		}
	}
}

/* Rounds until nothing is gained: the log-likelihood. */
static double climb(struct fit_mixture *m, const double *sorted, size_t n, double floor_sigma)
{
	double before = -INFINITY, now = before;

	for (int round = 0; round < ROUNDS; round++) {
		now = round_em(m, sorted, n, floor_sigma);
		if (now - before < 1e-7 * fabs(now))
			break;
		before = now;
	}
	return now;
}

static double criterion(const struct fit_mixture *m, double likelihood, size_t n)
{
	return -2 * likelihood + (3 * m->n - 1) * log((double)n);
}

/* The best of m with one of its components split: in two halves, or in a body and a tail on either side. */
static double grow(const struct fit_mixture *m, struct fit_mixture *best, const double *sorted, size_t n, double floor_sigma)
{
	static const struct {
		double weight, first, second, narrower;
	} ways[] = {{0.5, -1, 1, 0.6}, {0.9, -0.2, 2.5, 0.7}, {0.9, 0.2, -2.5, 0.7}};
	double most = -INFINITY;

	*best = *m;
	for (int j = 0; j < m->n; j++) {
		for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
			struct fit_mixture t = *m;
			double likelihood, sigma = m->sigma[j];

			t.n = m->n + 1;
			t.weight[j] = m->weight[j] * ways[w].weight;
			t.weight[m->n] = m->weight[j] * (1 - ways[w].weight);
			t.mean[j] += ways[w].first * sigma;
			t.mean[m->n] = m->mean[j] + ways[w].second * sigma;
			t.sigma[j] = t.sigma[m->n] = fmax(floor_sigma, ways[w].narrower * sigma);
			likelihood = climb(&t, sorted, n, floor_sigma);
			if (likelihood > most) {
				most = likelihood;
				*best = t;
			}
		}
	}
	return most;
}

void fit_mixture_find(const double *x, size_t n, struct fit_mixture *out)
{
	double *sorted = malloc((n ? n : 1) * sizeof *sorted), least = INFINITY, floor_sigma;

	*out = (struct fit_mixture){.n = 1, .weight = {1}, .sigma = {0}};
	if (!sorted || n < 2) {
		out->mean[0] = n ? x[0] : 0;
		free(sorted);
		return;
	}
	memcpy(sorted, x, n * sizeof *sorted);
	fit_sort(sorted, n);
	/* A component on two equal points has all the likelihood there is: a deviation is at least 1/50 of the middle half. */
	floor_sigma = fmax((fit_quantile(sorted, n, 0.75) - fit_quantile(sorted, n, 0.25)) / 50,
	                   1e-12 + 1e-9 * fabs(sorted[n / 2]));
	*out = (struct fit_mixture){
	    .n = 1, .weight = {1}, .mean = {sorted[n / 2]}, .sigma = {fmax(floor_sigma, sorted[n - 1] - sorted[0])}};
	least = criterion(out, climb(out, sorted, n, floor_sigma), n);
	for (int k = 2; k <= FIT_MODES && n >= 10 * (size_t)k && out->n == k - 1; k++) {
		struct fit_mixture grown;
		double c = criterion(&grown, grow(out, &grown, sorted, n, floor_sigma), n);

		if (c < least) {
			least = c;
			*out = grown;
		}
	}
	free(sorted);
	order(out);
}
