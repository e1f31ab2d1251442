/* network_plan.c: what is measured, in which order. Sizes are drawn at random on a logarithmic
 * scale, and their order too: a disturbance that lasts a while hits all sizes, and no size follows
 * another always. */
#include "network.h"

#include "base/rng.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* Of the largest message: what flows at once carry. They share links, so that each lasts as long as
 * a larger one alone; where all hosts send, the more so. */
static const double FLOW_PART = 1.0 / 4, LOAD_PART = 1.0 / 8;
/* Flows at once are measured so often: one that was disturbed is then not the only one. */
enum { REPEATS = 3 };

struct planned {
	const char *op;
	double size;
	uint64_t order;
};

static int by_order(const void *a, const void *b)
{
	const struct planned *p = a, *q = b;

	return (p->order > q->order) - (p->order < q->order);
}

static void pair_lines(const struct net_plan *p, int src, int dst, int share, struct str *out)
{
	static const struct {
		const char *op;
		double part; /* of the samples, by choice: overheads are simpler lines than
		                round trips, the last two are one figure each */
	} ops[] = {
	    {"pingpong", 1}, {"isend", 0.5}, {"recv", 0.5}, {"late", 0.16}, {"exchange", 0.16}};
	struct planned *all = malloc((size_t)(3 * p->samples + 8) * sizeof *all);
	struct rng r;
	size_t n = 0;

	rng_init(&r, p->seed, "calibrate/plan", (uint64_t)src * 1000 + (uint64_t)dst);
	for (size_t o = 0; all && o < sizeof ops / sizeof *ops; o++) {
		int each = p->samples / share;
		for (int i = 0; i < (int)(each * ops[o].part) && n < 3 * (size_t)p->samples; i++) {
			all[n].op = ops[o].op;
			all[n].size = floor(pow(10, rng_unit(&r) * log10(p->max_size + 1)));
			all[n++].order = rng_u64(&r);
		}
	}
	if (all)
		qsort(all, n, sizeof *all, by_order);
	else
		out->failed = 1;
	for (size_t i = 0; i < n; i++)
		str_printf(out, "%s %d %d %.0f 1\n", all[i].op, src, dst, all[i].size);
	free(all);
}

static void flow_lines(const struct net_plan *p, double size, struct str *out)
{
	int n = p->ranks / 2;

	for (int k = 1; k <= n;
	     k = k < n && 2 * k > n ? n : 2 * k) /* disjoint pairs, more and more of them */
		for (int i = 0; i < k; i++)
			str_printf(out, "flow %d %d %.0f %d\n", 2 * i, 2 * i + 1, size, k);
}

/* --- cabinets --- */

/* Fewer hosts have no cabinets that could be told. A host of a small cabinet is told by what it
 * exchanges with the few others in it: so many permutations for each host have some four flows each
 * way between any two (test_uplink.c: half as many mistake hosts of cabinets of two where both ways
 * at once lose up to half). Of few hosts some hundred flows; of many, as many blocks as are looked
 * at (BLOCKS_MOST of network_cabinets_int.h) with those of uplinks: by choice. */
enum { HOSTS_LEAST = 4, PERMUTATIONS_A_HOST = 4, PERMUTATIONS_LEAST = 24, PERMUTATIONS_MOST = 96 };
/* A row has its block's number times NET_LOADS and how many flows it has, which are fewer. Blocks
 * of uplinks are numbered behind all permutations. */
enum { UPLINK_BLOCK = 1000 };
static_assert(PERMUTATIONS_MOST + HOSTS_LEAST < UPLINK_BLOCK, "blocks have numbers of their own");

static int load_hosts(const struct net_plan *p)
{
	return p->hosts < NET_HOSTS ? p->hosts : NET_HOSTS;
}

static void load_line(const struct net_plan *p, int block, int flows, int a, int b, struct str *out)
{
	str_printf(out, "load %d %d %.0f %d\n", p->host_rank[a], p->host_rank[b],
	           floor(p->max_size * LOAD_PART), block * NET_LOADS + flows);
}

/* All hosts send to one other each: whom, is random, and nobody to himself. Half of the way round,
 * too: of hosts in order by cabinets nearly all leave theirs then. */
void net_plan_loads(const struct net_plan *p, struct str *out)
{
	int n = load_hosts(p), to[NET_HOSTS], block = 1, permutations = PERMUTATIONS_A_HOST * n;
	struct rng r;

	if (n < HOSTS_LEAST)
		return;
	rng_init(&r, p->seed, "calibrate/loads", 0);
	for (int i = 0; i < 3; i++)
		load_line(p, block++, 1, i, i + 1, out);
	permutations = permutations < PERMUTATIONS_LEAST ? PERMUTATIONS_LEAST : permutations;
	permutations = permutations > PERMUTATIONS_MOST ? PERMUTATIONS_MOST : permutations;
	for (int k = 0; k < permutations; k++, block++) {
		int again = 1;

		while (again) {
			for (int i = 0; i < n; i++)
				to[i] = k % 3 == 0 ? (i + n / 2 + k / 3 % 3 - 1) % n : i;
			for (int i = n - 1; i > 0 && k % 3; i--) {
				int j = (int)rng_below(&r, (uint64_t)i + 1), t = to[i];

				to[i] = to[j];
				to[j] = t;
			}
			again = 0;
			for (int i = 0; i < n; i++)
				again |= to[i] == i;
		}
		for (int i = 0; i < n; i++)
			load_line(p, block, n, i, to[i], out);
	}
}

