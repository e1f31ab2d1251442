/* live_kernels.c: functions of a program, one by value, one as Fortran would call it, one with an
 * argument beyond the registers; before MPI, in it and after it. */
#include <mpi.h>
#include <stdio.h>

__attribute__((noipa)) double work(int n, double x)
{
	double s = 0;

	for (int i = 0; i < n; i++)
		s += x * i;
	return s;
}

__attribute__((noipa)) void by_address_(const int *m, const double *a, const int *n, double *out)
{
	for (int i = 0; i < *m * *n; i++)
		*out += a[0];
}

__attribute__((noipa)) int many(int a, int b, int c, int d, int e, int f, int g, int h)
{
	return a + b * c + d * e + f * g + h;
}

int main(int argc, char **argv)
{
	double before = work(10, 1), in, date[4], a = 2, out = 0;
	int m = 3, n = 5, seven;

	MPI_Init(&argc, &argv);
	date[0] = MPI_Wtime();
	in = work(1000, 2);
	date[1] = MPI_Wtime();
	by_address_(&m, &a, &n, &out);
	date[2] = MPI_Wtime();
	seven = many(1, 2, 3, 4, 5, 6, 7, 8);
	date[3] = MPI_Wtime();
	printf("before %g in %g %g %d\n", before, in, out, seven);
	for (int i = 1; i < 4; i++)
		printf("%.6f\n", date[i] - date[i - 1]);
	MPI_Finalize();
	printf("after %g\n", work(3, 1));
	return 0;
}
