/* reduce_scatter_rdb.c: reduce_scatter by recursive doubling (MPICH; any operator, any counts,
 * any number of ranks).
 *
 * In step i ranks that differ in bit i exchange what they have reduced so far of all blocks outside
 * their own group of 2^i ranks: those inside are complete for their owners' purposes. Where p is
 * not a power of two a group's partners may be fewer than its members; those who got data then pass
 * it on inside the group by halving.
 *
 * Temporary buffer: results (n bytes), what has come (packed), what is sent (packed).
 * Rounds: 0 copies; then for each step: one exchange, k rounds of passing on, one combination; the
 * last copies out. k = ceil(log2 p). */
#include "coll/coll_int.h"

/* All but [lo, hi), packed. */
struct outside {
	int64_t lo, hi, n;
};
static struct outside outside_group(const struct coll_args *a, uint32_t first, uint32_t mask)
{
	uint32_t end = a->size - first > mask ? first + mask : a->size;
	struct outside o = {.lo = coll_block_elements(a, 0, first) * a->type_size};
	o.hi = o.lo + coll_block_elements(a, first, end) * a->type_size;
	o.n = o.hi + coll_block_elements(a, end, a->size) * a->type_size;
	return o;
}
static int64_t outside_bytes(struct outside o)
{
	return o.n - (o.hi - o.lo);
}

static void exchange(const struct coll_args *a, uint32_t rank, uint32_t mask,
                     struct coll_steps *out)
{
	uint32_t peer = rank ^ mask;
	if (peer >= a->size)
		return;
	struct outside mine = outside_group(a, rank & -mask, mask),
	               theirs = outside_group(a, peer & -mask, mask);
	int64_t n = mine.n;
	step_copy(out, piece_at(BUF_TMP, 2 * n, mine.lo), piece_at(BUF_TMP, 0, mine.lo));
	step_copy(out, piece_at(BUF_TMP, 2 * n + mine.lo, n - mine.hi),
	          piece_at(BUF_TMP, mine.hi, n - mine.hi));
	step_sendrecv(out, rank, peer, piece_at(BUF_TMP, 2 * n, outside_bytes(mine)), peer,
	              piece_at(BUF_TMP, n, outside_bytes(theirs)));
}

/* Inside the group of `rank`, those below `complete` (from its start) have data; the others get it
 * from a partner at `half`. */
static void pass_on(const struct coll_args *a, uint32_t rank, uint32_t mask, uint32_t half,
                    struct coll_steps *out)
{
	uint32_t group = rank & -mask, other = group ^ mask, peer = rank ^ half,
	         tree = rank & -(2 * half);
	if (half == 0 || other >= a->size || a->size - other >= mask)
		return;
	uint32_t first_without = tree + (a->size - other);
	struct outside theirs = outside_group(a, other, mask);
	struct piece in = piece_at(BUF_TMP, theirs.n, outside_bytes(theirs));
	if (peer > rank && rank < first_without && peer >= first_without)
		step_send(out, peer, in);
	else if (peer < rank && peer < first_without && rank >= first_without)
		step_recv(out, peer, in);
}

static void combine(const struct coll_args *a, uint32_t rank, uint32_t mask, struct coll_steps *out)
{
	uint32_t other = (rank & -mask) ^ mask;
	if (other >= a->size)
		return;
	struct outside o = outside_group(a, other, mask);
	struct piece head = piece_at(BUF_TMP, 0, o.lo), tail = piece_at(BUF_TMP, o.hi, o.n - o.hi);
	struct piece in_head = piece_at(BUF_TMP, o.n, o.lo),
	             in_tail = piece_at(BUF_TMP, o.n + o.lo, o.n - o.hi);
	void (*reduce)(struct coll_steps *, struct piece,
	               struct piece) = other < rank ? step_reduce_left : step_reduce;
	reduce(out, head, in_head);
	reduce(out, tail, in_tail);
}

static int rdb_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                     struct coll_steps *out)
{
	uint32_t k = log2_ceil(a->size), last = k * (k + 2) + 1;
	int64_t n = coll_block_elements(a, 0, a->size) * a->type_size;
	if (round > last)
		return COLL_END;
	if (round == 0) {
		step_copy(out, piece_at(BUF_TMP, 0, n), piece_at(BUF_SEND, 0, n));
		return 0;
	}
	if (round == last) {
		int64_t off = coll_block_elements(a, 0, rank) * a->type_size,
		        own = coll_recv_bytes(a, rank);
		step_copy(out, piece_at(BUF_RECV, 0, own), piece_at(BUF_TMP, off, own));
		return 0;
	}
	uint32_t mask = 1u << ((round - 1) / (k + 2)), sub = (round - 1) % (k + 2);
	if (sub == 0)
		exchange(a, rank, mask, out);
	else if (sub <= k)
		pass_on(a, rank, mask, mask >> sub, out);
	else
		combine(a, rank, mask, out);
	return 0;
}

static int64_t rdb_tmp(const struct coll_args *a, uint32_t rank)
{
	(void)rank;
	return 3 * coll_block_elements(a, 0, a->size) * a->type_size;
}

const struct coll_alg coll_reduce_scatter_mpich_rdb = {.kind = COLL_REDUCE_SCATTER,
                                                       .name = "mpich_rdb",
                                                       .source = "MPICH, recursive doubling",
                                                       .cost = "log2 p L + (log2 p - (p-1)/p) n/B",
                                                       .round = rdb_round,
                                                       .tmp_bytes = rdb_tmp};
