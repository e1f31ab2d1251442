/* test_write_dimemas.c: traces as Dimemas has them. Expected records are worked from the generator
 * of BSC's tools (Dimemas_Generation.h): 1 burst, 2 send (0 or 1 + 2: synchronous, immediate), 3
 * receive (0 blocks, 1 posts, 2 waits), 10 collective with bytes sent and received by this rank. */
#include "unit/trace/write_text.h"

#define TWO "#DIMEMAS:\"orrery\":1,0:2(1,1),1,0,0\nd:1:1:2:0:1\n"
#define dim(lines, records) becomes(lines, 2, TRACE_WRITE_DIMEMAS, TWO records)
#define no_dim(lines, why) cannot_become(lines, 2, TRACE_WRITE_DIMEMAS, why)

static void computations(void **state)
{
	(void)state;
	/* As measured; else a nanosecond each; a sleep is in seconds. */
	dim("0 compute 500 t=0.25\n0 compute 2000\n0 sleep 1.5\n0 finalize\n",
	    "1:0:0:0.250000000\n1:0:0:0.000002000\n1:0:0:1.500000000\n");
}

/* 500 of 1e6 a second are 0.5 ms of a processor, whatever passed meanwhile. */
static void times_are_no_elapsed_ones(void **state)
{
	const struct trace_manifest m = {.counter = (char *)(uintptr_t) "cputime",
	                                 .ranks = 2,
	                                 .nominal_rate = 1e6,
	                                 .complete = 1};

	(void)state;
	becomes_of(&m, "0 compute 500 t=0.25\n0 sleep 1.5\n", 2, TRACE_WRITE_DIMEMAS,
	           TWO "1:0:0:0.000500000\n1:0:0:1.500000000\n");
}

static void messages(void **state)
{
	(void)state;
	dim("0 send 1 7 10 1\n0 ssend 1 7 10 1\n0 bsend 1 0 3 6\n0 rsend 1 0 3 6\n"
	    "1 recv 0 7 10 1\n1 recv -1 -1 10 1\n1 recv 0 0 -1 6\n"
	    "1 recv 0 0 9223372036854775807 6\n",
	    "2:0:0:1:-1:40:7:1:0\n2:0:0:1:-1:40:7:1:1\n2:0:0:1:-1:3:0:1:0\n2:0:0:1:-1:3:0:1:0\n"
	    "3:1:0:0:-1:40:7:1:0\n3:1:0:-1:-1:40:-1:1:0\n3:1:0:0:-1:0:0:1:0\n3:1:0:0:-1:0:0:1:0\n");
	dim("0 isend 1 7 5 -1 req=0 dtsize=24\n0 issend 1 7 5 6 req=1\n0 irecv 1 8 5 6 req=2\n"
	    "0 wait req=2\n0 waitall 2 reqs=0,1\n",
	    "2:0:0:1:-1:120:7:1:2\n2:0:0:1:-1:5:7:1:3\n3:0:0:1:-1:5:8:1:1\n3:0:0:1:-1:5:8:1:2\n");
}

/* MPI: a message with MPI_PROC_NULL is none, and completes as soon as possible. */
static void messages_with_nobody(void **state)
{
	(void)state;
	dim("0 send -2 0 1 6\n0 recv -2 0 1 6\n0 isend -2 0 1 6 req=0\n0 irecv -2 0 1 6 req=1\n"
	    "0 waitall 2 reqs=0-1\n0 sendRecv 1 -2 1 -2 6 6\n",
	    "");
	dim("0 sendRecv 8 1 9 -2 6 6 tags=3,4\n0 sendRecv 8 -2 9 1 6 6 tags=3,4\n",
	    "2:0:0:1:-1:8:3:1:0\n3:0:0:1:-1:9:4:1:1\n3:0:0:1:-1:9:4:1:2\n");
}

