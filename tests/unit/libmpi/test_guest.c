/* test_guest.c: functions that are not run but take what a model says (libmpi/guest/kernels.c,
 * patch.c, given.c), held as the simulator of coroutines holds them (live/hold.h). A model of
 * (p0, p1, p2, p3, p4) takes p0 mnk + p1 mn + p2 mk + p3 nk + p4 seconds (docs/run.md); which
 * argument is m, n or k is what the pages of BLAS and LAPACK say. */
#include "guest.h"

#include "live/hold.h"

#include <string.h>
#include <sys/mman.h>

static const char models[] = "dgemm_=1,0,0,0,0;dtrsm_=1,0,0,0,0;dtrmm_=0,1,0,0,0;"
                             "dsyrk_=1,0,0,0,0;dgemv_=0,1,0,0,0.5;dgetrf_=0,1,0,0,0;"
                             "dpotrf_=0,0,1,0,0;dger_=0,0,0,1,0;daxpy_=0,0,1,0,0;"
                             "cblas_dgemm=1,0,0,0,0;cblas_dtrsm=1,0,0,0,0;cblas_dgemv=0,1,0,0,0;"
                             "swaps(2,*3)=0,1,0,0,0;eighth(8,1,*9)=1,0,0,0,0;"
                             "bad_=no model;sgemm_=1,0,0,0,0:0,0,0,0,0#7;";

static struct {
	double seconds; /* of the last call */
	int calls, in_mpi, reals;
	uint32_t rank;
	void *place[2]; /* models of each rank */
	const char *asked;
} held;

static const char *kernels(void)
{
	return models;
}

static uint32_t rank(void)
{
	return held.rank;
}

static void **place(void)
{
	return &held.place[held.rank];
}

static int takes(double seconds)
{
	held.seconds = seconds;
	held.calls++;
	return held.in_mpi;
}

static void real_one(void)
{
	held.reals++;
}

static void *real(const char *name)
{
	held.asked = name;
	return (void *)(uintptr_t)real_one;
}

static uintptr_t function(const char *name, size_t *size)
{
	(void)name;
	*size = 0;
	return 0;
}

static uintptr_t within(const void *address)
{
	return (uintptr_t)address;
}

static struct guest_patch patch[8];
static int n_patches;

/* --- BLAS and LAPACK --- */

typedef void words(const void *a, const void *b, const void *c, const void *d, const void *e,
                   const void *f, const void *g, const void *h, const void *i, const void *j,
                   const void *k, const void *l, const void *m);

/* Sizes are distinct primes: a product tells which they were. */
static const int two = 2, three = 3, five = 5;

#define CALL(name, ...) call(name, (const void *[13]){__VA_ARGS__})

static void call(const char *name, const void **a)
{
	union {
		void *object;
		words *function;
	} f = {.object = guest_named(name)};

	held.calls = held.reals = 0;
	held.seconds = -1;
	f.function(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12]);
}

static void took(double seconds)
{
	assert_int_equal(held.calls, 1);
	assert_true(held.seconds == seconds);
	assert_int_equal(held.reals, !held.in_mpi);
}

static void fortran(void **state)
{
	(void)state;
	held.in_mpi = 1;
	CALL("dgemm_", "N", "T", &two, &three, &five); /* TRANSA, TRANSB, M, N, K */
	took(2 * 3 * 5);
	CALL("dtrsm_", "L", "U", "N", "N", &two, &five); /* SIDE, …, M, N: A is M by M */
	took(2 * 5 * 2);
	CALL("dtrsm_", "R", "U", "N", "N", &two, &five); /* A is N by N */
	took(2 * 5 * 5);
	CALL("dtrsm_", "l", "U", "N", "N", &three, &five);
	took(3 * 5 * 3);
	CALL("dtrmm_", "R", "U", "N", "N", &two, &five);
	took(2 * 5);
	CALL("dsyrk_", "U", "N", &three, &five); /* UPLO, TRANS, N, K */
	took(3 * 3 * 5);
	CALL("dgemv_", "N", &three, &five); /* TRANS, M, N */
	took(3 * 5 + 0.5);
	CALL("dgetrf_", &two, &three); /* M, N */
	took(2 * 3);
	CALL("dpotrf_", "U", &five); /* UPLO, N */
	took(5 * 5);
	CALL("dger_", &two, &three); /* M, N: n times k, which is 1 */
	took(3);
	CALL("daxpy_", &five); /* N */
	took(5);
}

/* Outside of MPI, and where none is given, the real one runs: once. */
static void fortran_real(void **state)
{
	(void)state;
	held.in_mpi = 0;
	CALL("dgemm_", "N", "T", &two, &three, &five);
	took(2 * 3 * 5);
	assert_string_equal(held.asked, "dgemm_");
	held.in_mpi = 1;
	CALL("zgemm_", "N", "T", &two, &three, &five); /* of which there is no model */
	assert_int_equal(held.calls, 0);
	assert_int_equal(held.reals, 1);
	assert_string_equal(held.asked, "zgemm_");
}

