/* bound.c: the library of bound_deep.c. */
#include <mpi.h>
#include <stdio.h>

int bound_sum(void);
int bound_sum(void)
{
	int rank, sum;

	MPI_Init(NULL, NULL);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	rank++;
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	if (rank == 1)
		printf("sum %d\n", sum);
	MPI_Finalize();
	return 0;
}
