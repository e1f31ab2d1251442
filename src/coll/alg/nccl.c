/* nccl.c: what NCCL-like libraries run for the training of models: rings in the order of
 * hosts, so that each host's network is used once in and once out; two trees at once among hosts
 * with a chain inside each (NCCL, src/graph/rings.cc, trees.cc, connect.cc;
 * src/device/all_reduce.h); and a ring inside hosts with rings between them (Cho et al.,
 * "BlueConnect", MLSys 2019).
 *
 * Operators must commute: sums go around rings. Where all ranks are alone on their hosts the order
 * of hosts is that of ranks. */
#include "nodes.h"
#include "two_trees.h"

enum { RING_SEGMENT = 1 << 20, CHAIN_SEGMENT = 512 << 10 };

/* --- rings: place i of the ring, host by host --- */

static uint32_t place_of(const struct coll_args *a, uint32_t rank)
{
	return a->shape ? a->shape->first[a->shape->node[rank]] + a->shape->local[rank] : rank;
}
static uint32_t rank_at(const struct coll_args *a, uint32_t place)
{
	return a->shape ? a->shape->member[place] : place;
}
/* d < p. */
static uint32_t rank_before(const struct coll_args *a, uint32_t rank, uint32_t d)
{
	return rank_at(a, rank_sub(a, place_of(a, rank), d));
}
static uint32_t rank_after(const struct coll_args *a, uint32_t rank)
{
	return rank_at(a, rank_add(a, place_of(a, rank), 1 % a->size));
}

/* The phase sees ranks by their places. */
static void in_ring_order(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                          struct coll_view *view, int64_t segment)
{
	phase->segment = coll_segment(whole, segment);
	phase->shape = NULL;
	view->rank = place_of(whole, rank);
	view->peers = whole->shape ? whole->shape->member : NULL;
}

static int allreduce_ring(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                          struct coll_view *view)
{
	in_ring_order(whole, rank, phase, view, RING_SEGMENT);
	return 1;
}

const struct coll_alg coll_allreduce_nccl_ring = {
    .kind = COLL_ALLREDUCE,
    .name = "nccl_ring",
    .source = "NCCL, ring: host by host, slices of 1 MiB",
    .cost = "(p + n/s) (L + s/B) + (p-1) (L + n/p/B), s = 1 MiB",
    .phase = {{.alg = &coll_allreduce_ompi_ring_segmented, .args = allreduce_ring}},
    .needs_commutative = 1};

/* From the root along the ring, in segments; and towards it. */
static int chain_from_root(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                           struct coll_view *view)
{
	in_ring_order(whole, rank, phase, view, CHAIN_SEGMENT);
	phase->root = place_of(whole, whole->root);
	phase->fanout = 1;
	return 1;
}

const struct coll_alg coll_bcast_nccl_ring = {
    .kind = COLL_BCAST,
    .name = "nccl_ring",
    .source = "NCCL, ring",
    .cost = "(p - 2 + n/s) (L + s/B), s = 512 KiB",
    .phase = {{.alg = &coll_bcast_ompi_chain, .args = chain_from_root}}};

const struct coll_alg coll_reduce_nccl_ring = {
    .kind = COLL_REDUCE,
    .name = "nccl_ring",
    .source = "NCCL, ring",
    .cost = "(p - 2 + n/s) (L + s/B), s = 512 KiB",
    .phase = {{.alg = &coll_reduce_ompi_chain, .args = chain_from_root}},
    .needs_commutative = 1};

/* Step k passes on the block of the rank k places before. */
static int allgather_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                           struct coll_steps *out)
{
	if (round == 0) {
		step_copy(out, piece_recv_block(a, rank), piece_send(a));
		return 0;
	}
	if (round >= a->size)
		return COLL_END;
	struct piece sent = piece_recv_block(a, rank_before(a, rank, round - 1)),
	             come = piece_recv_block(a, rank_before(a, rank, round));
	step_sendrecv(out, rank, rank_after(a, rank), sent, rank_before(a, rank, 1), come);
	return 0;
}
static uint32_t allgather_alike(const struct coll_args *a, uint32_t round)
{
	return round == 1 && coll_counts_alike(a) ? a->size - 1 : 0;
}
const struct coll_alg coll_allgather_nccl_ring = {.kind = COLL_ALLGATHER,
                                                  .name = "nccl_ring",
                                                  .source = "NCCL, ring",
                                                  .cost = "(p-1) (L + m/B)",
                                                  .round = allgather_round,
                                                  .alike = allgather_alike};
const struct coll_alg coll_allgatherv_nccl_ring = {.kind = COLL_ALLGATHERV,
                                                   .name = "nccl_ring",
                                                   .source = "NCCL, ring",
                                                   .cost = "(p-1) L + n/B",
                                                   .round = allgather_round,
                                                   .alike = allgather_alike};

