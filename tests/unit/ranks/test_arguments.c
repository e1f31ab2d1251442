/* test_arguments.c: functions that are given what is no argument of theirs return the error class
 * that MPI 4.0, 9.4 (table 9.1) has for it, do nothing, and leave the program fit to go on. One
 * function of the test for each chapter; each line is one call. */
#include "ranks.h"

#include "refuses.h"

/* --- chapter 3: point-to-point --- */

typedef int send_fn(const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag,
                    MPI_Comm comm);
typedef int isend_fn(const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag,
                     MPI_Comm comm, MPI_Request *request);

static void sends_body(int rank, void *arg)
{
	static send_fn *const all[] = {orr_Send, orr_Ssend, orr_Rsend, orr_Bsend};
	MPI_Datatype new = uncommitted(), old = freed_type();
	MPI_Comm gone = freed_comm();
	int x[4] = {0};

	(void)arg;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		send_fn *f = all[i];

		REFUSES(MPI_ERR_COMM, f(x, 1, MPI_INT, 0, 0, NO_COMM));
		REFUSES(MPI_ERR_COMM, f(x, 1, MPI_INT, 0, 0, gone));
		REFUSES(MPI_ERR_COMM, f(x, 1, MPI_INT, 0, 0, (MPI_Comm)MPI_INT));
		REFUSES(MPI_ERR_COUNT, f(x, -1, MPI_INT, 0, 0, WORLD));
		REFUSES(MPI_ERR_TYPE, f(x, 1, NO_TYPE, 0, 0, WORLD));
		REFUSES(MPI_ERR_TYPE, f(x, 1, old, 0, 0, WORLD));
		REFUSES(MPI_ERR_TYPE, f(x, 1, new, 0, 0, WORLD));
		REFUSES(MPI_ERR_RANK, f(x, 1, MPI_INT, 2, 0, WORLD));
		REFUSES(MPI_ERR_RANK, f(x, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD));
		REFUSES(MPI_ERR_RANK, f(x, 1, MPI_INT, MPI_ROOT, 0, WORLD));
		REFUSES(MPI_ERR_RANK, f(x, 1, MPI_INT, 1, 0, SELF));
		REFUSES(MPI_ERR_TAG, f(x, 1, MPI_INT, 0, -1, WORLD));
		REFUSES(MPI_ERR_TAG, f(x, 1, MPI_INT, 0, MPI_ANY_TAG, WORLD));
		REFUSES(MPI_ERR_BUFFER, f(NULL, 1, MPI_INT, 0, 0, WORLD));
		OK(f(x, 4, MPI_INT, MPI_PROC_NULL, 0, WORLD));
		OK(f(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, WORLD));
	}
	REFUSES(MPI_ERR_BUFFER, orr_Bsend(x, 5000, MPI_INT, 1 - rank, 0, WORLD));
	REFUSES(MPI_ERR_BUFFER, orr_Bsend(x, 1, MPI_INT, 1 - rank, 0, WORLD));
	OK(orr_Type_free(&new));
	still_well();
}

static void sends(void **state)
{
	(void)state;
	run_on(2, sends_body);
}

static void isends_body(int rank, void *arg)
{
	static isend_fn *const all[] = {orr_Isend,      orr_Issend,    orr_Irsend,
	                                orr_Ibsend,     orr_Send_init, orr_Ssend_init,
	                                orr_Rsend_init, orr_Bsend_init};
	MPI_Datatype new = uncommitted();
	MPI_Request q = MPI_REQUEST_NULL;
	int x[4] = {0};

	(void)arg;
	(void)rank;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		isend_fn *f = all[i];

		REFUSES(MPI_ERR_COMM, f(x, 1, MPI_INT, 0, 0, NO_COMM, &q));
		REFUSES(MPI_ERR_COUNT, f(x, -1, MPI_INT, 0, 0, WORLD, &q));
		REFUSES(MPI_ERR_TYPE, f(x, 1, NO_TYPE, 0, 0, WORLD, &q));
		REFUSES(MPI_ERR_TYPE, f(x, 1, new, 0, 0, WORLD, &q));
		REFUSES(MPI_ERR_RANK, f(x, 1, MPI_INT, 2, 0, WORLD, &q));
		REFUSES(MPI_ERR_RANK, f(x, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, &q));
		REFUSES(MPI_ERR_TAG, f(x, 1, MPI_INT, 0, MPI_ANY_TAG, WORLD, &q));
		REFUSES(MPI_ERR_BUFFER, f(NULL, 1, MPI_INT, 0, 0, WORLD, &q));
		assert_ptr_equal(q, MPI_REQUEST_NULL);
	}
	OK(orr_Type_free(&new));
	still_well();
}

static void isends(void **state)
{
	(void)state;
	run_on(2, isends_body);
}

