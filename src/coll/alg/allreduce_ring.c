/* allreduce_ring.c: allreduce on a ring: reduce-scatter, then allgather (Patarasuk and Yuan,
 * JPDC 69(2), 2009). */
#include "coll/coll_int.h"

static int64_t chunk_elements(const struct coll_args *a)
{
	return a->count / a->size;
}

/* Chunk i mod p of a buffer; -2p <= i. */
static struct piece chunk(const struct coll_args *a, enum coll_buf buf, int64_t i)
{
	int64_t bytes = chunk_elements(a) * a->type_size;
	return piece_at(buf, (i + 2 * (int64_t)a->size) % a->size * bytes, bytes);
}

/* Rounds 0 … p-2 send the partial sum of chunk rank-1-i on and add the own part to the one that
 * comes; then the sums go round. */
static int ring_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                      struct coll_steps *out)
{
	uint32_t steps = a->size - 1, to = rank_add(a, rank, 1 % a->size),
	         from = rank_sub(a, rank, 1 % a->size);
	int64_t i = round, r = rank;
	if (round == 0)
		step_copy(out, chunk(a, BUF_RECV, r - 1), chunk(a, BUF_SEND, r - 1));
	if (round >= 2 * steps)
		return round == 0 ? 0 : COLL_END;
	if (round >= steps) {
		i -= steps;
		step_sendrecv(out, rank, to, chunk(a, BUF_RECV, r - i), from,
		              chunk(a, BUF_RECV, r - 1 - i));
		return 0;
	}
	step_sendrecv(out, rank, to, chunk(a, BUF_RECV, r - 1 - i), from,
	              chunk(a, BUF_RECV, r - 2 - i));
	step_reduce(out, chunk(a, BUF_RECV, r - 2 - i), chunk(a, BUF_SEND, r - 2 - i));
	return 0;
}
static uint32_t ring_alike(const struct coll_args *a, uint32_t round)
{
	uint32_t steps = a->size - 1;
	return round == 1 && steps > 1 ? steps - 1 : round == steps ? steps : 0;
}
static const struct coll_alg ring_chunks = {
    .kind = COLL_ALLREDUCE, .name = "ring_chunks", .round = ring_round, .alike = ring_alike};

static const struct coll_alg *lr_choose(const struct coll_args *a)
{
	return a->count < a->size ? &coll_allreduce_redbcast : &ring_chunks;
}

/* What does not divide by p is reduced by the selected algorithm. */
static int rest_args(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                     struct coll_view *view)
{
	(void)rank;
	int64_t done = chunk_elements(whole) * whole->size;
	if (done == 0 || done == whole->count)
		return 0;
	phase->count = whole->count - done;
	view->off[BUF_SEND] = view->off[BUF_RECV] = done * whole->type_size;
	return 1;
}

const struct coll_alg coll_allreduce_lr = {
    .kind = COLL_ALLREDUCE,
    .name = "lr",
    .source = "STAR-MPI, logical ring; Open MPI, ring",
    .cost = "2 (p-1) (L + n/p/B)",
    .phase = {{.choose = lr_choose}, {.selected = 1, .args = rest_args}},
    .needs_commutative = 1};

/* --- Open MPI's ring in segments of 1 MiB --- */

/* Part i of `parts` of `count` elements, the first ones one longer. */
struct part {
	int64_t first, len;
};
static struct part part_of(int64_t count, int64_t parts, int64_t i)
{
	int64_t base = count / parts, longer = count % parts;
	return (struct part){i * base + (i < longer ? i : longer), base + (i < longer)};
}

enum { RING_SEGMENT = 1 << 20 };

static int64_t segment_elements(const struct coll_args *a)
{
	int64_t ts = a->type_size, bytes = coll_segment(a, RING_SEGMENT);
	if (bytes < ts || bytes >= ts * a->count)
		return a->count;
	return bytes / ts + (bytes % ts > ts / 2);
}

static int64_t phases_of(const struct coll_args *a)
{
	int64_t once = a->size * segment_elements(a), left = a->count % once;
	int64_t n = a->count / once + (left >= a->size && left > once / 2);
	return n > 1 ? n : 1;
}

/* What phase f handles of block b, at its place in a buffer. */
static struct piece slice(const struct coll_args *a, uint32_t b, int64_t f, enum coll_buf buf)
{
	struct part block = part_of(a->count, a->size, b), s = part_of(block.len, phases_of(a), f);
	return piece_at(buf, (block.first + s.first) * a->type_size, s.len * a->type_size);
}

static struct piece block_piece(const struct coll_args *a, uint32_t b)
{
	struct part block = part_of(a->count, a->size, b);
	return piece_at(BUF_RECV, block.first * a->type_size, block.len * a->type_size);
}

