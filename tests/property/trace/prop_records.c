/* prop_records.c: an event of another tool's trace comes back from its record as it comes back from
 * its line of text, whatever its fields are, and where the line is refused the record is; many come
 * back in their order, from memory and from the file that they overflow into. The seed is
 * printed. */
#include "../prop.h"

#include "same_event.h"

#include "base/rng.h"
#include "trace/foreign/foreign.h"
#include "trace/foreign/records.h"

enum { RANKS = 5, CASES = 40000, REQUESTS = 40 };

static int one_in(struct rng *r, int n)
{
	return rng_below(r, (uint64_t)n) == 0;
}

static int64_t edge(struct rng *r)
{
	static const int64_t edges[] = {0,
	                                1,
	                                -1,
	                                -2,
	                                -3,
	                                RANKS,
	                                RANKS - 1,
	                                127,
	                                128,
	                                INT32_MAX,
	                                INT32_MIN,
	                                (int64_t)1 << 31,
	                                INT64_MAX,
	                                INT64_MIN,
	                                1 << 14,
	                                ((int64_t)1 << 31) + 1,
	                                (int64_t)1 << 32,
	                                -(1 << 20)};

	return edges[rng_below(r, sizeof edges / sizeof *edges)];
}

static double edge_double(struct rng *r)
{
	static const double edges[] = {0, 1, -1, 0.1, 1e300, 5e-324, 1e9, 123456789.25, -0.5};

	return edges[rng_below(r, sizeof edges / sizeof *edges)];
}

/* Mostly as readers put them; now and then with a field that no reader should. */
static void random_event(struct rng *r, struct trace_event *ev, int64_t *reqs)
{
	static const enum trace_op ops[] = {
	    TRACE_ISEND,   TRACE_IRECV,   TRACE_SEND,    TRACE_RECV,    TRACE_WAIT,
	    TRACE_WAITALL, TRACE_COMPUTE, TRACE_INIT,    TRACE_BARRIER, TRACE_SSEND,
	    TRACE_TEST,    TRACE_BCAST,   TRACE_FINALIZE};
	enum trace_op op = ops[rng_below(r, sizeof ops / sizeof *ops)];

	foreign_event(ev, op);
	if (trace_op_has(op, TRACE_SENDS | TRACE_RECEIVES)) {
		ev->peer = one_in(r, 10) ? (int32_t)edge(r) : (int32_t)rng_below(r, RANKS);
		ev->tag = one_in(r, 10) ? (int32_t)edge(r) : (int32_t)rng_below(r, 1000);
		ev->count = one_in(r, 10) ? edge(r) : (int64_t)rng_below(r, 1 << 20);
		ev->comm = one_in(r, 4) ? (uint64_t)rng_below(r, RANKS) << 32 | 2 : 0;
		ev->req = one_in(r, 10) ? edge(r) : (int64_t)rng_below(r, 1000);
		if (one_in(r, 6))
			ev->flags = one_in(r, 2) ? TRACE_WILD_SOURCE
			                         : TRACE_WILD_SOURCE | TRACE_WILD_TAG;
	} else if (op == TRACE_WAIT || op == TRACE_TEST) {
		ev->req = one_in(r, 10) ? edge(r) : (int64_t)rng_below(r, 1 << 20);
	} else if (op == TRACE_WAITALL) {
		ev->n_reqs = (int64_t)rng_below(r, REQUESTS);
		for (int64_t i = 0; i < ev->n_reqs; i++)
			reqs[i] = one_in(r, 40) ? edge(r) : (int64_t)rng_below(r, 100000);
		ev->reqs = reqs;
	} else if (op == TRACE_COMPUTE) {
		ev->volume = one_in(r, 3) ? edge_double(r) : (double)rng_below(r, 1 << 30);
	}
	if (one_in(r, 3))
		ev->duration = one_in(r, 4) ? edge_double(r) : (double)rng_below(r, 1000) / 1e6;
	if (one_in(r, 30))
		ev->root = (int32_t)rng_below(r, RANKS);
	if (one_in(r, 30))
		ev->region = (int64_t)rng_below(r, 9);
}

static void grammar_ours(struct grammar *g)
{
	grammar_init(g, &trace_dialects[DIALECT_OURS]);
	g->ranks = RANKS;
	g->peers = RANKS;
	g->default_type = TYPE_BYTE;
}

/* What its line of text says: 1, or 0 if it is refused. */
static int by_text(const struct grammar *g, struct lists *lists, const struct trace_event *ev,
                   struct trace_event *out)
{
	struct str line = {0};
	struct err err;
	struct parse ps = {.grammar = g, .lists = lists, .err = &err};
	int r;

	lists_clear(lists);
	trace_event_format(&line, 3, ev);
	str_putn(&line, "\0\0\0\0\0\0\0", 8);
	r = event_parse(&ps, line.s + 2, out) != NULL; /* "3 " is its rank */
	str_release(&line);
	return r;
}

