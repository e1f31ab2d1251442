/* test_containers.c: folders, lists, merged files; what is wrong with them. */
#include "unit/trace/trace_test.h"

#include <sys/stat.h>

static int setup(void **state)
{
	char *dir = calloc(1, 64);

	folder_make(dir);
	*state = dir;
	return 0;
}

static int teardown(void **state)
{
	folder_remove(*state);
	free(*state);
	return 0;
}

static void merged_in_any_order(void **state)
{
	char path[256];

	file_make(path, *state, "t",
	          "1 init\n1 compute 5\n0 init\n\n# between\n1 send 0 0 9\n0 compute 7\n0 recv 1 0 "
	          "9\n1 finalize\n0 finalize\n");
	assert_trace_is(path, 0,
	                "0 init\n1 init\n0 compute 7\n1 compute 5\n0 recv 1 0 9 6\n1 send 0 0 9 "
	                "6\n0 finalize\n1 finalize\n");
	assert_trace_is(path, 2,
	                "0 init\n1 init\n0 compute 7\n1 compute 5\n0 recv 1 0 9 6\n1 send 0 0 9 "
	                "6\n0 finalize\n1 finalize\n");
	assert_trace_fails(path, 3, "3 ranks are wanted, but there is no action of rank 2");
	assert_trace_fails(path, 1, "t:1:1: expected a rank below 1");
}

static void last_line_without_newline_and_crlf(void **state)
{
	char path[256];

	file_make(path, *state, "t", "0 init\r\n0 compute 5\r\n  0\tfinalize");
	assert_trace_is(path, 0, "0 init\n0 compute 5\n0 finalize\n");
}

/* Members that each rank's line tells, there once for all of them, as long as one is at its event.
 */
static void members_once(struct trace *t)
{
	enum { MEMBERS = 600 };
	struct trace_event ev[3];
	struct err err;

	for (uint32_t rank = 0; rank < 3; rank++) {
		assert_ok(trace_next(t, rank, &ev[rank], &err), err);
		assert_int_equal(ev[rank].n_members, MEMBERS);
	}
	assert_ptr_equal(ev[0].members, ev[1].members);
	assert_ptr_not_equal(ev[0].members, ev[2].members);
	for (int more = 0; more < 2;
	     more++) { /* rank 0 goes on, to a short list: rank 1 does not */
		for (int i = 0; i < MEMBERS; i++)
			assert_int_equal(ev[1].members[i], 2 * i);
		for (int i = 0; i < MEMBERS; i++)
			assert_int_equal(ev[2].members[i], 2 * i + 1);
		assert_ok(trace_next(t, 0, &ev[0], &err), err);
		assert_int_equal(ev[0].n_members, more ? 0 : 3);
	}
	trace_close(t); /* others are at theirs */
}

static void members_are_shared(void **state)
{
	static const char *const line[] = {
	    "0 comm_split comm=0.0 parent=world members=0-1198:2\n"
	    "0 comm_split comm=0.1 parent=world members=0,1,2\n0 finalize\n",
	    "1 comm_split comm=0.0 parent=world members=0-1198:2\n1 finalize\n",
	    "2 comm_split comm=1.0 parent=world members=1-1199:2\n2 finalize\n"};
	char path[256];
	struct str s;
	struct err err;
	struct trace *t;

	str_init(&s);
	for (int i = 0; i < 1200; i++) {
		if (i < 3)
			str_puts(&s, line[i]);
		else
			str_printf(&s, "%d finalize\n", i);
	}
	file_make(path, *state, "t", s.s);
	str_release(&s);
	t = trace_open(path, 1200, &err);
	assert_non_null(t);
	members_once(t);
}

