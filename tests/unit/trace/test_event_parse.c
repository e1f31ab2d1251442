/* test_event_parse.c: lines of SimGrid's current grammar (3.20 to 4.1), worked from its reference:
 * smpi_replay.cpp of v3.32. */
#include "unit/trace/trace_test.h"

#define READER(n) \
	struct reader r; \
	const struct trace_event *ev = NULL; \
	(void)state; \
	(void)ev; \
	reader_init(&r, DIALECT_NOW, n)

static void life_and_computation(void **state)
{
	READER(4);
	ev = must_read(&r, "init");
	assert_int_equal(ev->op, TRACE_INIT);
	assert_double_is(ev->duration, -1);
	assert_int_equal(ev->req, -1);
	assert_int_equal(must_read(&r, "init 0 whatever")->op, TRACE_INIT);
	assert_int_equal(must_read(&r, "finalize")->op, TRACE_FINALIZE);
	assert_double_is(must_read(&r, "compute 1.23457e+08")->volume, 123457000);
	ev = must_read(&r, "sleep 0.25");
	assert_int_equal(ev->op, TRACE_SLEEP);
	assert_double_is(ev->volume, 0.25);
	ev = must_read(&r, "location /src/main.c 42");
	assert_string_equal(ev->text, "/src/main.c");
	assert_int_equal(ev->line, 42);
	lists_release(&r.lists);
}

static void point_to_point(void **state)
{
	READER(4);
	ev = must_read(&r, "send 3 7 1e6");
	assert_int_equal(ev->op, TRACE_SEND);
	assert_int_equal(ev->peer, 3);
	assert_int_equal(ev->tag, 7);
	assert_int_equal(ev->count, 1000000);
	assert_int_equal(ev->type, 6); /* MPI_BYTE is the default */
	assert_int_equal(ev->type_size, 1);
	ev = must_read(&r, "isend 0 0 12 1");
	assert_int_equal(ev->op, TRACE_ISEND);
	assert_int_equal(ev->type_size, 4);
	ev = must_read(&r, "\tirecv  -555\t-444 5000000000 0 \t");
	assert_int_equal(ev->op, TRACE_IRECV);
	assert_int_equal(ev->peer, TRACE_ANY);
	assert_int_equal(ev->tag, TRACE_ANY);
	assert_int_equal(ev->count, 5000000000);
	assert_int_equal(ev->type_size, 8);
	assert_int_equal(must_read(&r, "recv -333 1 4")->peer, TRACE_ANY);
	assert_int_equal(must_read(&r, "recv -666 1 4")->peer, TRACE_PROC_NULL);
	assert_int_equal(must_read(&r, "recv 1 1 -1")->count, -1);
	assert_int_equal(must_read(&r, "recv 1 1 -17")->count, -1);
	assert_int_equal(must_read(&r, "send 1 1 4 -1")->type_size,
	                 0); /* a derived type: SimGrid says nothing else */
	ev = must_read(&r, "sendRecv 10 1 20 3 0 1");
	assert_int_equal(ev->op, TRACE_SENDRECV);
	assert_int_equal(ev->count, 10);
	assert_int_equal(ev->peer, 1);
	assert_int_equal(ev->count2, 20);
	assert_int_equal(ev->peer2, 3);
	assert_int_equal(ev->tag, 0);
	assert_int_equal(ev->type_size, 8);
	assert_int_equal(ev->type_size2, 4);
	assert_int_equal(must_read(&r, "Ssend 1 0 1 6")->op, TRACE_SSEND);
	assert_int_equal(must_read(&r, "ISsend 1 0 1 6")->op, TRACE_ISSEND);
	assert_int_equal(must_read(&r, "ibsend 1 0 1 6")->op, TRACE_IBSEND);
}

