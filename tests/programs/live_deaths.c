/* live_deaths.c: the second rank dies as its argument says; the others wait for it. */
#include <mpi.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int *nowhere = (volatile int *)8;
static void *volatile no_memory = (void *)8200;
static void (*volatile no_function)(void);

static int fill(volatile char *above)
{
	volatile char here[1 << 16];

	here[0] = above ? above[0] : 1;
	return fill(here) + here[0];
}

static sigjmp_buf after;

static void jumps(int number)
{
	(void)number;
	siglongjmp(after, 1);
}

static void die(const char *how)
{
	if (!strcmp(how, "exit"))
		exit(0);
	if (!strcmp(how, "exit3"))
		_exit(3);
	if (!strcmp(how, "crash"))
		raise(SIGSEGV);
	if (!strcmp(how, "stack"))
		fill(NULL);
	if (!strcmp(how, "wild"))
		*nowhere = 1;
	if (!strcmp(how, "call"))
		no_function();
	if (!strcmp(how, "given"))
		MPI_Send(no_memory, 4, MPI_INT, 0, 0, MPI_COMM_WORLD);
	if (!strcmp(how, "listed"))
		MPI_Type_create_hindexed_block(2, 1, no_memory, MPI_INT, &(MPI_Datatype){0});
	if (!strcmp(how, "get")) {
		int *room;
		MPI_Win win;

		MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_SELF, &room, &win);
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
		MPI_Get(no_memory, 4, MPI_INT, 0, 0, 4, MPI_INT, win);
		MPI_Win_unlock(0, win);
	}
	if (!strcmp(how, "handled")) { /* by the program, which goes on */
		if (sigsetjmp(after, 1) == 0)
			*nowhere = 1;
		abort();
	}
	if (!strcmp(how, "trap"))
		__builtin_trap();
	if (!strcmp(how, "kill"))
		kill(getpid(), SIGKILL);
	if (!strcmp(how, "abort"))
		abort();
	if (!strcmp(how, "mpi"))
		MPI_Abort(MPI_COMM_WORLD, 7);
	if (!strcmp(how, "exec"))
		execl("/bin/true", "true", NULL);
	if (!strcmp(how, "close"))
		for (int fd = 3; fd < 256; fd++)
			close(fd);
	if (!strcmp(how, "fork") && fork() == 0)
		_exit(5);
	if (!strcmp(how, "child") && fork() == 0) {
		MPI_Barrier(MPI_COMM_SELF);
		_exit(0);
	}
	if (!strcmp(how, "write")) /* until nobody reads */
		for (;;)
			puts("a line");
	if (!strcmp(how, "pipe") || !strcmp(how, "pipe0")) {
		int ends[2];

		if (!strcmp(how, "pipe0"))
			signal(SIGPIPE, SIG_IGN);
		if (pipe(ends) == 0 && close(ends[0]) == 0 && write(ends[1], "x", 1) < 0)
			perror("a pipe");
	}
	if (!strcmp(how, "stop") || !strcmp(how, "stop-late"))
		raise(SIGSTOP);
	if (!strcmp(how, "stop-tty"))
		raise(SIGTTIN);
	if (!strcmp(how, "hang"))
		for (;;)
			;
	wait(NULL);
}

/* What an operator does of the call whose name ends in what it is to do, beside the sum. */
static const char *does;

static void sum(void *in, void *inout, int *n, MPI_Datatype *type)
{
	int got[2] = {0, 0};

	if (!strcmp(does, "ends"))
		MPI_Abort(MPI_COMM_WORLD, 7);
	if (!strcmp(does, "meets"))
		MPI_Barrier(MPI_COMM_SELF);
	if (!strcmp(does, "sends"))
		MPI_Sendrecv(in, *n, *type, 0, 3, got, *n, *type, 0, 4, MPI_COMM_SELF,
		             MPI_STATUS_IGNORE); /* another tag: it waits for ever */
	if (!strcmp(does, "copies")) {
		MPI_Status status = {0};
		int count;

		MPI_Sendrecv(in, *n, *type, 0, 3, got, *n, *type, 0, MPI_ANY_TAG, MPI_COMM_SELF,
		             &status);
		MPI_Get_count(&status, *type, &count);
		if (memcmp(got, in, sizeof got) || count != 2 || status.MPI_TAG != 3 ||
		    status.MPI_SOURCE != 0)
			MPI_Abort(MPI_COMM_WORLD, 8);
	}
	for (int i = 0; i < *n; i++)
		((int *)inout)[i] += ((int *)in)[i];
}

static void reduce(const char *what, int rank)
{
	int mine[2] = {rank, 10 * rank}, all[2] = {0, 0};
	MPI_Op op;

	does = what;
	MPI_Op_create(sum, 1, &op);
	MPI_Allreduce(mine, all, 2, MPI_INT, op, MPI_COMM_WORLD);
	MPI_Op_free(&op);
	if (all[0] != 6 || all[1] != 60)
		MPI_Abort(MPI_COMM_WORLD, 9);
}

int main(int argc, char **argv)
{
	int rank, x = 0;

	if (argc > 1 && strcmp(argv[1], "early") == 0)
		raise(SIGSEGV);
	if (argc > 1 && strcmp(argv[1], "handled") == 0)
		signal(SIGSEGV, jumps);
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 1 && strcmp(argv[1], "stop-late") != 0)
		die(argv[1]);
	if (!strncmp(argv[1], "operator-", 9))
		reduce(argv[1] + 9, rank);
	if (!strcmp(argv[1], "truncate")) {
		char big[100] = {0};

		if (rank == 0)
			MPI_Send(big, 100, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
		if (rank == 1)
			MPI_Recv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	if (!strcmp(argv[1], "deadlock"))
		MPI_Recv(&x, 1, MPI_INT, 1 - rank % 2, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	if (!strcmp(argv[1], "stop-late") && rank == 1)
		die(argv[1]);
	if (!strcmp(argv[1], "after") && rank == 1)
		MPI_Barrier(MPI_COMM_WORLD);
	return !strcmp(argv[1], "late") ? 4 * (rank == 1) : 0;
}
