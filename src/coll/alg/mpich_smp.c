/* mpich_smp.c: MPICH 4's algorithms for hosts of several ranks (ch4_coll_impl.h, compositions
 * alpha and beta; *_intra_smp.c): inside hosts and among their leaders, with what the selector says
 * of these parts. Inside hosts MPICH may use shared memory; here they are messages.
 *
 * Parts are flat (coll_args.flat) and these algorithms refuse them, so that an operation fixed to
 * one of them ends. */
#include "nodes.h"

static const char *is_a_part(const struct coll_args *a)
{
	return a->flat ? "it is a part of itself" : NULL;
}

static uint32_t root_leader(const struct coll_args *a)
{
	return nodes_leader(a, nodes_of(a, a->root));
}
static int on_root_node(const struct coll_args *a, uint32_t rank)
{
	return nodes_of(a, rank) == nodes_of(a, a->root);
}
static int64_t whole_bytes(const struct coll_args *a)
{
	return a->count * a->type_size;
}
static int64_t one_buffer(const struct coll_args *a, uint32_t rank)
{
	(void)rank;
	return whole_bytes(a);
}
static int64_t two_buffers(const struct coll_args *a, uint32_t rank)
{
	(void)rank;
	return 2 * whole_bytes(a);
}

/* --- broadcast. alpha: the root to its leader, the leaders, each host from its leader --- */

static int give_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                      struct coll_steps *out)
{
	uint32_t leader = root_leader(a);
	if (round > 0 || leader == a->root)
		return COLL_END;
	if (rank == a->root)
		step_send(out, leader, piece_recv(a));
	if (rank == leader)
		step_recv(out, a->root, piece_recv(a));
	return 0;
}
static const struct coll_alg give_to_leader = {
    .kind = COLL_BCAST, .name = "give_to_leader", .round = give_round};

static int bcast_leaders(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                         struct coll_view *view)
{
	phase->root = nodes_of(whole, whole->root);
	return nodes_leaders(whole, rank, phase, view) && phase->size > 1;
}

static int bcast_inside(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                        struct coll_view *view)
{
	phase->kind = COLL_BCAST;
	phase->root = 0;
	return nodes_inside(whole, rank, phase, view) && phase->size > 1;
}

const struct coll_alg coll_bcast_mpich_alpha = {
    .kind = COLL_BCAST,
    .name = "mpich_alpha",
    .source = "MPICH 4, composition alpha; smp of short messages",
    .cost = "L + n/B if the root is no leader, a bcast among leaders, one inside",
    .phase = {{.alg = &give_to_leader},
              {.selected = 1, .args = bcast_leaders},
              {.selected = 1, .args = bcast_inside}},
    .refuses = is_a_part,
    .instead = &coll_bcast_binomial_tree};

/* beta: the root's host first, if the root is not its leader; then the leaders, and the other
 * hosts. */
static int bcast_root_node(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                           struct coll_view *view)
{
	phase->root = nodes_local(whole, whole->root);
	return nodes_inside(whole, rank, phase, view) && on_root_node(whole, rank) &&
	       phase->root > 0;
}

static int bcast_others(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                        struct coll_view *view)
{
	int served = on_root_node(whole, rank) && nodes_local(whole, whole->root) > 0;
	return bcast_inside(whole, rank, phase, view) && !served;
}

const struct coll_alg coll_bcast_mpich_beta = {
    .kind = COLL_BCAST,
    .name = "mpich_beta",
    .source = "MPICH 4, composition beta; smp of medium messages",
    .cost = "a bcast on the root's host, one among leaders, one inside",
    .phase = {{.selected = 1, .args = bcast_root_node},
              {.selected = 1, .args = bcast_leaders},
              {.selected = 1, .args = bcast_others}},
    .refuses = is_a_part,
    .instead = &coll_bcast_binomial_tree};

static const struct coll_alg *bcast_choose(const struct coll_args *a)
{
	int64_t n = whole_bytes(a);
	if (n < 12288 || a->size < 8)
		return &coll_bcast_mpich_alpha;
	return n < 524288 && is_pow2(a->size) ? &coll_bcast_mpich_beta
	                                      : &coll_bcast_scatter_LR_allgather;
}

const struct coll_alg coll_bcast_mpich_smp = {
    .kind = COLL_BCAST,
    .name = "mpich_smp",
    .source = "MPICH 4, smp",
    .cost = "as mpich_alpha, mpich_beta or scatter_LR_allgather",
    .phase = {{.choose = bcast_choose}},
    .refuses = is_a_part,
    .instead = &coll_bcast_binomial_tree};

/* --- reduce. Temporary buffer: A, a host's sum; B, the sum of all at a leader --- */

static int reduce_inside(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                         struct coll_view *view)
{
	phase->kind = COLL_REDUCE;
	phase->root = 0;
	view->buf[BUF_RECV] = BUF_TMP;
	return nodes_inside(whole, rank, phase, view);
}

static int reduce_leaders(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                          struct coll_view *view)
{
	view->buf[BUF_SEND] = view->buf[BUF_RECV] = BUF_TMP;
	view->off[BUF_RECV] = whole_bytes(whole);
	return nodes_leaders(whole, rank, phase, view);
}

/* alpha: each host to its leader, the leaders to rank 0, who gives the sum to the root. */
static int reduce_to_zero(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                          struct coll_view *view)
{
	phase->root = 0;
	return reduce_leaders(whole, rank, phase, view);
}

