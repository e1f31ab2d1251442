/* ring.c: a token goes round; every rank adds one and computes a little. */
#include <mpi.h>

#include <stdio.h>

int main(int argc, char **argv)
{
	int rank, size, token = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (rank > 0)
		MPI_Recv(&token, 1, MPI_INT, rank - 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	token++;
	if (size > 1)
		MPI_Send(&token, 1, MPI_INT, (rank + 1) % size, 7, MPI_COMM_WORLD);
	if (rank == 0 && size > 1)
		MPI_Recv(&token, 1, MPI_INT, size - 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (rank == 0)
		printf("token %d\n", token);
	MPI_Finalize();
	return 0;
}
