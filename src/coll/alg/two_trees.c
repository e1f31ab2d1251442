/* two_trees.c: two trees at once, of which each rank is inside one and a leaf of the other, or
 * nearly (Sanders, Speck and Traeff, "Two-tree algorithms for full bandwidth broadcast, reduction
 * and scan", Parallel Computing 35(12), 2009; NCCL 2.4, double binary trees). Half of the data goes
 * along each, in segments.
 *
 * Time is cut into slots, the same for all ranks. In slot s a rank handles, going up, segment s -
 * (height - depth) of each tree, going down segment s - (height + 1 + depth): what it waits for was
 * sent in slot s-1, whatever tree it is in, so that the trees do not hold each other up, and
 * segments follow one another. Rounds of a slot: all its receives are posted; then up tree 0, up
 * tree 1, down tree 0, down tree 1 in turn, so that between two ranks sends and receives are in one
 * order. Sends stay outstanding until the next segment of the same tree and direction.
 *
 * Ends without buffers in the network: by induction on (slot, turn), everybody posts its receives
 * of slot s+1 after its turns of slot s, whose sends wait for them no earlier than in the same turn
 * of slot s+1. */
#include "two_trees.h"

enum { TURN_POST, TURN_UP_0, TURN_UP_1, TURN_DOWN_0, TURN_DOWN_1, TURNS };
/* Numbers of requests, of tree t from 16 t on. */
enum { FROM_CHILD = 0, TO_PARENT = 4, FROM_PARENT = 5, TO_CHILD = 8, OF_TREE = 16 };

/* --- the trees --- */

static struct tree_links in_order(uint32_t n, uint32_t v)
{
	struct tree_links l = {.up = TWO_TREES_NOBODY};
	uint32_t bit = v & -v, low = bit >> 1;
	if (v == 0) {
		if (n > 1)
			l.down[l.n++] = 1u << log2_floor(n - 1);
		return l;
	}
	uint64_t up = (uint64_t)(v ^ bit) | (uint64_t)bit << 1;
	l.up = up < n ? (uint32_t)up : v ^ bit;
	if (low)
		l.down[l.n++] = v - low;
	while (low && v + low >= n)
		low >>= 1;
	if (low)
		l.down[l.n++] = v + low;
	return l;
}

static uint32_t turned(uint32_t n, uint32_t v, int keeps_root, int back)
{
	uint32_t first = keeps_root ? 1 : 0, m = n - first;
	if (v < first)
		return v;
	if (m % 2 == 0)
		return n - 1 + first - v;
	return first + (v - first + (back ? 1 : m - 1)) % m;
}

struct tree_links two_trees_links(uint32_t n, uint32_t v, int tree, int keeps_root)
{
	uint32_t place = tree ? turned(n, v, keeps_root, 0) : v;
	struct tree_links l = in_order(n, place);
	for (uint32_t up = l.up; up != TWO_TREES_NOBODY; up = in_order(n, up).up)
		l.depth++;
	for (uint32_t i = 0; tree && i < l.n; i++)
		l.down[i] = turned(n, l.down[i], keeps_root, 1);
	if (tree && l.up != TWO_TREES_NOBODY)
		l.up = turned(n, l.up, keeps_root, 1);
	return l;
}

/* --- halves and segments --- */

struct half {
	int64_t first, count, each, n;
};
static struct half half_of(const struct two_trees *t, const struct coll_args *a, int tree)
{
	int64_t low = a->count - a->count / 2;
	struct half h = {.first = tree ? low : 0, .count = tree ? a->count / 2 : low};
	h.each = a->type_size ? t->segment / a->type_size : a->count;
	h.each = h.each > 0 ? h.each : 1;
	h.each = h.each > a->count ? a->count + 1 : h.each;
	h.n = (h.count + h.each - 1) / h.each;
	return h;
}
static struct piece segment(const struct coll_args *a, const struct half *h, enum coll_buf buf,
                            int64_t i)
{
	int64_t first = i * h->each, n = h->count - first < h->each ? h->count - first : h->each;
	return piece_at(buf, (h->first + first) * a->type_size, n * a->type_size);
}

/* A rank's sum: where the result goes at the root, else the temporary buffer, in which what comes
 * from the children follows. */
static struct piece sum_of(const struct coll_args *a, const struct tree_links *l,
                           const struct half *h, int64_t i)
{
	return segment(a, h, l->up == TWO_TREES_NOBODY ? BUF_RECV : BUF_TMP, i);
}
static struct piece come_from(const struct coll_args *a, const struct half *h, int64_t i,
                              uint32_t child)
{
	struct piece p = segment(a, h, BUF_TMP, i);
	p.off += (1 + (int64_t)child) * a->count * a->type_size;
	return p;
}
int64_t two_trees_tmp(const struct coll_args *a, uint32_t rank)
{
	(void)rank;
	return (1 + TWO_TREES_CHILDREN) * a->count * a->type_size;
}

