/* test_event_format.c: events as lines of our form. Each line here is the canonical one: reading
 * and writing it gives it back. */
#include "unit/trace/trace_test.h"

static const char *const lines[] = {
    "init",
    "finalize",
    "compute 123456789012",
    "compute 0.5 t=0.001",
    "sleep 125e-8",
    "location a%20b%25.c 17",
    "region 3 start>ring.c:12",
    "compute 12 region=3",
    "compute 12 region=0 t=0.5",
    "send 1 7 1000 6",
    "ssend 1 7 1000 0 at=x.c:3 t=125e-7",
    "bsend -2 0 0 6",
    "rsend 0 0 5 -1 dtsize=24",
    "isend 1 7 1000 6 req=0",
    "issend 1 7 1000 6 comm=1.0 req=1",
    "ibsend 1 7 1000 6 req=2",
    "irsend 1 7 1000 44 req=3 dtsize=32",
    "recv -1 -1 1000 6",
    "recv 1 0 -1 6",
    "irecv 2 -1 9223372036854775807 6 comm=self req=12345678901",
    "irecv 2 7 8 6 req=3 any=source t=0.5",
    "recv 2 7 8 -1 comm=1.0 dtsize=16 any=both",
    "recv 2 7 8 6 any=tag",
    "probe 2 7 any=both",
    "iprobe 2 7 found=1 any=source",
    "mprobe 2 7 message=3 any=tag",
    "sendRecv 10 1 20 2 0 1",
    "sendRecv 10 1 20 -1 0 -1 dtsize2=3 tags=4,-1",
    "probe -1 -1 comm=0.3",
    "iprobe 1 2",
    "iprobe 1 2 found=0",
    "mprobe 1 2 message=3",
    "mrecv 1 2 10 6 message=3 t=0.5",
    "imrecv 1 2 10 -1 comm=self req=1 message=0 dtsize=24",
    "send_init 1 2 3 6 req=7",
    "ssend_init 1 2 3 6 req=7",
    "bsend_init 1 2 3 6 req=7",
    "rsend_init 1 2 3 6 req=7",
    "recv_init -1 2 3 6 req=7",
    "start 3 reqs=7-9",
    "request_free req=7",
    "cancel req=7",
    "buffer_detach",
    "psend_init 1 2 8 100 0 req=7",
    "precv_init 1 2 4 200 0 req=7",
    "pready req=7 parts=0-7",
    "parrived req=7 parts=3",
    "wait req=4",
    "wait 1 2 3",
    "wait 1 2 3 req=5",
    "wait take=latest",
    "wait take=latest_recv",
    "waitall 0",
    "waitall 0 reqs=",
    "waitall 6 reqs=1-3,7,9,20",
    "waitany 2 reqs=1,2",
    "waitany 2 reqs=1,2 done=2",
    "waitsome 5 reqs=8-0:-2 done=",
    "test req=3",
    "test req=3 done=3",
    "test 0 1 2",
    "testall 2 reqs=0,1 done=",
    "testany 0",
    "testsome 1 reqs=0 done=0",
    "barrier",
    "ibarrier req=1",
    "bcast 5 3 0",
    "ibcast 5 3 0 comm=2.0 req=9",
    "reduce 5 100 3 0 op=noncommutative",
    "reduce 5 100 3 0 op=own",
    "reduce 5 100 3 0 op=own_noncommutative",
    "allreduce 5 0.5 1 op=unknown in_place=1",
    "gather 5 6 3 0 1",
    "gatherv 5 1 2 3 4 3 0 1",
    "gatherv 5 3 0 1",
    "scatter 5 6 3 0 1",
    "scatterv 1 2 3 4 5 3 0 1",
    "allgather 5 6 0 1",
    "allgatherv 5 1 2 3 4 0 1",
    "iallgatherv 5 1 2 0 1 comm=0.0 req=2",
    "alltoall 5 6 0 1",
    "alltoallv 10 1 2 3 4 20 5 6 7 8 0 1",
    "alltoallw 0 1 2 3 4 0 5 6 7 8 6 6",
    "reducescatter 1 2 3 4 100 0",
    "reducescatterblock 5 100 0",
    "scan 5 100 0",
    "exscan 5 100 0",
    "bcast 5 -3 0 comm=1.0",
    "neighbor_allgather 5 6 0 1 comm=1.0",
    "ineighbor_allgatherv 5 0 1 comm=1.0 req=2 rcounts=1,1,2",
    "neighbor_alltoall 5 6 0 1",
    "neighbor_alltoallv 0 1 scounts=1-3 rcounts=7,7 in_place=1",
    "neighbor_alltoallw 6 6 scounts= rcounts=7",
    "comm_size 4",
    "comm_dup comm=0.0 members=0-3",
    "comm_split comm=1.2 parent=0.0 members=1,3",
    "comm_split members=",
    "comm_split",
    "comm_split comm=1.2 members=1 dims=2,3 periods=0,1",
    "comm_dup comm=1.2 members=1-3 sources=1,-2 dests=",
    "comm_create comm=3.0 members=3-0:-1",
    "comm_create_group comm=3.0 members=3-0:-1",
    "intercomm_create comm=1.0 parent=0.0 members=1,0 remote=3,2",
    "intercomm_create comm=1.0 members=1,0 remote=3,2 leader=1",
    "intercomm_create comm=1.0 members=1,0 remote=3,2 leader=0,2",
    "intercomm_merge comm=3.0 parent=1.0 members=3-0:-1",
    "comm_idup parent=1.0 req=3",
    "comm_dup comm=0.5 parent=1.0 members=0,1 remote=2,3 req=3",
    "comm_free comm=3.0",
    "win_create 4096 comm=1.0 win=2",
    "win_free win=2",
    "put 1 100 0 win=2",
    "put -2 100 0 req=4 win=2",
    "get 1 100 -1 win=2 dtsize=12",
    "accumulate 1 100 0 win=2",
    "get_accumulate 1 100 0 win=2 t=1",
    "fetch_and_op 1 0 win=2",
    "compare_and_swap 1 0 win=2",
    "win_fence win=2",
    "win_post win=2 group=1-3",
    "win_start win=2 group=",
    "win_complete win=2",
    "win_wait win=2",
    "win_lock 1 win=2",
    "win_lock 1 win=2 lock=exclusive",
    "win_lock 1 win=2 lock=unchecked",
    "win_lock_all win=2 lock=unchecked",
    "win_unlock 1 win=2",
    "win_lock_all win=2",
    "win_unlock_all win=2",
    "win_flush 1 win=2",
    "win_flush_all win=2",
    "win_flush_local 1 win=2",
    "win_flush_local_all win=2",
    "file_open a%20b.dat comm=1.0 file=0",
    "file_close file=0",
    "file_sync file=0",
    "file_set file=0",
    "file_read 10 0 file=0",
    "file_read_all 10 0 req=3 file=0",
    "file_read_shared 10 0 file=0",
    "file_read_ordered 10 0 file=0",
    "file_write 10 0 file=0",
    "file_write_all 10 -1 file=0 dtsize=3",
    "file_write_shared 10 0 file=0",
    "file_write_ordered 10 0 file=0",
    "open /tmp/x file=4",
    "close file=4",
    "fsync file=4",
    "read 100 file=4",
    "write 100 file=4 at=a.c:3",
    "unlink /tmp/x",
    "resolve 2 7 req=5",
};

