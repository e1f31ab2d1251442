/* amounts.c: reads a file of amounts. Text, a line each, words separated by blanks (a blank within
 * one is %20):
 *
 *   # orrery-computation 1
 *   region main.c:12>main.c:20 2.1e-3           seconds, each time, on any host
 *   region main.c:20>main.c:12 4e6 volume       what the machine's speed counts, each time
 *   rest none                                   or measured, or seconds
 */
#include "amounts.h"

#include "trace/trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char mark[] = "# orrery-computation 1";

enum { WORDS = 5 };

struct reading {
	struct amounts *a;
	struct input *in;
	struct err *err;
};

static int wrong(const struct reading *r, const char *why, const char *word)
{
	return err_at(r->err, input_name(r->in), input_lineno(r->in), 0, "%s, found '%s'", why,
	              word);
}

static int amount_get(const struct reading *r, const char *word, double *out)
{
	if (num_parse_double(word, strlen(word), out) == 0 && *out >= 0 && isfinite(*out))
		return 0;
	return wrong(r, "expected an amount, not negative", word);
}

static int region_get(const struct reading *r, char **word, int n)
{
	struct amount x = {.is_volume = n == 4}, *all;
	struct amounts *a = r->a;

	if (n == 4 && strcmp(word[3], "volume") != 0)
		return wrong(r, "expected 'volume' or nothing behind the amount", word[3]);
	if (amount_get(r, word[2], &x.value) < 0)
		return -1;
	word_decode_in_place(word[1]);
	if (hash_str_find(&a->index, word[1]) != HASH_NONE)
		return wrong(r, "a region has one line", word[1]);
	all = vec_grow(a->amount, &a->cap, sizeof *all, (size_t)a->n + 1, "amounts", r->err);
	if (!all)
		return -1;
	a->amount = all;
	all[a->n++] = x;
	return hash_str_put(&a->index, word[1], a->n - 1, r->err);
}

static int rest_get(const struct reading *r, const char *word)
{
	struct amounts *a = r->a;

	a->rest = strcmp(word, "none") == 0       ? AMOUNTS_NONE
	          : strcmp(word, "measured") == 0 ? AMOUNTS_MEASURED
	                                          : AMOUNTS_SECONDS;
	return a->rest == AMOUNTS_SECONDS ? amount_get(r, word, &a->seconds) : 0;
}

static int words_cut(char *line, char **word)
{
	int n = 0;
	char *rest = NULL;

	for (char *w = strtok_r(line, " \t", &rest); w; w = strtok_r(NULL, " \t", &rest))
		if (n < WORDS)
			word[n++] = w;
	return n;
}

static int line_get(const struct reading *r, char *line)
{
	char *word[WORDS];
	int n = words_cut(line, word);

	if ((n == 3 || n == 4) && strcmp(word[0], "region") == 0)
		return region_get(r, word, n);
	if (n == 2 && strcmp(word[0], "rest") == 0)
		return rest_get(r, word[1]);
	return wrong(r,
	             "expected 'region NAME SECONDS', 'region NAME AMOUNT volume' or "
	             "'rest none|measured|SECONDS'",
	             word[0]);
}

static int unmarked(const struct reading *r)
{
	return err_at(r->err, input_name(r->in), 1, 0,
	              "not a file of amounts: its first line should be '%s' (docs/run.md)", mark);
}

static int lines_get(const struct reading *r)
{
	char *line;
	size_t n;
	int more;

	while ((more = input_line(r->in, &line, &n, r->err)) > 0) {
		if (input_lineno(r->in) == 1 && strcmp(line, mark) != 0)
			return unmarked(r);
		if (line[0] != '#' && line[strspn(line, " \t")] && line_get(r, line) < 0)
			return -1;
	}
	return more == 0 && input_lineno(r->in) == 0 ? unmarked(r) : more;
}

int amounts_read(struct amounts *a, const char *path, struct err *err)
{
	struct reading r = {.a = a, .err = err};
	int rc;

	*a = (struct amounts){0};
	hash_str_init(&a->index);
	r.in = input_open(path, 0, err);
	if (!r.in)
		return -1;
	rc = lines_get(&r);
	input_close(r.in);
	if (rc < 0)
		amounts_release(a);
	return rc;
}

void amounts_release(struct amounts *a)
{
	hash_str_release(&a->index);
	free(a->amount);
	*a = (struct amounts){0};
}
