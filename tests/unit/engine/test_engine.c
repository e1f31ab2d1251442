/* test_engine.c: the clock: timers, order of events, latency, cancellation, bad arguments. */
#include "lib.h"

#include <math.h>

/* What is told goes down the heap from what comes next, as far as there is somebody. */
static void what_is_likely_next_is_next(void **state)
{
	uint64_t user[ENGINE_LIKELY];
	struct completion c;

	(void)state;
	assert_int_equal(engine_likely(e, user), 0);
	for (uint64_t i = 0; i < 40; i++)
		timer((double)(i * 7 % 40) + 1, i * 7 % 40);
	assert_int_equal(engine_likely(e, user), 0); /* nothing has ended */
	for (uint64_t i = 0; i < 40; i++) {
		assert_int_equal(engine_next(e, &c, &err), 1);
		assert_int_equal(c.user, i);
		int n = engine_likely(e, user);
		assert_true(i < 39 ? n >= 1 && n <= ENGINE_LIKELY : n == 0);
		assert_true(i > 0 || n == 3); /* 39 events: levels of 4, 16 and the rest */
		if (n > 0)
			assert_int_equal(user[0], i + 1);
		for (int k = 1; k < n; k++)
			assert_true(user[k] > user[k - 1]);
	}
	assert_int_equal(engine_likely(e, user), 0);
}

static void timers_end_in_the_order_of_dates_then_of_starts(void **state)
{
	(void)state;
	timer(3, 30);
	timer(1, 10);
	timer(2, 20);
	timer(1, 11);
	timer(0, 0);
	expect(0, 0);
	expect(10, 1);
	expect(11, 1);
	timer(0, 12);
	timer(1, 21);
	expect(12, 1);
	expect(20, 2);
	expect(21, 2);
	expect(30, 3);
	expect_nothing();
	assert_double_is(engine_now(e), 3);
}

static void dates_a_few_ulps_apart_are_one(void **state)
{
	(void)state;
	timer(0.1 + 0.2, 1); /* 0.30000000000000004 */
	timer(0.3, 2);
	timer(0.3 * (1 + 1e-12), 3);
	expect(2, 0.3);
	expect(1, 0.3);
	expect(3, 0.3 * (1 + 1e-12));
}

static void compat_dates_a_nanosecond_apart_are_one(void **state)
{
	(void)state;
	assert_ok(engine_set_compat(e, &err), err);
	timer(1, 1);
	timer(1 + 0.9e-9, 2);
	timer(1 + 2e-9, 3);
	expect(1, 1);
	expect(2, 1);
	expect(3, 1 + 2e-9);
}

/* Less than the precision apart: one date. 0.001 and 0.001 + 1e-6 are 1e-6 apart on paper, less in
 * doubles; 0.002 and 0.002 + 1e-6 are not less. */
static void compat_dates_of_another_precision(void **state)
{
	(void)state;
	assert_ok(engine_set_compat(e, &err), err);
	engine_compat_precision(e, 1e-6, 1e-5);
	timer(0.001, 1);
	timer(0.001001, 2);
	timer(0.002, 3);
	timer(0.002001, 4);
	expect(1, 0.001);
	expect(2, 0.001);
	expect(3, 0.002);
	expect(4, 0.002001);
}

/* SimGrid takes out what is due before ranks go on: what they begin then ends at its own date. */
static void compat_what_follows_has_its_own_date(void **state)
{
	(void)state;
	assert_ok(engine_set_compat(e, &err), err);
	struct resource_id r = resource(1e9);
	timer(1, 1);
	timer(1 + 0.9e-9, 2);
	expect(1, 1);
	expect(2, 1);
	flow(0.25, 0, r, 3); /* 0.25 ns */
	timer(0.5e-9, 4);    /* less than 1 ns after that: with it */
	timer(2e-9, 5);
	expect(3, 1 + 0.25e-9);
	expect(4, 1 + 0.25e-9);
	expect(5, 1 + 2e-9);
}

/* As SimGrid's log shows (sleeps of equal overheads after a barrier): of the timers that start at
 * one date the last is the first to end; of the flows that share a resource and end at one date,
 * the one that started last; when one more starts, all are dated again. */
static void compat_equal_dates(void **state)
{
	(void)state;
	assert_ok(engine_set_compat(e, &err), err);
	timer(1, 1);
	timer(1, 2);
	timer(1, 3);
	expect(3, 1);
	expect(2, 1);
	expect(1, 1);
	struct resource_id r = resource(100), other = resource(100);
	flow(50, 0, r, 4); /* from 1 s on: 100 / 2 each, 1 s */
	flow(50, 0, r, 5);
	flow(100, 0, other, 6);
	expect(5, 2);
	expect(4, 2);
	expect(6, 2);
}

