/* test_memory.c: what is left, from texts as Linux writes them (proc(5), cgroup v2). */
#include "base/memory.h"

#include "test.h"

#include <stdio.h>
#include <unistd.h>

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

/* The flags of the mapping that an address is in (proc(5), smaps); 0: it is in none. */
static int flags_of(const void *at, char *flags, size_t size)
{
	FILE *f = fopen("/proc/self/smaps", "r");
	unsigned long long from, to, place = (uintptr_t)at;
	char line[512];
	int inside = 0, found = 0;

	while (f && !found && fgets(line, sizeof line, f)) {
		if (sscanf(line, "%llx-%llx ", &from, &to) == 2)
			inside = from <= place && place < to;
		else if (inside && strncmp(line, "VmFlags:", 8) == 0)
			found = snprintf(flags, size, "%s", line) > 0;
	}
	if (f)
		fclose(f);
	return found;
}

/* "hg": the mapping was advised to have huge pages. Where the kernel has none it is not. */
static void large_pages_for_large_arrays_only(void **state)
{
	enum { LARGE = 32 << 20, SMALL = 64 << 10 };
	char *large = aligned_alloc(4096, LARGE), *small = aligned_alloc(4096, SMALL), flags[512];

	(void)state;
	assert_non_null(large);
	assert_non_null(small);
	memory_large_pages(large, LARGE);
	memory_large_pages(small, SMALL);
	memset(large, 1, LARGE);
	assert_int_equal(large[LARGE - 1], 1);
	if (access("/sys/kernel/mm/transparent_hugepage/enabled", R_OK) == 0 &&
	    flags_of(large + LARGE / 2, flags, sizeof flags))
		assert_non_null(strstr(flags, " hg"));
	if (flags_of(small, flags, sizeof flags))
		assert_null(strstr(flags, " hg"));
	free(large);
	free(small);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(left), cmocka_unit_test(checked),
	                                   cmocka_unit_test(large_pages_for_large_arrays_only)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
