/* alltoall_rma.c: alltoall by puts into a window (STAR-MPI's pair, SMPI's pair_rma). Making
 * the window is an allgather of its addresses and a barrier; each fence and the end of the window
 * are barriers too. Where p is no power of two partners rotate; SMPI's fails there. */
#include "coll/coll_int.h"

static int addresses(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                     struct coll_view *view)
{
	(void)whole, (void)rank;
	phase->kind = COLL_ALLGATHER;
	phase->count = phase->count2 = 1;
	phase->type_size = phase->type_size2 = 8;
	view->buf[BUF_SEND] = view->buf[BUF_RECV] = BUF_TOKEN;
	return 1;
}

static int barrier(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                   struct coll_view *view)
{
	(void)whole, (void)rank, (void)view;
	phase->kind = COLL_BARRIER;
	return 1;
}
static const struct coll_alg two_barriers = {
    .kind = COLL_ALLTOALL,
    .name = "two_barriers",
    .phase = {{.selected = 1, .args = barrier}, {.selected = 1, .args = barrier}}};

/* A round each partner: what it puts here, what is put there; the fence waits. */
static int puts_round(const struct coll_args *a, uint32_t rank, uint32_t i, struct coll_steps *out)
{
	if (i >= a->size)
		return COLL_END;
	uint32_t to = is_pow2(a->size) ? rank ^ i : rank_add(a, rank, i),
	         from = is_pow2(a->size) ? to : rank_sub(a, rank, i);
	if (i == 0) {
		step_copy(out, piece_recv_block(a, rank), piece_send_block(a, rank));
	} else {
		step_irecv(out, from, piece_recv_block(a, from), 2 * i);
		step_isend(out, to, piece_send_block(a, to), 2 * i + 1);
	}
	if (i == a->size - 1)
		step_waitall(out);
	return 0;
}
static const struct coll_alg all_puts = {
    .kind = COLL_ALLTOALL, .name = "all_puts", .round = puts_round};

const struct coll_alg coll_alltoall_pair_rma = {
    .kind = COLL_ALLTOALL,
    .name = "pair_rma",
    .source = "STAR-MPI, by one-sided puts",
    .cost = "an allgather of 8 bytes + 6 barriers + L + (p-1) m/B",
    .phase = {{.selected = 1, .args = addresses},
              {.alg = &two_barriers},
              {.alg = &all_puts},
              {.alg = &two_barriers},
              {.alg = &two_barriers}}};
