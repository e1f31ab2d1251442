/* live_openmp.c: loops of OpenMP between calls of MPI, a thread-local variable, a critical part. */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>

static _Thread_local int mine;

int main(int argc, char **argv)
{
	int rank, sum = 0, rounds = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int k = 0; k < 3; k++) {
		int all = 0;

#pragma omp parallel num_threads(4)
		{
			mine = omp_get_thread_num() + 1;
#pragma omp for reduction(+ : all)
			for (int i = 0; i <= 20; i++)
				all += i;
#pragma omp critical
			rounds += mine == omp_get_thread_num() + 1;
		}
		sum = all;
		MPI_Barrier(MPI_COMM_WORLD);
	}
	printf("%d: %d of %d, %d\n", rank, sum, omp_get_max_threads(), rounds);
	MPI_Finalize();
	return 0;
}
