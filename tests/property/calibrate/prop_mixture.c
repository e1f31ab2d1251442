/* prop_mixture.c: mixtures of normals that are drawn come back; what expectation and maximisation
 * promise holds: the mean of the mixture is that of the sample, its variance too, its likelihood is
 * no less than that of the mixture that the sample was drawn from. Laws: the order of values says
 * nothing; other units and another zero move the mixture along. And files of measurements: what is
 * written is what was read. */
#include "../prop.h"

#include "calibrate/network/network.h"
#include "tmp.h"

#include <math.h>

enum { N = 600 /* below it each value is a bin of its own */, MODES = 3 };

/* Modes some deviations apart, each with a tenth of the values at least; none is narrower than a
 * fiftieth of the middle half, which fit_mixture.c takes for the least that can be. */
static void truth_draw(struct rng *r, struct fit_mixture *m)
{
	double at = 10 * (rng_unit(r) - 0.5), all = 0;

	*m = (struct fit_mixture){.n = (int)prop_from(r, 1, MODES)};
	for (int k = 0; k < m->n; k++) {
		m->sigma[k] = 0.5 + 0.7 * rng_unit(r);
		at += k ? 4 * (m->sigma[k] + m->sigma[k - 1]) : 0;
		m->mean[k] = at;
		m->weight[k] = 0.3 + rng_unit(r);
		all += m->weight[k];
	}
	for (int k = 0; k < m->n; k++)
		m->weight[k] /= all;
}

static void sample_draw(struct rng *r, const struct fit_mixture *m, double *x)
{
	for (int i = 0; i < N; i++) {
		double u = rng_unit(r);
		int k = 0;

		while (k + 1 < m->n && u >= m->weight[k])
			u -= m->weight[k++];
		x[i] = m->mean[k] + m->sigma[k] * rng_normal(r);
	}
}

static double likelihood(const struct fit_mixture *m, const double *x)
{
	double sum = 0;

	for (int i = 0; i < N; i++) {
		double p = 0;

		for (int k = 0; k < m->n; k++) {
			double z = (x[i] - m->mean[k]) / m->sigma[k];

			p += m->weight[k] / m->sigma[k] * exp(-z * z / 2);
		}
		sum += log(p);
	}
	return sum;
}

/* Weights add up to 1, means ascend; the moments are the sample's. */
static void moments_agree(const struct fit_mixture *m, const double *x)
{
	double mean = 0, square = 0, all = 0, middle = 0, about = 0;

	for (int i = 0; i < N; i++)
		mean += x[i] / N;
	for (int i = 0; i < N; i++)
		square += (x[i] - mean) * (x[i] - mean) / N;
	for (int k = 0; k < m->n; k++) {
		all += m->weight[k];
		middle += m->weight[k] * m->mean[k];
		assert_true(k == 0 || m->mean[k] >= m->mean[k - 1]);
	}
	for (int k = 0; k < m->n; k++)
		about += m->weight[k] * (m->sigma[k] * m->sigma[k] + pow(m->mean[k] - middle, 2));
	assert_true(fabs(all - 1) < 1e-9);
	assert_true(fabs(middle - mean) < 1e-9 * (1 + fabs(mean)));
	assert_close(about, square, 1e-9);
}

static void come_back(void **state)
{
	struct prop_run run = prop_begin(10);
	int right = 0;

	(void)state;
	for (uint64_t i = 0; i < run.cases; i++) {
		struct fit_mixture t, m;
		double x[N];
		struct rng r;
		struct err err;

		rng_init(&r, run.seed + i, "mixture", 0);
		truth_draw(&r, &t);
		sample_draw(&r, &t, x);
		assert_ok(fit_mixture_find(x, N, &m, &err), err);
		moments_agree(&m, x);
		if (m.n < t.n)
			continue;
		if (likelihood(&m, x) < likelihood(&t, x) - 1e-6)
			fail_msg("seed %llu: likelihood %.9g, the truth has %.9g",
			         (unsigned long long)(run.seed + i), likelihood(&m, x),
			         likelihood(&t, x));
		if (m.n > t.n)
			continue;
		right++;
		for (int k = 0; k < t.n; k++) {
			double n = t.weight[k] * N;

			/* five standard errors of a mean, a deviation, a part */
			assert_true(fabs(m.mean[k] - t.mean[k]) < 5 * t.sigma[k] / sqrt(n));
			assert_true(fabs(m.sigma[k] - t.sigma[k]) < 5 * t.sigma[k] / sqrt(2 * n));
			assert_true(fabs(m.weight[k] - t.weight[k]) <
			            5 * sqrt(t.weight[k] * (1 - t.weight[k]) / N) + 1e-9);
		}
	}
	print_message("%d of %llu have as many modes as they were drawn from\n", right,
	              (unsigned long long)run.cases);
	assert_true(right >= 0.9 * (double)run.cases);
}

