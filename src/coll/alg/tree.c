/* tree.c: trees and segments. */
#include "tree.h"

static void tree_add(const struct coll_args *a, struct tree *t, uint64_t virtual_child)
{
	BUG_ON(virtual_child < a->size && t->n == TREE_CHILDREN_MAX);
	if (virtual_child < a->size)
		t->child[t->n++] = rank_real(a, (uint32_t)virtual_child);
}

/* Column c of k covers virtual ranks first … first+len-1. */
struct column {
	uint32_t first, len;
};
static struct column chain_column(uint32_t others, uint32_t k, uint32_t c)
{
	uint32_t base = others / k, longer = others % k;
	uint32_t first = 1 + c * base + (c < longer ? c : longer);
	return (struct column){first, base + (c < longer)};
}

struct tree tree_chains(const struct coll_args *a, uint32_t rank, uint32_t columns)
{
	uint32_t v = rank_virtual(a, rank), others = a->size - 1;
	uint32_t k = columns < 1 ? 1 : columns > TREE_CHILDREN_MAX ? TREE_CHILDREN_MAX : columns;
	struct tree t = {.parent = a->root};
	k = k > others ? others : k;
	if (v == 0) {
		for (uint32_t c = 0; c < k; c++)
			tree_add(a, &t, chain_column(others, k, c).first);
		return t;
	}
	for (uint32_t c = 0; c < k; c++) {
		struct column col = chain_column(others, k, c);
		if (v < col.first || v >= col.first + col.len)
			continue;
		if (v > col.first)
			t.parent = rank_real(a, v - 1);
		if (v + 1 < col.first + col.len)
			tree_add(a, &t, v + 1);
	}
	return t;
}

struct tree tree_chain(const struct coll_args *a, uint32_t rank)
{
	return tree_chains(a, rank, 1);
}

struct tree tree_levels(const struct coll_args *a, uint32_t rank, uint32_t k)
{
	uint64_t v = rank_virtual(a, rank), width = 1,
	         above = 0; /* of v's level; virtual ranks above it */
	while (above + width <= v) {
		above += width;
		width *= k;
	}
	/* The parent is the one on the level above at a multiple of that one's width. */
	uint64_t up = width / k, parent = v == 0 ? 0 : v - (v - above + up) / up * up;
	struct tree t = {.parent = rank_real(a, (uint32_t)parent)};
	for (uint32_t i = 1; i <= k; i++)
		tree_add(a, &t, v + i * width);
	return t;
}

struct tree tree_binary(const struct coll_args *a, uint32_t rank)
{
	return tree_levels(a, rank, 2);
}

struct tree tree_in_order_binary(const struct coll_args *a, uint32_t rank)
{
	/* The range base … base+m-1 holds rank; its root is the highest. Of the others the left
	 * subtree has the upper ones, the right the lower half. */
	uint32_t base = 0, m = a->size;
	struct tree t = {.parent = a->size - 1};
	for (;;) {
		uint32_t top = base + m - 1, right = m >> 1;
		if (rank == top) {
			if (m > 1)
				t.child[t.n++] = top - 1;
			if (m > 2)
				t.child[t.n++] = base + right - 1;
			return t;
		}
		t.parent = top;
		if (rank >= base + right || m == 2) {
			base += m == 2 ? 0 : right;
			m = m == 2 ? 1 : m - right - 1;
		} else {
			m = right;
		}
	}
}

struct tree tree_in_order_binomial(const struct coll_args *a, uint32_t rank)
{
	uint32_t v = rank_virtual(a, rank), low = v & -v;
	struct tree t = {.parent = rank_real(a, v - low)};
	for (uint64_t mask = 1; mask < a->size && (v == 0 || mask < low); mask <<= 1)
		tree_add(a, &t, v + mask);
	return t;
}

uint32_t tree_in_order_binomial_span(const struct coll_args *a, uint32_t v)
{
	uint32_t low = v & -v;
	return v == 0 || a->size - v < low ? a->size - v : low;
}

struct tree tree_binomial(const struct coll_args *a, uint32_t rank)
{
	uint32_t v = rank_virtual(a, rank), top = v ? 1u << log2_floor(v) : 0;
	struct tree t = {.parent = rank_real(a, v - top)};
	for (uint64_t mask = v ? 2ull * top : 1; mask < a->size; mask <<= 1)
		tree_add(a, &t, v + mask);
	return t;
}

/* Digits of p-1 to the base k. */
static uint32_t digits(uint32_t p, uint32_t k)
{
	uint32_t n = 0;
	for (uint32_t x = p - 1; x; x /= k)
		n++;
	return n;
}

uint32_t tree_k(const struct coll_args *a, uint32_t k)
{
	k = k < 2 ? 2 : k > TREE_CHILDREN_MAX ? TREE_CHILDREN_MAX : k;
	while (k > 2 && (k - 1) * digits(a->size, k) > TREE_CHILDREN_MAX)
		k--;
	return k;
}

