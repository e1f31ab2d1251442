/* swing.c: De Sensi et al., "Swing: short-cutting rings for higher bandwidth allreduce", NSDI
 * 2024: recursive halving and doubling whose partners are near on a ring or torus. In step s, even
 * ranks meet rank + rho(s), odd ones rank - rho(s), rho(s) = (1 - (-2)^(s+1)) / 3: 1, -1, 3, -5,
 * 11, …. For a power of two of ranks.
 *
 * Which parts a rank keeps follows from a number: from rank 0, the steps in which one must move to
 * come to the rank (bit s: step s). Ranks that agree in their first bits hold the same parts after
 * so many steps, and partners of step s differ in bit s: it is recursive halving on numbers
 * (fold.h), though partners' numbers differ in later bits too. */
#include "fold.h"

static int64_t rho(uint32_t s)
{
	int64_t power = (s + 1) % 2 ? -(1ll << (s + 1)) : 1ll << (s + 1);
	return (1 - power) / 3;
}

static uint32_t partner(uint32_t p, uint32_t rank, uint32_t s)
{
	return (uint32_t)((rank % 2 ? rank - rho(s) : rank + rho(s)) & (p - 1));
}

/* Can `to` be reached from `from` by moves of the steps from s on? An even number of moves, of
 * alternating signs, changes a rank by multiples of 2^(s+1); one move more by rho, which is 1/3
 * modulo that. */
static int reaches(uint32_t p, uint32_t from, uint32_t to, uint32_t s)
{
	if (2ull << s > p)
		return from == to;
	uint32_t mask = (2u << s) - 1, third = 0xaaaaaaabu & mask; /* 3 * 0xaaaaaaab is 1 */
	if ((from ^ to) % 2 == 0)
		return ((to - from) & mask) == 0;
	return ((from % 2 ? from - to : to - from) & mask) == third;
}

static uint32_t number_of(uint32_t p, uint32_t rank)
{
	uint32_t at = 0, number = 0;
	for (uint32_t s = 0; 1u << s < p; s++)
		if (!reaches(p, at, rank, s + 1)) {
			number |= 1u << s;
			at = partner(p, at, s);
		}
	return number;
}

static struct piece come(struct piece p)
{
	return piece_at(BUF_TMP, p.off, p.len);
}

static struct piece part(const struct coll_args *a, uint32_t rank, uint32_t steps)
{
	struct fold f = fold_of(a->size, FOLD_ODD);
	return fold_piece(&f, fold_units(&f, number_of(a->size, rank), steps), BUF_RECV, 0,
	                  a->count, a->type_size);
}

static int allreduce_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                           struct coll_steps *out)
{
	uint32_t steps = log2_floor(a->size);
	if (round > 2 * steps)
		return COLL_END;
	if (round == 0) {
		step_copy(out, piece_recv(a), piece_send(a));
		return 0;
	}
	int back = round > steps;
	uint32_t s = back ? 2 * steps - round : round - 1, peer = partner(a->size, rank, s);
	struct piece mine = part(a, rank, s + 1), theirs = part(a, peer, s + 1);
	if (back) {
		step_sendrecv(out, rank, peer, mine, peer, theirs);
		return 0;
	}
	step_sendrecv(out, rank, peer, theirs, peer, come(mine));
	step_reduce(out, mine, come(mine));
	return 0;
}

static int whole_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                       struct coll_steps *out)
{
	if (round > log2_floor(a->size))
		return COLL_END;
	if (round == 0) {
		step_copy(out, piece_recv(a), piece_send(a));
		return 0;
	}
	uint32_t peer = partner(a->size, rank, round - 1);
	step_sendrecv(out, rank, peer, piece_recv(a), peer, come(piece_recv(a)));
	step_reduce(out, piece_recv(a), come(piece_recv(a)));
	return 0;
}

static int64_t one_buffer(const struct coll_args *a, uint32_t rank)
{
	(void)rank;
	return a->count * a->type_size;
}

static const char *pow2_refuses(const struct coll_args *a)
{
	return is_pow2(a->size) ? NULL : "it is for a power of two of ranks";
}

const struct coll_alg coll_allreduce_swing = {
    .kind = COLL_ALLREDUCE,
    .name = "swing",
    .source = "De Sensi et al. 2024, bandwidth-optimal",
    .cost = "2 log2 p L + 2 (p-1)/p n/B, near neighbours first",
    .round = allreduce_round,
    .tmp_bytes = one_buffer,
    .needs_commutative = 1,
    .refuses = pow2_refuses,
    .instead = &coll_allreduce_circulant};
