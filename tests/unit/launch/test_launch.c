/* Processes: what comes back of them, what they get, and that they end with us. */
#include "launch/launch.h"

#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})
#define SH(script) WORDS("sh", "-c", script)

static int run(const char *const *words)
{
	struct launch_command c = {.words = words};
	struct err err = {0};

	return launch_run(&c, &err);
}

static void exit_codes_come_back(void **state)
{
	(void)state;
	assert_int_equal(run(SH("exit 0")), 0);
	assert_int_equal(run(SH("exit 3")), 3);
	assert_int_equal(run(SH("kill -9 $$")), 128 + SIGKILL);
}

static void what_cannot_start_is_told(void **state)
{
	struct launch_command c = {.words = WORDS("/nonexistent/program")};
	struct err err = {0};

	(void)state;
	assert_int_equal(launch_run(&c, &err), -1);
	assert_non_null(strstr(err.text, "/nonexistent/program"));
	assert_non_null(strstr(err.text, strerror(ENOENT)));
	c = (struct launch_command){.words = SH("exit 0"), .folder = "/nonexistent"};
	assert_int_equal(launch_start(&c, &err), -1);
	assert_null(strstr(err.text, "command in PATH"));
}

/* As after an installation without what is only recommended. */
static void a_command_that_is_not_installed(void **state)
{
	static const char *const there[] = {"gfortran", "(Debian: gfortran)", "mpicc",
	                                    "(Debian: libopenmpi-dev or libmpich-dev)", NULL};
	const char *before = getenv("PATH");
	char kept[4096];
	struct err err = {0};

	(void)state;
	snprintf(kept, sizeof kept, "%s", before ? before : "");
	setenv("PATH", "/nonexistent", 1);
	for (const char *const *c = there; *c; c += 2) {
		struct launch_command run = {.words = WORDS(c[0])};

		assert_fails(launch_must(&run, &err), err, ERR_INPUT, c[1]);
		assert_non_null(strstr(err.text, "there is no such command in PATH"));
	}
	setenv("PATH", kept, 1);
}

static void on_alarm(int sig)
{
	(void)sig;
}

/* Signals that a program which embeds us handles, without SA_RESTART. */
static void what_cannot_start_is_told_amid_signals(void **state)
{
	struct launch_command c = {.words = WORDS("/nonexistent/program")};
	struct itimerval often = {{0, 300}, {0, 300}}, never = {{0, 0}, {0, 0}};
	struct sigaction own = {.sa_handler = on_alarm}, before;
	struct err err = {0};
	int started = 0;

	(void)state;
	sigaction(SIGALRM, &own, &before);
	setitimer(ITIMER_REAL, &often, NULL);
	for (int i = 0; i < 100; i++)
		started += launch_start(&c, &err) > 0;
	setitimer(ITIMER_REAL, &never, NULL);
	sigaction(SIGALRM, &before, NULL);
	assert_int_equal(started, 0);
}

static void a_failing_command_is_an_error(void **state)
{
	struct launch_command c = {.words = SH("exit 7")};
	struct err err = {0};

	(void)state;
	assert_int_equal(launch_must(&c, &err), -1);
	assert_non_null(strstr(err.text, "exit code 7"));
	c.words = SH("kill -15 $$");
	assert_int_equal(launch_must(&c, &err), -1);
	assert_non_null(strstr(err.text, "signal 15"));
	c.words = SH("exit 0");
	assert_int_equal(launch_must(&c, &err), 0);
}

static void folder_environment_and_streams(void **state)
{
	char out[64];
	struct err err = {0};
	struct launch_command c = {.words = SH("echo $A $B; pwd; cat; echo no >&2"),
	                           .environment = WORDS("A=1", "B=two words"),
	                           .folder = "/",
	                           .err = LAUNCH_NULL};

	(void)state;
	assert_int_equal(launch_output(&c, out, sizeof out, &err), 0);
	assert_string_equal(out, "1 two words\n/\n");
	assert_null(getenv("A"));
	c.words = SH("echo no >&2");
	c.err = LAUNCH_WITH_OUT;
	assert_int_equal(launch_output(&c, out, sizeof out, &err), 0);
	assert_string_equal(out, "no\n");
}

