/* call.c: see call.h: an event to its call and what is open of it, and back. */
#include "file_name.h"
#include "trace/trace_int.h"

#include <stdlib.h>

/* How many values a call that is else the same may have before what varies is opened: of counts,
 * of anything else that is a number. A program that sends to 26 neighbours in turn stays as it is,
 * as these are functions of the rank. */
enum { COUNTS_MOST = 8, OTHERS_MOST = 64, LEVELS = 2 };

#define BIT(f) (UINT32_C(1) << (f))
static const uint32_t may_open[LEVELS] = {
    BIT(CALL_COUNT) | BIT(CALL_COUNT2),
    BIT(CALL_COUNT) | BIT(CALL_COUNT2) | BIT(CALL_PEER) | BIT(CALL_TAG) | BIT(CALL_PEER2) |
        BIT(CALL_TAG2) | BIT(CALL_ROOT) | BIT(CALL_REQ) | BIT(CALL_MESSAGE) | BIT(CALL_OBJECT) |
        BIT(CALL_REGION) | BIT(CALL_COUNTS) | BIT(CALL_COUNTS2) | BIT(CALL_REQS) | BIT(CALL_DONE) |
        BIT(CALL_SIZE) | BIT(CALL_SIZE2),
};
static const uint32_t values_most[LEVELS] = {COUNTS_MOST, OTHERS_MOST};

/* Calls that differ in what may be opened only. */
struct shape {
	uint32_t first;    /* the first of them */
	uint32_t variants; /* calls seen, as long as none is open */
	uint32_t differ;   /* bits of fields in which they differ from the first */
	uint32_t open;
};

void calls_release(struct calls *c)
{
	free(c->call);
	free(c->shape);
	interned_release(&c->lists);
	interned_release(&c->texts);
	interned_release(&c->keys);
	interned_release(&c->shapes);
	*c = (struct calls){0};
}

enum call_field call_column_field(const struct call *c, uint32_t column)
{
	uint32_t open = c->open;

	if (column < 2)
		return CALL_VOLUME + column;
	for (; column > 2; column--)
		open &= open - 1;
	return (enum call_field)__builtin_ctz(open);
}

static int list_put(struct calls *c, int64_t *field, const int64_t *v, int64_t n, struct err *err)
{
	uint32_t i = n > 0 ? interned_put(&c->lists, v, (size_t)n * sizeof *v, err) : 0;

	*field = i;
	return i == CALL_NONE ? -1 : 0;
}

/* Of 32-bit numbers: kept as the others are. */
static int narrow_put(struct calls *c, int64_t *field, const int32_t *v, int64_t n, struct err *err)
{
	int64_t *wide;
	int r;

	*field = 0;
	if (n == 0)
		return 0;
	wide = malloc((size_t)n * sizeof *wide);
	if (!wide)
		return err_nomem(err, "a list of ranks", (size_t)n * sizeof *wide);
	for (int64_t i = 0; i < n; i++)
		wide[i] = v[i];
	r = list_put(c, field, wide, n, err);
	free(wide);
	return r;
}

static int text_of(struct calls *c, int64_t *f, const struct trace_event *ev, uint32_t *open,
                   struct err *err)
{
	uint32_t text;

	if (!ev->text)
		return 0;
	text = file_name_has((enum trace_op)ev->op)
	           ? file_name_put(&c->texts, ev, f, open, err)
	           : interned_put(&c->texts, ev->text, strlen(ev->text) + 1, err);
	f[CALL_TEXT] = text;
	return text == CALL_NONE ? -1 : 0;
}