/* --- turns --- */

/* The segment that a rank handles, or -1. */
static int64_t segment_up_at(const struct two_trees *t, const struct tree_links *l,
                             const struct half *h, int64_t slot)
{
	int64_t i = slot - ((int64_t)t->height - l->depth);
	return t->up && i >= 0 && i < h->n ? i : -1;
}
static int64_t segment_down_at(const struct two_trees *t, const struct tree_links *l,
                               const struct half *h, int64_t slot)
{
	int64_t i = slot - (t->up ? (int64_t)t->height + 1 + l->depth : l->depth);
	return t->down && i >= 0 && i < h->n ? i : -1;
}

static void post(const struct two_trees *t, const struct coll_args *a, uint32_t rank, int64_t slot,
                 struct coll_steps *out)
{
	for (int tree = 0; tree < 2; tree++) {
		struct tree_links l = t->links(a, rank, tree);
		struct half h = half_of(t, a, tree);
		int64_t i = segment_up_at(t, &l, &h, slot);
		for (uint32_t c = 0; i >= 0 && c < l.n; c++)
			step_irecv(out, l.down[c], come_from(a, &h, i, c),
			           (uint32_t)tree * OF_TREE + FROM_CHILD + c);
	}
	for (int tree = 0; tree < 2; tree++) {
		struct tree_links l = t->links(a, rank, tree);
		struct half h = half_of(t, a, tree);
		int64_t i = segment_down_at(t, &l, &h, slot);
		if (i >= 0 && l.up != TWO_TREES_NOBODY)
			step_irecv(out, l.up, segment(a, &h, BUF_RECV, i),
			           (uint32_t)tree * OF_TREE + FROM_PARENT);
	}
}

static void turn_up(const struct coll_args *a, const struct tree_links *l, const struct half *h,
                    uint32_t req, int64_t i, struct coll_steps *out)
{
	for (uint32_t c = 0; c < l->n; c++) {
		step_wait(out, req + FROM_CHILD + c);
		step_reduce(out, sum_of(a, l, h, i), come_from(a, h, i, c));
	}
	if (l->up == TWO_TREES_NOBODY)
		return;
	if (i > 0)
		step_wait(out, req + TO_PARENT);
	step_isend(out, l->up, sum_of(a, l, h, i), req + TO_PARENT);
}

static void turn_down(const struct coll_args *a, const struct tree_links *l, const struct half *h,
                      uint32_t req, int64_t i, struct coll_steps *out)
{
	if (l->up != TWO_TREES_NOBODY)
		step_wait(out, req + FROM_PARENT);
	for (uint32_t c = 0; i > 0 && c < l->n; c++)
		step_wait(out, req + TO_CHILD + c);
	for (uint32_t c = 0; c < l->n; c++)
		step_isend(out, l->down[c], segment(a, h, BUF_RECV, i), req + TO_CHILD + c);
}

/* The own part goes where the sum grows. */
static void begin(const struct two_trees *t, const struct coll_args *a, uint32_t rank,
                  struct coll_steps *out)
{
	for (int tree = 0; t->up && tree < 2; tree++) {
		struct half h = half_of(t, a, tree);
		struct tree_links l = t->links(a, rank, tree);
		int64_t off = h.first * a->type_size, n = h.count * a->type_size;
		step_copy(out, piece_at(l.up == TWO_TREES_NOBODY ? BUF_RECV : BUF_TMP, off, n),
		          piece_at(BUF_SEND, off, n));
	}
}

int two_trees_round(const struct two_trees *t, const struct coll_args *a, uint32_t rank,
                    uint32_t round, struct coll_steps *out)
{
	int64_t slots = half_of(t, a, 0).n + (t->up && t->down ? 2 : 1) * (int64_t)t->height + 2,
	        at = (int64_t)round - 1;
	int64_t slot = at / TURNS;
	int turn = (int)(at % TURNS), tree = turn == TURN_UP_1 || turn == TURN_DOWN_1;
	if (round == 0) {
		begin(t, a, rank, out);
		return 0;
	}
	if (slot >= slots) {
		step_waitall(out);
		return at == slots * TURNS ? 0 : COLL_END;
	}
	if (turn == TURN_POST) {
		post(t, a, rank, slot, out);
		return 0;
	}
	struct tree_links l = t->links(a, rank, tree);
	struct half h = half_of(t, a, tree);
	int is_up = turn == TURN_UP_0 || turn == TURN_UP_1;
	int64_t i = is_up ? segment_up_at(t, &l, &h, slot) : segment_down_at(t, &l, &h, slot);
	if (i >= 0)
		(is_up ? turn_up : turn_down)(a, &l, &h, (uint32_t)tree * OF_TREE, i, out);
	return 0;
}
