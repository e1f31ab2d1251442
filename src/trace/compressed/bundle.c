/* bundle.c: see bundle.h: a nest into its class. */
#include "bundle_int.h"
#include "nest_int.h"
#include "reopen.h"
#include "trace/trace_int.h"

#include <stdlib.h>

/* A nest on its way into a bundle. */
struct adding {
	struct bundle *b;
	const struct nest *n;
	struct err *err;
	uint32_t *number; /* the class's number of a call of the nest, or CALL_NONE */
	uint32_t *call;   /* calls of the nest, in the order of these numbers */
	uint32_t calls, slots;
	struct str key;
	struct bundle_class *cls;
	struct str own;
	uint32_t slot; /* next */
	uint32_t rank;
};

void class_release(struct bundle_class *c)
{
	for (size_t i = 0; c->param && i < class_param_at(c->calls, 0); i++)
		column_release(&c->param[i]);
	for (uint32_t i = 0; c->cost && i < c->slots; i++)
		column_release(&c->cost[i]);
	column_release(&c->rank);
	column_release(&c->own);
	free(c->node);
	free(c->call);
	free(c->param);
	free(c->cost);
	free(c->histogram);
	free(c->maybe);
	for (uint32_t i = 0; c->turns && i < c->slots; i++)
		free(c->turns[i]);
	free(c->turns);
}

void bundle_init(struct bundle *b, int precision)
{
	*b = (struct bundle){.precision = precision};
}

void bundle_release(struct bundle *b)
{
	for (uint32_t i = 0; i < b->classes; i++)
		class_release(&b->cls[i]);
	for (uint32_t i = 0; i < b->members; i++)
		free(b->member[i].own);
	free(b->cls);
	free(b->member);
	interned_release(&b->lists);
	interned_release(&b->texts);
	interned_release(&b->keys);
	for (uint32_t i = 1; i < b->places.n && b->histogram; i++)
		histogram_release(&b->histogram[i - 1]);
	free(b->histogram);
	interned_release(&b->places);
	*b = (struct bundle){.precision = b->precision, .ranks = b->ranks};
}

/* --- the key of a structure: what all members of a class have in common --- */

static void node_key(struct adding *a, uint32_t node)
{
	const struct node *d = &a->n->node[node];

	a->slots += d->columns;
	if (d->kids) {
		varint_put(&a->key, (uint64_t)d->kids * 2 + 1);
		for (uint32_t k = 0; k < d->kids; k++)
			node_key(a, d->kid[k]);
		return;
	}
	if (a->number[d->call] == CALL_NONE) {
		a->number[d->call] = a->calls;
		a->call[a->calls++] = d->call;
	}
	varint_put(&a->key, (uint64_t)a->number[d->call] * 2);
}

static int64_t text_moved(struct adding *a, int64_t number)
{
	uint32_t n;
	const void *text = interned_get(&a->n->calls.texts, (uint32_t)number, &n);

	return interned_put(&a->b->texts, text, n, a->err);
}

static int64_t list_moved(struct adding *a, int64_t number)
{
	uint32_t n;
	const void *list = interned_get(&a->n->calls.lists, (uint32_t)number, &n);

	return interned_put(&a->b->lists, list, n, a->err);
}

/* Ranks of the world are functions of the rank; MPI_PROC_NULL and MPI_ANY_SOURCE are not, and make
 * a class of their own (the ranks at an edge). */
static void peer_key(struct str *key, int64_t peer)
{
	varint_put(key, peer < 0 ? (uint64_t)-peer : 0);
}

void call_key_put(struct str *key, const struct call *c, int64_t text)
{
	varint_put(key, (uint64_t)c->field[CALL_OP]);
	varint_put(key, (uint64_t)c->field[CALL_FLAGS]);
	varint_put(key, c->open);
	peer_key(key, c->field[CALL_PEER]);
	peer_key(key, c->field[CALL_PEER2]);
	varint_put(key, (uint64_t)text);
	zigzag_put(key, c->field[CALL_LINE]);
}

static int key_make(struct adding *a)
{
	const struct nest *n = a->n;

	for (uint32_t i = 0; i < n->calls.n; i++)
		a->number[i] = CALL_NONE;
	varint_put(&a->key, n->n);
	for (uint32_t i = 0; i < n->n; i++)
		node_key(a, n->list[i]);
	for (uint32_t i = 0; i < a->calls; i++) {
		const struct call *c = &n->calls.call[a->call[i]];
		int64_t text = text_moved(a, c->field[CALL_TEXT]);

		if (text == CALL_NONE)
			return -1;
		call_key_put(&a->key, c, text);
	}
	return a->key.failed ? err_nomem(a->err, "the structure of a trace", a->key.n) : 0;
}

/* --- a new class --- */

