/* test_factor.c: sections of factor and overhead tables (SimGrid's code: a section begins after its
 * threshold). */
#include "test.h"

#include "net/factor.h"

static struct factor_table parsed(const char *text)
{
	struct factor_table t;
	struct err err;

	assert_ok(factor_table_parse(&t, text, &err), err);
	return t;
}

static void sections(void **state)
{
	struct factor_table t = parsed("65472:11.6436;15424:3.48845; 0:2 ;");

	(void)state;
	assert_int_equal(t.n, 3);
	assert_double_is(factor_lookup(&t, 0, 1), 1); /* below the first section */
	assert_double_is(factor_lookup(&t, 1, 1), 2);
	assert_double_is(factor_lookup(&t, 15424, 1), 2);
	assert_double_is(factor_lookup(&t, 15425, 1), 3.48845);
	assert_double_is(factor_lookup(&t, 65472, 1), 3.48845);
	assert_double_is(factor_lookup(&t, 65473, 1), 11.6436);
	factor_table_release(&t);
	t = parsed("1e3:7;0:2");
	assert_double_is(factor_lookup(&t, 1000, 1), 2);
	assert_double_is(factor_lookup(&t, 1001, 1), 7);
	factor_table_release(&t);
}

static void constants(void **state)
{
	struct factor_table t = parsed("0.97");

	(void)state;
	assert_double_is(factor_lookup(&t, 0, 1), 0.97);
	assert_double_is(factor_lookup(&t, 1e12, 1), 0.97);
	factor_table_release(&t);
}

/* 100 bytes and less: nothing; in compat the first section. Then base + per byte; values may have
 * units of time; more fields are ignored. */
static void overheads(void **state)
{
	struct factor_table t = parsed("100:1us:2e-9:7:8;1000:5e-6");

	(void)state;
	assert_double_is(overhead_lookup(&t, 100, 0), 0);
	assert_double_is(overhead_lookup(&t, 100, 1), 1e-6 + 2e-9 * 100);
	assert_double_is(overhead_lookup(&t, 1000, 0), 1e-6 + 2e-9 * 1000);
	assert_double_is(overhead_lookup(&t, 1001, 0), 5e-6);
	factor_table_release(&t);
	t = parsed("0:1us:2e-9;1000:5e-6"); /* from 0 on: a message without bytes, too */
	assert_double_is(overhead_lookup(&t, 0, 0), 1e-6);
	assert_double_is(overhead_lookup(&t, 10, 0), 1e-6 + 2e-9 * 10);
	factor_table_release(&t);
}

static void mistakes(void **state)
{
	struct factor_table t;
	struct err err;

	(void)state;
	assert_fails(factor_table_parse(&t, "1:x", &err), err, ERR_INPUT, "x");
	assert_fails(factor_table_parse(&t, "1.5:2", &err), err, ERR_INPUT,
	             "is not a section size:value");
	assert_fails(factor_table_parse(&t, "1:2;7", &err), err, ERR_INPUT,
	             "\"7\" is not a section");
	assert_fails(factor_table_parse(&t, ";;", &err), err, ERR_INPUT, "no section");
	assert_fails(factor_table_parse(&t, "1:", &err), err, ERR_INPUT, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(sections), cmocka_unit_test(constants),
	                                   cmocka_unit_test(overheads), cmocka_unit_test(mistakes)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