/* With network/optim:Full messages, which have a pace, end in the order in which they began, also
 * where one of them is dated anew: 1 and 3 share 100 until 3 has sent its 25 at 0.5 s, then 1 sends
 * its other 50 at 100. Computations are dated as always. */
static void compat_whole_equal_dates(void **state)
{
	struct flow_use u = {.coef = 1};
	struct flow_spec f = {.weight = 1, .uses = &u, .n_uses = 1, .pace = 4};
	struct activity_id id;

	(void)state;
	assert_ok(engine_set_compat(e, &err), err);
	engine_compat_whole(e);
	struct resource_id r = resource(100), other = resource(100), last = resource(100);
	for (f.user = 1; f.user <= 3; f.user++) {
		u.resource = f.user == 2 ? other : r;
		f.amount = (double[]){75, 100, 25}[f.user - 1];
		assert_ok(engine_flow(e, &f, &id, &err), err);
	}
	flow(50, 0, last, 4);
	flow(50, 0, last, 5);
	expect(3, 0.5);
	expect(1, 1);
	expect(2, 1);
	expect(5, 1);
	expect(4, 1);
}

/* 100 units at 50 per s after 1 s; nothing is used during the latency: the second flow is alone
 * until 1 s, and has sent 50 by then. From 1 s each gets 25: the second, with 50 left, ends at 3 s;
 * the first has sent 50, gets 50 per s and ends at 4 s. */
static void latency_uses_nothing(void **state)
{
	(void)state;
	struct resource_id r = resource(50);
	struct activity_id a = flow(100, 1, r, 1), b = flow(100, 0, r, 2);
	struct resource_id limiter;
	assert_double_is(flow_rate(e, a), 0);
	assert_double_is(flow_rate(e, b), 50);
	assert_int_equal(flow_limited_by(e, a, &limiter), FLOW_LATENCY);
	assert_int_equal(flow_limited_by(e, b, &limiter), FLOW_AT_RESOURCE);
	assert_int_equal(limiter.v, r.v);
	expect(2, 3);
	assert_double_is(flow_remaining(e, a), 50);
	expect(1, 4);
	expect_nothing();
}

static void nothing_to_transfer_ends_with_the_latency(void **state)
{
	(void)state;
	struct resource_id r = resource(50);
	flow(0, 2, r, 1);
	flow(0, 0, r, 2);
	expect(2, 0);
	expect(1, 2);
	expect_nothing();
}

static void a_flow_without_resources_goes_at_its_bound(void **state)
{
	(void)state;
	struct flow_spec s = {.amount = 10, .latency = 1, .bound = 5, .weight = 1, .user = 7};
	struct activity_id a;
	assert_ok(engine_flow(e, &s, &a, &err), err);
	expect(7, 3);
}

/* Cancelled in the latency, while it waits to be let in, and while active: 1 and 2 share 10 until 1
 * s (5 each), then 1 is alone. */
static void cancelled_activities_leave_no_trace(void **state)
{
	(void)state;
	struct resource_id r = resource(10);
	struct activity_id in_latency = flow(10, 5, r, 9);
	flow(10, 0, r, 1);
	struct activity_id active = flow(10, 0, r, 2);
	struct activity_id waiting = flow(10, 0, r, 3);
	engine_cancel(e, waiting);
	engine_cancel(e, in_latency);
	engine_cancel(e, timer(1, 9));
	timer(1, 4);
	expect(4, 1);
	assert_double_is(flow_remaining(e, active), 5);
	engine_cancel(e, active);
	expect(1, 1.5);
	expect_nothing();
}

static void slots_are_reused(void **state)
{
	struct engine_stats stats;

	(void)state;
	struct resource_id r = resource(10);
	for (uint64_t i = 0; i < 1000; i++) {
		timer(1, i);
		struct activity_id a = flow(10, 0, r, i + 1000);
		assert_true(a.v < 2);
		expect(i, (double)i + 1);
		expect(i + 1000, (double)i + 1);
	}
	engine_stats(e, &stats);
	assert_int_equal(stats.activities, 2000);
	assert_int_equal(stats.flows, 1000);
	assert_int_equal(stats.active_peak, 2);
}

/* Three flows as one, and one of 125: a quarter of 100 for each, so the three end at 1 + 4, and the
 * other one, which has 25 left and all of the resource, at 5.25.
 * A bound is each flow's own: alone, three of bound 10 go at 30 together, 100 of each by 10 s. */
