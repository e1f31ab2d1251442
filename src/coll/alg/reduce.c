/* reduce.c: linear reductions. */
#include "coll/coll_int.h"

static int64_t buffer_bytes(const struct coll_args *a)
{
	return a->count * a->type_size;
}

static int send_whole(const struct coll_args *a, uint32_t round, struct coll_steps *out)
{
	if (round > 0)
		return COLL_END;
	step_isend(out, a->root, piece_send(a), 0);
	step_waitall(out);
	return 0;
}

/* The root receives all at once and then combines in rank order: right for any operator. Rounds 0 …
 * p-1 receive, p … 2p-1 combine. */
static int linear_nb_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                           struct coll_steps *out)
{
	if (rank != a->root)
		return send_whole(a, round, out);
	if (round >= 2 * a->size)
		return COLL_END;
	uint32_t from = round % a->size;
	struct piece slot = piece_at(BUF_TMP, from * buffer_bytes(a), buffer_bytes(a));
	struct piece in = from == rank ? piece_send(a) : slot;
	if (round >= a->size)
		step_fold(out, from == 0, piece_recv(a), in);
	else if (from != rank)
		step_irecv(out, from, slot, from);
	if (round == a->size - 1)
		step_waitall(out);
	return 0;
}

static int64_t linear_nb_tmp(const struct coll_args *a, uint32_t rank)
{
	return rank == a->root ? a->size * buffer_bytes(a) : 0;
}

const struct coll_alg coll_reduce_linear_nb = {.kind = COLL_REDUCE,
                                               .name = "linear_nb",
                                               .source = "SMPI, default",
                                               .cost = "L + (p-1) n/B",
                                               .round = linear_nb_round,
                                               .tmp_bytes = linear_nb_tmp};

/* The root receives from rank p-1 down to 0, one at a time, and combines each on the left. */
static int basic_linear_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                              struct coll_steps *out)
{
	if (round >= (rank == a->root ? a->size : 1))
		return COLL_END;
	if (rank != a->root) {
		step_send(out, a->root, piece_send(a));
		return 0;
	}
	uint32_t from = a->size - 1 - round;
	struct piece acc = piece_recv(a), in = round ? piece_at(BUF_TMP, 0, buffer_bytes(a)) : acc;
	if (from != rank)
		step_recv(out, from, in);
	else if (round == 0)
		step_copy(out, acc, piece_send(a));
	else
		in = piece_send(a);
	if (round)
		step_reduce_left(out, acc, in);
	return 0;
}

static int64_t basic_linear_tmp(const struct coll_args *a, uint32_t rank)
{
	return rank == a->root ? buffer_bytes(a) : 0;
}

const struct coll_alg coll_reduce_ompi_basic_linear = {.kind = COLL_REDUCE,
                                                       .name = "ompi_basic_linear",
                                                       .source = "Open MPI, coll/basic",
                                                       .cost = "(p-1) (L + n/B)",
                                                       .round = basic_linear_round,
                                                       .tmp_bytes = basic_linear_tmp};

const struct coll_alg coll_reduce_flat_tree = {.kind = COLL_REDUCE,
                                               .name = "flat_tree",
                                               .source = "STAR-MPI",
                                               .cost = "(p-1) (L + n/B)",
                                               .round = basic_linear_round,
                                               .tmp_bytes = basic_linear_tmp};

const struct coll_alg *coll_reduce_default(const struct coll_args *a)
{
	if (!a->null_op && (!a->commutative || !a->basic_type))
		return &coll_reduce_ompi_basic_linear;
	return &coll_reduce_linear_nb;
}
