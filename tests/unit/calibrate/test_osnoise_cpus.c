/* Lists of processors, as taskset has them. */
#include "calibrate/osnoise/osnoise.h"

#include "test.h"

static void list_is(const char *text, int n, const int *cpu)
{
	struct os_cpus c = {0};
	struct err err = {0};

	assert_ok(os_cpus_parse(&c, text, &err), err);
	assert_int_equal(c.n, n);
	for (int i = 0; i < n; i++)
		assert_int_equal(c.cpu[i], cpu[i]);
	free(c.cpu);
}

static void lists_in_order_each_once(void **state)
{
	(void)state;
	list_is("0", 1, (const int[]){0});
	list_is("0-3,8", 5, (const int[]){0, 1, 2, 3, 8});
	list_is("8,0-1", 3, (const int[]){8, 0, 1});
	list_is("1-2,2-3,1", 3, (const int[]){1, 2, 3});
	list_is("5-5", 1, (const int[]){5});
}

static void what_is_no_list_is_refused(void **state)
{
	static const char *const texts[] = {"",  "x",   "3-1", "-1",  "1-",     "1,,2",
	                                    ",", "0x1", "1.5", "1;2", "999999", "0-999999"};

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct os_cpus c = {0};
		struct err err = {0};

		if (os_cpus_parse(&c, texts[i], &err) == 0)
			fail_msg("'%s' was taken", texts[i]);
		assert_int_equal(err.kind, ERR_INPUT);
		assert_non_null(strstr(err.text, "--cpus"));
		free(c.cpu);
	}
}

static void those_of_this_process_are_there(void **state)
{
	struct os_cpus c = {0};
	struct err err = {0};

	(void)state;
	assert_ok(os_cpus_all(&c, &err), err);
	assert_true(c.n >= 1);
	for (int i = 1; i < c.n; i++)
		assert_true(c.cpu[i - 1] < c.cpu[i]);
	free(c.cpu);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(lists_in_order_each_once),
	    cmocka_unit_test(what_is_no_list_is_refused),
	    cmocka_unit_test(those_of_this_process_are_there),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
