/* live_hold.c: what a rank has for itself, however it is held: data, static locals, thread-local
 * variables, what constructors did, errno, environment, random numbers, standard output; each rank
 * changes all of it, lets the others do so, and looks. The argument says how rank 1 ends. */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static int counter = 100, zero[1000];
static __thread int local = 5;
static __thread char wide[40000];
static const char *told = "nothing";

__attribute__((constructor)) static void begin(void)
{
	counter++;
}

/* Without getenv. */
static const char *in_environ(const char *name)
{
	char **p = environ;

	while (p && *p && (strncmp(*p, name, strlen(name)) != 0 || (*p)[strlen(name)] != '='))
		p++;
	return p && *p ? *p + strlen(name) + 1 : "nothing";
}

static int next(void)
{
	static int calls;

	return ++calls;
}

static void bye(void)
{
	int finalized;

	MPI_Finalized(&finalized);
	if (counter != 101)
		printf("bye: rank %d, finalized %d\n", counter - 101, finalized);
}

static int deep(int n)
{
	char room[4096];

	memset(room, n, sizeof room);
	return n ? deep(n - 1) + room[n % 4096] : 0;
}

/* Variables of one function that are larger than any stack, as arrays of Fortran's are. */
static int large(int n)
{
	volatile char room[1 << 30];

	room[n] = 1;
	return room[n];
}

static void *thread(void *p)
{
	return p;
}

static void dies(const char *how)
{
	pthread_t t;
	char *volatile p;

	if (strcmp(how, "exit") == 0)
		exit(3);
	if (strcmp(how, "abort") == 0)
		abort();
	if (strcmp(how, "crash") == 0)
		*(volatile int *)8 = 1;
	if (strcmp(how, "stack") == 0)
		exit(deep(1 << 20));
	if (strcmp(how, "large") == 0)
		exit(large((int)strlen(how)));
	if (strcmp(how, "thread") == 0)
		pthread_create(&t, NULL, thread, NULL);
	if (strcmp(how, "fork") == 0 && fork() == 0)
		_exit(0);
	if (strcmp(how, "mpi") == 0)
		MPI_Abort(MPI_COMM_WORLD, 1);
	if (strcmp(how, "heap") == 0) {
		p = malloc(100);
		free(p);
		free(p);
	}
}

static volatile int caught;

static void on_signal(int number)
{
	caught += number == SIGUSR1 ? 1 : 10;
}

/* What a rank does at a signal, and how much it may have, are its own affair. */
static void signals(int rank)
{
	struct rlimit limit = {0, 0};
	struct sigaction old;

	signal(SIGUSR1, rank % 2 ? on_signal : SIG_IGN);
	wide[sizeof wide - 1] = (char)rank;
	getrlimit(RLIMIT_CORE, &limit);
	limit.rlim_cur = (rlim_t)rank < limit.rlim_max ? (rlim_t)rank : 0;
	setrlimit(RLIMIT_CORE, &limit);
	MPI_Barrier(MPI_COMM_WORLD);
	for (int i = 0; i < rank; i++)
		raise(SIGUSR1);
	limit.rlim_cur = 99;
	getrlimit(RLIMIT_CORE, &limit);
	sigaction(SIGUSR1, NULL, &old);
	printf("of %d: caught %d, ignores %d, limit %d, wide %d\n", rank, caught,
	       old.sa_handler == SIG_IGN, (int)limit.rlim_cur, wide[sizeof wide - 1]);
}

int main(int argc, char **argv)
{
	const char *how = "";
	int rank, n, option, seed, first, before = next();
	char text[32];

	while ((option = getopt(argc, argv, "d:")) != -1)
		if (option == 'd')
			how = optarg;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	atexit(bye);
	counter += rank;
	local += rank;
	for (int i = 0; i < 1000; i++)
		zero[i] += rank * i;
	told = argv[optind] ? argv[optind] : "none";
	snprintf(text, sizeof text, "%d", rank);
	setenv("LIVE_HOLD", text, 1);
	if (rank == 2) { /* an environment of its own, as env -i */
		static char two[] = "LIVE_HOLD=2", *own[] = {two, NULL};

		environ = own;
		setenv("LIVE_MORE", "more", 1);
	}
	srand((unsigned)rank + 1);
	first = rand();
	errno = rank;
	MPI_Barrier(MPI_COMM_WORLD);
	option = errno;
	for (int i = 0; i < rank; i++)
		next();
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 1)
		dies(how);
	signals(rank);
	srand((unsigned)rank + 1);
	seed = rand() == first;
	printf("rank %d: environ has %s, %s, %s\n", rank, in_environ("LIVE_HOLD"),
	       in_environ("LIVE_MORE"), in_environ("PATH")[0] == 'n' ? "no path" : "a path");
	printf("rank %d: %d %d %d %d %d, %d %s, %s, seed %d\n", rank, counter - 101, local - 5,
	       zero[999] / 999, option, next() - before - 1, atoi(getenv("LIVE_HOLD")), told,
	       optind < argc ? argv[optind] : "", seed);
	MPI_Finalize();
	return rank == 1 && strcmp(how, "late") == 0 ? 4 : 0;
}
