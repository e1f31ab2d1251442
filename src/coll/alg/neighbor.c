/* neighbor.c: neighbourhood collectives: receives from all sources, sends to all destinations,
 * one wait (MPICH, neighbor_*_allcomm_nb; Open MPI, coll/basic). A neighbour that is not there
 * (MPI_PROC_NULL) has a block in the user's buffer and no message.
 *
 * Between two ranks that are neighbours twice, messages match in order. In a graph the k-th time
 * that a rank is my source answers to the k-th time that I am its destination (MPI 4.0, 8.6). On a
 * grid whose sides lead to the same rank, what is sent down arrives from above: sends go up first,
 * then down, while receives are posted from below first. */
#include "coll/coll_int.h"

/* Of a grid, sources and destinations are one list: below and above in each dimension. (Of a graph
 * without sources too: an empty one.) */
static int is_grid(const struct coll_args *a)
{
	return a->sources == a->destinations && a->n_sources > 0;
}

static int linear_nb_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                           struct coll_steps *out)
{
	uint32_t n = a->n_sources + a->n_destinations;
	(void)rank;
	if (round >= n)
		return COLL_END;
	if (round < a->n_sources) {
		if (a->sources[round] >= 0)
			step_irecv(out, (uint32_t)a->sources[round], piece_recv_block(a, round),
			           round);
	} else {
		uint32_t i = round - a->n_sources;
		i = is_grid(a) ? i ^ 1 : i;
		if (a->destinations[i] >= 0)
			step_isend(out, (uint32_t)a->destinations[i], piece_send_block(a, i),
			           round);
	}
	if (round == n - 1)
		step_waitall(out);
	return 0;
}

#define NEIGHBOR_ALG(kind_, name_) \
	const struct coll_alg coll_##name_##_linear_nb = {.kind = (kind_), \
	                                                  .name = "linear_nb", \
	                                                  .source = "MPICH; Open MPI, coll/basic", \
	                                                  .cost = "L + n/B", \
	                                                  .round = linear_nb_round}
NEIGHBOR_ALG(COLL_NEIGHBOR_ALLGATHER, neighbor_allgather);
NEIGHBOR_ALG(COLL_NEIGHBOR_ALLGATHERV, neighbor_allgatherv);
NEIGHBOR_ALG(COLL_NEIGHBOR_ALLTOALL, neighbor_alltoall);
NEIGHBOR_ALG(COLL_NEIGHBOR_ALLTOALLV, neighbor_alltoallv);
NEIGHBOR_ALG(COLL_NEIGHBOR_ALLTOALLW, neighbor_alltoallw);
