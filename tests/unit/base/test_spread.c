/* test_spread.c: numbers that consecutive runs have are even, kinds are independent, and the
 * quantiles are those of tables. */
#include "base/spread.h"

#include "base/base.h"

#include "test.h"

#include <math.h>

/* Of a Weyl sequence of n terms each interval of length x holds n x of them, off by a few: here 40
 * terms and quarters, where chance would be off by 2.7 in the root mean square. */
static void runs_are_even(void **state)
{
	(void)state;
	for (uint32_t kind = 0; kind < SPREAD_KINDS; kind++) {
		int quarter[4] = {0};

		assert_close(spread_unit(1, kind), 0.5, 1e-15);
		for (uint64_t seed = 1; seed <= 40; seed++)
			quarter[(int)(4 * spread_unit(seed, kind))]++;
		for (int q = 0; q < 4; q++)
			assert_in_range(quarter[q], 8, 13);
	}
}

/* The second number of kind k is 1/2 plus the root of its prime, modulo 1. */
static void steps_are_roots_of_primes(void **state)
{
	static const int prime[SPREAD_KINDS] = {2,  3,  5,  7,  11, 13, 17, 19,  23,
	                                        29, 31, 37, 41, 43, 47, 53, 211, 401};

	(void)state;
	for (uint32_t kind = 0; kind < SPREAD_KINDS; kind++)
		assert_close(spread_unit(2, kind), fmod(sqrt(prime[kind]) + 0.5, 1), 1e-12);
}

static double correlation(uint32_t a, uint32_t b, uint64_t runs)
{
	double both = 0;

	for (uint64_t seed = 1; seed <= runs; seed++)
		both += (spread_unit(seed, a) - 0.5) * (spread_unit(seed, b) - 0.5);
	return fabs(12 * both / (double)runs);
}

/* Forty runs leave a half at most; what they leave goes away with more of them. */
static void kinds_are_independent(void **state)
{
	(void)state;
	for (uint32_t a = 0; a < SPREAD_KINDS; a++)
		for (uint32_t b = 0; b < a; b++) {
			assert_true(correlation(a, b, 40) < 0.5);
			assert_true(correlation(a, b, 10000) < 0.05);
		}
}

static void quantiles_are_those_of_tables(void **state)
{
	(void)state;
	assert_close(spread_normal(0.975), 1.959963984540054, 1e-9);
	assert_close(spread_normal(0.05), -1.6448536269514722, 1e-9);
	assert_close(spread_normal(0.5) + 1, 1, 1e-9);
	assert_close(spread_t_two(0.975), 4.30265272975, 1e-11);
	assert_close(spread_t_two(0.1), -1.88561808316, 1e-11);
	assert_close(spread_t_two(0.5) + 1, 1, 1e-12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(runs_are_even),
	    cmocka_unit_test(steps_are_roots_of_primes),
	    cmocka_unit_test(kinds_are_independent),
	    cmocka_unit_test(quantiles_are_those_of_tables),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
