/* script.c: commands that say what they run in a script: which MPI that is linked with.
 *
 * Looked at are the words of text files that the command names (./run.sh, a table of srun's
 * --multi-prog) and of its own words with blanks (bash -c '…'). */
#include "command_int.h"

#include "base/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of the first word of a text that names a program with one. */
static enum mpi_family family_in_text(char *text)
{
	static const char between[] = " \t\r\n\"'`;|&()<>{}";
	enum mpi_family f = MPI_UNKNOWN;

	for (char *at, *word = strtok_r(text, between, &at); word && f == MPI_UNKNOWN;
	     word = strtok_r(NULL, between, &at))
		f = command_word_family(word);
	return f;
}

/* The beginning of a file, if that is text; freed by the caller. */
static char *text_of_file(const char *word)
{
	enum { MOST = 65536 };
	char *path = access(word, R_OK) == 0 ? strdup(word) : program_file(word),
	     *text = path ? malloc(MOST + 1) : NULL;
	struct stat st;
	FILE *f = text && stat(path, &st) == 0 && S_ISREG(st.st_mode) ? fopen(path, "re") : NULL;
	size_t n = f ? fread(text, 1, MOST, f) : 0;

	if (f)
		fclose(f);
	free(path);
	if (n == 0 || memchr(text, '\0', n)) {
		free(text);
		return NULL;
	}
	text[n] = '\0';
	return text;
}

static enum mpi_family family_behind(const char *word)
{
	char *text = strpbrk(word, " \t\n") ? strdup(word) : text_of_file(word);
	enum mpi_family f = text ? family_in_text(text) : MPI_UNKNOWN;

	free(text);
	return f;
}

enum mpi_family script_family(const struct command *c)
{
	enum mpi_family f = MPI_UNKNOWN;

	for (int i = 0; i < c->argc && f == MPI_UNKNOWN; i++)
		f = family_behind(c->argv[i]);
	return f;
}