/* Step k sends the sum of the block of the rank k places before, and gets that of the next one; the
 * last to come is the own one. Two slots of the temporary buffer take turns: what is sent, what
 * comes. */
static int64_t slot_bytes(const struct coll_args *a)
{
	int64_t most = 0;
	for (uint32_t i = 0; i < (a->counts2 && !a->sizes_only ? a->size : 1); i++) {
		int64_t n = piece_send_block(a, i).len;
		most = n > most ? n : most;
	}
	return most;
}
static int reduce_scatter_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                                struct coll_steps *out)
{
	if (a->size == 1) {
		if (round == 0)
			step_copy(out, piece_at(BUF_RECV, 0, coll_recv_bytes(a, rank)),
			          piece_send_block(a, rank));
		return round == 0 ? 0 : COLL_END;
	}
	if (round + 1 >= a->size)
		return COLL_END;
	uint32_t block = round + 2 < a->size ? rank_before(a, rank, round + 2) : rank;
	struct piece own = piece_send_block(a, block),
	             sum = piece_send_block(a, rank_before(a, rank, round + 1));
	int64_t slot = slot_bytes(a);
	if (round > 0)
		sum = piece_at(BUF_TMP, ((round - 1) & 1) * slot, sum.len);
	struct piece come = block == rank ? piece_at(BUF_RECV, 0, own.len)
	                                  : piece_at(BUF_TMP, (round & 1) * slot, own.len);
	step_sendrecv(out, rank, rank_after(a, rank), sum, rank_before(a, rank, 1), come);
	step_reduce(out, come, own);
	return 0;
}
/* All but the first and the last. */
static uint32_t reduce_scatter_alike(const struct coll_args *a, uint32_t round)
{
	return round == 1 && a->size > 3 && coll_counts_alike(a) ? a->size - 3 : 0;
}
static int64_t two_slots(const struct coll_args *a, uint32_t rank)
{
	(void)rank;
	return 2 * slot_bytes(a);
}
const struct coll_alg coll_reduce_scatter_nccl_ring = {.kind = COLL_REDUCE_SCATTER,
                                                       .name = "nccl_ring",
                                                       .source = "NCCL, ring",
                                                       .cost = "(p-1) (L + m/B)",
                                                       .round = reduce_scatter_round,
                                                       .alike = reduce_scatter_alike,
                                                       .tmp_bytes = two_slots,
                                                       .needs_commutative = 1};

/* --- two trees of hosts, each with its own root; inside each host a chain from the leader --- */

static struct tree_links tree_links(const struct coll_args *a, uint32_t rank, int tree)
{
	uint32_t n = nodes_count(a), node = nodes_of(a, rank), local = nodes_local(a, rank);
	const struct coll_shape *s = a->shape;
	struct tree_links l = two_trees_links(n, node, tree, 0);
	for (uint32_t i = 0; i < l.n; i++)
		l.down[i] = nodes_leader(a, l.down[i]);
	if (l.up != TWO_TREES_NOBODY)
		l.up = nodes_leader(a, l.up);
	if (local > 0) {
		l.n = 0;
		l.up = s ? s->member[s->first[node] + local - 1] : rank - 1;
		l.depth += local;
	}
	if (s ? s->first[node] + local + 1 < s->first[node + 1]
	      : a->flat == FLAT_HOST && rank + 1 < a->size)
		l.down[l.n++] = s ? s->member[s->first[node] + local + 1] : rank + 1;
	return l;
}

static uint32_t height_of(const struct coll_args *a)
{
	uint32_t nodes = nodes_count(a), chain = coll_per_node(a);
	for (uint32_t i = 0; !coll_per_node(a) && i < nodes; i++)
		if (a->shape->first[i + 1] - a->shape->first[i] > chain)
			chain = a->shape->first[i + 1] - a->shape->first[i];
	return log2_ceil(nodes) + chain;
}

/* 512 KiB, halved while a short buffer would not fill the trees (NCCL, src/enqueue.cc). */
static int64_t tree_segment(const struct coll_args *a, uint32_t height)
{
	static const struct {
		int64_t times, least;
	} steps[] = {{8, 128 << 10}, {4, 64 << 10}, {1, 32 << 10}};
	int64_t n = a->count * a->type_size, each = 512 << 10;
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
		while (n / each < steps[i].times * height && each > steps[i].least)
			each /= 2;
	return coll_segment(a, each);
}

static int tree_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                      struct coll_steps *out)
{
	uint32_t height = height_of(a);
	struct two_trees t = {.links = tree_links,
	                      .height = height,
	                      .segment = tree_segment(a, height),
	                      .up = 1,
	                      .down = 1};
	return two_trees_round(&t, a, rank, round, out);
}