static void receives_body(int rank, void *arg)
{
	MPI_Datatype new = uncommitted();
	MPI_Request q = MPI_REQUEST_NULL;
	MPI_Status s;
	int x[4] = {0}, any = MPI_ANY_SOURCE;

	(void)rank;
	(void)arg;
	REFUSES(MPI_ERR_COMM, orr_Recv(x, 1, MPI_INT, any, 0, NO_COMM, &s));
	REFUSES(MPI_ERR_COUNT, orr_Recv(x, -1, MPI_INT, any, 0, WORLD, &s));
	REFUSES(MPI_ERR_TYPE, orr_Recv(x, 1, NO_TYPE, any, 0, WORLD, &s));
	REFUSES(MPI_ERR_TYPE, orr_Recv(x, 1, new, any, 0, WORLD, &s));
	REFUSES(MPI_ERR_RANK, orr_Recv(x, 1, MPI_INT, 2, 0, WORLD, &s));
	REFUSES(MPI_ERR_RANK, orr_Recv(x, 1, MPI_INT, MPI_ROOT, 0, WORLD, &s));
	REFUSES(MPI_ERR_TAG, orr_Recv(x, 1, MPI_INT, any, -1, WORLD, &s));
	REFUSES(MPI_ERR_BUFFER, orr_Recv(NULL, 1, MPI_INT, any, 0, WORLD, &s));
	REFUSES(MPI_ERR_COMM, orr_Irecv(x, 1, MPI_INT, any, 0, NO_COMM, &q));
	REFUSES(MPI_ERR_COUNT, orr_Irecv(x, -1, MPI_INT, any, 0, WORLD, &q));
	REFUSES(MPI_ERR_TYPE, orr_Irecv(x, 1, new, any, 0, WORLD, &q));
	REFUSES(MPI_ERR_RANK, orr_Irecv(x, 1, MPI_INT, 2, 0, WORLD, &q));
	REFUSES(MPI_ERR_TAG, orr_Irecv(x, 1, MPI_INT, any, -1, WORLD, &q));
	REFUSES(MPI_ERR_COMM, orr_Recv_init(x, 1, MPI_INT, any, 0, NO_COMM, &q));
	REFUSES(MPI_ERR_COUNT, orr_Recv_init(x, -1, MPI_INT, any, 0, WORLD, &q));
	REFUSES(MPI_ERR_TYPE, orr_Recv_init(x, 1, NO_TYPE, any, 0, WORLD, &q));
	REFUSES(MPI_ERR_RANK, orr_Recv_init(x, 1, MPI_INT, 7, 0, WORLD, &q));
	REFUSES(MPI_ERR_TAG, orr_Recv_init(x, 1, MPI_INT, any, -9, WORLD, &q));
	assert_ptr_equal(q, MPI_REQUEST_NULL);
	OK(orr_Type_free(&new));
	still_well();
}

static void receives(void **state)
{
	(void)state;
	run_on(2, receives_body);
}

static void both_body(int rank, void *arg)
{
	int x[2] = {0}, y[2] = {0}, no = MPI_PROC_NULL;
	MPI_Request q = MPI_REQUEST_NULL;
	MPI_Status s;

	(void)rank;
	(void)arg;
#define BOTH(n, type, dest, tag, m, other, source, its, comm) \
	orr_Sendrecv(x, n, type, dest, tag, y, m, other, source, its, comm, &s)
	REFUSES(MPI_ERR_COMM, BOTH(1, MPI_INT, no, 0, 1, MPI_INT, no, 0, NO_COMM));
	REFUSES(MPI_ERR_COUNT, BOTH(-1, MPI_INT, no, 0, 1, MPI_INT, no, 0, WORLD));
	REFUSES(MPI_ERR_COUNT, BOTH(1, MPI_INT, no, 0, -1, MPI_INT, no, 0, WORLD));
	REFUSES(MPI_ERR_TYPE, BOTH(1, NO_TYPE, no, 0, 1, MPI_INT, no, 0, WORLD));
	REFUSES(MPI_ERR_TYPE, BOTH(1, MPI_INT, no, 0, 1, NO_TYPE, no, 0, WORLD));
	REFUSES(MPI_ERR_RANK, BOTH(1, MPI_INT, 2, 0, 1, MPI_INT, no, 0, WORLD));
	REFUSES(MPI_ERR_RANK, BOTH(1, MPI_INT, no, 0, 1, MPI_INT, 2, 0, WORLD));
	REFUSES(MPI_ERR_TAG, BOTH(1, MPI_INT, no, -1, 1, MPI_INT, no, 0, WORLD));
	REFUSES(MPI_ERR_TAG, BOTH(1, MPI_INT, no, 0, 1, MPI_INT, no, -1, WORLD));
	OK(BOTH(1, MPI_INT, no, 0, 1, MPI_INT, no, MPI_ANY_TAG, WORLD));
#undef BOTH
	assert_int_equal(s.MPI_SOURCE, MPI_PROC_NULL);
	assert_int_equal(s.MPI_TAG, MPI_ANY_TAG);
	REFUSES(MPI_ERR_COUNT, orr_Sendrecv_replace(x, -1, MPI_INT, no, 0, no, 0, WORLD, &s));
	REFUSES(MPI_ERR_RANK, orr_Sendrecv_replace(x, 1, MPI_INT, 5, 0, no, 0, WORLD, &s));
	REFUSES(MPI_ERR_COMM,
	        orr_Isendrecv(x, 1, MPI_INT, no, 0, y, 1, MPI_INT, no, 0, NO_COMM, &q));
	REFUSES(MPI_ERR_RANK, orr_Isendrecv(x, 1, MPI_INT, no, 0, y, 1, MPI_INT, 9, 0, WORLD, &q));
	REFUSES(MPI_ERR_TAG, orr_Isendrecv_replace(x, 1, MPI_INT, no, -3, no, 0, WORLD, &q));
	assert_ptr_equal(q, MPI_REQUEST_NULL);
	still_well();
}

static void both(void **state)
{
	(void)state;
	run_on(2, both_body);
}

