/* live_blas.c: a function of BLAS, of a library of its own, by its name in Fortran: before MPI, in
 * it, and after it. PART 1: the library, whose dgemm_ says how often it ran and whose dscal_ is
 * always run. */
#if PART == 1
static int calls;

void dgemm_(const char *ta, const char *tb, const int *m, const int *n, const int *k,
            const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
            const double *beta, double *c, const int *ldc)
{
	c[0] = ++calls;
}

void dscal_(const int *n, const double *a, double *x, const int *step)
{
	x[0] *= a[0];
}
#else
#include <mpi.h>
#include <stdio.h>

extern void dgemm_(const char *, const char *, const int *, const int *, const int *,
                   const double *, const double *, const int *, const double *, const int *,
                   const double *, double *, const int *);
extern void dscal_(const int *, const double *, double *, const int *);

static double multiplied(int n)
{
	const int m = 2, k = 4;
	const double one = 1, a[12] = {0}, b[12] = {0};
	double c[6] = {0};

	dgemm_("N", "N", &m, &n, &k, &one, a, &m, b, &k, &one, c, &m);
	return c[0];
}

int main(int argc, char **argv)
{
	double before = multiplied(3), in, date, x = 3, two = 2;
	int rank, one = 1;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	date = MPI_Wtime();
	for (int i = 0; i < 10; i++)
		in = multiplied(3) + multiplied(0); /* of which the latter takes nothing */
	date = MPI_Wtime() - date;
	dscal_(&one, &two, &x, &one);
	MPI_Barrier(MPI_COMM_WORLD);
	in += multiplied(3);
	MPI_Finalize();
	printf("%d: %g %g %g %.6f, scaled %g\n", rank, before, in, multiplied(3), date, x);
	return 0;
}
#endif
