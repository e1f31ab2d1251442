/* fault_writers.c: traces with communicators, requests of all kinds and collectives of all kinds,
 * written for other tools while each allocation, write or open fails in turn: an error and no file,
 * or the file that there would have been. */
#include "fault/fault.h"

#include "property/trace/coll_draw.h"
#include "property/trace/message_draw.h"
#include "unit/trace/write_text.h"

struct writing {
	struct str lines;
	char to[128], list[160]; /* list: a further file, as it is named */
	int ranks;
	enum trace_write_form form;
};

/* Reads what is given, writes it. */
static int convert(const struct writing *x, const char *from, struct str *notices, struct err *err)
{
	struct trace *t = trace_open(from, 0, err);
	struct trace_writer *w = t ? trace_writer_open(x->to, x->form, (uint32_t)x->ranks, err)
	                           : NULL;
	struct trace_event ev;
	int more = w ? 0 : -1;

	for (uint32_t i = 0; i < (uint32_t)x->ranks && more == 0; i++) {
		while ((more = trace_next(t, i, &ev, err)) > 0)
			if (trace_writer_put(w, i, &ev, err) < 0)
				break;
		more = more > 0 ? -1 : more;
		if (more == 0)
			more = trace_writer_rank_done(w, i, err);
	}
	trace_close(t);
	if (w && more < 0)
		trace_writer_abandon(w);
	return more < 0 ? -1 : trace_writer_commit(w, NULL, notices, err);
}

static void file_told(const char *path)
{
	char *text = file_text(path);

	fault_told(text, strlen(text));
	free(text);
}

static char from[256];

static int body(void *arg, struct err *err)
{
	const struct writing *x = arg;
	struct str notices = {0};
	int r;

	remove(x->to);
	r = convert(x, from, &notices, err);
	if (r == 0 && notices.failed)
		r = err_nomem(err, "notices", notices.cap);
	fault_hold(1);
	if (r < 0 && !notices.failed) /* the file may be there, and only the notices be lost */
		assert_int_equal(access(x->to, F_OK), -1);
	if (r == 0) {
		file_told(x->to);
		if (x->list[0])
			file_told(x->list);
		if (notices.n)
			fault_told(notices.s, notices.n);
	}
	fault_hold(0);
	str_release(&notices);
	return r;
}

static void sweep(struct writing *x, const char *dir, enum trace_write_form form, const char *name,
                  const char *list)
{
	x->form = form;
	snprintf(x->to, sizeof x->to, "%s/%s", dir, name);
	x->list[0] = '\0';
	if (list)
		snprintf(x->list, sizeof x->list, "%s/%s", dir, list);
	fault_sweep(FAULT_ALLOC, body, x);
	fault_sweep(FAULT_WRITE, body, x);
	fault_sweep(FAULT_OPEN, body, x);
}

static void from_write(const struct writing *x, const char *dir)
{
	char mark[64];
	struct str s = {0};

	snprintf(mark, sizeof mark, "# orrery-trace 1 ranks=%d\n", x->ranks);
	str_puts(&s, mark);
	for (int i = 0; i < x->ranks; i++)
		str_printf(&s, "%d init\n", i);
	str_puts(&s, x->lines.s);
	for (int i = 0; i < x->ranks; i++)
		str_printf(&s, "%d finalize\n", i);
	file_make(from, dir, "in", s.s);
	str_release(&s);
}

static void messages(void **state)
{
	static struct did_program p;
	struct writing x = {.ranks = 0};
	char dir[64];
	struct rng r;

	(void)state;
	rng_init(&r, 11, "faults", 0);
	p.no_keys = 1;
	for (did_program_draw(&r, &p, 1); p.ranks < 3 || p.members < 2; did_program_draw(&r, &p, 1))
		did_release(&p);
	x.lines = did_lines(&p);
	x.ranks = p.ranks;
	folder_make(dir);
	from_write(&x, dir);
	sweep(&x, dir, TRACE_WRITE_DIMEMAS, "d.dim", NULL);
	sweep(&x, dir, TRACE_WRITE_GOAL, "g.goal", NULL);
	sweep(&x, dir, TRACE_WRITE_GOAL_BINARY, "g.bin", NULL);
	sweep(&x, dir, TRACE_WRITE_SIMGRID, "s", "s_files/rank-0.txt");
	sweep(&x, dir, TRACE_WRITE_MERGED, "m", NULL);
	sweep(&x, dir, TRACE_WRITE_COMPRESSED, "c", NULL);
	folder_remove(dir);
	did_release(&p);
	str_release(&x.lines);
}

static void collectives(void **state)
{
	static struct session s;
	struct writing x = {.ranks = 0};
	char dir[64];
	struct rng r;

	(void)state;
	rng_init(&r, 4, "faults", 0);
	do
		session_draw(&r, &s);
	while (s.ranks < 3 || s.calls < GROUP_CALLS || s.group[1].n < 2);
	x.lines = session_lines(&s);
	x.ranks = s.ranks;
	folder_make(dir);
	from_write(&x, dir);
	sweep(&x, dir, TRACE_WRITE_DIMEMAS, "d.dim", NULL);
	sweep(&x, dir, TRACE_WRITE_GOAL, "g.goal", NULL);
	sweep(&x, dir, TRACE_WRITE_COMPRESSED, "c", NULL);
	folder_remove(dir);
	str_release(&x.lines);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(messages),
	    cmocka_unit_test(collectives),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
