/* order.c: what happens in another order than it is called in. A thread calls MPI for the first
 * time while the main thread is in MPI_Ssend, and receives its message; persistent collectives are
 * started in another order by odd ranks than by even ones. */
#include <mpi.h>

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int rank;

static void *answer(void *arg)
{
	int x = 0;

	(void)arg;
	usleep(50000); /* the main thread is in its call by now, most likely */
	MPI_Recv(&x, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	x++;
	MPI_Send(&x, 1, MPI_INT, rank, 2, MPI_COMM_WORLD);
	return NULL;
}

static int threads(void)
{
	pthread_t t;
	int x = 41;

	pthread_create(&t, NULL, answer, NULL);
	MPI_Ssend(&x, 1, MPI_INT, rank, 1, MPI_COMM_WORLD);
	MPI_Recv(&x, 1, MPI_INT, rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	pthread_join(t, NULL);
	return x == 42;
}

static int persistent(void)
{
#if MPI_VERSION >= 4
	MPI_Request r[2];
	int x = rank == 0 ? 7 : 0, one = 1, size, sum = 0;

	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Bcast_init(&x, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]);
	MPI_Allreduce_init(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]);
	for (int i = 0; i < 3; i++) {
		MPI_Start(&r[rank % 2]);
		MPI_Start(&r[1 - rank % 2]);
		MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	}
	MPI_Request_free(&r[0]);
	MPI_Request_free(&r[1]);
	return x == 7 && sum == size;
#else
	return 1;
#endif
}

int main(int argc, char **argv)
{
	int provided, right;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	right = provided < MPI_THREAD_MULTIPLE || threads();
	if (persistent() && right)
		printf("order: all right\n");
	MPI_Finalize();
	return 0;
}
