/* json.c: a writer of JSON that keeps commas and nesting right, at most 63 levels deep.
 * Invariants: (1) bit d of `first` is 1 when nothing was written yet at depth d; (2) after_key: a
 * key waits for its value. */
#include "json.h"

#include "err.h"
#include "shown.h"

#include <math.h>
#include <string.h>

enum { JSON_DEPTH_MAX = 63 };

void json_init(struct json *j, struct str *out)
{
	*j = (struct json){.out = out, .first = 1};
}

/* Before any item: the comma, unless it is the first of its level or the value of a key. */
static void json_separate(struct json *j)
{
	uint64_t bit = (uint64_t)1 << j->depth;

	if (j->after_key) {
		j->after_key = 0;
		return;
	}
	if (!(j->first & bit))
		str_putc(j->out, ',');
	j->first &= ~bit;
}

static void json_open(struct json *j, char bracket)
{
	json_separate(j);
	str_putc(j->out, bracket);
	BUG_ON(j->depth == JSON_DEPTH_MAX);
	j->depth++;
	j->first |= (uint64_t)1 << j->depth;
	if (bracket == '{')
		j->objects |= (uint64_t)1 << j->depth;
	else
		j->objects &= ~((uint64_t)1 << j->depth);
}

void json_object(struct json *j)
{
	json_open(j, '{');
}

void json_array(struct json *j)
{
	json_open(j, '[');
}

void json_end(struct json *j)
{
	BUG_ON(j->depth == 0 || j->after_key);
	str_putc(j->out, j->objects >> j->depth & 1 ? '}' : ']');
	j->depth--;
}

static void json_escape(struct str *out, unsigned char c)
{
	static const char letters[] = "btn?fr"; /* 8 to 13; 11 has none */

	if (c == '"' || c == '\\')
		str_printf(out, "\\%c", c);
	else if (c >= 8 && c <= 13 && c != 11)
		str_printf(out, "\\%c", letters[c - 8]);
	else
		str_printf(out, "\\u%04x", c);
}

static void json_quote(struct str *out, const char *value)
{
	const char *s = value;
	unsigned char control;
	int n;

	str_putc(out, '"');
	for (; *s; s += n ? n : 1) {
		n = utf8_at(s);
		if (n == 0)
			str_puts(out, "\xef\xbf\xbd");
		else if (control_at(s, (size_t)n, &control))
			json_escape(out, control);
		else if (n == 1 && strchr("\"\\\n\t", *s))
			json_escape(out, (unsigned char)*s);
		else
			str_putn(out, s, (size_t)n);
	}
	str_putc(out, '"');
}

void json_key(struct json *j, const char *key)
{
	BUG_ON(j->after_key || !(j->objects >> j->depth & 1));
	json_separate(j);
	json_quote(j->out, key);
	str_putc(j->out, ':');
	j->after_key = 1;
}

void json_string(struct json *j, const char *value)
{
	json_separate(j);
	if (value)
		json_quote(j->out, value);
	else
		str_puts(j->out, "null");
}

void json_double(struct json *j, double value)
{
	json_separate(j);
	if (isfinite(value))
		str_put_double(j->out, value);
	else
		str_puts(j->out, "null");
}

void json_int(struct json *j, int64_t value)
{
	json_separate(j);
	str_printf(j->out, "%lld", (long long)value);
}

void json_bool(struct json *j, int value)
{
	json_separate(j);
	str_puts(j->out, value ? "true" : "false");
}

void json_raw(struct json *j, const char *value)
{
	json_separate(j);
	str_puts(j->out, value);
}

void json_put_string(struct json *j, const char *key, const char *value)
{
	json_key(j, key);
	json_string(j, value);
}

void json_put_double(struct json *j, const char *key, double value)
{
	json_key(j, key);
	json_double(j, value);
}

void json_put_int(struct json *j, const char *key, int64_t value)
{
	json_key(j, key);
	json_int(j, value);
}
