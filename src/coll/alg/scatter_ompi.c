/* scatter_ompi.c: Open MPI's scatters. */
#include "tree.h"

enum sends { BLOCKING, POSTED };

static int linear_round(const struct coll_args *a, uint32_t rank, uint32_t round, enum sends sends,
                        struct coll_steps *out)
{
	if (round >= (rank == a->root ? a->size : 1))
		return COLL_END;
	if (rank != a->root) {
		step_recv(out, a->root, piece_recv(a));
		return 0;
	}
	if (round == rank)
		step_copy(out, piece_recv(a), piece_send_block(a, rank));
	else if (sends == BLOCKING)
		step_send(out, round, piece_send_block(a, round));
	else
		step_isend(out, round, piece_send_block(a, round), round);
	if (sends == POSTED && round == a->size - 1)
		step_waitall(out);
	return 0;
}

static int basic_linear_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                              struct coll_steps *out)
{
	return linear_round(a, rank, round, BLOCKING, out);
}
static int linear_nb_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                           struct coll_steps *out)
{
	return linear_round(a, rank, round, POSTED, out);
}

const struct coll_alg coll_scatter_ompi_basic_linear = {.kind = COLL_SCATTER,
                                                        .name = "ompi_basic_linear",
                                                        .source = "Open MPI, coll/basic",
                                                        .cost = "(p-1) (L + m/B)",
                                                        .round = basic_linear_round};
const struct coll_alg coll_scatter_ompi_linear_nb = {.kind = COLL_SCATTER,
                                                     .name = "ompi_linear_nb",
                                                     .source = "Open MPI 4",
                                                     .cost = "L + (p-1) m/B",
                                                     .round = linear_nb_round};

/* Ranks seen from the root: v gets blocks v, v+1, … of its subtree and serves its children: Open
 * MPI the nearest first, MPICH the farthest, who has most to do. */
static int64_t block_bytes(const struct coll_args *a, uint32_t rank)
{
	return rank == a->root ? a->count * a->type_size : a->count2 * a->type_size2;
}

/* The root puts the blocks in the order of virtual ranks. */
static void turn(const struct coll_args *a, int64_t m, struct coll_steps *out)
{
	int64_t first = a->size - a->root;
	step_copy(out, piece_at(BUF_TMP, 0, first * m), piece_at(BUF_SEND, a->root * m, first * m));
	step_copy(out, piece_at(BUF_TMP, first * m, a->root * m),
	          piece_at(BUF_SEND, 0, a->root * m));
}

static int serve_round(const struct coll_args *a, uint32_t rank, uint32_t round, int farthest_first,
                       struct coll_steps *out)
{
	struct tree t = tree_in_order_binomial(a, rank);
	uint32_t v = rank_virtual(a, rank);
	int64_t m = block_bytes(a, rank);
	if (round > t.n)
		return COLL_END;
	if (round > 0) {
		uint32_t to = t.child[farthest_first ? t.n - round : round - 1];
		uint32_t child = rank_virtual(a, to);
		step_send(
		    out, to,
		    piece_at(BUF_TMP, (child - v) * m, tree_in_order_binomial_span(a, child) * m));
		return 0;
	}
	if (v)
		step_recv(out, t.parent,
		          piece_at(BUF_TMP, 0, tree_in_order_binomial_span(a, v) * m));
	else
		turn(a, m, out);
	step_copy(out, piece_recv(a), piece_at(BUF_TMP, 0, m));
	return 0;
}

static int nearest_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                         struct coll_steps *out)
{
	return serve_round(a, rank, round, 0, out);
}
static int farthest_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                          struct coll_steps *out)
{
	return serve_round(a, rank, round, 1, out);
}

static int64_t binomial_tmp(const struct coll_args *a, uint32_t rank)
{
	return tree_in_order_binomial_span(a, rank_virtual(a, rank)) * block_bytes(a, rank);
}

const struct coll_alg coll_scatter_ompi_binomial = {
    .kind = COLL_SCATTER,
    .name = "ompi_binomial",
    .source = "Open MPI",
    .cost = "log2 p (log2 p + 1)/2 L + (2 p - 2 - log2 p) m/B",
    .round = nearest_round,
    .tmp_bytes = binomial_tmp};
const struct coll_alg coll_scatter_mpich_binomial = {.kind = COLL_SCATTER,
                                                     .name = "mpich_binomial",
                                                     .source = "MPICH",
                                                     .cost = "ceil(log2 p) L + (p-1) m/B",
                                                     .round = farthest_round,
                                                     .tmp_bytes = binomial_tmp};
