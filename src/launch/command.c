/* command.c: see command.h.
 *
 * The program is the first word that names a file linked with MPI: no table of launchers' options
 * is needed, since no option's value is such a file. The tracer is never loaded into the launcher
 * itself. */
#include "command.h"

#include "base/program.h"
#include "launch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static enum mpi_family family_of_word(const char *word)
{
	char *path = program_file(word);
	enum mpi_family f = path ? mpi_family_of_program(path) : MPI_UNKNOWN;

	free(path);
	return f;
}

static int is_launcher(const char *word)
{
	static const char *const names[] = {"mpirun", "mpiexec", "orterun", "prterun"};
	const char *base = strrchr(word, '/');

	base = base ? base + 1 : word;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strncmp(base, names[i], strlen(names[i])) == 0)
			return 1;
	return 0;
}

enum mpi_family command_launcher_family(const char *word, struct err *err)
{
	char text[4096];
	struct launch_command version = {.words = (const char *const[]){word, "--version", NULL},
	                                 .err = LAUNCH_WITH_OUT};

	*err = (struct err){0};
	launch_output(&version, text, sizeof text, err);
	if (strstr(text, "Open MPI") || strstr(text, "OpenRTE") || strstr(text, "PRRTE"))
		return MPI_OPENMPI;
	if (strstr(text, "HYDRA") || strstr(text, "MPICH") || strstr(text, "Intel(R) MPI"))
		return MPI_MPICH;
	return MPI_UNKNOWN;
}

static int contradiction(const struct command *c, enum mpi_family launcher, struct err *err)
{
	return err_set(err, ERR_INPUT,
	               "trace: %s is linked with %s, but %s is the launcher of %s: every process "
	               "would run alone. Use the launcher of %s%s.",
	               c->argv[c->program], mpi_family_title(c->family), c->argv[0],
	               mpi_family_title(launcher), mpi_family_title(c->family),
	               c->family == MPI_OPENMPI ? " (Debian: mpirun.openmpi)"
	                                        : " (Debian: mpirun.mpich)");
}

/* No word names a program of a family: does one name a program of the standard's ABI? */
static int standard_refuse(const struct command *c, struct err *err)
{
	for (int i = 0; i < c->argc; i++) {
		char *path = program_file(c->argv[i]);
		int standard = path && mpi_program_is_standard(path);

		free(path);
		if (standard)
			return err_set(err, ERR_INPUT,
			               "trace: %s is of the standard's ABI ('orrery cc'), which "
			               "the tracer does not know: compile it by mpicc of Open MPI "
			               "or MPICH, or simulate it as it is ('orrery run')",
			               c->argv[i]);
	}
	return 0;
}

/* … or one that may be run, and not read? What it is linked with is in it. */
static int unread_refuse(const struct command *c, struct err *err)
{
	int r = 0;

	for (int i = 0; i < c->argc && r == 0; i++) {
		char *path = program_file(c->argv[i]);

		if (path && access(path, R_OK) < 0)
			r = err_sys(err, errno, "trace: cannot see which MPI %s is linked with",
			            path);
		free(path);
	}
	return r;
}

int command_understand(struct command *c, const char *const *argv, int argc, struct err *err)
{
	enum mpi_family launcher = MPI_UNKNOWN;

	*c = (struct command){.argv = argv, .argc = argc, .program = -1, .way = LAUNCH_ENV};
	if (is_launcher(argv[0]))
		launcher = command_launcher_family(argv[0], err);
	if (is_launcher(argv[0]) && launcher == MPI_UNKNOWN && err->kind == ERR_LIMIT)
		return -1; /* not: it does not say */
	for (int i = launcher != MPI_UNKNOWN; i < argc && c->program < 0; i++) {
		c->family = family_of_word(argv[i]);
		if (c->family != MPI_UNKNOWN)
			c->program = i;
	}
	if (launcher != MPI_UNKNOWN && c->program >= 0 && c->family != launcher)
		return contradiction(c, launcher, err);
	if (c->program < 0 && standard_refuse(c, err) < 0)
		return -1;
	if (launcher != MPI_UNKNOWN) {
		c->family = launcher;
		c->way = launcher == MPI_OPENMPI ? LAUNCH_OPENMPI : LAUNCH_HYDRA;
		return 0;
	}
	if (c->program >= 0)
		return 0;
	if (is_launcher(argv[0]) && err->kind) /* it cannot be started: that is why */
		return -1;
	if (strchr(argv[0], '/') && access(argv[0], F_OK) < 0)
		return err_sys(err, errno, "trace: cannot run %s", argv[0]);
	if (unread_refuse(c, err) < 0)
		return -1;
	return err_set(err, ERR_INPUT,
	               "trace: no word of '%s …' names a program linked with MPI, and '%s' is not "
	               "the mpirun of Open MPI or MPICH: give the program's full path",
	               argv[0], argv[0]);
}

/* --- the command with its settings --- */

struct words {
	char **v;
	uint32_t n, cap;
	int failed;
};

static void word_add(struct words *w, char *word)
{
	struct err ignored;
	char **p = w->failed || !word
	               ? NULL
	               : vec_grow(w->v, &w->cap, sizeof *w->v, w->n + 2, "a command", &ignored);

	if (!p) {
		w->failed = 1;
		free(word);
		return;
	}
	w->v = p;
	p[w->n++] = word;
	p[w->n] = NULL;
}

static void word_copy(struct words *w, const char *word)
{
	word_add(w, strdup(word));
}

static void word_setting(struct words *w, const struct setting *s)
{
	char *word = NULL;

	if (asprintf(&word, "%s=%s", s->name, s->value) < 0)
		word = NULL;
	word_add(w, word);
}

static void settings_add(struct words *w, enum launch_way way, const struct setting *s, int n)
{
	if (way == LAUNCH_ENV)
		word_copy(w, "env");
	for (int i = 0; i < n; i++) {
		if (way == LAUNCH_HYDRA) {
			word_copy(w, "-genv");
			word_copy(w, s[i].name);
			word_copy(w, s[i].value);
			continue;
		}
		if (way == LAUNCH_OPENMPI)
			word_copy(w, "-x");
		word_setting(w, &s[i]);
	}
}

/* Do the settings stand before word i? Open MPI's hold for one program each of "mpirun a : b". */
static int is_place(const struct command *c, int i)
{
	if (c->way == LAUNCH_ENV)
		return i == c->program;
	return i == 1 || (c->way == LAUNCH_OPENMPI && i > 1 && !strcmp(c->argv[i - 1], ":"));
}

char **command_with(const struct command *c, const struct setting *settings, int n, struct err *err)
{
	struct words w = {0};

	for (int i = 0; i < c->argc; i++) {
		if (is_place(c, i))
			settings_add(&w, c->way, settings, n);
		word_copy(&w, c->argv[i]);
	}
	if (!w.failed)
		return w.v;
	for (uint32_t i = 0; i < w.n; i++)
		free(w.v[i]);
	free(w.v);
	err_nomem(err, "a command", (unsigned long long)c->argc * sizeof *w.v);
	return NULL;
}
