/* test_files.c: files as MPI 4.0, chapter 14 defines them: modes, names, what a file says of
 * itself, views and their names, pointers that all share, sizes, representations of data of the
 * program's. Random views and accesses: prop_file.c. */
#include "ranks.h"

#include "refuses.h"

#include <sys/stat.h>

enum { MAKE = MPI_MODE_CREATE | MPI_MODE_RDWR };
#define NO_INFO MPI_INFO_NULL
#define IGNORE MPI_STATUS_IGNORE

static struct tmp dir;
static char path[128];

static void run_files(int n, void (*body)(int rank, void *arg))
{
	tmp_init(&dir);
	snprintf(path, sizeof path, "%s/file", dir.dir);
	run_on(n, body);
	tmp_release(&dir);
}

static MPI_File opened(MPI_Comm c, int amode)
{
	MPI_File f = MPI_FILE_NULL;

	OK(orr_File_open(c, path, amode, NO_INFO, &f));
	assert_ptr_not_equal(f, MPI_FILE_NULL);
	return f;
}

static MPI_Offset size_of(MPI_File f)
{
	MPI_Offset size = -1;

	OK(orr_File_get_size(f, &size));
	return size;
}

static MPI_Offset at(MPI_File f)
{
	MPI_Offset here = -1;

	OK(orr_File_get_position(f, &here));
	return here;
}

static MPI_Offset at_shared(MPI_File f)
{
	MPI_Offset here = -1;

	OK(orr_File_get_position_shared(f, &here));
	return here;
}

static int is_there(const char *name)
{
	struct stat s;

	return stat(name, &s) == 0;
}

/* What the file holds, read past MPI. */
static void holds(const char *want, size_t n)
{
	char got[256];
	FILE *f = fopen(path, "rb");

	assert_non_null(f);
	assert_int_equal(fread(got, 1, sizeof got, f), n);
	fclose(f);
	assert_memory_equal(got, want, n);
}

/* --- modes: 14.2.1 --- */

static void modes_body(int rank, void *arg)
{
	MPI_File f, g;
	int amode = 0;
	char c = 'x';

	(void)arg;
	REFUSES(MPI_ERR_NO_SUCH_FILE, orr_File_open(WORLD, path, MPI_MODE_RDWR, NO_INFO, &f));
	assert_ptr_equal(f, MPI_FILE_NULL);
	assert_false(is_there(path));
	OK(orr_Barrier(WORLD));
	f = opened(WORLD, MAKE | MPI_MODE_EXCL);
	OK(orr_File_get_amode(f, &amode));
	assert_int_equal(amode, MAKE | MPI_MODE_EXCL);
	OK(orr_File_write_at(f, rank, &c, 1, MPI_CHAR, IGNORE));
	OK(orr_File_close(&f));
	assert_ptr_equal(f, MPI_FILE_NULL);
	REFUSES(MPI_ERR_FILE_EXISTS, orr_File_open(WORLD, path, MAKE | MPI_MODE_EXCL, NO_INFO, &f));
	holds("xx", 2);
	f = opened(WORLD, MAKE); /* 14.2.1: what is in it stays */
	assert_int_equal(size_of(f), 2);
	assert_int_equal(at(f), 0);
	OK(orr_File_close(&f));
	/* APPEND: all pointers begin at the end */
	f = opened(WORLD, MPI_MODE_WRONLY | MPI_MODE_APPEND);
	assert_int_equal(at(f), 2);
	assert_int_equal(at_shared(f), 2);
	OK(orr_File_write_ordered(f, rank ? "b" : "a", 1, MPI_CHAR, IGNORE));
	OK(orr_File_close(&f));
	holds("xxab", 4);
	/* each by itself, at once */
	f = opened(SELF, MPI_MODE_RDONLY);
	g = opened(SELF, MPI_MODE_RDONLY);
	OK(orr_File_read(f, &c, 1, MPI_CHAR, IGNORE));
	assert_int_equal(at(f), 1);
	assert_int_equal(at(g), 0);
	OK(orr_File_close(&g));
	OK(orr_File_close(&f));
	OK(orr_Barrier(WORLD));
	f = opened(WORLD, MPI_MODE_RDONLY | MPI_MODE_DELETE_ON_CLOSE);
	assert_true(is_there(path));
	OK(orr_File_close(&f));
	OK(orr_Barrier(WORLD));
	assert_false(is_there(path));
}

