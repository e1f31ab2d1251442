/* test_detours.c: what the operating system takes from computations (mp/noise/detours.c), against
 * the moments of the distributions: a log-normal length of median m and sigma s has the mean
 * m exp(s^2 / 2) and the variance mean^2 (exp(s^2) - 1); n of them, n being Poisson with mean k,
 * the variance k (variance + mean^2). A computation takes on average what it was measured to. */
#include "mp/noise/noise_int.h"
#include "test.h"

#include <math.h>

static int detours_of(const char *settings, struct detours *d, struct err *err)
{
	struct mp *mp = calloc(1, sizeof *mp);
	struct config cfg;
	int r;

	assert_non_null(mp);
	assert_ok(config_init(&cfg, err), *err);
	assert_ok(config_set_all(&cfg, settings, CFG_FROM_USER, err), *err);
	mp->cfg = &cfg;
	r = detours_read(mp, d, err);
	config_release(&cfg);
	free(mp);
	return r;
}

static void made_of(const char *settings, struct detours *d)
{
	struct err err;

	assert_ok(detours_of(settings, d, &err), err);
}

static void settings_are_understood(void **state)
{
	const double mean = 1e-3 * exp(0.125);
	struct detours d;

	(void)state;
	made_of("noise/detours:10:1ms:0.5;2:1e-4:0 noise/periodic:0.01:100us noise/sleep:1ms:0.3",
	        &d);
	assert_int_equal(d.n_random, 2);
	assert_int_equal(d.n_periodic, 1);
	assert_close(d.random[0].mean, mean, 1e-15);
	assert_close(d.random[0].variance, mean * mean * (exp(0.25) - 1), 1e-15);
	assert_close(d.random[1].mean, 1e-4, 1e-18);
	assert_close(d.random[1].variance, 0, 1e-18);
	assert_close(d.share, 10 * mean + 2e-4 + 0.01, 1e-12);
	assert_close(d.late_mean, 1e-3 * exp(0.045), 1e-15);
	made_of("noise/sleep:1ms:0", &d);
	assert_double_is(d.share, 0);
}

static void settings_are_refused(void **state)
{
	static const char *const wrong[][2] = {
	    {"noise/detours:1000:1ms:0", "nothing is left"},
	    {"noise/detours:500:1ms:0 noise/periodic:0.01:5ms", "nothing is left"},
	    {"noise/detours:10", "noise/detours"},
	    {"noise/detours:-1:1ms:0", "noise/detours"},
	    {"noise/detours:1:1ms:6", "noise/detours"},
	    {"noise/periodic:0:1ms", "noise/periodic"},
	    {"noise/periodic:1:1us;2:1us;3:1us;4:1us;5:1us;6:1us;7:1us;8:1us;9:1us", "sections"},
	    {"noise/sleep:1ms:0;1ms:0", "sections"}};
	struct detours d;
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		assert_fails(detours_of(wrong[i][0], &d, &err), err, ERR_INPUT, wrong[i][1]);
}

/* Ticks of 0.1 ms each 10 ms, the first at 5 ms: 1 % is theirs. A second has its 99 or 100 ticks; a
 * burst between two of them none, and is shorter than measured; one that meets a tick is longer. A
 * tick may bring the next one. */
static void ticks(void **state)
{
	const double phase[] = {5e-3};
	struct detours d;
	struct rng r;

	(void)state;
	rng_init(&r, 1, "detours", 0);
	made_of("noise/periodic:0.01:100us", &d);
	assert_close(detours_lengthen(&d, &r, phase, 0, 1), 1, 1e-12);
	assert_close(detours_lengthen(&d, &r, phase, 0, 4e-3), 0.99 * 4e-3, 1e-15);
	assert_close(detours_lengthen(&d, &r, phase, 3e-3, 4e-3), 0.99 * 4e-3 + 1e-4, 1e-15);
	/* 0.99 x 10.05 ms from 5.04 ms: the tick at 15 ms is just before its end; not without it */
	assert_close(detours_lengthen(&d, &r, phase, 5.04e-3, 10.05e-3), 0.99 * 10.05e-3, 1e-15);
	assert_close(detours_lengthen(&d, &r, phase, 5.06e-3, 10.05e-3), 0.99 * 10.05e-3 + 1e-4,
	             1e-15);
	/* 14.95 to 24.95 ms: the tick at 15 ms makes it end at 25.05 ms, behind the one at 25 ms */
	assert_close(detours_lengthen(&d, &r, phase, 14.95e-3, 10e-3 / 0.99), 10e-3 + 2e-4, 1e-15);
}

/* Mean and variance over many bursts of a second. */
static void moments(const char *settings, double rate)
{
	enum { N = 20000 };
	double sum = 0, squares = 0, expected, average;
	struct detours d;
	struct rng r;

	made_of(settings, &d);
	rng_init(&r, 7, "detours", 0);
	for (int i = 0; i < N; i++) {
		double t = detours_lengthen(&d, &r, NULL, i, 1) - 1;

		sum += t;
		squares += t * t;
	}
	average = sum / N;
	expected = rate * (d.random[0].variance + d.random[0].mean * d.random[0].mean);
	if (fabs(average) > 5 * sqrt(expected / N))
		fail_msg("%s: a second takes %g more on average", settings, average);
	if (fabs(squares / N - average * average - expected) > 0.1 * expected)
		fail_msg("%s: a variance of %g, not of %g", settings, squares / N, expected);
}

/* Few a second; so many that their number is drawn from a normal distribution (over 30), or their
 * sum (over 1000). */
static void random_ones(void **state)
{
	(void)state;
	moments("noise/detours:3:1ms:0.5", 3);
	moments("noise/detours:100:1ms:0.3", 100);
	moments("noise/detours:5000:10us:0.4", 5000);
}

static void sleeps_end_late(void **state)
{
	enum { N = 20000 };
	double sum = 0, variance;
	struct detours d;
	struct rng r;

	(void)state;
	made_of("noise/sleep:1ms:0.5", &d);
	rng_init(&r, 3, "sleep", 0);
	for (int i = 0; i < N; i++)
		sum += detours_late(&d, &r);
	variance = d.late_mean * d.late_mean * (exp(0.25) - 1);
	assert_true(fabs(sum / N - d.late_mean) < 5 * sqrt(variance / N));
	made_of("noise/detours:1:1ms:0", &d);
	assert_double_is(detours_late(&d, &r), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(settings_are_understood),
	                                   cmocka_unit_test(settings_are_refused),
	                                   cmocka_unit_test(ticks), cmocka_unit_test(random_ones),
	                                   cmocka_unit_test(sleeps_end_late)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
