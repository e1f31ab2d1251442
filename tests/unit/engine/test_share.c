/* test_share.c: rates worked by hand. */
#include "engine/engine.h"
#include "test.h"

static struct engine *e;
static struct err err;

static int set_up(void **state)
{
	(void)state;
	e = engine_new(&err);
	return e ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	if (engine_check(e, &err)) {
		print_error("%s\n", err.text);
		return -1;
	}
	engine_free(e);
	return 0;
}

static struct resource_id resource_kind(double capacity, enum resource_kind kind)
{
	struct resource_id r;
	assert_ok(engine_add_resource(e, capacity, kind, &r, &err), err);
	return r;
}

static struct resource_id resource(double capacity)
{
	return resource_kind(capacity, RESOURCE_SHARED);
}

/* Amount 100, on up to two resources (the second with its coefficient, 0: unused). */
static struct activity_id flow(double weight, double bound, struct resource_id a,
                               struct resource_id b, float coef)
{
	struct flow_use uses[] = {{a, 1}, {b, coef}};
	struct flow_spec s = {.amount = 100,
	                      .bound = bound,
	                      .weight = weight,
	                      .uses = uses,
	                      .n_uses = coef > 0 ? 2 : 1};
	struct activity_id id;

	assert_ok(engine_flow(e, &s, &id, &err), err);
	return id;
}

static struct activity_id simple(struct resource_id r)
{
	return flow(1, 0, r, r, 0);
}

static double next(void)
{
	struct completion c;
	assert_int_equal(engine_next(e, &c, &err), 1);
	return engine_now(e);
}

static void expect_limit(struct activity_id a, enum flow_limit wanted, struct resource_id where)
{
	struct resource_id r = {0};
	assert_int_equal(flow_limited_by(e, a, &r), wanted);
	if (wanted == FLOW_AT_RESOURCE)
		assert_int_equal(r.v, where.v);
}

static void two_flows_share_a_link(void **state)
{
	(void)state;
	struct resource_id r = resource(10);
	struct activity_id a = simple(r), b = simple(r);
	assert_double_is(flow_rate(e, a), 5);
	assert_double_is(flow_rate(e, b), 5);
	assert_double_is(next(), 20);
	assert_double_is(next(), 20);
}

/* Bound 2 of 10: the other has 8. Ends: 100/8 = 12.5; then the first goes on at 2 until 50. */
static void a_bound_leaves_the_rest_to_others(void **state)
{
	(void)state;
	struct resource_id r = resource(10);
	struct activity_id a = flow(1, 2, r, r, 0), b = simple(r);
	assert_double_is(flow_rate(e, a), 2);
	assert_double_is(flow_rate(e, b), 8);
	expect_limit(a, FLOW_AT_BOUND, r);
	expect_limit(b, FLOW_AT_RESOURCE, r);
	assert_double_is(next(), 12.5);
	assert_double_is(next(), 50);
}

static void rates_at_a_bottleneck_are_as_weights(void **state)
{
	(void)state;
	struct resource_id r = resource(12);
	struct activity_id a = flow(1, 0, r, r, 0), b = flow(2, 0, r, r, 0),
	                   c = flow(3, 0, r, r, 0);
	assert_double_is(flow_rate(e, a), 2);
	assert_double_is(flow_rate(e, b), 4);
	assert_double_is(flow_rate(e, c), 6);
}

/* Bertsekas and Gallager's chain: one flow over two links, one more on each. Links of 10 and 4: on
 * the second both get 2, so the first leaves 8 on the first link. */
static void the_tightest_link_decides_first(void **state)
{
	(void)state;
	struct resource_id one = resource(10), two = resource(4);
	struct activity_id both = flow(1, 0, one, two, 1), first = simple(one),
	                   second = simple(two);
	assert_double_is(flow_rate(e, both), 2);
	assert_double_is(flow_rate(e, second), 2);
	assert_double_is(flow_rate(e, first), 8);
	expect_limit(both, FLOW_AT_RESOURCE, two);
	expect_limit(first, FLOW_AT_RESOURCE, one);
}

