/* test_dialect.c: the grammars before 3.20, and how they are told apart. Lines are from SimGrid's
 * own examples of that time: examples/smpi/replay of v3_10 to v3.19, examples/msg/actions of v3_9,
 * and from the readers' sources. */
#include "unit/trace/trace_test.h"

static void lines_of_2013_to_2018(void **state)
{
	struct reader r;
	const struct trace_event *ev;

	(void)state;
	reader_init(&r, DIALECT_2013, 3);
	ev = must_read(&r, "send 1 1e6");
	assert_int_equal(ev->op, TRACE_SEND);
	assert_int_equal(ev->tag, 0);
	assert_int_equal(ev->count, 1000000);
	assert_int_equal(ev->type, 6);
	assert_int_equal(must_read(&r, "Irecv 0 10 1")->type_size, 4);
	assert_int_equal(must_read(&r, "IRECV 0 10")->op,
	                 TRACE_IRECV); /* 3.10 to 3.14 did not mind */
	assert_int_equal(must_read(&r, "Isend 0 10 -1")->type,
	                 6); /* an unknown type is the default */
	ev = must_read(&r, "wait");
	assert_int_equal(ev->op, TRACE_WAIT);
	assert_int_equal(ev->flags, TRACE_LATEST);
	assert_int_equal(must_read(&r, "test")->flags, TRACE_LATEST | TRACE_NO_DONE);
	assert_int_equal(must_read(&r, "waitAll")->flags, TRACE_OUTSTANDING);
	ev = must_read(&r, "allReduce 5e4 5e8 0");
	assert_int_equal(ev->op, TRACE_ALLREDUCE);
	assert_int_equal(ev->count, 50000);
	assert_int_equal(ev->type_size, 8);
	ev = must_read(&r, "allToAllV 100 1 40 30 1000 1 80 100");
	assert_int_equal(ev->op, TRACE_ALLTOALLV);
	assert_counts(ev->counts2, ev->n_counts2, 1, 80, 100);
	ev = must_read(&r, "reduceScatter 275427 275427 204020 11346849 0");
	assert_counts(ev->counts2, ev->n_counts2, 275427, 275427, 204020);
	assert_int_equal(must_read(&r, "allGatherV 275427 275427 275427 204020")->n_counts2, 3);
	assert_int_equal(must_read(&r, "gatherV 68 10 10 10 0 0 0")->root, 0);
	assert_int_equal(must_read(&r, "scatterV 10 10 10 68 0 0 0")->op, TRACE_SCATTERV);
	assert_int_equal(must_read(&r, "comm_size 3")->count, 3);
	assert_line_fails(&r, "sendRecv 1 1 1 1 0 0", "expected an action of SimGrid 3.10 to 3.19");
	lists_release(&r.lists);
}

static void lines_of_2012(void **state)
{
	struct reader r;
	const struct trace_event *ev;

	(void)state;
	reader_init(&r, DIALECT_2012, 4);
	assert_int_equal(must_read(&r, "wait")->flags, TRACE_LATEST_RECV);
	assert_int_equal(must_read(&r, "wait take=latest")->flags, TRACE_LATEST);
	assert_int_equal(must_read(&r, "wait req=5")->flags, 0);
	ev = must_read(&r, "allReduce 40 86");
	assert_int_equal(ev->count, 40);
	assert_double_is(ev->volume, 86);
	assert_int_equal(ev->type_size, 1);
	assert_int_equal(must_read(&r, "reduce 40")->count, 40);
	assert_int_equal(must_read(&r, "bcast 40")->type_size, 1);
	lists_release(&r.lists);
}

static void lines_of_msg(void **state)
{
	struct reader r;
	const struct trace_event *ev;
	uint32_t rank;

	(void)state;
	reader_init(&r, DIALECT_MSG, 4);
	ev = must_read(&r, "send p1 1e9");
	assert_int_equal(ev->peer, 1);
	assert_int_equal(ev->count, 1000000000);
	ev = must_read(&r, "recv p2");
	assert_int_equal(ev->peer, 2);
	assert_int_equal(ev->count, TRACE_COUNT_ANY);
	assert_int_equal(ev->type_size, 1);
	assert_int_equal(must_read(&r, "Irecv p1 1e3")->count, 1000);
	assert_int_equal(must_read(&r, "wait")->flags, TRACE_LATEST_RECV);
	assert_int_equal(must_read(&r, "allReduce 40 86")->op, TRACE_ALLREDUCE);
	assert_double_is(must_read(&r, "sleep 12")->volume, 12);
	assert_non_null(rank_parse(&r.ps, "p12 init\n", &rank));
	assert_int_equal(rank, 12);
	assert_null(rank_parse(&r.ps, "tutu send\n", &rank));
	assert_non_null(strstr(r.ps.text, "a process name that ends in its rank, such as p0"));
	assert_line_fails(&r, "send p4 1e9", "the rank of a destination (0 to 3");
	lists_release(&r.lists);
}

