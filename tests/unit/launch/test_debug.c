/* Source lines of addresses, of this very program: what the compiler says of itself (__LINE__) is
 * what is found. */
#include "launch/debug.h"

#include "tmp.h"

#include <link.h>

static int marked_line;
__attribute__((noinline)) static int marked(int x)
{
	marked_line = __LINE__;
	return x + marked_line;
}

/* Where the program itself was loaded. */
static int first_object(struct dl_phdr_info *info, size_t n, void *base)
{
	(void)n;
	*(uintptr_t *)base = info->dlpi_addr;
	return 1;
}

/* In this program's file, or one that is like it. */
static void line_is_found(const char *path)
{
	struct debug_place place;
	struct debug *d;
	uintptr_t base = 0;

	assert_true(marked(0) > 0);
	dl_iterate_phdr(first_object, &base);
	assert_non_null(d = debug_open(path));
	assert_int_equal(debug_find(d, (uintptr_t)marked - base, &place), 1);
	assert_string_equal(place.function, "marked");
	assert_non_null(strstr(place.file, "test_debug.c"));
	assert_in_range(place.line, marked_line - 2, marked_line);
	/* Behind all that was loaded. (Not address 1, which linkers may give a symbol.) */
	assert_int_equal(debug_find(d, 1ULL << 60, &place), 0);
	debug_close(d);
}

static void a_line_of_this_file(void **state)
{
	(void)state;
	if (!debug_supported())
		skip();
	line_is_found("/proc/self/exe");
}

/* As clang and the compilers made of it write it: no unit says in a table what its addresses are.
 */
static void a_line_without_table(void **state)
{
	struct tmp t;
	char command[512], self[256];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);

	(void)state;
	if (!debug_supported())
		skip();
	assert_true(n > 0);
	self[n] = '\0';
	tmp_init(&t);
	snprintf(command, sizeof command, "objcopy --remove-section .debug_aranges '%s' '%s'", self,
	         tmp_path(&t, "copy"));
	assert_int_equal(system(command), 0);
	line_is_found(t.path);
	tmp_release(&t);
}

static void no_file_no_program(void **state)
{
	(void)state;
	assert_null(debug_open("/nonexistent"));
	assert_null(debug_open("/etc/passwd"));
	debug_close(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_line_of_this_file),
	    cmocka_unit_test(a_line_without_table),
	    cmocka_unit_test(no_file_no_program),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
