/* test_too_many.c: counts whose bytes pass 2^63 are refused, MPI_ERR_COUNT (MPI 4.0, 9.4: an
 * invalid count), where they would be none, or less than none, in 64 bits: 2^62 integers of 4 bytes
 * are 2^64 bytes, 2^61 are 2^63. */
#include "ranks.h"

#include "collective.h"
#include "refuses.h"

static const MPI_Count counts[] = {(MPI_Count)1 << 62, (MPI_Count)1 << 61, INT64_MAX};
enum { N_COUNTS = sizeof counts / sizeof *counts };

static int x[4], y[4];

static void messages_of(MPI_Count n)
{
	MPI_Request q = MPI_REQUEST_NULL;
	MPI_Message m;
	MPI_Status s;
	const int no = MPI_PROC_NULL;

	REFUSES(MPI_ERR_COUNT, orr_Send(x, n, MPI_INT, 0, 0, WORLD));
	REFUSES(MPI_ERR_COUNT, orr_Ssend(x, n, MPI_INT, no, 0, WORLD));
	REFUSES(MPI_ERR_COUNT, orr_Bsend(x, n, MPI_INT, no, 0, WORLD));
	REFUSES(MPI_ERR_COUNT, orr_Isend(x, n, MPI_INT, 0, 0, WORLD, &q));
	REFUSES(MPI_ERR_COUNT, orr_Send_init(x, n, MPI_INT, 0, 0, WORLD, &q));
	REFUSES(MPI_ERR_COUNT, orr_Recv(y, n, MPI_INT, 0, 0, WORLD, &s));
	REFUSES(MPI_ERR_COUNT, orr_Irecv(y, n, MPI_INT, 0, 0, WORLD, &q));
	REFUSES(MPI_ERR_COUNT, orr_Recv_init(y, n, MPI_INT, 0, 0, WORLD, &q));
	REFUSES(MPI_ERR_COUNT, orr_Sendrecv(x, n, MPI_INT, no, 0, y, 1, MPI_INT, no, 0, WORLD, &s));
	REFUSES(MPI_ERR_COUNT, orr_Sendrecv(x, 1, MPI_INT, no, 0, y, n, MPI_INT, no, 0, WORLD, &s));
	REFUSES(MPI_ERR_COUNT, orr_Psend_init(x, 1, n, MPI_INT, 0, 0, WORLD, MPI_INFO_NULL, &q));
	REFUSES(MPI_ERR_COUNT, orr_Precv_init(y, 1, n, MPI_INT, 0, 0, WORLD, MPI_INFO_NULL, &q));
	/* each partition is not too large, all are */
	REFUSES(MPI_ERR_COUNT,
	        orr_Psend_init(x, 64, n / 32, MPI_INT, 0, 0, WORLD, MPI_INFO_NULL, &q));
	assert_ptr_equal(q, MPI_REQUEST_NULL);
	OK(orr_Mprobe(no, 0, WORLD, &m, &s));
	REFUSES(MPI_ERR_COUNT, orr_Mrecv(y, n, MPI_INT, &m, &s));
	REFUSES(MPI_ERR_COUNT, orr_Imrecv(y, n, MPI_INT, &m, &q));
	OK(orr_Mrecv(y, 1, MPI_INT, &m, &s));
	REFUSES(MPI_ERR_COUNT, orr_Reduce_local(x, y, n, MPI_INT, MPI_SUM));
}

static void messages_body(int rank, void *arg)
{
	(void)rank;
	(void)arg;
	for (int i = 0; i < N_COUNTS; i++)
		messages_of(counts[i]);
	still_well();
}

static void messages(void **state)
{
	(void)state;
	run_on(2, messages_body);
}

static void refuses_call(const struct call *c)
{
	MPI_Request q = MPI_REQUEST_NULL;
	char text[80];

	for (int form = 0; form < FORMS; form++) {
		snprintf(text, sizeof text, "operation %d, form %d", c->what, form);
		refused(text,
		        form == BLOCKING      ? call_blocking(c)
		        : form == NONBLOCKING ? call_nonblocking(c, &q)
		                              : call_persistent(c, &q),
		        MPI_ERR_COUNT);
		assert_ptr_equal(q, MPI_REQUEST_NULL);
	}
}

