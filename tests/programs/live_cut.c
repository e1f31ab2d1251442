/* Talks in two communicators of half the ranks, for ever; rank 0 says when it is under way. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	MPI_Comm parity, half;
	double mine = 1, sum;
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &parity);
	MPI_Comm_split(MPI_COMM_WORLD, rank / 2, 0, &half);
	for (int round = 0;; round++) {
		MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, parity);
		MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, half);
		if (round == 50 && rank == 0) {
			puts("under way");
			fflush(stdout);
		}
	}
}
