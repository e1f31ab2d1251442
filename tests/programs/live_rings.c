/* live_rings.c: collectives on rings, whose data every rank checks; prints when rank 0 is through
 * with each, and how many values were wrong. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCK = 3 };
static int rank, size, wrong;

static void said(const char *what)
{
	int all;

	MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
	if (rank == 0)
		printf("%s: %d wrong\n", what, all);
	wrong = 0;
}

static void expect(int got, int wanted)
{
	wrong += got != wanted;
}

static void latest(void *in, void *inout, int *n, MPI_Datatype *type)
{
	(void)type;
	for (int i = 0; i < *n; i++)
		if (((int *)in)[i] > ((int *)inout)[i])
			((int *)inout)[i] = ((int *)in)[i];
}

int main(int argc, char **argv)
{
	int *mine, *all, *counts, *displs, n, i;
	MPI_Request q;
	MPI_Op op;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	n = size * BLOCK;
	mine = malloc(n * sizeof *mine);
	all = malloc(n * sizeof *all);
	counts = malloc(size * sizeof *counts);
	displs = malloc(size * sizeof *displs);
	for (i = 0; i < size; i++) {
		counts[i] = BLOCK;
		displs[i] = (size - 1 - i) * BLOCK;
	}
	for (i = 0; i < n; i++)
		mine[i] = 1000 * rank + i;
	MPI_Allgather(mine, BLOCK, MPI_INT, all, BLOCK, MPI_INT, MPI_COMM_WORLD);
	for (i = 0; i < n; i++)
		expect(all[i], 1000 * (i / BLOCK) + i % BLOCK);
	said("allgather");
	MPI_Iallgather(mine, BLOCK, MPI_INT, all, BLOCK, MPI_INT, MPI_COMM_WORLD, &q);
	MPI_Wait(&q, MPI_STATUS_IGNORE);
	for (i = 0; i < n; i++)
		expect(all[i], 1000 * (i / BLOCK) + i % BLOCK);
	said("iallgather");
	MPI_Allgatherv(mine, BLOCK, MPI_INT, all, counts, displs, MPI_INT, MPI_COMM_WORLD);
	for (i = 0; i < n; i++)
		expect(all[displs[i / BLOCK] + i % BLOCK], 1000 * (i / BLOCK) + i % BLOCK);
	said("allgatherv");
	MPI_Allreduce(mine, all, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	for (i = 0; i < n; i++)
		expect(all[i], 1000 * (size * (size - 1) / 2) + size * i);
	said("allreduce");
	MPI_Reduce_scatter(mine, all, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	for (i = 0; i < BLOCK; i++)
		expect(all[i], 1000 * (size * (size - 1) / 2) + size * (rank * BLOCK + i));
	said("reduce_scatter");
	MPI_Op_create(latest, 1, &op);
	MPI_Allreduce(mine, all, n, MPI_INT, op, MPI_COMM_WORLD);
	for (i = 0; i < n; i++)
		expect(all[i], 1000 * (size - 1) + i);
	MPI_Op_free(&op);
	said("operator");
	for (i = 0; i < n; i++)
		mine[i] = rank == 5 ? 7 * i : -1;
	MPI_Bcast(mine, n, MPI_INT, 5, MPI_COMM_WORLD);
	for (i = 0; i < n; i++)
		expect(mine[i], 7 * i);
	said("bcast");
	MPI_Finalize();
	return 0;
}
