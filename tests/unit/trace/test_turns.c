/* test_turns.c: values that come in turn are told from noise, and each level of them is drawn from
 * its own. */
#include "unit/trace/trace_test.h"

#include "trace/column/turns.h"

#include "base/rng.h"

#include <math.h>

static double v[TURNS_LOOKED_AT];
static double level[TURNS_MOST], apart;

static int find(const double *of, uint32_t n, int precision)
{
	return (int)turns_find(of, n, precision, level, &apart);
}

/* Levels of a multigrid cycle, each eight times the one below, with noise of 20 %: down and up. */
static void cycle(void **state)
{
	static const int of[] = {3, 2, 1, 1, 1, 2};
	struct rng rng;

	(void)state;
	rng_init(&rng, 1, "turns", 0);
	for (uint32_t i = 0; i < 60; i++)
		v[i] = pow(8, of[i % 6]) * (1 + 0.2 * rng_unit(&rng));
	assert_int_equal(find(v, 60, 95), 6);
	for (int a = 0; a < 6; a++)
		for (int b = 0; b < 6; b++)
			assert_int_equal(level[a] == level[b], of[a] == of[b]);
	/* Also if the first cycle was another one, and one value in twenty was late. */
	for (uint32_t i = 0; i < 6; i++)
		v[i] = 64;
	for (uint32_t i = 7; i < 60; i += 20)
		v[i] = 5e4;
	assert_int_equal(find(v, 60, 95), 6);
	assert_int_equal(find(v, 60, 0), 1);
	assert_int_equal(find(v, 60, 100), 1);
}

/* One step in ten takes a hundred times as long. */
static void now_and_then(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 100; i++)
		v[i] = i % 10 == 9 ? 100 : 1 + 0.01 * (i % 7);
	assert_int_equal(find(v, 100, 95), 10);
	for (int i = 1; i < 9; i++)
		assert_int_equal(level[i], level[0]);
	assert_true(level[9] > level[0]);
}

/* 1,000 and 960 are alike at 95, and 1,000 and 940 are not. */
static void near(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 100; i++)
		v[i] = i % 2 ? 960 : 1000;
	assert_int_equal(find(v, 100, 95), 1);
	for (uint32_t i = 0; i < 100; i += 2)
		v[i + 1] = 940;
	assert_int_equal(find(v, 100, 95), 2);
	assert_int_equal(find(v, 100, 90), 1);
}

/* What has no turns: a constant, noise of 20 %, exponential, one in twenty far above. */
static void noise(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 50; seed++) {
		uint32_t n = seed % 2 ? TURNS_LOOKED_AT : 100;
		struct rng rng;

		rng_init(&rng, seed, "noise", 0);
		for (uint32_t i = 0; i < n; i++)
			v[i] = 3;
		assert_int_equal(find(v, n, 95), 1);
		for (uint32_t i = 0; i < n; i++)
			v[i] = 1 + 0.2 * rng_unit(&rng);
		assert_int_equal(find(v, n, 95), 1);
		for (uint32_t i = 0; i < n; i++)
			v[i] = -log(1 - rng_unit(&rng));
		assert_int_equal(find(v, n, 95), 1);
		for (uint32_t i = 0; i < n; i++)
			v[i] = (1 + rng_unit(&rng)) * (rng_below(&rng, 20) ? 1 : 50);
		assert_int_equal(find(v, n, 95), 1);
	}
}

/* Without turns the level is the middle: 1 to 1.19, in steps of 0.01. */
static void middle(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 20; i++)
		v[i] = 1 + 0.01 * i;
	assert_int_equal(find(v, 20, 95), 1);
	assert_true(level[0] >= 1.09 && level[0] < 1.105);
	assert_true(apart > 2 && apart < 2.5);
}

enum { RANKS = 4, STEPS = 50, LEVELS = 4 };

/* Of a program: what is drawn for a level is from that level, in each step, and the sum is kept. */
static void drawn(void **state)
{
	struct trace_writer *w;
	struct trace_event ev;
	struct trace *t;
	struct rng rng;
	struct err err;
	char dir[64], path[128];
	double sum = 0;

	(void)state;
	folder_make(dir);
	snprintf(path, sizeof path, "%s/trace", dir);
	w = trace_writer_open(path, TRACE_WRITE_COMPRESSED, RANKS, &err);
	assert_non_null(w);
	trace_writer_precision(w, 95);
	rng_init(&rng, 2, "levels", 0);
	for (uint32_t rank = 0; rank < RANKS; rank++)
		for (int i = 0; i < STEPS * LEVELS; i++) {
			trace_event_init(&ev, TRACE_COMPUTE);
			ev.volume = floor(pow(8, 2 + i % LEVELS) * (1 + 0.2 * rng_unit(&rng)));
			sum += ev.volume;
			assert_ok(trace_writer_put(w, rank, &ev, &err), err);
			trace_event_init(&ev, TRACE_BARRIER);
			assert_ok(trace_writer_put(w, rank, &ev, &err), err);
		}
	assert_ok(trace_writer_commit(w, NULL, NULL, &err), err);
	t = trace_open(path, 0, &err);
	assert_non_null(t);
	for (uint32_t rank = 0; rank < RANKS; rank++)
		for (int i = 0; trace_next(t, rank, &ev, &err) > 0;) {
			double least = pow(8, 2 + i % LEVELS);

			if (ev.op != TRACE_COMPUTE)
				continue;
			assert_true(ev.volume >= least && ev.volume <= 1.2 * least);
			sum -= ev.volume;
			i++;
		}
	/* 200 values of the greatest level, from 32,768 to 1.2 times that: the deviation of their
	 * sum is 0.2 * 32768 / sqrt(12) * sqrt(200) = 2.7e4; three are a hundredth of it. */
	assert_true(fabs(sum) < 8e4);
	trace_close(t);
	folder_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(cycle), cmocka_unit_test(now_and_then), cmocka_unit_test(near),
	    cmocka_unit_test(noise), cmocka_unit_test(middle),       cmocka_unit_test(drawn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
