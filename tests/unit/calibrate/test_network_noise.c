/* test_network_noise.c: round trips made up with known noise: it comes back. The fit is given,
 * exact: 40 us and 100 MB/s. */
#include "test.h"

#include "base/rng.h"
#include "calibrate/network/network.h"

#include <math.h>
#include <stdlib.h>

#define LATENCY 40e-6
#define BANDWIDTH 1e8

struct made {
	struct net_raw raw;
	struct net_fit f;
	struct rng r;
	double now;
};

static void begin(struct made *m, uint64_t seed)
{
	*m = (struct made){0};
	net_raw_init(&m->raw);
	rng_init(&m->r, seed, "noise", 0);
	str_init(&m->f.warnings);
	m->f.transfer = (struct net_table){.n = 1, .piece = {{.base = LATENCY}}};
	m->f.latency = LATENCY;
	m->f.bandwidth = BANDWIDTH;
	m->f.detached = INFINITY;
	m->f.largest = 1e6;
}

static void end(struct made *m)
{
	net_raw_release(&m->raw);
	net_fit_release(&m->f);
}

static double size_draw(struct made *m)
{
	return floor(pow(10, 6 * rng_unit(&m->r)));
}

/* Half a round trip, s; 20 ms of pause before it. */
static void put(struct made *m, double size, double half)
{
	struct net_raw *raw = &m->raw;

	if (raw->n == raw->cap) {
		raw->cap = 2 * raw->cap + 64;
		raw->rows = realloc(raw->rows, raw->cap * sizeof *raw->rows);
		assert_non_null(raw->rows);
	}
	m->now += 20e-3;
	raw->rows[raw->n++] = (struct net_row){.op = NET_PINGPONG,
	                                       .dst = 1,
	                                       .pairs = 1,
	                                       .size = size,
	                                       .start = m->now,
	                                       .duration = 2 * half};
	m->now += 2 * half;
}

static double quiet(double size)
{
	return LATENCY + size / BANDWIDTH;
}

static void fitted(struct made *m)
{
	struct err err;

	assert_ok(net_noise_fit(&m->raw, &m->f, &err), err);
}

/* What a message is multiplied by, as a replay draws it. */
static double drawn(const struct net_noise *s, struct rng *r)
{
	double u = rng_unit(r), z = rng_normal(r);
	int k = 0;

	if (u < s->rare)
		return s->rare_mean + s->rare_sigma * z;
	u = (u - s->rare) / (1 - s->rare);
	for (; k + 1 < s->m.n && u >= s->m.weight[k]; k++)
		u -= s->m.weight[k];
	return fmax(s->m.mean[k] + s->m.sigma[k] * z, 0.01 * s->m.mean[k]);
}

static double mean_of(const struct net_noise *s, int n)
{
	struct rng r;
	double sum = 0;

	rng_init(&r, 7, "drawn", 0);
	for (int i = 0; i < n; i++)
		sum += drawn(s, &r) / n;
	return sum;
}

static const struct net_noise *section_at(const struct made *m, double size)
{
	int i = m->f.n_noise - 1;

	while (i > 0 && m->f.noise[i].from >= size)
		i--;
	return &m->f.noise[i];
}

/* Mean of 1 / time of a message, of the section's messages: what its noise is relative to. */
static double unit_of(const struct made *m, int i)
{
	const struct net_noise *s = &m->f.noise[i];
	double sum = 0;
	int n = 0;

	for (uint32_t k = 0; k < m->raw.n; k++)
		if (m->raw.rows[k].size > s->from &&
		    (i + 1 == m->f.n_noise || m->raw.rows[k].size <= s[1].from)) {
			sum += 1 / quiet(m->raw.rows[k].size);
			n++;
		}
	return n / sum;
}

/* 70 % of messages 6 us early, 30 % 14 us late, +- 1 us, whatever their size: in every section, in
 * seconds. Weights within four standard errors of all round trips together (sqrt(0.21 / 2000) =
 * 0.01), places within 1 us; in a section alone, of a hundred, an error would be four times as
 * large. Two tests tell each section apart from its
 * neighbours, or level it, by chance in one of a hundred cases, and what is between two such has
 * fewer round trips: at least 75 of 100 are so. The mean of what is drawn is 1. */
