/* live_level.c: the level of threads of a program that makes none. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	int level;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	printf("0: %s\n", level == MPI_THREAD_MULTIPLE ? "multiple" : "less");
	return MPI_Finalize();
}
