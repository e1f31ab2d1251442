/* test_hockney.c: how long algorithms take from their first step to their last, in the model of
 * the textbooks (property/coll/hockney.h), beside the formulas of the literature, exactly:
 *   TRG   Thakur, Rabenseifner, Gropp, Optimization of Collective Communication Operations in
 *         MPICH, IJHPCA 19(1), 2005
 *   C     Chan, Heimlich, Purkayastha, van de Geijn, Collective communication: theory, practice,
 *         and experience, CCPE 19, 2007
 *   PY    Patarasuk, Yuan, Bandwidth optimal all-reduce algorithms, JPDC 69, 2009
 *   B     Bruck et al., IEEE TPDS 8(11), 1997;   HFM  Hensgen, Finkel, Manber 1988
 *   CJ    Chen et al., Performance evaluation of allgather algorithms, 2005 (neighbour exchange)
 *   R     Rabenseifner, Optimization of collective reduction operations, ICCS 2004
 *   T     Träff 2024 (circulant graphs);   SW  De Sensi et al., Swing, NSDI 2024
 *   SP    Loch, Slowinski, Sparbit, 2021 */
#include "property/coll/hockney.h"

#include "coll/write.h"

/* Powers of two, so that sums are exact, and so far apart that none stands in for another. gamma
 * is 0 where combining overlaps with messages, which the formula does not say. */
static struct hockney_cost cost;

/* What a formula may ask: p, floor and ceiling of its logarithm, q = 2^floor; n bytes of a whole
 * buffer, m = n / p of a block. */
struct terms {
	double p, down, up, q, n, m, segments;
};
static double alpha(double times)
{
	return times * cost.alpha;
}
static double beta(double bytes)
{
	return bytes * cost.beta;
}
static double gamma_(double bytes)
{
	return bytes * cost.gamma;
}

typedef double formula(struct terms t);

/* TRG 4.2: a binomial tree. */
static double tree(struct terms t)
{
	return t.up * (cost.alpha + beta(t.n));
}
static double tree_reduce(struct terms t)
{
	return tree(t) + t.up * gamma_(t.n);
}
static double tree_both_ways(struct terms t)
{
	return tree(t) + tree_reduce(t);
}
/* A tree of radix 4: three messages a level. */
static double tree_of_4(struct terms t)
{
	return 3 * t.up / 2 * (cost.alpha + beta(t.n));
}
/* Everything through one port, one after the other. */
static double one_by_one(struct terms t)
{
	return alpha(t.p - 1) + beta((t.p - 1) * t.n);
}
static double one_by_one_reduced(struct terms t)
{
	return one_by_one(t) + gamma_((t.p - 1) * t.n);
}
static double one_by_one_then_tree(struct terms t)
{
	return one_by_one(t) + tree(t);
}
/* C 5: scatter, then allgather: around the ring, or by doubling (TRG 4.2). */
static double scatter_ring(struct terms t)
{
	return alpha(t.up + t.p - 1) + beta(2 * (t.p - 1) * t.m);
}
static double scatter_doubling(struct terms t)
{
	return alpha(2 * t.up) + beta(2 * (t.p - 1) * t.m);
}
/* A chain of p ranks, in segments: the last segment leaves after the others, and passes p - 1
 * links. */
static double pipeline(struct terms t)
{
	return (t.p - 2 + t.segments) * (cost.alpha + beta(t.n / t.segments));
}
static double pipeline_8_kib(struct terms t)
{
	return (t.p - 2 + t.n / 8192) * (cost.alpha + beta(8192));
}
/* TRG 4.1. */
static double blocks_one_by_one(struct terms t)
{
	return alpha(t.p - 1) + beta((t.p - 1) * t.m);
}
static double blocks_by_doubling(struct terms t)
{
	return alpha(t.up) + beta((t.p - 1) * t.m);
}
/* Doubling, and one exchange to bring blocks to their places: of two ranks they are there. */
static double doubling_and_one(struct terms t)
{
	return t.p == 2 ? blocks_by_doubling(t) : alpha(t.up + 1) + beta(t.p * t.m);
}
/* Scatter whose nodes serve the nearest child first: with k = log p left, k sends of 1, 2, …,
 * 2^(k-1) blocks before the last child, of half of the ranks, does the same with k - 1. */
