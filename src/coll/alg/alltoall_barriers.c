/* alltoall_barriers.c: STAR-MPI's pairwise exchanges kept in step by barriers: one before, one
 * before each step, or an exchange of one byte with the partners of the next step. For alltoall and
 * alltoallv. */
#include "coll/coll_int.h"

struct partners {
	uint32_t to, from;
};
static struct partners rotating(const struct coll_args *a, uint32_t rank, uint32_t i)
{
	return (struct partners){rank_add(a, rank, i), rank_sub(a, rank, i)};
}
/* By exclusive or; where p is not a power of two, rotating. */
static struct partners paired(const struct coll_args *a, uint32_t rank, uint32_t i)
{
	return is_pow2(a->size) ? (struct partners){rank ^ i, rank ^ i} : rotating(a, rank, i);
}

static void exchange(const struct coll_args *a, uint32_t rank, struct partners p,
                     struct coll_steps *out)
{
	step_sendrecv(out, rank, p.to, piece_send_block(a, p.to), p.from,
	              piece_recv_block(a, p.from));
}

/* --- one byte ahead of the next step --- */

static int light_step(const struct coll_args *a, uint32_t rank, uint32_t round, struct partners now,
                      struct partners next, struct coll_steps *out)
{
	const struct piece signal = {BUF_TOKEN, 0, 1};
	exchange(a, rank, now, out);
	if (round > 0 && round + 1 < a->size)
		step_sendrecv(out, rank, next.from, signal, next.to, signal);
	return 0;
}

static int light(const struct coll_args *a, uint32_t rank, uint32_t round,
                 struct partners (*p)(const struct coll_args *, uint32_t, uint32_t),
                 struct coll_steps *out)
{
	if (round >= a->size)
		return COLL_END;
	return light_step(a, rank, round, p(a, rank, round), p(a, rank, (round + 1) % a->size),
	                  out);
}

static int light_pair_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                            struct coll_steps *out)
{
	return light(a, rank, round, paired, out);
}
static int light_ring_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                            struct coll_steps *out)
{
	return light(a, rank, round, rotating, out);
}

const struct coll_alg coll_alltoall_pair_light_barrier = {.kind = COLL_ALLTOALL,
                                                          .name = "pair_light_barrier",
                                                          .source = "STAR-MPI",
                                                          .cost = "(p-1) (2 L + m/B)",
                                                          .round = light_pair_round};
const struct coll_alg coll_alltoall_ring_light_barrier = {.kind = COLL_ALLTOALL,
                                                          .name = "ring_light_barrier",
                                                          .source = "STAR-MPI",
                                                          .cost = "(p-1) (2 L + m/B)",
                                                          .round = light_ring_round};
const struct coll_alg coll_alltoallv_pair_light_barrier = {.kind = COLL_ALLTOALLV,
                                                           .name = "pair_light_barrier",
                                                           .source = "STAR-MPI",
                                                           .cost = "2 (p-1) L + n/B",
                                                           .round = light_pair_round};
const struct coll_alg coll_alltoallv_ring_light_barrier = {.kind = COLL_ALLTOALLV,
                                                           .name = "ring_light_barrier",
                                                           .source = "STAR-MPI",
                                                           .cost = "2 (p-1) L + n/B",
                                                           .round = light_ring_round};

/* --- the selected barrier --- */

static int barrier_args(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                        struct coll_view *view)
{
	(void)whole, (void)rank, (void)view;
	phase->kind = COLL_BARRIER;
	return 1;
}

static int pair_step(const struct coll_args *a, uint32_t rank, uint32_t round,
                     struct coll_steps *out)
{
	if (round > 0)
		return COLL_END;
	exchange(a, rank, paired(a, rank, a->repeat), out);
	return 0;
}
static int ring_step(const struct coll_args *a, uint32_t rank, uint32_t round,
                     struct coll_steps *out)
{
	if (round > 0)
		return COLL_END;
	exchange(a, rank, rotating(a, rank, a->repeat), out);
	return 0;
}
static uint32_t p_times(const struct coll_args *a)
{
	return a->size;
}
static const struct coll_alg one_pair = {
    .kind = COLL_ALLTOALL, .name = "one_pair", .round = pair_step};
static const struct coll_alg one_turn = {
    .kind = COLL_ALLTOALL, .name = "one_turn", .round = ring_step};
static const struct coll_alg one_pair_v = {
    .kind = COLL_ALLTOALLV, .name = "one_pair", .round = pair_step};
static const struct coll_alg one_turn_v = {
    .kind = COLL_ALLTOALLV, .name = "one_turn", .round = ring_step};

const struct coll_alg coll_alltoall_pair_mpi_barrier = {
    .kind = COLL_ALLTOALL,
    .name = "pair_mpi_barrier",
    .source = "STAR-MPI",
    .cost = "(p-1) (L + m/B) + p barriers",
    .phase = {{.selected = 1, .args = barrier_args}, {.alg = &one_pair}},
    .repeats = p_times};
const struct coll_alg coll_alltoall_ring_mpi_barrier = {
    .kind = COLL_ALLTOALL,
    .name = "ring_mpi_barrier",
    .source = "STAR-MPI",
    .cost = "(p-1) (L + m/B) + p barriers",
    .phase = {{.selected = 1, .args = barrier_args}, {.alg = &one_turn}},
    .repeats = p_times};
const struct coll_alg coll_alltoallv_pair_mpi_barrier = {
    .kind = COLL_ALLTOALLV,
    .name = "pair_mpi_barrier",
    .source = "STAR-MPI",
    .cost = "(p-1) L + n/B + p barriers",
    .phase = {{.selected = 1, .args = barrier_args}, {.alg = &one_pair_v}},
    .repeats = p_times};
const struct coll_alg coll_alltoallv_ring_mpi_barrier = {
    .kind = COLL_ALLTOALLV,
    .name = "ring_mpi_barrier",
    .source = "STAR-MPI",
    .cost = "(p-1) L + n/B + p barriers",
    .phase = {{.selected = 1, .args = barrier_args}, {.alg = &one_turn_v}},
    .repeats = p_times};

const struct coll_alg coll_alltoall_pair_one_barrier = {
    .kind = COLL_ALLTOALL,
    .name = "pair_one_barrier",
    .source = "STAR-MPI",
    .cost = "a barrier + (p-1) (L + m/B)",
    .phase = {{.selected = 1, .args = barrier_args}, {.alg = &coll_alltoall_pair}}};
const struct coll_alg coll_alltoall_ring_one_barrier = {
    .kind = COLL_ALLTOALL,
    .name = "ring_one_barrier",
    .source = "STAR-MPI",
    .cost = "a barrier + (p-1) (L + m/B)",
    .phase = {{.selected = 1, .args = barrier_args}, {.alg = &coll_alltoall_ring}}};
const struct coll_alg coll_alltoallv_pair_one_barrier = {
    .kind = COLL_ALLTOALLV,
    .name = "pair_one_barrier",
    .source = "STAR-MPI",
    .cost = "a barrier + (p-1) L + n/B",
    .phase = {{.selected = 1, .args = barrier_args}, {.alg = &coll_alltoallv_pair}}};
const struct coll_alg coll_alltoallv_ring_one_barrier = {
    .kind = COLL_ALLTOALLV,
    .name = "ring_one_barrier",
    .source = "STAR-MPI",
    .cost = "a barrier + (p-1) L + n/B",
    .phase = {{.selected = 1, .args = barrier_args}, {.alg = &coll_alltoallv_rotating}}};
