/* rab.c: Rabenseifner's own reduce and allreduce (R. Rabenseifner, "Optimization of collective
 * reduction operations", ICCS 2004): ranks beyond the power of two are folded in by halves, so that
 * both of a pair work; then recursive vector halving and distance doubling; then gather (reduce) or
 * distance halving and vector doubling (allreduce). */
#include "fold.h"

/* After i steps number n has `len` elements from `first`. */
struct span {
	int64_t first, len;
};
static struct span span_of(int64_t count, uint32_t number, uint32_t steps)
{
	struct span s = {0, count};
	for (uint32_t i = 0; i < steps; i++) {
		int64_t even = s.len / 2;
		if (number >> i & 1) {
			s.first += even;
			s.len -= even;
		} else {
			s.len = even;
		}
	}
	return s;
}

/* The sum is at the start of the temporary buffer, what comes behind it. */
static struct piece span_piece(const struct coll_args *a, struct span s, int come)
{
	return piece_at(BUF_TMP, ((come ? a->count : 0) + s.first) * a->type_size,
	                s.len * a->type_size);
}
static struct piece part(const struct coll_args *a, uint32_t number, uint32_t steps, int come)
{
	return span_piece(a, span_of(a->count, number, steps), come);
}

/* The even rank of a pair combines the lower half, the odd one the upper, which it then gives to
 * the even one. */
static void fold_in(const struct coll_args *a, uint32_t rank, struct coll_steps *out)
{
	struct piece low = part(a, 0, 1, 0), high = part(a, 1, 1, 0), low_in = part(a, 0, 1, 1),
	             high_in = part(a, 1, 1, 1);
	if (rank % 2 == 0) {
		step_sendrecv(out, rank, rank + 1, high, rank + 1, low_in);
		step_reduce(out, low, low_in);
		step_recv(out, rank + 1, high);
	} else {
		step_sendrecv(out, rank, rank - 1, low, rank - 1, high_in);
		step_reduce(out, high, high_in);
		step_send(out, rank - 1, high);
	}
}

static void halve(const struct coll_args *a, const struct fold *f, uint32_t rank, uint32_t i,
                  struct coll_steps *out)
{
	uint32_t number = fold_new(f, rank);
	if (number == FOLD_OUT)
		return;
	uint32_t other = number ^ 1u << i, peer = fold_old(f, other);
	step_sendrecv(out, rank, peer, part(a, other, i + 1, 0), peer, part(a, number, i + 1, 1));
	step_reduce(out, part(a, number, i + 1, 0), part(a, number, i + 1, 1));
}

/* Rounds 0 … steps+1: copy, fold, halve. */
static void reduce_scatter(const struct coll_args *a, const struct fold *f, uint32_t rank,
                           uint32_t round, struct coll_steps *out)
{
	if (round == 0)
		step_copy(out, part(a, 0, 0, 0), piece_send(a));
	else if (round > 1)
		halve(a, f, rank, round - 2, out);
	else if (fold_has_pair(f, rank))
		fold_in(a, rank, out);
}

static void double_back(const struct coll_args *a, const struct fold *f, uint32_t rank, uint32_t i,
                        struct coll_steps *out)
{
	uint32_t number = fold_new(f, rank);
	if (number == FOLD_OUT)
		return;
	uint32_t other = number ^ 1u << i, peer = fold_old(f, other);
	step_sendrecv(out, rank, peer, part(a, number, i + 1, 0), peer, part(a, other, i + 1, 0));
}

static void unfold(const struct coll_args *a, const struct fold *f, uint32_t rank,
                   struct coll_steps *out)
{
	if (fold_has_pair(f, rank) && rank % 2 == 0)
		step_send(out, rank + 1, part(a, 0, 0, 0));
	else if (fold_has_pair(f, rank))
		step_recv(out, rank - 1, part(a, 0, 0, 0));
	step_copy(out, piece_recv(a), part(a, 0, 0, 0));
}

static int allreduce_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                           struct coll_steps *out)
{
	struct fold f = fold_of(a->size, FOLD_EVEN);
	uint32_t last = 2 * f.steps + 2;
	if (round > last)
		return COLL_END;
	if (round < 2 + f.steps)
		reduce_scatter(a, &f, rank, round, out);
	else if (round < last)
		double_back(a, &f, rank, last - 1 - round, out);
	else
		unfold(a, &f, rank, out);
	return 0;
}

static int64_t rab_tmp(const struct coll_args *a, uint32_t rank)
{
	(void)rank;
	return 2 * a->count * a->type_size;
}

const struct coll_alg coll_allreduce_rab = {
    .kind = COLL_ALLREDUCE,
    .name = "rab",
    .source = "Rabenseifner 2004",
    .cost = "2 log2 p L + 2 (p-1)/p n/B (+ 2 L + 2 n/B if folded)",
    .round = allreduce_round,
    .tmp_bytes = rab_tmp,
    .needs_commutative = 1};

/* A root that dropped out takes the place of number 0. */
static int root_is_out(const struct coll_args *a, const struct fold *f)
{
	return fold_new(f, a->root) == FOLD_OUT;
}

static void change_root(const struct coll_args *a, const struct fold *f, uint32_t rank,
                        struct coll_steps *out)
{
	if (root_is_out(a, f) && rank == 0)
		step_send(out, a->root, part(a, 0, f->steps, 0));
	if (root_is_out(a, f) && rank == a->root)
		step_recv(out, 0, part(a, 0, f->steps, 0));
}

static void gather(const struct coll_args *a, const struct fold *f, uint32_t rank, uint32_t i,
                   struct coll_steps *out)
{
	int changed = root_is_out(a, f);
	uint32_t number = changed && rank == a->root ? 0
	                  : changed && rank == 0     ? FOLD_OUT
	                                             : fold_new(f, rank);
	uint32_t root = changed ? 0 : fold_new(f, a->root);
	/* Who has sent has done; in SMPI it goes on with what it had. */
	if (number == FOLD_OUT || ((number ^ root) >> (i + 1) && !a->compat))
		return;
	uint32_t other = number ^ 1u << i, peer = other == root ? a->root : fold_old(f, other);
	if ((number ^ root) >> i & 1)
		step_send(out, peer, part(a, number, i + 1, 0));
	else
		step_recv(out, peer, part(a, other, i + 1, 0));
}

static int reduce_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                        struct coll_steps *out)
{
	struct fold f = fold_of(a->size, FOLD_EVEN);
	if (round > 2 * f.steps + 3)
		return COLL_END;
	if (round < 2 + f.steps)
		reduce_scatter(a, &f, rank, round, out);
	else if (round == 2 + f.steps)
		change_root(a, &f, rank, out);
	else if (round < 3 + 2 * f.steps)
		gather(a, &f, rank, 2 * f.steps + 2 - round, out);
	else if (rank == a->root)
		step_copy(out, piece_recv(a), part(a, 0, 0, 0));
	return 0;
}

const struct coll_alg coll_reduce_rab = {.kind = COLL_REDUCE,
                                         .name = "rab",
                                         .source = "Rabenseifner 2004",
                                         .cost = "2 log2 p L + 2 (p-1)/p n/B",
                                         .round = reduce_round,
                                         .tmp_bytes = rab_tmp,
                                         .needs_commutative = 1};
