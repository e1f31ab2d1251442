/* network_notice.c: how long a rank that waits takes to look at what has come (smpi/notice,
 * docs/models.md).
 *
 * One rank lets the other go by a small message and asks for an exchange of large ones `gap` later
 * (data/measure/measure.c, react). If that request is there when the other one looks, it is
 * answered before the other one has asked for its own, and the two messages go one after the other;
 * else at once. Whether an exchange took twice or once says whether the look came after or before a
 * date, never when it was: the distribution of reaction times, taken to be log-normal, is known by
 * how likely it makes the outcomes: means of the logarithms of median and deviation, weighted by
 * the likelihood (the most likely deviation alone is often the least one: no two outcomes happen to
 * contradict each other). A few outcomes are of other causes (LAPSE). The interval of the median is
 * where the likelihood, the best deviation taken for each, is within 1.92 of the greatest (Wilks
 * 1938).
 *
 * The literature's names: the reaction time is a polling delay; an experiment that tells only on
 * which side of a date something was is one of quantal response, and its curve of outcomes over
 * gaps a psychometric function with a lapse rate (Wichmann and Hill 2001).
 *
 * The reaction time is that of the model: what makes a simulated exchange take twice at the same
 * gaps, with the overheads and latencies of the fit (gap_to_reaction). So it need not be the time
 * between an interrupt and a system call. */
#include "network.h"

#include "base/rng.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Outcomes of other causes, each way: a preempted rank, a message behind another one. Without it
 * one such outcome would decide; Wichmann and Hill bound it by 0.06. */
#define LAPSE 0.03
/* Half of the 95 % quantile of chi-square with one degree of freedom, 3.84. */
#define WILKS 1.92
/* An exchange of twice the time has one of once and a half between it and one of once. */
#define TWICE 1.5
/* Sizes that tell once from twice: that far above the threshold (no size is measured just at it),
 */
#define ABOVE 1.25
/* and so many round trips of a request, so that half of the exchange is far above its noise. */
#define ROUND_TRIPS 20
/* Seconds of measuring for each number of pairs, about; and what a block takes besides messages. */
#define PATIENCE 4.0
#define PAUSE 5e-3
/* Reaction times of many pairs so many times that of one are told: ranks share processors. */
#define MUCH 3.0
#define SQRT_2 1.4142135623730951
enum { CONTROL = 64 }; /* bytes of a request, as in mp/stream.c */

/* --- what is to be measured --- */

enum { BLOCKS = 48, BLOCKS_LEAST = 16, LONGEST = 4000 /* gap, 0.1 us */ };

struct block {
	int pairs;
	uint64_t order;
};

static int by_order(const void *a, const void *b)
{
	const struct block *p = a, *q = b;

	return (p->order > q->order) - (p->order < q->order);
}

/* A gap of 0, or one of 1 to 400 us on a logarithmic scale. */
static int gap_draw(struct rng *r)
{
	const int none = 8; /* one in so many is 0 */

	return rng_below(r, none) == 0 ? 0 : (int)(10 * pow(LONGEST / 10.0, rng_unit(r)));
}

static void block_lines(const struct net_plan *p, int pairs, double size, struct rng *r,
                        struct str *out)
{
	for (int i = 0; i < pairs; i++) {
		int a = pairs == 1 ? 0 : p->host_rank[2 * i],
		    b = pairs == 1 ? p->other : p->host_rank[2 * i + 1];
		int turned = rng_u64(r) & 1, number = pairs + NET_GAPS * gap_draw(r);

		str_printf(out, "react %d %d %.0f %d\n", turned ? b : a, turned ? a : b, size,
		           number);
	}
}

/* The smallest size for which once and twice are clearly apart: some way above the threshold, and
 * twenty times what a round trip takes. */
static double size_choose(const struct net_fit *f)
{
	return floor(fmax(ABOVE * f->detached,
	                  f->bandwidth * ROUND_TRIPS * 2 * net_fit_pingpong(f, CONTROL)));
}