static void modes(void **state)
{
	(void)state;
	run_files(2, modes_body);
}

/* 14.2.3: gone are names, and with MPI_ERR_NO_SUCH_FILE those that are not there. ROMIO's prefix
 * names a kind of file system. */
static void names_body(int rank, void *arg)
{
	char prefixed[160];
	MPI_File f;
	int flag = -1;

	(void)rank;
	(void)arg;
	snprintf(prefixed, sizeof prefixed, "ufs:%s", path);
	OK(orr_File_open(SELF, prefixed, MAKE, NO_INFO, &f));
	assert_true(is_there(path));
	OK(orr_File_close(&f));
	OK(orr_File_delete(prefixed, NO_INFO));
	assert_false(is_there(path));
	REFUSES(MPI_ERR_NO_SUCH_FILE, orr_File_delete(path, NO_INFO));
	REFUSES(MPI_ERR_BAD_FILE, orr_File_open(SELF, NULL, MAKE, NO_INFO, &f));
	REFUSES(MPI_ERR_BAD_FILE, orr_File_delete(NULL, NO_INFO));
	snprintf(prefixed, sizeof prefixed, "%s/none/file", dir.dir);
	REFUSES(MPI_ERR_NO_SUCH_FILE, orr_File_open(SELF, prefixed, MAKE, NO_INFO, &f));
	/* deleted while it is open: who has it open goes on */
	f = opened(SELF, MAKE);
	OK(orr_File_delete(path, NO_INFO));
	OK(orr_File_write(f, "abc", 3, MPI_CHAR, IGNORE));
	assert_int_equal(size_of(f), 3);
	OK(orr_File_get_atomicity(f, &flag));
	assert_false(flag); /* 14.6.1 */
	OK(orr_File_close(&f));
	assert_false(is_there(path));
}

static void names(void **state)
{
	(void)state;
	run_files(1, names_body);
}

/* --- what it says of itself --- */

static void asks_body(int rank, void *arg)
{
	MPI_Info info, got;
	char value[32] = "";
	int n = sizeof value, flag, result;
	MPI_Group g, world;
	MPI_File f;

	(void)rank;
	(void)arg;
	OK(orr_Info_create(&info));
	OK(orr_Info_set(info, "access_style", "write_once"));
	OK(orr_File_open(WORLD, path, MAKE, info, &f));
	OK(orr_Info_free(&info));
	OK(orr_File_get_info(f, &got));
	OK(orr_Info_get_string(got, "access_style", &n, value, &flag));
	assert_true(flag);
	assert_string_equal(value, "write_once");
	OK(orr_Info_set(got, "access_style", "sequential"));
	OK(orr_File_set_info(f, got));
	OK(orr_Info_free(&got));
	OK(orr_File_get_info(f, &got));
	n = sizeof value;
	OK(orr_Info_get_string(got, "access_style", &n, value, &flag));
	assert_string_equal(value, "sequential");
	OK(orr_Info_free(&got));
	OK(orr_File_get_group(f, &g));
	OK(orr_Comm_group(WORLD, &world));
	OK(orr_Group_compare(g, world, &result));
	assert_int_equal(result, MPI_IDENT);
	OK(orr_Group_free(&g));
	OK(orr_Group_free(&world));
	OK(orr_File_set_atomicity(f, 1));
	OK(orr_File_get_atomicity(f, &flag));
	assert_true(flag);
	REFUSES(MPI_ERR_NOT_SAME, orr_File_set_atomicity(f, rank));
	OK(orr_File_set_atomicity(f, 0));
	OK(orr_File_close(&f));
}

static void asks(void **state)
{
	(void)state;
	run_files(2, asks_body);
}

