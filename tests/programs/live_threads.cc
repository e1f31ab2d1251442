// live_threads.cc: a rank with threads of its own, which compute while it is not in MPI:
// thread-local variables, their destructors, values of keys, locks. An argument: what a thread
// does wrong.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <condition_variable>
#include <mpi.h>
#include <mutex>
#include <pthread.h>
#include <thread>
#include <vector>

static std::mutex mutex;
static std::condition_variable changed;
static int arrived, gone, ended;
static pthread_key_t key;
static thread_local int mine = 7;
struct Leaver {
	int value = 1;
	~Leaver() { std::lock_guard<std::mutex> l(mutex); gone += value; }
};
static thread_local Leaver leaver;

static void of_key(void *value)
{
	std::lock_guard<std::mutex> l(mutex);
	ended += (int)(long)value;
}

static void work(int number, long *out)
{
	leaver.value = number; // it is made here
	pthread_setspecific(key, (void *)(long)number);
	for (int i = 0; i < 1000; i++)
		mine += number;
	std::unique_lock<std::mutex> l(mutex);
	arrived++;
	changed.notify_all();
	changed.wait(l, [] { return arrived >= 4; });
	*out = mine + (long)pthread_getspecific(key);
}

static void wrong(const char *what)
{
	if (!std::strcmp(what, "mpi"))
		MPI_Barrier(MPI_COMM_WORLD);
	if (!std::strcmp(what, "crash"))
		*(volatile int *)nullptr = 1;
	if (!std::strcmp(what, "exit"))
		std::exit(5);
	while (!std::strcmp(what, "loop"))
		mine++;
}

int main(int argc, char **argv)
{
	int rank, ranks;
	if (argc > 1 && !std::strcmp(argv[1], "level")) { // an argument more: what is asked for
		int level, told;
		MPI_Init_thread(&argc, &argv, argc > 2 ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE,
		                &level);
		MPI_Query_thread(&told);
		std::printf("0: %s %d\n",
		            level == MPI_THREAD_MULTIPLE   ? "multiple"
		            : level == MPI_THREAD_FUNNELED ? "funneled"
		                                           : "single",
		            told == level);
		return MPI_Finalize();
	}
	if (argc > 1 && (!std::strcmp(argv[1], "quits") || !std::strcmp(argv[1], "aborts") ||
	                 !std::strcmp(argv[1], "dies"))) {
		int level; // as those do that need what they ask for
		MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
		if (level < MPI_THREAD_MULTIPLE && !std::strcmp(argv[1], "aborts"))
			MPI_Abort(MPI_COMM_WORLD, 3);
		if (level < MPI_THREAD_MULTIPLE && !std::strcmp(argv[1], "dies"))
			std::abort(); // an assertion's way, and Smilei's, by another signal
		return level < MPI_THREAD_MULTIPLE ? 4 : MPI_Finalize();
	}
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	pthread_key_create(&key, of_key);
	for (int round = 0; round < 3; round++) {
		std::vector<std::thread> threads;
		long out[4], sum = 0, all;
		arrived = 0;
		for (int i = 0; i < 4; i++)
			threads.emplace_back(work, rank + i, &out[i]);
		for (auto &t : threads)
			t.join();
		for (long v : out)
			sum += v;
		MPI_Allreduce(&sum, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
		if (round == 2)
			std::printf("%d: %ld of %ld, gone %d, ended %d, mine %d\n", rank, sum,
			            all, gone, ended, mine);
	}
	if (argc > 1 && rank == 1) {
		std::thread t(wrong, argv[1]);
		t.detach();
		if (std::strcmp(argv[1], "loop"))
			for (;;)
				std::this_thread::yield();
	}
	MPI_Finalize();
	return 0;
}
