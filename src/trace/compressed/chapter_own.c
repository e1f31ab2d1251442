/* chapter_own.c: the costs that a member of a class has for itself: columns as long as its slots
 * are used. */
#include "chapter_int.h"

static uint32_t own_at(const uint8_t *own, uint32_t slot)
{
	uint32_t at;

	memcpy(&at, own + 4 * (size_t)slot, sizeof at);
	return at;
}

struct checking {
	struct reading r;
	const struct chapter_class *cls;
	const uint8_t *own;
	uint32_t index;
};

/* Where runs end: rising. */
static int runs_check(const uint8_t *p, uint64_t n)
{
	int64_t last = 0;

	for (uint64_t i = 0; i < n; i++) {
		int64_t e = column_get(p, i);

		if (e < last || e > (int64_t)RUNS_MOST)
			return 0;
		last = e;
	}
	return 1;
}

/* One slot that is used n times. */
static int own_check(struct checking *k, uint32_t slot, uint64_t n)
{
	enum call_field f = k->cls->slot[slot].field;
	uint32_t at = own_at(k->own, slot);
	const uint8_t *p = k->own + at;
	int is_double = f == CALL_VOLUME || f == CALL_DURATION;

	if (at == 0)
		return 1;
	if (k->cls->slot[slot].bins)
		return 0;
	if (at < 4 * k->cls->slots || at >= (size_t)(k->r.end - k->own) ||
	    !(is_double ? doubles_check(p, k->r.end, n) : column_check(p, k->r.end, n)))
		return 0;
	return f == CALL_RUNS ? runs_check(p, n) : values_check(&k->r, f, p, NULL, n) == 0;
}

static uint64_t runs_most(const struct bins *b)
{
	return b->most < (double)RUNS_MOST ? (uint64_t)(b->most > 0 ? b->most + 1 : 0)
	                                   : RUNS_MOST + 1;
}

/* What is in a loop whose runs are drawn has no column of its own: nobody knows how long it is. */
static int drawn_check(const struct checking *k, uint32_t at, uint32_t end)
{
	const struct chapter_node *node = &k->cls->node[at];
	uint32_t last = end < k->cls->nodes ? k->cls->node[end].slot : k->cls->slots;

	for (uint32_t s = node->slot; k->own && s < last; s++)
		if (own_at(k->own, s))
			return 0;
	return 1;
}

/* How often what is in a loop is gone through, if the loop is reached n times. */
static uint64_t runs_of(const struct checking *k, uint32_t slot, uint64_t n)
{
	uint32_t at = k->own ? own_at(k->own, slot) : 0;
	uint64_t each;

	if (n == 0)
		return 0;
	if (at)
		return (uint64_t)column_get(k->own + at, n - 1);
	if (k->cls->slot[slot].bins) /* at most; a walk draws them */
		each = runs_most(&k->r.c->bins[k->cls->slot[slot].bins - 1]);
	else
		each = (uint64_t)column_get(k->cls->slot[slot].p, k->index);
	return each && n > RUNS_MOST / each ? RUNS_MOST + 1 : n * each;
}

/* The nodes [at, end), gone through n times. */
static int nodes_check(struct checking *k, uint32_t at, uint32_t end, uint64_t n)
{
	while (at < end) {
		const struct chapter_node *node = &k->cls->node[at];
		uint32_t slots = node->call == NODE_NONE ? 1 : k->cls->call[node->call].columns;
		uint64_t inner;

		for (uint32_t s = 0; k->own && s < slots; s++)
			if (!own_check(k, node->slot + s, n))
				return 0;
		if (node->call == NODE_NONE) {
			inner = runs_of(k, node->slot, n);
			if (k->cls->slot[node->slot].bins && !drawn_check(k, at + 1, node->end))
				return 0;
			if (inner > RUNS_MOST || !nodes_check(k, at + 1, node->end, inner))
				return 0;
		}
		at = node->end;
	}
	return 1;
}

int chapter_has_costs(const struct chapter *c, uint32_t rank)
{
	return column_get(c->cls[c->class_of[rank]].own, c->index_of[rank]) != 0;
}

int chapter_costs_check(struct chapter *c, uint32_t rank, const uint8_t *own, size_t n,
                        struct err *err)
{
	const struct chapter_class *cls = &c->cls[c->class_of[rank]];
	struct checking k = {
	    .r = {.c = c, .p = own, .end = own ? own + n : NULL, .name = "", .err = err},
	    .cls = cls,
	    .own = own,
	    .index = c->index_of[rank]};

	if (own && n < 4 * (size_t)cls->slots)
		return damaged(&k.r, "costs");
	err->kind = ERR_NONE;
	if (nodes_check(&k, 0, cls->nodes, 1))
		return 0;
	return err->kind == ERR_NONE ? damaged(&k.r, "costs") : -1;
}
