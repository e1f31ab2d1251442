/* player.c: see player.h. The player is tracer/player, one program for each MPI family. */
#include "player.h"

#include "command.h"
#include "launch.h"
#include "preload.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 64 };

/* The launcher's words, in a copy of its text. */
static int words_split(char *text, const char **words, int most)
{
	int n = 0;

	while (*(text += strspn(text, " \t"))) {
		if (n == most)
			return -1;
		words[n++] = text;
		text += strcspn(text, " \t");
		if (*text)
			*text++ = '\0';
	}
	return n;
}

static int program_find(const char *launcher, char *path, size_t n, struct err *err)
{
	enum mpi_family family = command_launcher_family(launcher, err);
	char name[64];

	if (family == MPI_UNKNOWN && err->kind != ERR_NONE)
		return -1; /* it could not be asked */
	if (family == MPI_UNKNOWN)
		return err_set(err, ERR_INPUT,
		               "%s is not the mpirun of Open MPI or MPICH that can be started here",
		               launcher);
	snprintf(name, sizeof name, "orrery-player-%s", mpi_family_word(family));
	return preload_find_of(family, name, "there is no player", path, n, err);
}

int launch_player_run(const struct launch_player *p, struct err *err)
{
	const char *words[WORDS + 8];
	char *text = strdup(p->launcher), path[PATH_MAX + 128], ranks[16], rate[40];
	struct launch_command c = {.words = words};
	int n = text ? words_split(text, words, WORDS) : 0, r;

	if (n <= 0) {
		free(text);
		return text ? err_set(err, ERR_INPUT, "'%s' names no launcher such as mpirun",
		                      p->launcher)
		            : err_nomem(err, "a command", strlen(p->launcher));
	}
	snprintf(ranks, sizeof ranks, "%u", p->ranks);
	snprintf(rate, sizeof rate, "%.17g", p->rate);
	words[n++] = "-np";
	words[n++] = ranks;
	words[n++] = path;
	words[n++] = p->trace;
	words[n++] = p->computation;
	if (p->rate > 0)
		words[n++] = rate;
	words[n] = NULL;
	r = program_find(words[0], path, sizeof path, err) < 0 ? -1 : launch_run(&c, err);
	free(text);
	return r;
}