static void probes_body(int rank, void *arg)
{
	MPI_Message m = MPI_MESSAGE_NULL;
	MPI_Request q = MPI_REQUEST_NULL;
	MPI_Status s;
	int flag, x = 0, any = MPI_ANY_SOURCE;

	(void)rank;
	(void)arg;
	REFUSES(MPI_ERR_COMM, orr_Probe(any, 0, NO_COMM, &s));
	REFUSES(MPI_ERR_RANK, orr_Probe(2, 0, WORLD, &s));
	REFUSES(MPI_ERR_TAG, orr_Probe(any, -1, WORLD, &s));
	REFUSES(MPI_ERR_COMM, orr_Iprobe(any, 0, NO_COMM, &flag, &s));
	REFUSES(MPI_ERR_RANK, orr_Iprobe(2, 0, WORLD, &flag, &s));
	REFUSES(MPI_ERR_TAG, orr_Iprobe(any, -1, WORLD, &flag, &s));
	REFUSES(MPI_ERR_COMM, orr_Mprobe(any, 0, NO_COMM, &m, &s));
	REFUSES(MPI_ERR_RANK, orr_Mprobe(2, 0, WORLD, &m, &s));
	REFUSES(MPI_ERR_TAG, orr_Mprobe(any, -1, WORLD, &m, &s));
	REFUSES(MPI_ERR_COMM, orr_Improbe(any, 0, NO_COMM, &flag, &m, &s));
	REFUSES(MPI_ERR_RANK, orr_Improbe(2, 0, WORLD, &flag, &m, &s));
	REFUSES(MPI_ERR_TAG, orr_Improbe(any, -1, WORLD, &flag, &m, &s));
	REFUSES(MPI_ERR_REQUEST, orr_Mrecv(&x, 1, MPI_INT, &m, &s));
	REFUSES(MPI_ERR_REQUEST, orr_Imrecv(&x, 1, MPI_INT, &m, &q));
	OK(orr_Mprobe(MPI_PROC_NULL, 0, WORLD, &m, &s)); /* 3.8.2: at once */
	assert_ptr_equal(m, MPI_MESSAGE_NO_PROC);
	assert_int_equal(s.MPI_SOURCE, MPI_PROC_NULL);
	REFUSES(MPI_ERR_COUNT, orr_Mrecv(&x, -1, MPI_INT, &m, &s));
	REFUSES(MPI_ERR_TYPE, orr_Mrecv(&x, 1, NO_TYPE, &m, &s));
	OK(orr_Mrecv(&x, 1, MPI_INT, &m, &s));
	assert_ptr_equal(m, MPI_MESSAGE_NULL);
	assert_int_equal(s.MPI_SOURCE, MPI_PROC_NULL);
	assert_int_equal(s.MPI_TAG, MPI_ANY_TAG);
	still_well();
}

static void probes(void **state)
{
	(void)state;
	run_on(2, probes_body);
}

static void requests_body(int rank, void *arg)
{
	MPI_Request q[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL}, bad[2], old;
	MPI_Status s[2];
	int x = 0, flag, index, n, indices[2];

	(void)rank;
	(void)arg;
	OK(orr_Irecv(&x, 1, MPI_INT, MPI_PROC_NULL, 0, WORLD, &q[0]));
	old = q[0];
	OK(orr_Wait(&q[0], s));
	bad[0] = MPI_REQUEST_NULL;
	bad[1] = old;
	REFUSES(MPI_ERR_REQUEST, orr_Wait(&bad[1], s));
	REFUSES(MPI_ERR_REQUEST, orr_Test(&bad[1], &flag, s));
	REFUSES(MPI_ERR_REQUEST, orr_Waitall(2, bad, s));
	REFUSES(MPI_ERR_REQUEST, orr_Waitany(2, bad, &index, s));
	REFUSES(MPI_ERR_REQUEST, orr_Waitsome(2, bad, &n, indices, s));
	REFUSES(MPI_ERR_REQUEST, orr_Testall(2, bad, &flag, s));
	REFUSES(MPI_ERR_REQUEST, orr_Testany(2, bad, &index, &flag, s));
	REFUSES(MPI_ERR_REQUEST, orr_Testsome(2, bad, &n, indices, s));
	REFUSES(MPI_ERR_REQUEST, orr_Request_free(&bad[1]));
	REFUSES(MPI_ERR_REQUEST, orr_Request_free(&bad[0]));
	REFUSES(MPI_ERR_REQUEST, orr_Cancel(&bad[0]));
	REFUSES(MPI_ERR_REQUEST, orr_Cancel(&bad[1]));
	REFUSES(MPI_ERR_REQUEST, orr_Start(&bad[0]));
	REFUSES(MPI_ERR_REQUEST, orr_Startall(2, bad));
	REFUSES(MPI_ERR_REQUEST, orr_Request_get_status(bad[1], &flag, s));
	REFUSES(MPI_ERR_REQUEST, orr_Request_get_status_all(2, bad, &flag, s));
	REFUSES(MPI_ERR_REQUEST, orr_Request_get_status_any(2, bad, &index, &flag, s));
	REFUSES(MPI_ERR_REQUEST, orr_Request_get_status_some(2, bad, &n, indices, s));
	REFUSES(MPI_ERR_COUNT, orr_Waitall(-1, q, s));
	REFUSES(MPI_ERR_COUNT, orr_Waitany(-1, q, &index, s));
	REFUSES(MPI_ERR_COUNT, orr_Waitsome(-1, q, &n, indices, s));
	REFUSES(MPI_ERR_COUNT, orr_Testall(-1, q, &flag, s));
	REFUSES(MPI_ERR_COUNT, orr_Testany(-1, q, &index, &flag, s));
	REFUSES(MPI_ERR_COUNT, orr_Testsome(-1, q, &n, indices, s));
	REFUSES(MPI_ERR_COUNT, orr_Startall(-1, q));
	REFUSES(MPI_ERR_COUNT, orr_Request_get_status_all(-1, q, &flag, s));
	REFUSES(MPI_ERR_COUNT, orr_Request_get_status_any(-1, q, &index, &flag, s));
	REFUSES(MPI_ERR_COUNT, orr_Request_get_status_some(-1, q, &n, indices, s));
	still_well();
}

static void requests(void **state)
{
	(void)state;
	run_on(2, requests_body);
}

/* 3.9: what is not persistent is not started, nor what is under way; 6.12: a collective is not
 * freed while it is under way, nor cancelled. */
