/* allreduce_ompi.c: Open MPI 4's Rabenseifner allreduce and reduce (redscat_allgather,
 * redscat_gather). Windows of the buffer are halved as they are, the lower rank of a pair keeps the
 * lower half; the even ranks of the first 2 rem stay, after each pair has combined one half each
 * (Rabenseifner's own folding). Fewer elements than the power of two, or an operator that does not
 * commute: basic linear. */
#include "fold.h"

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

static void fold_in(const struct coll_args *a, const struct fold *f, uint32_t rank,
                    struct coll_steps *out)
{
	struct window low = {0, a->count / 2}, high = {a->count / 2, a->count - a->count / 2};
	step_copy(out, piece_recv(a), piece_send(a));
	if (!fold_has_pair(f, rank))
		return;
	struct window mine = rank % 2 ? high : low, theirs = rank % 2 ? low : high;
	uint32_t peer = rank ^ 1;
	step_sendrecv(out, rank, peer, piece_of(a, BUF_RECV, theirs), peer,
	              piece_of(a, BUF_TMP, mine));
	step_reduce(out, piece_of(a, BUF_RECV, mine), piece_of(a, BUF_TMP, mine));
	if (rank % 2)
		step_send(out, peer, piece_of(a, BUF_RECV, high));
	else
		step_recv(out, peer, piece_of(a, BUF_RECV, high));
}

static int halving_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                         struct coll_steps *out)
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
	uint32_t i = back ? last - 1 - round : round - 1, other = number ^ 1u << i,
	         peer = fold_old(&f, other);
	struct window mine = window_of(a, number, i + 1), theirs = window_of(a, other, i + 1);
	if (back) {
		step_sendrecv(out, rank, peer, piece_of(a, BUF_RECV, mine), peer,
		              piece_of(a, BUF_RECV, theirs));
		return 0;
	}
	step_sendrecv(out, rank, peer, piece_of(a, BUF_RECV, theirs), peer,
	              piece_of(a, BUF_TMP, mine));
	step_reduce(out, piece_of(a, BUF_RECV, mine), piece_of(a, BUF_TMP, mine));
	return 0;
}

static int64_t one_buffer(const struct coll_args *a, uint32_t rank)
{
	(void)rank;
	return a->count * a->type_size;
}
static const struct coll_alg halving = {
    .kind = COLL_ALLREDUCE, .name = "halving", .round = halving_round, .tmp_bytes = one_buffer};

static const struct coll_alg *choose(const struct coll_args *a)
{
	return a->count < 1u << log2_floor(a->size) || !a->commutative
	           ? &coll_allreduce_ompi_basic_linear
	           : &halving;
}

const struct coll_alg coll_allreduce_ompi_redscat_allgather = {
    .kind = COLL_ALLREDUCE,
    .name = "ompi_redscat_allgather",
    .source = "Open MPI 4, Rabenseifner",
    .cost = "2 log2 p L + 2 (p-1)/p n/B (+ 3 L + 2 n/B if folded)",
    .phase = {{.choose = choose}}};

/* --- reduce: the halves are gathered to the root, at each level by those of its side. A root that
 * has dropped out takes the place of number 0. The sum is in the root's receive buffer, of the
 * others in the second half of the temporary one --- */

static struct piece sum_of(const struct coll_args *a, uint32_t rank, struct window w)
{
	struct piece p = piece_of(a, rank == a->root ? BUF_RECV : BUF_TMP, w);
	p.off += rank == a->root ? 0 : a->count * a->type_size;
	return p;
}

static void reduce_fold(const struct coll_args *a, const struct fold *f, uint32_t rank,
                        struct coll_steps *out)
{
	struct window low = {0, a->count / 2}, high = {a->count / 2, a->count - a->count / 2},
	              all = {0, a->count};
	struct window mine = rank % 2 ? high : low, theirs = rank % 2 ? low : high;
	uint32_t peer = rank ^ 1;
	step_copy(out, sum_of(a, rank, all), piece_send(a));
	if (!fold_has_pair(f, rank))
		return;
	step_sendrecv(out, rank, peer, sum_of(a, rank, theirs), peer, piece_of(a, BUF_TMP, mine));
	step_reduce(out, sum_of(a, rank, mine), piece_of(a, BUF_TMP, mine));
	if (rank % 2)
		step_send(out, peer, sum_of(a, rank, high));
	else
		step_recv(out, peer, sum_of(a, rank, high));
}

