/* test_units.c: every unit of SimGrid's tables, the traps of case, and what is said about slips. */
#include "base/units.h"

#include "test.h"

#include <math.h>

static const struct {
	const char *text;
	enum unit_kind kind;
	double value;
} good[] = {
    {"10Gbps", UNIT_BANDWIDTH, 1.25e9},
    {"125MBps", UNIT_BANDWIDTH, 125e6},
    {"1kBps", UNIT_BANDWIDTH, 1000},
    {"1KiBps", UNIT_BANDWIDTH, 1024},
    {"8Kibps", UNIT_BANDWIDTH, 1024},
    {"1.5", UNIT_BANDWIDTH, 1.5},
    {"1EBps", UNIT_BANDWIDTH, 1e18},
    {"1e3EBps", UNIT_BANDWIDTH, 1e21},
    {"1E3Bps", UNIT_BANDWIDTH, 1000},
    {"2YiBps", UNIT_BANDWIDTH, 0x1p81},
    {"50us", UNIT_TIME, 50e-6},
    {"1m", UNIT_TIME, 60},
    {"2h", UNIT_TIME, 7200},
    {"1w", UNIT_TIME, 604800},
    {"1d", UNIT_TIME, 86400},
    {"-1ms", UNIT_TIME, -1e-3},
    {"3ps", UNIT_TIME, 3e-12},
    {"0", UNIT_TIME, 0},
    {"1Gf", UNIT_SPEED, 1e9},
    {"1gigaflops", UNIT_SPEED, 1e9},
    {"5flops", UNIT_SPEED, 5},
    {"2zetaflops", UNIT_SPEED, 2e21},
    {"2zettaflops", UNIT_SPEED, 2e21},
    {"1Zf", UNIT_SPEED, 1e21},
    {"64KiB", UNIT_SIZE, 65536},
    {"8b", UNIT_SIZE, 1},
    {"1.5e2MB", UNIT_SIZE, 150e6},
};

static void every_unit(void **state)
{
	struct err err;
	size_t i;
	double v;

	(void)state;
	for (i = 0; i < sizeof good / sizeof *good; i++) {
		assert_ok(units_parse(good[i].text, good[i].kind, &v, &err), err);
		assert_double_is(v, good[i].value);
	}
}

/* The double below: 50 times the double nearest to 1e-6, rounded. Bytes and flops are products in
 * any case. */
static void as_simgrid_rounds(void **state)
{
	struct err err;
	double exact, product;

	(void)state;
	assert_ok(units_parse("50us", UNIT_TIME, &exact, &err), err);
	assert_ok(units_parse_product("50us", UNIT_TIME, &product, &err), err);
	assert_true(exact == 50e-6);
	assert_true(product == nextafter(50e-6, 0));
	assert_ok(units_parse_product("2m", UNIT_TIME, &product, &err), err);
	assert_true(product == 120);
}

static void refused(void **state)
{
	static const char *const bad[] = {"",          "Gbps", "1 Gbps", "1Gbps ", "1GBPS",
	                                  "1kiBps",    "0x10", "inf",    "nan",    "1e999",
	                                  "1e300YBps", "--1",  "1.2.3",  "1m"};
	struct err err;
	double v = 42;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof bad / sizeof *bad; i++) {
		assert_int_equal(units_parse(bad[i], UNIT_BANDWIDTH, &v, &err), -1);
		assert_int_equal(err.kind, ERR_INPUT);
	}
	assert_double_is(v, 42);
	assert_int_equal(units_parse("1M", UNIT_TIME, &v, NULL), -1);
}

/* The slip is named, and what to write instead. */
static void common_slips(void **state)
{
	struct err err;
	double v;

	(void)state;
	assert_fails(units_parse("12KBps", UNIT_BANDWIDTH, &v, &err), err, ERR_INPUT,
	             "did you mean \"12kBps\"");
	assert_fails(units_parse("1e400GBps", UNIT_BANDWIDTH, &v, &err), err, ERR_INPUT,
	             "it is too large");
	assert_fails(units_parse("1.4.5e400", UNIT_BANDWIDTH, &v, &err), err, ERR_INPUT,
	             "a number and a unit");
	assert_fails(units_parse("10gbps", UNIT_BANDWIDTH, &v, &err), err, ERR_INPUT,
	             "did you mean \"10Gbps\""); /* not bytes: that is 8 times as much */
	assert_fails(units_parse("10gBPS", UNIT_BANDWIDTH, &v, &err), err, ERR_INPUT,
	             "did you mean \"10GBps\"");
	assert_fails(units_parse("3GF", UNIT_SPEED, &v, &err), err, ERR_INPUT,
	             "did you mean \"3Gf\"");
	assert_fails(units_parse("3GFlops", UNIT_SPEED, &v, &err), err, ERR_INPUT,
	             "unknown unit \"GFlops\"");
	assert_fails(units_parse("10parsecs", UNIT_TIME, &v, &err), err, ERR_INPUT,
	             "w d h m s ms us ns ps");
	assert_fails(units_parse("fast", UNIT_SPEED, &v, &err), err, ERR_INPUT,
	             "a number and a unit");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_unit), cmocka_unit_test(refused),
	                                   cmocka_unit_test(common_slips),
	                                   cmocka_unit_test(as_simgrid_rounds)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