/* The dialect of a file with these lines. */
static int detected(const char *text, struct trace_head *head)
{
	char dir[64], path[256], *paths[1] = {path};
	struct err err;

	folder_make(dir);
	file_make(path, dir, "t", text);
	*head = (struct trace_head){0};
	assert_ok(detect_files(head, paths, 1, &err), err);
	folder_remove(dir);
	return head->dialect;
}

static void detection(void **state)
{
	struct trace_head head;

	(void)state;
	assert_int_equal(detected("# orrery-trace 1\n0 init\n", &head), DIALECT_OURS);
	assert_int_equal(head.ranks, 0);
	assert_int_equal(detected("# orrery-trace 1 ranks=12\n", &head), DIALECT_OURS);
	assert_int_equal(head.ranks, 12);
	assert_int_equal(detected("0 init\n0 send 1 0 1e6\n0 finalize\n", &head), DIALECT_NOW);
	assert_int_equal(detected("0 send 1 0 60\n", &head), DIALECT_NOW); /* 60 is no datatype */
	assert_int_equal(detected("0 send 1 0 6 0\n", &head), DIALECT_NOW);
	assert_int_equal(detected("0 irecv 1 0 6\n0 wait 1 0 0\n", &head), DIALECT_NOW);
	assert_int_equal(detected("0 compute 1\n", &head), DIALECT_NOW);
	assert_int_equal(detected("0 Irecv 1 100 0\n0 wait\n", &head), DIALECT_2013);
	assert_int_equal(detected("0 init\n0 send 1 1e6\n0 recv 1 1e6\n", &head), DIALECT_2013);
	assert_int_equal(detected("0 allReduce 5e4 5e8\n", &head), DIALECT_2013);
	/* Two waits for one Irecv and one Isend: 3.10 and later. One: the Isend is not waited for,
	 * 3.8. */
	assert_int_equal(detected("0 Isend 1 9\n0 Irecv 1 9\n0 wait\n0 wait\n", &head),
	                 DIALECT_2013);
	assert_int_equal(detected("0 Isend 1 9\n0 Irecv 1 9\n0 wait\n", &head), DIALECT_2012);
	assert_int_equal(detected("0 Isend 1 9\n0 Irecv 1 9\n0 wait\n0 waitAll\n", &head),
	                 DIALECT_2013);
	assert_int_equal(detected("p0 init\np0 Irecv p1\np0 wait\n", &head), DIALECT_MSG);
	assert_int_equal(head.kind, HEAD_TRACE);
	assert_int_equal(detected("# nothing\n\n", &head), DIALECT_NOW);
	assert_int_equal(head.kind, HEAD_EMPTY);
	detected("<?xml version='1.0'?>\n<platform>\n", &head);
	assert_int_equal(head.kind, HEAD_OTHER);
}

/* Files of ranks 0, 1, …: their dialect. */
static int detected_of(const char *const *text, uint32_t n)
{
	char dir[64], paths[4][256], *path[4], name[16];
	struct trace_head head = {0};
	struct err err;

	folder_make(dir);
	for (uint32_t i = 0; i < n; i++) {
		snprintf(name, sizeof name, "rank-%u.txt", i);
		file_make(paths[i], dir, name, text[i]);
		path[i] = paths[i];
	}
	assert_ok(detect_files(&head, path, n, &err), err);
	folder_remove(dir);
	return head.dialect;
}

/* SimGrid up to 3.28 wrote the numbers of processes into waits, which begin at 1
 * (smpi_pmpi_request.cpp of its tags: WaitTIData of src() and dst(); ranks since 3.29), and into
 * sendRecv up to 3.29. */
static void processes_named_in_waits(void **state)
{
	static const char *const line[] = {"0 isend 1 7 8 0\n", /* only from a rank to the next */
	                                   "1 irecv 0 7 8 0\n1 wait 1 2 7\n1 isend 2 7 8 0\n",
	                                   "2 irecv 1 7 8 0\n2 wait 2 3 7\n"};
	static const char *const ranks[] = {"0 isend 1 7 8 0\n",
	                                    "1 irecv 0 7 8 0\n1 wait 0 1 7\n1 isend 2 7 8 0\n",
	                                    "2 irecv 1 7 8 0\n2 wait 1 2 7\n"};
	static const char *const ring[] = {"0 sendRecv 1 2 1 3 6 6\n", "1 sendRecv 1 3 1 1 6 6\n",
	                                   "2 sendRecv 1 1 1 2 6 6\n"};
	static const char *const ring_now[] = {
	    "0 sendRecv 1 1 1 2 6 6\n", "1 sendRecv 1 2 1 0 6 6\n", "2 sendRecv 1 0 1 1 6 6\n"};
	static char late[300 * 16 + 64];
	struct trace_head head;
	size_t n = 0;

	(void)state;
	assert_int_equal(detected("0 irecv 1 3000 360 0\n0 wait 2 1 3000\n", &head), DIALECT_2018);
	assert_int_equal(detected("0 irecv 1 3000 360 0\n0 wait 1 0 3000\n", &head), DIALECT_NOW);
	assert_int_equal(detected("2 irecv -555 3 6 0\n2 wait -555 3 3\n", &head), DIALECT_2018);
	assert_int_equal(detected_of(line, 3), DIALECT_2018);
	assert_int_equal(detected_of(ranks, 3), DIALECT_NOW);
	assert_int_equal(detected_of(ring, 3), DIALECT_2021);
	assert_int_equal(detected_of(ring_now, 3), DIALECT_NOW);
	/* The wait comes after more lines than it takes to know the release. */
	for (int i = 0; i < 300; i++)
		n += (size_t)snprintf(late + n, sizeof late - n, "0 send 1 0 7 0\n");
	snprintf(late + n, sizeof late - n, "0 isend 2 5 8 0\n0 wait 1 3 5\n");
	assert_int_equal(detected(late, &head), DIALECT_2018);
}

