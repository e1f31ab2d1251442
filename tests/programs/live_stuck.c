/* live_stuck.c CALL: rank 0 makes a collective call that manages windows, files or communicators,
 * and rank 1 waits for a message instead: a deadlock. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static void call(const char *name)
{
	static int memory[4];
	int one = 1, zero = 0, two = 2;
	MPI_Group group;
	MPI_Comm comm;
	MPI_File file;
	MPI_Win win;
	void *base;

	MPI_Comm_group(MPI_COMM_WORLD, &group);
	if (!strcmp(name, "MPI_Win_create"))
		MPI_Win_create(memory, 16, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	if (!strcmp(name, "MPI_Win_allocate"))
		MPI_Win_allocate(16, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
	if (!strcmp(name, "MPI_Win_create_dynamic"))
		MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	if (!strcmp(name, "MPI_File_open"))
		MPI_File_open(MPI_COMM_WORLD, "none", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
	if (!strcmp(name, "MPI_Comm_dup"))
		MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	if (!strcmp(name, "MPI_Comm_split"))
		MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &comm);
	if (!strcmp(name, "MPI_Comm_create"))
		MPI_Comm_create(MPI_COMM_WORLD, group, &comm);
	if (!strcmp(name, "MPI_Comm_create_group"))
		MPI_Comm_create_group(MPI_COMM_WORLD, group, 3, &comm);
	if (!strcmp(name, "MPI_Cart_create"))
		MPI_Cart_create(MPI_COMM_WORLD, 1, &two, &zero, 0, &comm);
	if (!strcmp(name, "MPI_Dist_graph_create_adjacent"))
		MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &zero, &one, 1, &zero, &one,
		                               MPI_INFO_NULL, 0, &comm);
}

int main(int argc, char **argv)
{
	int rank, number;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0)
		call(argv[1]);
	else
		MPI_Recv(&number, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