static void canonical_lines_come_back(void **state)
{
	struct reader r;
	struct str s;

	(void)state;
	reader_init(&r, DIALECT_OURS, 4);
	str_init(&s);
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		char wanted[512];

		str_clear(&s);
		trace_event_format(&s, 3, must_read(&r, lines[i]));
		snprintf(wanted, sizeof wanted, "3 %s\n", lines[i]);
		assert_string_equal(s.s, wanted);
	}
	str_release(&s);
	lists_release(&r.lists);
}

/* A type is a number or a name, also behind counts for each rank. */
static void types_have_names(void **state)
{
	static const char *const named[][2] = {
	    {"gatherv 5 1 2 3 4 3 0 1", "gatherv 5 1 2 3 4 3 MPI_DOUBLE MPI_INT"},
	    {"scatterv 1 2 3 4 5 3 0 1", "scatterv 1 2 3 4 5 3 MPI_DOUBLE 1"},
	    {"allgatherv 5 1 2 3 4 0 1", "allgatherv 5 1 2 3 4 0 MPI_INT"},
	    {"alltoallv 10 1 2 3 4 20 5 6 7 8 0 1",
	     "alltoallv 10 1 2 3 4 20 5 6 7 8 MPI_DOUBLE MPI_INT"},
	    {"reducescatter 1 2 3 4 100 1", "reducescatter 1 2 3 4 100 MPI_INT"},
	};
	struct reader r;
	struct str a, b;

	(void)state;
	reader_init(&r, DIALECT_OURS, 4);
	str_init(&a);
	str_init(&b);
	for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
		str_clear(&a);
		str_clear(&b);
		trace_event_format(&a, 3, must_read(&r, named[i][0]));
		trace_event_format(&b, 3, must_read(&r, named[i][1]));
		assert_string_equal(a.s, b.s);
	}
	str_release(&a);
	str_release(&b);
	lists_release(&r.lists);
}

