/* live_checks.c: mistakes that a program does not notice (docs/checks.md), each in a function of
 * its own that another one calls: types that differ, collectives whose counts or operators differ,
 * a message that nobody receives. Rank 0 writes a line after each. */
#include <mpi.h>
#include <stdio.h>

static int rank;

static void after(const char *what)
{
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0)
		fprintf(stderr, "after %s\n", what);
	MPI_Barrier(MPI_COMM_WORLD);
}

__attribute__((noinline)) static void types(void)
{
	double d = 1;
	int i[2] = {0};

	if (rank == 0)
		MPI_Send(&d, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); /* types */
	if (rank == 1)
		MPI_Recv(i, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* takes */
}

__attribute__((noinline)) static void counts(void)
{
	int in[4] = {0}, out[8] = {0};

	MPI_Gather(in, 2, MPI_INT, out, rank ? 2 : 4, MPI_INT, 0, MPI_COMM_WORLD); /* counts */
}

/* Another operator on the same numbers, and one of the program's own for MPI's. */
static void own(void *in, void *inout, int *n, MPI_Datatype *type)
{
	(void)type;
	for (int i = 0; i < *n; i++)
		((int *)inout)[i] += ((int *)in)[i];
}

__attribute__((noinline)) static void operators(void)
{
	int in = 0, out;
	MPI_Op op;

	MPI_Allreduce(&in, &out, 1, MPI_INT, rank ? MPI_MAX : MPI_SUM, MPI_COMM_WORLD);
	MPI_Op_create(own, 1, &op);
	MPI_Scan(&in, &out, 1, MPI_INT, rank ? op : MPI_SUM, MPI_COMM_WORLD);
	MPI_Reduce(&in, &out, 1, MPI_INT, op, 0, MPI_COMM_WORLD);
	MPI_Op_free(&op);
}

/* Elements of other types; who has none for the other may have any. */
__attribute__((noinline)) static void vectors(void)
{
	int one[2] = {1, 1}, none[2] = {0, 0}, at[2] = {0, 4}, in[8] = {0}, out[8];
	MPI_Datatype mine = rank ? MPI_FLOAT : MPI_INT;

	MPI_Alltoallv(in, none, at, mine, out, none, at, mine, MPI_COMM_WORLD);
	MPI_Allgatherv(in, 0, mine, out, none, at, mine, MPI_COMM_WORLD);
	one[1 - rank] = 0;
	MPI_Alltoallv(in, one, at, mine, out, one, at, mine, MPI_COMM_WORLD);
	one[1 - rank] = 1;
	MPI_Alltoallv(in, one, at, mine, out, one, at, mine, MPI_COMM_WORLD); /* alltoallv */
	MPI_Allgatherv(in, 1, mine, out, one, at, mine, MPI_COMM_WORLD);      /* allgatherv */
	MPI_Gatherv(in, 1, mine, out, one, at, mine, 0, MPI_COMM_WORLD);      /* gatherv */
}

__attribute__((noinline)) static void lost(void)
{
	if (rank == 1)
		MPI_Send(&rank, 1, MPI_INT, 0, 9, MPI_COMM_WORLD); /* lost */
}

__attribute__((noinline)) static void all(void)
{
	types(); /* calls types */
	after("types");
	counts(); /* calls counts */
	after("counts");
	operators();
	after("operators");
	vectors(); /* calls vectors */
	after("vectors");
	lost(); /* calls lost */
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	all(); /* calls all */
	MPI_Finalize();
	return 0;
}
