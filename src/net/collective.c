/* collective.c: collectives decided as a whole: names, the choice, and textbook formulas for models
 * that have none of their own.
 *
 * A textbook collective of p members costs what its best known algorithm of this table costs if its
 * messages meet nobody. T(m) is the time of a message of m bytes alone, between the members where
 * it is greatest (of the pairs of the first member); k runs from 0 while 2^k < p, so over ceil(log2
 * p) rounds; n: bytes of the whole buffer, m: of one block.
 *
 *   barrier                   rounds x T(0)                                     dissemination
 *   bcast                     rounds x T(n)                                     binomial tree, or
 *                             sum T(n / 2^(k+1)) + (p - 1) T(n / p)             scatter, then
 *                             allgather in a ring
 *   reduce                    rounds x T(n)                                     binomial tree, or
 *                             2 x sum T(n / 2^(k+1))                            reduce-scatter by
 *                             halving, then gather
 *   allreduce                 the same                                          recursive doubling;
 *                             halving, then doubling
 *   gather, scatter           sum T(m min(2^k, p - 2^k))                        binomial tree
 *   allgather                 the same                                          recursive doubling
 *   alltoall                  rounds x T(m p / 2), or (p - 1) T(m)              Bruck; pairwise
 *                             exchange
 *   reduce_scatter            sum T(n / 2^(k+1))                                recursive halving
 *   scan, exscan              rounds x T(n)                                     recursive doubling
 *
 * Source: R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of collective communication
 * operations in MPICH", IJHPCA 19(1), 2005; with their alpha + m beta replaced by T(m). Of two
 * algorithms, the faster. */
#include "net_int.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[NET_COLLS] = {
    "barrier",  "bcast",     "reduce",    "allreduce",      "gather",
    "gatherv",  "scatter",   "scatterv",  "allgather",      "allgatherv",
    "alltoall", "alltoallv", "alltoallw", "reduce_scatter", "reduce_scatter_block",
    "scan",     "exscan"};

const char *net_coll_name(enum net_coll k)
{
	return names[k];
}

enum net_coll net_coll_find(const char *name, size_t len)
{
	int k;

	for (k = 0; k < NET_COLLS && !(strlen(names[k]) == len && text_same_n(names[k], name, len));
	     k++)
		;
	return (enum net_coll)k;
}

int net_collectives_whole(const struct net *n, struct err *err)
{
	const char *text = config_text(n->cfg, CFG_SMPI_COLLECTIVES);

	if (!text[0])
		return n->model->whole;
	if (text_same(text, "simulated"))
		return 0;
	if (!text_same(text, "analytic"))
		return err_set(err, ERR_INPUT,
		               "setting smpi/collectives is analytic or simulated, not \"%s\"",
		               text);
	if (!n->model->collective && !n->model->alone)
		return err_set(err, ERR_INPUT,
		               "setting smpi/collectives: model %s has no formula for collectives; "
		               "simulated is what it can",
		               n->model->name);
	return 1;
}

/* --- the textbook --- */

/* The members between which messages take longest: an empty one, a long one. */
struct pairs {
	struct host_id latency[2], bandwidth[2];
};

enum { LONG_BYTES = 1 << 20 };

/* One collective being worked out. */
struct work {
	struct net *n;
	const struct net_collective *c;
	const struct pairs *pairs;
	struct err *err;
	int failed; /* *err says why */
};

static double alone(struct work *w, struct host_id from, struct host_id to, double bytes)
{
	double t = w->failed ? -1 : w->n->model->alone(w->n, w->n->state, from, to, bytes, w->err);

	w->failed |= t < 0;
	return t;
}

static void pairs_find(struct work *w, struct pairs *out)
{
	const struct host_id *host = w->c->host;
	double t, latency = -1, bandwidth = -1;
	uint32_t i;

	for (i = 1; i < w->c->n; i++) {
		t = alone(w, host[0], host[i], 0);
		if (t > latency) {
			latency = t;
			out->latency[1] = host[i];
		}
		t = alone(w, host[0], host[i], LONG_BYTES);
		if (t > bandwidth) {
			bandwidth = t;
			out->bandwidth[1] = host[i];
		}
	}
	out->latency[0] = out->bandwidth[0] = host[0];
}

/* T(m) */
static double message_time(struct work *w, double bytes)
{
	const struct host_id *far = w->pairs->latency, *slow = w->pairs->bandwidth;
	double size = bytes + net_envelope(w->n), a = alone(w, far[0], far[1], size),
	       b = alone(w, slow[0], slow[1], size);

	return a > b ? a : b;
}

static uint32_t rounds(uint32_t p)
{
	uint32_t k = 0;

	while (k < 32 && (UINT64_C(1) << k) < p)
		k++;
	return k;
}

/* n/2 + n/4 + … : halving or doubling a whole buffer. */
static double halving(struct work *w, double bytes)
{
	double sum = 0;
	uint32_t k;

	for (k = rounds(w->c->n); k > 0; k--)
		sum += message_time(w, bytes /= 2);
	return sum;
}

/* 1, 2, 4, … blocks up a tree; the last round has what is left. */
static double doubling(struct work *w, double block)
{
	double sum = 0;
	uint64_t k, left;

	for (k = 1; k < w->c->n; k *= 2) {
		left = w->c->n - k;
		sum += message_time(w, block * (double)(left < k ? left : k));
	}
	return sum;
}

static double lesser(double a, double b)
{
	return a < b ? a : b;
}

static double textbook(struct work *w)
{
	double p = w->c->n, r = rounds(w->c->n), sent = w->c->sent, received = w->c->received;

	switch (w->c->kind) {
	case NET_BARRIER:
		return r * message_time(w, 0);
	case NET_BCAST:
		return lesser(r * message_time(w, sent),
		              halving(w, sent) + (p - 1) * message_time(w, sent / p));
	case NET_REDUCE:
	case NET_ALLREDUCE:
		return lesser(r * message_time(w, sent), 2 * halving(w, sent));
	case NET_SCATTER:
	case NET_SCATTERV:
		return doubling(w, sent / p);
	case NET_GATHER:
	case NET_GATHERV:
	case NET_ALLGATHER:
	case NET_ALLGATHERV:
		return doubling(w, received / p);
	case NET_ALLTOALL:
	case NET_ALLTOALLV:
	case NET_ALLTOALLW:
		return lesser(r * message_time(w, sent / 2), (p - 1) * message_time(w, sent / p));
	case NET_REDUCE_SCATTER:
	case NET_REDUCE_SCATTER_BLOCK:
		return halving(w, sent);
	default:
		return r * message_time(w, sent);
	}
}

static int textbook_collective(struct net *n, const struct net_collective *c, double *seconds,
                               struct err *err)
{
	struct work w = {.n = n, .c = c, .pairs = *c->memo, .err = err};
	struct pairs *p;
	double t = 0;

	if (c->n > 1 && !w.pairs) {
		p = calloc(1, sizeof *p);
		if (!p)
			return err_nomem(err, "a collective's members", sizeof *p);
		w.pairs = *c->memo = p;
		pairs_find(&w, p);
	}
	if (c->n > 1)
		t = textbook(&w);
	if (w.failed)
		return -1;
	*seconds = t;
	return 0;
}

int net_collective(struct net *n, const struct net_collective *c, double *seconds, struct err *err)
{
	if (n->model->collective)
		return n->model->collective(n, n->state, c, seconds, err);
	return textbook_collective(n, c, seconds, err);
}