static void lives_body(int rank, void *arg)
{
	MPI_Request p, q, c;
	int x = rank, y = -1;

	(void)arg;
	OK(orr_Recv_init(&y, 1, MPI_INT, 1 - rank, 3, WORLD, &p));
	REFUSES(MPI_ERR_REQUEST, orr_Cancel(&p));
	OK(orr_Start(&p));
	REFUSES(MPI_ERR_REQUEST, orr_Start(&p));
	OK(orr_Isend(&x, 1, MPI_INT, 1 - rank, 3, WORLD, &q));
	REFUSES(MPI_ERR_REQUEST, orr_Start(&q));
	OK(orr_Wait(&q, MPI_STATUS_IGNORE));
	OK(orr_Wait(&p, MPI_STATUS_IGNORE));
	assert_int_equal(y, 1 - rank);
	OK(orr_Request_free(&p));
	OK(orr_Ibarrier(WORLD, &c));
	REFUSES(MPI_ERR_REQUEST, orr_Cancel(&c));
	REFUSES(MPI_ERR_REQUEST, orr_Request_free(&c));
	OK(orr_Wait(&c, MPI_STATUS_IGNORE));
	OK(orr_Barrier_init(WORLD, MPI_INFO_NULL, &c));
	OK(orr_Request_free(&c));
	still_well();
}

static void lives(void **state)
{
	(void)state;
	run_on(2, lives_body);
}

/* --- chapter 4: partitioned --- */

static void parts_body(int rank, void *arg)
{
	MPI_Request s, r, q = MPI_REQUEST_NULL;
	double x[4] = {0}, y[4];
	const MPI_Info no = MPI_INFO_NULL;
	const int twice[] = {0, 0}, far[] = {1, 4};
	int flag, other = 1 - rank;

	(void)arg;
	REFUSES(MPI_ERR_COMM, orr_Psend_init(x, 2, 2, MPI_DOUBLE, other, 0, NO_COMM, no, &q));
	REFUSES(MPI_ERR_COUNT, orr_Psend_init(x, 2, -2, MPI_DOUBLE, other, 0, WORLD, no, &q));
	REFUSES(MPI_ERR_TYPE, orr_Psend_init(x, 2, 2, NO_TYPE, other, 0, WORLD, no, &q));
	REFUSES(MPI_ERR_RANK, orr_Psend_init(x, 2, 2, MPI_DOUBLE, 3, 0, WORLD, no, &q));
	REFUSES(MPI_ERR_TAG, orr_Psend_init(x, 2, 2, MPI_DOUBLE, other, -1, WORLD, no, &q));
	REFUSES(MPI_ERR_RANK,
	        orr_Precv_init(y, 2, 2, MPI_DOUBLE, MPI_ANY_SOURCE, 0, WORLD, no, &q));
	REFUSES(MPI_ERR_TAG,
	        orr_Precv_init(y, 2, 2, MPI_DOUBLE, other, MPI_ANY_TAG, WORLD, no, &q));
	assert_ptr_equal(q, MPI_REQUEST_NULL);
	OK(orr_Psend_init(x, 4, 1, MPI_DOUBLE, other, 0, WORLD, no, &s));
	OK(orr_Precv_init(y, 4, 1, MPI_DOUBLE, other, 0, WORLD, no, &r));
	REFUSES(MPI_ERR_REQUEST, orr_Pready(0, s)); /* not started */
	OK(orr_Parrived(r, 0, &flag));              /* 4.2.2: an inactive one: true */
	assert_true(flag);
	OK(orr_Start(&s));
	OK(orr_Start(&r));
	REFUSES(MPI_ERR_ARG, orr_Pready(4, s));
	REFUSES(MPI_ERR_ARG, orr_Pready(-1, s));
	REFUSES(MPI_ERR_ARG, orr_Pready_range(2, 1, s));
	REFUSES(MPI_ERR_ARG, orr_Pready_range(2, 4, s));
	REFUSES(MPI_ERR_ARG, orr_Pready_list(2, far, s));
	REFUSES(MPI_ERR_ARG, orr_Pready_list(2, twice, s));
	REFUSES(MPI_ERR_REQUEST, orr_Pready(0, r));
	REFUSES(MPI_ERR_REQUEST, orr_Parrived(s, 0, &flag));
	REFUSES(MPI_ERR_ARG, orr_Parrived(r, 4, &flag));
	REFUSES(MPI_ERR_REQUEST, orr_Cancel(&s)); /* 4.2.2: erroneous, as it is active */
	REFUSES(MPI_ERR_REQUEST, orr_Cancel(&r));
	OK(orr_Pready_range(0, 3, s));
	REFUSES(MPI_ERR_ARG, orr_Pready(0, s)); /* it is */
	OK(orr_Wait(&s, MPI_STATUS_IGNORE));
	OK(orr_Wait(&r, MPI_STATUS_IGNORE));
	OK(orr_Request_free(&s));
	OK(orr_Request_free(&r));
	still_well();
}

static void parts(void **state)
{
	(void)state;
	run_on(2, parts_body);
}

/* --- chapter 5: datatypes --- */