static double nearest_first(struct terms t)
{
	return alpha(t.up * (t.up + 1) / 2) + beta((2 * t.p - 2 - t.up) * t.m);
}
static double gather_and_tree(struct terms t)
{
	return blocks_one_by_one(t) + tree(t);
}
/* CJ: two blocks a step after the first. */
static double neighbours(struct terms t)
{
	return alpha(t.p / 2) + beta((t.p - 1) * t.m);
}
/* B; TRG 4.3: half of the blocks in each of log p steps. */
static double bruck_all(struct terms t)
{
	return alpha(t.up) + beta(t.up * t.p / 2 * t.m);
}
/* All that all have so far, in each step: p m, 2 p m, … */
static double doubling_all(struct terms t)
{
	return alpha(t.up) + beta(t.p * (t.p - 1) * t.m);
}
/* TRG 4.4. */
static double halving(struct terms t)
{
	return blocks_by_doubling(t) + gamma_((t.p - 1) * t.m);
}
static double pairwise(struct terms t)
{
	return blocks_one_by_one(t) + gamma_((t.p - 1) * t.m);
}
/* TRG 4.4, recursive doubling: n - n/p, n - 2 n/p, n - 4 n/p, …. */
static double doubling_scatter(struct terms t)
{
	return alpha(t.up) + beta(t.up * t.n - (t.p - 1) * t.m);
}
/* TRG 4.5: halving and doubling; PY: rings. */
static double rabenseifner(struct terms t)
{
	return alpha(2 * t.up) + beta(2 * (t.p - 1) * t.m) + gamma_((t.p - 1) * t.m);
}
static double two_rings(struct terms t)
{
	return alpha(2 * (t.p - 1)) + beta(2 * (t.p - 1) * t.m) + gamma_((t.p - 1) * t.m);
}
/* TRG 4.5, for any p: those beyond a power of two give theirs before, and get the result after. */
static double doubling(struct terms t)
{
	double steps = t.q == t.p ? t.down : t.down + 2,
	       combined = t.q == t.p ? t.down : t.down + 1;

	return steps * (cost.alpha + beta(t.n)) + combined * gamma_(t.n);
}
static double halving_doubling_of_q(struct terms t)
{
	return alpha(2 * t.down) + beta(2 * (t.q - 1) / t.q * t.n) + gamma_((t.q - 1) / t.q * t.n);
}
static double rabenseifner_any(struct terms t)
{
	double outside = t.q == t.p ? 0 : 2 * (cost.alpha + beta(t.n)) + gamma_(t.n);

	return outside + halving_doubling_of_q(t);
}
/* R: the pairs beyond share the work: halves are exchanged, combined, and one goes back. */
static double rabenseifner_shared(struct terms t)
{
	double outside = t.q == t.p ? 0 : alpha(3) + beta(2 * t.n) + gamma_(t.n / 2);

	return outside + halving_doubling_of_q(t);
}
/* HFM. */
static double dissemination(struct terms t)
{
	return alpha(t.up);
}
static double there_and_back(struct terms t)
{
	return alpha(2 * t.up);
}
static double all_to_one_and_back(struct terms t)
{
	return alpha(2 * (t.p - 1));
}
static double twice_around(struct terms t)
{
	return alpha(2 * t.p);
}
static double doubling_barrier(struct terms t)
{
	return alpha(t.q == t.p ? t.down : t.down + 2);
}
static double chain_reduced(struct terms t)
{
	return (t.p - 1) * (cost.alpha + beta(t.n) + gamma_(t.n));
}
/* The first has nothing to combine, and what the last would nobody asks for. */
static double chain_before(struct terms t)
{
	return chain_reduced(t) - gamma_(t.n);
}