/* A rank far behind: its lines have left the buffer and are read again. */
static void merged_far_apart(void **state)
{
	enum { LINES = 40000 };
	char path[256];
	struct str s;
	struct trace *t;
	struct trace_event ev;
	struct err err;

	str_init(&s);
	for (int i = 0; i < LINES; i++)
		str_printf(&s, "%d compute %d\n%s", i % 3, i, i % 1000 == 0 ? "\n" : "");
	file_make(path, *state, "t", s.s);
	t = trace_open(path, 3, &err);
	assert_non_null(t);
	for (int rank = 2; rank >= 0; rank--) {
		for (int i = rank; i < LINES; i += 3) {
			assert_ok(trace_next(t, (uint32_t)rank, &ev, &err), err);
			assert_double_is(ev.volume, i);
			assert_int_equal(ev.place, i + 1 + (i + 999) / 1000);
		}
		assert_int_equal(trace_next(t, (uint32_t)rank, &ev, &err), 0);
		assert_int_equal(trace_next(t, (uint32_t)rank, &ev, &err), 0);
	}
	trace_close(t);
	str_release(&s);
}

static void lists(void **state)
{
	const char *dir = *state;
	char path[256], list[600];

	file_make(path, dir, "a.txt", "0 init\n0 finalize\n");
	file_make(path, dir, "b.txt", "1 init\n1 finalize\n");
	file_make(path, dir, "names", "a.txt\n\n  b.txt \n"); /* relative to the list */
	assert_trace_is(path, 0, "0 init\n1 init\n0 finalize\n1 finalize\n");
	snprintf(list, sizeof list, "%s/a.txt\n%s/b.txt\n", dir, dir);
	file_make(path, dir, "names", list);
	assert_trace_is(path, 2, "0 init\n1 init\n0 finalize\n1 finalize\n");
	assert_trace_fails(path, 3, "the trace has 2 ranks, 3 were asked for");
	file_make(path, dir, "names", "a.txt\nc.txt\n");
	assert_trace_fails(path, 0,
	                   "names:2: the trace file of rank 1, 'c.txt', is neither in the current "
	                   "folder nor beside this list");
	file_make(path, dir, "names", "b.txt\na.txt\n");
	assert_trace_fails(path, 0,
	                   "b.txt:1:1: expected rank 0, whose private file this is, found '1'");
	file_make(path, dir, "m.txt", "0 init\n1 init\n");
	file_make(path, dir, "names", "m.txt\n"); /* one name: shared by all */
	assert_trace_is(path, 0, "0 init\n1 init\n");
}

static void folders(void **state)
{
	const char *dir = *state;
	char path[256];

	assert_trace_fails(dir, 0, "no trace in this folder: expected events");
	file_make(path, dir, "rank-1.log", "");
	assert_trace_fails(dir, 0,
	                   "the run goes on, or was killed while it was traced: 'orrery gather");
	assert_int_equal(remove(path), 0);
	file_make(path, dir, "run.otf2", "");
	assert_trace_fails(dir, 0, "a folder: give the trace in it, ");
	assert_trace_fails(dir, 0, "/run.otf2");
	assert_int_equal(remove(path), 0);
	file_make(path, dir, "rank-1.tit", "# orrery-trace 1\n1 init\n");
	assert_trace_fails(dir, 0, "the file of rank 0 is missing");
	file_make(path, dir, "rank-0.tit", "# orrery-trace 1\n0 init");
	assert_trace_is(dir, 0, "0 init\n1 init\n");
	file_make(path, dir, "manifest", "# orrery-manifest 1\nranks: 3\n");
	assert_trace_fails(dir, 0,
	                   "2 files, but the manifest says 3 ranks: the file of rank 2 is missing");
	file_make(path, dir, "manifest", "# orrery-manifest 1\nranks: 2\n");
	assert_trace_is(dir, 2, "0 init\n1 init\n");
	file_make(path, dir, "rank-1.tit", "# orrery-trace 1\n");
	assert_trace_fails(dir, 0, "no action of rank 1 in this file");
	file_make(path, dir, "rank-0.tit", "# orrery-trace 1\n1 init\n");
	assert_trace_fails(dir, 0, "rank-0.tit:2:1: expected rank 0");
}

