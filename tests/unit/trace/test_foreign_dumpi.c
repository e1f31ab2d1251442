/* test_foreign_dumpi.c: DUMPI's records, big-endian, numbered as its functions are. */
#include "foreign_text.h"

#include <sys/stat.h>

static struct tmp tmp;

/* Numbers of functions (funclabels of sst-dumpi), of types, communicators. */
enum { SEND = 0, RECV = 1, ISEND = 8, IRECV = 12, WAITALL = 18, TYPE_VECTOR = 36, GATHER = 54 };
enum { COMM_SIZE = 81, COMM_RANK = 82 };
enum { BARRIER = 52, ALLREDUCE = 65, COMM_SPLIT = 86, INIT = 124, FINALIZE = 125 };
enum { ALLTOALLW = 155, END = 293 };
enum { INT = 9, DOUBLE = 14, USER_TYPE = 28, WORLD = 2, HALF = 4 };
enum { STATUS = 3, WALL = 8, THREAD = 64 };

static void call_at(struct blob *b, int function, unsigned us)
{
	blob_put(b, (uint64_t)function, 2);
	blob_put(b, STATUS | WALL, 1);
	for (int i = 0; i < 2; i++) { /* entered, left 1 us later */
		blob_put(b, 0, 2);
		blob_put(b, (us + (unsigned)i) * 1000, 4);
	}
}

static void ints(struct blob *b, int n, const int *v)
{
	for (int i = 0; i < n; i++)
		blob_put(b, (uint64_t)(int64_t)v[i], 4);
}

static void message(struct blob *b, int function, unsigned us, int count, int type, int peer,
                    int tag, int comm)
{
	call_at(b, function, us);
	blob_put(b, (uint64_t)count, 4);
	blob_put(b, (uint64_t)type, 2);
	ints(b, 2, (int[]){peer, tag});
	blob_put(b, (uint64_t)comm, 2);
}

static void status(struct blob *b, int bytes, int source, int tag)
{
	ints(b, 2, (int[]){bytes, source});
	blob_put(b, 0, 2);
	ints(b, 1, &tag);
}

static void head(struct blob *b)
{
	*b = (struct blob){.big = 1};
	blob_put(b, 0xffaadd44554d5049u, 8);
	blob_put(b, 0, 8);
	call_at(b, INIT, 0);
	ints(b, 1, (int[]){0});
}

/* End of the records, header with the version, index. */
static void finish(struct blob *b, const char *name)
{
	size_t at;

	call_at(b, FINALIZE, 100);
	blob_put(b, END, 2);
	at = b->n;
	blob_put(b, 0x0b0000, 3);
	blob_put(b, 0, 16);
	blob_put(b, 0xffaadd44554d5049u, 8);
	blob_put(b, 0, 8);
	blob_put(b, 0, 8);
	blob_put(b, 0, 8);
	blob_put(b, at, 8);
	blob_put(b, 8, 8);
	blob_put(b, 0, 8);
	blob_put(b, 0, 8);
	tmp_write_n(&tmp, name, b->at, b->n);
}

static void rank_0_write(void)
{
	struct blob b;

	head(&b);
	call_at(&b, TYPE_VECTOR, 2);
	ints(&b, 3, (int[]){3, 2, 4});
	blob_put(&b, INT, 2);
	blob_put(&b, USER_TYPE, 2);
	message(&b, ISEND, 3, 5, USER_TYPE, 1, 7, WORLD);
	ints(&b, 1, (int[]){2});
	message(&b, ISEND, 4, 1, DOUBLE, 1, 8, WORLD);
	ints(&b, 1, (int[]){2});
	message(&b, ISEND, 5, 1, DOUBLE, -2, 8, WORLD);
	ints(&b, 1, (int[]){2});
	call_at(&b, WAITALL, 6);
	ints(&b, 5, (int[]){3, 3, 2, 2, 2});
	ints(&b, 1, (int[]){0});
	call_at(&b, COMM_SPLIT, 7);
	blob_put(&b, WORLD, 2);
	ints(&b, 2, (int[]){0, 5}); /* after rank 1 */
	blob_put(&b, HALF, 2);
	call_at(&b, GATHER, 8);
	ints(&b, 2, (int[]){1, 3}); /* me, count */
	blob_put(&b, INT, 2);
	ints(&b, 1, (int[]){0});
	blob_put(&b, HALF, 2);
	finish(&b, "d-0000.bin");
}

