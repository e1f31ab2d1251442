/* The command behind `orrery cc` and `orrery fc`: which words it has, and in which order: what the
 * system's compiler needs is what its manual says (-I before, libraries behind the objects). */
#include "live/compile.h"

#include "test.h"
#include "tmp.h"

#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void command_is(const struct compile *c, const char *const *expected)
{
	struct err err = {0};
	char **words = compile_command(c, &err);
	int i = 0;

	assert_non_null(words);
	for (; expected[i] && words[i]; i++)
		assert_string_equal(words[i], expected[i]);
	assert_null(expected[i]);
	assert_null(words[i]);
	compile_free(words);
}

#define WORDS(...) \
	.words = (const char *const[]){__VA_ARGS__}, \
	.n = sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *)

static void c_is_linked_with_the_standard_abi(void **state)
{
	const struct compile c = {
	    .library = "/l", .compiler = "cc", WORDS("-O2", "-o", "a", "a.c")};

	(void)state;
	command_is(&c, (const char *const[]){"cc", "-I/l/include", "-O2", "-o", "a", "a.c",
	                                     "/l/abi/libmpi_abi.so",
	                                     "-Wl,--enable-new-dtags,-rpath,/l/abi", NULL});
}

static void fortran_is_linked_with_open_mpi_s(void **state)
{
	const struct compile c = {
	    .library = "/l", .compiler = "f", .modules = "/m", WORDS("a.f90")};

	(void)state;
	command_is(&c, (const char *const[]){"f", "-fallow-argument-mismatch", "-I/l/include",
	                                     "-I/m", "a.f90", "/l/openmpi/libmpi_mpifh.so",
	                                     "/l/openmpi/libmpi.so",
	                                     "-Wl,--enable-new-dtags,-rpath,/l/openmpi", NULL});
}

static void nothing_is_linked_where_the_compiler_stops_before(void **state)
{
	static const char *const stops[] = {"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only"};

	(void)state;
	for (size_t i = 0; i < sizeof stops / sizeof *stops; i++) {
		const struct compile c = {
		    .library = "/l", .compiler = "cc", WORDS("a.c", stops[i])};

		command_is(&c, (const char *const[]){"cc", "-I/l/include", "a.c", stops[i], NULL});
	}
}

static void a_compiler_asked_for_nothing_is_given_nothing(void **state)
{
	const struct compile c = {.library = "/l", .compiler = "cc"};

	(void)state;
	command_is(&c, (const char *const[]){"cc", "-I/l/include", NULL});
}

static void parts_are_shown(void **state)
{
	static const struct {
		const char *word;
		const char *const shown[5];
	} all[] = {{"-showme", {"f", "-fallow-argument-mismatch", "-I/l/include", "-I/m", "-g"}},
	           {"--showme:compile", {"-fallow-argument-mismatch", "-I/l/include", "-I/m"}},
	           {"-showme:link",
	            {"/l/openmpi/libmpi_mpifh.so", "/l/openmpi/libmpi.so",
	             "-Wl,--enable-new-dtags,-rpath,/l/openmpi"}},
	           {"-showme:command", {"f"}},
	           {"-showme:incdirs", {"/l/include", "/m"}},
	           {"-showme:libdirs", {"/l/openmpi"}},
	           {"-compile_info", {"f", "-fallow-argument-mismatch", "-I/l/include", "-I/m"}}};

	(void)state;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		const struct compile c = {.library = "/l",
		                          .compiler = "f",
		                          .modules = "/m",
		                          WORDS(all[i].word, "-g", "-c")};
		const char *expected[7] = {0};

		for (int k = 0; k < 5; k++)
			expected[k] = all[i].shown[k];
		if (i == 0)
			expected[5] = "-c";
		command_is(&c, expected);
	}
}

static void show_is_ours(void **state)
{
	const struct compile c = {.library = "/l", .compiler = "cc", WORDS("-show", "-c", "a.c")};
	const struct compile no = {.library = "/l", .compiler = "cc", WORDS("-c", "-show.c")};

	(void)state;
	assert_true(compile_shows(&c));
	assert_false(compile_shows(&no));
	command_is(&c, (const char *const[]){"cc", "-I/l/include", "-c", "a.c", NULL});
}

