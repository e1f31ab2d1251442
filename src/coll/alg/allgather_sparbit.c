/* allgather_sparbit.c: allgather and allgatherv as Open MPI 5's sparbit (Loch and Koslovski,
 * "Sparbit: a new logarithmic-cost and data locality-aware MPI allgather algorithm", 2021):
 * distances fall from the largest power of two, so that the longest exchanges are between near
 * ranks. Each block is a message of its own. Also Open MPI's plain ring of allgatherv, and Bruck's
 * algorithm to the base k (MPICH). */
#include "coll/coll_int.h"

/* Distance of a step, and its blocks; a step whose last block would come twice leaves it out. */
struct step {
	uint32_t distance, blocks;
};

static struct step step_of(const struct coll_args *a, uint32_t i)
{
	uint32_t p = a->size, zeros = (uint32_t)__builtin_ctz(p), expected = 1;
	uint32_t ignored = (~(p >> zeros) | 1) << zeros, d = 1u << (log2_ceil(p) - 1);
	for (;; i--, d >>= 1) {
		uint32_t left_out = (d & ignored) == d;
		if (i == 0)
			return (struct step){d, expected - left_out};
		expected = 2 * expected - left_out;
	}
}

static int sparbit_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                         struct coll_steps *out)
{
	uint32_t steps = log2_ceil(a->size);
	if (round == 0) {
		step_copy(out, piece_recv_block(a, rank), piece_send(a));
		return 0;
	}
	round--;
	for (uint32_t i = 0; i < steps; i++) {
		struct step s = step_of(a, i);
		if (round > s.blocks) {
			round -= s.blocks + 1;
			continue;
		}
		if (round == s.blocks) {
			step_waitall(out);
			return 0;
		}
		uint32_t back = (uint32_t)(2ull * round * s.distance % a->size),
		         more = (uint32_t)((2ull * round + 1) * s.distance % a->size);
		step_isend(out, rank_add(a, rank, s.distance),
		           piece_recv_block(a, rank_sub(a, rank, back)), 2 * round);
		step_irecv(out, rank_sub(a, rank, s.distance),
		           piece_recv_block(a, rank_sub(a, rank, more)), 2 * round + 1);
		return 0;
	}
	return COLL_END;
}

const struct coll_alg coll_allgather_ompi_sparbit = {
    .kind = COLL_ALLGATHER,
    .name = "ompi_sparbit",
    .source = "Open MPI 5; Loch and Koslovski 2021",
    .cost = "ceil(log2 p) L + (p-1) m/B",
    .round = sparbit_round};
const struct coll_alg coll_allgatherv_ompi_sparbit = {
    .kind = COLL_ALLGATHERV,
    .name = "ompi_sparbit",
    .source = "Open MPI 5; Loch and Koslovski 2021",
    .cost = "ceil(log2 p) L + n/B",
    .round = sparbit_round};

/* Step i passes on to rank+1 the block that came in step i-1. */
static int ring_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                      struct coll_steps *out)
{
	if (round >= a->size)
		return COLL_END;
	if (round == 0)
		step_copy(out, piece_recv_block(a, rank), piece_send(a));
	else
		step_sendrecv(out, rank, rank_add(a, rank, 1),
		              piece_recv_block(a, rank_sub(a, rank, round - 1)),
		              rank_sub(a, rank, 1), piece_recv_block(a, rank_sub(a, rank, round)));
	return 0;
}

static uint32_t ring_alike(const struct coll_args *a, uint32_t round)
{
	return round == 1 && coll_counts_alike(a) ? a->size - 1 : 0;
}

const struct coll_alg coll_allgatherv_ompi_ring = {.kind = COLL_ALLGATHERV,
                                                   .name = "ompi_ring",
                                                   .source = "Open MPI, ring",
                                                   .cost = "(p-1) L + n/B",
                                                   .round = ring_round,
                                                   .alike = ring_alike};

/* Open MPI's recursive doubling is Bruck's algorithm where the ranks are no power of two. */
static const struct coll_alg *doubling_choose(const struct coll_args *a)
{
	return is_pow2(a->size) ? &coll_allgather_rdb : &coll_allgather_bruck;
}
const struct coll_alg coll_allgather_ompi_recursivedoubling = {
    .kind = COLL_ALLGATHER,
    .name = "ompi_recursivedoubling",
    .source = "Open MPI; bruck if p is no power of two",
    .cost = "ceil(log2 p) L + (p-1) m/B",
    .phase = {{.choose = doubling_choose}}};

/* --- Bruck to the base k: in step i, the first k^i blocks (or what is missing) go to rank - j k^i,
 * for j = 1 … k-1 --- */

static uint32_t base(const struct coll_args *a)
{
	uint32_t k = a->fanout < 2 ? 2 : a->fanout;
	return k > a->size && a->size > 1 ? a->size : k;
}

static int k_bruck_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                         struct coll_steps *out)
{
	uint32_t k = base(a), p = a->size;
	int64_t m = a->count2 * a->type_size2;
	uint64_t d = 1;
	if (round == 0) {
		step_copy(out, piece_at(BUF_TMP, 0, m), piece_send(a));
		return 0;
	}
	round--;
	for (; round >= k && d < p; round -= k)
		d *= k;
	if (d >= p) {
		if (round > 0)
			return COLL_END;
		step_copy(out, piece_at(BUF_RECV, rank * m, (p - rank) * m),
		          piece_at(BUF_TMP, 0, (p - rank) * m));
		step_copy(out, piece_at(BUF_RECV, 0, rank * m),
		          piece_at(BUF_TMP, (p - rank) * m, rank * m));
		return 0;
	}
	uint64_t far = (round + 1) * d;
	if (round == k - 1) {
		step_waitall(out);
	} else if (far < p) {
		int64_t n = (int64_t)(p - far < d ? p - far : d);
		step_irecv(out, rank_add(a, rank, (uint32_t)far),
		           piece_at(BUF_TMP, (int64_t)far * m, n * m), 2 * round);
		step_isend(out, rank_sub(a, rank, (uint32_t)far), piece_at(BUF_TMP, 0, n * m),
		           2 * round + 1);
	}
	return 0;
}

static int64_t all_blocks(const struct coll_args *a, uint32_t rank)
{
	(void)rank;
	return a->size * a->count2 * a->type_size2;
}

const struct coll_alg coll_allgather_k_bruck = {
    .kind = COLL_ALLGATHER,
    .name = "k_bruck",
    .source = "MPICH 4, k_brucks, k = 2; Bruck et al. 1997",
    .cost = "ceil(logk p) L + (p-1) m/B",
    .round = k_bruck_round,
    .tmp_bytes = all_blocks};
