/* spawn_fortran.c: MPI_COMM_SPAWN and MPI_COMM_SPAWN_MULTIPLE of Fortran. Their commands and
 * arguments become C's, which before_spawn_multiple replaces (worlds.h), and what replaces them
 * becomes Fortran's: characters padded with blanks, commands one after the other, and a column of
 * commands' first arguments, one of their second ones, and so on. A blank one ends a command's. */
#include "record.h"
#include "tracer.h"

#include <stdlib.h>
#include <string.h>

/* Commands and their arguments, as C has them. */
struct words {
	int n;
	char **command, ***argv;
};

static int is_argv_null(const void *argv)
{
#if defined(OPEN_MPI)
	return argv == mpi_object("mpi_fortran_argv_null_") ||
	       argv == mpi_object("mpi_fortran_argvs_null_");
#else
	void **null = mpi_object("MPI_F_ARGV_NULL"), **nulls = mpi_object("MPI_F_ARGVS_NULL");

	return (null && argv == *null) || (nulls && argv == *nulls) ||
	       argv == mpi_object("__mpi_f08_link_constants_MOD_mpi_argv_null") ||
	       argv == mpi_object("__mpi_f08_link_constants_MOD_mpi_argvs_null");
#endif
}

static size_t trimmed(const char *text, size_t n)
{
	while (n > 0 && text[n - 1] == ' ')
		n--;
	return n;
}

static void list_free(char **list)
{
	for (char **w = list; w && *w; w++)
		free(*w);
	free(list);
}

static void words_free(struct words *w)
{
	for (int i = 0; w->argv && i < w->n; i++)
		list_free(w->argv[i]);
	free(w->argv);
	list_free(w->command);
}

/* Every step-th up to the blank one. NULL: no memory. */
static char **list_of(const char *argv, size_t length, size_t step)
{
	size_t n = 0;
	char **list;

	while (argv && trimmed(argv + n * step * length, length) > 0)
		n++;
	list = calloc(n + 1, sizeof *list);
	for (size_t i = 0; list && i < n; i++) {
		const char *at = argv + i * step * length;

		list[i] = strndup(at, trimmed(at, length));
		if (!list[i]) {
			list_free(list);
			return NULL;
		}
	}
	return list;
}

/* 0, or -1: no memory. To be freed in any case. */
static int words_of(struct words *w, const char *command, size_t command_length, const char *argv,
                    size_t argv_length)
{
	size_t n = (size_t)w->n;

	if (is_argv_null(argv))
		argv = NULL;
	w->command = calloc(n + 1, sizeof *w->command);
	w->argv = calloc(n, sizeof *w->argv);
	for (size_t i = 0; w->command && w->argv && i < n; i++) {
		const char *at = command + i * command_length;

		w->command[i] = strndup(at, trimmed(at, command_length));
		w->argv[i] = list_of(argv ? argv + i * argv_length : NULL, argv_length, n);
		if (!w->command[i] || !w->argv[i])
			return -1;
	}
	return w->command && w->argv ? 0 : -1;
}

static size_t longer(size_t a, size_t b)
{
	return a > b ? a : b;
}

/* The length of the longest, and how many arguments a command has at most. 0: there is one that
 * Fortran cannot say, as it ends with a blank. */
static size_t length_of(const struct words *w, size_t *columns)
{
	size_t most = 0;

	*columns = 0;
	for (int i = 0; i < w->n; i++) {
		size_t n = 0;

		most = longer(most, strlen(w->command[i]));
		for (; w->argv[i][n]; n++) {
			size_t length = strlen(w->argv[i][n]);

			if (length == 0 || w->argv[i][n][length - 1] == ' ')
				return 0;
			most = longer(most, length);
		}
		*columns = longer(*columns, n);
	}
	return most;
}

static void character_put(char *out, size_t at, size_t length, const char *text)
{
	memcpy(out + at * length, text, strlen(text));
}

/* The commands, their columns of arguments, a column of blank ones. NULL: they cannot be said, or
 * no memory. */
static char *characters_make(const struct words *w, size_t *length)
{
	size_t columns, n = (size_t)w->n, bytes;
	char *out;

	*length = length_of(w, &columns);
	if (*length == 0 || __builtin_mul_overflow((columns + 2) * n, *length, &bytes))
		return NULL;
	out = malloc(bytes);
	if (!out)
		return NULL;
	memset(out, ' ', bytes);
	for (size_t i = 0; i < n; i++) {
		character_put(out, i, *length, w->command[i]);
		for (size_t j = 0; w->argv[i][j]; j++)
			character_put(out, (j + 1) * n + i, *length, w->argv[i][j]);
	}
	return out;
}

void before_spawn_fortran(struct call *c, int n, void **commands, void **argvs,
                          size_t *command_length, size_t *argv_length)
{
	struct words own = {.n = n}, with;
	int rank;

	c->characters = NULL;
	c->extra = NULL;
	PMPI_Comm_rank(c->comm, &rank);
	if (rank != c->root || n <= 0) /* elsewhere they need not be anything */
		return;
	if (words_of(&own, *commands, *command_length, *argvs, *argv_length) == 0) {
		with = own;
		before_spawn_multiple(c, n, &with.command, &with.argv);
		if (c->extra)
			c->characters = characters_make(&with, argv_length);
	}
	if (c->characters) {
		*commands = c->characters;
		*command_length = *argv_length;
		*argvs = c->characters + (size_t)n * *argv_length;
	}
	words_free(&own);
}

void after_spawn_fortran(struct call *c)
{
	free(c->characters);
}
