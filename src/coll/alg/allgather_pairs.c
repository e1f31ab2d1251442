/* allgather_pairs.c: allgather and allgatherv where each rank sends its own block to each
 * other rank, in different orders; and by gather and broadcast. */
#include "coll/coll_int.h"

static void own_block(const struct coll_args *a, uint32_t rank, struct coll_steps *out)
{
	step_copy(out, piece_recv_block(a, rank), piece_send(a));
}

/* Step i: to rank+i, from rank-i. */
static int ring_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                      struct coll_steps *out)
{
	if (round >= a->size)
		return COLL_END;
	if (round == 0) {
		own_block(a, rank, out);
		return 0;
	}
	uint32_t from = rank_sub(a, rank, round);
	step_sendrecv(out, rank, rank_add(a, rank, round), piece_send(a), from,
	              piece_recv_block(a, from));
	return 0;
}

const struct coll_alg coll_allgather_ring = {
    .kind = COLL_ALLGATHER,
    .name = "ring",
    .source = "STAR-MPI (a rotating exchange, in spite of its name)",
    .cost = "(p-1) (L + m/B)",
    .round = ring_round};
const struct coll_alg coll_allgatherv_ring = {
    .kind = COLL_ALLGATHERV,
    .name = "ring",
    .source = "STAR-MPI (a rotating exchange, in spite of its name)",
    .cost = "(p-1) L + n/B",
    .round = ring_round};

/* Partners by exclusive or; where p is not a power of two, the rotating exchange. */
static int pair_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                      struct coll_steps *out)
{
	if (!is_pow2(a->size) || round == 0)
		return ring_round(a, rank, round, out);
	if (round >= a->size)
		return COLL_END;
	uint32_t peer = rank ^ round;
	step_sendrecv(out, rank, peer, piece_send(a), peer, piece_recv_block(a, peer));
	return 0;
}

const struct coll_alg coll_allgather_pair = {.kind = COLL_ALLGATHER,
                                             .name = "pair",
                                             .source = "STAR-MPI; Open MPI, two procs",
                                             .cost = "(p-1) (L + m/B)",
                                             .round = pair_round};
const struct coll_alg coll_allgatherv_pair = {.kind = COLL_ALLGATHERV,
                                              .name = "pair",
                                              .source = "STAR-MPI; Open MPI, two procs",
                                              .cost = "(p-1) L + n/B",
                                              .round = pair_round};

/* All receives from rank+1 on, then all sends to rank+1 on. */
static int spreading_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                           struct coll_steps *out)
{
	uint32_t p = a->size;
	if (round >= 2 * p - 1)
		return COLL_END;
	if (round == 0) {
		own_block(a, rank, out);
	} else if (round < p) {
		uint32_t from = rank_add(a, rank, round);
		step_irecv(out, from, piece_recv_block(a, from), round);
	} else {
		step_isend(out, rank_add(a, rank, round - p + 1), piece_send(a), round);
	}
	if (round && round == 2 * p - 2)
		step_waitall(out);
	return 0;
}

const struct coll_alg coll_allgather_spreading_simple = {.kind = COLL_ALLGATHER,
                                                         .name = "spreading_simple",
                                                         .source = "STAR-MPI",
                                                         .cost = "L + (p-1) m/B",
                                                         .round = spreading_round};

/* --- gather to 0, broadcast of all --- */

static int gather_args(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                       struct coll_view *view)
{
	(void)view;
	phase->kind = whole->kind == COLL_ALLGATHERV ? COLL_GATHERV : COLL_GATHER;
	phase->root = 0;
	if (rank != 0)
		phase->counts2 = NULL;
	return 1;
}

/* SMPI's replay has all blocks at displacement 0 and broadcasts as much as the largest. */
static int64_t largest_block(const struct coll_args *a)
{
	int64_t most = 0;
	for (uint32_t i = 0; i < a->size; i++)
		most = a->counts2[i] > most ? a->counts2[i] : most;
	return most;
}

static int bcast_args(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                      struct coll_view *view)
{
	(void)rank, (void)view;
	int replayed = whole->compat && whole->sizes_only && whole->counts2;
	int64_t elements = replayed ? largest_block(whole)
	                            : coll_block_elements(whole, 0, whole->size);
	coll_bcast_received(whole, phase, elements * whole->type_size2);
	return 1;
}

const struct coll_alg coll_allgather_GB = {
    .kind = COLL_ALLGATHER,
    .name = "GB",
    .source = "STAR-MPI",
    .cost = "the selected gather's and bcast's",
    .phase = {{.selected = 1, .args = gather_args}, {.selected = 1, .args = bcast_args}}};
const struct coll_alg coll_allgatherv_GB = {
    .kind = COLL_ALLGATHERV,
    .name = "GB",
    .source = "STAR-MPI",
    .cost = "L + n/B + the selected bcast's",
    .phase = {{.alg = &coll_gatherv_linear_nb, .args = gather_args},
              {.selected = 1, .args = bcast_args}}};
