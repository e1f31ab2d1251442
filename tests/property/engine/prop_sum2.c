/* prop_sum2.c: running sums against integers of 128 bits: terms are whole multiples of 2^-40, so
 * that their sum is known exactly, however many are added and taken away. */
#include "engine/sum2.h"

#include "../prop.h"
#include "base/rng.h"

#include <math.h>

enum { TERMS = 20000 };

/* A multiple of 2^-40 below 2^`bits` as such. */
static int64_t term(struct rng *r, int bits)
{
	int64_t v = (int64_t)(rng_u64(r) >> (64 - bits));

	return rng_below(r, 2) ? v : -v;
}

static double real_of(__int128 units)
{
	return ldexp((double)units, -40);
}

static void sums_are_those_of_their_terms(void **state)
{
	struct rng r;

	(void)state;
	for (uint64_t i = 0; i < 20; i++) {
		struct sum2 s = {0, 0};
		__int128 exact = 0;

		rng_init(&r, prop_seed(i), "sum2", 0);
		for (int k = 0; k < TERMS; k++) {
			int64_t v = term(&r, 20 + (int)rng_below(&r, 33));

			exact += v;
			sum2_add(&s, ldexp((double)v, -40));
			assert_close(sum2_value(&s), real_of(exact), 0x1p-52);
		}
	}
}

/* What was added in one order and is taken away in another leaves exactly nothing: large capacities
 * with small parts. */
static void what_is_taken_away_leaves_nothing(void **state)
{
	enum { PARTS = 500 };
	double part[PARTS];
	struct rng r;

	(void)state;
	for (uint64_t i = 0; i < 50; i++) {
		struct sum2 s = {1e9, 0};

		rng_init(&r, prop_seed(i), "away", 0);
		for (int k = 0; k < PARTS; k++) {
			part[k] = ldexp((double)(1 + rng_below(&r, 1 << 30)), -20);
			sum2_add(&s, -part[k]);
		}
		for (int k = PARTS; k > 1; k--) {
			uint64_t at = rng_below(&r, (uint64_t)k);
			double taken = part[at];

			part[at] = part[k - 1];
			sum2_add(&s, taken);
		}
		sum2_add(&s, part[0]);
		assert_double_is(sum2_value(&s), 1e9);
	}
}

/* Two side by side are two, to the last bit. */
static void pairs_are_two_sums(void **state)
{
	struct rng r;

	(void)state;
	for (uint64_t i = 0; i < 20; i++) {
		struct sum2 s[2] = {{0, 0}, {0, 0}};
		struct sum2x2 both = {{0, 0}, {0, 0}};

		rng_init(&r, prop_seed(i), "sum2x2", 0);
		for (int k = 0; k < 1000; k++) {
			pair v = {rng_normal(&r), 1e12 * rng_normal(&r)};

			sum2x2_add(&both, v);
			for (int j = 0; j < 2; j++) {
				sum2_add(&s[j], v[j]);
				assert_double_is(sum2x2_value(&both, j), sum2_value(&s[j]));
			}
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(sums_are_those_of_their_terms),
	    cmocka_unit_test(what_is_taken_away_leaves_nothing),
	    cmocka_unit_test(pairs_are_two_sums),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
