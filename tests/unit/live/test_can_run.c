/* test_can_run.c: programs and libraries, made here by the computer's compiler, are read as `orrery
 * can-run` and the loader of coroutines read them (can_run.c, search.c): where their libraries are
 * found is what ld.so(8) says; which functions of MPI they name; what hinders them. */
#include "live/can_run.h"
#include "live/search.h"
#include "test.h"
#include "tmp.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SKIPPED = 77 };

static struct tmp dir;
static char library[PATH_MAX]; /* the folder of our MPI libraries */

static const char *in(const char *name)
{
	static char path[8][192];
	static int next;
	char *p = path[next++ % 8];

	snprintf(p, sizeof path[0], "%s/%s", dir.dir, name);
	return p;
}

static void folder(const char *name)
{
	assert_true(mkdir(in(name), 0700) == 0 || access(in(name), W_OK) == 0);
}

/* cc in the folder of the test; 0: it cannot. */
static int compiled(const char *source, const char *arguments)
{
	char command[1024];
	FILE *f = fopen(in("source.c"), "w");

	assert_non_null(f);
	fputs(source, f);
	fclose(f);
	snprintf(command, sizeof command, "cd %s && cc -w source.c %s 2>/dev/null", dir.dir,
	         arguments);
	return system(command) == 0;
}

static void made(const char *source, const char *arguments)
{
	if (!compiled(source, arguments))
		fail_msg("cc %s: fails", arguments);
}

static struct can_run checked(const char *path)
{
	struct can_run c;
	struct err err = {0};

	if (can_run_check(path, library, &c, &err) < 0)
		fail_msg("%s: %s", path, err.text);
	return c;
}

static void says(const struct str *s, const char *want)
{
	assert_string_equal(s->s ? s->s : "", want);
}

/* It needs so many libraries that are nowhere. */
static void loses(const char *path, const char *want)
{
	struct can_run c = checked(path);

	assert_int_equal(c.kind, CAN_RUN_NO_MPI);
	says(&c.lost, want);
	can_run_release(&c);
}

#define MAIN "int deep(void), near(void); int main(void) { return near(); }"

/* libnear needs libdeep; both lie in the folder lib. */
static void libraries_made(void)
{
	folder("lib");
	made("int deep(void) { return 0; }", "-shared -fPIC -o lib/libdeep.so");
	made("int deep(void); int near(void) { return deep(); }",
	     "-shared -fPIC -o lib/libnear.so -Llib -ldeep");
}

/* --- where libraries are: ld.so(8) --- */

static void origins(void **state)
{
	static const char *const same[] = {"'-Wl,-rpath,$ORIGIN/lib'", "'-Wl,-rpath,${ORIGIN}/lib'",
	                                   "'-Wl,-rpath,/nowhere:$ORIGIN/lib/../lib'"};
	char home[PATH_MAX], arguments[256];

	(void)state;
	unsetenv("LD_LIBRARY_PATH");
	for (int i = 0; i < 3; i++) {
		made("int deep(void); int near(void) { return deep(); }",
		     "-shared -fPIC -o lib/libnear.so -Llib -ldeep '-Wl,-rpath,$ORIGIN'");
		snprintf(arguments, sizeof arguments, "-o prog -Llib -lnear -Wl,-rpath-link,lib %s",
		         same[i]);
		made(MAIN, arguments);
		loses(in("prog"), "");
		/* by a name without a folder, too */
		assert_non_null(getcwd(home, sizeof home));
		assert_int_equal(chdir(dir.dir), 0);
		loses("prog", "");
		loses("./prog", "");
		assert_int_equal(chdir(home), 0);
	}
}

/* The program's DT_RPATH is looked into for its libraries' libraries, its DT_RUNPATH is not. */
static void inherited(void **state)
{
	(void)state;
	libraries_made();
	made(MAIN, "-o prog -Llib -lnear -Wl,-rpath-link,lib -Wl,--disable-new-dtags "
	           "'-Wl,-rpath,$ORIGIN/lib'");
	loses(in("prog"), "");
	made(MAIN, "-o prog -Llib -lnear -Wl,-rpath-link,lib -Wl,--enable-new-dtags "
	           "'-Wl,-rpath,$ORIGIN/lib'");
	loses(in("prog"), "libdeep.so\n");
	/* a library with a DT_RUNPATH of its own looks into no DT_RPATH */
	made("int deep(void); int near(void) { return deep(); }",
	     "-shared -fPIC -o lib/libnear.so -Llib -ldeep -Wl,--enable-new-dtags "
	     "-Wl,-rpath,/nowhere");
	made(MAIN, "-o prog -Llib -lnear -Wl,-rpath-link,lib -Wl,--disable-new-dtags "
	           "'-Wl,-rpath,$ORIGIN/lib'");
	loses(in("prog"), "libdeep.so\n");
	libraries_made();
}

