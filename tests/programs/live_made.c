/* live_made.c: communicators and windows that need to know what other members say before they are
 * made, by members that come at different dates: intercommunicators, merged in both orders, and
 * shared windows. Prints what each rank finds. */
#include <mpi.h>
#include <stdio.h>

static char block[200000];

/* Some time passes, for this rank alone. */
static void late(int rank)
{
	MPI_Sendrecv(block, 90000, MPI_CHAR, rank, 0, block + 100000, 90000, MPI_CHAR, rank, 0,
	             MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* leader: of each half, its place there; tardy: comes last. */
static void merged(int rank, int high, int leader, int tardy)
{
	MPI_Comm half, inter, all;
	int place, sum;

	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
	if (rank == tardy)
		late(rank);
	MPI_Intercomm_create(half, leader, MPI_COMM_WORLD, 2 * leader + !(rank % 2), 5, &inter);
	if (rank == 1)
		late(rank);
	MPI_Intercomm_merge(inter, high, &all);
	MPI_Comm_rank(all, &place);
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, all);
	printf("rank %d is %d of a sum of %d\n", rank, place, sum);
	MPI_Comm_free(&all);
	MPI_Comm_free(&inter);
	MPI_Comm_free(&half);
}

static void shared(int rank)
{
	int me, n, *mine, *theirs, unit, one = 1, before;
	MPI_Aint size;
	MPI_Comm node;
	MPI_Win win;

	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
	MPI_Comm_rank(node, &me);
	MPI_Comm_size(node, &n);
	if (me == 1)
		late(rank);
	MPI_Win_allocate_shared(64 * (me + 1), sizeof(int), MPI_INFO_NULL, node, &mine, &win);
	MPI_Win_fence(0, win);
	mine[15] = me;
	MPI_Win_fence(0, win);
	MPI_Win_shared_query(win, (me + 1) % n, &size, &unit, &theirs);
	MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
	MPI_Fetch_and_op(&one, &before, MPI_INT, 0, 3, MPI_SUM, win);
	MPI_Win_unlock(0, win);
	MPI_Barrier(node);
	printf("rank %d sees %ld of %d\n", rank, (long)size, theirs[15]);
	if (me == 0)
		printf("rank %d has %d\n", rank, mine[3]);
	MPI_Win_free(&win);
	MPI_Comm_free(&node);
}

int main(int argc, char **argv)
{
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	merged(rank, rank % 2, 0, 0);
	merged(rank, !(rank % 2), 0, 3);
	merged(rank, 1, 1, 2);
	shared(rank);
	MPI_Finalize();
	return 0;
}