/* cblas.h: order, then as Fortran, by value; 141 is CblasLeft, 142 CblasRight. */
static void c_interface(void **state)
{
	typedef void gemm(int, int, int, int, int, int, double, const double *, int, const double *,
	                  int, double, double *, int);
	typedef void trsm(int, int, int, int, int, int, int, double, const double *, int, double *,
	                  int);
	typedef void gemv(int, int, int, int, double, const double *, int, const double *, int,
	                  double, double *, int);
	union {
		void *object;
		gemm *gemm;
		trsm *trsm;
		gemv *gemv;
	} f;
	double x[1] = {0};

	(void)state;
	held.in_mpi = 1;
	held.calls = held.reals = 0;
	f.object = guest_named("cblas_dgemm");
	f.gemm(101, 111, 112, 2, 3, 5, 1, x, 2, x, 5, 0, x, 2);
	took(2 * 3 * 5);
	f.object = guest_named("cblas_dtrsm");
	held.calls = 0;
	f.trsm(102, 141, 121, 111, 131, 2, 5, 1, x, 2, x, 2);
	took(2 * 5 * 2);
	held.calls = 0;
	f.trsm(102, 142, 121, 111, 131, 2, 5, 1, x, 5, x, 2);
	took(2 * 5 * 5);
	f.object = guest_named("cblas_dgemv");
	held.calls = 0;
	f.gemv(101, 111, 3, 5, 1, x, 3, x, 1, 0, x, 1);
	took(3 * 5);
}

/* Each rank has models of its own, read when it first calls. */
static void of_ranks(void **state)
{
	(void)state;
	held.in_mpi = 1;
	held.rank = 1;
	assert_null(held.place[1]);
	CALL("dgemm_", "N", "T", &two, &three, &five);
	took(30);
	assert_non_null(held.place[1]);
	assert_ptr_not_equal(held.place[0], held.place[1]);
	CALL("sgemm_", "N", "T", &two, &three, &five); /* with a deviation of nothing */
	took(30);
	held.rank = 0;
}

/* --- any function: its first instructions are a jump --- */

#if defined __x86_64__ || defined __aarch64__
static void *jump_of(const char *name)
{
	unsigned char *code;

	for (int i = 0; i < n_patches; i++) {
		if (strcmp(patch[i].name, name) != 0)
			continue;
		code = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		assert_ptr_not_equal(code, MAP_FAILED);
		memcpy(code, patch[i].jump, sizeof patch[i].jump);
		assert_int_equal(mprotect(code, 4096, PROT_READ | PROT_EXEC), 0);
		return code;
	}
	fail_msg("no jump for %s", name);
	return NULL;
}

/* Sizes are integers in registers or on the stack, or behind addresses; nothing is returned. */
static void any_function(void **state)
{
	union {
		void *object;
		long (*two)(int a, int b, const int *c);
		double (*nine)(int a, int b, int c, int d, int e, int f, int g, int h,
		               const int *i);
	} f;

	(void)state;
	held.in_mpi = 1;
	held.calls = held.reals = 0;
	assert_int_equal(n_patches, 2);
	f.object = jump_of("swaps");
	assert_int_equal(f.two(1000, 2, &three), 0);
	assert_int_equal(held.calls, 1);
	assert_true(held.seconds == 2 * 3);
	assert_int_equal(f.two(1000, -2, &three), 0); /* a size below nothing takes no time */
	assert_true(held.seconds == 0);
	munmap(f.object, 4096);
	f.object = jump_of("eighth");
	assert_true(f.nine(3, 0, 0, 0, 0, 0, 0, 2, &five) == 0);
	assert_int_equal(held.calls, 3);
	assert_true(held.seconds == 2 * 3 * 5);
	munmap(f.object, 4096);
}
#else
static void any_function(void **state)
{
	(void)state;
	assert_int_equal(n_patches, 0);
}
#endif

int main(void)
{
	static const struct guest_hold h = {kernels, rank, place, real, takes, function, within, 2};
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(fortran),      cmocka_unit_test(fortran_real),
	    cmocka_unit_test(c_interface),  cmocka_unit_test(of_ranks),
	    cmocka_unit_test(any_function),
	};
	union {
		void *object;
		orrery_guest_hold_fn *function;
	} f;
	void (*release)(void *);
	int failed;

	if (!guest_open())
		return SKIPPED;
	f.object = guest_named("orrery_guest_hold");
	n_patches = f.function(&h, patch, 8);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	*(void **)&release = guest_named("free"); /* theirs */
	release(held.place[0]);
	release(held.place[1]);
	return failed;
}
