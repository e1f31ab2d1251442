/* one_link.h: flows that share one link, the slow and obvious way: at each date at which something
 * begins, ends or changes, rates anew by filling up (each gets what its weight says of what is
 * left, those that want less get that), and everything moved on. */
#ifndef ORRERY_TESTS_ONE_LINK_H
#define ORRERY_TESTS_ONE_LINK_H

#include <math.h>

enum { ONE_FLOWS = 8, ONE_STEPS = 8 };

struct one_flow {
	double start; /* s: when its latency is over */
	double amount, weight;
	double bound;   /* least bandwidth of its other links, and window; INFINITY: none */
	double arrival; /* found */
};
struct one_link {
	struct one_flow flow[ONE_FLOWS];
	int n;
	double coefficient; /* what a flow takes of the link for each byte: 1, or 1.05 with acks */
	/* The link's bandwidth from a date on, in order of dates, the first at 0. */
	double date[ONE_STEPS], bandwidth[ONE_STEPS];
	int steps;
};

static inline double one_bandwidth(const struct one_link *l, double now)
{
	int k = 0;

	while (k + 1 < l->steps && l->date[k + 1] <= now)
		k++;
	return l->bandwidth[k];
}

/* Rates of those that are under way (left > 0 and begun). */
static inline void one_rates(const struct one_link *l, const int *moves, double capacity,
                             double *rate)
{
	int fixed[ONE_FLOWS] = {0}, again = 1;

	for (int i = 0; i < l->n; i++)
		rate[i] = 0;
	while (again) {
		double left = capacity / l->coefficient, weights = 0;

		again = 0;
		for (int i = 0; i < l->n; i++) {
			left -= moves[i] && fixed[i] ? rate[i] : 0;
			weights += moves[i] && !fixed[i] ? l->flow[i].weight : 0;
		}
		for (int i = 0; i < l->n; i++) {
			if (!moves[i] || fixed[i])
				continue;
			rate[i] = left * l->flow[i].weight / weights;
			if (rate[i] > l->flow[i].bound) {
				rate[i] = l->flow[i].bound;
				fixed[i] = again = 1;
			}
		}
	}
}

/* The next date at which something happens, at these rates. */
static inline double one_next(const struct one_link *l, double now, const double *left,
                              const double *rate)
{
	double next = INFINITY;

	for (int i = 0; i < l->n; i++) {
		if (l->flow[i].start > now)
			next = fmin(next, l->flow[i].start);
		else if (left[i] > 0 && rate[i] > 0)
			next = fmin(next, now + left[i] / rate[i]);
	}
	for (int k = 0; k < l->steps; k++)
		if (l->date[k] > now)
			next = fmin(next, l->date[k]);
	return next;
}

static inline void one_link_run(struct one_link *l)
{
	double now = 0, left[ONE_FLOWS], rate[ONE_FLOWS], next;
	int moves[ONE_FLOWS];

	for (int i = 0; i < l->n; i++)
		left[i] = l->flow[i].amount;
	for (;;) {
		for (int i = 0; i < l->n; i++)
			moves[i] = l->flow[i].start <= now && left[i] > 0;
		one_rates(l, moves, one_bandwidth(l, now), rate);
		next = one_next(l, now, left, rate);
		if (isinf(next))
			return;
		for (int i = 0; i < l->n; i++) {
			if (!moves[i])
				continue;
			if (rate[i] <= 0 || now + left[i] / rate[i] > next) {
				left[i] -= rate[i] * (next - now);
				continue;
			}
			left[i] = 0;
			l->flow[i].arrival = next;
		}
		now = next;
	}
}

#endif
