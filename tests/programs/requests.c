/* requests.c: matched probes that overtake, partitioned requests and persistent collectives (MPI
 * 4), on two ranks. It checks its data. */
#include <mpi.h>

#include <stdio.h>

static int rank;

static void check(int ok, int line)
{
	if (ok)
		return;
	fprintf(stderr, "requests: rank %d got wrong data at line %d\n", rank, line);
	MPI_Abort(MPI_COMM_WORLD, 3);
}
#define CHECK(x) check((x), __LINE__)

/* Rank 1 takes the long message out first, receives the short one, then the long one. */
static void matched(void)
{
	double a[100] = {1}, b[100];
	MPI_Message m;
	MPI_Request r;

	if (rank == 0) {
		MPI_Send(a, 100, MPI_DOUBLE, 1, 5, MPI_COMM_WORLD);
		MPI_Send(a, 10, MPI_DOUBLE, 1, 5, MPI_COMM_WORLD);
	} else {
		MPI_Mprobe(0, 5, MPI_COMM_WORLD, &m, MPI_STATUS_IGNORE);
		MPI_Recv(b, 10, MPI_DOUBLE, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Imrecv(b, 100, MPI_DOUBLE, &m, &r);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
		CHECK(b[0] == 1);
	}
}

#if MPI_VERSION >= 4
static void partitions(void)
{
	double a[80], b[80] = {0};
	MPI_Request r;
	int there = 0, list[2] = {6, 7};

	for (int i = 0; i < 80; i++)
		a[i] = i;
	if (rank == 0)
		MPI_Psend_init(a, 8, 10, MPI_DOUBLE, 1, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &r);
	else
		MPI_Precv_init(b, 8, 10, MPI_DOUBLE, 0, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &r);
	for (int k = 0; k < 3; k++) {
		MPI_Start(&r);
		if (rank == 0) {
			MPI_Pready(0, r);
			MPI_Pready_range(1, 5, r);
			MPI_Pready_list(2, list, r);
		} else {
			while (!there)
				MPI_Parrived(r, 3, &there);
			CHECK(b[39] == 39);
			there = 0;
		}
		MPI_Wait(&r, MPI_STATUS_IGNORE);
	}
	MPI_Request_free(&r);
}

static void send_and_receive(void)
{
	double a[4] = {rank}, b[4] = {-1};
	MPI_Request r;

	MPI_Isendrecv(a, 4, MPI_DOUBLE, 1 - rank, 8, b, 4, MPI_DOUBLE, 1 - rank, 8, MPI_COMM_WORLD,
	              &r);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	CHECK(b[0] == 1 - rank);
}

static void persistent_collectives(void)
{
	int a = rank + 1, b = 0, counts[2] = {1, 2}, displs[2] = {0, 1}, all[3],
	    mine[2] = {rank, rank};
	MPI_Request r[2];

	MPI_Allreduce_init(&a, &b, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]);
	MPI_Allgatherv_init(mine, counts[rank], MPI_INT, all, counts, displs, MPI_INT,
	                    MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]);
	for (int k = 0; k < 3; k++) {
		MPI_Startall(2, r);
		MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
		CHECK(b == 3 && all[0] == 0 && all[2] == 1);
	}
	MPI_Request_free(&r[0]);
	MPI_Request_free(&r[1]);
}
#endif

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	matched();
#if MPI_VERSION >= 4
	partitions();
	persistent_collectives();
	send_and_receive();
#endif
	if (rank == 0)
		printf("requests: all right\n");
	MPI_Finalize();
	return 0;
}
