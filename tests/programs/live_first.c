/* live_first.c: the first thread makes another one and ends (pthread_exit); that one goes on with
 * messages, one-sided communication and a file, and ends the process. Prints "done". */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_t first;

static void fail(const char *what)
{
	printf("wrong: %s\n", what);
	exit(1);
}

static void ring(int rank, int size)
{
	int here = rank, there = -1, left = (rank + size - 1) % size;

	MPI_Sendrecv(&here, 1, MPI_INT, (rank + 1) % size, 0, &there, 1, MPI_INT, left, 0,
	             MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (there != left)
		fail("ring");
}

static void window(int rank, int size)
{
	int memory = -1, right = (rank + 1) % size;
	MPI_Win win;

	MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_fence(0, win);
	MPI_Put(&rank, 1, MPI_INT, right, 0, 1, MPI_INT, win);
	MPI_Win_fence(0, win);
	if (memory != (rank + size - 1) % size)
		fail("window");
	MPI_Win_free(&win);
}

static void *second(void *unused)
{
	int rank, size;

	(void)unused;
	pthread_join(first, NULL);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	ring(rank, size);
	window(rank, size);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0)
		puts("done");
	MPI_Finalize();
	exit(0);
}

int main(int argc, char **argv)
{
	pthread_t thread;
	int provided;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	first = pthread_self();
	pthread_create(&thread, NULL, second, NULL);
	pthread_exit(NULL);
}
