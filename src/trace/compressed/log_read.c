/* log_read.c: see log.h: reading. The log of a process that was killed ends anywhere; zeros follow
 * where it did not write. A log that is damaged otherwise is read up to there. */
#include "bundle.h"
#include "file_name.h"
#include "log.h"

#include <stdlib.h>
#include <string.h>

struct list {
	int64_t *wide;
	int32_t *narrow; /* made when it is first wanted */
	uint32_t n;
};
struct reading {
	const uint8_t *p, *end;
	const struct log_reader *r;
	struct err *err;
	struct call *call;
	struct list *list;
	char **text;
	uint32_t calls, lists, texts, cap_calls, cap_lists, cap_texts;
	struct call_lists lookup;
};
enum { GO_ON = 1, END = 0, FAILED = -1 };

static const int64_t *wide_get(const void *self, int64_t number, int64_t *n)
{
	const struct reading *g = self;

	*n = number > 0 ? g->list[number - 1].n : 0;
	return number > 0 ? g->list[number - 1].wide : NULL;
}

static const int32_t *narrow_get(const void *self, int64_t number, int64_t *n)
{
	const struct reading *g = self;

	*n = number > 0 ? g->list[number - 1].n : 0;
	return number > 0 ? g->list[number - 1].narrow : NULL;
}

static const char *text_get(const void *self, int64_t number)
{
	const struct reading *g = self;

	return number > 0 ? g->text[number - 1] : NULL;
}

static uint64_t number(struct reading *g)
{
	uint64_t v = 0;

	if (g->p)
		g->p = varint_get(g->p, g->end, &v);
	return g->p ? v : 0;
}

static int64_t signed_number(struct reading *g)
{
	int64_t v = 0;

	if (g->p)
		g->p = zigzag_get(g->p, g->end, &v);
	return g->p ? v : 0;
}

/* n bytes, or NULL. */
static const uint8_t *bytes(struct reading *g, uint64_t n)
{
	const uint8_t *at = g->p;

	if (!at || n > (uint64_t)(g->end - at))
		return g->p = NULL;
	g->p += n;
	return at;
}

static int note_read(struct reading *g)
{
	uint64_t n = number(g);
	const uint8_t *at = bytes(g, n);
	char *text;
	int r;

	if (!at)
		return END;
	text = strndup((const char *)at, n);
	if (!text)
		return err_nomem(g->err, "a note of a log", n);
	r = g->r->note(g->r->self, text, g->err);
	free(text);
	return r < 0 ? FAILED : GO_ON;
}

static int list_read(struct reading *g)
{
	uint64_t n = number(g);
	struct list *all, *list;

	if (!g->p || n > (uint64_t)(g->end - g->p))
		return END;
	all = vec_grow(g->list, &g->cap_lists, sizeof *all, (size_t)g->lists + 1, "lists", g->err);
	if (!all)
		return FAILED;
	g->list = all;
	list = &all[g->lists];
	*list = (struct list){malloc((n + 1) * sizeof *list->wide),
	                      malloc((n + 1) * sizeof *list->narrow), (uint32_t)n};
	g->lists++;
	if (!list->wide || !list->narrow)
		return err_nomem(g->err, "a list of a log", n);
	for (uint64_t i = 0; i < n; i++) {
		list->wide[i] = signed_number(g);
		list->narrow[i] = (int32_t)list->wide[i];
	}
	return g->p ? GO_ON : END;
}

static int text_read(struct reading *g)
{
	uint64_t n = number(g);
	const uint8_t *at = bytes(g, n);
	char **all;

	if (!at || n == 0 || at[n - 1] != 0)
		return END;
	all = vec_grow(g->text, &g->cap_texts, sizeof *all, (size_t)g->texts + 1, "texts", g->err);
	if (!all)
		return FAILED;
	g->text = all;
	all[g->texts] = strdup((const char *)at);
	if (!all[g->texts])
		return err_nomem(g->err, "a text of a log", n);
	g->texts++;
	return GO_ON;
}

