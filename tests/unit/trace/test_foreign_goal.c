/* test_foreign_goal.c: GOAL schedules, text and binary, by the grammar and the layout in
 * docs/foreign-traces.md. */
#include "foreign_text.h"

static struct tmp tmp;

static void chain(void **state)
{
	(void)state;
	foreign_is(tmp_write(&tmp, "t.goal",
	                     "/* two\nranks */ num_ranks 2\n"
	                     "rank 0 {\n"
	                     "l1: calc 1000 // ns\n"
	                     "l2: send 1000b to 1 tag 5 cpu 0 nic 1\n"
	                     "l2 requires l1\n"
	                     "l3: recv 8b from 1 tag -1\n"
	                     "l3 irequires l2\n"
	                     "l4: calc 500\n"
	                     "l4 requires l3\n"
	                     "}\n"
	                     "rank 1 {\n"
	                     "a: recv 1000b from -1 tag 5\n"
	                     "b: send 8b to 0 tag 6\n"
	                     "b requires a\n"
	                     "}\n"),
	           "0 init\n0 compute 1000\n0 isend 1 5 1000 6 req=1\n0 irecv 1 -1 8 6 req=2\n"
	           "0 wait req=2\n0 compute 500\n0 waitall 1 reqs=1\n0 finalize\n"
	           "1 init\n1 irecv -1 5 1000 6 req=0\n1 wait req=0\n"
	           "1 isend 0 6 8 6 req=1\n1 waitall 1 reqs=1\n1 finalize\n");
}

/* What may start does, whatever the order of the file: both receives are posted before one is
 * waited for. */
static void overlap(void **state)
{
	struct str s;

	(void)state;
	s = foreign_text(tmp_write(&tmp, "o.goal",
	                           "num_ranks 1\nrank 0 {\na: recv 1b from 0 tag 1\n"
	                           "b: calc 10\nb requires a\nc: recv 1b from 0 tag 2\n"
	                           "d: send 1b to 0 tag 2\ne: send 1b to 0 tag 1\n}\n"),
	                 0);
	assert_string_equal(s.s, "0 init\n0 irecv 0 1 1 6 req=0\n0 irecv 0 2 1 6 req=2\n"
	                         "0 isend 0 2 1 6 req=3\n0 isend 0 1 1 6 req=4\n"
	                         "0 wait req=0\n0 compute 10\n"
	                         "0 waitall 3 reqs=2-4\n0 finalize\n");
	str_release(&s);
}

/* Rank 0 may send 4 after message 1, or 3 after message 2, which comes before: rank 1 sends 1 when
 * it has got 3. By the order of the file rank 0 would wait for 1, and rank 1 for 3, for ever. */
static void not_into_a_deadlock(void **state)
{
	(void)state;
	foreign_is(tmp_write(&tmp, "w.goal",
	                     "num_ranks 2\nrank 0 {\n"
	                     "a: recv 8b from 1 tag 1\nb: recv 8b from 1 tag 2\n"
	                     "c: send 8b to 1 tag 4\nc requires a\n"
	                     "d: send 8b to 1 tag 3\nd requires b\n}\n"
	                     "rank 1 {\n"
	                     "a: send 8b to 0 tag 2\nb: recv 8b from 0 tag 3\n"
	                     "c: send 8b to 0 tag 1\nc requires b\n"
	                     "d: recv 8b from 0 tag 4\n}\n"),
	           "0 init\n0 irecv 1 1 8 6 req=0\n0 irecv 1 2 8 6 req=1\n0 wait req=1\n"
	           "0 isend 1 3 8 6 req=3\n0 wait req=0\n0 isend 1 4 8 6 req=2\n"
	           "0 waitall 2 reqs=2,3\n0 finalize\n"
	           "1 init\n1 isend 0 2 8 6 req=0\n1 irecv 0 3 8 6 req=1\n"
	           "1 irecv 0 4 8 6 req=3\n1 wait req=1\n1 isend 0 1 8 6 req=2\n"
	           "1 waitall 3 reqs=0,2,3\n1 finalize\n");
}

/* The same of the second rank, when the first, which has no choice, was put; an edge is there
 * twice, and holds back one operation all the same. */
