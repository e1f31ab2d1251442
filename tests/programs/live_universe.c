/* live_universe.c: a manager that spawns as many workers as the universe has room for (MPI 4.0,
 * 11.10.1: MPI_UNIVERSE_SIZE, less what there is), each of which finds the same universe. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	MPI_Comm parent, workers, all;
	int size, rank, flag, *universe, n;

	MPI_Init(&argc, &argv);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Comm_get_parent(&parent);
	MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &universe, &flag);
	n = flag ? *universe : -1;
	if (parent == MPI_COMM_NULL && n > size) {
		MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, n - size, MPI_INFO_NULL, 0, MPI_COMM_WORLD,
		               &workers, MPI_ERRCODES_IGNORE);
		MPI_Intercomm_merge(workers, 0, &all);
	} else if (parent == MPI_COMM_NULL) {
		all = MPI_COMM_WORLD;
	} else {
		MPI_Intercomm_merge(parent, 1, &all);
	}
	MPI_Comm_rank(all, &rank);
	MPI_Comm_size(all, &size);
	printf("%d of %d: a universe of %d\n", rank, size, n);
	MPI_Finalize();
	return 0;
}
