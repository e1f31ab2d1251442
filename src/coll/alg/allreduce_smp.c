/* allreduce_smp.c: STAR-MPI's allreduces for hosts of several ranks: a binomial reduction
 * inside each host, something among hosts, a binomial broadcast inside each host. */
#include "blocks.h"
#include "fold.h"

static int reduce_inside(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                         struct coll_view *view)
{
	phase->kind = COLL_REDUCE;
	return blocks_inside(whole, rank, phase, view);
}
static int bcast_inside(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                        struct coll_view *view)
{
	phase->kind = COLL_BCAST;
	return blocks_inside(whole, rank, phase, view);
}
/* Leaders work on the sum where it is: their send buffer is the receive buffer. */
static int among_hosts(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                       struct coll_view *view)
{
	view->buf[BUF_SEND] = BUF_RECV;
	return blocks_leaders(whole, rank, phase, view);
}

const struct coll_alg coll_allreduce_smp_binomial = {
    .kind = COLL_ALLREDUCE,
    .name = "smp_binomial",
    .source = "STAR-MPI",
    .cost = "2 ceil(log2 p) (L + n/B)",
    .phase = {{.alg = &coll_reduce_binomial, .args = reduce_inside},
              {.alg = &coll_reduce_binomial, .args = among_hosts},
              {.alg = &coll_bcast_binomial_tree, .args = among_hosts},
              {.alg = &coll_bcast_binomial_tree, .args = bcast_inside}},
    .needs_commutative = 1};

const struct coll_alg coll_allreduce_smp_rdb = {
    .kind = COLL_ALLREDUCE,
    .name = "smp_rdb",
    .source = "STAR-MPI",
    .cost = "2 log2 c (L + n/B) + log2 p/c (L + n/B)",
    .phase = {{.alg = &coll_reduce_binomial, .args = reduce_inside},
              {.alg = &coll_allreduce_rdb, .args = among_hosts},
              {.alg = &coll_bcast_binomial_tree, .args = bcast_inside}},
    .needs_commutative = 1};

/* --- ring among hosts: chunks of count/hosts elements, the last one with the rest (which SMPI's
 * smp_rsag leaves out) --- */

enum rest { REST_IN_LAST, REST_LEFT_OUT };

/* Chunk i mod p; -2 p <= i. With fewer elements than hosts, SMPI takes every chunk for the last. */
static struct piece chunk(const struct coll_args *a, int64_t i, enum rest rest)
{
	int64_t each = a->count / a->size, at = (i + 2 * (int64_t)a->size) % a->size;
	int last = at == a->size - 1 || (a->compat && each == 0);
	int64_t n = last && rest == REST_IN_LAST ? each + a->count % a->size : each;
	return piece_at(BUF_RECV, at * each * a->type_size, n * a->type_size);
}

static int ring_round(const struct coll_args *a, uint32_t rank, uint32_t round, enum rest rest,
                      struct coll_steps *out)
{
	int64_t r = rank, i = round, steps = a->size - 1;
	if (round >= 2 * steps)
		return COLL_END;
	uint32_t to = rank_add(a, rank, 1), from = rank_sub(a, rank, 1);
	if (i >= steps) {
		i -= steps;
		step_sendrecv(out, rank, to, chunk(a, r - i, rest), from,
		              chunk(a, r - 1 - i, rest));
		return 0;
	}
	struct piece sum = chunk(a, r - 2 - i, rest), come = piece_at(BUF_TMP, 0, sum.len);
	step_sendrecv(out, rank, to, chunk(a, r - 1 - i, rest), from, come);
	step_reduce(out, sum, come);
	return 0;
}
static int64_t one_buffer(const struct coll_args *a, uint32_t rank)
{
	(void)rank;
	return a->count * a->type_size;
}

static int rsag_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                      struct coll_steps *out)
{
	return ring_round(a, rank, round, a->compat ? REST_LEFT_OUT : REST_IN_LAST, out);
}
static int rsag_lr_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                         struct coll_steps *out)
{
	return ring_round(a, rank, round, REST_IN_LAST, out);
}
static const struct coll_alg host_ring = {
    .kind = COLL_ALLREDUCE, .name = "host_ring", .round = rsag_round, .tmp_bytes = one_buffer};
static const struct coll_alg host_ring_lr = {.kind = COLL_ALLREDUCE,
                                             .name = "host_ring_lr",
                                             .round = rsag_lr_round,
                                             .tmp_bytes = one_buffer};

const struct coll_alg coll_allreduce_smp_rsag = {
    .kind = COLL_ALLREDUCE,
    .name = "smp_rsag",
    .source = "STAR-MPI",
    .cost = "2 log2 c (L + n/B) + 2 (p/c - 1) (L + n c/p/B)",
    .phase = {{.alg = &coll_reduce_binomial, .args = reduce_inside},
              {.alg = &host_ring, .args = among_hosts},
              {.alg = &coll_bcast_binomial_tree, .args = bcast_inside}},
    .needs_commutative = 1};