static void test_one(void **state)
{
	const uint64_t seed = prop_seed(20261123);
	struct lists lists = {0};
	struct grammar g;
	struct rng r;
	int64_t reqs[REQUESTS];
	int refused = 0;

	(void)state;
	print_message("seed %llu\n", (unsigned long long)seed);
	rng_init(&r, seed, "records", 0);
	grammar_ours(&g);
	for (int i = 0; i < CASES; i++) {
		struct trace_event ev, text, got;
		struct err err;
		struct records *all = records_new(RANKS, "a trace", &err);
		int is, got_one;

		assert_non_null(all);
		random_event(&r, &ev, reqs);
		assert_ok(records_put(all, 3, &ev, &err), err);
		assert_int_equal(records_next(all, 2, &g, &got, &err), 0);
		is = by_text(&g, &lists, &ev, &text);
		got_one = records_next(all, 3, &g, &got, &err);
		if (got_one != (is ? 1 : -1))
			fail_msg(
			    "case %d, %s, peer %d tag %d count %lld req %lld flags %x: text %d, "
			    "record %d",
			    i, trace_op_name((enum trace_op)ev.op), ev.peer, ev.tag,
			    (long long)ev.count, (long long)ev.req, ev.flags, is, got_one);
		refused += !is;
		if (is) {
			same_event(&got, &text);
			assert_int_equal(got.place, 1);
			assert_int_equal(records_next(all, 3, &g, &got, &err), 0);
			assert_int_equal(records_next(all, 3, &g, &got, &err), 0);
		}
		records_free(all);
	}
	assert_in_range(refused, CASES / 100, CASES / 2);
	lists_release(&lists);
}

/* Messages and waits put by their fields are those put as events. */
static void test_fields(void **state)
{
	enum { EACH = 2000, MESSAGES = 3 };
	struct records *all;
	struct grammar g;
	struct err err;
	struct rng r;

	(void)state;
	rng_init(&r, prop_seed(2), "fields", 0);
	grammar_ours(&g);
	for (int i = 0; i < EACH; i++) {
		struct trace_event ev, by_event, by_fields;
		int as_event, as_fields;

		all = records_new(RANKS, "a trace", &err);
		assert_non_null(all);
		if (i % MESSAGES) {
			foreign_event(&ev, one_in(&r, 2) ? TRACE_ISEND : TRACE_IRECV);
			ev.peer = one_in(&r, 4) ? (int32_t)edge(&r) : (int32_t)rng_below(&r, RANKS);
			ev.tag = one_in(&r, 4) ? (int32_t)edge(&r) : (int32_t)rng_below(&r, 1000);
			ev.count = one_in(&r, 4) ? edge(&r) : (int64_t)rng_below(&r, 1 << 20);
			ev.req = one_in(&r, 4) ? edge(&r) : (int64_t)rng_below(&r, 1000);
			assert_ok(records_put_message(all, 2, (enum trace_op)ev.op, ev.peer, ev.tag,
			                              ev.count, ev.req, &err),
			          err);
		} else {
			foreign_event(&ev, TRACE_WAIT);
			ev.req = one_in(&r, 4) ? UINT32_MAX : (int64_t)rng_below(&r, 1000);
			assert_ok(records_put_wait(all, 2, (uint32_t)ev.req, &err), err);
		}
		assert_ok(records_put(all, 3, &ev, &err), err);
		assert_int_equal(records_count(all), 2);
		as_event = records_next(all, 3, &g, &by_event, &err);
		as_fields = records_next(all, 2, &g, &by_fields, &err);
		assert_int_equal(as_fields, as_event);
		if (as_event == 1)
			same_event(&by_fields, &by_event);
		records_free(all);
	}
}

/* Events of rank k: each tells its rank and its number. */
static void numbered(struct trace_event *ev, int64_t *reqs, uint32_t rank, uint64_t i)
{
	foreign_event(ev, i % 3 == 0 ? TRACE_WAITALL : i % 3 == 1 ? TRACE_ISEND : TRACE_BARRIER);
	if (ev->op == TRACE_WAITALL) {
		ev->n_reqs = 1 + (int64_t)(i % REQUESTS);
		for (int64_t k = 0; k < ev->n_reqs; k++)
			reqs[k] = (int64_t)i * 7 + rank;
		ev->reqs = reqs;
	} else if (ev->op == TRACE_ISEND) {
		ev->count = (int64_t)i;
		ev->peer = (int32_t)rank;
		ev->req = (int64_t)i;
	} else {
		ev->duration = (double)i;
	}
}

static void test_many(void **state)
{
	enum { EACH = 40000 };
	struct trace_event ev, want;
	struct records *all;
	struct grammar g;
	struct err err;
	struct rng r;
	int64_t reqs[REQUESTS];
	uint64_t done[RANKS] = {0};

	(void)state;
	rng_init(&r, prop_seed(1), "order", 0);
	grammar_ours(&g);
	all = records_new(RANKS, "a trace", &err);
	assert_non_null(all);
	for (uint64_t i = 0; i < EACH; i++)
		for (uint32_t k = 0; k < RANKS; k++) {
			if (k == 1 && i > 100) /* the one stays in memory */
				continue;
			numbered(&ev, reqs, k, i);
			assert_ok(records_put(all, k, &ev, &err), err);
		}
	assert_int_equal(records_count(all), 4 * EACH + 101);
	for (uint64_t n = records_count(all); n > 0; n--) {
		uint32_t k = (uint32_t)rng_below(&r, RANKS);

		while (done[k] == (k == 1 ? 101 : EACH))
			k = (k + 1) % RANKS;
		assert_int_equal(records_next(all, k, &g, &ev, &err), 1);
		numbered(&want, reqs, k, done[k]++);
		want.place = (int64_t)done[k];
		want.type2 = 0; /* what its line does not say */
		want.type_size2 = 0;
		if (want.op != TRACE_ISEND)
			want.type = 0, want.type_size = 0;
		same_event(&ev, &want);
		assert_int_equal(records_place(all, k), done[k]);
	}
	for (uint32_t k = 0; k < RANKS; k++)
		assert_int_equal(records_next(all, k, &g, &ev, &err), 0);
	records_free(all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_one),
	    cmocka_unit_test(test_fields),
	    cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
