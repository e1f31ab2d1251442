/* type_map.c: nodes: how they are made, and made simpler. What a constructor can see to be simpler
 * is simplified here, for maps and plans alike, never changing the order or the kind of the
 * elements: leaves of one basic type that follow each other become one, a loop over neighbouring
 * pieces a leaf, a loop of loops that goes on where the inner one ends one loop. */
#include <stdlib.h>
#include <string.h>

#include "type.h"

void *orr_type_own(struct orr_type *t, size_t bytes)
{
	if ((t->n_owned & (t->n_owned - 1)) == 0) { /* a power of two, or none: full */
		size_t room = t->n_owned ? 2 * (size_t)t->n_owned : 1;
		void **more = realloc(t->owned, room * sizeof *more);
		if (!more)
			return NULL;
		t->owned = more;
	}
	void *p = calloc(1, bytes ? bytes : 1);
	if (p)
		t->owned[t->n_owned++] = p;
	return p;
}

static struct orr_node *node_new(struct orr_type *owner, struct orr_node from)
{
	struct orr_node *n = orr_type_own(owner, sizeof *n);
	if (n)
		*n = from;
	return n;
}

const struct orr_node *orr_node_leaf(struct orr_type *owner, enum orr_basic basic, int64_t count)
{
	return node_new(owner, (struct orr_node){.op = NODE_LEAF,
	                                         .basic = (uint8_t)basic,
	                                         .count = count,
	                                         .stride = (int64_t)orr_basic_size(basic),
	                                         .size = count * (int64_t)orr_basic_size(basic),
	                                         .elements = count});
}

/* The same node elsewhere. */
static const struct orr_node *node_moved(struct orr_type *owner, const struct orr_node *n,
                                         int64_t disp)
{
	if (!n || disp == 0)
		return n;
	struct orr_node *copy = node_new(owner, *n);
	if (copy)
		copy->disp += disp;
	return copy;
}

static const struct orr_node *empty(struct orr_type *owner)
{
	return node_new(owner, (struct orr_node){.op = NODE_LIST});
}

const struct orr_node *orr_node_loop(struct orr_type *owner, const struct orr_node *child,
                                     int64_t count, int64_t stride, int64_t disp)
{
	if (!child)
		return NULL;
	if (count == 0 || child->size == 0)
		return empty(owner);
	if (count == 1)
		return node_moved(owner, child, disp);
	int64_t whole;
	struct orr_node n = {.op = NODE_LOOP,
	                     .disp = disp,
	                     .count = count,
	                     .stride = stride,
	                     .size = count * child->size,
	                     .elements = count * child->elements,
	                     .child = child};
	if (child->op == NODE_LEAF && stride == child->size) { /* neighbours */
		n = *child;
		n.disp += disp;
		n.count *= count;
		n.size *= count;
		n.elements *= count;
	} else if (child->op == NODE_LOOP &&
	           !__builtin_mul_overflow(child->count, child->stride, &whole) &&
	           stride == whole) {
		n.disp += child->disp;
		n.count *= child->count;
		n.stride = child->stride;
		n.child = child->child;
	}
	return node_new(owner, n);
}

static int is_next(const struct orr_entry *a, const struct orr_entry *b)
{
	return a->node->op == NODE_LEAF && b->node->op == NODE_LEAF &&
	       a->node->basic == b->node->basic &&
	       a->disp + a->node->disp + a->node->size == b->disp + b->node->disp;
}

/* Takes out what is empty, joins neighbours; returns how many are left, -1: no memory. */
static int64_t entries_join(struct orr_type *owner, struct orr_entry *e, int64_t n)
{
	int64_t kept = 0;
	for (int64_t i = 0; i < n; i++) {
		if (!e[i].node)
			return -1;
		if (e[i].node->size == 0)
			continue;
		if (kept == 0 || !is_next(&e[kept - 1], &e[i])) {
			e[kept++] = e[i];
			continue;
		}
		struct orr_node *joined = node_new(owner, *e[kept - 1].node);
		if (!joined)
			return -1;
		joined->count += e[i].node->count;
		joined->size += e[i].node->size;
		joined->elements += e[i].node->elements;
		e[kept - 1].node = joined;
	}
	return kept;
}

static int same_leaves(const struct orr_node *a, const struct orr_node *b)
{
	return a == b || (a->op == NODE_LEAF && b->op == NODE_LEAF && a->basic == b->basic &&
	                  a->count == b->count && a->disp == b->disp);
}

/* Equal entries at equal distances are a loop. */
static int is_loop(const struct orr_entry *e, int64_t n)
{
	for (int64_t i = 1; i < n; i++)
		if (!same_leaves(e[0].node, e[i].node) ||
		    e[i].disp - e[i - 1].disp != e[1].disp - e[0].disp)
			return 0;
	return 1;
}

const struct orr_node *orr_node_list(struct orr_type *owner, struct orr_entry *entry, int64_t n)
{
	n = entries_join(owner, entry, n);
	if (n <= 0)
		return n ? NULL : empty(owner);
	if (n == 1)
		return node_moved(owner, entry[0].node, entry[0].disp);
	if (is_loop(entry, n))
		return orr_node_loop(owner, entry[0].node, n, entry[1].disp - entry[0].disp,
		                     entry[0].disp);
	struct orr_node list = {.op = NODE_LIST, .count = n, .entry = entry};
	for (int64_t i = 0; i < n; i++) {
		entry[i].before = list.size;
		entry[i].elements = list.elements;
		list.size += entry[i].node->size;
		list.elements += entry[i].node->elements;
	}
	return node_new(owner, list);
}
