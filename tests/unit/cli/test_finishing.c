/* test_finishing.c: what is said when a signal ends a verb that makes a trace, and when not. */
#include "test.h"

#include "cli/finishing.h"

#include <sys/wait.h>
#include <unistd.h>

enum { BEFORE, WITHIN, AFTER };

/* A process gets the signal before, within or after: how it ended, and what it said. */
static int ended(int when, int sig, int ignored, const char *folder, char *said, size_t n)
{
	struct finishing f;
	int ends[2], status;
	ssize_t got, all = 0;
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (pid == 0) {
		dup2(ends[1], STDERR_FILENO);
		signal(sig, ignored ? SIG_IGN : SIG_DFL);
		finishing_begin(&f, folder);
		if (when == WITHIN) {
			kill(getpid(), sig);
			if (!ignored)
				pause();
		}
		finishing_end(&f);
		if (when == AFTER)
			kill(getpid(), sig);
		_exit(7);
	}
	close(ends[1]);
	while ((got = read(ends[0], said + all, n - 1 - (size_t)all)) > 0)
		all += got;
	said[all] = '\0';
	close(ends[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static void within(void **state)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	char said[1024];

	(void)state;
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
		assert_int_equal(ended(WITHIN, signals[i], 0, "/tmp/a trace", said, sizeof said),
		                 -signals[i]);
		assert_non_null(strstr(said, "'orrery gather /tmp/a trace -o FOLDER' makes one"));
		assert_int_equal(strchr(said, '\n') - said + 1, (long)strlen(said));
	}
}

static void otherwise(void **state)
{
	char said[1024];

	(void)state;
	/* as any process ends */
	assert_int_equal(ended(AFTER, SIGTERM, 0, "t", said, sizeof said), -SIGTERM);
	assert_string_equal(said, "");
	assert_int_equal(ended(WITHIN, SIGTERM, 0, NULL, said, sizeof said), -SIGTERM);
	assert_string_equal(said, "");
	/* nohup */
	assert_int_equal(ended(WITHIN, SIGHUP, 1, "t", said, sizeof said), 7);
	assert_string_equal(said, "");
	assert_int_equal(ended(BEFORE, SIGTERM, 0, "t", said, sizeof said), 7);
	assert_string_equal(said, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(within), cmocka_unit_test(otherwise)};

	return cmocka_run_group_tests_name("cli/finishing", tests, NULL, NULL);
}
