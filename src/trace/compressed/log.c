/* log.c: see log.h: writing. */
#include "log.h"
#include "bundle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BIT(f) (UINT32_C(1) << (f))
static const double WHOLE = 9007199254740992.0; /* 2^53 */

void log_numbers_release(struct log_numbers *l)
{
	free(l->call);
	free(l->list);
	free(l->text);
	*l = (struct log_numbers){0};
}

/* Where the number of thing i is kept, or NULL with *err set. */
static uint32_t *number_place(uint32_t **all, uint32_t *cap, uint32_t i, struct err *err)
{
	uint32_t before = *cap, *p = *all;

	if (i >= before) {
		p = vec_grow(p, cap, sizeof *p, (size_t)i + 1, "a log", err);
		if (!p)
			return NULL;
		memset(p + before, 0, (*cap - before) * sizeof *p);
		*all = p;
	}
	return &p[i];
}

/* The costs of an event are put together here first: this is done for every event. */
enum { NUMBER_MOST = 10, EVENT_MOST = NUMBER_MOST * (CALL_COLUMNS + 1) + 2 * 8 };
_Static_assert(LOG_COSTS_MOST >= NUMBER_MOST + 2 * 9, "a number, and two costs of nine bytes");

static uint8_t *varint_to(uint8_t *p, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		*p++ = (uint8_t)(v | 0x80);
	*p++ = (uint8_t)v;
	return p;
}

static uint8_t *raw_to(uint8_t *p, double v)
{
	*p++ = 1;
	memcpy(p, &v, sizeof v);
	return p + sizeof v;
}

static uint8_t *volume_to(uint8_t *p, double v)
{
	if (v >= 0 && v < WHOLE && (double)(int64_t)v == v && !signbit(v))
		return varint_to(p, 2 * (uint64_t)v);
	return raw_to(p, v);
}

static uint8_t *duration_to(uint8_t *p, double v)
{
	int64_t ns = v >= 0 && v < 1e6 ? (int64_t)(v * 1e9 + 0.5) : -2;

	if (v == -1)
		return varint_to(p, 0);
	if (ns >= 0 && (double)ns / 1e9 == v && !signbit(v))
		return varint_to(p, 2 * (uint64_t)(ns + 1));
	return raw_to(p, v);
}

/* The number of a list here, which is written if it is new; -1 with *err set. */
static int64_t list_number(struct log_numbers *l, const struct calls *c, int64_t list,
                           struct str *out, struct err *err)
{
	uint32_t *here = number_place(&l->list, &l->cap_list, (uint32_t)list, err), n;
	const int64_t *v;

	if (!here)
		return -1;
	if (list == 0)
		return 0;
	if (*here)
		return *here;
	v = interned_get(&c->lists, (uint32_t)list, &n);
	varint_put(out, LOG_LIST);
	varint_put(out, n / sizeof *v);
	for (uint32_t i = 0; i < n / sizeof *v; i++)
		zigzag_put(out, v[i]);
	return *here = ++l->lists;
}

static int64_t text_number(struct log_numbers *l, const struct calls *c, int64_t text,
                           struct str *out, struct err *err)
{
	uint32_t *here = number_place(&l->text, &l->cap_text, (uint32_t)text, err), n;
	const char *s;

	if (!here)
		return -1;
	if (text == 0)
		return 0;
	if (*here)
		return *here;
	s = interned_get(&c->texts, (uint32_t)text, &n);
	varint_put(out, LOG_TEXT);
	varint_put(out, n);
	str_putn(out, s, n);
	return *here = ++l->texts;
}

static int64_t value_here(struct log_numbers *l, const struct calls *c, enum call_field f,
                          int64_t v, struct str *out, struct err *err)
{
	if (f == CALL_TEXT)
		return text_number(l, c, v, out, err);
	return call_field_is_list(f) ? list_number(l, c, v, out, err) : v;
}

static int is_number(enum call_field f)
{
	return f != CALL_TEXT && !call_field_is_list(f);
}

/* A call that is made for the first time. */
static int call_define(struct log_numbers *l, const struct calls *c, const struct call *call,
                       struct str *out, struct err *err)
{
	int64_t field[CALL_FIELDS];
	uint32_t given = 0;

	for (int f = 0; f < CALL_FIELDS; f++) {
		field[f] = value_here(l, c, (enum call_field)f, call->field[f], out, err);
		if (field[f] < 0 && !is_number((enum call_field)f))
			return -1;
		given |= field[f] != 0 ? BIT(f) : 0;
	}
	varint_put(out, LOG_CALL);
	varint_put(out, call->open);
	varint_put(out, given);
	for (; given; given &= given - 1)
		zigzag_put(out, field[__builtin_ctz(given)]);
	return 0;
}

int log_call_put(struct log_numbers *l, const struct calls *c, uint32_t call, const int64_t *value,
                 struct str *out, struct err *err)
{
	uint32_t *here = number_place(&l->call, &l->cap_call, call, err);
	uint32_t open = c->call[call].open;
	int64_t v[CALL_COLUMNS];
	uint8_t event[EVENT_MOST], *p = event;

	if (!here || (*here == 0 && call_define(l, c, &c->call[call], out, err) < 0))
		return -1;
	if (*here == 0)
		*here = ++l->calls;
	for (int k = 2; open; k++, open &= open - 1) {
		enum call_field f = (enum call_field)__builtin_ctz(open);

		v[k] = value_here(l, c, f, value[k], out, err);
		if (v[k] < 0 && !is_number(f))
			return -1;
	}
	p = varint_to(p, LOG_CALLS - 1 + (uint64_t)*here);
	p = volume_to(p, bits_double(value[0]));
	p = duration_to(p, bits_double(value[1]));
	open = c->call[call].open;
	for (int k = 2; open; k++, open &= open - 1)
		p = varint_to(p, (uint64_t)v[k] << 1 ^ (v[k] < 0 ? UINT64_MAX : 0));
	str_putn(out, (const char *)event, (size_t)(p - event));
	return out->failed ? err_nomem(err, "a log", out->cap) : 0;
}

size_t log_costs_put(char *at, uint32_t number, double volume, double duration, char *first)
{
	uint64_t n = LOG_CALLS - 1 + (uint64_t)number;
	uint8_t *p = (uint8_t *)at + 1;

	*first = (char)(n < 0x80 ? n : n | 0x80);
	if (n >= 0x80)
		p = varint_to(p, n >> 7);
	p = volume_to(p, volume);
	p = duration_to(p, duration);
	return (size_t)(p - (uint8_t *)at);
}

void log_note_put(struct str *out, const char *text)
{
	size_t n = strlen(text);

	varint_put(out, LOG_NOTE);
	varint_put(out, n);
	str_putn(out, text, n);
}
