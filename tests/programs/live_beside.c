/* live_beside.c: one thread of a rank waits in MPI while another one works. As arguments say:
 *   serve N            a thread of rank 0 answers N requests of each rank, its own too
 *   compute OWN OTHER  a thread of rank 0 computes for OWN seconds while the first one waits for
 *                      rank 1, which computes for OTHER seconds
 *   calls N            of rank 0 N times three calls of MPI, while a thread sleeps
 *   spin SECONDS       a thread of rank 0 does nothing but wait, by spinning, while the first one
 *                      looks for what rank 1 sends after SECONDS of computation; below 0: it sleeps
 * instead */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ASK, END };
static int rank;

static void *serve(void *unused)
{
	int n, value = 0;
	MPI_Status s;

	for (;;) {
		MPI_Recv(&n, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &s);
		if (s.MPI_TAG == END)
			return unused;
		MPI_Ssend(&value, 1, MPI_INT, s.MPI_SOURCE, 2, MPI_COMM_WORLD);
		value += n;
	}
}

static void ask(int times)
{
	int one = 1, value;
	pthread_t server;

	if (rank == 0)
		pthread_create(&server, NULL, serve, NULL);
	for (int i = 0; i < times; i++) {
		MPI_Ssend(&one, 1, MPI_INT, 0, ASK, MPI_COMM_WORLD);
		MPI_Recv(&value, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0) {
		MPI_Ssend(&one, 1, MPI_INT, 0, END, MPI_COMM_WORLD);
		pthread_join(server, NULL);
	}
}

static double busy(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void compute(double seconds)
{
	double end = busy() + seconds;

	while (busy() < end)
		;
}

static void *work(void *seconds)
{
	compute(*(double *)seconds);
	MPI_Barrier(MPI_COMM_SELF); /* what it computed is told */
	return NULL;
}

static void wait_for(double own, double other)
{
	pthread_t worker;
	int value = 0;

	if (rank == 1) {
		compute(other);
		MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	} else if (rank == 0) {
		pthread_create(&worker, NULL, work, &own);
		MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		pthread_join(worker, NULL);
	}
}

static _Atomic int over;

static void *spin(void *sleeps)
{
	const struct timespec moment = {.tv_nsec = 100000000};

	while (!over)
		if (*(int *)sleeps)
			nanosleep(&moment, NULL);
	return NULL;
}

static void look_for(double other)
{
	int sleeps = other < 0, value = 0, came = 0;
	pthread_t waits;
	MPI_Request r;

	if (rank == 1) {
		compute(sleeps ? -other : other);
		MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	} else if (rank == 0) {
		pthread_create(&waits, NULL, spin, &sleeps);
		MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &r);
		while (!came)
			MPI_Test(&r, &came, MPI_STATUS_IGNORE);
		over = 1;
		pthread_join(waits, NULL);
	}
}

static void *sleep_on(void *unused)
{
	pause();
	return unused;
}

static void call(int times)
{
	int value = 0;
	pthread_t sleeps;
	MPI_Request r;

	pthread_create(&sleeps, NULL, sleep_on, NULL);
	for (int i = 0; i < times; i++) {
		MPI_Irecv(&value, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &r);
		MPI_Send(&value, 1, MPI_INT, rank, 0, MPI_COMM_WORLD);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
	}
	pthread_cancel(sleeps);
	pthread_join(sleeps, NULL);
}

int main(int argc, char **argv)
{
	int level;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (level != MPI_THREAD_MULTIPLE || argc < 3)
		MPI_Abort(MPI_COMM_WORLD, 1);
	if (strcmp(argv[1], "serve") == 0)
		ask(atoi(argv[2]));
	else if (strcmp(argv[1], "calls") == 0)
		call(atoi(argv[2]));
	else if (strcmp(argv[1], "spin") == 0)
		look_for(atof(argv[2]));
	else
		wait_for(atof(argv[2]), atof(argv[3]));
	MPI_Finalize();
	return 0;
}
