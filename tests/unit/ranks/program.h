/* program.h: a program whose ranks use most of MPI, whatever becomes of a call: what a call returns
 * is not looked at. For tests in which something goes wrong on purpose; after ranks.h. */
#ifndef ORRERY_TESTS_RANKS_PROGRAM_H
#define ORRERY_TESTS_RANKS_PROGRAM_H

enum { PROGRAM_RANKS = 3 };

static void program_messages(int rank, int n)
{
	int x[400] = {rank}, y[400], flag, index;
	MPI_Request q[4];
	MPI_Status s[4];

	orr_Irecv(y, 400, MPI_INT, (rank + 1) % n, 1, MPI_COMM_WORLD, &q[0]);
	orr_Isend(x, 400, MPI_INT, (rank + n - 1) % n, 1, MPI_COMM_WORLD, &q[1]);
	orr_Waitall(2, q, s);
	orr_Sendrecv(x, 3, MPI_INT, (rank + 1) % n, 2, y, 3, MPI_INT, (rank + n - 1) % n, 2,
	             MPI_COMM_WORLD, s);
	orr_Recv_init(y, 3, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &q[0]);
	orr_Send_init(x, 3, MPI_INT, (rank + 1) % n, 3, MPI_COMM_WORLD, &q[1]);
	orr_Startall(2, q);
	orr_Testany(2, q, &index, &flag, s);
	orr_Waitall(2, q, s);
	orr_Request_free(&q[0]);
	orr_Request_free(&q[1]);
	orr_Isend(x, 1, MPI_INT, rank, 4, MPI_COMM_WORLD, &q[0]);
	orr_Probe(rank, 4, MPI_COMM_WORLD, s);
	orr_Recv(y, 1, MPI_INT, rank, 4, MPI_COMM_WORLD, s);
	orr_Wait(&q[0], s);
	orr_Irecv(y, 1, MPI_INT, rank, 5, MPI_COMM_WORLD, &q[0]);
	orr_Cancel(&q[0]);
	orr_Wait(&q[0], s);
}

static void program_parts(int rank, int n)
{
	MPI_Request q[2];
	double x[8] = {0}, y[8];

	orr_Psend_init(x, 4, 2, MPI_DOUBLE, (rank + 1) % n, 6, MPI_COMM_WORLD, MPI_INFO_NULL,
	               &q[0]);
	orr_Precv_init(y, 4, 2, MPI_DOUBLE, (rank + n - 1) % n, 6, MPI_COMM_WORLD, MPI_INFO_NULL,
	               &q[1]);
	orr_Startall(2, q);
	orr_Pready_range(0, 3, q[0]);
	orr_Waitall(2, q, MPI_STATUSES_IGNORE);
	orr_Request_free(&q[0]);
	orr_Request_free(&q[1]);
}

static void program_collectives(int rank, int n)
{
	int x[64] = {rank}, y[192];
	MPI_Count counts[PROGRAM_RANKS], mine[PROGRAM_RANKS];
	MPI_Aint displs[PROGRAM_RANKS];
	MPI_Request q;

	for (int i = 0; i < n; i++)
		counts[i] = i + 1, mine[i] = rank + 1, displs[i] = 8 * i;
	orr_Barrier(MPI_COMM_WORLD);
	orr_Bcast(x, 64, MPI_INT, 1, MPI_COMM_WORLD);
	orr_Allreduce(x, y, 64, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	orr_Reduce(x, y, 4, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	orr_Scan(x, y, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	orr_Gatherv(x, rank + 1, MPI_INT, y, counts, displs, MPI_INT, 2, MPI_COMM_WORLD);
	orr_Allgather(x, 64, MPI_INT, y, 64, MPI_INT, MPI_COMM_WORLD);
	orr_Alltoallv(x, counts, displs, MPI_INT, y, mine, displs, MPI_INT, MPI_COMM_WORLD);
	orr_Ireduce_scatter(x, y, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &q);
	orr_Wait(&q, MPI_STATUS_IGNORE);
}

static inline void program_communicators(int rank, int n)
{
	const int dims[] = {PROGRAM_RANKS}, periods[] = {1};
	MPI_Comm c, grid;
	int x = rank, y[2];

	(void)n;
	orr_Comm_split(MPI_COMM_WORLD, rank & 1, 0, &c);
	orr_Allreduce(&x, y, 1, MPI_INT, MPI_SUM, c);
	orr_Comm_free(&c);
	orr_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &grid);
	orr_Neighbor_allgather(&x, 1, MPI_INT, y, 1, MPI_INT, grid);
	orr_Comm_free(&grid);
}

static void program_windows(int rank, int n)
{
	int x = rank, y, *base;
	MPI_Group g;
	MPI_Win w;

	orr_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &w);
	orr_Win_fence(0, w);
	orr_Put(&x, 1, MPI_INT, (rank + 1) % n, 0, 1, MPI_INT, w);
	orr_Win_fence(MPI_MODE_NOSUCCEED, w);
	orr_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w);
	orr_Fetch_and_op(&x, &y, MPI_INT, 0, 1, MPI_SUM, w);
	orr_Win_unlock(0, w);
	orr_Win_get_group(w, &g);
	orr_Win_post(g, 0, w);
	orr_Win_start(g, 0, w);
	orr_Win_complete(w);
	orr_Win_wait(w);
	orr_Group_free(&g);
	orr_Win_free(&w);
}

static void program_files(int rank, const char *path)
{
	MPI_File f;
	int x = rank;

	orr_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &f);
	if (f == MPI_FILE_NULL)
		return;
	orr_File_write_at_all(f, 4 * rank, &x, 1, MPI_INT, MPI_STATUS_IGNORE);
	orr_File_read_shared(f, &x, 1, MPI_INT, MPI_STATUS_IGNORE);
	orr_File_close(&f);
}

/* arg: the path of a file that it may write. */
static inline void program(int rank, void *arg)
{
	if (orr_Init(NULL, NULL) != MPI_SUCCESS)
		return;
	program_messages(rank, PROGRAM_RANKS);
	program_parts(rank, PROGRAM_RANKS);
	program_collectives(rank, PROGRAM_RANKS);
	program_communicators(rank, PROGRAM_RANKS);
	program_windows(rank, PROGRAM_RANKS);
	program_files(rank, arg);
	orr_Wtime();
	orr_Finalize();
}

#endif
