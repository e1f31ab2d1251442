/* test_no_process.c: what is told where the kernel gives no process more: fork is the test's. */
#include "launch/launch.h"
#include "test.h"

#include <errno.h>
#include <sys/resource.h>
#include <unistd.h>

static rlim_t most; /* processes of the user */

pid_t fork(void)
{
	errno = EAGAIN;
	return -1;
}

int getrlimit(__rlimit_resource_t what, struct rlimit *out)
{
	if (what != RLIMIT_NPROC)
		return prlimit(0, what, NULL, out);
	*out = (struct rlimit){most, most};
	return 0;
}

static int nothing(void *self)
{
	(void)self;
	return 0;
}

static void refused(const char *limit)
{
	struct launch_command c = {.words = (const char *const[]){"true", NULL}};
	struct err err;

	assert_int_equal(launch_start(&c, &err), -1);
	assert_int_equal(err.kind, ERR_LIMIT);
	assert_non_null(strstr(err.text, limit));
	assert_int_equal(launch_body(nothing, NULL, &err), -1);
	assert_int_equal(err.kind, ERR_LIMIT);
	assert_non_null(strstr(err.text, limit));
}

static void no_process(void **state)
{
	(void)state;
	most = 7;
	refused("(`ulimit -u`: 7; ");
	most = RLIM_INFINITY; /* then it is a limit of the container, or of the job */
	refused("(`ulimit -u`: unlimited; ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(no_process)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
