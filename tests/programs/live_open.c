/* live_open.c: a program that opens two plug-ins, and MPI's library, while it runs; compiled with
 * PLUG_IN it is one. Each rank has its own, both have the same names, and the second needs a name
 * that the first, which is open to all, has. Prints what must be the same however ranks are held.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#ifdef PLUG_IN
static int begun = 10;
static __thread int calls = PLUG_IN * 100;
int common_name = PLUG_IN;

__attribute__((constructor)) static void begin(void)
{
	begun++;
}

#if PLUG_IN == 2
int of_first(int x);
#else
int of_first(int x);
int of_first(int x)
{
	return x * 1000;
}
#endif

int sum(int rank);
int sum(int rank)
{
	int all = 0;

	MPI_Allreduce(&rank, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	calls += rank;
	return all + calls + begun * 10000 + common_name * 1000000 + of_first(rank);
}
#else
union symbol {
	void *object;
	int (*function)(int rank);
	int *number;
};

/* A function within a function, whose address makes the stack run. */
static int within(int x)
{
#if defined __GNUC__ && !defined __clang__
	int add(int y)
	{
		return x + y;
	}
	int (*volatile f)(int y) = add;

	return f(1);
#else
	return x + 1;
#endif
}

int main(int argc, char **argv)
{
	union symbol s, other, name;
	void *first, *second;
	int rank, size, a, b;
	Dl_info mpi;

	(void)argc;
	MPI_Init(NULL, NULL);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	printf("rank %d: %d, none: %d\n", rank, within(rank),
	       dlopen("/nowhere.so", RTLD_NOW) == NULL && strstr(dlerror(), "nowhere") != NULL);
	if (rank > 0) /* not by all at once */
		MPI_Recv(&a, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	first = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
	second = dlopen(argv[2], RTLD_NOW);
	if (rank + 1 < size)
		MPI_Send(&rank, 1, MPI_INT, rank + 1, 0, MPI_COMM_WORLD);
	if (!first || !second) {
		printf("%s\n", dlerror());
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	s.object = dlsym(first, "sum");
	other.object = dlsym(second, "sum");
	name.object = dlsym(second, "common_name");
	s.function(rank);
	a = s.function(rank);
	b = other.function(rank);
	printf("rank %d: %d %d, %d, again %d, gone %d", rank, a, b, *name.number,
	       dlopen(argv[1], RTLD_NOW) == first, dlsym(first, "nothing") == NULL);
	printf(" %d\n", dlclose(second));
	if (!dladdr((void *)(uintptr_t)MPI_Init, &mpi) ||
	    !(first = dlopen(mpi.dli_fname, RTLD_NOW)) || dlclose(first) != 0)
		printf("rank %d: cannot open and close %s\n", rank, mpi.dli_fname);
	MPI_Finalize(); /* in a library that is still there: the program needs it, too */
	return 0;
}
#endif
