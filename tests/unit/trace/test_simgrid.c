/* test_simgrid.c: events in SimGrid's plain form. Expected lines follow the grammar of
 * smpi_replay.cpp, v3.32; that it takes them was tried with smpirun, and tests/peer does it again
 * where SimGrid is installed. */
#include "unit/trace/trace_test.h"

/* Lines of rank 0 of 3 ranks in our form -> its lines in the plain form, and the notices. */
static int converted(const char *lines, char *out, size_t n, struct str *notices, struct err *err)
{
	char dir[64], in[256], list[256], file[300], *text;
	struct trace *t;
	struct trace_writer *w;
	struct trace_event ev;
	int result = 0;

	folder_make(dir);
	file_make(in, dir, "in", lines);
	snprintf(list, sizeof list, "%s/list", dir);
	t = trace_open(in, 3, err);
	if (!t)
		fail_msg("%s", err->text);
	w = trace_writer_open(list, TRACE_WRITE_SIMGRID, 3, err);
	assert_non_null(w);
	while (result == 0 && (result = trace_next(t, 0, &ev, err)) > 0)
		result = trace_writer_put(w, 0, &ev, err);
	trace_close(t);
	if (result < 0) {
		trace_writer_abandon(w);
	} else {
		assert_ok(trace_writer_commit(w, NULL, notices, err), *err);
		snprintf(file, sizeof file, "%s/list_files/rank-0.txt", dir);
		text = file_text(file);
		snprintf(out, n, "%s", text);
		free(text);
	}
	folder_remove(dir);
	return result;
}

#define MARK "# orrery-trace 1 ranks=3\n"
#define assert_plain(lines, wanted) \
	do { \
		struct err err_; \
		char out_[4096]; \
		assert_ok(converted(MARK lines, out_, sizeof out_, NULL, &err_), err_); \
		assert_string_equal(out_, wanted); \
	} while (0)
#define assert_cannot(lines, part) \
	do { \
		struct err err_ = {0}; \
		char out_[4096]; \
		assert_fails(converted(MARK lines, out_, sizeof out_, NULL, &err_), err_, \
		             ERR_INPUT, part); \
	} while (0)

static void same_in_both(void **state)
{
	(void)state;
	assert_plain("0 init\n0 compute 1234567890123\n0 sleep 0.5\n0 location a%20b.c 7\n0 send 1 "
	             "2 100 0\n0 recv -1 -1 5 6\n0 finalize\n",
	             "0 init\n0 compute 1234567890123\n0 sleep 0.5\n0 location a_b.c 7\n0 send 1 2 "
	             "100 0\n0 recv -555 -444 5 6\n0 "
	             "finalize\n");
	assert_plain("0 barrier\n0 bcast 5 1 0\n0 reduce 5 0.25 2 1\n0 allreduce 5 10 1\n0 gather "
	             "1 2 0 0 1\n0 scatter 1 2 0 0 1\n"
	             "0 allgather 1 2 0 1\n0 alltoall 1 2 0 1\n0 scan 1 0 0\n0 exscan 1 0 0\n",
	             "0 barrier\n0 bcast 5 1 0\n0 reduce 5 0.25 2 1\n0 allreduce 5 10 1\n0 gather "
	             "1 2 0 0 1\n0 scatter 1 2 0 0 1\n"
	             "0 allgather 1 2 0 1\n0 alltoall 1 2 0 1\n0 scan 1 0 0\n0 exscan 1 0 0\n");
	assert_plain("0 gatherv 5 1 2 3 0 6 6\n0 gatherv 5 1 6 6\n0 scatterv 1 2 3 5 0 6 6\n0 "
	             "allgatherv 5 1 2 3 6 6\n"
	             "0 alltoallv 0 1 2 3 9 4 5 6 6 6\n0 reducescatter 1 2 3 7 0\n",
	             "0 gatherv 5 1 2 3 0 6 6\n0 gatherv 5 0 0 0 1 6 6\n0 scatterv 1 2 3 5 0 6 "
	             "6\n0 allgatherv 5 1 2 3 6 6\n"
	             "0 alltoallv 3 1 2 3 9 4 5 6 6 6\n0 reducescatter 1 2 3 7 0\n");
	assert_plain("0 reducescatterblock 5 7 0\n0 alltoallw 0 1 2 3 0 4 5 6 6 6\n",
	             "0 reducescatter 5 5 5 7 0\n0 alltoallv 3 1 2 3 6 4 5 6 6 6\n");
}