/* What comes is in two places of the temporary buffer in turn. */
static struct piece incoming(const struct coll_args *a, struct piece wanted, uint32_t k)
{
	int64_t most = part_of(part_of(a->count, a->size, 0).len, phases_of(a), 0).len;
	return piece_at(BUF_TMP, (k & 1) * most * a->type_size, wanted.len);
}

/* Step k of a phase: the slice of block rank-k-1 is awaited; that of block rank-k has come, is
 * added and goes on. */
static void phase_step(const struct coll_args *a, uint32_t rank, int64_t f, uint32_t k,
                       struct coll_steps *out)
{
	uint32_t block = rank_sub(a, rank, k);
	struct piece sum = slice(a, block, f, BUF_RECV);
	if (k < a->size - 1)
		step_irecv(out, rank_sub(a, rank, 1),
		           incoming(a, slice(a, rank_sub(a, rank, k + 1), f, BUF_TMP), k), k & 1);
	if (k > 0) {
		step_wait(out, (k - 1) & 1);
		step_reduce_left(out, sum, incoming(a, sum, k - 1));
	}
	if (k < a->size - 1)
		step_send(out, rank_add(a, rank, 1), sum);
}

static int segmented_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                           struct coll_steps *out)
{
	int64_t p = a->size, reducing = phases_of(a) * p, i = (int64_t)round - 1;
	if (round == 0) {
		step_copy(out, piece_recv(a), piece_send(a));
		return 0;
	}
	if (p == 1 || i >= reducing + p - 1)
		return COLL_END;
	if (i < reducing) {
		phase_step(a, rank, i / p, (uint32_t)(i % p), out);
		return 0;
	}
	uint32_t k = (uint32_t)(i - reducing), come = rank_sub(a, rank, k);
	step_sendrecv(out, rank, rank_add(a, rank, 1), block_piece(a, rank_add(a, come, 1)),
	              rank_sub(a, rank, 1), block_piece(a, come));
	return 0;
}
static int64_t segmented_tmp(const struct coll_args *a, uint32_t rank)
{
	(void)rank;
	return 2 * part_of(part_of(a->count, a->size, 0).len, phases_of(a), 0).len * a->type_size;
}
/* Of each phase, steps 1 to p-2; then the blocks go round. */
static uint32_t segmented_alike(const struct coll_args *a, uint32_t round)
{
	int64_t p = a->size, reducing = phases_of(a) * p, i = (int64_t)round - 1;
	if (p < 3 || i > reducing)
		return 0;
	return i == reducing ? a->size - 1 : i % p == 1 ? a->size - 2 : 0;
}
static const struct coll_alg ring_segments = {.kind = COLL_ALLREDUCE,
                                              .name = "ring_segments",
                                              .round = segmented_round,
                                              .alike = segmented_alike,
                                              .tmp_bytes = segmented_tmp};

static const struct coll_alg *segmented_choose(const struct coll_args *a)
{
	if (a->count < a->size && !a->compat)
		return &coll_allreduce_rdb; /* Open MPI; SimGrid's ring sends empty blocks */
	/* Less than a segment a block: Open MPI's ring, one phase of the same; SimGrid's, which
	 * leaves a remainder to another algorithm. */
	return a->compat && (a->count == 0 || a->count < a->size * segment_elements(a))
	           ? &coll_allreduce_lr
	           : &ring_segments;
}

const struct coll_alg coll_allreduce_ompi_ring_segmented = {
    .kind = COLL_ALLREDUCE,
    .name = "ompi_ring_segmented",
    .source = "Open MPI",
    .cost = "(p + n/s) (L + s/B) + (p-1) (L + n/p/B), s = 1 MiB",
    .phase = {{.choose = segmented_choose}},
    .needs_commutative = 1};

/* Open MPI's ring: whole blocks in one phase; of fewer elements than ranks it is recursive
 * doubling. */
static int in_one_phase(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                        struct coll_view *view)
{
	(void)whole, (void)rank, (void)view;
	phase->segment = COLL_WHOLE;
	return 1;
}
static const struct coll_alg *ring_choose(const struct coll_args *a)
{
	return a->count < a->size ? &coll_allreduce_rdb : &ring_segments;
}
const struct coll_alg coll_allreduce_ompi_ring = {
    .kind = COLL_ALLREDUCE,
    .name = "ompi_ring",
    .source = "Open MPI, ring; rdb if there are fewer elements than ranks",
    .cost = "2 (p-1) (L + n/p/B)",
    .phase = {{.choose = ring_choose, .args = in_one_phase}},
    .needs_commutative = 1};