/* When the second link's own flow goes, the long flow and the first link's share: 5 each, unless
 * the second link (4) stops it: 4 and 6. */
static void who_leaves_frees_a_chain(void **state)
{
	(void)state;
	struct resource_id one = resource(10), two = resource(4);
	struct activity_id both = flow(1, 0, one, two, 1), first = simple(one),
	                   second = simple(two);
	assert_double_is(flow_rate(e, both), 2);
	engine_cancel(e, second);
	assert_double_is(flow_rate(e, both), 4);
	assert_double_is(flow_rate(e, first), 6);
	engine_set_capacity(e, two, 7);
	assert_double_is(flow_rate(e, both), 5);
	assert_double_is(flow_rate(e, first), 5);
}

/* A message and its acknowledgements: coefficient 1 on the link there, 0.05 on the link back.
 * Alone: the full capacity. With one each way, 1.05 x = 105. The coefficient is a float, 0.05f. */
static void cross_traffic_takes_a_twentieth(void **state)
{
	(void)state;
	struct resource_id there = resource(105), back = resource(105);
	struct activity_id a = flow(1, 0, there, back, 0.05f);
	assert_double_is(flow_rate(e, a), 105);
	struct activity_id b = flow(1, 0, back, there, 0.05f);
	assert_close(flow_rate(e, a), 105 / (1 + (double)0.05f), 1e-15);
	assert_close(flow_rate(e, b), 105 / (1 + (double)0.05f), 1e-15);
}

/* As many coefficients as flows: each has its own resource of capacity 100, of which a unit of its
 * rate takes coef, hence 100 / coef; all share a wide one, where 60 times 3 x at most is room. Then
 * a copy of each: half. */
static void any_number_of_coefficients(void **state)
{
	enum { N = 60 };
	struct resource_id wide = resource(1e9), own[N];
	struct activity_id first[N], second[N];

	(void)state;
	for (int i = 0; i < N; i++) {
		own[i] = resource(100);
		first[i] = flow(1, 0, wide, own[i], 1 + (float)i / 16);
	}
	for (int i = 0; i < N; i++)
		assert_close(flow_rate(e, first[i]), 100 / (1 + (double)i / 16), 1e-15);
	for (int i = 0; i < N; i++)
		second[i] = flow(1, 0, wide, own[i], 1 + (float)i / 16);
	for (int i = 0; i < N; i++) {
		assert_close(flow_rate(e, first[i]), 50 / (1 + (double)i / 16), 1e-15);
		engine_cancel(e, first[i]);
		assert_close(flow_rate(e, second[i]), 100 / (1 + (double)i / 16), 1e-15);
	}
	for (int i = 0; i < N; i++)
		assert_close(next(), 1 + (double)i / 16, 1e-12);
}

static void a_fatpipe_limits_each_flow_alone(void **state)
{
	(void)state;
	struct resource_id fat = resource_kind(10, RESOURCE_FATPIPE), r = resource(12);
	struct activity_id a = flow(1, 0, fat, r, 1), b = flow(3, 0, fat, fat, 0),
	                   c = flow(1, 4, fat, fat, 0);
	assert_double_is(flow_rate(e, a), 10);
	assert_double_is(flow_rate(e, b), 10);
	assert_double_is(flow_rate(e, c), 4);
	expect_limit(a, FLOW_AT_RESOURCE, fat);
	expect_limit(c, FLOW_AT_BOUND, fat);
	struct activity_id d = simple(r);
	assert_double_is(flow_rate(e, a), 6);
	assert_double_is(flow_rate(e, d), 6);
	expect_limit(a, FLOW_AT_RESOURCE, r);
	engine_set_capacity(e, fat, 3);
	assert_double_is(flow_rate(e, a), 3);
	assert_double_is(flow_rate(e, c), 3);
	assert_double_is(flow_rate(e, d), 9);
}

