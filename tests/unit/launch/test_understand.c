/* test_understand.c: the user's command with launchers and programs made by hand in a folder: who
 * is the launcher, which word is the program, and what does not go together. */
#include "elf_file.h"

#include "launch/command.h"

struct here {
	struct tmp tmp;
	char hydra[128], openmpi[128], other[128], srun[128], for_mpich[128], for_openmpi[128],
	    plain[128];
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
	script(h, "aprun", "ALPS", h->other, sizeof h->other);
	script(h, "srun", "slurm 22.05", h->srun, sizeof h->srun);
	program(h, "a.out", "libmpich.so.12", h->for_mpich, sizeof h->for_mpich);
	program(h, "b.out", "libmpi.so.40", h->for_openmpi, sizeof h->for_openmpi);
	program(h, "c.out", "libc.so.6", h->plain, sizeof h->plain);
}

/* The command points to its words. */
static int understand(struct command *c, struct err *err, const char *const *words)
{
	static const char *argv[16];
	int argc = 0;

	for (; words[argc]; argc++)
		argv[argc] = words[argc];
	argv[argc] = NULL;
	return command_understand(c, argv, argc, MPI_UNKNOWN, err);
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

static void words_are(const struct command *c, const char *const *want)
{
	static const struct setting settings[] = {{"LD_PRELOAD", "/t.so"}, {"A", "x y"}};
	struct err err;
	char **v = command_with(c, settings, 2, &err), **w = v;

	assert_non_null(v);
	for (; *want; want++, w++) {
		assert_non_null(*w);
		assert_string_equal(*w, *want);
		free(*w);
	}
	assert_null(*w);
	free(v);
}
#define WORDS_ARE(...) words_are(&c, (const char *const[]){__VA_ARGS__, NULL})

/* srun(1): what it hands on by itself is its environment, --export says what of it, and holds for
 * one program of "srun a : b"; explicit variables are not to be given with NONE. */
static void under_srun(void **state)
{
	struct command c;
	struct here h;
	struct err err;
	char shell[160], quoted[160];

	(void)state;
	here_init(&h);
	unsetenv("SLURM_EXPORT_ENV");
	assert_ok(UNDERSTAND(h.srun, "-n", "2", h.for_mpich, ":", h.for_mpich, "--export=B"), err);
	assert_int_equal(c.way, LAUNCH_SRUN);
	assert_int_equal(c.family, MPI_MPICH);
	WORDS_ARE("env", "-u", "LD_PRELOAD", "A=x y", h.srun, "--export=ALL,LD_PRELOAD=/t.so,A",
	          "-n", "2", h.for_mpich, ":", "--export=ALL,LD_PRELOAD=/t.so,A", h.for_mpich,
	          "--export=B");
	assert_ok(UNDERSTAND("time", h.srun, "--export", "B,C=1", h.for_openmpi), err);
	assert_int_equal(c.family, MPI_OPENMPI);
	WORDS_ARE("time", "env", "-u", "LD_PRELOAD", "A=x y", h.srun,
	          "--export=B,C=1,LD_PRELOAD=/t.so,A", h.for_openmpi);
	assert_ok(UNDERSTAND(h.srun, "--export=NONE", "-l", h.for_mpich), err);
	WORDS_ARE("env", "-u", "LD_PRELOAD", "A=x y", h.srun, "--export=LD_PRELOAD=/t.so,A", "-l",
	          h.for_mpich);
	setenv("SLURM_EXPORT_ENV", "NONE", 1);
	assert_ok(UNDERSTAND(h.srun, h.for_mpich), err);
	WORDS_ARE("env", "-u", "LD_PRELOAD", "A=x y", h.srun, "--export=LD_PRELOAD=/t.so,A",
	          h.for_mpich);
	unsetenv("SLURM_EXPORT_ENV");
	/* what a script says, and what the user does */
	snprintf(shell, sizeof shell, "exec %s x", h.for_openmpi);
	assert_ok(UNDERSTAND(h.srun, "bash", "-c", shell), err);
	assert_int_equal(c.family, MPI_OPENMPI);
	assert_int_equal(c.program, -1);
	snprintf(quoted, sizeof quoted, "%s", tmp_write(&h.tmp, "table", shell));
	assert_ok(UNDERSTAND(h.srun, "--multi-prog", quoted), err);
	assert_int_equal(c.family, MPI_OPENMPI);
	assert_ok(command_understand(&c, (const char *const[]){h.srun, h.plain, NULL}, 2, MPI_MPICH,
	                             &err),
	          err);
	assert_int_equal(c.family, MPI_MPICH);
	assert_fails(command_understand(&c, (const char *const[]){h.srun, h.for_openmpi, NULL}, 2,
	                                MPI_MPICH, &err),
	             err, ERR_INPUT, "--mpi says mpich, but");
	/* an argument of the program's is no launcher */
	assert_ok(UNDERSTAND(h.for_mpich, "srun"), err);
	assert_int_equal(c.way, LAUNCH_ENV);
	tmp_release(&h.tmp);
}

/* A comma parts the list: the whole of what has one stands in quotes. Quotes cannot be said. */
static void under_srun_quoted(void **state)
{
	const struct setting comma = {"LD_PRELOAD", "/a,b.so"}, quote = {"LD_PRELOAD", "/it's.so"};
	struct command c;
	struct here h;
	struct err err;
	char **v;

	(void)state;
	here_init(&h);
	assert_ok(UNDERSTAND(h.srun, h.for_mpich), err);
	assert_non_null(v = command_with(&c, &comma, 1, &err));
	assert_string_equal(v[4], "--export=ALL,'LD_PRELOAD=/a,b.so'");
	for (char **w = v; *w; w++)
		free(*w);
	free(v);
	assert_null(command_with(&c, &quote, 1, &err));
	assert_int_equal(err.kind, ERR_INPUT);
	assert_non_null(strstr(err.text, "no value with quotes"));
	tmp_release(&h.tmp);
}

/* Where only a script names the program, or nobody but the user its MPI, all that the command
 * starts is loaded with the tracer. */
static void in_scripts(void **state)
{
	struct command c;
	struct here h;
	struct err err;
	char path[160], text[400];
	const char *const job[] = {"sh", path, "x", NULL}, *const plain[] = {h.plain, NULL};

	(void)state;
	here_init(&h);
	snprintf(text, sizeof text, "#!/bin/sh\n# %s\nmpirun -np 2 \"%s\"&\n", h.plain,
	         h.for_openmpi);
	snprintf(path, sizeof path, "%s", tmp_write(&h.tmp, "job.sh", text));
	assert_ok(understand(&c, &err, job), err);
	assert_int_equal(c.family, MPI_OPENMPI);
	WORDS_ARE("env", "LD_PRELOAD=/t.so", "A=x y", "sh", path, "x");
	assert_ok(command_understand(&c, plain, 1, MPI_MPICH, &err), err);
	assert_int_equal(c.family, MPI_MPICH);
	WORDS_ARE("env", "LD_PRELOAD=/t.so", "A=x y", h.plain);
	/* what is not there is told by us */
	assert_fails(
	    command_understand(&c, (const char *const[]){"/nowhere/job", NULL}, 1, MPI_MPICH, &err),
	    err, ERR_INPUT, "cannot run /nowhere/job: No such file or directory");
	assert_fails(command_understand(&c, (const char *const[]){"no-such-launcher", NULL}, 1,
	                                MPI_MPICH, &err),
	             err, ERR_INPUT, "no-such-launcher: there is no such command in PATH");
	/* a shell's word is an argument, not a place */
	assert_ok(UNDERSTAND(h.other, "-n", "2", "/bin/bash", "-lc", h.for_mpich), err);
	WORDS_ARE(h.other, "-n", "2", "env", "LD_PRELOAD=/t.so", "A=x y", "/bin/bash", "-lc",
	          h.for_mpich);
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
	assert_fails(UNDERSTAND("b.out"), err, ERR_INPUT,
	             "b.out: there is no such command in PATH; the file in this folder is ./b.out");
	assert_fails(UNDERSTAND("mpirun", "-np", "4", "./none"), err, ERR_INPUT,
	             "mpirun: there is no such command in PATH (Debian: openmpi-bin or mpich)");
	setenv("PATH", kept, 1);
	assert_int_equal(chdir(cwd), 0);
	tmp_release(&h.tmp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(goes_together), cmocka_unit_test(does_not),
	    cmocka_unit_test(under_srun),    cmocka_unit_test(under_srun_quoted),
	    cmocka_unit_test(in_scripts),    cmocka_unit_test(in_path)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
