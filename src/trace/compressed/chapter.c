/* chapter.c: see chapter.h: reading a structure. All that is in the bytes is looked at once, here
 * (what a value may be: chapter_values.c): what is read later is known to be there and in its
 * bounds. */
#include "chapter_int.h"
#include "trace/column/turns.h"

#include <stdlib.h>

enum { NODES_MOST = 1 << 26, ITEMS_LEAST = 1 << 22, UNFOLD_MOST = 1 << 20 };
/* What of messages can be drawn. */
static const uint32_t drawn_fields = 1u << CALL_PEER | 1u << CALL_PEER2 | 1u << CALL_TAG |
                                     1u << CALL_TAG2 | 1u << CALL_COUNT | 1u << CALL_COUNT2;

static int number(struct reading *r, uint64_t most, uint32_t *out, const char *what)
{
	uint64_t v;
	const uint8_t *p = varint_get(r->p, r->end, &v);

	if (!p || v > most)
		return damaged(r, what);
	r->p = p;
	*out = (uint32_t)v;
	return 0;
}

/* Each of so many things takes at least a byte. */
static int count(struct reading *r, uint32_t *out, const char *what)
{
	if (number(r, UINT32_MAX, out, what) < 0)
		return -1;
	return *out <= (uint64_t)(r->end - r->p) ? 0 : damaged(r, what);
}

static void *room(struct reading *r, uint64_t n, size_t size)
{
	return arena_alloc(&r->c->arena, (n + 1) * size, r->err);
}

/* --- texts and lists --- */

static int texts_read(struct reading *r)
{
	struct chapter *c = r->c;

	if (count(r, &c->texts, "texts") < 0)
		return -1;
	c->text = room(r, c->texts, sizeof *c->text);
	if (!c->text)
		return -1;
	for (uint32_t i = 1; i <= c->texts; i++) {
		uint32_t n;

		if (count(r, &n, "a text") < 0)
			return -1;
		c->text[i] = arena_strndup(&c->arena, (const char *)r->p, n, r->err);
		if (!c->text[i])
			return -1;
		r->p += n;
	}
	return 0;
}

static int lists_read(struct reading *r)
{
	struct chapter *c = r->c;

	if (count(r, &c->lists, "lists") < 0)
		return -1;
	c->list = room(r, c->lists, sizeof *c->list);
	if (!c->list)
		return -1;
	for (uint32_t i = 1; i <= c->lists; i++) {
		struct chapter_list *l = &c->list[i];

		if (number(r, ITEMS_LEAST + 4 * (uint64_t)c->ranks, &l->n, "a list") < 0)
			return -1;
		l->p = r->p;
		r->p = column_check(r->p, r->end, l->n);
		if (!r->p) {
			r->p = l->p;
			return damaged(r, "a list");
		}
	}
	return 0;
}

static const int64_t *list_get(const void *self, int64_t i, int64_t *n)
{
	const struct chapter *c = self;

	*n = i > 0 ? c->list[i].n : 0;
	return i > 0 ? c->list[i].wide : NULL;
}

static const int32_t *narrow_get(const void *self, int64_t i, int64_t *n)
{
	const struct chapter *c = self;

	*n = i > 0 ? c->list[i].n : 0;
	return i > 0 ? c->list[i].narrow : NULL;
}

static const char *text_get(const void *self, int64_t i)
{
	const struct chapter *c = self;

	return i > 0 ? c->text[i] : NULL;
}

/* --- classes --- */

static int column_read(struct reading *r, uint64_t n, const uint8_t **out)
{
	const uint8_t *p = column_check(r->p, r->end, n);

	if (!p)
		return damaged(r, "a column");
	*out = r->p;
	r->p = p;
	return 0;
}

/* A checked column of values of the members. */
static int unfold(struct reading *r, const struct chapter_class *cls, const uint8_t *p,
                  const struct unfolded **out)
{
	struct chapter *c = r->c;

	return column_unfold(p, cls->members, &c->arena, &c->unfold_most, out, r->err);
}

