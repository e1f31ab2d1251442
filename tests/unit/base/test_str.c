/* test_str.c: appending, and doubles that read back as themselves. */
#include "base/base.h"

#include "test.h"

#include <math.h>

static void appending(void **state)
{
	struct str s;
	int i;

	(void)state;
	str_init(&s);
	str_puts(&s, "");
	assert_string_equal(s.s, "");
	for (i = 0; i < 1000; i++)
		str_printf(&s, "%d,", i % 10);
	assert_int_equal(s.n, 2000);
	assert_memory_equal(s.s, "0,1,2,3,", 8);
	str_clear(&s);
	str_putc(&s, 'a');
	str_putn(&s, "bcd", 2);
	assert_string_equal(s.s, "abc");
	assert_false(s.failed);
	s.failed = 1; /* memory had run out: nothing more is added, until it begins anew */
	str_puts(&s, "more");
	assert_string_equal(s.s, "abc");
	str_clear(&s);
	str_puts(&s, "anew");
	assert_string_equal(s.s, "anew");
	assert_false(s.failed);
	str_release(&s);
	assert_null(s.s);
}

static const char *shortest(struct str *s, double v)
{
	str_clear(s);
	str_put_double(s, v);
	return s->s;
}

static void doubles_read_back(void **state)
{
	static const double v[] = {0.1,
	                           1.0 / 3,
	                           1e300,
	                           5e-324,
	                           123456.789,
	                           0x1.fffffffffffffp1023,
	                           2.0 / 3 * 1e-9,
	                           1e15,
	                           9007199254740993.0};
	struct str s;
	size_t i;

	(void)state;
	str_init(&s);
	assert_string_equal(shortest(&s, 0.1), "0.1");
	assert_string_equal(shortest(&s, 1000000), "1000000");
	assert_string_equal(shortest(&s, -42), "-42");
	assert_string_equal(shortest(&s, 0), "0");
	assert_true(signbit(strtod(shortest(&s, -0.0), NULL)));
	for (i = 0; i < sizeof v / sizeof *v; i++) {
		assert_double_is(strtod(shortest(&s, v[i]), NULL), v[i]);
		assert_double_is(strtod(shortest(&s, -v[i]), NULL), -v[i]);
	}
	str_release(&s);
}

/* What printf finds with the fewest of 15 to 17 digits that strtod reads back. */
static void doubles_are_the_shortest(void **state)
{
	struct str s;
	struct rng r;
	char want[32];
	uint32_t quick = 0, common = 0;

	(void)state;
	str_init(&s);
	rng_init(&r, 1, "shortest", 0);
	for (int i = 0; i < 50000; i++) {
		double v = rng_unit(&r) * pow(10, (double)rng_below(&r, 20) - 5);
		if (i % 3 == 0)
			v = (double)rng_below(&r, 1000000000) / pow(10, (double)rng_below(&r, 13));
		if (i % 2)
			v = -v;
		if (v == (double)(int64_t)v)
			continue;
		for (int digits = 15; digits <= 17; digits++) {
			snprintf(want, sizeof want, "%.*g", digits, v);
			if (strtod(want, NULL) == v)
				break;
		}
		assert_string_equal(shortest(&s, v), want);
		common += fabs(v) >= 1e-4;
		quick += shortest_format(v, want) > 0;
	}
	printf("%u of %u without printf\n", quick, common);
	assert_true(quick > common / 10 * 9);
	str_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(appending),
	                                   cmocka_unit_test(doubles_read_back),
	                                   cmocka_unit_test(doubles_are_the_shortest)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