static void order_and_units(void **state)
{
	struct prop_run run = prop_begin(8);

	(void)state;
	for (uint64_t i = 0; i < run.cases; i++) {
		struct fit_mixture t, m, other;
		double x[N], y[N];
		struct rng r;
		struct err err;

		rng_init(&r, run.seed + i, "units", 0);
		truth_draw(&r, &t);
		sample_draw(&r, &t, x);
		for (int k = 0; k < N; k++)
			y[k] = x[N - 1 - k];
		assert_ok(fit_mixture_find(x, N, &m, &err), err);
		assert_ok(fit_mixture_find(y, N, &other, &err), err);
		assert_memory_equal(&m, &other, sizeof m);
		for (int k = 0; k < N; k++)
			y[k] = 1024 * x[k] - 512;
		assert_ok(fit_mixture_find(y, N, &other, &err), err);
		assert_int_equal(other.n, m.n);
		for (int k = 0; k < m.n; k++) {
			/* rounds end at a relative gain, and the likelihood has another zero */
			assert_true(fabs(other.mean[k] - (1024 * m.mean[k] - 512)) <
			            0.05 * other.sigma[k]);
			assert_close(other.sigma[k], 1024 * m.sigma[k], 0.02);
			assert_true(fabs(other.weight[k] - m.weight[k]) < 0.01);
		}
	}
}

/* --- files --- */

static void row_draw(struct rng *r, int ranks, struct str *out)
{
	static const double most = 1e8;

	str_printf(out, "%s,%d,%d,%d,%.0f,%.9f,%.9g\n",
	           net_op_name((enum net_op)rng_below(r, NET_OPS)),
	           (int)rng_below(r, (uint64_t)ranks), (int)rng_below(r, (uint64_t)ranks),
	           (int)prop_from(r, 1, 5000), floor(pow(most, rng_unit(r))), 100 * rng_unit(r),
	           1e-6 * (1 + rng_unit(r)));
}

/* The text of a file as it is written, to the letter; and the host of each rank. */
static void written_and_read(void **state)
{
	struct prop_run run = prop_begin(30);
	struct tmp tmp;

	(void)state;
	tmp_init(&tmp);
	for (uint64_t i = 0; i < run.cases; i++) {
		int ranks = 0, host[8];
		struct str text, again;
		struct net_raw raw;
		struct rng r;
		struct err err;

		rng_init(&r, run.seed + i, "file", 0);
		str_init(&text);
		str_init(&again);
		str_puts(&text, "# mpi: made up\n# hosts: ");
		for (; ranks < 2 || (ranks < 8 && prop_once_in(&r, 2)); ranks++) {
			host[ranks] = (int)rng_below(&r, 3);
			str_printf(&text, "%snode-%d", ranks ? "," : "", host[ranks]);
		}
		str_puts(&text, "\nop,src,dst,pairs,size,start,duration\n");
		for (uint32_t n = prop_from(&r, 0, 60); n > 0; n--)
			row_draw(&r, ranks, &text);
		net_raw_init(&raw);
		assert_ok(net_raw_read(&raw, tmp_write(&tmp, "raw.csv", text.s), &err), err);
		net_raw_write(&raw, &again);
		assert_string_equal(again.s, text.s);
		for (uint32_t k = 0; k < raw.n; k++)
			assert_int_equal(raw.rows[k].local,
			                 host[raw.rows[k].src] == host[raw.rows[k].dst]);
		for (int a = 0; a < ranks; a++)
			for (int b = 0; b < ranks; b++)
				assert_int_equal(net_host_of(&raw, a) == net_host_of(&raw, b),
				                 host[a] == host[b]);
		net_raw_release(&raw);
		str_release(&text);
		str_release(&again);
	}
	tmp_release(&tmp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(come_back),
	                                   cmocka_unit_test(order_and_units),
	                                   cmocka_unit_test(written_and_read)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
