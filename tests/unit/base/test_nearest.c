/* test_nearest.c: distances worked by hand. */
#include "base/nearest.h"

#include "test.h"

static void distances(void **state)
{
	(void)state;
	assert_int_equal(name_distance("", ""), 0);
	assert_int_equal(name_distance("", "abc"), 3);
	assert_int_equal(name_distance("kitten", "sitting"), 3); /* the usual example */
	assert_int_equal(name_distance("graphene", "grpahene"), 1);
	assert_int_equal(name_distance("weight_s", "weight-S"), 0);
}

static void nearest_name(void **state)
{
	struct nearest n;

	(void)state;
	nearest_init(&n, "graphen");
	nearest_offer(&n, "bordereau");
	nearest_offer(&n, "graphene");
	nearest_offer(&n, "griffon");
	assert_string_equal(n.best, "graphene");
	nearest_init(&n, "ompi4"); /* one letter from each */
	nearest_offer(&n, "ompi");
	nearest_offer(&n, "ompi-4");
	assert_string_equal(n.best, "ompi-4");
	assert_int_equal(n.distance, 0);
	nearest_init(&n, "mpich_4");
	nearest_offer(&n, "mpich4");
	nearest_offer(&n, "mpich");
	assert_string_equal(n.best, "mpich4");
	nearest_init(&n, "cal"); /* what it begins, before what has a letter of it */
	nearest_offer(&n, "cc");
	nearest_offer(&n, "coll");
	nearest_offer(&n, "calibrate");
	assert_string_equal(n.best, "calibrate");
	nearest_init(&n, "rn");
	nearest_offer(&n, "run");
	assert_string_equal(n.best, "run");
	nearest_init(&n, "foo"); /* two letters of three are not it */
	nearest_offer(&n, "fc");
	assert_null(n.best);
	nearest_init(&n, "xyz");
	nearest_offer(&n, "graphene");
	assert_null(n.best);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(distances),
	                                   cmocka_unit_test(nearest_name)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
