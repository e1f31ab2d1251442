/* test_err.c: wording, places, cutting of long texts. */
#include "test.h"

#include <errno.h>

static void set_and_kind(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(err_set(&err, ERR_PROGRAM, "rank %d waits", 3), -1);
	assert_int_equal(err.kind, ERR_PROGRAM);
	assert_string_equal(err.text, "rank 3 waits");
	assert_int_equal(err_set(NULL, ERR_INPUT, "dropped"), -1);
	err_append(NULL, "dropped");
}

static void places(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(err_at(&err, "a.xml", 3, 7, "no %s", "speed"), -1);
	assert_string_equal(err.text, "a.xml:3:7: no speed");
	assert_int_equal(err.kind, ERR_INPUT);
	err_at(&err, "a.xml", 3, 0, "x");
	assert_string_equal(err.text, "a.xml:3: x");
	err_at(&err, "a.xml", 0, 0, "x");
	assert_string_equal(err.text, "a.xml: x");
}

/* The usual way to add a place to an error worded without one. */
static void rewording_itself(void **state)
{
	struct err err;

	(void)state;
	err_set(&err, ERR_INPUT, "not a number");
	err_at(&err, "f", 1, 2, "%s", err.text);
	assert_string_equal(err.text, "f:1:2: not a number");
}

static void system_errors(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(err_sys(&err, ENOENT, "cannot open %s", "f"), -1);
	assert_string_equal(err.text, "cannot open f: No such file or directory");
	assert_int_equal(err.kind, ERR_INPUT);
	for (int i = 0; i < 3; i++) {
		err_sys(&err, (const int[]){EACCES, EROFS, ENOTDIR}[i], "cannot write %s", "f");
		assert_int_equal(err.kind, ERR_INPUT);
	}
	err_sys(&err, ENOSPC, "cannot write %s", "f");
	assert_int_equal(err.kind, ERR_LIMIT);
	err_nomem(&err, "flows", 123);
	assert_int_equal(err.kind, ERR_LIMIT);
	assert_non_null(strstr(err.text, "123 bytes wanted for flows"));
}

static void long_texts_end_in_an_ellipsis(void **state)
{
	static char text[2 * ERR_TEXT_MAX];
	struct err err;
	size_t n;
	int shift, i;

	(void)state;
	for (shift = 0; shift < 3;
	     shift++) { /* two-byte characters: the cut must not split one, wherever they fall */
		memset(text, 'x', (size_t)shift);
		for (i = shift; i + 2 < (int)sizeof text; i += 2)
			memcpy(text + i, "é", 2);
		err_set(&err, ERR_INPUT, "%s", text);
		n = strlen(err.text);
		assert_true(n < ERR_TEXT_MAX && n > ERR_TEXT_MAX - 6);
		assert_string_equal(err.text + n - 3, "…");
		assert_int_equal((n - 3 - (size_t)shift) % 2, 0);
		err_append(&err, "more");
		assert_true(strlen(err.text) < ERR_TEXT_MAX);
	}
}

static void appending(void **state)
{
	struct err err;

	(void)state;
	err_set(&err, ERR_PROGRAM, "deadlock");
	err_append(&err, "\n  rank %d waits for rank %d", 0, 1);
	assert_string_equal(err.text, "deadlock\n  rank 0 waits for rank 1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(set_and_kind),
	    cmocka_unit_test(places),
	    cmocka_unit_test(rewording_itself),
	    cmocka_unit_test(system_errors),
	    cmocka_unit_test(long_texts_end_in_an_ellipsis),
	    cmocka_unit_test(appending),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
