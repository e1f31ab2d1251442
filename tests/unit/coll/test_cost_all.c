/* test_cost_all.c: messages and bytes of all ranks together, for any number of ranks, beside the
 * literature: what ranks beyond the largest power of two cost (Thakur, Rabenseifner, Gropp 2005,
 * section 4; Rabenseifner 2004), trees that move blocks (subtrees counted one by one), and
 * algorithms of several phases. P: the largest power of two up to p; p - P fold into a partner. */
#include "sent.h"

enum { M = 40, MOST = 70 };

static int64_t power_below(int64_t p)
{
	int64_t q = 1;

	while (2 * q <= p)
		q *= 2;
	return q;
}
static int64_t log_below(int64_t p)
{
	int64_t n = 0;

	while (2ll << n <= p)
		n++;
	return n;
}
static int64_t log_above(int64_t p)
{
	return log_below(p) + (power_below(p) < p);
}
/* Blocks over the edges of MPICH's binomial tree: v's subtree has as many ranks as its lowest bit
 * says, as far as there are any. */
static int64_t blocks_over_edges(int64_t p)
{
	int64_t blocks = 0;

	for (int64_t v = 1; v < p; v++) {
		int64_t low = v & -v;

		blocks += low < p - v ? low : p - v;
	}
	return blocks;
}

/* --- formulas: of p ranks, of m bytes a block, or of n = p m bytes --- */

typedef struct sent total(int64_t p, int64_t m);

/* There and back for those beyond P; P ranks exchange whole buffers log P times. */
static struct sent doubling(int64_t p, int64_t n)
{
	int64_t q = power_below(p), messages = 2 * (p - q) + q * log_below(p);

	return (struct sent){messages, messages * n};
}
static struct sent doubling_empty(int64_t p, int64_t m)
{
	return (struct sent){doubling(p, m).messages, 0};
}
static struct sent there_and_back(int64_t p, int64_t m)
{
	(void)m;
	return (struct sent){2 * (p - 1), 0};
}
static struct sent twice_around(int64_t p, int64_t m)
{
	(void)m;
	return (struct sent){2 * p, 0};
}
static struct sent dissemination(int64_t p, int64_t m)
{
	(void)m;
	return (struct sent){p * log_above(p), 0};
}
static struct sent star(int64_t p, int64_t m)
{
	return (struct sent){p - 1, (p - 1) * m};
}
static struct sent binomial_blocks(int64_t p, int64_t m)
{
	return (struct sent){p - 1, blocks_over_edges(p) * m};
}
/* Scatter along the tree, then a ring of p - 1 steps. */
static struct sent scatter_ring(int64_t p, int64_t m)
{
	return (struct sent){p - 1 + p * (p - 1), (blocks_over_edges(p) + p * (p - 1)) * m};
}
/* The same, then doubling. */
static struct sent scatter_doubling(int64_t p, int64_t m)
{
	return (struct sent){p - 1 + p * log_below(p), (blocks_over_edges(p) + p * (p - 1)) * m};
}
/* Halving, then a binomial gather. */
static struct sent halving_gather(int64_t p, int64_t m)
{
	return scatter_doubling(p, m);
}
/* Half of the ring's steps, two blocks a step but for the first. */
static struct sent neighbours(int64_t p, int64_t m)
{
	return (struct sent){p * (p / 2), p * (p - 1) * m};
}
/* Partners r ^ 2^i that there are. */
static struct sent scan_doubling(int64_t p, int64_t n)
{
	int64_t messages = 0;

	for (int64_t bit = 1; bit < p; bit *= 2)
		for (int64_t r = 0; r < p; r++)
			messages += (r ^ bit) < p;
	return (struct sent){messages, messages * n};
}
static struct sent all_pairs(int64_t p, int64_t m)
{
	return (struct sent){p * (p - 1), p * (p - 1) * m};
}
/* A reduction to a root, and a broadcast: two trees. */
static struct sent two_trees(int64_t p, int64_t n)
{
	return (struct sent){2 * (p - 1), 2 * (p - 1) * n};
}

