/* test_rng.c: the generator against published numbers, and the separation of streams. */
#include "base/rng.h"

#include "test.h"

#include <math.h>

/* The reference implementation from the state 1, 2, 3, 4 (also the test vector of Rust's
 * rand_xoshiro). */
static void reference_numbers(void **state)
{
	static const uint64_t expected[] = {
	    11520, 0, 1509978240, 1215971899390074240u, 1216172134540287360u, 607988272756665600u};
	struct rng r = {{1, 2, 3, 4}};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof expected / sizeof *expected; i++)
		assert_true(rng_u64(&r) == expected[i]);
}

static void streams_are_named(void **state)
{
	struct rng a, b;

	(void)state;
	rng_init(&a, 42, "noise", 7);
	rng_init(&b, 42, "noise", 7);
	assert_true(rng_u64(&a) == rng_u64(&b));
	rng_init(&b, 42, "noise", 8);
	assert_true(rng_u64(&a) != rng_u64(&b));
	rng_init(&a, 42, "noise", 7);
	rng_init(&b, 43, "noise", 7);
	assert_true(rng_u64(&a) != rng_u64(&b));
	rng_init(&a, 42, "noise", 7);
	rng_init(&b, 42, "drift", 7);
	assert_true(rng_u64(&a) != rng_u64(&b));
}

/* 60000 throws of a die: each face within five deviations (sqrt(60000·1/6·5/6) = 91.3) of 10000. */
static void below_is_uniform(void **state)
{
	long faces[6] = {0};
	struct rng r;
	int i;

	(void)state;
	rng_init(&r, 1, "die", 0);
	for (i = 0; i < 60000; i++)
		faces[rng_below(&r, 6)]++;
	for (i = 0; i < 6; i++)
		assert_true(labs(faces[i] - 10000) < 457);
	assert_true(rng_below(&r, 1) == 0);
	assert_true(rng_below(&r, UINT64_MAX) < UINT64_MAX);
}

/* Means within five deviations: sqrt(1/12/n) for the unit, 1/sqrt(n) for the normal; its variance
 * within 5·sqrt(2/n). */
static void moments(void **state)
{
	enum { N = 100000 };
	double unit = 0, mean = 0, square = 0, x;
	struct rng r;
	int i;

	(void)state;
	rng_init(&r, 1, "moments", 0);
	for (i = 0; i < N; i++) {
		x = rng_unit(&r);
		assert_true(x >= 0 && x < 1);
		unit += x / N;
		x = rng_normal(&r);
		mean += x / N;
		square += x * x / N;
	}
	assert_true(fabs(unit - 0.5) < 5 * sqrt(1.0 / 12 / N));
	assert_true(fabs(mean) < 5 / sqrt(N));
	assert_true(fabs(square - 1) < 5 * sqrt(2.0 / N));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(reference_numbers),
	    cmocka_unit_test(streams_are_named),
	    cmocka_unit_test(below_is_uniform),
	    cmocka_unit_test(moments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
