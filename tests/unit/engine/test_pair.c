/* test_pair.c: what the compiler's vectors lack. */
#include "engine/pair.h"
#include "test.h"

#include <math.h>

static void the_lesser_of_each(void **state)
{
	pair x = pair_least((pair){1, 7}, (pair){2, 3});

	(void)state;
	assert_double_is(x[0], 1);
	assert_double_is(x[1], 3);
	x = pair_least((pair){INFINITY, 0}, (pair){INFINITY, INFINITY});
	assert_true(isinf(x[0]));
	assert_double_is(x[1], 0);
	x = pair_least((pair){NAN, 1}, (pair){5, 5});
	assert_double_is(x[0], 5);
	assert_double_is(x[1], 1);
}

static void a_bit_for_each_equal(void **state)
{
	pair a = pair_load((const double[]){1, INFINITY});

	(void)state;
	assert_int_equal(pair_equal(a, (pair){1, INFINITY}), 3);
	assert_int_equal(pair_equal(a, (pair){1, 2}), 1);
	assert_int_equal(pair_equal(a, (pair){0, INFINITY}), 2);
	assert_int_equal(pair_equal(a, (pair){INFINITY, 1}), 0);
	assert_int_equal(pair_equal((pair){NAN, NAN}, (pair){NAN, NAN}), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_lesser_of_each),
	    cmocka_unit_test(a_bit_for_each_equal),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
