/* test_p2p.c: tracer/record_p2p.c, record_probe.c and record_start.c by hand: what each call leaves
 * in the trace, and what calls that MPI refuses do not. Numbers of datatypes are SimGrid's
 * (docs/trace-format.md): MPI_DOUBLE 0, MPI_INT 1, MPI_CHAR 2, MPI_BYTE 6. */
#include "traced.h"

static int buf[64];

static void test_sends_in_every_mode(void **state)
{
	struct traced t = {0};

	(void)state;
	traced_begin(&t, 1, 4, 1);
	MPI_Send(buf, 3, MPI_INT, 2, 7, MPI_COMM_WORLD);
	traced_want(&t, "send 2 7 3 1");
	MPI_Ssend(buf, 0, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
	traced_want(&t, "ssend 0 0 0 0");
	MPI_Bsend(buf, 9, MPI_CHAR, 3, 32767, MPI_COMM_WORLD);
	traced_want(&t, "bsend 3 32767 9 2");
	MPI_Rsend(buf, 1, MPI_BYTE, 1, 5, MPI_COMM_WORLD);
	traced_want(&t, "rsend 1 5 1 6");
	MPI_Buffer_detach(&(void *){0}, &(int){0});
	traced_want(&t, "buffer_detach");
	MPI_Send(buf, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD);
	traced_want(&t, "send -2 3 1 1");
	MPI_Send(buf, 2, MPI_INT, 0, 4, MPI_COMM_SELF); /* rank 0 of it is rank 1 */
	traced_want(&t, "send 1 4 2 1 comm=self");
	traced_end(&t);
	traced_release(&t);
}

static void test_receives(void **state)
{
	struct traced t = {0};
	MPI_Status s;

	(void)state;
	traced_begin(&t, 0, 8, 2);
	MPI_Recv(buf, 3, MPI_INT, 2, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	traced_want(&t, "recv 2 7 3 1");
	MPI_Recv(buf, 3, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &s);
	traced_want(&t, "recv %d 7 3 1 any=source", s.MPI_SOURCE);
	MPI_Recv(buf, 3, MPI_INT, 4, MPI_ANY_TAG, MPI_COMM_WORLD, &s);
	traced_want(&t, "recv 4 %d 3 1 any=tag", s.MPI_TAG);
	MPI_Recv(buf, 3, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &s);
	traced_want(&t, "recv %d %d 3 1 any=both", s.MPI_SOURCE, s.MPI_TAG);
	MPI_Recv(buf, 3, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, &s);
	traced_want(&t, "recv -2 -1 3 1");
	MPI_Sendrecv(buf, 1, MPI_INT, 3, 8, buf, 2, MPI_DOUBLE, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD,
	             &s);
	traced_want(&t, "sendRecv 1 3 2 %d 1 0 tags=8,9 any=source", s.MPI_SOURCE);
	MPI_Sendrecv_replace(buf, 5, MPI_CHAR, 3, 0, 4, 0, MPI_COMM_WORLD, &s);
	traced_want(&t, "sendRecv 5 3 5 4 2 2");
	traced_end(&t);
	traced_release(&t);
}

/* A receive that is longer than its buffer is one that came (MPI 4.0, 3.2.5); anything else that
 * MPI refuses did nothing. */
static void test_refused_calls_are_counted(void **state)
{
	struct traced t = {0};
	MPI_Request r = MPI_REQUEST_NULL;
	MPI_Comm made = MPI_COMM_NULL;
	MPI_Win window = MPI_WIN_NULL;

	(void)state;
	traced_begin(&t, 0, 2, 3);
	fake.fail = MPI_ERR_TAG;
	assert_int_equal(MPI_Send(buf, 3, MPI_INT, 1, -5, MPI_COMM_WORLD), MPI_ERR_TAG);
	fake.fail = MPI_ERR_RANK;
	assert_int_equal(MPI_Isend(buf, 3, MPI_INT, 99, 5, MPI_COMM_WORLD, &r), MPI_ERR_RANK);
	fake.fail = MPI_ERR_TRUNCATE;
	MPI_Recv(buf, 3, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	traced_want(&t, "recv 1 5 3 1");
	fake.fail = MPI_ERR_RANK;
	MPI_Recv(buf, 3, MPI_INT, 77, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	fake.fail = MPI_ERR_COMM;
	MPI_Ibarrier(MPI_COMM_WORLD, &r);
	fake.fail = MPI_ERR_COMM;
	MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &r);
	fake.fail = MPI_ERR_COMM;
	MPI_Comm_dup(MPI_COMM_WORLD, &made);
	fake.fail = MPI_ERR_WIN;
	MPI_Win_create(buf, 3, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
	traced_end(&t);
	assert_int_equal(traced_untraced(&t, "MPI_Send"), 1);
	assert_int_equal(traced_untraced(&t, "MPI_Isend"), 1);
	assert_int_equal(traced_untraced(&t, "MPI_Ibarrier"), 1);
	assert_int_equal(traced_untraced(&t, "MPI_Barrier_init"), 1);
	assert_int_equal(traced_untraced(&t, "MPI_Comm_dup"), 1);
	assert_int_equal(traced_untraced(&t, "MPI_Win_create"), 1);
	assert_int_equal(traced_untraced(&t, "MPI_Recv"), 1);
	traced_release(&t);
}

/* A request that MPI does not cancel, start, free or mark ready is as it was. */
static void test_refused_calls_on_requests(void **state)
{
	struct traced t = {0};
	MPI_Request r, p, old;

	(void)state;
	traced_begin(&t, 0, 2, 4);
	MPI_Irecv(buf, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, &r);
	traced_want(&t, "irecv 1 5 1 1 req=0");
	fake.fail = MPI_ERR_REQUEST;
	assert_int_equal(MPI_Cancel(&r), MPI_ERR_REQUEST);
	fake.fail = MPI_ERR_REQUEST;
	old = r;
	assert_int_equal(MPI_Request_free(&r), MPI_ERR_REQUEST);
	assert_int_equal(r, old);
	MPI_Psend_init(buf, 4, 1, MPI_INT, 1, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &p);
	traced_want(&t, "psend_init 1 6 4 1 1 req=1");
	fake.fail = MPI_ERR_REQUEST;
	MPI_Start(&p);
	fake.fail = MPI_ERR_OTHER;
	MPI_Pready(0, p);
	MPI_Start(&p);
	traced_want(&t, "start 1 reqs=1");
	MPI_Pready_range(0, 3, p);
	traced_want(&t, "pready req=1 parts=0,1,2,3");
	fake.fail = MPI_ERR_REQUEST;
	assert_int_equal(MPI_Wait(&p, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
	MPI_Wait(&p, MPI_STATUS_IGNORE);
	traced_want(&t, "wait req=1");
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	traced_want(&t, "wait req=0");
	MPI_Request_free(&p);
	traced_want(&t, "request_free req=1");
	traced_end(&t);
	traced_release(&t);
}

static void test_parrived_that_fails(void **state)
{
	struct traced t = {0};
	MPI_Request p;
	int flag = 1;

	(void)state;
	traced_begin(&t, 0, 2, 5);
	MPI_Precv_init(buf, 2, 3, MPI_DOUBLE, 1, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &p);
	traced_want(&t, "precv_init 1 6 2 3 0 req=0");
	MPI_Start(&p);
	traced_want(&t, "start 1 reqs=0");
	fake.fail = MPI_ERR_ARG;
	assert_int_equal(MPI_Parrived(p, 9, &flag), MPI_ERR_ARG);
	for (flag = 0; !flag;)
		MPI_Parrived(p, 1, &flag);
	traced_want(&t, "parrived req=0 parts=1");
	MPI_Wait(&p, MPI_STATUS_IGNORE);
	traced_want(&t, "wait req=0");
	MPI_Request_free(&p);
	traced_want(&t, "request_free req=0");
	traced_end(&t);
	traced_release(&t);
}

/* A wildcard receive says what it got when it is complete; one that was cancelled got nothing. */
static void test_wildcards_resolve(void **state)
{
	struct traced t = {0};
	MPI_Request r[3];

	(void)state;
	traced_begin(&t, 0, 8, 6);
	MPI_Irecv(buf, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &r[0]);
	traced_want(&t, "irecv -1 5 1 1 req=0");
	MPI_Irecv(buf, 1, MPI_INT, 3, MPI_ANY_TAG, MPI_COMM_WORLD, &r[1]);
	traced_want(&t, "irecv 3 -1 1 1 req=1");
	MPI_Irecv(buf, 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &r[2]);
	traced_want(&t, "irecv -1 7 1 1 req=2");
	MPI_Cancel(&r[2]);
	traced_want(&t, "cancel req=2");
	traced_want(&t, "resolve %d 5 req=0", fake_request(r[0])->source);
	traced_want(&t, "resolve 3 %d req=1", fake_request(r[1])->tag);
	MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
	traced_want(&t, "waitall 3 reqs=0,1,2");
	traced_end(&t);
	traced_release(&t);
}

static void receive_begin(struct traced *t, MPI_Request *r, int number)
{
	MPI_Irecv(buf, 1, MPI_INT, 3, 5, MPI_COMM_WORLD, r);
	traced_want(t, "irecv 3 5 1 1 req=%d", number);
}

/* MPI 4.1, 3.7.5: where one of several has an error, those with MPI_ERR_PENDING have neither failed
 * nor completed. They are waited for later. */
static void pending_of_all(struct traced *t, MPI_Status *statuses)
{
	MPI_Request r[4];

	for (int i = 0; i < 4; i++)
		receive_begin(t, &r[i], i);
	fake.pending = 1 << 1 | 1 << 2;
	assert_int_equal(MPI_Waitall(4, r, statuses), MPI_ERR_IN_STATUS);
	traced_want(t, "waitall 2 reqs=0,3");
	assert_true(r[0] == MPI_REQUEST_NULL && r[2] != MPI_REQUEST_NULL);
	fake.pending = 1 << 1 | 1 << 2;
	assert_int_equal(MPI_Waitall(4, r, statuses), MPI_ERR_IN_STATUS); /* nothing at all */
	fake.pending = 1 << 2;
	assert_int_equal(MPI_Waitall(4, r, statuses), MPI_ERR_IN_STATUS);
	traced_want(t, "waitall 1 reqs=1");
	MPI_Wait(&r[2], MPI_STATUS_IGNORE);
	traced_want(t, "wait req=2");
}

static void test_pending_requests_stay(void **state)
{
	struct traced t = {0};
	MPI_Status s[4];

	(void)state;
	traced_begin(&t, 0, 8, 9);
	pending_of_all(&t, s);
	pending_of_all(&t, MPI_STATUSES_IGNORE);
	traced_end(&t);
	traced_release(&t);
}

static void test_pending_requests_of_tests(void **state)
{
	struct traced t = {0};
	MPI_Request r[3];
	MPI_Status s[3];
	int flag;

	(void)state;
	traced_begin(&t, 0, 8, 10);
	receive_begin(&t, &r[0], 0);
	MPI_Recv_init(buf, 1, MPI_INT, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &r[1]);
	MPI_Start(&r[1]);
	traced_want(&t, "irecv -1 6 1 1 req=1");
	r[2] = MPI_REQUEST_NULL;
	fake.pending = 1 << 1;
	assert_int_equal(MPI_Testall(3, r, &flag, s), MPI_ERR_IN_STATUS);
	traced_want(&t, "testall 1 reqs=0 done=0");
	traced_want(&t, "resolve %d 6 req=1", fake_request(r[1])->source);
	MPI_Wait(&r[1], MPI_STATUS_IGNORE);
	traced_want(&t, "wait req=1");
	receive_begin(&t, &r[0], 0);
	fake.fail = MPI_ERR_PENDING;
	assert_int_equal(MPI_Wait(&r[0], MPI_STATUS_IGNORE), MPI_ERR_PENDING);
	MPI_Wait(&r[0], MPI_STATUS_IGNORE);
	traced_want(&t, "wait req=0");
	MPI_Request_free(&r[1]);
	traced_end(&t);
	traced_release(&t);
}

/* The answer of a probe is a message's; its number is given again when it has been received. */
static void test_matched_probes(void **state)
{
	struct traced t = {0};
	MPI_Message m[2];
	MPI_Request r;
	MPI_Status s;
	int flag;

	(void)state;
	traced_begin(&t, 2, 8, 7);
	MPI_Probe(3, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	traced_want(&t, "probe 3 4");
	MPI_Mprobe(MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &m[0], &s);
	traced_want(&t, "mprobe %d 4 message=0 any=source", s.MPI_SOURCE);
	MPI_Mprobe(5, 6, MPI_COMM_WORLD, &m[1], MPI_STATUS_IGNORE);
	traced_want(&t, "mprobe 5 6 message=1");
	MPI_Mrecv(buf, 2, MPI_INT, &m[0], MPI_STATUS_IGNORE);
	traced_want(&t, "mrecv %d 4 2 1 message=0", s.MPI_SOURCE);
	for (flag = 0; !flag;)
		MPI_Improbe(1, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &m[0], &s);
	traced_want(&t, "mprobe 1 %d message=0 any=tag", s.MPI_TAG);
	MPI_Imrecv(buf, 2, MPI_INT, &m[1], &r);
	traced_want(&t, "imrecv 5 6 2 1 message=1 req=0");
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	traced_want(&t, "wait req=0");
	MPI_Mrecv(buf, 2, MPI_INT, &m[0], MPI_STATUS_IGNORE);
	traced_want(&t, "mrecv 1 %d 2 1 message=0", s.MPI_TAG);
	traced_end(&t);
	traced_release(&t);
}

/* What the tracer passes on is what the program gave, and the other way round. */
static void test_untraced_without_environment(void **state)
{
	struct traced t = {0};

	(void)state;
	tmp_init(&t.tmp);
	traced_environment(t.tmp.dir);
	unsetenv("ORRERY_TRACE_DIR");
	traced_start(&t, 0, 2, 8, MPI_THREAD_SINGLE);
	assert_int_equal(tracer.state, TRACER_OFF);
	assert_int_equal(MPI_Send(buf, 1, MPI_INT, 1, 0, MPI_COMM_WORLD), MPI_SUCCESS);
	fake.fail = MPI_ERR_RANK;
	assert_int_equal(MPI_Send(buf, 1, MPI_INT, 9, 0, MPI_COMM_WORLD), MPI_ERR_RANK);
	assert_int_equal(MPI_Finalize(), MPI_SUCCESS);
	traced_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_sends_in_every_mode),
	    cmocka_unit_test(test_receives),
	    cmocka_unit_test(test_refused_calls_are_counted),
	    cmocka_unit_test(test_refused_calls_on_requests),
	    cmocka_unit_test(test_parrived_that_fails),
	    cmocka_unit_test(test_wildcards_resolve),
	    cmocka_unit_test(test_pending_requests_stay),
	    cmocka_unit_test(test_pending_requests_of_tests),
	    cmocka_unit_test(test_matched_probes),
	    cmocka_unit_test(test_untraced_without_environment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
