/* test_cost.c: what algorithms send, counted from their steps, is what the literature says:
 * Thakur, Rabenseifner, Gropp 2005 (MPICH's); Patarasuk, Yuan 2009 (rings); Bruck et al. 1997;
 * van de Geijn (scatter and allgather); Hensgen, Finkel, Manber 1988 (dissemination). */
#include "sent.h"

enum { M = 48, P_MOST = 64 };

/* --- every rank sends as much: p a power of two where it says so --- */

typedef struct sent formula(int64_t p, int64_t log, int64_t m);

static struct sent ring_blocks(int64_t p, int64_t log, int64_t m)
{
	(void)log;
	return (struct sent){p - 1, (p - 1) * m};
}
static struct sent doubling_blocks(int64_t p, int64_t log, int64_t m)
{
	return (struct sent){log, (p - 1) * m};
}
static struct sent exchange(int64_t p, int64_t log, int64_t m)
{
	(void)p;
	return (struct sent){log, log * m};
}
/* Bruck: in phase k, the blocks whose number has bit k. */
static struct sent bruck_blocks(int64_t p, int64_t log, int64_t m)
{
	int64_t blocks = 0;

	for (int64_t i = 0; i < p; i++)
		blocks += __builtin_popcountll((unsigned long long)i);
	return (struct sent){log, blocks * m};
}
static struct sent empty(int64_t p, int64_t log, int64_t m)
{
	(void)p, (void)m;
	return (struct sent){log, 0};
}
/* of a buffer of p m bytes: reduce-scatter, then allgather */
static struct sent ring_whole(int64_t p, int64_t log, int64_t m)
{
	(void)log;
	return (struct sent){2 * (p - 1), 2 * (p - 1) * m};
}
static struct sent halving_whole(int64_t p, int64_t log, int64_t m)
{
	return (struct sent){2 * log, 2 * (p - 1) * m};
}

enum { ANY, POWER_OF_TWO, EVEN };
static const struct equal {
	enum coll_kind kind;
	const char *name;
	formula *sends;
	int sizes;
	int whole; /* the call's buffer has p m bytes */
} equals[] = {
    {COLL_ALLGATHER, "ring", ring_blocks, ANY, 0},
    {COLL_ALLGATHER, "linear_nb", ring_blocks, ANY, 0},
    {COLL_ALLGATHER, "pair", ring_blocks, POWER_OF_TWO, 0},
    {COLL_ALLGATHER, "spreading_simple", ring_blocks, ANY, 0},
    {COLL_ALLGATHER, "bruck", doubling_blocks, ANY, 0},
    {COLL_ALLGATHER, "rdb", doubling_blocks, POWER_OF_TWO, 0},
    {COLL_ALLGATHER, "ompi_recursivedoubling", doubling_blocks, POWER_OF_TWO, 0},
    {COLL_ALLTOALL, "ring", ring_blocks, ANY, 0},
    {COLL_ALLTOALL, "basic_linear", ring_blocks, ANY, 0},
    {COLL_ALLTOALL, "pair", ring_blocks, POWER_OF_TWO, 0},
    {COLL_ALLTOALL, "mvapich2_scatter_dest", ring_blocks, ANY, 0},
    {COLL_ALLTOALL, "mpich_scattered", ring_blocks, ANY, 0},
    {COLL_ALLGATHER, "circulant", doubling_blocks, ANY, 0},
    {COLL_ALLGATHER, "k_bruck", doubling_blocks, ANY, 0},
    {COLL_ALLGATHER, "swing", doubling_blocks, POWER_OF_TWO, 0},
    {COLL_ALLREDUCE, "swing", halving_whole, POWER_OF_TWO, 1},
    {COLL_ALLREDUCE, "circulant", halving_whole, ANY, 1},
    {COLL_REDUCE_SCATTER, "circulant", doubling_blocks, ANY, 0},
    {COLL_REDUCE_SCATTER, "swing", doubling_blocks, POWER_OF_TWO, 0},
    {COLL_REDUCE_SCATTER, "mpich_noncomm", doubling_blocks, POWER_OF_TWO, 0},
    {COLL_ALLTOALL, "bruck", bruck_blocks, ANY, 0},
    {COLL_ALLREDUCE, "rdb", exchange, POWER_OF_TWO, 0},
    {COLL_ALLREDUCE, "lr", ring_whole, ANY, 1},
    {COLL_ALLREDUCE, "ompi_ring", ring_whole, ANY, 1},
    {COLL_ALLREDUCE, "rab_rdb", halving_whole, POWER_OF_TWO, 1},
    {COLL_ALLREDUCE, "mpich_reduce_scatter_allgather", halving_whole, POWER_OF_TWO, 1},
    {COLL_ALLREDUCE, "ompi_redscat_allgather", halving_whole, POWER_OF_TWO, 1},
    {COLL_REDUCE_SCATTER, "mpich_pair", ring_blocks, ANY, 0},
    {COLL_REDUCE_SCATTER, "ompi_ring", ring_blocks, ANY, 0},
    {COLL_REDUCE_SCATTER, "ompi_basic_recursivehalving", doubling_blocks, POWER_OF_TWO, 0},
    {COLL_BARRIER, "ompi_bruck", empty, ANY, 0},
    {COLL_BARRIER, "ompi_recursivedoubling", empty, POWER_OF_TWO, 0},
    {COLL_BARRIER, "mvapich2_pair", empty, POWER_OF_TWO, 0},
};

static int is_meant(int sizes, uint32_t p)
{
	return sizes == ANY || (sizes == EVEN ? p % 2 == 0 : is_pow2(p));
}

