/* operators.c: operators of the program's own that burn 5 ms of processor time each time. Says how
 * often each rank's was applied in each call, and how long the call took, ms. With an argument:
 * reductions with the first and the last of 300 operators, each with a function of its own. */
#include <mpi.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int rank, applied;
static MPI_Op inner = MPI_OP_NULL; /* what `add` applies within itself, if it is one */

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
	if (inner != MPI_OP_NULL) {
		MPI_Op op = inner;
		double x = 1, y = 1;

		inner = MPI_OP_NULL;
		MPI_Reduce_local(&x, &y, 1, MPI_DOUBLE, op);
		inner = op;
	}
}

static void told(const char *call, double begun)
{
	printf("%d %s applied %d ms %.3f\n", rank, call, applied, 1e3 * (MPI_Wtime() - begun));
	applied = 0;
}

#define FUNCTION(n) \
	static void f##n(void *in, void *inout, int *len, MPI_Datatype *type) \
	{ \
		add(in, inout, len, type); \
	}
#define NAME(n) f##n,
#define TEN(X, n) X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7) X(n##8) X(n##9)
#define HUNDRED(X, n) \
	TEN(X, n##0) \
	TEN(X, n##1) \
	TEN(X, n##2) \
	TEN(X, n##3) TEN(X, n##4) TEN(X, n##5) TEN(X, n##6) TEN(X, n##7) TEN(X, n##8) TEN(X, n##9)
#define MANY(X) HUNDRED(X, 1) HUNDRED(X, 2) HUNDRED(X, 3)
MANY(FUNCTION)
static MPI_User_function *const functions[] = {MANY(NAME)};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

static void many(void)
{
	double x = 1, y = 0;
	MPI_Op op[FUNCTIONS];

	for (int i = 0; i < FUNCTIONS; i++)
		MPI_Op_create(functions[i], 1, &op[i]);
	MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, op[0], MPI_COMM_WORLD);
	told("first", 0);
	MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, op[FUNCTIONS - 1], MPI_COMM_WORLD);
	for (int i = 0; i < FUNCTIONS; i++)
		MPI_Op_free(&op[i]);
}

int main(int argc, char **argv)
{
	double x = 1, y = 0, z = 1, t;
	MPI_Comm world = MPI_COMM_WORLD;
	MPI_Request request;
	MPI_Op op, again;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(world, &rank);
	if (argc > 1) {
		many();
		MPI_Finalize();
		return 0;
	}
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
	MPI_Op_create(add, 1, &inner);
	MPI_Barrier(world);
	t = MPI_Wtime();
	MPI_Exscan(&x, &y, 1, MPI_DOUBLE, op, world);
	told("exscan", t);
	MPI_Op_free(&inner);
	MPI_Op_free(&op);
	MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, world);
	MPI_Finalize();
	return 0;
}
