/* live_parts.c: partitioned messages: the two sides cut the same bytes differently, the data leave
 * when a partition is said to be ready, in any order, and are there when MPI_Parrived says so.
 * Partitions of no byte come one by one, too; where a side has none the other's are there. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SENDS = 8, RECEIVES = 4, EACH = 6, ALL = SENDS * EACH, STARTS = 3 };

static void expect(int what, const char *text)
{
	if (what)
		return;
	fprintf(stderr, "wrong: %s\n", text);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

static void sender(MPI_Request *r, int *data, int start)
{
	for (int i = 0; i < SENDS; i++) {
		int part = (5 * i + start) % SENDS;

		for (int k = 0; k < EACH; k++)
			data[part * EACH + k] = 1000 * start + part * EACH + k;
		if (i % 3 == 2)
			MPI_Pready_list(1, &part, *r);
		else
			MPI_Pready(part, *r);
	}
	MPI_Wait(r, MPI_STATUS_IGNORE);
	memset(data, 0xff, ALL * sizeof *data);
}

static void receiver(MPI_Request *r, const int *data, int start)
{
	int there = 0, flag, bytes;
	MPI_Status s;

	while (!there)
		MPI_Parrived(*r, RECEIVES - 1, &there);
	for (int i = ALL - ALL / RECEIVES; i < ALL; i++)
		expect(data[i] == 1000 * start + i, "what MPI_Parrived says is there");
	MPI_Wait(r, &s);
	MPI_Get_count(&s, MPI_INT, &bytes);
	expect(bytes == ALL && s.MPI_SOURCE == 0 && s.MPI_TAG == 3, "the status");
	for (int i = 0; i < ALL; i++)
		expect(data[i] == 1000 * start + i, "data of a partition");
	MPI_Parrived(*r, 0, &flag);
	expect(flag, "an inactive request has all its partitions");
}

static void empty_sender(MPI_Request *r, int n)
{
	for (int i = 0; i < n; i++) {
		MPI_Pready(i, *r);
		MPI_Barrier(MPI_COMM_WORLD); /* the receiver looks */
		MPI_Barrier(MPI_COMM_WORLD);
	}
	MPI_Wait(r, MPI_STATUS_IGNORE);
}

/* From as many partitions. */
static void empty_receiver(MPI_Request *r, int n, int from)
{
	int there = 0;

	for (int i = 0; i < from; i++) {
		MPI_Barrier(MPI_COMM_WORLD);
		for (int k = i + 1; k < n; k++) {
			MPI_Parrived(*r, k, &there);
			expect(!there, "what is not ready has not arrived");
		}
		if (n == from)
			for (there = 0; !there;)
				MPI_Parrived(*r, i, &there);
		MPI_Barrier(MPI_COMM_WORLD);
	}
	for (int i = 0; i < n; i++)
		for (there = 0; !there;)
			MPI_Parrived(*r, i, &there);
	MPI_Wait(r, MPI_STATUS_IGNORE);
}

static void empties(int rank)
{
	static const int n[][2] = {{3, 3}, {0, 2}, {2, 0}, {0, 0}};
	MPI_Request r;

	for (size_t k = 0; k < sizeof n / sizeof *n; k++) {
		if (rank == 0)
			MPI_Psend_init(NULL, n[k][0], 0, MPI_INT, 1, 4, MPI_COMM_WORLD,
			               MPI_INFO_NULL, &r);
		else
			MPI_Precv_init(NULL, n[k][1], 0, MPI_INT, 0, 4, MPI_COMM_WORLD,
			               MPI_INFO_NULL, &r);
		for (int i = 0; i < STARTS; i++) {
			MPI_Start(&r);
			if (rank == 0)
				empty_sender(&r, n[k][0]);
			else
				empty_receiver(&r, n[k][1], n[k][0]);
		}
		MPI_Request_free(&r);
	}
}

int main(int argc, char **argv)
{
	int rank, data[ALL];
	MPI_Request r;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	memset(data, 0xff, sizeof data);
	if (rank == 0)
		MPI_Psend_init(data, SENDS, EACH, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &r);
	else
		MPI_Precv_init(data, RECEIVES, ALL / RECEIVES, MPI_INT, 0, 3, MPI_COMM_WORLD,
		               MPI_INFO_NULL, &r);
	for (int i = 0; i < STARTS; i++) {
		MPI_Start(&r);
		if (rank == 0)
			sender(&r, data, i);
		else
			receiver(&r, data, i);
	}
	MPI_Request_free(&r);
	empties(rank);
	if (rank == 0)
		printf("all fine\n");
	MPI_Finalize();
	return 0;
}