static void processes_are_ranks_and_one(void **state)
{
	const struct trace_event *ev;
	struct reader r;

	(void)state;
	reader_init(&r, DIALECT_2018, 4);
	for (int tidy = 0; tidy < 2; tidy++) { /* as quick_parse.c reads it, and as event_parse.c */
		ev = must_read(&r, tidy ? "wait  4 1  6003" : "wait 4 1 6003");
		assert_int_equal(ev->flags & TRACE_BY_KEY, TRACE_BY_KEY);
		assert_int_equal(ev->peer, 3);
		assert_int_equal(ev->peer2, 0);
		assert_int_equal(ev->tag, 6003);
		ev = must_read(&r, tidy ? "sendRecv 10  2 20 4  0 1" : "sendRecv 10 2 20 4 0 1");
		assert_int_equal(ev->peer, 1);
		assert_int_equal(ev->peer2, 3);
		ev = must_read(&r, tidy ? "isend  2 7 8 0" : "isend 2 7 8 0");
		assert_int_equal(ev->peer, 2);
	}
	assert_int_equal(must_read(&r, "wait -555 4 7")->peer, TRACE_ANY);
	assert_line_fails(&r, "wait 0 1 7", "the process of a source (1 to 4;");
	assert_line_fails(&r, "wait 5 1 7", "the process of a source (1 to 4;");
	lists_release(&r.lists);
	reader_init(&r, DIALECT_2021, 4);
	assert_int_equal(must_read(&r, "wait 3 1 7")->peer, 3);
	assert_int_equal(must_read(&r, "sendRecv 10 2 20 4 0 1")->peer, 1);
	lists_release(&r.lists);
}

/* What begins with hundreds of lines that all say the same is not read on. */
static void a_decisive_beginning(void **state)
{
	enum { LINES = 300 };
	static const char now[] = "0 send 1 0 7 0\n", old[] = "0 send 1 7\n";
	static char text[4 * LINES * sizeof now];
	struct trace_head head;
	char *p = text;

	(void)state;
	for (int i = 0; i < LINES; i++, p += sizeof now - 1)
		memcpy(p, now, sizeof now);
	for (int i = 0; i < 3 * LINES; i++, p += sizeof old - 1)
		memcpy(p, old, sizeof old);
	assert_int_equal(detected(text, &head), DIALECT_NOW);
	assert_true(head.line_bytes == sizeof now - 1); /* of the lines looked at */
	memcpy(text, "0 wait        ", 14); /* one says something else: the others are asked */
	assert_int_equal(detected(text, &head), DIALECT_2013);
}

static void default_type_is_that_of_the_highest_rank(void **state)
{
	struct trace_head head;

	(void)state;
	detected("0 init\n1 init\n", &head);
	assert_int_equal(head.default_type, TYPE_BYTE);
	detected("0 init 0\n1 init 0\n", &head);
	assert_int_equal(head.default_type, TYPE_DOUBLE);
	detected("1 init 0\n0 init\n", &head);
	assert_int_equal(head.default_type, TYPE_DOUBLE);
	detected("1 init\n0 init 0\n", &head);
	assert_int_equal(head.default_type, TYPE_BYTE);
}

static void another_version_of_ours(void **state)
{
	char dir[64], path[256], *paths[1] = {path};
	struct trace_head head;
	struct err err;

	(void)state;
	folder_make(dir);
	file_make(path, dir, "t", "# orrery-trace 2\n0 init\n");
	assert_fails(detect_files(&head, paths, 1, &err), err, ERR_INPUT,
	             "a trace of version 2: this program reads version 1");
	folder_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(lines_of_2013_to_2018),
	    cmocka_unit_test(lines_of_2012),
	    cmocka_unit_test(lines_of_msg),
	    cmocka_unit_test(detection),
	    cmocka_unit_test(processes_named_in_waits),
	    cmocka_unit_test(processes_are_ranks_and_one),
	    cmocka_unit_test(a_decisive_beginning),
	    cmocka_unit_test(default_type_is_that_of_the_highest_rank),
	    cmocka_unit_test(another_version_of_ours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
