/* fit_mixture.c: a mixture of normals by expectation and maximisation (Dempster, Laird, Rubin
 * 1977), its size by Schwarz's criterion. Of many values, those close together are taken as one bin
 * with its mean and squares: narrower than any component may be, so that a million cost what some
 * thousands do. A component is believed from FEW points on: one point far from the others gains
 * enough likelihood for a component of its own, and says nothing of how often it comes. */
#include "fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 200, FEW = 5, SINGLE = 1000 /* values up to which each is a bin of its own */ };
static const double LN_2PI_HALF = 0.918938533204673;
/* Points: a component with less is empty, and keeps that weight, of which no logarithm fails. */
static const double EMPTY = 1e-9, EMPTY_WEIGHT = 1e-12;
/* Of the log-likelihood: a round that gains less is the last. */
static const double GAIN_LEAST = 1e-7;
/* A component on two equal points has all the likelihood there is. So a deviation is no less than
 * the middle half by that many (by choice: it holds one in a hundred values, if they are even), or
 * than what rounding leaves. */
static const double FLOOR_PARTS = 50, FLOOR_RELATIVE = 1e-9, FLOOR_ABSOLUTE = 1e-12;

struct bin {
	double x, n, squares; /* mean, number, squares around the mean */
};
struct sample {
	struct bin *bin; /* by ascending mean */
	size_t bins, n;
	double floor_sigma; /* least deviation of a component */
};

/* One round: the log-likelihood before it. */
static double round_em(struct fit_mixture *m, const struct sample *v)
{
	double w[FIT_MODES] = {0}, s[FIT_MODES] = {0}, ss[FIT_MODES] = {0}, constant[FIT_MODES],
	       total = 0;

	for (int k = 0; k < m->n; k++)
		constant[k] = log(m->weight[k]) - log(m->sigma[k]) - LN_2PI_HALF;
	for (size_t i = 0; i < v->bins; i++) {
		const struct bin *b = &v->bin[i];
		double l[FIT_MODES], top = -INFINITY, sum = 0;

		for (int k = 0; k < m->n; k++) {
			double z = (b->x - m->mean[k]) / m->sigma[k];

			l[k] = constant[k] - z * z / 2;
			top = l[k] > top ? l[k] : top;
		}
		for (int k = 0; k < m->n; k++)
			sum += l[k] = exp(l[k] - top);
		total += b->n * (top + log(sum));
		for (int k = 0; k < m->n; k++) {
			double p = l[k] / sum, d = b->x - m->mean[k];

			w[k] += p * b->n;
			s[k] += p * b->n * d; /* around the old mean: no cancellation */
			ss[k] += p * (b->n * d * d + b->squares);
		}
	}
	for (int k = 0; k < m->n; k++) {
		if (w[k] < EMPTY) {
			m->weight[k] = EMPTY_WEIGHT;
			continue;
		}
		m->weight[k] = w[k] / (double)v->n;
		m->mean[k] += s[k] / w[k];
		m->sigma[k] = fmax(v->floor_sigma,
		                   sqrt(fmax(0, ss[k] / w[k] - (s[k] / w[k]) * (s[k] / w[k]))));
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
static double climb(struct fit_mixture *m, const struct sample *v)
{
	double before = -INFINITY, now = before;

	for (int round = 0; round < ROUNDS; round++) {
		now = round_em(m, v);
		if (now - before < GAIN_LEAST * fabs(now))
			break;
		before = now;
	}
	return now;
}

static double criterion(const struct fit_mixture *m, double likelihood, size_t n)
{
	return -2 * likelihood + (3 * m->n - 1) * log((double)n);
}

/* The best of m with one of its components split: in two halves, or in a body and a tail on either
 * side. */
static double grow(const struct fit_mixture *m, struct fit_mixture *best, const struct sample *v)
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
			t.sigma[j] = t.sigma[m->n] = fmax(v->floor_sigma, ways[w].narrower * sigma);
			likelihood = climb(&t, v);
			if (likelihood > most) {
				most = likelihood;
				*best = t;
			}
		}
	}
	return most;
}

/* Neighbours no further apart than half the least deviation, or 1 % of their distance from the
 * median, are one bin. */
static void bins_make(struct sample *v, const double *sorted)
{
	double middle = sorted[v->n / 2];

	for (size_t i = 0, j; i < v->n; i = j) {
		double width = v->n <= SINGLE
		                   ? -1
		                   : fmax(v->floor_sigma / 2, fabs(sorted[i] - middle) / 100),
		       sum = 0, squares = 0;

		for (j = i; j < v->n && (j == i || sorted[j] - sorted[i] <= width); j++) {
			double d = sorted[j] - sorted[i];

			sum += d;
			squares += d * d;
		}
		v->bin[v->bins++] = (struct bin){sorted[i] + sum / (double)(j - i), (double)(j - i),
		                                 fmax(0, squares - sum * sum / (double)(j - i))};
	}
}

static double least_weight(const struct fit_mixture *m)
{
	double least = 1;

	for (int k = 0; k < m->n; k++)
		least = fmin(least, m->weight[k]);
	return least;
}

static void sample_fit(const struct sample *v, const double *sorted, struct fit_mixture *out)
{
	size_t n = v->n;
	double least;

	*out = (struct fit_mixture){.n = 1,
	                            .weight = {1},
	                            .mean = {sorted[n / 2]},
	                            .sigma = {fmax(v->floor_sigma, sorted[n - 1] - sorted[0])}};
	least = criterion(out, climb(out, v), n);
	for (int k = 2; k <= FIT_MODES && n >= 10 * (size_t)k && out->n == k - 1; k++) {
		struct fit_mixture grown;
		double c = criterion(&grown, grow(out, &grown, v), n);

		if (c < least && least_weight(&grown) * (double)n >= FEW) {
			least = c;
			*out = grown;
		}
	}
	order(out);
}

int fit_mixture_find(const double *x, size_t n, struct fit_mixture *out, struct err *err)
{
	double *sorted = malloc((n ? n : 1) * sizeof *sorted);
	struct sample v = {.bin = malloc((n ? n : 1) * sizeof *v.bin), .n = n};
	int r = sorted && v.bin ? 0 : err_nomem(err, "a sample", n * sizeof *sorted);

	*out = (struct fit_mixture){.n = 1, .weight = {1}, .sigma = {0}};
	if (r < 0 || n < 2) {
		out->mean[0] = n ? x[0] : 0;
	} else {
		memcpy(sorted, x, n * sizeof *sorted);
		fit_sort(sorted, n);
		v.floor_sigma = fmax(
		    (fit_quantile(sorted, n, 0.75) - fit_quantile(sorted, n, 0.25)) / FLOOR_PARTS,
		    FLOOR_ABSOLUTE + FLOOR_RELATIVE * fabs(sorted[n / 2]));
		bins_make(&v, sorted);
		sample_fit(&v, sorted, out);
	}
	free(v.bin);
	free(sorted);
	return r;
}
