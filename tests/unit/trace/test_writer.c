/* test_writer.c: our folder and merged file, and what is left when writing fails. The names of runs
 * are FNV-1a of the events' text, worked out by a program of their own. */
#include "unit/trace/trace_test.h"

#include "trace/write/writer_int.h"

static void put(struct trace_writer *w, struct reader *r, uint32_t rank, const char *line)
{
	struct err err;

	assert_ok(trace_writer_put(w, rank, must_read(r, line), &err), err);
}

static void write_two(const char *path, enum trace_write_form form)
{
	struct reader r;
	struct trace_writer *w;
	struct err err;

	reader_init(&r, DIALECT_OURS, 2);
	w = trace_writer_open(path, form, 2, &err);
	if (!w)
		fail_msg("%s", err.text);
	put(w, &r, 1, "init");
	put(w, &r, 0, "send 1 0 5 6");
	put(w, &r, 1, "recv 0 0 5 6 t=0.5");
	assert_ok(trace_writer_commit(w, NULL, NULL, &err), err);
	lists_release(&r.lists);
}

static void folder(void **state)
{
	char dir[64], path[256], *text;
	struct trace_manifest m;
	struct err err;

	(void)state;
	folder_make(dir);
	file_make(path, dir, "rank-2.tit", "2 init\n"); /* of a trace that was here before */
	write_two(dir, TRACE_WRITE_FOLDER);
	assert_trace_is(dir, 0, "0 send 1 0 5 6\n1 init\n1 recv 0 0 5 6 t=0.5\n");
	assert_ok(trace_manifest_read(dir, &m, &err), err);
	assert_int_equal(m.ranks, 2);
	trace_manifest_release(&m);
	snprintf(path, sizeof path, "%s/rank-0.tit", dir);
	text = file_text(path);
	assert_string_equal(text,
	                    "# orrery-trace 1\n# run 4885171660b27fea\n0 send 1 0 5 6\n# end 1\n");
	free(text);
	folder_remove(dir);
}

static void merged(void **state)
{
	char dir[64], path[256], *text;

	(void)state;
	folder_make(dir);
	snprintf(path, sizeof path, "%s/m", dir);
	write_two(path, TRACE_WRITE_MERGED);
	text = file_text(path);
	assert_string_equal(
	    text, "# orrery-trace 1 ranks=2\n# run a5c704e0206bc50c\n1 init\n0 send 1 0 5 6\n"
	          "1 recv 0 0 5 6 t=0.5\n# end 3\n");
	free(text);
	assert_trace_is(path, 0, "0 send 1 0 5 6\n1 init\n1 recv 0 0 5 6 t=0.5\n");
	folder_remove(dir);
}

/* What a run was stays with it in one file, compressed too; of another number of ranks it is
 * refused with its line. */
static void merged_manifest(void **state)
{
	struct trace_manifest m = {.program = (char *)(uintptr_t) "./a b",
	                           .mpi = (char *)(uintptr_t) "MPICH 4.0",
	                           .counter = (char *)(uintptr_t) "cputime",
	                           .ranks = 2,
	                           .nominal_rate = 2e9,
	                           .threads = 0.5,
	                           .complete = 1};
	struct trace_manifest read;
	char dir[64], path[256], command[600], *text;
	struct trace_writer *w;
	struct trace_event ev;
	struct trace *t;
	struct err err;

	(void)state;
	folder_make(dir);
	snprintf(path, sizeof path, "%s/m", dir);
	w = trace_writer_open(path, TRACE_WRITE_MERGED, 2, &err);
	assert_non_null(w);
	trace_writer_about(w, &m);
	memset(&ev, 0, sizeof ev);
	ev.op = TRACE_INIT;
	ev.duration = -1;
	for (uint32_t rank = 0; rank < 2; rank++)
		assert_ok(trace_writer_put(w, rank, &ev, &err), err);
	assert_ok(trace_writer_commit(w, NULL, NULL, &err), err);
	for (int packed = 0; packed < 2; packed++) {
		t = trace_open(path, 0, &err);
		assert_non_null(t);
		assert_int_equal(trace_manifest_get(t, &read, &err), 1);
		trace_close(t);
		assert_string_equal(read.program, "./a b");
		assert_string_equal(read.mpi, "MPICH 4.0");
		assert_string_equal(read.processor, "");
		assert_int_equal(trace_manifest_unit(&read), VOLUME_SECONDS);
		assert_true(read.nominal_rate == 2e9 && read.threads == 0.5 && read.complete);
		assert_int_equal(read.ranks, 2);
		trace_manifest_release(&read);
		snprintf(command, sizeof command, "gzip %s && mv %s.gz %s", path, path, path);
		assert_int_equal(packed ? 0 : system(command), 0);
	}
	snprintf(command, sizeof command,
	         "gzip -dc %s | sed '/manifest ranks/s/2/3/' >%s/n && mv %s/n %s", path, dir, dir,
	         path);
	assert_int_equal(system(command), 0);
	text = file_text(path);
	assert_non_null(strstr(text, "\n# manifest ranks: 3\n"));
	free(text);
	assert_int_equal(trace_manifest_find(path, &read, &err), -1);
	assert_non_null(strstr(err.text, "3 ranks, but the first line says 2"));
	folder_remove(dir);
}

