/* fault_verbs.c: memory runs out at any point of a verb: it ends with an error of kind ERR_LIMIT
 * (exit code 3) in words, or with all that it prints and says, or it says that it cannot say all;
 * and nothing leaks. tests/e2e/faults_memory.sh does some of the allocations of every verb in a
 * process of its own; here all of them, and what is left. */
#include "fault/fault.h"

#include "../../unit/cli/verb.h"

/* What is printed, but for how long that took us. */
static void printed_told(const char *out)
{
	const char *line, *end, *wall;

	for (line = out; *line; line = end) {
		end = strchrnul(line, '\n');
		end += *end == '\n';
		wall = memmem(line, (size_t)(end - line), "\"wall_seconds\"", 14);
		if (wall) {
			fault_told(line, (size_t)(wall - line));
			line = strstr(wall, "\"shares\"");
			assert_non_null(line);
		}
		if (!memmem(line, (size_t)(end - line), "actions/s)", 10))
			fault_told(line, (size_t)(end - line));
	}
}

static char said[sizeof((struct ran *)NULL)->told]; /* without a fault */

/* Each line is there, or that memory lacks for it. */
static void said_check(const char *told, const char *verb)
{
	char lines[sizeof said], *rest = lines, *line;

	if (strstr(told, "memory"))
		return;
	memcpy(lines, said, sizeof lines);
	while ((line = strsep(&rest, "\n")))
		if (!strstr(told, line))
			fail_msg("%s: succeeds and says '%s', not '%s'", verb, told, line);
}

static int ran(void *arg, struct err *err)
{
	const char *const *words = arg;
	static struct ran r;

	run(&r, words);
	*err = r.err;
	if (r.code != 0)
		return r.code;
	fault_hold(1);
	printed_told(r.out);
	said_check(r.told, *words);
	fault_hold(0);
	return 0;
}

/* The verb works as it is, and fails at no less than so many places. */
static void sweep(const char *const *words, int least)
{
	static struct ran r;
	int n;

	run(&r, words);
	if (r.code != 0)
		fail_msg("%s %s: %s", words[0], words[1], r.err.text);
	memcpy(said, r.told, sizeof said);
	n = fault_sweep(FAULT_ALLOC, ran, (void *)(uintptr_t)words);
	if (n < least)
		fail_msg("%s %s: only %d allocations", words[0], words[1], n);
}
#define SWEEP(least, ...) sweep((const char *const[]){__VA_ARGS__, NULL}, least)

static struct files files;
static char record[512], timed[512], partial[512];

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
	snprintf(
	    partial, sizeof partial, "%s",
	    tmp_write(&files.tmp, "partial.tit",
	              "# orrery-trace 1 ranks=2\n# manifest ranks: 2\n# manifest complete: no\n"
	              "0 init\n1 init\n"
	              "0 compute 1e6\n0 bcast 100 0 6\n1 bcast 100 0 6\n"
	              "0 recv 1 7 100000 6\n# partial 1\n# end\n"));
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
	SWEEP(80, "replay", timed, "-p", files.machine);
}

static void explanations(void **state)
{
	static const char *const what[] = {"critical-path", "links", "rank:1", "rank:0",
	                                   "message:0-1"};

	(void)state;
	for (size_t i = 0; i < sizeof what / sizeof *what; i++) {
		SWEEP(80, "replay", partial, "-p", files.machine, "--explain", what[i], "--json");
		SWEEP(80, "replay", partial, "-p", files.machine, "--explain", what[i], "--cfg",
		      "smpi/bcast:mpich");
	}
}

static void graphs(void **state)
{
	static struct ran r;
	char goal[512];

	(void)state;
	snprintf(goal, sizeof goal, "%s/t.goal", files.tmp.dir);
	RUNS(&r, "convert", files.trace, "-f", "goal", "-o", goal, "-q");
	SWEEP(80, "replay", goal, "-p", files.machine, "--explain", "links");
	SWEEP(80, "replay", goal, "-p", files.machine, "--explain", "critical-path");
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
	SWEEP(10, "convert", files.trace, "-o", out, "-f", "goal", "--force");
}

static int completion_made(void *arg, struct err *err)
{
	struct completion {
		void (*make)(struct str *out);
	} *c = arg;
	struct str out;
	int r = 0;

	str_init(&out);
	c->make(&out);
	if (out.failed)
		r = err_nomem(err, "a completion", out.n);
	else
		fault_told(out.s, out.n);
	str_release(&out);
	return r;
}

static void completions(void **state)
{
	struct {
		void (*make)(struct str *out);
	} all[] = {{help_completion}, {help_completion_fish}, {help_completion_zsh}};

	(void)state;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		assert_true(fault_sweep(FAULT_ALLOC, completion_made, &all[i]) > 10);
}

static void calibrations(void **state)
{
	char out[512];

	(void)state;
	snprintf(out, sizeof out, "%s/rates", files.tmp.dir);
	SWEEP(10, "calibrate", "cpu", timed, "-o", out);
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
	    cmocka_unit_test(replays),     cmocka_unit_test(platforms),
	    cmocka_unit_test(traces),      cmocka_unit_test(recordings),
	    cmocka_unit_test(collectives), cmocka_unit_test(explanations),
	    cmocka_unit_test(completions), cmocka_unit_test(calibrations),
	    cmocka_unit_test(graphs),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
