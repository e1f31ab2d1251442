/* han.c: Open MPI 5's collectives in two levels (coll/han): in segments of 64 KiB, inside
 * hosts what coll/tuned would run there, among hosts what coll/libnbc runs for non-blocking calls
 * (nbc_ibcast.c, nbc_ireduce.c). Every host has as many ranks, or han does not act; among hosts
 * speak the ranks that have the root's place in their hosts, for allreduce and barrier the first.
 *
 * Here a segment goes through all levels before the next; han begins the next one's way among hosts
 * while the last is inside. */
#include "han.h"

enum { SEGMENT = 64 << 10 };

const char *han_refuses(const struct coll_args *a)
{
	if (a->flat)
		return "it is a part of itself";
	if (!coll_per_node(a))
		return "hosts have different numbers of ranks";
	return nodes_count(a) == 1 ? "there is one host only" : NULL;
}

/* --- segments: a chain of phases for each --- */

static int64_t segment_elements(const struct coll_args *a)
{
	int64_t each = a->type_size ? coll_segment(a, SEGMENT) / a->type_size : a->count;
	return each < 1 ? 1 : each > a->count ? a->count : each;
}
static uint32_t segments(const struct coll_args *a)
{
	return a->count ? (uint32_t)((a->count + segment_elements(a) - 1) / segment_elements(a))
	                : 1;
}
/* The whole's arguments cut down to the segment whose turn it is; *off: where it lies. */
static int cut(const struct coll_args *whole, struct coll_args *phase, int64_t *off)
{
	int64_t each = whole->count ? segment_elements(whole) : 0,
	        first = (int64_t)phase->repeat * each;
	phase->count = whole->count - first < each ? whole->count - first : each;
	*off = first * whole->type_size;
	return phase->count > 0;
}

static const struct coll_alg *chosen(const struct coll_args *a)
{
	return a->chosen;
}

/* --- among hosts: the ranks at place `local` of each; libnbc's choice --- */

int han_among_hosts(const struct coll_args *whole, uint32_t rank, uint32_t local,
                    struct coll_args *phase, struct coll_view *view)
{
	const struct coll_shape *s = whole->shape;
	int takes_part = nodes_local(whole, rank) == local;
	phase->size = nodes_count(whole);
	phase->shape = NULL;
	phase->flat = FLAT_LEADERS;
	view->rank = nodes_of(whole, rank);
	if (local == 0) {
		view->peers = s ? s->leader : NULL; /* without shape each rank is a host */
	} else { /* only where members of hosts are at one distance: see places_are_regular() */
		view->peer0 = s->member[s->first[0] + local];
		view->peer_stride = phase->size > 1 ? s->member[s->first[1] + local] - view->peer0
		                                    : 1;
	}
	return takes_part && phase->size > 1;
}

/* Are the ranks at a place of all hosts at one distance (blocks, or round robin)? */
static int places_are_regular(const struct coll_args *a, uint32_t local)
{
	const struct coll_shape *s = a->shape;
	if (local == 0)
		return 1;
	uint32_t at = s->member[s->first[0] + local], stride = s->member[s->first[1] + local] - at;
	for (uint32_t i = 1; i < s->nodes; i++)
		if (s->member[s->first[i] + local] != at + i * stride)
			return 0;
	return 1;
}

static void libnbc_bcast(struct coll_args *phase)
{
	int64_t n = phase->count * phase->type_size;
	phase->segment = phase->fanout = 0;
	if (phase->size <= 4) {
		phase->chosen = &coll_bcast_flattree;
	} else if (n < 65536) {
		phase->chosen = &coll_bcast_binomial_tree;
	} else {
		phase->chosen = &coll_bcast_ompi_chain;
		phase->fanout = 1;
		phase->segment = n < 524288 ? 8192 : 32768;
	}
}

static void libnbc_reduce(struct coll_args *phase)
{
	phase->segment = phase->fanout = 0;
	if (phase->size > 2 && phase->count >= 1ll << log2_floor(phase->size)) {
		phase->chosen = &coll_reduce_scatter_gather;
	} else if (phase->size > 4 || phase->count * phase->type_size < 65536) {
		phase->chosen = &coll_reduce_binomial;
	} else {
		phase->chosen = &coll_reduce_ompi_chain;
		phase->fanout = 1;
		phase->segment = 16384;
	}
}

/* --- broadcast --- */

const char *han_refuses_rooted(const struct coll_args *a)
{
	const char *why = han_refuses(a);
	if (!why && !places_are_regular(a, nodes_local(a, a->root)))
		why = "ranks are placed irregularly";
	return why;
}

static int bcast_up(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                    struct coll_view *view)
{
	int any = cut(whole, phase, &view->off[BUF_RECV]);
	phase->root = nodes_of(whole, whole->root);
	int up = han_among_hosts(whole, rank, nodes_local(whole, whole->root), phase, view);
	libnbc_bcast(phase);
	return any && up;
}

