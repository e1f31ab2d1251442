/* scatter.c: scatter and scatterv. */
#include "coll/coll_int.h"

/* The root posts its sends in rank order. */
static int linear_nb_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                           struct coll_steps *out)
{
	if (rank != a->root) {
		if (round > 0)
			return COLL_END;
		step_irecv(out, a->root, piece_recv(a), 0);
		step_waitall(out);
		return 0;
	}
	if (round >= a->size)
		return COLL_END;
	if (round == rank)
		step_copy(out, piece_recv(a), piece_send_block(a, rank));
	else
		step_isend(out, round, piece_send_block(a, round), round);
	if (round == a->size - 1)
		step_waitall(out);
	return 0;
}

const struct coll_alg coll_scatter_linear_nb = {.kind = COLL_SCATTER,
                                                .name = "linear_nb",
                                                .source = "SMPI, default",
                                                .cost = "L + (p-1) m/B",
                                                .round = linear_nb_round};
const struct coll_alg coll_scatterv_linear_nb = {.kind = COLL_SCATTERV,
                                                 .name = "linear_nb",
                                                 .source = "SMPI, default",
                                                 .cost = "L + (n - own)/B",
                                                 .round = linear_nb_round};
