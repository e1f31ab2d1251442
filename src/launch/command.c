/* command.c: see command.h.
 *
 * The program is the first word that names a file linked with MPI: no table of launchers' options
 * is needed, since no option's value is such a file. The tracer is never loaded into the launcher
 * itself. */
#include "command_int.h"

#include "base/program.h"
#include "launch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* It was told which family, and the command says another. */
static int denial(const struct command *c, enum mpi_family told, enum mpi_family is,
                  const char *word, struct err *err)
{
	if (told == MPI_UNKNOWN || is == MPI_UNKNOWN || is == told)
		return 0;
	return err_set(err, ERR_INPUT, "trace: --mpi says %s, but %s is %s %s",
	               mpi_family_word(told), word,
	               word == c->argv[0] && c->program != 0 ? "the launcher of" : "linked with",
	               mpi_family_title(is));
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

/* Of the command as a whole, which env would be left to say that it is not there. */
static int missing_refuse(const struct command *c, struct err *err)
{
	char *path;

	if (strchr(c->argv[0], '/'))
		return access(c->argv[0], F_OK) == 0
		           ? 0
		           : err_sys(err, errno, "trace: cannot run %s", c->argv[0]);
	path = program_file(c->argv[0]);
	if (!path)
		return launch_not_there(c->argv[0], err);
	free(path);
	return 0;
}

/* Slurm's srun starts the ranks, if it is there. */
static int srun_choose(struct command *c, struct err *err)
{
	char *path = program_file(c->argv[c->srun]);

	if (!path)
		return launch_not_there(c->argv[c->srun], err);
	free(path);
	c->way = LAUNCH_SRUN;
	return 0;
}

int command_understand(struct command *c, const char *const *argv, int argc, enum mpi_family told,
                       struct err *err)
{
	enum mpi_family launcher = MPI_UNKNOWN;

	*c = (struct command){.argv = argv,
	                      .argc = argc,
	                      .program = -1,
	                      .srun = srun_of(argv, argc),
	                      .way = LAUNCH_ENV};
	if (is_launcher(argv[0]))
		launcher = command_launcher_family(argv[0], err);
	if (is_launcher(argv[0]) && launcher == MPI_UNKNOWN && err->kind == ERR_LIMIT)
		return -1; /* not: it does not say */
	for (int i = launcher != MPI_UNKNOWN; i < argc && c->program < 0; i++) {
		c->family = command_word_family(argv[i]);
		if (c->family != MPI_UNKNOWN)
			c->program = i;
	}
	if (launcher != MPI_UNKNOWN && c->program >= 0 && c->family != launcher)
		return contradiction(c, launcher, err);
	if (denial(c, told, launcher, argv[0], err) < 0 ||
	    (c->program >= 0 && denial(c, told, c->family, argv[c->program], err) < 0))
		return -1;
	if (c->program < 0 && standard_refuse(c, err) < 0)
		return -1;
	if (launcher != MPI_UNKNOWN) {
		c->family = launcher;
		c->way = launcher == MPI_OPENMPI ? LAUNCH_OPENMPI : LAUNCH_HYDRA;
		return 0;
	}
	if (c->program >= 0 && c->srun > c->program)
		c->srun = -1; /* an argument of the program */
	if (c->srun >= 0 && srun_choose(c, err) < 0)
		return -1;
	if (c->family == MPI_UNKNOWN)
		c->family = told != MPI_UNKNOWN ? told : script_family(c);
	if (c->family == MPI_UNKNOWN && c->srun >= 0)
		c->family = srun_family();
	if (c->family != MPI_UNKNOWN)
		return c->program < 0 ? missing_refuse(c, err) : 0;
	if (is_launcher(argv[0]) && err->kind) /* it cannot be started: that is why */
		return -1;
	if (missing_refuse(c, err) < 0 || unread_refuse(c, err) < 0)
		return -1;
	return err_set(
	    err, ERR_INPUT,
	    "trace: no word of '%s …' names a program that is itself linked with MPI (one "
	    "of its libraries may be), and '%s' is not the mpirun of Open MPI or MPICH: "
	    "give the program's full path, or --mpi openmpi or mpich",
	    argv[0], argv[0]);
}

/* --- the command with its settings --- */

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

/* Is word i a shell's -c, or -lc? */
static int is_of_shell(const struct command *c, int i)
{
	static const char *const shells[] = {"sh", "bash", "dash", "ksh", "zsh"};
	const char *option = c->argv[i], *slash = strrchr(c->argv[i - 1], '/'),
	           *shell = slash ? slash + 1 : c->argv[i - 1];

	if (option[0] != '-' || option[1] == '-' || option[strlen(option) - 1] != 'c')
		return 0;
	for (size_t k = 0; k < sizeof shells / sizeof *shells; k++)
		if (strcmp(shell, shells[k]) == 0)
			return 1;
	return 0;
}

/* Before which word env stands: the program; its shell, for the program of "sh -c program" is an
 * argument; the first, where nobody knows the program. */
static int place_of_env(const struct command *c)
{
	int i = c->program;

	return i < 0 ? 0 : i >= 2 && is_of_shell(c, i - 1) ? i - 2 : i;
}

/* Do the settings stand before word i? Open MPI's hold for one program each of "mpirun a : b". */
static int is_place(const struct command *c, int i)
{
	if (c->way == LAUNCH_ENV)
		return i == place_of_env(c);
	return i == 1 || (c->way == LAUNCH_OPENMPI && i > 1 && !strcmp(c->argv[i - 1], ":"));
}

char **command_with(const struct command *c, const struct setting *settings, int n, struct err *err)
{
	struct words w = {0};

	if (c->way == LAUNCH_SRUN && srun_takes(settings, n, err) < 0)
		return NULL;
	if (c->way == LAUNCH_SRUN)
		srun_words(c, settings, n, &w);
	for (int i = 0; i < c->argc && c->way != LAUNCH_SRUN; i++) {
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
