/* test_life.c: the beginning and the end of MPI in a process (MPI 4.0, chapter 11), sessions,
 * levels of threads, the clock, memory and buffers that the program gives (3.6, 9.2), versions and
 * names.
 */
#include "ranks.h"

#include "refuses.h"

#include <stdint.h>

/* A run whose ranks call MPI_Init themselves, or not. */
static int run_bare(int n, void (*body)(int rank, void *arg), void *arg, struct err *err)
{
	struct ranks run = {.n = n, .body = body, .arg = arg, .bare = 1};
	int r;

	faults = 0;
	r = ranks_run(&run);
	assert_int_equal(faults, 0);
	if (err)
		*err = run.err;
	else if (r < 0)
		fail_msg("%s", run.err.text);
	return r;
}

/* --- begin and end: 11.2 --- */

static void are(int initialized, int finalized)
{
	int flag = -1;

	OK(orr_Initialized(&flag));
	assert_int_equal(flag != 0, initialized);
	OK(orr_Finalized(&flag));
	assert_int_equal(flag != 0, finalized);
}

/* What may be called before and after: 11.4.1. */
static void always(void)
{
	char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
	int version = -1, sub = -1, n = -1;

	OK(orr_Get_version(&version, &sub));
	assert_true(version >= 4 && sub >= 0);
	OK(orr_Get_library_version(text, &n));
	assert_int_equal(n, strlen(text));
	assert_true(n > 0);
}

static void once_body(int rank, void *arg)
{
	int provided = -1;

	(void)rank;
	(void)arg;
	are(0, 0);
	always();
	OK(orr_Init(NULL, NULL));
	are(1, 0);
	REFUSES(MPI_ERR_OTHER, orr_Init(NULL, NULL));
	REFUSES(MPI_ERR_OTHER, orr_Init_thread(NULL, NULL, MPI_THREAD_SINGLE, &provided));
	OK(orr_Finalize());
	are(1, 1);
	always();
	REFUSES(MPI_ERR_OTHER, orr_Finalize());
	REFUSES(MPI_ERR_OTHER, orr_Init(NULL, NULL)); /* 11.2: not again */
}

static void once(void **state)
{
	(void)state;
	run_bare(2, once_body, NULL, NULL);
}

static void without_body(int rank, void *arg)
{
	(void)rank;
	(void)arg;
	REFUSES(MPI_ERR_OTHER, orr_Finalize());
	are(0, 0);
}

/* A program need not use MPI at all. */
static void without(void **state)
{
	(void)state;
	run_bare(2, without_body, NULL, NULL);
}

/* --- threads: 11.6 --- */

static void levels_body(int rank, void *arg)
{
	int required = *(int *)arg, provided = -1, told = -2, flag = 0;

	(void)rank;
	OK(orr_Init_thread(NULL, NULL, required, &provided));
	assert_in_range(provided, MPI_THREAD_SINGLE, MPI_THREAD_MULTIPLE);
	OK(orr_Query_thread(&told));
	assert_int_equal(told, provided);
	OK(orr_Is_thread_main(&flag));
	assert_true(flag);
	OK(orr_Finalize());
}

static void levels(void **state)
{
	int level[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED,
	               MPI_THREAD_MULTIPLE};

	(void)state;
	for (int i = 0; i < 4; i++)
		run_bare(1, levels_body, &level[i], NULL);
}

/* --- aborts: 9.7 --- */

static void aborts_body(int rank, void *arg)
{
	(void)arg;
	OK(orr_Init(NULL, NULL));
	if (rank == 1)
		orr_Abort(WORLD, 3);
	OK(orr_Barrier(WORLD)); /* for which it does not come */
	fail_msg("rank %d goes on", rank);
}

static void aborts(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(run_bare(3, aborts_body, NULL, &err), -1);
	assert_non_null(strstr(err.text, "MPI_Abort with code 3"));
	assert_non_null(strstr(err.text, "rank 1"));
}