static void a_flow_again(void **state)
{
	struct resource_id r = resource(100), s = resource(100), f;
	struct activity_id three = flow(100, 1, r, 1), one = flow(125, 1, r, 2), a, shared;
	struct flow_use use = {s, 1}, wide;
	struct flow_spec bounded = {.amount = 100,
	                            .latency = 1,
	                            .bound = 10,
	                            .weight = 2,
	                            .uses = &use,
	                            .n_uses = 1,
	                            .user = 3};

	(void)state;
	assert_int_equal(engine_flow_again(e, three, 1), 1);
	assert_int_equal(engine_flow_again(e, three, 1), 1);
	assert_int_equal(engine_flow_again(e, three, 2), 0);
	assert_ok(engine_flow(e, &bounded, &a, &err), err);
	assert_int_equal(engine_flow_again(e, a, 3), 1);
	assert_int_equal(engine_flow_again(e, a, 3), 1);
	assert_ok(engine_add_resource(e, 1, RESOURCE_FATPIPE, &f, &err), err);
	wide = (struct flow_use){f, 1};
	bounded.uses = &wide;
	bounded.user = 4;
	assert_ok(engine_flow(e, &bounded, &shared, &err), err);
	assert_int_equal(engine_flow_again(e, shared, 4), 0);
	timer(2, 5);
	expect(5, 2);
	assert_int_equal(engine_flow_again(e, one, 2), 0); /* under way */
	expect(1, 5);
	expect(2, 5.25);
	expect(3, 11);
	expect(4, 101);
	expect_nothing();
}

static void a_flow_that_cannot_end_is_no_event(void **state)
{
	(void)state;
	struct resource_id r = resource(10);
	struct activity_id a = flow(10, 0, r, 1);
	engine_set_capacity(e, r, 0);
	expect_nothing();
	assert_double_is(flow_rate(e, a), 0);
	engine_set_capacity(e, r, 5);
	expect(1, 2);
}

static void bad_arguments_are_refused_in_words(void **state)
{
	(void)state;
	struct resource_id r = resource(10), unknown = {99};
	struct flow_use use = {r, 1}, bad_use = {unknown, 1}, bad_coef = {r, 0};
	struct activity_id a;
	struct flow_spec good = {.amount = 1, .weight = 1, .uses = &use, .n_uses = 1}, s;

	assert_fails(engine_add_resource(e, 0, RESOURCE_SHARED, &unknown, &err), err, ERR_INPUT,
	             "positive");
	assert_fails(engine_timer(e, -1, 0, &a, &err), err, ERR_INPUT, "delay");
	s = good, s.amount = -1;
	assert_fails(engine_flow(e, &s, &a, &err), err, ERR_INPUT, "amount");
	s = good, s.weight = 0;
	assert_fails(engine_flow(e, &s, &a, &err), err, ERR_INPUT, "weight");
	s = good, s.n_uses = 0;
	assert_fails(engine_flow(e, &s, &a, &err), err, ERR_INPUT, "bound");
	s = good, s.uses = &bad_use;
	assert_fails(engine_flow(e, &s, &a, &err), err, ERR_INPUT, "resource 99");
	s = good, s.uses = &bad_coef;
	assert_fails(engine_flow(e, &s, &a, &err), err, ERR_INPUT, "coefficient 0");
	s = good, s.n_uses = 0xffff; /* 16 bits, and one value for none */
	assert_fails(engine_flow(e, &s, &a, &err), err, ERR_LIMIT, "65535 resources");
	s = good, s.bound = NAN;
	assert_fails(engine_flow(e, &s, &a, &err), err, ERR_INPUT, "bound");
	s = good, s.latency = INFINITY;
	assert_fails(engine_flow(e, &s, &a, &err), err, ERR_INPUT, "latency");
	expect_nothing();
	timer(1e308, 5);
	expect(5, 1e308);
	assert_fails(engine_timer(e, 1e308, 0, &a, &err), err, ERR_INPUT, "too large");
	s = good, s.latency = 1e308;
	assert_fails(engine_flow(e, &s, &a, &err), err, ERR_INPUT, "too large");
	expect_nothing();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(what_is_likely_next_is_next),
	    TEST(timers_end_in_the_order_of_dates_then_of_starts),
	    TEST(dates_a_few_ulps_apart_are_one),
	    TEST(compat_dates_a_nanosecond_apart_are_one),
	    TEST(compat_dates_of_another_precision),
	    TEST(compat_what_follows_has_its_own_date),
	    TEST(compat_equal_dates),
	    TEST(compat_whole_equal_dates),
	    TEST(latency_uses_nothing),
	    TEST(nothing_to_transfer_ends_with_the_latency),
	    TEST(a_flow_without_resources_goes_at_its_bound),
	    TEST(cancelled_activities_leave_no_trace),
	    TEST(slots_are_reused),
	    TEST(a_flow_again),
	    TEST(a_flow_that_cannot_end_is_no_event),
	    TEST(bad_arguments_are_refused_in_words),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
