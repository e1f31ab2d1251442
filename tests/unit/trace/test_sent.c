/* test_sent.c: how many bytes a line says that its rank sends (trace_event_sent), worked by hand
 * for every action: what `orrery info` adds up. Files and windows' sizes are no messages, buffers
 * of all-to-alls only size memory, nobody is sent nothing. */
#include "unit/trace/trace_test.h"

static struct reader reader;

struct row {
	const char *line;
	double bytes;
};

static void rows_are(const struct row *row, size_t n)
{
	reader_init(&reader, DIALECT_OURS, 4);
	for (size_t i = 0; i < n; i++) {
		const struct trace_event *ev = must_read(&reader, row[i].line);
		double got = trace_event_sent(ev);

		if (!(got == row[i].bytes))
			fail_msg("%s: %g bytes, not %g", row[i].line, got, row[i].bytes);
	}
	lists_release(&reader.lists);
}

#define rows_are(rows) rows_are(rows, sizeof rows / sizeof *rows)

/* Types: 0 double, 1 int, 6 byte. */
static void messages(void **state)
{
	static const struct row rows[] = {
	    {"send 1 7 1000 6", 1000},
	    {"ssend 1 7 1000 0", 8000},
	    {"bsend 1 7 3 1", 12},
	    {"rsend 1 7 3 -1 dtsize=24", 72},
	    {"isend 1 7 10 6 req=0", 10},
	    {"issend 1 7 10 6 req=0", 10},
	    {"ibsend 1 7 10 6 req=0", 10},
	    {"irsend 1 7 10 6 req=0", 10},
	    {"send 1 7 0 6", 0},
	    {"send 1 7 4294967296 0", 34359738368.},
	    {"send -2 7 1000 6", 0}, /* MPI_PROC_NULL */
	    {"isend -2 7 1000 6 req=0", 0},
	    {"recv 1 7 1000 6", 0},
	    {"irecv 1 7 1000 6 req=0", 0},
	    {"mrecv 1 7 1000 6 message=1", 0},
	    {"imrecv 1 7 1000 6 message=1 req=0", 0},
	    {"sendRecv 5 1 100 2 0 6", 40},
	    {"sendRecv 5 -2 100 2 0 6", 0},
	    {"sendRecv 5 1 100 -2 0 6", 40},
	    {"probe 1 7", 0},
	    {"iprobe 1 7 found=1", 0},
	    {"mprobe 1 7 message=3", 0},
	};

	(void)state;
	rows_are(rows);
}

/* Persistent requests: what each start sends; partitions: all of them. */
static void persistent(void **state)
{
	static const struct row rows[] = {
	    {"send_init 1 7 10 6 req=0", 10},
	    {"recv_init 1 7 10 6 req=0", 0},
	    {"start 1 reqs=0", 0},
	    {"psend_init 1 7 4 100 0 req=0", 3200}, /* 4 partitions of 100 doubles */
	    {"precv_init 1 7 4 100 0 req=0", 0},
	    {"pready req=0 parts=0-3", 0},
	    {"parrived req=0 parts=0", 0},
	    {"cancel req=0", 0},
	    {"request_free req=0", 0},
	};

	(void)state;
	rows_are(rows);
}

static void collectives(void **state)
{
	static const struct row rows[] = {
	    {"barrier", 0},
	    {"bcast 10 0 6", 10},
	    {"reduce 10 5 0 0", 80},
	    {"allreduce 10 5 1", 40},
	    {"scan 10 5 1", 40},
	    {"exscan 10 5 1", 40},
	    {"gather 10 999 0 6 6", 10},
	    {"scatter 10 10 0 0 6", 80},
	    {"gatherv 3 1 2 3 4 0 0 6", 24},
	    {"scatterv 1 2 3 4 9 0 0 6", 80}, /* 1 + 2 + 3 + 4 doubles */
	    {"scatterv 9 1 0 6", 0},          /* off the root */
	    {"allgather 10 10 6 6", 10},
	    {"alltoall 10 10 1 6", 40},
	    {"allgatherv 3 1 2 3 4 0 6", 24},
	    /* 10 doubles, in a buffer of 1,000, of 0 (not known), of which most are not sent */
	    {"alltoallv 1000 1 2 3 4 1000 9 9 9 9 0 6", 80},
	    {"alltoallv 0 1 2 3 4 0 9 9 9 9 0 6", 80},
	    {"alltoallv 7 0 0 0 0 7 9 9 9 9 0 6", 0},
	    {"alltoallw 500 1 2 3 4 500 9 9 9 9 6 6", 10},
	    {"reducescatter 1 2 3 4 5 0", 80}, /* each gives what all get */
	    {"reducescatterblock 10 5 0", 80},
	    {"iallreduce 10 5 1 req=0", 40},
	    {"ialltoallv 1000 1 2 3 4 1000 9 9 9 9 0 6 req=0", 80},
	    {"neighbor_allgather 10 10 6 6 comm=0.0", 10},
	    {"neighbor_alltoallv 0 6 scounts=1,2 rcounts=5,5 comm=0.0", 24},
	};

	(void)state;
	rows_are(rows);
}

static void windows(void **state)
{
	static const struct row rows[] = {
	    {"win_create 1000000 comm=world win=0", 0},
	    {"put 1 10 0 win=0", 80},
	    {"put -2 10 0 win=0", 0},
	    {"accumulate 1 10 1 win=0", 40},
	    {"get_accumulate 1 10 1 win=0", 40},
	    {"get 1 10 0 win=0", 0}, /* the other one sends */
	    {"win_fence win=0", 0},
	};

	(void)state;
	rows_are(rows);
}

static void no_messages(void **state)
{
	static const struct row rows[] = {
	    {"compute 1e9 t=1", 0},
	    {"sleep 1", 0},
	    {"comm_size 4", 0},
	    {"comm_split comm=0.0 members=0-3", 0},
	    {"comm_split comm=0.0 members=0-3 dims=2,2 periods=1,0", 0},
	    {"file_write 1000 0 file=0", 0},
	    {"file_write_all 1000 0 file=0", 0},
	    {"file_read 1000 0 file=0", 0},
	    {"file_read_all 1000 0 file=0", 0},
	    {"write 1000 file=0", 0},
	    {"read 1000 file=0", 0},
	    {"wait req=0", 0},
	    {"waitall 2 reqs=0,1", 0},
	    {"resolve 1 7 req=0", 0},
	};

	(void)state;
	rows_are(rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(messages),    cmocka_unit_test(persistent),
	    cmocka_unit_test(collectives), cmocka_unit_test(windows),
	    cmocka_unit_test(no_messages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
