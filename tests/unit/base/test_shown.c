/* test_shown.c: control characters are shown: the ranges of ECMA-48 (C0, DEL, C1), by hand. */
#include "base/shown.h"

#include "test.h"

static void assert_shown(const char *text, int styled, const char *expected)
{
	struct str s;

	str_init(&s);
	str_put_shown(&s, text, strlen(text), styled);
	assert_string_equal(s.s ? s.s : "", expected);
	str_release(&s);
}

static void plain(void **state)
{
	(void)state;
	assert_shown("a line\n\tand another", 0, "a line\n\tand another");
	assert_shown("\xc2\xb1 \xc3\xa9 \xe2\x80\xa6", 0, "\xc2\xb1 \xc3\xa9 \xe2\x80\xa6");
	assert_false(controls_in("a\n\tb\xc2\xa0", 6));
}

static void controls(void **state)
{
	(void)state;
	assert_shown("\x1b[2J\x7f\r", 0, "\\x1b[2J\\x7f\\x0d");
	assert_shown("\xc2\x80\xc2\x9f\xc2\xa0", 0, "\\x80\\x9f\xc2\xa0");
	assert_true(controls_in("ab\xc2\x9b", 4));
	assert_false(controls_in("ab\xc2", 3)); /* half a character is none */
}

static void styles(void **state)
{
	(void)state;
	assert_shown("\x1b[1;31mred\x1b[0m", 1, "\x1b[1;31mred\x1b[0m");
	assert_shown("\x1b[1;31mred", 0, "\\x1b[1;31mred");
	assert_shown("\x1b[2J\x1b]0;t\x07\x1b[", 1, "\\x1b[2J\\x1b]0;t\\x07\\x1b[");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(plain),
	    cmocka_unit_test(controls),
	    cmocka_unit_test(styles),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