/* Who leaves while others wait for it: they wait for ever, which is told. */
static void leaves_body(int rank, void *arg)
{
	(void)arg;
	OK(orr_Init(NULL, NULL));
	if (rank == 0)
		OK(orr_Recv(NULL, 0, MPI_INT, 1, 0, WORLD, MPI_STATUS_IGNORE));
	OK(orr_Finalize());
}

static void leaves(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(run_bare(2, leaves_body, NULL, &err), -1);
	assert_non_null(strstr(err.text, "deadlock"));
}

/* --- sessions: 11.3 --- */

static MPI_Session session_new(void)
{
	MPI_Session s = MPI_SESSION_NULL;

	OK(orr_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &s));
	assert_ptr_not_equal(s, MPI_SESSION_NULL);
	return s;
}

/* Sets are looked for by number and by name; names are told with the room that they take. */
static void sets_body(int rank, void *arg)
{
	char name[64], value[16] = "", want[16];
	int n = -1, length, found = 0, flag, size, valuelen = sizeof value;
	MPI_Session s = session_new();
	MPI_Group g;
	MPI_Info info;

	(void)arg;
	OK(orr_Session_get_num_psets(s, MPI_INFO_NULL, &n));
	assert_true(n >= 2);
	for (int i = 0; i < n; i++) {
		int room = 0;

		OK(orr_Session_get_nth_pset(s, MPI_INFO_NULL, i, &room, NULL));
		assert_in_range(room, 1, sizeof name);
		length = room;
		OK(orr_Session_get_nth_pset(s, MPI_INFO_NULL, i, &length, name));
		assert_int_equal(strlen(name) + 1, room); /* C: with the end */
		length = 6;
		name[6] = '#';
		OK(orr_Session_get_nth_pset(s, MPI_INFO_NULL, i, &length, name));
		assert_int_equal(length, room);
		assert_int_equal(strlen(name), 5); /* as much as there is room for */
		assert_int_equal(name[6], '#');
		length = sizeof name;
		OK(orr_Session_get_nth_pset(s, MPI_INFO_NULL, i, &length, name));
		OK(orr_Session_get_pset_info(s, name, &info));
		OK(orr_Info_get_string(info, "mpi_size", &valuelen, value, &flag));
		assert_true(flag);
		OK(orr_Info_free(&info));
		OK(orr_Group_from_session_pset(s, name, &g));
		OK(orr_Group_size(g, &size));
		snprintf(want, sizeof want, "%d", size);
		assert_string_equal(value, want);
		found += strcmp(name, "mpi://WORLD") == 0 && size == 3;
		found += strcmp(name, "mpi://SELF") == 0 && size == 1;
		OK(orr_Group_rank(g, &size));
		assert_true(size == 0 || size == rank); /* oneself is in both */
		OK(orr_Group_free(&g));
	}
	assert_int_equal(found, 2);
	OK(orr_Group_from_session_pset(s, "MPI://world", &g)); /* 11.3.2: cases do not matter */
	OK(orr_Group_free(&g));
	REFUSES(MPI_ERR_ARG, orr_Session_get_nth_pset(s, MPI_INFO_NULL, n, &length, name));
	REFUSES(MPI_ERR_ARG, orr_Session_get_nth_pset(s, MPI_INFO_NULL, -1, &length, name));
	length = 8;
	REFUSES(MPI_ERR_ARG, orr_Session_get_nth_pset(s, MPI_INFO_NULL, 0, &length, NULL));
	REFUSES(MPI_ERR_ARG, orr_Session_get_pset_info(s, "mpi://NOBODY", &info));
	REFUSES(MPI_ERR_ARG, orr_Group_from_session_pset(s, "mpi://NOBODY", &g));
	OK(orr_Session_finalize(&s));
	assert_ptr_equal(s, MPI_SESSION_NULL);
	REFUSES(MPI_ERR_SESSION, orr_Session_finalize(&s));
	REFUSES(MPI_ERR_SESSION, orr_Session_get_num_psets(s, MPI_INFO_NULL, &n));
}

