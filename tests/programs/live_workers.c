/* live_workers.c: a rank whose library has made a thread that knows no MPI, as libraries of BLAS
 * do. With -DWORKERS the library, else the program: its argument is the library, or nothing. */
#include <pthread.h>
#include <stdio.h>
#ifdef WORKERS

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

static void *work(void *none)
{
	pthread_mutex_lock(&held);
	for (;;)
		pthread_cond_wait(&never, &held);
	return none;
}

static __attribute__((constructor)) void begin(void)
{
	pthread_t worker;

	pthread_create(&worker, NULL, work, NULL);
}
#else
#include <dlfcn.h>
#include <mpi.h>
#include <time.h>

/* Until a date that nobody ends earlier. */
static void wait_some(void)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t none = PTHREAD_COND_INITIALIZER;
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 100;
	pthread_mutex_lock(&mutex);
	pthread_cond_timedwait(&none, &mutex, &until);
	pthread_mutex_unlock(&mutex);
}

int main(int argc, char **argv)
{
	int level, rank, x = 0, y = 0;

	if (argc > 1 && !dlopen(argv[1], RTLD_NOW)) {
		fprintf(stderr, "%s\n", dlerror());
		return 2;
	}
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < 50; i++) {
		MPI_Request request[2];

		MPI_Irecv(&x, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request[0]);
		MPI_Isend(&y, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request[1]);
		MPI_Wait(&request[0], MPI_STATUS_IGNORE);
		MPI_Wait(&request[1], MPI_STATUS_IGNORE);
		MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	}
	wait_some();
	MPI_Finalize();
	return 0;
}
#endif
