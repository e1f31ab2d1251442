/* nodes_rooted.c: MVAPICH2's gather, scatter and broadcast in two levels, and MPICH's barrier:
 * inside hosts and among their leaders. */
#include "nodes.h"

/* What refuses: blocks of a host must be neighbours, and as many everywhere. */
static const char *needs_regular(const struct coll_args *a)
{
	if (!coll_per_node(a))
		return "hosts have different numbers of ranks";
	return !a->shape || a->shape->blocked ? NULL : "the ranks of a host are not consecutive";
}

static uint32_t root_leader(const struct coll_args *a)
{
	return nodes_leader(a, nodes_of(a, a->root));
}

static const struct coll_alg *chosen(const struct coll_args *a)
{
	return a->chosen;
}

/* --- gather. Temporary buffer of a leader: A, its host's blocks; B, all blocks, if its host is the
 * root's and it is not the root --- */

/* Bytes of a block, as this rank knows it. */
static int64_t gather_block(const struct coll_args *a, uint32_t rank)
{
	return rank == a->root ? a->count2 * a->type_size2 : a->count * a->type_size;
}

static int gather_inside(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                         struct coll_view *view)
{
	struct coll_levels levels = coll_mvapich2_levels(whole);
	phase->kind = COLL_GATHER;
	phase->root = 0;
	phase->count2 = whole->count;
	phase->type_size2 = whole->type_size;
	phase->chosen = levels.inside ? levels.inside : &coll_gather_ompi_binomial;
	view->buf[BUF_RECV] = BUF_TMP;
	return nodes_inside(whole, rank, phase, view) && gather_block(whole, rank) > 0;
}

static int gather_leaders(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                          struct coll_view *view)
{
	uint32_t c = coll_per_node(whole);
	phase->count = phase->count2 = c * gather_block(whole, rank);
	phase->type_size = phase->type_size2 = 1;
	phase->root = nodes_of(whole, whole->root);
	view->buf[BUF_SEND] = BUF_TMP;
	if (rank != whole->root) {
		view->buf[BUF_RECV] = BUF_TMP;
		view->off[BUF_RECV] = c * gather_block(whole, rank);
	}
	return nodes_leaders(whole, rank, phase, view) && gather_block(whole, rank) > 0;
}

static int gather_give_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                             struct coll_steps *out)
{
	int64_t m = gather_block(a, rank);
	if (round > 0 || root_leader(a) == a->root || m == 0)
		return COLL_END;
	if (rank == root_leader(a))
		step_send(out, a->root, piece_at(BUF_TMP, coll_per_node(a) * m, a->size * m));
	if (rank == a->root)
		step_recv(out, root_leader(a), piece_at(BUF_RECV, 0, a->size * m));
	return 0;
}
static const struct coll_alg gather_give = {
    .kind = COLL_GATHER, .name = "gather_give", .round = gather_give_round};

static int64_t gather_tmp(const struct coll_args *a, uint32_t rank)
{
	return nodes_local(a, rank) == 0
	           ? (coll_per_node(a) + (int64_t)a->size) * gather_block(a, rank)
	           : 0;
}

const struct coll_alg coll_gather_mvapich2_two_level = {
    .kind = COLL_GATHER,
    .name = "mvapich2_two_level",
    .source = "MVAPICH2 1.9",
    .cost = "a gather inside, (p/c - 1) (L + c m/B), L + p m/B if the root is no leader",
    .phase = {{.choose = chosen, .args = gather_inside},
              {.alg = &coll_gather_ompi_basic_linear, .args = gather_leaders},
              {.alg = &gather_give, .args = phase_on_tmp}},
    .tmp_bytes = gather_tmp,
    .refuses = needs_regular};

/* --- scatter, the other way. Temporary buffer of a leader: A, its host's blocks; B, all blocks
 * --- */

static int64_t scatter_block(const struct coll_args *a, uint32_t rank)
{
	return rank == a->root ? a->count * a->type_size : a->count2 * a->type_size2;
}

