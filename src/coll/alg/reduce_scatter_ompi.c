/* reduce_scatter_ompi.c: Open MPI's reduce_scatter: recursive halving, ring, butterfly. All
 * work on a copy of the vector at the start of the temporary buffer; what comes is behind it. */
#include "fold.h"

static int64_t total_bytes(const struct coll_args *a)
{
	return coll_block_elements(a, 0, a->size) * a->type_size;
}

/* Blocks lo … hi-1. */
static struct piece blocks(const struct coll_args *a, uint32_t lo, uint32_t hi)
{
	return piece_at(BUF_TMP, coll_block_elements(a, 0, lo) * a->type_size,
	                coll_block_elements(a, lo, hi) * a->type_size);
}
static struct piece come(const struct coll_args *a, struct piece p)
{
	return piece_at(BUF_TMP, total_bytes(a) + p.off, p.len);
}
static struct piece own(const struct coll_args *a, uint32_t rank)
{
	return piece_at(BUF_RECV, 0, coll_recv_bytes(a, rank));
}

static int64_t two_buffers(const struct coll_args *a, uint32_t rank)
{
	(void)rank;
	return 2 * total_bytes(a);
}

/* First rank of unit u: units stand for the ranks that stay, and for the neighbours that have
 * dropped out. */
static uint32_t unit_rank(const struct fold *f, uint32_t u)
{
	return u < f->rem ? 2 * u : u + f->rem;
}
static struct piece units(const struct coll_args *a, const struct fold *f, uint32_t first,
                          uint32_t len)
{
	return blocks(a, unit_rank(f, first), unit_rank(f, first + len));
}

static void fold_in(const struct coll_args *a, const struct fold *f, uint32_t rank,
                    struct coll_steps *out)
{
	struct piece all = blocks(a, 0, a->size);
	step_copy(out, all, piece_at(BUF_SEND, 0, all.len));
	if (!fold_has_pair(f, rank))
		return;
	if (rank % 2 == 0) {
		step_send(out, rank + 1, all);
	} else {
		step_recv(out, rank - 1, come(a, all));
		step_reduce_left(out, all, come(a, all));
	}
}

/* --- recursive halving, by distances pof2/2 … 1; empty halves are not sent (in SMPI, neither is a
 * half whose counterpart is empty, and its data is lost) --- */

static void halve(const struct coll_args *a, const struct fold *f, uint32_t rank, uint32_t mask,
                  struct coll_steps *out)
{
	uint32_t number = fold_new(f, rank);
	if (number == FOLD_OUT)
		return;
	uint32_t other = number ^ mask, peer = fold_old(f, other);
	struct piece mine = units(a, f, number & -mask, mask),
	             theirs = units(a, f, other & -mask, mask);
	if (a->compat && (mine.len == 0 || theirs.len == 0))
		return;
	if (mine.len)
		step_irecv(out, peer, come(a, mine), 0);
	if (theirs.len)
		step_send(out, peer, theirs);
	if (mine.len)
		step_wait(out, 0);
	step_reduce(out, mine, come(a, mine));
}

static void hand_out(const struct coll_args *a, const struct fold *f, uint32_t rank,
                     struct coll_steps *out)
{
	uint32_t neighbour = rank ^ 1;
	if (fold_new(f, rank) == FOLD_OUT) {
		if (own(a, rank).len)
			step_recv(out, neighbour, own(a, rank));
		return;
	}
	step_copy(out, own(a, rank), blocks(a, rank, rank + 1));
	if (fold_has_pair(f, rank) && blocks(a, neighbour, neighbour + 1).len)
		step_send(out, neighbour, blocks(a, neighbour, neighbour + 1));
}

static int halving_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                         struct coll_steps *out)
{
	struct fold f = fold_of(a->size, FOLD_ODD);
	if (round > f.steps + 1 || total_bytes(a) == 0)
		return COLL_END;
	if (round == 0)
		fold_in(a, &f, rank, out);
	else if (round <= f.steps)
		halve(a, &f, rank, f.pof2 >> round, out);
	else
		hand_out(a, &f, rank, out);
	return 0;
}

const struct coll_alg coll_reduce_scatter_ompi_basic_recursivehalving = {
    .kind = COLL_REDUCE_SCATTER,
    .name = "ompi_basic_recursivehalving",
    .source = "Open MPI, coll/basic",
    .cost = "log2 p L + (p-1)/p n/B (+ 2 L + n/B if folded)",
    .round = halving_round,
    .tmp_bytes = two_buffers,
    .needs_commutative = 1};

/* --- ring: the partial sum of each block goes once round, ending at its owner --- */

static struct piece ring_in(const struct coll_args *a, uint32_t block, uint32_t k)
{
	struct piece p = blocks(a, block, block + 1);
	return piece_at(BUF_TMP, (1 + (k & 1)) * total_bytes(a), p.len);
}

/* Step k: block rank-1-k-1 is awaited; block rank-1-k has come (k > 0), is added and goes on, or is
 * the own one. */