static void a_full_disk_is_told(void **state)
{
	struct trace_writer *w;
	struct trace_event ev;
	struct err err;

	(void)state;
	w = trace_writer_open("/dev/full", TRACE_WRITE_MERGED, 1, &err);
	assert_non_null(w);
	trace_event_init(&ev, TRACE_INIT);
	assert_ok(trace_writer_put(w, 0, &ev, &err), err);
	assert_fails(trace_writer_commit(w, NULL, NULL, &err), err, ERR_LIMIT,
	             "cannot write /dev/full: No space left on device");
}

static void an_unwritable_place_is_told(void **state)
{
	struct err err;

	(void)state;
	assert_null(trace_writer_open("/nonexistent/m", TRACE_WRITE_MERGED, 1, &err));
	assert_non_null(strstr(err.text, "cannot write /nonexistent/m: No such file or directory"));
	assert_null(trace_writer_open("/nonexistent/m", TRACE_WRITE_FOLDER, 1, &err));
	assert_non_null(strstr(err.text, "cannot write the folder /nonexistent/m"));
	assert_null(trace_writer_open("/dev/null/m", TRACE_WRITE_SIMGRID, 1, &err));
}

/* A writer that failed, or was given up, leaves no file of the final name. */
static void nothing_half_written(void **state)
{
	struct trace_writer *w;
	struct trace_event ev;
	struct err err;
	char dir[64], path[256];

	(void)state;
	folder_make(dir);
	snprintf(path, sizeof path, "%s/list", dir);
	w = trace_writer_open(path, TRACE_WRITE_SIMGRID, 2, &err);
	assert_non_null(w);
	trace_event_init(&ev, TRACE_BARRIER);
	ev.flags = TRACE_NONBLOCKING;
	ev.place = 17;
	assert_fails(trace_writer_put(w, 1, &ev, &err), err, ERR_INPUT,
	             "rank 1: ibarrier: SimGrid's replayer has no non-blocking collectives");
	assert_fails(trace_writer_commit(w, NULL, NULL, &err), err, ERR_LIMIT,
	             "was not written: an event before could not be");
	assert_int_equal(access(path, F_OK), -1);
	snprintf(path, sizeof path, "%s/list_files/rank-0.txt", dir);
	assert_int_equal(access(path, F_OK), -1);
	snprintf(path, sizeof path, "%s/list_files/rank-0.txt.part", dir);
	assert_int_equal(access(path, F_OK), -1);
	folder_remove(dir);
}

/* More ranks than files that stay open. */
static void many_ranks(void **state)
{
	enum { RANKS = 600 };
	struct trace_writer *w;
	struct trace_event ev;
	struct trace *t;
	struct err err;
	char dir[64];

	(void)state;
	folder_make(dir);
	w = trace_writer_open(dir, TRACE_WRITE_FOLDER, RANKS, &err);
	assert_non_null(w);
	trace_event_init(&ev, TRACE_COMPUTE);
	for (int i = 0; i < 3; i++)
		for (uint32_t r = 0; r < RANKS; r++) {
			ev.volume = r + i;
			assert_ok(trace_writer_put(w, r, &ev, &err), err);
		}
	assert_ok(trace_writer_commit(w, NULL, NULL, &err), err);
	t = trace_open(dir, 0, &err);
	assert_non_null(t);
	assert_int_equal(trace_ranks(t), RANKS);
	for (int i = 0; i < 3; i++)
		for (uint32_t r = 0; r < RANKS; r++) {
			assert_int_equal(trace_next(t, r, &ev, &err), 1);
			assert_double_is(ev.volume, r + i);
		}
	trace_close(t);
	folder_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(folder),
	    cmocka_unit_test(merged),
	    cmocka_unit_test(merged_manifest),
	    cmocka_unit_test(a_full_disk_is_told),
	    cmocka_unit_test(an_unwritable_place_is_told),
	    cmocka_unit_test(nothing_half_written),
	    cmocka_unit_test(many_ranks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
