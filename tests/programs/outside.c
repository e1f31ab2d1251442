/* outside.c: intercommunicators go on working under the tracer. Two ranks. */
#include <mpi.h>

#include <stdio.h>

static int rank;

static void intercommunicator(void)
{
	MPI_Comm inter, merged;
	int a = rank, b = -1;

	MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 1 - rank, 3, &inter);
	MPI_Sendrecv(&a, 1, MPI_INT, 0, 4, &b, 1, MPI_INT, 0, 4, inter, MPI_STATUS_IGNORE);
	if (b != 1 - rank)
		MPI_Abort(MPI_COMM_WORLD, 3);
	MPI_Intercomm_merge(inter, rank, &merged);
	MPI_Allreduce(&a, &b, 1, MPI_INT, MPI_SUM, merged);
	if (b != 1)
		MPI_Abort(MPI_COMM_WORLD, 3);
	MPI_Comm_free(&merged);
	MPI_Comm_free(&inter);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	intercommunicator();
	if (rank == 0)
		printf("outside: all right\n");
	MPI_Finalize();
	return 0;
}