static void types_body(int rank, void *arg)
{
	const MPI_Count one[] = {1, 1}, minus[] = {1, -1}, at[] = {0, 8};
	const MPI_Datatype ints[] = {MPI_INT, MPI_INT}, half[] = {MPI_INT, MPI_DATATYPE_NULL};
	MPI_Datatype t = MPI_DATATYPE_NULL, gone = freed_type();
	MPI_Count n, m, position = 0;
	MPI_Aint a;
	char buf[64];

	(void)rank;
	(void)arg;
	REFUSES(MPI_ERR_COUNT, orr_Type_contiguous(-1, MPI_INT, &t));
	REFUSES(MPI_ERR_TYPE, orr_Type_contiguous(1, NO_TYPE, &t));
	REFUSES(MPI_ERR_TYPE, orr_Type_contiguous(1, gone, &t));
	REFUSES(MPI_ERR_COUNT, orr_Type_vector(-1, 1, 1, MPI_INT, &t));
	REFUSES(MPI_ERR_ARG, orr_Type_vector(1, -1, 1, MPI_INT, &t));
	REFUSES(MPI_ERR_TYPE, orr_Type_vector(1, 1, 1, NO_TYPE, &t));
	REFUSES(MPI_ERR_COUNT, orr_Type_create_hvector(-1, 1, 1, MPI_INT, &t));
	REFUSES(MPI_ERR_TYPE, orr_Type_create_hvector(1, 1, 1, NO_TYPE, &t));
	REFUSES(MPI_ERR_COUNT, orr_Type_indexed(-1, one, at, MPI_INT, &t));
	REFUSES(MPI_ERR_ARG, orr_Type_indexed(2, minus, at, MPI_INT, &t));
	REFUSES(MPI_ERR_TYPE, orr_Type_indexed(2, one, at, NO_TYPE, &t));
	REFUSES(MPI_ERR_ARG, orr_Type_create_hindexed(2, minus, at, MPI_INT, &t));
	REFUSES(MPI_ERR_ARG, orr_Type_create_indexed_block(2, -1, at, MPI_INT, &t));
	REFUSES(MPI_ERR_COUNT, orr_Type_create_hindexed_block(-2, 1, at, MPI_INT, &t));
	REFUSES(MPI_ERR_COUNT, orr_Type_create_struct(-1, one, at, ints, &t));
	REFUSES(MPI_ERR_ARG, orr_Type_create_struct(2, minus, at, ints, &t));
	REFUSES(MPI_ERR_TYPE, orr_Type_create_struct(2, one, at, half, &t));
	REFUSES(MPI_ERR_TYPE, orr_Type_create_resized(NO_TYPE, 0, 8, &t));
	REFUSES(MPI_ERR_TYPE, orr_Type_dup(gone, &t));
	REFUSES(MPI_ERR_TYPE, orr_Type_commit(&gone));
	REFUSES(MPI_ERR_TYPE, orr_Type_free(&gone));
	t = MPI_INT;
	REFUSES(MPI_ERR_TYPE, orr_Type_free(&t)); /* predefined */
	REFUSES(MPI_ERR_TYPE, orr_Type_size(NO_TYPE, &n));
	REFUSES(MPI_ERR_TYPE, orr_Type_get_extent(gone, &n, &m));
	REFUSES(MPI_ERR_TYPE, orr_Type_get_true_extent(NO_TYPE, &n, &m));
	OK(orr_Get_address(buf, &a));
	assert_int_equal(a, (intptr_t)buf);
	REFUSES(MPI_ERR_COMM, orr_Pack_size(1, MPI_INT, NO_COMM, &n));
	REFUSES(MPI_ERR_TYPE, orr_Pack_size(1, NO_TYPE, WORLD, &n));
	REFUSES(MPI_ERR_COUNT, orr_Pack_size(-1, MPI_INT, WORLD, &n));
	REFUSES(MPI_ERR_COMM, orr_Pack(&n, 1, MPI_INT, buf, 64, &position, NO_COMM));
	REFUSES(MPI_ERR_TYPE, orr_Pack(&n, 1, NO_TYPE, buf, 64, &position, WORLD));
	REFUSES(MPI_ERR_COUNT, orr_Pack(&n, -1, MPI_INT, buf, 64, &position, WORLD));
	REFUSES(MPI_ERR_TRUNCATE, orr_Pack(&n, 2, MPI_INT, buf, 7, &position, WORLD));
	REFUSES(MPI_ERR_TRUNCATE, orr_Unpack(buf, 7, &position, &n, 2, MPI_INT, WORLD));
	REFUSES(MPI_ERR_COUNT, orr_Unpack(buf, 7, &position, &n, -2, MPI_INT, WORLD));
	assert_int_equal(position, 0);
	still_well();
}

static void types(void **state)
{
	(void)state;
	run_on(1, types_body);
}

/* 5.1.3, 5.1.4: 1 <= subsize <= size, 0 <= start <= size - subsize; the processes of the grid are
 * as many as there are; a block of a block distribution is long enough for all. */
static void arrays_body(int rank, void *arg)
{
	const MPI_Count four[] = {4, 4}, five[] = {4, 5}, none[] = {0, 4}, minus[] = {-1, 0},
	                zero[] = {0, 0}, last[] = {0, 1};
	const int block[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC},
	          whole[] = {MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_BLOCK},
	          usual[] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG}, one[] = {1, 1},
	          two[] = {2, 2}, wrong[] = {0, 4};
	const int C = MPI_ORDER_C;
	MPI_Datatype t = MPI_DATATYPE_NULL;

	(void)rank;
	(void)arg;
	REFUSES(MPI_ERR_ARG, orr_Type_create_subarray(0, four, four, zero, C, MPI_INT, &t));
	REFUSES(MPI_ERR_ARG, orr_Type_create_subarray(2, none, none, zero, C, MPI_INT, &t));
	REFUSES(MPI_ERR_ARG, orr_Type_create_subarray(2, four, none, zero, C, MPI_INT, &t));
	REFUSES(MPI_ERR_ARG, orr_Type_create_subarray(2, four, five, zero, C, MPI_INT, &t));
	REFUSES(MPI_ERR_ARG, orr_Type_create_subarray(2, four, four, minus, C, MPI_INT, &t));
	REFUSES(MPI_ERR_ARG, orr_Type_create_subarray(2, four, four, last, C, MPI_INT, &t));
	REFUSES(MPI_ERR_ARG, orr_Type_create_subarray(2, four, four, zero, 9, MPI_INT, &t));
	REFUSES(MPI_ERR_TYPE, orr_Type_create_subarray(2, four, four, zero, C, NO_TYPE, &t));
