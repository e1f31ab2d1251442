/* reopen.c: see reopen.h. The events of the nest go through another one, in their order. */
#include "reopen.h"
#include "nest_int.h"

#include <stdlib.h>

/* It is tried where there are so many nodes and numbers of runs, and one for every so many events.
 * Where counts were opened while events came in, the calls before are a list of their own: that
 * matters in short traces, to which it is tried anyhow. */
enum { PARTS_LEAST = 64, EVENTS_A_PART = 32, EVENTS_FEW = 1 << 14 };

#define COUNTS ((UINT32_C(1) << CALL_COUNT) | (UINT32_C(1) << CALL_COUNT2))

struct variants { /* of calls that differ in counts at most */
	uint32_t first, n, differ;
};
struct reopening {
	const struct nest *from;
	struct nest *to;
	struct err *err;
	uint32_t *group, *number, *at; /* of each call; its new number; how often a node was left */
};

static uint64_t parts_count(const struct nest *n, uint32_t i)
{
	struct node *d = &n->node[i];
	uint64_t parts = 1;

	if (d->call != NODE_NONE)
		return parts;
	if (node_columns(d)->v)
		parts += node_columns(d)->n;
	for (uint32_t k = 0; k < d->kids; k++)
		parts += parts_count(n, d->kid[k]);
	return parts;
}

static int has_opened(const struct nest *n)
{
	for (uint32_t i = 0; i < n->calls.n; i++)
		if (n->calls.call[i].open & COUNTS)
			return 1;
	return 0;
}

static int is_irregular(const struct nest *n)
{
	uint64_t parts = 0;

	if (n->events <= EVENTS_FEW && has_opened(n))
		return 1;
	for (uint32_t i = 0; i < n->n; i++)
		parts += parts_count(n, n->list[i]);
	return parts >= PARTS_LEAST && parts >= n->events / EVENTS_A_PART;
}

/* --- which counts --- */

static uint32_t counts_differ(const struct call *a, const struct call *b)
{
	uint32_t differ = (a->open | b->open) & COUNTS;

	for (uint32_t rest = COUNTS; rest; rest &= rest - 1) {
		int f = __builtin_ctz(rest);

		if (a->field[f] != b->field[f])
			differ |= UINT32_C(1) << f;
	}
	return differ;
}

/* 1: there are such calls; 0, -1. */
static int variants_find(struct reopening *r, struct variants *v)
{
	struct interned like = {0};
	int any = 0;

	for (uint32_t i = 0; i < r->from->calls.n && any >= 0; i++) {
		const struct call *c = &r->from->calls.call[i];
		struct call key = *c;
		uint32_t k;

		key.open &= ~COUNTS;
		key.field[CALL_COUNT] = key.field[CALL_COUNT2] = 0;
		k = interned_put(&like, &key, sizeof key, r->err);
		if (k == CALL_NONE) {
			any = -1;
			break;
		}
		r->group[i] = --k;
		if (v[k].n++ == 0)
			v[k].first = i;
		v[k].differ |= counts_differ(c, &r->from->calls.call[v[k].first]);
		any |= v[k].n > 1;
	}
	interned_release(&like);
	return any;
}

static int call_move(struct reopening *r, uint32_t i, uint32_t open)
{
	struct calls *to = &r->to->calls;
	struct call c = r->from->calls.call[i], *p;
	uint32_t number;

	c.open |= open;
	for (; open; open &= open - 1)
		c.field[__builtin_ctz(open)] = 0;
	number = interned_put(&to->keys, &c, sizeof c, r->err);
	if (number == CALL_NONE)
		return -1;
	r->number[i] = --number;
	if (number < to->n)
		return 0;
	p = vec_grow(to->call, &to->cap, sizeof *p, (size_t)number + 1, "calls of a trace", r->err);
	if (!p)
		return -1;
	to->call = p;
	p[to->n++] = c;
	return 0;
}

