/* scan.c: linear scans: everybody sends all to the higher ranks and combines what comes from
 * the lower ones, in rank order. Rounds 0 … p-1 post, p … 2p-1 combine. */
#include "coll/coll_int.h"

enum waiting { WAIT_TOGETHER, WAIT_IN_ORDER };

static void post(const struct coll_args *a, uint32_t rank, uint32_t other, enum waiting waiting,
                 struct coll_steps *out)
{
	int64_t n = a->count * a->type_size;
	if (other < rank)
		step_irecv(out, other, piece_at(BUF_TMP, other * n, n), other);
	else if (other > rank)
		step_isend(out, other, piece_send(a), other);
	if (other == a->size - 1 && waiting == WAIT_TOGETHER)
		step_waitall(out);
}

static void take(const struct coll_args *a, uint32_t rank, uint32_t other, enum waiting waiting,
                 struct coll_steps *out)
{
	int64_t n = a->count * a->type_size;
	if (other != rank && waiting == WAIT_IN_ORDER)
		step_wait(out, other);
	if (other < rank)
		step_fold(out, other == 0, piece_recv(a), piece_at(BUF_TMP, other * n, n));
	else if (other == rank && a->kind == COLL_SCAN)
		step_fold(out, rank == 0, piece_recv(a), piece_send(a));
}

static int scan_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                      enum waiting waiting, struct coll_steps *out)
{
	if (round >= 2 * a->size)
		return COLL_END;
	if (round < a->size)
		post(a, rank, round, waiting, out);
	else
		take(a, rank, round - a->size, waiting, out);
	return 0;
}

/* SMPI waits in rank order when the operator is not known to commute, which its replay never
 * knows. */
static int linear_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                        struct coll_steps *out)
{
	return scan_round(a, rank, round,
	                  a->null_op || !a->commutative ? WAIT_IN_ORDER : WAIT_TOGETHER, out);
}

static int linear_nb_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                           struct coll_steps *out)
{
	return scan_round(a, rank, round, WAIT_TOGETHER, out);
}

static int64_t linear_tmp(const struct coll_args *a, uint32_t rank)
{
	return rank * a->count * a->type_size;
}

const struct coll_alg coll_scan_linear = {.kind = COLL_SCAN,
                                          .name = "linear",
                                          .source = "SMPI, MPI_Scan",
                                          .cost = "L + (p-1) n/B",
                                          .round = linear_round,
                                          .tmp_bytes = linear_tmp};
const struct coll_alg coll_scan_linear_nb = {.kind = COLL_SCAN,
                                             .name = "linear_nb",
                                             .source = "SMPI, MPI_Iscan",
                                             .cost = "L + (p-1) n/B",
                                             .round = linear_nb_round,
                                             .tmp_bytes = linear_tmp};
const struct coll_alg coll_exscan_linear = {.kind = COLL_EXSCAN,
                                            .name = "linear",
                                            .source = "SMPI, MPI_Exscan",
                                            .cost = "L + (p-1) n/B",
                                            .round = linear_round,
                                            .tmp_bytes = linear_tmp};
const struct coll_alg coll_exscan_linear_nb = {.kind = COLL_EXSCAN,
                                               .name = "linear_nb",
                                               .source = "SMPI, MPI_Iexscan",
                                               .cost = "L + (p-1) n/B",
                                               .round = linear_nb_round,
                                               .tmp_bytes = linear_tmp};