void net_plan_notice(const struct net_plan *p, const struct net_fit *f, struct str *out)
{
	const double size = size_choose(f);
	int blocks = (int)(PATIENCE / (2 * size / f->bandwidth + PAUSE)), hosts = p->hosts, n = 0;
	struct block all[NET_NOTICES * BLOCKS];
	struct rng r;

	if (!f->ordered || f->detached_low <= 0 || f->detached >= 2 * f->largest ||
	    size > p->max_size)
		return;
	blocks = blocks > BLOCKS ? BLOCKS : blocks < BLOCKS_LEAST ? BLOCKS_LEAST : blocks;
	rng_init(&r, p->seed, "calibrate/notice", 0);
	for (int kinds = 0, k = 1; kinds < NET_NOTICES && k <= hosts / 2;
	     kinds++, k = k < hosts / 2 && 2 * k > hosts / 2 ? hosts / 2 : 2 * k)
		for (int i = 0; i < 2 * blocks / (k + 1) || i < BLOCKS_LEAST; i++)
			all[n++] = (struct block){k, rng_u64(&r)};
	qsort(all, (size_t)n, sizeof *all, by_order);
	for (int i = 0; i < n; i++)
		block_lines(p, all[i].pairs, size, &r, out);
}

/* --- the fit --- */

/* The least reaction time with which the model's exchange takes twice after this gap. The rank goes
 * on `early` after the small message left, or after the reaction time if that is longer; the
 * request leaves the gap and an overhead after that message, is there `late` after that less the
 * reaction time, and must not be there later. */
static double gap_to_reaction(const struct net_fit *f, double size, double gap)
{
	double late = net_fit_pingpong(f, CONTROL),
	       early = net_table_value(&f->transfer, 1) + net_table_value(&f->or_, 1);
	double after = gap + net_table_value(&f->ois, size);

	if (after <= fmin(2 * early - late, early))
		return fmax(after - early + late, 1e-9);
	return after < late ? (after + late) / 2 : after;
}

struct outcomes {
	double *log_reaction; /* of the gap */
	unsigned char *twice;
	int *pairs;
	int n;
};

static double likelihood(const struct outcomes *o, int pairs, double middle, double deviation)
{
	double sum = 0;

	for (int i = 0; i < o->n; i++) {
		double p;

		if (pairs && o->pairs[i] != pairs)
			continue;
		p = LAPSE +
		    (1 - 2 * LAPSE) * erfc((o->log_reaction[i] - middle) / deviation / SQRT_2) / 2;
		sum += log(o->twice[i] ? p : 1 - p);
	}
	return sum;
}

/* The deviations of the logarithm of a reaction that are tried, on a logarithmic scale: from 3 % to
 * a factor of 7, e^2. By choice. */
enum { DEVIATIONS = 16 };
static const double DEVIATION_LEAST = 0.03, DEVIATION_MOST = 2;
static double deviation_at(int k)
{
	return DEVIATION_LEAST *
	       pow(DEVIATION_MOST / DEVIATION_LEAST, (double)k / (DEVIATIONS - 1));
}

/* pairs 0: all. Nothing if not both outcomes were seen. */
static void notice_find(const struct outcomes *o, int pairs, struct net_notice *out)
{
	enum { STEPS = 240 };
	double profile[STEPS + 1], grid[STEPS + 1][DEVIATIONS],
	    lo = INFINITY, hi = -INFINITY, best = -INFINITY, all = 0, middle = 0, spread = 0;
	int inside = 0;

	*out = (struct net_notice){.pairs = pairs};
	for (int i = 0; i < o->n; i++) {
		if (pairs && o->pairs[i] != pairs)
			continue;
		out->n++;
		out->twice += o->twice[i];
		lo = fmin(lo, o->log_reaction[i]);
		hi = fmax(hi, o->log_reaction[i]);
	}
	if (out->twice == 0 || out->twice == out->n)
		return;
	lo -= 1;
	hi += 1;
	for (int i = 0; i <= STEPS; i++) {
		profile[i] = -INFINITY;
		for (int k = 0; k < DEVIATIONS; k++) {
			grid[i][k] = likelihood(o, pairs, lo + (hi - lo) * i / STEPS,
			                        deviation_at(k));
			profile[i] = fmax(profile[i], grid[i][k]);
		}
		best = fmax(best, profile[i]);
	}
	for (int i = 0; i <= STEPS; i++) {
		for (int k = 0; k < DEVIATIONS; k++) {
			double weight = exp(grid[i][k] - best);

			all += weight;
			middle += weight * (lo + (hi - lo) * i / STEPS);
			spread += weight * log(deviation_at(k));
		}
	}
	out->median = exp(middle / all);
	out->deviation = exp(spread / all);
	for (int i = 0; i <= STEPS; i++) {
		double median = exp(lo + (hi - lo) * i / STEPS);

		if (profile[i] < best - WILKS)
			continue;
		if (inside++ == 0)
			out->low = i == 0 ? 0 : median;
		out->high = i == STEPS ? INFINITY : median;
	}
}