const struct coll_alg coll_allreduce_smp_rsag_lr = {
    .kind = COLL_ALLREDUCE,
    .name = "smp_rsag_lr",
    .source = "STAR-MPI",
    .cost = "2 log2 c (L + n/B) + 2 (p/c - 1) (L + n c/p/B)",
    .phase = {{.alg = &coll_reduce_binomial, .args = reduce_inside},
              {.alg = &host_ring_lr, .args = among_hosts},
              {.alg = &coll_bcast_binomial_tree, .args = bcast_inside}},
    .needs_commutative = 1};

/* --- recursive halving and doubling among a power of two of hosts. SMPI halves the count and drops
 * what is odd (compat) --- */

static struct piece half(const struct coll_args *a, const struct fold *f, uint32_t rank,
                         uint32_t steps)
{
	struct piece p = fold_piece(f, fold_units(f, rank, steps), BUF_RECV, 0, a->count,
	                            a->type_size);
	if (a->compat)
		p.len = (a->count >> steps) * a->type_size;
	return p;
}

static int halving_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                         struct coll_steps *out)
{
	struct fold f = fold_of(a->size, FOLD_EVEN);
	if (round >= 2 * f.steps)
		return COLL_END;
	int back = round >= f.steps;
	uint32_t i = back ? 2 * f.steps - 1 - round : round, peer = rank ^ 1u << i;
	struct piece mine = half(a, &f, rank, i + 1), theirs = half(a, &f, peer, i + 1),
	             come = piece_at(BUF_TMP, 0, mine.len);
	if (back && a->compat)
		mine.len = theirs.len = ((a->count >> (f.steps + 1)) * 2 << (f.steps - 1 - i)) *
		                        a->type_size;
	if (back) {
		step_sendrecv(out, rank, peer, mine, peer, theirs);
	} else {
		step_sendrecv(out, rank, peer, theirs, peer, come);
		step_reduce(out, mine, come);
	}
	return 0;
}
static const struct coll_alg host_halving = {.kind = COLL_ALLREDUCE,
                                             .name = "host_halving",
                                             .round = halving_round,
                                             .tmp_bytes = one_buffer};

static const char *halving_refuses(const struct coll_args *a)
{
	return is_pow2(a->size) ? NULL : "it is for a power of two of ranks";
}

const struct coll_alg coll_allreduce_smp_rsag_rab = {
    .kind = COLL_ALLREDUCE,
    .name = "smp_rsag_rab",
    .source = "STAR-MPI",
    .cost = "2 log2 c (L + n/B) + 2 log2 p/c L + 2 n/B",
    .phase = {{.alg = &coll_reduce_binomial, .args = reduce_inside},
              {.alg = &host_halving, .args = among_hosts},
              {.alg = &coll_bcast_binomial_tree, .args = bcast_inside}},
    .refuses = halving_refuses,
    .needs_commutative = 1};

/* --- segments of 4096 elements through the four stages of smp_binomial: in turn i, segment i is in
 * the first, i-1 in the second, and so on. SMPI leaves out what does not fill a segment --- */

enum { PIPELINE_SEGMENT = 4096, STAGES = 4 };

static int64_t segment_elements(const struct coll_args *a)
{
	return a->count < PIPELINE_SEGMENT ? a->count : PIPELINE_SEGMENT;
}
static uint32_t segments(const struct coll_args *a)
{
	int64_t each = segment_elements(a);
	if (each == 0)
		return 0;
	return (uint32_t)(a->compat ? a->count / each : (a->count + each - 1) / each);
}
static uint32_t turns(const struct coll_args *a)
{
	return segments(a) ? segments(a) + STAGES - 1 : 0;
}

/* The segment that `stage` handles in this turn. */
static int stage_args(const struct coll_args *whole, uint32_t stage, struct coll_args *phase,
                      struct coll_view *view)
{
	int64_t i = (int64_t)whole->repeat - stage, each = segment_elements(whole),
	        left = whole->count - i * each;
	if (i < 0 || i >= segments(whole))
		return 0;
	phase->count = left < each ? left : each;
	view->off[BUF_SEND] = view->off[BUF_RECV] = i * each * whole->type_size;
	return 1;
}

static int stage_0(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                   struct coll_view *view)
{
	return stage_args(phase, 0, phase, view) && reduce_inside(whole, rank, phase, view);
}
static int stage_1(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                   struct coll_view *view)
{
	return stage_args(phase, 1, phase, view) && among_hosts(whole, rank, phase, view);
}
static int stage_2(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                   struct coll_view *view)
{
	return stage_args(phase, 2, phase, view) && among_hosts(whole, rank, phase, view);
}
static int stage_3(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                   struct coll_view *view)
{
	return stage_args(phase, 3, phase, view) && bcast_inside(whole, rank, phase, view);
}

const struct coll_alg coll_allreduce_smp_binomial_pipeline = {
    .kind = COLL_ALLREDUCE,
    .name = "smp_binomial_pipeline",
    .source = "STAR-MPI",
    .cost = "(n/s + 3) 2 ceil(log2 p) (L + s/B), s = 4096 elements",
    .phase = {{.alg = &coll_reduce_binomial, .args = stage_0},
              {.alg = &coll_reduce_binomial, .args = stage_1},
              {.alg = &coll_bcast_binomial_tree, .args = stage_2},
              {.alg = &coll_bcast_binomial_tree, .args = stage_3}},
    .repeats = turns,
    .needs_commutative = 1};
