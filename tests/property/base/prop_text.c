/* prop_text.c: random texts through each of the ways in which they are written for others, and
 * back by the rules of those formats: words of our own files, CSV (RFC 4180), strings of JSON (RFC
 * 8259), markup, what a terminal is shown. */
#include "../prop.h"

#include "base/csv.h"
#include "base/json.h"
#include "base/markup.h"
#include "base/rng.h"
#include "base/shown.h"

enum { TEXTS = 3000, LONGEST = 24 };

/* Bytes, most of them those that some format takes for its own. */
static void bytes_draw(struct rng *r, char *out)
{
	static const char special[] = "\"\\,# %<>&'\t\n\r\x1b\x7f%20;/=ab\xc3\xa9";
	size_t n = (size_t)rng_below(r, LONGEST);

	for (size_t i = 0; i < n; i++)
		out[i] = rng_below(r, 4) ? special[rng_below(r, sizeof special - 1)]
		                         : (char)(1 + rng_below(r, 255));
	out[n] = '\0';
}

/* Valid UTF-8, one to four bytes a character, no surrogates. */
static void text_draw(struct rng *r, char *out)
{
	static const uint32_t least[] = {1, 0x80, 0x800, 0x10000},
	                      most[] = {0x7f, 0x7ff, 0xd7ff, 0x10ffff};
	static const uint8_t head[] = {0, 0xc0, 0xe0, 0xf0};
	size_t n = 0;

	while (n < LONGEST - 4 && rng_below(r, 8)) {
		uint64_t k = rng_below(r, 4);
		uint32_t c = least[k] + (uint32_t)rng_below(r, most[k] - least[k] + 1);

		out[n++] = (char)(head[k] | c >> 6 * k);
		while (k-- > 0)
			out[n++] = (char)(0x80 | (c >> 6 * k & 0x3f));
	}
	out[n] = '\0';
}

static void words_come_back(void **state)
{
	char text[LONGEST];
	struct rng r;

	(void)state;
	rng_init(&r, prop_seed(1), "words", 0);
	for (int i = 0; i < TEXTS; i++) {
		struct str s = {0};

		bytes_draw(&r, text);
		str_puts(&s, "");
		str_put_word(&s, text);
		for (size_t k = 0; k < s.n; k++)
			assert_true((unsigned char)s.s[k] > ' ' && s.s[k] != '#' && s.s[k] != 0x7f);
		if (s.n)
			word_decode_in_place(s.s);
		assert_string_equal(s.n ? s.s : "", text);
		str_release(&s);
	}
}

/* A field as RFC 4180 writes it: quoted if it must be, or just so. */
static void csv_put(struct str *s, const char *field, int quoted)
{
	if (!quoted && !strpbrk(field, ",\" \t\r") && *field) {
		str_puts(s, field);
		return;
	}
	str_putc(s, '"');
	for (; *field; field++)
		str_printf(s, *field == '"' ? "\"\"" : "%c", *field);
	str_putc(s, '"');
}

static void fields_come_back(void **state)
{
	static const char *const between[] = {",", " ,", ", ", "\t, "};
	char text[CSV_FIELDS][LONGEST], *field[CSV_FIELDS];
	struct rng r;
	struct err err;

	(void)state;
	rng_init(&r, prop_seed(2), "fields", 0);
	for (int i = 0; i < TEXTS / 10; i++) {
		struct str s = {0};
		int n = 1 + (int)rng_below(&r, CSV_FIELDS);

		for (int k = 0; k < n; k++) {
			bytes_draw(&r, text[k]);
			if (k)
				str_puts(&s, between[rng_below(&r, 4)]);
			csv_put(&s, text[k], rng_below(&r, 2) == 0);
		}
		assert_int_equal(csv_split(s.s, field, &err), n);
		for (int k = 0; k < n; k++)
			assert_string_equal(field[k], text[k]);
		str_release(&s);
	}
}

/* A string of JSON, by the grammar: nothing below U+0020 in it, two-letter escapes, \uXXXX of one
 * byte's worth (the writer has no need of others). */
static void json_read(const char *p, char *out)
{
	static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";

	assert_int_equal(*p++, '"');
	for (; *p != '"'; p++) {
		const char *letter;
		unsigned code;

		assert_true((unsigned char)*p >= ' ');
		if (*p != '\\') {
			*out++ = *p;
			continue;
		}
		p++;
		letter = strchr(letters, *p);
		if (*p != 'u') {
			assert_non_null(letter);
			*out++ = meant[letter - letters];
			continue;
		}
		assert_int_equal(sscanf(p + 1, "%4x", &code), 1);
		if (code >= 0x80) /* U+007F to U+009F may be escaped */
			*out++ = (char)(0xc0 | code >> 6);
		*out++ = (char)(code >= 0x80 ? 0x80 | (code & 0x3f) : code);
		p += 4;
	}
	assert_string_equal(p, "\"");
	*out = '\0';
}

