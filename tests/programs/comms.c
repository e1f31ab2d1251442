/* comms.c: communicators of all sorts, on four ranks: grids, graphs and their neighbourhoods,
 * intercommunicators and collectives on them. It checks the data that it gets. */
#include <mpi.h>

#include <stdio.h>

static int rank;

static void check(int ok, int line)
{
	if (ok)
		return;
	fprintf(stderr, "comms: rank %d got wrong data at line %d\n", rank, line);
	MPI_Abort(MPI_COMM_WORLD, 3);
}
#define CHECK(x) check((x), __LINE__)

/* 2 x 2, the second dimension periodic. */
static void grid(void)
{
	int dims[2] = {2, 2}, periods[2] = {0, 1}, keep[2] = {0, 1},
	    mine[4] = {rank, rank, rank, rank}, got[4] = {-1, -1, -1, -1};
	MPI_Comm cart, row, twin;
	MPI_Request r;

	MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &cart);
	MPI_Neighbor_allgather(mine, 1, MPI_INT, got, 1, MPI_INT, cart);
	CHECK(got[0] == (rank < 2 ? -1 : rank - 2) && got[1] == (rank < 2 ? rank + 2 : -1) &&
	      got[2] == (rank ^ 1));
	MPI_Ineighbor_alltoall(mine, 1, MPI_INT, got, 1, MPI_INT, cart, &r);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	MPI_Comm_dup(cart, &twin);
	MPI_Neighbor_alltoallv(mine, (int[]){1, 1, 1, 1}, (int[]){0, 1, 2, 3}, MPI_INT, got,
	                       (int[]){1, 1, 1, 1}, (int[]){0, 1, 2, 3}, MPI_INT, twin);
	MPI_Cart_sub(cart, keep, &row);
	MPI_Barrier(row);
	MPI_Comm_free(&row);
	MPI_Comm_free(&twin);
	MPI_Comm_free(&cart);
}

/* A ring in one direction; and the star around rank 0. */
static void graphs(void)
{
	int next = (rank + 1) % 4, prev = (rank + 3) % 4, got = -1, index[4] = {3, 4, 5, 6},
	    edges[6] = {1, 2, 3, 0, 0, 0}, all[3] = {-1};
	int one = 1, sources[1] = {rank}, degrees[1] = {1}, destinations[1] = {next};
	MPI_Comm ring, star, same;

	MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &prev, MPI_UNWEIGHTED, 1, &next,
	                               MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &ring);
	MPI_Neighbor_allgather(&rank, 1, MPI_INT, &got, 1, MPI_INT, ring);
	CHECK(got == prev);
	MPI_Dist_graph_create(MPI_COMM_WORLD, 1, sources, degrees, destinations, MPI_UNWEIGHTED,
	                      MPI_INFO_NULL, 0, &same);
	MPI_Neighbor_allgatherv(&rank, 1, MPI_INT, &got, &one, (int[]){0}, MPI_INT, same);
	CHECK(got == prev);
	MPI_Graph_create(MPI_COMM_WORLD, 4, index, edges, 0, &star);
	MPI_Neighbor_allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, star);
	CHECK(rank ? all[0] == 0 : all[0] + all[1] + all[2] == 6);
	MPI_Comm_free(&star);
	MPI_Comm_free(&same);
	MPI_Comm_free(&ring);
}

/* Two duplicates of an intercommunicator, and one of the second. Not at the same time: Open MPI 4.1
 * may never end two. */
static void later_groups(MPI_Comm inter, int odd)
{
	MPI_Comm twin[3];
	MPI_Request r[3];
	int sum = 0;

	MPI_Comm_idup(inter, &twin[0], &r[0]);
	MPI_Wait(&r[0], MPI_STATUS_IGNORE);
	MPI_Comm_idup(inter, &twin[1], &r[1]);
	MPI_Wait(&r[1], MPI_STATUS_IGNORE);
	MPI_Comm_idup(twin[1], &twin[2], &r[2]);
	MPI_Wait(&r[2], MPI_STATUS_IGNORE);
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, twin[2]);
	CHECK(sum == (odd ? 2 : 4));
	for (int i = 0; i < 3; i++)
		MPI_Comm_free(&twin[i]);
}

/* {0, 2} and {1, 3}. */
static void groups(void)
{
	MPI_Comm half, inter, twin, all, later;
	MPI_Request r;
	int root, a[4] = {rank, rank, rank, rank}, b[4] = {-1, -1, -1, -1}, odd = rank % 2, me;

	MPI_Comm_split(MPI_COMM_WORLD, odd, rank, &half);
	MPI_Comm_rank(half, &me);
	MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - odd, 3, &inter);
	MPI_Sendrecv(a, 1, MPI_INT, me, 4, b, 1, MPI_INT, me, 4, inter, MPI_STATUS_IGNORE);
	CHECK(b[0] == (rank ^ 1));
	MPI_Barrier(inter);
	root = odd ? 1 : rank == 2 ? MPI_ROOT : MPI_PROC_NULL; /* rank 2 to the odd ones */
	b[0] = 7;
	MPI_Bcast(b, 1, MPI_INT, root, inter);
	MPI_Gather(a, 1, MPI_INT, b, 1, MPI_INT, root, inter);
	CHECK(rank != 2 || (b[0] == 1 && b[1] == 3));
	MPI_Gatherv(a, 1, MPI_INT, b, (int[]){1, 1}, (int[]){0, 1}, MPI_INT, root, inter);
	MPI_Scatter(a, 1, MPI_INT, b, 1, MPI_INT, root, inter);
	CHECK(!odd || b[0] == 2);
	MPI_Reduce(a, b, 1, MPI_INT, MPI_SUM, root, inter);
	CHECK(rank != 2 || b[0] == 4);
	MPI_Allreduce(a, b, 1, MPI_INT, MPI_SUM, inter);
	CHECK(b[0] == (odd ? 2 : 4));
	MPI_Allgather(a, 1, MPI_INT, b, 1, MPI_INT, inter);
	CHECK(b[1] == (odd ? 2 : 3));
	MPI_Alltoall(a, 1, MPI_INT, b, 1, MPI_INT, inter);
	MPI_Comm_dup(inter, &twin);
	MPI_Barrier(twin);
	MPI_Intercomm_merge(twin, odd, &all);
	MPI_Comm_rank(all, &me);
	CHECK(me == (odd ? 2 : 0) + rank / 2);
	MPI_Comm_idup(all, &later, &r);
	MPI_Allreduce(a, b, 1, MPI_INT, MPI_SUM, all);
	CHECK(b[0] == 6);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	MPI_Bcast(a, 1, MPI_INT, 3, later);
	CHECK(a[0] == 3);
	MPI_Comm_free(&later);
	MPI_Comm_free(&all);
	later_groups(inter, odd);
	MPI_Comm_free(&twin);
	MPI_Comm_free(&inter);
	MPI_Comm_free(&half);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	grid();
	graphs();
	groups();
	if (rank == 0)
		printf("comms: all right\n");
	MPI_Finalize();
	return 0;
}
