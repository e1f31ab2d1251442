/* fault_run.c: memory runs out, or a file cannot be read, while a running program's plan is looked
 * at: its computations, its place for a trace, what its processes find. The error is worded, and
 * nothing leaks. */
#include "fault/fault.h"

#include "run/computation.h"
#include "run/run.h"
#include "tmp.h"

static struct tmp tmp;

static int amounts_taken(void *arg, struct err *err)
{
	struct computation c = {.kind = LIVE_NONE};
	int r = computation_take(&c, arg, err);

	computation_release(&c);
	return r;
}

static int plan_made(void *arg, struct err *err)
{
	static char program[] = "/bin/true";
	static char *const command[] = {program, NULL};
	static const char *const fold[] = {"64KiB", "panel=1MiB"}, *const kernels[] = {
	                                                               "dgemm_=0.002"};
	const struct run_plan plan = {.command = command,
	                              .n_words = 1,
	                              .computation = arg,
	                              .fold = fold,
	                              .n_folds = 2,
	                              .kernel = kernels,
	                              .n_kernels = 1};
	struct running *r;

	setenv("ORRERY_MPI_DIR", "/ours", 1);
	unsetenv("LD_PRELOAD");
	r = running_new(&plan, err);
	if (!r)
		return -1;
	running_free(r);
	fault_told(getenv("LD_PRELOAD"), strlen(getenv("LD_PRELOAD")));
	return 0;
}

static char *amounts_file(void)
{
	static char path[300];

	snprintf(path, sizeof path, "%s/amounts", tmp.dir);
	return path;
}

static void memory_runs_out(void **state)
{
	(void)state;
	assert_true(fault_sweep(FAULT_ALLOC, amounts_taken, amounts_file()) > 0);
	assert_true(fault_sweep(FAULT_ALLOC, plan_made, amounts_file()) > 0);
}

static void files_cannot_be_read(void **state)
{
	(void)state;
	assert_true(fault_sweep(FAULT_READ, amounts_taken, amounts_file()) > 0);
	assert_true(fault_sweep(FAULT_OPEN, amounts_taken, amounts_file()) > 0);
	assert_true(fault_sweep(FAULT_OPEN, plan_made, amounts_file()) > 0);
}

static int files_make(void **state)
{
	(void)state;
	tmp_init(&tmp);
	tmp_write(&tmp, "amounts",
	          "# orrery-computation 1\nregion a>b 1\nregion b>a 1e6 volume\nrest 0.5\n");
	return 0;
}

static int files_remove(void **state)
{
	(void)state;
	tmp_release(&tmp);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(memory_runs_out),
	    cmocka_unit_test(files_cannot_be_read),
	};
	return cmocka_run_group_tests(tests, files_make, files_remove);
}
