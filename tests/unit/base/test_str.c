/* test_str.c: appending, and doubles that read back as themselves. */
#include "base/str.h"

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
	static const double v[] = {0.1,  1.0 / 3,           1e300, 5e-324, 123456.789, 0x1.fffffffffffffp1023, 2.0 / 3 * 1e-9,
	                           1e15, 9007199254740993.0};
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

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(appending), cmocka_unit_test(doubles_read_back)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