/* 14.2.4, 14.2.5: cut, made longer by zeros, reserved. */
static void sizes_body(int rank, void *arg)
{
	MPI_File f = opened(WORLD, MAKE);

	(void)arg;
	OK(orr_File_set_size(f, 4));
	assert_int_equal(size_of(f), 4);
	OK(orr_Barrier(WORLD));
	if (rank == 0) {
		OK(orr_File_write(f, "abcd", 4, MPI_CHAR, IGNORE));
		assert_int_equal(at(f), 4);
	}
	OK(orr_File_set_size(f, 2));
	assert_int_equal(size_of(f), 2);
	assert_int_equal(at(f), rank ? 0 : 4); /* pointers stay */
	OK(orr_File_set_size(f, 5));
	OK(orr_File_preallocate(f, 3)); /* less than it has: nothing */
	assert_int_equal(size_of(f), 5);
	OK(orr_File_preallocate(f, 8));
	assert_int_equal(size_of(f), 8);
	OK(orr_File_preallocate(f, 0));
	REFUSES(MPI_ERR_ARG, orr_File_preallocate(f, -1));
	REFUSES(MPI_ERR_NOT_SAME, orr_File_preallocate(f, 20 + rank));
	OK(orr_File_close(&f));
	holds("ab\0\0\0\0\0\0", 8);
}

static void sizes(void **state)
{
	(void)state;
	run_files(2, sizes_body);
}

/* --- views: 14.3 --- */

static void view_is(MPI_File f, MPI_Offset disp, MPI_Datatype etype, const char *name)
{
	char got[MPI_MAX_DATAREP_STRING] = "";
	MPI_Datatype e, t;
	MPI_Offset d = -1;
	int ints, addresses, types, combiner;

	OK(orr_File_get_view(f, &d, &e, &t, got));
	assert_int_equal(d, disp);
	assert_ptr_equal(e, etype);
	assert_string_equal(got, name);
	OK(orr_Type_get_envelope(t, &ints, &addresses, &types, &combiner));
	if (combiner != MPI_COMBINER_NAMED)
		OK(orr_Type_free(&t)); /* 14.3: the program's to free */
}

static void views_body(int rank, void *arg)
{
	MPI_File f = opened(WORLD, MAKE);
	MPI_Datatype every, twice, down;
	MPI_Offset byte = -1;
	int x[4] = {rank, rank + 10, rank + 20, rank + 30}, y[4], n = 0;

	(void)arg;
	view_is(f, 0, MPI_BYTE, "native"); /* the default */
	OK(orr_Type_vector(1, 1, 1, MPI_INT, &down));
	OK(orr_Type_create_resized(down, 0, 8, &every));
	OK(orr_Type_commit(&every));
	OK(orr_File_set_view(f, 4 * rank, MPI_INT, every, "native", NO_INFO));
	view_is(f, 4 * rank, MPI_INT, "native");
	OK(orr_Type_free(&every));
	OK(orr_Type_free(&down));
	OK(orr_File_get_byte_offset(f, 3, &byte)); /* the third of every other int */
	assert_int_equal(byte, 4 * rank + 24);
	REFUSES(MPI_ERR_ARG, orr_File_get_byte_offset(f, -1, &byte));
	OK(orr_File_write_all(f, x, 4, MPI_INT, IGNORE));
	assert_int_equal(at(f), 4); /* in etypes */
	OK(orr_File_set_view(f, 0, MPI_INT, MPI_INT, "internal", NO_INFO));
	assert_int_equal(at(f), 0); /* a view begins at its beginning */
	view_is(f, 0, MPI_INT, "internal");
	for (int i = 0; i < 8; i++) {
		OK(orr_File_read(f, y, 1, MPI_INT, IGNORE));
		n += y[0] == i % 2 + 10 * (i / 2);
	}
	assert_int_equal(n, 8);
	/* an etype of two: positions are in these */
	OK(orr_Type_contiguous(2, MPI_INT, &twice));
	OK(orr_Type_commit(&twice));
	OK(orr_File_set_view(f, 8, twice, twice, "native", NO_INFO));
	OK(orr_File_seek(f, 1, MPI_SEEK_SET));
	OK(orr_File_read(f, y, 1, twice, IGNORE));
	assert_int_equal(y[0], 20);
	assert_int_equal(y[1], 21);
	assert_int_equal(at(f), 2);
	REFUSES(MPI_ERR_IO, orr_File_read(f, y, 1, MPI_INT, IGNORE)); /* half of one */
	OK(orr_Type_free(&twice));
	OK(orr_File_close(&f));
}

