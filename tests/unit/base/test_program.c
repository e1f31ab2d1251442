/* test_program.c: the search of PATH, as POSIX says (XBD 8.3, XCU 2.9.1.1). */
#include "base/program.h"

#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static void file_make(const char *path, mode_t mode)
{
	int fd = open(path, O_CREAT | O_WRONLY, mode);

	assert_true(fd >= 0);
	close(fd);
}

/* In a folder with a/tool (a program), b/tool (none), c/tool (a folder), here (a program). */
static int folders_make(void **state)
{
	static char name[] = "/tmp/orrery-program-XXXXXX";

	*state = name;
	if (!mkdtemp(name) || chdir(name) < 0 || mkdir("a", 0700) < 0 || mkdir("b", 0700) < 0 ||
	    mkdir("c", 0700) < 0 || mkdir("c/tool", 0700) < 0)
		return -1;
	file_make("a/tool", 0700);
	file_make("b/tool", 0600);
	file_make("here", 0700);
	return 0;
}

static int folders_remove(void **state)
{
	static const char *const made[] = {"a/tool", "b/tool", "c/tool", "a", "b", "c", "here"};

	for (size_t i = 0; i < sizeof made / sizeof *made; i++)
		remove(made[i]);
	return chdir("/") < 0 || rmdir(*state) < 0 ? -1 : 0;
}

static void expect(const char *path, const char *word, const char *expected)
{
	char *file;

	if (path)
		setenv("PATH", path, 1);
	else
		unsetenv("PATH");
	errno = 0;
	file = program_file(word);
	if (expected) {
		assert_non_null(file);
		assert_string_equal(file, expected);
	} else {
		assert_null(file);
		assert_int_equal(errno, ENOENT);
	}
	free(file);
}

static void search(void **state)
{
	(void)state;
	expect("b:a", "tool", "a/tool"); /* what cannot be executed is passed over */
	expect("c:a", "tool", "a/tool"); /* and folders */
	expect("b:c", "tool", NULL);
	expect("b::a", "here", "./here"); /* an empty entry is this folder */
	expect(":b", "here", "./here");
	expect("b:", "here", "./here");
	expect("a:b", "here", NULL);
	expect("", "here", NULL);
	expect(NULL, "tool", NULL);
}

static void there(void **state)
{
	(void)state;
	setenv("PATH", "a:b", 1);
	assert_true(program_is_there("tool"));
	setenv("PATH", "b", 1);
	assert_true(program_is_there("tool")); /* it cannot be executed */
	assert_false(program_is_there("here"));
	setenv("PATH", "b/tool/d", 1);
	assert_false(program_is_there("tool"));
}

static void with_a_slash(void **state)
{
	(void)state;
	expect("b", "a/tool", "a/tool");
	expect("a", "./tool", NULL);
	expect("a", "b/tool", NULL);
	expect("a", "c/tool", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(search),
	    cmocka_unit_test(there),
	    cmocka_unit_test(with_a_slash),
	};

	return cmocka_run_group_tests(tests, folders_make, folders_remove);
}
