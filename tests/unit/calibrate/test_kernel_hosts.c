/* test_kernel_hosts.c: slow hosts among those that ran the same kernel, by name, from files:
 * made-up ones whose truth is known, and dgemm on 32 nodes of dahu while four of them were cooled
 * badly (dahu_dgemm.csv: means of both processors' coefficients of mnk on six days of the fault,
 * 2019-10 and 11, and six after it was mended; Cornebize's thesis, github.com/Ezibenroc/thesis @
 * 62c2394, prediction/modeling/kernels/generative, MIT licence, (c) 2021 Tom Cornebize). */
#include "test.h"

#include "base/rng.h"
#include "calibrate/kernel.h"

#include <math.h>
#include <unistd.h>

enum { HOSTS = 8, DAYS = 5, CALLS = 12 };

struct made {
	double slow[HOSTS];
	double spread, day, skewed; /* of hosts; of days, all hosts together; of a host's day */
	int sizes_differ;           /* no size is measured on two hosts */
};

static double gamma_2(struct rng *r)
{
	return (-log1p(-rng_unit(r)) - log1p(-rng_unit(r)) - 2) / sqrt(2);
}

/* Noise of a call: log-normal, 2 to 10 % by host. */
static void rows_draw(struct rng *r, const struct made *m, struct kernel_data *d,
                      struct kernel_row *row)
{
	double host[HOSTS], day[DAYS];

	for (int h = 0; h < HOSTS; h++)
		host[h] = m->slow[h] + m->spread * rng_normal(r);
	for (int s = 0; s < DAYS; s++)
		day[s] = m->day * rng_normal(r);
	d->row = row;
	d->n = 0;
	d->hosts = HOSTS;
	d->sessions = DAYS;
	for (int h = 0; h < HOSTS; h++)
		for (int s = 0; s < DAYS; s++) {
			double off = host[h] + day[s] + m->skewed * gamma_2(r);

			for (int i = 0; i < CALLS; i++) {
				double size = 200 * (1 + i) + (m->sizes_differ ? 7 * h + s : 0),
				       other = size + 10 * (i % 3), k = 100 + i,
				       usual = 7.4e-11 * size * other * k + 2.4e-6,
				       noise = (0.02 + 0.01 * h) * rng_normal(r);

				row[d->n++] = (struct kernel_row){
				    size,        other,      k, usual * exp(off + noise),
				    (uint32_t)h, (uint32_t)s};
			}
		}
}

/* Heteroscedastic calls, skewed errors of a host's day, days that all have in common: of 300
 * campaigns without a slow host 5 % name one, 0.09 is three deviations more. */
static void false_alarms(void **state)
{
	enum { CAMPAIGNS = 300 };
	static const struct made m = {.spread = 0.02, .day = 0.03, .skewed = 0.01};
	struct kernel_row row[HOSTS * DAYS * CALLS];
	struct kernel_data d = {0};
	struct kernel_hosts h;
	struct rng r;
	struct err err;
	double days = 0, sessions = 0;
	int named = 0;

	(void)state;
	rng_init(&r, 5, "hosts", 0);
	for (int k = 0; k < CAMPAIGNS; k++) {
		rows_draw(&r, &m, &d, row);
		assert_ok(kernel_hosts_find(&d, 2, &h, &err), err);
		named += h.all.apart > 0;
		days += h.in_common * h.in_common / CAMPAIGNS;
		sessions += h.between_sessions * h.between_sessions / CAMPAIGNS;
		kernel_hosts_release(&h);
	}
	assert_in_range(named, 0, 0.09 * CAMPAIGNS);
	/* and what days have in common, and a host's day besides (with what 12 calls leave), come
	 * back */
	assert_in_range(1e4 * sqrt(days), 270, 330);
	assert_in_range(1e4 * sqrt(sessions), 90, 260);
}

/* Host 3 is 15 % slower, host 5 as much faster: named, nobody else is; the interval holds it; with
 * sizes of their own for each host too. */
static void found(void **state)
{
	enum { CAMPAIGNS = 60 };
	struct made m = {
	    .slow = {[3] = 0.15, [5] = -0.15}, .spread = 0.01, .day = 0.03, .skewed = 0.005};
	struct kernel_row row[HOSTS * DAYS * CALLS];
	struct kernel_data d = {0};
	struct kernel_hosts h;
	struct rng r;
	struct err err;

	(void)state;
	rng_init(&r, 6, "hosts", 0);
	for (int differ = 0; differ < 2; differ++) {
		int slow = 0, fast = 0, others = 0;

		m.sizes_differ = differ;
		for (int k = 0; k < CAMPAIGNS; k++) {
			rows_draw(&r, &m, &d, row);
			if (kernel_hosts_find(&d, 2, &h, &err) < 0) {
				assert_int_equal(err.kind, ERR_LIMIT); /* built without LAPACK */
				skip();
			}
			for (int i = 0; i < HOSTS; i++)
				others += i != 3 && i != 5 && h.unit[i].apart != 0;
			slow += h.unit[3].apart == 1;
			fast += h.unit[5].apart == -1;
			assert_close(exp(h.unit[3].off), exp(0.15), 0.06);
			kernel_hosts_release(&h);
		}
		assert_in_range(slow, 0.8 * CAMPAIGNS, CAMPAIGNS);
		assert_in_range(fast, 0.8 * CAMPAIGNS, CAMPAIGNS);
		assert_in_range(others, 0, 0.1 * CAMPAIGNS);
	}
}

