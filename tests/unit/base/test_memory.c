/* test_memory.c: what is left, from texts as Linux writes them (proc(5), cgroup v2). */
#include "base/memory.h"

#include "test.h"

static const char meminfo[] = "MemTotal:       24683692 kB\nMemFree:        19874564 kB\n"
                              "MemAvailable:   23456789 kB\nSwapTotal:      1000 kB\n"
                              "SwapFree:            211 kB\n";

static void left(void **state)
{
	const uint64_t all = 23457000ull << 10;

	(void)state;
	assert_int_equal(memory_left_of(meminfo, NULL, NULL), all);
	assert_int_equal(memory_left_of(meminfo, "max\n", "1000\n"), all);
	assert_int_equal(memory_left_of(meminfo, "5000\n", "1000\n"), 4000);
	assert_int_equal(memory_left_of(meminfo, "5000\n", "6000\n"), 0);
	assert_int_equal(memory_left_of(meminfo, "99999999999999\n", "1000\n"), all);
	assert_true(memory_left_of(NULL, NULL, NULL) == UINT64_MAX);
	assert_true(memory_left_of("MemFree: 1 kB\n", NULL, NULL) == UINT64_MAX);
	assert_int_equal(memory_left_of(NULL, "5000\n", "1000\n"), 4000);
}

static void checked(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(memory_check(1000, "events", &err), 0);
	assert_true(memory_left() > 0);
	assert_int_equal(memory_check(UINT64_MAX - 1, "events", &err),
	                 memory_left() < UINT64_MAX ? -1 : 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(left), cmocka_unit_test(checked)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
