/* counted.c: see counted.h. */
#include "counted.h"

#include "scan.h"

#include <stdio.h>

static const char run_word[] = "# run ", end_word[] = "# end ", partial_word[] = "# partial ";

/* The one word after it, up to the end of the line: anything else is somebody's remark. */
static int word_after(const char *line, const char *key, char *out, size_t n)
{
	size_t k = strlen(key), m;

	if (strncmp(line, key, k) != 0)
		return 0;
	m = (size_t)(token_end(line + k) - line) - k;
	if (m == 0 || m >= n || !is_end(*blanks_skip(line + k + m)))
		return 0;
	snprintf(out, n, "%.*s", (int)m, line + k);
	return 1;
}

static int number_after(const char *line, const char *key, uint64_t *out)
{
	char word[24];
	int64_t number;

	if (!word_after(line, key, word, sizeof word) ||
	    num_parse_i64(word, strlen(word), &number) < 0 || number < 0)
		return 0;
	*out = (uint64_t)number;
	return 1;
}

static int run_note(struct trace *t, const struct lines *l, const char *run, struct err *err)
{
	if (!t->run[0])
		snprintf(t->run, sizeof t->run, "%s", run);
	if (strcmp(t->run, run) == 0)
		return 0;
	return err_at(
	    err, l->path, (long)l->lineno, 0,
	    "this file is of run %s, others of this trace are of run %s: they do not belong "
	    "together",
	    run, t->run);
}

int counted_note(struct counted *c, struct trace *t, const struct lines *l, const char *line,
                 struct err *err)
{
	char run[sizeof t->run];
	uint64_t number;

	if (number_after(line, end_word, &number)) {
		c->ends++;
		c->said += number;
	}
	if (!word_after(line, run_word, run, sizeof run) ||
	    run[strspn(run, "0123456789abcdef")] != '\0')
		return 0;
	c->runs++;
	return run_note(t, l, run, err);
}

enum counted_state counted_end(const struct counted *c, const struct lines *l)
{
	if (l->cut || c->ends < c->runs)
		return COUNTED_CUT;
	return c->runs > 0 && c->said != c->events ? COUNTED_DAMAGED : COUNTED_WHOLE;
}

int counted_error(const struct counted *c, const char *path, enum counted_state state,
                  const char *remedy, struct err *err)
{
	if (state == COUNTED_CUT)
		return err_set(
		    err, ERR_INPUT,
		    "%s: the file ends after %llu event%s, without the line that says that "
		    "these are all: it was cut. %s",
		    path, (unsigned long long)c->events, plural(c->events), remedy);
	return err_set(err, ERR_INPUT,
	               "%s: there %s %llu event%s, not %llu as its last line says: the file was "
	               "damaged. %s",
	               path, c->events == 1 ? "is" : "are", (unsigned long long)c->events,
	               plural(c->events), (unsigned long long)c->said, remedy);
}

void counted_run_put(struct str *s, const char *run)
{
	str_printf(s, "%s%s\n", run_word, run);
}

void counted_end_put(struct str *s, uint64_t events)
{
	str_printf(s, "%s%llu\n", end_word, (unsigned long long)events);
}

int counted_is_run(const char *line)
{
	char run[32];

	return word_after(line, run_word, run, sizeof run);
}

void counted_partial_put(struct str *s, uint32_t rank)
{
	str_printf(s, "%s%u\n", partial_word, rank);
}

int counted_is_partial(const char *line, uint64_t *rank)
{
	return number_after(line, partial_word, rank);
}