enum { ANY, POWER_OF_TWO, EVEN, TWO };
static const struct row {
	enum coll_kind kind;
	const char *name;
	total *sends;
	int sizes;
	int whole; /* the buffer has p M bytes: the formula speaks of M */
	int rooted;
} rows[] = {
    {COLL_BARRIER, "ompi_recursivedoubling", doubling_empty, ANY, 0, 0},
    {COLL_BARRIER, "mvapich2_pair", doubling_empty, ANY, 0, 0},
    {COLL_BARRIER, "ompi_basic_linear", there_and_back, ANY, 0, 0},
    {COLL_BARRIER, "ompi_tree", there_and_back, ANY, 0, 0},
    {COLL_BARRIER, "ompi_two_procs", there_and_back, TWO, 0, 0},
    {COLL_BARRIER, "ompi_doublering", twice_around, ANY, 0, 0},
    {COLL_BARRIER, "ompi_bruck", dissemination, ANY, 0, 0},
    {COLL_BARRIER, "mpich_k_dissemination", dissemination, ANY, 0, 0},
    {COLL_ALLREDUCE, "rdb", doubling, ANY, 0, 0},
    {COLL_ALLREDUCE, "redbcast", two_trees, ANY, 0, 0},
    {COLL_ALLREDUCE, "ompi_basic_linear", two_trees, ANY, 0, 0},
    {COLL_ALLREDUCE, "mpich_kary", two_trees, ANY, 0, 0},
    {COLL_ALLREDUCE, "mpich_knomial_1", two_trees, ANY, 0, 0},
    {COLL_ALLREDUCE, "mpich_knomial_2", two_trees, ANY, 0, 0},
    {COLL_BCAST, "binomial_tree", star, ANY, 0, 1},
    {COLL_BCAST, "flattree", star, ANY, 0, 1},
    {COLL_BCAST, "ompi_chain", star, ANY, 0, 1},
    {COLL_BCAST, "ompi_binary", star, ANY, 0, 1},
    {COLL_BCAST, "ompi_binomial", star, ANY, 0, 1},
    {COLL_BCAST, "ompi_knomial", star, ANY, 0, 1},
    {COLL_BCAST, "mpich_kary", star, ANY, 0, 1},
    {COLL_BCAST, "mpich_knomial_1", star, ANY, 0, 1},
    {COLL_BCAST, "mpich_knomial_2", star, ANY, 0, 1},
    {COLL_BCAST, "mvapich2_knomial_intra_node", star, ANY, 0, 1},
    {COLL_BCAST, "scatter_LR_allgather", scatter_ring, ANY, 1, 1},
    {COLL_BCAST, "ompi_scatter_allgather_ring", scatter_ring, ANY, 1, 1},
    {COLL_BCAST, "scatter_rdb_allgather", scatter_doubling, POWER_OF_TWO, 1, 1},
    {COLL_BCAST, "ompi_scatter_allgather", scatter_doubling, POWER_OF_TWO, 1, 1},
    {COLL_REDUCE, "linear_nb", star, ANY, 0, 1},
    {COLL_REDUCE, "ompi_basic_linear", star, ANY, 0, 1},
    {COLL_REDUCE, "binomial", star, ANY, 0, 1},
    {COLL_REDUCE, "ompi_binomial", star, ANY, 0, 1},
    {COLL_REDUCE, "ompi_binary", star, ANY, 0, 1},
    {COLL_REDUCE, "mvapich2_knomial", star, ANY, 0, 1},
    {COLL_REDUCE, "mpich_kary", star, ANY, 0, 1},
    {COLL_REDUCE, "mpich_knomial_1", star, ANY, 0, 1},
    {COLL_REDUCE, "mpich_knomial_2", star, ANY, 0, 1},
    {COLL_REDUCE, "scatter_gather", halving_gather, POWER_OF_TWO, 1, 1},
    {COLL_REDUCE, "mpich_reduce_scatter_gather", halving_gather, POWER_OF_TWO, 1, 1},
    {COLL_REDUCE, "ompi_redscat_gather", halving_gather, POWER_OF_TWO, 1, 1},
    {COLL_GATHER, "linear_nb", star, ANY, 0, 1},
    {COLL_GATHER, "ompi_basic_linear", star, ANY, 0, 1},
    {COLL_GATHER, "ompi_binomial", binomial_blocks, ANY, 0, 1},
    {COLL_SCATTER, "linear_nb", star, ANY, 0, 1},
    {COLL_SCATTER, "ompi_basic_linear", star, ANY, 0, 1},
    {COLL_SCATTER, "ompi_linear_nb", star, ANY, 0, 1},
    {COLL_SCATTER, "ompi_binomial", binomial_blocks, ANY, 0, 1},
    {COLL_SCATTER, "mpich_binomial", binomial_blocks, ANY, 0, 1},
    {COLL_ALLGATHER, "ompi_neighborexchange", neighbours, EVEN, 0, 0},
    {COLL_ALLGATHER, "NTSLR", all_pairs, ANY, 0, 0},
    {COLL_ALLGATHER, "NTSLR_NB", all_pairs, ANY, 0, 0},
    {COLL_ALLTOALL, "ompi_linear_sync", all_pairs, ANY, 0, 0},
    {COLL_SCAN, "recursive_doubling", scan_doubling, ANY, 0, 0},
    {COLL_EXSCAN, "recursive_doubling", scan_doubling, ANY, 0, 0},
    {COLL_REDUCE_SCATTER_BLOCK, "mpich_pair", all_pairs, ANY, 0, 0},
    {COLL_REDUCE_SCATTER_BLOCK, "ompi_ring", all_pairs, ANY, 0, 0},
};

