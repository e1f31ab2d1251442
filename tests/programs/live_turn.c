/* live_turn.c [sync]: rank 1 puts into rank 0's window, and rank 0 waits for that in its memory, in
 * a loop without a call of MPI, or with sync with MPI_Win_sync in it. Prints "came". */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	volatile int *memory;
	int rank, one = 1;
	MPI_Win win;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD,
	                 (void *)&memory, &win);
	*memory = 0;
	MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 1) {
		MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_REPLACE, win);
		MPI_Win_flush(0, win);
	}
	while (rank == 0 && !*memory)
		if (argc > 1)
			MPI_Win_sync(win);
	if (rank == 0)
		puts("came");
	MPI_Win_unlock_all(win);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
