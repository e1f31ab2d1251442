/* fault_command.c: memory runs out while the settings of a traced run are put into a command: it is
 * the whole command, or an error, and nothing leaks. */
#include "fault/fault.h"
#include "test.h"

#include "launch/command.h"

#include <stdlib.h>
#include <string.h>

/* Two programs, the first with an --export of the user's; values longer than a text begins with. */
static const char *const words[] = {
    "srun", "--export=HOME,PATH", "-n", "2", "nowhere/a", ":", "-n", "4", "b", NULL};
static const struct setting settings[] = {
    {"LD_PRELOAD",
     "/a/folder/whose/name/is/longer/than/what/a/text/begins/with/liborrery_trace.so"},
    {"ORRERY_TRACE", "/another/folder/of/such/a/name/where/the/ranks/are/to/write/what/they/do"},
    {"ORRERY_FORM", "compressed"},
};

static int with_settings(void *arg, struct err *err)
{
	const enum launch_way *way = arg;
	struct command c = {.argv = words,
	                    .argc = sizeof words / sizeof *words - 1,
	                    .program = 4,
	                    .srun = *way == LAUNCH_SRUN ? 0 : -1,
	                    .way = *way,
	                    .family = MPI_OPENMPI};
	char **made = command_with(&c, settings, sizeof settings / sizeof *settings, err);

	for (char **w = made; w && *w; w++) {
		fault_told(*w, strlen(*w) + 1);
		free(*w);
	}
	free(made);
	return made ? 0 : -1;
}

static void it_is_the_whole_command(void **state)
{
	enum launch_way ways[] = {LAUNCH_OPENMPI, LAUNCH_HYDRA, LAUNCH_SRUN, LAUNCH_ENV};

	(void)state;
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
		assert_true(fault_sweep(FAULT_ALLOC, with_settings, &ways[i]) > 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(it_is_the_whole_command)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
