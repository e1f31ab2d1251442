/* notes.c: see notes.h. */
#include "notes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct line {
	const char *text;
	size_t n;
};

static int begins(const struct line *l, const char *word)
{
	size_t n = strlen(word);

	return l->n > n && memcmp(l->text, word, n) == 0 && l->text[n] == ' ';
}

static size_t key_length(const struct line *l)
{
	const char *blank = memchr(l->text, ' ', l->n);

	return blank ? (size_t)(blank - l->text) + 1 : l->n;
}

/* "untraced 12 MPI_Put": what is behind the number. */
static struct line counted_name(const struct line *l)
{
	size_t at = key_length(l);
	const char *blank = memchr(l->text + at, ' ', l->n - at);

	return blank ? (struct line){blank, l->n - (size_t)(blank - l->text)}
	             : (struct line){"", 0};
}

static int same_text(const struct line *a, const struct line *b)
{
	return a->n == b->n && memcmp(a->text, b->text, a->n) == 0;
}

static int is_counted(const struct line *l)
{
	return begins(l, "untraced") || begins(l, "local") || begins(l, "beside") ||
	       begins(l, "threads") || begins(l, "end");
}

/* Whether two lines become one. */
static int meet(const struct line *a, const struct line *b)
{
	size_t n = key_length(a);
	struct line x, y;

	if (key_length(b) != n || memcmp(a->text, b->text, n) != 0)
		return 0;
	if (!is_counted(a))
		return begins(a, "host") || same_text(a, b);
	x = counted_name(a);
	y = counted_name(b);
	return same_text(&x, &y);
}

static uint64_t count_of(const struct line *l)
{
	const char *text = l->text + key_length(l);
	int64_t n = 0;

	num_take_digits(text + strspn(text, " "), &n);
	return (uint64_t)n;
}

/* The line that two become. */
static void joined_put(struct str *out, const struct line *a, const struct line *b)
{
	size_t n = key_length(a);
	struct line name;

	if (is_counted(a)) {
		name = counted_name(a);
		str_putn(out, a->text, n);
		str_printf(out, "%" PRIu64, count_of(a) + count_of(b));
		str_putn(out, name.text, name.n);
	} else {
		str_putn(out, a->text, a->n);
		if (begins(a, "host")) {
			str_putc(out, ',');
			str_putn(out, b->text + n, b->n - n);
		}
	}
	str_putc(out, '\n');
}

static int next_line(const char **p, struct line *l)
{
	const char *end = *p ? strchr(*p, '\n') : NULL;

	if (!end)
		return 0;
	*l = (struct line){*p, (size_t)(end - *p)};
	*p = end + 1;
	return 1;
}

/* The line of a text that meets l. */
static int partner_find(const char *text, const struct line *l, struct line *found)
{
	while (next_line(&text, found))
		if (meet(l, found))
			return 1;
	return 0;
}

int notes_merge(struct str *all, const char *more, struct err *err)
{
	struct str out = {0};
	struct line l, other;

	for (const char *p = all->s; next_line(&p, &l);)
		if (partner_find(more, &l, &other))
			joined_put(&out, &l, &other);
		else
			str_putn(&out, l.text, l.n + 1);
	for (const char *p = more; next_line(&p, &l);)
		if (!partner_find(all->s, &l, &other))
			str_putn(&out, l.text, l.n + 1);
	str_release(all);
	*all = out;
	return out.failed ? err_nomem(err, "notes", out.n) : 0;
}
