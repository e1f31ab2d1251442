/* fault_program.c: a traced program, while each allocation, write and open of the tracer fails in
 * turn: the program sees what it sees without, is not ended, and loses no memory; the trace ends
 * early, if at all, with a whole line. */
#include "fault/fault.h"
#include "unit/tracermpi/traced.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

enum { RESULTS = 256, TEXT = 1 << 16 };

/* What a program can see. */
static struct {
	int n;
	int64_t value[RESULTS];
} seen;
static struct tmp tmp, data;
static char whole[TEXT]; /* the trace when nothing fails; empty: not known yet */
static const char *form;
static int rank, ranks;

static void see(int64_t value)
{
	assert_true(seen.n < RESULTS);
	seen.value[seen.n++] = value;
}

static void see_status(const MPI_Status *s)
{
	see(s->MPI_SOURCE);
	see(s->MPI_TAG);
}

static void messages(void)
{
	MPI_Request r[4], p, q;
	MPI_Status s[4];
	MPI_Message m;
	int flag = 0;

	see(MPI_Send(NULL, 3, MPI_INT, 1, 5, MPI_COMM_WORLD));
	see(MPI_Recv(NULL, 3, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, s));
	see_status(s);
	for (int i = 0; i < 4; i++)
		see(MPI_Irecv(NULL, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
		              &r[i]));
	see(MPI_Waitall(4, r, s));
	for (int i = 0; i < 4; i++)
		see_status(&s[i]);
	for (int i = 0; i < 4; i++)
		see(MPI_Isend(NULL, 1, MPI_INT, 2, i, MPI_COMM_WORLD, &r[i]));
	see(MPI_Waitall(4, r, MPI_STATUSES_IGNORE));
	see(MPI_Send_init(NULL, 9, MPI_DOUBLE, 2, 1, MPI_COMM_WORLD, &p));
	see(MPI_Recv_init(NULL, 9, MPI_DOUBLE, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &q));
	for (int i = 0; i < 3; i++) {
		MPI_Start(&p);
		MPI_Start(&q);
		while (!flag)
			MPI_Test(&p, &flag, MPI_STATUS_IGNORE);
		see(MPI_Wait(&q, s));
		see_status(s);
	}
	MPI_Request_free(&p);
	MPI_Request_free(&q);
	see(MPI_Mprobe(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &m, s));
	see(MPI_Mrecv(NULL, 1, MPI_INT, &m, s));
	see_status(s);
}

static void communicators(void)
{
	MPI_Comm c, d, e;
	int n, dims[1] = {2}, periods[1] = {1};

	for (int i = 0; i < fake.ranks; i++)
		fake.color[i] = fake.key[i] = 0;
	see(MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &c));
	see(MPI_Comm_size(c, &n));
	see(n);
	see(MPI_Comm_dup(c,
	                 &d)); /* (MPI_Comm_idup: what it needs stays when tracing has stopped) */
	see(MPI_Cart_create(d, 1, dims, periods, 0, &e));
	see(c);
	see(d);
	see(e);
	see(MPI_Neighbor_allgather(NULL, 1, MPI_INT, NULL, 1, MPI_INT, e));
	see(MPI_Barrier(d));
	see(MPI_Comm_free(&c));
	see(MPI_Comm_free(&d));
	see(MPI_Comm_free(&e));
}

static void collectives(void)
{
	int counts[8] = {1, 2, 3, 4, 5, 6, 7, 8};
	MPI_Request r;

	see(MPI_Bcast(NULL, 5, MPI_INT, 0, MPI_COMM_WORLD));
	see(MPI_Alltoallv(NULL, counts, NULL, MPI_INT, NULL, counts, NULL, MPI_INT,
	                  MPI_COMM_WORLD));
	see(MPI_Ibarrier(MPI_COMM_WORLD, &r));
	see(MPI_Wait(&r, MPI_STATUS_IGNORE));
	see(MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &r));
	for (int i = 0; i < 2; i++) {
		see(MPI_Start(&r));
		see(MPI_Wait(&r, MPI_STATUS_IGNORE));
	}
	see(MPI_Request_free(&r));
}

static void windows_and_files(void)
{
	MPI_File f;
	MPI_Win w;

	see(MPI_Win_create(NULL, 64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w));
	see(MPI_Win_fence(0, w));
	see(MPI_Put(NULL, 1, MPI_INT, 1, 0, 1, MPI_INT, w));
	see(MPI_Win_fence(0, w));
	see(MPI_Win_free(&w));
	see(MPI_File_open(MPI_COMM_WORLD, "a/file", MPI_MODE_RDWR, MPI_INFO_NULL, &f));
	see(MPI_File_write_all(f, NULL, 7, MPI_INT, MPI_STATUS_IGNORE));
	see(MPI_File_close(&f));
}

