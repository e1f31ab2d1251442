/* prove_main.h: the tests of a file that says which `kinds` it proves. */
#ifndef ORRERY_TESTS_COLL_PROVE_MAIN_H
#define ORRERY_TESTS_COLL_PROVE_MAIN_H

static void test_sizes(void **state)
{
	(void)state;
	assert_int_equal(prove_sizes(kinds, sizeof kinds / sizeof *kinds), 0);
}

static void test_placements(void **state)
{
	(void)state;
	assert_int_equal(prove_placements(kinds, sizeof kinds / sizeof *kinds, 0, 1), 0);
}

static void test_parameters(void **state)
{
	(void)state;
	assert_int_equal(prove_parameters(kinds, sizeof kinds / sizeof *kinds), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_sizes),
	                                   cmocka_unit_test(test_placements),
	                                   cmocka_unit_test(test_parameters)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
