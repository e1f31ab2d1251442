/* test_write_goal.c: traces as GOAL schedules. The messages of collectives are those of LogGOPSim's
 * schedgen (dissemination, binomial trees, straight, ring, line), worked by hand; the text's
 * grammar and the binary form are those of docs/foreign-traces.md. */
#include "unit/trace/foreign_text.h"
#include "unit/trace/write_text.h"

#define goal(lines, n, text) becomes(lines, n, TRACE_WRITE_GOAL, "num_ranks " #n "\n\n" text)
#define IDLE(r) "rank " #r " {\nl0: calc 0\n}\n" /* LogGOPSim wants an operation */

static void computations_are_a_chain(void **state)
{
	(void)state;
	goal("0 compute 500 t=0.25\n0 compute 7\n0 compute 0\n0 sleep 1e-6\n", 1,
	     "rank 0 {\nl0: calc 250000000\nl1: calc 7\nl1 requires l0\n"
	     "l2: calc 1000\nl2 requires l1\n}\n");
	cannot_become("0 compute 1e20\n", 1, TRACE_WRITE_GOAL,
	              "compute has no form in a trace of GOAL");
	cannot_become("0 compute 5 t=1e10\n", 1, TRACE_WRITE_GOAL_BINARY,
	              "compute has no form in a trace of GOAL");
}

/* 500 of 1e6 a second are 0.5 ms of a processor, whatever passed meanwhile; instructions take what
 * passed. */
static void times_are_no_elapsed_ones(void **state)
{
	const struct trace_manifest seconds = {
	    .unit = (char *)(uintptr_t) "seconds", .ranks = 1, .nominal_rate = 1e6, .complete = 1};
	const struct trace_manifest counted = {
	    .unit = (char *)(uintptr_t) "instructions", .ranks = 1, .complete = 1};

	(void)state;
	becomes_of(&seconds, "0 compute 500 t=0.25\n0 sleep 1e-6\n", 1, TRACE_WRITE_GOAL,
	           "num_ranks 1\n\nrank 0 {\nl0: calc 500000\nl1: calc 1000\nl1 requires l0\n}\n");
	becomes_of(&counted, "0 compute 500 t=0.25\n", 1, TRACE_WRITE_GOAL,
	           "num_ranks 1\n\nrank 0 {\nl0: calc 250000000\n}\n");
}

static void messages_hang_off_the_chain(void **state)
{
	(void)state;
	goal("0 send 1 7 10 1\n0 compute 5\n1 recv -1 -1 10 1\n", 2,
	     "rank 0 {\nl0: send 40b to 1 tag 7\nl1: calc 5\nl1 requires l0\n}\n"
	     "rank 1 {\nl0: recv 40b from -1 tag -1\n}\n");
	goal("0 compute 5\n0 isend 1 7 8 6 req=0\n0 irecv 1 7 8 6 req=1\n0 compute 6\n"
	     "0 wait req=1\n0 wait req=0\n",
	     2,
	     "rank 0 {\nl0: calc 5\nl1: send 8b to 1 tag 7\nl1 requires l0\n"
	     "l2: recv 8b from 1 tag 7\nl2 requires l0\nl3: calc 6\nl3 requires l0\n"
	     "l4: calc 0\nl4 requires l3\nl4 requires l2\nl5: calc 0\nl5 requires l4\n"
	     "l5 requires l1\n}\n" IDLE(1));
	goal("0 sendRecv 8 1 2 1 6 0 tags=3,4\n", 2,
	     "rank 0 {\nl0: recv 16b from 1 tag 4\nl1: send 8b to 1 tag 3\nl2: calc 0\n"
	     "l2 requires l1\nl2 requires l0\n}\n" IDLE(1));
}

/* Tags that MPI tells apart stay apart: those of 1,100 communicators of ranks 0 and 1, of the world
 * where their numbers are those of others, and one tag and the same plus 2^14. Each message has
 * another size, and its receive the same tag. */