static void choice_of_the_second(void **state)
{
	(void)state;
	foreign_is(tmp_write(&tmp, "c.goal",
	                     "num_ranks 2\nrank 0 {\n"
	                     "a: send 8b to 1 tag 2\nb: recv 8b from 1 tag 3\n"
	                     "c: send 8b to 1 tag 1\nc requires b\n"
	                     "d: recv 8b from 1 tag 4\n}\n"
	                     "rank 1 {\n"
	                     "a: recv 8b from 0 tag 1\nb: recv 8b from 0 tag 2\n"
	                     "c: send 8b to 0 tag 4\nc requires a\nc requires a\n"
	                     "d: send 8b to 0 tag 3\nd requires b\n}\n"),
	           "0 init\n0 isend 1 2 8 6 req=0\n0 irecv 1 3 8 6 req=1\n"
	           "0 irecv 1 4 8 6 req=3\n0 wait req=1\n0 isend 1 1 8 6 req=2\n"
	           "0 waitall 3 reqs=0,2,3\n0 finalize\n"
	           "1 init\n1 irecv 0 1 8 6 req=0\n1 irecv 0 2 8 6 req=1\n1 wait req=1\n"
	           "1 isend 0 3 8 6 req=3\n1 wait req=0\n1 isend 0 4 8 6 req=2\n"
	           "1 waitall 2 reqs=2,3\n1 finalize\n");
}

/* The same where the messages are large, so that sends are over when they are received, from
 * whomever and with any tag: of two receives of rank 0 the first that was posted gets what comes
 * first, and the one that the file names first would not end before. A schedule that is a deadlock
 * is read, for the replay to say so. */
static void any_and_large(void **state)
{
	(void)state;
	foreign_is(tmp_write(&tmp, "l.goal",
	                     "num_ranks 2\nrank 0 {\n"
	                     "a: recv 99999b from 1 tag 1\nb: recv 99999b from -1 tag -1\n"
	                     "c: calc 7\nc requires a\n"
	                     "d: send 99999b to 1 tag 3\nd requires b\n}\n"
	                     "rank 1 {\n"
	                     "a: send 99999b to 0 tag 2\nb: recv 99999b from -1 tag 3\n"
	                     "c: send 99999b to 0 tag 1\nc requires b\nc requires a\n}\n"),
	           "0 init\n0 comm_create_group comm=0.0 members=0,1 agreed=1\n"
	           "0 irecv 1 1 99999 6 comm=0.0 req=0\n0 irecv -1 -1 99999 6 req=1\n"
	           "0 wait req=1\n0 isend 1 3 99999 6 req=3\n0 wait req=0\n0 compute 7\n"
	           "0 waitall 1 reqs=3\n0 finalize\n"
	           "1 init\n1 comm_create_group comm=0.0 members=0,1 agreed=1\n"
	           "1 isend 0 2 99999 6 req=0\n1 irecv -1 3 99999 6 req=1\n"
	           "1 wait req=0\n1 wait req=1\n1 isend 0 1 99999 6 comm=0.0 req=2\n"
	           "1 waitall 1 reqs=2\n1 finalize\n");
	foreign_is(tmp_write(&tmp, "x.goal",
	                     "num_ranks 2\nrank 0 {\na: recv 1b from 1\nb: send 1b to 1\n"
	                     "b requires a\n}\nrank 1 {\na: recv 1b from 0\nb: send 1b to 0\n"
	                     "b requires a\n}\n"),
	           "0 init\n0 irecv 1 0 1 6 req=0\n0 wait req=0\n0 isend 1 0 1 6 req=1\n"
	           "0 waitall 1 reqs=1\n0 finalize\n"
	           "1 init\n1 irecv 0 0 1 6 req=0\n1 wait req=0\n1 isend 0 0 1 6 req=1\n"
	           "1 waitall 1 reqs=1\n1 finalize\n");
}

/* Rank 1 sends of tag 7 what a receive of rank 0 names, and of tag 1 what none does: the receive of
 * any tag, which was posted before, cannot have the first. Rank 1 itself receives of no other tag
 * than it names. The second schedule lets a rank choose, so that all are put together. */