static void rank_1_write(void)
{
	struct blob b;

	head(&b);
	message(&b, IRECV, 1, 30, INT, -1, -1, WORLD);
	ints(&b, 1, (int[]){2});
	call_at(&b, WAITALL, 2);
	ints(&b, 3, (int[]){1, 1, 2});
	ints(&b, 1, (int[]){1});
	status(&b, 120, 0, 7);
	message(&b, RECV, 13, 1, DOUBLE, 0, -1, WORLD);
	ints(&b, 1, (int[]){1});
	status(&b, 8, 0, 8);
	call_at(&b, COMM_SPLIT, 14);
	blob_put(&b, WORLD, 2);
	ints(&b, 2, (int[]){0, 1});
	blob_put(&b, HALF, 2);
	call_at(&b, GATHER, 15);
	ints(&b, 2, (int[]){0, 3});
	blob_put(&b, INT, 2);
	ints(&b, 1, (int[]){0});
	blob_put(&b, HALF, 2);
	ints(&b, 1, (int[]){3});
	blob_put(&b, INT, 2);
	finish(&b, "d-0001.bin");
}

/* Rank 0 sends two messages whose requests have one number (complete from the start); rank 1
 * receives from any source. A vector type: 3 blocks of 2 ints. Then both split and reduce. */
static void two_ranks(void **state)
{
	(void)state;
	rank_0_write();
	rank_1_write();
	foreign_is(tmp.dir,
	           "0 init\n0 compute 1000\n"
	           "0 isend 1 7 5 -1 req=0 dtsize=24\n0 isend 1 8 1 0 req=1\n0 waitall 2 reqs=0,1\n"
	           "0 comm_split comm=1.0 members=1,0\n0 gather 3 3 0 1 1 comm=1.0\n"
	           "0 compute 91000\n0 finalize\n"
	           "1 init\n1 irecv 0 7 30 1 req=0 any=both\n1 waitall 1 reqs=0\n1 compute 10000\n"
	           "1 recv 0 8 1 0 any=tag\n1 comm_split comm=1.0 members=1,0\n"
	           "1 gather 3 3 0 1 1 comm=1.0\n1 compute 84000\n1 finalize\n");
}

/* Accesses that return at once are waited for by their requests. */
static void files(void **state)
{
	enum { WAIT = 13, FILE_OPEN = 230, FILE_IWRITE_AT = 247, FILE_IREAD = 252, FH = 7 };
	struct blob b;

	(void)state;
	head(&b);
	call_at(&b, FILE_OPEN, 1);
	blob_put(&b, WORLD, 2);
	ints(&b, 1, (int[]){2}); /* length with its end, "f" */
	blob_put(&b, 'f', 1);
	blob_put(&b, 0, 1);
	blob_put(&b, 0, 1); /* how it is opened */
	blob_put(&b, 0, 2);
	blob_put(&b, FH, 2);
	call_at(&b, FILE_IWRITE_AT, 2);
	blob_put(&b, FH, 2);
	blob_put(&b, 4096, 8);
	ints(&b, 1, (int[]){10});
	blob_put(&b, DOUBLE, 2);
	ints(&b, 1, (int[]){5});
	call_at(&b, FILE_IREAD, 3);
	blob_put(&b, FH, 2);
	ints(&b, 1, (int[]){3});
	blob_put(&b, INT, 2);
	ints(&b, 1, (int[]){6});
	for (int request = 6; request >= 5; request--) {
		call_at(&b, WAIT, (unsigned)(10 - request));
		ints(&b, 2, (int[]){request, 0});
	}
	finish(&b, "f-0000.bin");
	foreign_is(tmp_path(&tmp, "f-0000.bin"),
	           "0 init\n0 file_open f file=7\n0 file_write 10 0 req=0 file=7\n"
	           "0 file_read 3 1 req=1 file=7\n0 wait req=1\n0 wait req=0\n0 compute 94000\n"
	           "0 finalize\n");
}

