/* test_batch.c: flows in step (batch.c), worked by hand. 40 flows of 10 units begin together, two
 * on each of 20 links of 100/s; their latency is 0.5 s. So each has 50/s, and all end at 0.7 s. */
#include "lib.h"

enum { LINKS = 20, N = 2 * LINKS, TIMER = 1000 };

static struct resource_id links[LINKS];
static struct activity_id ids[N];

static void links_add(void)
{
	for (int i = 0; i < LINKS; i++)
		links[i] = resource(100);
}

static void step_begin(void)
{
	for (uint32_t i = 0; i < N; i++)
		ids[i] = flow(10, 0.5, links[i / 2], i);
}

static uint64_t batched(void)
{
	struct engine_stats stats;

	engine_stats(e, &stats);
	return stats.batched;
}

static double next(uint64_t *user)
{
	struct completion c;

	assert_int_equal(engine_next(e, &c, &err), 1);
	*user = c.user;
	return engine_now(e);
}

static void expect_near(uint64_t user, double date)
{
	uint64_t who;

	assert_close(next(&who), date, 1e-12);
	assert_int_equal(who, user);
	assert_ok(engine_check(e, &err), err);
}

/* All flows from `from` to `to`, but those that the link `but` has, in any order. */
static void expect_all(uint32_t from, uint32_t to, uint32_t but, double date)
{
	int seen[N + 1] = {0};
	uint64_t user;

	for (uint32_t i = from; i <= to; i++) {
		if (i / 2 == but)
			continue;
		assert_close(next(&user), date, 1e-12);
		assert_in_range(user, from, to);
		assert_int_not_equal(user / 2, but);
		assert_false(seen[user]++);
		assert_ok(engine_check(e, &err), err);
	}
}

static void in_step_they_end_together(void **state)
{
	struct resource_id r;

	(void)state;
	links_add();
	for (int round = 0; round < 3; round++) {
		step_begin();
		timer(0.6, TIMER);
		expect_near(TIMER, 0.7 * round + 0.6);
		assert_int_equal(batched(), (round + 1) * N);
		for (uint32_t i = 0; i < N; i++) {
			assert_close(flow_rate(e, ids[i]), 50, 1e-12);
			assert_close(flow_remaining(e, ids[i]), 5, 1e-9);
			assert_int_equal(flow_limited_by(e, ids[i], &r), FLOW_AT_RESOURCE);
			assert_int_equal(r.v, links[i / 2].v);
		}
		expect_all(0, N - 1, LINKS, 0.7 * (round + 1));
	}
	expect_nothing();
}

/* Between two ends of one date. */
static void one_that_ends_may_be_cancelled(void **state)
{
	(void)state;
	links_add();
	step_begin();
	expect_near(0, 0.7);
	engine_cancel(e, ids[5]);
	engine_cancel(e, ids[N - 1]);
	expect_all(1, 4, LINKS, 0.7);
	engine_cancel(e, ids[6]);
	expect_all(7, N - 2, LINKS, 0.7);
	expect_nothing();
}

/* At 0.6 s a third one comes to link 3: each has 33.3/s. Those that were there have 5 units left,
 * until 0.75 s; then it has 5 left, and 100/s. */
static void who_comes_takes_from_them(void **state)
{
	struct activity_id a;

	(void)state;
	links_add();
	step_begin();
	timer(0.6, TIMER);
	expect_near(TIMER, 0.6);
	a = flow(10, 0, links[3], N);
	assert_close(flow_rate(e, a), 100 / 3.0, 1e-12);
	assert_close(flow_rate(e, ids[7]), 100 / 3.0, 1e-12);
	assert_close(flow_rate(e, ids[8]), 50, 1e-12);
	expect_all(0, N - 1, 3, 0.7);
	expect_all(6, 7, LINKS, 0.75);
	expect_near(N, 0.8);
	expect_nothing();
}

/* The other flow of each of their links is alone: 100/s, until 0.6 s. */
static void in_their_latency_they_may_be_cancelled(void **state)
{
	(void)state;
	links_add();
	step_begin();
	timer(0.2, TIMER);
	expect_near(TIMER, 0.2);
	engine_cancel(e, ids[0]);
	engine_cancel(e, ids[1]);
	engine_cancel(e, ids[7]);
	engine_cancel(e, ids[N - 1]);
	ids[1] = flow(10, 0.3, links[0], N); /* in their place */
	expect_near(6, 0.6);
	expect_near(N - 2, 0.6);
	expect_near(N, 0.6);
	expect_all(2, N - 3, 3, 0.7);
	expect_nothing();
	assert_int_equal(batched(), N - 3);
}