/* The receive is posted, then the message is sent, then the receive is waited for. */
static void sendrecv(void **state)
{
	(void)state;
	dim("0 sendRecv 8 1 2 1 6 0 tags=3,4\n",
	    "3:0:0:1:-1:16:4:1:1\n2:0:0:1:-1:8:3:1:0\n3:0:0:1:-1:16:4:1:2\n");
}

#define POST(tag) "3:0:0:1:-1:8:" #tag ":1:1\n"
#define WAIT(tag) "3:0:0:1:-1:8:" #tag ":1:2\n"

static void completions(void **state)
{
	(void)state;
	dim("0 irecv 1 5 8 6 req=0\n0 irecv 1 6 8 6 req=1\n0 irecv 1 7 8 6 req=2\n"
	    "0 waitany 3 reqs=0-2 done=1\n0 testsome 2 reqs=0,2 done=\n"
	    "0 waitsome 2 reqs=0,2 done=2\n0 test req=0 done=0\n",
	    POST(5) POST(6) POST(7) WAIT(6) WAIT(7) WAIT(5));
	/* A number may be used again once its request is complete; what is complete is not waited
	 * for again. */
	dim("0 irecv 1 5 8 6 req=0\n0 wait req=0\n0 wait req=0\n"
	    "0 irecv 1 6 8 6 req=0\n0 wait req=0\n",
	    POST(5) WAIT(5) POST(6) WAIT(6));
	/* By ends and tag the oldest; then all that is left, in order. */
	dim("0 irecv 1 5 8 6\n0 irecv 1 6 8 6\n0 irecv 1 5 8 6\n0 wait 1 0 5\n0 waitall\n",
	    POST(5) POST(6) POST(5) WAIT(5) WAIT(6) WAIT(5));
	dim("0 irecv 1 5 8 6\n0 irecv 1 6 8 6\n0 wait take=latest\n0 wait take=oldest\n",
	    POST(5) POST(6) WAIT(6) WAIT(5));
}

/* Requests have numbers of any size, and ranks have the same ones. */
static void numbers_are_of_their_rank(void **state)
{
	(void)state;
	dim("0 irecv 1 5 8 6 req=1099511627776\n1 irecv 0 6 8 6 req=0\n1 wait req=0\n"
	    "0 wait req=1099511627776\n",
	    POST(5) WAIT(5) "3:1:0:0:-1:8:6:1:1\n3:1:0:0:-1:8:6:1:2\n");
	/* No other rank's is waited for, whatever the numbers. */
	dim("0 irecv 1 5 8 6 req=1099511627776\n1 wait req=0\n", POST(5));
}

static void persistent_requests(void **state)
{
	(void)state;
	dim("0 ssend_init 1 4 8 6 req=0\n0 recv_init 1 5 8 6 req=1\n0 start 2 reqs=0,1\n"
	    "0 waitall 2 reqs=0,1\n0 waitall 2 reqs=0,1\n0 start 1 reqs=1\n0 wait req=1\n"
	    "0 request_free req=0\n0 request_free req=1\n",
	    "2:0:0:1:-1:8:4:1:3\n" POST(5) WAIT(5) POST(5) WAIT(5));
	no_dim("0 start 1 reqs=3\n", "start has no form in a trace of Dimemas");
	no_dim("0 irecv 1 5 8 6 req=3\n0 start 1 reqs=3\n", "start has no form");
}

/* Sizes by the standard: what this rank hands in, and what it gets. */
static void collectives(void **state)
{
	(void)state;
	dim("0 barrier\n0 bcast 5 1 1\n1 bcast 5 1 1\n0 reduce 5 0 0 1\n1 reduce 5 0 0 1\n"
	    "0 allreduce 5 0 0\n0 allgather 2 2 0 0\n0 alltoall 3 3 6 6\n0 scan 5 0 6\n"
	    "0 reducescatterblock 5 0 1\n",
	    "10:0:0:0:1:0:0:0:0:1\n10:0:0:1:1:0:0:0:20:1\n10:0:0:10:1:1:0:20:20:1\n"
	    "10:0:0:11:1:0:0:40:40:1\n10:0:0:6:1:0:0:16:16:1\n10:0:0:8:1:0:0:3:3:1\n"
	    "10:0:0:14:1:0:0:5:5:1\n10:0:0:13:1:0:0:20:20:1\n"
	    "10:1:0:1:1:1:0:20:0:1\n10:1:0:10:1:0:0:20:0:1\n");
}