static void of_the_environment(void **state)
{
	char text[512], home[PATH_MAX];

	(void)state;
	made(MAIN, "-o prog -Llib -lnear -Wl,-rpath-link,lib");
	unsetenv("LD_LIBRARY_PATH");
	loses(in("prog"), "libnear.so\n");
	snprintf(text, sizeof text, "/nowhere:%s", in("lib"));
	setenv("LD_LIBRARY_PATH", text, 1);
	loses(in("prog"), "");
	setenv("LD_LIBRARY_PATH", "/nowhere::/none", 1); /* an empty piece is where it is started */
	assert_non_null(getcwd(home, sizeof home));
	assert_int_equal(chdir(in("lib")), 0);
	loses(in("prog"), "");
	assert_int_equal(chdir(home), 0);
	unsetenv("LD_LIBRARY_PATH");
}

/* DT_RPATH, LD_LIBRARY_PATH, DT_RUNPATH: whose is found first. */
static void in_order(void **state)
{
	char a[192], b[192], got[PATH_MAX];
	struct search s = {.file = "/x/prog"};
	struct err err;

	(void)state;
	folder("other");
	made("int deep(void) { return 1; }", "-shared -fPIC -o other/libdeep.so");
	snprintf(a, sizeof a, "%s", in("lib"));
	snprintf(b, sizeof b, "%s", in("other"));
	setenv("LD_LIBRARY_PATH", b, 1);
	s.rpath = a;
	assert_int_equal(search_library(&s, "libdeep.so", got, &err), 1);
	assert_string_equal(got, in("lib/libdeep.so"));
	s.rpath = NULL;
	s.runpath = a;
	assert_int_equal(search_library(&s, "libdeep.so", got, &err), 1);
	assert_string_equal(got, in("other/libdeep.so"));
	s.rpath = a; /* beside a DT_RUNPATH it does not count */
	assert_int_equal(search_library(&s, "libdeep.so", got, &err), 1);
	assert_string_equal(got, in("other/libdeep.so"));
	unsetenv("LD_LIBRARY_PATH");
	assert_int_equal(search_library(&s, "libdeep.so", got, &err), 1);
	assert_string_equal(got, in("lib/libdeep.so"));
	assert_int_equal(search_library(&s, "libnone.so", got, &err), 0);
	/* a name with a slash is a path */
	assert_int_equal(search_library(&s, in("other/libdeep.so"), got, &err), 1);
	assert_string_equal(got, in("other/libdeep.so"));
	assert_int_equal(search_library(&s, "./libdeep.so", got, &err), 0);
	/* the C library is where the loader has it */
	s = (struct search){.file = "/x/prog"};
	assert_int_equal(search_library(&s, "libc.so.6", got, &err), 1);
	assert_int_equal(access(got, R_OK), 0);
}

/* --- what they want of MPI --- */

static void functions(void **state)
{
	char ours[PATH_MAX + 32];
	struct can_run c;

	(void)state;
	snprintf(ours, sizeof ours, "%s/openmpi/libmpi.so.40", library);
	if (access(ours, R_OK) != 0) /* it was not built */
		skip();
	made("int MPI_Init(void) { return 0; } int MPI_Frobnicate(void) { return 0; }"
	     "int MPI_Send(void) { return 0; }",
	     "-shared -fPIC -Wl,-soname,libmpi.so.40 -o libmpi.so.40.40.7 && "
	     "ln -sf libmpi.so.40.40.7 libmpi.so && ln -sf libmpi.so libmpi.so.40");
	made("int MPI_Init(void), MPI_Frobnicate(void), MPI_Send(void);"
	     "int main(void) { return MPI_Init() + MPI_Frobnicate(); }",
	     "-o prog -L. -lmpi -Wl,--enable-new-dtags '-Wl,-rpath,$ORIGIN'");
	c = checked(in("prog"));
	assert_int_equal(c.kind, CAN_RUN_OPENMPI);
	assert_non_null(strstr(c.library.s, "libmpi.so.40"));
	assert_string_equal(c.version, "5.0.7"); /* by the file behind the names */
	says(&c.missing, "MPI_Frobnicate\n");
	says(&c.lost, "");
	assert_int_not_equal(hash_str_find(&c.functions, "MPI_Init"), HASH_NONE);
	assert_int_equal(hash_str_find(&c.functions, "MPI_Send"), HASH_NONE); /* nobody names it */
	can_run_release(&c);
	/* what the program has itself, a layer of profiling, is not missing */
	made("int MPI_Init(void); int MPI_Frobnicate(void) { return 0; }"
	     "int main(void) { return MPI_Init() + MPI_Frobnicate(); }",
	     "-o prog -L. -lmpi -rdynamic");
	c = checked(in("prog"));
	says(&c.missing, "");
	can_run_release(&c);
	/* by a library of its own, and with a path that goes before ours */
	made("int MPI_Frobnicate(void); int near(void) { return MPI_Frobnicate(); }",
	     "-shared -fPIC -o lib/libnear.so -L. -lmpi");
	made("int near(void); int main(void) { return near(); }",
	     "-o prog -Llib -lnear -Wl,-rpath-link,. -Wl,--disable-new-dtags "
	     "'-Wl,-rpath,$ORIGIN/lib:/opt/mpi'");
	c = checked(in("prog"));
	assert_int_equal(c.kind, CAN_RUN_OPENMPI);
	says(&c.missing, "MPI_Frobnicate\n");
	can_run_release(&c);
	libraries_made();
}

