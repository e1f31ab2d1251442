/* reduce_halving.c: Rabenseifner's reduction as in MPICH: reduce-scatter by recursive halving,
 * then gather along a binomial tree (Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005, section
 * 4.4).
 *
 * Rounds: copy; fold; halving steps; change of root; gathering steps; copy out. Buffers: the sum,
 * then what comes. SMPI reduces at least p elements (compat). */
#include "fold.h"

static int64_t padded_count(const struct coll_args *a)
{
	return a->compat && a->count < a->size ? a->size : a->count;
}

static struct piece whole(const struct coll_args *a, int come)
{
	int64_t n = padded_count(a) * a->type_size;
	return piece_at(BUF_TMP, come ? n : 0, n);
}

static struct piece part(const struct coll_args *a, const struct fold *f, uint32_t number,
                         uint32_t steps, int come)
{
	struct piece all = whole(a, come);
	return fold_piece(f, fold_units(f, number, steps), BUF_TMP, all.off, padded_count(a),
	                  a->type_size);
}

static void fold_in(const struct coll_args *a, const struct fold *f, uint32_t rank,
                    struct coll_steps *out)
{
	if (!fold_has_pair(f, rank))
		return;
	if (rank % 2) {
		step_send(out, rank - 1, whole(a, 0));
	} else {
		step_recv(out, rank + 1, whole(a, 1));
		step_reduce(out, whole(a, 0), whole(a, 1));
	}
}

static void halve(const struct coll_args *a, const struct fold *f, uint32_t rank, uint32_t i,
                  struct coll_steps *out)
{
	uint32_t number = fold_new(f, rank);
	if (number == FOLD_OUT)
		return;
	uint32_t other = number ^ 1u << i, peer = fold_old(f, other);
	step_sendrecv(out, rank, peer, part(a, f, other, i + 1, 0), peer,
	              part(a, f, number, i + 1, 1));
	step_reduce(out, part(a, f, number, i + 1, 0), part(a, f, number, i + 1, 1));
}

/* A root that dropped out takes the place of number 0. */
static int root_is_out(const struct coll_args *a, const struct fold *f)
{
	return fold_new(f, a->root) == FOLD_OUT;
}

static void change_root(const struct coll_args *a, const struct fold *f, uint32_t rank,
                        struct coll_steps *out)
{
	if (root_is_out(a, f) && rank == 0)
		step_send(out, a->root, part(a, f, 0, f->steps, 0));
	if (root_is_out(a, f) && rank == a->root)
		step_recv(out, 0, part(a, f, 0, f->steps, 0));
}

/* At bit i, from the highest: who differs from the root there sends what it has and has done. */
static void gather(const struct coll_args *a, const struct fold *f, uint32_t rank, uint32_t i,
                   struct coll_steps *out)
{
	int changed = root_is_out(a, f);
	uint32_t number = changed && rank == a->root ? 0
	                  : changed && rank == 0     ? FOLD_OUT
	                                             : fold_new(f, rank);
	uint32_t root = changed ? 0 : fold_new(f, a->root);
	if (number == FOLD_OUT || (number ^ root) >> (i + 1))
		return;
	uint32_t other = number ^ 1u << i,
	         peer = changed && other == 0 ? a->root : fold_old(f, other);
	if ((number ^ root) >> i & 1)
		step_send(out, peer, part(a, f, number, i + 1, 0));
	else
		step_recv(out, peer, part(a, f, other, i + 1, 0));
}

static int halve_and_gather(const struct coll_args *a, const struct fold *f, uint32_t rank,
                            uint32_t round, struct coll_steps *out)
{
	if (round > 2 * f->steps + 3 || a->count == 0)
		return COLL_END;
	if (round == 0)
		step_copy(out, whole(a, 0), piece_send(a));
	else if (round == 1)
		fold_in(a, f, rank, out);
	else if (round < 2 + f->steps)
		halve(a, f, rank, round - 2, out);
	else if (round == 2 + f->steps)
		change_root(a, f, rank, out);
	else if (round < 3 + 2 * f->steps)
		gather(a, f, rank, 2 * f->steps + 2 - round, out);
	else if (rank == a->root)
		step_copy(out, piece_recv(a), piece_at(BUF_TMP, 0, a->count * a->type_size));
	return 0;
}

static int halving_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                         struct coll_steps *out)
{
	struct fold f = fold_of(a->size, FOLD_EVEN);
	return halve_and_gather(a, &f, rank, round, out);
}

static int spread_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                        struct coll_steps *out)
{
	struct fold f = fold_of(a->size, FOLD_EVEN);
	f.spread = 1;
	return halve_and_gather(a, &f, rank, round, out);
}

static int64_t halving_tmp(const struct coll_args *a, uint32_t rank)
{
	(void)rank;
	return 2 * padded_count(a) * a->type_size;
}

const struct coll_alg coll_reduce_scatter_gather = {.kind = COLL_REDUCE,
                                                    .name = "scatter_gather",
                                                    .source = "MPICH; Rabenseifner",
                                                    .cost = "2 log2 p L + 2 (p-1)/p n/B",
                                                    .round = halving_round,
                                                    .tmp_bytes = halving_tmp,
                                                    .needs_commutative = 1};

const struct coll_alg coll_reduce_mpich_reduce_scatter_gather = {
    .kind = COLL_REDUCE,
    .name = "mpich_reduce_scatter_gather",
    .source = "MPICH 4, reduce_scatter_gather (scatter_gather with the remainder spread)",
    .cost = "2 log2 p L + 2 (p-1)/p n/B",
    .round = spread_round,
    .tmp_bytes = halving_tmp,
    .needs_commutative = 1};
