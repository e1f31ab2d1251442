/* regions.c: two calls in a loop, on lines 20 and 22. With -DWRAPPED all calls go through one
 * function,  as in programs that have a library of their own around MPI. */
#include <mpi.h>

#include <stdio.h>

#ifdef WRAPPED
static void __attribute__((noinline)) meet(MPI_Comm comm)
{
	MPI_Barrier(comm);
	__asm__ volatile(""); /* no tail call */
}
#else
#define meet MPI_Barrier
#endif

static void round_of(MPI_Comm comm)
{
	for (int i = 0; i < 5; i++) {
		meet(comm); /* begins the work */
		/* … */
		meet(comm); /* ends it */
	}
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	round_of(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
