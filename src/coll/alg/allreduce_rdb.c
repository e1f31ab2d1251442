/* allreduce_rdb.c: allreduce by recursive doubling, and by recursive halving and doubling
 * (MPICH; Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005, section 4.5). Ranks beyond the power
 * of two give all to a neighbour first and get the result from it in the end. Groups that combine
 * are always neighbours, the lower on the left, so that both are right for operators that do not
 * commute. */
#include "fold.h"

/* The sum is in the receive buffer; what comes is in the temporary one. */
static struct piece come(struct piece p)
{
	return piece_at(BUF_TMP, p.off, p.len);
}

static void combine(uint32_t rank, uint32_t peer, struct piece sum, struct coll_steps *out)
{
	if (peer < rank)
		step_reduce_left(out, sum, come(sum));
	else
		step_reduce(out, sum, come(sum));
}

static void fold_in(const struct coll_args *a, const struct fold *f, uint32_t rank,
                    struct coll_steps *out)
{
	struct piece all = piece_recv(a);
	step_copy(out, all, piece_send(a));
	if (!fold_has_pair(f, rank))
		return;
	if (rank % 2 == 0) {
		step_send(out, rank + 1, all);
	} else {
		step_recv(out, rank - 1, come(all));
		combine(rank, rank - 1, all, out);
	}
}

static void unfold(const struct coll_args *a, const struct fold *f, uint32_t rank,
                   struct coll_steps *out)
{
	if (fold_has_pair(f, rank) && rank % 2)
		step_send(out, rank - 1, piece_recv(a));
	else if (fold_has_pair(f, rank))
		step_recv(out, rank + 1, piece_recv(a));
}

static int rdb_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                     struct coll_steps *out)
{
	struct fold f = fold_of(a->size, FOLD_ODD);
	uint32_t number = fold_new(&f, rank);
	if (round > f.steps + 1)
		return COLL_END;
	if (round == 0) {
		fold_in(a, &f, rank, out);
	} else if (round > f.steps) {
		unfold(a, &f, rank, out);
	} else if (number != FOLD_OUT) {
		uint32_t peer = fold_old(&f, number ^ 1u << (round - 1));
		step_sendrecv(out, rank, peer, piece_recv(a), peer, come(piece_recv(a)));
		combine(rank, peer, piece_recv(a), out);
	}
	return 0;
}

static int64_t one_buffer(const struct coll_args *a, uint32_t rank)
{
	(void)rank;
	return a->count * a->type_size;
}

const struct coll_alg coll_allreduce_rdb = {.kind = COLL_ALLREDUCE,
                                            .name = "rdb",
                                            .source = "MPICH, recursive doubling",
                                            .cost = "log2 p (L + n/B) (+ 2 (L + n/B) if folded)",
                                            .round = rdb_round,
                                            .tmp_bytes = one_buffer};

static struct piece part(const struct coll_args *a, const struct fold *f, uint32_t number,
                         uint32_t steps)
{
	return fold_piece(f, fold_units(f, number, steps), BUF_RECV, 0, a->count, a->type_size);
}

/* Step i of the first half exchanges halves with number^2^i and keeps one; the second half goes
 * back the same way. */
static void exchange(const struct coll_args *a, const struct fold *f, uint32_t rank, uint32_t i,
                     int back, struct coll_steps *out)
{
	uint32_t number = fold_new(f, rank);
	if (number == FOLD_OUT)
		return;
	uint32_t other = number ^ 1u << i, peer = fold_old(f, other);
	struct piece mine = part(a, f, number, i + 1), theirs = part(a, f, other, i + 1);
	if (back) {
		step_sendrecv(out, rank, peer, mine, peer, theirs);
		return;
	}
	step_sendrecv(out, rank, peer, theirs, peer, come(mine));
	combine(rank, peer, mine, out);
}

static int halve_and_double(const struct coll_args *a, const struct fold *f, uint32_t rank,
                            uint32_t round, struct coll_steps *out)
{
	uint32_t last = 2 * f->steps + 1;
	if (round > last)
		return COLL_END;
	if (round == 0)
		fold_in(a, f, rank, out);
	else if (round == last)
		unfold(a, f, rank, out);
	else if (round <= f->steps)
		exchange(a, f, rank, round - 1, 0, out);
	else
		exchange(a, f, rank, last - 1 - round, 1, out);
	return 0;
}

static int rab_rdb_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                         struct coll_steps *out)
{
	struct fold f = fold_of(a->size, FOLD_ODD);
	return halve_and_double(a, &f, rank, round, out);
}

static int spread_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                        struct coll_steps *out)
{
	struct fold f = fold_of(a->size, FOLD_ODD);
	f.spread = 1;
	return halve_and_double(a, &f, rank, round, out);
}

const struct coll_alg coll_allreduce_rab_rdb = {
    .kind = COLL_ALLREDUCE,
    .name = "rab_rdb",
    .source = "MPICH; Rabenseifner",
    .cost = "2 log2 p L + 2 (p-1)/p n/B (+ 2 (L + n/B) if folded)",
    .round = rab_rdb_round,
    .tmp_bytes = one_buffer};

const struct coll_alg coll_allreduce_mpich_reduce_scatter_allgather = {
    .kind = COLL_ALLREDUCE,
    .name = "mpich_reduce_scatter_allgather",
    .source = "MPICH 4, reduce_scatter_allgather (rab_rdb with the remainder spread)",
    .cost = "2 log2 p L + 2 (p-1)/p n/B (+ 2 (L + n/B) if folded)",
    .round = spread_round,
    .tmp_bytes = one_buffer};

static const struct coll_alg *rs_choose(const struct coll_args *a)
{
	return a->count >= 1u << log2_floor(a->size) ? &coll_allreduce_rab_rdb
	                                             : &coll_allreduce_rdb;
}

const struct coll_alg coll_allreduce_mvapich2_rs = {
    .kind = COLL_ALLREDUCE,
    .name = "mvapich2_rs",
    .source = "MVAPICH2 1.9",
    .cost = "as rab_rdb; as rdb if there are fewer elements than ranks",
    .phase = {{.choose = rs_choose}},
    .skips_empty = 1};
