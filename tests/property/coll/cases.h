/* cases.h: calls of collectives to prove algorithms on: the arguments of all ranks of one
 * call, with regular and irregular counts. */
#ifndef ORRERY_TESTS_COLL_CASES_H
#define ORRERY_TESTS_COLL_CASES_H

#include "coll/coll.h"

#include <stdio.h>
#include <stdlib.h>

enum counts_shape { COUNTS_EQUAL, COUNTS_ZEROS, COUNTS_RAMP, COUNTS_ONE, COUNTS_SHAPES };

/* Where ranks run: each alone; c consecutive ranks on each host; round robin over hosts of c; hosts
 * of 1, 2, 3, … ranks; anywhere (c: the seed). */
enum placement { ALONE, IN_BLOCKS, CYCLIC, UNEVEN, ANYWHERE, PLACEMENTS };

struct coll_case {
	enum coll_kind kind;
	uint32_t p, root;
	int64_t count, type_size;
	enum counts_shape shape; /* of vector forms */
	uint8_t in_place, commutative;
	enum placement placement;
	uint32_t per_host; /* c */
	uint32_t fanout;   /* parameters of the algorithm, 0: its own */
	int64_t segment;
	const struct coll_policy *policy;
};

static inline int case_is_vector(enum coll_kind k)
{
	return k == COLL_GATHERV || k == COLL_SCATTERV || k == COLL_ALLGATHERV ||
	       k == COLL_ALLTOALLV || k == COLL_ALLTOALLW || k == COLL_REDUCE_SCATTER;
}

static inline int case_is_rooted(enum coll_kind k)
{
	return k == COLL_BCAST || k == COLL_REDUCE || k == COLL_GATHER || k == COLL_GATHERV ||
	       k == COLL_SCATTER || k == COLL_SCATTERV;
}

static inline int case_is_reduction(enum coll_kind k)
{
	return k == COLL_REDUCE || k == COLL_ALLREDUCE || k == COLL_REDUCE_SCATTER ||
	       k == COLL_REDUCE_SCATTER_BLOCK || k == COLL_SCAN || k == COLL_EXSCAN;
}

/* Elements of block i (of pair i, symmetric, in alltoall's forms). */
static inline int64_t case_count(const struct coll_case *c, uint32_t i)
{
	switch (c->shape) {
	case COUNTS_ZEROS:
		return i % 3 == 1 ? 0 : c->count + i % 5;
	case COUNTS_RAMP:
		return c->count + i;
	case COUNTS_ONE:
		return i == c->p / 2 ? c->count + 3 : 0;
	default:
		return c->count;
	}
}

/* args[p]; counts has room for p * (p + 1) numbers. */
static inline void case_args(const struct coll_case *c, struct coll_args *args, int64_t *counts)
{
	int pairs = c->kind == COLL_ALLTOALLV || c->kind == COLL_ALLTOALLW;
	for (uint32_t r = 0; r < c->p; r++) {
		int64_t ts = c->kind == COLL_ALLTOALLW ? 1 : c->type_size;
		args[r] = (struct coll_args){.kind = c->kind,
		                             .size = c->p,
		                             .root = c->root,
		                             .count = c->count,
		                             .count2 = c->count,
		                             .type_size = ts,
		                             .type_size2 = ts,
		                             .commutative = c->commutative,
		                             .in_place = c->in_place,
		                             .basic_type = 1};
		int64_t *own = pairs ? counts + (size_t)r * c->p : counts;
		for (uint32_t i = 0; i < c->p && case_is_vector(c->kind); i++)
			own[i] = case_count(c, pairs ? (r < i ? r : i) * 7 + (r < i ? i : r) : i);
		if (pairs || c->kind == COLL_SCATTERV)
			args[r].counts = own;
		if (case_is_vector(c->kind) && c->kind != COLL_SCATTERV)
			args[r].counts2 = own;
		if (case_is_vector(c->kind) && !pairs)
			args[r].count = args[r].count2 = own[r];
		if (c->kind == COLL_REDUCE_SCATTER)
			args[r].count = 0;
		/* What only the root knows. */
		if (c->kind == COLL_GATHERV && r != c->root)
			args[r].counts2 = NULL;
		if (c->kind == COLL_SCATTERV && r != c->root)
			args[r].counts = NULL;
	}
}

