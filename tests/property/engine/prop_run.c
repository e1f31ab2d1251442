/* prop_run.c: whole simulations beside the slow one (both_runs.h). */
#include "both_runs.h"

static void runs_are_those_of_the_slow_simulation(void **state)
{
	(void)state;
	scripts_run(0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(runs_are_those_of_the_slow_simulation)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
