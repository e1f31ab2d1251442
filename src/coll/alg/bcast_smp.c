/* bcast_smp.c: STAR-MPI's broadcasts for hosts of several ranks: a structure among the first
 * ranks of all hosts, another inside each. Ranks are taken to be placed in blocks: the host of a
 * rank is rank / c, c ranks per host, as SMPI does whatever the placement. Where hosts have
 * different numbers of ranks MPICH's choice is used instead. */
#include "bcast.h"

static const struct coll_alg *when_uniform(const struct coll_args *a, const struct coll_alg *alg)
{
	return coll_per_node(a) ? alg : coll_bcast_mpich(a);
}

/* A line of leaders, and from each a line of its host's ranks. */
static int linear_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                        struct coll_steps *out)
{
	uint32_t c = coll_per_node(a), core = rank % c;
	struct tree t = {.parent = core ? rank - 1 : rank - (rank ? c : 0)};
	if (core == 0 && rank + c < a->size)
		t.child[t.n++] = rank + c;
	if (core + 1 < c && rank + 1 < a->size)
		t.child[t.n++] = rank + 1;
	return bcast_star_round(a, rank, round, &t, STAR_BLOCKS, out);
}
static const struct coll_alg linear_segments = {
    .kind = COLL_BCAST, .name = "linear_segments", .round = linear_round};

static const struct coll_alg *linear_choose(const struct coll_args *a)
{
	return when_uniform(a, a->size <= coll_per_node(a) ? &coll_bcast_binomial_tree
	                                                   : &linear_segments);
}

/* The remainder of segments; none if a whole algorithm has been chosen instead. */
static int linear_rest(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                       struct coll_view *view)
{
	return linear_choose(whole) == &linear_segments &&
	       bcast_star_rest(whole, rank, phase, view);
}

const struct coll_alg coll_bcast_SMP_linear = {
    .kind = COLL_BCAST,
    .name = "SMP_linear",
    .source = "STAR-MPI",
    .one_way = 1,
    .cost = "(p/c + c + n/s) (L + 2 s/B), s = 8 KiB",
    .phase = {{.choose = linear_choose}, {.selected = 1, .args = linear_rest}}};

/* A heap of hosts, and in each a heap of its ranks. Children of other hosts come first. */
static int binary_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                        struct coll_steps *out)
{
	uint32_t c = coll_per_node(a), core = rank % c, node = rank / c, base = rank - core;
	struct tree t = {.parent = core ? base + (core - 1) / 2 : node ? (node - 1) / 2 * c : 0};
	for (uint64_t i = 2ull * node + 1; core == 0 && i <= 2ull * node + 2; i++)
		if (i * c < a->size)
			t.child[t.n++] = (uint32_t)(i * c);
	for (uint64_t i = 2ull * core + 1; i <= 2ull * core + 2; i++)
		if (i < c && base + i < a->size)
			t.child[t.n++] = base + (uint32_t)i;
	return bcast_star_round(a, rank, round, &t, STAR_BLOCKS, out);
}
static const struct coll_alg binary_segments = {
    .kind = COLL_BCAST, .name = "binary_segments", .round = binary_round};

static const struct coll_alg *binary_choose(const struct coll_args *a)
{
	return when_uniform(a, &binary_segments);
}

static int binary_rest(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                       struct coll_view *view)
{
	return binary_choose(whole) == &binary_segments &&
	       bcast_star_rest(whole, rank, phase, view);
}

const struct coll_alg coll_bcast_SMP_binary = {
    .kind = COLL_BCAST,
    .name = "SMP_binary",
    .source = "STAR-MPI",
    .one_way = 1,
    .cost = "(log2 p + n/s) (L + 4 s/B), s = 8 KiB",
    .phase = {{.choose = binary_choose}, {.selected = 1, .args = binary_rest}}};

/* Whole messages, binomial among the leaders and then inside each host. */
static int among_leaders(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                         struct coll_view *view)
{
	uint32_t c = coll_per_node(whole);
	phase->root = 0;
	phase->size = whole->size / c;
	phase->shape = NULL;
	view->rank = rank / c;
	view->peer_stride = c;
	return rank % c == 0;
}

static int inside_host(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                       struct coll_view *view)
{
	uint32_t c = coll_per_node(whole);
	phase->root = 0;
	phase->size = c;
	phase->shape = NULL;
	view->rank = rank % c;
	view->peer0 = rank - rank % c;
	return 1;
}

static const struct coll_alg binomial_levels = {
    .kind = COLL_BCAST,
    .name = "binomial_levels",
    .phase = {{.alg = &bcast_give_to_zero},
              {.alg = &coll_bcast_binomial_tree, .args = among_leaders},
              {.alg = &coll_bcast_binomial_tree, .args = inside_host}}};

static const struct coll_alg *binomial_choose(const struct coll_args *a)
{
	return when_uniform(a, &binomial_levels);
}

const struct coll_alg coll_bcast_SMP_binomial = {.kind = COLL_BCAST,
                                                 .name = "SMP_binomial",
                                                 .source = "STAR-MPI; MPICH 3",
                                                 .cost = "(log2 p/c + log2 c) (L + n/B)",
                                                 .phase = {{.choose = binomial_choose}}};