/* The operator comes after its collective, a nanosecond for each unit of its volume. */
static void operators(void **state)
{
	(void)state;
	dim("0 reduce 5 2000 0 1\n0 iallreduce 5 3000 0 req=0\n0 compute 5\n0 wait req=0\n",
	    "10:0:0:10:1:1:0:20:20:1\n1:0:0:0.000002000\n10:0:0:11:1:0:0:40:40:1\n"
	    "1:0:0:0.000003000\n1:0:0:0.000000005\n");
}

/* As the tracer writes them: off the root there are no sizes of the side that only the root has. */
static void gathers_and_scatters(void **state)
{
	(void)state;
	dim("0 gather 4 4 0 1 1\n1 gather 4 0 0 1 1\n",
	    "10:0:0:2:1:1:0:16:16:1\n10:1:0:2:1:0:0:16:0:1\n");
	dim("0 scatter 4 4 0 1 1\n1 scatter 0 4 0 1 1\n",
	    "10:0:0:4:1:1:0:16:16:1\n10:1:0:4:1:0:0:0:16:1\n");
	dim("0 gatherv 4 4 9 0 1 1\n1 gatherv 9 0 1 1\n",
	    "10:0:0:3:1:1:0:16:52:1\n10:1:0:3:1:0:0:36:0:1\n");
	dim("0 scatterv 4 9 4 0 1 1\n1 scatterv 9 0 1 1\n",
	    "10:0:0:5:1:1:0:52:16:1\n10:1:0:5:1:0:0:0:36:1\n");
	dim("0 allgatherv 4 4 9 1 1\n1 allgatherv 9 4 9 1 1\n",
	    "10:0:0:7:1:0:0:16:52:1\n10:1:0:7:1:0:0:36:52:1\n");
	dim("0 alltoallv 3 1 2 7 3 4 1 1\n0 reducescatter 3 4 0 1\n1 reducescatter 3 4 0 1\n",
	    "10:0:0:9:1:0:0:12:28:1\n10:0:0:12:1:0:0:28:12:1\n10:1:0:12:1:0:0:28:16:1\n");
}

static void communicators(void **state)
{
	(void)state;
	becomes(
	    "0 comm_split comm=1.0 parent=world members=\n1 comm_split comm=1.0 members=2,1\n"
	    "2 comm_split comm=1.0 members=2,1\n1 send 2 0 1 6 comm=1.0\n1 bcast 1 1 6 comm=1.0\n"
	    "2 barrier comm=self\n",
	    3, TRACE_WRITE_DIMEMAS,
	    "#DIMEMAS:\"orrery\":1,0:3(1,1,1),3,0,0\nd:1:1:3:0:1:2\nd:1:2:2:2:1\nd:1:3:1:2\n"
	    "2:1:0:2:-1:1:0:2:0\n10:1:0:1:2:1:0:1:0:1\n10:2:0:0:3:0:0:0:0:1\n");
	no_dim("0 barrier comm=1.0\n", "barrier has no form");
	no_dim("0 comm_split comm=1.0 members=1\n0 barrier comm=1.0\n", "barrier has no form");
}

