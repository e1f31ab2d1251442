/* coll_allreduce_ompi.c: Open MPI 4's Rabenseifner allreduce (redscat_allgather). Windows of the buffer are halved as they are, the lower rank of a pair
 * keeps the lower half; the even ranks of the first 2 rem stay, after each pair has combined one half each (Rabenseifner's own folding). Fewer
 * elements than the power of two, or an operator that does not commute: basic linear. */
#include "coll_fold.h"

struct window {
	int64_t first, n;
};

/* After `steps` halvings. */
static struct window window_of(const struct coll_args *a, uint32_t number, uint32_t steps)
{
	struct window w = {0, a->count};
	for (uint32_t i = 0; i < steps; i++) {
		int64_t low = w.n / 2;
		if (number >> i & 1) {
			/* the higher rank sends the lower half, rounded down, and keeps the rest */
			w.first += low;
			w.n -= low;
		} else {
			w.n = low;
		}
	}
	return w;
}

static struct piece piece_of(const struct coll_args *a, enum coll_buf buf, struct window w)
{
	return piece_at(buf, w.first * a->type_size, w.n * a->type_size);
}

static void fold_in(const struct coll_args *a, const struct fold *f, uint32_t rank, struct coll_steps *out)
{
	struct window low = {0, a->count / 2}, high = {a->count / 2, a->count - a->count / 2};
	step_copy(out, piece_recv(a), piece_send(a));
	if (!fold_has_pair(f, rank))
		return;
	struct window mine = rank % 2 ? high : low, theirs = rank % 2 ? low : high;
	uint32_t peer = rank ^ 1;
	step_sendrecv(out, rank, peer, piece_of(a, BUF_RECV, theirs), peer, piece_of(a, BUF_TMP, mine));
	step_reduce(out, piece_of(a, BUF_RECV, mine), piece_of(a, BUF_TMP, mine));
	if (rank % 2)
		step_send(out, peer, piece_of(a, BUF_RECV, high));
	else
		step_recv(out, peer, piece_of(a, BUF_RECV, high));
}

static int halving_round(const struct coll_args *a, uint32_t rank, uint32_t round, struct coll_steps *out)
{
	struct fold f = fold_of(a->size, FOLD_EVEN);
	uint32_t number = fold_new(&f, rank), last = 2 * f.steps + 1;
	if (round > last)
		return COLL_END;
	if (round == 0) {
		fold_in(a, &f, rank, out);
		return 0;
	}
	if (round == last) {
		if (fold_has_pair(&f, rank) && rank % 2 == 0)
			step_send(out, rank + 1, piece_recv(a));
		else if (fold_has_pair(&f, rank))
			step_recv(out, rank - 1, piece_recv(a));
		return 0;
	}
	if (number == FOLD_OUT)
		return 0;
	int back = round > f.steps;
	uint32_t i = back ? last - 1 - round : round - 1, other = number ^ 1u << i, peer = fold_old(&f, other);
	struct window mine = window_of(a, number, i + 1), theirs = window_of(a, other, i + 1);
	if (back) {
		step_sendrecv(out, rank, peer, piece_of(a, BUF_RECV, mine), peer, piece_of(a, BUF_RECV, theirs));
		return 0;
	}
	step_sendrecv(out, rank, peer, piece_of(a, BUF_RECV, theirs), peer, piece_of(a, BUF_TMP, mine));
	step_reduce(out, piece_of(a, BUF_RECV, mine), piece_of(a, BUF_TMP, mine));
	return 0;
}

static int64_t one_buffer(const struct coll_args *a, uint32_t rank)
{
	(void)rank;
	return a->count * a->type_size;
}
static const struct coll_alg halving = {.kind = COLL_ALLREDUCE, .name = "halving", .round = halving_round, .tmp_bytes = one_buffer};

static const struct coll_alg *choose(const struct coll_args *a)
{
	return a->count < 1u << log2_floor(a->size) || !a->commutative ? &coll_allreduce_ompi_basic_linear : &halving;
}

const struct coll_alg coll_allreduce_ompi_redscat_allgather = {.kind = COLL_ALLREDUCE,
                                                               .name = "ompi_redscat_allgather",
                                                               .source = "Open MPI 4, Rabenseifner",
                                                               .cost = "2 log2 p L + 2 (p-1)/p n/B (+ 3 L + 2 n/B if folded)",
                                                               .phase = {{.choose = choose}}};
