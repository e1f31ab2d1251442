/* test_osnoise.c: a processor made up, with detours of known rates, lengths and periods, measured
 * as `orrery calibrate noise` does: they come back. */
#include "test.h"

#include "base/rng.h"
#include "calibrate/osnoise/osnoise.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

enum { KINDS = 2 };
#define QUANTUM 1e-3
#define UNIT 0.5e-6

struct truth {
	double rate[KINDS], median[KINDS], sigma[KINDS];
	double period[KINDS], length[KINDS], jitter; /* of ticks, s */
	double scatter;                              /* of undisturbed work, relative */
	double drift,
	    second_speed; /* relative, over the time; share of the quanta at a speed 10 % lower */
};

/* Detours in order, none begins before the one before it has ended. */
struct timeline {
	double *begin, *length;
	size_t n;
};

static int by_begin(const void *a, const void *b)
{
	const double *p = a, *q = b;

	return (p[0] > q[0]) - (p[0] < q[0]);
}

static struct timeline timeline_make(const struct truth *t, double seconds, struct rng *r)
{
	double(*all)[2] = malloc(2000000 * sizeof *all);
	struct timeline out = {0};
	size_t n = 0;

	for (int k = 0; k < KINDS; k++) {
		for (double at = t->rate[k] > 0 ? 0 : seconds; at < seconds; n++) {
			at += -log(1 - rng_unit(r)) / t->rate[k];
			all[n][0] = at;
			all[n][1] = t->median[k] * exp(t->sigma[k] * rng_normal(r));
		}
		for (double at = t->period[k] > 0 ? rng_unit(r) * t->period[k] : seconds;
		     at < seconds; at += t->period[k], n++) {
			all[n][0] = at + t->jitter * rng_unit(r);
			all[n][1] = t->length[k];
		}
	}
	qsort(all, n, sizeof *all, by_begin);
	out.begin = malloc(2 * (n + 1) * sizeof(double));
	out.length = out.begin + n + 1;
	for (size_t i = 0; i < n; i++) {
		out.begin[i] = i ? fmax(all[i][0], out.begin[i - 1] + out.length[i - 1])
		                 : all[i][0];
		out.length[i] = all[i][1];
	}
	out.n = n;
	free(all);
	return out;
}

static void fwq_make(struct os_raw *raw, const struct truth *t, double seconds, int cpu,
                     struct rng *r)
{
	struct timeline l = timeline_make(t, seconds, r);
	struct err err;
	struct os_series *s = os_series_get(raw, OS_FWQ, cpu, QUANTUM, &err);
	size_t next = 0;

	for (double now = 0; now < seconds;) {
		double work = QUANTUM * (1 + t->scatter * rng_normal(r)) *
		              (1 + t->drift * now / seconds),
		       end;

		if (rng_unit(r) < t->second_speed)
			work *= 1.1;
		for (end = now + work; next < l.n && l.begin[next] < end; next++)
			end += l.length[next];
		assert_ok(os_series_add(s, now, end - now, &err), err);
		now = end;
	}
	free(l.begin);
}

static void ftq_make(struct os_raw *raw, const struct truth *t, size_t n, int cpu, struct rng *r)
{
	struct timeline l = timeline_make(t, (double)n * QUANTUM, r);
	struct err err;
	struct os_series *s = os_series_get(raw, OS_FTQ, cpu, QUANTUM, &err);
	double rest = 0; /* work begun in the quantum before */
	size_t at = 0;

	for (size_t i = 0; i < n; i++) {
		double from = (double)i * QUANTUM, to = from + QUANTUM, free_time = QUANTUM, units;

		for (; at < l.n && l.begin[at] < to; at++) {
			free_time -= fmin(to, l.begin[at] + l.length[at]) - fmax(from, l.begin[at]);
			if (l.begin[at] + l.length[at] > to)
				break;
		}
		free_time += rest;
		units = floor(free_time / UNIT + 0.3 * rng_normal(r));
		rest = fmin(UNIT, fmax(0, free_time - units * UNIT));
		assert_ok(os_series_add(s, 100 + from, fmax(0, units), &err), err);
	}
	free(l.begin);
}