/* Sizes: any number of ranks; powers of two, of four; even ones; two. */
enum { ANY, POWER, POWER_4, EVEN, TWO };
enum { NO_GAMMA = 1, CHAIN = 2 }; /* CHAIN: fanout 1 */
static const struct row {
	enum coll_kind kind;
	const char *name;
	formula *time;
	int sizes, segments; /* segments 0: the algorithm's own */
	int how;
} rows[] = {
    {COLL_BARRIER, "ompi_basic_linear", all_to_one_and_back, ANY, 0, 0},
    {COLL_BARRIER, "ompi_bruck", dissemination, ANY, 0, 0},
    {COLL_BARRIER, "mpich_k_dissemination", dissemination, ANY, 0, 0},
    {COLL_BARRIER, "ompi_recursivedoubling", doubling_barrier, ANY, 0, 0},
    {COLL_BARRIER, "mpich_recexch", doubling_barrier, ANY, 0, 0},
    {COLL_BARRIER, "mvapich2_pair", doubling_barrier, ANY, 0, 0},
    {COLL_BARRIER, "ompi_tree", there_and_back, ANY, 0, 0},
    {COLL_BARRIER, "ompi_doublering", twice_around, ANY, 0, 0},
    {COLL_BARRIER, "ompi_two_procs", dissemination, TWO, 0, 0},
    {COLL_BCAST, "binomial_tree", tree, ANY, 0, 0},
    {COLL_BCAST, "flattree", one_by_one, ANY, 0, 0},
    {COLL_BCAST, "linear_nb", one_by_one, ANY, 0, 0},
    {COLL_BCAST, "scatter_LR_allgather", scatter_ring, POWER, 0, 0},
    {COLL_BCAST, "scatter_rdb_allgather", scatter_doubling, POWER, 0, 0},
    {COLL_BCAST, "ompi_scatter_allgather", scatter_doubling, POWER, 0, 0},
    {COLL_BCAST, "ompi_scatter_allgather_ring", scatter_ring, POWER, 0, 0},
    {COLL_BCAST, "mpich_scatterv_recexch_allgatherv", scatter_doubling, POWER, 0, 0},
    {COLL_BCAST, "mpich_scatterv_ring_allgatherv", scatter_ring, POWER, 0, 0},
    {COLL_BCAST, "ompi_pipeline", pipeline, ANY, 1, 0},
    {COLL_BCAST, "ompi_pipeline", pipeline, ANY, 8, 0},
    {COLL_BCAST, "ompi_pipeline", pipeline, ANY, 64, 0},
    {COLL_BCAST, "ompi_chain", pipeline, ANY, 8, CHAIN},
    {COLL_BCAST, "ompi_adapt_pipeline", pipeline, ANY, 8, 0},
    {COLL_BCAST, "nccl_ring", pipeline, ANY, 8, 0},
    {COLL_BCAST, "NTSL", pipeline_8_kib, EVEN, 0, 0},
    {COLL_BCAST, "NTSL_Isend", pipeline_8_kib, EVEN, 0, 0},
    {COLL_BCAST, "ompi_binomial", tree, POWER, 1, 0},
    {COLL_BCAST, "mvapich2_knomial_intra_node", tree_of_4, POWER_4, 0, 0},
    {COLL_BCAST, "ompi_knomial", tree_of_4, POWER_4, 1, 0},
    {COLL_BCAST, "mpich_knomial_1", tree, POWER, 1, 0},
    {COLL_BCAST, "mpich_knomial_2", tree, POWER, 1, 0},
    {COLL_BCAST, "SMP_binomial", tree, ANY, 0, 0},
    {COLL_REDUCE, "binomial", tree_reduce, ANY, 0, 0},
    {COLL_REDUCE, "flat_tree", one_by_one_reduced, ANY, 0, 0},
    {COLL_REDUCE, "ompi_basic_linear", one_by_one_reduced, ANY, 0, 0},
    {COLL_REDUCE, "scatter_gather", rabenseifner, POWER, 0, 0},
    {COLL_REDUCE, "mpich_reduce_scatter_gather", rabenseifner, POWER, 0, 0},
    {COLL_REDUCE, "ompi_redscat_gather", rabenseifner, POWER, 0, 0},
    {COLL_REDUCE, "rab", rabenseifner, POWER, 0, 0},
    {COLL_REDUCE, "ompi_pipeline", pipeline, ANY, 8, NO_GAMMA},
    {COLL_REDUCE, "ompi_adapt_pipeline", pipeline, ANY, 8, NO_GAMMA},
    {COLL_REDUCE, "nccl_ring", pipeline, ANY, 8, NO_GAMMA},
    {COLL_REDUCE, "NTSL", pipeline_8_kib, EVEN, 0, NO_GAMMA},
    {COLL_ALLREDUCE, "default", one_by_one_then_tree, ANY, 0, NO_GAMMA},
    {COLL_ALLREDUCE, "rdb", doubling, ANY, 0, 0},
    {COLL_ALLREDUCE, "mpich_recexch", doubling, ANY, 0, 0},
    {COLL_ALLREDUCE, "mpich_recursive_multiplying", doubling, ANY, 0, 0},
    {COLL_ALLREDUCE, "smp_rdb", doubling, POWER, 0, 0},
    {COLL_ALLREDUCE, "smp_binomial", tree_both_ways, ANY, 0, 0},
    {COLL_ALLREDUCE, "smp_rsag_lr", two_rings, ANY, 0, 0},
    {COLL_ALLREDUCE, "rab_rdb", rabenseifner_any, ANY, 0, 0},
    {COLL_ALLREDUCE, "mvapich2_rs", rabenseifner_any, ANY, 0, 0},
    {COLL_ALLREDUCE, "mpich_reduce_scatter_allgather", rabenseifner_any, ANY, 0, 0},
    {COLL_ALLREDUCE, "mpich_k_reduce_scatter_allgather", rabenseifner, POWER, 0, 0},
    {COLL_ALLREDUCE, "ompi_redscat_allgather", rabenseifner_shared, ANY, 0, 0},
    {COLL_ALLREDUCE, "rab", rabenseifner, POWER, 0, 0},
    {COLL_ALLREDUCE, "lr", two_rings, ANY, 0, 0},
    {COLL_ALLREDUCE, "ompi_ring", two_rings, ANY, 0, 0},
    {COLL_ALLREDUCE, "nccl_ring", two_rings, ANY, 1, 0},
    {COLL_ALLREDUCE, "circulant", rabenseifner, ANY, 0, 0},
    {COLL_ALLREDUCE, "swing", rabenseifner, POWER, 0, 0},
    {COLL_ALLREDUCE, "swing_latency", doubling, POWER, 0, 0},
    {COLL_GATHER, "ompi_basic_linear", blocks_one_by_one, ANY, 0, 0},
    {COLL_GATHER, "linear_nb", blocks_one_by_one, ANY, 0, 0},
    {COLL_GATHER, "ompi_binomial", blocks_by_doubling, ANY, 0, 0},
    {COLL_GATHER, "mpich_knomial", blocks_by_doubling, POWER, 0, 0},
    {COLL_GATHERV, "linear_nb", blocks_one_by_one, ANY, 0, 0},
    {COLL_SCATTER, "ompi_basic_linear", blocks_one_by_one, ANY, 0, 0},
    {COLL_SCATTER, "ompi_linear_nb", blocks_one_by_one, ANY, 0, 0},
    {COLL_SCATTER, "linear_nb", blocks_one_by_one, ANY, 0, 0},
    {COLL_SCATTER, "ompi_binomial", nearest_first, POWER, 0, 0},
    {COLL_SCATTER, "mpich_binomial", blocks_by_doubling, ANY, 0, 0},
    {COLL_SCATTER, "mpich_knomial", blocks_by_doubling, POWER, 0, 0},
    {COLL_SCATTERV, "linear_nb", blocks_one_by_one, ANY, 0, 0},
    {COLL_ALLGATHER, "ring", blocks_one_by_one, ANY, 0, 0},
    {COLL_ALLGATHER, "NTSLR", blocks_one_by_one, ANY, 0, 0},
    {COLL_ALLGATHER, "NTSLR_NB", blocks_one_by_one, ANY, 0, 0},
    {COLL_ALLGATHER, "nccl_ring", blocks_one_by_one, ANY, 0, 0},
    {COLL_ALLGATHER, "pair", blocks_one_by_one, POWER, 0, 0},
    {COLL_ALLGATHER, "bruck", blocks_by_doubling, ANY, 0, 0},
    {COLL_ALLGATHER, "k_bruck", blocks_by_doubling, ANY, 0, 0},
    {COLL_ALLGATHER, "rdb", blocks_by_doubling, POWER, 0, 0},
    {COLL_ALLGATHER, "rhv", doubling_and_one, POWER, 0, 0},
    {COLL_ALLGATHER, "GB", gather_and_tree, ANY, 0, 0},
    {COLL_ALLGATHER, "ompi_recursivedoubling", blocks_by_doubling, POWER, 0, 0},
    {COLL_ALLGATHER, "mpich_recexch", blocks_by_doubling, POWER, 0, 0},
    {COLL_ALLGATHER, "ompi_neighborexchange", neighbours, EVEN, 0, 0},
    {COLL_ALLGATHER, "ompi_sparbit", blocks_one_by_one, ANY, 0, 0}, /* a message a block */
    {COLL_ALLGATHER, "circulant", blocks_by_doubling, ANY, 0, 0},
    {COLL_ALLGATHER, "swing", blocks_by_doubling, POWER, 0, 0},
    {COLL_ALLGATHERV, "ring", blocks_one_by_one, ANY, 0, 0},
    {COLL_ALLGATHERV, "ompi_ring", blocks_one_by_one, ANY, 0, 0},
    {COLL_ALLGATHERV, "mpich_ring", blocks_one_by_one, ANY, 0, 0},
    {COLL_ALLGATHERV, "nccl_ring", blocks_one_by_one, ANY, 0, 0},
    {COLL_ALLGATHERV, "pair", blocks_one_by_one, POWER, 0, 0},
    {COLL_ALLGATHERV, "ompi_bruck", blocks_by_doubling, ANY, 0, 0},
    {COLL_ALLGATHERV, "k_bruck", blocks_by_doubling, ANY, 0, 0},
    {COLL_ALLGATHERV, "mpich_rdb", blocks_by_doubling, POWER, 0, 0},
    {COLL_ALLGATHERV, "mpich_recexch", blocks_by_doubling, POWER, 0, 0},
    {COLL_ALLGATHERV, "circulant", blocks_by_doubling, ANY, 0, 0},
    {COLL_ALLGATHERV, "ompi_neighborexchange", neighbours, EVEN, 0, 0},
    {COLL_ALLTOALL, "ring", blocks_one_by_one, ANY, 0, 0},
    {COLL_ALLTOALL, "pair", blocks_one_by_one, POWER, 0, 0},
    {COLL_ALLTOALL, "bruck", bruck_all, POWER, 0, 0},
    {COLL_ALLTOALL, "k_bruck", bruck_all, POWER, 0, 0},
    {COLL_ALLTOALL, "rdb", doubling_all, POWER, 0, 0},
    {COLL_ALLTOALLV, "ring", blocks_one_by_one, ANY, 0, 0},
    {COLL_ALLTOALLV, "pair", blocks_one_by_one, POWER, 0, 0},
    {COLL_ALLTOALLV, "ompi_pairwise", blocks_one_by_one, ANY, 0, 0},
    {COLL_ALLTOALLW, "pairwise", blocks_one_by_one, ANY, 0, 0},
    {COLL_REDUCE_SCATTER, "mpich_pair", pairwise, ANY, 0, 0},
    {COLL_REDUCE_SCATTER, "ompi_ring", pairwise, ANY, 0, 0},
    {COLL_REDUCE_SCATTER, "nccl_ring", pairwise, ANY, 0, 0},
    {COLL_REDUCE_SCATTER, "mpich_rdb", doubling_scatter, POWER, 0, NO_GAMMA},
    {COLL_REDUCE_SCATTER, "mpich_noncomm", halving, POWER, 0, 0},
    {COLL_REDUCE_SCATTER, "mpich_recexch", halving, POWER, 0, 0},
    {COLL_REDUCE_SCATTER, "ompi_basic_recursivehalving", halving, POWER, 0, 0},
    {COLL_REDUCE_SCATTER, "ompi_butterfly_block", halving, POWER, 0, 0},
    {COLL_REDUCE_SCATTER, "circulant", halving, ANY, 0, 0},
    {COLL_REDUCE_SCATTER, "swing", halving, POWER, 0, 0},
    {COLL_SCAN, "ompi_linear", chain_reduced, ANY, 0, 0},
    {COLL_SCAN, "recursive_doubling", tree, ANY, 0, NO_GAMMA},
    {COLL_EXSCAN, "ompi_linear", chain_before, ANY, 0, 0},
    {COLL_EXSCAN, "recursive_doubling", tree, ANY, 0, NO_GAMMA},
};

