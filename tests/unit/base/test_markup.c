/* test_markup.c: what HTML and XML give a meaning to is written as an entity (XML 1.0, 2.4 and
 * 4.6), the rest as it is. */
#include "test.h"

#include "base/markup.h"

static void entities(void **state)
{
	struct str s;

	(void)state;
	str_init(&s);
	str_puts(&s, "before ");
	str_put_markup(&s, "a<b> & \"c\" 'd' \xc3\xa9\t\n\x01\x1f&amp;");
	assert_string_equal(s.s, "before a&lt;b&gt; &amp; &quot;c&quot; 'd' \xc3\xa9\t\n&amp;amp;");
	str_put_markup(&s, "");
	str_clear(&s);
	str_put_markup(&s, "a\xc3"); /* cut in the middle of an e with an accent */
	assert_string_equal(s.s, "a\xef\xbf\xbd");
	str_clear(&s);
	str_put_markup(&s, "\xe9t\xe9\xef\xbf\xbe\xef\xbf\xbd"); /* Latin-1; U+FFFE, U+FFFD */
	assert_string_equal(s.s, "\xef\xbf\xbdt\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	assert_int_equal(s.n, strlen(s.s));
	str_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(entities)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
