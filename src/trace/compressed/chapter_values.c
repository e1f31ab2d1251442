/* chapter_values.c: the values of a chapter: what a line of text could not say is not taken either.
 * Lists are decoded when a value names them first. */
#include "chapter_int.h"

#include <stdlib.h>

int damaged(const struct reading *r, const char *what)
{
	return err_set(r->err, ERR_INPUT, "%s: the compressed trace is damaged: %s", r->name, what);
}

static int items_count(struct reading *r, const struct chapter_list *l)
{
	r->c->items += l->n;
	return r->c->items < UINT64_C(1) << 30
	           ? 0
	           : err_set(r->err, ERR_LIMIT, "%s: the lists of the trace are too long", r->name);
}

static int list_decode(struct reading *r, struct chapter_list *l)
{
	if (l->wide)
		return 0;
	if (items_count(r, l) < 0)
		return -1;
	l->wide = malloc((l->n + 1) * sizeof *l->wide);
	if (!l->wide)
		return err_nomem(r->err, "a list of a trace", l->n * sizeof *l->wide);
	for (uint32_t i = 0; i < l->n; i++)
		l->wide[i] = column_get(l->p, i);
	return 0;
}

/* Of ranks. */
static int list_decode_narrow(struct reading *r, struct chapter_list *l)
{
	if (l->narrow)
		return 0;
	if (items_count(r, l) < 0)
		return -1;
	l->narrow = malloc((l->n + 1) * sizeof *l->narrow);
	if (!l->narrow)
		return err_nomem(r->err, "a list of a trace", l->n * sizeof *l->narrow);
	for (uint32_t i = 0; i < l->n; i++) {
		int64_t v = column_get(l->p, i);

		if (v < 0 || v >= r->c->ranks)
			return damaged(r, "a list of ranks has others");
		l->narrow[i] = (int32_t)v;
	}
	return 0;
}

static int is_in(int64_t v, int64_t least, int64_t most)
{
	return v >= least && v <= most;
}

static int list_take(struct reading *r, enum call_field f, int64_t v)
{
	struct chapter_list *l = &r->c->list[v];

	if (v == 0)
		return 0;
	if (f == CALL_MEMBERS || f == CALL_REMOTE)
		return list_decode_narrow(r, l);
	if (list_decode(r, l) < 0)
		return -1;
	for (uint32_t i = 0; i < l->n; i++)
		if (l->wide[i] < TRACE_PROC_NULL)
			return damaged(r, "a list has negative numbers");
	return 0;
}

static int value_fits(const struct chapter *c, enum call_field f, int64_t v)
{
	switch (f) {
	case CALL_OP:
		return is_in(v, 0, TRACE_OPS - 1);
	case CALL_FLAGS:
		return is_in(v, 0, UINT16_MAX);
	case CALL_PEER:
	case CALL_PEER2:
		return is_in(v, TRACE_PROC_NULL, (int64_t)c->ranks - 1);
	case CALL_TAG:
	case CALL_TAG2:
		return is_in(v, TRACE_ANY, INT32_MAX);
	case CALL_ROOT:
		return is_in(v, TRACE_ROOT, INT32_MAX);
	case CALL_COUNT:
	case CALL_COUNT2:
	case CALL_REQ:
	case CALL_MESSAGE:
	case CALL_OBJECT:
	case CALL_REGION:
		return v >= -1;
	case CALL_TYPE:
	case CALL_TYPE2:
		return is_in(v, TYPE_DERIVED, TYPES - 1);
	case CALL_SIZE:
	case CALL_SIZE2:
		return v >= 0;
	case CALL_TEXT:
		return is_in(v, 0, c->texts);
	case CALL_RUNS:
		return is_in(v, 0, (int64_t)RUNS_MOST);
	default:
		return !call_field_is_list(f) || is_in(v, 0, c->lists);
	}
}

int values_check(struct reading *r, enum call_field f, const uint8_t *p, const struct unfolded *u,
                 uint64_t n)
{
	if (f == CALL_VOLUME || f == CALL_DURATION || n == 0)
		return 0;
	if (column_is_constant(p))
		n = 1;
	for (uint64_t i = 0; i < n; i++) {
		int64_t v = column_value(p, u, i);

		if (!value_fits(r->c, f, v))
			return damaged(r, "a value is out of bounds");
		if (call_field_is_list(f) && list_take(r, f, v) < 0)
			return -1;
	}
	return 0;
}
