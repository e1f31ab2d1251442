/* Says about itself what include/orrery/smpi.h lets a program say; prints what became of it. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include <orrery/smpi.h>

void dgemm_(const char *ta, const char *tb, const int *m, const int *n, const int *k,
            const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
            const double *beta, double *c, const int *ldc);

static volatile double sink;

static void work(void)
{
	double x = 1;

	for (int i = 0; i < 200000; i++)
		x = x * 1.0000001 + 1e-9;
	sink = x;
}

static void loops(void)
{
	int ran = 0;

	SMPI_SAMPLE_LOCAL(int i = 0, i < 50, i++, 4, 0)
	{
		work();
		ran++;
	}
	printf("loop: %d\n", ran);
	ran = 0;
	SMPI_SAMPLE_GLOBAL(int i = 0, i < 3, i++, 10, 0)
	{
		ran++;
	}
	printf("short loop: %d\n", ran);
	ran = 0;
	ORRERY_SAMPLE(int i = 0, i < 1000, i++, 10)
	{
		work();
		ran++;
	}
	printf("loop to a precision: %d\n", ran);
}

static void amounts(void)
{
	double t = MPI_Wtime();

	SMPI_SAMPLE_DELAY(1.5)
	{
		puts("body");
	}
	printf("delay: %.2f\n", MPI_Wtime() - t);
}

static void memory(void)
{
	volatile char *volatile p = SMPI_SHARED_MALLOC(8 << 20);
	volatile char *volatile q = malloc(16 << 20);
	size_t part[2] = {1 << 20, 4 << 20};
	volatile char *volatile r = SMPI_PARTIAL_SHARED_MALLOC(8 << 20, part, 1);

	p[1] = p[(1 << 20) + 1] = p[(5 << 20) + 1] = 1;
	q[1] = q[(1 << 20) + 1] = 1;
	r[1] = r[(1 << 20) + 1] = r[(2 << 20) + 1] = r[(5 << 20) + 1] = 1;
	p[1] = 7;
	q[1] = 7;
	r[1] = 5;
	r[(1 << 20) + 1] = 7;
	printf("shared: %d, malloc: %d, partial: %d %d %d\n", p[(5 << 20) + 1], q[(1 << 20) + 1],
	       r[1], r[(2 << 20) + 1], r[(5 << 20) + 1]);
	SMPI_SHARED_FREE((void *)p);
	SMPI_SHARED_FREE((void *)r);
	free((void *)q);
}

int main(int argc, char **argv)
{
	int n = 1000;
	double one = 1;
	double t;

	MPI_Init(&argc, &argv);
	loops();
	amounts();
	memory();
	t = MPI_Wtime();
	dgemm_("N", "N", &n, &n, &n, &one, NULL, &n, NULL, &n, &one, NULL, &n);
	printf("dgemm: %.4f\n", MPI_Wtime() - t);
	MPI_Finalize();
	return 0;
}