static void completion(void **state)
{
	READER(4);
	ev = must_read(&r, "wait 2 1 9");
	assert_int_equal(ev->op, TRACE_WAIT);
	assert_int_equal(ev->flags, TRACE_BY_KEY);
	assert_int_equal(ev->peer, 2);
	assert_int_equal(ev->peer2, 1);
	assert_int_equal(ev->tag, 9);
	assert_int_equal(ev->req, -1);
	assert_int_equal(must_read(&r, "wait -556 1 -444")->peer,
	                 TRACE_ANY); /* as that replayer stores it, and our plain form says it */
	ev = must_read(&r, "test 0 1 0");
	assert_int_equal(ev->op, TRACE_TEST);
	assert_int_equal(ev->flags, TRACE_BY_KEY | TRACE_NO_DONE);
	ev = must_read(&r, "waitall");
	assert_int_equal(ev->flags, TRACE_OUTSTANDING);
	assert_int_equal(ev->n_reqs, 0);
	assert_int_equal(ev->req, -1);
	assert_int_equal(must_read(&r, "waitall 17")->flags, TRACE_OUTSTANDING);
	ev = must_read(&r, "waitAny 3");
	assert_int_equal(ev->op, TRACE_WAITANY);
	assert_int_equal(ev->flags, TRACE_OUTSTANDING | TRACE_NO_DONE);
	assert_int_equal(must_read(&r, "testsome")->op, TRACE_TESTSOME);
}

static void collectives(void **state)
{
	READER(4);
	assert_int_equal(must_read(&r, "barrier")->op, TRACE_BARRIER);
	ev = must_read(&r, "bcast 5e4");
	assert_int_equal(ev->count, 50000);
	assert_int_equal(ev->root, 0);
	assert_int_equal(ev->type, 6);
	ev = must_read(&r, "bcast 50000 2 3");
	assert_int_equal(ev->root, 2);
	assert_int_equal(ev->type_size, 2);
	ev = must_read(&r, "reduce 100 5e8 3 0");
	assert_int_equal(ev->op, TRACE_REDUCE);
	assert_double_is(ev->volume, 5e8);
	assert_int_equal(ev->root, 3);
	assert_int_equal(ev->type, 0);
	ev = must_read(&r, "allreduce 10 0 1");
	assert_int_equal(ev->op, TRACE_ALLREDUCE);
	assert_int_equal(ev->type, 1);
	assert_int_equal(ev->flags, 0); /* SimGrid's null operator commutes */
	ev = must_read(&r, "gather 68 34 1 0 1");
	assert_int_equal(ev->count, 68);
	assert_int_equal(ev->count2, 34);
	assert_int_equal(ev->root, 1);
	assert_int_equal(ev->type_size, 8);
	assert_int_equal(ev->type_size2, 4);
	ev = must_read(
	    &r, "scatter 68 68 1 0"); /* one type only: the other is the default, not the same */
	assert_int_equal(ev->type, 0);
	assert_int_equal(ev->type2, 6);
	ev = must_read(&r, "allgather 1 2 3 4");
	assert_int_equal(ev->op, TRACE_ALLGATHER);
	assert_int_equal(ev->type2, 4);
	assert_int_equal(must_read(&r, "alltoall 7 8")->count2, 8);
	assert_int_equal(must_read(&r, "scan 7 8 1")->op, TRACE_SCAN);
	assert_double_is(must_read(&r, "exscan 7 8 1")->volume, 8);
	ev = must_read(&r, "ibcast 7 1 0");
	assert_int_equal(ev->op, TRACE_BCAST);
	assert_int_equal(ev->flags, TRACE_NONBLOCKING);
	lists_release(&r.lists);
}

static void vectors(void **state)
{
	READER(3);
	ev = must_read(&r, "gatherv 68 10 20 30 2 0 1");
	assert_int_equal(ev->count, 68);
	assert_counts(ev->counts2, ev->n_counts2, 10, 20, 30);
	assert_int_equal(ev->n_counts, 0);
	assert_int_equal(ev->root, 2);
	assert_int_equal(ev->type2, 1);
	ev = must_read(&r, "scatterv 10 20 30 68 2 0 1");
	assert_counts(ev->counts, ev->n_counts, 10, 20, 30);
	assert_int_equal(ev->count2, 68);
	assert_int_equal(ev->root, 2);
	ev = must_read(&r, "alltoallv 100 1 40 30 1000 1 80 1e2");
	assert_int_equal(ev->count, 100);
	assert_counts(ev->counts, ev->n_counts, 1, 40, 30);
	assert_int_equal(ev->count2, 1000);
	assert_counts(ev->counts2, ev->n_counts2, 1, 80, 100);
	assert_int_equal(ev->type, 6);
	ev = must_read(&r, "reducescatter 275427 275427 204020 11349173 0");
	assert_counts(ev->counts2, ev->n_counts2, 275427, 275427, 204020);
	assert_double_is(ev->volume, 11349173);
	assert_int_equal(ev->type, 0);
	lists_release(&r.lists);
}

