/* live_regions.c: three regions between calls of MPI, for what run --computation FILE and --rates
 * say of them. The clock is read in the midst of one. */
#include <mpi.h>
#include <stdio.h>

static double work(int n)
{
	volatile double s = 0;

	for (int i = 0; i < n; i++)
		s += i * 0.5;
	return s;
}

int main(int argc, char **argv)
{
	double before, after = 0, done = 0;

	MPI_Init(&argc, &argv);
	MPI_Barrier(MPI_COMM_WORLD); /* A */
	before = MPI_Wtime();
	for (int i = 0; i < 5; i++) {
		done += work(1000);
		after = MPI_Wtime();
		done += work(1000);
		MPI_Barrier(MPI_COMM_WORLD); /* B */
	}
	printf("%d %.6f\n", done > 0, after - before);
	MPI_Finalize(); /* C */
	return 0;
}
