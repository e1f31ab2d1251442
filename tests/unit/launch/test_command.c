/* The user's command: the launcher by what it says of itself, and where its ranks' settings go
 * (mpirun(1) of Open MPI 4: -x; mpiexec(1) of Hydra: -genv). Launchers here are scripts that say
 * the same as the real ones. */
#include "launch/command.h"

#include "test.h"
#include "tmp.h"

#include <sys/stat.h>

static const char *launcher(struct tmp *t, const char *name, const char *says)
{
	char script[256];
	const char *path;

	snprintf(script, sizeof script, "#!/bin/sh\necho '%s'\n", says);
	path = tmp_write(t, name, script);
	assert_int_equal(chmod(path, 0755), 0);
	return path;
}

static void words_are(char **v, const char *const *expected)
{
	for (; *expected; v++, expected++)
		assert_string_equal(*v, *expected);
	assert_null(*v);
}

static void release(char **v)
{
	for (char **w = v; *w; w++)
		free(*w);
	free(v);
}

static const struct setting settings[] = {{"A", "1"}, {"B", "x y"}};

static void open_mpi_takes_x_for_each_program(void **state)
{
	struct tmp t;
	char path[256];
	const char *argv[] = {path, "-n", "2", "./a", ":", "-n", "1", "./b", NULL};
	char **words;
	struct command c;
	struct err err = {0};

	(void)state;
	tmp_init(&t);
	snprintf(path, sizeof path, "%s", launcher(&t, "mpirun", "mpirun (Open MPI) 4.1.4"));
	assert_ok(command_understand(&c, argv, 8, MPI_UNKNOWN, &err), err);
	assert_int_equal(c.family, MPI_OPENMPI);
	assert_int_equal(c.program, -1);
	assert_non_null(words = command_with(&c, settings, 2, &err));
	words_are(words,
	          (const char *const[]){path, "-x", "A=1", "-x", "B=x y", "-n", "2", "./a", ":",
	                                "-x", "A=1", "-x", "B=x y", "-n", "1", "./b", NULL});
	release(words);
	tmp_release(&t);
}

static void hydra_takes_genv_once(void **state)
{
	struct tmp t;
	char path[256];
	const char *argv[] = {path, "-n", "2", "./a", NULL};
	char **words;
	struct command c;
	struct err err = {0};

	(void)state;
	tmp_init(&t);
	snprintf(path, sizeof path, "%s",
	         launcher(&t, "mpiexec.hydra", "HYDRA build details: Version: 4.0.2"));
	assert_ok(command_understand(&c, argv, 4, MPI_UNKNOWN, &err), err);
	assert_int_equal(c.family, MPI_MPICH);
	assert_non_null(words = command_with(&c, settings, 2, &err));
	words_are(words, (const char *const[]){path, "-genv", "A", "1", "-genv", "B", "x y", "-n",
	                                       "2", "./a", NULL});
	release(words);
	tmp_release(&t);
}

static void what_is_no_mpi_is_refused(void **state)
{
	const char *argv[] = {"true", "x", NULL}, *missing[] = {"/nonexistent/a.out", NULL};
	const char *nowhere[] = {"no-such-command", NULL};
	struct command c;
	struct err err = {0};

	(void)state;
	assert_fails(
	    command_understand(&c, argv, 2, MPI_UNKNOWN, &err), err, ERR_INPUT,
	    "names a program that is itself linked with MPI (one of its libraries may be)");
	assert_true(command_understand(&c, missing, 1, MPI_UNKNOWN, &err) < 0);
	assert_non_null(strstr(err.text, "/nonexistent/a.out"));
	assert_fails(command_understand(&c, nowhere, 1, MPI_UNKNOWN, &err), err, ERR_INPUT,
	             "no-such-command: there is no such command in PATH");
}

/* Sonames of Debian's libraries, and of the MPICH ABI (mpich.org/abi). */
static void families_by_library(void **state)
{
	(void)state;
	assert_int_equal(mpi_family_of_library("libmpi.so.40"), MPI_OPENMPI);
	assert_int_equal(mpi_family_of_library("libmpi_mpifh.so.40"), MPI_OPENMPI);
	assert_int_equal(mpi_family_of_library("libmpi.so.12"), MPI_MPICH);
	assert_int_equal(mpi_family_of_library("libmpichfort.so.12"), MPI_MPICH);
	assert_int_equal(mpi_family_of_library("libm.so.6"), MPI_UNKNOWN);
	assert_int_equal(mpi_family_of_program("/bin/sh"), MPI_UNKNOWN);
	assert_int_equal(mpi_family_of_program("/etc/passwd"), MPI_UNKNOWN);
}

static void is_version(const char *path, const char *want)
{
	char version[16];

	mpi_version_of_file(path, version, sizeof version);
	assert_string_equal(version, want);
}

/* Files of Debian 11, 12 and 13, of Open MPI 4.0.3 as it was in Ubuntu 20.04, and names that tell
 * nothing. */
static void versions_by_file(void **state)
{
	(void)state;
	is_version("/usr/lib/x86_64-linux-gnu/libmpi.so.40.30.0", "4.1.0");
	is_version("/usr/lib/x86_64-linux-gnu/libmpi.so.40.30.4", "4.1.4");
	is_version("/usr/lib/x86_64-linux-gnu/libmpi.so.40.40.7", "5.0.7");
	is_version("/usr/lib/x86_64-linux-gnu/libmpi.so.40.20.3", "4.0.3");
	is_version("/usr/lib/x86_64-linux-gnu/libmpich.so.12.2.2", "4.0.2");
	is_version("libmpich.so.12.4.1", "4.2.1");
	is_version("/usr/lib/x86_64-linux-gnu/libmpich.so.12.1.10", "");
	is_version("/opt/libmpi.so.40", "");
	is_version("/opt/libmpi.so.40.30.4/libmpi.so", "");
	is_version("/opt/libmpi.so.40.30.4.bak", "");
	is_version("/opt/libmpi.so.12.0.0", "");
	is_version("", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(open_mpi_takes_x_for_each_program),
	    cmocka_unit_test(hydra_takes_genv_once),
	    cmocka_unit_test(what_is_no_mpi_is_refused),
	    cmocka_unit_test(families_by_library),
	    cmocka_unit_test(versions_by_file),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
