/* cost.c KIND [N]: what calls take of the processor, without communication: the least over five
 * parts of N calls in all, and what MPI_Finalize takes, in nanoseconds per call. Run with and
 * without the tracer, the differences are what tracing costs (bench/tracer.sh). Processor time, not
 * elapsed time: other processes change it little.
 *   rank  MPI_Comm_rank, which is counted only    send  to MPI_PROC_NULL
 *   bcast  on MPI_COMM_SELF    nine  4 irecv + 4 isend + waitall    pair  isend + recv + wait */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void rank(int n)
{
	int mine;

	for (int i = 0; i < n; i++)
		MPI_Comm_rank(MPI_COMM_WORLD, &mine);
}

static void send(int n)
{
	char c = 0;

	for (int i = 0; i < n; i++)
		MPI_Send(&c, 1, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
}

static void bcast(int n)
{
	char c = 0;

	for (int i = 0; i < n; i++)
		MPI_Bcast(&c, 1, MPI_CHAR, 0, MPI_COMM_SELF);
}

static void nine(int n)
{
	MPI_Request r[8];
	MPI_Status s[8];
	char in[4], out[4] = "abc";

	for (int i = 0; i < n / 9; i++) {
		for (int k = 0; k < 4; k++)
			MPI_Irecv(&in[k], 1, MPI_CHAR, 0, k, MPI_COMM_SELF, &r[k]);
		for (int k = 0; k < 4; k++)
			MPI_Isend(&out[k], 1, MPI_CHAR, 0, k, MPI_COMM_SELF, &r[4 + k]);
		MPI_Waitall(8, r, s);
	}
}

static void pair(int n)
{
	MPI_Request r;
	MPI_Status s;
	char in, out = 'a';

	for (int i = 0; i < n / 3; i++) {
		MPI_Isend(&out, 1, MPI_CHAR, 0, 1, MPI_COMM_SELF, &r);
		MPI_Recv(&in, 1, MPI_CHAR, 0, 1, MPI_COMM_SELF, &s);
		MPI_Wait(&r, &s);
	}
}

static const struct kind {
	const char *name;
	void (*run)(int n);
} kinds[] = {{"rank", rank}, {"send", send}, {"bcast", bcast}, {"nine", nine}, {"pair", pair}};

int main(int argc, char **argv)
{
	int n = argc > 2 ? atoi(argv[2]) : 900000;
	const struct kind *k = kinds;
	double best = 1e18, start;

	while (k < kinds + sizeof kinds / sizeof *kinds && (argc < 2 || strcmp(k->name, argv[1])))
		k++;
	if (k == kinds + sizeof kinds / sizeof *kinds || n < 5)
		return 2;
	MPI_Init(&argc, &argv);
	for (int i = 0; i < 5; i++) {
		double t;

		start = now();
		k->run(n / 5);
		t = now() - start;
		best = t < best ? t : best;
	}
	start = now();
	MPI_Finalize();
	printf("%.0f %.0f\n", best / (n / 5), (now() - start) / n);
	return 0;
}
