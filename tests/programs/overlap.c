/* overlap.c: two ranks that compute while messages are on their way, and look at them now and then;
 * argument: where they look from. "Computing" is sleeping. The messages are there before the first
 * look, so that what each look finds is known. */
#include <mpi.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LOOKS = 3 };

static int rank;
static char in[2][8], out[2][8];

static void compute(void)
{
	usleep(2000);
}

/* Both messages of both ranks have come; MPI_Request_get_status completes nothing. */
static void come(int n, MPI_Request *q)
{
	for (int i = 0; i < n; i++)
		for (int there = 0; !there;)
			MPI_Request_get_status(q[i], &there, MPI_STATUS_IGNORE);
}

static void post(MPI_Request *q)
{
	MPI_Irecv(in, 8, MPI_BYTE, !rank, 0, MPI_COMM_WORLD, &q[0]);
	MPI_Isend(out, 8, MPI_BYTE, !rank, 0, MPI_COMM_WORLD, &q[1]);
	come(2, q);
}

static void testall(void)
{
	MPI_Request q[2];
	int flag;

	for (int again = 0; again < 2; again++) {
		post(q);
		for (int i = 0; i < LOOKS; i++) {
			compute();
			MPI_Testall(2, q, &flag, MPI_STATUSES_IGNORE);
		}
		MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
	}
}

/* No wait at the end: the last test is the last look. */
static void test(void)
{
	MPI_Request q[2];
	int flag;

	post(q);
	for (int i = 0; i < LOOKS; i++) {
		compute();
		MPI_Test(&q[0], &flag, MPI_STATUS_IGNORE);
		MPI_Test(&q[1], &flag, MPI_STATUS_IGNORE);
	}
}

/* Any one, then the other; then nothing is left, which is a look at both. */
static void testany(void)
{
	MPI_Request q[2];
	int flag, index;

	post(q);
	for (int i = 0; i < LOOKS; i++) {
		compute();
		MPI_Testany(2, q, &index, &flag, MPI_STATUS_IGNORE);
	}
	MPI_Waitany(2, q, &index, MPI_STATUS_IGNORE);
}

/* One of the two is looked at again. */
static void testsome(void)
{
	MPI_Request q[2];
	int n, which[2];

	post(q);
	compute();
	MPI_Testsome(2, q, &n, which, MPI_STATUSES_IGNORE);
	compute();
	MPI_Wait(&q[1], MPI_STATUS_IGNORE);
}

static void persistent(void)
{
	MPI_Request q[2];
	int flag;

	MPI_Recv_init(in, 8, MPI_BYTE, !rank, 0, MPI_COMM_WORLD, &q[0]);
	MPI_Send_init(out, 8, MPI_BYTE, !rank, 0, MPI_COMM_WORLD, &q[1]);
	for (int again = 0; again < 2; again++) {
		MPI_Startall(2, q);
		come(2, q);
		compute();
		MPI_Testall(2, q, &flag, MPI_STATUSES_IGNORE);
		compute();
		MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
	}
	MPI_Request_free(&q[0]);
	MPI_Request_free(&q[1]);
}

/* A loop that ends when it has found something; what stands in its place later is another request,
 * or none. */
static void until(void)
{
	MPI_Request q, other;
	int flag = 0;

	if (rank == 0) {
		MPI_Send(out, 8, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
		MPI_Send(out, 8, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
		return;
	}
	MPI_Irecv(in, 8, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &q);
	come(1, &q);
	while (!flag)
		MPI_Test(&q, &flag, MPI_STATUS_IGNORE);
	MPI_Irecv(in, 8, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &other);
	q = other;
	compute();
	MPI_Wait(&q, MPI_STATUS_IGNORE);
	MPI_Wait(&q, MPI_STATUS_IGNORE);
}

/* A message that comes after the first look, which finds nothing. */
static void late(void)
{
	MPI_Request q;
	int flag;

	if (rank == 0) {
		MPI_Recv(in, 8, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Send(out, 8, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
		return;
	}
	MPI_Irecv(in, 8, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &q);
	compute();
	MPI_Test(&q, &flag, MPI_STATUS_IGNORE);
	MPI_Send(out, 8, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
	come(1, &q);
	MPI_Test(&q, &flag, MPI_STATUS_IGNORE);
	compute();
	MPI_Wait(&q, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} ways[] = {{"testall", testall},
	            {"test", test},
	            {"testany", testany},
	            {"testsome", testsome},
	            {"persistent", persistent},
	            {"until", until},
	            {"late", late}};

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (unsigned i = 0; i < sizeof ways / sizeof *ways; i++)
		if (argc > 1 && strcmp(argv[1], ways[i].name) == 0)
			ways[i].run();
	MPI_Finalize();
	return 0;
}
