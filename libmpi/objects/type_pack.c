/* type_pack.c: walking over the memory of count elements of a type, from any position of its packed
 * form to any other; packing, unpacking, copying from type to type. */
#include <stdlib.h>
#include <string.h>

#include "type.h"

struct visitor {
	void *self;
	orr_run *run;
	/* NULL, or `count` whole pieces at equal distances. */
	int (*strided)(void *self, int64_t disp, int64_t stride, int64_t bytes, int64_t count);
};

static int visit(const struct visitor *v, const struct orr_node *n, int64_t base, int64_t from,
                 int64_t to);

static int visit_whole(const struct visitor *v, const struct orr_node *n, int64_t base,
                       int64_t first, int64_t last)
{
	const struct orr_node *c = n->child;
	if (c->op == NODE_LEAF && v->strided)
		return v->strided(v->self, base + c->disp + first * n->stride, n->stride, c->size,
		                  last - first);
	for (int64_t i = first; i < last; i++) {
		int stop = visit(v, c, base + i * n->stride, 0, c->size);
		if (stop)
			return stop;
	}
	return 0;
}

static int visit_loop(const struct visitor *v, const struct orr_node *n, int64_t base, int64_t from,
                      int64_t to)
{
	const struct orr_node *c = n->child;
	int64_t first = from / c->size, skip = from % c->size, last = to / c->size;
	int stop = 0;
	if (skip) {
		int64_t end = first == last ? to % c->size : c->size;
		stop = visit(v, c, base + first * n->stride, skip, end);
		if (first++ == last || stop)
			return stop;
	}
	if (first < last)
		stop = visit_whole(v, n, base, first, last);
	if (!stop && to % c->size)
		stop = visit(v, c, base + last * n->stride, 0, to % c->size);
	return stop;
}