static void sources_of_cxx_are_known_by_their_names(void **state)
{
	static const char *const yes[] = {"a.cc",  "a.cp",  "a.cpp", "a.CPP",
	                                  "a.cxx", "a.c++", "a.C"};
	static const char *const not_these[] = {"a.c", ".cc", "cc", "a.cc.o", "-xc++"};

	(void)state;
	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
		assert_true(compile_is_cxx(&yes[i], 1));
	assert_false(compile_is_cxx(not_these, sizeof not_these / sizeof *not_these));
}

/* Itanium C++ ABI, 5.1: mangled names begin with _Z */
static void objects_of_cxx_are_known_by_their_names(void **state)
{
	static const char cxx[] = "ELF\0main\0_ZSt4cout";
	static const char c[] = "ELF\0main\0a_Z3b\0_Z\0_Y1\0";
	const char *words[] = {NULL, "-o", "x", "main.c"};
	struct tmp t;

	(void)state;
	tmp_init(&t);
	words[0] = tmp_write_n(&t, "a.o", cxx, sizeof cxx);
	assert_true(compile_is_cxx(words, 3));
	assert_false(compile_is_cxx(words, 4)); /* c++ would take main.c for C++ */
	words[1] = "-c";
	assert_false(compile_is_cxx(words, 3)); /* nothing is linked */
	words[1] = "-o";
	words[0] = tmp_write_n(&t, "a.o", c, sizeof c);
	assert_false(compile_is_cxx(words, 3));
	words[0] = "not-there.o";
	assert_false(compile_is_cxx(words, 3));
	tmp_release(&t);
}

static size_t size_of(struct tmp *t, const char *name)
{
	struct stat st;

	return stat(tmp_path(t, name), &st) == 0 ? (size_t)st.st_size : 0;
}

/* A script that says its version, notes that it was asked, and makes the module: a line now, and a
 * second one a moment later, as a compiler does that has much to write. */
static void compiler_write(struct tmp *t, const char *name, int version)
{
	char text[512], path[256];

	snprintf(text, sizeof text,
	         "#!/bin/sh\n[ $1 = --version ] && { echo fc %d; exit; }\necho >>${0%%/*}/asked\n"
	         "echo 1 >$4/mpi.mod\nsleep 0.5\necho 2 >>$4/mpi.mod\n",
	         version);
	snprintf(path, sizeof path, "%s", tmp_write(t, name, text));
	assert_int_equal(chmod(path, 0755), 0);
}

static void modules_are_made_again_when_their_source_changed(void **state)
{
	const struct timespec later[2] = {{.tv_sec = 4000000000}, {.tv_sec = 4000000000}};
	struct str folder = {0};
	struct err err = {0};
	char compiler[256];
	struct tmp t;
	size_t asked;

	(void)state;
	tmp_init(&t);
	assert_int_equal(setenv("XDG_CACHE_HOME", t.dir, 1), 0);
	assert_int_equal(mkdir(tmp_path(&t, "include"), 0755), 0);
	tmp_write(&t, "include/mpi.f90", "module mpi\nend module\n");
	compiler_write(&t, "fc", 1);
	snprintf(compiler, sizeof compiler, "%s", tmp_path(&t, "fc"));
	assert_int_equal(compile_modules(t.dir, compiler, &folder, &err), 0);
	assert_memory_equal(folder.s + strlen(t.dir), "/orrery/fc-", 11);
	asked = size_of(&t, "asked");
	assert_true(asked > 0);
	str_clear(&folder);
	assert_int_equal(compile_modules(t.dir, compiler, &folder, &err), 0);
	assert_int_equal(size_of(&t, "asked"), asked);
	assert_int_equal(utimensat(AT_FDCWD, tmp_path(&t, "include/mpi.f90"), later, 0), 0);
	str_clear(&folder);
	assert_int_equal(compile_modules(t.dir, compiler, &folder, &err), 0);
	assert_int_equal(size_of(&t, "asked"), 2 * asked);
	str_release(&folder);
	tmp_release(&t);
}

static void versions_of_a_compiler_do_not_share_modules(void **state)
{
	struct str folder[2] = {{0}, {0}};
	struct err err = {0};
	struct tmp t;

	(void)state;
	tmp_init(&t);
	assert_int_equal(setenv("XDG_CACHE_HOME", t.dir, 1), 0);
	assert_int_equal(mkdir(tmp_path(&t, "include"), 0755), 0);
	tmp_write(&t, "include/mpi.f90", "module mpi\nend module\n");
	for (int i = 0; i < 2; i++) {
		char compiler[256];

		compiler_write(&t, "fc", i);
		snprintf(compiler, sizeof compiler, "%s", tmp_path(&t, "fc"));
		assert_int_equal(compile_modules(t.dir, compiler, &folder[i], &err), 0);
	}
	assert_string_not_equal(folder[0].s, folder[1].s);
	assert_int_equal(size_of(&t, "asked"), 2);
	str_release(&folder[0]);
	str_release(&folder[1]);
	tmp_release(&t);
}

