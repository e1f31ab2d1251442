/* kernels.c: functions of BLAS and LAPACK that are not run but take what a model says (`orrery run
 * --kernel dgemm_=model.json`), by their names in Fortran and in C. A function that is not named,
 * or called outside of MPI, is the real one.
 *
 * given.h says which; m, n and k are the sizes that the call has: of a triangular solve k is the
 * triangle's, of a matrix and a vector k is 1, of a factorisation n and k are its columns. */
#include "given.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN __attribute__((visibility("default")))

struct kernel {
	const char *name;
	int index, is_found;
	void *real;
};

/* 1: the call has taken its time. One for no elements returns at once (the reference BLAS),
 * whatever a model says there, which was fitted to others. */
static int taken(struct kernel *k, double m, double n, double depth)
{
	if (!k->is_found) {
		k->index = given_find(k->name);
		k->is_found = 1;
	}
	return m > 0 && n > 0 ? given_takes(k->index, m, n, depth) : given_takes_nothing(k->index);
}

/* In a library that was opened for itself, which RTLD_NEXT does not see. */
static int find_in(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct kernel *k = arg;
	void *mine = dlsym(RTLD_DEFAULT, k->name);
	void *lib = info->dlpi_name && *info->dlpi_name
	                ? dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD)
	                : NULL;
	void *found = lib ? dlsym(lib, k->name) : NULL;

	(void)size;
	if (lib)
		dlclose(lib);
	if (found && found != mine)
		k->real = found;
	return k->real != NULL;
}

/* Where ranks share a process each may have its own. */
static void *real(struct kernel *k)
{
	if (given_hold)
		k->real = given_hold->real(k->name);
	if (!k->real)
		k->real = dlsym(RTLD_NEXT, k->name);
	if (!k->real)
		dl_iterate_phdr(find_in, k);
	if (!k->real) {
		fprintf(stderr, "orrery: %s is called, and no library has it\n", k->name);
		abort();
	}
	return k->real;
}

/* Fortran: every argument is an address, and lengths of strings follow: up to 20 words are handed
 * on. */
typedef void words(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *,
                   void *, void *, void *, void *, void *, void *, void *, void *, void *, void *);

#define INT(a) ((double)*(const int *)(a))
#define FORTRAN(name_, m, n, k) \
	SHOWN words name_; \
	void name_(void *a, void *b, void *c, void *d, void *e, void *f, void *g, void *h, \
	           void *i, void *j, void *l, void *o, void *p, void *q, void *r, void *s, \
	           void *t, void *u, void *v, void *w) \
	{ \
		static struct kernel kernel = {.name = #name_}; \
\
		if (!taken(&kernel, m, n, k)) \
			((words *)real(&kernel))(a, b, c, d, e, f, g, h, i, j, l, o, p, q, r, s, \
			                         t, u, v, w); \
	}
#define LEFT(a) (*(const char *)(a) == 'L' || *(const char *)(a) == 'l')
#define ALL_TYPES(X, ...) X(s, __VA_ARGS__) X(d, __VA_ARGS__) X(c, __VA_ARGS__) X(z, __VA_ARGS__)

#define GEMM(t, x) FORTRAN(t##gemm_, INT(c), INT(d), INT(e))
#define TRSM(t, x) FORTRAN(t##trsm_, INT(e), INT(f), LEFT(a) ? INT(e) : INT(f))
#define TRMM(t, x) FORTRAN(t##trmm_, INT(e), INT(f), LEFT(a) ? INT(e) : INT(f))
#define SYRK(t, x) FORTRAN(t##syrk_, INT(c), INT(c), INT(d))
#define GEMV(t, x) FORTRAN(t##gemv_, INT(b), INT(c), 1)
#define GETRF(t, x) FORTRAN(t##getrf_, INT(a), INT(b), INT(b))
#define POTRF(t, x) FORTRAN(t##potrf_, INT(b), INT(b), INT(b))
ALL_TYPES(GEMM, )
ALL_TYPES(TRSM, )
ALL_TYPES(TRMM, )
ALL_TYPES(SYRK, )
ALL_TYPES(GEMV, )
ALL_TYPES(GETRF, )
ALL_TYPES(POTRF, )
FORTRAN(dger_, INT(a), INT(b), 1)
FORTRAN(sger_, INT(a), INT(b), 1)
FORTRAN(daxpy_, INT(a), 1, 1)
FORTRAN(saxpy_, INT(a), 1, 1)
FORTRAN(dscal_, INT(a), 1, 1)
FORTRAN(sscal_, INT(a), 1, 1)
FORTRAN(dcopy_, INT(a), 1, 1)
FORTRAN(scopy_, INT(a), 1, 1)
FORTRAN(dswap_, INT(a), 1, 1)
FORTRAN(sswap_, INT(a), 1, 1)

/* C: enumerations of cblas.h are ints; 141 is the left side. Types take no parentheses. */
/* NOLINTBEGIN(bugprone-macro-parentheses) */
#define C_GEMM(fn, real_type) \
	typedef void fn##_type(int, int, int, int, int, int, real_type, const real_type *, int, \
	                       const real_type *, int, real_type, real_type *, int); \
	SHOWN fn##_type fn; \
	void fn(int order, int ta, int tb, int m, int n, int k, real_type alpha, \
	        const real_type *a, int lda, const real_type *b, int ldb, real_type beta, \
	        real_type *c, int ldc) \
	{ \
		static struct kernel kernel = {.name = #fn}; \
\
		if (!taken(&kernel, m, n, k)) \
			((fn##_type *)real(&kernel))(order, ta, tb, m, n, k, alpha, a, lda, b, \
			                             ldb, beta, c, ldc); \
	}
C_GEMM(cblas_dgemm, double)
C_GEMM(cblas_sgemm, float)

#define C_TRSM(fn, real_type) \
	typedef void fn##_type(int, int, int, int, int, int, int, real_type, const real_type *, \
	                       int, real_type *, int); \
	SHOWN fn##_type fn; \
	void fn(int order, int side, int uplo, int ta, int diag, int m, int n, real_type alpha, \
	        const real_type *a, int lda, real_type *b, int ldb) \
	{ \
		static struct kernel kernel = {.name = #fn}; \
\
		if (!taken(&kernel, m, n, side == 141 ? m : n)) \
			((fn##_type *)real(&kernel))(order, side, uplo, ta, diag, m, n, alpha, a, \
			                             lda, b, ldb); \
	}
C_TRSM(cblas_dtrsm, double)
C_TRSM(cblas_strsm, float)

#define C_GEMV(fn, real_type) \
	typedef void fn##_type(int, int, int, int, real_type, const real_type *, int, \
	                       const real_type *, int, real_type, real_type *, int); \
	SHOWN fn##_type fn; \
	void fn(int order, int ta, int m, int n, real_type alpha, const real_type *a, int lda, \
	        const real_type *x, int incx, real_type beta, real_type *y, int incy) \
	{ \
		static struct kernel kernel = {.name = #fn}; \
\
		if (!taken(&kernel, m, n, 1)) \
			((fn##_type *)real(&kernel))(order, ta, m, n, alpha, a, lda, x, incx, \
			                             beta, y, incy); \
	}
C_GEMV(cblas_dgemv, double)
C_GEMV(cblas_sgemv, float)
/* NOLINTEND(bugprone-macro-parentheses) */
