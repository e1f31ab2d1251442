/* cut.c: a file that is mapped and that another process makes shorter, or that its disk no longer
 * gives, is no memory any more: who reads on gets SIGBUS. That is an input's or the computer's
 * fault, said as such, and not a crash.
 *
 * The signal comes of an instruction that reads the file, never from within malloc or stdio, so the
 * handler may use both. What was written has no name yet, or a hidden one (base/output.h), and goes
 * with the process. A simulated program's own SIGBUS is its rank's (live/coro). */
#include "cut.h"

#include "base/err.h"
#include "base/num.h"

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where a mapped address is: in what file, and how far from its beginning. */
struct place {
	char *path; /* the caller's */
	uint64_t offset;
};

/* 1: line is that of the mapping of `at` in /proc/self/maps, which is a file's:
 * "from-to rights offset device inode path", from, to and offset in hexadecimal. */
static int line_take(char *line, uintptr_t at, struct place *p)
{
	uint64_t from, to, offset;
	const char *path = strchr(line, '/'), *s = line;
	size_t n;

	line[strcspn(line, "\n")] = '\0';
	n = num_take_hex(s, &from);
	s += n;
	if (n == 0 || *s++ != '-' || (n = num_take_hex(s, &to)) == 0)
		return 0;
	s += n + strlen(" r--p ");
	if (!path || s >= path || num_take_hex(s, &offset) == 0 || at < from || at >= to)
		return 0;
	p->offset = offset + (at - from);
	p->path = strdup(path);
	return p->path != NULL;
}

static int place_find(uintptr_t at, struct place *p)
{
	FILE *f = fopen("/proc/self/maps", "re");
	char *line = NULL;
	size_t n = 0;
	int found = 0;

	while (f && !found && getline(&line, &n, f) >= 0)
		found = line_take(line, at, p);
	free(line);
	if (f)
		fclose(f);
	return found;
}

static void on_bus(int number, siginfo_t *info, void *context)
{
	struct place p;
	struct stat st;
	struct err err;

	(void)context;
	signal(number, SIG_DFL); /* what is none of this ends the process when it happens again */
	if (info->si_code <= 0) {
		raise(number);
		return;
	}
	if (!place_find((uintptr_t)info->si_addr, &p))
		return;
	if (stat(p.path, &st) == 0 && p.offset < (uint64_t)st.st_size)
		err_set(&err, ERR_LIMIT, "%s: cannot be read at byte %llu: input/output error",
		        p.path, (unsigned long long)p.offset);
	else
		err_set(&err, ERR_INPUT,
		        "%s was made shorter while it was read: try again when it is whole",
		        p.path);
	fprintf(stderr, "orrery: %s\n", err.text);
	fflush(stderr);
	_exit((int)err.kind);
}

void cut_catch(void)
{
	struct sigaction act = {.sa_sigaction = on_bus, .sa_flags = SA_SIGINFO};

	sigaction(SIGBUS, &act, NULL);
}