static void list(struct blob *b, int n, const int *v)
{
	ints(b, 1, &n);
	ints(b, n, v);
}

static void handles(struct blob *b, int type, int root)
{
	blob_put(b, (uint64_t)type, 2);
	ints(b, 1, &root);
	blob_put(b, WORLD, 2);
}

static void asks(struct blob *b, int function, int answer)
{
	call_at(b, function, 1);
	blob_put(b, WORLD, 2);
	ints(b, 1, &answer);
}

/* Three ranks that ask who they are, of how many: `of` in the file that is called that of rank 1,
 * which is rank `is`; it has no MPI_Finalize if it was cut. */
static const char *asked(const char *folder, int is, int of, int cut)
{
	char name[64];
	struct blob b;

	mkdir(tmp_path(&tmp, folder), 0700);
	for (int rank = 0; rank < 3; rank++) {
		size_t before;

		head(&b);
		asks(&b, COMM_SIZE, rank == 1 ? of : 3);
		before = b.n;
		asks(&b, COMM_RANK, rank == 1 ? is : rank);
		snprintf(name, sizeof name, "%s/w-000%d.bin", folder, rank);
		if (rank == 1 && cut)
			tmp_write_n(&tmp, name, b.at, before);
		else
			finish(&b, name);
	}
	return tmp_path(&tmp, folder);
}

/* Files that were copied over another rank's, of another run, cut by a full disk, or lost. */
static void not_its_own(void **state)
{
	(void)state;
	foreign_partial(asked("right", 1, 3, 0), 0, "");
	foreign_fails(asked("copied", 2, 3, 0),
	              "copied/w-0001.bin: by its name this is the file of rank 1, by its call of "
	              "MPI_Comm_rank that of rank 2");
	foreign_fails(asked("other", 1, 8, 0),
	              "other/w-0001.bin: by its call of MPI_Comm_size its run had 8 ranks, and "
	              "there are files of 3");
	foreign_partial(asked("cut", 1, 3, 1), 1, " (rank 1)");
	asked("lost", 1, 3, 0);
	assert_int_equal(remove(tmp_path(&tmp, "lost/w-0001.bin")), 0);
	foreign_fails(tmp_path(&tmp, "lost"),
	              "lost: the file of rank 1 is missing (there is one of rank 2)");
}

/* What MPI looks at on the root only may be no type at all elsewhere. */
static void only_at_the_root(void **state)
{
	enum { BCAST = 53, GATHERV = 55, SCATTERV = 57, NO_TYPE = 1 };
	struct blob b;

	(void)state;
	for (int me = 0; me < 2; me++) {
		head(&b);
		call_at(&b, BCAST, 1);
		ints(&b, 1, (int[]){5});
		handles(&b, INT, 1);
		call_at(&b, GATHERV, 2);
		ints(&b, 3, (int[]){me, 2, 3 + me});
		handles(&b, INT, 0);
		if (me == 0) {
			list(&b, 2, (int[]){3, 4});
			list(&b, 2, (int[]){0, 3});
		}
		blob_put(&b, me ? NO_TYPE : INT, 2);
		call_at(&b, SCATTERV, 3);
		ints(&b, 2, (int[]){me, 2});
		blob_put(&b, me ? NO_TYPE : INT, 2);
		ints(&b, 1, (int[]){3 + me});
		handles(&b, INT, 0);
		if (me == 0) {
			list(&b, 2, (int[]){3, 4});
			list(&b, 2, (int[]){0, 3});
		}
		mkdir(tmp_path(&tmp, "root"), 0700);
		finish(&b, me ? "root/v-0001.bin" : "root/v-0000.bin");
	}
	foreign_is(tmp_path(&tmp, "root"),
	           "0 init\n0 bcast 5 1 1\n0 gatherv 3 3 4 0 1 1\n0 scatterv 3 4 3 0 1 1\n"
	           "0 compute 96000\n0 finalize\n"
	           "1 init\n1 bcast 5 1 1\n1 gatherv 4 0 1 1\n1 scatterv 4 0 1 1\n"
	           "1 compute 96000\n1 finalize\n");
}

