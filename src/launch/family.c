/* family.c: whose MPI a program is linked with, and a launcher starts ranks of. */
#include "command_int.h"

#include "base/program.h"
#include "launch.h"

#include <stdlib.h>
#include <string.h>

enum mpi_family command_word_family(const char *word)
{
	char *path = program_file(word);
	enum mpi_family f = path ? mpi_family_of_program(path) : MPI_UNKNOWN;

	free(path);
	return f;
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