#define DARRAY(size, place, dims, sizes, how, args, grid, order, old) \
	orr_Type_create_darray(size, place, dims, sizes, how, args, grid, order, old, &t)
	REFUSES(MPI_ERR_ARG, DARRAY(0, 0, 2, four, block, usual, two, C, MPI_INT));
	REFUSES(MPI_ERR_ARG, DARRAY(4, 4, 2, four, block, usual, two, C, MPI_INT));
	REFUSES(MPI_ERR_ARG, DARRAY(4, -1, 2, four, block, usual, two, C, MPI_INT));
	REFUSES(MPI_ERR_ARG, DARRAY(4, 0, 0, four, block, usual, two, C, MPI_INT));
	REFUSES(MPI_ERR_ARG, DARRAY(4, 0, 2, none, block, usual, two, C, MPI_INT));
	REFUSES(MPI_ERR_ARG, DARRAY(4, 0, 2, four, two, usual, two, C, MPI_INT));
	REFUSES(MPI_ERR_ARG, DARRAY(4, 0, 2, four, whole, usual, two, C, MPI_INT));
	REFUSES(MPI_ERR_ARG, DARRAY(4, 0, 2, four, block, one, two, C, MPI_INT));
	REFUSES(MPI_ERR_ARG, DARRAY(4, 0, 2, four, block, wrong, two, C, MPI_INT));
	REFUSES(MPI_ERR_ARG, DARRAY(4, 0, 2, four, block, usual, wrong, C, MPI_INT));
	REFUSES(MPI_ERR_ARG, DARRAY(3, 0, 2, four, block, usual, two, C, MPI_INT));
	REFUSES(MPI_ERR_ARG, DARRAY(4, 0, 2, four, block, usual, two, 1, MPI_INT));
	REFUSES(MPI_ERR_TYPE, DARRAY(4, 0, 2, four, block, usual, two, C, NO_TYPE));
#undef DARRAY
	assert_ptr_equal(t, MPI_DATATYPE_NULL);
}

static void arrays(void **state)
{
	(void)state;
	run_on(1, arrays_body);
}

/* --- chapter 7: groups, communicators, caching --- */

static void comms_body(int rank, void *arg)
{
	MPI_Comm c = MPI_COMM_NULL, world = WORLD, self = SELF, gone = freed_comm();
	MPI_Group all, none = MPI_GROUP_NULL, mine;
	int x, y, flag, key = MPI_KEYVAL_INVALID;

	(void)arg;
	OK(orr_Comm_group(WORLD, &all));
	OK(orr_Comm_group(SELF, &mine));
	REFUSES(MPI_ERR_COMM, orr_Comm_size(NO_COMM, &x));
	REFUSES(MPI_ERR_COMM, orr_Comm_rank(gone, &x));
	REFUSES(MPI_ERR_COMM, orr_Comm_compare(WORLD, NO_COMM, &x));
	REFUSES(MPI_ERR_COMM, orr_Comm_group(gone, &none));
	REFUSES(MPI_ERR_COMM, orr_Comm_dup(NO_COMM, &c));
	REFUSES(MPI_ERR_COMM, orr_Comm_create(NO_COMM, all, &c));
	REFUSES(MPI_ERR_GROUP, orr_Comm_create(WORLD, MPI_GROUP_NULL, &c));
	REFUSES(MPI_ERR_COMM, orr_Comm_create_group(NO_COMM, all, 0, &c));
	REFUSES(MPI_ERR_GROUP, orr_Comm_create_group(WORLD, MPI_GROUP_NULL, 0, &c));
	REFUSES(MPI_ERR_GROUP, orr_Comm_create_group(SELF, all, 0, &c)); /* no subset: 7.4.2 */
	REFUSES(MPI_ERR_GROUP, orr_Comm_create(SELF, all, &c));
	REFUSES(MPI_ERR_COMM, orr_Comm_split(NO_COMM, 0, 0, &c));
	REFUSES(MPI_ERR_ARG, orr_Comm_split(WORLD, -1, 0, &c));
	REFUSES(MPI_ERR_ARG, orr_Comm_split_type(WORLD, 12345, 0, MPI_INFO_NULL, &c));
	REFUSES(MPI_ERR_COMM, orr_Comm_free(&world));
	REFUSES(MPI_ERR_COMM, orr_Comm_free(&self));
	REFUSES(MPI_ERR_COMM, orr_Comm_free(&gone));
	REFUSES(MPI_ERR_COMM, orr_Comm_remote_size(WORLD, &x)); /* no intercommunicator */
	REFUSES(MPI_ERR_COMM, orr_Comm_remote_group(WORLD, &none));
	REFUSES(MPI_ERR_COMM, orr_Comm_test_inter(NO_COMM, &flag));
	REFUSES(MPI_ERR_COMM, orr_Intercomm_merge(WORLD, 0, &c));
	REFUSES(MPI_ERR_COMM, orr_Intercomm_create(NO_COMM, 0, WORLD, 0, 1, &c));
	REFUSES(MPI_ERR_RANK, orr_Intercomm_create(SELF, 1, WORLD, 1 - rank, 1, &c));
	REFUSES(MPI_ERR_COMM, orr_Intercomm_create(SELF, 0, NO_COMM, 1 - rank, 1, &c));
	REFUSES(MPI_ERR_RANK, orr_Intercomm_create(SELF, 0, WORLD, 2, 1, &c));
	REFUSES(MPI_ERR_TAG, orr_Intercomm_create(SELF, 0, WORLD, 1 - rank, -5, &c));
	REFUSES(MPI_ERR_TAG, orr_Comm_create_group(WORLD, all, -5, &c));
	REFUSES(MPI_ERR_KEYVAL, orr_Comm_set_attr(WORLD, key, &x));
	REFUSES(MPI_ERR_KEYVAL, orr_Comm_get_attr(WORLD, key, &y, &flag));
	REFUSES(MPI_ERR_KEYVAL, orr_Comm_delete_attr(WORLD, key));
	REFUSES(MPI_ERR_KEYVAL, orr_Comm_free_keyval(&key));
	REFUSES(MPI_ERR_KEYVAL, orr_Comm_set_attr(WORLD, MPI_TAG_UB, &x)); /* 7.7.2: not to be */
	REFUSES(MPI_ERR_COMM, orr_Comm_set_name(NO_COMM, "x"));
	REFUSES(MPI_ERR_COMM, orr_Comm_get_info(NO_COMM, NULL));
	REFUSES(MPI_ERR_INFO, orr_Comm_dup_with_info(SELF, (MPI_Info)MPI_INT, &c));
	OK(orr_Group_free(&all));
	OK(orr_Group_free(&mine));
	still_well();
}

