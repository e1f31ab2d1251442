/* test_diff.c: two compressed traces are compared by their structures, whose calls and loops say
 * the same or not; and as their events where the loops are others. */
#include "unit/trace/trace_test.h"

/* Ranks that compute, send and open a file of their own, again and again. */
struct made {
	int outer, inner, odd; /* odd: the iteration with another count; -1: none */
	int by_turn;           /* the loop within runs another number of times each time */
	double volume;
};

enum { RANKS = 3 };

static void event_put(struct trace_writer *w, uint32_t rank, struct trace_event ev)
{
	struct err err;

	assert_ok(trace_writer_put(w, rank, &ev, &err), err);
}

static void rank_put(struct trace_writer *w, uint32_t rank, const struct made *m)
{
	struct trace_event ev;
	char name[64];

	trace_event_init(&ev, TRACE_INIT);
	event_put(w, rank, ev);
	for (int i = 0; i < m->outer; i++) {
		for (int k = 0; k < m->inner + (m->by_turn ? i % 3 : 0); k++) {
			trace_event_init(&ev, TRACE_COMPUTE);
			ev.volume = m->volume * (1 + i % 7);
			event_put(w, rank, ev);
			trace_event_init(&ev, TRACE_SEND);
			ev.peer = (int32_t)((rank + 1) % RANKS);
			ev.type = TYPE_BYTE;
			ev.type_size = 1;
			ev.count = 100 + 13 * (i % 40) + (i == m->odd && rank == 1);
			event_put(w, rank, ev);
		}
		trace_event_init(&ev, TRACE_IO_OPEN);
		snprintf(name, sizeof name, "part.%u.%05d", rank, i);
		ev.text = name;
		ev.object = 1;
		event_put(w, rank, ev);
	}
	trace_event_init(&ev, TRACE_FINALIZE);
	event_put(w, rank, ev);
}

static struct trace *trace_made(const char *path, const struct made *m)
{
	struct err err;
	struct trace *t;
	struct trace_writer *w = trace_writer_open(path, TRACE_WRITE_COMPRESSED, RANKS, &err);

	assert_non_null(w);
	for (uint32_t rank = 0; rank < RANKS; rank++)
		rank_put(w, rank, m);
	assert_ok(trace_writer_commit(w, NULL, NULL, &err), err);
	t = trace_open(path, 0, &err);
	assert_non_null(t);
	return t;
}

/* What is said of two; told: of how many ranks the structures tell it. */
static int differ(struct made x, struct made y, int told, struct str *out)
{
	char dir[64], path[128];
	struct trace *a, *b;
	struct err err;
	int r;

	folder_make(dir);
	snprintf(path, sizeof path, "%s/a", dir);
	a = trace_made(path, &x);
	snprintf(path, sizeof path, "%s/b", dir);
	b = trace_made(path, &y);
	for (uint32_t rank = 0; rank < RANKS; rank++) {
		r = compressed_same(a, b, rank, &err);
		assert_true(r >= 0);
		told -= r;
	}
	assert_int_equal(told, 0);
	trace_close(a);
	trace_close(b);
	snprintf(path, sizeof path, "%s/a", dir);
	a = trace_open(path, 0, &err);
	snprintf(path, sizeof path, "%s/b", dir);
	b = trace_open(path, 0, &err);
	assert_non_null(a);
	assert_non_null(b);
	r = trace_diff(a, b, out, &err);
	trace_close(a);
	trace_close(b);
	folder_remove(dir);
	return r;
}

static void the_same(void **state)
{
	struct made m = {.outer = 100, .inner = 2, .odd = -1, .volume = 1e6}, other = m;
	struct str out = {0};

	(void)state;
	other.volume = 5; /* costs are no structure */
	assert_int_equal(differ(m, other, RANKS, &out), 0);
	m.by_turn = other.by_turn = 1;
	assert_int_equal(differ(m, other, RANKS, &out), 0);
	str_release(&out);
}

static void not_the_same(void **state)
{
	struct made m = {.outer = 100, .inner = 2, .odd = -1, .volume = 1e6}, other = m;
	struct str out = {0};

	(void)state;
	other.odd = 77; /* of rank 1: init, then five events a turn, the send is the second */
	assert_int_equal(differ(m, other, RANKS - 1, &out), 1);
	assert_non_null(strstr(out.s, "rank 1 parts at its event 388:"));
	assert_non_null(strstr(out.s, "1 of 3 ranks differs"));
	str_clear(&out);
	other = m;
	other.outer = 101; /* finalize, or another turn: event 502 */
	assert_int_equal(differ(m, other, 0, &out), 1);
	assert_non_null(strstr(out.s, "rank 2 parts at its event 502:"));
	str_clear(&out);
	other = m;
	other.by_turn = 1; /* the second turn has a third computation: 1 + 5 + 4 + 1 */
	assert_int_equal(differ(m, other, 0, &out), 1);
	assert_non_null(strstr(out.s, "rank 0 parts at its event 11:"));
	str_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(the_same),
	                                   cmocka_unit_test(not_the_same)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
