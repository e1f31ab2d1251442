/* test_preload.c: where the tracer's libraries are found, and what the loader is told of them. */
#include "launch/preload.h"

#include "tmp.h"

#include <sys/stat.h>

static struct tmp tmp;

static void without_what_users_load(void)
{
	unsetenv("LD_LIBRARY_PATH");
	unsetenv("LD_PRELOAD");
	setenv("ORRERY_TRACER_DIR", tmp.dir, 1);
}

static void the_folder_that_is_told_is_the_only_one(void **state)
{
	char path[300], wanted[300];

	(void)state;
	without_what_users_load();
	tmp_write(&tmp, "a.so", "");
	assert_int_equal(preload_find("a.so", path, sizeof path), 1);
	snprintf(wanted, sizeof wanted, "%s/a.so", tmp.dir);
	assert_string_equal(path, wanted);
	assert_int_equal(preload_find("b.so", path, sizeof path), 0);
	snprintf(wanted, sizeof wanted, "%s/b.so", tmp.dir);
	assert_string_equal(path, wanted);
}

/* An empty word is none; then it is beside the program, or installed. */
static void else_it_is_beside_the_program(void **state)
{
	char path[300];

	(void)state;
	setenv("ORRERY_TRACER_DIR", "", 1);
	assert_int_equal(preload_find("no-such-library.so", path, sizeof path), 0);
	assert_non_null(strstr(path, "/tracer/no-such-library.so"));
}

static void the_tracer_comes_before_what_users_load(void **state)
{
	struct preload p;
	struct err err;
	char wanted[300];

	(void)state;
	without_what_users_load();
	tmp_write(&tmp, "liborrery-trace-mpich.so", "");
	snprintf(wanted, sizeof wanted, "%s/liborrery-trace-mpich.so", tmp.dir);
	assert_int_equal(preload_init(&p, MPI_MPICH, &err), 0);
	assert_string_equal(p.value, wanted);
	assert_string_equal(p.path, wanted);
	assert_null(p.search);
	preload_release(&p);
	setenv("LD_PRELOAD", "", 1);
	assert_int_equal(preload_init(&p, MPI_MPICH, &err), 0);
	assert_string_equal(p.value, wanted);
	preload_release(&p);
	setenv("LD_PRELOAD", "theirs.so other.so", 1);
	snprintf(wanted, sizeof wanted, "%s/liborrery-trace-mpich.so:theirs.so other.so", tmp.dir);
	assert_int_equal(preload_init(&p, MPI_MPICH, &err), 0);
	assert_string_equal(p.value, wanted);
	preload_release(&p);
	unsetenv("LD_PRELOAD");
}

/* Whatever the user asks of AddressSanitizer comes behind, and so wins. */
static void sanitizers_let_it_be_preloaded(void **state)
{
	struct err err;
	char *value;

	(void)state;
	unsetenv("ASAN_OPTIONS");
	value = preload_sanitizer(&err);
	assert_string_equal(value, "verify_asan_link_order=0");
	free(value);
	setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
	value = preload_sanitizer(&err);
	assert_string_equal(value, "verify_asan_link_order=0:detect_leaks=0");
	free(value);
	unsetenv("ASAN_OPTIONS");
}

static void a_family_without_tracer_is_told(void **state)
{
	struct preload p;
	struct err err;

	(void)state;
	without_what_users_load();
	assert_int_equal(preload_init(&p, MPI_OPENMPI, &err), -1);
	assert_int_equal(err.kind, ERR_INPUT);
	assert_non_null(strstr(err.text, "no tracer for Open MPI"));
	assert_non_null(strstr(err.text, tmp.dir));
}

/* A folder with a tracer; its path. */
static const char *folder_with_tracer(const char *name)
{
	static char folder[200];
	char file[300];

	without_what_users_load();
	snprintf(folder, sizeof folder, "%s/%s", tmp.dir, name);
	assert_int_equal(mkdir(folder, 0700), 0);
	snprintf(file, sizeof file, "%s/liborrery-trace-mpich.so", name);
	tmp_write(&tmp, file, "");
	setenv("ORRERY_TRACER_DIR", folder, 1);
	return folder;
}

/* LD_PRELOAD is a list, of names that blanks and colons end; LD_LIBRARY_PATH one of folders, which
 * colons and semicolons end (ld.so(8)). */
static void a_blank_in_the_path_is_no_matter(void **state)
{
	const char *folder = folder_with_tracer("with blank");
	char wanted[300];
	struct preload p;
	struct err err;

	(void)state;
	assert_int_equal(preload_init(&p, MPI_MPICH, &err), 0);
	assert_string_equal(p.value, "liborrery-trace-mpich.so");
	assert_string_equal(p.search, folder);
	snprintf(wanted, sizeof wanted, "%s/liborrery-trace-mpich.so", folder);
	assert_string_equal(p.path, wanted);
	preload_release(&p);
	setenv("LD_LIBRARY_PATH", "/a:/b", 1);
	assert_int_equal(preload_init(&p, MPI_MPICH, &err), 0);
	snprintf(wanted, sizeof wanted, "%s:/a:/b", folder);
	assert_string_equal(p.search, wanted);
	preload_release(&p);
	unsetenv("LD_LIBRARY_PATH");
}

static void what_ends_a_path_cannot_be_in_it(void **state)
{
	static const char *const names[] = {"with:colon", "with blank;and"};
	struct preload p;
	struct err err;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		folder_with_tracer(names[i]);
		assert_int_equal(preload_init(&p, MPI_MPICH, &err), -1);
		assert_int_equal(err.kind, ERR_INPUT);
		assert_non_null(strstr(err.text, "ORRERY_TRACER_DIR names another folder"));
	}
	folder_with_tracer("with;semicolon");
	assert_int_equal(preload_init(&p, MPI_MPICH, &err), 0);
	assert_null(p.search);
	preload_release(&p);
}

static int folder_make(void **state)
{
	(void)state;
	tmp_init(&tmp);
	return 0;
}

static int folder_remove(void **state)
{
	(void)state;
	tmp_release(&tmp);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_folder_that_is_told_is_the_only_one),
	    cmocka_unit_test(else_it_is_beside_the_program),
	    cmocka_unit_test(the_tracer_comes_before_what_users_load),
	    cmocka_unit_test(sanitizers_let_it_be_preloaded),
	    cmocka_unit_test(a_family_without_tracer_is_told),
	    cmocka_unit_test(a_blank_in_the_path_is_no_matter),
	    cmocka_unit_test(what_ends_a_path_cannot_be_in_it),
	};
	return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