/* Two messages over a FATPIPE link, as net makes them of SimGrid's: weight 1 / latency, bound by
 * the link if there is a TCP window. */
static void two_messages(double capacity, double amount, double latency, double bound,
                         double latency2, double bound2)
{
	assert_ok(engine_set_compat(e, &err), err);
	struct flow_use use = {resource_kind(capacity, RESOURCE_FATPIPE), 1};
	struct flow_spec s = {.uses = &use, .n_uses = 1};
	struct activity_id id;

	s.amount = amount, s.latency = latency, s.bound = bound, s.weight = 1 / latency;
	assert_ok(engine_flow(e, &s, &id, &err), err);
	s.amount = 1e6, s.latency = latency2, s.bound = bound2, s.weight = 1 / latency2;
	assert_ok(engine_flow(e, &s, &id, &err), err);
}

/* Dates printed by SimGrid 3.32, CM02 without cross-traffic. No window: until the first ends, the
 * second gets 1e6 * 2 / 21. */
static void compat_dates_are_those_of_simgrid(void **state)
{
	(void)state;
	two_messages(1e6, 1e7, 0.002, 0, 0.021, 0);
	assert_close(next(), 10.002, 1e-9);
	assert_close(next(), 10.051428571, 1e-9);
}

/* The same with a window of 20000 bytes: 1e4 / latency bounds the second flow, the link the first,
 * which fills the link at its bound: it stops the second at 2e6 * 3 / 7 … */
static void compat_a_bound_at_the_capacity_stops_the_others(void **state)
{
	(void)state;
	two_messages(2e6, 1e7, 0.003, 2e6, 0.007, 1e4 / 0.007);
	assert_close(next(), 1.173666667, 1e-9);
	assert_close(next(), 5.003, 1e-9);
}

/* … or not, when bound * latency is rounded below capacity / (1 / latency). */
static void compat_a_bound_at_the_capacity_comes_first_by_rounding(void **state)
{
	(void)state;
	two_messages(2e6, 1e7, 0.001942835049174445, 2e6, 0.005942835049174445,
	             1e4 / 0.005942835049174445);
	assert_close(next(), 0.600226340, 1e-9);
	assert_close(next(), 5.001942835, 1e-9);
}

/* SimGrid: when the heaviest flow fills the pipe, at level 9/3, the others stop at that level
 * too. */
static void compat_a_fatpipe_stops_all_its_flows_together(void **state)
{
	(void)state;
	assert_ok(engine_set_compat(e, &err), err);
	struct resource_id fat = resource_kind(9, RESOURCE_FATPIPE);
	struct activity_id a = flow(1, 0, fat, fat, 0);
	assert_double_is(flow_rate(e, a), 9);
	struct activity_id same = flow(1, 0, fat, fat, 0);
	assert_double_is(flow_rate(e, same), 9);
	struct activity_id heavy = flow(3, 0, fat, fat, 0);
	assert_close(flow_rate(e, heavy), 9, 1e-13);
	assert_close(flow_rate(e, a), 3, 1e-13);
	assert_close(flow_rate(e, same), 3, 1e-13);
}

static struct activity_id to(struct resource_id first, struct resource_id second, double amount,
                             double latency)
{
	struct flow_use uses[2] = {{first, 1}, {second, 1}};
	struct flow_spec spec = {
	    .amount = amount, .latency = latency, .weight = 1, .uses = uses, .n_uses = 2};
	struct activity_id id;

	assert_ok(engine_flow(e, &spec, &id, &err), err);
	return id;
}

/* Two flows leave link a at one date, for x and for y, where a long flow is under way. Right: all
 * three get 5 of 10. SimGrid marks only the first link of a flow that becomes active: when the
 * second does, a is marked already, so y is left out and the long flow keeps its 10, until the next
 * change there. */
