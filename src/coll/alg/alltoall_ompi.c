/* alltoall_ompi.c: alltoall with a limited number of requests at a time (Open MPI,
 * linear_sync), pairwise exchanges of alltoallv (Open MPI), and Bruck's algorithm to the base k
 * (MPICH, k_brucks). */
#include "coll/coll_int.h"

/* Open MPI keeps k receives and k sends under way, and replaces whichever ends. Which one that is
 * depends on time; here the oldest is waited for. Receive i is from rank + i, send i to rank - i.
 * Requests 2i and 2i+1. Rounds 1 … k post, then each waits for one pair and posts the next. */
static int linear_sync_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                             struct coll_steps *out)
{
	uint32_t p = a->size, k = coll_fanout(a, p);
	k = k > p - 1 ? p - 1 : k;
	if (round == 0) {
		step_copy(out, piece_recv_block(a, rank), piece_send_block(a, rank));
		return 0;
	}
	if (p == 1 || round >= p + k)
		return COLL_END;
	if (round > k) {
		step_wait(out, 2 * (round - k));
		step_wait(out, 2 * (round - k) + 1);
	}
	if (round < p) {
		uint32_t from = rank_add(a, rank, round), to = rank_sub(a, rank, round);
		step_irecv(out, from, piece_recv_block(a, from), 2 * round);
		step_isend(out, to, piece_send_block(a, to), 2 * round + 1);
	}
	return 0;
}

const struct coll_alg coll_alltoall_ompi_linear_sync = {
    .kind = COLL_ALLTOALL,
    .name = "ompi_linear_sync",
    .source = "Open MPI, linear_sync, k requests at a time, all if not said",
    .cost = "(p-1)/k (L + k m/B)",
    .round = linear_sync_round};

const struct coll_alg coll_alltoallv_ompi_pairwise = {.kind = COLL_ALLTOALLV,
                                                      .name = "ompi_pairwise",
                                                      .source = "Open MPI, pairwise",
                                                      .cost = "(p-1) L + n/B",
                                                      .round = alltoall_ring_round};
const struct coll_alg coll_alltoallw_pairwise = {.kind = COLL_ALLTOALLW,
                                                 .name = "pairwise",
                                                 .source = "MPICH; Open MPI, coll/basic",
                                                 .cost = "(p-1) L + n/B",
                                                 .round = alltoall_ring_round};

/* k receives and sends at a time (MPICH, scattered; its window is MPIR_CVAR_ALLTOALL_THROTTLE, 32,
 * and so is k). */
static int scattered_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                           struct coll_steps *out)
{
	uint32_t p = a->size, k = coll_fanout(a, 32);
	uint32_t window = round / (2 * k), sub = round % (2 * k), i = window * k + sub % k;
	if (window * k >= p)
		return COLL_END;
	uint32_t from = i < p ? rank_add(a, rank, i) : 0, to = i < p ? rank_sub(a, rank, i) : 0;
	if (i < p && i == 0 && sub < k)
		step_copy(out, piece_recv_block(a, rank), piece_send_block(a, rank));
	else if (i < p && i && sub < k)
		step_irecv(out, from, piece_recv_block(a, from), sub);
	else if (i < p && i)
		step_isend(out, to, piece_send_block(a, to), sub);
	if (sub == 2 * k - 1)
		step_waitall(out);
	return 0;
}

const struct coll_alg coll_alltoall_mpich_scattered = {.kind = COLL_ALLTOALL,
                                                       .name = "mpich_scattered",
                                                       .source = "MPICH 4, scattered, k = 32",
                                                       .cost = "p/k L + (p-1) m/B",
                                                       .round = scattered_round};
const struct coll_alg coll_alltoallv_mpich_scattered = {.kind = COLL_ALLTOALLV,
                                                        .name = "mpich_scattered",
                                                        .source = "MPICH 4, scattered, k = 32",
                                                        .cost = "p/k L + n/B",
                                                        .round = scattered_round};
const struct coll_alg coll_alltoallw_mpich_scattered = {.kind = COLL_ALLTOALLW,
                                                        .name = "mpich_scattered",
                                                        .source = "MPICH 4, scattered, k = 32",
                                                        .cost = "p/k L + n/B",
                                                        .round = scattered_round};

/* --- Bruck to the base k: block i waits at the start of the temporary buffer until it has gone its
 * distance i, digit by digit: in step s the blocks whose s-th digit is j go to rank + j k^s. They
 * are packed behind, a run of k^s blocks at a time. One round for each: packing a run, the message,
 * unpacking a run --- */

