/* persistent.c: each persistent collective of MPI 4.0, 6.13, started three times with other values:
 * what it gives is what the non-blocking form gives, and takes as long. One line for each that
 * differs, and "persistent: all right". */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 16, EACH = 300, STARTS = 3 };

static int rank, ranks, bad;
static int in[MOST * EACH], got[MOST * EACH], want[MOST * EACH];
static int counts[MOST], places[MOST];

static void fill(int start)
{
	for (int i = 0; i < MOST * EACH; i++)
		in[i] = (start * 31 + rank * 7 + i) % 1000;
	memset(got, 0, sizeof got);
	memset(want, 0, sizeof want);
}

/* All ranks begin at one date: whoever came to the barrier first waits the longest. */
static double begin(void)
{
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
	return MPI_Wtime();
}

static double took(double from)
{
	double t = MPI_Wtime() - from, most;

	MPI_Allreduce(&t, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	return most;
}

static void compare(const char *name, int start, double persistent, double once)
{
	if (memcmp(got, want, sizeof got) != 0) {
		printf("%s: rank %d, start %d: another result\n", name, rank, start);
		bad = 1;
	}
	if (rank == 0 && !(persistent > once * 0.99 - 1e-9 && persistent < once * 1.01 + 1e-9)) {
		printf("%s: start %d: %.9f s, %.9f s as MPI_I%s\n", name, start, persistent, once,
		       name);
		bad = 1;
	}
}

/* INIT, ONCE: of got and of want. in is the program's to write when no start is under way. */
#define ASK(name, INIT, ONCE) \
	do { \
		MPI_Request p, r; \
		fill(-1); \
		INIT; \
		for (int s = 0; s < STARTS; s++) { \
			double t, persistent; \
			fill(s); \
			t = begin(); \
			MPI_Start(&p); \
			MPI_Wait(&p, MPI_STATUS_IGNORE); \
			persistent = took(t); \
			bad |= p == MPI_REQUEST_NULL; \
			t = begin(); \
			ONCE; \
			MPI_Wait(&r, MPI_STATUS_IGNORE); \
			compare(name, s, persistent, took(t)); \
		} \
		MPI_Request_free(&p); \
	} while (0)
#define W MPI_COMM_WORLD
#define N MPI_INFO_NULL, &p
#define I MPI_INT

int main(int argc, char **argv)
{
	int all, n = EACH;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(W, &rank);
	MPI_Comm_size(W, &ranks);
	for (int i = 0, at = 0; i < ranks; at += counts[i++]) {
		counts[i] = 10 * i + 3;
		places[i] = at;
	}
	ASK("barrier", MPI_Barrier_init(W, N), MPI_Ibarrier(W, &r));
	ASK("gather", MPI_Gather_init(in, n, I, got, n, I, 1, W, N),
	    MPI_Igather(in, n, I, want, n, I, 1, W, &r));
	ASK("gatherv", MPI_Gatherv_init(in, counts[rank], I, got, counts, places, I, 1, W, N),
	    MPI_Igatherv(in, counts[rank], I, want, counts, places, I, 1, W, &r));
	ASK("scatter", MPI_Scatter_init(in, n, I, got, n, I, 0, W, N),
	    MPI_Iscatter(in, n, I, want, n, I, 0, W, &r));
	ASK("scatterv", MPI_Scatterv_init(in, counts, places, I, got, counts[rank], I, 2, W, N),
	    MPI_Iscatterv(in, counts, places, I, want, counts[rank], I, 2, W, &r));
	ASK("allgather", MPI_Allgather_init(in, n, I, got, n, I, W, N),
	    MPI_Iallgather(in, n, I, want, n, I, W, &r));
	ASK("allgatherv", MPI_Allgatherv_init(in, counts[rank], I, got, counts, places, I, W, N),
	    MPI_Iallgatherv(in, counts[rank], I, want, counts, places, I, W, &r));
	ASK("alltoall", MPI_Alltoall_init(in, n, I, got, n, I, W, N),
	    MPI_Ialltoall(in, n, I, want, n, I, W, &r));
	ASK("reduce", MPI_Reduce_init(in, got, n, I, MPI_SUM, 1, W, N),
	    MPI_Ireduce(in, want, n, I, MPI_SUM, 1, W, &r));
	ASK("allreduce", MPI_Allreduce_init(in, got, n, I, MPI_SUM, W, N),
	    MPI_Iallreduce(in, want, n, I, MPI_SUM, W, &r));
	ASK("reduce_scatter", MPI_Reduce_scatter_init(in, got, counts, I, MPI_SUM, W, N),
	    MPI_Ireduce_scatter(in, want, counts, I, MPI_SUM, W, &r));
	ASK("reduce_scatter_block", MPI_Reduce_scatter_block_init(in, got, n, I, MPI_MAX, W, N),
	    MPI_Ireduce_scatter_block(in, want, n, I, MPI_MAX, W, &r));
	ASK("scan", MPI_Scan_init(in, got, n, I, MPI_SUM, W, N),
	    MPI_Iscan(in, want, n, I, MPI_SUM, W, &r));
	ASK("exscan", MPI_Exscan_init(in, got, n, I, MPI_SUM, W, N),
	    MPI_Iexscan(in, want, n, I, MPI_SUM, W, &r));
	MPI_Allreduce(&bad, &all, 1, MPI_INT, MPI_MAX, W);
	if (rank == 0 && !all)
		puts("persistent: all right");
	MPI_Finalize();
	return all;
}