/* What follows the counts of allgatherv: 3 + N tokens are counted with rank and name. */
static void allgatherv_forms(void **state)
{
	READER(3);
	ev = must_read(&r, "allgatherv 5 1 2 3");
	assert_counts(ev->counts2, ev->n_counts2, 1, 2, 3);
	assert_int_equal(ev->type, 6);
	ev = must_read(&r, "allgatherv 5 1 2 3 0 1"); /* types */
	assert_int_equal(ev->type, 0);
	assert_int_equal(ev->type2, 1);
	ev = must_read(&r, "allgatherv 5 1 2 3 0 1 3"); /* displacements */
	assert_int_equal(ev->type, 6);
	assert_int_equal(ev->type2, 6);
	ev = must_read(&r, "allgatherv 5 1 2 3 0 1 0 1 3"); /* both */
	assert_int_equal(ev->type, 0);
	assert_int_equal(ev->type2, 1);
	lists_release(&r.lists);
}

static void communicators_say_nothing(void **state)
{
	READER(4);
	ev = must_read(&r, "comm_split");
	assert_int_equal(ev->op, TRACE_COMM_SPLIT);
	assert_int_equal(ev->n_members, 0);
	assert_int_equal(must_read(&r, "comm_dup 1 2 3")->op, TRACE_COMM_DUP);
	assert_int_equal(must_read(&r, "comm_size 4")->count, 4);
}

static void extra_arguments_are_passed_over(void **state)
{
	READER(4);
	assert_int_equal(must_read(&r, "send 1 2 3 6 99 99")->type, 6);
	assert_int_equal(must_read(&r, "barrier foo 1")->op, TRACE_BARRIER);
	assert_int_equal(must_read(&r, "send 1 2 3 # a remark")->count, 3);
	assert_double_is(must_read(&r, "compute 5 t=0.5")->duration, 0.5);
}

static void default_type(void **state)
{
	READER(4);
	r.grammar.default_type = TYPE_DOUBLE;
	ev = must_read(&r, "send 1 2 3");
	assert_int_equal(ev->type, 0);
	assert_int_equal(ev->type_size, 8);
	assert_int_equal(must_read(&r, "alltoall 1 1")->type2, 0);
}

static void bad_lines(void **state)
{
	READER(4);
	assert_line_fails(&r, "sned 1 2 3", "expected an action, perhaps 'send', found 'sned'");
	assert_line_fails(&r, "",
	                  "expected an action of SimGrid 3.20 or later, found the end of the line");
	assert_line_fails(
	    &r, "send 4 2 3",
	    "expected the rank of a destination (0 to 3; -2 is MPI_PROC_NULL), found '4'");
	assert_line_fails(&r, "send -555 2 3", "expected the rank of a destination");
	assert_line_fails(&r, "send 1e0 2 3", "expected the rank of a destination");
	assert_line_fails(
	    &r, "recv -7 2 3",
	    "the rank of a source (0 to 3; -1 is any; -2 is MPI_PROC_NULL), found '-7'");
	assert_line_fails(&r, "send 1 x 3", "expected a tag");
	assert_line_fails(&r, "send 1 1e3 3", "expected a tag");
	assert_line_fails(&r, "send 1 2",
	                  "expected a count of elements, found the end of the line");
	assert_line_fails(&r, "send 1 2 -3", "expected a count of elements, found '-3'");
	assert_line_fails(&r, "send 1 2 3 60",
	                  "expected a datatype id (0 to 59; -1: derived), found '60'");
	assert_line_fails(&r, "send 1 2 3 MPI_DUBLE", "expected a datatype, found 'MPI_DUBLE'");
	assert_line_fails(&r, "compute", "expected a number, found the end of the line");
	assert_line_fails(&r, "compute -1", "expected a number of instructions, found '-1'");
	assert_line_fails(&r, "compute nan", "expected a number");
	assert_line_fails(&r, "sleep x1", "expected a number, found 'x1'");
	assert_line_fails(&r, "sleep 1x", "expected seconds, found '1x'");
	assert_line_fails(
	    &r, "wait",
	    "expected the source, destination and tag of the request, found the end of the line");
	assert_line_fails(&r, "wait 1 2", "expected a tag");
	assert_line_fails(&r, "bcast 5 4",
	                  "expected the root, a rank of the communicator, found '4'");
	assert_line_fails(
	    &r, "gatherv 5 1 2 3",
	    "expected a count of elements for rank 3 of 4, found the end of the line");
	assert_line_fails(&r, "alltoallv 5 1 2 -3 4 5 1 2 3 4",
	                  "expected a count of elements for rank 2 of 4, found '-3'");
	assert_line_fails(&r, "location main.c", "expected a line number");
	assert_line_fails(&r, "Irecv 1 1e6", "perhaps 'irecv'");
	assert_line_fails(&r, "i", "expected an action of");
	assert_line_fails(&r, "icompute 5", "expected an action");
	assert_int_equal(r.ps.at - r.line, 0);
	assert_line_fails(&r, "send 1 2 three", "found 'three'");
	assert_int_equal(r.ps.at - r.line, 9);
	assert_line_fails(&r, "send 1 2 3\001", "found a control character");
	lists_release(&r.lists);
}

