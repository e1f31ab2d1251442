/* looks_up.c LIBRARY: a program that is linked with no MPI: it loads that one and looks up each
 * function that it calls. What else it looks up is found as without a tracer. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static void *library;

static void *found(const char *name)
{
	void *p = dlsym(library, name);

	if (!p || dlerror())
		fprintf(stderr, "%s is not found\n", name);
	return p;
}

int main(int argc, char **argv)
{
	int (*init)(int *, char ***), (*barrier)(void *), (*finalize)(void);
	const char *error;
	int failed = 0;

	library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
	if (!library) {
		fprintf(stderr, "%s\n", argc > 1 ? dlerror() : "no library");
		return 1;
	}
	if (dlsym(library, "MPI_None") || !(error = dlerror()) || !strstr(error, "MPI_None"))
		failed += printf("MPI_None is found, or its error is not\n");
	if (dlsym(library, "nonsense") || !(error = dlerror()) || !strstr(error, "nonsense"))
		failed += printf("nonsense is found, or its error is not\n");
	if (dlsym(RTLD_DEFAULT, "main_of_nobody") || !dlerror())
		failed += printf("what nobody has is found\n");
	if (dlsym(RTLD_NEXT, "strtod") != dlsym(RTLD_DEFAULT, "strtod") || dlerror())
		failed += printf("the next strtod is another one than the first\n");
	*(void **)&init = found("MPI_Init");
	*(void **)&barrier = found("MPI_Barrier");
	*(void **)&finalize = found("MPI_Finalize");
	if (!init || !barrier || !finalize)
		return 1;
	init(&argc, &argv);
	/* MPI_COMM_WORLD: an object of Open MPI's, a number of MPICH's */
	barrier(dlsym(library, "ompi_mpi_comm_world") ? dlsym(library, "ompi_mpi_comm_world")
	                                              : (void *)(uintptr_t)0x44000000);
	finalize();
	printf("done, %d failed\n", failed);
	return failed > 0;
}
