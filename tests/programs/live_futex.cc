// Waits of C++ that ask the kernel themselves: a date of ours is none of its own.
#include <chrono>
#include <cstdio>
#include <future>
#include <mpi.h>
#include <semaphore>
#include <thread>

using namespace std::chrono_literals;

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	double begin = MPI_Wtime();
	std::promise<int> never, later;
	std::counting_semaphore<8> none(0);
	auto nothing = never.get_future(), something = later.get_future();

	int ready = nothing.wait_for(2s) == std::future_status::ready;
	std::printf("future of nobody %d %.6f\n", ready, MPI_Wtime() - begin);
	ready = nothing.wait_until(std::chrono::system_clock::now() + 1s) ==
	        std::future_status::ready;
	std::printf("until a date of the day %d %.6f\n", ready, MPI_Wtime() - begin);
	ready = none.try_acquire_for(500ms);
	std::printf("semaphore %d %.6f\n", ready, MPI_Wtime() - begin);
	std::thread sets([&] {
		std::this_thread::sleep_for(1500ms);
		later.set_value(1);
	});
	ready = something.wait_for(60s) == std::future_status::ready;
	std::printf("set by a thread %d %.6f\n", ready, MPI_Wtime() - begin);
	sets.join();
	MPI_Finalize();
}