static int ring_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                      struct coll_steps *out)
{
	uint32_t p = a->size, k = round;
	if (round >= p)
		return COLL_END;
	uint32_t block = rank_sub(a, rank_sub(a, rank, 1 % p), k), next = rank_sub(a, block, 1 % p);
	struct piece sum = blocks(a, block, block + 1);
	if (k == 0)
		step_copy(out, blocks(a, 0, p), piece_at(BUF_SEND, 0, total_bytes(a)));
	if (k < p - 1)
		step_irecv(out, rank_sub(a, rank, 1), ring_in(a, next, k), k & 1);
	if (k > 0) {
		step_wait(out, (k - 1) & 1);
		step_reduce_left(out, sum, ring_in(a, block, k - 1));
	}
	if (k < p - 1)
		step_send(out, rank_add(a, rank, 1), sum);
	else
		step_copy(out, own(a, rank), blocks(a, rank, rank + 1));
	return 0;
}

static uint32_t ring_alike(const struct coll_args *a, uint32_t round)
{
	return round == 1 && a->size > 2 && coll_counts_alike(a) ? a->size - 2 : 0;
}

static int64_t three_buffers(const struct coll_args *a, uint32_t rank)
{
	(void)rank;
	return 3 * total_bytes(a);
}

const struct coll_alg coll_reduce_scatter_ompi_ring = {.kind = COLL_REDUCE_SCATTER,
                                                       .name = "ompi_ring",
                                                       .source = "Open MPI",
                                                       .cost = "(p-1) (L + n/p/B)",
                                                       .round = ring_round,
                                                       .alike = ring_alike,
                                                       .tmp_bytes = three_buffers,
                                                       .needs_commutative = 1};

/* --- butterfly: recursive halving by distances 1, 2, 4, …, which leaves the units in bit-reversed
 * places; then each goes to its owner. Groups that combine are neighbours, so that the order is
 * kept (Traff, EuroPVM/MPI 2005) --- */

static void cross(const struct coll_args *a, const struct fold *f, uint32_t rank, uint32_t i,
                  struct coll_steps *out)
{
	uint32_t number = fold_new(f, rank);
	if (number == FOLD_OUT)
		return;
	uint32_t other = number ^ 1u << i, peer = fold_old(f, other);
	struct fold_units keep = fold_units(f, number, i + 1), give = fold_units(f, other, i + 1);
	struct piece mine = units(a, f, keep.first, keep.len),
	             theirs = units(a, f, give.first, give.len);
	step_sendrecv(out, rank, peer, theirs, peer, come(a, mine));
	if (other < number)
		step_reduce_left(out, mine, come(a, mine));
	else
		step_reduce(out, mine, come(a, mine));
}

static void put_right(const struct coll_args *a, const struct fold *f, uint32_t rank,
                      struct coll_steps *out)
{
	uint32_t number = fold_new(f, rank),
	         unit = bits_mirrored(number == FOLD_OUT ? rank / 2 : number, f->steps),
	         peer = fold_old(f, unit);
	if (number == FOLD_OUT) {
		step_recv(out, peer, own(a, rank));
		return;
	}
	if (unit < f->rem)
		step_send(out, peer - 1, blocks(a, peer - 1, peer));
	if (unit == number)
		step_copy(out, own(a, rank), blocks(a, rank, rank + 1));
	else
		step_sendrecv(out, rank, peer, blocks(a, peer, peer + 1), peer, own(a, rank));
}

static int butterfly_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                           struct coll_steps *out)
{
	struct fold f = fold_of(a->size, FOLD_ODD);
	if (round > f.steps + 1)
		return COLL_END;
	if (round == 0)
		fold_in(a, &f, rank, out);
	else if (round <= f.steps)
		cross(a, &f, rank, round - 1, out);
	else
		put_right(a, &f, rank, out);
	return 0;
}

const struct coll_alg coll_reduce_scatter_ompi_butterfly = {
    .kind = COLL_REDUCE_SCATTER,
    .name = "ompi_butterfly",
    .source = "Open MPI 4; Traff 2005",
    .cost = "(log2 p + 1) L + (p-1)/p n/B + m/B (+ L + n/B if folded)",
    .round = butterfly_round,
    .tmp_bytes = two_buffers};

/* Open MPI's reduce_scatter_block: of a power of two of ranks the blocks lie in bit-reversed places
 * from the start, and none is sent last. */
static const struct coll_alg *block_choose(const struct coll_args *a)
{
	return is_pow2(a->size) && coll_counts_equal(a) ? &coll_reduce_scatter_mpich_noncomm
	                                                : &coll_reduce_scatter_ompi_butterfly;
}
const struct coll_alg coll_reduce_scatter_ompi_butterfly_block = {
    .kind = COLL_REDUCE_SCATTER,
    .name = "ompi_butterfly_block",
    .source = "Open MPI 4, reduce_scatter_block, butterfly",
    .cost = "log2 p L + (p-1)/p n/B if p is a power of two, else as ompi_butterfly",
    .phase = {{.choose = block_choose}}};