static void views(void **state)
{
	(void)state;
	run_files(2, views_body);
}

/* A member that has no data of the file: its view holds nothing, with an extent or without, and the
 * collective calls are made by it, too. */
static void nothing_body(int rank, void *arg)
{
	MPI_File f = opened(WORLD, MAKE);
	MPI_Datatype none, t;
	MPI_Offset byte = -1;
	MPI_Status s;
	int x[2] = {7, 8}, y[2] = {0};

	(void)arg;
	OK(orr_Type_contiguous(rank == 0 ? 2 : 0, MPI_INT, &none));
	OK(orr_Type_create_resized(none, 0, 8, &t));
	OK(orr_Type_commit(&none));
	OK(orr_Type_commit(&t));
	OK(orr_File_set_view(f, 4, MPI_INT, t, "native", NO_INFO));
	OK(orr_File_write_all(f, x, rank == 0 ? 2 : 0, MPI_INT, IGNORE));
	assert_int_equal(at(f), rank == 0 ? 2 : 0);
	OK(orr_File_get_byte_offset(f, 0, &byte));
	assert_int_equal(byte, 4);
	OK(orr_File_set_view(f, 4, MPI_INT, none, "native", NO_INFO));
	OK(orr_File_read_all(f, y, 2, MPI_INT, &s));
	assert_int_equal(y[1], rank == 0 ? 8 : 0);
	OK(orr_Type_free(&t));
	OK(orr_Type_free(&none));
	OK(orr_File_close(&f));
}

static void nothing(void **state)
{
	(void)state;
	run_files(2, nothing_body);
}

/* 14.3: displacements of a filetype are not negative and never go back; what is written is written
 * once, what is read may be read twice. */
static void filetypes_body(int rank, void *arg)
{
	static const MPI_Count one[] = {1, 1}, back[] = {1, 0}, below[] = {-1, 1}, same[] = {0, 0};
	MPI_Datatype bad[2], doubled;
	MPI_File f = opened(SELF, MAKE), g;
	int x[4] = {1, 2, 3, 4};

	(void)rank;
	(void)arg;
	OK(orr_File_write(f, x, 4, MPI_INT, IGNORE));
	OK(orr_Type_indexed(2, one, back, MPI_INT, &bad[0]));
	OK(orr_Type_indexed(2, one, below, MPI_INT, &bad[1]));
	OK(orr_Type_indexed(2, one, same, MPI_INT, &doubled));
	OK(orr_Type_commit(&doubled));
	for (int i = 0; i < 2; i++) {
		OK(orr_Type_commit(&bad[i]));
		REFUSES(MPI_ERR_IO, orr_File_set_view(f, 0, MPI_INT, bad[i], "native", NO_INFO));
		OK(orr_Type_free(&bad[i]));
	}
	REFUSES(MPI_ERR_IO, orr_File_set_view(f, 0, MPI_INT, doubled, "native", NO_INFO));
	g = opened(SELF, MPI_MODE_RDONLY);
	OK(orr_File_set_view(g, 4, MPI_INT, doubled, "native", NO_INFO));
	OK(orr_File_read(g, x, 2, MPI_INT, IGNORE));
	assert_int_equal(x[0], 2);
	assert_int_equal(x[1], 2);
	OK(orr_Type_free(&doubled));
	OK(orr_File_close(&g));
	view_is(f, 0, MPI_BYTE, "native"); /* what was refused has changed nothing */
	OK(orr_File_close(&f));
}

static void filetypes(void **state)
{
	(void)state;
	run_files(1, filetypes_body);
}

/* --- pointers: 14.4 --- */

