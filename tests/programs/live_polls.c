/* Two ranks that poll as libraries do. Rank 0 prints a line for each way: what it got, and after
 * how many milliseconds of simulated time.
 *   status   MPI_Request_get_status until a message is there that is sent after a second
 *   between  MPI_Iprobe that finds nothing, 1,000 times, between sleeps of 0.1 ms
 *   brief    the same, between sleeps of 5 us
 *   event    memory of its own, under MPI_Win_lock_all with MPI_MODE_NOCHECK, until the other has
 *            added 1 to it under an exclusive lock: Fortran's coarrays wait for an event so
 *   rows     with the argument "alone": 400 rows of 100 tests that find nothing, between sends
 *   looks    with the argument "waits": MPI_Iprobe until a message is there that is sent after 20
 *            ms, or for 1 ms by the clock, or a thousand times; how many they were */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { ROWS = 400 };

static void told(const char *what, int value, double since)
{
	printf("%s %d %.0f ms\n", what, value, (MPI_Wtime() - since) * 1e3);
}

static void status(int rank)
{
	double since = MPI_Wtime();
	int value = 7, flag = 0;
	MPI_Request request;

	if (rank == 1) {
		sleep(1);
		MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
		return;
	}
	value = 0;
	MPI_Irecv(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &request);
	while (!flag)
		MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	told("status", value, since);
}

static void between(int rank, const char *what, unsigned microseconds)
{
	double since = MPI_Wtime();
	int flag, found = 0;

	for (int i = 0; rank == 0 && i < 1000; i++) {
		MPI_Iprobe(1, 2, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
		found += flag;
		usleep(microseconds);
	}
	if (rank == 0)
		told(what, found, since);
}

static void event(int rank)
{
	double since = MPI_Wtime();
	int *mine, one = 1, old;
	MPI_Win win;

	MPI_Win_allocate(sizeof *mine, sizeof *mine, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
	*mine = 0;
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 1) {
		usleep(10000);
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
		MPI_Fetch_and_op(&one, &old, MPI_INT, 0, 0, MPI_SUM, win);
		MPI_Win_unlock(0, win);
	} else {
		MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
		while (*(volatile int *)mine == 0) {
			MPI_Win_sync(win);
			MPI_Win_flush(0, win);
		}
		MPI_Win_unlock_all(win);
		told("event", *mine, since);
	}
	MPI_Win_free(&win);
}

/* A send that was complete long ago is found by the first look at it, after others that found
 * nothing: they took their time. */
static void rows(int rank)
{
	double since = MPI_Wtime();
	MPI_Request in, out;
	int value = 0, flag = 0;

	if (rank == 1) {
		for (int i = 0; i < ROWS; i++)
			MPI_Recv(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Recv(&value, 0, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Send(&value, 1, MPI_INT, 0, 4, MPI_COMM_WORLD);
		return;
	}
	MPI_Irecv(&value, 1, MPI_INT, 1, 4, MPI_COMM_WORLD, &in);
	for (int i = 0; i < ROWS; i++) {
		MPI_Isend(&i, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, &out);
		for (int k = 0; k < 100; k++)
			MPI_Test(&in, &flag, MPI_STATUS_IGNORE);
		MPI_Test(&out, &flag, MPI_STATUS_IGNORE);
		if (!flag)
			MPI_Wait(&out, MPI_STATUS_IGNORE);
	}
	told("rows", ROWS, since);
	MPI_Send(&value, 0, MPI_INT, 1, 5, MPI_COMM_WORLD);
	MPI_Wait(&in, MPI_STATUS_IGNORE);
}

/* How often it looked. */
static int looks(double for_seconds, int most)
{
	double since = for_seconds > 0 ? MPI_Wtime() : 0;
	int flag = 0, n = 0;

	while (!flag && n < most && (since <= 0 || MPI_Wtime() - since < for_seconds)) {
		MPI_Iprobe(1, 6, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
		n++;
	}
	return n;
}

static void waits(int rank, double for_seconds, int most)
{
	double since;
	int n;

	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 1) {
		usleep(for_seconds > 0 || most < 10000 ? 1000000 : 20000);
		MPI_Send(NULL, 0, MPI_INT, 0, 6, MPI_COMM_WORLD);
		return;
	}
	since = MPI_Wtime();
	n = looks(for_seconds, most);
	printf("looks %d %.2f ms\n", n, (MPI_Wtime() - since) * 1e3);
	MPI_Recv(NULL, 0, MPI_INT, 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (argc > 1 && strcmp(argv[1], "waits") == 0) {
		waits(rank, 0, 10000);
		waits(rank, 0, 10000);
		waits(rank, 1e-3, 10000);
		waits(rank, 0, 1000);
		waits(rank, 0, 10000);
		MPI_Finalize();
		return 0;
	}
	if (argc > 1) {
		rows(rank);
		MPI_Finalize();
		return 0;
	}
	status(rank);
	MPI_Barrier(MPI_COMM_WORLD);
	between(rank, "brief", 5);
	between(rank, "between", 100);
	MPI_Barrier(MPI_COMM_WORLD);
	event(rank);
	MPI_Finalize();
	return 0;
}