static void measured(const struct truth *t, double seconds, size_t ftq, uint64_t seed,
                     struct os_raw *raw, struct os_fit *f)
{
	struct rng r;
	struct err err;

	rng_init(&r, seed, "osnoise", 0);
	os_raw_init(raw);
	for (int cpu = 0; cpu < 2; cpu++) {
		fwq_make(raw, t, seconds, cpu, &r);
		if (ftq)
			ftq_make(raw, t, ftq, cpu, &r);
	}
	assert_ok(os_fit_make(raw, f, &err), err);
}

static void done(struct os_raw *raw, struct os_fit *f)
{
	os_fit_release(f);
	os_raw_release(raw);
}

static int near(double a, double b, double tolerance)
{
	return fabs(a - b) <= tolerance * b;
}

/* 40 detours a second of 20 us, 10 s: the rate lies in its interval as often as 95 % says (of 40,
 * at least 33: less has a chance of 1 in 300); median and deviation of some 800 lengths within four
 * standard errors, 0.5 / sqrt(800) = 1.8 % and 1.3 % of 1. */
static void rates_and_lengths(void **state)
{
	const struct truth t = {.rate = {40}, .median = {20e-6}, .sigma = {0.5}, .scatter = 2e-4};
	const double mean = 20e-6 * exp(0.125);
	int inside = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 20; seed++) {
		struct os_raw raw;
		struct os_fit f;

		measured(&t, 10, 0, seed, &raw, &f);
		assert_int_equal(f.random, 1);
		assert_true(near(f.median[0], 20e-6, 0.09) && fabs(f.sigma[0] - 0.5) < 0.06);
		assert_true(near(f.share, 40 * mean, 0.2) && near(f.model_share, f.share, 0.1));
		assert_true(near(f.cpu[0].quiet, QUANTUM, 1e-3) && f.periods == 0 &&
		            f.warnings.n == 0);
		for (int i = 0; i < 2; i++)
			inside += fabs(f.cpu[i].rate - 40) <= f.cpu[i].rate_95;
		done(&raw, &f);
	}
	assert_true(inside >= 33);
}

/* Short and frequent ones, long and rare ones: two processes. */
static void two_kinds(void **state)
{
	const struct truth t = {
	    .rate = {60, 3}, .median = {6e-6, 1.5e-3}, .sigma = {0.2, 0.3}, .scatter = 2e-4};

	(void)state;
	for (uint64_t seed = 0; seed < 5; seed++) {
		double rate[2] = {0}, time[2] = {0};
		struct os_raw raw;
		struct os_fit f;

		measured(&t, 30, 0, seed, &raw, &f);
		/* Two short ones in a quantum look like one: a component of its own, now and then.
		 * 3600 and 180 detours: four standard errors of the rates are 7 and 30 %. */
		for (int i = 0; i < f.random; i++) {
			rate[f.median[i] > 1e-4] += f.rate[i];
			time[f.median[i] > 1e-4] += f.rate[i] * f.median[i] *
			                            exp(f.sigma[i] * f.sigma[i] / 2);
		}
		assert_true(f.random >= 2 && near(rate[0], 60, 0.09) && near(rate[1], 3, 0.3));
		assert_true(near(time[0] / rate[0], 6e-6 * exp(0.02), 0.06) &&
		            near(time[1] / rate[1], 1.5e-3 * exp(0.045), 0.12));
		done(&raw, &f);
	}
}

/* A tick every 4.003 ms of 8 us and a daemon every 100 ms of 200 us, among random ones: both
 * periods and lengths in their intervals nearly always, and the random ones are not counted
 * twice. */
