/* calls.c: every call that the tracer records, on four ranks, in an order that no timing changes.
 * calls.F90 is the same program in Fortran: both must give the same trace, to the letter, under
 * every MPI library (tests/e2e/tracer_calls.sh). It checks the data it gets, so that a tracer that
 * disturbs a call shows. */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>

static int rank, size, next, prev;
static MPI_Comm world;

static void check(int ok, int line)
{
	if (ok)
		return;
	fprintf(stderr, "calls: rank %d got wrong data at line %d\n", rank, line);
	MPI_Abort(MPI_COMM_WORLD, 3);
}
#define CHECK(x) check((x), __LINE__)

static void blocking(void)
{
	static char memory[4096];
	void *detached;
	int a = rank, b = -1, n = 0;
	MPI_Status s;

	if (rank == 0) {
		MPI_Send(&a, 1, MPI_INT, 1, 1, world);
		MPI_Ssend(&a, 1, MPI_INT, 1, 2, world);
		MPI_Buffer_attach(memory, sizeof memory);
		MPI_Bsend(&a, 1, MPI_INT, 1, 3, world);
		MPI_Buffer_detach(&detached, &n);
	} else if (rank == 1) {
		MPI_Recv(&b, 1, MPI_INT, 0, 1, world, &s);
		CHECK(b == 0 && s.MPI_SOURCE == 0 && s.MPI_TAG == 1);
		MPI_Recv(&b, 1, MPI_INT, MPI_ANY_SOURCE, 2, world, MPI_STATUS_IGNORE);
		MPI_Recv(&b, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, world, &s);
		CHECK(s.MPI_SOURCE == 0 && s.MPI_TAG == 3);
	}
	MPI_Sendrecv(&a, 1, MPI_INT, next, 4, &b, 1, MPI_INT, prev, 4, world, MPI_STATUS_IGNORE);
	CHECK(b == prev);
	MPI_Sendrecv(&a, 1, MPI_INT, next, 4, &b, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, world,
	             MPI_STATUS_IGNORE);
	MPI_Sendrecv_replace(&a, 1, MPI_INT, next, 5, prev, 5, world, &s);
	CHECK(a == prev);
	MPI_Send(&a, 1, MPI_INT, MPI_PROC_NULL, 6, world);
	MPI_Recv(&b, 1, MPI_INT, MPI_PROC_NULL, 6, world, MPI_STATUS_IGNORE);
}

/* Rank 0 sends one message of each non-blocking kind to rank 1, which completes them in each of the
 * ways. */
static void non_blocking(void)
{
	double a[3] = {1, 2, 3}, b[4] = {0};
	MPI_Request r[4];
	static char memory[4096];
	void *detached;
	int n = 0;

	if (rank == 0) {
		MPI_Isend(a, 3, MPI_DOUBLE, 1, 10, world, &r[0]);
		MPI_Issend(a, 1, MPI_DOUBLE, 1, 11, world, &r[1]);
		MPI_Isend(a, 1, MPI_DOUBLE, MPI_PROC_NULL, 12, world, &r[2]);
		MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
		MPI_Buffer_attach(memory, sizeof memory);
		MPI_Ibsend(a, 1, MPI_DOUBLE, 1, 13, world, &r[0]);
		MPI_Wait(&r[0], MPI_STATUS_IGNORE);
		MPI_Buffer_detach(&detached, &n);
	} else if (rank == 1) {
		MPI_Irecv(b, 3, MPI_DOUBLE, MPI_ANY_SOURCE, 10, world, &r[0]);
		MPI_Irecv(&b[3], 1, MPI_DOUBLE, 0, MPI_ANY_TAG, world, &r[1]);
		MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
		CHECK(b[2] == 3 && b[3] == 1);
		MPI_Irecv(b, 1, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, world, &r[0]);
		MPI_Wait(&r[0], MPI_STATUS_IGNORE);
	}
	if (rank == 1)
		MPI_Irecv(b, 1, MPI_DOUBLE, 0, 14, world, &r[0]);
	MPI_Barrier(world);
	if (rank == 0) {
		MPI_Rsend(a, 1, MPI_DOUBLE, 1, 14, world);
	} else if (rank == 1) {
		MPI_Wait(&r[0], MPI_STATUS_IGNORE);
		MPI_Irecv(b, 1, MPI_DOUBLE, 0, 15, world, &r[0]);
	}
	MPI_Barrier(world);
	if (rank == 0) {
		MPI_Irsend(a, 1, MPI_DOUBLE, 1, 15, world, &r[0]);
		MPI_Wait(&r[0], MPI_STATUS_IGNORE);
	} else if (rank == 1)
		MPI_Wait(&r[0], MPI_STATUS_IGNORE);
}