const struct coll_alg coll_allreduce_swing_latency = {
    .kind = COLL_ALLREDUCE,
    .name = "swing_latency",
    .source = "De Sensi et al. 2024, latency-optimal",
    .cost = "log2 p (L + n/B), near neighbours first",
    .round = whole_round,
    .tmp_bytes = one_buffer,
    .needs_commutative = 1,
    .refuses = pow2_refuses,
    .instead = &coll_allreduce_rdb};

/* --- reduce_scatter and allgather of equal blocks: the blocks lie in the temporary buffer in the
 * order in which they are halved, and are put there or taken from there some at a time --- */

enum { COPIES = 14 };

/* Where the block of a rank lies: its number, the first bit of most weight. */
static uint32_t unit_of(uint32_t p, uint32_t rank)
{
	struct fold f = fold_of(p, FOLD_ODD);
	return fold_units(&f, number_of(p, rank), f.steps).first;
}

static int64_t block(const struct coll_args *a)
{
	return a->kind == COLL_ALLGATHER ? a->count2 * a->type_size2
	                                 : coll_block_elements(a, 0, 1) * a->type_size;
}

static struct piece units(const struct coll_args *a, uint32_t rank, uint32_t steps)
{
	struct fold f = fold_of(a->size, FOLD_ODD);
	struct fold_units u = fold_units(&f, number_of(a->size, rank), steps);
	return piece_at(BUF_TMP, u.first * block(a), u.len * block(a));
}

static void move_blocks(const struct coll_args *a, uint32_t turn, enum coll_buf buf, int into,
                        struct coll_steps *out)
{
	int64_t m = block(a);
	for (uint32_t b = turn * COPIES; b < (turn + 1) * COPIES && b < a->size; b++) {
		struct piece unit = piece_at(BUF_TMP, unit_of(a->size, b) * m, m),
		             user = piece_at(buf, b * m, m);
		step_copy(out, into ? unit : user, into ? user : unit);
	}
}

static uint32_t turns(const struct coll_args *a)
{
	return (a->size + COPIES - 1) / COPIES;
}

static int reduce_scatter_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                                struct coll_steps *out)
{
	uint32_t steps = log2_floor(a->size), first = turns(a), s = round - first;
	if (round < first) {
		move_blocks(a, round, BUF_SEND, 1, out);
		return 0;
	}
	if (s > steps)
		return COLL_END;
	if (s == steps) {
		step_copy(out, piece_at(BUF_RECV, 0, block(a)), units(a, rank, steps));
		return 0;
	}
	uint32_t peer = partner(a->size, rank, s);
	struct piece mine = units(a, rank, s + 1),
	             in = piece_at(BUF_TMP, a->size * block(a), mine.len);
	step_sendrecv(out, rank, peer, units(a, peer, s + 1), peer, in);
	step_reduce(out, mine, in);
	return 0;
}

static int allgather_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                           struct coll_steps *out)
{
	uint32_t steps = log2_floor(a->size);
	if (round == 0) {
		step_copy(out, units(a, rank, steps), piece_send(a));
	} else if (round <= steps) {
		uint32_t s = steps - round, peer = partner(a->size, rank, s);
		step_sendrecv(out, rank, peer, units(a, rank, s + 1), peer, units(a, peer, s + 1));
	} else if (round - steps - 1 < turns(a)) {
		move_blocks(a, round - steps - 1, BUF_RECV, 0, out);
	} else {
		return COLL_END;
	}
	return 0;
}

static int64_t all_units(const struct coll_args *a, uint32_t rank)
{
	(void)rank;
	return (a->kind == COLL_ALLGATHER ? 1 : 2) * a->size * block(a);
}

static const char *regular_refuses(const struct coll_args *a)
{
	return !is_pow2(a->size)      ? "it is for a power of two of ranks"
	       : coll_counts_equal(a) ? NULL
	                              : "it is for equal blocks";
}

const struct coll_alg coll_reduce_scatter_swing = {
    .kind = COLL_REDUCE_SCATTER,
    .name = "swing",
    .source = "De Sensi et al. 2024",
    .cost = "log2 p L + (p-1)/p n/B, near neighbours first",
    .round = reduce_scatter_round,
    .tmp_bytes = all_units,
    .needs_commutative = 1,
    .refuses = regular_refuses,
    .instead = &coll_reduce_scatter_circulant};
const struct coll_alg coll_allgather_swing = {.kind = COLL_ALLGATHER,
                                              .name = "swing",
                                              .source = "De Sensi et al. 2024",
                                              .cost = "log2 p L + (p-1) m/B, near neighbours last",
                                              .round = allgather_round,
                                              .tmp_bytes = all_units,
                                              .refuses = pow2_refuses,
                                              .instead = &coll_allgather_circulant};