static void derived_types_become_basic_ones(void **state)
{
	(void)state;
	assert_plain("0 send 1 0 10 -1 dtsize=24\n0 send 1 0 10 -1 dtsize=12\n0 send 1 0 10 -1 "
	             "dtsize=6\n0 send 1 0 10 -1 dtsize=3\n"
	             "0 send 1 0 10 44 dtsize=32\n0 alltoall 1 2 0 -1 dtsize2=16\n",
	             "0 send 1 0 30 0\n0 send 1 0 30 1\n0 send 1 0 30 3\n0 send 1 0 30 6\n0 send 1 "
	             "0 40 0\n0 alltoall 1 4 0 0\n");
}

static void requests_become_keys(void **state)
{
	(void)state;
	assert_plain("0 isend 1 4 8 6 req=0\n0 irecv 2 5 8 6 req=1\n0 wait req=1\n0 wait req=0\n",
	             "0 isend 1 4 8 6\n0 irecv 2 5 8 6\n0 wait 2 0 5\n0 wait 0 1 4\n");
	assert_plain("0 irecv -1 -1 8 6 req=1\n0 wait req=1\n",
	             "0 irecv -555 -444 8 6\n0 wait -556 0 -444\n");
	assert_plain("0 isend 1 4 8 6 req=0\n0 irecv 2 5 8 6 req=1\n0 waitall 2 reqs=0,1\n",
	             "0 isend 1 4 8 6\n0 irecv 2 5 8 6\n0 waitall 2\n");
	assert_plain(
	    "0 isend 1 4 8 6 req=0\n0 irecv 2 5 8 6 req=1\n0 waitall 1 reqs=1\n0 waitall\n",
	    "0 isend 1 4 8 6\n0 irecv 2 5 8 6\n0 wait 2 0 5\n0 waitall 1\n");
	assert_plain(
	    "0 irecv 1 4 8 6 req=0\n0 test req=0 done=\n0 test req=0 done=0\n0 waitall 1 reqs=0\n",
	    "0 irecv 1 4 8 6\n0 wait 1 0 4\n");
	assert_plain(
	    "0 irecv 1 4 8 6 req=0\n0 test req=0\n0 testall 1 reqs=0\n0 waitall 1 reqs=0\n",
	    "0 irecv 1 4 8 6\n0 waitall 1\n");
	assert_plain("0 irecv 1 4 8 6 req=0\n0 irecv 1 5 8 6 req=1\n0 waitsome 2 reqs=0,1 "
	             "done=1\n0 waitany 2 reqs=0,1 done=0\n",
	             "0 irecv 1 4 8 6\n0 irecv 1 5 8 6\n0 wait 1 0 5\n0 wait 1 0 4\n");
	assert_plain("0 isend -2 4 8 6 req=0\n0 wait req=0\n0 send -2 0 1 6\n", "");
}

static void persistent_requests(void **state)
{
	(void)state;
	assert_plain(
	    "0 ssend_init 1 4 8 6 req=0\n0 recv_init 2 5 8 6 req=1\n0 start 2 reqs=0,1\n0 waitall "
	    "2 reqs=0,1\n0 start 1 reqs=1\n"
	    "0 wait req=1\n0 request_free req=0\n",
	    "0 isend 1 4 8 6\n0 irecv 2 5 8 6\n0 waitall 2\n0 irecv 2 5 8 6\n0 wait 2 0 5\n");
	assert_cannot("0 start 1 reqs=3\n",
	              "rank 0: start: it starts a request that no send_init or recv_init made");
}

static void sendrecv(void **state)
{
	(void)state;
	assert_plain("0 sendRecv 10 1 20 2 0 1\n", "0 sendRecv 10 1 20 2 0 1\n");
	assert_plain("0 sendRecv 10 1 20 2 0 1 tags=4,5\n",
	             "0 isend 1 4 10 0\n0 irecv 2 5 20 1\n0 wait 0 1 4\n0 wait 2 0 5\n");
	assert_plain("0 sendRecv 10 1 20 -2 0 1\n", "0 isend 1 0 10 0\n0 wait 0 1 0\n");
}

