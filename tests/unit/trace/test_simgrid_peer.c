/* test_simgrid_peer.c: SimGrid's own replayer takes the plain form, to the end, for every action
 * that it can hold. Skipped where smpirun is not installed. That both simulators then agree on the
 * time is a matter of tests/peer. */
#include "unit/trace/trace_test.h"

enum { RANKS = 4 };

static const char platform[] = "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM "
                               "\"https://simgrid.org/simgrid.dtd\">\n<platform version=\"4.1\">\n"
                               "<cluster id=\"c\" prefix=\"h\" suffix=\"\" radical=\"0-3\" "
                               "speed=\"1Gf\" bw=\"125MBps\" lat=\"50us\"/>\n</platform>\n";

/* N: the next rank, P: the one before, O: the one opposite, H: the parity. */
/* clang-format off */
static const char *const lines[] = {
    "init", "location main.c 10", "compute 1000000 t=0.5", "sleep 0.001",
    "isend N 1 1000 0 req=0", "irecv P 1 1000 0 req=1", "waitall 2 reqs=0,1",
    "recv_init P 2 10 -1 req=2 dtsize=24", "ssend_init N 2 10 -1 req=3 dtsize=24",
    "start 2 reqs=2,3", "waitsome 2 reqs=2,3 done=3", "waitany 1 reqs=2 done=2",
    "start 2 reqs=2,3", "waitall 2 reqs=2,3", "request_free req=2", "request_free req=3",
    "irecv -1 5 300 6 req=4", "ibsend N 5 300 6 req=5", "test req=4 done=", "test req=4 done=4",
    "wait req=5", "sendRecv 10 N 10 P 0 0", "sendRecv 10 N 10 P 0 0 tags=7,7",
    "isend N 9 70000 6 req=6", "recv P 9 -1 6", "wait req=6",
    "comm_dup comm=0.0 members=0-3", "sendRecv 10 N 10 P 0 0 comm=0.0",
    "comm_split comm=H.1 members=H,O", "isend O 1 100000 6 comm=H.1 req=7",
    "recv O 1 100000 6 comm=H.1", "wait req=7", "barrier", "barrier comm=0.0", "bcast 1000 2 0",
    "reduce 100 1e6 1 1", "allreduce 100 12345.678 1 op=noncommutative", "gather 10 10 3 0 0",
    "gatherv 10 10 10 10 10 3 0 0", "scatter 10 10 3 0 0", "scatterv 10 10 10 10 10 3 0 0",
    "allgather 10 10 0 0", "allgatherv 10 10 10 10 10 0 0",
    "alltoall 100 100 -1 -1 dtsize=12 dtsize2=12", "alltoallv 0 5 5 5 5 0 5 5 5 5 0 0",
    "alltoallw 0 40 40 40 40 0 40 40 40 40 6 6", "reducescatter 5 5 5 5 1000 0",
    "reducescatterblock 5 1000 0", "scan 5 1000 0", "exscan 5 1000 0", "send -2 0 1 6", "finalize",
};
/* clang-format on */

/* Members of a split are the same list for both: the smaller first. */
static void line_of(char *out, size_t n, const char *pattern, int rank)
{
	size_t k = 0;
	int members = strncmp(pattern, "comm_split", 10) == 0;

	for (; *pattern && k + 1 < n; pattern++) {
		int opposite = members ? rank % 2 + 2 : (rank + 2) % RANKS;
		int digit = *pattern == 'N'   ? (rank + 1) % RANKS
		            : *pattern == 'P' ? (rank + RANKS - 1) % RANKS
		            : *pattern == 'O' ? opposite
		            : *pattern == 'H' ? rank % 2
		                              : -1;

		out[k++] = digit >= 0 ? (char)('0' + digit) : *pattern;
	}
	out[k] = '\0';
}

static void plain_write(const char *list)
{
	struct reader r;
	struct err err;
	struct trace_writer *w = trace_writer_open(list, TRACE_WRITE_SIMGRID, RANKS, &err);
	char line[256];

	assert_non_null(w);
	reader_init(&r, DIALECT_OURS, RANKS);
	for (int rank = 0; rank < RANKS; rank++)
		for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
			line_of(line, sizeof line, lines[i], rank);
			assert_ok(trace_writer_put(w, (uint32_t)rank, must_read(&r, line), &err),
			          err);
		}
	assert_ok(trace_writer_commit(w, NULL, NULL, &err), err);
	lists_release(&r.lists);
}

static void smpirun_takes_it(void **state)
{
	char dir[64], list[256], path[256], command[1200], *said;

	(void)state;
	if (system("command -v smpirun >/dev/null 2>&1") != 0)
		skip();
	folder_make(dir);
	snprintf(list, sizeof list, "%s/list", dir);
	plain_write(list);
	file_make(path, dir, "platform.xml", platform);
	file_make(path, dir, "hosts", "h0\nh1\nh2\nh3\n");
	snprintf(command, sizeof command,
	         "cd %s && timeout 60 smpirun -replay list -np %d -platform platform.xml -hostfile "
	         "hosts >said 2>&1",
	         dir, RANKS);
	if (system(command) != 0)
		print_message("smpirun failed\n");
	snprintf(path, sizeof path, "%s/said", dir);
	said = file_text(path);
	if (!strstr(said, "Simulation time"))
		fail_msg("%s", said);
	free(said);
	folder_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(smpirun_takes_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
