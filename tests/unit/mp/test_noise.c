/* test_noise.c: random factors of messages and computations (mp/noise/noise.c) beside the moments
 * of the mixtures that the settings say: of components of weights w (which need not add up to 1),
 * means m and deviations s, the mean is sum w m and the variance sum w (s^2 + m^2) - mean^2. N
 * draws have a mean within five of its deviations, sqrt(variance / N), but for one run of two
 * millions: the seeds are fixed. What a run has in common is one factor, evenly spread over runs.
 */
#include "sim.h"

#include "mp/noise/noise.h"

enum { N = 20000, RANKS = 4 };

static const struct act nothing[] = {{0}};
static const struct act *const lists[RANKS] = {nothing, nothing, nothing, nothing};

static void begin(struct sim *s, const char *settings)
{
	sim_init(s, FLAT, settings, lists, RANKS);
	assert_non_null(s->mp->noise);
}

struct moments {
	double mean, variance, least, most;
};
static struct moments messages_of(struct sim *s, uint32_t rank, double bytes)
{
	struct moments m = {0, 0, HUGE_VAL, 0};
	double squares = 0;

	for (int i = 0; i < N; i++) {
		double f = noise_message(s->mp->noise, rank, bytes);

		m.mean += f / N;
		squares += f * f / N;
		m.least = fmin(m.least, f);
		m.most = fmax(m.most, f);
	}
	m.variance = squares - m.mean * m.mean;
	return m;
}
static void assert_moments(struct moments m, double mean, double variance)
{
	if (fabs(m.mean - mean) > 5 * sqrt(variance / N) + 1e-12)
		fail_msg("mean %.6g, not %.6g", m.mean, mean);
	if (fabs(m.variance - variance) > 0.1 * variance + 1e-12)
		fail_msg("variance %.6g, not %.6g", m.variance, variance);
}

/* One component; two, whose weights add up to 4; a rare long one. */
static void mixtures(void **state)
{
	struct sim s;

	(void)state;
	begin(&s,
	      "noise/seed:7 noise/network:0:1:1.1:0.05;1000:3:1:0.01:1:2:0.1;100000:0.99:1:0:0.01:"
	      "30:0");
	assert_moments(messages_of(&s, 0, 10), 1.1, 0.0025);
	/* 0.75 of 1 and 0.25 of 2: mean 1.25; 0.75 (0.0001 + 1) + 0.25 (0.01 + 4) - 1.5625 */
	assert_moments(messages_of(&s, 1, 5000), 1.25, 0.75 * 1.0001 + 0.25 * 4.01 - 1.5625);
	/* 1.29; 0.99 + 0.01 * 900 - 1.29^2 */
	assert_moments(messages_of(&s, 2, 1e6), 1.29, 0.99 + 9 - 1.29 * 1.29);
	sim_release(&s);
}

/* A section holds above its size, as the factors of SMPI do; below all of them nothing is drawn. */
static void sections(void **state)
{
	struct sim s;

	(void)state;
	begin(&s, "noise/seed:7 noise/network:1000:1:3:0;100:1:2:0"); /* in any order */
	assert_double_is(noise_message(s.mp->noise, 0, 0), 1);
	assert_double_is(noise_message(s.mp->noise, 0, 100), 1);
	assert_double_is(noise_message(s.mp->noise, 0, 101), 2);
	assert_double_is(noise_message(s.mp->noise, 0, 1000), 2);
	assert_double_is(noise_message(s.mp->noise, 0, 1001), 3);
	assert_double_is(noise_message(s.mp->noise, 0, 1e12), 3);
	sim_release(&s);
}

/* No time is negative: not below a hundredth of the mean, however wide. */
static void never_negative(void **state)
{
	struct moments m;
	struct sim s;

	(void)state;
	begin(&s, "noise/seed:7 noise/network:0:1:2:5");
	m = messages_of(&s, 0, 1);
	assert_close(m.least, 0.02, 1e-14);
	assert_true(m.most > 15);
	sim_release(&s);
}

/* What one rank draws does not depend on how much the others do, nor on the table: two numbers are
 * drawn whatever the section. */
static void streams_are_apart(void **state)
{
	double first[10];
	struct sim s;

	(void)state;
	begin(&s, "noise/seed:9 noise/network:0:1:1:0.1 noise/compute:0:1:1:0.1");
	for (int i = 0; i < 10; i++)
		first[i] = noise_message(s.mp->noise, 2, 500);
	assert_true(first[0] != noise_message(s.mp->noise, 1, 500));
	sim_release(&s);
	begin(&s, "noise/seed:9 noise/network:0:1:1:0.1;600:1:5:0 noise/compute:0:1:1:0.1");
	messages_of(&s, 0, 10);
	noise_compute(s.mp->noise, 2, 1e6, 1e9, 0);
	for (int i = 0; i < 10; i++) {
		if (i == 5)
			assert_double_is(noise_message(s.mp->noise, 2, 700), 5);
		else
			assert_double_is(noise_message(s.mp->noise, 2, 500), first[i]);
	}
	sim_release(&s);
	begin(&s, "noise/seed:10 noise/network:0:1:1:0.1");
	assert_true(first[0] != noise_message(s.mp->noise, 2, 500));
	sim_release(&s);
}

