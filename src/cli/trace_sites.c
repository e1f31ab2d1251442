/* trace_sites.c: see trace_sites.h. A return address is the one behind the call: one less is inside
 * it. */
#include "trace_sites.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { ASKED_AT_ONCE = 256 };

/* Runs argv with its standard output as *out. Its process, or -1: it cannot be started. */
static pid_t program_start(char **argv, FILE **out)
{
	posix_spawn_file_actions_t actions;
	pid_t pid = -1;
	int ends[2];

	*out = NULL;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	if (posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ) != 0)
		pid = -1;
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	*out = pid < 0 ? NULL : fdopen(ends[0], "r");
	if (!*out)
		close(ends[0]);
	return pid;
}

/* One line without its newline: 1, 0 at the end. */
static int line_get(FILE *in, char **line, size_t *cap)
{
	ssize_t n = getline(line, cap, in);

	if (n <= 0)
		return 0;
	(*line)[strcspn(*line, "\n")] = '\0';
	return 1;
}

static int place_set(struct trace_site *site, const char *function, const char *at, struct err *err)
{
	const char *slash = strrchr(at, '/'), *file = slash ? slash + 1 : at;
	size_t n = strcspn(file, " "); /* "main.c:12 (discriminator 3)" */
	int known = file[0] != '?' && n > 0 && file[n - 1] != '?',
	    named = function[0] != '?' && function[0];

	if (!known && !named)
		return 0;
	if ((known ? asprintf(&site->place, "%.*s", (int)n, file)
	           : asprintf(&site->place, "%s@%s", function, site->name)) < 0) {
		site->place = NULL;
		return err_nomem(err, "call sites", n);
	}
	site->function = strdup(named ? function : "?");
	return site->function ? 1 : err_nomem(err, "call sites", strlen(function));
}

/* The address in "ring+0x11f3" of that module, or 0. */
static unsigned long long address_in(const struct trace_site *site, const struct trace_module *m)
{
	size_t n = strlen(m->name);

	return strncmp(site->name, m->name, n) == 0 && strncmp(site->name + n, "+0x", 3) == 0
	           ? strtoull(site->name + n + 3, NULL, 16)
	           : 0;
}

/* The answers to the sites asked for, in their order. */
static int answers_read(FILE *in, struct trace_sites *s, const uint32_t *asked, uint32_t n,
                        struct err *err)
{
	char *function = NULL, *at = NULL;
	size_t function_cap = 0, at_cap = 0;
	int found = 0;

	for (uint32_t i = 0; i < n && found >= 0 && line_get(in, &function, &function_cap) &&
	                     line_get(in, &at, &at_cap);
	     i++) {
		int r = place_set(&s->site[asked[i]], function, at, err);

		found = r < 0 ? -1 : found + r;
	}
	free(function);
	free(at);
	return found;
}

static int sites_ask(struct trace_sites *s, const struct trace_module *m, const uint32_t *asked,
                     uint32_t n, struct err *err)
{
	char address[ASKED_AT_ONCE][24];
	char *argv[ASKED_AT_ONCE + 5] = {(char[]){"addr2line"}, (char[]){"-f"}, (char[]){"-e"},
	                                 m->path};
	FILE *in;
	pid_t pid;
	int found = 0;

	for (uint32_t i = 0; i < n; i++) {
		snprintf(address[i], sizeof address[i], "0x%llx",
		         address_in(&s->site[asked[i]], m) - 1);
		argv[4 + i] = address[i];
	}
	argv[4 + n] = NULL;
	pid = program_start(argv, &in);
	if (in) {
		found = answers_read(in, s, asked, n, err);
		fclose(in);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
	return found;
}

static int by_place(const void *a, const void *b)
{
	const struct trace_site *x = *(struct trace_site *const *)a,
	                        *y = *(struct trace_site *const *)b;
	const char *p = strrchr(x->name, '+'), *q = strrchr(y->name, '+');
	unsigned long long at = p ? strtoull(p + 1, NULL, 16) : 0,
	                   other = q ? strtoull(q + 1, NULL, 16) : 0;
	int r = strcmp(x->place, y->place);

	return r ? r : at != other ? (at > other) - (at < other) : strcmp(x->name, y->name);
}

/* Several calls of a line: "two.c:8", "two.c:8.2", …, in the order of their addresses. */
static int places_number(struct trace_sites *s, struct err *err)
{
	struct trace_site **known = calloc((size_t)s->n + 1, sizeof *known), *first = NULL;
	uint32_t n = 0, same = 0;
	int r = 0;

	if (!known)
		return err_nomem(err, "call sites", s->n * sizeof *known);
	for (uint32_t i = 0; i < s->n; i++)
		if (s->site[i].place)
			known[n++] = &s->site[i];
	qsort(known, n, sizeof *known, by_place);
	for (uint32_t i = 0; i < n && r == 0; i++) {
		char *numbered;

		same = first && !strcmp(first->place, known[i]->place) ? same + 1 : 1;
		if (same == 1) {
			first = known[i];
		} else if (asprintf(&numbered, "%s.%u", first->place, same) < 0) {
			r = err_nomem(err, "call sites", strlen(first->place));
		} else {
			free(known[i]->place);
			known[i]->place = numbered;
		}
	}
	free(known);
	return r;
}

int sites_resolve(struct trace_sites *s, struct err *err)
{
	uint32_t asked[ASKED_AT_ONCE], n = 0;
	int found = 0, r = 0;

	for (uint32_t m = 0; m < s->modules && r >= 0; m++) {
		for (uint32_t i = 0; i <= s->n && r >= 0; i++) {
			if (n == ASKED_AT_ONCE || (i == s->n && n > 0)) {
				r = sites_ask(s, &s->module[m], asked, n, err);
				found += r > 0 ? r : 0;
				n = 0;
			}
			if (i < s->n && !s->site[i].place &&
			    address_in(&s->site[i], &s->module[m]) > 0)
				asked[n++] = i;
		}
	}
	return r < 0 || places_number(s, err) < 0 ? -1 : found;
}
