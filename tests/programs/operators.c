/* operators.c: operators of the program's own that burn 5 ms of processor time each time. Says how
 * often each rank's was applied in each call, and how long the call took, ms. */
#include <mpi.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int rank, applied;

/* Of the kernel: the C library's clocks are those of a simulation. */
static double used(void)
{
	struct timespec t;

	syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &t);
	return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static void add(void *in, void *inout, int *n, MPI_Datatype *type)
{
	double begun = used();

	(void)type;
	for (int i = 0; i < *n; i++)
		((double *)inout)[i] += ((double *)in)[i];
	while (used() - begun < 5)
		;
	applied++;
}

static void told(const char *call, double begun)
{
	printf("%d %s applied %d ms %.3f\n", rank, call, applied, 1e3 * (MPI_Wtime() - begun));
	applied = 0;
}

int main(int argc, char **argv)
{
	double x = 1, y = 0, z = 1, t;
	MPI_Comm world = MPI_COMM_WORLD;
	MPI_Request request;
	MPI_Op op, again;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(world, &rank);
	MPI_Op_create(add, 1, &op);
	MPI_Op_create(add, 1, &again);
	MPI_Op_free(&again);
	MPI_Barrier(world);
	t = MPI_Wtime();
	MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, op, world);
	told("allreduce", t);
	MPI_Barrier(world);
	t = MPI_Wtime();
	MPI_Iallreduce(&x, &y, 1, MPI_DOUBLE, op, world, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	told("wait", t);
	MPI_Barrier(world);
	t = MPI_Wtime();
	MPI_Scan(&x, &y, 1, MPI_DOUBLE, op, world);
	told("scan", t);
	MPI_Barrier(world);
	t = MPI_Wtime();
	MPI_Reduce_local(&x, &z, 1, MPI_DOUBLE, op);
	told("local", t);
	MPI_Op_free(&op);
	MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, world);
	MPI_Finalize();
	return 0;
}