static void sets(void **state)
{
	(void)state;
	run_bare(3, sets_body, NULL, NULL);
}

static MPI_Comm comm_of(MPI_Session s, const char *set, const char *tag)
{
	MPI_Group g;
	MPI_Comm c = MPI_COMM_NULL;

	OK(orr_Group_from_session_pset(s, set, &g));
	OK(orr_Comm_create_from_group(g, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &c));
	OK(orr_Group_free(&g));
	return c;
}

/* Without MPI_Init: communicators are made of groups, and told apart by their tags. */
static void sessions_body(int rank, void *arg)
{
	MPI_Session s = session_new(), t = session_new();
	MPI_Comm a = comm_of(s, "mpi://WORLD", "physics"),
	         b = comm_of(t, "mpi://WORLD", "chemistry"),
	         self = comm_of(s, "mpi://SELF", "physics");
	int x = rank, y = -1, n = -1, sum, left = (rank + 2) % 3, right = (rank + 1) % 3;
	int flag = 0, *value;

	(void)arg;
	are(0, 0);                                           /* 11.2.1: by MPI_Init alone */
	OK(orr_Comm_get_attr(a, MPI_TAG_UB, &value, &flag)); /* 9.1.2: this one alone */
	assert_true(flag && *value >= 32767);
	OK(orr_Comm_get_attr(a, MPI_IO, &value, &flag));
	assert_false(flag);
	OK(orr_Comm_get_attr(self, MPI_UNIVERSE_SIZE, &value, &flag));
	assert_false(flag);
	OK(orr_Comm_size(self, &n));
	assert_int_equal(n, 1);
	OK(orr_Send(&x, 1, MPI_INT, right, 0, a));
	x += 10;
	OK(orr_Send(&x, 1, MPI_INT, right, 0, b));
	OK(orr_Recv(&y, 1, MPI_INT, left, 0, b, MPI_STATUS_IGNORE));
	assert_int_equal(y, left + 10);
	OK(orr_Recv(&y, 1, MPI_INT, left, 0, a, MPI_STATUS_IGNORE));
	assert_int_equal(y, left);
	OK(orr_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, a));
	assert_int_equal(sum, 3);
	OK(orr_Comm_free(&b));
	OK(orr_Session_finalize(&t));
	OK(orr_Allreduce(&rank, &sum, 1, MPI_INT, MPI_MAX, a)); /* the other session goes on */
	assert_int_equal(sum, 2);
	OK(orr_Comm_free(&a));
	OK(orr_Comm_free(&self));
	OK(orr_Session_finalize(&s));
	s = session_new(); /* 11.3: again and again */
	a = comm_of(s, "mpi://WORLD", "physics");
	OK(orr_Allreduce(&rank, &sum, 1, MPI_INT, MPI_MIN, a));
	assert_int_equal(sum, 0);
	OK(orr_Comm_free(&a));
	OK(orr_Session_finalize(&s));
}

static void sessions(void **state)
{
	(void)state;
	run_bare(3, sessions_body, NULL, NULL);
}

/* Beside MPI_Init, in either order; a session may outlive MPI_Finalize. */
static void beside_body(int rank, void *arg)
{
	MPI_Session s = session_new();
	MPI_Comm c;
	int sum;

	(void)arg;
	OK(orr_Init(NULL, NULL));
	c = comm_of(s, "mpi://WORLD", "beside");
	OK(orr_Barrier(WORLD));
	OK(orr_Finalize());
	are(1, 1);
	OK(orr_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, c));
	assert_int_equal(sum, 1);
	OK(orr_Comm_free(&c));
	OK(orr_Session_finalize(&s));
}

static void beside(void **state)
{
	(void)state;
	run_bare(2, beside_body, NULL, NULL);
}

static int handled;