static void seeks_body(int rank, void *arg)
{
	MPI_File f = opened(WORLD, MAKE);
	MPI_Status s;
	MPI_Count n;
	char c[8] = "";

	(void)arg;
	if (rank == 0)
		OK(orr_File_write(f, "0123456789", 10, MPI_CHAR, IGNORE));
	OK(orr_Barrier(WORLD));
	OK(orr_File_seek(f, -3, MPI_SEEK_END));
	assert_int_equal(at(f), 7);
	OK(orr_File_seek(f, -2, MPI_SEEK_CUR));
	OK(orr_File_read(f, c, 2, MPI_CHAR, IGNORE));
	assert_memory_equal(c, "56", 2);
	REFUSES(MPI_ERR_ARG, orr_File_seek(f, -8, MPI_SEEK_CUR));
	assert_int_equal(at(f), 7);            /* where it was */
	OK(orr_File_seek(f, 5, MPI_SEEK_END)); /* behind the end: nothing to read */
	OK(orr_File_read(f, c, 2, MPI_CHAR, &s));
	OK(orr_Get_count(&s, MPI_CHAR, &n));
	assert_int_equal(n, 0);
	OK(orr_File_seek(f, 8, MPI_SEEK_SET));
	OK(orr_File_read(f, c, 8, MPI_CHAR, &s)); /* to the end of the file */
	OK(orr_Get_count(&s, MPI_CHAR, &n));
	assert_int_equal(n, 2);
	assert_int_equal(at(f), 16); /* 14.4.1: it moves by what was to be read */
	/* the one that all share is another, and moved by all */
	OK(orr_File_seek_shared(f, 4, MPI_SEEK_SET));
	assert_int_equal(at_shared(f), 4);
	assert_int_equal(at(f), 16);
	OK(orr_File_seek_shared(f, -1, MPI_SEEK_CUR));
	OK(orr_File_seek_shared(f, -1, MPI_SEEK_END));
	assert_int_equal(at_shared(f), 9);
	OK(orr_File_seek_shared(f, 2, MPI_SEEK_SET));
	OK(orr_File_read_ordered(f, c, 2 + rank, MPI_CHAR, IGNORE)); /* 23, 456 */
	assert_memory_equal(c, rank ? "456" : "23", (size_t)(2 + rank));
	assert_int_equal(at_shared(f), 7);
	OK(orr_File_close(&f));
}

static void seeks(void **state)
{
	(void)state;
	run_files(2, seeks_body);
}

/* 14.4.4: each piece is somebody's, whoever comes first; and nobody's twice. */
static void shared_body(int rank, void *arg)
{
	enum { PIECES = 6 };
	char *seen = arg, c[2];
	MPI_File f = opened(WORLD, MAKE);
	MPI_Request q;

	for (int i = 0; i < PIECES; i++) {
		c[0] = (char)('a' + rank);
		c[1] = (char)('0' + i);
		if (i % 2) {
			OK(orr_File_write_shared(f, c, 2, MPI_CHAR, IGNORE));
		} else {
			OK(orr_File_iwrite_shared(f, c, 2, MPI_CHAR, &q));
			OK(orr_Wait(&q, IGNORE));
		}
	}
	OK(orr_File_sync(f));
	OK(orr_Barrier(WORLD));
	assert_int_equal(size_of(f), 2 * 3 * PIECES);
	assert_int_equal(at_shared(f), 2 * 3 * PIECES);
	for (int i = 0; i < 3 * PIECES && rank == 0; i++) {
		OK(orr_File_read_at(f, 2 * i, c, 2, MPI_CHAR, IGNORE));
		assert_in_range(c[0], 'a', 'c');
		assert_in_range(c[1], '0', '0' + PIECES - 1);
		assert_false(seen[PIECES * (c[0] - 'a') + c[1] - '0']);
		seen[PIECES * (c[0] - 'a') + c[1] - '0'] = 1;
	}
	OK(orr_File_close(&f));
}

static void shared(void **state)
{
	char seen[18] = "";

	(void)state;
	tmp_init(&dir);
	snprintf(path, sizeof path, "%s/file", dir.dir);
	faults = 0;
	ranks_do(3, shared_body, seen);
	assert_int_equal(faults, 0);
	for (int i = 0; i < 18; i++)
		assert_true(seen[i]);
	tmp_release(&dir);
}

