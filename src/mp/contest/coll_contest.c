/* coll_contest.c: several choices for one call, timed with as few simulations as it takes. The
 * result is the same as that of simulating each:
 *
 * 1. Choices of which every rank does the same steps take the same time: one is simulated. Rings
 *    under several names, forms for several ranks per host where each rank has its own, selectors
 *    that compose the same. Steps are compared in full, rank by rank, where those of three ranks
 *    have the same hash.
 * 2. What must take longer than the time at which it would be given up is not begun: its messages,
 *    those of three ranks alone, need longer to cross their links (net_load_add). */
#include "coll/write.h"
#include "coll_measure.h"
#include "mp/transport_int.h"

#include <math.h>
#include <stdlib.h>

struct candidate {
	struct coll_choice choice;
	struct coll_policy policy; /* its rules are not its own */
	struct coll_args args;     /* policy: this one's; see candidate_args */
	uint64_t hash;             /* of the steps of three ranks */
	double messages, least;    /* least: s that its links need; < 0: not known yet */
	double seconds;            /* infinity: over give_up */
	double give_up;
};

struct coll_contest {
	struct coll_bench bench;
	struct coll_args args;
	struct coll_policy own; /* of the settings, if the bench has none */
	struct net *net;        /* for bounds */
	struct mp *mp;          /* on it, never run: what the settings make of steps */
	struct candidate *known;
	uint32_t n, cap;
	uint32_t large; /* choices of more than MEASURE_MESSAGES messages */
};

struct coll_contest *coll_contest_new(const struct coll_bench *b, const struct coll_args *a,
                                      struct err *err)
{
	struct coll_contest *c = calloc(1, sizeof *c);

	if (!c) {
		err_nomem(err, "measured collectives", sizeof *c);
		return NULL;
	}
	c->bench = *b;
	c->args = *a;
	c->net = net_new(b->platform, b->cfg, err);
	c->mp = c->net ? mp_new(c->net, b->cfg, b->host, b->p, err) : NULL;
	if (!c->mp || (!b->policy && coll_policy_read(&c->own, b->cfg, err) < 0)) {
		coll_contest_free(c);
		return NULL;
	}
	if (!b->policy)
		c->bench.policy = &c->own;
	return c;
}

void coll_contest_free(struct coll_contest *c)
{
	if (!c)
		return;
	coll_policy_release(&c->own);
	mp_free(c->mp);
	net_free(c->net);
	free(c->known);
	free(c);
}

/* --- steps --- */

/* Of what differs least among algorithms that do the same: copies may be left out. */
static uint64_t step_hash(uint64_t h, const struct coll_step *s)
{
	if (s->kind == STEP_REDUCE || s->kind == STEP_COPY)
		return h;
	h = hash_mix(h ^ ((uint64_t)s->kind << 40 | s->peer));
	return hash_mix(h ^ (uint64_t)s->len);
}

/* Walks one rank: adds to the hash, and to the messages. */
static double rank_walk(const struct candidate *d, uint32_t rank, uint64_t *hash)
{
	struct coll_cursor at = {0};
	struct coll_steps steps;
	double messages = 0;

	while (coll_next(d->choice.alg, &d->args, rank, &at, &steps) != COLL_END) {
		for (uint32_t i = 0; i < steps.n; i++) {
			*hash = step_hash(*hash, &steps.s[i]);
			messages += steps.s[i].kind == STEP_SEND || steps.s[i].kind == STEP_ISEND;
		}
	}
	return messages;
}

/* The root, and two that are not: if there are no more ranks, some of them twice. */
enum { WITNESSES = 3 };
static void witnesses(const struct coll_args *a, uint32_t rank[WITNESSES])
{
	rank[0] = a->root;
	rank[1] = (a->root + 1) % a->size;
	rank[2] = (a->root + a->size / 2) % a->size;
}

static void candidate_walk(struct candidate *d)
{
	uint32_t rank[WITNESSES];
	double n[WITNESSES];

	witnesses(&d->args, rank);
	d->hash = 0;
	for (int i = 0; i < WITNESSES; i++)
		n[i] = rank_walk(d, rank[i], &d->hash);
	d->messages = n[0] + (n[1] > n[2] ? n[1] : n[2]) * (d->args.size - 1);
}

/* One rank's steps, one after the other. */
struct walk {
	const struct candidate *d;
	uint32_t rank, i;
	struct coll_cursor at;
	struct coll_steps steps;
};

/* Copies and reductions are passed over where they take no time, and so is in which round a step is
 * unless the executor looks (round 0 then). NULL: the end. */
