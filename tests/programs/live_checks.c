/* live_checks.c: mistakes that a program does not notice (docs/checks.md), each in a function of
 * its own that another one calls: types that differ, a collective whose counts differ, a message
 * that nobody receives. Rank 0 writes a line after each. */
#include <mpi.h>
#include <stdio.h>

static int rank;

static void after(const char *what)
{
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0)
		fprintf(stderr, "after %s\n", what);
	MPI_Barrier(MPI_COMM_WORLD);
}

__attribute__((noinline)) static void types(void)
{
	double d = 1;
	int i[2] = {0};

	if (rank == 0)
		MPI_Send(&d, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* types */
	if (rank == 1)
		MPI_Recv(i, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* takes */
}

__attribute__((noinline)) static void counts(void)
{
	int in[4] = {0}, out[8] = {0};

	MPI_Gather(in, 2, MPI_INT, out, rank ? 2 : 4, MPI_INT, 0, MPI_COMM_WORLD); /* counts */
}

__attribute__((noinline)) static void lost(void)
{
	if (rank == 1)
		MPI_Send(&rank, 1, MPI_INT, 0, 9, MPI_COMM_WORLD); /* lost */
}

__attribute__((noinline)) static void all(void)
{
	types(); /* calls types */
	after("types");
	counts(); /* calls counts */
	after("counts");
	lost(); /* calls lost */
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	all(); /* calls all */
	MPI_Finalize();
	return 0;
}