/* --- what hinders them --- */

/* The program is linked with one MPI, a library of its with another. */
static void two_libraries(void **state)
{
	static const char *const names[] = {"openmpi/libmpi.so.40", "mpich/libmpich.so.12"};
	char ours[PATH_MAX + 32];
	struct can_run c;

	(void)state;
	for (int i = 0; i < 2; i++) {
		snprintf(ours, sizeof ours, "%s/%s", library, names[i]);
		if (access(ours, R_OK) != 0) /* it was not built */
			skip();
	}
	made("int MPI_Init(void) { return 0; }",
	     "-shared -fPIC -Wl,-soname,libmpi.so.40 -o libmpi.so.40 && "
	     "ln -sf libmpi.so.40 libmpi.so");
	made("int MPI_Send(void) { return 0; }",
	     "-shared -fPIC -Wl,-soname,libmpich.so.12 -o libmpich.so.12 && "
	     "ln -sf libmpich.so.12 libmpich.so");
	made("int MPI_Send(void); int near(void) { return MPI_Send(); }",
	     "-shared -fPIC -o lib/libnear.so -L. -lmpich");
	made("int MPI_Init(void), near(void); int main(void) { return MPI_Init() + near(); }",
	     "-o prog -L. -Llib -lmpi -lnear -Wl,-rpath-link,. '-Wl,-rpath,$ORIGIN/lib'");
	c = checked(in("prog"));
	assert_int_equal(c.kind, CAN_RUN_OPENMPI);
	assert_non_null(strstr(c.library.s, "libmpi.so.40, needed by "));
	assert_non_null(strstr(c.another.s, "libmpich.so.12, needed by "));
	assert_non_null(strstr(c.another.s, "libnear.so"));
	can_run_release(&c);
	made("int near(void); int main(void) { return near(); }",
	     "-o prog -Llib -lnear -Wl,-rpath-link,. '-Wl,-rpath,$ORIGIN/lib'");
	c = checked(in("prog"));
	assert_int_equal(c.kind, CAN_RUN_MPICH);
	says(&c.another, "");
	can_run_release(&c);
	libraries_made();
}

static void alone(void **state)
{
	struct can_run c;

	(void)state;
	made("int fork(void), execv(), open();"
	     "int main(int n) { if (n > 5) execv(0, 0); return n > 3 ? fork() : open(0); }",
	     "-o prog");
	c = checked(in("prog"));
	assert_non_null(strstr(c.alone.s, "fork\n"));
	assert_non_null(strstr(c.alone.s, "execv\n"));
	assert_null(strstr(c.alone.s, "open"));
	can_run_release(&c);
}

static void kinds(void **state)
{
	struct can_run c;
	struct err err = {0};
	FILE *f = fopen(in("script"), "w");

	(void)state;
	fputs("#!/bin/sh\nexit 0\n", f);
	fclose(f);
	c = checked(in("script"));
	assert_int_equal(c.kind, CAN_RUN_NO_PROGRAM);
	can_run_release(&c);
	made("int main(void) { return 0; }", "-o prog -no-pie");
	c = checked(in("prog"));
	assert_int_equal(c.kind, CAN_RUN_NO_MPI);
	assert_false(c.is_relocatable);
	assert_false(c.has_own_rights);
	can_run_release(&c);
	made("int main(void) { return 0; }", "-o prog -pie -fPIE");
	c = checked(in("prog"));
	assert_true(c.is_relocatable);
	can_run_release(&c);
	if (compiled("int main(void) { return 0; }", "-o prog -static")) {
		c = checked(in("prog"));
		assert_int_equal(c.kind, CAN_RUN_STATIC);
		can_run_release(&c);
	}
	assert_int_equal(can_run_check(in("nothing"), library, &c, &err), -1);
	assert_non_null(strstr(err.text, "nothing"));
	can_run_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(origins),       cmocka_unit_test(inherited),
	    cmocka_unit_test(in_order),      cmocka_unit_test(functions),
	    cmocka_unit_test(two_libraries), cmocka_unit_test(alone),
	    cmocka_unit_test(kinds),         cmocka_unit_test(of_the_environment),
	};
	const char *tracer = getenv("ORRERY_TRACER_DIR");
	int failed;

	tmp_init(&dir);
	snprintf(library, sizeof library, "%s/../lib/orrery", tracer ? tracer : ".");
	if (!compiled("int main(void) { return 0; }", "-o prog")) {
		tmp_release(&dir);
		return SKIPPED; /* there is no compiler */
	}
	libraries_made();
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	tmp_release(&dir);
	return failed;
}