static int scatter_give_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                              struct coll_steps *out)
{
	int64_t m = scatter_block(a, rank);
	if (round > 0 || root_leader(a) == a->root || m == 0)
		return COLL_END;
	if (rank == a->root)
		step_send(out, root_leader(a), piece_at(BUF_SEND, 0, a->size * m));
	if (rank == root_leader(a))
		step_recv(out, a->root, piece_at(BUF_TMP, coll_per_node(a) * m, a->size * m));
	return 0;
}
static const struct coll_alg scatter_give = {
    .kind = COLL_SCATTER, .name = "scatter_give", .round = scatter_give_round};

static int scatter_leaders(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                           struct coll_view *view)
{
	uint32_t c = coll_per_node(whole);
	phase->count = phase->count2 = c * scatter_block(whole, rank);
	phase->type_size = phase->type_size2 = 1;
	phase->root = nodes_of(whole, whole->root);
	view->buf[BUF_RECV] = BUF_TMP;
	if (rank != whole->root) {
		view->buf[BUF_SEND] = BUF_TMP;
		view->off[BUF_SEND] = c * scatter_block(whole, rank);
	}
	return nodes_leaders(whole, rank, phase, view) && scatter_block(whole, rank) > 0;
}

static int scatter_inside(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                          struct coll_view *view)
{
	struct coll_levels levels = coll_mvapich2_levels(whole);
	phase->root = 0;
	phase->count = whole->count2;
	phase->type_size = whole->type_size2;
	phase->chosen = levels.inside ? levels.inside : &coll_scatter_ompi_binomial;
	view->buf[BUF_SEND] = BUF_TMP;
	return nodes_inside(whole, rank, phase, view) && scatter_block(whole, rank) > 0;
}

static int64_t scatter_tmp(const struct coll_args *a, uint32_t rank)
{
	return nodes_local(a, rank) == 0
	           ? (coll_per_node(a) + (int64_t)a->size) * scatter_block(a, rank)
	           : 0;
}

static const struct coll_alg hosts_direct = {
    .kind = COLL_SCATTER,
    .name = "hosts_direct",
    .phase = {{.alg = &scatter_give, .args = phase_on_tmp},
              {.alg = &coll_scatter_ompi_basic_linear, .args = scatter_leaders},
              {.choose = chosen, .args = scatter_inside}},
    .tmp_bytes = scatter_tmp};
static const struct coll_alg hosts_binomial = {
    .kind = COLL_SCATTER,
    .name = "hosts_binomial",
    .phase = {{.alg = &scatter_give, .args = phase_on_tmp},
              {.alg = &coll_scatter_ompi_binomial, .args = scatter_leaders},
              {.choose = chosen, .args = scatter_inside}},
    .tmp_bytes = scatter_tmp};

static const struct coll_alg *direct_choose(const struct coll_args *a)
{
	return nodes_count(a) == 1 ? &coll_scatter_ompi_basic_linear : &hosts_direct;
}
static const struct coll_alg *binomial_choose(const struct coll_args *a)
{
	return nodes_count(a) == 1 ? &coll_scatter_ompi_binomial : &hosts_binomial;
}

const struct coll_alg coll_scatter_mvapich2_two_level_direct = {
    .kind = COLL_SCATTER,
    .name = "mvapich2_two_level_direct",
    .source = "MVAPICH2 1.9",
    .cost = "L + p m/B if the root is no leader, (p/c - 1) (L + c m/B), a scatter inside",
    .phase = {{.choose = direct_choose}},
    .refuses = needs_regular};
const struct coll_alg coll_scatter_mvapich2_two_level_binomial = {
    .kind = COLL_SCATTER,
    .name = "mvapich2_two_level_binomial",
    .source = "MVAPICH2 1.9",
    .cost = "L + p m/B if the root is no leader, log2 p/c L + p m/B, a scatter inside",
    .phase = {{.choose = binomial_choose}},
    .refuses = needs_regular};

/* --- broadcast: the root to its leader, leaders, hosts --- */

static int bcast_give_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                            struct coll_steps *out)
{
	if (round > 0 || root_leader(a) == a->root)
		return COLL_END;
	if (rank == a->root)
		step_send(out, root_leader(a), piece_recv(a));
	if (rank == root_leader(a))
		step_recv(out, a->root, piece_recv(a));
	return 0;
}
static const struct coll_alg bcast_give = {
    .kind = COLL_BCAST, .name = "bcast_give", .round = bcast_give_round};