static struct call call_of(enum what what, MPI_Count send, MPI_Count recv, MPI_Comm comm)
{
	struct call c = {.what = what,
	                 .send = x,
	                 .recv = y,
	                 .send_count = send,
	                 .recv_count = recv,
	                 .send_type = MPI_INT,
	                 .recv_type = MPI_INT,
	                 .op = MPI_SUM,
	                 .comm = comm};

	for (int k = 0; k < PEERS; k++) {
		c.send_counts[k] = send;
		c.recv_counts[k] = recv;
		c.send_types[k] = c.recv_types[k] = MPI_INT;
	}
	return c;
}

/* Every rank on its own; then blocks that are too large only together, of two ranks. */
static void collectives_body(int rank, void *arg)
{
	struct call c;

	(void)rank;
	(void)arg;
	for (int i = 0; i < N_COUNTS; i++)
		for (int w = BCAST; w < COLLECTIVES; w++) {
			c = call_of((enum what)w, 1, counts[i], SELF);
			refuses_call(&c);
			if (w == BCAST || w >= REDUCE)
				continue;
			c = call_of((enum what)w, counts[i], 1, SELF);
			refuses_call(&c);
		}
	for (int w = ALLGATHER; w <= ALLTOALLW; w++) {
		c = call_of((enum what)w, 1, (MPI_Count)1 << 60, WORLD);
		refuses_call(&c);
	}
	/* 2^62 + 2^62 elements; 2 x 2^60 of 4 bytes */
	c = call_of(REDUCE_SCATTER, 1, (MPI_Count)1 << 62, WORLD);
	refuses_call(&c);
	c = call_of(REDUCE_SCATTER_BLOCK, 1, (MPI_Count)1 << 60, WORLD);
	refuses_call(&c);
	still_well();
}

static void collectives(void **state)
{
	(void)state;
	run_on(2, collectives_body);
}

static void windows_body(int rank, void *arg)
{
	int other = 1 - rank, *base;
	MPI_Win win;

	(void)arg;
	OK(orr_Win_allocate(8, 4, MPI_INFO_NULL, WORLD, &base, &win));
	OK(orr_Win_fence(0, win));
	for (int i = 0; i < N_COUNTS; i++) {
		MPI_Count n = counts[i];

		REFUSES(MPI_ERR_COUNT, orr_Put(x, n, MPI_INT, other, 0, 1, MPI_INT, win));
		REFUSES(MPI_ERR_COUNT, orr_Put(x, 1, MPI_INT, other, 0, n, MPI_INT, win));
		REFUSES(MPI_ERR_COUNT, orr_Get(y, n, MPI_INT, other, 0, 1, MPI_INT, win));
		REFUSES(MPI_ERR_COUNT, orr_Get(y, 1, MPI_INT, other, 0, n, MPI_INT, win));
		REFUSES(MPI_ERR_COUNT,
		        orr_Accumulate(x, 1, MPI_INT, other, 0, n, MPI_INT, MPI_SUM, win));
		REFUSES(MPI_ERR_COUNT, orr_Get_accumulate(x, 1, MPI_INT, y, n, MPI_INT, other, 0, 1,
		                                          MPI_INT, MPI_SUM, win));
		/* a place that is none in 64 bits: 4 n bytes from the beginning */
		REFUSES(MPI_ERR_RMA_RANGE, orr_Put(x, 1, MPI_INT, other, n, 1, MPI_INT, win));
	}
	OK(orr_Win_fence(0, win));
	OK(orr_Win_free(&win));
	still_well();
}

static void windows(void **state)
{
	(void)state;
	run_on(2, windows_body);
}

static void files_body(int rank, void *arg)
{
	MPI_File f;
	MPI_Status s;

	(void)rank;
	OK(orr_File_open(SELF, arg, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f));
	for (int i = 0; i < N_COUNTS; i++) {
		REFUSES(MPI_ERR_COUNT, orr_File_write(f, x, counts[i], MPI_INT, &s));
		REFUSES(MPI_ERR_COUNT, orr_File_read_at(f, 0, y, counts[i], MPI_INT, &s));
	}
	OK(orr_File_close(&f));
	still_well();
}

static void files(void **state)
{
	char path[4200];
	struct tmp t;

	(void)state;
	tmp_init(&t);
	snprintf(path, sizeof path, "%s/file", t.dir);
	faults = 0;
	ranks_do(1, files_body, path);
	assert_int_equal(faults, 0);
	tmp_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(messages),
	                                   cmocka_unit_test(collectives), cmocka_unit_test(windows),
	                                   cmocka_unit_test(files)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