static void handles(MPI_Session *s, int *code, ...)
{
	handled += *s != MPI_SESSION_NULL && *code == MPI_ERR_ARG;
}

static void handlers_body(int rank, void *arg)
{
	char value[32] = "";
	int flag, n = sizeof value;
	MPI_Errhandler h, got;
	MPI_Session s;
	MPI_Info info;

	(void)rank;
	(void)arg;
	OK(orr_Session_create_errhandler(handles, &h)); /* 11.3.1: before there is a session */
	OK(orr_Session_init(MPI_INFO_NULL, h, &s));
	OK(orr_Session_get_errhandler(s, &got));
	assert_ptr_equal(got, h);
	OK(orr_Errhandler_free(&got));
	handled = 0;
	OK(orr_Session_call_errhandler(s, MPI_ERR_ARG));
	assert_int_equal(handled, 1);
	OK(orr_Session_set_errhandler(s, MPI_ERRORS_RETURN));
	OK(orr_Session_call_errhandler(s, MPI_ERR_ARG));
	assert_int_equal(handled, 1);
	OK(orr_Errhandler_free(&h));
	OK(orr_Session_get_info(s, &info));
	OK(orr_Info_get_string(info, "thread_level", &n, value, &flag));
	assert_true(flag);
	assert_true(strncmp(value, "MPI_THREAD_", 11) == 0);
	OK(orr_Info_free(&info));
	OK(orr_Session_finalize(&s));
}

static void handlers(void **state)
{
	(void)state;
	run_bare(1, handlers_body, NULL, NULL);
}

/* --- the clock: 9.6 --- */

static void clock_body(int rank, void *arg)
{
	double a, b, tick = orr_Wtick();
	MPI_Request q;
	int x = 0, flag = 0, looks = 0;

	(void)arg;
	assert_true(tick > 0 && tick <= 1e-6);
	a = orr_Wtime();
	b = orr_Wtime();
	assert_true(b >= a);
	/* a message of 1 MB takes 8 ms at 125 MB/s, and no less: nobody's clock goes slower */
	if (rank == 0) {
		char *data = calloc(1, 1000000);

		a = orr_Wtime();
		OK(orr_Ssend(data, 1000000, MPI_CHAR, 1, 0, WORLD));
		b = orr_Wtime();
		assert_true(b - a >= 8e-3);
		assert_true(b - a < 9.5e-3);
		free(data);
	} else {
		char *data = malloc(1000000);

		OK(orr_Recv(data, 1000000, MPI_CHAR, 0, 0, WORLD, MPI_STATUS_IGNORE));
		free(data);
	}
	/* who looks again and again sees time pass, and its message come */
	if (rank == 0) {
		OK(orr_Send(&x, 1, MPI_INT, 1, 1, WORLD));
	} else {
		OK(orr_Irecv(&x, 1, MPI_INT, 0, 1, WORLD, &q));
		while (!flag && ++looks < 1000000)
			OK(orr_Test(&q, &flag, MPI_STATUS_IGNORE));
		assert_true(flag);
	}
	OK(orr_Barrier(WORLD));
	/* so does who reads the clock */
	a = orr_Wtime();
	for (looks = 0; orr_Wtime() < a + 1e-3 && looks < 10000000; looks++)
		;
	assert_true(orr_Wtime() >= a + 1e-3);
}

static void clocks(void **state)
{
	(void)state;
	run_on(2, clock_body);
}

/* --- memory and buffers --- */