/* A pipe holds 64 KiB: who stops reading would wait for ever. */
static void long_output_is_cut_and_does_not_block(void **state)
{
	char out[8];
	struct err err = {0};
	struct launch_command c = {.words = SH("head -c 300000 /dev/zero | tr '\\0' x; exit 4")};

	(void)state;
	assert_int_equal(launch_output(&c, out, sizeof out, &err), 4);
	assert_string_equal(out, "xxxxxxx");
}

static void only_what_is_kept_is_inherited(void **state)
{
	char script[64];
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	struct launch_command c = {.words = SH(script)};

	(void)state;
	assert_true(fd > 2);
	snprintf(script, sizeof script, "test -e /proc/self/fd/%d", fd);
	assert_int_equal(launch_run(&c, &(struct err){0}), 1);
	c.keep = &fd;
	c.n_keep = 1;
	assert_int_equal(launch_run(&c, &(struct err){0}), 0);
	close(fd);
}

static int body(void *self)
{
	return *(int *)self;
}

static void a_body_of_ours(void **state)
{
	int code = 42;
	struct err err = {0};
	pid_t pid = launch_body(body, &code, &err);

	(void)state;
	assert_true(pid > 0);
	assert_int_equal(launch_wait(pid), 42);
}

/* The other end of a pipe whose writers all are gone reads nothing: so we know that they ended,
 * whoever is to reap them. */
static int writers_gone(int fd, int ms)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	char c;

	return poll(&p, 1, ms) == 1 && read(fd, &c, 1) == 0;
}

struct dying {
	int fd, other; /* a pipe's ends: for writing, for reading */
};

static int start_and_die(void *self)
{
	struct dying *d = self;
	struct launch_command c = {.words = WORDS("sleep", "1000"), .keep = &d->fd, .n_keep = 1};
	struct err err = {0};

	launch_start(&c, &err);
	raise(SIGKILL);
	return 0;
}

static void children_end_with_their_parent(void **state)
{
	int ends[2];
	struct dying d;
	struct err err = {0};
	pid_t pid;

	(void)state;
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	d.fd = ends[1];
	pid = launch_body(start_and_die, &d, &err);
	close(ends[1]);
	assert_int_equal(launch_wait(pid), 128 + SIGKILL);
	assert_true(writers_gone(ends[0], 5000));
	close(ends[0]);
}

/* A command that leaves what launchers of MPI may leave: a process with a session of its own, and
 * one that no longer has a parent; both hear no request to end. */
#define LEAVES "(trap '' TERM; setsid sleep 1000 & sleep 1000 & sleep 1000 &); "

static int run_and_die(void *self)
{
	struct dying *d = self;
	struct launch_command c = {
	    .words = SH(LEAVES "kill -9 $KILLED; exec sleep 1000"), .keep = &d->fd, .n_keep = 1};
	struct err err = {0};
	char killed[32];

	snprintf(killed, sizeof killed, "KILLED=%d", (int)getpid());
	c.environment = WORDS(killed);
	return launch_run(&c, &err);
}

/* Runs it in a process of its own, which has no other children; how that ends, when all that has
 * the pipe has ended. */
static int all_end(int (*dies)(void *self))
{
	int ends[2], code;
	struct dying d;
	struct err err = {0};
	pid_t pid;

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	d = (struct dying){ends[1], ends[0]};
	pid = launch_body(dies, &d, &err);
	close(ends[1]);
	code = launch_wait(pid);
	assert_true(writers_gone(ends[0], 15000));
	close(ends[0]);
	return code;
}

static void all_of_a_command_ends_with_us(void **state)
{
	(void)state;
	assert_int_equal(all_end(run_and_die), 128 + SIGKILL);
}

static int run_badly(void *self)
{
	struct dying *d = self;
	struct launch_command c = {.words = SH(LEAVES "exit 5"), .keep = &d->fd, .n_keep = 1};
	int code = launch_run(&c, &(struct err){0});

	close(d->fd);
	return code;
}

