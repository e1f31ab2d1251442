/* json_text.h: JSON by its grammar (RFC 8259), independent of src/base/json: is a text one value,
 * and what stands at a place in it. Strict: nothing behind the value, no key twice in an object, no
 * control characters, numbers as the grammar has them. */
#ifndef ORRERY_TESTS_JSON_TEXT_H
#define ORRERY_TESTS_JSON_TEXT_H

#include "test.h"

#include <ctype.h>

/* The end of what begins at p, or NULL: it is none. */
static inline const char *json_value_end(const char *p, int depth);

static inline const char *json_blank_end(const char *p)
{
	return p + strspn(p, " \t\r\n");
}

static inline const char *json_string_end(const char *p)
{
	if (*p++ != '"')
		return NULL;
	for (; *p != '"'; p++) {
		if ((unsigned char)*p < ' ')
			return NULL;
		if (*p != '\\')
			continue;
		p++;
		if (*p == 'u') {
			for (int i = 0; i < 4; i++)
				if (!isxdigit((unsigned char)*++p))
					return NULL;
		} else if (!*p || !strchr("\"\\/bfnrt", *p)) {
			return NULL;
		}
	}
	return p + 1;
}

static inline const char *json_digits_end(const char *p)
{
	return isdigit((unsigned char)*p) ? p + strspn(p, "0123456789") : NULL;
}

static inline const char *json_number_end(const char *p)
{
	p += *p == '-';
	p = *p == '0' ? p + 1 : json_digits_end(p);
	if (p && *p == '.')
		p = json_digits_end(p + 1);
	if (p && (*p == 'e' || *p == 'E')) {
		p++;
		p = json_digits_end(p + (*p == '+' || *p == '-'));
	}
	return p;
}

/* Whether the key from a to b is one of those from `first`, where the object begins, to a. */
static inline int json_key_again(const char *first, const char *a, const char *b)
{
	for (const char *p = first; p && p < a; p = json_blank_end(p)) {
		const char *e = json_string_end(p);

		if (e - p == b - a && !memcmp(p, a, (size_t)(b - a)))
			return 1;
		p = json_value_end(json_blank_end(json_blank_end(e) + 1), 64);
		p = json_blank_end(p);
		p += *p == ',';
	}
	return 0;
}

static inline const char *json_many_end(const char *p, int depth)
{
	char close = *p == '{' ? '}' : ']';
	const char *first = json_blank_end(p + 1), *key;

	p = first;
	if (*p == close)
		return p + 1;
	for (;;) {
		if (close == '}') {
			key = p;
			p = json_string_end(p);
			if (!p || json_key_again(first, key, p))
				return NULL;
			p = json_blank_end(p);
			if (*p != ':')
				return NULL;
			p = json_blank_end(p + 1);
		}
		p = json_value_end(p, depth - 1);
		if (!p)
			return NULL;
		p = json_blank_end(p);
		if (*p == close)
			return p + 1;
		if (*p != ',')
			return NULL;
		p = json_blank_end(p + 1);
	}
}

static inline const char *json_value_end(const char *p, int depth)
{
	static const char *const words[] = {"true", "false", "null"};

	if (depth == 0)
		return NULL;
	if (*p == '{' || *p == '[')
		return json_many_end(p, depth);
	if (*p == '"')
		return json_string_end(p);
	for (int i = 0; i < 3; i++)
		if (!strncmp(p, words[i], strlen(words[i])))
			return p + strlen(words[i]);
	return json_number_end(p);
}

/* The text is one value and nothing else. */
static inline int json_is_right(const char *text)
{
	const char *end = json_value_end(json_blank_end(text), 64);

	return end && *json_blank_end(end) == '\0';
}

#define assert_json(text) \
	do { \
		if (!json_is_right(text)) \
			fail_msg("no JSON: %s", text); \
	} while (0)

/* The value at "a/b[2]/c" of a text that is JSON; NULL: there is none. "" is all of it. */
static inline const char *json_at(const char *text, const char *path)
{
	const char *p = json_blank_end(text);

	while (p && *path) {
		size_t n = strcspn(path, "/[");
		long index = *path == '[' ? strtol(path + 1, NULL, 10) : -1;

		if (*p != (index < 0 ? '{' : '['))
			return NULL;
		p = json_blank_end(p + 1);
		for (long i = 0; *p != '}' && *p != ']'; i++) {
			const char *key = p;

			if (index < 0) {
				p = json_blank_end(json_string_end(p));
				p = json_blank_end(p + 1);
			}
			if (index < 0 ? !strncmp(key + 1, path, n) && key[1 + n] == '"'
			              : i == index)
				break;
			p = json_blank_end(json_value_end(p, 64));
			p = *p == ',' ? json_blank_end(p + 1) : p;
		}
		if (*p == '}' || *p == ']')
			return NULL;
		path += index < 0 ? n : strcspn(path, "]") + 1;
		path += *path == '/';
	}
	return p;
}

static inline double json_number_at(const char *text, const char *path)
{
	const char *p = json_at(text, path);

	if (!p || !json_number_end(p))
		fail_msg("no number %s in: %s", path, text);
	return strtod(p, NULL);
}

/* Of an array or object: how many it has. */
static inline long json_count_at(const char *text, const char *path)
{
	const char *p = json_at(text, path), *end;
	long n = 0;

	if (!p || (*p != '[' && *p != '{'))
		fail_msg("no array or object %s in: %s", path, text);
	end = json_value_end(p, 64);
	for (p = json_blank_end(p + 1); p + 1 < end; n++) {
		if (*json_at(text, path) == '{') {
			p = json_blank_end(json_string_end(p));
			p = json_blank_end(p + 1);
		}
		p = json_blank_end(json_value_end(p, 64));
		p = *p == ',' ? json_blank_end(p + 1) : p;
	}
	return n;
}

/* Whether the string at a place is this one, written without escapes. */
static inline int json_string_is(const char *text, const char *path, const char *wanted)
{
	const char *p = json_at(text, path);

	return p && *p == '"' && !strncmp(p + 1, wanted, strlen(wanted)) &&
	       p[1 + strlen(wanted)] == '"';
}

#endif
