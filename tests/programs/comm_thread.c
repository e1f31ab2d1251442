/* A thread of rank 0 receives five messages of rank 1 while the first one computes five parts. Rank
 * 1 computes as much before each, and sends it when rank 0's part is done, which a file in memory
 * of both (argument 1) says: so it is while the thread waits, however few processors there are.
 * With a second argument no thread is made. */
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { PARTS = 5 };
#define PART 0.05 /* s */

static atomic_int *waits, *done;
static int rank;

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

static void await(atomic_int *what, int n)
{
	while (*what < n)
		usleep(1000);
}

static void *receives(void *none)
{
	int x;

	for (int i = 0; i < PARTS; i++) {
		++*waits;
		MPI_Recv(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	return none;
}

static void sends(void)
{
	for (int i = 0; i < PARTS; i++) {
		compute(PART);
		await(done, i + 1);
		MPI_Send(&i, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	}
}

static void parts(int with_thread)
{
	for (int i = 0; i < PARTS; i++) {
		if (with_thread) {
			await(waits, i + 1);
			usleep(20000); /* it is in MPI */
		}
		compute(PART);
		++*done;
	}
}

int main(int argc, char **argv)
{
	int file = open(argv[1], O_RDWR | O_CREAT, 0600), level;
	pthread_t thread;

	if (file < 0 || ftruncate(file, 4096) < 0)
		return 3;
	waits = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (waits == MAP_FAILED)
		return 3;
	done = waits + 1;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 1) {
		sends();
	} else if (rank == 0 && argc > 2) {
		parts(0);
		receives(NULL);
	} else if (rank == 0) {
		if (pthread_create(&thread, NULL, receives, NULL) != 0)
			return 3;
		parts(1);
		pthread_join(thread, NULL);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