static void any_but_what_is_named(void **state)
{
	static const char apart[] =
	    "0 init\n0 comm_create_group comm=0.0 members=0,1 agreed=1\n"
	    "0 irecv -1 -1 8 6 req=0\n0 irecv 1 7 8 6 comm=0.0 req=1\n"
	    "0 isend 1 7 8 6 req=2\n0 waitall 3 reqs=0-2\n0 finalize\n"
	    "1 init\n1 comm_create_group comm=0.0 members=0,1 agreed=1\n"
	    "1 isend 0 7 8 6 comm=0.0 req=0\n1 irecv 0 7 8 6 req=2\n"
	    "1 wait req=0\n1 isend 0 1 8 6 req=1\n1 waitall 2 reqs=1,2\n1 finalize\n";

	(void)state;
	foreign_is(tmp_write(&tmp, "n.goal",
	                     "num_ranks 2\nrank 0 {\n"
	                     "a: recv 8b from -1 tag -1\nb: recv 8b from 1 tag 7\n"
	                     "c: send 8b to 1 tag 7\n}\n"
	                     "rank 1 {\na: send 8b to 0 tag 7\nb: send 8b to 0 tag 1\n"
	                     "b requires a\nc: recv 8b from 0 tag 7\n}\n"),
	           apart);
	/* rank 0 waits for what rank 1 sends last; were b taken by the receive of any tag, the
	 * order of the file would have it wait for c */
	foreign_is(tmp_write(&tmp, "m.goal",
	                     "num_ranks 2\nrank 0 {\n"
	                     "a: recv 8b from 1 tag -1\nb: recv 8b from 1 tag 7\n"
	                     "c: send 8b to 1 tag 3\nc requires a\n"
	                     "d: send 8b to 1 tag 2\nd requires b\n}\n"
	                     "rank 1 {\na: send 8b to 0 tag 7\nb: recv 8b from 0 tag 2\n"
	                     "c: send 8b to 0 tag 1\nc requires b\n"
	                     "d: recv 8b from 0 tag 3\n}\n"),
	           "0 init\n0 comm_create_group comm=0.0 members=0,1 agreed=1\n"
	           "0 irecv 1 -1 8 6 req=0\n0 irecv 1 7 8 6 comm=0.0 req=1\n0 wait req=1\n"
	           "0 isend 1 2 8 6 req=3\n0 wait req=0\n0 isend 1 3 8 6 req=2\n"
	           "0 waitall 2 reqs=2,3\n0 finalize\n"
	           "1 init\n1 comm_create_group comm=0.0 members=0,1 agreed=1\n"
	           "1 isend 0 7 8 6 comm=0.0 req=0\n1 irecv 0 2 8 6 req=1\n"
	           "1 irecv 0 3 8 6 req=3\n1 wait req=1\n1 isend 0 1 8 6 req=2\n"
	           "1 waitall 3 reqs=0,2,3\n1 finalize\n");
}

/* What txt2bin's lexer takes: tabs, carriage returns, blanks left out and put in, comments over
 * lines; several processors and interfaces, which are told. */
static void strange(void **state)
{
	struct trace *t;
	struct err err;
	const char *path = tmp_write(
	    &tmp, "s.goal",
	    "\r\n// of 2\r\nnum_ranks\t2\r\n\r\nrank 0{\r\n\tl_1:send 10 b to 1 nic 2\r\n"
	    "/* l9: calc 7\nl9: calc 8 */\r\nsend 20b to 1 tag 4294 cpu 1\r\nX2 : calc 30 cpu 3\r\n"
	    "calc 40\r\nX2   requires\tl_1\r\n}\r\nrank 1 {\nrecv 10b from 0 tag 0\n"
	    "recv 20b from 0 tag -1 cpu 1 nic 1\n}");

	(void)state;
	foreign_is(path,
	           "0 init\n0 comm_create_group comm=0.0 members=0,1 agreed=1\n"
	           "0 isend 1 0 10 6 comm=0.0 req=0\n0 isend 1 4294 20 6 req=1\n0 compute 40\n"
	           "0 wait req=0\n0 compute 30\n0 waitall 1 reqs=1\n0 finalize\n"
	           "1 init\n1 comm_create_group comm=0.0 members=0,1 agreed=1\n"
	           "1 irecv 0 0 10 6 comm=0.0 req=0\n1 irecv 0 -1 20 6 req=1\n"
	           "1 waitall 2 reqs=0,1\n1 finalize\n");
	t = trace_open(path, 0, &err);
	assert_non_null(t);
	assert_non_null(strstr(trace_notices(t), "several processors (cpu)"));
	assert_non_null(strstr(trace_notices(t), "several interfaces (nic)"));
	trace_close(t);
}

