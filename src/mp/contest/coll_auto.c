/* coll_auto.c: the selector "automatic": the algorithm that is the fastest for such a call in a
 * simulation of its own, which costs the program that is simulated nothing. (SMPI's selector of
 * that name runs all of them one after the other in simulated time.)
 *
 * All ranks of a call must come to the same algorithm. What they all know (communicator, operation,
 * root, bytes, operator) is one key; alltoallv and the other operations whose counts only some
 * ranks know go by the mean block of the first rank that calls, rounded down to a power of two, and
 * by the number of the call. Inside an algorithm made of others, these are chosen by the selector
 * ompi. */
#include "automatic.h"
#include "coll/write.h"
#include "coll_measure.h"
#include "mp/comm/comm.h"

#include <stdlib.h>

void automatic_release(struct automatic *m)
{
	hash64_release(&m->known);
	free(m->choices);
	*m = (struct automatic){0};
}

static int counts_are_private(enum coll_kind k)
{
	return k == COLL_ALLTOALLV || k == COLL_ALLTOALLW || k == COLL_GATHERV ||
	       k == COLL_SCATTERV;
}

/* What the call is measured with: a call of equal blocks. */
static int64_t bytes_of(const struct coll_args *a)
{
	int64_t sum = 0;
	uint32_t i;

	BUG_ON(a->size == 0);
	switch (a->kind) {
	case COLL_REDUCE_SCATTER:
	case COLL_REDUCE_SCATTER_BLOCK:
		return coll_block_elements(a, 0, a->size) * a->type_size;
	case COLL_ALLGATHERV:
		return coll_block_elements(a, 0, a->size) * a->type_size2 / a->size;
	case COLL_ALLGATHER:
		return a->count2 * a->type_size2;
	case COLL_SCATTER:
		return a->count ? a->count * a->type_size : a->count2 * a->type_size2;
	default:
		break;
	}
	if (!counts_are_private(a->kind))
		return a->count * a->type_size;
	for (i = 0; a->counts && i < a->size; i++)
		sum += a->counts[i] * a->type_size;
	if (!a->counts)
		sum = a->count * a->type_size * a->size;
	sum /= a->size;
	return sum > 0 ? (int64_t)1 << (63 - __builtin_clzll((unsigned long long)sum)) : 0;
}

static uint64_t key_of(const struct op *t, int64_t bytes)
{
	uint64_t h = hash_mix((uint64_t)t->ctx << 32 | (uint64_t)t->args->kind << 1 |
	                      t->args->commutative);

	h = hash_mix(h ^ (uint64_t)bytes);
	return hash_mix(h ^ t->args->root);
}

static int known_put(struct automatic *m, uint64_t key, const struct coll_choice *c,
                     struct err *err)
{
	struct coll_choice *all = vec_grow(m->choices, &m->cap, sizeof *all, (size_t)m->n + 1,
	                                   "choices of algorithms", err);

	if (!all)
		return -1;
	m->choices = all;
	all[m->n] = *c;
	return hash64_put(&m->known, key, m->n++, err);
}

/* Simulates the call on the communicator's hosts. */
static int measure(struct mp *mp, const struct op *t, const struct comm *c, int64_t bytes,
                   struct coll_choice *out, struct err *err)
{
	struct coll_bench b = {net_platform(mp->net), mp->cfg, NULL, c->n, c->shape, NULL, NULL};
	struct host_id *host = malloc(c->n * sizeof *host);
	int64_t *counts = malloc(c->n * sizeof *counts);
	struct coll_args a;
	double seconds;
	uint32_t i;
	int r = -1;

	if (!host || !counts) {
		err_nomem(err, "a measured collective", c->n * (sizeof *host + sizeof *counts));
	} else {
		for (i = 0; i < c->n; i++)
			host[i] = mp->ranks[comm_member(c, i)].host;
		b.host = host;
		coll_measure_args(t->args->kind, &b, bytes, counts, &a);
		a.root = t->args->root;
		a.commutative = t->args->commutative;
		r = coll_fastest(&b, &a, out, &seconds, err);
	}
	free(host);
	free(counts);
	return r;
}

int automatic_choose(struct mp *mp, const struct op *t, const struct comm *c,
                     struct coll_choice *out, struct err *err)
{
	struct automatic *m = &mp->automatic;
	int by_call = counts_are_private(t->args->kind);
	uint64_t call = by_call ? hash_mix(key_of(t, -1) ^ t->number) : 0, key;
	uint32_t i = by_call ? hash64_find(&m->known, call) : HASH_NONE;
	int64_t bytes;

	if (i == HASH_NONE) {
		bytes = bytes_of(t->args);
		key = key_of(t, bytes);
		i = hash64_find(&m->known, key);
		if (i == HASH_NONE) {
			if (measure(mp, t, c, bytes, out, err) < 0)
				return -1;
			i = m->n;
			if (known_put(m, key, out, err) < 0)
				return -1;
		}
		if (by_call && hash64_put(&m->known, call, i, err) < 0)
			return -1;
	}
	*out = m->choices[i];
	/* The measured call had equal blocks; this one may be refused. */
	if (!out->alg || coll_alg_refuses(out->alg, t->args))
		*out = coll_decide(t->args);
	return 0;
}
