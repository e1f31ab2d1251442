/* live_ends.c: each rank prints a line; the second one then does harm as its argument says. Built
 * without optimisation, which would see that it is wrong. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void harm(const char *how, unsigned char *block, size_t size)
{
	if (!strcmp(how, "kill"))
		raise(SIGKILL);
	if (!strcmp(how, "leave"))
		_exit(3);
	if (!strcmp(how, "mpi"))
		MPI_Abort(MPI_COMM_WORLD, 7);
	if (!strcmp(how, "loop"))
		for (volatile int forever = 1; forever;)
			;
	if (!strcmp(how, "twice"))
		free(block);
	if (!strcmp(how, "beyond")) { /* the heap's own records, and what others have there */
		memset(block, 0x41, 50 * size);
		free(malloc(100 * size)); /* is found at the latest here */
	}
	if (!strcmp(how, "before"))
		memset(block - 4 * size, 0x41, 4 * size);
	if (!strcmp(how, "up"))
		for (unsigned char *p = block;; p++)
			*(volatile unsigned char *)p = 0x41;
	if (!strcmp(how, "down"))
		for (unsigned char *p = block;; p--)
			*(volatile unsigned char *)p = 0x41;
	free(block);
}

int main(int argc, char **argv)
{
	enum { SIZE = 1000 };
	const char *how = argc > 1 ? argv[1] : "";
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	printf("printed by %d\n", rank);
	MPI_Barrier(MPI_COMM_WORLD);
	if (!strcmp(how, "forever")) /* not even at a request to end */
		signal(SIGTERM, SIG_IGN);
	for (int on = !strcmp(how, "forever"); on;)
		MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 1)
		harm(how, malloc(SIZE), SIZE);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
