/* allgather_ring.c: allgather and allgatherv between neighbours on a ring. */
#include "coll/coll_int.h"

static void own_block(const struct coll_args *a, uint32_t rank, struct coll_steps *out)
{
	step_copy(out, piece_recv_block(a, rank), piece_send(a));
}

/* Step i passes on to rank+1 the block that came in step i-1. */
static int NTSLR_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                       struct coll_steps *out)
{
	if (round >= a->size)
		return COLL_END;
	if (round == 0) {
		own_block(a, rank, out);
		return 0;
	}
	struct piece sent = piece_recv_block(a, rank_sub(a, rank, round - 1)),
	             come = piece_recv_block(a, rank_sub(a, rank, round));
	step_sendrecv(out, rank, rank_add(a, rank, 1), sent, rank_sub(a, rank, 1), come);
	return 0;
}

static uint32_t NTSLR_alike(const struct coll_args *a, uint32_t round)
{
	return round == 1 ? a->size - 1 : 0;
}

const struct coll_alg coll_allgather_NTSLR = {.kind = COLL_ALLGATHER,
                                              .name = "NTSLR",
                                              .source = "STAR-MPI; MPICH and Open MPI, ring",
                                              .cost = "(p-1) (L + m/B)",
                                              .round = NTSLR_round,
                                              .alike = NTSLR_alike};

/* The same with all receives posted first. Requests: step i's receive, p + i its send. */
static int NTSLR_NB_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                          struct coll_steps *out)
{
	uint32_t p = a->size;
	if (round >= 2 * p - 1)
		return COLL_END;
	if (round == 0) {
		own_block(a, rank, out);
	} else if (round < p) {
		step_irecv(out, rank_sub(a, rank, 1), piece_recv_block(a, rank_sub(a, rank, round)),
		           round);
	} else {
		uint32_t i = round - p + 1;
		step_isend(out, rank_add(a, rank, 1), piece_recv_block(a, rank_sub(a, rank, i - 1)),
		           p + i);
		step_wait(out, i);
		step_wait(out, p + i);
	}
	return 0;
}

const struct coll_alg coll_allgather_NTSLR_NB = {.kind = COLL_ALLGATHER,
                                                 .name = "NTSLR_NB",
                                                 .source = "STAR-MPI",
                                                 .cost = "(p-1) (L + m/B)",
                                                 .round = NTSLR_NB_round};

/* --- neighbour exchange (Chen et al., "Performance evaluation of allgather algorithms on terascale
 * Linux cluster", HPCAsia 2005): after its own block, swapped with one neighbour, a rank passes
 * pairs of blocks on, to one neighbour and the other in turn --- */

/* The even rank of the pair whose two blocks come in step i (0: the own pair). */
static uint32_t pair_of_step(const struct coll_args *a, uint32_t rank, uint32_t i)
{
	uint32_t base = rank & ~1u, far = (i + 1) / 2 * 2 % a->size, near = i / 2 * 2 % a->size;
	if (i % 2)
		return rank % 2 ? rank_add(a, base, far) : rank_sub(a, base, far);
	return rank % 2 ? rank_sub(a, base, near) : rank_add(a, base, near);
}

static struct piece pair_piece(const struct coll_args *a, uint32_t first)
{
	struct piece one = piece_recv_block(a, first), other = piece_recv_block(a, first + 1);
	return piece_at(BUF_RECV, one.off, one.len + other.len);
}

static int neighbours_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                            struct coll_steps *out)
{
	uint32_t with_pair = rank % 2 ? rank - 1 : rank + 1,
	         other = rank % 2 ? rank_add(a, rank, 1) : rank_sub(a, rank, 1);
	if (round >= a->size / 2)
		return COLL_END;
	if (round == 0) {
		own_block(a, rank, out);
		step_sendrecv(out, rank, with_pair, piece_recv_block(a, rank), with_pair,
		              piece_recv_block(a, with_pair));
		return 0;
	}
	uint32_t peer = round % 2 ? other : with_pair;
	step_sendrecv(out, rank, peer, pair_piece(a, pair_of_step(a, rank, round - 1)), peer,
	              pair_piece(a, pair_of_step(a, rank, round)));
	return 0;
}
static uint32_t neighbours_alike(const struct coll_args *a, uint32_t round)
{
	return round == 1 && coll_counts_alike(a) ? a->size / 2 - 1 : 0;
}

static const struct coll_alg neighbours = {.kind = COLL_ALLGATHER,
                                           .name = "neighbours",
                                           .round = neighbours_round,
                                           .alike = neighbours_alike};
static const struct coll_alg neighbours_v = {.kind = COLL_ALLGATHERV,
                                             .name = "neighbours",
                                             .round = neighbours_round,
                                             .alike = neighbours_alike};

static const struct coll_alg *neighbour_choose(const struct coll_args *a)
{
	if (a->kind == COLL_ALLGATHERV)
		return !(a->size % 2) ? &neighbours_v
		       : a->compat    ? &coll_allgatherv_ring
		                      : &coll_allgatherv_ompi_ring;
	return !(a->size % 2) ? &neighbours
	       : a->compat    ? &coll_allgather_ring
	                      : &coll_allgather_NTSLR;
}