static const struct coll_step *walk_next(const struct coll_contest *c, struct walk *w,
                                         uint32_t *round)
{
	for (;;) {
		while (w->i < w->steps.n) {
			const struct coll_step *s = &w->steps.s[w->i++];

			if (c->mp->overheads.local ||
			    (s->kind != STEP_REDUCE && s->kind != STEP_COPY))
				return s;
		}
		if (coll_next(w->d->choice.alg, &w->d->args, w->rank, &w->at, &w->steps) ==
		    COLL_END)
			return NULL;
		w->i = 0;
		*round += c->mp->transport->ordered;
	}
}

static int rank_same(const struct coll_contest *c, const struct candidate *a,
                     const struct candidate *b, uint32_t rank)
{
	struct walk wa = {.d = a, .rank = rank}, wb = {.d = b, .rank = rank};
	uint32_t round_a = 0, round_b = 0;

	wa.steps.n = wb.steps.n = 0;
	for (;;) {
		const struct coll_step *x = walk_next(c, &wa, &round_a),
		                       *y = walk_next(c, &wb, &round_b);

		if (!x || !y)
			return !x && !y;
		if (x->kind != y->kind || x->peer != y->peer || x->len != y->len ||
		    x->req != y->req || x->n != y->n || round_a != round_b)
			return 0;
	}
}

static int candidates_same(const struct coll_contest *c, const struct candidate *a,
                           const struct candidate *b)
{
	if (a->hash != b->hash || a->messages != b->messages)
		return 0;
	for (uint32_t rank = 0; rank < a->args.size; rank++) {
		if (!rank_same(c, a, b, rank))
			return 0;
	}
	return 1;
}

/* --- bounds --- */

static int rank_load(struct coll_contest *c, const struct candidate *d, uint32_t rank,
                     double *least, struct err *err)
{
	struct coll_cursor at = {0};
	struct coll_steps steps;
	double envelope = net_envelope(c->net);

	while (coll_next(d->choice.alg, &d->args, rank, &at, &steps) != COLL_END) {
		for (uint32_t i = 0; i < steps.n; i++) {
			const struct coll_step *s = &steps.s[i];

			if ((s->kind == STEP_SEND || s->kind == STEP_ISEND) &&
			    net_load_add(c->net, c->bench.host[rank], c->bench.host[s->peer],
			                 (double)s->len + envelope, least, err) < 0)
				return -1;
		}
	}
	return 0;
}

static int candidate_bound(struct coll_contest *c, struct candidate *d, struct err *err)
{
	uint32_t rank[WITNESSES];

	witnesses(&d->args, rank);
	net_load_clear(c->net);
	d->least = 0;
	for (int i = 0; i < WITNESSES; i++) {
		int again = 0;

		for (int k = 0; k < i; k++)
			again |= rank[k] == rank[i];
		if (!again && rank_load(c, d, rank[i], &d->least, err) < 0)
			return -1;
	}
	return 0;
}

/* --- times --- */

/* The arguments as the executor makes them (coll_call.c), under the policy of coll_measure. The
 * candidate may have moved since. */
static void candidate_args(const struct coll_contest *c, struct candidate *d)
{
	d->args = c->args;
	d->args.segment = d->choice.segment;
	d->args.fanout = d->choice.fanout;
	d->args.policy = &d->policy;
	d->args.sizes_only = 1;
	d->args.compat = (uint8_t)config_compat(c->bench.cfg);
}

static int candidate_make(struct coll_contest *c, const struct coll_choice *choice,
                          const struct coll_policy *policy, struct candidate *d)
{
	enum coll_kind k = c->args.kind == COLL_REDUCE_SCATTER_BLOCK ? COLL_REDUCE_SCATTER
	                                                             : c->args.kind;

	*d = (struct candidate){
	    .choice = *choice, .policy = policy ? *policy : *c->bench.policy, .least = -1};
	d->policy.owned = NULL;
	d->policy.fixed[k] = choice->alg;
	candidate_args(c, d);
	if (coll_alg_refuses(choice->alg, &d->args))
		return 0;
	candidate_walk(d);
	c->large += d->messages > MEASURE_MESSAGES;
	return d->messages <= MEASURE_MESSAGES;
}

/* One that was measured, for as long as this one would be, and does the same; or NULL. */
static const struct candidate *known_find(struct coll_contest *c, const struct candidate *d)
{
	for (uint32_t i = 0; i < c->n; i++) {
		struct candidate *k = &c->known[i];

		if (!isfinite(k->seconds) && k->give_up < d->give_up)
			continue;
		candidate_args(c, k);
		if (candidates_same(c, k, d))
			return k;
	}
	return NULL;
}