/* A rank that depends on the rank: each of them must be one. */
static int peers_check(struct reading *r, const struct chapter_class *cls,
                       const struct chapter_patch *a)
{
	for (uint32_t i = 0; i < cls->members; i++) {
		int64_t v = column_value(a->p, a->unfolded, i),
		        rank = column_value(cls->rank, cls->ranks, i), peer;

		if (v <= INT32_MIN || v >= INT32_MAX)
			return damaged(r, "a rank is out of bounds");
		peer = relation_apply(a->relation, rank, r->c->ranks, v);
		if (peer < 0 || peer >= (int64_t)r->c->ranks)
			return damaged(r, "a rank is out of bounds");
	}
	return 0;
}

static int param_read(struct reading *r, struct chapter_class *cls, struct chapter_call *call,
                      enum call_field f)
{
	struct chapter_patch a = {.field = (uint8_t)f};

	if (f == CALL_PEER || f == CALL_PEER2) {
		if (r->p == r->end || *r->p >= RELATIONS)
			return damaged(r, "a relation between ranks");
		a.relation = *r->p++;
	}
	if (column_read(r, cls->members, &a.p) < 0 || unfold(r, cls, a.p, &a.unfolded) < 0)
		return -1;
	if (a.relation != RELATION_NONE) {
		if (peers_check(r, cls, &a) < 0)
			return -1;
	} else if (values_check(r, f, a.p, a.unfolded, cls->members) < 0) {
		return -1;
	} else if (column_is_constant(a.p)) {
		call_field_set(&call->ev, f, column_get(a.p, 0), &r->c->lookup);
		return 0;
	}
	if (f == CALL_OP || f == CALL_FLAGS)
		return damaged(r, "a call is several");
	a.fixed = (uint8_t)column_is_constant(a.p);
	a.value = a.fixed ? column_get(a.p, 0) : 0;
	call->patch[call->patches++] = a;
	return 0;
}

static int call_read(struct reading *r, struct chapter_class *cls, struct chapter_call *call)
{
	struct chapter_patch patch[CALL_FIELDS];
	uint32_t given, open, all = (UINT32_C(1) << CALL_FIELDS) - 1;

	trace_event_init(&call->ev, TRACE_INIT);
	call->patch = patch;
	if (number(r, all, &given, "a call") < 0 || number(r, all, &open, "a call") < 0)
		return -1;
	if (open & (given | 1u << CALL_OP | 1u << CALL_FLAGS))
		return damaged(r, "a call");
	for (uint32_t f = 0; f < CALL_FIELDS; f++)
		if (given >> f & 1 && param_read(r, cls, call, (enum call_field)f) < 0)
			return -1;
	call->columns = 2;
	for (; open; open &= open - 1)
		call->field[call->columns++ - 2] = (uint8_t)__builtin_ctz(open);
	call->patch = room(r, call->patches, sizeof *patch);
	if (!call->patch)
		return -1;
	memcpy(call->patch, patch, call->patches * sizeof *patch);
	return 0;
}

static int calls_read(struct reading *r, struct chapter_class *cls)
{
	if (count(r, &cls->calls, "calls") < 0)
		return -1;
	cls->call = room(r, cls->calls, sizeof *cls->call);
	if (!cls->call)
		return -1;
	for (uint32_t i = 0; i < cls->calls; i++)
		if (call_read(r, cls, &cls->call[i]) < 0)
			return -1;
	return 0;
}