static int outcomes_take(const struct net_raw *raw, const struct net_fit *f, struct outcomes *o,
                         struct err *err)
{
	o->log_reaction = malloc(((size_t)raw->n + 1) * sizeof *o->log_reaction);
	o->twice = malloc((size_t)raw->n + 1);
	o->pairs = malloc(((size_t)raw->n + 1) * sizeof *o->pairs);
	if (!o->log_reaction || !o->twice || !o->pairs)
		return err_nomem(err, "exchanges", raw->n);
	for (uint32_t i = 1; i < raw->n; i++) {
		const struct net_row *r = &raw->rows[i], *gap = r - 1;
		double once = net_fit_pingpong(f, r->size);

		if (r->op != NET_REACT || gap->op != NET_GAP || gap->src != r->src ||
		    gap->pairs != r->pairs || r->local || r->far)
			continue;
		o->pairs[o->n] = r->pairs % NET_GAPS;
		if (o->pairs[o->n] == f->max_pairs && f->efficiency > 0)
			once /= fmin(f->efficiency, 1);
		o->log_reaction[o->n] = log(gap_to_reaction(f, r->size, gap->duration));
		o->twice[o->n++] = r->duration > TWICE * once;
	}
	return 0;
}

/* One for all, if it is inside the interval of each. */
static void notices_join(const struct outcomes *o, struct net_fit *f)
{
	struct net_notice all;

	notice_find(o, 0, &all);
	if (!(all.median > 0))
		return;
	for (int i = 0; i < f->notices; i++)
		if (!(f->notice[i].median > 0) || all.median < f->notice[i].low ||
		    all.median > f->notice[i].high)
			return;
	all.pairs = f->notice[f->notices - 1].pairs;
	f->notice[0] = all;
	f->notices = 1;
}

static void notices_tell(struct net_fit *f)
{
	const struct net_notice *one = &f->notice[0], *all = &f->notice[f->notices - 1];
	char text[400];

	if (f->notices > 1 && one->median > 0 && all->median > MUCH * one->median &&
	    f->warnings.n < NET_WARNINGS) {
		snprintf(text, sizeof text,
		         "processors: a rank takes %.2g s to look at what has come when %d pairs "
		         "exchange at once, %.2g s when one does: hosts share processors, or ranks "
		         "one host; smpi/notice has a time for each number of ranks\n",
		         all->median, all->pairs, one->median);
		str_puts(&f->warnings, text);
	}
}

int net_notice_fit(const struct net_raw *raw, struct net_fit *f, struct err *err)
{
	struct outcomes o = {0};
	int r = f->ordered ? outcomes_take(raw, f, &o, err) : 0, least = 0;

	f->notices = 0;
	while (r == 0 && f->notices < NET_NOTICES) {
		int next = 0;

		for (int i = 0; i < o.n; i++)
			if (o.pairs[i] > least && (next == 0 || o.pairs[i] < next))
				next = o.pairs[i];
		if (next == 0)
			break;
		least = next;
		notice_find(&o, next, &f->notice[f->notices++]);
	}
	if (f->notices > 1)
		notices_join(&o, f);
	if (f->notices > 0)
		notices_tell(f);
	free(o.log_reaction);
	free(o.twice);
	free(o.pairs);
	return r;
}