static void some_and_any(void)
{
	int a = rank, b[3], index, flag, n, indices[3];
	MPI_Request r[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
	MPI_Status s, ss[3];

	if (rank == 0) {
		for (int tag = 20; tag < 28; tag++)
			MPI_Send(&a, 1, MPI_INT, 1, tag, world);
	} else if (rank == 1) {
		MPI_Irecv(&b[1], 1, MPI_INT, MPI_ANY_SOURCE, 20, world, &r[1]);
		MPI_Waitany(3, r, &index, MPI_STATUS_IGNORE);
		CHECK(index == 1 && r[1] == MPI_REQUEST_NULL);
		MPI_Irecv(&b[2], 1, MPI_INT, MPI_ANY_SOURCE, 21, world, &r[2]);
		MPI_Waitsome(3, r, &n, indices, MPI_STATUSES_IGNORE);
		CHECK(n == 1 && indices[0] == 2);
		MPI_Irecv(&b[0], 1, MPI_INT, 0, 22, world, &r[0]);
		for (flag = 0; !flag;)
			MPI_Test(&r[0], &flag, &s);
		CHECK(s.MPI_SOURCE == 0 && s.MPI_TAG == 22);
		MPI_Irecv(&b[0], 1, MPI_INT, 0, 23, world, &r[0]);
		for (flag = 0; !flag;)
			MPI_Testall(3, r, &flag, ss);
		MPI_Irecv(&b[0], 1, MPI_INT, 0, 24, world, &r[0]);
		for (flag = 0; !flag;)
			MPI_Testany(3, r, &index, &flag, &s);
		CHECK(index == 0);
		MPI_Irecv(&b[1], 1, MPI_INT, MPI_ANY_SOURCE, 25, world, &r[1]);
		for (n = 0; !n;)
			MPI_Testsome(3, r, &n, indices, ss);
		CHECK(n == 1 && indices[0] == 1 && ss[0].MPI_TAG == 25);
		MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
		MPI_Probe(MPI_ANY_SOURCE, 26, world, &s);
		MPI_Recv(b, 1, MPI_INT, s.MPI_SOURCE, s.MPI_TAG, world, MPI_STATUS_IGNORE);
		for (flag = 0; !flag;)
			MPI_Iprobe(0, MPI_ANY_TAG, world, &flag, &s);
		CHECK(s.MPI_TAG == 27);
		MPI_Recv(b, 1, MPI_INT, 0, 27, world, MPI_STATUS_IGNORE);
	}
}

static void matched(void)
{
	int a = rank, b = -1, flag = 0;
	MPI_Message m;
	MPI_Request r;
	MPI_Status s;

	if (rank == 0) {
		MPI_Send(&a, 1, MPI_INT, 1, 30, world);
		MPI_Send(&a, 1, MPI_INT, 1, 31, world);
	} else if (rank == 1) {
		MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, world, &m, MPI_STATUS_IGNORE);
		MPI_Mrecv(&b, 1, MPI_INT, &m, &s);
		CHECK(b == 0 && s.MPI_TAG == 30);
		while (!flag)
			MPI_Improbe(0, 31, world, &flag, &m, &s);
		MPI_Imrecv(&b, 1, MPI_INT, &m, &r);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
	}
}

static void persistent(void)
{
	int a = rank, b[2] = {-1, -1};
	MPI_Request r[2];

	if (rank == 0) {
		MPI_Send_init(&a, 1, MPI_INT, 1, 40, world, &r[0]);
		MPI_Ssend_init(&a, 1, MPI_INT, 1, 41, world, &r[1]);
	} else if (rank == 1) {
		MPI_Recv_init(&b[0], 1, MPI_INT, 0, 40, world, &r[0]);
		MPI_Recv_init(&b[1], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, world, &r[1]);
	}
	for (int i = 0; rank < 2 && i < 2; i++) {
		MPI_Startall(2, r);
		MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
		CHECK(rank == 0 || (b[0] == 0 && b[1] == 0));
	}
	if (rank == 0)
		MPI_Start(&r[0]);
	else if (rank == 1)
		MPI_Start(&r[0]);
	if (rank < 2) {
		MPI_Wait(&r[0], MPI_STATUS_IGNORE);
		MPI_Request_free(&r[0]);
		MPI_Request_free(&r[1]);
	}
	if (rank == 2) {
		MPI_Irecv(b, 1, MPI_INT, MPI_ANY_SOURCE, 49, world, &r[0]);
		MPI_Cancel(&r[0]);
		MPI_Wait(&r[0], MPI_STATUS_IGNORE);
	}
}