/* A record that says its thread. */
static void barrier_of(struct blob *b, int thread, unsigned us)
{
	blob_put(b, BARRIER, 2);
	blob_put(b, THREAD | WALL, 1);
	blob_put(b, (uint64_t)thread, 2);
	for (unsigned i = 0; i < 2; i++) {
		blob_put(b, 0, 2);
		blob_put(b, (us + i) * 1000, 4);
	}
	blob_put(b, WORLD, 2);
}

/* The first versions that numbered themselves (0.6.1): an index of five fields, MPI_Init's length
 * twice, one place of a structure and one coordinate where there are several, statuses without a
 * tag. Persistent requests, completed by MPI_Waitany and MPI_Testsome; a second thread. */
static void old(void **state)
{
	enum { WAITANY = 16, TESTSOME = 21, SEND_INIT = 26, RECV_INIT = 30, STARTALL = 32 };
	enum { TYPE_STRUCT = 40, CART_GET = 105 };
	struct trace *t;
	struct blob b;
	struct err err;
	size_t at;

	(void)state;
	head(&b);
	ints(&b, 1, (int[]){0});
	call_at(&b, TYPE_STRUCT, 1); /* two ints and a double: 16 bytes */
	ints(&b, 1, (int[]){2});
	list(&b, 2, (int[]){2, 1});
	ints(&b, 2, (int[]){8, 2});
	blob_put(&b, INT, 2);
	blob_put(&b, DOUBLE, 2);
	blob_put(&b, USER_TYPE, 2);
	message(&b, SEND_INIT, 2, 3, USER_TYPE, 0, 7, WORLD);
	ints(&b, 1, (int[]){4});
	message(&b, RECV_INIT, 3, 3, USER_TYPE, -1, -1, WORLD);
	ints(&b, 1, (int[]){5});
	call_at(&b, STARTALL, 4);
	ints(&b, 1, (int[]){2});
	list(&b, 2, (int[]){4, 5});
	call_at(&b, WAITANY, 5);
	ints(&b, 1, (int[]){2});
	list(&b, 2, (int[]){4, 5});
	ints(&b, 4, (int[]){1, 1, 48, 0}); /* the second; a status: bytes, source */
	blob_put(&b, 0, 2);
	call_at(&b, TESTSOME, 6);
	ints(&b, 1, (int[]){2});
	list(&b, 2, (int[]){4, 5});
	ints(&b, 1, (int[]){1});
	list(&b, 1, (int[]){0});
	ints(&b, 1, (int[]){0});
	call_at(&b, CART_GET, 7);
	ints(&b, 1, (int[]){2});
	blob_put(&b, WORLD, 2);
	ints(&b, 1, (int[]){2});
	list(&b, 2, (int[]){1, 1});
	list(&b, 2, (int[]){0, 0});
	ints(&b, 1, (int[]){0});
	barrier_of(&b, 0, 8);
	barrier_of(&b, 3, 9);
	call_at(&b, FINALIZE, 12);
	blob_put(&b, END, 2);
	at = b.n;
	blob_put(&b, 0x000601, 3);
	blob_put(&b, 0, 16);
	blob_put(&b, 0xffaadd44554d5049u, 8);
	blob_put(&b, at, 8);
	blob_put(&b, 8, 8);
	blob_put(&b, 0, 16);
	foreign_is(tmp_write_n(&tmp, "o-0000.bin", b.at, b.n),
	           "0 init\n0 send_init 0 7 3 -1 req=0 dtsize=16\n"
	           "0 recv_init -1 -1 3 -1 req=1 dtsize=16\n0 start 2 reqs=0,1\n"
	           "0 waitany 2 reqs=0,1 done=1\n0 testsome 2 reqs=0,1 done=0\n0 barrier\n"
	           "0 barrier\n0 compute 2000\n0 finalize\n");
	t = trace_open(tmp_path(&tmp, "o-0000.bin"), 0, &err);
	assert_non_null(t);
	assert_non_null(strstr(trace_notices(t), "calls of several threads of a rank"));
	trace_close(t);
}

