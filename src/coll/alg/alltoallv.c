/* alltoallv.c: alltoallv and alltoallw. */
#include "coll/coll_int.h"

/* All receives in rank order, then all sends in rank order. */
static int linear_nb_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                           struct coll_steps *out)
{
	if (round >= 2 * a->size)
		return COLL_END;
	uint32_t other = round % a->size;
	if (other == rank && round < a->size)
		step_copy(out, piece_recv_block(a, rank), piece_send_block(a, rank));
	else if (other != rank && round < a->size)
		step_irecv(out, other, piece_recv_block(a, other), round);
	else if (other != rank)
		step_isend(out, other, piece_send_block(a, other), round);
	if (round == 2 * a->size - 1)
		step_waitall(out);
	return 0;
}

const struct coll_alg coll_alltoallv_linear_nb = {.kind = COLL_ALLTOALLV,
                                                  .name = "linear_nb",
                                                  .source = "SMPI, default; Open MPI, coll/basic",
                                                  .cost = "L + (n - own)/B",
                                                  .round = linear_nb_round};
const struct coll_alg coll_alltoallv_ompi_basic_linear = {.kind = COLL_ALLTOALLV,
                                                          .name = "ompi_basic_linear",
                                                          .source = "Open MPI, coll/basic",
                                                          .cost = "L + (n - own)/B",
                                                          .round = linear_nb_round};
const struct coll_alg coll_alltoallw_linear_nb = {.kind = COLL_ALLTOALLW,
                                                  .name = "linear_nb",
                                                  .source = "SMPI, default",
                                                  .cost = "L + (n - own)/B",
                                                  .round = linear_nb_round};

/* For composed ones; not registered. */
const struct coll_alg coll_alltoallv_rotating = {
    .kind = COLL_ALLTOALLV, .name = "rotating", .round = alltoall_ring_round};

const struct coll_alg coll_alltoallv_ring = {.kind = COLL_ALLTOALLV,
                                             .name = "ring",
                                             .source = "STAR-MPI; MPICH, pairwise",
                                             .cost = "(p-1) L + n/B",
                                             .round = alltoall_pair_round};
const struct coll_alg coll_alltoallv_pair = {.kind = COLL_ALLTOALLV,
                                             .name = "pair",
                                             .source = "STAR-MPI; Open MPI, pairwise",
                                             .cost = "(p-1) L + n/B",
                                             .round = alltoall_pair_round};
