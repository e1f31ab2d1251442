/* test_json.c: commas, nesting, escapes, what JSON cannot say. */
#include "base/json.h"

#include "test.h"

#include <math.h>

static void nesting(void **state)
{
	struct str s;
	struct json j;

	(void)state;
	str_init(&s);
	json_init(&j, &s);
	json_object(&j);
	json_put_double(&j, "simulated_time", 1.5);
	json_key(&j, "ranks");
	json_array(&j);
	json_int(&j, -3);
	json_object(&j);
	json_end(&j);
	json_array(&j);
	json_end(&j);
	json_bool(&j, 1);
	json_string(&j, NULL);
	json_end(&j);
	json_put_int(&j, "messages", INT64_MAX);
	json_end(&j);
	assert_string_equal(s.s, "{\"simulated_time\":1.5,\"ranks\":[-3,{},[],true,null],"
	                         "\"messages\":9223372036854775807}");
	assert_false(s.failed);
	str_release(&s);
}

static const char *quoted(struct str *s, const char *value)
{
	struct json j;

	str_clear(s);
	json_init(&j, s);
	json_string(&j, value);
	return s->s;
}

static void escapes(void **state)
{
	struct str s;

	(void)state;
	str_init(&s);
	assert_string_equal(quoted(&s, ""), "\"\"");
	assert_string_equal(quoted(&s, "a\"b\\c/d"), "\"a\\\"b\\\\c/d\"");
	assert_string_equal(quoted(&s, "\b\t\n\v\f\r\x01\x1f\x7f"),
	                    "\"\\b\\t\\n\\u000b\\f\\r\\u0001\\u001f\\u007f\"");
	assert_string_equal(quoted(&s, "\xc2\x9b"), "\"\\u009b\"");
	assert_string_equal(quoted(&s, "é€😀"), "\"é€😀\"");
	str_release(&s);
}

/* Table 3-7 of the Unicode standard: each bad byte becomes U+FFFD, and what follows survives. */
static void invalid_utf8(void **state)
{
	struct str s;

	(void)state;
	str_init(&s);
	assert_string_equal(quoted(&s, "\xff"
	                               "a"),
	                    "\"\xef\xbf\xbd"
	                    "a\"");
	assert_string_equal(quoted(&s, "\xc3"), "\"\xef\xbf\xbd\"");
	assert_string_equal(quoted(&s, "\xc0\x80"), "\"\xef\xbf\xbd\xef\xbf\xbd\"");
	assert_string_equal(quoted(&s, "\xed\xa0\x80"), "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
	assert_string_equal(quoted(&s, "\xf4\x90\x80\x80"),
	                    "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
	assert_string_equal(quoted(&s, "\xe2\x82"), "\"\xef\xbf\xbd\xef\xbf\xbd\"");
	str_release(&s);
}

static void numbers(void **state)
{
	struct str s;
	struct json j;

	(void)state;
	str_init(&s);
	json_init(&j, &s);
	json_array(&j);
	json_double(&j, 0.1);
	json_double(&j, NAN);
	json_double(&j, -INFINITY);
	json_double(&j, 1e300);
	json_end(&j);
	assert_string_equal(s.s, "[0.1,null,null,1e+300]");
	str_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(nesting),
	    cmocka_unit_test(escapes),
	    cmocka_unit_test(invalid_utf8),
	    cmocka_unit_test(numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
