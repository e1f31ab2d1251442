/* A plan to what a simulation is told of the program, and to what its processes find in their
 * environment. The programs are scripts, of whose files nothing is known. */
#include "run/run.h"

#include "test.h"
#include "tmp.h"

#include <stdlib.h>

static char program[] = "/bin/true", word[] = "3";
static char *const command[] = {program, word, NULL};

static void environment_clear(void)
{
	static const char *const names[] = {"LD_AUDIT", "LD_PRELOAD", "ORRERY_FOLD",
	                                    "ORRERY_KERNELS"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		unsetenv(names[i]);
	setenv("ORRERY_MPI_DIR", "/ours", 1);
}

static struct running *made(const struct run_plan *plan)
{
	struct err err = {0};
	struct running *r;

	environment_clear();
	r = running_new(plan, &err);
	if (!r)
		fail_msg("%s", err.text);
	return r;
}

/* What the source says of itself for so many ranks. */
static struct sim_about told(const struct run_plan *plan, uint32_t np, char *words, size_t n)
{
	struct running *r = made(plan);
	struct sim_source s = running_source(r);
	struct sim_about about = {0};
	struct str notices;
	struct err err = {0};

	str_init(&notices);
	assert_ok(s.open(s.self, np, &about, &notices, &err), err);
	assert_int_equal(notices.n, 0);
	snprintf(words, n, "%s", about.program);
	s.close(s.self);
	running_free(r);
	str_release(&notices);
	return about;
}

static void a_source_tells_its_command_and_its_ranks(void **state)
{
	struct run_plan plan = {.command = command, .n_words = 2};
	struct sim_about about;
	char words[64];

	(void)state;
	about = told(&plan, 4, words, sizeof words);
	assert_string_equal(words, "/bin/true 3");
	assert_int_equal(about.ranks, 4);
	assert_int_equal(about.spare, 0); /* it names no MPI_Comm_spawn */
	assert_int_equal(about.live, 1);
	assert_int_equal(about.complete, SIM_COMPLETE);
	assert_int_equal(told(&plan, 0, words, sizeof words).ranks, 1);
}

static void the_universe_is_of_ranks_however_held(void **state)
{
	struct run_plan plan = {.command = command, .n_words = 2, .universe = 10};
	char words[64];

	(void)state;
	assert_int_equal(told(&plan, 4, words, sizeof words).spare, 6);
	assert_int_equal(told(&plan, 10, words, sizeof words).spare, 0);
	assert_int_equal(told(&plan, 12, words, sizeof words).spare, 0);
	plan.holding = LIVE_COROUTINES;
	assert_int_equal(told(&plan, 4, words, sizeof words).spare, 6);
}

static void the_loader_is_led_to_our_library(void **state)
{
	struct run_plan plan = {.command = command, .n_words = 2};

	(void)state;
	running_free(made(&plan));
	assert_string_equal(getenv("LD_AUDIT"), "/ours/liborrery_find.so");
	assert_string_equal(getenv("LD_PRELOAD"), "");
	assert_null(getenv("ORRERY_FOLD"));
	assert_null(getenv("ORRERY_KERNELS"));
}

/* Before what the user loads, which stays. */
static void folding_loads_the_guest(void **state)
{
	const char *fold[] = {"64KiB", "panel_new=1MiB"};
	struct run_plan plan = {.command = command, .n_words = 2, .fold = fold, .n_folds = 2};
	struct err err = {0};
	struct running *r;

	(void)state;
	environment_clear();
	setenv("LD_PRELOAD", "libm.so.6", 1);
	setenv("LD_AUDIT", "/theirs.so", 1);
	r = running_new(&plan, &err);
	assert_non_null(r);
	running_free(r);
	assert_string_equal(getenv("LD_PRELOAD"), "/ours/liborrery_guest.so libm.so.6");
	assert_string_equal(getenv("LD_AUDIT"), "/ours/liborrery_find.so:/theirs.so");
	assert_string_equal(getenv("ORRERY_FOLD"), "65536");
	assert_string_equal(getenv("ORRERY_FOLD_AT"), "panel_new=1048576;");
	environment_clear();
}

static void refused(struct run_plan plan, const char *words)
{
	struct err err = {0};

	environment_clear();
	plan.command = command;
	plan.n_words = 2;
	assert_null(running_new(&plan, &err));
	assert_int_equal(err.kind, ERR_INPUT);
	if (!strstr(err.text, words))
		fail_msg("\"%s\" is not in: %s", words, err.text);
	environment_clear();
}

/* The first size of a page up is folded; text that is no size, and a size below it, are refused. */
static void folds_are_of_a_page_at_least(void **state)
{
	static const struct {
		const char *fold, *words;
	} wrong[] = {{"4095", "at least 4096 bytes"},
	             {"panel=4095", "at least 4096 bytes"},
	             {"=64KiB", "SIZE or FUNCTION=SIZE"},
	             {"a;b=64KiB", "SIZE or FUNCTION=SIZE"},
	             {"much", "much"}};
	const char *fold[] = {"64KiB", "4096", "a=1MiB", "b=4KiB"};
	struct run_plan plan = {.command = command, .n_words = 2, .fold = fold, .n_folds = 4};

	(void)state;
	running_free(made(&plan));
	assert_string_equal(getenv("ORRERY_FOLD"), "4096"); /* the last one told */
	assert_string_equal(getenv("ORRERY_FOLD_AT"), "a=1048576;b=4096;");
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		refused((struct run_plan){.fold = &wrong[i].fold, .n_folds = 1}, wrong[i].words);
}

/* What the user says of a Fortran program's lines stays. */
static void lines_of_fortran_leave_at_once(void **state)
{
	static const char name[] = "GFORTRAN_UNBUFFERED_PRECONNECTED";
	struct run_plan plan = {.command = command, .n_words = 2};

	(void)state;
	unsetenv(name);
	running_free(made(&plan));
	assert_string_equal(getenv(name), "y");
	setenv(name, "n", 1);
	running_free(made(&plan));
	assert_string_equal(getenv(name), "n");
}

static void a_kernel_is_handed_to_the_ranks(void **state)
{
	static const char *const kernels[] = {"dgemm_=0.002"};
	struct run_plan plan = {
	    .command = command, .n_words = 2, .kernel = kernels, .n_kernels = 1};

	(void)state;
	running_free(made(&plan));
	assert_string_equal(getenv("LD_PRELOAD"), "/ours/liborrery_guest.so");
	environment_clear();
}

static void what_cannot_be_read_is_refused(void **state)
{
	static const char *const kernels[] = {"nothing_of_the_kind=2ms"};

	(void)state;
	refused((struct run_plan){.computation = "/nowhere/amounts"}, "/nowhere/amounts");
	refused((struct run_plan){.kernel = kernels, .n_kernels = 1}, "nothing_of_the_kind");
}

static void refused_program(const char *name, const char *words)
{
	struct run_plan plan = {.n_words = 1};
	struct err err = {0};
	char text[300];
	char *const one[] = {text, NULL};

	environment_clear();
	snprintf(text, sizeof text, "%s", name);
	plan.command = one;
	assert_null(running_new(&plan, &err));
	assert_int_equal(err.kind, ERR_INPUT);
	if (!strstr(err.text, words))
		fail_msg("\"%s\" is not in: %s", words, err.text);
	environment_clear();
}

/* Ranks are started here: by no launcher; and of what a process can be. */
static void what_is_no_program_is_refused(void **state)
{
	static const char *const launchers[] = {"mpirun", "/opt/mpi/bin/mpiexec.hydra", "srun"};
	struct tmp t;

	(void)state;
	for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++)
		refused_program(launchers[i], "give the program alone");
	refused_program("", "name of the program is empty");
	tmp_init(&t);
	refused_program(t.dir, "is a folder");
	refused_program(tmp_write(&t, "plain", "text"), "chmod +x");
	refused_program(tmp_write(&t, "srunner", ""), "chmod +x"); /* another name */
	tmp_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_source_tells_its_command_and_its_ranks),
	    cmocka_unit_test(the_universe_is_of_ranks_however_held),
	    cmocka_unit_test(the_loader_is_led_to_our_library),
	    cmocka_unit_test(folding_loads_the_guest),
	    cmocka_unit_test(folds_are_of_a_page_at_least),
	    cmocka_unit_test(lines_of_fortran_leave_at_once),
	    cmocka_unit_test(a_kernel_is_handed_to_the_ranks),
	    cmocka_unit_test(what_cannot_be_read_is_refused),
	    cmocka_unit_test(what_is_no_program_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