const struct coll_alg coll_allreduce_nccl_tree = {
    .kind = COLL_ALLREDUCE,
    .name = "nccl_tree",
    .source = "NCCL, double binary trees of hosts, chains inside",
    .cost = "2 (log2 p/c + c) (L + 2 s/B) + 2 n/B, s = 32 to 512 KiB",
    .round = tree_round,
    .tmp_bytes = two_trees_tmp,
    .needs_commutative = 1};

/* --- rings on two levels: reduce-scatter on a ring inside each host; the part of each rank around
 * a ring of those with the same place in all hosts; allgather inside --- */

static const char *needs_equal_hosts(const struct coll_args *a)
{
	return coll_per_node(a) ? NULL : "hosts have different numbers of ranks";
}

/* Part i of n equal parts of elements first … first+count-1; the first ones are one longer. */
struct part {
	int64_t first, count;
};
static struct part part_of(struct part all, uint32_t n, uint32_t i)
{
	int64_t base = all.count / n, longer = all.count % n;
	return (struct part){all.first + i * base + (i < longer ? i : longer), base + (i < longer)};
}
static struct piece part_piece(const struct coll_args *a, enum coll_buf buf, struct part p)
{
	return piece_at(buf, p.first * a->type_size, p.count * a->type_size);
}

/* A rank in a ring of n, at a place of it: who is next to it, and all that goes round. */
struct ring {
	uint32_t rank, next, before, n, place;
	struct part all;
};

/* Step k, at place i: the sum of part i - k - 1 goes on, that of part i - k - 2 comes; after n-1
 * steps part i is complete. */
static void ring_sum(const struct coll_args *a, const struct ring *w, uint32_t k,
                     struct coll_steps *out)
{
	struct part give = part_of(w->all, w->n, (w->place + 2 * w->n - k - 1) % w->n),
	            get = part_of(w->all, w->n, (w->place + 2 * w->n - k - 2) % w->n);
	step_sendrecv(out, w->rank, w->next, part_piece(a, BUF_RECV, give), w->before,
	              part_piece(a, BUF_TMP, get));
	step_reduce(out, part_piece(a, BUF_RECV, get), part_piece(a, BUF_TMP, get));
}
/* And of the way round of what is complete. */
static void ring_spread(const struct coll_args *a, const struct ring *w, uint32_t k,
                        struct coll_steps *out)
{
	struct part give = part_of(w->all, w->n, (w->place + w->n - k) % w->n),
	            get = part_of(w->all, w->n, (w->place + 2 * w->n - k - 1) % w->n);
	step_sendrecv(out, w->rank, w->next, part_piece(a, BUF_RECV, give), w->before,
	              part_piece(a, BUF_RECV, get));
}

static int levels_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                        struct coll_steps *out)
{
	uint32_t nodes = nodes_count(a), c = a->size / nodes, node = nodes_of(a, rank),
	         local = nodes_local(a, rank), k = round - 1;
	struct part all = {0, a->count};
	if (round == 0) {
		step_copy(out, piece_recv(a), piece_send(a));
		return 0;
	}
	const struct ring inside = {.rank = rank,
	                            .next = rank_at(a, node * c + (local + 1) % c),
	                            .before = rank_at(a, node * c + (local + c - 1) % c),
	                            .n = c,
	                            .place = local,
	                            .all = all};
	const struct ring across = {.rank = rank,
	                            .next = rank_at(a, (node + 1) % nodes * c + local),
	                            .before = rank_at(a, (node + nodes - 1) % nodes * c + local),
	                            .n = nodes,
	                            .place = node,
	                            .all = part_of(all, c, local)};
	if (k < c - 1)
		ring_sum(a, &inside, k, out);
	else if ((k -= c - 1) < nodes - 1)
		ring_sum(a, &across, k, out);
	else if ((k -= nodes - 1) < nodes - 1)
		ring_spread(a, &across, k, out);
	else if ((k -= nodes - 1) < c - 1)
		ring_spread(a, &inside, k, out);
	else
		return COLL_END;
	return 0;
}

static int64_t one_buffer(const struct coll_args *a, uint32_t rank)
{
	(void)rank;
	return a->count * a->type_size;
}

const struct coll_alg coll_allreduce_two_level_ring = {
    .kind = COLL_ALLREDUCE,
    .name = "two_level_ring",
    .source = "Cho et al., BlueConnect, 2019",
    .cost = "2 (c-1) (L + n/c/B) + 2 (p/c - 1) (L + n/p/B)",
    .round = levels_round,
    .tmp_bytes = one_buffer,
    .needs_commutative = 1,
    .refuses = needs_equal_hosts,
    .instead = &coll_allreduce_nccl_ring};
