/* test_memo.c: tests of tracer/memo.c: lines from memory are those of trace_event_format. */
#include "test.h"

#include "base/rng.h"
#include "tracer/memo.h"

static struct memo memo;
static struct str ours, theirs;

static int begin(void **state)
{
	(void)state;
	memo_init(&memo);
	str_init(&ours);
	str_init(&theirs);
	ours.s = malloc(1 << 16);
	ours.cap = 1 << 16;
	return ours.s ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	memo_release(&memo);
	str_release(&ours);
	str_release(&theirs);
	return 0;
}

static void both(const struct trace_event *ev)
{
	str_clear(&ours);
	str_clear(&theirs);
	memo_format(&memo, &ours, 3, ev);
	trace_event_format(&theirs, 3, ev);
}

static void test_by_hand(void **state)
{
	struct trace_event ev;

	(void)state;
	trace_event_init(&ev, TRACE_SEND);
	ev.peer = 1;
	ev.tag = 7;
	ev.count = 1000;
	ev.type = 1;
	ev.type_size = 4;
	for (int i = 0; i < 3; i++) {
		ev.duration = (1200 + i) / 1e9;
		both(&ev);
		assert_string_equal(ours.s, i == 0   ? "3 send 1 7 1000 1 t=1200e-9\n"
		                            : i == 1 ? "3 send 1 7 1000 1 t=1201e-9\n"
		                                     : "3 send 1 7 1000 1 t=1202e-9\n");
	}
	ev.duration = 12.3;
	both(&ev);
	assert_string_equal(ours.s, "3 send 1 7 1000 1 t=12.300000000\n");
	trace_event_init(&ev, TRACE_COMPUTE);
	ev.volume = 9007199254740992.0;
	both(&ev);
	assert_string_equal(ours.s, "3 compute 9007199254740992\n");
	ev.volume = 5;
	ev.duration = 0;
	both(&ev);
	assert_string_equal(ours.s, "3 compute 5 t=0e-9\n");
	ev.region = 2147483647;
	ev.volume = 9007199254740992.0;
	ev.duration = 1e9;
	for (int i = 0; i < 2; i++) {
		both(&ev);
		assert_string_equal(
		    ours.s,
		    "3 compute 9007199254740992 region=2147483647 t=1000000000.000000000\n");
	}
}

/* Few values per field, so that slots collide and texts come back. */
static void event_draw(struct rng *r, struct trace_event *ev)
{
	static const int64_t reqs[] = {4, 5, 6, 9};
	enum trace_op op = (enum trace_op)rng_below(r, TRACE_OPS);

	trace_event_init(ev, op);
	ev->peer = (int32_t)rng_below(r, 4) - 2;
	ev->tag = (int32_t)rng_below(r, 3);
	ev->peer2 = (int32_t)rng_below(r, 3);
	ev->tag2 = (int32_t)rng_below(r, 2);
	ev->root = (int32_t)rng_below(r, 2);
	ev->count = (int64_t)rng_below(r, 3) * 1000000007;
	ev->count2 = (int64_t)rng_below(r, 2);
	ev->type = (int32_t)rng_below(r, 3) - 1;
	ev->type2 = ev->type;
	ev->type_size = ev->type_size2 = (int64_t)rng_below(r, 2) * 4;
	ev->comm = rng_below(r, 3) << 32;
	ev->parent = rng_below(r, 2);
	ev->req = (int64_t)rng_below(r, 4) - 1;
	ev->flags = rng_below(r, 4) ? 0 : TRACE_IN_PLACE;
	ev->volume = op == TRACE_COMPUTE ? (double)rng_below(r, 1000) : 0;
	ev->region = op == TRACE_COMPUTE || op == TRACE_REGION
	                 ? (int64_t)rng_below(r, 40) - (op == TRACE_COMPUTE)
	                 : -1;
	ev->text = op == TRACE_REGION ? "a>b" : NULL;
	if (op >= TRACE_WAIT && op <= TRACE_TESTSOME) {
		ev->n_reqs = ev->n_done = (int64_t)rng_below(r, 4);
		ev->reqs = ev->done = reqs;
	}
	if (rng_below(r, 2))
		ev->duration = (double)rng_below(r, (uint64_t)1 << rng_below(r, 40)) / 1e9;
}

static void test_against_the_formatter(void **state)
{
	struct trace_event ev;
	struct rng r;

	(void)state;
	rng_init(&r, 1, "memo", 0);
	for (int i = 0; i < 200000; i++) {
		double a = -1, b = -1;
		char *p, *q;

		event_draw(&r, &ev);
		if (ev.op == TRACE_SLEEP)
			continue;
		both(&ev);
		p = strstr(ours.s, " t=");
		q = strstr(theirs.s, " t=");
		if (p) {
			a = strtod(p + 3, NULL);
			memcpy(p, "\n", 2);
		}
		if (q) {
			b = strtod(q + 3, NULL);
			memcpy(q, "\n", 2);
		}
		assert_string_equal(ours.s, theirs.s);
		assert_double_is(a, b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_by_hand, begin, end),
	    cmocka_unit_test_setup_teardown(test_against_the_formatter, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
