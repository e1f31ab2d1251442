/* test_spread.c: many runs with seeds of their own: which seed goes where, what of a run that fails
 * or dies is told, and statistics worked by hand. */
#include "study/spread.h"

#include "test.h"

#include "base/rng.h"
#include "base/spread.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A run's time is its seed / 4; one seed may fail, one may be killed. */
struct plan {
	uint64_t fails, dies;
};

static int once(void *self, uint64_t seed, double *end, struct err *err)
{
	const struct plan *p = self;

	if (seed == p->dies)
		raise(SIGKILL);
	if (seed == p->fails)
		return err_set(err, ERR_PROGRAM, "rank 3 of seed %llu waits for ever",
		               (unsigned long long)seed);
	*end = (double)seed / 4;
	return 0;
}

/* Whatever the number of processes, run i has the seed `seed + i` and its place. */
static void in_the_order_of_seeds(void **state)
{
	struct plan p = {.fails = ~0ull, .dies = ~0ull};
	struct err err;
	double end[40];

	(void)state;
	for (int runs = 1; runs <= 40; runs = 3 * runs + 1) {
		assert_ok(spread_run(once, &p, runs, 1000, end, &err), err);
		for (int i = 0; i < runs; i++)
			assert_double_is(end[i], (1000 + i) / 4.0);
	}
}

/* The error is the run's own, kind and words; a run that was killed is counted. Those behind it in
 * its process were not begun. */
static void what_fails_is_told(void **state)
{
	struct plan fails = {.fails = 12, .dies = ~0ull}, dies = {.fails = ~0ull, .dies = 19};
	struct err err;
	double end[10];

	(void)state;
	assert_fails(spread_run(once, &fails, 10, 10, end, &err), err, ERR_PROGRAM,
	             "rank 3 of seed 12 waits for ever");
	assert_fails(spread_run(once, &dies, 10, 10, end, &err), err, ERR_LIMIT,
	             "1 of 10 runs ended without a result: killed, or out of memory");
}

static double json_number(const char *text, const char *key)
{
	char quoted[64];
	const char *p;

	snprintf(quoted, sizeof quoted, "\"%s\":", key);
	p = strstr(text, quoted);
	assert_non_null(p);
	return strtod(p + strlen(quoted), NULL);
}

static void text_has(double *end, int runs, const char *part)
{
	struct str out;

	str_init(&out);
	spread_text(end, runs, 5, "as far as it goes\n", &out);
	if (!strstr(out.s, part))
		fail_msg("\"%s\" is not in: %s", part, out.s);
	str_release(&out);
}

/* 1, 2, 4, 5, in any order. Mean 3; deviation sqrt((4 + 1 + 1 + 4) / 3) = 1.82574; t(3) = 3.1824
 * (tables), so the mean is known to +- 3.1824 x 1.82574 / 2 = 2.905. A quantile q stands at 3 q of
 * 0 to 3: 5 % at 0.15, 1.15; 50 % at 1.5, 3; 95 % at 2.85, 4.85. A fifth run is between the least
 * and the greatest of four in three orders of five. */
static void of_four_runs(void **state)
{
	double end[] = {5, 1, 4, 2};

	(void)state;
	text_has(end, 4, "4 runs, seeds 5 to 8\nmean 3.000000000 s");
	text_has(end, 4, "+- 2.9");
	text_has(end, 4, "deviation 1.83 s");
	text_has(end, 4,
	         "quantiles, s: 5 % 1.150000000, 25 % 1.750000000, 50 % 3.000000000, "
	         "75 % 4.250000000, 95 % 4.850000000");
	text_has(end, 4,
	         "60 % of runs (for 95 % there must be 39): 1.000000000 to 5.000000000 s\n"
	         "as far as it goes\n"
	         "simulated time: 3.000000000 s\n");
}

/* Two runs, 1 and 3: deviation sqrt(2), t(1) = tan(0.475 pi) = 12.706: 12.706 sqrt(2) / sqrt(2). */
static void of_two_runs(void **state)
{
	double end[] = {3, 1};

	(void)state;
	text_has(end, 2,
	         "mean 2.000000000 s (95 % interval of the mean: +- 12.7 s), deviation 1.41 s");
}

static void of_one_run(void **state)
{
	double end[] = {0.5};
	struct str out;

	(void)state;
	text_has(end, 1, "(95 % interval of the mean: +- 0 s), deviation 0 s");
	text_has(end, 1, "\n0 % of runs (for 95 % there must be 39): 0.500000000 to 0.500000000 s");
	str_init(&out);
	spread_json(end, 1, UINT64_MAX >> 1, "{\"known\":true}", &out);
	assert_string_equal(
	    out.s,
	    "{\"times\":[0.5],\"simulated_time\":0.5,\"runs\":1,\"seed\":9223372036854775807,"
	    "\"deviation\":0,\"mean_95\":0,\"low_95\":0.5,\"high_95\":0.5,\"holds\":0,"
	    "\"quantiles\":{"
	    "\"0.05\":0.5,\"0.25\":0.5,\"0.50\":0.5,\"0.75\":0.5,\"0.95\":0.5},"
	    "\"trust\":{\"known\":true}}\n");
	str_release(&out);
}

/* 1 to 79, backwards: of 80 places that another run has among them, the second least and the
 * second greatest have two each on their outer sides: 2.5 %. */
static void of_many_runs(void **state)
{
	double end[79];

	(void)state;
	for (int i = 0; i < 79; i++)
		end[i] = 79 - i;
	text_has(end, 79, "\n95 % of runs: 2.000000000 to 78.000000000 s");
	text_has(end, 39, "\n95 % of runs: 1.000000000 to 39.000000000 s");
}

static double drawn(struct rng *r, int heavy)
{
	return heavy ? exp(spread_t_two(rng_unit(r))) : rng_normal(r);
}

/* The interval of n runs holds one more run 95 times of 100, of fewer than 39 as often as it says:
 * normal ones, and some with tails as those of `trust`. Of 2,000 the standard error is 0.5 %; four
 * of them. */
static void holds_another_run(void **state)
{
	enum { TIMES = 2000 };
	static const int runs[] = {10, 30, 50};
	struct rng r;

	(void)state;
	rng_init(&r, 1, "spread", 0);
	for (size_t i = 0; i < 2 * sizeof runs / sizeof *runs; i++) {
		int n = runs[i / 2], held = 0;
		double holds = 0;

		for (int k = 0; k < TIMES; k++) {
			double end[50], other = drawn(&r, i % 2), low, high;
			struct str out;

			for (int j = 0; j < n; j++)
				end[j] = drawn(&r, i % 2);
			str_init(&out);
			spread_json(end, n, 1, NULL, &out);
			low = json_number(out.s, "low_95");
			high = json_number(out.s, "high_95");
			holds = json_number(out.s, "holds");
			str_release(&out);
			held += low <= other && other <= high;
		}
		if (fabs((double)held / TIMES - holds) > 0.02)
			fail_msg("%d runs: %d of %d are held, and %.3f told", n, held, TIMES,
			         holds);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(in_the_order_of_seeds),
	    cmocka_unit_test(what_fails_is_told),
	    cmocka_unit_test(of_four_runs),
	    cmocka_unit_test(of_two_runs),
	    cmocka_unit_test(of_one_run),
	    cmocka_unit_test(of_many_runs),
	    cmocka_unit_test(holds_another_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
