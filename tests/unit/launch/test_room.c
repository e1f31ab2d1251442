/* test_room.c: which limit forbids so many processes, by the limits as they are given. */
#include "launch/room.h"

#include "test.h"

#include <string.h>

static const struct room all = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};

static void forbidden(struct room r, uint64_t n, const char *text)
{
	struct err err;

	assert_int_equal(room_check(&r, n, 1 << 18, &err), -1);
	assert_int_equal(err.kind, ERR_LIMIT);
	if (!strstr(err.text, text))
		fail_msg("not \"%s\": %s", text, err.text);
}

static void limits(void **state)
{
	struct err err;
	struct room r = all;

	(void)state;
	assert_int_equal(room_check(&r, 1000000, 1 << 18, &err), 0);
	r.user = r.group = r.computer = 100;
	r.memory = 100 << 18; /* for a hundred, and not for one more */
	assert_int_equal(room_check(&r, 100, 1 << 18, &err), 0);
	forbidden(r, 101, "this user may have 100 (`ulimit -u`)");
	r.user = UINT64_MAX;
	forbidden(r, 101, "may start 100 more (pids.max");
	r.group = UINT64_MAX;
	forbidden(r, 101, "has at most 100 (`sysctl kernel.pid_max");
	r.computer = UINT64_MAX;
	forbidden(r, 101,
	          "101 ranks are as many processes, of 256 KiB at the least, and this "
	          "computer has 25 MiB left");
}

/* Of the kernel's texts: what says no number is no limit. */
static void of_group(void **state)
{
	(void)state;
	assert_int_equal(room_of_group("10\n", "3\n"), 7);
	assert_int_equal(room_of_group("3\n", "10\n"), 0);
	assert_int_equal(room_of_group("max\n", "10\n"), UINT64_MAX);
	assert_int_equal(room_of_group("10\n", "\n"), UINT64_MAX);
	assert_int_equal(room_of_group("10\n", "?"), UINT64_MAX);
	assert_int_equal(room_of_group("10\n", NULL), UINT64_MAX);
	assert_int_equal(room_of_group(NULL, "3\n"), UINT64_MAX);
}

/* pid_max is at most 2^22 on every Linux. */
static void here(void **state)
{
	struct room r = room_now();
	struct err err;

	(void)state;
	assert_true(r.computer > 1 && r.computer <= 1 << 22);
	assert_true(r.memory > 0);
	assert_int_equal(room_check(&r, 1, 1, &err), 0);
	assert_int_equal(room_check(&r, UINT64_C(1) << 23, 0, &err), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(limits), cmocka_unit_test(of_group),
	                                   cmocka_unit_test(here)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