static void comms(void **state)
{
	(void)state;
	run_on(2, comms_body);
}

static void groups_body(int rank, void *arg)
{
	MPI_Group g, h = MPI_GROUP_NULL, no = MPI_GROUP_NULL;
	int ranks[] = {0, 1}, twice[] = {1, 1}, far[] = {0, 2}, x, there[2];
	int range[1][3] = {{0, 1, 0}}, past[1][3] = {{0, 2, 1}},
	    again[2][3] = {{0, 1, 1}, {1, 0, -1}};

	(void)rank;
	(void)arg;
	OK(orr_Comm_group(WORLD, &g));
	REFUSES(MPI_ERR_GROUP, orr_Group_size(no, &x));
	REFUSES(MPI_ERR_GROUP, orr_Group_rank(no, &x));
	REFUSES(MPI_ERR_GROUP, orr_Group_compare(g, no, &x));
	REFUSES(MPI_ERR_GROUP, orr_Group_union(no, g, &h));
	REFUSES(MPI_ERR_GROUP, orr_Group_intersection(g, no, &h));
	REFUSES(MPI_ERR_GROUP, orr_Group_difference(no, no, &h));
	REFUSES(MPI_ERR_GROUP, orr_Group_incl(no, 2, ranks, &h));
	REFUSES(MPI_ERR_GROUP, orr_Group_excl(no, 2, ranks, &h));
	REFUSES(MPI_ERR_ARG, orr_Group_incl(g, -1, ranks, &h));
	REFUSES(MPI_ERR_ARG, orr_Group_excl(g, -1, ranks, &h));
	REFUSES(MPI_ERR_RANK, orr_Group_incl(g, 2, twice, &h));
	REFUSES(MPI_ERR_RANK, orr_Group_incl(g, 2, far, &h));
	REFUSES(MPI_ERR_RANK, orr_Group_excl(g, 2, twice, &h));
	REFUSES(MPI_ERR_RANK, orr_Group_excl(g, 2, far, &h));
	REFUSES(MPI_ERR_ARG, orr_Group_range_incl(g, 1, range, &h));
	REFUSES(MPI_ERR_RANK, orr_Group_range_incl(g, 1, past, &h));
	REFUSES(MPI_ERR_RANK, orr_Group_range_excl(g, 2, again, &h));
	REFUSES(MPI_ERR_ARG, orr_Group_range_excl(g, -1, range, &h));
	REFUSES(MPI_ERR_RANK, orr_Group_translate_ranks(g, 2, far, g, there));
	REFUSES(MPI_ERR_ARG, orr_Group_translate_ranks(g, -1, far, g, there));
	REFUSES(MPI_ERR_GROUP, orr_Group_free(&no));
	assert_ptr_equal(h, MPI_GROUP_NULL);
	OK(orr_Group_free(&g));
}

static void groups(void **state)
{
	(void)state;
	run_on(2, groups_body);
}

/* --- chapter 8: topologies --- */

static void topologies_body(int rank, void *arg)
{
	const int two[] = {2, 1}, three[] = {3, 1}, none[] = {0, 2}, no[] = {0, 0},
	          index[] = {1, 2}, back[] = {2, 1}, edges[] = {1, 0}, far[] = {1, 2};
	int minus[] = {-1, 0}, over[] = {3, 0}, x, y, at[2];
	MPI_Comm c = MPI_COMM_NULL, cart;

	(void)rank;
	(void)arg;
	REFUSES(MPI_ERR_COMM, orr_Cart_create(NO_COMM, 2, two, no, 0, &c));
	REFUSES(MPI_ERR_DIMS, orr_Cart_create(WORLD, 2, three, no, 0, &c));
	REFUSES(MPI_ERR_DIMS, orr_Cart_create(WORLD, 2, none, no, 0, &c));
	REFUSES(MPI_ERR_DIMS, orr_Cart_create(WORLD, -1, two, no, 0, &c));
	REFUSES(MPI_ERR_COMM, orr_Graph_create(NO_COMM, 2, index, edges, 0, &c));
	REFUSES(MPI_ERR_TOPOLOGY, orr_Graph_create(WORLD, 2, back, edges, 0, &c));
	REFUSES(MPI_ERR_TOPOLOGY, orr_Graph_create(WORLD, 2, index, far, 0, &c));
	REFUSES(MPI_ERR_ARG, orr_Graph_create(WORLD, 3, index, edges, 0, &c));
	REFUSES(MPI_ERR_DIMS, orr_Dims_create(2, 2, minus));
	REFUSES(MPI_ERR_DIMS, orr_Dims_create(2, 2, over)); /* 3 does not divide 2 */
	REFUSES(MPI_ERR_TOPOLOGY, orr_Cartdim_get(WORLD, &x));
	REFUSES(MPI_ERR_TOPOLOGY, orr_Cart_get(WORLD, 2, at, at, at));
	REFUSES(MPI_ERR_TOPOLOGY, orr_Cart_rank(WORLD, two, &x));
	REFUSES(MPI_ERR_TOPOLOGY, orr_Cart_coords(WORLD, 0, 2, at));
	REFUSES(MPI_ERR_TOPOLOGY, orr_Cart_shift(WORLD, 0, 1, &x, &y));
	REFUSES(MPI_ERR_TOPOLOGY, orr_Cart_sub(WORLD, two, &c));
	REFUSES(MPI_ERR_TOPOLOGY, orr_Graphdims_get(WORLD, &x, &y));
	REFUSES(MPI_ERR_TOPOLOGY, orr_Graph_neighbors_count(WORLD, 0, &x));
	REFUSES(MPI_ERR_TOPOLOGY, orr_Dist_graph_neighbors_count(WORLD, &x, &y, at));
	REFUSES(MPI_ERR_COMM, orr_Topo_test(NO_COMM, &x));
	REFUSES(MPI_ERR_TOPOLOGY, orr_Neighbor_alltoall(&x, 1, MPI_INT, at, 1, MPI_INT, WORLD));
	OK(orr_Cart_create(WORLD, 2, two, no, 0, &cart));
	REFUSES(MPI_ERR_RANK, orr_Cart_coords(cart, 2, 2, at));
	REFUSES(MPI_ERR_RANK, orr_Cart_coords(cart, -1, 2, at));
	REFUSES(MPI_ERR_ARG, orr_Cart_shift(cart, 2, 1, &x, &y));
	REFUSES(MPI_ERR_ARG, orr_Cart_shift(cart, -1, 1, &x, &y));
	REFUSES(MPI_ERR_TOPOLOGY, orr_Graphdims_get(cart, &x, &y));
	OK(orr_Comm_free(&cart));
	still_well();
}