/* Forty detours, from microseconds to a tenth of a second: the log-normal through them (deviation
 * 2.5) takes what was measured or, where one of them is longer than all others together, less;
 * never detours that nobody saw. */
static void few_long_ones(void **state)
{
	int right = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 10; seed++) {
		struct truth t = {
		    .rate = {50, 2}, .median = {3e-6, 2e-4}, .sigma = {0.3, 2.5}, .scatter = 1e-4};
		struct os_raw raw;
		struct os_fit f;

		measured(&t, 10, 0, seed, &raw, &f);
		assert_true(f.share > 0 && f.model_share < 1.02 * f.share);
		right += f.model_share > 0.7 * f.share;
		os_fit_release(&f);
		os_raw_release(&raw);
	}
	assert_true(right >= 7);
}

static void periods(void **state)
{
	const struct truth t = {.rate = {20},
	                        .median = {50e-6},
	                        .sigma = {0.3},
	                        .period = {4.003e-3, 0.1},
	                        .length = {8e-6, 200e-6},
	                        .jitter = 2e-6,
	                        .scatter = 2e-4};
	int period_in = 0, length_in = 0, random = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 6; seed++) {
		struct os_raw raw;
		struct os_fit f;

		measured(&t, 10, 8192, seed, &raw, &f);
		assert_int_equal(f.periods, 2);
		for (int i = 0; i < 2; i++)
			for (int k = 0; k < f.cpu[i].periods; k++) {
				const struct os_period *p = &f.cpu[i].period[k];
				int which = p->period > 0.05;

				assert_true(near(p->period, t.period[which], 1e-3) &&
				            near(p->length, t.length[which], 0.2));
				period_in += fabs(p->period - t.period[which]) <= p->period_95;
				length_in += fabs(p->length - t.length[which]) <= p->length_95;
			}
		for (int i = 0; i < 2; i++)
			random += fabs(f.cpu[i].rate - 20) <= f.cpu[i].rate_95;
		done(&raw, &f);
	}
	/* of 24, 24, 12; by 95 % at least 20, 20, 9 with 99 % */
	assert_true(period_in >= 20 && length_in >= 20 && random >= 9);
}

/* Noise without a period: none is found, in 200 series. */
static void no_period(void **state)
{
	const struct truth t = {.rate = {200, 5}, .median = {10e-6, 1e-3}, .sigma = {1, 1}};
	struct os_period found[OS_PERIODS];
	int wrong = 0;
	struct err err;

	(void)state;
	for (uint64_t seed = 0; seed < 200; seed++) {
		struct os_raw raw;
		struct rng r;

		rng_init(&r, seed, "white", 0);
		os_raw_init(&raw);
		ftq_make(&raw, &t, 1024, 0, &r);
		wrong += os_periods_find(&raw.series[0], found, NULL, NULL, &err);
		os_raw_release(&raw);
	}
	assert_int_equal(wrong, 0);
}

static int warned(const struct os_fit *f, const char *word)
{
	return f->warnings.n && strstr(f->warnings.s, word) != NULL;
}