static void memory_body(int rank, void *arg)
{
	MPI_Info info;
	char *p = NULL, *q = NULL;

	(void)rank;
	(void)arg;
	OK(orr_Alloc_mem(100, MPI_INFO_NULL, &p));
	OK(orr_Alloc_mem(0, MPI_INFO_NULL, &q));
	memset(p, 1, 100);
	OK(orr_Free_mem(p));
	OK(orr_Free_mem(q));
	OK(orr_Info_create(&info));
	OK(orr_Info_set(info, "mpi_minimum_memory_alignment", "4096"));
	OK(orr_Alloc_mem(1, info, &p));
	assert_int_equal((uintptr_t)p % 4096, 0);
	OK(orr_Free_mem(p));
	OK(orr_Info_set(info, "mpi_minimum_memory_alignment", "of a page"));
	OK(orr_Alloc_mem(1, info, &p)); /* a hint that is none */
	OK(orr_Free_mem(p));
	OK(orr_Info_free(&info));
	REFUSES(MPI_ERR_ARG, orr_Alloc_mem(-1, MPI_INFO_NULL, &p));
	REFUSES(MPI_ERR_NO_MEM, orr_Alloc_mem(PTRDIFF_MAX, MPI_INFO_NULL, &p));
}

static void memory(void **state)
{
	(void)state;
	run_on(1, memory_body);
}

/* 3.6: what MPI_Bsend needs is room for its message and MPI_BSEND_OVERHEAD; one that there is
 * never room for is refused, what is delivered is room again; detaching waits until all is. */
static void buffers_body(int rank, void *arg)
{
	enum { N = 5000, ROOM = 3 * (4 * N + MPI_BSEND_OVERHEAD) };
	static int x[N], y[2][N];
	MPI_Count packed, bytes = -1;
	void *back = NULL, *room = malloc(ROOM);

	(void)arg;
	for (int i = 0; i < N; i++)
		x[i] = i;
	OK(orr_Pack_size(N, MPI_INT, WORLD, &packed));
	assert_true(packed <= 4 * N);
	REFUSES(MPI_ERR_BUFFER, orr_Bsend(x, N, MPI_INT, 1 - rank, 0, WORLD));
	OK(orr_Buffer_attach(room, ROOM));
	REFUSES(MPI_ERR_BUFFER, orr_Buffer_attach(room, ROOM)); /* one at a time */
	for (int round = 0; round < 5; round++) {
		for (int i = 0; i < 3; i++) /* nobody receives yet */
			OK(orr_Bsend(x, N, MPI_INT, 1 - rank, i, WORLD));
		OK(orr_Barrier(WORLD));
		for (int i = 2; i >= 0; i--) {
			memset(y[rank], 0, sizeof y[rank]);
			OK(orr_Recv(y[rank], N, MPI_INT, 1 - rank, i, WORLD, MPI_STATUS_IGNORE));
			assert_memory_equal(x, y[rank], sizeof x);
		}
		OK(orr_Buffer_flush());
	}
	OK(orr_Buffer_detach(&back, &bytes));
	assert_ptr_equal(back, room);
	assert_int_equal(bytes, ROOM);
	REFUSES(MPI_ERR_BUFFER, orr_Bsend(x, N, MPI_INT, 1 - rank, 0, WORLD));
	REFUSES(MPI_ERR_BUFFER, orr_Buffer_detach(&back, &bytes));
	free(room);
	still_well();
}

static void buffers(void **state)
{
	(void)state;
	run_on(2, buffers_body);
}

/* What is in the buffer takes of its room until it is received: of two that fit the third is
 * refused, blocking or not, and the error changes nothing. To itself it has arrived when it is
 * received. */
