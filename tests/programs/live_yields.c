/* live_yields.c: rank 0 sleeps for 10 ms and writes to memory that all ranks share past MPI (a
 * file, named by the first word); the others wait for it by sched_yield alone. Prints when they saw
 * it. */
#include <fcntl.h>
#include <mpi.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int rank, fd = open(argv[argc - 1], O_RDWR);
	atomic_int *flag = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	double begin;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Barrier(MPI_COMM_WORLD);
	begin = MPI_Wtime();
	if (rank == 0) {
		usleep(10000);
		atomic_store(flag, 1);
	} else {
		while (!atomic_load(flag))
			sched_yield();
		printf("seen after %.6f s\n", MPI_Wtime() - begin);
	}
	MPI_Finalize();
	return 0;
}
