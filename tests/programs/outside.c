/* outside.c: what has no place in a trace must at least go on working: intercommunicators,
 * processes spawned, files. Two ranks. */
#include <mpi.h>

#include <stdio.h>

static int rank;

static void intercommunicator(void)
{
	MPI_Comm inter, merged;
	int a = rank, b = -1;

	MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 1 - rank, 3, &inter);
	MPI_Sendrecv(&a, 1, MPI_INT, 0, 4, &b, 1, MPI_INT, 0, 4, inter, MPI_STATUS_IGNORE);
	if (b != 1 - rank)
		MPI_Abort(MPI_COMM_WORLD, 3);
	MPI_Intercomm_merge(inter, rank, &merged);
	MPI_Allreduce(&a, &b, 1, MPI_INT, MPI_SUM, merged);
	if (b != 1)
		MPI_Abort(MPI_COMM_WORLD, 3);
	MPI_Comm_free(&merged);
	MPI_Comm_free(&inter);
}

static void spawned(char **argv)
{
	MPI_Comm children, all;
	int a = 1, b = 0;

	MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
	               MPI_ERRCODES_IGNORE);
	MPI_Intercomm_merge(children, 0, &all);
	MPI_Allreduce(&a, &b, 1, MPI_INT, MPI_SUM, all);
	if (b != 3)
		MPI_Abort(MPI_COMM_WORLD, 3);
	MPI_Comm_free(&all);
	MPI_Comm_disconnect(&children);
}

static void child(MPI_Comm parents)
{
	MPI_Comm all;
	int a = 1, b = 0;

	MPI_Intercomm_merge(parents, 1, &all);
	MPI_Allreduce(&a, &b, 1, MPI_INT, MPI_SUM, all);
	MPI_Comm_free(&all);
	MPI_Comm_disconnect(&parents);
}

int main(int argc, char **argv)
{
	MPI_Comm parents;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_get_parent(&parents);
	if (parents != MPI_COMM_NULL) {
		child(parents);
	} else {
		intercommunicator();
		if (argc > 1)
			spawned(argv);
		if (rank == 0)
			printf("outside: all right\n");
	}
	MPI_Finalize();
	return 0;
}
