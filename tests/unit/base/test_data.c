/* test_data.c: files that come with the program, in the folder that ORRERY_DATA names: what is
 * there, what is not, and what cannot be looked at, which is not "none". */
#include "base/data.h"

#include "test.h"
#include "tmp.h"

#include <limits.h>

static void three_answers(void **state)
{
	char out[PATH_MAX], expected[PATH_MAX], circle[300];
	struct tmp tmp;
	struct err err;

	(void)state;
	tmp_init(&tmp);
	snprintf(expected, sizeof expected, "%s", tmp_write(&tmp, "here", "x"));
	assert_int_equal(setenv("ORRERY_DATA", tmp.dir, 1), 0);
	assert_ok(data_find("here", out, sizeof out, &err), err);
	assert_string_equal(out, expected);
	assert_fails(data_find("absent", out, sizeof out, &err), err, ERR_INPUT, "there is no");
	snprintf(circle, sizeof circle, "%s/circle", tmp.dir);
	assert_int_equal(symlink("circle", circle), 0);
	assert_fails(data_find("circle", out, sizeof out, &err), err, ERR_INPUT,
	             "Too many levels of symbolic links");
	tmp_release(&tmp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(three_answers)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
