/* beside.c: a thread that calls no MPI computes 60 ms in each rank, and the one that does sleeps
 * until it has ended. It is made by pthread_create; with the argument "c11" by thrd_create; with
 * another one there is none. */
#include <mpi.h>
#include <pthread.h>
#include <string.h>
#include <threads.h>
#include <time.h>

static void *compute(void *none)
{
	struct timespec now = {0};

	while (now.tv_sec == 0 && now.tv_nsec < 60000000)
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return none;
}

static int compute_c11(void *none)
{
	compute(none);
	return 5;
}

/* 1 if it has run and ended as it should. */
static int posix_did(void)
{
	pthread_t t;

	return !pthread_create(&t, NULL, compute, NULL) && !pthread_join(t, NULL);
}

static int c11_did(void)
{
	thrd_t t;
	int result;

	return thrd_create(&t, compute_c11, NULL) == thrd_success &&
	       thrd_join(t, &result) == thrd_success && result == 5;
}

int main(int argc, char **argv)
{
	int got;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &got);
	if (argc == 1 ? !posix_did() : !strcmp(argv[1], "c11") && !c11_did())
		MPI_Abort(MPI_COMM_WORLD, 1);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
