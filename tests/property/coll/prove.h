/* prove.h: proving registered algorithms of some kinds. The tests that include it split the
 * kinds, so that each is over in seconds. */
#ifndef ORRERY_TESTS_COLL_PROVE_H
#define ORRERY_TESTS_COLL_PROVE_H

#include "cases.h"
#include "test.h"

/* Which operations each of the tests proves. */
#define PROVEN_WITH_BCAST COLL_BARRIER, COLL_BCAST
#define PROVEN_WITH_REDUCE COLL_REDUCE
#define PROVEN_WITH_ALLTOALL COLL_ALLTOALL, COLL_ALLTOALLV, COLL_ALLTOALLW
#define PROVEN_WITH_GATHER COLL_GATHER, COLL_GATHERV, COLL_SCATTER, COLL_SCATTERV
#define PROVEN_WITH_ALLGATHER COLL_ALLGATHER
#define PROVEN_WITH_ALLGATHERV COLL_ALLGATHERV
#define PROVEN_WITH_ALLREDUCE COLL_ALLREDUCE
#define PROVEN_WITH_SCAN COLL_REDUCE_SCATTER, COLL_SCAN, COLL_EXSCAN

enum { P_MAX = 64, ALL_ROOTS = 16 };

struct tally {
	unsigned long proven, refused, wrong;
	struct err first;
};

static void prove(const struct coll_alg *alg, const struct coll_case *c, void *arg)
{
	struct tally *t = arg;
	struct err err = {0};
	int r = case_verify(alg, c, &err);
	if (r > 0)
		t->refused++;
	else if (r == 0)
		t->proven++;
	else if (t->wrong++ == 0)
		t->first = err;
}

/* The environment variable ORRERY_COLL holds the names of the algorithms to prove; all if it is not
 * set. */
static int is_wanted(const struct coll_alg *alg, const enum coll_kind *kinds, size_t n)
{
	const char *only = getenv("ORRERY_COLL");
	int listed = 0;
	for (size_t i = 0; i < n; i++)
		listed |= alg->kind == kinds[i];
	return listed && (!only || strstr(only, alg->name));
}

/* A registered algorithm must be right wherever it does not refuse, and must not refuse always; a
 * defective one must be caught. */
static int conclude(const struct coll_alg *alg, const struct tally *t)
{
	if (alg->defect && t->wrong)
		return 0;
	if (!alg->defect && !t->wrong && t->proven)
		return 0;
	print_error("%s %s: %s\n", coll_kind_name(alg->kind), alg->name,
	            alg->defect ? "has lost its defect"
	            : t->wrong  ? t->first.text
	                        : "always refuses");
	return 1;
}

/* ORRERY_PROVE=all (make prove): every size up to 64 and some up to 1,024; else all up to 13 and
 * those around powers of two and three. */
static int is_complete(void)
{
	const char *wanted = getenv("ORRERY_PROVE");
	return wanted && strcmp(wanted, "all") == 0;
}
static int size_is_proven(uint32_t p)
{
	return is_complete() || p <= 13 || p == 16 || p == 17 || p == 27 || p == 31 || p == 32 ||
	       p == 33 || p == 63 || p == 64;
}

static void prove_some(const struct coll_alg *alg, struct coll_case *c, struct tally *t);

static void prove_large(const struct coll_alg *alg, struct tally *t)
{
	static const uint32_t sizes[] = {100, 128, 257, 1000, 1024};
	int is_small = alg->kind == COLL_BARRIER || alg->kind == COLL_BCAST ||
	               alg->kind == COLL_REDUCE; /* the others hold p blocks a rank */
	for (size_t i = 0; i < (is_small ? 5 : 2) && !t->wrong; i++) {
		struct coll_case c = {.kind = alg->kind, .p = sizes[i]};
		prove_some(alg, &c, t);
	}
}

/* One to 64 ranks, each alone on its host. */
static int prove_sizes(const enum coll_kind *kinds, size_t n)
{
	int failed = 0;
	for (const struct coll_alg *const *alg = coll_algs; *alg; alg++) {
		struct tally t = {0};
		if (!is_wanted(*alg, kinds, n))
			continue;
		for (uint32_t p = 1; p <= P_MAX && !t.wrong; p++)
			if (size_is_proven(p))
				case_each(*alg, p, ALL_ROOTS, prove, &t);
		if (is_complete())
			prove_large(*alg, &t);
		failed += conclude(*alg, &t);
	}
	return failed;
}