/* dahu_dgemm.csv as calls of a matrix product of 2048. */
static void dahu_read(struct kernel_data *d, const char *campaign)
{
	char made[] = "/tmp/orrery-test-XXXXXX", line[200];
	FILE *in, *out = fdopen(mkstemp(made), "w");
	struct err err;

	in = fopen(TEST_SRC "/tests/unit/calibrate/dahu_dgemm.csv", "r");
	assert_non_null(in);
	fputs("node,day,m,n,k,duration\n", out);
	while (fgets(line, sizeof line, in)) {
		char which[20];
		int day, node;
		double mnk;

		if (sscanf(line, "%19[^,],%d,%d,%lf", which, &day, &node, &mnk) == 4 &&
		    !strcmp(which, campaign))
			fprintf(out, "dahu-%d,%d,2048,2048,2048,%.9g\n", node, day,
			        mnk * 2048 * 2048 * 2048.0);
	}
	fclose(in);
	fclose(out);
	d->session = "day";
	assert_ok(kernel_read(d, made, "node", &err), err);
	unlink(made);
	assert_int_equal(d->hosts, 32);
	assert_int_equal(d->sessions, 6);
}

/* The testbed's log: "2019-09-01 dahu 13/14/15/16 cooling issue; 2019-11-27 fixed". */
static void dahu(void **state)
{
	static const int bad[] = {13, 14, 15, 16};
	struct kernel_data d = {0}, mended = {0};
	struct kernel_hosts h;
	struct str out;
	struct err err;

	(void)state;
	dahu_read(&d, "fault");
	assert_ok(kernel_hosts_find(&d, 0, &h, &err), err);
	assert_int_equal(h.all.apart, 4);
	for (int i = 0; i < 4; i++)
		assert_int_equal(h.unit[bad[i] - 1].apart, 1);
	str_init(&out);
	kernel_hosts_tell(&d, &h, &out);
	assert_non_null(strstr(out.s, "host dahu-13 stands apart: calls take 1.1"));
	assert_non_null(strstr(out.s, "--without dahu-16 leaves it out"));
	assert_null(strstr(out.s, "dahu-12"));
	str_clear(&out);
	kernel_hosts_release(&h);

	assert_fails(kernel_without(&d, "dahu-13,dahu-1x", &err), err, ERR_INPUT,
	             "no host has the name 'dahu-1x'; the first of 32 is 'dahu-1'");
	assert_ok(kernel_without(&d, "dahu-13,dahu-14,dahu-15,dahu-16", &err), err);
	assert_true(d.hosts == 28 && d.n == 28 * 6 && !strcmp(d.host[12], "dahu-17"));
	assert_int_equal(d.row[d.n - 1].host, 27);
	assert_ok(kernel_hosts_find(&d, 0, &h, &err), err);
	kernel_hosts_tell(&d, &h, &out);
	assert_true(h.all.apart == 0 && out.n == 0);
	kernel_hosts_release(&h);

	dahu_read(&mended, "mended");
	assert_ok(kernel_hosts_find(&mended, 0, &h, &err), err);
	assert_int_equal(h.all.apart, 0);
	kernel_hosts_release(&h);
	str_release(&out);
	kernel_data_release(&d);
	kernel_data_release(&mended);
}

/* JSON says it of each host; a file whose hosts nobody told apart has a line. */
static void told(void **state)
{
	char path[] = "/tmp/orrery-test-XXXXXX";
	FILE *f = fdopen(mkstemp(path), "w");
	struct kernel_data d = {0};
	struct kernel_hosts h;
	struct str out;
	struct err err;
	double times;

	(void)state;
	fputs("node,m,n,k,duration\n", f);
	for (int i = 0; i < 48; i++)
		fprintf(f, "n%d,%d,2,3,%.9g\n", i % 6, 1 + i % 4,
		        (1 + i % 4) * 1e-3 * (i % 6 == 4 ? 2 : 1 + 0.001 * (i % 5)));
	fclose(f);
	assert_ok(kernel_read(&d, path, "node", &err), err);
	assert_ok(kernel_hosts_find(&d, 0, &h, &err), err);
	str_init(&out);
	kernel_hosts_tell(&d, &h, &out);
	assert_non_null(strstr(out.s, "host n4 stands apart"));
	assert_non_null(strstr(out.s, "each host was measured once"));
	str_clear(&out);
	if (kernel_json(&d, 0, 0, &h, &out, &err) == 0) { /* built with LAPACK */
		const char *host = strstr(out.s, "\"host\":\"n4\"");

		assert_non_null(host);
		host = strstr(host, "\"beside_others\":{\"times\":");
		assert_non_null(host);
		host += strlen("\"beside_others\":{\"times\":");
		assert_int_equal(num_parse_double(host, strcspn(host, ","), &times), 0);
		assert_close(times, 2, 0.01);
		assert_non_null(strstr(host, "\"apart\":true"));
		assert_non_null(strstr(out.s, "\"between_hosts\":{\"spread\":"));
	}
	kernel_hosts_release(&h);
	kernel_data_release(&d);
	str_clear(&out);
	assert_ok(kernel_read(&d, path, NULL, &err), err);
	assert_ok(kernel_hosts_find(&d, 0, &h, &err), err);
	kernel_hosts_tell(&d, &h, &out);
	assert_string_equal(out.s, "one model of all: column 'node' would tell hosts apart, and "
	                           "which of them are slow (--by node)\n");
	kernel_hosts_release(&h);
	kernel_data_release(&d);
	d.session = "day";
	assert_fails(kernel_read(&d, path, NULL, &err), err, ERR_INPUT, "no column 'day'");
	kernel_data_release(&d);
	str_release(&out);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(false_alarms), cmocka_unit_test(found),
	                                   cmocka_unit_test(dahu), cmocka_unit_test(told)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
