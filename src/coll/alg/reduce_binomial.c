/* reduce_binomial.c: reductions along binomial and k-nomial trees, whole messages. */
#include "coll/coll_int.h"

enum { KNOMIAL = 4 };

/* The root sums in its receive buffer, others in their temporary one; what comes is after that. */
static struct piece sum_piece(const struct coll_args *a, uint32_t rank)
{
	return piece_at(rank == a->root ? BUF_RECV : BUF_TMP, 0, a->count * a->type_size);
}
static struct piece in_piece(const struct coll_args *a, uint32_t i)
{
	int64_t n = a->count * a->type_size;
	return piece_at(BUF_TMP, (1 + (int64_t)i) * n, n);
}

/* In round i ranks meet at a distance of 2^(i-1), from the root, or from rank 0 when the order
 * matters: the higher sends and has done. */
static void meet(const struct coll_args *a, uint32_t rank, uint32_t top, uint32_t mask,
                 struct coll_steps *out)
{
	uint32_t v = rank_sub(a, rank, top);
	if (v & (mask - 1))
		return;
	if (v & mask) {
		step_send(out, rank_add(a, v - mask, top), sum_piece(a, rank));
	} else if ((uint64_t)v + mask < a->size) {
		step_recv(out, rank_add(a, v + mask, top), in_piece(a, 0));
		step_reduce(out, sum_piece(a, rank), in_piece(a, 0));
	}
}

static int binomial_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                          struct coll_steps *out)
{
	uint32_t steps = log2_ceil(a->size), top = a->commutative ? a->root : 0;
	if (round > steps + 1 || a->count == 0)
		return COLL_END;
	if (round == 0)
		step_copy(out, sum_piece(a, rank), piece_send(a));
	else if (round <= steps)
		meet(a, rank, top, 1u << (round - 1), out);
	else if (top != a->root && rank == top)
		step_send(out, a->root, sum_piece(a, rank));
	else if (top != a->root && rank == a->root)
		step_recv(out, top, piece_recv(a));
	return 0;
}

static int64_t binomial_tmp(const struct coll_args *a, uint32_t rank)
{
	(void)rank;
	return 2 * a->count * a->type_size;
}

const struct coll_alg coll_reduce_binomial = {.kind = COLL_REDUCE,
                                              .name = "binomial",
                                              .source = "MPICH",
                                              .cost = "ceil(log2 p) (L + n/B)",
                                              .round = binomial_round,
                                              .tmp_bytes = binomial_tmp};

/* The children of v on the k-nomial tree, nearest first, in a level the farthest first; the lowest
 * digit of v that is not 0 is where it hangs. */
struct knomial {
	uint32_t parent, n;
	uint32_t child[(KNOMIAL - 1) * 16];
};
static struct knomial knomial_of(const struct coll_args *a, uint32_t rank)
{
	struct knomial k = {0};
	uint32_t v = rank_virtual(a, rank);
	uint64_t digit = 1;
	for (; digit < a->size && v % (KNOMIAL * digit) == 0; digit *= KNOMIAL)
		for (uint64_t i = KNOMIAL - 1; i > 0; i--)
			if (v + i * digit < a->size)
				k.child[k.n++] = rank_real(a, (uint32_t)(v + i * digit));
	k.parent = rank_real(a, (uint32_t)(v / (KNOMIAL * digit) * (KNOMIAL * digit)));
	return k;
}

/* Round 0 copies, rounds 1 … n post, n+1 … 2n combine, the last sends. */
static int knomial_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                         struct coll_steps *out)
{
	struct knomial k = knomial_of(a, rank);
	if (round > 2 * k.n + 1 || a->count == 0)
		return COLL_END;
	if (round == 0)
		step_copy(out, sum_piece(a, rank), piece_send(a));
	else if (round <= k.n)
		step_irecv(out, k.child[round - 1], in_piece(a, round - 1), round);
	else if (round <= 2 * k.n)
		step_reduce(out, sum_piece(a, rank), in_piece(a, round - k.n - 1));
	else if (rank != a->root)
		step_isend(out, k.parent, sum_piece(a, rank), 0);
	if (round == k.n || round == 2 * k.n + 1)
		step_waitall(out);
	return 0;
}

static int64_t knomial_tmp(const struct coll_args *a, uint32_t rank)
{
	return (1 + (int64_t)knomial_of(a, rank).n) * a->count * a->type_size;
}

const struct coll_alg coll_reduce_mvapich2_knomial = {.kind = COLL_REDUCE,
                                                      .name = "mvapich2_knomial",
                                                      .source = "MVAPICH2 1.9, k = 4",
                                                      .cost = "log4 p L + 3 log4 p n/B",
                                                      .round = knomial_round,
                                                      .tmp_bytes = knomial_tmp,
                                                      .needs_commutative = 1};
