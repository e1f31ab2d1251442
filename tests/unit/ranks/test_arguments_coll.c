/* test_arguments_coll.c: as test_arguments.c, of chapters 6 (collectives), 12 (windows) and 14
 * (files). A collective is refused at all ranks alike, so that none waits for the others. */
#include "ranks.h"

#include "collective.h"
#include "refuses.h"

/* --- collectives: each with good arguments, of which one at a time becomes bad --- */

static int ints[64], more[64];

static struct call good(enum what what, int n)
{
	struct call c = {.what = what,
	                 .send = ints,
	                 .recv = more,
	                 .send_count = 1,
	                 .recv_count = 1,
	                 .send_type = MPI_INT,
	                 .recv_type = MPI_INT,
	                 .op = MPI_SUM,
	                 .comm = WORLD};

	for (int k = 0; k < PEERS; k++) {
		c.send_counts[k] = c.recv_counts[k] = k < n;
		c.send_displs[k] = c.recv_displs[k] = what == ALLTOALLW ? 4 * k : k;
		c.send_types[k] = c.recv_types[k] = MPI_INT;
	}
	return c;
}

static int begins(const struct call *c, int form)
{
	MPI_Request q = MPI_REQUEST_NULL;
	int code = form == BLOCKING      ? call_blocking(c)
	           : form == NONBLOCKING ? call_nonblocking(c, &q)
	                                 : call_persistent(c, &q);

	assert_true(code == MPI_SUCCESS || q == MPI_REQUEST_NULL);
	if (q == MPI_REQUEST_NULL)
		return code;
	if (form == PERSISTENT) {
		OK(orr_Request_free(&q));
		return code;
	}
	OK(orr_Wait(&q, MPI_STATUS_IGNORE));
	return code;
}

static void refuses_call(const char *why, const struct call *c, int class)
{
	char text[80];

	for (int form = 0; form < FORMS; form++) {
		snprintf(text, sizeof text, "operation %d, form %d, %s", c->what, form, why);
		refused(text, begins(c, form), class);
	}
}

static int has_root(enum what w)
{
	return w == BCAST || w == GATHER || w == GATHERV || w == SCATTER || w == SCATTERV ||
	       w == REDUCE;
}

/* What is bad of the communicator, the root, and the operator. */
static void bad_common(enum what w, int n, MPI_Comm gone)
{
	struct call c = good(w, n);

	c.comm = MPI_COMM_NULL;
	refuses_call("a null communicator", &c, MPI_ERR_COMM);
	c.comm = gone;
	refuses_call("a freed communicator", &c, MPI_ERR_COMM);
	c = good(w, n);
	if (has_root(w)) {
		c.root = n;
		refuses_call("a root beyond the last rank", &c, MPI_ERR_ROOT);
		c.root = -1;
		refuses_call("a negative root", &c, MPI_ERR_ROOT);
		c.root = MPI_ROOT;
		refuses_call("MPI_ROOT in one group", &c, MPI_ERR_ROOT);
	}
	c = good(w, n);
	if (w < REDUCE)
		return;
	c.op = MPI_OP_NULL;
	refuses_call("a null operator", &c, MPI_ERR_OP);
	c.op = MPI_REPLACE; /* of windows, as MPI_NO_OP */
	refuses_call("an operator of MPI_Accumulate", &c, MPI_ERR_OP);
	c.op = MPI_NO_OP;
	refuses_call("an operator of MPI_Fetch_and_op", &c, MPI_ERR_OP);
	c.op = (MPI_Op)MPI_INT;
	refuses_call("a datatype for an operator", &c, MPI_ERR_OP);
	c.op = MPI_MAXLOC;
	refuses_call("an operator on pairs", &c, MPI_ERR_OP);
	c.op = MPI_BAND;
	c.recv_type = c.send_type = MPI_DOUBLE;
	refuses_call("bits of reals", &c, MPI_ERR_OP);
}

/* What a root alone looks at is bad at the root: then others would wait. So every rank is on its
 * own here. */