/* The tracer's allocations and opens fail, not the program's. */
static void descriptors(void)
{
	char buffer[100] = "";
	struct iovec v = {buffer, sizeof buffer};
	int fd;

	fault_hold(1);
	fd = (open)(tmp_path(&data, "file"), O_RDWR | O_CREAT, 0600);
	see(fd);
	fault_hold(0);
	see(pwritev(fd, &v, 1, 0));          /* which no fault reaches */
	see(preadv(fd, &v, 1, 40));          /* 60 are left */
	see(close(fd) == 0 || errno == EIO); /* which the program's own call may be told */
	see(close(fd));
}

/* What a note says is not compared: another run, what the system did not tell. */
static void note_blank(char *text, const char *note)
{
	char *p = strstr(text, note), *end = p ? strchr(p, '\n') : NULL;

	if (end)
		memmove(p, end, strlen(end) + 1);
}

/* The lines of the trace are those of the whole one, as far as it goes. */
static void trace_check(void)
{
	static char text[TEXT];
	FILE *f = fopen(tmp_path(&tmp, rank ? "rank-1.tit" : "rank-0.tit"), "r");
	size_t n;

	if (!f)
		return;
	n = fread(text, 1, TEXT - 1, f);
	text[n] = '\0';
	fclose(f);
	note_blank(text, "# run ");
	note_blank(text, "# clock ");
	note_blank(text, "# processor ");
	n = strlen(text);
	if (!*whole)
		memcpy(whole, text, n + 1);
	if (strncmp(whole, text, n) != 0 || (n > 0 && text[n - 1] != '\n'))
		fail_msg("the trace says\n%swhere without a fault it says\n%s", text, whole);
}

static void folder_clear(void)
{
	tmp_release(&tmp);
	assert_int_equal(mkdir(tmp.dir, 0700), 0);
}

static int program(void *arg, struct err *err)
{
	int quiet, told;

	(void)arg, (void)err;
	fault_hold(1);
	seen.n = 0;
	folder_clear();
	traced_environment(tmp.dir);
	setenv("ORRERY_BUFFER", "16384", 1); /* less to reserve each time */
	setenv("ORRERY_MEMORY", "1e6", 1);
	if (!form)
		unsetenv("ORRERY_FORM");
	told = dup(STDERR_FILENO);
	quiet = open("/dev/null", O_WRONLY);
	dup2(quiet, STDERR_FILENO);
	fault_hold(0);
	tracer = (struct tracer){.out.file.fd = -1, .fortran.index_base_f08 = -1};
	traced_free_scratch();
	fake_reset(rank, ranks, 11);
	see(MPI_Init(NULL, NULL));
	messages();
	communicators();
	collectives();
	windows_and_files();
	descriptors();
	see(fake.calls > 0);
	see(MPI_Finalize());
	see(fake.finalized);
	fault_hold(1);
	dup2(told, STDERR_FILENO);
	close(told);
	close(quiet);
	traced_free_scratch();
	trace_check();
	fault_hold(0);
	fault_told(&seen, sizeof seen);
	return 0;
}

static void sweep(enum fault_kind kind, const char *in_form, int of_ranks, int least)
{
	form = in_form;
	ranks = of_ranks;
	rank = ranks > 1; /* merged by another, or by itself */
	*whole = '\0';
	assert_int_equal(program(NULL, NULL), 0); /* nothing fails */
	assert_true(fault_sweep(kind, program, NULL) >= least);
}

static void test_memory(void **state)
{
	(void)state;
	sweep(FAULT_ALLOC, "text", 4, 20);
}

static void test_memory_compressed(void **state)
{
	(void)state;
	sweep(FAULT_ALLOC, NULL, 1, 20);
}

static void test_disk(void **state)
{
	(void)state;
	sweep(FAULT_WRITE, "text", 4, 1);
	sweep(FAULT_WRITE, NULL, 4, 1);
	sweep(FAULT_WRITE, NULL, 1, 2);
}

static void test_folder(void **state)
{
	(void)state;
	sweep(FAULT_OPEN, "text", 4, 1);
	sweep(FAULT_OPEN, NULL, 4, 1);
	sweep(FAULT_OPEN, NULL, 1, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_memory),
	    cmocka_unit_test(test_memory_compressed),
	    cmocka_unit_test(test_disk),
	    cmocka_unit_test(test_folder),
	};
	int failed;

	tmp_init(&tmp);
	tmp_init(&data);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	tmp_release(&tmp);
	tmp_release(&data);
	return failed;
}
