/* cost.c [kind] [n]: how long calls take, without communication: the mean per call of n sends to
 * MPI_PROC_NULL, or of 4 irecv + 4 isend + waitall, in nanoseconds. Run with and without the
 * tracer, the difference is what tracing costs (tests/programs/cost.sh does). */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double sends(int n)
{
	double start = MPI_Wtime();
	char c = 0;

	for (int i = 0; i < n; i++)
		MPI_Send(&c, 1, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
	return (MPI_Wtime() - start) / n;
}

static double nine(int n)
{
	double start = MPI_Wtime();
	MPI_Request r[8];
	char in[4], out[4] = "abc";

	for (int i = 0; i < n / 9; i++) {
		for (int k = 0; k < 4; k++)
			MPI_Irecv(&in[k], 1, MPI_CHAR, 0, k, MPI_COMM_SELF, &r[k]);
		for (int k = 0; k < 4; k++)
			MPI_Isend(&out[k], 1, MPI_CHAR, 0, k, MPI_COMM_SELF, &r[4 + k]);
		MPI_Waitall(8, r, MPI_STATUSES_IGNORE);
	}
	return (MPI_Wtime() - start) / n;
}

int main(int argc, char **argv)
{
	int n = argc > 2 ? atoi(argv[2]) : 900000;
	double (*run)(int) = argc > 1 && !strcmp(argv[1], "nine") ? nine : sends;
	double best = 1;

	MPI_Init(&argc, &argv);
	for (int i = 0; i < 5; i++) {
		double t = run(n / 5);

		best = t < best ? t : best;
	}
	printf("%.0f\n", best * 1e9);
	MPI_Finalize();
	return 0;
}
