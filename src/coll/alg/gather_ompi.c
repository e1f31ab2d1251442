/* gather_ompi.c: Open MPI's gathers. */
#include "tree.h"

static int basic_linear_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                              struct coll_steps *out)
{
	if (round >= (rank == a->root ? a->size : 1))
		return COLL_END;
	if (rank != a->root)
		step_send(out, a->root, piece_send(a));
	else if (round == rank)
		step_copy(out, piece_recv_block(a, rank), piece_send(a));
	else
		step_recv(out, round, piece_recv_block(a, round));
	return 0;
}

const struct coll_alg coll_gather_ompi_basic_linear = {.kind = COLL_GATHER,
                                                       .name = "ompi_basic_linear",
                                                       .source = "Open MPI, coll/basic",
                                                       .cost = "(p-1) (L + m/B)",
                                                       .round = basic_linear_round};

/* Ranks seen from the root: v collects blocks v, v+1, … of its subtree, in that order, in its
 * temporary buffer. */
static int64_t block_bytes(const struct coll_args *a, uint32_t rank)
{
	return rank == a->root ? a->count2 * a->type_size2 : a->count * a->type_size;
}

static void put_right(const struct coll_args *a, int64_t m, struct coll_steps *out)
{
	int64_t first = a->size - a->root;
	step_copy(out, piece_at(BUF_RECV, a->root * m, first * m), piece_at(BUF_TMP, 0, first * m));
	step_copy(out, piece_at(BUF_RECV, 0, a->root * m),
	          piece_at(BUF_TMP, first * m, a->root * m));
}

/* Round 0 copies; then one child each, nearest first; then the parent. */
static int binomial_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                          struct coll_steps *out)
{
	struct tree t = tree_in_order_binomial(a, rank);
	uint32_t v = rank_virtual(a, rank);
	int64_t m = block_bytes(a, rank);
	if (round > t.n + 1)
		return COLL_END;
	if (round == 0) {
		step_copy(out, piece_at(BUF_TMP, 0, m), piece_send(a));
	} else if (round <= t.n) {
		uint32_t child = rank_virtual(a, t.child[round - 1]);
		step_recv(
		    out, t.child[round - 1],
		    piece_at(BUF_TMP, (child - v) * m, tree_in_order_binomial_span(a, child) * m));
	} else if (v) {
		step_send(out, t.parent,
		          piece_at(BUF_TMP, 0, tree_in_order_binomial_span(a, v) * m));
	} else {
		put_right(a, m, out);
	}
	return 0;
}

static int64_t binomial_tmp(const struct coll_args *a, uint32_t rank)
{
	return tree_in_order_binomial_span(a, rank_virtual(a, rank)) * block_bytes(a, rank);
}

const struct coll_alg coll_gather_ompi_binomial = {.kind = COLL_GATHER,
                                                   .name = "ompi_binomial",
                                                   .source = "Open MPI; MPICH",
                                                   .cost = "ceil(log2 p) L + (p-1) m/B",
                                                   .round = binomial_round,
                                                   .tmp_bytes = binomial_tmp};

/* The root lets one rank after the other begin, with a first segment, so that it is not flooded.
 * Requests: 0 the first segment of the current rank, 1 + rank the rest.
 *
 * The segment is of so many bytes. Open MPI, and SimGrid, round it to elements, each side to its
 * own: where a block is one vector to its sender and many numbers to the root, that is two sizes,
 * and their message is truncated. */
static int64_t first_segment(const struct coll_args *a, int64_t count, int64_t type_size)
{
	int64_t n = count * type_size, first = coll_segment(a, n > 92160 ? 32 << 10 : 1 << 10);
	struct coll_args block = *a;
	if (!a->compat)
		return first < n ? first : n;
	block.count = count;
	block.type_size = type_size;
	struct segments s = segments_ompi(&block, first);
	return s.n ? segment_piece(&s, BUF_SEND, 0).len : 0;
}

static void collect(const struct coll_args *a, uint32_t from, struct coll_steps *out)
{
	struct piece block = piece_recv_block(a, from), empty = {BUF_TMP, 0, 0};
	int64_t first = first_segment(a, a->count2, a->type_size2);
	step_irecv(out, from, piece_at(BUF_RECV, block.off, first), 0);
	step_send(out, from, empty);
	step_irecv(out, from, piece_at(BUF_RECV, block.off + first, block.len - first), 1 + from);
	step_wait(out, 0);
}

static int linear_sync_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                             struct coll_steps *out)
{
	if (round >= (rank == a->root ? a->size : 1))
		return COLL_END;
	if (rank != a->root) {
		struct piece block = piece_send(a), empty = {BUF_TMP, 0, 0};
		int64_t first = first_segment(a, a->count, a->type_size);
		step_recv(out, a->root, empty);
		step_send(out, a->root, piece_at(BUF_SEND, 0, first));
		step_send(out, a->root, piece_at(BUF_SEND, first, block.len - first));
		return 0;
	}
	if (round == rank)
		step_copy(out, piece_recv_block(a, rank), piece_send(a));
	else
		collect(a, round, out);
	if (round == a->size - 1)
		step_waitall(out);
	return 0;
}

const struct coll_alg coll_gather_ompi_linear_sync = {
    .kind = COLL_GATHER,
    .name = "ompi_linear_sync",
    .source = "Open MPI",
    .cost = "(p-1) (2 L + s/B) + (p-1) (m-s)/B, s = 1 KiB (32 KiB if m > 90 KiB)",
    .round = linear_sync_round};
