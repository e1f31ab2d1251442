/* fault_files.c: files that a live run reads before its ranks start: amounts of regions, models of
 * kernels, the program and its libraries; and what a rank is started with. Each allocation, read
 * and open fails in turn. */
#include "live/amounts.h"
#include "live/can_run.h"
#include "live/kernels.h"
#include "live/starting.h"

#include "fault/fault.h"
#include "tmp.h"

static struct tmp tmp;

static void told(const struct str *s)
{
	fault_told(s->s ? s->s : "", s->n);
}

static int read_amounts(void *arg, struct err *err)
{
	struct amounts a;

	if (amounts_read(&a, arg, err) < 0)
		return -1;
	for (uint32_t i = 0; i < a.n; i++)
		fault_told(&a.amount[i].value, sizeof a.amount[i].value);
	fault_told(&a.rest, sizeof a.rest);
	amounts_release(&a);
	return 0;
}

/* Forty regions: table and list grow on the way. */
static void amounts(void **state)
{
	static const enum fault_kind kinds[] = {FAULT_ALLOC, FAULT_READ, FAULT_OPEN};
	char text[4096] = "# orrery-computation 1\nrest measured\n", *path;

	(void)state;
	for (int i = 0; i < 40; i++)
		snprintf(text + strlen(text), sizeof text - strlen(text),
		         "region a.c:%d>b.c:%d %d.5 volume\n", i, i + 1, i);
	path = strdup(tmp_write(&tmp, "amounts", text));
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		assert_true(fault_sweep(kinds[i], read_amounts, path) >= (i ? 1 : 5));
	free(path);
}

/* A file of models and a time. */
static int read_kernels(void *arg, struct err *err)
{
	static const char *const hosts[] = {"here", "there"};
	struct live_kernels *k = NULL;
	int result = live_kernels_add(&k, arg, err);

	if (result == 0)
		result = live_kernels_add(&k, "daxpy_=0.5", err);
	for (size_t i = 0; i < 2 && result == 0; i++) {
		struct str s;

		str_init(&s);
		fault_hold(1); /* a text that has no memory is cut: strings say so by themselves */
		live_kernels_text(k, hosts[i], 0, &s);
		fault_hold(0);
		told(&s);
		str_release(&s);
	}
	live_kernels_free(k);
	return result;
}

static void kernels(void **state)
{
	static const enum fault_kind kinds[] = {FAULT_ALLOC, FAULT_READ, FAULT_OPEN};
	char argument[300];

	(void)state;
	snprintf(argument, sizeof argument, "dgemm_=%s",
	         tmp_write(&tmp, "models",
	                   "{\"hosts\":[{\"host\":\"here\",\"mean\":{\"mnk\":2}},"
	                   "{\"host\":\"there\",\"mean\":{\"1\":4}}]}\n"));
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		assert_true(fault_sweep(kinds[i], read_kernels, argument) >= (i ? 1 : 4));
}

/* Whose libraries are found is told as it is, or it is an error. */
static int look_at(void *arg, struct err *err)
{
	struct can_run c;

	if (can_run_check(arg, "/nonexistent", &c, err) < 0)
		return -1;
	fault_told(&c.kind, sizeof c.kind);
	fault_told(&c.functions.n, sizeof c.functions.n);
	told(&c.lost);
	told(&c.missing);
	told(&c.alone);
	can_run_release(&c);
	return 0;
}

static void program(void **state)
{
	static char self[] = "/proc/self/exe";

	(void)state;
	assert_true(fault_sweep(FAULT_ALLOC, look_at, self) >= 4);
	assert_true(fault_sweep(FAULT_OPEN, look_at, self) >= 1);
}

/* How a rank that another program starts ended; -1: it was not started. */
static int wrapped_code(struct err *err)
{
	static const char *const wrap[] = {"0:env WRAPPED=yes"};
	static const uint32_t host[] = {0};
	char shell[] = "sh", option[] = "-c", script[] = "exit 7";
	char *const words[] = {shell, option, script, NULL};
	const struct live_options o = {
	    .command = words, .library = "/nowhere", .wrap = wrap, .n_wrap = 1};
	struct starting *s = starting_new(&o, 1, 1, host, "segment", err);
	pid_t child = s ? starting_rank(s, 0, err) : -1;
	int code = child > 0 ? launch_wait(child) : -1;

	starting_free(s);
	return code;
}

/* It is started with all of its words, or not at all. A process that is to become it makes its
 * environment, and may lack memory for it, too: it counts what it inherits. */
static void wrapped(void **state)
{
	enum { NOT_STARTED_LEAST = 8, TRIES = 60 };
	int not_started = 0;

	(void)state;
	for (int n = 1; n <= TRIES; n++) {
		struct err err = {0};
		int code;

		fault_start(FAULT_ALLOC, n);
		code = wrapped_code(&err);
		fault_stop();
		if (code == -1)
			assert_int_equal(err.kind, ERR_LIMIT);
		else
			assert_int_equal(code, 7);
		not_started += code == -1;
	}
	assert_in_range(not_started, NOT_STARTED_LEAST, TRIES - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(amounts), cmocka_unit_test(kernels),
	                                   cmocka_unit_test(program), cmocka_unit_test(wrapped)};
	int failed;

	tmp_init(&tmp);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	tmp_release(&tmp);
	return failed;
}