static void bad_sides(enum what w, MPI_Datatype uncommitted_type)
{
	struct call c = good(w, 1);
	int sends = w != BCAST && w < REDUCE;

	c.comm = SELF;
	if (w == BARRIER)
		return;
	c.recv_type = c.recv_types[0] = MPI_DATATYPE_NULL;
	refuses_call("a null type", &c, MPI_ERR_TYPE);
	c.recv_type = c.recv_types[0] = uncommitted_type;
	refuses_call("a type that is not committed", &c, MPI_ERR_TYPE);
	c = good(w, 1);
	c.comm = SELF;
	c.recv_count = c.recv_counts[0] = -1;
	refuses_call("a negative count", &c, MPI_ERR_COUNT);
	c = good(w, 1);
	c.comm = SELF;
	c.recv = NULL;
	if (w != EXSCAN) /* of which the first rank gets nothing */
		refuses_call("no buffer", &c, MPI_ERR_BUFFER);
	c = good(w, 1);
	c.comm = SELF;
	if (w != BCAST) {
		c.send = NULL;
		refuses_call("nothing to send", &c, MPI_ERR_BUFFER);
	}
	c = good(w, 1);
	c.comm = SELF;
	if (!sends)
		return;
	c.send_type = c.send_types[0] = MPI_DATATYPE_NULL;
	refuses_call("a null type of what is sent", &c, MPI_ERR_TYPE);
	c.send_type = MPI_INT;
	c.send_types[0] = MPI_INT;
	c.send_count = c.send_counts[0] = -2;
	refuses_call("a negative count of what is sent", &c, MPI_ERR_COUNT);
}

static void collectives_body(int rank, void *arg)
{
	MPI_Comm gone = freed_comm();
	MPI_Datatype new = uncommitted();

	(void)rank;
	(void)arg;
	for (int w = 0; w < COLLECTIVES; w++) {
		bad_common((enum what)w, 2, gone);
		bad_sides((enum what)w, new);
	}
	OK(orr_Type_free(&new));
	still_well();
}

static void collectives(void **state)
{
	(void)state;
	run_on(2, collectives_body);
}

/* Counts that are wrong one by one, though their sum is not. */
static void scattered_body(int rank, void *arg)
{
	struct call c = good(REDUCE_SCATTER, 2);

	(void)rank;
	(void)arg;
	c.recv_counts[0] = -1;
	c.recv_counts[1] = 3;
	refuses_call("a negative count and a larger one", &c, MPI_ERR_COUNT);
	still_well();
}

static void scattered(void **state)
{
	(void)state;
	run_on(2, scattered_body);
}

/* 6.5: only the root may be in place, and gives it where the other ranks give a buffer. */
static void in_place_body(int rank, void *arg)
{
	static const enum what rooted[] = {GATHER, GATHERV, SCATTER, SCATTERV, REDUCE};
	const int dims[1] = {2}, periods[1] = {0};
	MPI_Comm inter, local, line;
	struct call c;
	int to[1];

	(void)arg;
	OK(orr_Comm_split(WORLD, rank, 0, &local));
	OK(orr_Intercomm_create(local, 0, WORLD, 1 - rank, 1, &inter));
	OK(orr_Cart_create(WORLD, 1, dims, periods, 0, &line));
	/* 8.6: nor with neighbours, even where nothing is sent */
	REFUSES(MPI_ERR_BUFFER,
	        orr_Neighbor_allgather(MPI_IN_PLACE, 0, MPI_INT, to, 0, MPI_INT, line));
	REFUSES(MPI_ERR_BUFFER,
	        orr_Neighbor_alltoall(MPI_IN_PLACE, 0, MPI_INT, to, 0, MPI_INT, line));
	OK(orr_Comm_free(&line));
	for (size_t i = 0; i < sizeof rooted / sizeof *rooted; i++) {
		c = good(rooted[i], 2);
		c.root = 1 - rank; /* neither is: each looks at its own arguments first */
		if (rooted[i] == SCATTER || rooted[i] == SCATTERV)
			c.recv = MPI_IN_PLACE;
		else
			c.send = MPI_IN_PLACE;
		refuses_call("in place, and not the root", &c, MPI_ERR_BUFFER);
	}
	for (int w = 0; w < COLLECTIVES; w++) {
		if (w == BARRIER || w == BCAST || has_root((enum what)w) || w == SCAN ||
		    w == EXSCAN)
			continue;
		c = good((enum what)w, 1);
		c.comm = inter;
		c.send = MPI_IN_PLACE;
		refuses_call("in place on two groups", &c, MPI_ERR_BUFFER);
	}
	OK(orr_Comm_free(&inter));
	OK(orr_Comm_free(&local));
	still_well();
}