static void full_body(int rank, void *arg)
{
	enum { N = 50000, ROOM = 2 * (4 * N + MPI_BSEND_OVERHEAD) };
	static int x[N], y[2][N];
	MPI_Request q, all;
	MPI_Count bytes;
	void *back, *room = malloc(ROOM);

	(void)arg;
	OK(orr_Buffer_attach(room, ROOM));
	OK(orr_Bsend(x, N, MPI_INT, rank, 0, WORLD));
	OK(orr_Ibsend(x, N, MPI_INT, rank, 1, WORLD, &q));
	OK(orr_Wait(&q, MPI_STATUS_IGNORE));
	REFUSES(MPI_ERR_BUFFER, orr_Bsend(x, N, MPI_INT, rank, 2, WORLD));
	REFUSES(MPI_ERR_BUFFER, orr_Ibsend(x, N, MPI_INT, rank, 2, WORLD, &q));
	OK(orr_Buffer_iflush(&all));
	OK(orr_Recv(y[rank], N, MPI_INT, rank, 0, WORLD, MPI_STATUS_IGNORE));
	OK(orr_Bsend(x, N, MPI_INT, rank, 2, WORLD));
	REFUSES(MPI_ERR_BUFFER, orr_Bsend(x, N, MPI_INT, rank, 3, WORLD));
	for (int i = 1; i <= 2; i++)
		OK(orr_Recv(y[rank], N, MPI_INT, rank, i, WORLD, MPI_STATUS_IGNORE));
	OK(orr_Wait(&all, MPI_STATUS_IGNORE));
	OK(orr_Bsend(x, 10, MPI_INT, rank, 4, WORLD));
	for (int i = 5; i < 40; i++) { /* what is received is room again, however often */
		OK(orr_Bsend(x, N, MPI_INT, rank, i, WORLD));
		OK(orr_Recv(y[rank], N, MPI_INT, rank, i, WORLD, MPI_STATUS_IGNORE));
	}
	OK(orr_Recv(y[rank], N, MPI_INT, rank, 4, WORLD, MPI_STATUS_IGNORE));
	OK(orr_Buffer_detach(&back, &bytes));
	free(room);
	still_well();
}

static void a_full_buffer(void **state)
{
	(void)state;
	run_on(2, full_body);
}

/* A persistent one needs its room when it is started, not when it is made: refused it is not
 * started, nor is what was to be started with it, and may be started when there is room. */
static void persistent_body(int rank, void *arg)
{
	enum { N = 50000, ROOM = 4 * N + MPI_BSEND_OVERHEAD };
	static int x[N], y[2][N];
	MPI_Request q[2], small;
	MPI_Count bytes;
	void *back, *room = malloc(ROOM);
	int flag = 0;

	(void)arg;
	for (int i = 0; i < 2; i++)
		OK(orr_Bsend_init(x, N, MPI_INT, rank, i, WORLD, &q[i]));
	OK(orr_Bsend_init(x, 10, MPI_INT, rank, 2, WORLD, &small));
	REFUSES(MPI_ERR_BUFFER, orr_Start(&q[0])); /* there is no buffer */
	OK(orr_Buffer_attach(room, ROOM));
	REFUSES(MPI_ERR_BUFFER, orr_Startall(2, q)); /* room for one */
	OK(orr_Iprobe(rank, MPI_ANY_TAG, WORLD, &flag, MPI_STATUS_IGNORE));
	assert_int_equal(flag, 0);
	for (int round = 0; round < 10; round++) {
		x[N - 1] = round;
		OK(orr_Start(&q[0]));
		OK(orr_Wait(&q[0], MPI_STATUS_IGNORE)); /* it lies in the buffer */
		REFUSES(MPI_ERR_BUFFER, orr_Start(&q[1]));
		x[N - 1] = -1;
		OK(orr_Recv(y[rank], N, MPI_INT, rank, 0, WORLD, MPI_STATUS_IGNORE));
		assert_int_equal(y[rank][N - 1], round);
	}
	OK(orr_Start(&small));
	OK(orr_Recv(y[rank], N, MPI_INT, rank, 2, WORLD, MPI_STATUS_IGNORE));
	OK(orr_Wait(&small, MPI_STATUS_IGNORE));
	OK(orr_Buffer_detach(&back, &bytes));
	REFUSES(MPI_ERR_BUFFER, orr_Startall(2, q));
	for (int i = 0; i < 2; i++)
		OK(orr_Request_free(&q[i]));
	OK(orr_Request_free(&small));
	free(room);
	still_well();
}

static void persistent_buffered(void **state)
{
	(void)state;
	run_on(2, persistent_body);
}

/* MPI 4.1, 3.6: MPI_Buffer_iflush does not wait; its request does, for the messages before it and
 * not for those after it. */
