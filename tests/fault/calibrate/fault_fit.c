/* fault_fit.c: every allocation of a fit fails in turn: lines through many measurements of few
 * sizes, mixtures, ranks and medians, cabinets, models of kernels. An error that says so, or the
 * same result: memory that lacks makes no other one. */
#include "../../unit/calibrate/made_up.h"
#include "fault/fault.h"

#include "calibrate/kernel.h"

enum { N = 300 };
static double x[N], y[N];

/* Ten sizes; one in eight takes twice as long, so that what is usual matters. */
static void measurements_draw(void)
{
	struct rng r;

	rng_init(&r, 1, "fault", 0);
	for (int i = 0; i < N; i++) {
		x[i] = 100 * (1 + i % 10);
		y[i] = (1e-5 + 1e-8 * x[i]) * (1 + 0.3 * rng_unit(&r)) * (i % 8 ? 1 : 2);
	}
}

static int lines(void *arg, struct err *err)
{
	struct fit_segments s;

	(void)arg;
	if (fit_segments_find(x, y, N, NULL, &s, err) < 0)
		return -1;
	for (size_t i = 0; i < s.n; i++)
		fault_told(&s.segment[i], sizeof s.segment[i]);
	fault_told(&s.outliers, sizeof s.outliers);
	fit_segments_release(&s);
	return 0;
}

static int mixture(void *arg, struct err *err)
{
	struct fit_mixture m;

	(void)arg;
	if (fit_mixture_find(y, N, &m, err) < 0)
		return -1;
	fault_told(&m.n, sizeof m.n);
	fault_told(m.mean, (size_t)m.n * sizeof *m.mean);
	return 0;
}

/* These cannot fail: without memory they take longer. */
static int ranks(void *arg, struct err *err)
{
	double v[2] = {fit_median(y, N), fit_rank_correlation(x, y, N)};

	(void)arg, (void)err;
	fault_told(v, sizeof v);
	v[0] = fit_median(y, N - 1);
	fault_told(v, sizeof v);
	return 0;
}

/* Six hosts, of which 0 to 2 and 3 to 5 share a link that carries half of what they send. */
static int cabinets(void *arg, struct err *err)
{
	const struct net_raw *raw = arg;
	struct net_cabinets c;
	struct str warnings;
	int r;

	str_init(&warnings);
	r = net_cabinets_find(raw, NULL, &c, &warnings, err);
	if (r == 0 && warnings.failed)
		r = err_nomem(err, "warnings", warnings.n);
	if (r == 0) {
		fault_told(&c.n, sizeof c.n);
		fault_told(c.of, 6 * sizeof *c.of);
		fault_told(&c.uplink, sizeof c.uplink);
		fault_told(warnings.s, warnings.n);
	}
	str_release(&warnings);
	return r;
}

/* The same hosts: what their link carries, of one block in which it goes one way. */
static int uplink(void *arg, struct err *err)
{
	const struct net_fit f = {.bandwidth = 1e8};
	struct net_uplink u;
	int r = net_uplink_find(arg, &f, 0, &u, err);

	if (r == 0) {
		assert_true(u.limits);
		fault_told(&u.rate, sizeof u.rate);
	}
	return r;
}

static void loads_make(struct net_raw *raw)
{
	net_raw_init(raw);
	for (int block = 0; block < 5; block++)
		for (int a = 0; a < 6; a++) {
			int b = (a + 1 + block) % 6, far = a / 3 != b / 3;

			for (int k = 1; k <= 4; k++)
				made_row(raw,
				         (struct net_row){.op = NET_LOAD,
				                          .src = a,
				                          .dst = b,
				                          .pairs = 1000 * block + 6,
				                          .size = 1e6,
				                          .duration = k * (far ? 0.02 : 0.01)});
		}
}

/* Durations m n k / 1e9 + 1 ms, exactly. */
static int kernel(void *arg, struct err *err)
{
	struct kernel_data d = {.session = "day"};
	struct kernel_hosts h = {0};
	struct str out;
	int r;

	str_init(&out);
	r = kernel_read(&d, arg, "node", err);
	if (r == 0)
		r = kernel_without(&d, "n3", err);
	if (r == 0)
		r = kernel_hosts_find(&d, 1, &h, err);
	if (r == 0)
		r = kernel_json(&d, 1, 2, &h, &out, err);
	if (r == 0)
		kernel_hosts_tell(&d, &h, &out);
	if (r == 0 && out.failed)
		r = err_nomem(err, "a model", out.n);
	if (r == 0)
		fault_told(out.s, out.n);
	str_release(&out);
	kernel_hosts_release(&h);
	kernel_data_release(&d);
	return r;
}

static void kernel_swept(const char *path)
{
	struct kernel_data d = {0};
	struct kernel_model m;
	struct err err;
	int built;

	assert_ok(kernel_read(&d, path, NULL, &err), err);
	built = kernel_fit(&d, 0, 0, 0, &m, &err) == 0;
	kernel_data_release(&d);
	if (!built)
		return; /* without LAPACK */
	assert_true(fault_sweep(FAULT_ALLOC, kernel, (void *)(uintptr_t)path) > 10);
	assert_true(fault_sweep(FAULT_READ, kernel, (void *)(uintptr_t)path) > 0);
}

static void fits(void **state)
{
	struct net_raw raw;

	(void)state;
	measurements_draw();
	assert_true(fault_sweep(FAULT_ALLOC, lines, NULL) > 5);
	assert_true(fault_sweep(FAULT_ALLOC, mixture, NULL) > 1);
	assert_true(fault_sweep(FAULT_ALLOC, ranks, NULL) > 1);
	loads_make(&raw);
	assert_true(fault_sweep(FAULT_ALLOC, cabinets, &raw) > 2);
	for (int a = 0; a < 3; a++)
		made_row(&raw, (struct net_row){.op = NET_LOAD,
		                                .src = a,
		                                .dst = a + 3,
		                                .pairs = 100003,
		                                .size = 1e6,
		                                .duration = 0.02});
	net_raw_cabinets(&raw,
	                 &(struct net_cabinets){.n = 2, .hosts = 6, .of = {0, 0, 0, 1, 1, 1}});
	assert_true(fault_sweep(FAULT_ALLOC, uplink, &raw) > 2);
	net_raw_release(&raw);
}

static void kernels(void **state)
{
	char path[] = "/tmp/orrery-test-XXXXXX";
	FILE *f = fdopen(mkstemp(path), "w");

	(void)state;
	assert_non_null(f);
	fputs("m,n,k,node,day,duration\n", f);
	for (int i = 0; i < 80; i++) {
		int m = 100 + 37 * (i % 7), n = 100 + 53 * (i % 5), k = 10 + i % 3;

		fprintf(f, "%d,%d,%d,n%d,%d,%.17g\n", m, n, k, i % 4, i % 2,
		        1e-9 * m * n * k + 1e-3 + 1e-6 * (i % 11));
	}
	assert_int_equal(fclose(f), 0);
	kernel_swept(path);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(fits), cmocka_unit_test(kernels)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