static void roots_and_counts_of_no_rank(void **state)
{
	static const char *const split = "0 comm_split comm=0.0 members=0,2\n";
	char line[256];

	(void)state;
	for (int op = 0; op < 4; op++) {
		static const char *const ops[] = {"bcast 5 2 6", "gather 5 5 2 6 6",
		                                  "scatter 5 5 2 6 6", "reduce 5 0 2 6"};

		snprintf(line, sizeof line, "%s0 %s comm=0.0\n", split, ops[op]);
		cannot_become(line, 3, TRACE_WRITE_DIMEMAS,
		              "the root is 2, of a communicator of 2");
	}
	for (int op = 0; op < 5; op++) {
		static const char *const ops[] = {
		    "gatherv 5 1 2 3 0 6 6", "scatterv 1 2 3 5 0 6 6", "allgatherv 5 1 2 3 6 6",
		    "alltoallv 6 1 2 3 6 1 2 3 6 6", "reducescatter 1 2 3 0 6"};

		snprintf(line, sizeof line, "%s0 %s comm=0.0\n", split, ops[op]);
		cannot_become(line, 3, TRACE_WRITE_DIMEMAS,
		              ": counts for 3 ranks, of a communicator of 2");
	}
	no_dim("0 gatherv 5 0 6 6\n", "gatherv: counts for 0 ranks, of a communicator of 2");
	no_dim("0 scatterv 5 0 6 6\n", "scatterv: counts for 0 ranks, of a communicator of 2");
}

static void what_has_no_form(void **state)
{
	static const char *const lines[] = {"win_create 8 win=0",
	                                    "file_open a file=0",
	                                    "open a file=0",
	                                    "exscan 1 0 6",
	                                    "neighbor_alltoall 1 1 6 6",
	                                    "alltoallw 2 1 1 2 1 1 6 6",
	                                    "mprobe 1 0 message=0",
	                                    "imrecv 1 0 1 6 message=0 req=0",
	                                    "psend_init 1 0 2 1 6 req=0",
	                                    "comm_idup parent=world req=0",
	                                    "bcast 1 -3 6",
	                                    "waitany 1 reqs=0",
	                                    "intercomm_create comm=0.0 members=0 remote=1",
	                                    "cancel req=0"};
	char line[128], why[128];

	(void)state;
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		snprintf(line, sizeof line, "0 irecv 1 0 1 6 req=0\n0 %s\n", lines[i]);
		snprintf(why, sizeof why, "%.*s has no form in a trace of Dimemas",
		         (int)strcspn(lines[i], " "), lines[i]);
		no_dim(line, why);
	}
}

static void what_is_told(void **state)
{
	char dir[64], to[256];
	struct str notices = {0};
	struct err err;

	(void)state;
	folder_make(dir);
	snprintf(to, sizeof to, "%s/out", dir);
	assert_ok(lines_write("0 probe 1 0\n0 iprobe 1 0 found=0\n0 irecv 1 0 1 6 req=0\n"
	                      "0 test req=0\n0 compute 5\n0 compute 5 t=1\n0 ibarrier req=1\n"
	                      "0 waitall 2 reqs=0-1\n"
	                      "0 comm_dup comm=0.0 members=0,1\n0 comm_split comm=0.1 members=\n"
	                      "0 comm_create_group comm=0.2 members=0,1 agreed=1\n",
	                      2, TRACE_WRITE_DIMEMAS, to, &notices, &err),
	          err);
	assert_string_equal(notices.s,
	                    "1 non-blocking collectives were written as blocking ones, where they "
	                    "begin\n2 probes were left out\n"
	                    "1 tests that do not say what they completed were left out\n"
	                    "2 calls that make communicators were left out, with the time that "
	                    "they take\n"
	                    "1 computations have no measured time: a nanosecond was written for "
	                    "each unit of their volume\n");
	str_release(&notices);
	folder_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(computations),
	    cmocka_unit_test(times_are_no_elapsed_ones),
	    cmocka_unit_test(messages),
	    cmocka_unit_test(messages_with_nobody),
	    cmocka_unit_test(sendrecv),
	    cmocka_unit_test(completions),
	    cmocka_unit_test(numbers_are_of_their_rank),
	    cmocka_unit_test(persistent_requests),
	    cmocka_unit_test(collectives),
	    cmocka_unit_test(operators),
	    cmocka_unit_test(gathers_and_scatters),
	    cmocka_unit_test(communicators),
	    cmocka_unit_test(roots_and_counts_of_no_rank),
	    cmocka_unit_test(what_has_no_form),
	    cmocka_unit_test(what_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