/* htsim's marks: rank 0 has one behind each of its messages, and goes on as without them. */
static void marks(void **state)
{
	const char *path = tmp_write(
	    &tmp, "mark.goal",
	    "num_ranks 2\nrank 0 {\nl1: send 10b to 1 tag 4\n"
	    "l2: send 0b to 9999999 tag 4\nl2 requires l1\nl3: recv 9b from 1 tag 4\n"
	    "l3 requires l2\nl4: send 0b to 999999999 cpu 0 nic 1\nl4 requires l3\n}\n"
	    "rank 1 {\nl1: recv 10b from 0 tag 4\nl2: send 9b to 0 tag 4\n"
	    "l2 requires l1\n}\n");
	(void)state;
	foreign_is(path, "0 init\n0 isend 1 4 10 6 req=0\n0 wait req=0\n0 irecv 1 4 9 6 req=2\n"
	                 "0 wait req=2\n0 finalize\n"
	                 "1 init\n1 irecv 0 4 10 6 req=0\n1 wait req=0\n1 isend 0 4 9 6 req=1\n"
	                 "1 waitall 1 reqs=1\n1 finalize\n");
	foreign_notes(path, "sends to rank 9999999 or 999999999, which htsim takes for marks and "
	                    "does not send, take no time\n");
	/* a receive from there, and a send to another that is not there, are faults */
	foreign_fails(
	    tmp_write(&tmp, "from.goal", "num_ranks 1\nrank 0 {\nrecv 0b from 9999999 tag 0\n}\n"),
	    "from.goal:3:14: expected a rank below num_ranks, found '9999999'");
	foreign_fails(
	    tmp_write(&tmp, "to.goal", "num_ranks 1\nrank 0 {\nsend 0b to 99999999 tag 0\n}\n"),
	    "to.goal:3:12: expected a rank below num_ranks, found '99999999'");
}

static void faults(void **state)
{
	(void)state;
	foreign_fails(tmp_write(&tmp, "a.goal",
	                        "num_ranks 1\nrank 0 {\nx: calc 1\ny: calc 1\n"
	                        "x requires y\ny requires x\n}\n"),
	              "in a circle");
	foreign_fails(tmp_write(&tmp, "many.goal", "num_ranks 60000000\nrank 0 {\n}\n"),
	              "30 bytes cannot hold the 60000000 ranks");
	foreign_fails(tmp_write(&tmp, "more.goal", "num_ranks 2147483648\nrank 0 {\n}\n"),
	              "more.goal:1:11: expected at most 2147483647 ranks, found '2147483648'");
	foreign_fails(tmp_write(&tmp, "b.goal", "num_ranks 1\nrank 0 {\nsend 1 to 0\n}\n"),
	              "b.goal:3:8: expected bytes, such as 100b, found 'to'");
	foreign_fails(tmp_write(&tmp, "c.goal", "num_ranks 1\nrank 0 {\nx requires z\n}\n"),
	              "c.goal:3:1: expected a label");
	foreign_fails(tmp_write(&tmp, "d.goal", "num_ranks 2\nrank 1 {\n}\n"), "in order from 0");
	foreign_fails(tmp_write(&tmp, "e.goal", "num_ranks 2\nrank 0 {\ncalc 1\n}\n"),
	              "the file ends in or before rank 1 of 2");
	foreign_fails(tmp_write(&tmp, "f.goal", "num_ranks 1\nrank 0 {\nsend 1b to 1\n}\n"),
	              "a rank below num_ranks");
	foreign_fails(
	    tmp_write(&tmp, "g.goal",
	              "num_ranks 2\nrank 0 {\nl0: append 10b to priority_list allowed 1 "
	              "ct 0 tag 53\n}\nrank 1 {\n}\n"),
	    "g.goal:3:5: append is of Portals 4 or gem5 (LogGOPSim 2), and only send, recv");
	foreign_fails(tmp_write(&tmp, "h.goal", "num_ranks 1\nrank 0 {\nput 9b to 0 tag 1\n}\n"),
	              "h.goal:3:1: put is of Portals 4 or gem5 (LogGOPSim 2)");
}

/* The words of Portals 4 are labels as before. */
static void labels(void **state)
{
	(void)state;
	foreign_is(
	    tmp_write(&tmp, "put.goal",
	              "num_ranks 1\nrank 0 {\nput: calc 5\nget :calc 6\nput requires get\n}\n"),
	    "0 init\n0 compute 6\n0 compute 5\n0 finalize\n");
}

static size_t node_more; /* bytes that LogGOPSim 2 adds */

static void node_put(struct blob *b, int type, uint32_t peer, uint64_t size, uint32_t tag,
                     uint32_t ends, uint32_t ends_at)
{
	blob_put(b, 0, 4);
	blob_put(b, (uint64_t)type, 1);
	blob_put(b, peer, 4);
	blob_put(b, size, 8);
	blob_put(b, tag, 4);
	blob_put(b, 0, 2);
	blob_put(b, ends, 4);
	blob_put(b, ends_at, 4);
	blob_put(b, 0, 8);
	for (size_t i = 0; i < node_more; i++)
		blob_put(b, 255, 1);
}

/* One rank: calc 1000 ns, then a send and a receive of its own. Blocks are counted from byte 8. */
static struct blob schedule(int type)
{
	struct blob b = {.n = 0};
	size_t from;

