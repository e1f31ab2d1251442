/* coll_calls.c: collective calls in a real MPI, one after the other: arguments of each are KIND
 * ELEMENTS ROOT, of 8-byte elements (of one block where there are blocks). What each rank sends
 * inside a call is written as lines "call from to messages bytes" (calls from 0) to
 * COUNT_FILE.<rank>.
 *
 * It is counted where the library says it: Open MPI to its monitoring (pml_monitoring_enable),
 * whose function is this program's; MPICH to UCX, in front of which count_ucx.c is preloaded.
 * Link with -rdynamic. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS_MAX = 256 };
static long messages[RANKS_MAX], bytes[RANKS_MAX];
static int is_on;

void orrery_sent(int to, size_t size)
{
	if (is_on && to < RANKS_MAX) {
		messages[to]++;
		bytes[to] += (long)size;
	}
}

/* Open MPI's (common/monitoring). Tags of users are not negative. */
void mca_common_monitoring_record_pml(int to, size_t size, int tag)
{
	if (tag < 0)
		orrery_sent(to, size);
}

static void write_counts(int call)
{
	static FILE *f;
	char path[4096];
	int rank;
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	snprintf(path, sizeof path, "%s.%d", getenv("COUNT_FILE"), rank);
	if (!f && !(f = fopen(path, "w")))
		MPI_Abort(MPI_COMM_WORLD, 2);
	for (int i = 0; i < RANKS_MAX; i++)
		if (messages[i])
			fprintf(f, "%d %d %d %ld %ld\n", call, rank, i, messages[i], bytes[i]);
	fflush(f);
	memset(messages, 0, sizeof messages);
	memset(bytes, 0, sizeof bytes);
}

static int is(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

/* The n-th call. */
static void perform(int call, const char *kind, int n, int root)
{
	int p, i;
	MPI_Comm_size(MPI_COMM_WORLD, &p);
	double *s = calloc((size_t)n * p + 1, sizeof *s), *r = calloc((size_t)n * p + 1, sizeof *r);
	int *counts = malloc(p * sizeof *counts), *displs = malloc(p * sizeof *displs);
	for (i = 0; i < p; i++) {
		counts[i] = n;
		displs[i] = n * i;
	}
	MPI_Comm w = MPI_COMM_WORLD;
	is_on = 1;
	if (is(kind, "barrier"))
		MPI_Barrier(w);
	else if (is(kind, "bcast"))
		MPI_Bcast(r, n, MPI_DOUBLE, root, w);
	else if (is(kind, "reduce"))
		MPI_Reduce(s, r, n, MPI_DOUBLE, MPI_SUM, root, w);
	else if (is(kind, "allreduce"))
		MPI_Allreduce(s, r, n, MPI_DOUBLE, MPI_SUM, w);
	else if (is(kind, "gather"))
		MPI_Gather(s, n, MPI_DOUBLE, r, n, MPI_DOUBLE, root, w);
	else if (is(kind, "scatter"))
		MPI_Scatter(s, n, MPI_DOUBLE, r, n, MPI_DOUBLE, root, w);
	else if (is(kind, "allgather"))
		MPI_Allgather(s, n, MPI_DOUBLE, r, n, MPI_DOUBLE, w);
	else if (is(kind, "allgatherv"))
		MPI_Allgatherv(s, n, MPI_DOUBLE, r, counts, displs, MPI_DOUBLE, w);
	else if (is(kind, "alltoall"))
		MPI_Alltoall(s, n, MPI_DOUBLE, r, n, MPI_DOUBLE, w);
	else if (is(kind, "alltoallv"))
		MPI_Alltoallv(s, counts, displs, MPI_DOUBLE, r, counts, displs, MPI_DOUBLE, w);
	else if (is(kind, "reduce_scatter"))
		MPI_Reduce_scatter(s, r, counts, MPI_DOUBLE, MPI_SUM, w);
	else if (is(kind, "reduce_scatter_block"))
		MPI_Reduce_scatter_block(s, r, n, MPI_DOUBLE, MPI_SUM, w);
	else if (is(kind, "scan"))
		MPI_Scan(s, r, n, MPI_DOUBLE, MPI_SUM, w);
	else if (is(kind, "exscan"))
		MPI_Exscan(s, r, n, MPI_DOUBLE, MPI_SUM, w);
	else if (!is(kind, "nothing"))
		fprintf(stderr, "unknown operation %s\n", kind);
	is_on = 0;
	if (getenv("COUNT_FILE"))
		write_counts(call);
	free(s);
	free(r);
	free(counts);
	free(displs);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	for (int i = 1; i + 2 < argc; i += 3)
		perform(i / 3, argv[i], atoi(argv[i + 1]), atoi(argv[i + 2]));
	MPI_Finalize();
	return 0;
}