/* The second barrier is left before the first: by more than clocks are apart. Rank by rank: what
 * another rank's clock shows is no matter. */
static void back(void **state)
{
	struct blob b;

	(void)state;
	for (int i = 0; i < 2; i++) {
		head(&b);
		for (int k = 0; k < 2; k++) {
			call_at(&b, BARRIER, k == 0 ? 50 : i == 0 ? 60 : 20);
			blob_put(&b, WORLD, 2);
		}
		finish(&b, i == 0 ? "r-0000.bin" : "r-0001.bin");
	}
	foreign_notes(
	    tmp_path(&tmp, "r-0000.bin"),
	    "dates that go back: 1, the first in rank 1 from 5e-05 s to 2e-05 s: its clock "
	    "was set, or the trace is damaged there; what was computed around it is not "
	    "known\n");
}

/* The call at byte `at` of h-0000.bin, in a folder that is given: file, byte, call. */
static void place(struct tmp *folder, const struct blob *b, size_t at)
{
	char part[80];

	tmp_init(folder);
	tmp_write_n(folder, "h-0000.bin", b->at, b->n);
	snprintf(part, sizeof part, "/h-0000.bin: at byte %zu: MPI_Send: rank 5 of a comm", at);
	foreign_fails(folder->dir, part);
	tmp_release(folder);
}

static void faults(void **state)
{
	enum { BCAST = 53 };
	char at[80];
	struct tmp folder;
	size_t from;
	struct blob b;

	(void)state;
	head(&b);
	b.n -= 4;
	blob_put(&b, 1 << 20, 4); /* arguments of MPI_Init that are not there */
	finish(&b, "e-0000.bin");
	foreign_fails(tmp_path(&tmp, "e-0000.bin"), "longer than the file");
	head(&b);
	blob_put(&b, 9999, 2);
	snprintf(at, sizeof at, "f-0000.bin: at byte %zu: a number that is no function", b.n);
	finish(&b, "f-0000.bin");
	foreign_fails(tmp_path(&tmp, "f-0000.bin"), at);
	head(&b);
	message(&b, SEND, 1, 1, 77, 0, 0, WORLD);
	finish(&b, "g-0000.bin");
	foreign_fails(tmp_path(&tmp, "g-0000.bin"), "datatype 77");
	head(&b);
	from = b.n;
	message(&b, SEND, 1, 1, INT, 5, 0, WORLD);
	finish(&b, "h-0000.bin");
	foreign_fails(tmp_path(&tmp, "h-0000.bin"), "rank 5 of a communicator of 1");
	place(&folder, &b, from);
	head(&b);
	from = b.n;
	call_at(&b, BCAST, 1);
	ints(&b, 1, (int[]){1});
	blob_put(&b, INT, 2);
	ints(&b, 1, (int[]){62});
	blob_put(&b, WORLD, 2);
	snprintf(at, sizeof at, "k-0000.bin: at byte %zu: MPI_Bcast: rank 62 of a comm", from);
	finish(&b, "k-0000.bin");
	foreign_fails(tmp_path(&tmp, "k-0000.bin"), at);
	head(&b);
	call_at(&b, ALLREDUCE, 1);
	ints(&b, 1, (int[]){1});
	blob_put(&b, INT, 2);
	blob_put(&b, 3, 1);
	blob_put(&b, 9, 2);
	finish(&b, "i-0000.bin");
	foreign_fails(tmp_path(&tmp, "i-0000.bin"), "communicator 9, which it has not made");
	head(&b);
	call_at(&b, ALLTOALLW, 1);
	ints(&b, 1, (int[]){2});
	for (int side = 0; side < 2; side++) { /* two counts and places, one type */
		list(&b, 2, (int[]){3, 4});
		list(&b, 2, (int[]){0, 3});
		ints(&b, 1, (int[]){1});
		blob_put(&b, INT, 2);
	}
	blob_put(&b, WORLD, 2);
	finish(&b, "j-0000.bin");
	foreign_fails(tmp_path(&tmp, "j-0000.bin"), "2 counts and 1 and 1 types");
}