static void in_place(void **state)
{
	(void)state;
	run_on(2, in_place_body);
}

/* --- windows --- */

static void windows_body(int rank, void *arg)
{
	MPI_Win win = MPI_WIN_NULL, old, no = MPI_WIN_NULL;
	MPI_Datatype new = uncommitted();
	MPI_Group all, alone;
	int x = 1, y, *base, flag, other = 1 - rank;
	MPI_Aint size, unit;
	void *p;

	(void)arg;
	REFUSES(MPI_ERR_COMM, orr_Win_create(&x, 4, 4, MPI_INFO_NULL, NO_COMM, &win));
	REFUSES(MPI_ERR_SIZE, orr_Win_create(&x, -4, 4, MPI_INFO_NULL, WORLD, &win));
	REFUSES(MPI_ERR_DISP, orr_Win_create(&x, 4, 0, MPI_INFO_NULL, WORLD, &win));
	REFUSES(MPI_ERR_COMM, orr_Win_allocate(4, 4, MPI_INFO_NULL, NO_COMM, &base, &win));
	REFUSES(MPI_ERR_RMA_SHARED, /* ranks of two hosts */
	        orr_Win_allocate_shared(4, 4, MPI_INFO_NULL, WORLD, &base, &win));
	REFUSES(MPI_ERR_WIN, orr_Win_free(&no));
	REFUSES(MPI_ERR_WIN, orr_Win_fence(0, no));
	OK(orr_Win_allocate(8, 4, MPI_INFO_NULL, WORLD, &base, &win));
	OK(orr_Win_get_group(win, &all));
	OK(orr_Comm_group(SELF, &alone));
#define PUT(n, type, target, disp, m, its, w) orr_Put(&x, n, type, target, disp, m, its, w)
	REFUSES(MPI_ERR_RMA_SYNC, PUT(1, MPI_INT, other, 0, 1, MPI_INT, win)); /* no epoch */
	OK(orr_Win_fence(0, win));
	REFUSES(MPI_ERR_WIN, PUT(1, MPI_INT, other, 0, 1, MPI_INT, no));
	REFUSES(MPI_ERR_COUNT, PUT(-1, MPI_INT, other, 0, 1, MPI_INT, win));
	REFUSES(MPI_ERR_COUNT, PUT(1, MPI_INT, other, 0, -1, MPI_INT, win));
	REFUSES(MPI_ERR_TYPE, PUT(1, NO_TYPE, other, 0, 1, MPI_INT, win));
	REFUSES(MPI_ERR_TYPE, PUT(1, MPI_INT, other, 0, 1, new, win));
	REFUSES(MPI_ERR_RANK, PUT(1, MPI_INT, 2, 0, 1, MPI_INT, win));
	REFUSES(MPI_ERR_RANK, PUT(1, MPI_INT, MPI_ANY_SOURCE, 0, 1, MPI_INT, win));
	REFUSES(MPI_ERR_RMA_RANGE, PUT(1, MPI_INT, other, 2, 1, MPI_INT, win));
	REFUSES(MPI_ERR_DISP, PUT(1, MPI_INT, other, -1, 1, MPI_INT, win));
	REFUSES(MPI_ERR_DISP, PUT(0, MPI_INT, other, -1, 0, MPI_INT, win));
	REFUSES(MPI_ERR_DISP, orr_Get(&y, 1, MPI_INT, other, -1, 1, MPI_INT, win));
	REFUSES(MPI_ERR_DISP, orr_Fetch_and_op(&x, &y, MPI_INT, other, -1, MPI_SUM, win));
	REFUSES(MPI_ERR_DISP, orr_Compare_and_swap(&x, &x, &y, MPI_INT, other, -1, win));
	OK(PUT(1, MPI_INT, MPI_PROC_NULL, 9, 1, MPI_INT, win));
#undef PUT
	REFUSES(MPI_ERR_OP, orr_Accumulate(&x, 1, MPI_INT, other, 0, 1, MPI_INT, MPI_OP_NULL, win));
	REFUSES(MPI_ERR_OP, orr_Accumulate(&x, 1, MPI_INT, other, 0, 1, MPI_INT, MPI_MINLOC, win));
	REFUSES(MPI_ERR_TYPE, orr_Compare_and_swap(&x, &x, &y, MPI_FLOAT, other, 0, win));
	REFUSES(MPI_ERR_RANK, orr_Get(&y, 1, MPI_INT, 7, 0, 1, MPI_INT, win));
	REFUSES(MPI_ERR_ASSERT, orr_Win_fence(1 << 30, win));
	REFUSES(MPI_ERR_RMA_SYNC, orr_Win_complete(win));
	REFUSES(MPI_ERR_RMA_SYNC, orr_Win_wait(win));
	REFUSES(MPI_ERR_RMA_SYNC, orr_Win_test(win, &flag));
	REFUSES(MPI_ERR_RMA_SYNC, orr_Win_unlock(other, win));
	REFUSES(MPI_ERR_RMA_SYNC, orr_Win_unlock_all(win));
	REFUSES(MPI_ERR_RMA_SYNC, orr_Win_flush(other, win));
	REFUSES(MPI_ERR_RMA_SYNC, orr_Win_flush_local_all(win));
	REFUSES(MPI_ERR_LOCKTYPE, orr_Win_lock(7, other, 0, win));
	REFUSES(MPI_ERR_RANK, orr_Win_lock(MPI_LOCK_SHARED, 2, 0, win));
	REFUSES(MPI_ERR_ASSERT, orr_Win_lock(MPI_LOCK_SHARED, other, 1 << 30, win));
	REFUSES(MPI_ERR_GROUP, orr_Win_post(MPI_GROUP_NULL, 0, win));
	REFUSES(MPI_ERR_GROUP, orr_Win_start(MPI_GROUP_NULL, 0, win));
	OK(orr_Win_fence(MPI_MODE_NOSUCCEED, win));
	OK(orr_Win_lock(MPI_LOCK_SHARED, other, 0, win));
	REFUSES(MPI_ERR_RMA_SYNC, orr_Win_lock(MPI_LOCK_SHARED, other, 0, win));
	REFUSES(MPI_ERR_RMA_SYNC, orr_Win_lock_all(0, win));
	REFUSES(MPI_ERR_RMA_SYNC, orr_Win_fence(0, win));
	REFUSES(MPI_ERR_RMA_SYNC, orr_Win_start(all, 0, win));
	REFUSES(MPI_ERR_RMA_SYNC, orr_Win_free(&win));
	OK(orr_Win_unlock(other, win));
	REFUSES(MPI_ERR_RMA_FLAVOR, orr_Win_attach(win, &x, 4));
	REFUSES(MPI_ERR_RMA_FLAVOR, orr_Win_detach(win, &x));
	REFUSES(MPI_ERR_RANK, orr_Win_shared_query(win, 2, &size, &unit, &p));
	OK(orr_Barrier(WORLD));
	old = win;
	OK(orr_Win_free(&win));
	assert_ptr_equal(win, MPI_WIN_NULL);
	REFUSES(MPI_ERR_WIN, orr_Win_fence(0, old));
	OK(orr_Group_free(&all));
	OK(orr_Group_free(&alone));
	OK(orr_Type_free(&new));
	still_well();
}

