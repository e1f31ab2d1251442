/* test_num.c: strict numbers. strtod is the oracle for values; what must be refused is listed by
 * hand. */
#include "base/num.h"

#include "test.h"

#include <math.h>

static int as_i64(const char *s, int64_t *out)
{
	return num_parse_i64(s, strlen(s), out);
}

static int as_count(const char *s, int64_t *out)
{
	return num_parse_count(s, strlen(s), out);
}

static int as_double(const char *s, double *out)
{
	return num_parse_double(s, strlen(s), out);
}

static void integers(void **state)
{
	int64_t v = 0;

	(void)state;
	assert_int_equal(as_i64("0", &v), 0);
	assert_true(v == 0);
	assert_int_equal(as_i64("-9223372036854775808", &v), 0);
	assert_true(v == INT64_MIN);
	assert_int_equal(as_i64("+9223372036854775807", &v), 0);
	assert_true(v == INT64_MAX);
	assert_int_equal(as_i64("000123", &v), 0);
	assert_true(v == 123);
}

static void refused_integers(void **state)
{
	static const char *const bad[] = {"",
	                                  "-",
	                                  "+",
	                                  " 1",
	                                  "1 ",
	                                  "1.0",
	                                  "1e3",
	                                  "0x10",
	                                  "9223372036854775808",
	                                  "-9223372036854775809",
	                                  "99999999999999999999",
	                                  "--1",
	                                  "1,000"};
	int64_t v = 42;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_int_equal(as_i64(bad[i], &v), -1);
	assert_true(v == 42);
}

static void counts(void **state)
{
	int64_t v = 0;

	(void)state;
	assert_int_equal(as_count("1e6", &v), 0);
	assert_true(v == 1000000);
	assert_int_equal(as_count("12.0", &v), 0);
	assert_true(v == 12);
	assert_int_equal(as_count("12.9", &v), -1); /* nothing is cut off */
	assert_int_equal(as_count("-0.9", &v), -1);
	assert_int_equal(as_count("9007199254740993", &v),
	                 0); /* 2^53 + 1: exact, not through a double */
	assert_true(v == 9007199254740993);
	assert_int_equal(as_count("1e19", &v), -1);
	assert_int_equal(as_count("9223372036854775808", &v), -1);
	assert_int_equal(as_count("0x10", &v), -1);
	assert_int_equal(as_count("nan", &v), -1);
}

static void doubles(void **state)
{
	static const char *const good[] = {"0",
	                                   "-0",
	                                   "1",
	                                   "1.",
	                                   ".5",
	                                   "-1.25e-3",
	                                   "1E6",
	                                   "+7e+2",
	                                   "0.1",
	                                   "3.14159265358979323846",
	                                   "123456789012345678901234567890",
	                                   "1e22",
	                                   "1e23",
	                                   "9007199254740993",
	                                   "9007199254740992",
	                                   "1.7976931348623157e308",
	                                   "4.9e-324",
	                                   "1e-400",
	                                   "0e999",
	                                   "0.000000000000000000000000000012",
	                                   "8.5e-9",
	                                   "1234567.891",
	                                   "2.2250738585072011e-308",
	                                   "0000000000000000000000001.5"};
	size_t i;
	double v;

	(void)state;
	for (i = 0; i < sizeof good / sizeof *good; i++) {
		assert_int_equal(as_double(good[i], &v), 0);
		assert_double_is(v, strtod(good[i], NULL));
		assert_int_equal(!!signbit(v), good[i][0] == '-');
	}
}

static void refused_doubles(void **state)
{
	static const char *const bad[] = {"",      ".",     "-",   "e5",    "1e",
	                                  "1e+",   "0x1p3", "inf", "-inf",  "nan",
	                                  "1e309", " 1",    "1 ",  "1.2.3", "1,5"};
	char longer[600];
	double v = 42;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_int_equal(as_double(bad[i], &v), -1);
	memset(longer, '1', sizeof longer);
	assert_int_equal(num_parse_double(longer, sizeof longer, &v), -1);
	assert_double_is(v, 42);
}

/* A slice: what follows it must not be looked at. */
static void slices(void **state)
{
	int64_t i = 0;
	double d = 0;

	(void)state;
	assert_int_equal(num_parse_i64("123456", 3, &i), 0);
	assert_true(i == 123);
	assert_int_equal(num_parse_double("1.5e99", 3, &d), 0);
	assert_double_is(d, 1.5);
}

