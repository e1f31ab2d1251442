/* ends.c how [rounds]: passes `rounds` messages around, prints a line per rank, then ends in one of
 * the ways in which programs end. */
#include <mpi.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { LET_MS = 500 }; /* the others leave the barrier before the last one dies */

static int rank, size;

/* The files of this process may not grow beyond 8 KiB: a write past that fails, and sends a signal
 * that kills. */
static void files_limit(void)
{
	setrlimit(RLIMIT_FSIZE, &(struct rlimit){8192, 8192});
}

static void rounds(int n)
{
	int token = rank;

	for (int i = 0; i < n; i++)
		MPI_Sendrecv_replace(&token, 1, MPI_INT, (rank + 1) % size, 0,
		                     (rank + size - 1) % size, 0, MPI_COMM_WORLD,
		                     MPI_STATUS_IGNORE);
	printf("rank %d has %d\n", rank, token);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "finalize";
	int last, dies;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	last = rank == size - 1;
	if (!strcmp(how, "limit"))
		files_limit();
	rounds(argc > 2 ? atoi(argv[2]) : 100);
	MPI_Barrier(MPI_COMM_WORLD);
	dies = !strcmp(how, "abort") || !strcmp(how, "kill") || !strcmp(how, "term");
	if (dies && last)
		usleep(LET_MS * 1000);
	if (!strcmp(how, "abort") && last)
		MPI_Abort(MPI_COMM_WORLD, 5);
	if (!strcmp(how, "kill") && last)
		kill(getpid(), SIGKILL);
	if (!strcmp(how, "term") && last)
		kill(getpid(), SIGTERM);
	if (!strcmp(how, "exit"))
		exit(6);
	if (!strcmp(how, "fork") && fork() == 0)
		exit(0); /* with the parent's buffer in memory */
	if (dies)
		sleep(20); /* until the launcher ends it */
	MPI_Finalize();
	return !strcmp(how, "seven") || !strcmp(how, "limit") ? 7 : 0;
}
