/* test_kernel.c: models of a kernel of three sizes give back the coefficients that made the durations; the values are those of dgemm on dahu
 * (Cornebize 2021): 7.4e-11 s per multiplication, 2.4e-6 s a call. */
#include "test.h"

#include "base/rng.h"
#include "calibrate/kernel.h"

#include <math.h>
#include <unistd.h>

enum { CALLS = 3000 };

static int near(double a, double b, double tolerance)
{
	return fabs(a - b) <= tolerance * fabs(b);
}

/* Two hosts, the second 10 % slower; deviation 3 % of mnk's term. Coefficients within three standard errors or so: mnk 0.5 %, deviation 5 %. */
static void recovered(void **state)
{
	char path[] = "/tmp/orrery-test-XXXXXX";
	int fd = mkstemp(path);
	FILE *f = fdopen(fd, "w");
	struct kernel_data d = {0};
	struct kernel_model m;
	struct rng r;
	struct err err;

	(void)state;
	rng_init(&r, 1, "kernel", 0);
	fputs("node,m,n,k,duration\n", f);
	for (int i = 0; i < CALLS; i++) {
		double a = 1 + (double)rng_below(&r, 3000), b = 1 + (double)rng_below(&r, 3000), c = 1 + (double)rng_below(&r, 300),
		       slow = i % 2 ? 1.1 : 1;

		fprintf(f, "node-%d,%.0f,%.0f,%.0f,%.17g\n", i % 2, a, b, c,
		        slow * (7.4e-11 * a * b * c * (1 + 0.03 * rng_normal(&r)) + 3e-10 * a * b + 2e-10 * a * c + 1e-10 * b * c +
		                2.4e-6));
	}
	fclose(f);
	assert_ok(kernel_read(&d, path, "node", &err), err);
	assert_int_equal(d.n, CALLS);
	assert_int_equal(d.hosts, 2);
	if (kernel_fit(&d, 0, 2, 2, &m, &err) < 0) {
		assert_int_equal(err.kind, ERR_LIMIT); /* built without LAPACK */
		unlink(path);
		kernel_data_release(&d);
		skip();
	}
	assert_true(near(m.mean[0], 7.4e-11, 0.01) && near(m.mean[1], 3e-10, 0.5) && m.r2 > 0.99);
	assert_true(near(m.deviation[0], 0.03 * 7.4e-11, 0.1));
	assert_int_equal(m.n, CALLS / 2);
	assert_ok(kernel_fit(&d, 1, 2, 1, &m, &err), err);
	assert_true(near(m.mean[0], 1.1 * 7.4e-11, 0.01) && m.deviation[0] == 0 && m.deviation[KERNEL_TERMS - 1] > 0);
	assert_ok(kernel_fit(&d, 0, 1, 0, &m, &err), err);
	assert_true(near(m.mean[0], 7.4e-11, 0.1) && m.mean[1] == 0 && m.deviation[KERNEL_TERMS - 1] == 0);
	assert_ok(kernel_fit(&d, 0, 0, 0, &m, &err), err);
	assert_true(m.mean[0] == 0 && m.mean[KERNEL_TERMS - 1] > 0 && fabs(m.r2) < 1e-9); /* the mean explains nothing */
	kernel_data_release(&d);
	assert_ok(kernel_read(&d, path, NULL, &err), err); /* one model of all */
	assert_int_equal(d.hosts, 1);
	kernel_data_release(&d);
	assert_fails(kernel_read(&d, path, "rack", &err), err, ERR_INPUT, "no column 'rack'");
	f = fopen(path, "w");
	fputs("m,n,k,duration\n1,2,3,x\n", f);
	fclose(f);
	assert_fails(kernel_read(&d, path, NULL, &err), err, ERR_INPUT, ":2:7:");
	unlink(path);
	kernel_data_release(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(recovered)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