/* A node and what is in it; *at: the next one. */
static int node_read(struct reading *r, struct chapter_class *cls, uint32_t *at, uint32_t depth)
{
	uint32_t me = *at, v;
	struct chapter_node *node = &cls->node[me];

	if (me >= cls->nodes || depth > NEST_DEPTH)
		return damaged(r, "its loops");
	if (number(r, UINT32_MAX, &v, "its loops") < 0)
		return -1;
	++*at;
	node->call = NODE_NONE;
	node->slot = cls->slots;
	cls->depth = depth > cls->depth ? depth : cls->depth;
	if (v & 1) {
		if (v / 2 == 0)
			return damaged(r, "a loop of nothing");
		cls->slots++;
		for (uint32_t k = 0; k < v / 2; k++)
			if (node_read(r, cls, at, depth + 1) < 0)
				return -1;
	} else {
		if (v / 2 >= cls->calls)
			return damaged(r, "a call that is not there");
		node->call = v / 2;
		cls->slots += cls->call[v / 2].columns;
	}
	node->end = *at;
	return 0;
}

static int nodes_read(struct reading *r, struct chapter_class *cls)
{
	uint32_t top, at = 0;

	if (count(r, &top, "nodes") < 0 || count(r, &cls->nodes, "nodes") < 0)
		return -1;
	cls->node = room(r, cls->nodes, sizeof *cls->node);
	if (!cls->node)
		return -1;
	for (uint32_t i = 0; i < top; i++)
		if (node_read(r, cls, &at, 0) < 0)
			return -1;
	return at == cls->nodes ? 0 : damaged(r, "nodes");
}

/* A slot whose values are drawn. How often loops run is told before the histograms are. */
static int drawn_read(struct reading *r, struct chapter_slot *s)
{
	uint32_t most = s->field == CALL_RUNS ? CALL_NONE - 1 : r->c->n_bins;

	if (number(r, most, &s->bins, "a histogram") < 0)
		return -1;
	if (s->bins == 0 || (s->field != CALL_VOLUME && s->field != CALL_DURATION &&
	                     !(drawn_fields >> s->field & 1) && s->field != CALL_RUNS))
		return damaged(r, "a histogram");
	r->c->drawn |= s->field != CALL_VOLUME && s->field != CALL_DURATION;
	return 0;
}

/* A slot of doubles whose values are drawn from several histograms in turn. */
static int turns_read(struct reading *r, struct chapter_slot *s)
{
	if (number(r, TURNS_MOST, &s->turns, "how many histograms") < 0)
		return -1;
	if (s->turns == 0)
		return damaged(r, "how many histograms");
	if (column_read(r, s->turns, &s->p) < 0)
		return -1;
	for (uint32_t i = 0; i < s->turns; i++) {
		int64_t v = column_get(s->p, i);

		if (v <= 0 || v > r->c->n_bins)
			return damaged(r, "a histogram");
	}
	s->bins = (uint32_t)column_get(s->p, 0);
	return 0;
}

static int slot_read(struct reading *r, struct chapter_class *cls, uint32_t slot, enum call_field f)
{
	struct chapter_slot *s = &cls->slot[slot];
	int is_double = f == CALL_VOLUME || f == CALL_DURATION;

	s->field = (uint8_t)f;
	if (r->p < r->end && *r->p == (is_double ? SCALE_HISTOGRAM : COLUMN_DRAWN)) {
		r->p++;
		return drawn_read(r, s);
	}
	if (is_double && r->p < r->end && *r->p == SCALE_TURNS) {
		r->p++;
		return turns_read(r, s);
	}
	if (is_double) {
		s->p = r->p;
		r->p = doubles_check(r->p, r->end, cls->members);
		if (!r->p)
			return (r->p = s->p, damaged(r, "a column of costs"));
		s->fixed = (uint8_t)column_is_constant(s->p + 1);
		s->value = s->fixed ? doubles_get(s->p, 0) : 0;
		return unfold(r, cls, s->p + 1, &s->unfolded);
	}
	if (column_read(r, cls->members, &s->p) < 0 || unfold(r, cls, s->p, &s->unfolded) < 0 ||
	    values_check(r, f, s->p, s->unfolded, cls->members) < 0)
		return -1;
	s->fixed = (uint8_t)column_is_constant(s->p);
	s->value = s->fixed ? column_get(s->p, 0) : 0;
	return 0;
}

