/* Writes behind what it was given if it has an argument: for AddressSanitizer. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	int rank, *p = calloc(10, sizeof *p);

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Barrier(MPI_COMM_WORLD);
	p[argc > 1 ? 10 : 0] = 1;
	printf("%d is right\n", rank);
	free(p);
	MPI_Finalize();
	return 0;
}
