/* allreduce.c: allreduce by reduction and broadcast, and the linear non-blocking one. */
#include "coll/coll_int.h"

static int to_zero(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                   struct coll_view *view)
{
	(void)whole, (void)rank, (void)view;
	phase->kind = COLL_REDUCE;
	phase->root = 0;
	return 1;
}

static int from_zero(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                     struct coll_view *view)
{
	(void)whole, (void)rank, (void)view;
	phase->kind = COLL_BCAST;
	phase->root = 0;
	return 1;
}

const struct coll_alg coll_allreduce_default = {
    .kind = COLL_ALLREDUCE,
    .name = "default",
    .source = "SMPI, default",
    .cost = "L + (p-1) n/B + ceil(log2 p) (L + n/B)",
    .phase = {{.choose = coll_reduce_default, .args = to_zero},
              {.alg = &coll_bcast_binomial_tree, .args = from_zero}}};

const struct coll_alg coll_allreduce_redbcast = {
    .kind = COLL_ALLREDUCE,
    .name = "redbcast",
    .source = "STAR-MPI; Open MPI, nonoverlapping",
    .cost = "the selected reduce's and bcast's",
    .phase = {{.selected = 1, .args = to_zero}, {.selected = 1, .args = from_zero}}};

/* Everybody sends all to everybody, then combines in rank order. Rounds 0 … p-1 post, p … 2p-1
 * combine. */
static int linear_nb_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                           struct coll_steps *out)
{
	if (round >= 2 * a->size)
		return COLL_END;
	uint32_t other = round % a->size;
	int64_t n = a->count * a->type_size;
	struct piece slot = piece_at(BUF_TMP, other * n, n),
	             in = other == rank ? piece_send(a) : slot;
	if (round >= a->size) {
		step_fold(out, other == 0, piece_recv(a), in);
	} else if (other != rank) {
		step_isend(out, other, piece_send(a), 2 * other);
		step_irecv(out, other, slot, 2 * other + 1);
	}
	if (round == a->size - 1)
		step_waitall(out);
	return 0;
}

static int64_t linear_nb_tmp(const struct coll_args *a, uint32_t rank)
{
	(void)rank;
	return a->size * a->count * a->type_size;
}

const struct coll_alg coll_allreduce_linear_nb = {.kind = COLL_ALLREDUCE,
                                                  .name = "linear_nb",
                                                  .source = "SMPI, MPI_Iallreduce",
                                                  .cost = "L + (p-1) n/B",
                                                  .round = linear_nb_round,
                                                  .tmp_bytes = linear_nb_tmp};