static int is_of_blocks(enum coll_kind k)
{
	return k >= COLL_GATHER && k <= COLL_ALLTOALLW;
}

/* Blocks of m bytes, and buffers of p m, of elements of one byte. */
static void args_fill(const struct row *row, struct coll_args *a, uint32_t rank, uint32_t p,
                      int64_t m)
{
	static int64_t counts[HOCKNEY_RANKS];
	int64_t n = m * p, count = is_of_blocks(row->kind) ? m : n;
	enum coll_kind k = row->kind;

	*a = (struct coll_args){.kind = k,
	                        .size = p,
	                        .type_size = 1,
	                        .type_size2 = 1,
	                        .commutative = 1,
	                        .basic_type = 1};
	for (uint32_t i = 0; i < p; i++)
		counts[i] = m;
	a->count = a->count2 = k == COLL_BARRIER ? 0 : count;
	if (k == COLL_ALLTOALLV || k == COLL_ALLTOALLW || (k == COLL_SCATTERV && rank == 0))
		a->counts = counts;
	if (k == COLL_ALLTOALLV || k == COLL_ALLTOALLW || k == COLL_ALLGATHERV ||
	    k == COLL_REDUCE_SCATTER || (k == COLL_GATHERV && rank == 0))
		a->counts2 = counts;
	a->segment = row->segments == 1 ? COLL_WHOLE : row->segments ? n / row->segments : 0;
	a->fanout = row->how & CHAIN ? 1 : 0;
}