static int bcast_leaders(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                         struct coll_view *view)
{
	struct coll_levels levels = coll_mvapich2_levels(whole);
	int leader = nodes_leaders(whole, rank, phase, view);
	phase->root = nodes_of(whole, whole->root);
	phase->chosen = levels.leaders ? levels.leaders : coll_bcast_mpich(phase);
	return leader;
}

/* MVAPICH2's own choice inside: k-nomial for more than 128 KiB. */
static int bcast_inside(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                        struct coll_view *view)
{
	struct coll_levels levels = coll_mvapich2_levels(whole);
	nodes_inside(whole, rank, phase, view);
	phase->root = 0;
	if (levels.inside)
		phase->chosen = levels.inside;
	else if (levels.from_tables || whole->count * whole->type_size <= 131072)
		phase->chosen = coll_bcast_mpich(phase);
	else
		phase->chosen = &coll_bcast_mvapich2_knomial_intra_node;
	return phase->size > 1;
}

const struct coll_alg coll_bcast_mvapich2_two_level = {
    .kind = COLL_BCAST,
    .name = "mvapich2_two_level",
    .source = "MVAPICH2 1.9 (SMPI's mvapich2_inter_node, then the broadcast inside hosts)",
    .cost = "L + n/B if the root is no leader, a bcast among leaders, one inside",
    .phase = {{.alg = &bcast_give},
              {.choose = chosen, .args = bcast_leaders},
              {.choose = chosen, .args = bcast_inside}}};

/* SMPI's has no broadcast inside hosts: the other ranks get nothing. */
static int bcast_inside_unless_compat(const struct coll_args *whole, uint32_t rank,
                                      struct coll_args *phase, struct coll_view *view)
{
	return bcast_inside(whole, rank, phase, view) && !whole->compat;
}

const struct coll_alg coll_bcast_mvapich2_inter_node = {
    .kind = COLL_BCAST,
    .name = "mvapich2_inter_node",
    .source = "MVAPICH2 1.9; in compat without the broadcast inside hosts, as SMPI",
    .cost = "L + n/B if the root is no leader, a bcast among leaders, one inside",
    .phase = {{.alg = &bcast_give},
              {.choose = chosen, .args = bcast_leaders},
              {.choose = chosen, .args = bcast_inside_unless_compat}}};

static const struct coll_alg *intra_choose(const struct coll_args *a)
{
	int64_t n = a->count * a->type_size;
	if (a->size > 64 || (n > 16384 && n < 512 << 10))
		return &coll_bcast_mvapich2_two_level;
	return n <= 16384 ? &coll_bcast_binomial_tree : &coll_bcast_scatter_LR_allgather;
}

const struct coll_alg coll_bcast_mvapich2_intra_node = {
    .kind = COLL_BCAST,
    .name = "mvapich2_intra_node",
    .source = "MVAPICH2 1.9",
    .cost = "as mvapich2_two_level, binomial_tree or scatter_LR_allgather",
    .phase = {{.choose = intra_choose}},
    .skips_empty = 1};

/* --- barrier: inside, among leaders, and a byte to tell the hosts' ranks --- */

static int signal_inside(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                         struct coll_view *view)
{
	phase->kind = COLL_BCAST;
	phase->root = 0;
	phase->count = phase->type_size = 1;
	view->buf[BUF_RECV] = BUF_TOKEN;
	return nodes_inside(whole, rank, phase, view);
}

const struct coll_alg coll_barrier_mpich_smp = {
    .kind = COLL_BARRIER,
    .name = "mpich_smp",
    .source = "MPICH 3",
    .cost = "(2 log2 c + log2 p/c) L",
    .phase = {{.alg = &coll_barrier_ompi_bruck, .args = nodes_inside},
              {.alg = &coll_barrier_ompi_bruck, .args = nodes_leaders},
              {.choose = coll_bcast_mpich, .args = signal_inside}}};
