/* coll_once.c: one collective call in a real MPI: KIND ELEMENTS ROOT, of 8-byte elements (of one
 * block where there are blocks). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of count_ucx.c, where that is preloaded. */
extern void orrery_count(int on) __attribute__((weak));

static int is(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

int main(int argc, char **argv)
{
	int p, i;
	MPI_Init(&argc, &argv);
	MPI_Comm_size(MPI_COMM_WORLD, &p);
	const char *kind = argc > 3 ? argv[1] : "";
	int n = argc > 3 ? atoi(argv[2]) : 0, root = argc > 3 ? atoi(argv[3]) : 0;
	double *s = calloc((size_t)n * p + 1, sizeof *s), *r = calloc((size_t)n * p + 1, sizeof *r);
	int *counts = malloc(p * sizeof *counts), *displs = malloc(p * sizeof *displs);
	for (i = 0; i < p; i++) {
		counts[i] = n;
		displs[i] = n * i;
	}
	MPI_Comm w = MPI_COMM_WORLD;
	if (orrery_count)
		orrery_count(1);
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
	if (orrery_count)
		orrery_count(0);
	MPI_Finalize();
	return 0;
}