	blob_put(&b, 4223, 8);
	blob_put(&b, 1, 4);
	blob_put(&b, 0, 2);
	from = b.n + 16;
	blob_put(&b, from - 8, 8);
	blob_put(&b, from - 8 + 8 + 4 + 3 * (39 + node_more) + 4, 8);
	blob_put(&b, 3, 4); /* operations */
	blob_put(&b, 1, 4); /* roots */
	blob_put(&b, 0, 4);
	node_put(&b, 3, 0, 1000, 0, 1, 0);
	node_put(&b, type, 0, 64, 3, 0, 0);
	node_put(&b, 2, UINT32_MAX, 64, UINT32_MAX, 0, 0);
	blob_put(&b, 1, 4); /* the send waits for the end of the calc */
	return b;
}

static void binary(void **state)
{
	struct blob b = schedule(1);

	(void)state;
	foreign_is(tmp_write_n(&tmp, "t.bin", b.at, b.n),
	           "0 init\n0 irecv -1 -1 64 6 req=2\n0 compute 1000\n0 isend 0 3 64 6 req=1\n"
	           "0 waitall 2 reqs=1,2\n0 finalize\n");
	foreign_fails(tmp_write_n(&tmp, "cut.bin", b.at, b.n - 8), "outside the file");
	b.at[0] = 2342 & 255;
	b.at[1] = 2342 >> 8;
	foreign_fails(tmp_write_n(&tmp, "used.bin", b.at, b.n), "--save-mem");
	b = schedule(12);
	foreign_fails(tmp_write_n(&tmp, "kind.bin", b.at, b.n),
	              "kind.bin: rank 0: operation 1 is of kind 12: expected 1, 2 or 3");
}

/* 42 bytes are before the first operation, and 3 x 39 operations' before what depends on them. */
static void binary_places(void **state)
{
	struct blob b = schedule(1);

	(void)state;
	b.at[42 + 3 * 39] = 69;
	foreign_fails(
	    fresh_write_n(&tmp, "to.bin", b.at, b.n),
	    "to.bin: rank 0: at byte 159: operation 69 depends on operation 0: there are 3");
	b = schedule(1);
	b.at[42 + 27] = 9; /* the first one's list begins there */
	foreign_fails(fresh_write_n(&tmp, "at.bin", b.at, b.n),
	              "at.bin: rank 0: what depends on operation 0 is beyond the end of the rank");
	b = schedule(1);
	b.at[42 + 39 + 5] = 7;
	foreign_fails(fresh_write_n(&tmp, "peer.bin", b.at, b.n),
	              "peer.bin: rank 0: operation 1 has a message with rank 7: there are 1");
	b = schedule(1); /* the same to rank 9999999, 0x98967f, is a mark */
	b.at[42 + 39 + 5] = 0x7f;
	b.at[42 + 39 + 6] = 0x96;
	b.at[42 + 39 + 7] = 0x98;
	foreign_is(fresh_write_n(&tmp, "mark.bin", b.at, b.n),
	           "0 init\n0 irecv -1 -1 64 6 req=2\n0 compute 1000\n0 waitall 1 reqs=2\n"
	           "0 finalize\n");
}

/* LogGOPSim 2's operations are 65 bytes longer (a byte, six numbers of 32 bits, five of 64), which
 * say nothing of sends, receives and computations. */
static void binary_2(void **state)
{
	struct blob b;

	(void)state;
	node_more = 1 + 6 * 4 + 5 * 8;
	b = schedule(1);
	foreign_is(tmp_write_n(&tmp, "2.bin", b.at, b.n),
	           "0 init\n0 irecv -1 -1 64 6 req=2\n0 compute 1000\n0 isend 0 3 64 6 req=1\n"
	           "0 waitall 2 reqs=1,2\n0 finalize\n");
	b = schedule(4);
	foreign_fails(tmp_write_n(&tmp, "put.bin", b.at, b.n),
	              "put.bin: rank 0: operation 1: put is of Portals 4 or gem5 (LogGOPSim 2)");
	node_more = 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(chain),
	                                   cmocka_unit_test(overlap),
	                                   cmocka_unit_test(not_into_a_deadlock),
	                                   cmocka_unit_test(choice_of_the_second),
	                                   cmocka_unit_test(any_and_large),
	                                   cmocka_unit_test(any_but_what_is_named),
	                                   cmocka_unit_test(strange),
	                                   cmocka_unit_test(marks),
	                                   cmocka_unit_test(faults),
	                                   cmocka_unit_test(labels),
	                                   cmocka_unit_test(binary),
	                                   cmocka_unit_test(binary_places),
	                                   cmocka_unit_test(binary_2)};
	int failed;

	tmp_init(&tmp);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	tmp_release(&tmp);
	return failed;
}