static void nodes_list(const struct adding *a, uint32_t node, struct bundle_class *c)
{
	const struct node *d = &a->n->node[node];

	c->node[c->nodes++] = d->kids ? d->kids * 2 + 1 : a->number[d->call] * 2;
	for (uint32_t k = 0; k < d->kids; k++)
		nodes_list(a, d->kid[k], c);
}

static int class_fill(struct adding *a, struct bundle_class *c)
{
	const struct nest *n = a->n;
	uint32_t nodes = 0;

	for (uint32_t i = 0; i < n->n; i++)
		nodes += n->node[n->list[i]].size;
	*c = (struct bundle_class){.top = n->n, .calls = a->calls, .slots = a->slots};
	c->node = malloc(((size_t)nodes + 1) * sizeof *c->node);
	c->call = malloc(((size_t)a->calls + 1) * sizeof *c->call);
	c->param = calloc(class_param_at(a->calls, 0) + 1, sizeof *c->param);
	c->cost = calloc((size_t)a->slots + 1, sizeof *c->cost);
	c->histogram = calloc((size_t)a->slots + 1, sizeof *c->histogram);
	c->maybe = calloc((size_t)a->slots + 1, sizeof *c->maybe);
	c->turns = calloc((size_t)a->slots + 1, sizeof *c->turns);
	if (!c->node || !c->call || !c->param || !c->cost || !c->histogram || !c->maybe ||
	    !c->turns)
		return err_nomem(a->err, "the structure of a trace", nodes * sizeof *c->node);
	for (uint32_t i = 0; i < n->n; i++)
		nodes_list(a, n->list[i], c);
	for (uint32_t i = 0; i < a->calls; i++)
		c->call[i] = n->calls.call[a->call[i]];
	return 0;
}

struct bundle_class *bundle_class_get(struct bundle *b, const struct str *key, int *made,
                                      struct err *err)
{
	uint32_t i = interned_put(&b->keys, key->s, key->n, err);
	struct bundle_class *c;

	if (i == CALL_NONE)
		return NULL;
	c = vec_grow(b->cls, &b->cap_classes, sizeof *c, i, "classes of ranks", err);
	if (!c)
		return NULL;
	b->cls = c;
	*made = i > b->classes;
	if (*made) {
		b->classes = i;
		c[i - 1] = (struct bundle_class){0};
	}
	return &c[i - 1];
}

/* The class of the nest, made if it is the first of its kind: a->cls. */
static int class_get(struct adding *a)
{
	int made = 0;

	a->cls = bundle_class_get(a->b, &a->key, &made, a->err);
	if (!a->cls)
		return -1;
	return made ? class_fill(a, a->cls) : 0;
}

/* --- a member --- */

static int params_add(struct adding *a)
{
	for (uint32_t i = 0; i < a->calls; i++) {
		const struct call *c = &a->n->calls.call[a->call[i]];

		for (uint32_t f = 0; f < CALL_FIELDS; f++) {
			int64_t v = c->field[f];

			if (v != 0 && (f == CALL_TEXT || call_field_is_list((enum call_field)f)))
				v = f == CALL_TEXT ? text_moved(a, v) : list_moved(a, v);
			if (v == CALL_NONE &&
			    (f == CALL_TEXT || call_field_is_list((enum call_field)f)))
				return -1;
			if (column_push(&a->cls->param[class_param_at(i, f)], v, a->err) < 0)
				return -1;
		}
	}
	return 0;
}

/* Lists and texts among what is open get the bundle's numbers. */
static int values_move(struct adding *a, enum call_field f, const struct column *c, int64_t *v)
{
	for (uint32_t i = 0; i < c->n; i++) {
		v[i] = column_item(c, i);
		if (v[i] == 0 || !call_field_is_list(f))
			continue;
		v[i] = list_moved(a, v[i]);
		if (v[i] == CALL_NONE)
			return -1;
	}
	return 0;
}

/* Of a loop: where each of its runs ends, all runs counted through. */
static void runs_ends(int64_t *v, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
		v[i] += v[i - 1];
}

static int all_same(const int64_t *v, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
		if (v[i] != v[0])
			return 0;
	return 1;
}

/* What of a column is not the same each time goes to the member's own bytes. */
static int own_put(struct adding *a, enum call_field f, const int64_t *v, uint32_t n)
{
	uint32_t at = (uint32_t)a->own.n;

	memcpy(a->own.s + (size_t)a->slot * sizeof at, &at, sizeof at);
	if (f == CALL_VOLUME || f == CALL_DURATION)
		doubles_put(&a->own, v, n);
	else
		column_put(&a->own, v, n);
	return a->own.failed || a->own.n > UINT32_MAX
	           ? err_nomem(a->err, "costs of a trace", a->own.n)
	           : 0;
}

