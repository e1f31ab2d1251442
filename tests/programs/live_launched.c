/* live_launched.c: what a launcher put into the environment, asked for before MPI_Init: by getenv,
 * or, with -DARRAY, in the array itself. What a rank changes first stays changed. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *ask(const char *name)
{
#ifdef ARRAY
	size_t n = strlen(name);

	for (char **p = environ; p && *p; p++)
		if (strncmp(*p, name, n) == 0 && (*p)[n] == '=')
			return *p + n + 1;
	return "";
#else
	const char *value = getenv(name);

	return value ? value : "";
#endif
}

int main(int argc, char **argv)
{
	unsetenv("PMI_SIZE");
	setenv("OMPI_COMM_WORLD_SIZE", "mine", 0);
	printf("%s of %s, %s of %s, %s%s, %s of %s\n", ask("OMPI_COMM_WORLD_RANK"),
	       ask("OMPI_COMM_WORLD_SIZE"), ask("OMPI_COMM_WORLD_LOCAL_RANK"),
	       ask("OMPI_COMM_WORLD_LOCAL_SIZE"), ask("PMI_RANK"), ask("PMI_SIZE"),
	       ask("MPI_LOCALRANKID"), ask("MPI_LOCALNRANKS"));
	MPI_Init(&argc, &argv);
	MPI_Finalize();
	return 0;
}