/* --- once more --- */

static int leaf_again(struct reopening *r, struct node *d, uint32_t at)
{
	const struct call *was = &r->from->calls.call[d->call],
	                  *is = &r->to->calls.call[r->number[d->call]];
	const struct column *c = node_columns(d);
	int64_t value[CALL_COLUMNS];
	int n = 2, old = 2;

	value[0] = column_item(&c[0], at);
	value[1] = column_item(&c[1], at);
	for (uint32_t open = is->open; open; open &= open - 1) {
		int f = __builtin_ctz(open);

		value[n++] = was->open >> f & 1 ? column_item(&c[old++], at) : was->field[f];
	}
	return nest_put_call(r->to, r->number[d->call], value, r->err);
}

static int node_again(struct reopening *r, uint32_t i)
{
	struct node *d = &r->from->node[i];
	uint32_t at = r->at[i]++;
	int64_t times;

	if (d->call != NODE_NONE)
		return leaf_again(r, d, at);
	times = column_item(node_columns(d), at);
	for (int64_t t = 0; t < times; t++)
		for (uint32_t k = 0; k < d->kids; k++)
			if (node_again(r, d->kid[k]) < 0)
				return -1;
	return 0;
}

static int all_again(struct reopening *r, const struct variants *v)
{
	const struct nest *n = r->from;

	for (uint32_t i = 0; i < n->calls.n; i++) {
		const struct variants *g = &v[r->group[i]];

		if (call_move(r, i, g->n > 1 ? g->differ & ~n->calls.call[i].open : 0) < 0)
			return -1;
	}
	for (uint32_t i = 0; i < n->n; i++)
		if (node_again(r, n->list[i]) < 0)
			return -1;
	return nest_close(r->to, r->err) < 0 ? -1 : 1;
}

int nest_reopen(const struct nest *n, struct nest *to, struct err *err)
{
	struct reopening r = {.from = n, .to = to, .err = err};
	struct variants *v;
	int result;

	if (!is_irregular(n))
		return 0;
	nest_init(to);
	to->calls.lists = n->calls.lists;
	to->calls.texts = n->calls.texts;
	v = calloc((size_t)n->calls.n + 1, sizeof *v);
	r.group = malloc(((size_t)n->calls.n + 1) * sizeof *r.group);
	r.number = malloc(((size_t)n->calls.n + 1) * sizeof *r.number);
	r.at = calloc((size_t)n->n_node + 1, sizeof *r.at);
	if (!v || !r.group || !r.number || !r.at)
		result = err_nomem(err, "calls of a trace", n->calls.n * sizeof *v);
	else if ((result = variants_find(&r, v)) > 0)
		result = all_again(&r, v);
	free(v);
	free(r.group);
	free(r.number);
	free(r.at);
	if (result <= 0)
		nest_reopened_release(to);
	return result;
}

void nest_reopened_release(struct nest *to)
{
	to->calls.lists = to->calls.texts = (struct interned){0};
	nest_release(to);
}

/* --- which is shorter --- */

static uint64_t column_weight(const struct column *c)
{
	struct str s = {0};
	uint64_t bytes;

	column_write(&s, c);
	bytes = s.n;
	str_release(&s);
	return bytes;
}

/* A byte or so for the node; what of it varies. */
static uint64_t node_weight(const struct nest *n, uint32_t i)
{
	struct node *d = &n->node[i];
	uint64_t weight = 1;

	for (uint32_t k = d->call == NODE_NONE ? 0 : 2; k < d->columns; k++)
		weight += column_weight(&node_columns(d)[k]);
	for (uint32_t k = 0; k < d->kids; k++)
		weight += node_weight(n, d->kid[k]);
	return weight;
}

uint64_t nest_weight(const struct nest *n)
{
	uint64_t weight = 0;

	for (uint32_t i = 0; i < n->n; i++)
		weight += node_weight(n, n->list[i]);
	return weight;
}
