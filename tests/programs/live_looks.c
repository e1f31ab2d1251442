/* live_looks.c: rank 0 looks into its own window until rank 1, which sleeps first, has put
 * something there: with a lock for each look, by MPI_Get, by MPI_Fetch_and_op. It ends if looking
 * takes time. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

static int look(int how, const volatile int *memory, MPI_Win w)
{
	int x = 0, none = 0;

	if (how == 0) {
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w);
		x = *memory;
		MPI_Win_unlock(0, w);
		return x;
	}
	MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, w);
	if (how == 1)
		MPI_Get(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, w);
	else
		MPI_Fetch_and_op(&none, &x, MPI_INT, 0, 0, MPI_NO_OP, w);
	MPI_Win_unlock(0, w);
	return x;
}

int main(int argc, char **argv)
{
	int rank, one = 1, *memory;
	MPI_Win w;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int how = 0; how < 3; how++) {
		double begin = MPI_Wtime(), took;

		MPI_Win_allocate(sizeof one, sizeof one, MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
		                 &w);
		*memory = 0;
		MPI_Barrier(MPI_COMM_WORLD);
		if (rank == 0) {
			while (!look(how, memory, w))
				;
			took = MPI_Wtime() - begin;
			printf("seen %d: %d\n", how, took > 5e-4 && took < 2e-3);
		} else {
			usleep(500);
			MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w);
			MPI_Put(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, w);
			MPI_Win_unlock(0, w);
		}
		MPI_Win_free(&w);
	}
	MPI_Finalize();
	return 0;
}
