/* test_understand.c: the user's command with launchers and programs made by hand in a folder: who
 * is the launcher, which word is the program, and what does not go together. */
#include "elf_file.h"

#include "launch/command.h"

struct here {
	struct tmp tmp;
	char hydra[128], openmpi[128], other[128], for_mpich[128], for_openmpi[128], plain[128];
};

static void script(struct here *h, const char *name, const char *says, char *out, size_t n)
{
	char text[256];

	snprintf(text, sizeof text, "#!/bin/sh\necho '%s'\n", says);
	snprintf(out, n, "%s", tmp_write(&h->tmp, name, text));
	assert_int_equal(chmod(out, 0755), 0);
}

static void program(struct here *h, const char *name, const char *library, char *out, size_t n)
{
	struct elf_file e;

	elf_make(&e, &library, 1);
	snprintf(out, n, "%s", elf_write(&h->tmp, name, &e, ELF_SIZE));
}

static void here_init(struct here *h)
{
	tmp_init(&h->tmp);
	script(h, "mpiexec.hydra", "HYDRA build details:", h->hydra, sizeof h->hydra);
	script(h, "mpirun", "mpirun (Open MPI) 4.1.4", h->openmpi, sizeof h->openmpi);
	script(h, "srun", "slurm 22.05", h->other, sizeof h->other);
	program(h, "a.out", "libmpich.so.12", h->for_mpich, sizeof h->for_mpich);
	program(h, "b.out", "libmpi.so.40", h->for_openmpi, sizeof h->for_openmpi);
	program(h, "c.out", "libc.so.6", h->plain, sizeof h->plain);
}

static int understand(struct command *c, struct err *err, const char *const *argv)
{
	int argc = 0;

	while (argv[argc])
		argc++;
	return command_understand(c, argv, argc, err);
}
#define UNDERSTAND(...) understand(&c, &err, (const char *const[]){__VA_ARGS__, NULL})

static void goes_together(void **state)
{
	struct command c;
	struct here h;
	struct err err;

	(void)state;
	here_init(&h);
	assert_ok(UNDERSTAND(h.hydra, "-n", "4", h.for_mpich, "x"), err);
	assert_int_equal(c.way, LAUNCH_HYDRA);
	assert_int_equal(c.family, MPI_MPICH);
	assert_int_equal(c.program, 3);
	assert_ok(UNDERSTAND(h.openmpi, h.for_openmpi), err);
	assert_int_equal(c.way, LAUNCH_OPENMPI);
	assert_int_equal(c.program, 1);
	/* a launcher alone tells the family, where a script hides the program */
	assert_ok(UNDERSTAND(h.openmpi, "-np", "2", "sh", "-c", "hidden"), err);
	assert_int_equal(c.family, MPI_OPENMPI);
	assert_int_equal(c.program, -1);
	/* one that nobody knows: the program tells */
	assert_ok(UNDERSTAND(h.other, "-n", "2", h.plain, h.for_mpich), err);
	assert_int_equal(c.way, LAUNCH_ENV);
	assert_int_equal(c.family, MPI_MPICH);
	assert_int_equal(c.program, 4);
	assert_ok(UNDERSTAND(h.for_openmpi), err);
	assert_int_equal(c.program, 0);
	tmp_release(&h.tmp);
}

static void does_not(void **state)
{
	struct command c;
	struct here h;
	struct err err;

	(void)state;
	here_init(&h);
	assert_fails(UNDERSTAND(h.hydra, "-n", "4", h.for_openmpi), err, ERR_INPUT,
	             "every process would run alone. Use the launcher of Open MPI (Debian: "
	             "mpirun.openmpi)");
	assert_fails(UNDERSTAND(h.openmpi, h.for_mpich), err, ERR_INPUT, "mpirun.mpich");
	assert_fails(UNDERSTAND(h.other, "-n", "2", h.plain), err, ERR_INPUT,
	             "give the program's full path");
	assert_fails(UNDERSTAND("/nowhere/program"), err, ERR_INPUT, "/nowhere/program");
	tmp_release(&h.tmp);
}

/* A word without a slash is looked for in PATH, in its order; an empty entry is the folder that we
 * are in (POSIX, 8.3). */
static void in_path(void **state)
{
	const char *before = getenv("PATH");
	char path[512], kept[4096], cwd[4096];
	struct command c;
	struct here h;
	struct err err;

	(void)state;
	here_init(&h);
	assert_non_null(getcwd(cwd, sizeof cwd));
	snprintf(kept, sizeof kept, "%s", before ? before : "");
	snprintf(path, sizeof path, "/nowhere:%s", h.tmp.dir);
	setenv("PATH", path, 1);
	assert_ok(UNDERSTAND("a.out", "b.out"), err);
	assert_int_equal(c.program, 0);
	assert_int_equal(c.family, MPI_MPICH);
	assert_int_equal(chdir(h.tmp.dir), 0);
	setenv("PATH", "/nowhere::/elsewhere", 1);
	assert_ok(UNDERSTAND("b.out"), err);
	assert_int_equal(c.family, MPI_OPENMPI);
	setenv("PATH", "/nowhere", 1);
	assert_fails(UNDERSTAND("b.out"), err, ERR_INPUT, "no word of 'b.out");
	assert_fails(UNDERSTAND("mpirun", "-np", "4", "./none"), err, ERR_INPUT,
	             "mpirun: there is no such command in PATH (Debian: openmpi-bin or mpich)");
	setenv("PATH", kept, 1);
	assert_int_equal(chdir(cwd), 0);
	tmp_release(&h.tmp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(goes_together),
	                                   cmocka_unit_test(does_not), cmocka_unit_test(in_path)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
