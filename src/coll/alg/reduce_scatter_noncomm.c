/* reduce_scatter_noncomm.c: MPICH's reduce_scatter for operators that do not commute, p a
 * power of two and equal counts: blocks are put in bit-reversed order first, so that halving by
 * distances 1, 2, 4, … ends with the own block (and keeps the order of ranks).
 *
 * Temporary buffer: the blocks, then what comes. Rounds: one copy per block; the steps; the copy
 * out. */
#include "fold.h"

static int64_t total_bytes(const struct coll_args *a)
{
	return coll_block_elements(a, 0, a->size) * a->type_size;
}

static void halve(const struct coll_args *a, const struct fold *f, uint32_t rank, uint32_t i,
                  struct coll_steps *out)
{
	int64_t m = coll_recv_bytes(a, rank), n = total_bytes(a);
	uint32_t peer = rank ^ 1u << i;
	struct fold_units keep = fold_units(f, rank, i + 1), give = fold_units(f, peer, i + 1);
	struct piece mine = piece_at(BUF_TMP, keep.first * m, keep.len * m),
	             come = piece_at(BUF_TMP, n + mine.off, mine.len);
	step_sendrecv(out, rank, peer, piece_at(BUF_TMP, give.first * m, give.len * m), peer, come);
	if (peer < rank)
		step_reduce_left(out, mine, come);
	else
		step_reduce(out, mine, come);
}

static int noncomm_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                         struct coll_steps *out)
{
	struct fold f = fold_of(a->size, FOLD_EVEN);
	int64_t m = coll_recv_bytes(a, rank);
	if (round > a->size + f.steps)
		return COLL_END;
	if (round < a->size)
		step_copy(out, piece_at(BUF_TMP, bits_mirrored(round, f.steps) * m, m),
		          piece_at(BUF_SEND, round * m, m));
	else if (round < a->size + f.steps)
		halve(a, &f, rank, round - a->size, out);
	else
		step_copy(out, piece_at(BUF_RECV, 0, m),
		          piece_at(BUF_TMP, bits_mirrored(rank, f.steps) * m, m));
	return 0;
}

static int64_t noncomm_tmp(const struct coll_args *a, uint32_t rank)
{
	(void)rank;
	return 2 * total_bytes(a);
}

static const char *noncomm_refuses(const struct coll_args *a)
{
	if (!is_pow2(a->size))
		return "it is for a power of two of ranks";
	return coll_counts_equal(a) ? NULL : "it is for equal counts";
}

const struct coll_alg coll_reduce_scatter_mpich_noncomm = {.kind = COLL_REDUCE_SCATTER,
                                                           .name = "mpich_noncomm",
                                                           .source = "MPICH",
                                                           .cost = "log2 p L + (p-1)/p n/B",
                                                           .round = noncomm_round,
                                                           .tmp_bytes = noncomm_tmp,
                                                           .refuses = noncomm_refuses};