static void prove_some(const struct coll_alg *alg, struct coll_case *c, struct tally *t)
{
	static const int64_t counts[] = {0, 1, 13, 61, 300007};
	/* The longest on few ranks, unless all is to be proven: it takes most of the time. */
	size_t n = sizeof counts / sizeof *counts - (!is_complete() && c->p > 8);
	for (size_t i = 0; i < n; i++) {
		c->count = counts[i];
		c->type_size = i % 2 ? 8 : 3;
		c->shape = case_is_vector(c->kind) ? (enum counts_shape)(i % COUNTS_SHAPES)
		                                   : COUNTS_EQUAL;
		c->commutative = i % 3 != 1 || !case_is_reduction(c->kind);
		for (c->root = 0; c->root < c->p;
		     c->root += case_is_rooted(c->kind) ? (c->p + 2) / 3 : c->p)
			prove(alg, c, t);
	}
}

/* With the parameters that a tuning file may give, whether an algorithm has them or not. */
static int prove_parameters(const enum coll_kind *kinds, size_t n)
{
	static const uint32_t fanouts[] = {1, 2, 3, 5, 200};
	static const int64_t segments[] = {1, 40, COLL_WHOLE};
	int failed = 0;
	for (const struct coll_alg *const *alg = coll_algs; *alg; alg++) {
		struct tally t = {0};
		if (!is_wanted(*alg, kinds, n))
			continue;
		for (uint32_t p = 1; p <= 28 && !t.wrong; p += is_complete() || p < 9 ? 1 : 4)
			for (uint32_t i = 0; i < sizeof fanouts / sizeof *fanouts; i++) {
				struct coll_case c = {.kind = (*alg)->kind,
				                      .p = p,
				                      .fanout = fanouts[i],
				                      .segment = segments[i % 3]};
				static const int64_t counts[] = {0, 1, 13, 307};
				for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
					c.count = counts[k];
					c.type_size = k % 2 ? 8 : 3;
					c.shape = case_is_vector(c.kind)
					              ? (enum counts_shape)((i + k) % COUNTS_SHAPES)
					              : COUNTS_EQUAL;
					c.commutative = (i + k) % 3 != 1 ||
					                !case_is_reduction(c.kind);
					c.root = case_is_rooted(c.kind) ? (uint32_t)(k * 5) % p : 0;
					prove(*alg, &c, &t);
				}
			}
		failed += conclude(*alg, &t);
	}
	return failed;
}

/* On every placement of p ranks. */
static void prove_placed(const struct coll_alg *alg, struct coll_case c, struct tally *t)
{
	c.placement = ALONE;
	prove_some(alg, &c, t);
	for (c.per_host = 2; c.per_host <= c.p && (is_complete() || c.per_host <= 4); c.per_host++)
		for (int placement = IN_BLOCKS; placement <= CYCLIC && c.p % c.per_host == 0;
		     placement++) {
			c.placement = (enum placement)placement;
			prove_some(alg, &c, t);
		}
	c.placement = UNEVEN;
	prove_some(alg, &c, t);
	c.placement = ANYWHERE;
	for (c.per_host = 0; c.per_host < (is_complete() ? 8 : 2); c.per_host++) /* seeds */
		prove_some(alg, &c, t);
}

/* Several ranks on a host, in blocks, cyclic, in different numbers, anywhere; under every selector,
 * for algorithms made of selected ones. Of all algorithms the part-th of `parts` (from 0): each
 * parts-th. */
static int prove_placements(const enum coll_kind *kinds, size_t n, unsigned part, unsigned parts)
{
	unsigned seen = 0;
	int failed = 0;
	for (const struct coll_alg *const *alg = coll_algs; *alg; alg++) {
		struct tally t = {0};
		if (!is_wanted(*alg, kinds, n) || seen++ % parts != part)
			continue;
		for (const struct coll_selector *const *s = coll_selectors; *s; s++) {
			struct coll_policy policy = {.selector = *s};
			for (uint32_t p = 1; p <= 20 && !t.wrong; p++)
				if (is_complete() || p <= 9 || p == 12 || p == 16)
					prove_placed(*alg,
					             (struct coll_case){.kind = (*alg)->kind,
					                                .p = p,
					                                .policy = &policy},
					             &t);
			if ((*alg)->round)
				break; /* nobody is asked */
		}
		failed += conclude(*alg, &t);
	}
	return failed;
}

#endif
