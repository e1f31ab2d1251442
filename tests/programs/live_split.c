/* live_split.c: MPI_Comm_split into ten; each rank checks its place in what it got. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	int rank, size, place, members, wrong, all;
	MPI_Comm tenth;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Comm_split(MPI_COMM_WORLD, rank % 10, -rank, &tenth);
	MPI_Comm_rank(tenth, &place);
	MPI_Comm_size(tenth, &members);
	wrong = members != size / 10 || place != (size - 1 - rank) / 10;
	MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
	if (rank == 0)
		printf("%d of %d ranks are wrong\n", all, size);
	MPI_Finalize();
	return 0;
}