static void two_flows_leave_a_link_at_one_date(double long_rate)
{
	struct resource_id a = resource(10), b = resource(10), x = resource(10), y = resource(10);
	struct activity_id lasting = to(b, y, 1000, 0), first = to(a, x, 50, 1),
	                   second = to(a, y, 500, 1), timer;
	assert_ok(engine_timer(e, 2, 0, &timer, &err), err);
	assert_double_is(next(), 2);
	assert_double_is(flow_rate(e, first), 5);
	assert_double_is(flow_rate(e, second), 5);
	assert_double_is(flow_rate(e, lasting), long_rate);
	assert_double_is(next(), 11); /* the first flow's end lets both others be shared rightly */
	assert_double_is(flow_rate(e, second), 5);
	assert_double_is(flow_rate(e, lasting), 5);
}

static void flows_that_start_together_limit_others(void **state)
{
	(void)state;
	two_flows_leave_a_link_at_one_date(5);
}

static void compat_leaves_resources_out(void **state)
{
	(void)state;
	assert_ok(engine_set_compat(e, &err), err);
	two_flows_leave_a_link_at_one_date(10);
}

/* SimGrid's network/optim:Full. */
static void compat_whole_leaves_nothing_out(void **state)
{
	(void)state;
	assert_ok(engine_set_compat(e, &err), err);
	engine_compat_whole(e);
	two_flows_leave_a_link_at_one_date(5);
}

/* Weights 99 and 1 on a link of 1000: the first goes at its bound, 985, and 15 are left for the
 * second, which would take 1 s too: less than 2 % of the link count as nothing. From 1 s on it has
 * the whole link. */
static void little_is_left(double date)
{
	struct resource_id link = resource(1000);
	struct flow_use use = {link, 1};
	struct flow_spec s = {.uses = &use, .n_uses = 1, .amount = 985, .bound = 985, .weight = 99};
	struct activity_id id;

	assert_ok(engine_flow(e, &s, &id, &err), err);
	s.amount = 15, s.bound = 0, s.weight = 1;
	assert_ok(engine_flow(e, &s, &id, &err), err);
	assert_close(next(), 1, 1e-9);
	assert_close(next(), date, 1e-9);
}

static void compat_gives_what_is_left(void **state)
{
	(void)state;
	assert_ok(engine_set_compat(e, &err), err);
	little_is_left(1);
}

static void compat_precision_of_shares(void **state)
{
	(void)state;
	assert_ok(engine_set_compat(e, &err), err);
	engine_compat_precision(e, 1e-9, 0.02);
	little_is_left(1.015);
}

/* Three computations of 100 on two cores of speed 10: capacity 20, bound 10: 20/3 each, end at 15.
 * Started one by one: the first two at full speed until the third starts at 4 s with 60 left in
 * each: 20/3 each; those end at 13 s; the third has 40 left, alone at 10: 17 s. */
static void three_computations_on_two_cores(void **state)
{
	(void)state;
	struct resource_id cpu = resource(20);
	struct activity_id a = flow(1, 10, cpu, cpu, 0), b = flow(1, 10, cpu, cpu, 0), late;
	assert_ok(engine_timer(e, 4, 0, &late, &err), err);
	assert_double_is(flow_rate(e, a), 10);
	assert_double_is(flow_rate(e, b), 10);
	assert_double_is(next(), 4);
	struct activity_id c = flow(1, 10, cpu, cpu, 0);
	assert_double_is(flow_rate(e, c), 20.0 / 3);
	assert_double_is(flow_remaining(e, a), 60);
	assert_close(next(), 13, 1e-15);
	assert_close(next(), 13, 1e-15);
	assert_double_is(flow_rate(e, c), 10);
	assert_close(next(), 17, 1e-15);
}

