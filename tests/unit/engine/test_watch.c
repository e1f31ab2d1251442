/* test_watch.c: those who ask: what is told before the clock moves, what more ends at a date, whose
 * an id is. */
#include "lib.h"

#include <math.h>

struct seen {
	struct resource_id r;
	struct activity_id flow;
	double date[8], rate[8], change_at;
	uint32_t n;
};

static void seen_settled(void *self, double date)
{
	struct seen *s = self;

	assert_true(s->n < 8);
	s->date[s->n] = date;
	s->rate[s->n++] = flow_rate(e, s->flow);
}

static double seen_next(void *self)
{
	return ((struct seen *)self)->change_at;
}

static int seen_change(void *self, struct err *ignored)
{
	struct seen *s = self;

	(void)ignored;
	engine_set_capacity(e, s->r, s->change_at < 3 ? 5 : 20);
	s->change_at = s->change_at < 3 ? 6 : INFINITY;
	return 0;
}

/* 100 at 10 from 1 on, until a profile halves it at 2: 90 left; at 6: 70 left, at 20 until 9.5. */
static void who_watches_is_told_before_each_move_of_the_clock(void **state)
{
	static const double dates[] = {0, 1, 2, 6}, rates[] = {0, 10, 5, 20};
	struct seen s = {.r = resource(10), .change_at = 2};
	struct engine_source source = {&s, seen_next, seen_change};

	(void)state;
	s.flow = flow(100, 1, s.r, 1);
	assert_ok(engine_add_source(e, &source, &err), err);
	engine_watch(e, seen_settled, &s);
	expect(1, 9.5);
	assert_int_equal(s.n, 4);
	for (uint32_t i = 0; i < 4; i++) {
		assert_double_is(s.date[i], dates[i]);
		assert_double_is(s.rate[i], rates[i]);
	}
	engine_watch(e, NULL, NULL);
	timer(1, 2);
	expect(2, 10.5);
	assert_int_equal(s.n, 4);
}

/* What more ends at a date comes without the clock moving. */
static void what_more_ends_now(void **state)
{
	struct completion c;

	(void)state;
	assert_int_equal(engine_more(e, &c), 0);
	timer(1, 1);
	timer(1, 2);
	timer(2, 3);
	assert_int_equal(engine_more(e, &c), 0);
	expect(1, 1);
	assert_int_equal(engine_more(e, &c), 1);
	assert_int_equal(c.user, 2);
	assert_int_equal(engine_more(e, &c), 0);
	assert_double_is(engine_now(e), 1);
	timer(0, 4);
	assert_int_equal(engine_more(e, &c), 1);
	assert_int_equal(c.user, 4);
	expect(3, 2);
}

/* An id is a flow's while that is under way, and of its user only. */
static void whose_an_id_is(void **state)
{
	struct resource_id r = resource(10), pipe;
	struct activity_id waits = flow(10, 1, r, 7), goes = flow(10, 0, r, 8), t = timer(9, 9);
	uint64_t user = 0;

	(void)state;
	assert_int_equal(flow_user(e, waits, &user), 1);
	assert_int_equal(user, 7);
	assert_int_equal(flow_user(e, goes, &user), 1);
	assert_int_equal(user, 8);
	assert_int_equal(flow_user(e, t, &user), 0);
	assert_int_equal(flow_user(e, (struct activity_id){77}, &user), 0);
	assert_int_equal(flow_user(e, ACTIVITY_NONE, &user), 0);
	expect(8, 1);
	assert_int_equal(flow_user(e, goes, &user), 0);
	engine_cancel(e, waits);
	assert_int_equal(flow_user(e, waits, &user), 0);
	assert_ok(engine_add_resource(e, 1, RESOURCE_FATPIPE, &pipe, &err), err);
	assert_int_equal(engine_kind(e, r), RESOURCE_SHARED);
	assert_int_equal(engine_kind(e, pipe), RESOURCE_FATPIPE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(who_watches_is_told_before_each_move_of_the_clock),
	    TEST(what_more_ends_now),
	    TEST(whose_an_id_is),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
