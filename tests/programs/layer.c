/* layer.c: a program with a profiling layer of its own, as IPM, mpiP, Score-P or Darshan linked
 * into it are: MPI_Send and MPI_Recv are the program's, and call PMPI. Each rank sends to the next.
 */
#include <mpi.h>

#include <stdio.h>

static int calls;

int MPI_Send(const void *buf, int n, MPI_Datatype type, int dest, int tag, MPI_Comm comm)
{
	calls++;
	return PMPI_Send(buf, n, type, dest, tag, comm);
}

int MPI_Recv(void *buf, int n, MPI_Datatype type, int source, int tag, MPI_Comm comm,
             MPI_Status *status)
{
	calls++;
	return PMPI_Recv(buf, n, type, source, tag, comm, status);
}

int main(int argc, char **argv)
{
	int rank, ranks, got = -1, flag = 0, found = 0;
	MPI_Request r;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (rank > 0)
		MPI_Recv(&got, 1, MPI_INT, rank - 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (rank < ranks - 1)
		MPI_Send(&rank, 1, MPI_INT, rank + 1, 7, MPI_COMM_WORLD);
	/* a loop that looks at a request without completing it computes nothing */
	MPI_Irecv(&got, 1, MPI_INT, (rank + 1) % ranks, 8, MPI_COMM_WORLD, &r);
	MPI_Barrier(MPI_COMM_WORLD);
	PMPI_Send(&rank, 1, MPI_INT, (rank + ranks - 1) % ranks, 8, MPI_COMM_WORLD);
	while (!flag) {
		MPI_Request_get_status(r, &flag, MPI_STATUS_IGNORE);
		found++;
	}
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	PMPI_Barrier(MPI_COMM_WORLD);
	if (calls != 1 + (rank > 0 && rank < ranks - 1) || found < 1)
		printf("rank %d: %d calls\n", rank, calls);
	MPI_Finalize();
	return 0;
}
