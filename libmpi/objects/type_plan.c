/* type_plan.c: the plan of a type: its map over bytes. As elements no longer differ, more of them
 * are neighbours; lists within lists become one where that is not much longer. */
#include <string.h>

#include "type.h"

enum { LIST_LIMIT = 1 << 16 }; /* entries of a list that takes others in */

static const struct orr_node *plan_of(struct orr_type *owner, const struct orr_node *n);

static const struct orr_node *leaf_plan(struct orr_type *owner, const struct orr_node *n)
{
	struct orr_node *copy = orr_type_own(owner, sizeof *copy);
	if (!copy)
		return NULL;
	*copy = *n;
	copy->basic = BASIC_BYTE;
	copy->count = copy->elements = n->size;
	copy->stride = 1;
	return copy;
}

static int64_t flat_count(const struct orr_entry *e, int64_t n)
{
	int64_t total = 0;
	for (int64_t i = 0; i < n; i++)
		total += e[i].node->op == NODE_LIST ? e[i].node->count : 1;
	return total;
}

static void flatten(struct orr_entry *to, const struct orr_entry *e, int64_t n)
{
	for (int64_t i = 0; i < n; i++) {
		const struct orr_node *node = e[i].node;
		if (node->op != NODE_LIST) {
			*to++ = e[i];
			continue;
		}
		for (int64_t k = 0; k < node->count; k++) {
			*to = node->entry[k];
			to->disp += e[i].disp + node->disp;
			to++;
		}
	}
}

static const struct orr_node *list_plan(struct orr_type *owner, const struct orr_node *n)
{
	struct orr_entry *e = orr_type_own(owner, (size_t)n->count * sizeof *e);
	if (!e)
		return NULL;
	for (int64_t i = 0; i < n->count; i++) {
		e[i] = n->entry[i];
		e[i].disp += n->disp;
		e[i].node = plan_of(owner, n->entry[i].node);
		if (!e[i].node)
			return NULL;
	}
	int64_t flat = flat_count(e, n->count);
	if (flat == n->count || flat > LIST_LIMIT)
		return orr_node_list(owner, e, n->count);
	struct orr_entry *all = orr_type_own(owner, (size_t)flat * sizeof *all);
	if (!all)
		return NULL;
	flatten(all, e, n->count);
	return orr_node_list(owner, all, flat);
}

static const struct orr_node *plan_of(struct orr_type *owner, const struct orr_node *n)
{
	switch (n->op) {
	case NODE_LEAF:
		return leaf_plan(owner, n);
	case NODE_LOOP:
		return orr_node_loop(owner, plan_of(owner, n->child), n->count, n->stride, n->disp);
	default:
		return list_plan(owner, n);
	}
}

const struct orr_node *orr_type_plan(struct orr_type *t)
{
	if (t->plan)
		return t->plan;
	orr_lock();
	if (!t->plan) {
		const struct orr_node *plan = plan_of(t, t->map);
		if (plan)
			t->dense = t->size == 0 ||
			           (plan->op == NODE_LEAF && t->size == orr_type_span(t));
		t->plan = plan;
	}
	orr_unlock();
	return t->plan;
}