static void all_of_a_command_that_fails_ends(void **state)
{
	(void)state;
	assert_int_equal(all_end(run_badly), 5);
}

static int lose_the_keeper(void *self)
{
	struct dying *d = self;
	struct launch_command c = {
	    .words = SH(LEAVES "kill -9 $PPID; exec sleep 1000"), .keep = &d->fd, .n_keep = 1};
	int code = launch_run(&c, &(struct err){0});

	close(d->fd);
	return code;
}

static void all_ends_without_the_keeper(void **state)
{
	(void)state;
	assert_int_equal(all_end(lose_the_keeper), 128 + SIGKILL);
}

static int run_well(void *self)
{
	struct dying *d = self;
	struct launch_command c = {.words = SH("sleep 1000 & exit 0"), .keep = &d->fd, .n_keep = 1};
	int code = launch_run(&c, &(struct err){0}), stays;

	close(d->fd);
	stays = !writers_gone(d->other, 500);
	launch_orphans_kill(0);
	return code == 0 && stays ? 42 : 43;
}

/* What a command that ended well leaves is meant to stay. */
static void what_is_meant_to_stay_stays(void **state)
{
	(void)state;
	assert_int_equal(all_end(run_well), 42);
}

static void a_group_is_reached_as_a_whole(void **state)
{
	int ends[2];
	struct launch_command c = {.words = SH("sleep 1000 & wait"), .own_group = 1, .n_keep = 1};
	struct err err = {0};
	pid_t pid;
	struct launch_end how;

	(void)state;
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	c.keep = &ends[1];
	pid = launch_start(&c, &err);
	assert_true(pid > 0);
	close(ends[1]);
	assert_int_equal(launch_ended(pid, 0, &how), 0);
	launch_kill(pid, SIGTERM);
	assert_int_equal(launch_wait(pid), 128 + SIGTERM);
	assert_true(writers_gone(ends[0], 5000));
	close(ends[0]);
}

static volatile sig_atomic_t came;
static void note(int sig)
{
	came = sig;
}

/* The child asks its parent to end: the parent hands that back to the child, and lives. */
static void termination_is_handed_on(void **state)
{
	struct sigaction mine = {.sa_handler = note}, before;
	char script[160];

	(void)state;
	came = 0;
	sigaction(SIGTERM, &mine, &before);

	snprintf(script, sizeof script,
	         "trap 'exit 9' TERM; kill -TERM %d; n=0; while [ $n -lt 500 ]; do sleep 0.01; "
	         "n=$((n + 1)); done",
	         (int)getpid());
	assert_int_equal(run(SH(script)), 9);
	assert_int_equal(came, 0);
	raise(SIGTERM); /* given back */
	assert_int_equal(came, SIGTERM);
	sigaction(SIGTERM, &before, NULL);
}

/* A launcher that hangs when told to end: half a minute, here 0.3 s, then it is killed with all
 * that it started, which is said; it ended of what it was told. */
static int be_patient(void *self)
{
	struct dying *d = self;
	struct launch_command c = {.words = SH(LEAVES "trap '' TERM HUP; kill -HUP $US; "
	                                              "while :; do sleep 0.1; done"),
	                           .keep = &d->fd,
	                           .n_keep = 1,
	                           .patience = 300};
	char us[32], said[256] = "";
	int errors[2], code;

	snprintf(us, sizeof us, "US=%d", (int)getpid());
	c.environment = WORDS(us);
	if (pipe2(errors, O_CLOEXEC) < 0 || dup2(errors[1], STDERR_FILENO) < 0)
		return 1;
	code = launch_run(&c, &(struct err){0});
	close(d->fd);
	if (!writers_gone(d->other, 0) || code != 128 + SIGHUP)
		return 2;
	return read(errors[0], said, sizeof said - 1) > 0 && strstr(said, "within 0.3 s") ? 42 : 3;
}

