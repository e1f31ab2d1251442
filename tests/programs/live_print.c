/* live_print.c: what each rank adds to printf is its own: a letter, which writes a number times the
 * rank, and with a modifier (libquadmath has 'Q' for Fortran) the negative of it. "fails": then one
 * of them makes an error of MPI, which ends the run, so that the simulator writes numbers of its
 * own when no rank is there any more. */
#include <mpi.h>
#include <printf.h>
#include <stdio.h>
#include <string.h>

static int rank, modifier;

static int square(FILE *f, const struct printf_info *info, const void *const *values)
{
	int v = **(const int *const *)values[0] * rank;

	return fprintf(f, "<%d>", modifier > 0 && info->user & modifier ? -v : v);
}

static int argument(const struct printf_info *info, size_t n, int *types, int *sizes)
{
	(void)info;
	if (n > 0) {
		types[0] = PA_POINTER;
		sizes[0] = sizeof(void *);
	}
	return 1;
}

/* The letters of C itself are asked about, too; this one stays C's. */
static int not_mine(FILE *f, const struct printf_info *info, const void *const *values)
{
	(void)f;
	(void)info;
	(void)values;
	return -2;
}

static int as_it_was(const struct printf_info *info, size_t n, int *types, int *sizes)
{
	(void)info;
	(void)n;
	(void)types;
	(void)sizes;
	return -1;
}

int main(int argc, char **argv)
{
	const char *form = "rank %d: %Y %QY %.3g\n"; /* not known to the compiler */
	int fails = argc > 1 && strcmp(argv[1], "fails") == 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	modifier = register_printf_modifier(L"Q");
	register_printf_specifier('Y', square, argument);
	register_printf_specifier('g', not_mine, as_it_was);
	MPI_Barrier(MPI_COMM_WORLD);
	printf(form, rank, &rank, &rank, 1.5);
	MPI_Barrier(MPI_COMM_WORLD);
	if (fails && rank == 0)
		MPI_Send(&rank, 1, MPI_INT, 1000, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
