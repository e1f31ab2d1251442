/* live_pollers.c: all ranks but the first look for its message between two pieces of work, many
 * thousand times and all at the same dates, while it does something else for long. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { BUSY_US = 200000, PIECE_US = 30 };

int main(int argc, char **argv)
{
	int rank, size, found = 0, token = 7;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (rank == 0) {
		usleep(BUSY_US);
		for (int i = 1; i < size; i++)
			MPI_Send(&token, 1, MPI_INT, i, 0, MPI_COMM_WORLD);
	}
	while (rank > 0 && !found) {
		MPI_Iprobe(0, 0, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
		if (!found)
			usleep(PIECE_US);
	}
	if (rank > 0)
		MPI_Recv(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == size - 1)
		printf("came: %d\n", token);
	MPI_Finalize();
	return 0;
}
