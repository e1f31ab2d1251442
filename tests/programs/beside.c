/* beside.c: a thread that calls no MPI computes 60 ms in each rank, and the one that does sleeps
 * until it has ended. With an argument nothing computes. */
#include <mpi.h>
#include <pthread.h>
#include <time.h>

static void *compute(void *none)
{
	struct timespec now = {0};

	while (now.tv_sec == 0 && now.tv_nsec < 60000000)
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return none;
}

int main(int argc, char **argv)
{
	pthread_t t;
	int got;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &got);
	if (argc == 1 && (pthread_create(&t, NULL, compute, NULL) || pthread_join(t, NULL)))
		MPI_Abort(MPI_COMM_WORLD, 1);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
