/* sizes.c: lists of sizes, as in "8..1024", "8..16Mi*4" or "6,12,100..800". */
#include "study.h"

#include <stdlib.h>
#include <string.h>

static int sizes_add(struct sizes *s, int64_t x, struct err *err)
{
	int64_t *v = vec_grow(s->v, &s->cap, sizeof *v, (size_t)s->n + 1, "sizes", err);
	if (!v)
		return -1;
	s->v = v;
	v[s->n++] = x;
	return 0;
}

/* A number with its suffix; moves *text behind it; -1 if there is none. */
static int64_t number(const char **text)
{
	static const struct {
		const char *name;
		int64_t times;
	} suffixes[] = {{"Ki", 1 << 10}, {"Mi", 1 << 20}, {"Gi", 1 << 30},  {"K", 1 << 10},
	                {"k", 1000},     {"M", 1000000},  {"G", 1000000000}};
	int64_t x;
	size_t digits = num_take_digits(*text, &x);
	const char *end = *text + digits;
	if (!digits || x > INT64_MAX >> 31)
		return -1;
	*text = end;
	for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
		size_t n = strlen(suffixes[i].name);
		if (strncmp(end, suffixes[i].name, n) == 0) {
			*text = end + n;
			return x * suffixes[i].times;
		}
	}
	return x;
}

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

static void sort_once(struct sizes *s)
{
	uint32_t n = 0;
	qsort(s->v, s->n, sizeof *s->v, compare);
	for (uint32_t i = 0; i < s->n; i++)
		if (n == 0 || s->v[i] != s->v[n - 1])
			s->v[n++] = s->v[i];
	s->n = n;
}

/* One item: a number or a range. 0, or -1 where it is malformed. */
static int item(struct sizes *s, const char **text, int64_t max, struct err *err)
{
	int64_t from = number(text), to = from, times = 2;
	if (from < 0 || from > max)
		return -1;
	if (strncmp(*text, "..", 2) == 0) {
		*text += 2;
		to = number(text);
		if (to < from || to > max)
			return -1;
		if (**text == '*') {
			(*text)++;
			times = number(text);
		}
		if (times < 2 || from == 0)
			return -1;
	}
	for (int64_t x = from; x <= to;) {
		if (sizes_add(s, x, err) < 0)
			return -1;
		if (x == 0 || __builtin_mul_overflow(x, times, &x))
			break;
	}
	return 0;
}

int sizes_parse(struct sizes *s, const char *text, const char *what, int64_t max, struct err *err)
{
	const char *at = text;
	err_set(err, ERR_INPUT,
	        "%s: \"%s\" is no list of sizes up to %lld, such as 8..1024, 8..16Mi*4 or 6,12",
	        what, text, (long long)max);
	*s = (struct sizes){0};
	do {
		if (item(s, &at, max, err) < 0) {
			sizes_release(s);
			return -1;
		}
	} while (*at == ',' && at++);
	if (*at) {
		sizes_release(s);
		return -1;
	}
	sort_once(s);
	return 0;
}

void sizes_release(struct sizes *s)
{
	free(s->v);
	*s = (struct sizes){0};
}