static void check_equal(const struct equal *e, uint32_t p)
{
	const struct coll_alg *alg = find(e->kind, e->name);
	struct coll_args a = call(e->kind, p, e->whole ? (int64_t)p * M : M);
	int64_t counts[P_MOST];
	struct sent want = e->sends(p, log2_ceil(p), M);

	for (uint32_t i = 0; i < p; i++)
		counts[i] = M;
	if (e->kind == COLL_REDUCE_SCATTER)
		a.counts2 = counts;
	for (uint32_t rank = 0; rank < p; rank++) {
		struct sent got = sent_by(alg, &a, rank);

		if (got.messages != want.messages || got.bytes != want.bytes)
			fail_msg("%s %s, rank %u of %u: %ld messages, %ld bytes, not %ld, %ld",
			         coll_kind_name(e->kind), e->name, rank, p, (long)got.messages,
			         (long)got.bytes, (long)want.messages, (long)want.bytes);
	}
}

static void every_rank_sends_what_the_formula_says(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof equals / sizeof *equals; i++)
		for (uint32_t p = 2; p <= P_MOST; p++)
			if (is_meant(equals[i].sizes, p))
				check_equal(&equals[i], p);
}

/* --- trees: all ranks together, and the root --- */

static const struct tree {
	enum coll_kind kind;
	const char *name;
	int root_sends; /* 1: log2 p messages, 2: p - 1, 0: none */
} trees[] = {
    {COLL_BCAST, "binomial_tree", 1},      {COLL_BCAST, "flattree", 2},
    {COLL_BCAST, "linear_nb", 2},          {COLL_REDUCE, "binomial", 0},
    {COLL_REDUCE, "flat_tree", 0},         {COLL_REDUCE, "linear_nb", 0},
    {COLL_REDUCE, "ompi_basic_linear", 0},
};

/* n bytes over each edge of a tree: p - 1 messages. */
static void trees_have_p_minus_1_edges(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof trees / sizeof *trees; i++)
		for (uint32_t p = 2; p <= P_MOST; p += p < 20 ? 1 : 11) {
			const struct coll_alg *alg = find(trees[i].kind, trees[i].name);
			struct coll_args a = call(trees[i].kind, p, M);
			const uint32_t root[] = {0, log2_ceil(p), p - 1};
			struct sent all = {0, 0}, of_root;

			a.root = trees[i].root_sends ? p / 3 : 0;
			for (uint32_t rank = 0; rank < p; rank++) {
				struct sent s = sent_by(alg, &a, rank);

				all.messages += s.messages;
				all.bytes += s.bytes;
			}
			of_root = sent_by(alg, &a, a.root);
			assert_int_equal(all.messages, p - 1);
			assert_int_equal(all.bytes, (p - 1) * M);
			assert_int_equal(of_root.messages, root[trees[i].root_sends]);
		}
}

/* A binomial tree moves the blocks of a subtree over its edge: on p = 2^k ranks, p/2 blocks in each
 * of k rounds. */
static void binomial_trees_move_half_the_blocks_a_round(void **state)
{
	static const struct {
		enum coll_kind kind;
		const char *name;
	} of[] = {{COLL_GATHER, "ompi_binomial"}, {COLL_SCATTER, "ompi_binomial"}};

	(void)state;
	for (size_t i = 0; i < 2; i++)
		for (uint32_t p = 2; p <= P_MOST; p *= 2) {
			struct coll_args a = call(of[i].kind, p, M);
			struct sent all = {0, 0};

			for (uint32_t rank = 0; rank < p; rank++) {
				struct sent s = sent_by(find(of[i].kind, of[i].name), &a, rank);

				all.messages += s.messages;
				all.bytes += s.bytes;
			}
			assert_int_equal(all.messages, p - 1);
			assert_int_equal(all.bytes, (int64_t)M * p / 2 * log2_ceil(p));
		}
}

/* In a ring no rank sends more than any other; rank i of a scan sends to i + 1 alone. */
static void a_linear_scan_is_a_chain(void **state)
{
	static const enum coll_kind kinds[] = {COLL_SCAN, COLL_EXSCAN};

	(void)state;
	for (size_t k = 0; k < 2; k++)
		for (uint32_t p = 1; p <= 9; p++) {
			const struct coll_alg *alg = find(kinds[k], "ompi_linear");
			struct coll_args a = call(kinds[k], p, M);

			for (uint32_t rank = 0; rank < p; rank++) {
				struct sent s = sent_by(alg, &a, rank);

				assert_int_equal(s.messages, rank + 1 < p);
				assert_int_equal(s.bytes, rank + 1 < p ? M : 0);
			}
		}
}

/* A segment is a message: a pipeline sends ceil(n / s) of them to each neighbour. */
static void pipelines_send_segments(void **state)
{
	static const int64_t segments[] = {1, 5, 7, M, 1000, COLL_WHOLE};

	(void)state;
	for (size_t i = 0; i < sizeof segments / sizeof *segments; i++)
		for (uint32_t p = 2; p <= 9; p++) {
			const struct coll_alg *alg = find(COLL_BCAST, "ompi_pipeline");
			struct coll_args a = call(COLL_BCAST, p, M);
			int64_t s = segments[i] > M ? M : segments[i], n = (M + s - 1) / s;

			a.segment = segments[i];
			for (uint32_t rank = 0; rank < p; rank++) {
				struct sent sent = sent_by(alg, &a, rank);

				assert_int_equal(sent.messages, rank + 1 < p ? n : 0);
				assert_int_equal(sent.bytes, rank + 1 < p ? M : 0);
			}
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_rank_sends_what_the_formula_says),
	    cmocka_unit_test(trees_have_p_minus_1_edges),
	    cmocka_unit_test(binomial_trees_move_half_the_blocks_a_round),
	    cmocka_unit_test(a_linear_scan_is_a_chain),
	    cmocka_unit_test(pipelines_send_segments),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
