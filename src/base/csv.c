/* csv.c: a line of comma-separated values. */
#include "csv.h"

#include <string.h>

/* The end of a quoted field whose text begins at `text`: the quotes in it are made single, and it
 * is zero-terminated. What follows its last quote, or NULL. */
static char *quoted_end(char *text)
{
	char *to = text;

	for (; *text; *to++ = *text++) {
		if (*text != '"')
			continue;
		if (text[1] != '"') {
			*to = '\0';
			return text + 1;
		}
		text++;
	}
	return NULL;
}

static char *plain_end(char *text)
{
	char *comma = text + strcspn(text, ","), *end = comma;

	while (end > text && strchr(" \t\r", end[-1]))
		end--;
	if (end < comma)
		*end = '\0';
	return comma;
}

int csv_split(char *line, char *field[CSV_FIELDS], struct err *err)
{
	for (int n = 0;;) {
		char *next;

		line += strspn(line, " \t");
		if (n == CSV_FIELDS)
			return err_set(err, ERR_INPUT, "over %d fields: is this the right file?",
			               CSV_FIELDS);
		if (*line == '"') {
			field[n++] = ++line;
			next = quoted_end(line);
			if (!next)
				return err_set(err, ERR_INPUT, "a quote is not closed");
			next += strspn(next, " \t\r");
			if (*next && *next != ',')
				return err_set(
				    err, ERR_INPUT,
				    "after a quoted field a comma was expected, not '%.20s'", next);
		} else {
			field[n++] = line;
			next = plain_end(line);
		}
		if (!*next)
			return n;
		*next = '\0';
		line = next + 1;
	}
}

void csv_comments_put(const char *text, struct str *out)
{
	for (const char *p = text ? text : ""; *p;) {
		size_t n = strcspn(p, "\n");

		str_printf(out, "# %.*s\n", (int)n, p);
		p += n + (p[n] == '\n');
	}
}