static struct tree knomial(const struct coll_args *a, uint32_t rank, uint32_t k, int farthest_first)
{
	uint32_t v = rank_virtual(a, rank);
	uint64_t digit = 1;
	while (digit < a->size && v % (k * digit) == 0)
		digit *= k;
	struct tree t = {.parent = rank_real(a, v ? (uint32_t)(v / (k * digit) * (k * digit)) : 0)};
	while (digit /= k)
		for (uint32_t i = 1; i < k; i++)
			tree_add(a, &t, v + (farthest_first ? k - i : i) * digit);
	return t;
}

struct tree tree_knomial_ompi(const struct coll_args *a, uint32_t rank, uint32_t k)
{
	return knomial(a, rank, k, 0);
}

struct tree tree_knomial_2(const struct coll_args *a, uint32_t rank, uint32_t k)
{
	return knomial(a, rank, k, 1);
}

struct tree tree_knomial_1(const struct coll_args *a, uint32_t rank, uint32_t k)
{
	uint32_t v = rank_virtual(a, rank), at = 0;
	struct tree t = {.parent = a->root};
	uint64_t width = 1; /* of the subtrees that the node `at` hands out next */
	for (uint32_t i = 1; i < digits(a->size, k); i++)
		width *= k;
	/* Down to v: the children of `at` cover width ranks each, k-1 of them, then of width/k … */
	for (uint64_t first = 1; at != v; width /= k)
		for (uint32_t j = 1; j < k; j++, first += width)
			if (v >= first && v < first + width) {
				t.parent = rank_real(a, at);
				at = (uint32_t)first;
				first = at + 1;
				break;
			}
	for (uint64_t child = (uint64_t)v + 1; width && a->size > 1; width /= k)
		for (uint32_t j = 1; j < k; j++, child += width)
			tree_add(a, &t, child);
	return t;
}

uint32_t tree_knomial_1_span(const struct coll_args *a, uint32_t v, uint32_t k)
{
	uint64_t width = 1, first = 1; /* of the subtrees handed out next, and where they begin */
	if (v == 0)
		return a->size;
	for (uint32_t i = 1; i < digits(a->size, k); i++)
		width *= k;
	for (;; width /= k) {
		uint64_t i = (v - first) / width, child = first + i * width;
		if (i < k - 1 && child == v)
			return (uint32_t)(a->size - v < width ? a->size - v : width);
		first = i < k - 1 ? child + 1 : first + (k - 1) * width;
	}
}

struct tree tree_kary(const struct coll_args *a, uint32_t rank, uint32_t k)
{
	uint32_t v = rank_virtual(a, rank);
	struct tree t = {.parent = rank_real(a, v ? (v - 1) / k : 0)};
	for (uint32_t i = 1; i <= k; i++)
		tree_add(a, &t, (uint64_t)v * k + i);
	return t;
}

struct tree tree_heap(const struct coll_args *a, uint32_t rank)
{
	struct tree t = {.parent = rank ? (rank - 1) / 2 : 0};
	for (uint64_t c = 2ull * rank + 1; c <= 2ull * rank + 2; c++)
		if (c < a->size)
			t.child[t.n++] = (uint32_t)c;
	return t;
}

struct tree tree_line(const struct coll_args *a, uint32_t rank)
{
	struct tree t = {.parent = rank ? rank - 1 : 0};
	if (rank + 1 < a->size)
		t.child[t.n++] = rank + 1;
	return t;
}

/* Asked for each segment: most are powers of 2, and a division takes longer than all else here. */
static int64_t divided(int64_t n, int64_t by)
{
	return (by & (by - 1)) == 0 ? n >> __builtin_ctzll((uint64_t)by) : n / by;
}

static struct segments segments_of(const struct coll_args *a, int64_t each)
{
	struct segments s = {.each = each, .count = a->count, .type_size = a->type_size};
	s.n = s.count > 0 ? divided(s.count - 1, each) + 1 : 0;
	return s;
}

struct segments segments_ompi(const struct coll_args *a, int64_t bytes)
{
	int64_t ts = a->type_size, each = a->count ? a->count : 1;
	if (bytes >= ts && bytes < ts * a->count)
		each = bytes / ts + (bytes % ts > ts / 2);
	return segments_of(a, each);
}

struct segments segments_mpich(const struct coll_args *a, int64_t bytes)
{
	int64_t each = a->type_size ? bytes / a->type_size : 0;
	struct segments s = segments_of(a, each < 1 || each >= a->count ? (a->count ? a->count : 1)
	                                                                : each);
	if (s.count % s.each)
		s.lacks = s.each - s.count % s.each;
	return s;
}

struct segments segments_star(const struct coll_args *a, int64_t bytes)
{
	int64_t each = a->type_size > 0 ? divided(bytes, a->type_size) : a->count;
	return segments_of(a, each ? each : 1);
}

struct segments segments_star_whole(const struct coll_args *a, int64_t bytes)
{
	struct segments s = segments_star(a, bytes);
	if (s.count > s.each) {
		s.n -= s.n * s.each > s.count;
		s.count = s.n * s.each;
	} else {
		s.n = 1;
	}
	return s;
}

struct piece segment_piece(const struct segments *s, enum coll_buf buf, int64_t i)
{
	int64_t first = i ? i * s->each - s->lacks : 0, left = s->count - first,
	        full = i ? s->each : s->each - s->lacks;
	return piece_at(buf, first * s->type_size, (left < full ? left : full) * s->type_size);
}
