/* fault_verbs.c: memory runs out at any point of a verb: it ends with an error of kind ERR_LIMIT
 * (exit code 3) in words, and nothing leaks. tests/e2e/faults_memory.sh does the first fifty
 * allocations of every verb in a process of its own; here all of them, and what is left. */
#include "fault/fault.h"

#include "../../unit/cli/verb.h"

/* A path that has stretches, and tells no wall time: it is the same whatever failed before it. */
static int is_told(const char *const *words)
{
	for (; *words; words++)
		if (strcmp(*words, "critical-path") == 0)
			return 1;
	return 0;
}

static int ran(void *arg, struct err *err)
{
	static struct ran r;

	run(&r, arg);
	*err = r.err;
	if (r.code == 0 && is_told(arg))
		fault_told(r.out, strlen(r.out));
	return r.code;
}

/* The verb works as it is, and fails at no less than so many places. */
static void sweep(const char *const *words, int least)
{
	struct err err;
	int n;

	if (ran((void *)(uintptr_t)words, &err) != 0)
		fail_msg("%s %s: %s", words[0], words[1], err.text);
	n = fault_sweep(FAULT_ALLOC, ran, (void *)(uintptr_t)words);
	if (n < least)
		fail_msg("%s %s: only %d allocations", words[0], words[1], n);
}
#define SWEEP(least, ...) sweep((const char *const[]){__VA_ARGS__, NULL}, least)

static struct files files;
static char record[512], timed[512];

static int setup(void **state)
{
	static struct ran r;

	(void)state;
	files_init(&files);
	snprintf(record, sizeof record, "%s/r.rec", files.tmp.dir);
	snprintf(
	    timed, sizeof timed, "%s",
	    tmp_write(&files.tmp, "timed.tit",
	              "# orrery-trace 1 ranks=2\n0 compute 2e9 t=2.5\n0 send 1 7 1000 6 t=1e-6\n"
	              "1 recv 0 7 1000 6 t=2.5\n"));
	RUNS(&r, "replay", files.trace, "-p", files.machine, "--record", record, "-q");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	tmp_release(&files.tmp);
	return 0;
}

static void replays(void **state)
{
	(void)state;
	SWEEP(80, "replay", files.trace, "-p", files.machine, "--cfg", PLAIN, "--json");
	SWEEP(80, "replay", files.trace, "-p", files.machine, "--profile", "-q");
	SWEEP(80, "replay", files.trace, "-p", files.machine, "--explain", "message:1");
	SWEEP(80, "replay", files.trace, "-p", files.machine, "--explain", "critical-path", "-q");
}

static void platforms(void **state)
{
	(void)state;
	SWEEP(5, "platform", "list");
	SWEEP(20, "platform", "check", files.machine);
	SWEEP(20, "platform", "show", files.machine, "--route", "a,b");
	SWEEP(3, "platform", "generate", "flat", "4");
}

static void traces(void **state)
{
	char out[512];

	(void)state;
	snprintf(out, sizeof out, "%s/out", files.tmp.dir);
	SWEEP(10, "info", files.trace);
	SWEEP(10, "info", files.trace, "--json");
	SWEEP(10, "convert", files.trace, "-o", out, "-f", "merged", "--force", "-q");
}

static void recordings(void **state)
{
	char out[512];

	(void)state;
	snprintf(out, sizeof out, "%s/x.json", files.tmp.dir);
	SWEEP(10, "export", record, "-o", out, "-q");
	SWEEP(10, "diff", record, timed);
}

static void collectives(void **state)
{
	(void)state;
	SWEEP(50, "coll", "scan", "-p", files.machine, "--np", "2", "--bytes", "8", "--threads",
	      "1");
	SWEEP(50, "tune", "-p", files.machine, "--np", "2", "--bytes", "8", "--threads", "1",
	      "--operations", "bcast");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(replays),    cmocka_unit_test(platforms),   cmocka_unit_test(traces),
	    cmocka_unit_test(recordings), cmocka_unit_test(collectives),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
