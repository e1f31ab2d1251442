/* A thread of rank 0 that communicates while the first one computes: it waits for five messages of
 * rank 1, which computes before each, or looks for one that never comes. A word says which; printed
 * is the simulated time until both have come together. */
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { MESSAGES = 5 };
#define PART 0.05 /* s */

static int rank;
static atomic_int done;

static double busy(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void compute(double seconds)
{
	double begin = busy();

	while (busy() - begin < seconds)
		;
}

static void *waits(void *none)
{
	int x = 0;

	for (int i = 0; i < MESSAGES; i++) {
		if (rank == 0) {
			MPI_Recv(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			continue;
		}
		compute(PART);
		MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	}
	return none;
}

static void *looks(void *none)
{
	int flag = 0;

	while (!done)
		MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
	return none;
}

int main(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : "";
	void *(*what)(void *) = !strcmp(word, "waits")   ? waits
	                        : !strcmp(word, "looks") ? looks
	                                                 : NULL;
	pthread_t thread;
	int level;
	double begin;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Barrier(MPI_COMM_WORLD);
	begin = MPI_Wtime();
	if (what && pthread_create(&thread, NULL, what, NULL) != 0)
		MPI_Abort(MPI_COMM_WORLD, 3);
	if (rank == 0 || what != waits)
		compute(MESSAGES * PART);
	done = what == looks;
	if (what)
		pthread_join(thread, NULL);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0)
		printf("%.6f\n", MPI_Wtime() - begin);
	MPI_Finalize();
	return 0;
}