static int bcast_low(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                     struct coll_view *view)
{
	int any = cut(whole, phase, &view->off[BUF_RECV]);
	phase->root = nodes_local(whole, whole->root);
	return nodes_inside(whole, rank, phase, view) && any;
}

const struct coll_alg coll_bcast_ompi_han = {
    .kind = COLL_BCAST,
    .name = "ompi_han",
    .source = "Open MPI 5, han",
    .cost = "n/s (a bcast of s among hosts, one inside), s = 64 KiB",
    .phase = {{.choose = chosen, .args = bcast_up}, {.selected = 1, .args = bcast_low}},
    .repeats = segments,
    .refuses = han_refuses_rooted,
    .instead = &coll_bcast_ompi_binomial};

/* --- reduce: a host's sum is in the temporary buffer of the rank that has the root's place --- */

static int64_t one_buffer(const struct coll_args *a, uint32_t rank)
{
	(void)rank;
	return a->count * a->type_size;
}

static int reduce_low_to(const struct coll_args *whole, uint32_t rank, uint32_t local,
                         struct coll_args *phase, struct coll_view *view)
{
	int any = cut(whole, phase, &view->off[BUF_SEND]);
	phase->kind = COLL_REDUCE;
	phase->root = local;
	view->buf[BUF_RECV] = BUF_TMP;
	view->off[BUF_RECV] = view->off[BUF_SEND];
	return nodes_inside(whole, rank, phase, view) && any;
}
static int reduce_low(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                      struct coll_view *view)
{
	return reduce_low_to(whole, rank, nodes_local(whole, whole->root), phase, view);
}
static int allreduce_low(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                         struct coll_view *view)
{
	return reduce_low_to(whole, rank, 0, phase, view);
}

static int reduce_up_to(const struct coll_args *whole, uint32_t rank, uint32_t local, uint32_t node,
                        struct coll_args *phase, struct coll_view *view)
{
	int any = cut(whole, phase, &view->off[BUF_SEND]);
	phase->kind = COLL_REDUCE;
	phase->root = node;
	view->buf[BUF_SEND] = BUF_TMP;
	view->off[BUF_RECV] = view->off[BUF_SEND];
	int up = han_among_hosts(whole, rank, local, phase, view);
	libnbc_reduce(phase);
	return any && up;
}
static int reduce_up(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                     struct coll_view *view)
{
	return reduce_up_to(whole, rank, nodes_local(whole, whole->root),
	                    nodes_of(whole, whole->root), phase, view);
}
static int allreduce_up(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                        struct coll_view *view)
{
	return reduce_up_to(whole, rank, 0, 0, phase, view);
}

const struct coll_alg coll_reduce_ompi_han = {
    .kind = COLL_REDUCE,
    .name = "ompi_han",
    .source = "Open MPI 5, han",
    .cost = "n/s (a reduce of s inside, one among hosts), s = 64 KiB",
    .phase = {{.selected = 1, .args = reduce_low}, {.choose = chosen, .args = reduce_up}},
    .repeats = segments,
    .tmp_bytes = one_buffer,
    .needs_commutative = 1,
    .refuses = han_refuses_rooted,
    .instead = &coll_reduce_binomial};

/* --- allreduce: up, and down again --- */

static int allreduce_over(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                          struct coll_view *view)
{
	int any = cut(whole, phase, &view->off[BUF_RECV]);
	phase->kind = COLL_BCAST;
	phase->root = 0;
	int up = han_among_hosts(whole, rank, 0, phase, view);
	libnbc_bcast(phase);
	return any && up;
}
static int allreduce_down(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                          struct coll_view *view)
{
	int any = cut(whole, phase, &view->off[BUF_RECV]);
	phase->kind = COLL_BCAST;
	phase->root = 0;
	return nodes_inside(whole, rank, phase, view) && any;
}

const struct coll_alg coll_allreduce_ompi_han = {
    .kind = COLL_ALLREDUCE,
    .name = "ompi_han",
    .source = "Open MPI 5, han",
    .cost = "n/s (a reduce of s inside, one among hosts, a bcast there, one inside), s = 64 KiB",
    .phase = {{.selected = 1, .args = allreduce_low},
              {.choose = chosen, .args = allreduce_up},
              {.choose = chosen, .args = allreduce_over},
              {.selected = 1, .args = allreduce_down}},
    .repeats = segments,
    .tmp_bytes = one_buffer,
    .needs_commutative = 1,
    .refuses = han_refuses,
    .instead = &coll_allreduce_rdb};

/* --- barrier: inside, among the first ranks of hosts, inside --- */

const struct coll_alg coll_barrier_ompi_han = {.kind = COLL_BARRIER,
                                               .name = "ompi_han",
                                               .source = "Open MPI 5, han",
                                               .cost = "(2 log2 c + log2 p/c) L",
                                               .phase = {{.selected = 1, .args = nodes_inside},
                                                         {.selected = 1, .args = nodes_leaders},
                                                         {.selected = 1, .args = nodes_inside}},
                                               .refuses = han_refuses,
                                               .instead = &coll_barrier_ompi_recursivedoubling};