/* 1 if s was made, to be released; 0 if there is no shape. */
static inline int case_shape(const struct coll_case *c, struct coll_shape *s)
{
	uint32_t host[1024], hosts = c->per_host ? c->p / c->per_host : c->p, rank = 0;
	struct err err;
	struct rng rng;
	if (c->placement == ALONE)
		return 0;
	for (uint32_t n = 0; c->placement != ANYWHERE && rank < c->p; n++)
		for (uint32_t k = 0; k <= n && rank < c->p; k++, rank++)
			host[rank] = c->placement == UNEVEN   ? n
			             : c->placement == CYCLIC ? rank % hosts
			                                      : rank / c->per_host;
	rng_init(&rng, c->per_host, "placement", c->p);
	uint32_t some = 1 + (uint32_t)(rng_u64(&rng) % c->p);
	for (rank = 0; c->placement == ANYWHERE && rank < c->p; rank++)
		host[rank] = (uint32_t)(rng_u64(&rng) % some);
	if (coll_shape_init(s, host, c->p, &err) < 0)
		abort();
	return 1;
}

static inline int case_verify(const struct coll_alg *alg, const struct coll_case *c,
                              struct err *err)
{
	struct coll_args *args = calloc(c->p, sizeof *args);
	int64_t *counts = calloc((size_t)c->p * (c->p + 1), sizeof *counts);
	if (!args || !counts)
		abort();
	case_args(c, args, counts);
	struct coll_shape shape;
	int shaped = case_shape(c, &shape);
	for (uint32_t i = 0; i < c->p; i++) {
		args[i].shape = shaped ? &shape : NULL;
		args[i].policy = c->policy;
		args[i].fanout = c->fanout;
		args[i].segment = c->segment;
	}
	int r = coll_alg_refuses(alg, &args[0]) ? 1 : coll_verify(alg, args, err);
	if (shaped)
		coll_shape_release(&shape);
	free(args);
	free(counts);
	return r;
}

/* Calls visit for every case of p ranks of alg's kind: roots all up to all_roots ranks, some
 * beyond; counts 0, 1, p-1, p, p+1, primes; in place or not; commutative or not. */
typedef void case_visit(const struct coll_alg *alg, const struct coll_case *c, void *arg);

/* In place is the caller's affair (coll.h): algorithms do not see it, and so a few ranks are
 * enough. */
static inline void case_each_flag(const struct coll_alg *alg, struct coll_case *c,
                                  case_visit *visit, void *arg)
{
	int can_be_in_place = c->kind != COLL_BARRIER && c->kind != COLL_BCAST && c->p <= 12;
	for (int in_place = 0; in_place <= can_be_in_place; in_place++)
		for (int commutes = !case_is_reduction(c->kind); commutes <= 1; commutes++) {
			c->in_place = (uint8_t)in_place;
			c->commutative = (uint8_t)commutes;
			visit(alg, c, arg);
		}
}

static inline void case_each_count(const struct coll_alg *alg, struct coll_case *c,
                                   case_visit *visit, void *arg)
{
	const int64_t counts[] = {0, 1, c->p - 1, c->p, c->p + 1, 61, 30011};
	size_t n = c->kind == COLL_BARRIER ? 1 : sizeof counts / sizeof *counts;
	for (size_t i = 0; i < n; i++) {
		c->count = counts[i];
		c->type_size = i % 3 == 0 ? 1 : i % 3 == 1 ? 8 : 3;
		c->shape = case_is_vector(c->kind) ? (enum counts_shape)(i % COUNTS_SHAPES)
		                                   : COUNTS_EQUAL;
		case_each_flag(alg, c, visit, arg);
		if (c->shape != COUNTS_EQUAL) {
			c->shape = COUNTS_EQUAL;
			case_each_flag(alg, c, visit, arg);
		}
	}
}

static inline void case_each(const struct coll_alg *alg, uint32_t p, uint32_t all_roots,
                             case_visit *visit, void *arg)
{
	struct coll_case c = {.kind = alg->kind, .p = p};
	uint32_t step = !case_is_rooted(alg->kind) ? p : p <= all_roots ? 1 : p / 3;
	for (c.root = 0; c.root < p; c.root += step)
		case_each_count(alg, &c, visit, arg);
	if (step > 1 && step < p) {
		c.root = p - 1;
		case_each_count(alg, &c, visit, arg);
	}
	if (alg->kind == COLL_REDUCE_SCATTER) {
		c = (struct coll_case){.kind = COLL_REDUCE_SCATTER_BLOCK, .p = p};
		case_each_count(alg, &c, visit, arg);
	}
}

#endif