static double time_of(const struct row *row, uint32_t p, int64_t m)
{
	static struct coll_args args[HOCKNEY_RANKS];
	const struct coll_alg *alg = coll_alg_find(row->kind, row->name);

	if (!alg)
		fail_msg("no %s", row->name);
	for (uint32_t i = 0; i < p; i++)
		args_fill(row, &args[i], i, p, m);
	cost = (struct hockney_cost){1 << 20, 1, row->how & NO_GAMMA ? 0 : 1.0 / 64};
	return hockney_time(alg, args, cost);
}

static int is_meant(int sizes, uint32_t p)
{
	switch (sizes) {
	case POWER:
		return is_pow2(p);
	case POWER_4:
		return is_pow2(p) && log2_floor(p) % 2 == 0;
	case EVEN:
		return p % 2 == 0;
	default:
		return sizes == ANY || p == 2;
	}
}

static void check(const struct row *row, uint32_t p)
{
	int64_t m = 4096; /* n / p and n / 64 are whole */
	double got = time_of(row, p, m), want;

	want = row->time((struct terms){.p = p,
	                                .down = log2_floor(p),
	                                .up = log2_ceil(p),
	                                .q = 1u << log2_floor(p),
	                                .n = (double)m * p,
	                                .m = (double)m,
	                                .segments = row->segments ? row->segments : 1});
	if (got != want)
		fail_msg("%s %s, %u ranks, %d segments: %.10g, not %.10g; in alphas %.9g, not %.9g",
		         coll_kind_name(row->kind), row->name, p, row->segments, got, want,
		         got / cost.alpha, want / cost.alpha);
}

static void times_are_the_formulas(void **state)
{
	static const uint32_t sizes[] = {2, 3, 4, 5, 6, 7, 8, 12, 13, 16, 31, 32, 64};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
			uint32_t p = sizes[k];

			if (is_meant(rows[i].sizes, p))
				check(&rows[i], p);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(times_are_the_formulas)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
