/* test_radical.c: number lists of clusters. */
#include "lib.h"

#include "platform/platform_int.h"

static void ranges_and_numbers_in_order(void **state)
{
	static const uint32_t want[] = {0, 1, 2, 12, 20, 21, 3};
	struct radical r;
	struct err err;
	(void)state;
	assert_ok(radical_parse("0-2,12, 20 - 21,3", &r, &err), err);
	assert_int_equal(r.count, 7);
	for (uint32_t i = 0; i < 7; i++)
		assert_int_equal(radical_number(&r, i), want[i]);
	radical_release(&r);
}

static void numbers_that_follow_each_other_are_one_range(void **state)
{
	struct radical r;
	struct err err;
	(void)state;
	assert_ok(radical_parse("5,6,7-9,11", &r, &err), err);
	assert_int_equal(r.n, 2);
	radical_release(&r);
}

static void malformed(const char *text, const char *part)
{
	struct radical r;
	struct err err;
	assert_fails(radical_parse(text, &r, &err), err, ERR_INPUT, part);
}

static void malformed_lists_are_refused(void **state)
{
	(void)state;
	malformed("", "at character 1");
	malformed("1;2", "separated by commas");
	malformed("1,", "at character 3");
	malformed("a-3", "at character 1");
	malformed("1-2-3", "at character 4");
	malformed("-1", "at character 1");
	malformed("0\xe2\x88\x92"
	          "255",
	          "at character 2: ");
	malformed("0\xe2\x88\x92"
	          "255",
	          "no '-' of the keyboard");
	malformed("9-3", "3 is below 9");
	malformed("0-2147483648", "'0-2147483648' at character 3: at most 2147483647");
	malformed("99999999999999999999", "number too large in radical");
	malformed("5 6", "malformed radical '5 6' at character 3");
	malformed("0-2000000000", "more than");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(ranges_and_numbers_in_order),
	    cmocka_unit_test(numbers_that_follow_each_other_are_one_range),
	    cmocka_unit_test(malformed_lists_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
