/* prop_compat.c: whole simulations with SimGrid's sharing beside the slow one (both_runs.h), where
 * it must be right: all flows have their first resource in common, so that each change marks all
 * that is joined, and none stays without capacity. Then only SimGrid's rule for FATPIPE resources
 * differs, which the oracle knows, and its tolerances. */
#include "both_runs.h"

static void runs_are_right_where_all_is_joined(void **state)
{
	(void)state;
	scripts_run(1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(runs_are_right_where_all_is_joined)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
