/* barrier.c: barriers. All messages are empty. */
#include "coll/coll_int.h"

static const struct piece empty = {BUF_TMP, 0, 0};

/* All send to 0, which then sends to all. */
static int linear_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                        struct coll_steps *out)
{
	uint32_t others = a->size - 1;
	if (rank > 0) {
		if (round > 0)
			return COLL_END;
		step_send(out, 0, empty);
		step_recv(out, 0, empty);
		return 0;
	}
	if (round >= 2 * others)
		return COLL_END;
	if (round < others)
		step_irecv(out, round + 1, empty, round);
	else
		step_isend(out, round - others + 1, empty, round);
	if (round == others - 1 || round == 2 * others - 1)
		step_waitall(out);
	return 0;
}

const struct coll_alg coll_barrier_ompi_basic_linear = {.kind = COLL_BARRIER,
                                                        .name = "ompi_basic_linear",
                                                        .source = "Open MPI, coll/basic",
                                                        .cost = "2 (p-1) L at rank 0",
                                                        .round = linear_round};

/* SMPI's MPI_Ibarrier: rank 0 answers each rank without waiting for the others. */
static int linear_nb_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                           struct coll_steps *out)
{
	if (rank > 0) {
		if (round > 0)
			return COLL_END;
		step_isend(out, 0, empty, 0);
		step_irecv(out, 0, empty, 1);
		step_waitall(out);
		return 0;
	}
	if (round >= a->size - 1)
		return COLL_END;
	step_irecv(out, round + 1, empty, 2 * round);
	step_isend(out, round + 1, empty, 2 * round + 1);
	if (round == a->size - 2)
		step_waitall(out);
	return 0;
}

const struct coll_alg coll_barrier_linear_nb = {
    .kind = COLL_BARRIER,
    .name = "linear_nb",
    .source = "SMPI, MPI_Ibarrier",
    .cost = "2 L",
    .round = linear_nb_round,
    .defect = "rank 0 lets the others go before all have come"};
