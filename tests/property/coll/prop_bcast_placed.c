/* Every registered algorithm performs its collective: barriers and broadcasts on several ranks a
 * host. Every second of the algorithms; the others: prop_bcast_placed_more.c. */
#include "prove.h"

static const enum coll_kind kinds[] = {PROVEN_WITH_BCAST};

static void test_placements(void **state)
{
	(void)state;
	assert_int_equal(prove_placements(kinds, sizeof kinds / sizeof *kinds, 0, 2), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_placements)};
	(void)prove_sizes;
	(void)prove_parameters;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
