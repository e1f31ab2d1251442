/* fault_trace.c: every reader and writer of traces when each allocation, read, write or open fails
 * in turn: a worded error, nothing leaked, and no trace that is not whole under its final name. */
#include "unit/trace/trace_test.h"

#include "fault/fault.h"

/* Long enough for lists to grow and for a rank to lag behind by more than a window. */
static void trace_make(char *path, const char *dir, const char *name, int only)
{
	struct str s;

	str_init(&s);
	str_puts(&s, "# orrery-trace 1 ranks=2\n");
	for (int i = 0; i < 3000; i++)
		for (int r = 0; r < 2; r++)
			if (only < 0 || only == r)
				str_printf(&s,
				           i % 500 ? "%d compute %d t=0.5\n"
				                   : "%d waitall 20 reqs=%d-%d:7\n",
				           r, i, i + 1400);
	for (int r = 0; r < 2; r++)
		if (only < 0 || only == r)
			str_printf(&s,
			           "%d comm_split comm=0.0 members=0,1\n"
			           "%d irecv -1 3 9 6 req=1 at=a%%20b:3\n%d resolve 1 3 req=1\n",
			           r, r, r);
	file_make(path, dir, name, s.s);
	str_release(&s);
}

static void event_told(const struct trace_event *ev)
{
	const int64_t figures[] = {ev->op,    ev->flags,         ev->peer,    ev->tag,
	                           ev->root,  ev->count,         ev->type,    ev->type_size,
	                           ev->req,   (int64_t)ev->comm, ev->message, ev->object,
	                           ev->place, ev->n_members,     ev->n_reqs,  ev->line};

	fault_told(figures, sizeof figures);
	fault_told(&ev->volume, sizeof ev->volume);
	fault_told(&ev->duration, sizeof ev->duration);
	if (ev->n_reqs)
		fault_told(ev->reqs, (size_t)ev->n_reqs * sizeof *ev->reqs);
	if (ev->text)
		fault_told(ev->text, strlen(ev->text));
}

/* Rank 1 first, so that lines of rank 0 are queued in a merged file. */
static int read_trace(void *arg, struct err *err)
{
	struct trace *t = trace_open(arg, 0, err);
	struct trace_event ev;
	int more = 0;

	if (!t)
		return -1;
	for (int r = 1; r >= 0 && more >= 0; r--)
		while ((more = trace_next(t, (uint32_t)r, &ev, err)) > 0)
			event_told(&ev);
	trace_close(t);
	return more;
}

static void sweep_reading(const char *path)
{
	fault_sweep(FAULT_ALLOC, read_trace, (void *)(uintptr_t)path);
	fault_sweep(FAULT_READ, read_trace, (void *)(uintptr_t)path);
	fault_sweep(FAULT_OPEN, read_trace, (void *)(uintptr_t)path);
	fault_sweep(FAULT_LOOK, read_trace, (void *)(uintptr_t)path);
}

static void folder_fill(const char *dir)
{
	char path[256];

	trace_make(path, dir, "rank-0.tit", 0);
	trace_make(path, dir, "rank-1.tit", 1);
	file_make(path, dir, "manifest", "# orrery-manifest 1\nprogram: x\nranks: 2\n");
}

static void reading_a_folder(void **state)
{
	char dir[64];

	(void)state;
	folder_make(dir);
	folder_fill(dir);
	sweep_reading(dir);
	folder_remove(dir);
}

static void reading_a_list(void **state)
{
	char dir[64], path[256];

	(void)state;
	folder_make(dir);
	folder_fill(dir);
	file_make(path, dir, "names", "rank-0.tit\nrank-1.tit\n");
	sweep_reading(path);
	folder_remove(dir);
}

static void reading_a_merged_file(void **state)
{
	char dir[64], path[256], command[600];

	(void)state;
	folder_make(dir);
	trace_make(path, dir, "m", -1);
	sweep_reading(path);
	snprintf(command, sizeof command, "gzip %s", path);
	assert_int_equal(system(command), 0);
	snprintf(path, sizeof path, "%s/m.gz", dir);
	sweep_reading(path);
	fault_sweep(FAULT_WRITE, read_trace, path); /* it is unpacked */
	folder_remove(dir);
}

struct writing {
	const char *path, *final; /* final: exists only when the trace is whole */
	enum trace_write_form form;
};

/* portable: for other simulators, which want to be told of a communicator before it is used. */
static int write_events(struct trace_writer *w, int events, int portable, struct err *err)
{
	static const int64_t reqs[] = {1, 2};
	struct trace_event ev;

	for (int i = 0; i < events; i++) {
		trace_event_init(&ev, i % 2 ? TRACE_COMPUTE : TRACE_ISEND);
		ev.volume = i;
		ev.req = i % 2 ? -1 : i;
		ev.comm = portable ? 0 : 2;
		ev.peer = i % 2 ? -1 : (i % 3 * (i % 3) + 1) % 3; /* no line over ranks */
		if (trace_writer_put(w, (uint32_t)i % 3, &ev, err) < 0)
			return -1;
	}
	trace_event_init(&ev, TRACE_WAITALL);
	ev.reqs = reqs;
	ev.n_reqs = 2;
	return trace_writer_put(w, 0, &ev, err);
}

/* What was written, read without a fault. */
static void written_told(const struct writing *wr)
{
	struct trace_event ev;
	struct err err;
	struct trace *t;

	fault_hold(1);
	t = trace_open(wr->path, 0, &err);
	if (!t)
		fail_msg("written, and: %s", err.text);
	for (uint32_t r = 0; r < 3; r++) {
		int more;

		while ((more = trace_next(t, r, &ev, &err)) > 0)
			event_told(&ev);
		if (more < 0)
			fail_msg("written, and: %s", err.text);
	}
	trace_close(t);
	fault_hold(0);
}