static void topologies(void **state)
{
	(void)state;
	run_on(2, topologies_body);
}

/* --- the rest: infos, operators, errors, statuses --- */

static void others_body(int rank, void *arg)
{
	static char key[MPI_MAX_INFO_KEY + 1], value[MPI_MAX_INFO_VAL + 1];
	MPI_Info info, no = MPI_INFO_NULL;
	MPI_Op op = MPI_SUM;
	MPI_Errhandler none = MPI_ERRHANDLER_NULL;
	MPI_Status s;
	int x = 0, y = 0, flag;
	MPI_Count n;

	(void)rank;
	(void)arg;
	memset(key, 'k', MPI_MAX_INFO_KEY);
	memset(value, 'v', MPI_MAX_INFO_VAL);
	OK(orr_Info_create(&info));
	REFUSES(MPI_ERR_INFO, orr_Info_set(no, "a", "b"));
	REFUSES(MPI_ERR_INFO_KEY, orr_Info_set(info, key, "b"));
	REFUSES(MPI_ERR_INFO_KEY, orr_Info_set(info, "", "b"));
	REFUSES(MPI_ERR_INFO_VALUE, orr_Info_set(info, "a", value));
	REFUSES(MPI_ERR_INFO_NOKEY, orr_Info_delete(info, "a"));
	REFUSES(MPI_ERR_INFO, orr_Info_get_nkeys(no, &x));
	REFUSES(MPI_ERR_ARG, orr_Info_get_nthkey(info, 0, key));
	REFUSES(MPI_ERR_INFO, orr_Info_dup(no, &no));
	REFUSES(MPI_ERR_INFO, orr_Info_free(&no));
	REFUSES(MPI_ERR_INFO_KEY, orr_Info_get_string(info, "", &x, value, &flag));
	OK(orr_Info_free(&info));
	REFUSES(MPI_ERR_OP, orr_Op_free(&op)); /* predefined: 6.9.5 */
	op = MPI_OP_NULL;
	REFUSES(MPI_ERR_OP, orr_Op_free(&op));
	REFUSES(MPI_ERR_OP, orr_Op_commutative(op, &x));
	REFUSES(MPI_ERR_OP, orr_Reduce_local(&x, &y, 1, MPI_INT, op));
	REFUSES(MPI_ERR_OP, orr_Reduce_local(&x, &y, 1, MPI_FLOAT, MPI_BAND));
	REFUSES(MPI_ERR_OP, orr_Reduce_local(&x, &y, 1, MPI_INT, MPI_MINLOC));
	REFUSES(MPI_ERR_COUNT, orr_Reduce_local(&x, &y, -1, MPI_INT, MPI_SUM));
	REFUSES(MPI_ERR_TYPE, orr_Reduce_local(&x, &y, 1, NO_TYPE, MPI_SUM));
	REFUSES(MPI_ERR_ERRHANDLER, orr_Errhandler_free(&none));
	REFUSES(MPI_ERR_ERRHANDLER, orr_Comm_set_errhandler(WORLD, none));
	REFUSES(MPI_ERR_COMM, orr_Comm_set_errhandler(NO_COMM, MPI_ERRORS_RETURN));
	REFUSES(MPI_ERR_ARG, orr_Error_class(-3, &x));
	REFUSES(MPI_ERR_ARG, orr_Error_class(1 << 29, &x));
	OK(orr_Recv(&x, 1, MPI_INT, MPI_PROC_NULL, 0, WORLD, &s));
	REFUSES(MPI_ERR_TYPE, orr_Get_count(&s, NO_TYPE, &n));
	REFUSES(MPI_ERR_TYPE, orr_Get_elements(&s, NO_TYPE, &n));
	REFUSES(MPI_ERR_TYPE, orr_Status_set_elements(&s, NO_TYPE, 1));
	REFUSES(MPI_ERR_OTHER, orr_Init(NULL, NULL)); /* once: 11.2 */
	still_well();
}

static void others(void **state)
{
	(void)state;
	run_on(1, others_body);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(sends),      cmocka_unit_test(isends), cmocka_unit_test(receives),
	    cmocka_unit_test(both),       cmocka_unit_test(probes), cmocka_unit_test(requests),
	    cmocka_unit_test(lives),      cmocka_unit_test(parts),  cmocka_unit_test(types),
	    cmocka_unit_test(arrays),     cmocka_unit_test(comms),  cmocka_unit_test(groups),
	    cmocka_unit_test(topologies), cmocka_unit_test(others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
