/* fit_lapack.c: least squares by LAPACK's dgelsy (complete orthogonal factorisation, which finds
 * the rank). LAPACK is loaded when something is fitted: linked, it took most of the time in which
 * any other verb starts, and some MiB where it is OpenBLAS's. */
#include "fit.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#if ORRERY_HAVE_LAPACK

typedef void dgelsy_fn(const int *m, const int *n, const int *nrhs, double *a, const int *lda,
                       double *b, const int *ldb, int *jpvt, const double *rcond, int *rank,
                       double *work, const int *lwork, int *info);

/* OpenBLAS maps 128 MiB beside its code, and where it may not (ulimit -v) it tries for ever. */
static int room_check(struct err *err)
{
	enum { ROOM = 224 << 20 };
	void *p = mmap(NULL, ROOM, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		return err_nomem(err, "LAPACK, which fits models of kernels", ROOM);
	munmap(p, ROOM);
	return 0;
}

/* It stays loaded: libraries with threads do not like to be unloaded. It gets none: models are
 * small, and threads that cannot be started end the process. */
static dgelsy_fn *dgelsy_load(struct err *err)
{
	void *library, *symbol;
	dgelsy_fn *f;

	if (room_check(err) < 0)
		return NULL;
	setenv("OPENBLAS_NUM_THREADS", "1", 0);
	library = dlopen("liblapack.so.3", RTLD_NOW | RTLD_LOCAL);
	symbol = library ? dlsym(library, "dgelsy_") : NULL;
	if (!symbol) {
		err_set(err, ERR_LIMIT,
		        "LAPACK, which fits models of kernels, cannot be loaded (%s): apt-get "
		        "install liblapack3",
		        dlerror());
		return NULL;
	}
	memcpy(&f, &symbol, sizeof f); /* POSIX: a function's address, as data */
	return f;
}

static int solve(double *columns_a, double *scaled_b, int m, int n, double *coefficients,
                 struct err *err)
{
	int one = 1, rank = 0, info = 0, lwork = 64 * (n + 1) + 2 * n,
	    *pivot = calloc((size_t)n, sizeof *pivot);
	double rcond = 1e-12, *work = malloc((size_t)lwork * sizeof *work);
	dgelsy_fn *dgelsy;

	if (!pivot || !work) {
		free(pivot);
		free(work);
		return err_nomem(err, "least squares", (unsigned long long)lwork * sizeof *work);
	}
	dgelsy = dgelsy_load(err);
	if (dgelsy)
		dgelsy(&m, &n, &one, columns_a, &m, scaled_b, &m, pivot, &rcond, &rank, work,
		       &lwork, &info);
	free(pivot);
	free(work);
	if (!dgelsy)
		return -1;
	BUG_ON(info != 0);
	if (rank < n)
		return err_set(
		    err, ERR_INPUT,
		    "the measurements vary in %d way%s only, and the model has %d terms: "
		    "vary the parameters more, or fit fewer terms (--model)",
		    rank, rank == 1 ? "" : "s", n);
	for (int i = 0; i < n; i++)
		coefficients[i] = scaled_b[i];
	return 0;
}

int fit_least_squares(double *a, double *b, size_t rows, size_t columns, double *coefficients,
                      struct err *err)
{
	double *by_column = malloc(rows * columns * sizeof *by_column),
	       *scale = malloc(columns * sizeof *scale);
	int r = -1;

	if (rows < columns) {
		err_set(err, ERR_INPUT,
		        "%zu measurement%s cannot fix %zu terms: measure more, or fit fewer terms "
		        "(--model)",
		        rows, rows == 1 ? "" : "s", columns);
	} else if (!by_column || !scale) {
		err_nomem(err, "least squares", rows * columns * sizeof *by_column);
	} else {
		/* Columns are scaled to the same length: mnk and k differ by ten orders of
		 * magnitude. */
		for (size_t j = 0; j < columns; j++) {
			double square = 0;

			for (size_t i = 0; i < rows; i++)
				square += a[i * columns + j] * a[i * columns + j];
			scale[j] = square > 0 ? 1 / sqrt(square) : 1;
			for (size_t i = 0; i < rows; i++)
				by_column[j * rows + i] = a[i * columns + j] * scale[j];
		}
		r = solve(by_column, b, (int)rows, (int)columns, coefficients, err);
		for (size_t j = 0; r == 0 && j < columns; j++)
			coefficients[j] *= scale[j];
	}
	free(by_column);
	free(scale);
	return r;
}

#else

int fit_least_squares(double *a, double *b, size_t rows, size_t columns, double *coefficients,
                      struct err *err)
{
	(void)a, (void)b, (void)rows, (void)columns, (void)coefficients;
	return err_set(err, ERR_LIMIT,
	               "Orrery was built without LAPACK, which fits models of kernels: apt-get "
	               "install liblapack-dev, and build again");
}

#endif
