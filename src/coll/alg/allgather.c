/* allgather.c: allgather and allgatherv. */
#include "coll/coll_int.h"

/* Everybody sends to everybody: for each other rank a send, then a receive. */
static int linear_nb_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                           struct coll_steps *out)
{
	if (round >= a->size)
		return COLL_END;
	if (round == rank) {
		step_copy(out, piece_recv_block(a, rank), piece_send(a));
	} else {
		step_isend(out, round, piece_send(a), 2 * round);
		step_irecv(out, round, piece_recv_block(a, round), 2 * round + 1);
	}
	if (round == a->size - 1)
		step_waitall(out);
	return 0;
}

const struct coll_alg coll_allgather_linear_nb = {.kind = COLL_ALLGATHER,
                                                  .name = "linear_nb",
                                                  .source = "SMPI, default",
                                                  .cost = "L + (p-1) m/B",
                                                  .round = linear_nb_round};
const struct coll_alg coll_allgatherv_linear_nb = {.kind = COLL_ALLGATHERV,
                                                   .name = "linear_nb",
                                                   .source = "SMPI, default",
                                                   .cost = "L + (n - own)/B",
                                                   .round = linear_nb_round};