/* 100 at 10 until 4 s, at 5 from then on: 60 left, end at 16 s. */
static void capacity_changes_in_mid_flow(void **state)
{
	(void)state;
	struct resource_id r = resource(10);
	struct activity_id late;
	simple(r);
	assert_ok(engine_timer(e, 4, 0, &late, &err), err);
	assert_double_is(next(), 4);
	engine_set_capacity(e, r, 5);
	assert_double_is(engine_capacity(e, r), 5);
	assert_double_is(next(), 16);
}

/* n equal flows through one link end at one date, whatever n: the rounding of n * (capacity / n)
 * must not leave one behind. */
static void equal_flows_end_together(void **state)
{
	(void)state;
	for (int n = 1; n <= 100; n++) {
		struct resource_id r = resource(1.1);
		double start = engine_now(e), end;
		for (int i = 0; i < n; i++)
			simple(r);
		end = next();
		assert_close(end - start, 100 * n / 1.1, 1e-10);
		for (int i = 1; i < n; i++)
			assert_double_is(next(), end);
	}
}

/* What cannot change a sharing must not look at it: 1000 bounded flows leave room on a link; a flow
 * that comes and goes there gives one rate, its own. */
static void a_change_without_effect_touches_nobody(void **state)
{
	struct engine_stats before, after;
	struct resource_id r, own;
	struct activity_id a;

	(void)state;
	r = resource(2000), own = resource(5);
	for (int i = 0; i < 1000; i++)
		flow(1, 1, r, r, 0);
	assert_ok(engine_check(e, &err), err); /* solves them, who are a class */
	engine_stats(e, &before);
	a = flow(1, 0, own, r, 1);
	assert_double_is(flow_rate(e, a), 5);
	engine_cancel(e, a);
	assert_ok(engine_check(e, &err), err);
	engine_stats(e, &after);
	assert_int_equal(after.rate_changes - before.rate_changes, 1);
}

/* 4 of the narrow link at first. Then levels on the wide one are 10 / (1 + 3) = 2.5: 2.5 and 7.5.
 * That ends at 100 / 7.5 = 40/3; what remains of the other, 100 - 2.5 * 40/3 = 200/3, goes at 4
 * again: until 40/3 + 50/3 = 30. */
static void who_is_alone_at_its_limit_is_taken_from(void **state)
{
	(void)state;
	struct resource_id wide = resource(10), narrow = resource(4);
	struct activity_id a = flow(1, 0, wide, narrow, 1), b;

	assert_double_is(flow_rate(e, a), 4);
	expect_limit(a, FLOW_AT_RESOURCE, narrow);
	b = flow(3, 0, wide, wide, 0);
	assert_double_is(flow_rate(e, b), 7.5);
	assert_double_is(flow_rate(e, a), 2.5);
	expect_limit(a, FLOW_AT_RESOURCE, wide);
	assert_ok(engine_check(e, &err), err);
	assert_double_is(next(), 40. / 3);
	assert_double_is(next(), 30);
}

/* Two share the narrow link, 2 each. On the other one the start has twice the weight: 3 / (1 + 2) =
 * 1 and 2; what the first gives back on the narrow link is the second's: 3. */
static void what_is_given_back_elsewhere_is_anothers(void **state)
{
	(void)state;
	struct resource_id other = resource(3), narrow = resource(4);
	struct activity_id a = flow(1, 0, other, narrow, 1), b = simple(narrow), c;

	assert_double_is(flow_rate(e, a), 2);
	assert_double_is(flow_rate(e, b), 2);
	c = flow(2, 0, other, other, 0);
	assert_double_is(flow_rate(e, c), 2);
	assert_double_is(flow_rate(e, a), 1);
	assert_double_is(flow_rate(e, b), 3);
}

/* Beside a flow of 10 the start could have half, but its other link has 2: the first keeps 8. */
static void a_start_stopped_elsewhere_takes_less(void **state)
{
	(void)state;
	struct resource_id r = resource(10), narrow = resource(2);
	struct activity_id a = simple(r), b;

	assert_double_is(flow_rate(e, a), 10);
	b = flow(1, 0, r, narrow, 1);
	assert_double_is(flow_rate(e, b), 2);
	assert_double_is(flow_rate(e, a), 8);
	expect_limit(a, FLOW_AT_RESOURCE, r);
}