static int lists_of(struct calls *c, int64_t *f, const struct trace_event *ev, uint32_t *open,
                    struct err *err)
{
	if (text_of(c, f, ev, open, err) < 0 ||
	    list_put(c, &f[CALL_COUNTS], ev->counts, ev->n_counts, err) < 0 ||
	    list_put(c, &f[CALL_COUNTS2], ev->counts2, ev->n_counts2, err) < 0 ||
	    list_put(c, &f[CALL_REQS], ev->reqs, ev->n_reqs, err) < 0 ||
	    list_put(c, &f[CALL_DONE], ev->done, ev->n_done, err) < 0 ||
	    narrow_put(c, &f[CALL_MEMBERS], ev->members, ev->n_members, err) < 0)
		return -1;
	return narrow_put(c, &f[CALL_REMOTE], ev->remote, ev->n_remote, err);
}

static int has_lists(const struct trace_event *ev)
{
	return (ev->n_counts | ev->n_counts2 | ev->n_members | ev->n_remote | ev->n_reqs |
	        ev->n_done) != 0 ||
	       ev->text;
}

static void numbers_of(int64_t *f, const struct trace_event *ev)
{
	f[CALL_OP] = ev->op;
	f[CALL_FLAGS] = ev->flags;
	f[CALL_PEER] = ev->peer;
	f[CALL_TAG] = ev->tag;
	f[CALL_PEER2] = ev->peer2;
	f[CALL_TAG2] = ev->tag2;
	f[CALL_ROOT] = ev->root;
	f[CALL_COUNT] = ev->count;
	f[CALL_COUNT2] = ev->count2;
	f[CALL_TYPE] = ev->type;
	f[CALL_TYPE2] = ev->type2;
	f[CALL_SIZE] = ev->type_size;
	f[CALL_SIZE2] = ev->type_size2;
	f[CALL_COMM] = (int64_t)ev->comm;
	f[CALL_PARENT] = (int64_t)ev->parent;
	f[CALL_REQ] = ev->req;
	f[CALL_MESSAGE] = ev->message;
	f[CALL_OBJECT] = ev->object;
	f[CALL_REGION] = ev->region;
	f[CALL_LINE] = ev->line;
}

/* open: gets the bits of those that vary by their nature, of a name. */
static int fields_of(struct calls *c, int64_t *f, const struct trace_event *ev, uint32_t *open,
                     struct err *err)
{
	numbers_of(f, ev);
	for (int i = CALL_TEXT; i < CALL_FIELDS; i++)
		f[i] = 0;
	return has_lists(ev) ? lists_of(c, f, ev, open, err) : 0;
}

/* What varies by its nature: what came to a wildcard, what a test found. */
static uint32_t outcome_fields(const struct trace_event *ev)
{
	uint32_t open = 0;

	if (trace_op_may_be_wild(ev->op)) {
		int both = ev->op == TRACE_SENDRECV;

		if (ev->flags & TRACE_WILD_SOURCE)
			open |= both ? BIT(CALL_PEER2) : BIT(CALL_PEER);
		if (ev->flags & TRACE_WILD_TAG)
			open |= both ? BIT(CALL_TAG2) : BIT(CALL_TAG);
	}
	if (trace_op_has(ev->op, TRACE_OUTCOME) && !(ev->flags & TRACE_NO_DONE))
		open |= BIT(CALL_DONE);
	if (ev->op == TRACE_IPROBE && !(ev->flags & TRACE_NO_DONE))
		open |= BIT(CALL_COUNT);
	return open;
}

static void fields_clear(int64_t *f, uint32_t which)
{
	for (; which; which &= which - 1)
		f[__builtin_ctz(which)] = 0;
}

/* The shape of a call at a level, or NULL with *err set; a new one has no variants yet. */
static struct shape *shape_of(struct calls *c, const struct call *call, int level, struct err *err)
{
	struct call key = *call;
	uint32_t before = c->shapes.n, i;
	struct shape *s;

