/* gather.c: gather and gatherv. */
#include "coll/coll_int.h"

/* All send to the root, which posts its receives in rank order. */
static int linear_nb_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                           struct coll_steps *out)
{
	if (rank != a->root) {
		if (round > 0)
			return COLL_END;
		step_isend(out, a->root, piece_send(a), 0);
		step_waitall(out);
		return 0;
	}
	if (round >= a->size)
		return COLL_END;
	if (round == rank)
		step_copy(out, piece_recv_block(a, rank), piece_send(a));
	else
		step_irecv(out, round, piece_recv_block(a, round), round);
	if (round == a->size - 1)
		step_waitall(out);
	return 0;
}

const struct coll_alg coll_gather_linear_nb = {.kind = COLL_GATHER,
                                               .name = "linear_nb",
                                               .source = "SMPI, default",
                                               .cost = "L + (p-1) m/B",
                                               .round = linear_nb_round};
const struct coll_alg coll_gatherv_linear_nb = {.kind = COLL_GATHERV,
                                                .name = "linear_nb",
                                                .source = "SMPI, default",
                                                .cost = "L + (n - own)/B",
                                                .round = linear_nb_round};
