/* print.c: the only place that writes to the user's terminal and files. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Names from files may hold what a terminal obeys. */
static int shown_out(const struct str *s, struct err *err)
{
	struct str shown;
	int r;

	str_init(&shown);
	str_put_shown(&shown, s->s, s->n, color_wanted(stdout));
	r = shown.failed ? err_nomem(err, "the output", s->n)
	                 : output_file("-", shown.s, shown.n, err);
	str_release(&shown);
	return r;
}

int print_stdout(const struct str *s, struct err *err)
{
	if (s->failed)
		return err_nomem(err, "the output", s->n);
	return s->s && controls_in(s->s, s->n) ? shown_out(s, err) : print_file("-", s, err);
}

int print_file(const char *path, const struct str *s, struct err *err)
{
	return s->failed ? err_nomem(err, "the output", s->n) : output_file(path, s->s, s->n, err);
}

int print_made(const char *path, const struct str *s, struct err *err)
{
	struct err none;

	if (print_file(path, s, err) == 0)
		return 0;
	if (!s->failed && print_stdout(s, &none) == 0)
		err_append(err, "; what was to be in it is on the standard output");
	return -1;
}

/* A line for which nothing can be allocated. */
static void line_at_once(const char *text, size_t length)
{
	static const char who[] = "orrery: ";
	char line[2048];
	size_t n = sizeof who - 1;

	memcpy(line, who, n);
	for (; length > 0 && n < sizeof line - 1; text++, length--)
		line[n++] = (unsigned char)*text < ' ' || *text == 127 ? '?' : *text;
	line[n++] = '\n';
	if (write(STDERR_FILENO, line, n) < 0)
		return; /* nobody reads it */
}

void print_finding(const char *text)
{
	while (text && *text) {
		size_t n = strcspn(text, "\n");
		struct str shown;

		str_init(&shown);
		str_put_shown(&shown, text, n, 0);
		if (shown.failed)
			line_at_once(text, n);
		else if (n)
			fprintf(stderr, "orrery: %s\n", shown.s);
		str_release(&shown);
		text += n + (text[n] == '\n');
	}
}

void print_at_once(const char *text)
{
	line_at_once(text, strlen(text));
}

void print_findings(const struct str *s)
{
	print_finding(s->s);
	if (s->failed)
		print_finding("there is not enough memory to say all that is to be said here");
}

void print_notices(const struct args *a, const struct str *s)
{
	if (!a->quiet)
		print_findings(s);
}

void print_notice(const struct args *a, const char *text)
{
	if (!a->quiet)
		print_finding(text);
}

int color_wanted(FILE *f)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(fileno(f)) && !(no && *no) && !(term && !strcmp(term, "dumb"));
}

double wall_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
