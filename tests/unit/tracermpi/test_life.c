/* test_life.c: how a traced process can end, and what it may do that has nothing to do with MPI:
 * its signals, exit code and descriptors are its own, and what it had called by then is in the
 * trace, in whole lines. Each in a process of its own. */
#include "traced.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static struct tmp tmp;

static void begin(const char *form)
{
	traced_environment(tmp.dir);
	setenv("ORRERY_FORM", form, 1);
	tracer = (struct tracer){.out.file.fd = -1, .fortran.index_base_f08 = -1};
	fake_reset(0, 2, 1);
	MPI_Init(NULL, NULL);
}

static void sends(int from, int to)
{
	for (int i = from; i < to; i++)
		MPI_Send(NULL, i, MPI_INT, 1, 7, MPI_COMM_WORLD);
}

/* Runs the body; how it ended, as waitpid tells. */
static int status_of(void (*body)(void))
{
	int status;
	pid_t pid;

	tmp_init(&tmp);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		int null = open("/dev/null", O_WRONLY);

		dup2(null, STDERR_FILENO);
		alarm(20);
		body();
		_exit(99);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

/* The text has the init, the first n sends and, if it was ended, the end; nothing else. */
static void trace_is(int n, int ended)
{
	struct traced t = {.tmp = tmp};

	str_init(&t.want);
	traced_want(&t, "init");
	for (int i = 0; i < n; i++)
		traced_want(&t, "send 1 7 %d 1", i);
	if (ended)
		traced_want(&t, "finalize");
	traced_compare(&t);
	str_release(&t.want);
	tmp_release(&tmp);
}

/* --- ends --- */

static void is_terminated(void)
{
	begin("text");
	sends(0, 5);
	raise(SIGTERM);
}

static void is_killed(void)
{
	begin("text");
	sends(0, 5);
	raise(SIGKILL);
}

static void exits(void)
{
	begin("text");
	sends(0, 5);
	exit(3);
}

static void exits_at_once(void)
{
	begin("text");
	sends(0, 5);
	_exit(4);
}

static void finalizes(void)
{
	begin("text");
	sends(0, 5);
	MPI_Finalize();
	exit(5);
}

/* The reserved rest of the file of a process that was killed is zeros. */
static void zeros_cut(void)
{
	char path[128], text[4096];
	size_t n;
	FILE *f;

	snprintf(path, sizeof path, "%s", tmp_path(&tmp, "rank-0.tit"));
	f = fopen(path, "r");
	assert_non_null(f);
	n = fread(text, 1, sizeof text - 1, f);
	text[n] = '\0';
	fclose(f);
	assert_true(strlen(text) < sizeof text - 1);
	tmp_write(&tmp, "rank-0.tit", text);
}

static void test_ends(void **state)
{
	int status;

	(void)state;
	status = status_of(is_terminated);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
	zeros_cut();
	trace_is(5, 0);
	status = status_of(is_killed);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	zeros_cut();
	trace_is(5, 0);
	assert_int_equal(WEXITSTATUS(status_of(exits)), 3);
	zeros_cut();
	trace_is(5, 0);
	assert_int_equal(WEXITSTATUS(status_of(exits_at_once)), 4);
	zeros_cut();
	trace_is(5, 0);
	assert_int_equal(WEXITSTATUS(status_of(finalizes)), 5);
	trace_is(5, 1);
}

/* --- signals are the program's --- */

static volatile sig_atomic_t caught;

static void theirs(int sig)
{
	caught = sig;
}

static void (*handler_of(int sig))(int)
{
	struct sigaction a;

	sigaction(sig, NULL, &a);
	return a.sa_handler;
}

static void keeps_its_handlers(void)
{
	signal(SIGTERM, theirs);
	signal(SIGHUP, SIG_IGN);
	begin("text");
	if (handler_of(SIGTERM) != theirs || handler_of(SIGHUP) != SIG_IGN)
		_exit(1);
	raise(SIGTERM);
	raise(SIGHUP);
	if (caught != SIGTERM)
		_exit(2);
	signal(SIGINT, theirs); /* while it is traced */
	MPI_Finalize();
	if (handler_of(SIGTERM) != theirs || handler_of(SIGHUP) != SIG_IGN ||
	    handler_of(SIGINT) != theirs)
		_exit(3);
	_exit(0);
}

static void gets_defaults_back(void)
{
	/* a job of the background, or of nohup, ignores some, and so would this one */
	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	begin("text");
	MPI_Finalize();
	_exit(handler_of(SIGTERM) != SIG_DFL || handler_of(SIGINT) != SIG_DFL ||
	      handler_of(SIGHUP) != SIG_DFL);
}

static void test_signals(void **state)
{
	(void)state;
	assert_int_equal(status_of(keeps_its_handlers), 0);
	tmp_release(&tmp);
	assert_int_equal(status_of(gets_defaults_back), 0);
	tmp_release(&tmp);
}

/* --- descriptors --- */

/* A program may close all that is not its own, as daemons do, and open others. */
static void closes_all(void)
{
	char written[8] = "";
	int fd;

	setenv("ORRERY_BUFFER", "4096", 1);
	begin("text");
	sends(0, 20);
	close_range(3, ~0U, 0);
	fd = (open)("/dev/zero", O_RDWR);
	sends(20, 400); /* many windows of the file */
	if (read(fd, written, 8) != 8 || memcmp(written, "\0\0\0\0\0\0\0\0", 8) != 0)
		_exit(1);
	MPI_Finalize();
	_exit(0);
}

static void test_descriptors(void **state)
{
	(void)state;
	assert_int_equal(status_of(closes_all), 0);
	trace_is(400, 1);
}

/* --- children --- */

static void forks(void)
{
	int status;
	pid_t pid;

	begin("text");
	sends(0, 3);
	pid = fork();
	if (pid == 0) { /* it must not call MPI, and does */
		sends(100, 110);
		exit(6);
	}
	waitpid(pid, &status, 0);
	sends(3, 6);
	MPI_Finalize();
	_exit(WEXITSTATUS(status) == 6 ? 0 : 1);
}

static void test_children(void **state)
{
	(void)state;
	assert_int_equal(status_of(forks), 0);
	trace_is(6, 1);
}

/* --- once more --- */

/* MPI cannot be begun twice by MPI_Init, but libraries let it be: the trace ends where it did. */
static void begins_again(void)
{
	begin("text");
	sends(0, 4);
	MPI_Finalize();
	MPI_Init(NULL, NULL);
	sends(50, 60);
	MPI_Finalize();
	_exit(fake.finalized == 2 ? 0 : 1);
}

static void test_again(void **state)
{
	(void)state;
	assert_int_equal(status_of(begins_again), 0);
	trace_is(4, 1);
}

static void aborts(void)
{
	begin("text");
	sends(0, 4);
	MPI_Abort(MPI_COMM_WORLD, 11);
	_exit(fake.aborted);
}

static void test_abort(void **state)
{
	(void)state;
	assert_int_equal(WEXITSTATUS(status_of(aborts)), 11);
	zeros_cut();
	trace_is(4, 0);
}

/* --- persistent collectives go by a communicator of their own, each (record_coll.c) --- */

static void test_persistent_collectives(void **state)
{
	struct traced t = {0};
	MPI_Request r[2];

	(void)state;
	traced_begin(&t, 1, 3, 1);
	MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]);
	/* 2^31, no other communicator's number: of the world, the first, less two */
	traced_want(&t, "comm_dup comm=0.2147483646 members=0,1,2 agreed=1");
	MPI_Bcast_init(NULL, 5, MPI_DOUBLE, 2, MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]);
	traced_want(&t, "comm_dup comm=0.2147483647 members=0,1,2 agreed=1");
	for (int i = 0; i < 2; i++) {
		MPI_Startall(2, r);
		traced_want(&t, "ibarrier req=0 comm=0.2147483646");
		traced_want(&t, "ibcast 5 2 0 req=1 comm=0.2147483647");
		MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
		traced_want(&t, "waitall 2 reqs=0,1");
	}
	MPI_Request_free(&r[1]);
	traced_want(&t, "comm_free comm=0.2147483647");
	MPI_Request_free(&r[0]);
	traced_want(&t, "comm_free comm=0.2147483646");
	/* one on MPI_COMM_SELF, where nobody else is: none of its own */
	MPI_Barrier_init(MPI_COMM_SELF, MPI_INFO_NULL, &r[0]);
	MPI_Start(&r[0]);
	traced_want(&t, "ibarrier req=0 comm=self");
	MPI_Wait(&r[0], MPI_STATUS_IGNORE);
	traced_want(&t, "wait req=0");
	traced_end(&t); /* not freed: nothing is lost */
	traced_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_ends),
	    cmocka_unit_test(test_signals),
	    cmocka_unit_test(test_descriptors),
	    cmocka_unit_test(test_children),
	    cmocka_unit_test(test_again),
	    cmocka_unit_test(test_abort),
	    cmocka_unit_test(test_persistent_collectives),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
