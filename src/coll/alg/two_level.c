/* two_level.c: MVAPICH2's reduce and allreduce in two levels: inside each host to its leader,
 * among the leaders, and back. Which algorithms the levels use is the mvapich2 selector's table if
 * that is selected, else MPICH's choice inside and recursive doubling (allreduce) or MPICH's choice
 * (reduce) among leaders. */
#include "nodes.h"

static int64_t whole_bytes(const struct coll_args *a)
{
	return a->count * a->type_size;
}

static const struct coll_alg *chosen(const struct coll_args *a)
{
	return a->chosen;
}

/* --- allreduce: every rank of a host has the host's sum after the first phase (if its algorithm is
 * an allreduce), the leaders then the whole sum. The leaders' send buffer is a copy, at the start
 * of the temporary one --- */

static int allreduce_inside(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                            struct coll_view *view)
{
	struct coll_levels levels = coll_mvapich2_levels(whole);
	nodes_inside(whole, rank, phase, view);
	phase->root = 0;
	phase->kind = levels.inside_reduces ? COLL_REDUCE : COLL_ALLREDUCE;
	phase->chosen = levels.inside_reduces ? coll_choose(phase, NULL)
	                                      : coll_allreduce_mpich(phase);
	/* A reduction leaves something only at its root. */
	if (levels.inside_reduces && view->rank)
		view->buf[BUF_RECV] = BUF_TMP;
	return whole->count > 0;
}

static int copy_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                      struct coll_steps *out)
{
	(void)rank;
	if (round > 0)
		return COLL_END;
	step_copy(out, piece_at(BUF_TMP, 0, whole_bytes(a)), piece_recv(a));
	return 0;
}
static const struct coll_alg copy_sum = {
    .kind = COLL_ALLREDUCE, .name = "copy_sum", .round = copy_round};

static int copy_args(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                     struct coll_view *view)
{
	(void)phase;
	view->off[BUF_TMP] = 0;
	return nodes_local(whole, rank) == 0 && nodes_count(whole) > 1;
}

static int allreduce_leaders(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                             struct coll_view *view)
{
	struct coll_levels levels = coll_mvapich2_levels(whole);
	phase->chosen = levels.leaders ? levels.leaders : &coll_allreduce_rdb;
	view->buf[BUF_SEND] = BUF_TMP;
	return nodes_leaders(whole, rank, phase, view) && phase->size > 1 && whole->count > 0;
}

static int bcast_inside(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                        struct coll_view *view)
{
	phase->kind = COLL_BCAST;
	phase->root = 0;
	return nodes_inside(whole, rank, phase, view) && phase->size > 1 && whole->count > 0;
}

static int64_t one_buffer(const struct coll_args *a, uint32_t rank)
{
	(void)rank;
	return whole_bytes(a);
}

const struct coll_alg coll_allreduce_mvapich2_two_level = {
    .kind = COLL_ALLREDUCE,
    .name = "mvapich2_two_level",
    .source = "MVAPICH2 1.9; MPICH 3",
    .cost = "inside: allreduce, bcast; leaders: log2 nodes (L + n/B)",
    .phase = {{.choose = chosen, .args = allreduce_inside},
              {.alg = &copy_sum, .args = copy_args},
              {.choose = chosen, .args = allreduce_leaders},
              {.selected = 1, .args = bcast_inside}},
    .tmp_bytes = one_buffer,
    .needs_commutative = 1};

/* --- reduce: temporary buffer: A, a host's sum; B, the whole sum at the leader of the root's host,
 * if that is not the root --- */

static int reduce_inside(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                         struct coll_view *view)
{
	struct coll_levels levels = coll_mvapich2_levels(whole);
	nodes_inside(whole, rank, phase, view);
	phase->root = 0;
	phase->chosen = levels.inside ? levels.inside : coll_reduce_mpich(phase);
	view->buf[BUF_RECV] = BUF_TMP;
	return 1;
}

static int reduce_leaders(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                          struct coll_view *view)
{
	struct coll_levels levels = coll_mvapich2_levels(whole);
	int leader = nodes_leaders(whole, rank, phase, view);
	phase->root = nodes_of(whole, whole->root);
	phase->chosen = levels.leaders ? levels.leaders : coll_reduce_mpich(phase);
	view->buf[BUF_SEND] = BUF_TMP;
	if (rank != whole->root) {
		view->buf[BUF_RECV] = BUF_TMP;
		view->off[BUF_RECV] = whole_bytes(whole);
	}
	return leader;
}

/* The leader of the root's host gives it the result. */
static int give_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                      struct coll_steps *out)
{
	uint32_t leader = nodes_leader(a, nodes_of(a, a->root));
	int64_t n = whole_bytes(a);
	if (round > 0 || leader == a->root)
		return COLL_END;
	if (rank == leader)
		step_send(out, a->root, piece_at(BUF_TMP, n, n));
	if (rank == a->root)
		step_recv(out, leader, piece_recv(a));
	return 0;
}
static const struct coll_alg give_to_root = {
    .kind = COLL_REDUCE, .name = "give_to_root", .round = give_round};

static int64_t two_buffers(const struct coll_args *a, uint32_t rank)
{
	(void)rank;
	return 2 * whole_bytes(a);
}

static const struct coll_alg many_hosts = {.kind = COLL_REDUCE,
                                           .name = "many_hosts",
                                           .phase = {{.choose = chosen, .args = reduce_inside},
                                                     {.choose = chosen, .args = reduce_leaders},
                                                     {.alg = &give_to_root, .args = phase_on_tmp}},
                                           .tmp_bytes = two_buffers};

/* One host only: small messages to rank 0, one after the other, and from it to the root. */
static int to_leader(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                     struct coll_view *view)
{
	phase->root = 0;
	if (rank != whole->root) {
		view->buf[BUF_RECV] = BUF_TMP;
		view->off[BUF_RECV] = whole_bytes(whole);
	}
	return 1;
}
static const struct coll_alg one_host = {
    .kind = COLL_REDUCE,
    .name = "one_host",
    .phase = {{.alg = &coll_reduce_ompi_basic_linear, .args = to_leader},
              {.alg = &give_to_root, .args = phase_on_tmp}},
    .tmp_bytes = two_buffers};

static const struct coll_alg *two_level_choose(const struct coll_args *a)
{
	if (nodes_count(a) > 1)
		return &many_hosts;
	return whole_bytes(a) <= 2048 ? &one_host : &coll_reduce_mvapich2_knomial;
}

const struct coll_alg coll_reduce_mvapich2_two_level = {
    .kind = COLL_REDUCE,
    .name = "mvapich2_two_level",
    .source = "MVAPICH2 1.9; MPICH 3",
    .cost = "a reduce inside, one among leaders, L + n/B",
    .phase = {{.choose = two_level_choose}},
    .needs_commutative = 1};