/* What SimGrid's writer leaves: pids in the names, ranks in the files. */
static void folder_of_simgrid(void **state)
{
	char path[256];

	file_make(path, *state, "1660000000.123_rank-2.txt", "1 init\n");
	file_make(path, *state, "1660000000.124_rank-1.txt", "\n0 init\n");
	file_make(path, *state, "readme.md", "not a trace");
	assert_trace_is(*state, 0, "0 init\n1 init\n");
	file_make(path, *state, "other.txt", "1 init\n");
	assert_trace_fails((const char *)*state, 0, "two files of rank 1");
}

static void what_is_not_a_trace(void **state)
{
	char path[256];

	assert_trace_fails("/nonexistent/trace", 0,
	                   "cannot open the trace /nonexistent/trace: No such file");
	assert_trace_fails("", 0, "the name of the trace is empty: give a file or a folder");
	file_make(path, *state, "t", "");
	assert_trace_fails(path, 0, "the trace is empty");
	file_make(path, *state, "t", "# nothing here\n");
	assert_trace_fails(path, 0, "the trace is empty");
	file_make(path, *state, "t", "<?xml version='1.0'?>\n<platform version='4'>\n");
	assert_trace_fails(path, 0, "neither a trace nor a list of trace files");
	file_make(path, *state, "t", "\x89ORRERY\n");
	assert_trace_fails(path, 0, "the recording of a simulated run, where a trace is wanted");
	file_make(path, *state, "t", "2 init\n2 finalize\n");
	assert_trace_fails(path, 0,
	                   "all actions are of rank 2: give the folder or the list that this "
	                   "private file belongs to");
	assert_trace_fails("/dev/null", 0, "/dev/null is not a regular file");
}

/* To look at it: a trace of one rank. */
static void a_private_file_alone(void **state)
{
	char path[256];

	file_make(path, *state, "rank-2.tit",
	          "# orrery-trace 1\n2 init\n2 send 5 0 1 6\n2 finalize\n");
	assert_trace_is(path, 0, "0 init\n0 send 5 0 1 6\n0 finalize\n");
	assert_trace_fails(path, 3, "3 ranks are wanted, but there is no action of rank 0");
	file_make(path, *state, "rank-0.tit", "# orrery-trace 1\n0 init\n0 send 5 0 1 6\n");
	assert_trace_is(path, 0, "0 init\n0 send 5 0 1 6\n");
	file_make(path, *state, "m", "# orrery-trace 1 ranks=1\n0 init\n0 send 5 0 1 6\n");
	assert_trace_fails(path, 0, "m:3:8: expected the rank of a destination (0 to 0");
}

static void errors_have_a_place(void **state)
{
	char path[256];

	file_make(path, *state, "t", "0 init\n\n  0 send 1 0 x\n1 init\n");
	assert_trace_fails(path, 0, "/t:3:14: expected a count of elements, found 'x'");
	file_make(path, *state, "t", "0 init\n1 init\nzero finalize\n");
	assert_trace_fails(path, 0, "/t:3:1: expected a rank, found 'zero'");
	file_make(path, *state, "t", "0 init\n1 init\n1 oops\n0 recv 1 0 1\n0 finalize\n");
	assert_trace_fails(path, 2, "/t:3:3: expected an action of");
}

static void place_of_the_last_event(void **state)
{
	char path[256], buf[300];
	struct trace *t;
	struct trace_event ev;
	struct err err;

	file_make(path, *state, "t", "0 init\n# one\n0 compute 1\n1 init\n");
	t = trace_open(path, 0, &err);
	assert_non_null(t);
	assert_int_equal(trace_ranks(t), 2);
	assert_int_equal(trace_actions_hint(t), 3);
	assert_string_equal(trace_format_name(t), "SimGrid 3.20 or later, merged file");
	assert_int_equal(trace_next(t, 1, &ev, &err), 1);
	assert_int_equal(trace_next(t, 0, &ev, &err), 1);
	assert_int_equal(trace_next(t, 0, &ev, &err), 1);
	assert_int_equal(ev.place, 3);
	assert_non_null(strstr(trace_place(t, 0, buf, sizeof buf), "/t:3"));
	assert_non_null(strstr(trace_place(t, 1, buf, sizeof buf), "/t:4"));
	trace_close(t);
}