static void who_does_not_end_when_told_is_killed(void **state)
{
	(void)state;
	assert_int_equal(all_end(be_patient), 42);
}

/* Under nohup the end of the terminal is nobody's: neither ours nor the command's. */
static void what_we_are_to_ignore_is_ignored(void **state)
{
	void (*before)(int) = signal(SIGHUP, SIG_IGN);
	struct launch_command c = {.words = SH("kill -HUP $US; kill -HUP $PPID; kill -HUP $$; "
	                                       "sleep 0.3; exit 9"),
	                           .patience = 100};
	char us[32];

	(void)state;
	snprintf(us, sizeof us, "US=%d", (int)getpid());
	c.environment = WORDS(us);
	assert_int_equal(launch_run(&c, &(struct err){0}), 9);
	signal(SIGHUP, before);
}

static struct launch_end end_of(const char *const *words)
{
	struct launch_command c = {.words = words};
	struct launch_end end = {.code = -1};
	struct err err = {0};
	pid_t pid = launch_start(&c, &err);

	assert_true(pid > 0);
	assert_int_equal(launch_ended(pid, 1, &end), 1);
	assert_int_equal(launch_ended(pid, 1, &end), 0); /* once: it is nobody's child any more */
	return end;
}

static void an_end_is_told_in_words(void **state)
{
	struct launch_end end = end_of(SH("exit 0"));
	char text[160];

	(void)state;
	assert_true(launch_end_is_good(&end));
	end = end_of(SH("exit 255"));
	assert_false(launch_end_is_good(&end));
	launch_end_text(&end, text, sizeof text);
	assert_string_equal(text, "exited with code 255");
	end = end_of(SH("ulimit -c 0; kill -9 $$"));
	assert_false(launch_end_is_good(&end));
	assert_int_equal(end.signal, SIGKILL);
	launch_end_text(&end, text, sizeof text);
	assert_string_equal(text, "was killed by signal 9 (Killed)");
}

static void who_runs_has_not_ended(void **state)
{
	struct launch_command c = {.words = WORDS("sleep", "1000")};
	struct launch_end end = {.code = 77};
	struct err err = {0};
	pid_t pid = launch_start(&c, &err);

	(void)state;
	assert_true(pid > 0);
	assert_int_equal(launch_ended(pid, 0, &end), 0);
	assert_int_equal(end.code, 77); /* outputs are set only on success */
	assert_int_equal(launch_ended(0, 1, &end), 0);
	assert_int_equal(launch_ended(-1, 1, &end), 0); /* not: any child */
	launch_kill(pid, SIGKILL);
	assert_int_equal(launch_wait(pid), 128 + SIGKILL);
}

/* In a process of its own, which has no children but these: a command leaves a grandchild, and it
 * a grandchild of its own; one child is spared. */
static int orphans_are_made_and_killed(void *self)
{
	const int *end = self;
	struct launch_command leaves = {.words = SH("(sleep 1000 & sleep 1000) & exit 0"),
	                                .keep = end,
	                                .n_keep = 1},
	                      stays = {.words = WORDS("sleep", "1000")};
	struct err err;
	pid_t spared;
	struct launch_end how;

	launch_adopt();
	spared = launch_start(&stays, &err);
	if (spared < 0 || launch_wait(launch_start(&leaves, &err)) != 0)
		return 1;
	launch_orphans_kill(spared);
	close(*end);
	if (launch_ended(spared, 0, &how))
		return 2; /* it was to be spared */
	launch_orphans_kill(0);
	return launch_wait(spared) == 1 ? 0 : 3; /* gone and reaped */
}

static void nothing_is_left_behind(void **state)
{
	struct err err = {0};
	int ends[2];
	pid_t pid;

	(void)state;
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	pid = launch_body(orphans_are_made_and_killed, &ends[1], &err);
	assert_true(pid > 0);
	close(ends[1]);
	assert_true(writers_gone(ends[0], 5000));
	assert_int_equal(launch_wait(pid), 0);
	close(ends[0]);
}

