/* Every registered algorithm performs its collective: barriers and broadcasts.
 * On several ranks a host: prop_bcast_placed.c and prop_bcast_placed_more.c. */
#include "prove.h"

static const enum coll_kind kinds[] = {PROVEN_WITH_BCAST};

static void test_sizes(void **state)
{
	(void)state;
	assert_int_equal(prove_sizes(kinds, sizeof kinds / sizeof *kinds), 0);
}

static void test_parameters(void **state)
{
	(void)state;
	assert_int_equal(prove_parameters(kinds, sizeof kinds / sizeof *kinds), 0);
}

/* An algorithm of a kind that no test proves would be registered unproven. Neighbourhood
 * collectives: prop_neighbor.c. */
static void test_all_registered(void **state)
{
	static const enum coll_kind proven[] = {PROVEN_WITH_BCAST,     PROVEN_WITH_REDUCE,
	                                        PROVEN_WITH_ALLTOALL,  PROVEN_WITH_GATHER,
	                                        PROVEN_WITH_ALLGATHER, PROVEN_WITH_ALLGATHERV,
	                                        PROVEN_WITH_ALLREDUCE, PROVEN_WITH_SCAN};
	(void)state;
	for (const struct coll_alg *const *alg = coll_algs; *alg; alg++) {
		int found = (*alg)->kind > COLL_EXSCAN;
		for (size_t i = 0; i < sizeof proven / sizeof *proven; i++)
			found |= (*alg)->kind == proven[i];
		if (!found)
			fail_msg("no test proves the algorithms of %s",
			         coll_kind_name((*alg)->kind));
	}
}

int main(void)
{
	(void)prove_placements;
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_registered),
	                                   cmocka_unit_test(test_sizes),
	                                   cmocka_unit_test(test_parameters)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
