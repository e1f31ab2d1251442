/* test_there.c: "nothing is there" beside "that cannot be known". */
#include "base/base.h"

#include "test.h"
#include "tmp.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static void kinds(void **state)
{
	struct tmp tmp;
	struct stat st;
	char file[256], none[256], through[300];
	struct err err;
	DIR *d;

	(void)state;
	tmp_init(&tmp);
	snprintf(file, sizeof file, "%s/file", tmp.dir);
	snprintf(none, sizeof none, "%s/none", tmp.dir);
	snprintf(through, sizeof through, "%s/below", file); /* ENOTDIR */
	assert_int_equal(output_file(file, "abc", 3, &err), 0);
	assert_int_equal(there_stat(file, &st, &err), 1);
	assert_int_equal(st.st_size, 3);
	assert_int_equal(there_is(file, &err), 1);
	assert_int_equal(there_is_file(file, &err), 1);
	assert_int_equal(there_is_folder(file, &err), 0);
	assert_int_equal(there_is_folder(tmp.dir, &err), 1);
	assert_int_equal(there_is_file(tmp.dir, &err), 0);
	assert_int_equal(there_is(none, &err), 0);
	assert_int_equal(there_is(through, &err), 0);
	assert_int_equal(there_open_folder(none, &d, &err), 0);
	assert_int_equal(there_open_folder(file, &d, &err), 0);
	assert_int_equal(there_open_folder(tmp.dir, &d, &err), 1);
	closedir(d);
	unlink(file);
	tmp_release(&tmp);
}

/* Links in a circle, and names that are too long: nobody knows what they lead to. */
static void unknown(void **state)
{
	struct tmp tmp;
	char circle[256], text[600];
	struct err err;
	DIR *d;

	(void)state;
	tmp_init(&tmp);
	snprintf(circle, sizeof circle, "%s/circle", tmp.dir);
	assert_int_equal(symlink("circle", circle), 0);
	snprintf(text, sizeof text, "cannot look at %s: %s", circle, strerror(ELOOP));
	assert_int_equal(there_is(circle, &err), -1);
	assert_string_equal(err.text, text);
	assert_int_equal(err.number, ELOOP);
	assert_int_equal(there_is_file(circle, &err), -1);
	assert_int_equal(there_is_folder(circle, &err), -1);
	assert_int_equal(there_open_folder(circle, &d, &err), -1);
	memset(text, 'x', 300); /* NAME_MAX is 255 */
	text[300] = '\0';
	assert_int_equal(there_is(text, &err), -1);
	assert_int_equal(err.number, ENAMETOOLONG);
	unlink(circle);
	tmp_release(&tmp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(kinds), cmocka_unit_test(unknown)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
