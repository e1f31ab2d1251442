/* alltoall_windows.c: alltoall in windows of four partners (MPICH's throttled "isend_irecv",
 * MVAPICH2's "scatter destination"), and the same for alltoallv, which SMPI names bruck. */
#include "coll/coll_int.h"

enum { WINDOW = 4 };

/* SMPI's alltoall sends a message to itself, too (compat). */
static int window_round(const struct coll_args *a, uint32_t rank, uint32_t round, int to_itself,
                        struct coll_steps *out)
{
	uint64_t first = (uint64_t)round * WINDOW;
	if (first >= a->size)
		return COLL_END;
	uint32_t n = a->size - first < WINDOW ? (uint32_t)(a->size - first) : WINDOW;
	if (round == 0 && !to_itself)
		step_copy(out, piece_recv_block(a, rank), piece_send_block(a, rank));
	for (uint32_t i = 0; i < n; i++) {
		uint32_t from = rank_add(a, rank, (uint32_t)first + i);
		if (from != rank || to_itself)
			step_irecv(out, from, piece_recv_block(a, from), i);
	}
	for (uint32_t i = 0; i < n; i++) {
		uint32_t to = rank_sub(a, rank, (uint32_t)first + i);
		if (to != rank || to_itself)
			step_isend(out, to, piece_send_block(a, to), n + i);
	}
	step_waitall(out);
	return 0;
}

static int scatter_dest_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                              struct coll_steps *out)
{
	return a->count2 ? window_round(a, rank, round, a->compat, out) : COLL_END;
}

const struct coll_alg coll_alltoall_mvapich2_scatter_dest = {.kind = COLL_ALLTOALL,
                                                             .name = "mvapich2_scatter_dest",
                                                             .source = "MPICH; MVAPICH2 1.9",
                                                             .cost = "p/4 L + (p-1) m/B",
                                                             .round = scatter_dest_round};

static int v_round(const struct coll_args *a, uint32_t rank, uint32_t round, struct coll_steps *out)
{
	return window_round(a, rank, round, 0, out);
}

const struct coll_alg coll_alltoallv_bruck = {
    .kind = COLL_ALLTOALLV,
    .name = "bruck",
    .source = "MPICH (not Bruck's algorithm, in spite of SMPI's name)",
    .cost = "p/4 L + n/B",
    .round = v_round};
