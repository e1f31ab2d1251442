/* fault_config.c: every allocation of the settings fails in turn. */
#include "base/config.h"

#include "fault/fault.h"
#include "test.h"

static int set_some(void *arg, struct err *err)
{
	struct config c;
	int result;

	if (config_init(&c, err) < 0)
		return -1;
	result = config_set_all(&c, arg, CFG_FROM_USER, err);
	config_release(&c);
	return result;
}

static void settings(void **state)
{
	static char text[] =
	    "smpi/init:1us,smpi/os:0:1:2;9:1:2 tracing:yes contexts/factory:raw network/model:LV08";

	(void)state;
	assert_true(fault_sweep(FAULT_ALLOC, set_some, text) >= CFG_COUNT + 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(settings)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
