/* nest_node.c: the nodes of a nest: made, joined, taken apart (nest.h). */
#include "nest_int.h"

#include <stdlib.h>

static uint32_t node_make(struct nest *n, struct err *err)
{
	uint32_t i = n->free_node;

	if (i != NODE_NONE) {
		n->free_node = n->node[i].next_free;
	} else {
		struct node *p = vec_grow(n->node, &n->cap_node, sizeof *p, (size_t)n->n_node + 1,
		                          "nodes of a trace", err);

		if (!p)
			return NODE_NONE;
		n->node = p;
		i = n->n_node++;
	}
	n->node[i] = (struct node){.call = NODE_NONE, .size = 1};
	return i;
}

/* The columns of a node: pointers into the array of nodes would not survive its growth. */
struct column *node_columns(struct node *d)
{
	return d->columns > 2 ? d->column : d->few;
}

static int node_columns_make(struct node *d, uint32_t columns, struct err *err)
{
	if (columns > 2) {
		d->column = calloc(columns, sizeof *d->column);
		if (!d->column)
			return err_nomem(err, "columns of a trace", columns * sizeof *d->column);
	}
	d->columns = (uint16_t)columns;
	return 0;
}

/* With what is below it. */
static void node_free(struct nest *n, uint32_t i)
{
	struct node *d = &n->node[i];
	struct column *c = node_columns(d);

	for (uint32_t k = 0; d->kid && k < d->kids; k++)
		node_free(n, d->kid[k]);
	for (uint32_t k = 0; k < d->columns; k++)
		column_release(&c[k]);
	free(n->node[i].kid);
	free(n->node[i].column);
	n->node[i] = (struct node){.next_free = n->free_node};
	n->free_node = i;
}

uint32_t node_leaf(struct nest *n, uint32_t call, const int64_t *value, struct err *err)
{
	uint32_t i = node_make(n, err);
	uint32_t columns = call_columns(&n->calls.call[call]);

	if (i == NODE_NONE)
		return i;
	n->node[i].call = call;
	n->node[i].hash = leaf_hash(call);
	if (node_columns_make(&n->node[i], columns, err) < 0 || leaf_put(n, i, value, err) < 0) {
		node_free(n, i);
		return NODE_NONE;
	}
	return i;
}

int leaf_put(struct nest *n, uint32_t leaf, const int64_t *value, struct err *err)
{
	struct node *d = &n->node[leaf];
	struct column *c = node_columns(d);

	for (uint32_t k = 0; k < d->columns; k++) {
		if (column_push(&c[k], value[k], err) < 0)
			return -1;
		if (c[k].v)
			n->bytes += sizeof(int64_t);
	}
	return 0;
}

uint32_t node_loop(struct nest *n, const uint32_t *kid, uint32_t kids, struct err *err)
{
	uint32_t i = node_make(n, err);
	uint64_t hash = kids;
	struct node *d;

	if (i == NODE_NONE)
		return i;
	d = &n->node[i];
	d->columns = 1;
	d->kid = malloc(kids * sizeof *d->kid);
	if (!d->kid) {
		node_free(n, i);
		err_nomem(err, "a loop of a trace", kids * sizeof *d->kid);
		return NODE_NONE;
	}
	for (uint32_t k = 0; k < kids; k++) {
		const struct node *c = &n->node[kid[k]];

		d->kid[k] = kid[k];
		d->size += c->size;
		d->depth = c->depth >= d->depth ? c->depth + 1 : d->depth;
		hash = (hash ^ c->hash) * UINT64_C(0xff51afd7ed558ccd);
		hash ^= hash >> 29;
	}
	d->kids = kids;
	d->hash = hash_mix(hash ^ UINT64_C(0x6c6f6f70));
	return i;
}

int node_same(const struct nest *n, uint32_t a, uint32_t b)
{
	const struct node *x = &n->node[a], *y = &n->node[b];

	if (x->hash != y->hash || x->call != y->call || x->kids != y->kids)
		return 0;
	for (uint32_t k = 0; k < x->kids; k++)
		if (!node_same(n, x->kid[k], y->kid[k]))
			return 0;
	return 1;
}

/* a goes on with what b has. */
static int node_join(struct nest *n, uint32_t a, uint32_t b, struct err *err)
{
	struct node *x = &n->node[a], *y = &n->node[b];
	struct column *c = node_columns(x), *d = node_columns(y);

	for (uint32_t k = 0; k < x->columns; k++)
		if (column_join(&c[k], &d[k], err) < 0)
			return -1;
	for (uint32_t k = 0; k < x->kids; k++)
		if (node_join(n, n->node[a].kid[k], n->node[b].kid[k], err) < 0)
			return -1;
	return 0;
}

int node_absorb(struct nest *n, uint32_t a, uint32_t b, struct err *err)
{
	int r = node_join(n, a, b, err);

	node_free(n, b);
	return r;
}

/* How often the kids of a loop were gone through in its last `times` runs. */
static uint32_t runs_sum(const struct column *c, uint32_t times)
{
	uint64_t sum = 0;

	for (uint32_t i = c->n - times; i < c->n; i++)
		sum += (uint64_t)column_item(c, i);
	BUG_ON(sum > UINT32_MAX);
	return (uint32_t)sum;
}

uint32_t node_split(struct nest *n, uint32_t a, uint32_t times, struct err *err)
{
	uint32_t i = node_make(n, err), inner = times;
	uint32_t *kid = NULL;

	if (i == NODE_NONE)
		return i;
	n->node[i].call = n->node[a].call;
	n->node[i].hash = n->node[a].hash;
	n->node[i].size = n->node[a].size;
	n->node[i].depth = n->node[a].depth;
	if (node_columns_make(&n->node[i], n->node[a].columns, err) < 0)
		goto fail;
	if (n->node[a].kids) {
		inner = runs_sum(node_columns(&n->node[a]), times);
		kid = malloc(n->node[a].kids * sizeof *kid);
		n->node[i].kid = kid;
		if (!kid) {
			err_nomem(err, "a loop of a trace", n->node[a].kids * sizeof *kid);
			goto fail;
		}
	}
	for (uint32_t k = 0; k < n->node[a].columns; k++)
		if (column_split(&node_columns(&n->node[a])[k], times,
		                 &node_columns(&n->node[i])[k], err) < 0)
			goto fail;
	for (uint32_t k = 0; kid && k < n->node[a].kids; k++) {
		uint32_t part = node_split(n, n->node[a].kid[k], inner, err);

		if (part == NODE_NONE)
			goto fail;
		kid[k] = part;
		n->node[i].kids = k + 1;
	}
	return i;
fail:
	node_free(n, i);
	return NODE_NONE;
}