const struct coll_alg coll_allgather_ompi_neighborexchange = {
    .kind = COLL_ALLGATHER,
    .name = "ompi_neighborexchange",
    .source = "Open MPI; Chen et al. 2005",
    .cost = "p/2 L + (p-1) m/B",
    .phase = {{.choose = neighbour_choose}}};
const struct coll_alg coll_allgatherv_ompi_neighborexchange = {
    .kind = COLL_ALLGATHERV,
    .name = "ompi_neighborexchange",
    .source = "Open MPI; Chen et al. 2005",
    .cost = "p/2 L + n/B",
    .phase = {{.choose = neighbour_choose}}};

/* --- MPICH's ring for irregular counts: in each step at most one segment to rank+1 and one from
 * rank-1, so that long and short blocks overlap. A segment is as long as the shortest block, or 256
 * KiB if that is longer; in MPICH 4, 32 KiB --- */

/* Bytes: whole elements, at least one. */
static int64_t segment_bytes(const struct coll_args *a)
{
	int64_t ts = a->element ? a->element : a->type_size2, least = piece_recv_block(a, 0).len;
	if (ts == 0)
		return 1;
	if (a->counted)
		least = a->least2 * a->type_size2;
	for (uint32_t i = 1; a->counts2 && !a->counted && i < a->size; i++)
		if (a->counts2[i] * a->type_size2 < least)
			least = a->counts2[i] * a->type_size2;
	if (a->segment || least < 256 << 10)
		least = coll_segment(a, 256 << 10);
	return least > ts ? least / ts * ts : ts;
}

static int64_t segments_of(int64_t bytes, int64_t each)
{
	return bytes ? (bytes - 1) / each + 1 : 1;
}

/* Of each block as many, so that which has the i-th need not be counted; 0: not known to be so. */
static int64_t segments_of_each(const struct coll_args *a, int64_t each)
{
	if (!a->counted || a->counts2 == NULL)
		return 0;
	int64_t most = segments_of(a->most2 * a->type_size2, each);
	return segments_of(a->least2 * a->type_size2, each) == most ? most : 0;
}

/* The i-th segment of blocks start, start-1, … (p-1 of them); an empty block counts for one. len -1
 * when there are no more. */
static struct piece segment_of(const struct coll_args *a, uint32_t start, int64_t each, int64_t i)
{
	int64_t alike = segments_of_each(a, each);
	uint32_t from = 0;
	if (alike) {
		from = (uint32_t)(i / alike < a->size ? i / alike : a->size);
		i -= from * alike;
	}
	for (uint32_t b = from; b + 1 < a->size; b++) {
		struct piece block = piece_recv_block(a, rank_sub(a, start, b));
		int64_t segments = segments_of(block.len, each);
		if (i < segments) {
			int64_t first = i * each, left = block.len - first;
			return piece_at(BUF_RECV, block.off + first, left < each ? left : each);
		}
		i -= segments;
	}
	return piece_at(BUF_RECV, 0, -1);
}

static int mpich_ring_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                            struct coll_steps *out)
{
	if (round == 0) {
		own_block(a, rank, out);
		return 0;
	}
	if (a->size == 1)
		return COLL_END;
	uint32_t left = rank_sub(a, rank, 1), right = rank_add(a, rank, 1);
	int64_t each = segment_bytes(a), i = (int64_t)round - 1;
	struct piece sent = segment_of(a, rank, each, i), come = segment_of(a, left, each, i);
	if (sent.len < 0 && come.len < 0)
		return COLL_END;
	if (sent.len > 0 && come.len > 0)
		step_sendrecv(out, rank, right, sent, left, come);
	else if (sent.len > 0)
		step_send(out, right, sent);
	else if (come.len > 0)
		step_recv(out, left, come);
	return 0;
}

/* Blocks of one segment. */
static uint32_t mpich_ring_alike(const struct coll_args *a, uint32_t round)
{
	return round == 1 && a->counts2 && coll_counts_alike(a) &&
	               segments_of_each(a, segment_bytes(a)) == 1
	           ? a->size - 1
	           : 0;
}

const struct coll_alg coll_allgatherv_mpich_ring = {.kind = COLL_ALLGATHERV,
                                                    .name = "mpich_ring",
                                                    .source = "MPICH 3",
                                                    .cost = "(p-1) L + n/B",
                                                    .round = mpich_ring_round,
                                                    .alike = mpich_ring_alike};

enum { PIPELINE_SEGMENT = 32 << 10 };
static int in_segments(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                       struct coll_view *view)
{
	(void)rank, (void)view;
	phase->segment = coll_segment(whole, PIPELINE_SEGMENT);
	return 1;
}
const struct coll_alg coll_allgatherv_mpich_pipelined_ring = {
    .kind = COLL_ALLGATHERV,
    .name = "mpich_pipelined_ring",
    .source = "MPICH 4, ring",
    .cost = "(p-1 + n/s) L + n/B, s = 32 KiB",
    .phase = {{.alg = &coll_allgatherv_mpich_ring, .args = in_segments}}};