static void who_is_where_can_be_asked(void **state)
{
	struct resource_user users[3];

	(void)state;
	links_add();
	step_begin();
	timer(0.6, TIMER);
	expect_near(TIMER, 0.6);
	assert_int_equal(resource_users(e, links[4], users, 3), 2);
	for (int i = 0; i < 2; i++) {
		assert_close(users[i].rate, 50, 1e-12);
		assert_close(users[i].remaining, 5, 1e-9);
	}
	expect_all(0, N - 1, LINKS, 0.7);
	expect_nothing();
}

/* Half of link 3's capacity from 0.6 s on: 5 units at 25/s. */
static void a_link_may_change(void **state)
{
	(void)state;
	links_add();
	step_begin();
	timer(0.6, TIMER);
	expect_near(TIMER, 0.6);
	engine_set_capacity(e, links[3], 50);
	expect_all(0, N - 1, 3, 0.7);
	expect_all(6, 7, LINKS, 0.8);
	expect_nothing();
}

static void those_that_are_opened_are_tried_again(void **state)
{
	uint64_t user;

	(void)state;
	links_add();
	for (int round = 0; round < 20; round++) {
		step_begin();
		timer(0.6, TIMER);
		while (next(&user), user != TIMER)
			;
		flow(10, 0, links[0], N);
		for (int i = 0; i < N + 1; i++)
			next(&user);
		assert_int_equal(batched(), (round + 1) * N);
	}
}

/* While somebody is on a link nothing can be a batch; that is tried ever less, so that the first
 * that could be one afterwards is none. In the end they are tried again. */
static void what_is_in_vain_is_seldom_tried(void **state)
{
	struct activity_id there;
	int rounds = 0;
	uint64_t user;

	(void)state;
	links_add();
	there = flow(1e9, 0, links[0], N);
	for (int round = 0; round < 5; round++) {
		step_begin();
		for (int i = 0; i < N; i++)
			next(&user);
	}
	engine_cancel(e, there);
	assert_int_equal(batched(), 0);
	for (; batched() == 0; rounds++) {
		step_begin();
		expect_all(0, N - 1, LINKS, engine_now(e) + 0.7);
	}
	assert_in_range(rounds, 2, 20);
}

/* On a resource that gives each flow its capacity, which is 0 for a second. */
static void those_that_get_nothing_wait(void **state)
{
	struct flow_use use[2];
	struct activity_id a;

	(void)state;
	links_add();
	assert_ok(engine_add_resource(e, 25, RESOURCE_FATPIPE, &use[1].resource, &err), err);
	engine_set_capacity(e, use[1].resource, 0);
	use[1].coef = 1;
	for (uint32_t i = 0; i < N; i++) {
		use[0] = (struct flow_use){links[i / 2], 1};
		assert_ok(engine_flow(e,
		                      &(struct flow_spec){.amount = 10,
		                                          .weight = 1,
		                                          .uses = use,
		                                          .n_uses = 2,
		                                          .latency = 0.5,
		                                          .user = i},
		                      &a, &err),
		          err);
	}
	timer(1, TIMER);
	expect_near(TIMER, 1);
	assert_double_is(flow_rate(e, a), 0);
	expect_nothing();
	engine_set_capacity(e, use[1].resource, 25);
	expect_all(0, N - 1, LINKS, 1.4);
	expect_nothing();
}

int main(void)
{
	const struct CMUnitTest tests[] = {TEST(in_step_they_end_together),
	                                   TEST(one_that_ends_may_be_cancelled),
	                                   TEST(who_comes_takes_from_them),
	                                   TEST(in_their_latency_they_may_be_cancelled),
	                                   TEST(who_is_where_can_be_asked),
	                                   TEST(a_link_may_change),
	                                   TEST(those_that_are_opened_are_tried_again),
	                                   TEST(what_is_in_vain_is_seldom_tried),
	                                   TEST(those_that_get_nothing_wait)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
