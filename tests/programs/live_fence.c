/* live_fence.c: the fence of a rank waits for what another puts into its window; the barrier that
 * is part of it begins after a third rank's call. Three ranks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { N = 1 << 18 };

int main(int argc, char **argv)
{
	int rank, *cells = calloc(N, sizeof *cells), *values = calloc(N, sizeof *values), got = 0;
	MPI_Comm pair;
	MPI_Win win;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_split(MPI_COMM_WORLD, rank == 2, rank, &pair);
	if (rank == 2) {
		usleep(3000); /* the way of the data takes 9 ms on graphene */
		MPI_Ssend(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
	} else {
		MPI_Win_create(cells, N * sizeof *cells, sizeof *cells, MPI_INFO_NULL, pair, &win);
		for (int i = 0; i < N; i++)
			values[i] = i + 1;
		MPI_Win_fence(0, win);
		if (rank == 0)
			MPI_Put(values, N, MPI_INT, 1, 0, N, MPI_INT, win);
		MPI_Win_fence(0, win);
		MPI_Win_free(&win);
	}
	if (rank == 1) {
		MPI_Recv(&got, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		for (int i = 0; i < N; i++)
			got += cells[i] != i + 1;
		printf("fence: %s\n", got == 2 ? "all right" : "wrong");
	}
	MPI_Finalize();
	return 0;
}