static int count_alike(void *self, const struct engine_flow_state *flow, struct err *ignored)
{
	(void)ignored;
	assert_double_is(flow->weight, 2);
	assert_double_is(flow->bound, 500);
	++*(int *)self;
	return 0;
}

/* 20 flows of 100, 200 ... 2,000 units through one resource of 2,000 units/s: while n are left each
 * gets 2,000 / n, and the next one to end has 100 units more than the last: that takes 100 n / 2000
 * seconds, as long as 2,000 / n is below the bound of 500. Most of them are one class. */
static void a_crowd_of_equals_is_one(void **state)
{
	struct resource_id r = resource(2000), at;
	struct flow_use use = {r, 1};
	struct resource_user users[32];
	struct activity_id id[20];
	struct completion done;
	double date = 0;
	int visited = 0;

	(void)state;
	for (unsigned i = 0; i < 20; i++) {
		struct flow_spec s = {.amount = 100 * (i + 1.0),
		                      .bound = 500,
		                      .weight = 2,
		                      .uses = &use,
		                      .n_uses = 1,
		                      .user = i};
		assert_ok(engine_flow(e, &s, &id[i], &err), err);
	}
	assert_int_equal(resource_users(e, r, users, 32), 20);
	for (unsigned i = 0; i < 20; i++) {
		assert_close(flow_rate(e, id[i]), 100, 1e-9);
		assert_close(flow_remaining(e, id[i]), 100 * (i + 1.0), 1e-9);
		assert_int_equal(flow_limited_by(e, id[i], &at), FLOW_AT_RESOURCE);
		assert_close(users[i].rate, 100, 1e-9);
	}
	assert_ok(engine_flows_on(e, r, count_alike, &visited, &err), err);
	assert_int_equal(visited, 20);
	for (unsigned i = 0; i < 20; i++) {
		unsigned left = 20 - i;
		assert_int_equal(engine_next(e, &done, &err), 1);
		date += left > 4 ? 100.0 * left / 2000 : 100.0 / 500;
		assert_int_equal(done.user, i);
		assert_close(engine_now(e), date, 1e-9);
	}
}

static struct activity_id alike(struct resource_id r, double amount, double weight, uint64_t user)
{
	struct flow_use use = {r, 1};
	struct flow_spec s = {.amount = amount,
	                      .bound = 1,
	                      .weight = weight,
	                      .uses = &use,
	                      .n_uses = 1,
	                      .user = user};
	struct activity_id id;

	assert_ok(engine_flow(e, &s, &id, &err), err);
	return id;
}

/* Two classes on a link of 100 that nobody fills: 20 of weight 1 and 12 of weight 2, all at their
 * bound of 1. When one of the former ends 80 of the latter start, and the link is full: 19 x + 92 *
 * 2 x = 100, x = 100 / 203. That of the former changes first, when the link is not yet contended.
 */
static void a_class_that_changes_sees_what_another_makes_contended(void **state)
{
	struct resource_id r = resource(100);
	struct activity_id first[20], second;
	struct completion done;

	(void)state;
	for (unsigned i = 0; i < 20; i++)
		first[i] = alike(r, i < 19 ? 100 : 50, 1, i);
	for (unsigned i = 0; i < 12; i++)
		second = alike(r, 1000, 2, 100);
	assert_int_equal(engine_next(e, &done, &err), 1);
	assert_int_equal(done.user, 19);
	for (unsigned i = 0; i < 80; i++)
		alike(r, 1000, 2, 100);
	for (unsigned i = 0; i < 19; i++)
		assert_close(flow_rate(e, first[i]), 100 / 203.0, 1e-12);
	assert_close(flow_rate(e, second), 200 / 203.0, 1e-12);
	assert_ok(engine_check(e, &err), err);
}

