/* reduce_scatter.c: reduce_scatter and, with counts2 NULL, reduce_scatter_block: SMPI's
 * default, linear and pairwise forms. */
#include "coll/coll_int.h"

static int64_t total_bytes(const struct coll_args *a)
{
	return coll_block_elements(a, 0, a->size) * a->type_size;
}

/* Phase 1: everything is reduced into the temporary buffer of rank 0 … */
static int reduce_to_zero(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                          struct coll_view *view)
{
	(void)rank;
	phase->kind = COLL_REDUCE;
	phase->root = 0;
	phase->count = coll_block_elements(whole, 0, whole->size);
	view->buf[BUF_RECV] = BUF_TMP;
	return 1;
}

/* … phase 2: and scattered out of it. */
static int scatter_from_zero(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                             struct coll_view *view)
{
	phase->kind = COLL_SCATTERV;
	phase->root = 0;
	phase->counts = whole->counts2;
	phase->displs = whole->displs2;
	phase->count2 = whole->counts2 ? whole->counts2[rank] : whole->count;
	phase->type_size2 = whole->type_size;
	view->buf[BUF_SEND] = BUF_TMP;
	return 1;
}

static int64_t default_tmp(const struct coll_args *a, uint32_t rank)
{
	return rank == 0 ? total_bytes(a) : 0;
}

static const struct coll_alg reduce_and_scatter = {
    .kind = COLL_REDUCE_SCATTER,
    .name = "reduce_and_scatter",
    .phase = {{.choose = coll_reduce_default, .args = reduce_to_zero},
              {.alg = &coll_scatterv_linear_nb, .args = scatter_from_zero}},
    .tmp_bytes = default_tmp};

/* SMPI's leaves unequal counts to MPICH's choice. */
static const struct coll_alg *default_form(const struct coll_args *a)
{
	return a->compat && !coll_counts_equal(a) ? coll_reduce_scatter_mpich(a)
	                                          : &reduce_and_scatter;
}

const struct coll_alg coll_reduce_scatter_default = {.kind = COLL_REDUCE_SCATTER,
                                                     .name = "default",
                                                     .source = "SMPI, default",
                                                     .cost = "2 L + (p-1) n/B + n/B",
                                                     .phase = {{.choose = default_form}}};

/* Open MPI's: the same with the selected reduce and scatter(v). */
static int scatter_blocks(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                          struct coll_view *view)
{
	scatter_from_zero(whole, rank, phase, view);
	if (whole->kind == COLL_REDUCE_SCATTER_BLOCK)
		phase->kind = COLL_SCATTER;
	return 1;
}

const struct coll_alg coll_reduce_scatter_ompi_nonoverlapping = {
    .kind = COLL_REDUCE_SCATTER,
    .name = "ompi_nonoverlapping",
    .source = "Open MPI 4, nonoverlapping; basic_linear of reduce_scatter_block",
    .cost = "the selected reduce's, and scatterv's or scatter's",
    .phase = {{.selected = 1, .args = reduce_to_zero}, {.selected = 1, .args = scatter_blocks}},
    .tmp_bytes = default_tmp};

/* Each sends the others their blocks and combines what comes for its own, in rank order. Rounds 0 …
 * p-1 post, p … 2p-1 combine. */
static int linear_nb_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                           struct coll_steps *out)
{
	if (round >= 2 * a->size)
		return COLL_END;
	uint32_t other = round % a->size;
	int64_t own = coll_recv_bytes(a, rank);
	struct piece slot = piece_at(BUF_TMP, other * own, own);
	if (round >= a->size) {
		step_fold(out, other == 0, piece_at(BUF_RECV, 0, own),
		          other == rank ? piece_send_block(a, rank) : slot);
	} else if (other != rank) {
		step_isend(out, other, piece_send_block(a, other), 2 * other);
		step_irecv(out, other, slot, 2 * other + 1);
	}
	if (round == a->size - 1)
		step_waitall(out);
	return 0;
}

static int64_t linear_nb_tmp(const struct coll_args *a, uint32_t rank)
{
	return a->size * coll_recv_bytes(a, rank);
}

const struct coll_alg coll_reduce_scatter_linear_nb = {.kind = COLL_REDUCE_SCATTER,
                                                       .name = "linear_nb",
                                                       .source = "SMPI, MPI_Ireduce_scatter",
                                                       .cost = "L + (n - own)/B",
                                                       .round = linear_nb_round,
                                                       .tmp_bytes = linear_nb_tmp};

/* Step i sends the block of rank+i there and receives from rank-i. */
static int pair_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                      struct coll_steps *out)
{
	if (round >= a->size)
		return COLL_END;
	struct piece own = piece_at(BUF_RECV, 0, coll_recv_bytes(a, rank)),
	             in = piece_at(BUF_TMP, 0, own.len);
	if (round == 0) {
		step_copy(out, own, piece_send_block(a, rank));
		return 0;
	}
	uint32_t to = rank_add(a, rank, round);
	step_sendrecv(out, rank, to, piece_send_block(a, to), rank_sub(a, rank, round), in);
	step_reduce(out, own, in);
	return 0;
}

static int64_t pair_tmp(const struct coll_args *a, uint32_t rank)
{
	return coll_recv_bytes(a, rank);
}

const struct coll_alg coll_reduce_scatter_mpich_pair = {.kind = COLL_REDUCE_SCATTER,
                                                        .name = "mpich_pair",
                                                        .source = "MPICH, pairwise",
                                                        .cost = "(p-1) (L + m/B)",
                                                        .round = pair_round,
                                                        .tmp_bytes = pair_tmp,
                                                        .needs_commutative = 1,
                                                        .skips_empty = 1};