static int write_trace(void *arg, struct err *err)
{
	const struct writing *wr = arg;
	struct trace_writer *w;
	int result, portable;

	remove(wr->final);
	w = trace_writer_open(wr->path, wr->form, 3, err);
	if (!w)
		return -1;
	portable = wr->form != TRACE_WRITE_COMPRESSED && wr->form != TRACE_WRITE_FOLDER &&
	           wr->form != TRACE_WRITE_MERGED && wr->form != TRACE_WRITE_SIMGRID;
	result = write_events(w,
	                      portable                             ? 600
	                      : wr->form == TRACE_WRITE_COMPRESSED ? 3000
	                                                           : 20000,
	                      portable, err);
	if (result < 0)
		trace_writer_abandon(w);
	else
		result = trace_writer_commit(w, NULL, NULL, err);
	if (result < 0)
		assert_int_equal(access(wr->final, F_OK), -1);
	else
		written_told(wr);
	return result;
}

static void sweep_writing(enum trace_write_form form, const char *name, const char *final)
{
	char dir[64], path[256], final_path[256];
	struct writing wr = {path, final_path, form};

	folder_make(dir);
	snprintf(path, sizeof path, "%s/%s", dir, name);
	snprintf(final_path, sizeof final_path, "%s/%s", dir, final);
	fault_sweep(FAULT_ALLOC, write_trace, &wr);
	fault_sweep(FAULT_WRITE, write_trace, &wr);
	fault_sweep(FAULT_OPEN, write_trace, &wr);
	folder_remove(dir);
}

static void writing_a_folder(void **state)
{
	(void)state;
	sweep_writing(TRACE_WRITE_FOLDER, "f", "f/manifest");
}

static void writing_a_merged_file(void **state)
{
	(void)state;
	sweep_writing(TRACE_WRITE_MERGED, "m", "m");
}

static void writing_for_simgrid(void **state)
{
	(void)state;
	sweep_writing(TRACE_WRITE_SIMGRID, "l", "l");
}

static void writing_for_dimemas(void **state)
{
	(void)state;
	sweep_writing(TRACE_WRITE_DIMEMAS, "d", "d");
}

static void writing_schedules(void **state)
{
	(void)state;
	sweep_writing(TRACE_WRITE_GOAL, "g", "g");
	sweep_writing(TRACE_WRITE_GOAL_BINARY, "b", "b");
}

static void writing_the_compressed_form(void **state)
{
	(void)state;
	sweep_writing(TRACE_WRITE_COMPRESSED, "c", "c");
}

static void reading_the_compressed_form(void **state)
{
	char dir[64], path[256];
	struct writing wr = {path, path, TRACE_WRITE_COMPRESSED};
	struct err err;

	(void)state;
	folder_make(dir);
	snprintf(path, sizeof path, "%s/c", dir);
	assert_ok(write_trace(&wr, &err), err);
	fault_sweep(FAULT_ALLOC, read_trace, path);
	fault_sweep(FAULT_OPEN, read_trace, path);
	folder_remove(dir);
}

static int complete_folder(void *arg, struct err *err)
{
	return trace_folder_complete(arg, 2, NULL, NULL, NULL, err);
}

/* Whatever fails, the files are the old ones or the new ones. */
static void completing(void **state)
{
	static const enum fault_kind kinds[] = {FAULT_ALLOC, FAULT_READ, FAULT_WRITE, FAULT_OPEN,
	                                        FAULT_LOOK};
	char dir[64], path[256], *before, *after;
	struct err err;

	(void)state;
	folder_make(dir);
	folder_fill(dir);
	snprintf(path, sizeof path, "%s/rank-1.tit", dir);
	before = file_text(path);
	assert_ok(trace_folder_complete(dir, 2, NULL, NULL, NULL, &err), err);
	after = file_text(path);
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
		for (long n = 1;; n++) {
			char *now;
			int result, hit;

			folder_fill(dir);
			fault_start(kinds[k], n);
			result = complete_folder(dir, &err);
			hit = fault_stop();
			now = file_text(path);
			assert_true(strcmp(now, before) == 0 || strcmp(now, after) == 0);
			assert_true(result < 0 || strcmp(now, after) == 0);
			free(now);
			if (!hit)
				break;
		}
	folder_fill(dir);
	fault_sweep(FAULT_READ, complete_folder, dir); /* leaks and wording */
	folder_fill(dir);
	fault_sweep(FAULT_ALLOC, complete_folder, dir);
	free(before);
	free(after);
	folder_remove(dir);
}

static int manifest_both(void *arg, struct err *err)
{
	struct trace_manifest m;
	int result;

	if (trace_manifest_read(arg, &m, err) < 0)
		return -1;
	result = trace_manifest_write(arg, &m, err);
	trace_manifest_release(&m);
	return result;
}

static void manifests(void **state)
{
	char dir[64];

	(void)state;
	folder_make(dir);
	folder_fill(dir);
	for (int kind = 0; kind < FAULT_KINDS; kind++)
		fault_sweep(kind, manifest_both, dir);
	folder_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(reading_a_folder),
	    cmocka_unit_test(reading_a_list),
	    cmocka_unit_test(reading_a_merged_file),
	    cmocka_unit_test(writing_a_folder),
	    cmocka_unit_test(writing_a_merged_file),
	    cmocka_unit_test(writing_for_simgrid),
	    cmocka_unit_test(writing_for_dimemas),
	    cmocka_unit_test(writing_schedules),
	    cmocka_unit_test(writing_the_compressed_form),
	    cmocka_unit_test(reading_the_compressed_form),
	    cmocka_unit_test(completing),
	    cmocka_unit_test(manifests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
