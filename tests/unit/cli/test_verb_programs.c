/* test_verb_programs.c: verbs about programs and what they leave: can-run, cc, fc, gather. */
#include "verb.h"

#include <sys/stat.h>

static const char *made(struct tmp *t, const char *name, const char *text, mode_t mode)
{
	tmp_write(t, name, text);
	assert_int_equal(chmod(t->path, mode), 0);
	return t->path;
}

static void what_can_be_simulated(void **state)
{
	struct tmp t;
	struct ran r;

	(void)state;
	tmp_init(&t);
	RUNS(&r, "can-run", made(&t, "script", "#!/bin/sh\nexit 0\n", 0755));
	PRINTS(r.out, "a script or the like: it runs");
	RUN(&r, "can-run", made(&t, "source.c", "int main(void);\n", 0644));
	assert_int_equal(r.code, 1);
	PRINTS(r.out, "no: the file is not executable");
	RUN(&r, "can-run", t.dir);
	assert_int_equal(r.code, 1);
	PRINTS(r.out, "no: it is a folder");
	/* in PATH, and without MPI */
	RUNS(&r, "can-run", "true");
	PRINTS(r.out, "needs no MPI");
	/* of several, the worst counts */
	RUN(&r, "can-run", "true", t.dir);
	assert_int_equal(r.code, 1);
	PRINTS(r.out, "needs no MPI");
	REFUSED(&r, "No such file", "can-run", tmp_path(&t, "nothing"));
	RUN(&r, "can-run");
	assert_int_equal(r.code, -1);
	tmp_release(&t);
}

static const char *shown(struct ran *r, const char *const *words)
{
	run(r, words);
	if (r->code != 0)
		fail_msg("%s", r->err.text);
	return r->out;
}
#define SHOWN(r, ...) shown(r, (const char *const[]){__VA_ARGS__, NULL})

static void compilers_are_the_systems(void **state)
{
	struct ran r;

	(void)state;
	setenv("ORRERY_MPI_DIR", "/lib/o", 1);
	unsetenv("ORRERY_CC");
	assert_string_equal(SHOWN(&r, "cc", "-show", "a.c", "-o", "a"),
	                    "cc -I/lib/o/include a.c -o a /lib/o/abi/libmpi_abi.so "
	                    "-Wl,--enable-new-dtags,-rpath,/lib/o/abi\n");
	/* a source of C++ wants its compiler; what does not link gets no library */
	assert_int_equal(strncmp(SHOWN(&r, "cc", "-show", "-c", "a.cc"), "c++ -I", 6), 0);
	PRINTS_NOT(r.out, "libmpi");
	setenv("ORRERY_CC", "clang", 1);
	assert_int_equal(strncmp(SHOWN(&r, "cc", "-show", "a.c"), "clang -I", 8), 0);
	unsetenv("ORRERY_CC");
}

static const char rank_0[] = "# orrery-trace 1\n0 init\n0 send 1 7 1000 6\n0 finalize\n",
                  rank_1[] = "# orrery-trace 1\n1 init\n1 recv 0 7 1000 6\n1 finalize\n";

/* What two processes left in folders of this computer. */
static void gathered_from_two_folders(void **state)
{
	struct tmp t;
	char one[600], two[600], all[600];
	struct ran r;

	(void)state;
	tmp_init(&t);
	snprintf(one, sizeof one, "%s/one", t.dir);
	snprintf(two, sizeof two, "%s/two", t.dir);
	snprintf(all, sizeof all, "%s/all", t.dir);
	assert_int_equal(mkdir(one, 0700) + mkdir(two, 0700), 0);
	tmp_write(&t, "one/rank-0.tit", rank_0);
	tmp_write(&t, "two/rank-1.tit", rank_1);
	REFUSED(&r, "-o FOLDER is wanted", "gather", one);
	REFUSED(&r, "host:folder, or folders, are wanted", "gather", "-o", all);
	REFUSED(&r, "--fanout", "gather", one, two, "-o", all, "--fanout", "0");
	/* what would pack there fails */
	RUN(&r, "gather", one, two, "-o", all, "--orrery", "false");
	assert_int_equal(r.code, -1);
	assert_int_equal(access(all, F_OK), -1); /* nothing is left of it */
	tmp_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(what_can_be_simulated),
	    cmocka_unit_test(compilers_are_the_systems),
	    cmocka_unit_test(gathered_from_two_folders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
