/* live_errors.c FOLDER [checks]: what calls of MPI return that fail, and whose error handler they
 * call, by the standard (MPI 4.0; sections are named where the text is of one). Two ranks; in
 * FOLDER are files; checks: it runs under --checks. Prints "fine". */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank, bad;
/* What the handlers saw, and what they are to leave as the code (0: what it was). */
static struct {
	int calls, class, is_watched, leaves;
} seen;
static MPI_Comm watched;

static void is(int code, int class, const char *what, int line)
{
	char text[MPI_MAX_ERROR_STRING] = "";
	int got = MPI_SUCCESS, n;

	if (code != MPI_SUCCESS)
		MPI_Error_class(code, &got);
	if (got == class)
		return;
	MPI_Error_string(code, text, &n);
	printf("rank %d, line %d: %s: class %d (%s), not %d\n", rank, line, what, got, text, class);
	bad++;
}
#define IS(call, class) is(call, class, #call, __LINE__)
#define HOLDS(condition) \
	is((condition) ? MPI_SUCCESS : MPI_ERR_OTHER, MPI_SUCCESS, #condition, __LINE__)

static void note(int *code)
{
	seen.calls++;
	MPI_Error_class(*code, &seen.class);
	if (seen.leaves)
		*code = seen.leaves < 0 ? MPI_SUCCESS : seen.leaves;
}
static void on_comm(MPI_Comm *comm, int *code, ...)
{
	int same = MPI_UNEQUAL;

	MPI_Comm_compare(*comm, watched, &same);
	seen.is_watched = same == MPI_IDENT;
	note(code);
}
static void on_win(MPI_Win *win, int *code, ...)
{
	(void)win;
	note(code);
}
static void on_file(MPI_File *file, int *code, ...)
{
	(void)file;
	note(code);
}
/* The handler of the watched communicator was called once since it was asked last, with this. */
static int was_told(int class)
{
	int told = seen.calls == 1 && seen.class == class && seen.is_watched;

	seen.calls = 0;
	return told;
}

/* --- messages --- */

/* Rank 1 sends four integers with the tags 0 to 6, and from 3 on one with the tag + 50. */
static void truncated_sends(void)
{
	int a[4] = {0};

	for (int i = 0; i < 7; i++) {
		MPI_Send(a, 4, MPI_INT, 0, i, watched);
		if (i > 2)
			MPI_Send(a, 1, MPI_INT, 0, 50 + i, watched);
	}
}

static void truncated_one(void)
{
	MPI_Request q = MPI_REQUEST_NULL;
	int a[4], code, flag = 0;

	IS(MPI_Recv(a, 1, MPI_INT, 1, 0, watched, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
	HOLDS(was_told(MPI_ERR_TRUNCATE));
	MPI_Irecv(a, 1, MPI_INT, 1, 1, watched, &q);
	IS(MPI_Wait(&q, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
	HOLDS(was_told(MPI_ERR_TRUNCATE) && q == MPI_REQUEST_NULL);
	MPI_Irecv(a, 1, MPI_INT, 1, 2, watched, &q);
	do
		code = MPI_Test(&q, &flag, MPI_STATUS_IGNORE);
	while (code == MPI_SUCCESS && !flag);
	IS(code, MPI_ERR_TRUNCATE);
	HOLDS(was_told(MPI_ERR_TRUNCATE));
	MPI_Recv_init(a, 1, MPI_INT, 1, 6, watched, &q);
	MPI_Start(&q);
	IS(MPI_Wait(&q, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
	HOLDS(was_told(MPI_ERR_TRUNCATE) && q != MPI_REQUEST_NULL);
	MPI_Request_free(&q);
	MPI_Recv(a, 4, MPI_INT, 1, 56, watched, MPI_STATUS_IGNORE);
}

/* Where the call returns MPI_ERR_IN_STATUS, the handler is given the code in the status (9.3.1). */
static void truncated_of_two(void)
{
	MPI_Request q[2];
	MPI_Status s[2];
	int a[4], n, index[2], code;

	MPI_Irecv(a, 1, MPI_INT, 1, 3, watched, &q[0]);
	MPI_Irecv(a, 1, MPI_INT, 1, 53, watched, &q[1]);
	IS(MPI_Waitall(2, q, s), MPI_ERR_IN_STATUS);
	IS(s[0].MPI_ERROR, MPI_ERR_TRUNCATE);
	IS(s[1].MPI_ERROR, MPI_SUCCESS);
	HOLDS(was_told(MPI_ERR_TRUNCATE));
	MPI_Irecv(a, 1, MPI_INT, 1, 4, watched, &q[0]);
	MPI_Irecv(a, 1, MPI_INT, 1, 54, watched, &q[1]);
	for (int done = 0; done < 2; done += n) {
		code = MPI_Waitsome(2, q, &n, index, s);
		for (int i = 0; i < n; i++) {
			if (index[i] == 0)
				IS(code, MPI_ERR_IN_STATUS);
			if (code != MPI_SUCCESS)
				IS(s[i].MPI_ERROR, index[i] ? MPI_SUCCESS : MPI_ERR_TRUNCATE);
		}
	}
	HOLDS(was_told(MPI_ERR_TRUNCATE));
	MPI_Irecv(a, 1, MPI_INT, 1, 5, watched, &q[0]);
	MPI_Irecv(a, 1, MPI_INT, 1, 55, watched, &q[1]);
	for (int i = 0; i < 2; i++) {
		code = MPI_Waitany(2, q, &n, s);
		IS(code, n == 0 ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
	}
	HOLDS(was_told(MPI_ERR_TRUNCATE));
}

static void truncations(void)
{
	int a = 0;

	if (rank == 1) {
		truncated_sends();
	} else {
		truncated_one();
		truncated_of_two();
	}
	seen.leaves = MPI_ERR_OTHER; /* "the error code to be returned" (9.3.1) */
	IS(MPI_Send(&a, -1, MPI_INT, 0, 0, watched), MPI_ERR_OTHER);
	seen.leaves = 0;
	HOLDS(was_told(MPI_ERR_COUNT));
}

static void messages(MPI_Comm c)
{
	MPI_Datatype raw;
	MPI_Request q = MPI_REQUEST_NULL;
	MPI_Status s;
	int a[2] = {0}, flag;

	MPI_Type_contiguous(2, MPI_INT, &raw);
	IS(MPI_Send(a, -1, MPI_INT, 0, 0, c), MPI_ERR_COUNT);
	IS(MPI_Send(a, 1, MPI_DATATYPE_NULL, 0, 0, c), MPI_ERR_TYPE);
	IS(MPI_Send(a, 1, raw, 0, 0, c), MPI_ERR_TYPE); /* not committed */
	IS(MPI_Send(a, 1, MPI_INT, 2, 0, c), MPI_ERR_RANK);
	IS(MPI_Send(a, 1, MPI_INT, MPI_ANY_SOURCE, 0, c), MPI_ERR_RANK);
	IS(MPI_Send(a, 1, MPI_INT, 0, MPI_ANY_TAG, c), MPI_ERR_TAG);
	IS(MPI_Send(NULL, 1, MPI_INT, 0, 0, c), MPI_ERR_BUFFER);
	IS(MPI_Send(a, 1, MPI_INT, 0, 0, MPI_COMM_NULL), MPI_ERR_COMM);
	IS(MPI_Bsend(a, 1, MPI_INT, 0, 0, c), MPI_ERR_BUFFER); /* none is attached (3.6) */
	IS(MPI_Recv(a, -1, MPI_INT, 0, 0, c, &s), MPI_ERR_COUNT);
	IS(MPI_Irecv(a, 1, MPI_INT, 9, 0, c, &q), MPI_ERR_RANK);
	IS(MPI_Iprobe(0, -9, c, &flag, &s), MPI_ERR_TAG);
	q = MPI_REQUEST_NULL;
	IS(MPI_Start(&q), MPI_ERR_REQUEST);
	IS(MPI_Request_free(&q), MPI_ERR_REQUEST);
	IS(MPI_Waitall(-1, &q, MPI_STATUSES_IGNORE), MPI_ERR_COUNT);
	MPI_Type_free(&raw);
}

/* --- collectives --- */

static void collectives(MPI_Comm c)
{
	int a[4] = {0}, b[4], minus[2] = {1, -1}, ones[2] = {1, 1}, at[2] = {0, 1};

	IS(MPI_Bcast(a, 1, MPI_INT, 2, c), MPI_ERR_ROOT);
	IS(MPI_Bcast(a, 1, MPI_INT, -1, c), MPI_ERR_ROOT);
	IS(MPI_Bcast(a, -1, MPI_INT, 0, c), MPI_ERR_COUNT);
	IS(MPI_Gather(a, 1, MPI_INT, b, 1, MPI_INT, 7, c), MPI_ERR_ROOT);
	IS(MPI_Allgatherv(a, 1, MPI_INT, b, minus, at, MPI_INT, c), MPI_ERR_COUNT);
	IS(MPI_Alltoallv(a, minus, at, MPI_INT, b, ones, at, MPI_INT, c), MPI_ERR_COUNT);
	IS(MPI_Reduce_scatter(a, b, minus, MPI_INT, MPI_SUM, c), MPI_ERR_COUNT);
	IS(MPI_Reduce(a, b, 1, MPI_INT, MPI_OP_NULL, 0, c), MPI_ERR_OP);
	IS(MPI_Barrier(MPI_COMM_NULL), MPI_ERR_COMM);
}

/* 6.9.2: numbers in bytes and truth in reals are none. Open MPI takes the former, MPICH the latter;
 * a program of the standard's interface may be either's. */
#if defined OPEN_MPI
enum { IS_OPEN_MPI = 1, IS_MPICH = 0 };
#elif defined MPICH_NAME
enum { IS_OPEN_MPI = 0, IS_MPICH = 1 };
#else
enum { IS_OPEN_MPI = 0, IS_MPICH = 0 };
#endif

static void operators(MPI_Comm c)
{
	double a[2] = {0}, b[2];

	IS(MPI_Allreduce(a, b, 1, MPI_BYTE, MPI_MAX, c), IS_OPEN_MPI ? MPI_SUCCESS : MPI_ERR_OP);
	IS(MPI_Allreduce(a, b, 1, MPI_BYTE, MPI_LOR, c), IS_OPEN_MPI ? MPI_SUCCESS : MPI_ERR_OP);
	IS(MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_LAND, c), IS_MPICH ? MPI_SUCCESS : MPI_ERR_OP);
	IS(MPI_Reduce_local(a, b, 1, MPI_FLOAT, MPI_LXOR), IS_MPICH ? MPI_SUCCESS : MPI_ERR_OP);
	IS(MPI_Allreduce(a, b, 1, MPI_BYTE, MPI_BXOR, c), MPI_SUCCESS);
	IS(MPI_Allreduce(a, b, 1, MPI_C_BOOL, MPI_LAND, c), MPI_SUCCESS);
	IS(MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_BAND, c), MPI_ERR_OP);
	IS(MPI_Allreduce(a, b, 1, MPI_C_DOUBLE_COMPLEX, MPI_MAX, c), MPI_ERR_OP);
	IS(MPI_Allreduce(a, b, 1, MPI_INT, MPI_MAXLOC, c), MPI_ERR_OP);
	IS(MPI_Allreduce(a, b, 1, MPI_2INT, MPI_SUM, c), MPI_ERR_OP);
	IS(MPI_Allreduce(a, b, 1, MPI_INT, MPI_REPLACE, c), MPI_ERR_OP);
}

/* What is sent may not lie where is received (2.3). checks: as --checks sees it, else as MPICH,
 * which looks at this rank's block. */
static void one_place(MPI_Comm c, int checks)
{
	int a[8] = {0}, b[8], ones[2] = {1, 1}, at[2] = {0, 1}, apart[2] = {2, 3};
	int wide[2] = {0, sizeof(int)}, none[2] = {0, 0};
	MPI_Datatype types[2] = {MPI_INT, MPI_INT};
	MPI_Request q;

	if (rank == 0)
		IS(MPI_Gatherv(a, 1, MPI_INT, a, ones, at, MPI_INT, 0, c), MPI_ERR_BUFFER);
	if (rank == 0)
		IS(MPI_Scatterv(a, ones, at, MPI_INT, a, 1, MPI_INT, 0, c), MPI_ERR_BUFFER);
	IS(MPI_Allgather(a + rank, 1, MPI_INT, a, 1, MPI_INT, c), MPI_ERR_BUFFER);
	IS(MPI_Allgatherv(a + rank, 1, MPI_INT, a, ones, at, MPI_INT, c), MPI_ERR_BUFFER);
	IS(MPI_Iallgatherv(a + rank, 1, MPI_INT, a, ones, at, MPI_INT, c, &q), MPI_ERR_BUFFER);
	if (checks) {
		IS(MPI_Alltoallv(a, ones, at, MPI_INT, a, ones, at, MPI_INT, c), MPI_ERR_BUFFER);
		IS(MPI_Alltoallw(a, ones, wide, types, a, ones, wide, types, c), MPI_ERR_BUFFER);
	}
	IS(MPI_Alltoallv(a, ones, at, MPI_INT, a, ones, apart, MPI_INT, c), MPI_SUCCESS);
	IS(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_INT, a, ones, at, MPI_INT, c), MPI_SUCCESS);
	IS(MPI_Allgatherv(a, 0, MPI_INT, a, none, at, MPI_INT, c), MPI_SUCCESS);
	IS(MPI_Alltoall(a, 1, MPI_INT, b, 1, MPI_INT, c), MPI_SUCCESS);
}

/* --- objects --- */

static void objects(MPI_Comm c)
{
	int n, twice[2] = {0, 0}, nine[1] = {9}, one[1] = {1};
	MPI_Datatype type = MPI_INT;
	MPI_Group group, other;
	MPI_Op op = MPI_SUM;
	MPI_Comm made;

	MPI_Comm_group(c, &group);
	IS(MPI_Group_incl(group, 2, twice, &other), MPI_ERR_RANK);
	IS(MPI_Group_incl(group, -1, one, &other), MPI_ERR_ARG);
	IS(MPI_Group_size(MPI_GROUP_NULL, &n), MPI_ERR_GROUP);
	IS(MPI_Group_translate_ranks(group, 1, nine, group, twice), MPI_ERR_RANK);
	IS(MPI_Group_translate_ranks(group, 1, one, group, NULL), MPI_ERR_ARG);
	IS(MPI_Group_translate_ranks(group, 1, NULL, group, twice), MPI_ERR_ARG);
	IS(MPI_Group_translate_ranks(group, 0, NULL, group, NULL), MPI_SUCCESS);
	IS(MPI_Comm_create(c, MPI_GROUP_NULL, &made), MPI_ERR_GROUP);
	MPI_Group_free(&group);
	IS(MPI_Comm_split(c, -5, 0, &made), MPI_ERR_ARG);
	made = MPI_COMM_WORLD;
	IS(MPI_Comm_free(&made), MPI_ERR_COMM);
	IS(MPI_Type_free(&type), MPI_ERR_TYPE); /* a predefined one */
	IS(MPI_Op_free(&op), MPI_ERR_OP);
	IS(MPI_Type_contiguous(-1, MPI_INT, &type), MPI_ERR_COUNT);
	IS(MPI_Cart_coords(c, 0, 1, one), MPI_ERR_TOPOLOGY);
	IS(MPI_Comm_set_attr(c, MPI_KEYVAL_INVALID, &n), MPI_ERR_KEYVAL);
}

/* 9.5 */
static void added(void)
{
	int class, code, got, n, flag, *last;
	char text[MPI_MAX_ERROR_STRING];

	MPI_Add_error_class(&class);
	HOLDS(class > MPI_ERR_LASTCODE);
	MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last, &flag);
	HOLDS(flag && *last >= class);
	IS(MPI_Error_string(class, text, &n), MPI_SUCCESS);
	HOLDS(n == 0 && text[0] == '\0'); /* a string that was not set */
	MPI_Add_error_code(class, &code);
	MPI_Add_error_string(code, "of mine");
	MPI_Error_class(code, &got);
	HOLDS(got == class);
	MPI_Error_string(code, text, &n);
	HOLDS(n == 7 && strcmp(text, "of mine") == 0);
	MPI_Comm_call_errhandler(watched, code);
	HOLDS(was_told(class));
	IS(MPI_Add_error_string(MPI_ERR_COUNT, "mine"), MPI_ERR_ARG);
	IS(MPI_Error_class(-77, &n), MPI_ERR_ARG);
}

/* --- windows, files, ports --- */

static void windows(MPI_Comm c)
{
	int room[4] = {0}, a = 0;
	MPI_Errhandler handler;
	MPI_Win win;

	IS(MPI_Win_create(room, -1, 1, MPI_INFO_NULL, c, &win), MPI_ERR_SIZE);
	IS(MPI_Win_create(room, 16, 0, MPI_INFO_NULL, c, &win), MPI_ERR_DISP);
	MPI_Win_create(room, sizeof room, sizeof room[0], MPI_INFO_NULL, c, &win);
	MPI_Win_get_errhandler(win, &handler);
	HOLDS(handler == MPI_ERRORS_ARE_FATAL); /* 12.6.1, whatever the communicator has */
	MPI_Win_create_errhandler(on_win, &handler);
	MPI_Win_set_errhandler(win, handler);
	MPI_Errhandler_free(&handler);
	seen.calls = 0;
	IS(MPI_Put(&a, 1, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_RMA_SYNC);
	HOLDS(seen.calls == 1 && seen.class == MPI_ERR_RMA_SYNC);
	IS(MPI_Win_lock(77, 0, 0, win), MPI_ERR_LOCKTYPE);
	MPI_Win_fence(0, win);
	IS(MPI_Put(&a, 1, MPI_INT, 9, 0, 1, MPI_INT, win), MPI_ERR_RANK);
	IS(MPI_Put(&a, 1, MPI_INT, 0, 99, 1, MPI_INT, win), MPI_ERR_RMA_RANGE);
	IS(MPI_Accumulate(&a, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_MAXLOC, win), MPI_ERR_OP);
	MPI_Win_fence(0, win);
	MPI_Win_free(&win);
	IS(MPI_Win_fence(0, MPI_WIN_NULL), MPI_ERR_WIN);
}

static int opens(const char *name, int mode, MPI_File *file)
{
	return MPI_File_open(MPI_COMM_SELF, name, mode, MPI_INFO_NULL, file);
}

/* 14.7: the handler of a file is at first that of MPI_FILE_NULL, which a failing open calls. */
static void files(const char *folder)
{
	char none[512], name[512];
	MPI_Errhandler handler;
	MPI_Offset size;
	MPI_File file;
	int a = 0;

	snprintf(none, sizeof none, "%s/none", folder);
	snprintf(name, sizeof name, "%s/file-%d", folder, rank);
	IS(opens(none, MPI_MODE_RDONLY, &file), MPI_ERR_NO_SUCH_FILE);
	IS(opens(name, MPI_MODE_RDONLY | MPI_MODE_CREATE, &file), MPI_ERR_AMODE);
	IS(opens(name, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_EXCL, &file), MPI_SUCCESS);
	MPI_File_close(&file);
	IS(opens(name, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_EXCL, &file),
	   MPI_ERR_FILE_EXISTS);
	MPI_File_create_errhandler(on_file, &handler);
	MPI_File_set_errhandler(MPI_FILE_NULL, handler);
	MPI_Errhandler_free(&handler);
	seen.calls = 0;
	seen.leaves = -1;
	IS(opens(none, MPI_MODE_RDONLY, &file), MPI_SUCCESS); /* what the handler left */
	HOLDS(seen.calls == 1 && seen.class == MPI_ERR_NO_SUCH_FILE);
	seen.leaves = 0;
	opens(name, MPI_MODE_RDONLY, &file);
	IS(MPI_File_write(file, &a, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_READ_ONLY);
	HOLDS(seen.calls == 2 && seen.class == MPI_ERR_READ_ONLY);
	IS(MPI_File_read(file, &a, -1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_COUNT);
	IS(MPI_File_seek(file, -1, MPI_SEEK_SET), MPI_ERR_ARG);
	IS(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "nothing", MPI_INFO_NULL),
	   MPI_ERR_UNSUPPORTED_DATAREP);
	MPI_File_close(&file);
	MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
	IS(MPI_File_get_size(MPI_FILE_NULL, &size), MPI_ERR_FILE);
	MPI_File_delete(name, MPI_INFO_NULL);
}

/* 11.9.4: who connects where nobody accepts is told so, eventually. The other side accepts once. */
static void connects(MPI_Comm c)
{
	char port[MPI_MAX_PORT_NAME];
	MPI_Comm alone, other;

	if (rank == 0)
		MPI_Open_port(MPI_INFO_NULL, port);
	MPI_Bcast(port, sizeof port, MPI_CHAR, 0, c);
	MPI_Comm_split(c, rank, 0, &alone);
	if (rank == 1) {
		IS(MPI_Comm_connect(port, MPI_INFO_NULL, 0, alone, &other), MPI_SUCCESS);
		MPI_Comm_free(&other);
		IS(MPI_Comm_connect(port, MPI_INFO_NULL, 0, alone, &other), MPI_ERR_PORT);
		IS(MPI_Comm_connect("no port", MPI_INFO_NULL, 0, alone, &other), MPI_ERR_PORT);
	} else {
		IS(MPI_Comm_accept(port, MPI_INFO_NULL, 0, alone, &other), MPI_SUCCESS);
		MPI_Comm_free(&other);
	}
	MPI_Barrier(c);
	if (rank == 0)
		MPI_Close_port(port);
	MPI_Comm_free(&alone);
}

int main(int argc, char **argv)
{
	MPI_Comm returns;
	MPI_Errhandler handler;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_dup(MPI_COMM_WORLD, &watched);
	MPI_Comm_create_errhandler(on_comm, &handler);
	MPI_Comm_set_errhandler(watched, handler);
	truncations(); /* with a fatal handler of MPI_COMM_WORLD, which nobody calls */
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	MPI_Comm_dup(MPI_COMM_WORLD, &returns); /* with its handler: 7.4.2 */
	messages(returns);
	collectives(returns);
	operators(returns);
	if (IS_MPICH || argc > 2)
		one_place(returns, argc > 2);
	objects(returns);
	added();
	windows(returns);
	if (argc > 1)
		files(argv[1]);
	connects(returns);
	MPI_Errhandler_free(&handler);
	MPI_Comm_free(&watched);
	MPI_Comm_free(&returns);
	MPI_Finalize();
	if (rank == 0 && !bad)
		puts("fine");
	return bad != 0;
}
