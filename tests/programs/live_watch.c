/* live_watch.c: what is told of a program: threads (how long the computation of three threads
 * takes), poll (two ranks that look for a message nobody sends), leak (a message nobody receives, a
 * communicator that is never freed), counts (a collective whose counts do not fit). */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static double processor(void)
{
	struct timespec t;

	syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *busy(void *seconds)
{
	double start = processor();

	while (processor() - start < *(double *)seconds)
		;
	return NULL;
}

static void threads(void)
{
	double amount[] = {0.2, 0.1}, own = 0.02, start = MPI_Wtime();
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, busy, &amount[i]);
	busy(&own);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("%.0f ms\n", 1e3 * (MPI_Wtime() - start));
}

static void poll(void)
{
	int flag = 0, value;
	MPI_Request r;

	MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &r);
	while (!flag)
		MPI_Test(&r, &flag, MPI_STATUS_IGNORE);
}

static void leak(int rank)
{
	MPI_Comm twin;

	MPI_Comm_dup(MPI_COMM_WORLD, &twin); /* line 56 */
	if (rank == 0)
		MPI_Send(&rank, 1, MPI_INT, 1, 7, MPI_COMM_WORLD); /* line 58 */
	MPI_Barrier(MPI_COMM_WORLD);
}

static void counts(int rank)
{
	int mine[64] = {0}, all[256];

	MPI_Gather(mine, rank == 0 ? 1 : 64, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (strcmp(argv[1], "threads") == 0)
		threads();
	else if (strcmp(argv[1], "poll") == 0)
		poll();
	else if (strcmp(argv[1], "leak") == 0)
		leak(rank);
	else
		counts(rank);
	MPI_Finalize();
	return 0;
}
