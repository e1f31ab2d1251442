/* live_ring.c: a token goes round three times; then the ranks reduce and broadcast. Rank 0 prints
 * what came, so that a test compares it with what it must be. */
#include <mpi.h>
#include <stdio.h>

static void ring(int rank, int size)
{
	MPI_Status s;
	int x = 0;

	for (int i = 0; i < 3; i++) {
		if (rank == 0) {
			x = 100 * i;
			MPI_Send(&x, 1, MPI_INT, 1 % size, 7, MPI_COMM_WORLD);
			MPI_Recv(&x, 1, MPI_INT, size - 1, 7, MPI_COMM_WORLD, &s);
			printf("token %d from %d\n", x, s.MPI_SOURCE);
		} else {
			MPI_Recv(&x, 1, MPI_INT, rank - 1, 7, MPI_COMM_WORLD, &s);
			x++;
			MPI_Send(&x, 1, MPI_INT, (rank + 1) % size, 7, MPI_COMM_WORLD);
		}
	}
}

int main(int argc, char **argv)
{
	double half, sum = 0;
	int rank, size, told;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	ring(rank, size);
	half = rank + 0.5;
	MPI_Allreduce(&half, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	told = rank == 2 ? 42 : 0;
	MPI_Bcast(&told, 1, MPI_INT, 2, MPI_COMM_WORLD);
	if (rank == 0)
		printf("sum %g, told %d\n", sum, told);
	MPI_Finalize();
	return 0;
}
