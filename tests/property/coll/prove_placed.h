/* prove_placed.h: the program that proves barriers and broadcasts on several ranks a host, for
 * every second of the algorithms, from number HALF (0, 1) on: both take long. */
#include "prove.h"

static const enum coll_kind kinds[] = {PROVEN_WITH_BCAST};

static void test_placements(void **state)
{
	(void)state;
	assert_int_equal(prove_placements(kinds, sizeof kinds / sizeof *kinds, HALF, 2), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_placements)};
	(void)prove_sizes;
	(void)prove_parameters;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