static void every_op_is_there(void **state)
{
	struct reader r;
	int seen[TRACE_OPS] = {0};

	(void)state;
	reader_init(&r, DIALECT_OURS, 4);
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		seen[must_read(&r, lines[i])->op]++;
	for (int op = 0; op < TRACE_OPS; op++)
		if (!seen[op])
			fail_msg("no line with %s", trace_op_name(op));
	lists_release(&r.lists);
}

/* The tracer formats between two MPI calls. */
static void nothing_is_allocated_while_there_is_room(void **state)
{
	struct trace_event ev;
	struct str s;
	const char *before;
	size_t cap;

	(void)state;
	str_init(&s);
	for (int i = 0; i < 4096; i++)
		str_putc(&s, 'x');
	str_clear(&s);
	before = s.s;
	cap = s.cap;
	trace_event_init(&ev, TRACE_ISEND);
	ev.peer = 1;
	ev.duration = 1.0 / 3;
	for (int i = 0; i < 50; i++)
		trace_event_format(&s, 12345, &ev);
	assert_ptr_equal(s.s, before);
	assert_int_equal(s.cap, cap);
	str_release(&s);
}

/* Longer than the buffer on the stack. */
static void long_lists(void **state)
{
	enum { N = 5000 };
	struct trace_event ev;
	struct reader r;
	int64_t *reqs = malloc(N * sizeof *reqs);
	int32_t *members = malloc(N * sizeof *members);
	struct str s;

	(void)state;
	str_init(&s);
	for (int i = 0; i < N; i++) {
		reqs[i] = (int64_t)i * i * 1000003 % 99991;
		members[i] = (i * 7919) % N;
	}
	reader_init(&r, DIALECT_OURS, N);
	trace_event_init(&ev, TRACE_WAITALL);
	ev.reqs = reqs;
	ev.n_reqs = N;
	trace_event_format(&s, 0, &ev);
	str_putn(&s, "\0\0\0\0\0\0\0\0", 8);
	assert_non_null(event_parse(&r.ps, s.s + 2, &r.ev));
	assert_int_equal(r.ev.n_reqs, N);
	assert_memory_equal(r.ev.reqs, reqs, N * sizeof *reqs);
	str_clear(&s);
	trace_event_init(&ev, TRACE_COMM_SPLIT);
	ev.comm = 2;
	ev.members = members;
	ev.n_members = N;
	trace_event_format(&s, 0, &ev);
	str_putn(&s, "\0\0\0\0\0\0\0\0", 8);
	assert_non_null(event_parse(&r.ps, s.s + 2, &r.ev));
	assert_int_equal(r.ev.n_members, N);
	assert_memory_equal(r.ev.members, members, N * sizeof *members);
	str_release(&s);
	lists_release(&r.lists);
	free(reqs);
	free(members);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(canonical_lines_come_back),
	    cmocka_unit_test(types_have_names),
	    cmocka_unit_test(every_op_is_there),
	    cmocka_unit_test(nothing_is_allocated_while_there_is_room),
	    cmocka_unit_test(long_lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