static void strings_of_json_come_back(void **state)
{
	char text[LONGEST], back[8 * LONGEST];
	struct rng r;

	(void)state;
	rng_init(&r, prop_seed(3), "json", 0);
	for (int i = 0; i < TEXTS; i++) {
		struct str s = {0};
		struct json j;

		text_draw(&r, text);
		json_init(&j, &s);
		json_string(&j, text);
		json_read(s.s, back);
		assert_string_equal(back, text);
		str_release(&s);
	}
}

/* Is all of it UTF-8? Overlong forms and surrogates are not (RFC 3629). */
static int is_utf8(const unsigned char *p)
{
	while (*p) {
		int k = *p < 0x80                 ? 0
		        : *p >= 0xc2 && *p < 0xe0 ? 1
		        : *p >= 0xe0 && *p < 0xf0 ? 2
		        : *p >= 0xf0 && *p < 0xf5 ? 3
		                                  : -1;

		if (k < 0 || (*p == 0xe0 && p[1] < 0xa0) || (*p == 0xed && p[1] >= 0xa0) ||
		    (*p == 0xf0 && p[1] < 0x90) || (*p == 0xf4 && p[1] >= 0x90))
			return 0;
		for (p++; k-- > 0; p++)
			if ((*p & 0xc0) != 0x80)
				return 0;
	}
	return 1;
}

/* Whatever the bytes are, what is written can be read. */
static void json_is_utf8_whatever_comes(void **state)
{
	char text[LONGEST], back[8 * LONGEST];
	struct rng r;

	(void)state;
	rng_init(&r, prop_seed(4), "bytes", 0);
	for (int i = 0; i < TEXTS; i++) {
		struct str s = {0};
		struct json j;

		bytes_draw(&r, text);
		json_init(&j, &s);
		json_string(&j, text);
		assert_true(is_utf8((const unsigned char *)s.s));
		json_read(s.s, back);
		if (is_utf8((const unsigned char *)text))
			assert_string_equal(back, text);
		str_release(&s);
	}
}

static void markup_comes_back(void **state)
{
	static const char *const entities[] = {"<&lt;", ">&gt;", "&&amp;", "\"&quot;"};
	char text[LONGEST];
	struct rng r;

	(void)state;
	rng_init(&r, prop_seed(5), "markup", 0);
	for (int i = 0; i < TEXTS; i++) {
		struct str s = {0};
		const char *p;

		text_draw(&r, text);
		str_puts(&s, "");
		str_put_markup(&s, text);
		p = s.s ? s.s : "";
		for (const char *t = text; *t; t++) {
			const char *e = NULL;

			if ((unsigned char)*t < ' ' && *t != '\t' && *t != '\n')
				continue; /* left out */
			for (int k = 0; k < 4; k++)
				e = entities[k][0] == *t ? entities[k] + 1 : e;
			assert_int_equal(strncmp(p, e ? e : t, e ? strlen(e) : 1), 0);
			p += e ? strlen(e) : 1;
		}
		assert_string_equal(p, "");
		str_release(&s);
	}
}

/* Nothing that a terminal obeys is left; a text without such is shown as it is. */
static void controls_are_shown(void **state)
{
	char text[LONGEST];
	struct rng r;

	(void)state;
	rng_init(&r, prop_seed(6), "shown", 0);
	for (int i = 0; i < TEXTS; i++) {
		struct str s = {0};
		size_t n;

		if (i % 2)
			bytes_draw(&r, text);
		else
			text_draw(&r, text);
		n = strlen(text);
		str_puts(&s, "");
		str_put_shown(&s, text, n, 0);
		assert_int_equal(controls_in(s.s ? s.s : "", s.n), 0);
		for (size_t k = 0; k < s.n; k++)
			assert_true((unsigned char)s.s[k] >= ' ' || strchr("\n\t", s.s[k]));
		if (!controls_in(text, n))
			assert_string_equal(s.s ? s.s : "", text);
		str_release(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(words_come_back),
	    cmocka_unit_test(fields_come_back),
	    cmocka_unit_test(strings_of_json_come_back),
	    cmocka_unit_test(json_is_utf8_whatever_comes),
	    cmocka_unit_test(markup_comes_back),
	    cmocka_unit_test(controls_are_shown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