static void windows(void **state)
{
	(void)state;
	run_on(2, windows_body);
}

static void dynamic_body(int rank, void *arg)
{
	char memory[16];
	MPI_Win win;

	(void)rank;
	(void)arg;
	OK(orr_Win_create_dynamic(MPI_INFO_NULL, WORLD, &win));
	REFUSES(MPI_ERR_SIZE, orr_Win_attach(win, memory, -1));
	OK(orr_Win_attach(win, memory, 8));
	REFUSES(MPI_ERR_RMA_ATTACH, orr_Win_attach(win, memory + 4, 8)); /* 12.2.4: overlaps */
	OK(orr_Win_attach(win, memory + 8, 8));
	REFUSES(MPI_ERR_BASE, orr_Win_detach(win, memory + 4));
	OK(orr_Win_detach(win, memory + 8));
	OK(orr_Win_detach(win, memory));
	OK(orr_Win_free(&win));
	still_well();
}

static void dynamic(void **state)
{
	(void)state;
	run_on(2, dynamic_body);
}

/* --- files --- */

struct paths {
	char file[128], missing[128], folder[128];
};

static void files_body(int rank, void *arg)
{
	const struct paths *p = arg;
	const int make = MPI_MODE_CREATE | MPI_MODE_RDWR;
	MPI_File f = MPI_FILE_NULL, no = MPI_FILE_NULL, old;
	MPI_Datatype new = uncommitted(), odd;
	MPI_Info none = MPI_INFO_NULL;
	MPI_Offset at;
	MPI_Status s;
	int x = rank, i;

	REFUSES(MPI_ERR_COMM, orr_File_open(NO_COMM, p->file, make, none, &f));
	REFUSES(MPI_ERR_AMODE, orr_File_open(WORLD, p->file, 0, none, &f));
	REFUSES(MPI_ERR_AMODE,
	        orr_File_open(WORLD, p->file, MPI_MODE_RDONLY | MPI_MODE_WRONLY, none, &f));
	REFUSES(MPI_ERR_AMODE,
	        orr_File_open(WORLD, p->file, MPI_MODE_RDONLY | MPI_MODE_CREATE, none, &f));
	REFUSES(MPI_ERR_AMODE,
	        orr_File_open(WORLD, p->file, MPI_MODE_RDWR | MPI_MODE_SEQUENTIAL, none, &f));
	REFUSES(MPI_ERR_NO_SUCH_FILE, orr_File_open(WORLD, p->missing, MPI_MODE_RDONLY, none, &f));
	REFUSES(MPI_ERR_BAD_FILE, orr_File_open(WORLD, p->folder, MPI_MODE_RDWR, none, &f));
	REFUSES(MPI_ERR_NOT_SAME,
	        orr_File_open(WORLD, p->file, rank ? make : make | MPI_MODE_APPEND, none, &f));
	assert_ptr_equal(f, MPI_FILE_NULL);
	REFUSES(MPI_ERR_NO_SUCH_FILE, orr_File_delete(p->missing, none));
	REFUSES(MPI_ERR_FILE, orr_File_close(&no));
	REFUSES(MPI_ERR_FILE, orr_File_get_size(no, &at));
	OK(orr_File_open(WORLD, p->file, make, none, &f));
	OK(orr_Barrier(WORLD));
	REFUSES(MPI_ERR_FILE_EXISTS, orr_File_open(SELF, p->file, make | MPI_MODE_EXCL, none, &no));
	REFUSES(MPI_ERR_COUNT, orr_File_write(f, &x, -1, MPI_INT, &s));
	REFUSES(MPI_ERR_TYPE, orr_File_write(f, &x, 1, NO_TYPE, &s));
	REFUSES(MPI_ERR_TYPE, orr_File_read(f, &x, 1, new, &s));
	REFUSES(MPI_ERR_ARG, orr_File_write_at(f, -1, &x, 1, MPI_INT, &s));
	REFUSES(MPI_ERR_ARG, orr_File_seek(f, -1, MPI_SEEK_SET));
	REFUSES(MPI_ERR_ARG, orr_File_seek(f, 0, 77));
	REFUSES(MPI_ERR_ARG, orr_File_set_size(f, -1));
	REFUSES(MPI_ERR_NOT_SAME, orr_File_set_size(f, 8 * (rank + 1)));
	REFUSES(MPI_ERR_DISP, orr_File_set_view(f, -4, MPI_INT, MPI_INT, "native", none));
	REFUSES(MPI_ERR_TYPE, orr_File_set_view(f, 0, NO_TYPE, MPI_INT, "native", none));
	REFUSES(MPI_ERR_TYPE, orr_File_set_view(f, 0, MPI_INT, new, "native", none));
	REFUSES(MPI_ERR_ARG, orr_File_set_view(f, 0, MPI_INT, MPI_CHAR, "native", none));
	REFUSES(MPI_ERR_UNSUPPORTED_DATAREP,
	        orr_File_set_view(f, 0, MPI_INT, MPI_INT, "of nobody", none));
	OK(orr_File_set_view(f, 0, MPI_INT, MPI_INT, "native", none));
	OK(orr_Type_contiguous(3, MPI_CHAR, &odd));
	OK(orr_Type_commit(&odd));
	REFUSES(MPI_ERR_IO, orr_File_write(f, "abc", 1, odd, &s)); /* no whole etypes: 14.4.2 */
	REFUSES(MPI_ERR_OTHER, orr_File_write_all_end(f, &x, &s));
	OK(orr_File_write_at_all_begin(f, rank, &x, 1, MPI_INT));
	REFUSES(MPI_ERR_OTHER, orr_File_write_all_begin(f, &x, 1, MPI_INT));
	REFUSES(MPI_ERR_OTHER, orr_File_close(&f)); /* 14.4.5: not in the midst of it */
	OK(orr_File_write_at_all_end(f, &x, &s));
	old = f;
	OK(orr_File_close(&f));
	REFUSES(MPI_ERR_FILE, orr_File_get_amode(old, &i));
	OK(orr_File_open(WORLD, p->file, MPI_MODE_RDONLY, none, &f));
	REFUSES(MPI_ERR_READ_ONLY, orr_File_write(f, &x, 1, MPI_INT, &s));
	REFUSES(MPI_ERR_READ_ONLY, orr_File_set_size(f, 4));
	OK(orr_File_close(&f));
	OK(orr_File_open(WORLD, p->file, MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL, none, &f));
	REFUSES(MPI_ERR_ACCESS, orr_File_read_shared(f, &x, 1, MPI_INT, &s));
	REFUSES(MPI_ERR_UNSUPPORTED_OPERATION, orr_File_seek(f, 0, MPI_SEEK_SET));
	REFUSES(MPI_ERR_UNSUPPORTED_OPERATION, orr_File_write(f, &x, 1, MPI_INT, &s));
	OK(orr_File_close(&f));
	OK(orr_Type_free(&new));
	OK(orr_Type_free(&odd));
	still_well();
}

static void files(void **state)
{
	struct paths p;
	struct tmp t;

	(void)state;
	tmp_init(&t);
	snprintf(p.file, sizeof p.file, "%s/file", t.dir);
	snprintf(p.missing, sizeof p.missing, "%s/missing", t.dir);
	snprintf(p.folder, sizeof p.folder, "%s", t.dir);
	faults = 0;
	ranks_do(2, files_body, &p);
	assert_int_equal(faults, 0);
	tmp_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(collectives), cmocka_unit_test(scattered), cmocka_unit_test(in_place),
	    cmocka_unit_test(windows),     cmocka_unit_test(dynamic),   cmocka_unit_test(files)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