/* All hosts of each cabinet at once to others, as many different ones as there are: those of the
 * next cabinet first. Nothing goes the other way, so that no link but the cabinet's is full. */
static void uplink_lines(const struct net_plan *p, int repeat, struct str *out)
{
	const struct net_cabinets *c = p->cabinets;
	int n = load_hosts(p) < c->hosts ? load_hosts(p) : c->hosts, other[NET_HOSTS];

	for (int from = 0; from < c->n; from++) {
		int others = 0, at = 0, flows;

		for (int k = 1; k < c->n; k++)
			for (int b = 0; b < n; b++)
				if (c->of[b] == (from + k) % c->n)
					other[others++] = b;
		flows = n - others;
		for (int a = 0; a < n && others > 0; a++)
			if (c->of[a] == from)
				load_line(p, UPLINK_BLOCK + repeat * NET_HOSTS + from, flows, a,
				          other[at++ % others], out);
	}
}

void net_plan_write(const struct net_plan *p, struct str *out)
{
	pair_lines(p, 0, p->other, 1, out);
	if (p->local >= 0)
		pair_lines(p, 0, p->local, 2, out);
	if (p->far >= 0)
		pair_lines(p, 0, p->far, 4, out);
	for (int repeat = 0; repeat < REPEATS && p->cabinets && p->cabinets->n > 1; repeat++)
		uplink_lines(p, repeat, out);
	if (p->ranks < 4)
		return;
	for (int repeat = 0; repeat < REPEATS; repeat++)
		flow_lines(p, p->max_size * FLOW_PART, out);
}

void net_plan_concurrent(const struct net_plan *p, const struct net_fit *f, struct str *out)
{
	/* how often, by choice; of SELVES, TRAINS and STREAMS each has a size of its own */
	enum {
		CROWDS = 6,
		ORDERS = 9,
		EXCHANGES = 8,
		RINGS = 4,
		SELVES = 16,
		TRAINS = 8,
		STREAMS = 24
	};
	/* bytes: exchanges of less are latency, and tell nothing of both ways at once */
	static const double DETACHED_LEAST = 1000;
	const double detached = f->detached < 2 * f->largest ? f->detached : f->largest;
	int ring[NET_HOSTS], n = 0;
	/* half of it is long enough to be told from a round trip, and short enough not to be left
	 * out for want of time */
	double large = fmin(p->max_size, fmax(4 * detached, 20 * f->latency * f->bandwidth));

	for (int h = 0; h < p->hosts && h < NET_HOSTS; h++) /* those of the first host's cabinet */
		if (!p->cabinets || p->cabinets->n < 2 ||
		    (h < p->cabinets->hosts && p->cabinets->of[h] == p->cabinets->of[0]))
			ring[n++] = p->host_rank[h];
	for (int i = 0; i < ORDERS; i++)
		str_printf(out, "order 0 %d %.0f 1\n", p->other, large);
	for (int i = 0; i < EXCHANGES && detached > DETACHED_LEAST; i++)
		str_printf(
		    out, "exchange 0 %d %.0f 1\n", p->other,
		    floor(fmin(detached, p->max_size) * (0.98 - 0.1 * (i % 4)))); /* below it */
	for (int i = 0; i < STREAMS; i++) /* 4 bytes to 1 KiB */
		str_printf(out, "stream 0 %d %.0f 1\n", p->other,
		           floor(pow(2, 2 + (i * 7) % STREAMS * 8.0 / (STREAMS - 1))));
	for (int i = 0; i < SELVES && p->local < 0; i++)
		str_printf(out, "self 0 %d %.0f 1\n", p->other,
		           floor(pow(p->max_size, (double)(1 + i * 7 % SELVES) / SELVES)));
	for (int i = 0; i < TRAINS && f->burst > 0;
	     i++) /* what passes at once when the bucket is full, so that only its emptiness limits
	           */
		str_printf(out, "train 0 %d %.0f 1\n", p->other,
		           floor(fmin(f->burst, detached) * (0.8 - 0.05 * i)));
	for (int i = 0; i < CROWDS; i++)
		for (int k = 1; k <= p->hosts / 2;
		     k = k < p->hosts / 2 && 2 * k > p->hosts / 2 ? p->hosts / 2 : 2 * k)
			for (int pair = 0; pair < k; pair++)
				str_printf(out, "crowd %d %d 8 %d\n", p->host_rank[2 * pair],
				           p->host_rank[2 * pair + 1], k + NET_GAPS * i);
	for (int repeat = 0; repeat < RINGS && n >= 3; repeat++)
		for (int i = 0; i < n; i++)
			str_printf(out, "ring %d %d %.0f %d\n", ring[i], ring[(i + 1) % n],
			           p->max_size * FLOW_PART, n);
}

void net_plan_between(const struct net_plan *p, double lo, double hi, struct str *out)
{
	enum { STEPS = 12 };

	for (int i = 1; i <= STEPS; i++)
		str_printf(out, "late 0 %d %.0f 1\n", p->other,
		           floor(lo + (hi - lo) * ((i * 5) % (STEPS + 1)) / (STEPS + 1)));
	/* Programs send 65536 bytes, and libraries' limits are such a number less a header: it must
	 * not be left in between. */
	for (double s = exp2(floor(log2(lo)) + 1); s < hi; s *= 2)
		str_printf(out, "late 0 %d %.0f 1\n", p->other, s);
}
