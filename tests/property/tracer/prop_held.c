/* prop_held.c: events that wait until it is known what they are (held.h), against the same list
 * with all of it known: receives from any source have what came, tests that are looked at again say
 * nothing, nothing else changes, and the order stays; whenever what may pass is passed on. */
#include "../prop.h"

#include "property/trace/looked.h"

#include "held.h"

static struct calls calls;
static struct str came, expected;
static int forgotten;

static void forget(int64_t req)
{
	(void)req;
	forgotten++;
}

static int came_out(void *self, uint32_t call, const int64_t *value, struct err *err)
{
	struct trace_event ev;

	(void)self, (void)err;
	calls_event(&calls, call, value, &ev);
	trace_event_format(&came, 3, &ev);
	return 0;
}

/* What a receive of a request will be told, and the line that tells it; 0: nothing comes. */
static struct told {
	int32_t peer, tag;
	int at;
} told[LINES + 1];

/* Some receives are from anybody; what came is known some lines later, before the request is used
 * for another. */
static void receives_draw(struct rng *r)
{
	for (int line = 1; line <= LINES; line++) {
		struct trace_event *ev = &lines[line].ev;
		int last = line;

		told[line] = (struct told){0, 0, 0};
		if (ev->op != TRACE_IRECV || rng_below(r, 3) == 0)
			continue;
		if (rng_below(r, 2))
			ev->peer = TRACE_ANY;
		ev->tag = ev->peer != TRACE_ANY || rng_below(r, 2) ? TRACE_ANY : 4;
		while (last < LINES &&
		       !(lines[last + 1].ev.op == TRACE_IRECV && lines[last + 1].ev.req == ev->req))
			last++;
		if (rng_below(r, 5))
			told[line] = (struct told){
			    ev->peer == TRACE_ANY ? (int32_t)rng_below(r, 3) : ev->peer,
			    ev->tag == TRACE_ANY ? (int32_t)rng_below(r, 9) : ev->tag,
			    line + (int)rng_below(r, (uint64_t)(last - line) + 1)};
	}
}

static void expect(int line)
{
	struct trace_event ev = lines[line].ev;

	if (told[line].at) {
		ev.flags |= (uint16_t)((ev.peer == TRACE_ANY ? TRACE_WILD_SOURCE : 0) |
		                       (ev.tag == TRACE_ANY ? TRACE_WILD_TAG : 0));
		ev.peer = told[line].peer;
		ev.tag = told[line].tag;
	}
	if (!wanted(line, &expected))
		trace_event_format(&expected, 3, &ev);
}

static void put(struct held *h, int line)
{
	int64_t value[CALL_COLUMNS];
	struct err err;
	uint32_t call = calls_put(&calls, &lines[line].ev, value, &err);

	assert_int_not_equal(call, CALL_NONE);
	assert_ok(held_put(h, &calls, call, value, &lines[line].ev, &err), err);
	for (int k = 1; k <= line; k++)
		if (told[k].at == line) {
			struct trace_event ev;

			trace_event_init(&ev, TRACE_IRECV);
			ev.req = lines[k].ev.req;
			ev.peer = told[k].peer;
			ev.tag = told[k].tag;
			held_resolve(h, &ev);
		}
}

static void same_text(uint64_t seed)
{
	const char *a = came.s, *b = expected.s;

	while (*a && *a == *b)
		a++, b++;
	if (*a || *b) {
		while (a > came.s && a[-1] != '\n')
			a--, b--;
		fail_msg("seed %d: %.120s\nis not %.120s", (int)seed, a, b);
	}
}

static void events_come_out_as_if_all_were_known(void **state)
{
	struct rng r;
	struct err err;

	(void)state;
	for (uint64_t seed = prop_seed(0); seed < prop_seed(150); seed++) {
		struct held h;

		rng_init(&r, seed, "held", 0);
		held_init(&h, forget);
		for (int line = 1; line <= LINES; line++)
			line_draw(&lines[line], &r);
		receives_draw(&r);
		for (int line = 1; line <= LINES; line++) {
			expect(line);
			put(&h, line);
			if (rng_below(&r, 3) == 0)
				assert_ok(held_pass(&h, &calls, 0, came_out, NULL, &err), err);
		}
		assert_int_equal(forgotten, 0);
		assert_ok(held_pass(&h, &calls, 1, came_out, NULL, &err), err);
		assert_int_equal(held_any(&h), 0);
		same_text(seed);
		held_release(&h);
		calls_release(&calls);
		str_release(&came);
		str_release(&expected);
		forgotten = 0;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(events_come_out_as_if_all_were_known),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
