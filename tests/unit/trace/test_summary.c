/* test_summary.c: what a trace of two ranks comes to, added up by hand. */
#include "unit/trace/trace_test.h"

#include "trace/summary.h"

/* Sent: 0 -> 1 two messages of 1,000 and 24 bytes, 1 -> 0 one of 8 doubles, non-blocking. */
static const char rank_0[] =
    "# orrery-trace 1\n0 init\n0 region 0 a>b\n0 region 1 b>c\n0 compute 5 region=0 t=0.25\n"
    "0 send 1 7 1000 6 t=0.5\n0 compute 100 region=1 t=2\n0 send 1 7 24 6 t=0.5\n"
    "0 recv 1 7 64 6 t=1\n0 compute 7 region=0 t=0.25\n0 finalize\n";
/* Its regions have other numbers; b>c is met first. */
static const char rank_1[] =
    "# orrery-trace 1\n1 init\n1 region 0 b>c\n1 compute 40 region=0 t=1\n1 recv 0 7 1000 6\n"
    "1 recv 0 7 24 6\n1 isend 0 7 64 6 req=0\n1 wait req=0\n1 sleep 3\n1 finalize\n";

struct made {
	char dir[64];
	struct trace *trace;
	struct trace_summary s;
};

static void make(struct made *m)
{
	char path[256];
	struct err err = {0};

	folder_make(m->dir);
	file_make(path, m->dir, "rank-0.tit", rank_0);
	file_make(path, m->dir, "rank-1.tit", rank_1);
	m->trace = trace_open(m->dir, 0, &err);
	if (!m->trace)
		fail_msg("%s", err.text);
	assert_ok(trace_summary_read(&m->s, m->trace, &err), err);
}

static void unmake(struct made *m)
{
	trace_summary_release(&m->s);
	trace_close(m->trace);
	folder_remove(m->dir);
}

static void by_operation(void **state)
{
	struct made m;

	(void)state;
	make(&m);
	assert_int_equal(m.s.op[TRACE_SEND][0].events, 2);
	assert_true(m.s.op[TRACE_SEND][0].bytes == 1024);
	assert_true(m.s.op[TRACE_SEND][0].seconds == 1);
	assert_int_equal(m.s.op[TRACE_RECV][0].events, 3);
	assert_true(m.s.op[TRACE_RECV][0].bytes == 0);
	assert_int_equal(m.s.op[TRACE_COMPUTE][0].events, 4);
	assert_true(m.s.op[TRACE_COMPUTE][0].volume == 152);
	assert_true(m.s.op[TRACE_COMPUTE][0].seconds == 3.5);
	assert_true(m.s.all.bytes == 1024 + 64);
	assert_true(m.s.all.volume == 152); /* sleep has none */
	unmake(&m);
}

/* A matched receive has sent as little as any other. */
static void what_receives_sends_nothing(void **state)
{
	static const enum trace_op receives[] = {TRACE_RECV,   TRACE_IRECV,     TRACE_MRECV,
	                                         TRACE_IMRECV, TRACE_RECV_INIT, TRACE_PROBE,
	                                         TRACE_IPROBE, TRACE_MPROBE,    TRACE_PRECV_INIT};
	static const enum trace_op sends[] = {TRACE_SEND,      TRACE_IRSEND, TRACE_SENDRECV,
	                                      TRACE_SEND_INIT, TRACE_BCAST,  TRACE_PUT};
	struct trace_event ev;

	(void)state;
	for (size_t i = 0; i < sizeof receives / sizeof *receives; i++) {
		trace_event_init(&ev, receives[i]);
		ev.count = 3;
		ev.type_size = 8;
		assert_true(trace_event_sent(&ev) == 0);
	}
	for (size_t i = 0; i < sizeof sends / sizeof *sends; i++) {
		trace_event_init(&ev, sends[i]);
		ev.count = 3;
		ev.type_size = 8;
		assert_true(trace_event_sent(&ev) == 24);
	}
}

static void regions_of_all_ranks_the_dearest_first(void **state)
{
	struct made m;

	(void)state;
	make(&m);
	assert_int_equal(m.s.regions.n, 2);
	assert_string_equal(m.s.regions.name[m.s.region[0].id], "b>c");
	assert_int_equal(m.s.region[0].times, 2);
	assert_true(m.s.region[0].volume == 140 && m.s.region[0].seconds == 3);
	assert_string_equal(m.s.regions.name[m.s.region[1].id], "a>b");
	assert_int_equal(m.s.region[1].times, 2);
	assert_true(m.s.region[1].volume == 12 && m.s.region[1].seconds == 0.5);
	unmake(&m);
}

static void pairs_and_sizes(void **state)
{
	struct made m;

	(void)state;
	make(&m);
	assert_int_equal(m.s.cells, 2);
	assert_int_equal(m.s.cell[0].from, 0);
	assert_int_equal(m.s.cell[0].messages, 2);
	assert_true(m.s.cell[0].bytes == 1024);
	assert_int_equal(m.s.cell[1].from, 1);
	assert_int_equal(m.s.cell[1].to, 0);
	assert_true(m.s.cell[1].bytes == 64);
	assert_int_equal(m.s.messages, 3);
	assert_int_equal(m.s.size[4], 1); /* 24 is of [16, 32) */
	assert_int_equal(m.s.size[6], 1); /* 64 of [64, 128) */
	assert_int_equal(m.s.size[9], 1); /* 1,000 of [512, 1024) */
	unmake(&m);
}

static void spread(const struct trace_summary *s, enum trace_measure of, double least,
                   uint32_t least_rank, double most, uint32_t most_rank)
{
	struct trace_spread p = trace_summary_spread(s, of);

	assert_true(p.mean == (least + most) / 2);
	assert_true(p.least == least && p.most == most);
	assert_int_equal(p.least_rank, least_rank);
	assert_int_equal(p.most_rank, most_rank);
}

static void over_the_ranks(void **state)
{
	struct made m;

	(void)state;
	make(&m);
	spread(&m.s, TRACE_COMPUTATION_SECONDS, 1, 1, 2.5, 0);
	spread(&m.s, TRACE_COMPUTATION_VOLUME, 40, 1, 112, 0);
	spread(&m.s, TRACE_CALLS_SECONDS, 0, 1, 2, 0);
	spread(&m.s, TRACE_BYTES_SENT, 64, 1, 1024, 0);
	unmake(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(by_operation),
	    cmocka_unit_test(what_receives_sends_nothing),
	    cmocka_unit_test(regions_of_all_ranks_the_dearest_first),
	    cmocka_unit_test(pairs_and_sizes),
	    cmocka_unit_test(over_the_ranks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
