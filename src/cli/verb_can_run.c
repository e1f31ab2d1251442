/* verb_can_run.c: `orrery can-run`: whether a program can be simulated, without running it. */
#include "base/program.h"
#include "launch/launch.h"
#include "live/live.h"
#include "verbs.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct option_row can_run_options[] = {{0, 0, NULL, NULL, NULL}};

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* In lines of at most WIDTH, for a large library has hundreds. */
static int functions_print(struct str *s, const struct can_run *c, struct err *err)
{
	static const size_t WIDTH = 100;
	const char **names = calloc(c->functions.n + 1, sizeof *names);
	size_t line = s->n;
	uint32_t n = 0;

	if (!names)
		return err_nomem(err, "functions of a program", c->functions.n);
	for (uint32_t i = 0; c->functions.n && i <= c->functions.mask; i++)
		if (c->functions.slots[i].key)
			names[n++] = c->functions.slots[i].key;
	qsort(names, n, sizeof *names, by_name);
	str_printf(s, "names of MPI: %u%s", n, n ? ":" : "");
	for (uint32_t i = 0; i < n; i++) {
		if (s->n - line + 1 + strlen(names[i]) > WIDTH) {
			str_puts(s, "\n   ");
			line = s->n - 3;
		}
		str_printf(s, " %s", names[i]);
	}
	str_putc(s, '\n');
	free(names);
	return 0;
}

static void list_print(struct str *s, const char *title, const struct str *lines)
{
	if (lines->n == 0)
		return;
	str_printf(s, "%s:", title);
	for (size_t i = 0; i < lines->n; i++)
		if (i == 0 || lines->s[i - 1] == '\n') {
			size_t n = strcspn(lines->s + i, "\n");

			str_printf(s, " %.*s", (int)n, lines->s + i);
		}
	str_printf(s, "\n");
}

static const char *verdict(const struct can_run *c)
{
	if (c->has_own_rights)
		return "not as processes: it gets other rights than its caller's (setuid, setgid, "
		       "capabilities), so that the loader takes no library of ours: run a copy "
		       "without them, or with --hold coroutines";
	if (c->another.n)
		return "no: it needs two MPI libraries: compile all of it with the same mpicc";
	switch (c->kind) {
	case CAN_RUN_NO_PROGRAM:
		return "no program but a script or the like: it runs; what it starts is not known";
	case CAN_RUN_STATIC:
		return "no: it is linked statically, so that no library can take MPI's place; link "
		       "it dynamically";
	case CAN_RUN_NO_MPI:
		return c->names_init ? "needs no MPI library, and names MPI_Init: if MPI is linked "
		                       "into it statically, none can take its place (link it "
		                       "dynamically); if it loads MPI while it runs, it runs all "
		                       "the same"
		                     : "needs no MPI, as far as its files say: if it loads MPI "
		                       "while it runs, as Python does, it runs all the same";
	case CAN_RUN_OPENMPI:
		return c->missing.n ? "not all of it" : "yes, with the ABI of Open MPI 4.1";
	case CAN_RUN_MPICH:
		return c->missing.n ? "not all of it" : "yes, with the ABI of MPICH 4";
	case CAN_RUN_ABI:
		return c->missing.n ? "not all of it" : "yes, with the standard ABI of MPI 5.0";
	}
	return "";
}

static int report(const struct can_run *c, const char *path, struct err *err)
{
	struct str s;
	int rc = 0;

	str_init(&s);
	str_printf(&s, "%s: %s\n", path, verdict(c));
	if (c->kind >= CAN_RUN_OPENMPI) {
		str_printf(&s, "MPI library: %s\n", c->library.s);
		if (c->another.n)
			str_printf(&s, "and another: %s\n", c->another.s);
		else
			str_printf(&s, "held as: %s%s\n",
			           c->has_own_rights ? "no processes" : "processes",
			           c->alone.n ? ""
			           : c->is_relocatable
			               ? ", coroutines (run --hold coroutines)"
			               : ", coroutines (run --hold coroutines), which take "
			                 "turns: it is not linked with -pie");
		list_print(&s, "not as coroutines, as it calls", &c->alone);
		if (can_run_spawns(c) && !c->another.n && !c->alone.n)
			str_puts(&s, "what it spawns: as coroutines only this program itself\n");
		if (can_run_threads(c) && !c->another.n && !c->alone.n)
			str_puts(&s, "threads: as coroutines the first one alone may call MPI "
			             "(MPI_THREAD_FUNNELED)\n");
		rc = functions_print(&s, c, err);
	}
	list_print(&s, "missing, the program will not start or end at the call", &c->missing);
	if (c->missing.n && strstr(c->files.s, "/liboshmem.so"))
		str_puts(&s,
		         "OpenSHMEM: Open MPI's goes past MPI, by names of its insides; one over "
		         "MPI's windows (OSHMPI) can be run\n");
	list_print(&s, "libraries not found, not looked into", &c->lost);
	if (c->rpath.n)
		str_printf(&s, "it looks for libraries in %s first: our MPI is put before that\n",
		           c->rpath.s);
	if (rc == 0)
		rc = print_stdout(&s, err);
	str_release(&s);
	return rc;
}

/* What the system would not start, whatever is in it: a folder, a source file. */
static const char *not_started(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0) /* which can_run_check says */
		return NULL;
	if (S_ISDIR(st.st_mode))
		return "no: it is a folder";
	return st.st_mode & (S_IXUSR | S_IXGRP | S_IXOTH)
	           ? NULL
	           : "no: the file is not executable: compile the program, put its interpreter "
	             "before it (python3), or chmod +x";
}

/* One program: 1: it cannot run. */
static int look_at(const char *name, const char *library, struct err *err)
{
	char *found = access(name, R_OK) == 0 ? NULL : program_file(name);
	const char *path = found ? found : name, *why = not_started(path);
	struct can_run c;
	struct str s;
	int rc, no = 1;

	str_init(&s);
	if (why) {
		str_printf(&s, "%s: %s\n", name, why);
		rc = print_stdout(&s, err);
	} else {
		rc = can_run_check(path, library, &c, err);
		if (rc == 0)
			rc = report(&c, name, err);
		no = c.kind == CAN_RUN_STATIC || c.has_own_rights || c.missing.n > 0 ||
		     c.another.n > 0;
		can_run_release(&c);
	}
	str_release(&s);
	free(found);
	return rc < 0 ? -1 : no;
}

static int can_run_run(const struct args *a, struct err *err)
{
	char library[PATH_MAX];
	int no = 0;

	if (a->n_positional == 0)
		return err_set(err, ERR_INPUT, "can-run: which program? orrery can-run PROGRAM");
	if (live_library(library, sizeof library, err) < 0)
		return -1;
	for (int i = 0; i < a->n_positional; i++) {
		int cannot = look_at(a->positional[i], library, err);

		if (cannot < 0)
			return -1;
		no |= cannot;
	}
	return no;
}

const struct verb verb_can_run = {
    .name = "can-run",
    .synopsis = "PROGRAM...",
    .summary = "says whether a program can be run by 'orrery run'",
    .text = "Reads the program's file and those of the libraries that it needs, and runs "
            "nothing: which MPI it was compiled with, which functions of MPI it names, which "
            "of them would be missing. The exit code is 0 if none is, 1 otherwise.",
    .options = can_run_options,
    .run = can_run_run,
};
