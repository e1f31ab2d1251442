/* live_loop.c: rank 1 writes to memory that it shares with rank 0 (argv[1]: a file that both map),
 * and rank 0 waits for that in a loop, with a second word with sched_yield in it. Prints "came". */
#include <fcntl.h>
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mman.h>

int main(int argc, char **argv)
{
	volatile int *memory;
	int rank, fd = open(argv[1], O_RDWR);

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 1) {
		MPI_Recv(NULL, 0, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		*memory = 1;
	}
	if (rank == 2)
		MPI_Send(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
	while (rank == 0 && !*memory)
		if (argc > 2)
			sched_yield();
	if (rank == 0)
		puts("came");
	MPI_Finalize();
	return 0;
}