static void tags_of_communicators_differ(void **state)
{
	enum { COMMS = 1100, PAIRS = COMMS + 5 };
	static const int32_t world[] = {0, 16384, 1 << 24, (1 << 24) + 2, 1 << 30};
	static int32_t tag[2][PAIRS];
	char dir[64], to[256];
	struct trace_event ev;
	struct str lines;
	struct trace *t;
	struct err err;

	(void)state;
	str_init(&lines);
	for (int rank = 0; rank < 2; rank++) {
		for (int i = 0; i < COMMS; i++)
			str_printf(&lines, "%d comm_dup comm=0.%d members=0,1\n", rank, i);
		for (int i = 0; i < PAIRS; i++) {
			int k = rank ? PAIRS - 1 - i : i; /* the other end meets them in turn */

			str_printf(
			    &lines, "%d %s %d %d %d 6", rank, rank ? "irecv" : "isend", !rank,
			    k < COMMS ? (k % 2 ? 5 : 5 + (1 << 14)) : world[k - COMMS], k + 1);
			if (k < COMMS)
				str_printf(&lines, " comm=0.%d", k / 2);
			str_printf(&lines, " req=%d\n", i);
		}
	}
	folder_make(dir);
	snprintf(to, sizeof to, "%s/out", dir);
	assert_ok(lines_write(lines.s, 2, TRACE_WRITE_GOAL, to, NULL, &err), err);
	t = trace_open(to, 0, &err);
	assert_non_null(t);
	for (uint32_t rank = 0; rank < 2; rank++)
		while (trace_next(t, rank, &ev, &err) > 0)
			if (ev.op == TRACE_ISEND || ev.op == TRACE_IRECV)
				tag[rank][ev.count - 1] = ev.tag;
	trace_close(t);
	folder_remove(dir);
	for (int i = 0; i < PAIRS; i++) {
		assert_int_equal(tag[0][i], tag[1][i]);
		for (int k = 0; k < i; k++)
			assert_int_not_equal(tag[0][i], tag[0][k]);
	}
	assert_int_equal(tag[0][COMMS], 0);
	assert_int_equal(tag[0][COMMS + 1], 16384);
	str_release(&lines);
}

/* Nothing before it: a wait depends on its message alone. */
static void the_first_wait(void **state)
{
	(void)state;
	goal("0 irecv 1 7 8 6 req=0\n0 wait req=0\n", 2,
	     "rank 0 {\nl0: recv 8b from 1 tag 7\nl1: calc 0\nl1 requires l0\n}\n" IDLE(1));
}

/* --- collectives: their messages, rank by rank --- */

static struct str goal_events(const char *lines, uint32_t ranks, enum trace_write_form form)
{
	char dir[64], to[256];
	struct err err;
	struct str s;