/* What one command of a `make -j` finds is the whole module, though another is writing it. */
static void no_command_reads_half_a_module(void **state)
{
	char compiler[256], made[PATH_MAX];
	struct str folder = {0};
	struct err err = {0};
	int other, status;
	struct stat st;
	struct tmp t;

	(void)state;
	tmp_init(&t);
	assert_int_equal(setenv("XDG_CACHE_HOME", t.dir, 1), 0);
	assert_int_equal(mkdir(tmp_path(&t, "include"), 0755), 0);
	tmp_write(&t, "include/mpi.f90", "module mpi\nend module\n");
	compiler_write(&t, "fc", 1);
	snprintf(compiler, sizeof compiler, "%s", tmp_path(&t, "fc"));
	other = fork();
	assert_true(other >= 0);
	if (other == 0)
		_exit(compile_modules(t.dir, compiler, &folder, &err) < 0);
	usleep(200000);
	assert_int_equal(compile_modules(t.dir, compiler, &folder, &err), 0);
	snprintf(made, sizeof made, "%s/mpi.mod", folder.s);
	assert_int_equal(stat(made, &st), 0);
	assert_int_equal(st.st_size, 4);
	assert_int_equal(waitpid(other, &status, 0), other);
	assert_int_equal(status, 0);
	str_release(&folder);
	tmp_release(&t);
}

static struct passwd me;

struct passwd *getpwuid(uid_t uid)
{
	(void)uid;
	return me.pw_dir ? &me : NULL;
}

/* Not in a folder where others could put a module. */
static void without_home_the_cache_is_the_users_own(void **state)
{
	struct str folder = {0};
	struct err err = {0};
	char no_home[300];
	struct tmp t;

	(void)state;
	tmp_init(&t);
	assert_int_equal(unsetenv("XDG_CACHE_HOME"), 0);
	assert_int_equal(unsetenv("HOME"), 0);
	assert_true(compile_modules(t.dir, "false", &folder, &err) < 0);
	assert_non_null(strstr(err.text, "HOME"));
	snprintf(no_home, sizeof no_home, "%s", tmp_write(&t, "file", ""));
	me.pw_dir = no_home; /* below a file nobody makes a folder */
	assert_true(compile_modules(t.dir, "cc", &folder, &err) < 0);
	assert_non_null(strstr(err.text, "XDG_CACHE_HOME names another"));
	str_clear(&folder);
	me.pw_dir = t.dir;
	assert_true(compile_modules(t.dir, "false", &folder, &err) < 0);
	assert_memory_equal(folder.s, t.dir, strlen(t.dir));
	assert_memory_equal(folder.s + strlen(t.dir), "/.cache/orrery/", 15);
	str_release(&folder);
	tmp_release(&t);
}

static void a_compiler_that_fails_is_told(void **state)
{
	struct str folder = {0};
	struct err err = {0};
	struct tmp t;

	(void)state;
	tmp_init(&t);
	assert_int_equal(setenv("XDG_CACHE_HOME", t.dir, 1), 0);
	assert_true(compile_modules(t.dir, "false", &folder, &err) < 0);
	str_release(&folder);
	tmp_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(c_is_linked_with_the_standard_abi),
	    cmocka_unit_test(fortran_is_linked_with_open_mpi_s),
	    cmocka_unit_test(nothing_is_linked_where_the_compiler_stops_before),
	    cmocka_unit_test(a_compiler_asked_for_nothing_is_given_nothing),
	    cmocka_unit_test(show_is_ours),
	    cmocka_unit_test(parts_are_shown),
	    cmocka_unit_test(sources_of_cxx_are_known_by_their_names),
	    cmocka_unit_test(objects_of_cxx_are_known_by_their_names),
	    cmocka_unit_test(modules_are_made_again_when_their_source_changed),
	    cmocka_unit_test(versions_of_a_compiler_do_not_share_modules),
	    cmocka_unit_test(no_command_reads_half_a_module),
	    cmocka_unit_test(without_home_the_cache_is_the_users_own),
	    cmocka_unit_test(a_compiler_that_fails_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
