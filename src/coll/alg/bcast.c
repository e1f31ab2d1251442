/* bcast.c: broadcasts without segments, in BUF_RECV. */
#include "coll/coll_int.h"

/* The binomial tree of MPICH on ranks seen from the root: v hears from v without its lowest bit,
 * then serves v + mask for the masks below that bit, the largest first. Round 0 receives, round i
 * serves the i-th mask. */
static int binomial_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                          struct coll_steps *out)
{
	uint32_t v = rank_virtual(a, rank);
	uint64_t bit = v ? v & -v
	                 : 1; /* the bit that joins v to its parent; for the root, past all */
	while (!v && bit < a->size)
		bit <<= 1;
	if (round == 0) {
		if (v)
			step_recv(out, rank_real(a, v - (uint32_t)bit), piece_recv(a));
		return 0;
	}
	uint64_t mask = round < 64 ? bit >> round : 0;
	if (!mask)
		return COLL_END;
	if (v + mask < a->size)
		step_send(out, rank_real(a, v + (uint32_t)mask), piece_recv(a));
	return 0;
}

const struct coll_alg coll_bcast_binomial_tree = {.kind = COLL_BCAST,
                                                  .name = "binomial_tree",
                                                  .source = "MPICH; Faraj and Yuan, STAR-MPI",
                                                  .cost = "ceil(log2 p) (L + n/B)",
                                                  .round = binomial_round};

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
	if (round != a->root)
		step_isend(out, round, piece_recv(a), round);
	if (round == a->size - 1)
		step_waitall(out);
	return 0;
}

const struct coll_alg coll_bcast_linear_nb = {.kind = COLL_BCAST,
                                              .name = "linear_nb",
                                              .source = "SMPI, MPI_Ibcast",
                                              .cost = "L + (p-1) n/B",
                                              .round = linear_nb_round};