static void computations(void **state)
{
	double mean = 0, squares = 0;
	struct sim s;

	(void)state;
	begin(&s, "noise/seed:3 noise/compute:0:1:1.2:0.1;1000000000:1:2:0");
	for (int i = 0; i < N; i++) {
		double f = noise_compute(s.mp->noise, 1, 1e6, 1e9, 0);

		mean += f / N;
		squares += f * f / N;
	}
	assert_moments((struct moments){.mean = mean, .variance = squares - mean * mean}, 1.2,
	               0.01);
	assert_double_is(noise_compute(s.mp->noise, 1, 2e9, 1e9, 0), 2);
	sim_release(&s);
}

/* The factors of a run: the same for all its messages of a section and all its computations; over
 * seeds the logarithms have the mean 0 and the deviations given, below and above apart. */
static void factors_of_runs(void **state)
{
	enum { SEEDS = 140 };
	double below = 0, above = 0, compute = 0;
	int n_below = 0;

	(void)state;
	for (int seed = 1; seed <= SEEDS; seed++) {
		char text[200];
		double f, g;
		struct sim s;

		snprintf(text, sizeof text,
		         "noise/seed:%d noise/run-network:0:0.1:0.3;1000:0.2 noise/run-compute:0.5",
		         seed);
		begin(&s, text);
		f = noise_message(s.mp->noise, 0, 10);
		assert_double_is(noise_message(s.mp->noise, 3, 900), f);
		assert_double_is(noise_run(s.mp, 10), f);
		g = noise_compute(s.mp->noise, 0, 1e6, 1e9, 0);
		assert_double_is(noise_compute(s.mp->noise, 3, 5e8, 1e9, 0), g);
		n_below += f < 1;
		below += f < 1 ? log(f) * log(f) : 0;
		above += f > 1 ? log(f) * log(f) : 0;
		compute += log(g) * log(g) / SEEDS;
		if (seed == 1) /* the first run is the middle one */
			assert_close(f, 1, 1e-9);
		sim_release(&s);
	}
	assert_true(n_below > SEEDS * 0.45 && n_below < SEEDS * 0.55);
	assert_close(sqrt(below / n_below), 0.1, 0.1); /* half of a normal distribution each */
	assert_close(sqrt(above / (SEEDS - n_below)), 0.3, 0.1);
	assert_close(sqrt(compute), 0.5, 0.1);
}

/* How strong the noise of messages is in a run: 1 + a part of it, the part between the least and
 * 1. */
static void strengths(void **state)
{
	double mean = 0;

	(void)state;
	for (int seed = 1; seed <= 60; seed++) {
		char text[200];
		struct sim s;
		double f;

		snprintf(text, sizeof text,
		         "noise/seed:%d noise/network:0:1:3:0 noise/network-least:0.5", seed);
		begin(&s, text);
		f = noise_message(s.mp->noise, 0, 10); /* 1 + part (3 - 1) */
		assert_true(f >= 2 && f <= 3);
		mean += f / 60;
		sim_release(&s);
	}
	assert_close(mean, 2.5, 0.02);
}

/* Malformed, with a seed and without. */
static void wrong_settings(void **state)
{
	static const char *const wrong[][2] = {
	    {"noise/network:0:1", "size:weight:mean:deviation"},
	    {"noise/network:0:1:1", "size:weight:mean:deviation"},
	    {"noise/network:0:0:1:1", "add up to nothing"},
	    {"noise/network:0:-1:1:1", "not negative"},
	    {"noise/compute:0:1:-1:1", "not negative"},
	    {"noise/compute:0:1:1:0:1:1:0:1:1:0:1:1:0:1:1:0:1:1:0", "more than 5"},
	    {"noise/run-network:1:2:3:4", "size:below:above"},
	    {"noise/run-network:11", "from 0 to 10"},
	    {"noise/run-compute:11", "from 0 to 10"},
	    {"noise/network-least:1.5", "from 0 to 1"},
	};

	(void)state;
	for (size_t i = 0; i < 2 * (sizeof wrong / sizeof *wrong); i++) {
		struct host_id host = {0};
		char text[200];
		struct sim s;
		struct mp *mp;

		snprintf(text, sizeof text, "%s%s", i % 2 ? "noise/seed:1 " : "", wrong[i / 2][0]);
		sim_init(&s, FLAT, NULL, lists, RANKS);
		assert_ok(config_set_all(&s.cfg, text, CFG_FROM_USER, &s.err), s.err);
		mp = mp_new(s.net, &s.cfg, &host, 1, &s.err);
		if (mp)
			fail_msg("accepted: %s", text);
		assert_int_equal(s.err.kind, ERR_INPUT);
		if (!strstr(s.err.text, wrong[i / 2][1]))
			fail_msg("%s: \"%s\" is not in: %s", text, wrong[i / 2][1], s.err.text);
		sim_release(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(mixtures),       cmocka_unit_test(sections),
	    cmocka_unit_test(never_negative), cmocka_unit_test(streams_are_apart),
	    cmocka_unit_test(computations),   cmocka_unit_test(factors_of_runs),
	    cmocka_unit_test(strengths),      cmocka_unit_test(wrong_settings),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