/* One limit for every parser: 511 bytes, of which all but one may be zeros. */
static void lengths(void **state)
{
	char text[513];
	int64_t i = 0;
	double d = 0;

	(void)state;
	memset(text, '0', sizeof text);
	text[510] = '7';
	assert_int_equal(num_parse_i64(text, 511, &i), 0);
	assert_int_equal(num_parse_double(text, 511, &d), 0);
	assert_true(i == 7 && d == 7);
	assert_int_equal(num_parse_count(text, 511, &i), 0);
	assert_int_equal(num_parse_i64(text, 512, &i), -1);
	assert_int_equal(num_parse_double(text, 512, &d), -1);
	assert_int_equal(num_parse_count(text, 512, &i), -1);
	text[512] = '\0';
	assert_int_equal(num_take_digits(text, &i), 0);
	assert_int_equal(num_take_digits(text + 1, &i), 511);
	assert_true(i == 70);
}

/* Digits alone are taken: no sign, no blank, and none of a number out of range. */
static void digits_taken(void **state)
{
	int64_t i = 42;

	(void)state;
	assert_int_equal(num_take_digits("8x4", &i), 1);
	assert_true(i == 8);
	assert_int_equal(num_take_digits("9223372036854775807..", &i), 19);
	assert_true(i == INT64_MAX);
	i = 42;
	assert_int_equal(num_take_digits("9223372036854775808", &i), 0);
	assert_int_equal(num_take_digits("+1", &i), 0);
	assert_int_equal(num_take_digits("-1", &i), 0);
	assert_int_equal(num_take_digits(" 1", &i), 0);
	assert_int_equal(num_take_digits("", &i), 0);
	assert_true(i == 42);
}

/* Random decimals of 1 to 20 digits and exponents -40 to 40: bit for bit what strtod says. */
static void against_strtod(void **state)
{
	uint64_t x = 88172645463325252u;
	char text[64];
	double v;
	int i;

	(void)state;
	for (i = 0; i < 20000; i++) {
		x ^= x << 13, x ^= x >> 7, x ^= x << 17;
		snprintf(text, sizeof text, "%llu.%llue%d", (unsigned long long)(x >> (x % 64)),
		         (unsigned long long)(x % 1000), (int)(x >> 20) % 41);
		assert_int_equal(as_double(text, &v), 0);
		assert_double_is(v, strtod(text, NULL));
	}
}

static void for_people(void **state)
{
	char s[32];

	(void)state;
	fmt_si(s, sizeof s, 12.3e6, "B");
	assert_string_equal(s, "12.3 MB");
	fmt_si(s, sizeof s, 1.25e9, "b/s");
	assert_string_equal(s, "1.25 Gb/s");
	fmt_si(s, sizeof s, 999.6, "B"); /* not "1e+03 B" */
	assert_string_equal(s, "1 kB");
	fmt_si(s, sizeof s, 0, "B");
	assert_string_equal(s, "0 B");
	fmt_seconds(s, sizeof s, 12.346e-6);
	assert_string_equal(s, "12.35 us");
	fmt_seconds(s, sizeof s, 1.2034);
	assert_string_equal(s, "1.203 s");
	fmt_seconds(s, sizeof s, 0.999999);
	assert_string_equal(s, "1 s");
	fmt_seconds(s, sizeof s, 86400);
	assert_string_equal(s, "86400 s");
	fmt_seconds(s, sizeof s, 0);
	assert_string_equal(s, "0 s");
}

/* Of bases other than ten: what C says of its constants, and of %li. */
static void other_bases(void **state)
{
	uint64_t u = 7;
	int64_t i = 7;

	(void)state;
	assert_int_equal(num_take_hex("11f3 rest", &u), 4);
	assert_true(u == 0x11f3);
	assert_int_equal(num_take_hex("FFFFffffFFFFffff", &u), 16);
	assert_true(u == UINT64_MAX);
	assert_int_equal(num_take_hex("10000000000000000", &u), 0);
	assert_int_equal(num_take_hex("xyz", &u), 0);
	assert_true(u == UINT64_MAX); /* outputs are set only on success */
	assert_int_equal(num_take_as_c("0x10#", &i), 4);
	assert_true(i == 16);
	assert_int_equal(num_take_as_c("010", &i), 3);
	assert_true(i == 8);
	assert_int_equal(num_take_as_c("-12 ", &i), 3);
	assert_true(i == -12);
	assert_int_equal(num_take_as_c("0", &i), 1);
	assert_true(i == 0);
	assert_int_equal(num_take_as_c("0x", &i), 1); /* the zero */
	assert_int_equal(num_take_as_c("08", &i), 1);
	assert_int_equal(num_take_as_c("9223372036854775808", &i), 0);
	assert_int_equal(num_take_as_c("", &i), 0);
	assert_int_equal(num_take_as_c("-", &i), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(integers),        cmocka_unit_test(refused_integers),
	    cmocka_unit_test(counts),          cmocka_unit_test(doubles),
	    cmocka_unit_test(refused_doubles), cmocka_unit_test(slices),
	    cmocka_unit_test(lengths),         cmocka_unit_test(digits_taken),
	    cmocka_unit_test(against_strtod),  cmocka_unit_test(for_people),
	    cmocka_unit_test(other_bases),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
