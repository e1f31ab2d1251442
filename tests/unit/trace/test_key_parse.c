/* test_key_parse.c: what our form adds: key=value tokens, requests by number, communicators with
 * members (docs/trace-format.md). */
#include "unit/trace/trace_test.h"

#define READER(n) \
	struct reader r; \
	const struct trace_event *ev = NULL; \
	(void)state; \
	(void)ev; \
	reader_init(&r, DIALECT_OURS, n)

static void requests(void **state)
{
	READER(8);
	ev = must_read(&r, "irecv -1 -1 1000 0 req=12345678901");
	assert_int_equal(ev->req, 12345678901);
	assert_int_equal(ev->peer, TRACE_ANY);
	ev = must_read(&r, "wait req=7");
	assert_int_equal(ev->flags, 0);
	assert_int_equal(ev->req, 7);
	ev = must_read(&r, "wait 1 2 3 req=7");
	assert_int_equal(ev->flags, TRACE_BY_KEY);
	assert_int_equal(ev->req, 7);
	ev = must_read(&r, "waitall 8 reqs=3-7,9,12-20:8");
	assert_int_equal(ev->flags, 0);
	assert_counts(ev->reqs, ev->n_reqs, 3, 4, 5, 6, 7, 9, 12, 20);
	ev = must_read(&r, "waitall 0 reqs=");
	assert_int_equal(ev->flags, 0);
	assert_int_equal(ev->n_reqs, 0);
	assert_int_equal(must_read(&r, "waitall")->flags, TRACE_OUTSTANDING);
	ev = must_read(&r, "waitsome 4 reqs=1-4 done=4,2");
	assert_int_equal(ev->flags, 0);
	assert_counts(ev->reqs, ev->n_reqs, 1, 2, 3, 4);
	assert_counts(ev->done, ev->n_done, 4, 2);
	ev = must_read(&r, "testany 2 reqs=1,2 done=");
	assert_int_equal(ev->flags, 0);
	assert_int_equal(ev->n_done, 0);
	assert_int_equal(must_read(&r, "testany 2 reqs=1,2")->flags, TRACE_NO_DONE);
	ev = must_read(&r, "test req=5 done=5");
	assert_counts(ev->done, ev->n_done, 5);
	ev = must_read(&r, "start 2 reqs=7-5:-2");
	assert_counts(ev->reqs, ev->n_reqs, 7, 5);
	ev = must_read(&r, "recv_init 3 1 5 1 req=0");
	assert_int_equal(ev->op, TRACE_RECV_INIT);
	assert_int_equal(must_read(&r, "request_free req=0")->op, TRACE_REQUEST_FREE);
	assert_int_equal(must_read(&r, "cancel req=0")->op, TRACE_CANCEL);
	assert_int_equal(must_read(&r, "wait take=latest")->flags, TRACE_LATEST);
	assert_int_equal(must_read(&r, "wait take=latest_recv")->flags, TRACE_LATEST_RECV);
	assert_int_equal(must_read(&r, "test take=oldest")->flags, TRACE_OLDEST | TRACE_NO_DONE);
	ev = must_read(&r, "resolve 5 7 req=3");
	assert_int_equal(ev->op, TRACE_RESOLVE);
	assert_int_equal(ev->peer, 5);
	assert_int_equal(ev->req, 3);
	lists_release(&r.lists);
}

static void communicators(void **state)
{
	static const int32_t odd[] = {1, 3, 5, 7}, back[] = {2, 1, 0, 6};
	READER(8);
	ev = must_read(&r, "comm_split comm=1.0 members=1-7:2");
	assert_int_equal(ev->op, TRACE_COMM_SPLIT);
	assert_true(ev->comm == ((uint64_t)1 << 32 | 2));
	assert_int_equal(ev->n_members, 4);
	assert_memory_equal(ev->members, odd, sizeof odd);
	ev = must_read(&r, "comm_create comm=2.5 parent=1.0 members=2-0:-1,6");
	assert_true(ev->comm == ((uint64_t)2 << 32 | 7));
	assert_true(ev->parent == ((uint64_t)1 << 32 | 2));
	assert_memory_equal(ev->members, back, sizeof back);
	ev = must_read(&r, "comm_create members=");
	assert_int_equal(ev->n_members, 0);
	assert_true(ev->comm == 0);
	assert_true(must_read(&r, "bcast 1 0 6 comm=self")->comm == 1);
	assert_true(must_read(&r, "bcast 1 0 6 comm=world")->comm == 0);
	assert_true(must_read(&r, "comm_free comm=0.0")->comm == 2);
	lists_release(&r.lists);
}

