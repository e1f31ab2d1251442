/* allreduce_rab12.c: STAR-MPI's variants of Rabenseifner's algorithm made of other
 * collectives. The vector is padded to a multiple of p elements (by repeating its first one), so
 * that all blocks are equal; the selected allgather puts the reduced blocks together.
 *
 * Temporary buffer: the padded vector A, then room B of as many bytes. */
#include "coll/coll_int.h"

static int64_t block_elements(const struct coll_args *a)
{
	return (a->count + a->size - 1) / a->size;
}
/* SMPI's rab2 has at least p elements in a block, if any. */
static int64_t rab2_block_elements(const struct coll_args *a)
{
	return a->compat && a->count > 0 && a->count < a->size ? a->size : block_elements(a);
}
static int64_t block_bytes(const struct coll_args *a)
{
	return block_elements(a) * a->type_size;
}
static int64_t rab2_block_bytes(const struct coll_args *a)
{
	return rab2_block_elements(a) * a->type_size;
}

/* Up to p blocks of b bytes. */
static void pad(const struct coll_args *a, int64_t b, struct coll_steps *out)
{
	int64_t n = a->count * a->type_size, ts = a->type_size;
	step_copy(out, piece_at(BUF_TMP, 0, n), piece_send(a));
	if (n)
		step_copy_strided(out, piece_at(BUF_TMP, n, ts), ts, piece_at(BUF_SEND, 0, ts), 0,
		                  (uint32_t)((b * a->size - n) / ts));
}

/* From the rank's block of n elements, at the start of B, to all blocks in A. */
static int gather_blocks(const struct coll_args *whole, int64_t n, struct coll_args *phase,
                         struct coll_view *view)
{
	phase->kind = COLL_ALLGATHER;
	phase->count = phase->count2 = n;
	phase->type_size2 = phase->type_size;
	view->buf[BUF_SEND] = view->buf[BUF_RECV] = BUF_TMP;
	view->off[BUF_SEND] = n * whole->type_size * whole->size;
	view->off[BUF_RECV] = 0;
	return 1;
}

static int copy_out_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                          struct coll_steps *out)
{
	(void)rank;
	if (round > 0)
		return COLL_END;
	step_copy(out, piece_recv(a), piece_at(BUF_TMP, 0, a->count * a->type_size));
	return 0;
}
static const struct coll_alg copy_out = {
    .kind = COLL_ALLREDUCE, .name = "copy_out", .round = copy_out_round};

/* rab1: recursive halving by distances p/2, p/4, … 1, so that rank r ends with block r. What comes
 * goes to B; the block ends there. */
static int halving_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                         struct coll_steps *out)
{
	uint32_t steps = log2_floor(a->size), half = a->size >> round;
	int64_t b = block_bytes(a), at = b * a->size;
	if (round > steps + 1)
		return COLL_END;
	if (round == 0) {
		pad(a, b, out);
	} else if (round <= steps) {
		uint32_t mine = rank & -half, peer = rank ^ half, theirs = peer & -half;
		step_sendrecv(out, rank, peer, piece_at(BUF_TMP, theirs * b, half * b), peer,
		              piece_at(BUF_TMP, at + mine * b, half * b));
		struct piece sum = piece_at(BUF_TMP, mine * b, half * b),
		             in = piece_at(BUF_TMP, at + mine * b, half * b);
		if (peer < rank)
			step_reduce_left(out, sum, in);
		else
			step_reduce(out, sum, in);
	} else {
		step_copy(out, piece_at(BUF_TMP, at, b), piece_at(BUF_TMP, rank * b, b));
	}
	return 0;
}
static const struct coll_alg halving = {
    .kind = COLL_ALLREDUCE, .name = "halving", .round = halving_round};

static int gather_from_b(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                         struct coll_view *view)
{
	(void)rank;
	return gather_blocks(whole, block_elements(whole), phase, view);
}

static int64_t rab1_tmp(const struct coll_args *a, uint32_t rank)
{
	(void)rank;
	return 2 * a->size * block_bytes(a);
}

static const char *pow2_refuses(const struct coll_args *a)
{
	return is_pow2(a->size) ? NULL : "it is for a power of two of ranks";
}

const struct coll_alg coll_allreduce_rab1 = {
    .kind = COLL_ALLREDUCE,
    .name = "rab1",
    .source = "STAR-MPI; Rabenseifner",
    .cost = "log2 p L + (p-1)/p n/B + the selected allgather's",
    .phase = {{.alg = &halving, .args = phase_on_tmp},
              {.selected = 1, .args = gather_from_b},
              {.alg = &copy_out, .args = phase_on_tmp}},
    .tmp_bytes = rab1_tmp,
    .refuses = pow2_refuses,
    .needs_commutative = 1};

/* rab2: alltoall of blocks from A to B, sum of B's blocks into its first, allgather back to A. */
static int pad_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                     struct coll_steps *out)
{
	(void)rank;
	if (round > 0)
		return COLL_END;
	pad(a, rab2_block_bytes(a), out);
	return 0;
}
static const struct coll_alg padding = {
    .kind = COLL_ALLREDUCE, .name = "padding", .round = pad_round};

static int all_blocks(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                      struct coll_view *view)
{
	(void)rank;
	phase->kind = COLL_ALLTOALL;
	phase->count = phase->count2 = rab2_block_elements(whole);
	phase->type_size2 = phase->type_size;
	view->buf[BUF_SEND] = view->buf[BUF_RECV] = BUF_TMP;
	view->off[BUF_RECV] = rab2_block_bytes(whole) * whole->size;
	return 1;
}

static int sum_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                     struct coll_steps *out)
{
	(void)rank;
	int64_t b = rab2_block_bytes(a), at = b * a->size;
	if (round + 1 >= a->size)
		return COLL_END;
	step_reduce(out, piece_at(BUF_TMP, at, b), piece_at(BUF_TMP, at + (round + 1) * b, b));
	return 0;
}
static const struct coll_alg sum_blocks = {
    .kind = COLL_ALLREDUCE, .name = "sum_blocks", .round = sum_round};

static int gather_rab2(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                       struct coll_view *view)
{
	(void)rank;
	return gather_blocks(whole, rab2_block_elements(whole), phase, view);
}

static int64_t rab2_tmp(const struct coll_args *a, uint32_t rank)
{
	(void)rank;
	return 2 * a->size * rab2_block_bytes(a);
}

const struct coll_alg coll_allreduce_rab2 = {
    .kind = COLL_ALLREDUCE,
    .name = "rab2",
    .source = "STAR-MPI; Rabenseifner",
    .cost = "the selected alltoall's and allgather's of n/p",
    .phase = {{.alg = &padding, .args = phase_on_tmp},
              {.selected = 1, .args = all_blocks},
              {.alg = &sum_blocks, .args = phase_on_tmp},
              {.selected = 1, .args = gather_rab2},
              {.alg = &copy_out, .args = phase_on_tmp}},
    .tmp_bytes = rab2_tmp};
