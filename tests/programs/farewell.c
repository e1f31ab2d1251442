/* farewell.c: calls MPI in MPI_Finalize, as HDF5 closes its files: the functions of MPI_COMM_SELF's
 * attributes are called before anything else of it, that of the last one set first (MPI 4.0,
 * 11.2.4). 4 ranks: a barrier, and in MPI_Finalize a ring, then a sum over a communicator that is
 * freed there. Prints what rank 0 has got. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int order, rank, ranks;

static int ring(MPI_Comm comm, int keyval, void *value, void *extra)
{
	int from = -1;

	(void)comm;
	(void)keyval;
	(void)extra;
	if (order++ != 0)
		return MPI_ERR_OTHER;
	MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % ranks, 3, &from, 1, MPI_INT,
	             (rank + ranks - 1) % ranks, 3, *(MPI_Comm *)value, MPI_STATUS_IGNORE);
	if (rank == 0)
		printf("ring: %d\n", from);
	return MPI_SUCCESS;
}

static int sum(MPI_Comm comm, int keyval, void *value, void *extra)
{
	int all = -1;

	(void)comm;
	(void)keyval;
	(void)extra;
	if (order++ != 1)
		return MPI_ERR_OTHER;
	MPI_Allreduce(&rank, &all, 1, MPI_INT, MPI_SUM, *(MPI_Comm *)value);
	MPI_Comm_free(value);
	free(value);
	if (rank == 0)
		printf("sum: %d\n", all);
	return MPI_SUCCESS;
}

static void at_end(MPI_Comm_delete_attr_function *what, void *value)
{
	int keyval;

	MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, what, &keyval, NULL);
	MPI_Comm_set_attr(MPI_COMM_SELF, keyval, value);
	MPI_Comm_free_keyval(&keyval);
}

int main(int argc, char **argv)
{
	MPI_Comm *own = malloc(sizeof *own);

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	MPI_Comm_dup(MPI_COMM_WORLD, own);
	at_end(sum, own);
	at_end(ring, own);
	MPI_Barrier(*own);
	MPI_Finalize();
	return order != 2;
}