/* What is remembered of lines gives the event that reading them gives: lines that come again, lines
 * that differ in little, and more of them than can be remembered (eight). */
static void lines_that_were_read_before(void **state)
{
	static const char *const forms[] = {"send %d %d 100 6",
	                                    "irecv %d %d 7",
	                                    "isend %d %d 100",
	                                    "compute %d%d",
	                                    "wait %d 1 %d",
	                                    "recv %d %d 4294967295 6",
	                                    "bcast %d %d",
	                                    "sendRecv 8 %d 9 %d",
	                                    "send %d %d 1000000000000000000 6",
	                                    "compute 0.%d%d",
	                                    "recv %d %d 10 0 # no",
	                                    "send  %d %d 100 6",
	                                    "isend %d %d 100 66",
	                                    "finalize"};
	enum { FORMS = sizeof forms / sizeof *forms };
	struct kept_line lines[8] = {{.length = 0}};
	static uint16_t following[KEPT_NEXT];
	struct kept_lines kept = {lines, 7, following};
	struct kept_place place = {0, 0, 0};
	struct reader with, without;
	char text[64];
	int hits = 0, foreseen = 0;

	(void)state;
	reader_init(&with, DIALECT_NOW, 64);
	reader_init(&without, DIALECT_NOW, 64);
	with.ps.kept = &kept;
	with.ps.kept_place = &place;
	for (int i = 0; i < 4000; i++) {
		int form = i / 3 % FORMS, a = i / 100 % 4, b = i / 50 % 3;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		snprintf(text, sizeof text, forms[form], a, b);
#pragma GCC diagnostic pop
		struct kept_line next = lines[place.expected];
		const struct trace_event *x = read_line(&with, text),
		                         *y = read_line(&without, text);
		foreseen += next.length && memcmp(next.text, with.line, next.length) == 0;
		assert_true(!x == !y);
		if (x)
			assert_memory_equal(x, y, sizeof *x);
		for (int k = 0; k < 8; k++)
			hits += lines[k].length && memcmp(lines[k].text, with.line, 8) == 0;
	}
	assert_true(hits > 1000);
	/* Six of the fourteen forms are kept; a line that comes three times is foreseen once. */
	assert_true(foreseen > 400);
	lists_release(&with.lists);
	lists_release(&without.lists);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(life_and_computation),
	    cmocka_unit_test(point_to_point),
	    cmocka_unit_test(completion),
	    cmocka_unit_test(collectives),
	    cmocka_unit_test(vectors),
	    cmocka_unit_test(allgatherv_forms),
	    cmocka_unit_test(communicators_say_nothing),
	    cmocka_unit_test(extra_arguments_are_passed_over),
	    cmocka_unit_test(default_type),
	    cmocka_unit_test(bad_lines),
	    cmocka_unit_test(lines_that_were_read_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