static void subtract(void *in, void *inout, int *n, MPI_Datatype *type)
{
	int *x = in, *y = inout;

	(void)type;
	for (int i = 0; i < *n; i++)
		y[i] = x[i] - y[i];
}

static int counts[4] = {1, 2, 3, 4}, displs[4] = {0, 1, 3, 6};

static void collectives(void)
{
	int a[16], b[16] = {0}, c[16];
	MPI_Datatype pair;
	MPI_Datatype types[4] = {MPI_INT, MPI_INT, MPI_INT, MPI_INT};
	int bytes[4] = {0, 4, 12, 24};
	MPI_Op minus;

	for (int i = 0; i < 16; i++)
		a[i] = c[i] = rank;
	MPI_Type_contiguous(2, MPI_INT, &pair);
	MPI_Type_commit(&pair);
	MPI_Op_create(subtract, 0, &minus);
	MPI_Barrier(world);
	MPI_Bcast(a, 2, pair, 2, world);
	CHECK(a[0] == 2);
	MPI_Reduce(c, b, 3, MPI_INT, MPI_SUM, 1, world);
	CHECK(rank != 1 || b[2] == 6);
	MPI_Allreduce(c, b, 3, MPI_INT, minus, world);
	MPI_Allreduce(MPI_IN_PLACE, b, 3, MPI_INT, MPI_MAX, world);
	MPI_Gather(c, 1, MPI_INT, b, 1, MPI_INT, 3, world);
	CHECK(rank != 3 || b[2] == 2);
	if (rank == 0)
		b[0] = 0;
	if (rank == 0)
		MPI_Gather(MPI_IN_PLACE, 0, MPI_INT, b, 1, MPI_INT, 0, world);
	else
		MPI_Gather(c, 1, MPI_INT, NULL, 0, MPI_INT, 0, world);
	CHECK(rank != 0 || b[3] == 3);
	MPI_Gatherv(c, counts[rank], MPI_INT, b, counts, displs, MPI_INT, 1, world);
	CHECK(rank != 1 || (b[0] == 0 && b[9] == 3));
	MPI_Scatter(b, 1, MPI_INT, c, 1, MPI_INT, 1, world);
	MPI_Scatterv(b, counts, displs, MPI_INT, c, counts[rank], MPI_INT, 1, world);
	CHECK(c[0] == rank);
	MPI_Allgather(c, 1, MPI_INT, b, 1, MPI_INT, world);
	CHECK(b[3] == 3);
	MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, b, 1, MPI_INT, world);
	MPI_Allgatherv(c, counts[rank], MPI_INT, b, counts, displs, MPI_INT, world);
	MPI_Alltoall(a, 2, MPI_INT, b, 2, MPI_INT, world);
	MPI_Alltoallv(b, counts, displs, MPI_INT, a,
	              (int[]){rank + 1, rank + 1, rank + 1, rank + 1},
	              (int[]){0, rank + 1, 2 * (rank + 1), 3 * (rank + 1)}, MPI_INT, world);
	for (int i = 0; i < 4; i++)
		bytes[i] = 4 * i;
	MPI_Alltoallw(b, (int[]){1, 1, 1, 1}, bytes, types, a, (int[]){1, 1, 1, 1}, bytes, types,
	              world);
	MPI_Reduce_scatter(b, a, counts, MPI_INT, MPI_SUM, world);
	MPI_Reduce_scatter_block(b, a, 2, MPI_INT, MPI_SUM, world);
	MPI_Scan(c, b, 1, MPI_INT, MPI_SUM, world);
	MPI_Exscan(c, b, 1, MPI_INT, MPI_SUM, world);
	MPI_Op_free(&minus);
	MPI_Type_free(&pair);
}