static void flushes_body(int rank, void *arg)
{
	enum { N = 50000 };
	static int x[N], y[2][N];
	MPI_Request q, none;
	MPI_Count bytes;
	void *back, *room = malloc(2 * (4 * N + MPI_BSEND_OVERHEAD));
	int flag = -1, go = 0;

	(void)arg;
	OK(orr_Buffer_attach(room, 2 * (4 * N + MPI_BSEND_OVERHEAD)));
	OK(orr_Buffer_iflush(&none)); /* nothing is there */
	OK(orr_Wait(&none, MPI_STATUS_IGNORE));
	OK(orr_Bsend(x, N, MPI_INT, rank, 0, WORLD)); /* to itself: it has to go on to receive */
	OK(orr_Buffer_iflush(&q));
	OK(orr_Test(&q, &flag, MPI_STATUS_IGNORE));
	assert_false(flag);
	OK(orr_Recv(y[rank], N, MPI_INT, rank, 0, WORLD, MPI_STATUS_IGNORE));
	OK(orr_Wait(&q, MPI_STATUS_IGNORE));
	assert_ptr_equal(q, MPI_REQUEST_NULL);
	if (rank == 0) {
		OK(orr_Bsend(x, N, MPI_INT, 1, 1, WORLD));
		OK(orr_Buffer_iflush(&q));
		OK(orr_Bsend(x, N, MPI_INT, 1, 2, WORLD));
		OK(orr_Wait(&q, MPI_STATUS_IGNORE));
		OK(orr_Send(&go, 1, MPI_INT, 1, 3, WORLD));
	} else {
		OK(orr_Recv(y[rank], N, MPI_INT, 0, 1, WORLD, MPI_STATUS_IGNORE));
		OK(orr_Recv(&go, 1, MPI_INT, 0, 3, WORLD, MPI_STATUS_IGNORE));
		OK(orr_Recv(y[rank], N, MPI_INT, 0, 2, WORLD, MPI_STATUS_IGNORE));
	}
	OK(orr_Buffer_detach(&back, &bytes));
	free(room);
}

static void flushes(void **state)
{
	(void)state;
	run_on(2, flushes_body);
}

/* --- names --- */

static void hosts_body(int rank, void *arg)
{
	char name[MPI_MAX_PROCESSOR_NAME] = "", want[16], value[64] = "";
	int n = -1, flag, length = sizeof value;

	(void)arg;
	snprintf(want, sizeof want, "h%d", rank);
	OK(orr_Get_processor_name(name, &n));
	assert_string_equal(name, want);
	assert_int_equal(n, strlen(want));
	/* 11.2.3: what the environment says of how the program was started */
	OK(orr_Info_get_string(MPI_INFO_ENV, "host", &length, value, &flag));
	assert_true(flag);
	assert_string_equal(value, want);
	length = sizeof value;
	OK(orr_Info_get_string(MPI_INFO_ENV, "maxprocs", &length, value, &flag));
	assert_true(flag);
	assert_string_equal(value, "3");
	REFUSES(MPI_ERR_INFO, orr_Info_set(MPI_INFO_ENV, "host", "x"));
	OK(orr_Pcontrol(1));
}

static void hosts(void **state)
{
	(void)state;
	run_on(3, hosts_body);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(once),          cmocka_unit_test(without),
	    cmocka_unit_test(levels),        cmocka_unit_test(aborts),
	    cmocka_unit_test(leaves),        cmocka_unit_test(sets),
	    cmocka_unit_test(sessions),      cmocka_unit_test(beside),
	    cmocka_unit_test(handlers),      cmocka_unit_test(clocks),
	    cmocka_unit_test(memory),        cmocka_unit_test(buffers),
	    cmocka_unit_test(a_full_buffer), cmocka_unit_test(persistent_buffered),
	    cmocka_unit_test(flushes),       cmocka_unit_test(hosts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
