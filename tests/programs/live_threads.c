/* live_threads.c: threads that call MPI at once (MPI_THREAD_MULTIPLE), each with a communicator of
 * its own, in another order at each rank: communicators, collectives, windows, messages. What is
 * received says what was sent. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 3, ROUNDS = 4 };
static int rank, size;
static MPI_Comm own[THREADS];

static void expect(int what, const char *text)
{
	if (what)
		return;
	fprintf(stderr, "wrong: %s\n", text);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

static void communicators(MPI_Comm c, int thread)
{
	MPI_Comm twin, half;
	int sum, n, mine = rank + 100 * thread;

	MPI_Comm_dup(c, &twin);
	MPI_Comm_split(twin, rank % 2, 0, &half);
	MPI_Comm_size(half, &n);
	expect(n == (size + !(rank % 2)) / 2, "size of a half");
	MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, twin);
	expect(sum == size * (size - 1) / 2 + 100 * thread * size, "a sum among threads");
	MPI_Comm_free(&half);
	MPI_Comm_free(&twin);
}

static void windows(MPI_Comm c, int thread)
{
	int memory = -1, value = 10 * rank + thread, from = (rank + size - 1) % size;
	MPI_Win w;

	MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, c, &w);
	MPI_Win_fence(0, w);
	MPI_Put(&value, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, w);
	MPI_Win_fence(0, w);
	expect(memory == 10 * from + thread, "a put among threads");
	MPI_Win_free(&w);
}

static void messages(MPI_Comm c, int thread)
{
	int value = 10 * rank + thread, got = -1, from = (rank + size - 1) % size;

	MPI_Sendrecv(&value, 1, MPI_INT, (rank + 1) % size, thread, &got, 1, MPI_INT, from, thread,
	             c, MPI_STATUS_IGNORE);
	expect(got == 10 * from + thread, "a message among threads");
}

static void *work(void *arg)
{
	int thread = (int)(long)arg;

	for (int i = 0; i < ROUNDS; i++) {
		communicators(own[thread], thread);
		windows(own[thread], thread);
		messages(own[thread], thread);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[THREADS];
	int level, sum;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	expect(level == MPI_THREAD_MULTIPLE, "the level");
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 0; i < THREADS; i++)
		MPI_Comm_dup(MPI_COMM_WORLD, &own[i]);
	for (int i = 0; i < THREADS; i++) {
		int k = (i + rank) % THREADS;

		pthread_create(&t[k], NULL, work, (void *)(long)k);
	}
	/* a collective of the first thread here, of the only one elsewhere */
	for (int i = 0; i < THREADS && rank > 0; i++)
		pthread_join(t[i], NULL);
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	expect(sum == size * (size - 1) / 2, "one thread here, several there");
	for (int i = 0; i < THREADS && rank == 0; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < THREADS; i++)
		MPI_Comm_free(&own[i]);
	if (rank == 0)
		printf("all fine\n");
	MPI_Finalize();
	return 0;
}
