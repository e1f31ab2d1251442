/* srun.c: settings for ranks that Slurm's srun starts.
 *
 * srun hands its own environment on, and says by --export which of it (srun(1)). So the settings
 * are put into that by env(1), but LD_PRELOAD: the tracer is not to be loaded into srun. This one
 * stands in --export, which is given for each program of "srun a : b". What srun hands on by itself
 * goes before what --export says, so a LD_PRELOAD of the user's is taken from its environment; it
 * is in the value already. A script is run as it is, and so is "bash -c …".
 *
 * srun does not say which MPI its ranks have. Where neither a word of the command nor a script
 * (script.c) names a program linked with one, the mpirun in PATH says it. */
#include "command_int.h"

#include "base/program.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char preload[] = "LD_PRELOAD";

int srun_of(const char *const *argv, int argc)
{
	for (int i = 0; i < argc; i++) {
		const char *slash = strrchr(argv[i], '/');

		if (strcmp(slash ? slash + 1 : argv[i], "srun") == 0)
			return i;
	}
	return -1;
}

/* --- the family --- */

enum mpi_family srun_family(void)
{
	static const char *const launchers[] = {"mpirun", "mpiexec"};
	enum mpi_family f = MPI_UNKNOWN;
	struct err ignored;

	for (size_t i = 0; i < sizeof launchers / sizeof *launchers && f == MPI_UNKNOWN; i++) {
		char *path = program_file(launchers[i]);
		if (path)
			f = command_launcher_family(path, &ignored);
		free(path);
	}
	return f;
}

/* --- the command --- */

/* srun parts the list at commas that are in no quotes, and takes quotes round a whole element away.
 * It looks for both kinds, also within one another. */
int srun_takes(const struct setting *s, int n, struct err *err)
{
	for (int i = 0; i < n; i++)
		if (strcmp(s[i].name, preload) == 0 && strpbrk(s[i].value, "'\""))
			return err_set(err, ERR_INPUT,
			               "trace: srun's --export takes no value with quotes, as that "
			               "of LD_PRELOAD: %s. ORRERY_TRACER_DIR names another folder, "
			               "such as a symbolic link to this one",
			               s[i].value);
	return 0;
}

/* The user's --export among the options from word i on: its value, or NULL; *at: where it begins,
 * *words: of how many it is. */
static const char *export_of_user(const struct command *c, int i, int *at, int *words)
{
	static const char option[] = "--export";
	size_t n = sizeof option - 1;

	for (; i < c->argc && i != c->program && strcmp(c->argv[i], ":") != 0; i++) {
		char *path = c->argv[i][0] != '-' && strchr(c->argv[i], '/')
		                 ? program_file(c->argv[i])
		                 : NULL;
		int is_file = path && access(path, X_OK) == 0;

		free(path);
		if (is_file) /* the program, or a script: what follows is its own */
			break;
		*at = i;
		if (strncmp(c->argv[i], option, n) != 0)
			continue;
		*words = c->argv[i][n] == '=' ? 1 : 2;
		if (*words == 1)
			return c->argv[i] + n + 1;
		if (c->argv[i][n] == '\0' && i + 1 < c->argc)
			return c->argv[i + 1];
	}
	return NULL;
}

/* --export=ALL,LD_PRELOAD=…, or of what the user exports; but of nothing else by NONE. */
static void export_add(struct words *w, const char *user, const struct setting *s, int n)
{
	static const char everything[] = "ALL";
	struct str out = {0};
	const char *comma;

	if (!user)
		user = getenv("SLURM_EXPORT_ENV");
	if (!user || !*user)
		user = everything;
	if (text_same(user, "NONE"))
		user = "";
	comma = *user ? "," : "";
	str_printf(&out, "--export=%s", user);
	for (int i = 0; i < n; i++, comma = ",") {
		if (strcmp(s[i].name, preload) != 0)
			str_printf(&out, "%s%s", comma, s[i].name);
		else if (strchr(s[i].value, ','))
			str_printf(&out, "%s'%s=%s'", comma, s[i].name, s[i].value);
		else
			str_printf(&out, "%s%s=%s", comma, s[i].name, s[i].value);
	}
	word_add(w, out.failed ? NULL : strdup(out.s));
	str_release(&out);
}

static void environment_add(struct words *w, const struct setting *s, int n)
{
	word_copy(w, "env");
	word_copy(w, "-u");
	word_copy(w, preload);
	for (int i = 0; i < n; i++)
		if (strcmp(s[i].name, preload) != 0)
			word_setting(w, &s[i]);
}

void srun_words(const struct command *c, const struct setting *s, int n, struct words *w)
{
	int at = -1, words = 0;

	for (int i = 0; i < c->argc; i++) {
		if (i == c->srun)
			environment_add(w, s, n);
		if (i == c->srun + 1 || (i > c->srun && strcmp(c->argv[i - 1], ":") == 0)) {
			const char *user = export_of_user(c, i, &at, &words);

			export_add(w, user, s, n);
			at = user ? at : -1;
		}
		if (at < 0 || i < at || i >= at + words)
			word_copy(w, c->argv[i]);
	}
}