	key.open |= BIT(31 - level);
	fields_clear(key.field, may_open[level]);
	i = interned_put(&c->shapes, &key, sizeof key, err);
	if (i == CALL_NONE)
		return NULL;
	s = vec_grow(c->shape, &c->shapes_cap, sizeof *s, (size_t)i + 1, "shapes of calls", err);
	if (!s)
		return NULL;
	c->shape = s;
	if (i >= before)
		s[i] = (struct shape){.first = CALL_NONE};
	return &s[i];
}

/* The fields of a call to open: those in which its like were seen with many values. */
static int shapes_open(struct calls *c, struct call *call, struct err *err)
{
	for (int level = 0; level < LEVELS; level++) {
		const struct shape *s = shape_of(c, call, level, err);

		if (!s)
			return -1;
		call->open |= s->open;
		fields_clear(call->field, s->open);
	}
	return 0;
}

static uint32_t fields_differ(const struct call *a, const struct call *b)
{
	uint32_t differ = 0;

	for (int i = 0; i < CALL_FIELDS; i++)
		if (a->field[i] != b->field[i])
			differ |= BIT(i);
	return differ;
}

/* A new call counts as a variant of its shapes. */
static int variant_note(struct calls *c, uint32_t number, struct err *err)
{
	for (int level = 0; level < LEVELS; level++) {
		struct shape *s = shape_of(c, &c->call[number], level, err);

		if (!s)
			return -1;
		if (s->first == CALL_NONE)
			s->first = number;
		s->differ |= fields_differ(&c->call[number], &c->call[s->first]) & may_open[level];
		if (++s->variants > values_most[level])
			s->open = s->differ;
	}
	return 0;
}

static uint32_t call_number(struct calls *c, const struct call *call, struct err *err)
{
	uint32_t before = c->keys.n, i = interned_put(&c->keys, call, sizeof *call, err);
	struct call *p;

	if (i == CALL_NONE || (i < before && i - 1 < c->n))
		return i == CALL_NONE ? i : i - 1;
	p = vec_grow(c->call, &c->cap, sizeof *p, i, "calls of a trace", err);
	if (!p)
		return CALL_NONE;
	c->call = p;
	p[i - 1] = *call;
	c->n = i;
	return variant_note(c, i - 1, err) < 0 ? CALL_NONE : i - 1;
}

static void values_of(const int64_t *all, uint32_t open, const struct trace_event *ev,
                      int64_t value[CALL_COLUMNS])
{
	int n = 2;

	value[0] = double_bits(ev->volume);
	value[1] = double_bits(ev->duration);
	for (; open; open &= open - 1)
		value[n++] = all[__builtin_ctz(open)];
}

uint32_t calls_put(struct calls *c, const struct trace_event *ev, int64_t value[CALL_COLUMNS],
                   struct err *err)
{
	int64_t all[CALL_FIELDS];
	struct call call;

	memset(&call, 0, sizeof call);
	call.open = outcome_fields(ev);
	if (fields_of(c, all, ev, &call.open, err) < 0)
		return CALL_NONE;
	memcpy(call.field, all, sizeof all);
	fields_clear(call.field, call.open);
	if (shapes_open(c, &call, err) < 0)
		return CALL_NONE;
	values_of(all, call.open, ev, value);
	return call_number(c, &call, err);
}

/* --- once more --- */

static int list_again(const struct calls *c, int64_t number, const int64_t *v, int64_t n)
{
	uint32_t bytes;
	const void *list;

	if ((number | n) == 0)
		return 1;
	list = interned_get(&c->lists, (uint32_t)number, &bytes);
	return (int64_t)(bytes / sizeof *v) == n && (n == 0 || memcmp(list, v, bytes) == 0);
}

