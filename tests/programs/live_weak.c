/* live_weak [-DPART=N]: a program that has a copy of a library's variable, weak as the library has
 * it (PART 1), and runs with a library that has it no longer (PART 2). Loaders leave the copy
 * alone: it is 0. */
#ifndef PART
#include <mpi.h>
#include <stdio.h>

extern int weak_numbers[4];
extern int weak_other(void);

int main(int argc, char **argv)
{
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	printf("rank %d: %d, %d\n", rank, weak_numbers[3], weak_other());
	MPI_Finalize();
	return 0;
}
#else
#if PART == 1
__attribute__((weak)) int weak_numbers[4] = {1, 2, 3, 4};
#endif
int weak_other(void)
{
	return 5;
}
#endif
