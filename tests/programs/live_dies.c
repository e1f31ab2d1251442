/* live_dies.c: RANK STEP HOW: that rank dies so at that step of a program that sends messages
 * around, sums, and waits for what it does not block for; HOW none: nobody does. For
 * tests/e2e/live_stress.sh. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static int rank, ranks, bad;

static void memory_fill(void)
{
	struct rlimit r = {1 << 20, 1 << 20}; /* nothing more */
	char *p;

	setrlimit(RLIMIT_AS, &r);
	while ((p = malloc(1 << 16)))
		memset(p, 1, 1 << 16);
	abort();
}

static void child_leave(void)
{
	if (fork() == 0)
		for (;;)
			pause();
	kill(getpid(), SIGKILL);
}

/* A frame of 4 KiB for each call, for ever. */
__attribute__((noipa)) static int stack_fill(int n)
{
	volatile char frame[4096];

	frame[n % 4096] = (char)n;
	return n < 0 ? 0 : stack_fill(n + 1) + frame[0];
}

/* Faults of the processor's. */
static void fault(const char *how)
{
	static volatile int zero;
	static int *volatile nowhere;

	if (!strcmp(how, "write"))
		*nowhere = 1;
	if (!strcmp(how, "divide"))
		zero = (rank + 100) / zero;
	if (!strcmp(how, "trap"))
		__builtin_trap();
	if (!strcmp(how, "stack"))
		zero = stack_fill(1);
	if (!strcmp(how, "abort"))
		abort();
	while (!strcmp(how, "loop"))
		zero++;
}

static void die(const char *how)
{
	static const struct {
		const char *name;
		int signal;
	} signals[] = {{"segv", SIGSEGV}, {"bus", SIGBUS},   {"fpe", SIGFPE},
	               {"ill", SIGILL},   {"kill", SIGKILL}, {"term", SIGTERM}};

	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		if (!strcmp(how, signals[i].name))
			raise(signals[i].signal);
	fault(how);
	if (!strcmp(how, "exit"))
		exit(3);
	if (!strcmp(how, "exec"))
		execl("/bin/true", "true", (char *)NULL);
	if (!strcmp(how, "memory"))
		memory_fill();
	if (!strcmp(how, "leave"))
		child_leave();
	if (!strcmp(how, "close"))
		for (int fd = 0; fd < 1024; fd++)
			close(fd);
	if (!strcmp(how, "fork") && fork() == 0) {
		execl("/bin/true", "true", (char *)NULL);
		_exit(127);
	}
	if (!strcmp(how, "fork"))
		wait(NULL);
}

/* Round the ring, in halves that block and that do not; a sum; a part of the world. */
static void step(int i)
{
	int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks, sum;
	static double out[3000], in[3000];
	int n = i % 3 ? 10 : 3000;
	MPI_Request q[2];
	MPI_Comm part;

	out[0] = rank;
	MPI_Irecv(in, n, MPI_DOUBLE, before, 1, MPI_COMM_WORLD, &q[0]);
	MPI_Isend(out, n, MPI_DOUBLE, next, 1, MPI_COMM_WORLD, &q[1]);
	MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
	bad |= in[0] != before;
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	bad |= sum != ranks * (ranks - 1) / 2;
	if (i % 4)
		return;
	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &part);
	MPI_Bcast(&sum, 1, MPI_INT, 0, part);
	MPI_Comm_free(&part);
}

int main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	for (int i = 0; i < 10; i++) {
		if (rank == atoi(argv[1]) && i == atoi(argv[2]))
			die(argv[3]);
		step(i);
	}
	MPI_Finalize();
	return bad;
}
