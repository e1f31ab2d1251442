/* threads.c: two threads a rank, each with a communicator of its own, exchange messages and make
 * further communicators at the same time. */
#include <mpi.h>

#include <pthread.h>
#include <stdio.h>

enum { THREADS = 2, ROUNDS = 200 };
static int rank, size;
static MPI_Comm comms[THREADS];

static void *exchange(void *arg)
{
	MPI_Comm comm = *(MPI_Comm *)arg;
	int out = rank, in = -1;

	for (int i = 0; i < ROUNDS; i++) {
		MPI_Request r[2];
		MPI_Comm more;
		int sum = 0;

		if (i % 20 == 0) {
			if (i % 40)
				MPI_Comm_dup(comm, &more);
			else
				MPI_Comm_split(comm, 0, rank, &more);
			MPI_Barrier(more);
			MPI_Comm_free(&more);
		}

		MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, i, comm, &r[0]);
		MPI_Isend(&out, 1, MPI_INT, (rank + 1) % size, i, comm, &r[1]);
		MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
		MPI_Sendrecv(&out, 1, MPI_INT, (rank + 1) % size, i, &in, 1, MPI_INT,
		             MPI_ANY_SOURCE, i, comm, MPI_STATUS_IGNORE);
		if (rank == 0)
			MPI_Send(&out, 1, MPI_INT, 1, i, comm);
		else if (rank == 1)
			MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, i, comm, MPI_STATUS_IGNORE);
		MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
		if (sum != size * (size - 1) / 2 || (rank != 1 && in != (rank + size - 1) % size))
			MPI_Abort(MPI_COMM_WORLD, 3);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[THREADS];
	int provided;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 0; i < THREADS; i++)
		MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
	if (provided < MPI_THREAD_MULTIPLE && rank == 0)
		printf("threads: this MPI does not support them\n");
	for (int i = 0; i < THREADS; i++) {
		if (provided < MPI_THREAD_MULTIPLE)
			exchange(&comms[i]);
		else
			pthread_create(&t[i], NULL, exchange, &comms[i]);
	}
	for (int i = 0; i < THREADS && provided == MPI_THREAD_MULTIPLE; i++)
		pthread_join(t[i], NULL);
	if (rank == 0)
		printf("threads: all right\n");
	MPI_Finalize();
	return 0;
}