static void messages(void **state)
{
	READER(8);
	ev = must_read(&r, "sendRecv 1 2 3 4 0 0 tags=5,-1");
	assert_int_equal(ev->tag, 5);
	assert_int_equal(ev->tag2, TRACE_ANY);
	ev = must_read(&r, "send 1 0 3 -1 dtsize=24 t=1.25e-05 at=a%20b.c:17");
	assert_int_equal(ev->type, -1);
	assert_int_equal(ev->type_size, 24);
	assert_double_is(ev->duration, 1.25e-05);
	assert_string_equal(ev->text, "a b.c");
	assert_int_equal(ev->line, 17);
	assert_int_equal(must_read(&r, "send 1 0 3 44 dtsize=32")->type_size,
	                 32); /* a traced MPI whose COMPLEX32 is wider */
	assert_int_equal(must_read(&r, "send 1 0 3 MPI_INT")->type, 1);
	assert_int_equal(must_read(&r, "iprobe -1 4 found=1")->count, 1);
	assert_int_equal(must_read(&r, "iprobe -1 4 found=0")->flags, 0);
	assert_int_equal(must_read(&r, "iprobe -1 4")->flags, TRACE_NO_DONE);
	assert_int_equal(must_read(&r, "recv 1 0 9223372036854775807 6")->count, TRACE_COUNT_ANY);
	lists_release(&r.lists);
}

static void collectives(void **state)
{
	READER(4);
	assert_int_equal(must_read(&r, "allreduce 1 2 0 op=noncommutative in_place=1")->flags,
	                 TRACE_NONCOMMUTATIVE | TRACE_IN_PLACE);
	assert_int_equal(must_read(&r, "allreduce 1 2 0 op=own")->flags, TRACE_OWN_OPERATOR);
	assert_int_equal(must_read(&r, "scan 1 2 0 op=own_noncommutative")->flags,
	                 TRACE_OWN_OPERATOR | TRACE_NONCOMMUTATIVE);
	assert_int_equal(must_read(&r, "iallreduce 1 2 0 op=unknown req=4")->flags,
	                 TRACE_NONBLOCKING | TRACE_COMMUTATIVE_UNKNOWN);
	assert_int_equal(must_read(&r, "ibarrier req=4")->req, 4);
	ev = must_read(&r, "gatherv 5 1 6 6"); /* off the root: no counts */
	assert_int_equal(ev->n_counts2, 0);
	assert_int_equal(ev->root, 1);
	ev = must_read(&r, "gatherv 5 7 8 1 6 6 comm=0.0"); /* two ranks */
	assert_counts(ev->counts2, ev->n_counts2, 7, 8);
	ev = must_read(&r, "alltoallw 0 1 2 3 4 0 5 6 7 8 6 6");
	assert_counts(ev->counts, ev->n_counts, 1, 2, 3, 4);
	assert_counts(ev->counts2, ev->n_counts2, 5, 6, 7, 8);
	ev = must_read(&r, "reducescatterblock 5 100 0");
	assert_int_equal(ev->op, TRACE_REDUCE_SCATTER_BLOCK);
	assert_int_equal(ev->count, 5);
	lists_release(&r.lists);
}

static void bad_lines(void **state)
{
	READER(4);
	assert_line_fails(&r, "barrier 1", "expected key=value or the end of the line, found '1'");
	assert_line_fails(&r, "send 1 2 3 6 6", "expected key=value or the end of the line");
	assert_line_fails(&r, "barrier colour=1",
	                  "expected a key (t, req, reqs, done, comm, …), found 'colour=1'");
	assert_line_fails(
	    &r, "send 1 2 3 -1",
	    "expected dtsize=, the bytes of the derived type, found the end of the line");
	assert_line_fails(&r, "wait", "expected req=, found the end of the line");
	assert_line_fails(&r, "wait req=x", "expected the number of a request, found 'x'");
	assert_line_fails(&r, "wait req=-1", "expected the number of a request, found '-1'");
	assert_line_fails(&r, "waitall 3 reqs=1,,2", "expected a list such as 0-7,9,12-20:2");
	assert_line_fails(&r, "waitall 3 reqs=1-", "expected a range");
	assert_line_fails(&r, "waitall 3 reqs=1-9:0", "expected a range");
	assert_line_fails(&r, "waitall 3 reqs=9-1", "expected a range");
	assert_line_fails(&r, "waitall 3 reqs=0-99999999999",
	                  "expected a list of at most 1048576 items");
	assert_line_fails(&r, "comm_dup comm=1 members=0", "expected a communicator");
	assert_line_fails(&r, "comm_dup comm=1.-1 members=0", "expected a communicator");
	assert_line_fails(&r, "comm_dup comm=1.0 members=0-4", "expected world ranks (0 to 3)");
	assert_line_fails(&r, "sendRecv 1 1 1 1 0 0 tags=5", "expected the tags");
	assert_line_fails(&r, "compute 1 t=-1", "expected seconds, found '-1'");
	assert_line_fails(&r, "compute 1 at=main.c", "expected a call site");
	assert_line_fails(&r, "allreduce 1 1 0 op=odd",
	                  "expected noncommutative, unknown, own or own_noncommutative");
	assert_line_fails(&r, "gatherv 5 7 8 1 6 6",
	                  "expected 4 counts, one per rank of the world; there are 2");
	assert_line_fails(&r, "alltoallv 0 1 2 0 1 6 6", "two counts per rank, but there are 7");
	lists_release(&r.lists);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(requests),  cmocka_unit_test(communicators),
	    cmocka_unit_test(messages),  cmocka_unit_test(collectives),
	    cmocka_unit_test(bad_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
