/* spawn_fortran.c: MPI_COMM_SPAWN of Fortran. Its command and arguments become C's, which
 * before_spawn replaces (worlds.h), and what replaces them becomes Fortran's: characters padded
 * with blanks, and an array of them that a blank one ends. */
#include "record.h"
#include "tracer.h"

#include <stdlib.h>
#include <string.h>

static int is_argv_null(const void *argv)
{
#if defined(OPEN_MPI)
	return argv == mpi_object("mpi_fortran_argv_null_");
#else
	void **null = mpi_object("MPI_F_ARGV_NULL");

	return (null && argv == *null) ||
	       argv == mpi_object("__mpi_f08_link_constants_MOD_mpi_argv_null");
#endif
}

static size_t trimmed(const char *text, size_t n)
{
	while (n > 0 && text[n - 1] == ' ')
		n--;
	return n;
}

static void words_free(char **words)
{
	for (char **w = words; w && *w; w++)
		free(*w);
	free(words);
}

/* Up to the blank one. NULL: no memory. */
static char **words_of(const char *argv, size_t length)
{
	size_t n = 0;
	char **words;

	while (!is_argv_null(argv) && trimmed(argv + n * length, length) > 0)
		n++;
	words = calloc(n + 1, sizeof *words);
	for (size_t i = 0; words && i < n; i++) {
		const char *at = argv + i * length;

		words[i] = strndup(at, trimmed(at, length));
		if (!words[i]) {
			words_free(words);
			return NULL;
		}
	}
	return words;
}

/* The length of the longest; 0: there is one that Fortran cannot say, as it ends with a blank. */
static size_t length_of(const char *command, char *const *words, size_t *n)
{
	size_t most = strlen(command);

	for (*n = 0; words[*n]; ++*n) {
		size_t length = strlen(words[*n]);

		if (length == 0 || words[*n][length - 1] == ' ')
			return 0;
		most = length > most ? length : most;
	}
	return most;
}

static char *character_put(char *at, const char *text, size_t length)
{
	memcpy(at, text, strlen(text));
	return at + length;
}

/* The command, the words, a blank one. NULL: they cannot be said, or no memory. */
static char *characters_make(const char *command, char *const *words, size_t *length)
{
	size_t n;
	char *out, *at;

	*length = length_of(command, words, &n);
	out = *length > 0 ? malloc((n + 2) * *length) : NULL;
	if (!out)
		return NULL;
	memset(out, ' ', (n + 2) * *length);
	at = character_put(out, command, *length);
	for (size_t i = 0; i < n; i++)
		at = character_put(at, words[i], *length);
	return out;
}

void before_spawn_fortran(struct call *c, void **command, void **argv, size_t *command_length,
                          size_t *argv_length)
{
	char *name, **words, **given;
	const char *with;
	int rank;

	c->characters = NULL;
	PMPI_Comm_rank(c->comm, &rank);
	if (rank != c->root) /* elsewhere they need not be anything */
		return;
	with = name = strndup(*command, trimmed(*command, *command_length));
	given = words = words_of(*argv, *argv_length);
	if (name && words) {
		before_spawn(c, &with, &given);
		if (c->extra)
			c->characters = characters_make(with, given, argv_length);
	}
	if (c->characters) {
		*command = c->characters;
		*command_length = *argv_length;
		*argv = c->characters + *argv_length;
	}
	free(name);
	words_free(words);
}

void after_spawn_fortran(struct call *c)
{
	free(c->characters);
}
