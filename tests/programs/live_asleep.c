/* live_asleep.c: rank 0 waits for rank 1 past MPI, by a pipe that both inherited. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int rank, from, to;
	char byte = 1;

	if (argc != 3)
		return 2;
	from = atoi(argv[1]);
	to = atoi(argv[2]);
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0 && read(from, &byte, 1) == 1)
		printf("came\n");
	if (rank == 1 && write(to, &byte, 1) != 1)
		return 1;
	MPI_Finalize();
	return 0;
}