static void communicators(void **state)
{
	(void)state;
	/* a duplicate of the world: collectives on the world, messages with tags of their own */
	assert_plain("0 comm_dup comm=0.0 members=0-2\n0 barrier comm=0.0\n0 send 1 4 8 6\n0 send "
	             "1 4 8 6 comm=0.0\n0 send 1 5 8 6 "
	             "comm=0.0\n"
	             "0 recv 1 4 8 6 comm=0.0\n0 comm_free comm=0.0\n",
	             "0 barrier\n0 send 1 4 8 6\n0 send 1 1073741824 8 6\n0 send 1 1073741825 8 "
	             "6\n0 recv 1 1073741824 8 6\n");
	/* alone: nothing but the operator */
	assert_plain(
	    "0 comm_split comm=0.0 members=0\n0 allreduce 5 100 0 comm=0.0\n0 barrier comm=self\n",
	    "0 compute 100\n");
	assert_cannot("0 comm_split comm=0.0 members=0,2\n0 allreduce 5 100 0 comm=0.0\n",
	              "rank 0: allreduce: SimGrid's replayer runs collectives on "
	              "MPI_COMM_WORLD only");
	assert_cannot("0 comm_split comm=0.0 members=2-0:-1\n0 bcast 5 0 0 comm=0.0\n",
	              "runs collectives on MPI_COMM_WORLD only");
	assert_cannot("0 cancel req=0\n", "SimGrid's replayer cannot cancel");
	assert_cannot("0 waitany 2 reqs=1,2\n",
	              "waitany: the trace does not say what it completed");
	assert_cannot("0 testany\n", "testany: the trace does not say what it completed");
	assert_cannot("0 bcast 3000000000 0 0\n", "a count is over 2147483647");
}

static void losses_are_told(void **state)
{
	char out[4096];
	struct str notices;
	struct err err;

	(void)state;
	str_init(&notices);
	assert_ok(converted(MARK "0 ssend 1 4 8 6 t=0.5\n0 bsend 1 4 8 6\n0 probe 1 4\n0 allreduce "
	                         "1 0 0 op=noncommutative\n",
	                    out, sizeof out, &notices, &err),
	          err);
	assert_string_equal(out, "0 send 1 4 8 6\n0 send 1 4 8 6\n0 allreduce 1 0 0\n");
	assert_string_equal(
	    notices.s, "2 synchronous, buffered or ready sends were written as standard sends\n"
	               "1 probes were left out\n"
	               "1 reductions lost that their operator may not commute\n"
	               "1 events lost their measured duration or call site\n");
	str_release(&notices);
}

static void older_traces(void **state)
{
	char out[4096];
	struct err err;

	(void)state;
	assert_ok(converted("0 Isend 1 8\n0 Irecv 2 9\n0 wait\n0 wait\n0 allReduce 4 5\n1 "
	                    "finalize\n2 finalize\n",
	                    out, sizeof out, NULL, &err),
	          err);
	assert_string_equal(
	    out,
	    "0 isend 1 0 8 6\n0 irecv 2 0 9 6\n0 wait 2 0 0\n0 wait 0 1 0\n0 allreduce 4 5 6\n");
	assert_ok(converted("p0 Isend p1 8\np0 Irecv p2\np0 wait\np1 finalize\np2 finalize\n", out,
	                    sizeof out, NULL, &err),
	          err);
	assert_string_equal(out, "0 isend 1 0 8 6\n0 irecv 2 0 -1 6\n0 wait 2 0 0\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(same_in_both),
	    cmocka_unit_test(derived_types_become_basic_ones),
	    cmocka_unit_test(requests_become_keys),
	    cmocka_unit_test(persistent_requests),
	    cmocka_unit_test(sendrecv),
	    cmocka_unit_test(communicators),
	    cmocka_unit_test(losses_are_told),
	    cmocka_unit_test(older_traces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