/* 14.2.1, 14.3: a sequential file has the shared pointer alone, and views from where that is. */
static void sequential_body(int rank, void *arg)
{
	MPI_File f = opened(WORLD, MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL);
	MPI_Offset here;
	MPI_Request q;

	(void)arg;
	OK(orr_File_write_ordered(f, rank ? "bb" : "a", 1 + rank, MPI_CHAR, IGNORE));
	REFUSES(MPI_ERR_UNSUPPORTED_OPERATION, orr_File_get_position(f, &here));
	REFUSES(MPI_ERR_UNSUPPORTED_OPERATION, orr_File_seek_shared(f, 0, MPI_SEEK_SET));
	REFUSES(MPI_ERR_UNSUPPORTED_OPERATION, orr_File_write_at(f, 0, "c", 1, MPI_CHAR, IGNORE));
	REFUSES(MPI_ERR_UNSUPPORTED_OPERATION, orr_File_iwrite(f, "c", 1, MPI_CHAR, &q));
	REFUSES(MPI_ERR_DISP, orr_File_set_view(f, 0, MPI_CHAR, MPI_CHAR, "native", NO_INFO));
	OK(orr_File_set_view(f, MPI_DISPLACEMENT_CURRENT, MPI_CHAR, MPI_CHAR, "native", NO_INFO));
	view_is(f, 3, MPI_CHAR, "native");
	OK(orr_File_write_ordered(f, rank ? "d" : "c", 1, MPI_CHAR, IGNORE));
	OK(orr_File_close(&f));
	OK(orr_Barrier(WORLD));
	holds("abbcd", 5);
	f = opened(WORLD, MPI_MODE_RDWR);
	REFUSES(MPI_ERR_DISP, orr_File_set_view(f, MPI_DISPLACEMENT_CURRENT, MPI_CHAR, MPI_CHAR,
	                                        "native", NO_INFO));
	OK(orr_File_close(&f));
}

static void sequential(void **state)
{
	(void)state;
	run_files(2, sequential_body);
}

/* --- collective accesses in two halves: 14.4.5 --- */

static void halves_body(int rank, void *arg)
{
	MPI_File f = opened(WORLD, MAKE);
	MPI_Status s;
	MPI_Count n;
	int x[2] = {rank, rank + 10}, y[2] = {-1, -1};

	(void)arg;
	OK(orr_File_set_view(f, 8 * rank, MPI_INT, MPI_INT, "native", NO_INFO));
	OK(orr_File_write_all_begin(f, x, 2, MPI_INT));
	REFUSES(MPI_ERR_OTHER, orr_File_read_all_begin(f, y, 2, MPI_INT)); /* one at a time */
	REFUSES(MPI_ERR_OTHER, orr_File_write_at_all_end(f, x, &s));       /* its own end */
	OK(orr_File_write_all_end(f, x, &s));
	OK(orr_Get_count(&s, MPI_INT, &n));
	assert_int_equal(n, 2);
	assert_int_equal(at(f), 2);
	OK(orr_File_read_at_all_begin(f, 0, y, 2, MPI_INT));
	OK(orr_File_read_at_all_end(f, y, IGNORE));
	assert_int_equal(y[0], rank);
	assert_int_equal(y[1], rank + 10);
	REFUSES(MPI_ERR_OTHER, orr_File_read_at_all_end(f, y, &s)); /* it has ended */
	OK(orr_File_set_view(f, 0, MPI_INT, MPI_INT, "native", NO_INFO));
	OK(orr_File_read_ordered_begin(f, y, 2, MPI_INT));
	OK(orr_File_read_ordered_end(f, y, &s));
	assert_int_equal(y[0], rank);
	OK(orr_File_close(&f));
}