/* --- calls that no program can have made --- */

enum { COMM_GROUP = 72, GROUP_RANGE_EXCL = 79, COMM_CREATE = 85, CART_CREATE = 99 };
enum { GROUP = 5, OTHER = 6, MADE = 7 };

static void rank_finish(struct blob *b, const char *folder, int rank)
{
	char name[64];

	mkdir(tmp_path(&tmp, folder), 0700);
	snprintf(name, sizeof name, "%s/r-%04d.bin", folder, rank);
	finish(b, name);
}

/* Each rank has a communicator of its own; rank 0 makes one of it for all ranks. */
static void group_beyond(void **state)
{
	struct blob b;

	(void)state;
	for (int rank = 0; rank < 2; rank++) {
		head(&b);
		call_at(&b, COMM_SPLIT, 1);
		blob_put(&b, WORLD, 2);
		ints(&b, 2, (int[]){rank, 0});
		blob_put(&b, HALF, 2);
		if (rank == 0) {
			call_at(&b, COMM_GROUP, 2);
			blob_put(&b, WORLD, 2);
			blob_put(&b, GROUP, 2);
			call_at(&b, COMM_CREATE, 3);
			blob_put(&b, HALF, 2);
			blob_put(&b, GROUP, 2);
			blob_put(&b, MADE, 2);
		}
		rank_finish(&b, "beyond", rank);
	}
	foreign_fails(tmp_path(&tmp, "beyond"),
	              "beyond: rank 0 makes a communicator with rank 1, which is not in its "
	              "parent");
}

/* Without the ranks of these rows, of first, last and step. */
static void ranges_without(const char *folder, int rows, const int (*row)[3])
{
	struct blob b;

	head(&b);
	call_at(&b, COMM_GROUP, 1);
	blob_put(&b, WORLD, 2);
	blob_put(&b, GROUP, 2);
	call_at(&b, GROUP_RANGE_EXCL, 2);
	blob_put(&b, GROUP, 2);
	ints(&b, 2, (int[]){rows, rows});
	for (int i = 0; i < rows; i++)
		list(&b, 3, row[i]);
	blob_put(&b, OTHER, 2);
	call_at(&b, COMM_CREATE, 3);
	blob_put(&b, WORLD, 2);
	blob_put(&b, OTHER, 2);
	blob_put(&b, MADE, 2);
	rank_finish(&b, folder, 0);
}