/* All numbers of an event but operation and flags, at one go: most events are what was guessed. */
static int numbers_same(const int64_t *f, const struct trace_event *ev)
{
	return ((f[CALL_PEER] ^ ev->peer) | (f[CALL_TAG] ^ ev->tag) | (f[CALL_PEER2] ^ ev->peer2) |
	        (f[CALL_TAG2] ^ ev->tag2) | (f[CALL_ROOT] ^ ev->root) |
	        (f[CALL_COUNT] ^ ev->count) | (f[CALL_COUNT2] ^ ev->count2) |
	        (f[CALL_TYPE] ^ ev->type) | (f[CALL_TYPE2] ^ ev->type2) |
	        (f[CALL_SIZE] ^ ev->type_size) | (f[CALL_SIZE2] ^ ev->type_size2) |
	        (f[CALL_COMM] ^ (int64_t)ev->comm) | (f[CALL_PARENT] ^ (int64_t)ev->parent) |
	        (f[CALL_REQ] ^ ev->req) | (f[CALL_MESSAGE] ^ ev->message) |
	        (f[CALL_OBJECT] ^ ev->object) | (f[CALL_REGION] ^ ev->region) |
	        (f[CALL_LINE] ^ ev->line)) == 0;
}

/* The same where some are open. */
static int closed_same(const struct call *call, const int64_t *all)
{
	const int64_t *f = call->field;

	for (uint32_t open = call->open; open; open &= open - 1)
		if (f[__builtin_ctz(open)] != 0)
			return 0;
	for (int i = CALL_PEER; i < CALL_TEXT; i++)
		if (all[i] != f[i] && !(call->open >> i & 1))
			return 0;
	return 1;
}

int call_lists_same(const struct calls *c, const struct call *call, const struct trace_event *ev)
{
	const int64_t *f = call->field;

	return list_again(c, f[CALL_COUNTS], ev->counts, ev->n_counts) &&
	       list_again(c, f[CALL_COUNTS2], ev->counts2, ev->n_counts2) &&
	       list_again(c, f[CALL_REQS], ev->reqs, ev->n_reqs) &&
	       list_again(c, f[CALL_DONE], ev->done, ev->n_done);
}

int call_again(const struct calls *c, const struct call *call, const struct trace_event *ev,
               int64_t value[CALL_COLUMNS])
{
	const int64_t *f = call->field;
	int64_t all[CALL_FIELDS];

	if (f[CALL_OP] != ev->op || f[CALL_FLAGS] != ev->flags)
		return 0;
	if (ev->text || ev->n_members | ev->n_remote | f[CALL_TEXT] | f[CALL_MEMBERS] |
	                    f[CALL_REMOTE] | (call->open & ~may_open[0]))
		return 0;
	if (call->open == 0) {
		if (!numbers_same(f, ev))
			return 0;
	} else {
		numbers_of(all, ev);
		if (!closed_same(call, all))
			return 0;
	}
	if (!call_lists_same(c, call, ev))
		return 0;
	values_of(all, call->open, ev, value);
	return 1;
}

uint32_t calls_put_guessed(struct calls *c, struct call_guess *g, const struct trace_event *ev,
                           int64_t value[CALL_COLUMNS], struct err *err)
{
	uint32_t hash = (g->before[0] * 31 + g->before[1]) * 31 + g->before[2], call;
	uint32_t *slot = &g->slot[hash * UINT32_C(0x9e3779b1) >> 22];

	if (*slot && *slot <= c->n && call_again(c, &c->call[*slot - 1], ev, value)) {
		call = *slot - 1;
	} else {
		call = calls_put(c, ev, value, err);
		*slot = call + 1; /* none: 0 */
	}
	g->before[0] = g->before[1];
	g->before[1] = g->before[2];
	g->before[2] = call + 1;
	return call;
}
_Static_assert(CALL_GUESSES == 1 << 10, "the slot is the upper ten bits of a hash");

/* --- back --- */