/* In the order of ranks nobody waits at the beginning; each hears at the end where its data are. */
static void ordered_halves_body(int rank, void *arg)
{
	MPI_File f = opened(WORLD, MAKE);
	MPI_Status s;
	MPI_Count n;
	char c;

	(void)arg;
	if (rank == 1)
		OK(orr_Recv(&c, 1, MPI_CHAR, 0, 7, WORLD, IGNORE));
	OK(orr_File_write_ordered_begin(f, rank ? "bcd" : "a", 1 + 2 * rank, MPI_CHAR));
	if (rank == 0)
		OK(orr_Send("x", 1, MPI_CHAR, 1, 7, WORLD));
	OK(orr_File_write_ordered_end(f, rank ? "bcd" : "a", &s));
	OK(orr_Get_count(&s, MPI_CHAR, &n));
	assert_int_equal(n, 1 + 2 * rank);
	assert_int_equal(at_shared(f), 4);
	OK(orr_File_write_ordered(f, rank ? "f" : "e", 1, MPI_CHAR, IGNORE));
	OK(orr_File_close(&f));
	holds("abcdef", 6);
}

static void ordered_halves(void **state)
{
	(void)state;
	run_files(2, ordered_halves_body);
}

static void halves(void **state)
{
	(void)state;
	run_files(2, halves_body);
}

/* --- representations: 14.5 --- */

/* external32: big-endian; long has 4 bytes, long double 16. */
static void external_body(int rank, void *arg)
{
	MPI_File f = opened(SELF, MAKE);
	MPI_Count extent;
	int x[2] = {0x01020304, -2}, y[2];
	long l = -3, back = 0;

	(void)rank;
	(void)arg;
	OK(orr_File_set_view(f, 0, MPI_INT, MPI_INT, "external32", NO_INFO));
	OK(orr_File_write(f, x, 2, MPI_INT, IGNORE));
	OK(orr_File_seek(f, 0, MPI_SEEK_SET));
	OK(orr_File_read(f, y, 2, MPI_INT, IGNORE));
	assert_memory_equal(x, y, sizeof x);
	OK(orr_File_get_type_extent(f, MPI_LONG, &extent));
	assert_int_equal(extent, 4);
	OK(orr_File_get_type_extent(f, MPI_LONG_DOUBLE, &extent));
	assert_int_equal(extent, 16);
	OK(orr_File_set_view(f, 8, MPI_LONG, MPI_LONG, "external32", NO_INFO));
	OK(orr_File_write_at(f, 0, &l, 1, MPI_LONG, IGNORE));
	OK(orr_File_read_at(f, 0, &back, 1, MPI_LONG, IGNORE));
	assert_int_equal(back, -3);
	OK(orr_File_close(&f));
	holds("\1\2\3\4\377\377\377\376\377\377\377\375", 12);
}

static void external(void **state)
{
	(void)state;
	run_files(1, external_body);
}

/* Of the program's: each int is a letter in the file (14.5.3). */
static int letters_extent(MPI_Datatype type, MPI_Aint *extent, void *extra)
{
	MPI_Count size;

	OK(orr_Type_size(type, &size));
	*extent = size / 4;
	(*(int *)extra)++;
	return MPI_SUCCESS;
}

static int letters_read(void *user, MPI_Datatype type, int n, void *file, MPI_Offset position,
                        void *extra)
{
	(void)extra;
	assert_ptr_equal(type, MPI_INT);
	for (int i = 0; i < n; i++)
		((int *)user)[position + i] = ((char *)file)[i] - 'a';
	return MPI_SUCCESS;
}

