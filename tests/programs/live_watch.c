/* live_watch.c: what is told of a program: threads (how long the computation of three threads
 * takes), c11 (the same of C11's), poll (two ranks that look for a message nobody sends), leak (a
 * message nobody receives, a communicator that is never freed), counts (a collective whose counts
 * do not fit), await (a thread waits for the one that receives what nobody sends), late (it is sent
 * in three years). */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <threads.h>
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

static int busy_c11(void *seconds)
{
	busy(seconds);
	return 0;
}

static void c11(void)
{
	double amount[] = {0.2, 0.1}, own = 0.02, start = MPI_Wtime();
	thrd_t t[2];

	for (int i = 0; i < 2; i++)
		thrd_create(&t[i], busy_c11, &amount[i]);
	busy(&own);
	for (int i = 0; i < 2; i++)
		thrd_join(t[i], NULL);
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

	MPI_Comm_dup(MPI_COMM_WORLD, &twin); /* line 78 */
	if (rank == 0)
		MPI_Send(&rank, 1, MPI_INT, 1, 7, MPI_COMM_WORLD); /* line 80 */
	MPI_Barrier(MPI_COMM_WORLD);
}

static void counts(int rank)
{
	int mine[64] = {0}, all[256];

	MPI_Gather(mine, rank == 0 ? 1 : 64, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int came;

static void *waits(void *unused)
{
	pthread_mutex_lock(&mutex);
	while (!came)
		pthread_cond_wait(&cond, &mutex);
	pthread_mutex_unlock(&mutex);
	return unused;
}

static void await(int rank, int late)
{
	pthread_t t;
	int value = 7;

	if (late && rank == 1) {
		sleep(100000000);
		MPI_Send(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
		return;
	}
	pthread_create(&t, NULL, waits, NULL);
	MPI_Recv(&value, 1, MPI_INT, 1 - rank, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	pthread_mutex_lock(&mutex);
	came = 1;
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&mutex);
	pthread_join(t, NULL);
	printf("came\n");
}

int main(int argc, char **argv)
{
	int rank, level;

	MPI_Init_thread(&argc, &argv,
	                argv[1][0] == 'a' || strcmp(argv[1], "late") == 0 ? MPI_THREAD_MULTIPLE
	                                                                  : MPI_THREAD_SINGLE,
	                &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (strcmp(argv[1], "threads") == 0)
		threads();
	else if (strcmp(argv[1], "c11") == 0)
		c11();
	else if (strcmp(argv[1], "poll") == 0)
		poll();
	else if (strcmp(argv[1], "leak") == 0)
		leak(rank);
	else if (strcmp(argv[1], "await") == 0 || strcmp(argv[1], "late") == 0)
		await(rank, argv[1][0] == 'l');
	else
		counts(rank);
	MPI_Finalize();
	return 0;
}