static void non_blocking_collectives(void)
{
	int a[16] = {0}, b[16], bytes[4] = {0, 4, 8, 12}, ones[4] = {1, 1, 1, 1}, mine[4], at[4];
	MPI_Datatype types[4] = {MPI_INT, MPI_INT, MPI_INT, MPI_INT};
	MPI_Request r;

	for (int i = 0; i < 4; i++) {
		mine[i] = rank + 1;
		at[i] = i * (rank + 1);
	}
#define DO(call) (call, MPI_Wait(&r, MPI_STATUS_IGNORE))
	DO(MPI_Ibarrier(world, &r));
	DO(MPI_Ibcast(a, 4, MPI_INT, 1, world, &r));
	DO(MPI_Ireduce(a, b, 4, MPI_INT, MPI_SUM, 1, world, &r));
	DO(MPI_Iallreduce(a, b, 4, MPI_INT, MPI_SUM, world, &r));
	DO(MPI_Igather(a, 1, MPI_INT, b, 1, MPI_INT, 2, world, &r));
	DO(MPI_Igatherv(a, counts[rank], MPI_INT, b, counts, displs, MPI_INT, 2, world, &r));
	DO(MPI_Iscatter(a, 1, MPI_INT, b, 1, MPI_INT, 2, world, &r));
	DO(MPI_Iscatterv(a, counts, displs, MPI_INT, b, counts[rank], MPI_INT, 2, world, &r));
	DO(MPI_Iallgather(a, 1, MPI_INT, b, 1, MPI_INT, world, &r));
	DO(MPI_Iallgatherv(a, counts[rank], MPI_INT, b, counts, displs, MPI_INT, world, &r));
	DO(MPI_Ialltoall(a, 1, MPI_INT, b, 1, MPI_INT, world, &r));
	DO(MPI_Ialltoallv(a, counts, displs, MPI_INT, b, mine, at, MPI_INT, world, &r));
	DO(MPI_Ialltoallw(a, ones, bytes, types, b, ones, bytes, types, world, &r));
	DO(MPI_Ireduce_scatter(a, b, counts, MPI_INT, MPI_SUM, world, &r));
	DO(MPI_Ireduce_scatter_block(a, b, 2, MPI_INT, MPI_SUM, world, &r));
	DO(MPI_Iscan(a, b, 1, MPI_INT, MPI_SUM, world, &r));
	DO(MPI_Iexscan(a, b, 1, MPI_INT, MPI_SUM, world, &r));
}

static void communicators(void)
{
	MPI_Comm dup, half, odd, group_comm, cart, row, later;
	MPI_Group all, some;
	MPI_Request r;
	int a = rank, b = -1, me, n, dims[2] = {2, 2}, periods[2] = {0, 0}, keep[2] = {0, 1},
	    members[2] = {3, 1};

	MPI_Comm_dup(world, &dup);
	MPI_Comm_split(dup, rank % 2, -rank, &half);
	MPI_Comm_rank(half, &me);
	MPI_Comm_size(half, &n);
	CHECK(n == 2 && me == (rank < 2));
	if (me == 0)
		MPI_Send(&a, 1, MPI_INT, 1, 50, half);
	else
		MPI_Recv(&b, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, half, MPI_STATUS_IGNORE);
	MPI_Bcast(&a, 1, MPI_INT, 1, half);
	CHECK(a == rank % 2);
	MPI_Comm_split(dup, rank == 3 ? MPI_UNDEFINED : 1, 0, &odd);
	if (odd != MPI_COMM_NULL) {
		MPI_Barrier(odd);
		MPI_Comm_free(&odd);
	}
	MPI_Comm_group(world, &all);
	MPI_Group_incl(all, 2, members, &some);
	MPI_Comm_create(world, some, &group_comm);
	if (group_comm != MPI_COMM_NULL) {
		MPI_Allreduce(&a, &b, 1, MPI_INT, MPI_SUM, group_comm);
		MPI_Comm_free(&group_comm);
		MPI_Comm_create_group(world, some, 9, &group_comm);
		MPI_Barrier(group_comm);
		MPI_Comm_free(&group_comm);
	}
	MPI_Group_free(&some);
	MPI_Group_free(&all);
	MPI_Cart_create(world, 2, dims, periods, 0, &cart);
	MPI_Cart_sub(cart, keep, &row);
	MPI_Barrier(row);
	MPI_Comm_idup(row, &later, &r);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	MPI_Barrier(later);
	MPI_Barrier(MPI_COMM_SELF);
	MPI_Comm_free(&later);
	MPI_Comm_free(&row);
	MPI_Comm_free(&cart);
	MPI_Comm_free(&half);
	MPI_Comm_free(&dup);
}

static void not_traced(void)
{
	int cell = 0, one = 1;
	MPI_Win win;

	MPI_Win_create(&cell, sizeof cell, 1, MPI_INFO_NULL, world, &win);
	MPI_Win_fence(0, win);
	if (rank == 0)
		MPI_Put(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
	MPI_Win_fence(0, win);
	CHECK(cell == (rank == 1));
	MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	world = MPI_COMM_WORLD;
	MPI_Comm_rank(world, &rank);
	MPI_Comm_size(world, &size);
	CHECK(size == 4);
	next = (rank + 1) % size;
	prev = (rank + size - 1) % size;
	blocking();
	non_blocking();
	some_and_any();
	matched();
	persistent();
	collectives();
	non_blocking_collectives();
	communicators();
	not_traced();
	if (rank == 0)
		printf("calls: all right\n");
	MPI_Finalize();
	return 0;
}