static int hand_over_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                           struct coll_steps *out)
{
	int64_t n = whole_bytes(a);
	if (round > 0 || n == 0)
		return COLL_END;
	if (rank == 0 && a->root == 0)
		step_copy(out, piece_recv(a), piece_at(BUF_TMP, n, n));
	else if (rank == 0)
		step_send(out, a->root, piece_at(BUF_TMP, n, n));
	else if (rank == a->root)
		step_recv(out, 0, piece_recv(a));
	return 0;
}
static const struct coll_alg hand_over = {
    .kind = COLL_REDUCE, .name = "hand_over", .round = hand_over_round};

const struct coll_alg coll_reduce_mpich_alpha = {
    .kind = COLL_REDUCE,
    .name = "mpich_alpha",
    .source = "MPICH 4, composition alpha",
    .cost = "a reduce inside, one among leaders, L + n/B if the root is not rank 0",
    .phase = {{.selected = 1, .args = reduce_inside},
              {.selected = 1, .args = reduce_to_zero},
              {.alg = &hand_over, .args = phase_on_tmp}},
    .tmp_bytes = two_buffers,
    .needs_commutative = 1,
    .refuses = is_a_part,
    .instead = &coll_reduce_binomial};

/* beta: the other hosts to their leaders, the leaders to that of the root's host, which gives its
 * own data only; then the root's host to the root, its leader with that sum. */
static int reduce_others(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                         struct coll_view *view)
{
	return reduce_inside(whole, rank, phase, view) && !on_root_node(whole, rank);
}

static int reduce_to_root_node(const struct coll_args *whole, uint32_t rank,
                               struct coll_args *phase, struct coll_view *view)
{
	phase->root = nodes_of(whole, whole->root);
	int leads = reduce_leaders(whole, rank, phase, view);
	if (rank == root_leader(whole))
		view->buf[BUF_SEND] = BUF_SEND;
	return leads;
}

static int reduce_root_node(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                            struct coll_view *view)
{
	phase->root = nodes_local(whole, whole->root);
	if (rank == root_leader(whole)) {
		view->buf[BUF_SEND] = BUF_TMP;
		view->off[BUF_SEND] = whole_bytes(whole);
	}
	return nodes_inside(whole, rank, phase, view) && on_root_node(whole, rank);
}

const struct coll_alg coll_reduce_mpich_beta = {
    .kind = COLL_REDUCE,
    .name = "mpich_beta",
    .source = "MPICH 4, composition beta; smp",
    .cost = "a reduce inside, one among leaders, one on the root's host",
    .phase = {{.selected = 1, .args = reduce_others},
              {.selected = 1, .args = reduce_to_root_node},
              {.selected = 1, .args = reduce_root_node}},
    .tmp_bytes = two_buffers,
    .needs_commutative = 1,
    .refuses = is_a_part,
    .instead = &coll_reduce_binomial};

/* --- allreduce: a reduce inside to the leader's temporary buffer, an allreduce among leaders, a
 * broadcast inside --- */

static int allreduce_inside(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                            struct coll_view *view)
{
	return reduce_inside(whole, rank, phase, view) && whole->count > 0;
}

static int allreduce_leaders(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                             struct coll_view *view)
{
	view->buf[BUF_SEND] = BUF_TMP;
	return nodes_leaders(whole, rank, phase, view) && whole->count > 0;
}

static int allreduce_back(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                          struct coll_view *view)
{
	return bcast_inside(whole, rank, phase, view) && whole->count > 0;
}

const struct coll_alg coll_allreduce_mpich_smp = {
    .kind = COLL_ALLREDUCE,
    .name = "mpich_smp",
    .source = "MPICH 4, composition alpha; smp",
    .cost = "a reduce inside, an allreduce among leaders, a bcast inside",
    .phase = {{.selected = 1, .args = allreduce_inside},
              {.selected = 1, .args = allreduce_leaders},
              {.selected = 1, .args = allreduce_back}},
    .tmp_bytes = one_buffer,
    .needs_commutative = 1,
    .refuses = is_a_part,
    .instead = &coll_allreduce_rdb};

/* --- without regard to hosts: composition gamma (allreduce, beta) leaves all ranks to the network,
 * where MPICH chooses as on hosts of one rank --- */

static const struct coll_alg *flat_choose(const struct coll_args *a)
{
	struct coll_args flat = *a;
	flat.flat = FLAT_LEADERS;
	return coll_selector_mpich_4.choose(&flat);
}

const struct coll_alg coll_bcast_mpich_flat = {
    .kind = COLL_BCAST,
    .name = "mpich_flat",
    .source = "MPICH 4, composition gamma",
    .cost = "as binomial_tree, scatter_rdb_allgather or scatter_LR_allgather",
    .phase = {{.choose = flat_choose}}};
const struct coll_alg coll_reduce_mpich_flat = {
    .kind = COLL_REDUCE,
    .name = "mpich_flat",
    .source = "MPICH 4, composition gamma",
    .cost = "as binomial or mpich_reduce_scatter_gather",
    .phase = {{.choose = flat_choose}}};
const struct coll_alg coll_allreduce_mpich_flat = {
    .kind = COLL_ALLREDUCE,
    .name = "mpich_flat",
    .source = "MPICH 4, composition beta",
    .cost = "as rdb or mpich_reduce_scatter_allgather",
    .phase = {{.choose = flat_choose}}};