static void reduce_halve(const struct coll_args *a, const struct fold *f, uint32_t rank, uint32_t i,
                         struct coll_steps *out)
{
	uint32_t number = fold_new(f, rank), other = number ^ 1u << i, peer = fold_old(f, other);
	struct window mine = window_of(a, number, i + 1), theirs = window_of(a, other, i + 1);
	step_sendrecv(out, rank, peer, sum_of(a, rank, theirs), peer, piece_of(a, BUF_TMP, mine));
	step_reduce(out, sum_of(a, rank, mine), piece_of(a, BUF_TMP, mine));
}

/* In step i of the way back those whose partner is on the root's side give what they have, and are
 * done. */
static int gives_in(uint32_t number, uint32_t root_number, uint32_t i)
{
	return (number ^ 1u << i) >> i == root_number >> i;
}

static void reduce_gather(const struct coll_args *a, const struct fold *f, uint32_t rank,
                          uint32_t number, uint32_t root_number, uint32_t i, struct coll_steps *out)
{
	for (uint32_t before = i + 1; before < f->steps; before++)
		if (gives_in(number, root_number, before))
			return;
	uint32_t other = number ^ 1u << i, peer = fold_old(f, other);
	if (other == 0 && fold_new(f, a->root) == FOLD_OUT)
		peer = a->root;
	if (gives_in(number, root_number, i))
		step_send(out, peer, sum_of(a, rank, window_of(a, number, i + 1)));
	else
		step_recv(out, peer, sum_of(a, rank, window_of(a, other, i + 1)));
}

static int gather_back_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                             struct coll_steps *out)
{
	struct fold f = fold_of(a->size, FOLD_EVEN);
	uint32_t number = fold_new(&f, rank), root_number = fold_new(&f, a->root);
	int replaced = root_number == FOLD_OUT; /* number 0, by the root */
	if (round > 2 * f.steps + 1)
		return COLL_END;
	if (round == 0) {
		reduce_fold(a, &f, rank, out);
	} else if (round <= f.steps) {
		if (number != FOLD_OUT)
			reduce_halve(a, &f, rank, round - 1, out);
	} else if (round == f.steps + 1) {
		struct window w = window_of(a, 0, f.steps);
		if (replaced && rank == a->root)
			step_recv(out, 0, sum_of(a, rank, w));
		else if (replaced && number == 0)
			step_send(out, a->root, sum_of(a, rank, w));
	} else {
		if (replaced)
			number = rank == a->root ? 0 : number == 0 ? FOLD_OUT : number;
		if (number != FOLD_OUT)
			reduce_gather(a, &f, rank, number, replaced ? 0 : root_number,
			              2 * f.steps + 1 - round, out);
	}
	return 0;
}

static int64_t two_halves(const struct coll_args *a, uint32_t rank)
{
	(void)rank;
	return 2 * a->count * a->type_size;
}
static const struct coll_alg gather_back = {.kind = COLL_REDUCE,
                                            .name = "gather_back",
                                            .round = gather_back_round,
                                            .tmp_bytes = two_halves};

static const struct coll_alg *reduce_choose(const struct coll_args *a)
{
	return a->count < 1u << log2_floor(a->size) || !a->commutative
	           ? &coll_reduce_ompi_basic_linear
	           : &gather_back;
}

const struct coll_alg coll_reduce_ompi_redscat_gather = {
    .kind = COLL_REDUCE,
    .name = "ompi_redscat_gather",
    .source = "Open MPI 4, Rabenseifner",
    .cost = "2 log2 p L + 2 (p-1)/p n/B (+ 2 L + n/B if folded)",
    .phase = {{.choose = reduce_choose}}};