/* What is named beyond the group is nobody, however much that is. */
static void ranges(void **state)
{
	static const int far[][3] = {
	    {1, INT32_MAX, 1},  {INT32_MAX, 1, -1},        {-1, INT32_MIN, -1},
	    {INT32_MIN, -1, 1}, {INT32_MAX, 1, INT32_MIN}, {INT32_MIN, -2, INT32_MAX},
	    {0, 0, 0}};
	static const int over[][3] = {{INT32_MIN, INT32_MAX, 1}};
	static const int down[][3] = {{INT32_MAX, INT32_MIN, -1}};

	(void)state;
	ranges_without("far", sizeof far / sizeof *far, far);
	foreign_is(tmp_path(&tmp, "far"), "0 init\n0 comm_create comm=0.0 members=0\n"
	                                  "0 compute 96000\n0 finalize\n");
	ranges_without("over", 1, over);
	foreign_is(tmp_path(&tmp, "over"),
	           "0 init\n0 comm_create comm=0.0 members=\n0 compute 96000\n0 finalize\n");
	ranges_without("down", 1, down);
	foreign_is(tmp_path(&tmp, "down"),
	           "0 init\n0 comm_create comm=0.0 members=\n0 compute 96000\n0 finalize\n");
}

/* 3^64 is more than 64 bits hold. */
static void large_grid(void **state)
{
	struct blob b;
	int dims[64], periods[64] = {0};

	(void)state;
	for (int i = 0; i < 64; i++)
		dims[i] = 3;
	for (int rank = 0; rank < 3; rank++) {
		head(&b);
		call_at(&b, CART_CREATE, 1);
		blob_put(&b, WORLD, 2);
		ints(&b, 1, (int[]){64});
		list(&b, 64, dims);
		list(&b, 64, periods);
		ints(&b, 1, (int[]){0});
		blob_put(&b, MADE, 2);
		rank_finish(&b, "grid", rank);
	}
	foreign_fails(tmp_path(&tmp, "grid"), "a grid or graph of more ranks than there are");
}

/* An index that says that the records end before their beginning. */
static void before_its_beginning(void **state)
{
	struct blob b;

	(void)state;
	for (int header = 0; header < 2; header++) {
		head(&b);
		finish(&b, "z-0000.bin");
		b.n -= 32; /* header, body, footer, keyval */
		blob_put(&b, header ? 12 : 0, 8);
		blob_put(&b, 8, 8);
		blob_put(&b, header ? 0 : 12, 8);
		blob_put(&b, 0, 8);
		tmp_write_n(&tmp, "z-0000.bin", b.at, b.n);
		foreign_is(tmp_path(&tmp, "z-0000.bin"), "0 init\n0 compute 99000\n0 finalize\n");
	}
}

/* Types of types: 2^31 - 1 times 2^31 - 1 bytes, twice. */
static void large_type(void **state)
{
	enum { TYPE_CONTIGUOUS = 35, TYPE_STRUCT = 40 };
	struct blob b;

	(void)state;
	head(&b);
	for (int i = 0; i < 3; i++) {
		call_at(&b, TYPE_CONTIGUOUS, 1 + (unsigned)i);
		ints(&b, 1, (int[]){INT32_MAX});
		blob_put(&b, i ? (uint64_t)(USER_TYPE + i - 1) : INT, 2);
		blob_put(&b, (uint64_t)(USER_TYPE + i), 2);
	}
	finish(&b, "t-0000.bin");
	foreign_fails(tmp_path(&tmp, "t-0000.bin"),
	              "MPI_Type_contiguous: a datatype of more bytes than 64 bits can tell");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(two_ranks),   cmocka_unit_test(files),
	    cmocka_unit_test(not_its_own), cmocka_unit_test(old),
	    cmocka_unit_test(faults),      cmocka_unit_test(only_at_the_root),
	    cmocka_unit_test(back),        cmocka_unit_test(group_beyond),
	    cmocka_unit_test(ranges),      cmocka_unit_test(large_grid),
	    cmocka_unit_test(large_type),  cmocka_unit_test(before_its_beginning)};
	int failed;

	tmp_init(&tmp);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	tmp_release(&tmp);
	return failed;
}
