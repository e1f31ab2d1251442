/* A thread of each rank that looks in every way there is for what never comes, while the first one
 * computes for 1 ms before each of 100 allreduces: printed is the simulated time, s. "alone": no
 * such thread. */
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

enum { TIMES = 100 };
static atomic_int done;

static double busy(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void look(MPI_Request *q, int way)
{
	int flag, n, index[3];

	switch (way) {
	case 0:
		MPI_Test(q, &flag, MPI_STATUS_IGNORE);
		break;
	case 1:
		MPI_Testall(3, q, &flag, MPI_STATUSES_IGNORE);
		break;
	case 2:
		MPI_Testany(3, q, &n, &flag, MPI_STATUS_IGNORE);
		break;
	case 3:
		MPI_Testsome(3, q, &n, index, MPI_STATUSES_IGNORE);
		break;
	case 4:
		MPI_Iprobe(0, 7, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
		break;
	default:
		MPI_Request_get_status(q[1], &flag, MPI_STATUS_IGNORE);
	}
}

static void *looks(void *none)
{
	MPI_Request q[3];
	int x[3];

	for (int i = 0; i < 3; i++)
		MPI_Irecv(&x[i], 1, MPI_INT, MPI_ANY_SOURCE, i, MPI_COMM_SELF, &q[i]);
	for (int way = 0; !done; way++)
		look(q, way % 6);
	for (int i = 0; i < 3; i++) {
		MPI_Cancel(&q[i]);
		MPI_Wait(&q[i], MPI_STATUS_IGNORE);
	}
	return none;
}

int main(int argc, char **argv)
{
	int level, x = 1, sum, rank;
	pthread_t thread;
	double begin;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	begin = MPI_Wtime();
	if (argc < 2 && pthread_create(&thread, NULL, looks, NULL) != 0)
		MPI_Abort(MPI_COMM_WORLD, 3);
	for (int i = 0; i < TIMES; i++) {
		double from = busy();

		while (busy() - from < 1e-3)
			;
		MPI_Allreduce(&x, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	}
	if (rank == 0)
		printf("%.6f\n", MPI_Wtime() - begin);
	done = 1;
	if (argc < 2)
		pthread_join(thread, NULL);
	MPI_Finalize();
	return 0;
}
