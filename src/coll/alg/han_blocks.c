/* han_blocks.c: Open MPI 5's gather, scatter and allgather in two levels (coll/han): inside
 * hosts and among the ranks that speak for them, what coll/tuned would run there. Where the ranks
 * of hosts are not consecutive, blocks are put in order at the root (allgather: at each host's
 * first rank).
 *
 * Temporary buffer of a rank that speaks: A, its host's blocks; then B, all blocks, host by host,
 * where they need be put in order. */
#include "han.h"

static int is_blocked(const struct coll_args *a)
{
	return !a->shape || a->shape->blocked || a->flat == FLAT_HOST;
}

/* Bytes of a block, as this rank knows it. */
static int64_t block_of(const struct coll_args *a, uint32_t rank)
{
	if (a->kind == COLL_GATHER)
		return rank == a->root ? a->count2 * a->type_size2 : a->count * a->type_size;
	return a->kind == COLL_SCATTER && rank == a->root ? a->count * a->type_size
	                                                  : a->count2 * a->type_size2;
}

/* The place in a host of who speaks for it. */
static uint32_t speaker(const struct coll_args *a)
{
	return a->kind == COLL_ALLGATHER ? 0 : nodes_local(a, a->root);
}
static int64_t host_bytes(const struct coll_args *a, uint32_t rank)
{
	return coll_per_node(a) * block_of(a, rank);
}

static int64_t blocks_tmp(const struct coll_args *a, uint32_t rank)
{
	int orders = !is_blocked(a) && (a->kind == COLL_ALLGATHER || rank == a->root);
	if (nodes_local(a, rank) != speaker(a))
		return 0;
	return host_bytes(a, rank) + (orders ? a->size * block_of(a, rank) : 0);
}

/* Blocks between host order (B) and rank order (the user's), one a round. */
static int order_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                       struct coll_steps *out)
{
	int orders = a->kind == COLL_ALLGATHER ? nodes_local(a, rank) == 0 : rank == a->root;
	int64_t m = block_of(a, rank);
	if (!orders || round >= a->size || is_blocked(a))
		return COLL_END;
	int64_t place = (int64_t)nodes_of(a, round) * coll_per_node(a) + nodes_local(a, round);
	struct piece there = piece_at(BUF_TMP, host_bytes(a, rank) + place * m, m);
	if (a->kind == COLL_SCATTER)
		step_copy(out, there, piece_at(BUF_SEND, round * m, m));
	else
		step_copy(out, piece_at(BUF_RECV, round * m, m), there);
	return 0;
}
static const struct coll_alg gather_order = {
    .kind = COLL_GATHER, .name = "gather_order", .round = order_round};
static const struct coll_alg scatter_order = {
    .kind = COLL_SCATTER, .name = "scatter_order", .round = order_round};
static const struct coll_alg allgather_order = {
    .kind = COLL_ALLGATHER, .name = "allgather_order", .round = order_round};

static void in_bytes(struct coll_args *phase, int64_t bytes)
{
	phase->count = phase->count2 = bytes;
	phase->type_size = phase->type_size2 = 1;
}

/* --- gather: each host's blocks to A of its speaker, the speakers' to the root --- */

static int low_gather(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                      struct coll_view *view)
{
	phase->kind = COLL_GATHER;
	phase->root = speaker(whole);
	in_bytes(phase, block_of(whole, rank));
	view->buf[BUF_RECV] = BUF_TMP;
	return nodes_inside(whole, rank, phase, view) && phase->count > 0;
}

/* The speakers' blocks are A; all of them go to the user's buffer, or to B. */
static void up_buffers(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                       struct coll_view *view)
{
	in_bytes(phase, host_bytes(whole, rank));
	view->buf[BUF_SEND] = BUF_TMP;
	if (!is_blocked(whole)) {
		view->buf[BUF_RECV] = BUF_TMP;
		view->off[BUF_RECV] = host_bytes(whole, rank);
	}
}
static int up_gather(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                     struct coll_view *view)
{
	up_buffers(whole, rank, phase, view);
	phase->root = nodes_of(whole, whole->root);
	return han_among_hosts(whole, rank, speaker(whole), phase, view) && phase->count > 0;
}

const struct coll_alg coll_gather_ompi_han = {
    .kind = COLL_GATHER,
    .name = "ompi_han",
    .source = "Open MPI 5, han",
    .cost = "a gather inside, one of c m among hosts",
    .phase = {{.selected = 1, .args = low_gather},
              {.selected = 1, .args = up_gather},
              {.alg = &gather_order, .args = phase_on_tmp}},
    .tmp_bytes = blocks_tmp,
    .refuses = han_refuses_rooted,
    .instead = &coll_gather_ompi_binomial};

/* --- scatter: from the root to A of the speakers, from them inside --- */

static int up_scatter(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                      struct coll_view *view)
{
	in_bytes(phase, host_bytes(whole, rank));
	phase->root = nodes_of(whole, whole->root);
	view->buf[BUF_RECV] = BUF_TMP;
	if (!is_blocked(whole)) {
		view->buf[BUF_SEND] = BUF_TMP;
		view->off[BUF_SEND] = host_bytes(whole, rank);
	}
	return han_among_hosts(whole, rank, speaker(whole), phase, view) && phase->count > 0;
}
static int low_scatter(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                       struct coll_view *view)
{
	phase->root = speaker(whole);
	in_bytes(phase, block_of(whole, rank));
	view->buf[BUF_SEND] = BUF_TMP;
	return nodes_inside(whole, rank, phase, view) && phase->count > 0;
}

const struct coll_alg coll_scatter_ompi_han = {
    .kind = COLL_SCATTER,
    .name = "ompi_han",
    .source = "Open MPI 5, han",
    .cost = "a scatter of c m among hosts, one inside",
    .phase = {{.alg = &scatter_order, .args = phase_on_tmp},
              {.selected = 1, .args = up_scatter},
              {.selected = 1, .args = low_scatter}},
    .tmp_bytes = blocks_tmp,
    .refuses = han_refuses_rooted,
    .instead = &coll_scatter_ompi_binomial};

/* --- allgather: as gather, to every host's first rank, which then broadcasts all of it --- */

static int up_allgather(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                        struct coll_view *view)
{
	up_buffers(whole, rank, phase, view);
	return han_among_hosts(whole, rank, 0, phase, view) && phase->count > 0;
}
static int low_bcast(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                     struct coll_view *view)
{
	phase->kind = COLL_BCAST;
	phase->root = 0;
	in_bytes(phase, whole->size * block_of(whole, rank));
	return nodes_inside(whole, rank, phase, view);
}

const struct coll_alg coll_allgather_ompi_han = {
    .kind = COLL_ALLGATHER,
    .name = "ompi_han",
    .source = "Open MPI 5, han",
    .cost = "a gather inside, an allgather of c m among hosts, a bcast of p m inside",
    .phase = {{.selected = 1, .args = low_gather},
              {.selected = 1, .args = up_allgather},
              {.alg = &allgather_order, .args = phase_on_tmp},
              {.selected = 1, .args = low_bcast}},
    .tmp_bytes = blocks_tmp,
    .refuses = han_refuses,
    .instead = &coll_allgather_ompi_recursivedoubling};