/* Whether a value can stand in a field: lists and texts are there. */
static int value_fits(const struct reading *g, enum call_field f, int64_t v)
{
	if (f == CALL_TEXT)
		return v >= 0 && v <= g->texts;
	if (call_field_is_list(f))
		return v >= 0 && v <= g->lists;
	return f != CALL_OP || (v >= 0 && v < TRACE_OPS);
}

static int call_read(struct reading *g)
{
	struct call call = {.open = (uint32_t)number(g)};
	uint64_t given = number(g);
	struct call *all;

	if (!g->p || given >> CALL_FIELDS || call.open >> CALL_FIELDS)
		return END;
	for (; given; given &= given - 1) {
		int f = __builtin_ctzll(given);

		call.field[f] = signed_number(g);
		if (!g->p || !value_fits(g, (enum call_field)f, call.field[f]))
			return END;
	}
	all = vec_grow(g->call, &g->cap_calls, sizeof *all, (size_t)g->calls + 1, "calls", g->err);
	if (!all)
		return FAILED;
	g->call = all;
	all[g->calls++] = call;
	return GO_ON;
}

static double double_read(struct reading *g)
{
	const uint8_t *at = bytes(g, sizeof(double));
	double v = 0;

	if (at)
		memcpy(&v, at, sizeof v);
	return v;
}

static int event_read(struct reading *g, uint64_t which)
{
	const struct call *c = which < g->calls ? &g->call[which] : NULL;
	char name[FILE_NAME_ROOM];
	struct trace_event ev;
	uint64_t v;

	if (!c)
		return END;
	trace_event_init(&ev, (enum trace_op)c->field[CALL_OP]);
	for (int f = CALL_FLAGS; f < CALL_FIELDS; f++)
		call_field_set(&ev, (enum call_field)f, c->field[f], &g->lookup);
	v = number(g);
	ev.volume = v & 1 ? double_read(g) : (double)(v >> 1);
	v = number(g);
	ev.duration = v & 1 ? double_read(g) : v == 0 ? -1 : (double)((v >> 1) - 1) / 1e9;
	for (uint32_t open = c->open; open; open &= open - 1) {
		enum call_field f = (enum call_field)__builtin_ctz(open);
		int64_t value = signed_number(g);

		if (!g->p || f == CALL_OP || !value_fits(g, f, value))
			return END;
		call_field_set(&ev, f, value, &g->lookup);
	}
	if (!g->p)
		return END;
	file_name_join(&ev, name);
	return g->r->event(g->r->self, &ev, g->err) < 0 ? FAILED : GO_ON;
}

static int entry_read(struct reading *g)
{
	uint64_t kind = number(g);

	switch (kind) {
	case 0:
		return END;
	case LOG_NOTE:
		return note_read(g);
	case LOG_LIST:
		return list_read(g);
	case LOG_TEXT:
		return text_read(g);
	case LOG_CALL:
		return call_read(g);
	default:
		return event_read(g, kind - LOG_CALLS);
	}
}

int log_read(const uint8_t *p, size_t n, const struct log_reader *r, struct err *err)
{
	struct reading g = {.p = p + sizeof LOG_MAGIC - 1, .end = p + n, .r = r, .err = err};
	int s = GO_ON;

	if (n < sizeof LOG_MAGIC - 1 || memcmp(p, LOG_MAGIC, sizeof LOG_MAGIC - 1) != 0)
		return err_set(err, ERR_INPUT, "not a log of the tracer");
	g.lookup = (struct call_lists){wide_get, narrow_get, text_get, &g};
	while (s == GO_ON && g.p && g.p < g.end)
		s = entry_read(&g);
	for (uint32_t i = 0; i < g.lists; i++) {
		free(g.list[i].wide);
		free(g.list[i].narrow);
	}
	for (uint32_t i = 0; i < g.texts; i++)
		free(g.text[i]);
	free(g.list);
	free(g.text);
	free(g.call);
	return s == FAILED ? -1 : 0;
}
