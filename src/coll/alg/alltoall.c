/* alltoall.c: alltoall: linear, pairwise exchanges. */
#include "coll/coll_int.h"

/* Receives posted from rank+1 on, then sends from rank-1 back. */
static int basic_linear_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                              struct coll_steps *out)
{
	uint32_t p = a->size;
	if (round >= 2 * p - 1)
		return COLL_END;
	if (round == 0) {
		step_copy(out, piece_recv_block(a, rank), piece_send_block(a, rank));
	} else if (round < p) {
		uint32_t from = rank_add(a, rank, round);
		step_irecv(out, from, piece_recv_block(a, from), round);
	} else {
		uint32_t to = rank_sub(a, rank, round - p + 1);
		step_isend(out, to, piece_send_block(a, to), round);
	}
	if (round && round == 2 * p - 2)
		step_waitall(out);
	return 0;
}

const struct coll_alg coll_alltoall_basic_linear = {.kind = COLL_ALLTOALL,
                                                    .name = "basic_linear",
                                                    .source = "Open MPI, coll/basic",
                                                    .cost = "L + (p-1) m/B",
                                                    .round = basic_linear_round};

int alltoall_ring_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                        struct coll_steps *out)
{
	if (round >= a->size)
		return COLL_END;
	uint32_t to = rank_add(a, rank, round), from = rank_sub(a, rank, round);
	step_sendrecv(out, rank, to, piece_send_block(a, to), from, piece_recv_block(a, from));
	return 0;
}

const struct coll_alg coll_alltoall_ring = {
    .kind = COLL_ALLTOALL,
    .name = "ring",
    .source = "STAR-MPI; Open MPI, pairwise; MPICH, long messages",
    .cost = "(p-1) (L + m/B)",
    .round = alltoall_ring_round};

/* Partners by exclusive or; where p is not a power of two, the rotating exchange, as Open MPI
 * does. */
int alltoall_pair_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                        struct coll_steps *out)
{
	if (!is_pow2(a->size))
		return alltoall_ring_round(a, rank, round, out);
	if (round >= a->size)
		return COLL_END;
	uint32_t peer = rank ^ round;
	step_sendrecv(out, rank, peer, piece_send_block(a, peer), peer, piece_recv_block(a, peer));
	return 0;
}

const struct coll_alg coll_alltoall_pair = {.kind = COLL_ALLTOALL,
                                            .name = "pair",
                                            .source = "STAR-MPI; Open MPI, pairwise",
                                            .cost = "(p-1) (L + m/B)",
                                            .round = alltoall_pair_round};