static int known_add(struct coll_contest *c, const struct candidate *d, struct err *err)
{
	struct candidate *all = vec_grow(c->known, &c->cap, sizeof *all, (size_t)c->n + 1,
	                                 "measured collectives", err);

	if (!all)
		return -1;
	c->known = all;
	all[c->n++] = *d;
	return 0;
}

/* Rounding of sums of as many rates as there are flows, and SimGrid's own in compat, stay well
 * below. */
#define SURELY 1.001

static int contest_run(struct coll_contest *c, struct candidate *d, double give_up, double *seconds,
                       struct err *err)
{
	struct coll_bench bench = c->bench;
	const struct candidate *same;

	d->give_up = give_up;
	same = known_find(c, d);
	if (same) {
		*seconds = same->seconds;
		return 0;
	}
	if (isfinite(give_up) && candidate_bound(c, d, err) < 0)
		return -1;
	bench.policy = &d->policy;
	d->seconds = HUGE_VAL;
	if (!(d->least > give_up * SURELY) &&
	    coll_measure(&bench, &c->args, &d->choice, give_up, &d->seconds, err) < 0)
		return -1;
	*seconds = d->seconds;
	return known_add(c, d, err);
}

int coll_contest_time(struct coll_contest *c, const struct coll_choice *choice,
                      const struct coll_policy *policy, double give_up, double *seconds,
                      struct err *err)
{
	struct candidate d;

	*seconds = NAN;
	return candidate_make(c, choice, policy, &d) ? contest_run(c, &d, give_up, seconds, err)
	                                             : 0;
}

uint32_t coll_contest_large(const struct coll_contest *c)
{
	return c->large;
}

/* --- the fastest --- */

struct entrant {
	struct candidate d;
	uint32_t place; /* in the list of algorithms */
};

/* Those that cut their messages into many come last: they take long to simulate, and are given up
 * sooner when the others' times are known. */
static double entrant_burden(const struct entrant *e)
{
	enum { FEW = 20000 };

	return e->d.messages > FEW ? e->d.messages : 0;
}

static int entrant_before(const void *x, const void *y)
{
	const struct entrant *a = x, *b = y;
	double burden_a = entrant_burden(a), burden_b = entrant_burden(b);

	if (burden_a != burden_b)
		return burden_a < burden_b ? -1 : 1;
	return a->place < b->place ? -1 : 1;
}

/* All that can run the call, in the order in which to try them; NULL on error. */
static struct entrant *entrants_make(struct coll_contest *c, uint32_t *n, struct err *err)
{
	enum coll_kind k = c->args.kind == COLL_REDUCE_SCATTER_BLOCK ? COLL_REDUCE_SCATTER
	                                                             : c->args.kind;
	struct entrant *all;
	uint32_t most = 0;

	while (coll_algs[most])
		most++;
	all = calloc(most, sizeof *all);
	if (!all) {
		err_nomem(err, "measured collectives", most * sizeof *all);
		return NULL;
	}
	*n = 0;
	for (uint32_t i = 0; i < most; i++) {
		struct coll_choice choice = {.alg = coll_algs[i]};

		if (choice.alg->kind != k || choice.alg->defect ||
		    !candidate_make(c, &choice, NULL, &all[*n].d))
			continue;
		all[(*n)++].place = i;
	}
	qsort(all, *n, sizeof *all, entrant_before);
	for (uint32_t i = 0; i < *n; i++)
		candidate_args(c, &all[i].d);
	return all;
}

int coll_fastest(const struct coll_bench *b, const struct coll_args *a, struct coll_choice *out,
                 double *seconds, struct err *err)
{
	struct coll_contest *c = coll_contest_new(b, a, err);
	uint32_t n = 0, place = 0;
	struct entrant *all = c ? entrants_make(c, &n, err) : NULL;
	int r = all ? 0 : -1;

	*out = (struct coll_choice){0};
	*seconds = HUGE_VAL;
	for (uint32_t i = 0; r == 0 && i < n; i++) {
		double t;

		r = contest_run(c, &all[i].d, *seconds, &t, err);
		if (r == 0 &&
		    (!out->alg || t < *seconds || (t == *seconds && all[i].place < place))) {
			*out = all[i].d.choice;
			*seconds = t;
			place = all[i].place;
		}
	}
	free(all);
	coll_contest_free(c);
	return r;
}
