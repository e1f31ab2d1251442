// Each rank throws through some frames, as often as it is told, and catches.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

static int __attribute__((noinline)) deep(int n)
{
	if (n == 0)
		throw std::runtime_error("far down");
	return deep(n - 1) + 1;
}

int main(int argc, char **argv)
{
	int times = argc > 1 ? std::atoi(argv[1]) : 1, caught = 0, all = 0, rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < times; i++) {
		try {
			deep(10);
		} catch (std::exception &e) {
			caught++;
		}
		MPI_Barrier(MPI_COMM_WORLD);
	}
	MPI_Reduce(&caught, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
	if (rank == 0)
		std::printf("caught %d\n", all);
	MPI_Finalize();
	return 0;
}