static void two_states(void **state)
{
	struct made m;
	int right = 0, all = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 5; seed++) {
		begin(&m, seed);
		for (int i = 0; i < 2000; i++) {
			double size = size_draw(&m), late = rng_unit(&m.r) < 0.7 ? -6e-6 : 14e-6;

			put(&m, size, quiet(size) + late + 1e-6 * rng_normal(&m.r));
		}
		fitted(&m);
		all += m.f.n_noise;
		for (int i = 0; i < m.f.n_noise; i++) {
			const struct net_noise *s = &m.f.noise[i];
			double alone = unit_of(&m, i);

			right += s->m.n == 2 && fabs(s->m.weight[0] - 0.7) < 0.04 &&
			         fabs((s->m.mean[0] - 1) * alone + 6e-6) < 1e-6 &&
			         fabs((s->m.mean[1] - 1) * alone - 14e-6) < 1e-6 &&
			         s->rare < 1e-3 && fabs(mean_of(s, 20000) - 1) < 0.01;
		}
		end(&m);
	}
	assert_true(all > 80 && right >= 0.75 * all);
}

/* Noise of 5 % of the time, and one message in fifty eight times as long: relative. The chance of a
 * round trip within four standard errors, 4 sqrt(0.02 * 0.98 / 2000) = 0.0125; of a message half of
 * it, twice 7 longer. */
static void relative(void **state)
{
	struct made m;

	(void)state;
	for (uint64_t seed = 1; seed <= 5; seed++) {
		begin(&m, seed);
		for (int i = 0; i < 2000; i++) {
			double size = size_draw(&m), factor = rng_unit(&m.r) < 0.02 ? 8 : 1;

			put(&m, size, factor * quiet(size) * (1 + 0.05 * rng_normal(&m.r)));
		}
		fitted(&m);
		assert_int_equal(m.f.rare.relative, 1);
		assert_true(fabs(m.f.rare.p - 0.02) < 0.0125);
		for (int i = 0; i < m.f.n_noise; i++) {
			const struct net_noise *s = &m.f.noise[i];

			assert_true(s->m.n == 1 && fabs(s->m.sigma[0] - 0.05) < 0.012);
			assert_true(fabs(s->rare - m.f.rare.p / 2) < 1e-9);
			assert_true(fabs(s->rare_mean - 15) < 0.5);
		}
		end(&m);
	}
}

/* Three stalls a second of 500 us, whatever is under way, on messages of up to 10 ms: the rate
 * within four standard errors, 4 sqrt(3 / seconds), seconds being those of round trips and of
 * stalls before them. A message of 100 us has its part of a second, not that of the round trips
 * that saw one. */