/* 60 flows of 1, 2, … 60 units behind one link of 100/s, each with a link and a bound (50/s) of its
 * own: m of them have 100/m each, the last one its bound. So they end every m/100 s. What each end
 * costs does not depend on how many are left. */
static void flows_behind_one_link_count_in_virtual_time(void **state)
{
	enum { N = 60 };
	struct resource_id backbone = resource(100);
	struct engine_stats stats;
	struct activity_id ids[N];
	double date = 0;

	(void)state;
	for (int i = 0; i < N; i++) {
		struct flow_use uses[] = {{resource(100), 1}, {backbone, 1}};
		struct flow_spec s = {
		    .amount = 1 + i, .bound = 50, .weight = 1, .uses = uses, .n_uses = 2};
		assert_ok(engine_flow(e, &s, &ids[i], &err), err);
	}
	for (int m = N; m > 1; m--) {
		date += m / 100.0;
		assert_close(next(), date, 1e-12);
		assert_ok(engine_check(e, &err), err);
		if (m < 4)
			continue;
		assert_close(flow_rate(e, ids[N - 1]), 100.0 / (m - 1), 1e-12);
		assert_close(flow_remaining(e, ids[N - 1]), m - 1, 1e-12);
		expect_limit(ids[N - 1], FLOW_AT_RESOURCE, backbone);
	}
	expect_limit(ids[N - 1], FLOW_AT_BOUND, backbone);
	assert_close(next(), date + 0.02, 1e-12);
	engine_stats(e, &stats);
	assert_true(stats.rate_changes < 6 * N);
}

/* 40 flows of 1 unit that arrive together behind a link of 100/s, each with a link of 100/s of its
 * own: 2.5/s each, so all end 0.4 s later. From the third time on, when so many came the time
 * before, they are counted when they come, and have one rate among them from the first. */
