/* rma.c: windows of all sorts and every synchronisation, on three ranks. It checks the data it
 * gets. No window is on the stack: Debian's MPICH 4.0.2 (UCX, one host) then writes what others put
 * elsewhere on the stack, over the window's handle for one, traced or not; and what others put into
 * memory of its MPI_Win_allocate its owner does not see there, so that only MPI_Get looks at
 * that. */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>

static int rank;

static void check(int ok, int line)
{
	if (ok)
		return;
	fprintf(stderr, "rma: rank %d got wrong data at line %d\n", rank, line);
	MPI_Abort(MPI_COMM_WORLD, 3);
}
#define CHECK(x) check((x), __LINE__)

static void fences(void)
{
	int *cells = malloc(3 * sizeof *cells), got = -1, next = (rank + 1) % 3;
	MPI_Win win;
	MPI_Comm dup;

	cells[0] = cells[1] = cells[2] = -1;
	MPI_Comm_dup(MPI_COMM_WORLD, &dup);
	MPI_Win_create(cells, 3 * sizeof *cells, sizeof(int), MPI_INFO_NULL, dup, &win);
	MPI_Comm_free(&dup);
	MPI_Win_fence(0, win);
	MPI_Put(&rank, 1, MPI_INT, next, 0, 1, MPI_INT, win);
	MPI_Put(&rank, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win);
	MPI_Win_fence(0, win);
	CHECK(cells[0] == (rank + 2) % 3);
	MPI_Get(&got, 1, MPI_INT, next, 0, 1, MPI_INT, win);
	MPI_Accumulate(&rank, 1, MPI_INT, 0, 1, 1, MPI_INT, MPI_SUM, win);
	MPI_Win_fence(0, win);
	CHECK(got == rank && (rank || cells[1] == 2));
	MPI_Win_free(&win);
	free(cells);
}

/* 0 and 2 write to 1. */
static void groups(void)
{
	int *cells = malloc(2 * sizeof *cells), one = 1, others[2] = {0, 2}, flag = 0;
	MPI_Group all, target, origins;
	MPI_Win win;

	MPI_Win_create(cells, 2 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	cells[0] = cells[1] = 0;
	MPI_Comm_group(MPI_COMM_WORLD, &all);
	MPI_Group_incl(all, 1, &one, &target);
	MPI_Group_incl(all, 2, others, &origins);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 1) {
		MPI_Win_post(origins, 0, win);
		MPI_Win_wait(win);
		CHECK(cells[0] == 7 && cells[1] == 7);
		MPI_Win_post(origins, 0, win);
		while (!flag)
			MPI_Win_test(win, &flag);
	} else {
		int seven = 7;

		MPI_Win_start(target, 0, win);
		MPI_Put(&seven, 1, MPI_INT, 1, rank / 2, 1, MPI_INT, win);
		MPI_Win_complete(win);
		MPI_Win_start(target, 0, win);
		MPI_Win_complete(win);
	}
	MPI_Group_free(&all);
	MPI_Group_free(&target);
	MPI_Group_free(&origins);
	MPI_Win_free(&win);
	free(cells);
}

static void locks(void)
{
	int *cell, one = 1, old = 0, result = 0, zero = 0;
	MPI_Win win;
	MPI_Request r[2];

	MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &cell, &win);
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
	cell[0] = cell[1] = cell[2] = cell[3] = 0;
	MPI_Win_unlock(rank, win);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
	MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win);
	MPI_Win_flush(0, win);
	MPI_Win_unlock(0, win);
	MPI_Win_lock_all(0, win);
	MPI_Fetch_and_op(&one, &old, MPI_INT, 0, 1, MPI_SUM, win);
	MPI_Win_flush_local(0, win);
	MPI_Compare_and_swap(&one, &zero, &result, MPI_INT, 0, 2, win);
	MPI_Get_accumulate(&one, 1, MPI_INT, &result, 1, MPI_INT, 0, 3, 1, MPI_INT, MPI_SUM, win);
	MPI_Win_flush_all(win);
	MPI_Raccumulate(&one, 1, MPI_INT, 1, 1, 1, MPI_INT, MPI_SUM, win, &r[0]);
	MPI_Rget(&old, 1, MPI_INT, 0, 0, 1, MPI_INT, win, &r[1]);
	MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	MPI_Win_flush_local_all(win);
	MPI_Win_unlock_all(win);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
	MPI_Get(&old, 1, MPI_INT, 0, 1, 1, MPI_INT, win);
	MPI_Win_unlock(0, win);
	CHECK(old == 3);
	MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	fences();
	groups();
	locks();
	if (rank == 0)
		printf("rma: all right\n");
	MPI_Finalize();
	return 0;
}