/* How often the loops run. */
static int runs_read(struct reading *r, struct chapter_class *cls)
{
	cls->slot = room(r, cls->slots, sizeof *cls->slot);
	if (!cls->slot)
		return -1;
	for (uint32_t i = 0; i < cls->nodes; i++)
		if (cls->node[i].call == NODE_NONE &&
		    slot_read(r, cls, cls->node[i].slot, CALL_RUNS) < 0)
			return -1;
	return 0;
}

static int slots_read(struct reading *r, struct chapter_class *cls)
{
	for (uint32_t s = 0; s < cls->slots; s++)
		if (cls->slot[s].field == CALL_RUNS && cls->slot[s].bins > r->c->n_bins)
			return damaged(r, "a histogram");
	if (column_read(r, cls->members, &cls->own) < 0)
		return -1;
	for (uint32_t i = 0; i < cls->nodes; i++) {
		const struct chapter_node *node = &cls->node[i];
		const struct chapter_call *call = &cls->call[node->call];

		if (node->call == NODE_NONE)
			continue;
		for (uint32_t k = 0; k < call->columns; k++)
			if (slot_read(r, cls, node->slot + k,
			              k < 2 ? CALL_VOLUME + k : call->field[k - 2]) < 0)
				return -1;
	}
	return 0;
}

/* As far as this member: how many ranks there may be is no more than a claim. */
static int reach_grow(struct chapter *c, uint32_t rank, struct err *err)
{
	size_t n = (size_t)rank + 1;
	uint32_t *class_of, *index_of;

	if (rank < c->reach)
		return 0;
	class_of = vec_grow(c->class_of, &c->cap[0], sizeof *class_of, n, "ranks of a trace", err);
	if (!class_of)
		return -1;
	c->class_of = class_of;
	index_of = vec_grow(c->index_of, &c->cap[1], sizeof *index_of, n, "ranks of a trace", err);
	if (!index_of)
		return -1;
	c->index_of = index_of;
	memset(c->class_of + c->reach, 0xff, (n - c->reach) * sizeof *class_of);
	c->reach = (uint32_t)n;
	return 0;
}

static int members_read(struct reading *r, uint32_t number_of_class)
{
	struct chapter *c = r->c;
	struct chapter_class *cls = &c->cls[number_of_class];

	if (number(r, c->ranks, &cls->members, "members") < 0)
		return -1;
	if (cls->members == 0)
		return damaged(r, "a class of no rank");
	if (column_read(r, cls->members, &cls->rank) < 0 ||
	    unfold(r, cls, cls->rank, &cls->ranks) < 0)
		return -1;
	for (uint32_t i = 0; i < cls->members; i++) {
		int64_t rank = column_value(cls->rank, cls->ranks, i);

		if (rank < 0 || rank >= (int64_t)c->ranks ||
		    chapter_class_of(c, (uint32_t)rank) != CALL_NONE)
			return damaged(r, "a rank of a class");
		if (reach_grow(c, (uint32_t)rank, r->err) < 0)
			return -1;
		c->class_of[rank] = number_of_class;
		c->index_of[rank] = i;
	}
	return 0;
}

static int classes_read(struct reading *r)
{
	struct chapter *c = r->c;

	if (count(r, &c->classes, "classes") < 0)
		return -1;
	c->cls = room(r, c->classes, sizeof *c->cls);
	if (!c->cls)
		return -1;
	for (uint32_t i = 0; i < c->classes; i++) {
		struct chapter_class *cls = &c->cls[i];

		if (members_read(r, i) < 0 || calls_read(r, cls) < 0 || nodes_read(r, cls) < 0 ||
		    runs_read(r, cls) < 0)
			return -1;
	}
	return 0;
}