static int slot_add(struct adding *a, uint32_t call, enum call_field f, const struct column *c)
{
	int64_t value = c->n ? column_item(c, 0) : 0;
	const struct blurring x = {a->b, a->cls, a->slot, call, f, c, a->rank, a->err};
	int64_t *v;
	int r = f == CALL_VOLUME || f == CALL_DURATION ? blur_cost(&x) : blur_note(&x);

	if (r != 0)
		return r < 0 ? -1 : column_push(&a->cls->cost[a->slot++], 0, a->err);
	if (!c->v && !call_field_is_list(f))
		return column_push(&a->cls->cost[a->slot++], value, a->err);
	if (f != CALL_RUNS && !call_field_is_list(f)) { /* as it is */
		if (all_same(c->v, c->n))
			return column_push(&a->cls->cost[a->slot++], value, a->err);
		return own_put(a, f, c->v, c->n) < 0
		           ? -1
		           : column_push(&a->cls->cost[a->slot++], 0, a->err);
	}
	v = malloc((c->n + 1) * sizeof *v);
	if (!v)
		return err_nomem(a->err, "costs of a trace", c->n * sizeof *v);
	r = values_move(a, f, c, v);
	value = r == 0 && c->n && all_same(v, c->n) ? v[0] : 0;
	if (r == 0 && !all_same(v, c->n)) {
		if (f == CALL_RUNS)
			runs_ends(v, c->n);
		r = own_put(a, f, v, c->n);
	}
	free(v);
	return r == 0 ? column_push(&a->cls->cost[a->slot++], value, a->err) : -1;
}

static int node_slots(struct adding *a, uint32_t node)
{
	const struct node *d = &a->n->node[node];
	const struct column *c = d->columns > 2 ? d->column : d->few;

	if (d->kids) {
		if (slot_add(a, CALL_NONE, CALL_RUNS, &c[0]) < 0)
			return -1;
		for (uint32_t k = 0; k < d->kids; k++)
			if (node_slots(a, d->kid[k]) < 0)
				return -1;
		return 0;
	}
	for (uint32_t k = 0; k < d->columns; k++)
		if (slot_add(a, a->number[d->call],
		             call_column_field(&a->n->calls.call[d->call], k), &c[k]) < 0)
			return -1;
	return 0;
}

/* The table of where each slot is, empty. */
static int own_begin(struct adding *a)
{
	for (uint32_t i = 0; i < a->slots; i++)
		str_putn(&a->own, "\0\0\0\0", 4);
	return a->own.failed ? err_nomem(a->err, "costs of a trace", a->own.n) : 0;
}

static int member_add(struct adding *a, uint32_t rank)
{
	struct bundle *b = a->b;
	struct bundle_member *m = vec_grow(b->member, &b->cap_members, sizeof *m,
	                                   (size_t)b->members + 1, "ranks of a trace", a->err);

	if (!m)
		return -1;
	b->member = m;
	if (params_add(a) < 0 || own_begin(a) < 0)
		return -1;
	for (uint32_t i = 0; i < a->n->n; i++)
		if (node_slots(a, a->n->list[i]) < 0)
			return -1;
	m = &m[b->members];
	*m = (struct bundle_member){.rank = rank, .cls = (uint32_t)(a->cls - b->cls)};
	if (a->own.n > 4u * a->slots) {
		m->own = malloc(a->own.n);
		if (!m->own)
			return err_nomem(a->err, "costs of a trace", a->own.n);
		memcpy(m->own, a->own.s, a->own.n);
		m->bytes = (uint32_t)a->own.n;
	}
	b->bytes += m->bytes;
	b->members++;
	return column_push(&a->cls->own, m->own != NULL, a->err) < 0
	           ? -1
	           : column_push(&a->cls->rank, rank, a->err);
}

static int nest_add(struct bundle *b, uint32_t rank, const struct nest *n, struct err *err)
{
	struct adding a = {.b = b, .n = n, .err = err, .rank = rank};
	int r = -1;

	a.number = malloc((n->calls.n + 1) * sizeof *a.number);
	a.call = malloc((n->calls.n + 1) * sizeof *a.call);
	if (!a.number || !a.call)
		err_nomem(err, "calls of a trace", n->calls.n * sizeof *a.call);
	else if (key_make(&a) == 0 && class_get(&a) == 0)
		r = member_add(&a, rank);
	b->events += n->events;
	free(a.number);
	free(a.call);
	str_release(&a.key);
	str_release(&a.own);
	return r;
}

/* Lossless, what is shorter of two forms of a nest; a histogram is made of the one that came. */
int bundle_add(struct bundle *b, uint32_t rank, const struct nest *n, struct err *err)
{
	struct nest open;
	int r = b->precision == 100 ? nest_reopen(n, &open, err) : 0, is_shorter;

	if (r < 0)
		return -1;
	if (r == 0)
		return nest_add(b, rank, n, err);
	is_shorter = nest_weight(&open) < nest_weight(n);
	r = nest_add(b, rank, is_shorter ? &open : n, err);
	nest_reopened_release(&open);
	return r;
}
