/* circulant.c: reduce_scatter, allgather and allreduce for any number of ranks in ceil(log2 p)
 * steps (each half of allreduce) that move every block once: Kolmakov and Zhang, "A generalization
 * of the allreduce operation", 2020; Traeff, "Optimal, non-pipelined reduce-scatter and allreduce
 * algorithms", 2024, whose skips these are: s0 = p, s(i+1) = ceil(si / 2), down to 1.
 *
 * A rank's working buffer R holds in place i the block of rank + i. Step i of reduce_scatter sends
 * places s(i+1) … s(i)-1 to rank + s(i+1), and adds what comes to places 0, 1, …: place 0 ends as
 * the sum. Allgather is the same backwards. Temporary buffer: R, then what comes. */
#include "coll/coll_int.h"

/* Elements of blocks lo … hi-1; those of allreduce are made here, as equal as elements allow. */
static int64_t elements(const struct coll_args *a, uint32_t lo, uint32_t hi)
{
	if (a->kind != COLL_ALLREDUCE)
		return coll_block_elements(a, lo, hi);
	int64_t each = a->count / a->size, more = a->count % a->size;
	return (hi - lo) * each + ((hi < more ? hi : more) - (lo < more ? lo : more));
}

static int64_t type_size(const struct coll_args *a)
{
	return a->kind == COLL_ALLGATHER || a->kind == COLL_ALLGATHERV ? a->type_size2
	                                                               : a->type_size;
}

/* Bytes of the n blocks from that of rank `first` on, around the end. */
static int64_t around(const struct coll_args *a, uint32_t first, uint32_t n)
{
	uint32_t to_end = a->size - first, head = n < to_end ? n : to_end;
	return (elements(a, first, first + head) + elements(a, 0, n - head)) * type_size(a);
}

static uint32_t skip(const struct coll_args *a, uint32_t i)
{
	uint32_t s = a->size;
	while (i--)
		s -= s / 2;
	return s;
}

/* Places lo … hi-1 of R. */
static struct piece places(const struct coll_args *a, uint32_t rank, uint32_t lo, uint32_t hi)
{
	int64_t off = around(a, rank, lo);
	return piece_at(BUF_TMP, off, around(a, rank, hi) - off);
}

/* Between a buffer in the order of ranks and R: blocks rank …, then 0 …. */
static void turn(const struct coll_args *a, uint32_t rank, enum coll_buf buf, int into_r,
                 struct coll_steps *out)
{
	int64_t head = around(a, rank, a->size - rank), low = around(a, 0, rank);
	struct piece r1 = piece_at(BUF_TMP, 0, head), r2 = piece_at(BUF_TMP, head, low),
	             b1 = piece_at(buf, low, head), b2 = piece_at(buf, 0, low);
	step_copy(out, into_r ? r1 : b1, into_r ? b1 : r1);
	step_copy(out, into_r ? r2 : b2, into_r ? b2 : r2);
}

static void reduce_step(const struct coll_args *a, uint32_t rank, uint32_t i,
                        struct coll_steps *out)
{
	uint32_t wide = skip(a, i), s = skip(a, i + 1);
	struct piece sum = places(a, rank, 0, wide - s),
	             come = piece_at(BUF_TMP, around(a, 0, a->size), sum.len);
	step_sendrecv(out, rank, rank_add(a, rank, s), places(a, rank, s, wide),
	              rank_sub(a, rank, s), come);
	step_reduce(out, sum, come);
}

static void gather_step(const struct coll_args *a, uint32_t rank, uint32_t i,
                        struct coll_steps *out)
{
	uint32_t wide = skip(a, i), s = skip(a, i + 1);
	step_sendrecv(out, rank, rank_sub(a, rank, s), places(a, rank, 0, wide - s),
	              rank_add(a, rank, s), places(a, rank, s, wide));
}

static int reduce_scatter_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                                struct coll_steps *out)
{
	uint32_t steps = log2_ceil(a->size);
	if (round > steps + 1)
		return COLL_END;
	if (round == 0)
		turn(a, rank, BUF_SEND, 1, out);
	else if (round <= steps)
		reduce_step(a, rank, round - 1, out);
	else
		step_copy(out, piece_at(BUF_RECV, 0, around(a, rank, 1)), places(a, rank, 0, 1));
	return 0;
}

static int allgather_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                           struct coll_steps *out)
{
	uint32_t steps = log2_ceil(a->size);
	if (round > steps + 1)
		return COLL_END;
	if (round == 0)
		step_copy(out, places(a, rank, 0, 1), piece_send(a));
	else if (round <= steps)
		gather_step(a, rank, steps - round, out);
	else
		turn(a, rank, BUF_RECV, 0, out);
	return 0;
}

static int allreduce_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                           struct coll_steps *out)
{
	uint32_t steps = log2_ceil(a->size);
	if (round > 2 * steps + 1)
		return COLL_END;
	if (round == 0)
		turn(a, rank, BUF_SEND, 1, out);
	else if (round <= steps)
		reduce_step(a, rank, round - 1, out);
	else if (round <= 2 * steps)
		gather_step(a, rank, 2 * steps - round, out);
	else
		turn(a, rank, BUF_RECV, 0, out);
	return 0;
}

static int64_t one_r(const struct coll_args *a, uint32_t rank)
{
	(void)rank;
	return around(a, 0, a->size);
}
static int64_t two_r(const struct coll_args *a, uint32_t rank)
{
	return 2 * one_r(a, rank);
}

const struct coll_alg coll_reduce_scatter_circulant = {
    .kind = COLL_REDUCE_SCATTER,
    .name = "circulant",
    .source = "Traeff 2024; Kolmakov and Zhang 2020",
    .cost = "ceil(log2 p) L + (p-1)/p n/B",
    .round = reduce_scatter_round,
    .tmp_bytes = two_r,
    .needs_commutative = 1};
const struct coll_alg coll_allgather_circulant = {.kind = COLL_ALLGATHER,
                                                  .name = "circulant",
                                                  .source = "Traeff 2024",
                                                  .cost = "ceil(log2 p) L + (p-1) m/B",
                                                  .round = allgather_round,
                                                  .tmp_bytes = one_r};
const struct coll_alg coll_allgatherv_circulant = {.kind = COLL_ALLGATHERV,
                                                   .name = "circulant",
                                                   .source = "Traeff 2024",
                                                   .cost = "ceil(log2 p) L + n/B",
                                                   .round = allgather_round,
                                                   .tmp_bytes = one_r};
const struct coll_alg coll_allreduce_circulant = {
    .kind = COLL_ALLREDUCE,
    .name = "circulant",
    .source = "Traeff 2024; Kolmakov and Zhang 2020, generalized allreduce",
    .cost = "2 ceil(log2 p) L + 2 (p-1)/p n/B",
    .round = allreduce_round,
    .tmp_bytes = two_r,
    .needs_commutative = 1};