/* Thousands of lines longer than a buffer, and files beyond those that stay open, are tried with
 * 600 ranks of one line each. */
static void many_ranks_and_long_lines(void **state)
{
	enum { RANKS = 600 };
	const char *dir = *state;
	char path[256], name[64];
	struct trace *t;
	struct trace_event ev;
	struct err err;
	struct str s;

	str_init(&s);
	for (int r = 0; r < RANKS; r++) {
		snprintf(name, sizeof name, "rank-%d.tit", r);
		str_clear(&s);
		str_printf(&s, "# orrery-trace 1\n%d alltoallv 0", r);
		for (int i = 0; i < RANKS; i++)
			str_printf(&s, " %d", 1000000 + r);
		str_puts(&s, " 0");
		for (int i = 0; i < RANKS; i++)
			str_printf(&s, " %d", 2000000 + i);
		str_printf(&s, " 6 6\n%d finalize\n", r);
		file_make(path, dir, name, s.s);
	}
	t = trace_open(dir, RANKS, &err);
	if (!t)
		fail_msg("%s", err.text);
	for (uint32_t r = 0; r < RANKS; r++) {
		assert_ok(trace_next(t, r, &ev, &err), err);
		assert_int_equal(ev.counts[RANKS - 1], 1000000 + r);
		assert_int_equal(ev.counts2[RANKS - 1], 2000000 + RANKS - 1);
	}
	for (uint32_t r = 0; r < RANKS; r++) {
		assert_int_equal(trace_next(t, r, &ev, &err), 1);
		assert_int_equal(ev.op, TRACE_FINALIZE);
		assert_int_equal(trace_next(t, r, &ev, &err), 0);
	}
	trace_close(t);
	str_release(&s);
}

static void compressed(void **state)
{
	const char *dir = *state;
	char path[256], command[600];

	file_make(path, dir, "rank-0.tit", "# orrery-trace 1\n0 init\n0 compute 5\n0 finalize\n");
	file_make(path, dir, "rank-1.tit", "# orrery-trace 1\n1 init\n1 compute 6\n1 finalize");
	snprintf(command, sizeof command, "gzip %s/rank-*.tit", dir);
	assert_int_equal(system(command), 0);
	assert_trace_is(dir, 0,
	                "0 init\n1 init\n0 compute 5\n1 compute 6\n0 finalize\n1 finalize\n");
	file_make(path, dir, "m", "1 init\n0 init\n1 compute 5\n0 finalize\n");
	snprintf(command, sizeof command, "gzip %s", path);
	assert_int_equal(system(command), 0);
	snprintf(path, sizeof path, "%s/m.gz", dir);
	assert_trace_is(path, 0, "0 init\n1 init\n0 finalize\n1 compute 5\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(merged_in_any_order, setup, teardown),
	    cmocka_unit_test_setup_teardown(last_line_without_newline_and_crlf, setup, teardown),
	    cmocka_unit_test_setup_teardown(members_are_shared, setup, teardown),
	    cmocka_unit_test_setup_teardown(merged_far_apart, setup, teardown),
	    cmocka_unit_test_setup_teardown(lists, setup, teardown),
	    cmocka_unit_test_setup_teardown(folders, setup, teardown),
	    cmocka_unit_test_setup_teardown(folder_of_simgrid, setup, teardown),
	    cmocka_unit_test_setup_teardown(what_is_not_a_trace, setup, teardown),
	    cmocka_unit_test_setup_teardown(a_private_file_alone, setup, teardown),
	    cmocka_unit_test_setup_teardown(errors_have_a_place, setup, teardown),
	    cmocka_unit_test_setup_teardown(place_of_the_last_event, setup, teardown),
	    cmocka_unit_test_setup_teardown(many_ranks_and_long_lines, setup, teardown),
	    cmocka_unit_test_setup_teardown(compressed, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
