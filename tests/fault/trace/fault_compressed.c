/* fault_compressed.c: compressed traces under precision levels, and what is told of compressed
 * traces without unfolding them, while each allocation, read, write or open fails in turn. */
#include "fault/fault.h"

#include "trace/summary.h"
#include "unit/trace/trace_test.h"

enum { RANKS = 4, TURNS = 40 };

/* Costs that vary; messages whose sizes vary a little (near) and whose tags do not: under a level
 * below 100 they are drawn, and put together on a stage. A collective keeps the loop's runs. */
static int program_write(const char *path, int precision, int waits, struct err *err)
{
	struct trace_writer *w = trace_writer_open(path, TRACE_WRITE_COMPRESSED, RANKS, err);
	struct trace_event ev;
	int r = w ? 0 : -1;

	if (w)
		trace_writer_precision(w, precision);
	for (int rank = 0; rank < RANKS && r == 0; rank++)
		for (int i = 0; i < 4 * TURNS && r == 0; i++) {
			static const enum trace_op ops[] = {TRACE_COMPUTE, TRACE_ISEND, TRACE_RECV,
			                                    TRACE_WAIT};

			trace_event_init(&ev, ops[i % 4]);
			ev.duration = (1 + (i * 7 + rank) % 13) * 1e-6;
			if (i % 4 == 0)
				ev.volume = 1000 + (i * 37 + rank * 11) % 101;
			if (i % 4 == 1 || i % 4 == 2) {
				ev.peer = (rank + (i % 4 == 1 ? 1 : RANKS - 1)) % RANKS;
				ev.count = 1000 + i / 4 % 3;
				ev.type = 6;
				ev.type_size = 1;
			}
			if (i % 4 == 1 || i % 4 == 3)
				ev.req = 0;
			if (waits && i % 40 == 0)
				trace_event_init(&ev, TRACE_WIN_FENCE), ev.object = 0;
			r = trace_writer_put(w, (uint32_t)rank, &ev, err);
		}
	if (w && r < 0)
		trace_writer_abandon(w);
	return r < 0 ? -1 : trace_writer_commit(w, NULL, NULL, err);
}

struct writing {
	char path[128];
	int precision, waits;
};

static int write_body(void *arg, struct err *err)
{
	const struct writing *x = arg;
	int r;

	remove(x->path);
	r = program_write(x->path, x->precision, x->waits, err);
	if (r < 0) {
		assert_int_equal(access(x->path, F_OK), -1);
		return -1;
	}
	fault_hold(1);
	{
		struct err none;
		char *text = trace_text(x->path, 0, &none);

		if (!text)
			fail_msg("%s", none.text);
		fault_told(text, strlen(text));
		free(text);
	}
	fault_hold(0);
	return 0;
}

static void writing_under_a_level(void **state)
{
	static const int precisions[] = {0, 60, 95};
	struct writing x;
	char dir[64];

	(void)state;
	folder_make(dir);
	snprintf(x.path, sizeof x.path, "%s/c", dir);
	for (int i = 0; i < 3; i++) {
		x.precision = precisions[i];
		x.waits = i == 1;
		fault_sweep(FAULT_ALLOC, write_body, &x);
		fault_sweep(FAULT_WRITE, write_body, &x);
		fault_sweep(FAULT_OPEN, write_body, &x);
	}
	folder_remove(dir);
}

/* --- reading --- */

static int read_body(void *arg, struct err *err)
{
	struct trace *t = trace_open(arg, 0, err);
	struct trace_event ev;
	struct str line = {0};
	int more = 0;

	if (!t)
		return -1;
	for (int rank = RANKS - 1; rank >= 0 && more >= 0; rank--)
		while ((more = trace_next(t, (uint32_t)rank, &ev, err)) > 0) {
			fault_hold(1);
			str_clear(&line);
			trace_event_format(&line, (uint32_t)rank, &ev);
			fault_told(line.s, line.n);
			fault_hold(0);
		}
	str_release(&line);
	trace_close(t);
	return more;
}

static int summary_body(void *arg, struct err *err)
{
	struct trace *t = trace_open(arg, 0, err);
	struct trace_summary s;
	int r = t ? trace_summary_read(&s, t, err) : -1;

	if (r == 0) {
		fault_told(&s.all, sizeof s.all);
		fault_told(s.rank, RANKS * sizeof *s.rank);
		fault_told(s.cell, s.cells * sizeof *s.cell);
		fault_told(s.comm, s.comms * sizeof *s.comm);
		trace_summary_release(&s);
	}
	trace_close(t);
	return r;
}

static int outline_body(void *arg, struct err *err)
{
	struct trace *t = trace_open(arg, 0, err);
	struct str out = {0};
	int r = t ? trace_outline(t, &out, err) : -1;

	if (r == 0)
		fault_told(out.s, out.n);
	str_release(&out);
	trace_close(t);
	return r;
}

static const char *others; /* what a trace is held against */

static int diff_body(void *arg, struct err *err)
{
	struct trace *a = trace_open(arg, 0, err), *b = a ? trace_open(others, 0, err) : NULL;
	struct str out = {0};
	int r = b ? trace_diff(a, b, &out, err) : -1;

	if (r >= 0 && !out.failed)
		fault_told(out.s, out.n);
	if (r >= 0 && out.failed)
		r = err_nomem(err, "a difference", out.n);
	str_release(&out);
	trace_close(a);
	trace_close(b);
	return r < 0 ? -1 : 0;
}

static int place_body(void *arg, struct err *err)
{
	struct trace *t = trace_open(arg, 0, err);
	char place[256];

	if (!t)
		return -1;
	/* "": it cannot be read any more, which is no error. */
	trace_place_of(t, 2, 17, place, sizeof place);
	trace_close(t);
	return 0;
}

static void reading(void **state)
{
	static const int precisions[] = {100, 95, 0};
	static const fault_body bodies[] = {read_body, summary_body, outline_body, diff_body,
	                                    place_body};
	char dir[64], path[128], other[128];
	struct err err;

	(void)state;
	folder_make(dir);
	for (int i = 0; i < 3; i++) {
		snprintf(path, sizeof path, "%s/%d", dir, i);
		snprintf(other, sizeof other, "%s/%d.other", dir, i);
		assert_ok(program_write(path, precisions[i], 0, &err), err);
		assert_ok(program_write(other, precisions[i], 1, &err), err);
		others = other;
		for (size_t k = 0; k < sizeof bodies / sizeof *bodies; k++) {
			fault_sweep(FAULT_ALLOC, bodies[k], path);
			fault_sweep(FAULT_OPEN, bodies[k], path);
		}
	}
	folder_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(writing_under_a_level),
	    cmocka_unit_test(reading),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
