// live_held.cc: C++ in a rank of its own: objects made before main, exceptions that are caught
// while others throw, streams.
#include <iostream>
#include <map>
#include <mpi.h>
#include <stdexcept>
#include <string>

static std::map<int, std::string> names;
static int made = (names[7] = "seven", 1);
struct Thing {
	int value;
	Thing() : value(made * 3) {}
	~Thing() { std::cout << "gone " << value << std::endl; }
} thing;
thread_local std::string last = "none";

int main(int argc, char **argv)
{
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	thing.value += rank;
	last += std::to_string(rank);
	MPI_Barrier(MPI_COMM_WORLD);
	try {
		if (rank % 2 == 0)
			throw std::runtime_error("thrown by " + std::to_string(rank));
		MPI_Barrier(MPI_COMM_WORLD);
	} catch (std::exception &e) {
		MPI_Barrier(MPI_COMM_WORLD);
		std::cout << e.what() << std::endl;
	}
	std::cout << "rank " << rank << " " << thing.value << " " << names[7] << " " << last
		  << std::endl;
	MPI_Finalize();
	return 0;
}