static void stalls(void **state)
{
	struct made m;
	double exposed = 0;
	int hit = 0;

	(void)state;
	begin(&m, 3);
	for (int i = 0; i < 3000; i++) {
		double size = size_draw(&m), seconds = 2 * quiet(size),
		       p = 1 - exp(-3 * (seconds + 500e-6));
		int late = rng_unit(&m.r) < p;

		exposed += seconds + 500e-6;
		hit += late;
		put(&m, size, quiet(size) + 1e-6 * rng_normal(&m.r) + (late ? 250e-6 : 0));
	}
	fitted(&m);
	assert_true(hit > 10 && m.f.rare.relative == 0);
	assert_true(fabs(m.f.rare.rate - 3) < 4 * sqrt(3 / exposed) + 0.1);
	assert_true(fabs(m.f.rare.mean - 500e-6) < 25e-6);
	assert_true(section_at(&m, 100)->rare < 3 * 1e-3);
	assert_true(fabs(section_at(&m, 900000)->rare / (m.f.rare.rate * quiet(700000)) - 1) < 0.3);
	end(&m);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The median time of 31 programs of 1000 messages of a size, in messages. */
static double program(const struct made *m, double size)
{
	enum { RUNS = 31, MESSAGES = 1000 };
	double total[RUNS] = {0};

	for (int i = 0; i < RUNS; i++) {
		struct rng r;

		rng_init(&r, (uint64_t)i, "program", 0);
		for (int k = 0; k < MESSAGES; k++)
			total[i] += drawn(section_at(m, size), &r) / MESSAGES;
	}
	qsort(total, RUNS, sizeof *total, by_value);
	return total[RUNS / 2];
}

/* Sections of a dozen round trips; one of them took 50 times as long as it should. A program of
 * 1000 messages is within 2 % of the run without noise. */
static void one_in_a_dozen(void **state)
{
	struct made m;

	(void)state;
	for (uint64_t seed = 1; seed <= 5; seed++) {
		begin(&m, seed);
		for (int i = 0; i < 240; i++) {
			double size = floor(pow(2, i % 20) * (1 + rng_unit(&m.r)));

			put(&m, size,
			    (i == 100 ? 50 : 1) * quiet(size) * (1 + 0.02 * rng_normal(&m.r)));
		}
		fitted(&m);
		assert_int_equal(m.f.rare.seen, 1);
		for (double size = 1.5; size < 1e6; size *= 2)
			assert_true(fabs(program(&m, size) - 1) < 0.02);
		end(&m);
	}
}

/* Eight late round trips in a row are one event: it is warned of, and no message has its chance. */
static void in_a_row(void **state)
{
	struct made m;

	(void)state;
	begin(&m, 1);
	for (int i = 0; i < 600; i++) {
		double size = size_draw(&m);

		put(&m, size,
		    quiet(size) * (1 + 0.02 * rng_normal(&m.r)) + (i >= 300 && i < 308 ? 1e-2 : 0));
	}
	fitted(&m);
	assert_int_equal(m.f.rare.seen, 8);
	assert_non_null(strstr(m.f.warnings.s, "delays in a row: of 8 late round trips 7"));
	for (int i = 0; i < m.f.n_noise; i++)
		assert_true(m.f.noise[i].rare == 0);
	end(&m);
}

/* A fit that is 20 % off at one end of 1 to 2 kB and right at the other is no noise: it stays 2 %,
 * of half a dozen neighbours a little more. */
static void wrong_fit(void **state)
{
	struct made m;

	(void)state;
	begin(&m, 1);
	for (int i = 0; i < 1000; i++) {
		double size = size_draw(&m),
		       off = size > 1024 && size <= 2048 ? 0.2 * (size / 1024 - 1) : 0;

		put(&m, size, quiet(size) * (1 + off + 0.02 * rng_normal(&m.r)));
	}
	fitted(&m);
	for (double size = 1.5; size < 1e6; size *= 2)
		assert_true(fabs(section_at(&m, size)->m.sigma[0] - 0.02) < 0.01);
	end(&m);
}

/* A fit that is 5 % too slow throughout: one round trip in fifty is 3 % later than the others, and
 * yet earlier than the fit. Its delay is what it is later than the others: of one of the two
 * messages, 2 x 3 % of 0.95. */
static void delays_before_the_fit(void **state)
{
	struct made m;

	(void)state;
	begin(&m, 1);
	for (int i = 0; i < 2000; i++) {
		double size = size_draw(&m), usual = 0.95 * quiet(size);

		put(&m, size, usual * (i % 50 == 7 ? 1.03 : 1 + 0.001 * rng_normal(&m.r)));
	}
	fitted(&m);
	assert_true(m.f.rare.seen > 30 && m.f.rare.relative == 1);
	assert_true(fabs(m.f.rare.mean - 2 * 0.03 * 0.95) < 0.003);
	for (int i = 0; i < m.f.n_noise; i++)
		assert_true(m.f.noise[i].rare > 0 && fabs(m.f.noise[i].rare_mean - 1.057) < 0.003);
	end(&m);
}

/* Noise of 2 %, and one round trip in fifty three to thirteen times as long, 500 of them: delays
 * are no part of the body, which is 2 % in every section, of two dozen round trips a bit more or
 * less. They had shifted the sections in which two or three of them were. */
static void shifted_by_delays(void **state)
{
	struct made m;

	(void)state;
	for (uint64_t seed = 1; seed <= 30; seed++) {
		begin(&m, seed);
		for (int i = 0; i < 500; i++) {
			double size = size_draw(&m),
			       factor = rng_unit(&m.r) < 0.02 ? 3 + 10 * rng_unit(&m.r) : 1;

			put(&m, size, factor * quiet(size) * (1 + 0.02 * rng_normal(&m.r)));
		}
		fitted(&m);
		for (int i = 0; i < m.f.n_noise; i++) {
			const struct fit_mixture *b = &m.f.noise[i].m;
			double square = 0;

			for (int k = 0; k < b->n; k++)
				square += b->weight[k] * (b->sigma[k] * b->sigma[k] +
				                          (b->mean[k] - 1) * (b->mean[k] - 1));
			assert_true(sqrt(square) > 0.012 && sqrt(square) < 0.035);
		}
		end(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(two_states),
	    cmocka_unit_test(relative),
	    cmocka_unit_test(stalls),
	    cmocka_unit_test(one_in_a_dozen),
	    cmocka_unit_test(in_a_row),
	    cmocka_unit_test(wrong_fit),
	    cmocka_unit_test(delays_before_the_fit),
	    cmocka_unit_test(shifted_by_delays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
