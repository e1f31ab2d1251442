/* fault_replay.c: memory runs out at any point of a replay, of traces that use each kind of thing
 * that a rank keeps: requests, persistent and partitioned ones, matched probes, communicators,
 * windows, files, vectors of counts, topologies. The error is worded, and nothing leaks. */
#include "fault/fault.h"

#include "sim.h"

/* Each line of both ranks, but for those that begin with a number. */
static const char *const programs[] = {
    /* requests: four at a time, tested and waited for; persistent, cancelled, freed */
    "0 isend 1 1 100 6 req=1\n0 isend 1 2 100000 6 req=2\n0 waitall 2 reqs=1,2\n"
    "1 irecv 0 1 100 6 req=1\n1 irecv 0 2 100000 6 req=2\n1 testany 2 reqs=1,2\n"
    "1 waitall 2 reqs=1,2\n"
    "0 send_init 1 3 50 6 req=7\n0 start 1 reqs=7\n0 wait 0 1 3 req=7\n0 request_free req=7\n"
    "1 recv 0 3 50 6\n1 irecv 0 99 5 6 req=4\n1 cancel req=4\n1 wait 0 1 99 req=4\n",
    /* probes, any source, eager messages that nobody expects yet */
    "0 send 1 1 10 6\n0 send 1 2 10 6\n0 sendRecv 10 1 10 1 6 6\n1 probe 0 2\n1 recv 0 2 10 6\n"
    "1 recv -1 -1 10 6\n1 sendRecv 10 0 10 0 6 6\n",
    /* communicators, and collectives in them */
    "* comm_dup comm=0.0 members=0,1\n* comm_split comm=0.1 members=1,0\n"
    "* bcast 1000 0 6 comm=0.0\n* allreduce 100 5 6 comm=0.1\n"
    "* alltoallv 20 10 10 20 10 10 6 6\n* gatherv 10 10 10 0 6 6\n* barrier\n"
    "* reducescatter 5 5 0 6\n* comm_free comm=0.0\n",
    /* windows */
    "* win_create 1000 win=1\n* win_fence win=1\n0 put 1 100 6 win=1\n1 get 0 5000 6 win=1\n"
    "* win_fence win=1\n0 win_lock 1 win=1\n0 accumulate 1 100 0 win=1\n"
    "0 win_unlock 1 win=1\n* win_free win=1\n",
    /* files */
    "0 open /x file=3\n0 write 100000 file=3\n0 close file=3\n* file_open /y file=4\n"
    "* file_write_all 1000 6 file=4\n* file_close file=4\n0 unlink /x\n",
};

/* "* words" for each rank. */
static void both(const char *program, char *out, size_t n)
{
	size_t at = (size_t)snprintf(out, n, "# orrery-trace 1\n0 init\n1 init\n");

	while (*program) {
		int length = (int)strcspn(program, "\n");

		for (char rank = '0'; rank < '2'; rank++)
			if (*program == '*' || *program == rank)
				at += (size_t)snprintf(out + at, n - at, "%c%.*s\n", rank,
				                       length - 1, program + 1);
		program += length + 1;
	}
	snprintf(out + at, n - at, "0 finalize\n1 finalize\n");
}

static int replayed(void *arg, struct err *err)
{
	static struct sim s;
	int r = sim_run(&s, SIM_CLUSTER(""), arg, 2,
	                "storage/file-systems:/:read=1GBps:write=1GBps", NULL);

	*err = s.err;
	if (r == 0)
		fault_told(&s.time, sizeof s.time);
	return r;
}

static void memory_runs_out(void **state)
{
	char text[4096];

	(void)state;
	for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
		struct err err;

		both(programs[i], text, sizeof text);
		if (replayed(text, &err) < 0) /* it does run as it is */
			fail_msg("program %zu: %s", i, err.text);
		assert_true(fault_sweep(FAULT_ALLOC, replayed, text) > 50);
	}
}

/* More outstanding requests than a walk is for, waited for by their keys: the latest first. */
static void memory_of_keys_runs_out(void **state)
{
	static char text[8192];
	struct err err;
	size_t at = (size_t)snprintf(text, sizeof text, "0 init\n1 init\n");

	(void)state;
	for (int i = 0; i < 40; i++)
		at += (size_t)snprintf(text + at, sizeof text - at,
		                       "0 isend 1 %d 10 6\n1 irecv 0 %d 10 6\n", i, i);
	for (int i = 39; i >= 0; i--)
		at += (size_t)snprintf(text + at, sizeof text - at,
		                       "0 wait 0 1 %d\n1 wait 0 1 %d\n", i, i);
	snprintf(text + at, sizeof text - at, "0 finalize\n1 finalize\n");
	if (replayed(text, &err) < 0)
		fail_msg("%s", err.text);
	assert_true(fault_sweep(FAULT_ALLOC, replayed, text) > 50);
}

/* A file that cannot be opened or read further is told with its place. */
static void files_fail(void **state)
{
	char text[4096];

	(void)state;
	both(programs[0], text, sizeof text);
	assert_true(fault_sweep(FAULT_READ, replayed, text) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(memory_runs_out),
	                                   cmocka_unit_test(memory_of_keys_runs_out),
	                                   cmocka_unit_test(files_fail)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
