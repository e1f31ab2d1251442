/* network_cabinets_weigh.c: how well a partition of hosts into cabinets explains the rates of
 * flows: those that max-min sharing gives it, least squares of their logarithms, Schwarz's
 * criterion. */
#include "network_cabinets_int.h"

#include <math.h>

#define CLIP 0.25 /* a logarithm off by more counts no more: a disturbed block */

enum { CAPACITIES = 48 };
/* Logarithms by which hosts that all send at once may be faster than one alone: they do not become
 * faster by it. By choice (SLOWER_MOST). */
static const double FASTER_MOST = 0.05;
/* Rounding: a link whose share is higher by less than this factor is as tight. */
static const double AS_TIGHT = 1.000001;
/* Logarithms of rates whose squares are taken for no difference: 3 % (criterion). */
static const double NOT_BELIEVED = 9e-4;

/* A rate that is predicted is no less, for its logarithm. */
static const double RATE_LEAST = 1e-3;
/* Rounds of a mean of what is near it, and of a grid that closes about its best. */
enum { ROUNDS = 3 };

/* Max-min rates of a block, progressive filling: links out of and into each cabinet, and a rate of
 * 1 for each flow. */
static void rates_predict(const struct seeking *s, const struct block *b, const struct parted *p,
                          double *rate)
{
	double out[HOSTS_MOST], in[HOSTS_MOST];
	int n_out[HOSTS_MOST] = {0}, n_in[HOSTS_MOST] = {0}, left = 0;
	const struct flow *f = s->flow + b->first;

	for (uint32_t i = 0; i < b->n && p->n == 1;
	     i++) /* one switch, and what it can carry altogether */
		rate[i] = fmin(1, p->capacity / b->n);
	if (p->n == 1)
		return;
	for (int c = 0; c < p->n; c++)
		out[c] = in[c] = p->capacity;
	for (uint32_t i = 0; i < b->n; i++) {
		int from = p->of[f[i].a], to = p->of[f[i].b];

		rate[i] = from == to ? 1 : -1;
		if (from == to)
			continue;
		n_out[from]++;
		n_in[to]++;
		left++;
	}
	while (left > 0) {
		double least = 1;

		for (int c = 0; c < p->n; c++) {
			least = n_out[c] ? fmin(least, out[c] / n_out[c]) : least;
			least = n_in[c] ? fmin(least, in[c] / n_in[c]) : least;
		}
		for (uint32_t i = 0; i < b->n; i++) {
			int from = p->of[f[i].a], to = p->of[f[i].b];

			if (rate[i] >= 0 ||
			    (least < 1 && out[from] / n_out[from] > least * AS_TIGHT &&
			     in[to] / n_in[to] > least * AS_TIGHT))
				continue;
			rate[i] = least;
			out[from] -= least;
			in[to] -= least;
			n_out[from]--;
			n_in[to]--;
			left--;
		}
	}
}

/* Beside the rate of a host that fits best: the mean of what is off, then of those that are near
 * it. */
double cabinets_squares(struct seeking *s, struct parted *p, double capacity)
{
	double rate[FLOWS_MOST], sum = 0, mean = 0;

	p->capacity = capacity;
	for (uint32_t k = 0; k < s->blocks; k++) {
		rates_predict(s, &s->block[k], p, rate);
		for (uint32_t i = 0; i < s->block[k].n; i++) {
			uint32_t f = s->block[k].first + i;

			s->off[f] = s->flow[f].log_rate - log(fmax(rate[i], RATE_LEAST));
			mean += s->off[f] / s->flows;
		}
	}
	for (int round = 0; round < ROUNDS; round++) {
		double near = 0;
		uint32_t n = 0;

		for (uint32_t f = 0; f < s->flows; f++)
			if (fabs(s->off[f] - mean) < 2 * CLIP) {
				near += s->off[f];
				n++;
			}
		mean = n ? near / n : mean;
	}
	if (isfinite(s->single))
		mean = fmin(fmax(mean, s->single - SLOWER_MOST), s->single + FASTER_MOST);
	for (uint32_t f = 0; f < s->flows; f++)
		sum += fmin((s->off[f] - mean) * (s->off[f] - mean), CLIP * CLIP);
	p->alone = exp(mean);
	return sum;
}

/* n ln(RSS / n) + parameters ln n: the capacity, and three for a cabinet: the partition is the best
 * of very many. Less than 3 % is not believed: rates of a window are not those of a steady
 * state. */
static double criterion(const struct seeking *s, double squares, int cabinets)
{
	double n = s->flows;

	return n * log(squares / n + NOT_BELIEVED) + (cabinets > 1 ? 3 * cabinets + 1 : 1) * log(n);
}

/* The best capacity: a grid of logarithms, then closer about its best. */
void cabinets_weigh(struct seeking *s, struct parted *p, double lo, double hi)
{
	double best = INFINITY, at = lo;

	if (p->n < 2) {
		lo = 0.5;
		hi = s->hosts;
	}
	for (int round = 0; round < ROUNDS; round++) {
		double step = log(hi / lo) / CAPACITIES;

		for (int i = 0; i <= CAPACITIES; i++) {
			double c = lo * exp(step * i), v = cabinets_squares(s, p, c);

			if (v < best) {
				best = v;
				at = c;
			}
		}
		lo = at * exp(-step);
		hi = at * exp(step);
	}
	p->squares = cabinets_squares(s, p, at);
	p->criterion = criterion(s, p->squares, p->n);
}

void cabinets_renumber(struct parted *p, int hosts)
{
	int name[HOSTS_MOST], n = 0;

	for (int i = 0; i < HOSTS_MOST; i++)
		name[i] = -1;
	for (int i = 0; i < hosts; i++) {
		if (name[p->of[i]] < 0)
			name[p->of[i]] = n++;
		p->of[i] = name[p->of[i]];
	}
	p->n = n;
}

/* With a capacity near that of p: good enough to compare changes of one or two hosts. */
void cabinets_weigh_near(struct seeking *s, struct parted *q, double capacity)
{
	static const double times[] = {0.8, 0.9, 1, 1.1, 1.25};
	double best = INFINITY, at = capacity;

	for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
		double v = cabinets_squares(s, q, capacity * times[i]);

		if (v < best) {
			best = v;
			at = capacity * times[i];
		}
	}
	q->squares = cabinets_squares(s, q, at);
	q->criterion = criterion(s, q->squares, q->n);
}
