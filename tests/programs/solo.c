/* solo.c: many kinds of calls in one process, without mpirun: for tests that run it many times.
 * Checks its data. */
#include <mpi.h>

#include <stdio.h>

enum { MANY = 40 };

static void fail(const char *what)
{
	fprintf(stderr, "solo: wrong %s\n", what);
	MPI_Abort(MPI_COMM_WORLD, 3);
}

static void requests(MPI_Comm comm)
{
	int in[MANY], out[MANY];
	MPI_Request r[2 * MANY];

	for (int i = 0; i < MANY; i++) {
		out[i] = i;
		MPI_Irecv(&in[i], 1, MPI_INT, MPI_ANY_SOURCE, i, comm, &r[i]);
	}
	for (int i = 0; i < MANY; i++)
		MPI_Isend(&out[i], 1, MPI_INT, 0, i, comm, &r[MANY + i]);
	MPI_Waitall(2 * MANY, r, MPI_STATUSES_IGNORE);
	for (int i = 0; i < MANY; i++)
		if (in[i] != i)
			fail("message");
}

int main(int argc, char **argv)
{
	MPI_Comm dup[20], idup;
	MPI_Request r;
	int a = 1, b = 0, counts[1] = {1}, zero[1] = {0};

	MPI_Init(&argc, &argv);
	for (int i = 0; i < 20; i++)
		MPI_Comm_dup(MPI_COMM_WORLD, &dup[i]);
	MPI_Comm_idup(dup[3], &idup, &r);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	requests(dup[7]);
	requests(idup);
	MPI_Alltoallv(&a, counts, zero, MPI_INT, &b, counts, zero, MPI_INT, dup[19]);
	if (b != 1)
		fail("alltoallv");
	for (int i = 0; i < 20; i++)
		MPI_Comm_free(&dup[i]);
	printf("solo: all right\n");
	MPI_Finalize();
	return 7;
}
