/* coll_double_tree.c: what libraries for machine learning run (NCCL and its like): two trees at once, of which each rank is inside one and a leaf of the other
 * (Sanders, Speck and Traeff, "Two-tree algorithms for full bandwidth broadcast, reduction and scan", 2009; NCCL 2.4, double binary trees).
 *
 * The first tree is the in-order binary tree on virtual ranks 1 … p-1 below rank 0 (NCCL, trees.cc): a rank's level is its lowest set bit. The second is
 * the same on ranks mirrored (an even number of them) or shifted by one (an odd number), so that leaves and inner nodes change places. One half of the
 * data goes along each, in segments. */
#include "coll_tree.h"

enum { SEGMENT = 128 << 10 };

/* In the tree below 0, of p ranks. */
static void in_order(uint32_t p, uint32_t v, uint32_t *parent, uint32_t child[2], uint32_t *n)
{
	uint32_t bit = v & -v;
	*n = 0;
	if (v == 0) {
		*parent = 0;
		if (p > 1)
			child[(*n)++] = 1u << log2_floor(p - 1);
		return;
	}
	uint64_t up = (uint64_t)(v ^ bit) | (uint64_t)bit << 1;
	*parent = up < p ? (uint32_t)up : v ^ bit;
	uint32_t low = bit >> 1;
	if (!low)
		return;
	child[(*n)++] = v - low;
	while (low && v + low >= p)
		low >>= 1;
	if (low)
		child[(*n)++] = v + low;
}

/* Between a virtual rank and its place in tree t. */
static uint32_t place_of(uint32_t p, uint32_t v, int t)
{
	if (v == 0 || t == 0)
		return v;
	return (p - 1) % 2 ? (v == 1 ? p - 1 : v - 1) : p - v;
}
static uint32_t rank_of_place(uint32_t p, uint32_t place, int t)
{
	if (place == 0 || t == 0)
		return place;
	return (p - 1) % 2 ? (place == p - 1 ? 1 : place + 1) : p - place;
}

static struct tree tree_of(const struct coll_args *a, uint32_t rank, int t)
{
	uint32_t p = a->size, parent, child[2], n;
	in_order(p, place_of(p, rank_virtual(a, rank), t), &parent, child, &n);
	struct tree tree = {.parent = rank_real(a, rank_of_place(p, parent, t)), .n = n};
	for (uint32_t i = 0; i < n; i++)
		tree.child[i] = rank_real(a, rank_of_place(p, child[i], t));
	return tree;
}

/* The half of tree t, in segments. */
struct half {
	int64_t first, count, each, n;
};
static struct half half_of(const struct coll_args *a, int t)
{
	int64_t low = a->count - a->count / 2, bytes = coll_segment(a, SEGMENT);
	struct half h = {.first = t ? low : 0, .count = t ? a->count / 2 : low};
	h.each = a->type_size && bytes / a->type_size > 0 ? bytes / a->type_size : 1;
	h.each = h.each > a->count ? a->count + 1 : h.each;
	h.n = (h.count + h.each - 1) / h.each;
	return h;
}
static struct piece segment(const struct coll_args *a, const struct half *h, enum coll_buf buf, int64_t i)
{
	int64_t first = i * h->each, n = h->count - first < h->each ? h->count - first : h->each;
	return piece_at(buf, (h->first + first) * a->type_size, n * a->type_size);
}

/* Round 2i + t is about the i-th segment of tree t. Its receive is posted two rounds before, so that receives are posted in the order of rounds, as
 * sends are: a rank may have the same parent in both trees. Requests: receives by round modulo 3, sends from 4 on. */
static void receive_post(const struct coll_args *a, uint32_t rank, uint32_t round, struct coll_steps *out)
{
	struct half h = half_of(a, round % 2);
	if (round / 2 < h.n)
		step_irecv(out, tree_of(a, rank, round % 2).parent, segment(a, &h, BUF_RECV, round / 2), round % 3);
}

