/* test_text_put.c: numbers to text. Doubles read back as the same bits, and no shorter decimal
 * does: "%.*g" with one digit less differs. */
#include "unit/trace/trace_test.h"

#include "base/rng.h"
#include "trace/text/text_put.h"

#include <float.h>
#include <math.h>

static const char *put(double v)
{
	static char out[64];
	struct str s;
	struct text t;

	str_init(&s);
	text_init(&t, &s);
	text_double(&t, v);
	text_flush(&t);
	snprintf(out, sizeof out, "%s", s.s);
	str_release(&s);
	return out;
}

static const char *put_int(int64_t v)
{
	static char out[64];
	struct str s;
	struct text t;

	str_init(&s);
	text_init(&t, &s);
	text_i64(&t, v);
	text_flush(&t);
	snprintf(out, sizeof out, "%s", s.s);
	str_release(&s);
	return out;
}

static void integers(void **state)
{
	(void)state;
	assert_string_equal(put_int(0), "0");
	assert_string_equal(put_int(-1), "-1");
	assert_string_equal(put_int(99), "99");
	assert_string_equal(put_int(100), "100");
	assert_string_equal(put_int(INT64_MAX), "9223372036854775807");
	assert_string_equal(put_int(INT64_MIN), "-9223372036854775808");
}

static void doubles(void **state)
{
	(void)state;
	assert_string_equal(put(0), "0");
	assert_string_equal(put(0.1), "0.1");
	assert_string_equal(put(1e6), "1000000");
	assert_string_equal(put(12345678901234.5), "12345678901234.5");
	assert_string_equal(put(0x1p53 - 1), "9007199254740991");
	assert_string_equal(put(0.001), "0.001");
	assert_string_equal(put(1.25e-5), "125e-7");
	assert_string_equal(put(1e-9), "1e-9");
	assert_string_equal(put(0.3), "0.3");
	assert_string_equal(put(0.1 + 0.2), "0.30000000000000004");
	assert_string_equal(put(1.0 / 3), "0.3333333333333333");
	assert_string_equal(put(-2.5), "-2.5");
	assert_string_equal(put(NAN), "0"); /* a volume that is no number is none */
	assert_string_equal(put(INFINITY), "0");
}

static size_t digits_of(const char *text)
{
	size_t n = 0;
	int seen = 0;

	for (; *text && *text != 'e'; text++) {
		seen |= *text >= '1' && *text <= '9';
		n += seen && *text != '.';
	}
	return n;
}

/* Shortest by exhaustion over printf's digits. */
static int fewest_digits(double v)
{
	char buf[40];

	for (int n = 1;; n++) {
		snprintf(buf, sizeof buf, "%.*e", n - 1, v);
		if (strtod(buf, NULL) == v)
			return n;
	}
}

static void check(double v)
{
	const char *text = put(v);

	if (strtod(text, NULL) != v)
		fail_msg("%.17g was written %s", v, text);
	if (v < 0x1p53 && v >= DBL_MIN && v != floor(v) && (int)digits_of(text) != fewest_digits(v))
		fail_msg("%.17g was written %s, %d digits are enough", v, text, fewest_digits(v));
}

static void random_doubles_read_back(void **state)
{
	struct rng r;

	(void)state;
	rng_init(&r, 1, "text_put", 0);
	for (int i = 0; i < 20000; i++) {
		check((double)rng_below(&r, 1000000000) / 1e9); /* durations: nanoseconds */
		check(rng_unit(&r));
		check(ldexp(rng_unit(&r), (int)rng_below(&r, 120) - 60));
		check(ldexp(rng_unit(&r), (int)rng_below(&r, 2000) - 1000));
		check((double)rng_u64(&r));
	}
	check(DBL_MIN);
	check(DBL_MAX);
	check(5e-324);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(integers),
	    cmocka_unit_test(doubles),
	    cmocka_unit_test(random_doubles_read_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