static int is_meant(int sizes, uint32_t p)
{
	return sizes == ANY || (sizes == EVEN && p % 2 == 0) ||
	       (sizes == POWER_OF_TWO && is_pow2(p)) || (sizes == TWO && p == 2);
}

static int check(const struct row *row, uint32_t p)
{
	const struct coll_alg *alg = find(row->kind, row->name);
	struct coll_args a = call(row->kind, p, row->whole ? (int64_t)p * M : M);
	struct sent want = row->sends(p, M), got;

	a.root = row->rooted ? p * 2 / 3 : 0;
	got = sent_by_all(alg, &a);
	if (got.messages == want.messages && got.bytes == want.bytes)
		return 0;
	print_error("%s %s, %u ranks: %ld messages of %ld bytes in all, not %ld of %ld\n",
	            coll_kind_name(row->kind), row->name, p, (long)got.messages, (long)got.bytes,
	            (long)want.messages, (long)want.bytes);
	return 1;
}

static void all_ranks_send_what_the_formula_says(void **state)
{
	int wrong = 0;

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		int of_row = 0;

		for (uint32_t p = 2; p <= MOST && !of_row; p++)
			of_row = is_meant(rows[i].sizes, p) && check(&rows[i], p);
		wrong += of_row;
	}
	assert_int_equal(wrong, 0);
}

/* One rank has nobody to speak to. */
static void nobody_speaks_alone(void **state)
{
	int64_t counts[] = {M};

	(void)state;
	for (const struct coll_alg *const *alg = coll_algs; *alg; alg++) {
		struct coll_args a = call((*alg)->kind, 1, M);

		if ((*alg)->kind >= COLL_NEIGHBOR_ALLGATHER || (*alg)->defect)
			continue;
		if ((*alg)->kind == COLL_ALLTOALLV || (*alg)->kind == COLL_ALLTOALLW ||
		    (*alg)->kind == COLL_SCATTERV)
			a.counts = counts;
		if (a.kind == COLL_ALLTOALLV || a.kind == COLL_ALLTOALLW ||
		    a.kind == COLL_GATHERV || a.kind == COLL_ALLGATHERV ||
		    a.kind == COLL_REDUCE_SCATTER)
			a.counts2 = counts;
		if (!coll_alg_refuses(*alg, &a) && sent_by_all(*alg, &a).messages)
			fail_msg("%s %s speaks to itself", coll_kind_name(a.kind), (*alg)->name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(all_ranks_send_what_the_formula_says),
	    cmocka_unit_test(nobody_speaks_alone),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
