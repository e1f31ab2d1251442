/* test_environment.c: settings of the environment as no one of ours sets them: whatever they are,
 * the program runs to its end, and what it prints and returns is its own. Where the setting has a
 * meaning the trace has it. Each in a process of its own, which is killed if it hangs. */
#include "traced.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

enum { SECONDS = 20 };

/* A program of rank `rank` of `ranks` that sends itself through; exit code 7: all as it should be.
 */
static void program(const char *dir, int rank, int ranks)
{
	MPI_Status s;
	MPI_Request r;
	int fd = open("/dev/null", O_WRONLY);

	dup2(fd, STDERR_FILENO);
	alarm(SECONDS);
	tracer = (struct tracer){.out.file.fd = -1, .fortran.index_base_f08 = -1};
	fake_reset(rank, ranks, 5);
	(void)dir;
	MPI_Init(NULL, NULL);
	for (int i = 0; i < 50; i++) {
		MPI_Irecv(NULL, 1, MPI_INT, MPI_ANY_SOURCE, i, MPI_COMM_WORLD, &r);
		MPI_Wait(&r, &s);
		if (s.MPI_TAG != i || s.MPI_SOURCE < 0 || s.MPI_SOURCE >= ranks)
			_exit(1);
	}
	MPI_Finalize();
	_exit(fake.finalized == 1 ? 7 : 2);
}

static void run(struct tmp *tmp, int rank, int ranks)
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0)
		program(tmp->dir, rank, ranks);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 7)
		fail_msg("the program ended with status %#x", status);
}

/* Whether the file has the line. */
static int has_line(const struct tmp *tmp, const char *name, const char *line)
{
	struct tmp copy = *tmp;
	char found[4096];
	FILE *f = fopen(tmp_path(&copy, name), "r");
	int has = 0;

	while (f && fgets(found, sizeof found, f)) {
		found[strcspn(found, "\n")] = '\0';
		has |= strcmp(found, line) == 0;
	}
	if (f)
		fclose(f);
	return has;
}

static const char *const odd[] = {"",    "0",  "-1",   "0.5",   "1",    "-1e300",    "nan",
                                  "inf", "3x", "text", "0x10",  "1e-9", " 5",        "5 ",
                                  "%s",  "-0", "2.5",  "1e300", "1e19", "4294967297"};

/* A buffer of 2 GiB is one: the disk is asked for it. */
static int is_large(const char *name, const char *value)
{
	return strcmp(name, "ORRERY_BUFFER") == 0 && strtod(value, NULL) > 1e8;
}

static void each_odd_value_of(const char *name, const char *form)
{
	static const int places[][2] = {{0, 1}, {0, 5}, {3, 5}};

	for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
		for (int k = 0; k < 3 && !is_large(name, odd[i]);
		     k += strcmp(name, "ORRERY_TREE") ? 3 : 1) {
			struct tmp tmp;

			tmp_init(&tmp);
			traced_environment(tmp.dir);
			setenv("ORRERY_FORM", form, 1);
			setenv(name, odd[i], 1);
			printf("%s=\"%s\" %s, rank %d of %d\n", name, odd[i], form, places[k][0],
			       places[k][1]);
			run(&tmp, places[k][0], places[k][1]);
			unsetenv(name);
			tmp_release(&tmp);
		}
}

static void test_width_of_the_tree(void **state)
{
	(void)state;
	each_odd_value_of("ORRERY_TREE", "compressed");
}

static void test_sizes_of_memory(void **state)
{
	(void)state;
	each_odd_value_of("ORRERY_BUFFER", "text");
	each_odd_value_of("ORRERY_BUFFER", "compressed");
	each_odd_value_of("ORRERY_MEMORY", "compressed");
}

static void test_rates_and_names(void **state)
{
	(void)state;
	each_odd_value_of("ORRERY_RATE", "text");
	each_odd_value_of("ORRERY_SITES", "text");
	each_odd_value_of("ORRERY_COUNTER", "text");
	each_odd_value_of("ORRERY_FORM", "text");
	each_odd_value_of("ORRERY_TRACE_DIR", "text");
}

/* A rate is what a unit of the counter is worth: under the counter for tests, of a read. */
static void test_a_rate_is_used(void **state)
{
	struct tmp tmp;

	(void)state;
	tmp_init(&tmp);
	traced_environment(tmp.dir);
	setenv("ORRERY_RATE", "2500", 1);
	run(&tmp, 0, 1);
	assert_true(has_line(&tmp, "rank-0.tit", "# rate 2500"));
	assert_true(has_line(&tmp, "rank-0.tit", "0 compute 2500"));
	tmp_release(&tmp);
}

/* A volume of the trace is a number, whatever the rate. */
static void test_a_rate_beyond_all_volumes(void **state)
{
	struct tmp tmp;

	(void)state;
	tmp_init(&tmp);
	traced_environment(tmp.dir);
	setenv("ORRERY_RATE", "1e308", 1);
	run(&tmp, 0, 1);
	assert_false(has_line(&tmp, "rank-0.tit", "0 compute inf"));
	assert_false(has_line(&tmp, "rank-0.tit", "0 compute -9223372036854775808"));
	assert_true(has_line(&tmp, "rank-0.tit", "0 finalize"));
	tmp_release(&tmp);
}

/* A folder that is none, that cannot be written to, or has a trace: untraced, and nothing changed
 * there. */
static void test_folders(void **state)
{
	struct tmp tmp;
	char path[128];

	(void)state;
	tmp_init(&tmp);
	traced_environment(tmp.dir);
	snprintf(path, sizeof path, "%s/not/there", tmp.dir);
	setenv("ORRERY_TRACE_DIR", path, 1);
	run(&tmp, 0, 1);
	setenv("ORRERY_TRACE_DIR", "/dev/null", 1);
	run(&tmp, 0, 1);
	setenv("ORRERY_TRACE_DIR", tmp.dir, 1);
	tmp_write(&tmp, "rank-0.tit", "somebody's\n");
	run(&tmp, 0, 1);
	assert_true(has_line(&tmp, "rank-0.tit", "somebody's"));
	tmp_write(&tmp, "events", "another program's\n");
	setenv("ORRERY_FORM", "compressed", 1);
	run(&tmp, 0, 1);
	assert_true(has_line(&tmp, "events", "another program's"));
	tmp_release(&tmp);
}

/* Longer than any buffer. */
static void test_a_long_folder(void **state)
{
	static char path[9000];
	struct tmp tmp;

	(void)state;
	memset(path, 'x', sizeof path - 1);
	*path = '/';
	tmp_init(&tmp);
	for (size_t n = 4080; n < 4110; n++) {
		traced_environment(path);
		path[n] = '\0';
		setenv("ORRERY_TRACE_DIR", path, 1);
		run(&tmp, 0, 1);
		path[n] = 'x';
	}
	setenv("ORRERY_TRACE_DIR", path, 1);
	run(&tmp, 0, 1);
	tmp_release(&tmp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_width_of_the_tree),
	    cmocka_unit_test(test_sizes_of_memory),
	    cmocka_unit_test(test_rates_and_names),
	    cmocka_unit_test(test_a_rate_is_used),
	    cmocka_unit_test(test_a_rate_beyond_all_volumes),
	    cmocka_unit_test(test_folders),
	    cmocka_unit_test(test_a_long_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
