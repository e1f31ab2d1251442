/* prop_reopen.c: programs whose calls differ in counts and come in no order, between phases that
 * are loops: what is read of the compressed form is what was written, event by event, whichever of
 * its two forms (reopen.h) a rank has; and costs, however they vary, do not change which one that
 * is. */
#include "../prop.h"

#include "unit/trace/trace_test.h"

#include "base/rng.h"

#include <sys/stat.h>

enum { RANKS = 3, PHASES = 6, LINES = 5, VARIANTS = 4, RUNS = 100 };

/* A line of the program: sends one of a few counts, or receives at the same time another. */
static void line_event(struct trace_event *ev, uint32_t line, uint32_t variant, uint32_t rank)
{
	static const enum trace_op ops[LINES] = {TRACE_SEND, TRACE_SENDRECV, TRACE_RECV,
	                                         TRACE_ALLREDUCE, TRACE_COMPUTE};

	trace_event_init(ev, ops[line]);
	if (ops[line] != TRACE_COMPUTE) {
		ev->count = 100 + 17 * variant;
		ev->type = 6;
	}
	if (ops[line] == TRACE_SEND || ops[line] == TRACE_SENDRECV || ops[line] == TRACE_RECV)
		ev->peer = (int32_t)((rank + 1) % RANKS);
	if (ops[line] == TRACE_SENDRECV) {
		ev->count2 = 5 + 3 * (variant % 2);
		ev->peer2 = (int32_t)((rank + 2) % RANKS);
		ev->type2 = 6;
	}
}

struct program {
	uint64_t seed, costs; /* costs: another stream for what the calls cost */
	void (*event)(struct program *p, uint32_t rank, const struct trace_event *ev);
	struct trace_writer *w;
	struct trace *t;
};

static void emit(struct program *p, uint32_t rank, uint32_t line, uint32_t variant,
                 struct rng *costs)
{
	struct trace_event ev;

	line_event(&ev, line, variant, rank);
	if (ev.op == TRACE_COMPUTE)
		ev.volume = (double)rng_below(costs, 1u << 20);
	ev.duration = (double)rng_below(costs, 1000) / 1e9;
	p->event(p, rank, &ev);
}

/* A loop of lines in their order, whose variants come in an order, or in none; or neither does. */
static void phase(struct program *p, uint32_t rank, struct rng *r, struct rng *costs)
{
	uint32_t runs = 1 + (uint32_t)rng_below(r, RUNS), k = 1 + (uint32_t)rng_below(r, LINES),
	         variants = 1 + (uint32_t)rng_below(r, VARIANTS), kind = (uint32_t)rng_below(r, 16);

	for (uint32_t i = 0; i < runs; i++)
		for (uint32_t j = 0; j < k; j++)
			emit(p, rank, kind == 0 ? (uint32_t)rng_below(r, LINES) : j,
			     kind < 12 ? (uint32_t)rng_below(r, variants) : j % variants, costs);
}

static void program_run(struct program *p)
{
	for (uint32_t rank = 0; rank < RANKS; rank++) {
		struct rng r, costs;

		rng_init(&r, p->seed, "program", rank);
		rng_init(&costs, p->seed + p->costs, "costs", rank);
		for (int i = 0; i < PHASES; i++)
			phase(p, rank, &r, &costs);
	}
}

static void event_write(struct program *p, uint32_t rank, const struct trace_event *ev)
{
	struct err err;

	assert_ok(trace_writer_put(p->w, rank, ev, &err), err);
}

static void event_compare(struct program *p, uint32_t rank, const struct trace_event *ev)
{
	struct trace_event got;
	struct err err;

	assert_int_equal(trace_next(p->t, rank, &got, &err), 1);
	assert_int_equal(got.op, ev->op);
	assert_int_equal(got.peer, ev->peer);
	assert_int_equal(got.peer2, ev->peer2);
	assert_int_equal(got.count, ev->count);
	assert_int_equal(got.count2, ev->count2);
	assert_true(got.volume == ev->volume);
	assert_true(got.duration == ev->duration);
}

static void written(struct program *p, const char *path)
{
	struct err err;

	p->event = event_write;
	p->w = trace_writer_open(path, TRACE_WRITE_COMPRESSED, RANKS, &err);
	assert_non_null(p->w);
	program_run(p);
	assert_ok(trace_writer_commit(p->w, NULL, NULL, &err), err);
	p->t = trace_open(path, 0, &err);
	assert_non_null(p->t);
}

static void read_back(struct program *p)
{
	struct trace_event ev;
	struct err err;

	p->event = event_compare;
	program_run(p);
	for (uint32_t rank = 0; rank < RANKS; rank++)
		assert_int_equal(trace_next(p->t, rank, &ev, &err), 0);
}

static void as_written(void **state)
{
	(void)state;
	for (int i = 0; i < 60; i++) {
		struct program a = {.seed = prop_seed((uint64_t)i)}, b = a;
		char dir[64], path[128];
		struct err err;

		b.costs = 77;
		folder_make(dir);
		snprintf(path, sizeof path, "%s/a", dir);
		written(&a, path);
		snprintf(path, sizeof path, "%s/b", dir);
		written(&b, path);
		for (uint32_t rank = 0; rank < RANKS; rank++)
			assert_int_equal(compressed_same(a.t, b.t, rank, &err), 1);
		trace_close(a.t);
		snprintf(path, sizeof path, "%s/a", dir);
		a.t = trace_open(path, 0, &err);
		assert_non_null(a.t);
		read_back(&a);
		trace_close(a.t);
		trace_close(b.t);
		folder_remove(dir);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(as_written)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