struct chapter *chapter_read(const uint8_t *p, size_t n, uint32_t ranks, const char *name,
                             struct err *err)
{
	struct chapter *c = calloc(1, sizeof *c);
	struct reading r = {.c = c, .p = p, .end = p + n, .name = name, .err = err};

	if (!c) {
		err_nomem(err, "a trace", sizeof *c);
		return NULL;
	}
	arena_init(&c->arena);
	c->ranks = ranks;
	c->unfold_most = UNFOLD_MOST;
	c->seed = 1;
	c->precision = 100;
	c->lookup = (struct call_lists){list_get, narrow_get, text_get, c};
	r.p = varint_get(p, r.end, &c->events);
	if (!r.p)
		damaged(&r, "its size");
	else if (texts_read(&r) == 0 && lists_read(&r) == 0 && classes_read(&r) == 0)
		return c;
	chapter_free(c);
	return NULL;
}

static int histograms_read(struct reading *r)
{
	struct chapter *c = r->c;

	if (count(r, &c->n_bins, "histograms") < 0)
		return -1;
	c->bins = room(r, c->n_bins, sizeof *c->bins);
	if (!c->bins)
		return -1;
	if (c->n_bins > 0) {
		uint32_t precision;

		if (number(r, 99, &precision, "its precision") < 0)
			return -1;
		c->precision = (int)precision;
	}
	for (uint32_t i = 0; i < c->n_bins; i++) {
		const uint8_t *p = bins_read(&c->bins[i], c->precision, r->p, r->end, &c->arena,
		                             r->err);

		if (!p)
			return r->err->kind == ERR_NONE ? damaged(r, "a histogram") : -1;
		r->p = p;
	}
	return 0;
}

static uint8_t drawn_bit(enum call_field f)
{
	switch (f) {
	case CALL_VOLUME:
		return TRACE_DRAWN_VOLUME;
	case CALL_DURATION:
		return TRACE_DRAWN_DURATION;
	case CALL_PEER:
	case CALL_PEER2:
		return TRACE_DRAWN_PEER;
	case CALL_TAG:
	case CALL_TAG2:
		return TRACE_DRAWN_TAG;
	case CALL_RUNS:
		return TRACE_DRAWN_RUNS;
	default:
		return TRACE_DRAWN_COUNT;
	}
}

/* What is drawn of the nodes from `at` on; in: what is of the loops around. */
static void drawn_mark(struct chapter_class *cls, uint32_t at, uint32_t end, uint8_t in)
{
	while (at < end) {
		struct chapter_node *d = &cls->node[at];
		uint32_t slots = d->call == NODE_NONE ? 1 : cls->call[d->call].columns;

		d->drawn = in;
		for (uint32_t s = d->slot; s < d->slot + slots; s++)
			if (cls->slot[s].bins)
				d->drawn |= drawn_bit(cls->slot[s].field);
		if (d->call == NODE_NONE)
			drawn_mark(cls, at + 1, d->end, d->drawn);
		at = d->end;
	}
}

int chapter_read_costs(struct chapter *c, const uint8_t *p, size_t n, const char *name,
                       struct err *err)
{
	struct reading r = {.c = c, .p = p, .end = p + n, .name = name, .err = err};

	if (histograms_read(&r) < 0)
		return -1;
	for (uint32_t i = 0; i < c->classes; i++)
		if (slots_read(&r, &c->cls[i]) < 0)
			return -1;
	for (uint32_t i = 0; i < c->classes; i++)
		drawn_mark(&c->cls[i], 0, c->cls[i].nodes, 0);
	return 0;
}

void chapter_free(struct chapter *c)
{
	if (!c)
		return;
	for (uint32_t i = 1; c->list && i <= c->lists; i++) {
		free(c->list[i].wide);
		free(c->list[i].narrow);
	}
	free(c->class_of);
	free(c->index_of);
	arena_release(&c->arena);
	free(c);
}