static int bcast_round(const struct coll_args *a, uint32_t rank, uint32_t round, struct coll_steps *out)
{
	struct half h = half_of(a, round % 2), first = half_of(a, 0);
	int64_t i = round / 2;
	if (i >= first.n) /* the first half is the longer one */
		return COLL_END;
	if (rank != a->root) {
		for (uint32_t ahead = round ? 2 : 0; ahead <= 2; ahead++)
			receive_post(a, rank, round + ahead, out);
		if (i < h.n)
			step_wait(out, round % 3);
	}
	struct tree tree = tree_of(a, rank, round % 2);
	for (uint32_t c = 0; i < h.n && c < tree.n; c++)
		step_isend(out, tree.child[c], segment(a, &h, BUF_RECV, i), 4 + c);
	for (uint32_t c = 0; i < h.n && c < tree.n; c++)
		step_wait(out, 4 + c);
	return 0;
}

const struct coll_alg coll_bcast_double_tree = {.kind = COLL_BCAST,
                                                .name = "double_tree",
                                                .source = "Sanders, Speck and Traeff 2009; NCCL",
                                                .cost = "2 log2 p (L + s/B) + n/B, s = 128 KiB",
                                                .round = bcast_round};

/* The same upwards: sum in the receive buffer of the root, elsewhere in the temporary one, where what comes from two children follows. */
static struct piece sum_piece(const struct coll_args *a, uint32_t rank, const struct half *h, int64_t i)
{
	return segment(a, h, rank == a->root ? BUF_RECV : BUF_TMP, i);
}
static struct piece come_piece(const struct coll_args *a, const struct half *h, int64_t i, uint32_t child)
{
	struct piece p = segment(a, h, BUF_TMP, i);
	p.off += (1 + (int64_t)child) * a->count * a->type_size;
	return p;
}

static int reduce_round(const struct coll_args *a, uint32_t rank, uint32_t round, struct coll_steps *out)
{
	struct half first = half_of(a, 0);
	if (round == 0) {
		step_copy(out, piece_at(rank == a->root ? BUF_RECV : BUF_TMP, 0, a->count * a->type_size), piece_send(a));
		return 0;
	}
	int t = (round - 1) % 2;
	int64_t i = (round - 1) / 2;
	struct half h = half_of(a, t);
	struct tree tree = tree_of(a, rank, t);
	if (i >= first.n)
		return COLL_END;
	if (i >= h.n)
		return 0;
	for (uint32_t c = 0; c < tree.n; c++)
		step_irecv(out, tree.child[c], come_piece(a, &h, i, c), c);
	for (uint32_t c = 0; c < tree.n; c++) {
		step_wait(out, c);
		step_reduce(out, sum_piece(a, rank, &h, i), come_piece(a, &h, i, c));
	}
	if (rank != a->root)
		step_send(out, tree.parent, sum_piece(a, rank, &h, i));
	return 0;
}

static int64_t reduce_tmp(const struct coll_args *a, uint32_t rank)
{
	(void)rank;
	return 3 * a->count * a->type_size;
}

const struct coll_alg coll_reduce_double_tree = {.kind = COLL_REDUCE,
                                                 .name = "double_tree",
                                                 .source = "Sanders, Speck and Traeff 2009; NCCL",
                                                 .cost = "2 log2 p (L + s/B) + n/B, s = 128 KiB",
                                                 .round = reduce_round,
                                                 .tmp_bytes = reduce_tmp,
                                                 .needs_commutative = 1};

static int to_first(const struct coll_args *whole, uint32_t rank, struct coll_args *phase, struct coll_view *view)
{
	(void)rank, (void)view;
	phase->root = 0;
	phase->segment = whole->segment;
	return 1;
}

const struct coll_alg coll_allreduce_double_tree = {
    .kind = COLL_ALLREDUCE,
    .name = "double_tree",
    .source = "NCCL 2.4, double binary trees, up and down",
    .cost = "4 log2 p (L + s/B) + 2 n/B, s = 128 KiB",
    .phase = {{.alg = &coll_reduce_double_tree, .args = to_first}, {.alg = &coll_bcast_double_tree, .args = to_first}},
    .needs_commutative = 1};
