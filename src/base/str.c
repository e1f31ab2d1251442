/* str.c: strings that grow. Failure is sticky, so that a long text is built without a check per
 * piece. */
#include "str.h"

#include "num.h"
#include "plain_locale.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STR_FIRST = 64 };

void str_init(struct str *s)
{
	*s = (struct str){0};
}

void str_release(struct str *s)
{
	free(s->s);
	str_init(s);
}

void str_clear(struct str *s)
{
	s->n = 0;
	s->failed = 0;
	if (s->s)
		s->s[0] = '\0';
}

/* Room for n more bytes and the final NUL; 0, or -1 with s->failed set. */
static int str_reserve(struct str *s, size_t n)
{
	size_t cap = s->cap;
	char *moved;

	if (s->failed)
		return -1;
	if (s->n + n < cap)
		return 0;
	if (n >= SIZE_MAX / 2 - s->n) {
		s->failed = 1;
		return -1;
	}
	cap += cap / 2;
	if (cap < STR_FIRST)
		cap = STR_FIRST;
	if (cap < s->n + n + 1)
		cap = s->n + n + 1;
	moved = realloc(s->s, cap);
	if (!moved) {
		s->failed = 1;
		return -1;
	}
	s->s = moved;
	s->cap = cap;
	return 0;
}

void str_putc(struct str *s, char c)
{
	if (str_reserve(s, 1) < 0)
		return;
	s->s[s->n++] = c;
	s->s[s->n] = '\0';
}

void str_puts(struct str *s, const char *text)
{
	str_putn(s, text, strlen(text));
}

void str_putn(struct str *s, const char *text, size_t n)
{
	if (str_reserve(s, n) < 0)
		return;
	if (n > 0) /* text may be NULL then */
		memcpy(s->s + s->n, text, n);
	s->n += n;
	s->s[s->n] = '\0';
}

const char *str_of(struct str *into, const struct str *s)
{
	into->failed |= s->failed;
	return s->s ? s->s : "";
}

void str_printf(struct str *s, const char *fmt, ...)
{
	locale_t before = plain_locale_take();
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0 || str_reserve(s, (size_t)n) < 0) {
		s->failed = 1;
	} else {
		va_start(ap, fmt);
		vsnprintf(s->s + s->n, (size_t)n + 1, fmt, ap);
		va_end(ap);
		s->n += (size_t)n;
	}
	uselocale(before);
}

void str_put_double(struct str *s, double v)
{
	locale_t before;
	char buf[32];
	int digits, n;

	if (fabs(v) < 1e15 && v == (double)(int64_t)v && !(v == 0 && signbit(v))) {
		str_printf(s, "%lld", (long long)v);
		return;
	}
	n = (int)shortest_format(v, buf);
	before = plain_locale_take();
	for (digits = 15; digits <= 17 && n == 0; digits++) {
		n = snprintf(buf, sizeof buf, "%.*g", digits, v);
		if (digits < 17 && strtod_l(buf, NULL, plain_locale()) != v)
			n = 0;
	}
	uselocale(before);
	str_putn(s, buf, (size_t)n);
}

void str_put_word(struct str *s, const char *text)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c > ' ' && c != '%' && c != '#' && c != 0x7f)
			str_putc(s, *text);
		else
			str_printf(s, "%%%02X", c);
	}
}

void word_decode_in_place(char *word)
{
	char *out = word;
	char digits[3] = "";
	uint64_t code;

	for (; *word; word++) {
		if (*word == '%')
			memcpy(digits, word + 1, word[1] ? 2 : 1);
		if (*word == '%' && num_take_hex(digits, &code) == 2 && code) {
			*out++ = (char)code;
			word += 2;
		} else {
			*out++ = *word;
		}
	}
	*out = '\0';
}