struct walk {
	uint32_t k, p;
	uint64_t d;  /* k^s */
	uint32_t j;  /* digit */
	uint32_t at; /* round within this digit */
	uint32_t runs, blocks;
};

/* Runs of blocks whose digit is j, and those blocks. */
static void count(struct walk *w)
{
	w->runs = w->blocks = 0;
	for (uint64_t first = w->j * w->d; first < w->p; first += w->k * w->d) {
		uint64_t end = first + w->d < w->p ? first + w->d : w->p;
		w->runs++;
		w->blocks += (uint32_t)(end - first);
	}
}

static int walk_to(struct walk *w, uint32_t round)
{
	for (w->d = 1; w->d < w->p; w->d *= w->k)
		for (w->j = 1; w->j < w->k && w->j * w->d < w->p; w->j++) {
			count(w);
			if (round < 2 * w->runs + 1) {
				w->at = round;
				return 0;
			}
			round -= 2 * w->runs + 1;
		}
	return -1 - (int)round;
}

/* Run i of the digit: its blocks' place among all, and packed. */
static void run_of(const struct walk *w, uint32_t i, int64_t m, struct piece *block,
                   int64_t *packed)
{
	uint64_t first = w->j * w->d + i * w->k * w->d,
	         end = first + w->d < w->p ? first + w->d : w->p;
	*block = piece_at(BUF_TMP, (int64_t)first * m, (int64_t)(end - first) * m);
	*packed = (int64_t)i * (int64_t)w->d * m;
}

static void turn(const struct coll_args *a, uint32_t rank, int64_t m, struct coll_steps *out)
{
	uint32_t p = a->size;
	step_copy(out, piece_at(BUF_TMP, 0, (p - rank) * m),
	          piece_at(BUF_SEND, rank * m, (p - rank) * m));
	step_copy(out, piece_at(BUF_TMP, (p - rank) * m, rank * m),
	          piece_at(BUF_SEND, 0, rank * m));
}

/* Blocks 8r … of the result: place i holds what comes from rank - i. */
static int put_right(const struct coll_args *a, uint32_t rank, uint32_t r, int64_t m,
                     struct coll_steps *out)
{
	uint32_t i = 8 * r;
	if (i >= a->size)
		return COLL_END;
	for (uint32_t end = i + 8; i < end && i < a->size; i++)
		step_copy(out, piece_at(BUF_RECV, rank_sub(a, rank, i) * m, m),
		          piece_at(BUF_TMP, i * m, m));
	return 0;
}

static int k_bruck_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                         struct coll_steps *out)
{
	struct walk w = {.k = a->fanout < 2                        ? 2
	                      : a->fanout > a->size && a->size > 1 ? a->size
	                                                           : a->fanout,
	                 .p = a->size};
	int64_t m = a->count * a->type_size, all = a->size * m, packed;
	struct piece run;
	if (round == 0) {
		turn(a, rank, m, out);
		return 0;
	}
	int past = walk_to(&w, round - 1);
	if (past < 0)
		return put_right(a, rank, (uint32_t)(-1 - past), m, out);
	if (w.at < w.runs) {
		run_of(&w, w.at, m, &run, &packed);
		step_copy(out, piece_at(BUF_TMP, all + packed, run.len), run);
	} else if (w.at == w.runs) {
		uint32_t far = (uint32_t)(w.j * w.d);
		step_sendrecv(out, rank, rank_add(a, rank, far),
		              piece_at(BUF_TMP, all, w.blocks * m), rank_sub(a, rank, far),
		              piece_at(BUF_TMP, 2 * all, w.blocks * m));
	} else {
		run_of(&w, w.at - w.runs - 1, m, &run, &packed);
		step_copy(out, run, piece_at(BUF_TMP, 2 * all + packed, run.len));
	}
	return 0;
}

static int64_t three_buffers(const struct coll_args *a, uint32_t rank)
{
	(void)rank;
	return 3 * a->size * a->count * a->type_size;
}

const struct coll_alg coll_alltoall_k_bruck = {
    .kind = COLL_ALLTOALL,
    .name = "k_bruck",
    .source = "MPICH 4, k_brucks, k = 2; Bruck et al. 1997",
    .cost = "(k-1) logk p L + (k-1)/k p logk p m/B",
    .round = k_bruck_round,
    .tmp_bytes = three_buffers};