	folder_make(dir);
	snprintf(to, sizeof to, "%s/out", dir);
	assert_ok(lines_write(lines, ranks, form, to, NULL, &err), err);
	s = foreign_text(to, 0);
	folder_remove(dir);
	return s;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* "from>to bytes", sorted, of what is sent; must be what is received. */
static void messages_are(const char *lines, uint32_t ranks, const char *wanted)
{
	enum { MOST = 64 };
	static char sent[MOST][32], received[MOST][32];
	struct str s = goal_events(lines, ranks, TRACE_WRITE_GOAL),
	           b = goal_events(lines, ranks, TRACE_WRITE_GOAL_BINARY), all = {0};
	size_t n_sent = 0, n_received = 0;

	assert_string_equal(b.s, s.s);
	str_puts(&all, "");
	for (const char *p = s.s; *p; p += strcspn(p, "\n") + 1) {
		char op[16];
		int me, peer, tag, bytes;

		me = *p - '0';
		snprintf(op, sizeof op, "%.*s", (int)strcspn(p + 2, " \n"), p + 2);
		if (strcmp(op, "isend") != 0 && strcmp(op, "irecv") != 0)
			continue;
		const char *q = p + 2 + strlen(op) + 1;

		peer = tag = bytes = 0;
		for (; *q != ' '; q++)
			peer = peer * 10 + *q - '0';
		for (q++; *q != ' '; q++)
			tag = tag * 10 + *q - '0';
		for (q++; *q != ' ' && *q != '\n'; q++)
			bytes = bytes * 10 + *q - '0';
		assert_true(tag > 1 << 24 && n_sent < MOST && n_received < MOST);
		if (op[1] == 's')
			snprintf(sent[n_sent++], sizeof *sent, "%d>%d %d", me, peer, bytes);
		else
			snprintf(received[n_received++], sizeof *received, "%d>%d %d", peer, me,
			         bytes);
	}
	qsort(sent, n_sent, sizeof *sent, by_text);
	qsort(received, n_received, sizeof *received, by_text);
	assert_int_equal(n_sent, n_received);
	for (size_t i = 0; i < n_sent; i++) {
		assert_string_equal(received[i], sent[i]);
		str_printf(&all, "%s%s", i ? ", " : "", sent[i]);
	}
	assert_string_equal(all.s, wanted);
	str_release(&all);
	str_release(&s);
	str_release(&b);
}

/* All ranks say the same line. */
static void same_lines_are(const char *line, uint32_t ranks, const char *wanted)
{
	struct str s = {0};

	for (uint32_t r = 0; r < ranks; r++)
		str_printf(&s, "%u %s\n", r, line);
	messages_are(s.s, ranks, wanted);
	str_release(&s);
}

static void without_a_root(void **state)
{
	(void)state;
	same_lines_are("barrier", 3, "0>1 1, 0>2 1, 1>0 1, 1>2 1, 2>0 1, 2>1 1");
	same_lines_are("barrier", 1, "");
	same_lines_are("allreduce 2 0 0", 3, "0>1 16, 0>2 16, 1>0 16, 2>0 16");
	same_lines_are("allgather 3 3 1 1", 3, "0>1 12, 0>1 12, 1>2 12, 1>2 12, 2>0 12, 2>0 12");
	same_lines_are("alltoall 3 3 6 6", 3, "0>1 3, 0>2 3, 1>0 3, 1>2 3, 2>0 3, 2>1 3");
	same_lines_are("scan 3 0 6", 4, "0>1 3, 1>2 3, 2>3 3");
	same_lines_are("exscan 3 0 6", 2, "0>1 3");
	/* A reduction of all to rank 0, which hands out the blocks. */
	same_lines_are("reducescatter 1 2 3 0 6", 3, "0>1 2, 0>2 3, 1>0 6, 2>0 6");
	same_lines_are("reducescatterblock 4 0 6", 3, "0>1 4, 0>2 4, 1>0 12, 2>0 12");
}

/* Binomial: virtual rank v = rank - root; v's parent is v without its lowest bit. */
static void trees(void **state)
{
	(void)state;
	same_lines_are("bcast 5 0 6", 6, "0>1 5, 0>2 5, 0>4 5, 2>3 5, 4>5 5");
	same_lines_are("reduce 5 0 0 6", 6, "1>0 5, 2>0 5, 3>2 5, 4>0 5, 5>4 5");
	same_lines_are("bcast 5 4 6", 5, "1>2 5, 4>0 5, 4>1 5, 4>3 5");
}

/* Blocks of each rank: those of the rank for which they are. */
static void blocks(void **state)
{
	(void)state;
	messages_are("0 allgatherv 1 1 2 3 6 6\n1 allgatherv 2 1 2 3 6 6\n"
	             "2 allgatherv 3 1 2 3 6 6\n",
	             3, "0>1 1, 0>1 3, 1>2 1, 1>2 2, 2>0 2, 2>0 3");
	messages_are("0 alltoallv 6 1 2 3 11 1 4 6 6 6\n1 alltoallv 12 4 1 7 11 2 1 8 6 6\n"
	             "2 alltoallv 15 6 8 1 11 3 7 1 6 6\n",
	             3, "0>1 2, 0>2 3, 1>0 4, 1>2 7, 2>0 6, 2>1 8");
}

/* MPI 4.1, 6.5 and 6.6: what one side says of the other is looked at on the root only. The tracer
 * writes 0, or no counts, elsewhere. */
static void rooted(void **state)
{
	(void)state;
	messages_are("0 gather 5 0 1 6 6\n1 gather 5 5 1 6 6\n2 gather 5 0 1 6 6\n", 3,
	             "0>1 5, 2>1 5");
	messages_are("0 scatter 0 5 1 6 6\n1 scatter 5 5 1 6 6\n2 scatter 0 5 1 6 6\n", 3,
	             "1>0 5, 1>2 5");
	messages_are("0 gatherv 4 1 6 6\n1 gatherv 5 4 5 6 1 6 6\n2 gatherv 6 1 6 6\n", 3,
	             "0>1 4, 2>1 6");
	messages_are("0 scatterv 4 1 6 6\n1 scatterv 4 5 6 5 1 6 6\n2 scatterv 6 1 6 6\n", 3,
	             "1>0 4, 1>2 6");
	/* Another type on each side: two ints for a double. */
	messages_are("0 scatter 0 2 1 1 1\n1 scatter 1 2 1 0 1\n", 2, "1>0 8");
}

static void on_other_communicators(void **state)
{
	(void)state;
	messages_are("0 comm_split comm=0.0 members=2,0\n2 comm_split comm=0.0 members=2,0\n"
	             "0 scatter 0 5 0 6 6 comm=0.0\n2 scatter 5 5 0 6 6 comm=0.0\n"
	             "1 barrier comm=self\n",
	             3, "2>0 5");
	cannot_become("0 comm_split comm=0.0 members=0,1\n0 gather 5 5 2 6 6 comm=0.0\n", 3,
	              TRACE_WRITE_GOAL, "gather: the root is 2, of a communicator of 2");
	cannot_become("0 comm_split comm=0.0 members=0,1,2\n0 gatherv 5 1 0 6 6 comm=0.0\n", 3,
	              TRACE_WRITE_GOAL, "gatherv: counts for 1 ranks, of a communicator of 3");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(computations_are_a_chain),
	    cmocka_unit_test(times_are_no_elapsed_ones),
	    cmocka_unit_test(messages_hang_off_the_chain),
	    cmocka_unit_test(tags_of_communicators_differ),
	    cmocka_unit_test(the_first_wait),
	    cmocka_unit_test(without_a_root),
	    cmocka_unit_test(trees),
	    cmocka_unit_test(blocks),
	    cmocka_unit_test(rooted),
	    cmocka_unit_test(on_other_communicators),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
