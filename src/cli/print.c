/* print.c: the only place that writes to the user's terminal and files. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

int print_stdout(const struct str *s, struct err *err)
{
	return print_file("-", s, err);
}

int print_file(const char *path, const struct str *s, struct err *err)
{
	return s->failed ? err_nomem(err, "the output", s->n) : output_file(path, s->s, s->n, err);
}

void print_notice(const struct args *a, const char *text)
{
	if (a->quiet || !text)
		return;
	while (*text) {
		size_t n = strcspn(text, "\n");

		if (n)
			fprintf(stderr, "orrery: %.*s\n", (int)n, text);
		text += n + (text[n] == '\n');
	}
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

long peak_rss_kib(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return u.ru_maxrss;
}
