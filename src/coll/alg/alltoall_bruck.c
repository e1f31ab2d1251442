/* alltoall_bruck.c: Bruck's alltoall (Bruck et al., IEEE TPDS 8(11), 1997, section 2).
 *
 * Blocks are first rotated so that block b is for rank+b. In step d = 1, 2, 4, … the blocks whose
 * number has bit d travel d ranks on. Then block b has come from rank-b, and a last rotation,
 * backwards, puts it there. The temporary buffer holds the p blocks, then what is packed to send,
 * then what has come. */
#include "coll/coll_int.h"

/* The blocks with bit d: runs of d blocks every 2d, the last perhaps shorter. */
struct runs {
	uint32_t full, rest; /* whole runs; blocks of the last one if it is not whole */
	int64_t blocks;
};
static struct runs runs_of_bit(uint32_t p, uint32_t d)
{
	struct runs r = {.full = (uint32_t)(p / (2ull * d))};
	uint32_t tail = (uint32_t)(p % (2ull * d));
	r.rest = tail > d ? tail - d : 0;
	r.blocks = (int64_t)r.full * d + r.rest;
	return r;
}

/* Between the blocks with bit d of the p blocks and a packed place. */
static void step_pack(struct coll_steps *out, uint32_t p, uint32_t d, int64_t m, int64_t packed,
                      int unpack)
{
	struct runs r = runs_of_bit(p, d);
	int64_t run = d * m, first = run, last = (int64_t)r.full * 2 * run + run;
	struct piece spread = piece_at(BUF_TMP, first, run), tight = piece_at(BUF_TMP, packed, run);
	struct piece spread_rest = piece_at(BUF_TMP, last, r.rest * m),
	             tight_rest = piece_at(BUF_TMP, packed + r.full * run, r.rest * m);
	if (unpack) {
		step_copy_strided(out, spread, 2 * run, tight, run, r.full);
		step_copy(out, spread_rest, tight_rest);
	} else {
		step_copy_strided(out, tight, run, spread, 2 * run, r.full);
		step_copy(out, tight_rest, spread_rest);
	}
}

static void rotate_in(const struct coll_args *a, uint32_t rank, int64_t m, struct coll_steps *out)
{
	int64_t head = rank * m, all = a->size * m;
	step_copy(out, piece_at(BUF_TMP, 0, all - head), piece_at(BUF_SEND, head, all - head));
	step_copy(out, piece_at(BUF_TMP, all - head, head), piece_at(BUF_SEND, 0, head));
}

static void rotate_out(const struct coll_args *a, uint32_t rank, int64_t m, struct coll_steps *out)
{
	uint32_t p = a->size;
	step_copy_strided(out, piece_at(BUF_RECV, rank * m, m), -m, piece_at(BUF_TMP, 0, m), m,
	                  rank + 1);
	step_copy_strided(out, piece_at(BUF_RECV, (p - 1) * m, m), -m,
	                  piece_at(BUF_TMP, (rank + 1) * m, m), m, p - rank - 1);
}

static void exchange(const struct coll_args *a, uint32_t rank, uint32_t d, int64_t m,
                     struct coll_steps *out)
{
	int64_t sent = a->size * m, come = sent + (int64_t)(a->size / 2) * m,
	        len = runs_of_bit(a->size, d).blocks * m;
	step_pack(out, a->size, d, m, sent, 0);
	step_sendrecv(out, rank, rank_add(a, rank, d), piece_at(BUF_TMP, sent, len),
	              rank_sub(a, rank, d), piece_at(BUF_TMP, come, len));
	step_pack(out, a->size, d, m, come, 1);
}

static int bruck_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                       struct coll_steps *out)
{
	int64_t m = a->count * a->type_size;
	uint32_t exchanges = log2_ceil(a->size);
	if (round > exchanges + 1)
		return COLL_END;
	if (round == 0)
		rotate_in(a, rank, m, out);
	else if (round <= exchanges)
		exchange(a, rank, 1u << (round - 1), m, out);
	else
		rotate_out(a, rank, m, out);
	return 0;
}

static int64_t bruck_tmp(const struct coll_args *a, uint32_t rank)
{
	(void)rank;
	return ((int64_t)a->size + 2 * (int64_t)(a->size / 2)) * a->count * a->type_size;
}

const struct coll_alg coll_alltoall_bruck = {.kind = COLL_ALLTOALL,
                                             .name = "bruck",
                                             .source = "Bruck et al. 1997",
                                             .cost = "ceil(log2 p) (L + p/2 m/B)",
                                             .round = bruck_round,
                                             .tmp_bytes = bruck_tmp};