/* Within 5 s: processes need time to come to rest. */
static int comes_to(pid_t pid, int sleeps)
{
	for (int i = 0; i < 500 && launch_sleeps(pid) != sleeps; i++)
		usleep(10000);
	return launch_sleeps(pid) == sleeps;
}

static void who_sleeps_waits_for_others(void **state)
{
	struct launch_command sleeps = {.words = WORDS("sleep", "1000")},
	                      works = {.words = SH("while :; do :; done")},
	                      waits = {.words = SH("sleep 1000; true"), .own_group = 1};
	struct err err = {0};
	pid_t a = launch_start(&sleeps, &err), b = launch_start(&works, &err),
	      c = launch_start(&waits, &err);

	(void)state;
	assert_true(a > 0 && b > 0 && c > 0);
	assert_true(comes_to(a, 1));
	assert_true(comes_to(b, 0));
	assert_true(comes_to(c, 0)); /* it waits for a child of its own */
	launch_kill(a, SIGKILL);
	launch_kill(b, SIGKILL);
	launch_kill(c, SIGKILL);
	assert_true(comes_to(a, 0)); /* it is no more */
	launch_wait(a);
	launch_wait(b);
	launch_wait(c);
	assert_int_equal(launch_sleeps(a), 0);
}

/* As the shell says it; whoever waits for its end finds nothing changed. */
static void who_is_stopped_is_told_by_its_signal(void **state)
{
	static const int signals[] = {SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU};
	struct launch_command sleeps = {.words = WORDS("sleep", "1000"), .own_group = 1};
	struct launch_end end;
	struct err err = {0};

	(void)state;
	for (size_t k = 0; k < sizeof signals / sizeof *signals; k++) {
		pid_t pid = launch_start(&sleeps, &err);

		assert_true(pid > 0);
		assert_int_equal(launch_stopped(pid), 0);
		kill(pid, signals[k]);
		for (int i = 0; i < 500 && launch_stopped(pid) == 0; i++)
			usleep(10000);
		assert_int_equal(launch_stopped(pid), signals[k]);
		assert_int_equal(launch_stopped(pid), signals[k]);
		assert_int_equal(launch_ended(pid, 0, &end), 0);
		kill(pid, SIGCONT);
		for (int i = 0; i < 500 && launch_stopped(pid) != 0; i++)
			usleep(10000);
		assert_int_equal(launch_stopped(pid), 0);
		launch_kill(pid, SIGKILL);
		launch_wait(pid);
		assert_int_equal(launch_stopped(pid), 0);
	}
	assert_int_equal(launch_stopped(0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(exit_codes_come_back),
	    cmocka_unit_test(who_is_stopped_is_told_by_its_signal),
	    cmocka_unit_test(what_cannot_start_is_told),
	    cmocka_unit_test(a_command_that_is_not_installed),
	    cmocka_unit_test(what_cannot_start_is_told_amid_signals),
	    cmocka_unit_test(a_failing_command_is_an_error),
	    cmocka_unit_test(folder_environment_and_streams),
	    cmocka_unit_test(long_output_is_cut_and_does_not_block),
	    cmocka_unit_test(only_what_is_kept_is_inherited),
	    cmocka_unit_test(a_body_of_ours),
	    cmocka_unit_test(children_end_with_their_parent),
	    cmocka_unit_test(all_of_a_command_ends_with_us),
	    cmocka_unit_test(all_of_a_command_that_fails_ends),
	    cmocka_unit_test(all_ends_without_the_keeper),
	    cmocka_unit_test(what_is_meant_to_stay_stays),
	    cmocka_unit_test(a_group_is_reached_as_a_whole),
	    cmocka_unit_test(termination_is_handed_on),
	    cmocka_unit_test(who_does_not_end_when_told_is_killed),
	    cmocka_unit_test(what_we_are_to_ignore_is_ignored),
	    cmocka_unit_test(an_end_is_told_in_words),
	    cmocka_unit_test(who_runs_has_not_ended),
	    cmocka_unit_test(nothing_is_left_behind),
	    cmocka_unit_test(who_sleeps_waits_for_others),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