static void a_crowd_that_comes_again_is_one_flow(void **state)
{
	enum { N = 40, ROUNDS = 4 };
	struct resource_id backbone = resource(100), own[N];
	struct engine_stats before, after;
	struct activity_id ids[N], date;

	(void)state;
	engine_set_batches(e, UINT32_MAX);
	for (int i = 0; i < N; i++)
		own[i] = resource(100);
	for (int round = 0; round < ROUNDS; round++) {
		engine_stats(e, &before);
		for (int i = 0; i < N; i++) {
			struct flow_use uses[] = {{own[i], 1}, {backbone, 1}};
			struct flow_spec s = {.amount = 1,
			                      .latency = 0.5,
			                      .weight = 1,
			                      .bound = 1000,
			                      .uses = uses,
			                      .n_uses = 2};
			assert_ok(engine_flow(e, &s, &ids[i], &err), err);
		}
		assert_ok(engine_timer(e, 0.6, 0, &date, &err), err);
		assert_close(next(), 0.9 * round + 0.6, 1e-12);
		assert_ok(engine_check(e, &err), err);
		engine_stats(e, &after);
		assert_true(round < 2 || after.rate_changes - before.rate_changes == 1);
		for (int i = 0; i < N; i++) {
			assert_close(flow_rate(e, ids[i]), 2.5, 1e-12);
			assert_close(flow_remaining(e, ids[i]), 0.75, 1e-12);
			expect_limit(ids[i], FLOW_AT_RESOURCE, backbone);
		}
		for (int i = 0; i < N; i++) {
			assert_close(next(), 0.9 * (round + 1), 1e-12);
			assert_ok(engine_check(e, &err), err);
		}
	}
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

/* One flow of 100 at its bound of 10, which is all that r has; from 5 on one of 25 beside it, with
 * twice the weight on s, which nobody fills: both have 5, the second ends at 10, the first at 12.5.
 * A resource that comes after the meter is counted too. */
static void a_meter_counts(void **state)
{
	(void)state;
	struct resource_id r = resource(10);
	struct engine_metered m;
	struct activity_id timer;

	engine_metered(e, r, &m);
	assert_true(m.moved == 0 && m.held == 0);
	assert_ok(engine_meter(e, &err), err);
	struct resource_id s = resource(1000);
	flow(1, 10, r, s, 2);
	assert_ok(engine_timer(e, 5, 0, &timer, &err), err);
	assert_double_is(next(), 5);
	engine_metered(e, r, &m);
	assert_double_is(m.moved, 100);
	assert_double_is(m.held, 0);
	struct flow_use use = {r, 1};
	assert_ok(
	    engine_flow(e,
	                &(struct flow_spec){
	                    .amount = 25, .bound = 10, .weight = 1, .uses = &use, .n_uses = 1},
	                &timer, &err),
	    err);
	assert_double_is(next(), 10);
	assert_double_is(next(), 12.5);
	engine_metered(e, r, &m);
	assert_double_is(m.moved, 125);
	assert_double_is(m.held, 5);
	engine_metered(e, s, &m);
	assert_double_is(m.moved, 200);
	assert_double_is(m.held, 0);
}

/* Each has the links in an order of its own, so that who moves up in a list of members is there by
 * another use than who left. Of n flows with a
 * capacity of 10, the one that has least, 100 more to go, ends 10 n later. */
static void long_ways_keep_their_places(void **state)
{
	enum { LINKS = 40, FLOWS = 5 };
	struct resource_id link[LINKS];
	struct flow_use uses[LINKS];
	struct activity_id id;
	double date = 0;

	(void)state;
	for (uint32_t i = 0; i < LINKS; i++)
		link[i] = resource(10);
	for (uint32_t f = 0; f < FLOWS; f++) {
		struct flow_spec s = {
		    .amount = 100 * (f + 1), .weight = 1, .uses = uses, .n_uses = LINKS};
		for (uint32_t k = 0; k < LINKS; k++)
			uses[k] = (struct flow_use){link[(7 * k + 11 * f) % LINKS], 1};
		assert_ok(engine_flow(e, &s, &id, &err), err);
	}
	for (uint32_t left = FLOWS; left > 0; left--) {
		assert_ok(engine_check(e, &err), err);
		date += left * 100 / 10.0;
		assert_double_is(next(), date);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(two_flows_share_a_link),
	    TEST(a_bound_leaves_the_rest_to_others),
	    TEST(rates_at_a_bottleneck_are_as_weights),
	    TEST(the_tightest_link_decides_first),
	    TEST(who_leaves_frees_a_chain),
	    TEST(cross_traffic_takes_a_twentieth),
	    TEST(any_number_of_coefficients),
	    TEST(a_fatpipe_limits_each_flow_alone),
	    TEST(compat_dates_are_those_of_simgrid),
	    TEST(compat_a_bound_at_the_capacity_stops_the_others),
	    TEST(compat_a_bound_at_the_capacity_comes_first_by_rounding),
	    TEST(compat_a_fatpipe_stops_all_its_flows_together),
	    TEST(flows_that_start_together_limit_others),
	    TEST(compat_leaves_resources_out),
	    TEST(compat_whole_leaves_nothing_out),
	    TEST(compat_gives_what_is_left),
	    TEST(compat_precision_of_shares),
	    TEST(three_computations_on_two_cores),
	    TEST(capacity_changes_in_mid_flow),
	    TEST(equal_flows_end_together),
	    TEST(a_change_without_effect_touches_nobody),
	    TEST(who_is_alone_at_its_limit_is_taken_from),
	    TEST(what_is_given_back_elsewhere_is_anothers),
	    TEST(a_start_stopped_elsewhere_takes_less),
	    TEST(a_crowd_of_equals_is_one),
	    TEST(a_crowd_that_comes_again_is_one_flow),
	    TEST(a_class_that_changes_sees_what_another_makes_contended),
	    TEST(flows_behind_one_link_count_in_virtual_time),
	    TEST(a_meter_counts),
	    TEST(long_ways_keep_their_places),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