static void list_set(struct trace_event *ev, enum call_field f, int64_t value,
                     const struct call_lists *l)
{
	switch (f) {
	case CALL_TEXT:
		ev->text = l->text(l->self, value);
		break;
	case CALL_COUNTS:
		ev->counts = l->get(l->self, value, &ev->n_counts);
		break;
	case CALL_COUNTS2:
		ev->counts2 = l->get(l->self, value, &ev->n_counts2);
		break;
	case CALL_MEMBERS:
		ev->members = l->get_narrow(l->self, value, &ev->n_members);
		break;
	case CALL_REMOTE:
		ev->remote = l->get_narrow(l->self, value, &ev->n_remote);
		break;
	case CALL_REQS:
		ev->reqs = l->get(l->self, value, &ev->n_reqs);
		break;
	default:
		ev->done = l->get(l->self, value, &ev->n_done);
		break;
	}
}

static void number_set(struct trace_event *ev, enum call_field f, int64_t value)
{
	switch (f) {
	case CALL_COUNT:
		ev->count = value;
		break;
	case CALL_COUNT2:
		ev->count2 = value;
		break;
	case CALL_TYPE:
		ev->type = (int32_t)value;
		break;
	case CALL_TYPE2:
		ev->type2 = (int32_t)value;
		break;
	case CALL_SIZE:
		ev->type_size = value;
		break;
	case CALL_SIZE2:
		ev->type_size2 = value;
		break;
	case CALL_COMM:
		ev->comm = (uint64_t)value;
		break;
	case CALL_PARENT:
		ev->parent = (uint64_t)value;
		break;
	case CALL_MESSAGE:
		ev->message = value;
		break;
	case CALL_OBJECT:
		ev->object = value;
		break;
	case CALL_REGION:
		ev->region = value;
		break;
	default:
		ev->line = value;
		break;
	}
}

void call_field_set(struct trace_event *ev, enum call_field f, int64_t value,
                    const struct call_lists *lists)
{
	switch (f) {
	case CALL_OP:
		ev->op = (uint8_t)value;
		break;
	case CALL_FLAGS:
		ev->flags = (uint16_t)value;
		break;
	case CALL_PEER:
		ev->peer = (int32_t)value;
		break;
	case CALL_TAG:
		ev->tag = (int32_t)value;
		break;
	case CALL_PEER2:
		ev->peer2 = (int32_t)value;
		break;
	case CALL_TAG2:
		ev->tag2 = (int32_t)value;
		break;
	case CALL_ROOT:
		ev->root = (int32_t)value;
		break;
	case CALL_REQ:
		ev->req = value;
		break;
	case CALL_VOLUME:
		ev->volume = bits_double(value);
		break;
	case CALL_DURATION:
		ev->duration = bits_double(value);
		break;
	default:
		if (f >= CALL_TEXT)
			list_set(ev, f, value, lists);
		else
			number_set(ev, f, value);
		break;
	}
}

static const int64_t *own_list(const void *self, int64_t number, int64_t *n)
{
	const struct calls *c = self;
	uint32_t bytes;
	const int64_t *v = interned_get(&c->lists, (uint32_t)number, &bytes);

	*n = bytes / (int64_t)sizeof *v;
	return v;
}

static const int32_t *own_narrow(const void *self, int64_t number, int64_t *n)
{
	(void)self;
	(void)number;
	*n = 0;
	return NULL;
}

static const char *own_text(const void *self, int64_t number)
{
	const struct calls *c = self;
	uint32_t n;

	return number ? interned_get(&c->texts, (uint32_t)number, &n) : NULL;
}

void calls_event(const struct calls *c, uint32_t call, const int64_t *value, struct trace_event *ev)
{
	const struct call_lists lists = {own_list, own_narrow, own_text, c};
	const struct call *k = &c->call[call];

	trace_event_init(ev, (enum trace_op)k->field[CALL_OP]);
	for (int f = CALL_FLAGS; f < CALL_FIELDS; f++)
		if (!(k->open >> f & 1))
			call_field_set(ev, (enum call_field)f, k->field[f], &lists);
	for (uint32_t i = 0; i < call_columns(k); i++)
		call_field_set(ev, call_column_field(k, i), value[i], &lists);
}
