/* network_trials_plan.c: small random programs between all hosts are drawn: rounds of messages,
 * with or without pauses between; each is repeated, in an order of its own. */
#include "network_trials.h"

#include "base/rng.h"

#include <math.h>
#include <stdlib.h>

enum { PROGRAMS = 24, REPEATS = 3, MESSAGES_MOST = 600, ROUNDS_MOST = 60 };
/* s, of messages in a program: all of them, with their repeats, take some ten seconds. */
static const double SECONDS = 0.12;
/* Bytes: the least that is drawn, a number or two. */
static const double SMALLEST = 16;
/* s: every second program computes between its rounds: from half a millisecond to forty times that,
 * at most so long in all, and no two hosts as long: by up to a fifth more or less. */
static const double PAUSE = 0.5e-3, PAUSES = 40, PAUSE_MOST = 0.1, UNEVEN = 0.2;

enum family { SHIFT, NEIGHBOURS, TRANSPOSE, ALL_TO_ALL, TREE, PAIRS, FAMILIES };

struct drawn {
	enum family family;
	double size, pause; /* bytes; s, 0: none */
	int rounds, id;
	uint64_t order;
};

static void message(const struct net_plan *p, int a, int b, const struct drawn *d, int round,
                    struct str *out)
{
	str_printf(out, "mesh %d %d %.0f %d\n", p->host_rank[a], p->host_rank[b], d->size,
	           d->id * NET_ROUNDS + round);
}

/* Everybody meets somebody at random; of an odd number one is alone. */
static void pairs_put(const struct net_plan *p, const struct drawn *d, int n, int round,
                      struct rng *r, struct str *out)
{
	int who[TRIALS_HOSTS];

	for (int i = 0; i < n; i++)
		who[i] = i;
	for (int i = n - 1; i > 0; i--) {
		int k = (int)rng_below(r, (uint64_t)i + 1), t = who[i];

		who[i] = who[k];
		who[k] = t;
	}
	for (int i = 0; i + 1 < n; i += 2) {
		message(p, who[i], who[i + 1], d, round, out);
		message(p, who[i + 1], who[i], d, round, out);
	}
}

static void round_put(const struct net_plan *p, const struct drawn *d, int n, int round,
                      struct rng *r, struct str *out)
{
	int levels = 1, reach;

	while (1 << levels < n)
		levels++;
	reach = 1 << round % levels;
	for (int i = 0; i < n; i++) {
		switch (d->family) {
		case SHIFT:
			message(p, i, (i + 1) % n, d, round, out);
			break;
		case NEIGHBOURS:
			message(p, i, (i + 1) % n, d, round, out);
			if (n > 2)
				message(p, i, (i + n - 1) % n, d, round, out);
			break;
		case TRANSPOSE:
			if (n - 1 - i != i)
				message(p, i, n - 1 - i, d, round, out);
			break;
		case ALL_TO_ALL:
			for (int k = 1; k < n; k++)
				message(p, i, (i + k) % n, d, round, out);
			break;
		case TREE: /* a level of a binomial tree in each round */
			if (i < reach && i + reach < n)
				message(p, i, i + reach, d, round, out);
			break;
		default:
			if (i == 0)
				pairs_put(p, d, n, round, r, out);
			break;
		}
	}
}

/* How long a round takes, roughly: the messages that one host sends and receives, one after the
 * other. */
static double round_time(const struct drawn *d, const struct net_fit *f, int n)
{
	static const int each[FAMILIES] = {1, 2, 1, 0, 1, 1};
	int k = d->family == ALL_TO_ALL ? n - 1 : each[d->family];

	return net_fit_pingpong(f, d->size) + (k - 1) * d->size / f->bandwidth;
}

static struct drawn program_draw(const struct net_plan *p, const struct net_fit *f, int i, int n,
                                 struct rng *r)
{
	double middle = fmin(fmax(f->detached, 2 * TRIALS_SMALL), p->max_size / 2);
	double bound[TRIALS_CLASSES + 1] = {SMALLEST, TRIALS_SMALL, middle,
	                                    fmax(p->max_size / 4, 1.5 * middle)};
	int class = i % TRIALS_CLASSES, per_round;
	struct drawn d = {.family = (enum family)rng_below(r, FAMILIES), .order = rng_u64(r)};

	d.size = floor(bound[class] * pow(bound[class + 1] / bound[class], rng_unit(r)));
	per_round = d.family == ALL_TO_ALL ? n * (n - 1) : 2 * n;
	d.rounds = (int)fmin(fmin(ROUNDS_MOST, floor(MESSAGES_MOST / (double)per_round)),
	                     ceil(SECONDS / round_time(&d, f, n)));
	d.rounds = d.rounds < 2 ? 2 : d.rounds;
	if (rng_unit(r) < 0.5)
		d.pause = fmin(PAUSE_MOST / d.rounds, PAUSE * pow(PAUSES, rng_unit(r)));
	return d;
}

static int by_order(const void *a, const void *b)
{
	const struct drawn *p = a, *q = b;

	return (p->order > q->order) - (p->order < q->order);
}

void net_plan_trials(const struct net_plan *p, const struct net_fit *f, struct str *out)
{
	struct drawn all[PROGRAMS * REPEATS];
	int n = p->hosts < TRIALS_HOSTS ? p->hosts : TRIALS_HOSTS;
	struct rng r;

	if (n < 2)
		return;
	rng_init(&r, p->seed, "calibrate/trials", 0);
	for (int i = 0; i < PROGRAMS; i++) {
		struct drawn d = program_draw(p, f, i, n, &r);

		for (int k = 0; k < REPEATS; k++) {
			d.id = i * NET_REPEATS + k;
			d.order = rng_u64(&r);
			all[i * REPEATS + k] = d;
		}
	}
	qsort(all, PROGRAMS * REPEATS, sizeof *all, by_order);
	for (int i = 0; i < PROGRAMS * REPEATS; i++) {
		rng_init(&r, p->seed, "calibrate/pairs",
		         (uint64_t)(all[i].id / NET_REPEATS)); /* the same in each repeat */
		for (int round = 0; round < all[i].rounds; round++) {
			for (int h = 0; h < n && all[i].pause > 0;
			     h++) /* not all the same, as computations are not */
				str_printf(
				    out, "mesh %d %d %.0f %d\n", p->host_rank[h], p->host_rank[h],
				    1e6 * all[i].pause * (1 - UNEVEN + 2 * UNEVEN * rng_unit(&r)),
				    all[i].id * NET_ROUNDS + round);
			round_put(p, &all[i], n, round, &r, out);
		}
	}
}