static int64_t entry_at(const struct orr_node *n, int64_t position)
{
	int64_t low = 0, high = n->count - 1;
	while (low < high) {
		int64_t middle = (low + high + 1) / 2;
		if (n->entry[middle].before <= position)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

static int visit_list(const struct visitor *v, const struct orr_node *n, int64_t base, int64_t from,
                      int64_t to)
{
	for (int64_t i = entry_at(n, from); i < n->count && n->entry[i].before < to; i++) {
		const struct orr_entry *e = &n->entry[i];
		int64_t begin = from > e->before ? from - e->before : 0;
		int64_t end = to - e->before < e->node->size ? to - e->before : e->node->size;
		int stop = visit(v, e->node, base + e->disp, begin, end);
		if (stop)
			return stop;
	}
	return 0;
}

static int visit(const struct visitor *v, const struct orr_node *n, int64_t base, int64_t from,
                 int64_t to)
{
	if (from >= to)
		return 0;
	base += n->disp;
	switch (n->op) {
	case NODE_LEAF:
		return v->run(v->self, base + from, to - from);
	case NODE_LOOP:
		return visit_loop(v, n, base, from, to);
	default:
		return visit_list(v, n, base, from, to);
	}
}

static int visit_all(const struct visitor *v, struct orr_type *t, int64_t count, int64_t from,
                     int64_t to)
{
	const struct orr_node *plan = orr_type_plan(t);
	if (!plan)
		return -1;
	if (to > count * t->size)
		to = count * t->size;
	if (from >= to)
		return 0;
	if (t->dense)
		return v->run(v->self, plan->disp + from, to - from);
	struct orr_node all = {
	    .op = NODE_LOOP, .count = count, .stride = orr_type_span(t), .child = plan};
	return count == 1 ? visit(v, plan, 0, from, to) : visit_loop(v, &all, 0, from, to);
}

int orr_walk(struct orr_type *t, int64_t count, int64_t from, int64_t to, orr_run *run, void *self)
{
	struct visitor v = {.self = self, .run = run};
	return visit_all(&v, t, count, from, to);
}

int orr_is_contiguous(struct orr_type *t, int64_t count, int64_t *disp)
{
	const struct orr_node *plan = orr_type_plan(t);
	*disp = 0;
	if (!plan || t->size == 0 || count == 0)
		return plan != NULL;
	*disp = plan->disp;
	return t->dense || (count == 1 && plan->op == NODE_LEAF);
}

/* --- packing --- */

struct mover {
	char *user, *packed;
	int64_t done;
	int unpack;
};

static int move_run(void *self, int64_t disp, int64_t bytes)
{
	struct mover *m = self;
	if (m->unpack)
		memcpy(m->user + disp, m->packed + m->done, (size_t)bytes);
	else
		memcpy(m->packed + m->done, m->user + disp, (size_t)bytes);
	m->done += bytes;
	return 0;
}

/* Pieces of one size: a constant size makes of each memcpy an instruction or two. */
static inline void pieces(char *to, int64_t to_stride, const char *from, int64_t from_stride,
                          size_t bytes, int64_t count)
{
	for (int64_t i = 0; i < count; i++)
		memcpy(to + i * to_stride, from + i * from_stride, bytes);
}

static void pieces_of(char *to, int64_t to_stride, const char *from, int64_t from_stride,
                      int64_t bytes, int64_t count)
{
	switch (bytes) {
	case 1:
		pieces(to, to_stride, from, from_stride, 1, count);
		break;
	case 4:
		pieces(to, to_stride, from, from_stride, 4, count);
		break;
	case 8:
		pieces(to, to_stride, from, from_stride, 8, count);
		break;
	case 16:
		pieces(to, to_stride, from, from_stride, 16, count);
		break;
	case 24:
		pieces(to, to_stride, from, from_stride, 24, count);
		break;
	case 32:
		pieces(to, to_stride, from, from_stride, 32, count);
		break;
	default:
		pieces(to, to_stride, from, from_stride, (size_t)bytes, count);
	}
}

static int move_strided(void *self, int64_t disp, int64_t stride, int64_t bytes, int64_t count)
{
	struct mover *m = self;
	if (m->unpack)
		pieces_of(m->user + disp, stride, m->packed + m->done, bytes, bytes, count);
	else
		pieces_of(m->packed + m->done, bytes, m->user + disp, stride, bytes, count);
	m->done += bytes * count;
	return 0;
}

static int64_t move(struct mover *m, int64_t count, struct orr_type *t, int64_t from, int64_t to)
{
	struct visitor v = {.self = m, .run = move_run, .strided = move_strided};
	return visit_all(&v, t, count, from, to) < 0 ? -1 : m->done;
}

int64_t orr_pack(const void *buf, int64_t count, struct orr_type *t, int64_t from, int64_t to,
                 void *out)
{
	struct mover m = {.user = (char *)(uintptr_t)buf, .packed = out};
	return move(&m, count, t, from, to);
}

int64_t orr_unpack(void *buf, int64_t count, struct orr_type *t, int64_t from, int64_t to,
                   const void *in)
{
	struct mover m = {.user = buf, .packed = (char *)(uintptr_t)in, .unpack = 1};
	return move(&m, count, t, from, to);
}

/* --- leaves of the map --- */

static int leaves_of(const struct orr_node *n, int64_t base, orr_leaf *leaf, void *self)
{
	int stop = 0;
	base += n->disp;
	if (n->op == NODE_LEAF)
		return leaf(self, base, n->basic, n->count);
	for (int64_t i = 0; i < n->count && !stop; i++)
		stop = n->op == NODE_LOOP
		           ? leaves_of(n->child, base + i * n->stride, leaf, self)
		           : leaves_of(n->entry[i].node, base + n->entry[i].disp, leaf, self);
	return stop;
}

int orr_leaves(struct orr_type *t, int64_t count, orr_leaf *leaf, void *self)
{
	if (t->size == 0)
		return 0;
	if (t->map->op == NODE_LEAF && t->map->size == orr_type_span(t))
		return leaf(self, t->map->disp, t->map->basic, t->map->count * count);
	int stop = 0;
	for (int64_t i = 0; i < count && !stop; i++)
		stop = leaves_of(t->map, i * orr_type_span(t), leaf, self);
	return stop;
}