static int letters_write(void *user, MPI_Datatype type, int n, void *file, MPI_Offset position,
                         void *extra)
{
	(void)extra;
	assert_ptr_equal(type, MPI_INT);
	for (int i = 0; i < n; i++)
		((char *)file)[i] = (char)('a' + ((int *)user)[position + i]);
	return ((int *)user)[position] > 25 ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static void own_body(int rank, void *arg)
{
	int asked = 0, x[5] = {7, 4, 11, 11, 14}, y[5] = {0};
	char name[MPI_MAX_DATAREP_STRING + 8];
	MPI_Count n, extent;
	MPI_Status s;
	MPI_File f;

	(void)rank;
	(void)arg;
	OK(orr_Register_datarep("letters", letters_read, letters_write, letters_extent, &asked));
	REFUSES(MPI_ERR_DUP_DATAREP,
	        orr_Register_datarep("letters", letters_read, NULL, letters_extent, &asked));
	REFUSES(MPI_ERR_DUP_DATAREP,
	        orr_Register_datarep("native", NULL, NULL, letters_extent, NULL));
	memset(name, 'n', sizeof name);
	name[sizeof name - 1] = 0;
	REFUSES(MPI_ERR_ARG, orr_Register_datarep(name, NULL, NULL, letters_extent, NULL));
	f = opened(SELF, MAKE);
	OK(orr_File_set_view(f, 2, MPI_INT, MPI_INT, "letters", NO_INFO));
	view_is(f, 2, MPI_INT, "letters");
	OK(orr_File_write(f, x, 5, MPI_INT, &s));
	OK(orr_Get_count(&s, MPI_INT, &n));
	assert_int_equal(n, 5);
	assert_int_equal(at(f), 5);
	OK(orr_File_read_at(f, 1, y, 4, MPI_INT, IGNORE));
	for (int i = 0; i < 4; i++)
		assert_int_equal(y[i], x[i + 1]);
	OK(orr_File_get_type_extent(f, MPI_INT, &extent));
	assert_int_equal(extent, 1);
	assert_true(asked > 0);
	x[0] = 26;
	REFUSES(MPI_ERR_CONVERSION, orr_File_write(f, x, 1, MPI_INT, IGNORE));
	OK(orr_File_close(&f));
	holds("\0\0hello", 7);
}

static void own(void **state)
{
	(void)state;
	run_files(1, own_body);
}

/* --- statuses and what is written where --- */

static void accesses_body(int rank, void *arg)
{
	MPI_File f = opened(WORLD, MAKE);
	MPI_Request q[3];
	MPI_Status s[3];
	MPI_Count n;
	int x = rank, y = -1, z = -1, cancelled;

	(void)arg;
	OK(orr_File_set_view(f, 0, MPI_INT, MPI_INT, "native", NO_INFO));
	OK(orr_File_iwrite_at(f, 2 * rank, &x, 1, MPI_INT, &q[0]));
	OK(orr_File_iwrite_at_all(f, 2 * rank + 1, &x, 1, MPI_INT, &q[1]));
	OK(orr_Waitall(2, q, s));
	for (int i = 0; i < 2; i++) {
		OK(orr_Get_count(&s[i], MPI_INT, &n));
		assert_int_equal(n, 1);
		OK(orr_Test_cancelled(&s[i], &cancelled));
		assert_false(cancelled);
	}
	OK(orr_Barrier(WORLD));
	OK(orr_File_iread_at(f, 2 * (1 - rank), &y, 1, MPI_INT, &q[0]));
	OK(orr_File_iread_all(f, &z, 1, MPI_INT, &q[1])); /* from the beginning: rank 0's */
	OK(orr_File_iread_at(f, 100, &x, 1, MPI_INT, &q[2]));
	OK(orr_Waitall(3, q, s));
	assert_int_equal(y, 1 - rank);
	assert_int_equal(z, 0);
	OK(orr_Get_count(&s[2], MPI_INT, &n));
	assert_int_equal(n, 0); /* behind the end */
	assert_int_equal(x, rank);
	assert_int_equal(at(f), 1);
	OK(orr_File_write_at(f, 3, &x, 0, MPI_INT, &s[0]));
	OK(orr_Get_count(&s[0], MPI_INT, &n));
	assert_int_equal(n, 0);
	assert_int_equal(size_of(f), 16);
	OK(orr_File_close(&f));
}

static void accesses(void **state)
{
	(void)state;
	run_files(2, accesses_body);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(modes),
	    cmocka_unit_test(names),
	    cmocka_unit_test(asks),
	    cmocka_unit_test(sizes),
	    cmocka_unit_test(views),
	    cmocka_unit_test(filetypes),
	    cmocka_unit_test(seeks),
	    cmocka_unit_test(shared),
	    cmocka_unit_test(sequential),
	    cmocka_unit_test(halves),
	    cmocka_unit_test(ordered_halves),
	    cmocka_unit_test(external),
	    cmocka_unit_test(own),
	    cmocka_unit_test(accesses),
	    cmocka_unit_test(nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