/* Each contradiction has its word, and data that fit have none. */
static void contradictions(void **state)
{
	static const struct {
		struct truth t;
		const char *word;
	} cases[] = {
	    {{.scatter = 2e-4}, NULL},
	    {{.scatter = 2e-4, .drift = 0.04}, "drift"},
	    {{.scatter = 2e-4, .second_speed = 0.3}, "bimodal"},
	    {{.scatter = 2e-4, .rate = {40}, .median = {8e-3}, .sigma = {0.1}}, "saturated"},
	    {{.scatter = 2e-4, .rate = {600}, .median = {1e-5}, .sigma = {0.5}},
	     "shorter --quantum"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct os_raw raw;
		struct os_fit f;

		measured(&cases[i].t, 8, 0, 5, &raw, &f);
		if (cases[i].word ? !warned(&f, cases[i].word) : f.warnings.n != 0)
			fail_msg("case %zu: warnings: %s", i, f.warnings.s ? f.warnings.s : "");
		done(&raw, &f);
	}
}

/* A quiet processor: nothing to draw, and a speed that changes by 1 % from second to second is
 * common to a run. */
static void quiet(void **state)
{
	const struct truth t = {.scatter = 2e-4};
	struct os_raw raw;
	struct os_fit f;
	struct str out;

	(void)state;
	measured(&t, 8, 4096, 1, &raw, &f);
	assert_true(f.random == 0 && f.periods == 0 && f.slow < 1e-4);
	for (size_t i = 0; i < raw.series[0].n; i++)
		raw.series[0].value[i] *= (long)raw.series[0].start[i] % 2 ? 1.01 : 0.99;
	done(&(struct os_raw){0}, &f);
	str_init(&out);
	{
		struct err err;

		assert_ok(os_fit_make(&raw, &f, &err), err);
	}
	/* four of eight seconds 1 % above, four below: 0.01 * sqrt(8 / 7); the other processor not:
	 * over both the root of half the square */
	assert_true(near(f.slow, 0.01 * sqrt(8.0 / 7) / sqrt(2), 0.05));
	os_settings_write(&f, &out);
	assert_non_null(strstr(out.s, "noise/run-compute:0.007"));
	str_release(&out);
	done(&raw, &f);
}

/* What is written is read again, to the same fit; what is no measurement is refused. */
static void files(void **state)
{
	static const char *const bad[] = {
	    "cpu,kind\n",
	    "kind,cpu,quantum,start,value\nfwq,0,0.001,0\n",
	    "kind,cpu,quantum,start,value\nfwq,0,0.001,0,-1\n",
	    "kind,cpu,quantum,start,value\nfwq,0,0.001,0,0\n",
	    "kind,cpu,quantum,start,value\nfwq,0,0,0,1\n",
	    "kind,cpu,quantum,start,value\nxyz,0,0.001,0,1\n",
	    "kind,cpu,quantum,start,value\nfwq,0,0.001,1,1\nfwq,0,0.001,0,1\n",
	    "kind,cpu,quantum,start,value\nfwq,0,0.001,nan,1\n",
	};
	const struct truth t = {.rate = {40}, .median = {20e-6}, .sigma = {0.5}, .scatter = 2e-4};
	char path[] = "/tmp/orrery-test-XXXXXX";
	int fd = mkstemp(path);
	struct os_raw raw, again;
	struct os_fit f, g;
	struct str out;
	struct err err;

	(void)state;
	measured(&t, 4, 1024, 3, &raw, &f);
	str_init(&out);
	os_raw_write(&raw, &out);
	assert_int_equal(pwrite(fd, out.s, out.n, 0), out.n);
	os_raw_init(&again);
	assert_ok(os_raw_read(&again, path, &err), err);
	assert_ok(os_fit_make(&again, &g, &err), err);
	assert_true(near(g.rate[0], f.rate[0], 1e-3) && near(g.median[0], f.median[0], 1e-3) &&
	            g.cpus == 2);
	done(&again, &g);
	done(&raw, &f);
	str_release(&out);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		assert_int_equal(ftruncate(fd, 0), 0);
		assert_int_equal(pwrite(fd, bad[i], strlen(bad[i]), 0), strlen(bad[i]));
		os_raw_init(&again);
		assert_int_equal(os_raw_read(&again, path, &err), -1);
		assert_int_equal(err.kind, ERR_INPUT);
		os_raw_release(&again);
	}
	close(fd);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(rates_and_lengths),
	    cmocka_unit_test(two_kinds),
	    cmocka_unit_test(few_long_ones),
	    cmocka_unit_test(periods),
	    cmocka_unit_test(no_period),
	    cmocka_unit_test(contradictions),
	    cmocka_unit_test(quiet),
	    cmocka_unit_test(files),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
