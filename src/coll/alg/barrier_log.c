/* barrier_log.c: barriers of a logarithmic number of steps, and the ring. All messages are
 * empty. */
#include "coll/coll_int.h"

static const struct piece empty = {BUF_TMP, 0, 0};

static void meet(struct coll_steps *out, uint32_t rank, uint32_t to, uint32_t from)
{
	step_sendrecv(out, rank, to, empty, from, empty);
}

static int bruck_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                       struct coll_steps *out)
{
	if (round >= log2_ceil(a->size))
		return COLL_END;
	meet(out, rank, rank_add(a, rank, 1u << round), rank_sub(a, rank, 1u << round));
	return 0;
}

const struct coll_alg coll_barrier_ompi_bruck = {
    .kind = COLL_BARRIER,
    .name = "ompi_bruck",
    .source = "Bruck et al. 1997; Open MPI; MPICH, dissemination",
    .cost = "ceil(log2 p) L",
    .round = bruck_round};

/* Ranks beyond the power of two speak to a partner below it before and after. Round 0 and the last
 * are theirs. */
static int doubling_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                          struct coll_steps *out)
{
	uint32_t steps = log2_floor(a->size), pof2 = 1u << steps, extra = a->size - pof2;
	if (round > steps + 1)
		return COLL_END;
	if (rank >= pof2) {
		if (round == 0)
			meet(out, rank, rank - pof2, rank - pof2);
	} else if (round == 0 && rank < extra) {
		step_recv(out, rank + pof2, empty);
	} else if (round > steps && rank < extra) {
		step_send(out, rank + pof2, empty);
	} else if (round > 0 && round <= steps) {
		uint32_t peer = rank ^ (1u << (round - 1));
		meet(out, rank, peer, peer);
	}
	return 0;
}

const struct coll_alg coll_barrier_ompi_recursivedoubling = {
    .kind = COLL_BARRIER,
    .name = "ompi_recursivedoubling",
    .source = "Open MPI",
    .cost = "(log2 p + 2 if p is not a power of two) L",
    .round = doubling_round};
const struct coll_alg coll_barrier_mvapich2_pair = {
    .kind = COLL_BARRIER,
    .name = "mvapich2_pair",
    .source = "MVAPICH2 1.9",
    .cost = "(log2 p + 2 if p is not a power of two) L",
    .round = doubling_round};

/* A binomial tree up, where the higher of two sends, and down again. */
static int tree_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                      struct coll_steps *out)
{
	uint32_t steps = log2_ceil(a->size);
	if (round >= 2 * steps)
		return COLL_END;
	int down = round >= steps;
	uint32_t jump = 1u << (down ? 2 * steps - 1 - round : round), peer = rank ^ jump;
	if (peer & (jump - 1) || peer >= a->size)
		return 0;
	if ((peer > rank) == down)
		step_send(out, peer, empty);
	else
		step_recv(out, peer, empty);
	return 0;
}

const struct coll_alg coll_barrier_ompi_tree = {.kind = COLL_BARRIER,
                                                .name = "ompi_tree",
                                                .source = "Open MPI",
                                                .cost = "2 ceil(log2 p) L",
                                                .round = tree_round};

static int two_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                     struct coll_steps *out)
{
	if (round > 0 || a->size < 2)
		return COLL_END;
	meet(out, rank, 1 - rank, 1 - rank);
	return 0;
}

static const char *two_refuses(const struct coll_args *a)
{
	return a->size == 2 ? NULL : "it is for two ranks";
}

const struct coll_alg coll_barrier_ompi_two_procs = {.kind = COLL_BARRIER,
                                                     .name = "ompi_two_procs",
                                                     .source = "Open MPI",
                                                     .cost = "L",
                                                     .round = two_round,
                                                     .refuses = two_refuses};

/* A token goes round twice. */
static int doublering_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                            struct coll_steps *out)
{
	if (round >= 2 || a->size < 2)
		return COLL_END;
	if (rank > 0)
		step_recv(out, rank - 1, empty);
	step_send(out, rank_add(a, rank, 1), empty);
	if (rank == 0)
		step_recv(out, a->size - 1, empty);
	return 0;
}

const struct coll_alg coll_barrier_ompi_doublering = {.kind = COLL_BARRIER,
                                                      .name = "ompi_doublering",
                                                      .source = "Open MPI",
                                                      .cost = "2 p L",
                                                      .round = doublering_round};
