/* test_carried.c: flows counted in virtual time though others are in their way elsewhere: dates
 * worked by hand. They are carried from the first rates on (engine_set_carry). */
#include "lib.h"

enum { N = 20 };

static struct resource_id backbone, side;
static struct activity_id ids[N], other;

static struct activity_id start(double amount, double bound, uint64_t user,
                                const struct flow_use *uses, uint32_t n_uses)
{
	struct activity_id a;

	assert_ok(engine_flow(e,
	                      &(struct flow_spec){.amount = amount,
	                                          .bound = bound,
	                                          .weight = 1,
	                                          .uses = uses,
	                                          .n_uses = n_uses,
	                                          .user = user},
	                      &a, &err),
	          err);
	return a;
}

/* N flows behind a backbone of 20/s, those of even number through a side link, too; each has a link
 * of its own, so that no two go one way. Flow i has first + i * step units. */
static void crowd(double side_capacity, double first, double step)
{
	engine_set_carry(e, 4, 0);
	backbone = resource(N);
	side = resource(side_capacity);
	for (uint32_t i = 0; i < N; i++) {
		struct flow_use uses[] = {{resource(100), 1}, {backbone, 1}, {side, 1}};

		ids[i] = start(first + i * step, 1000, i, uses, i % 2 ? 2 : 3);
	}
}

static void checked(uint64_t user, double date)
{
	struct completion c;

	assert_int_equal(engine_next(e, &c, &err), 1);
	assert_int_equal(c.user, user);
	assert_close(engine_now(e), date, 1e-12);
	assert_ok(engine_check(e, &err), err);
}

/* Those of first, first + step, … but for one end at one date, in whatever order. */
static void all_checked(uint32_t first, uint32_t step, uint32_t but, double date)
{
	int seen[N] = {0};
	struct completion c;

	for (uint32_t i = first; i < N; i += step) {
		if (i == but)
			continue;
		assert_int_equal(engine_next(e, &c, &err), 1);
		assert_close(engine_now(e), date, 1e-12);
		assert_true(c.user < N && c.user >= first && (c.user - first) % step == 0 &&
		            c.user != but && !seen[c.user]);
		seen[c.user] = 1;
		assert_ok(engine_check(e, &err), err);
	}
}

static void at(double delay)
{
	double date = engine_now(e) + delay;

	timer(delay, 99);
	checked(99, date);
}

static void limited(struct activity_id a, struct resource_id where)
{
	struct resource_id r;

	assert_int_equal(flow_limited_by(e, a, &r), FLOW_AT_RESOURCE);
	assert_int_equal(r.v, where.v);
}

/* Flow i has i + 1 units: with n of them left each has 20/n, and the next ends n/20 later. Another
 * flow has what the even ones, m, leave of 15 on the side: 15 - 20 m/n. That is until the last two,
 * with 1 and 2 units left: now these 15 are for two, 7.5 each, and the odd one has 12.5 of the
 * backbone, then all. The other has got 15 n/20 - m in each of 18 steps, 155.25 - 99 in all, then
 * 7.5 for 1/7.5 s. */
static void another_takes_what_they_leave(void **state)
{
	double date = 0;

	(void)state;
	crowd(15, 1, 1);
	other = start(1000, 0, N, (struct flow_use[]){{side, 1}}, 1);
	for (uint32_t n = N; n > 2; n--) {
		uint32_t m = n / 2; /* 0 is the first to end, 1 the next */

		date += n / 20.0;
		assert_close(flow_rate(e, other), 15 - 20.0 * m / n, 1e-12);
		assert_close(flow_rate(e, ids[N - 1]), 20.0 / n, 1e-12);
		limited(ids[N - 1], backbone);
		checked(N - n, date);
	}
	assert_close(flow_remaining(e, other), 1000 - (155.25 - 99), 1e-12);
	limited(ids[N - 2], side);
	assert_close(flow_rate(e, ids[N - 1]), 12.5, 1e-12);
	date += 1 / 7.5;
	checked(N - 2, date);
	assert_close(flow_remaining(e, other), 1000 - (155.25 - 99) - 1, 1e-12);
	checked(N - 1, date + (2 - 12.5 / 7.5) / 20);
	assert_close(engine_now(e), 10.5, 1e-12); /* 210 units at 20 */
}

/* 20 units each. The side has 100, then, from 5 on, 5: the ten even flows have 0.5, the others 1.5,
 * which end their 15 at 15. At 20 the side has 100 again: the even ones have 7.5 left, at 2. */
static void a_link_in_their_way_closes_and_opens(void **state)
{
	(void)state;
	crowd(100, 20, 0);
	other = start(1e6, 91, N, (struct flow_use[]){{side, 1}}, 1); /* 10 + 91: just contended */
	at(5);
	assert_close(flow_rate(e, other), 90, 1e-12);
	engine_cancel(e, other);
	engine_set_capacity(e, side, 5);
	assert_close(flow_rate(e, ids[0]), 0.5, 1e-12);
	assert_close(flow_rate(e, ids[1]), 1.5, 1e-12);
	limited(ids[0], side);
	limited(ids[1], backbone);
	assert_close(flow_remaining(e, ids[0]), 15, 1e-12);
	all_checked(1, 2, N, 15);
	at(5);
	assert_close(flow_remaining(e, ids[0]), 7.5, 1e-12);
	engine_set_capacity(e, side, 100);
	all_checked(0, 2, N, 23.75);
	expect_nothing();
}

/* 20 units each, one flow beside them on the side, which has 15, has 5. At 5 flow 0 is cancelled,
 * and flow 2 bounded to 0.25: the other 18 have 19.75/18, and the one beside 15 - 0.25 less eight
 * times as much. */
static void carried_ones_are_cancelled_and_bounded(void **state)
{
	double rate = 19.75 / 18, end = 5 + 15 / rate;

	(void)state;
	crowd(15, 20, 0);
	other = start(1e6, 0, N, (struct flow_use[]){{side, 1}}, 1);
	at(5);
	assert_close(flow_rate(e, other), 5, 1e-12);
	engine_cancel(e, ids[0]);
	engine_change_flow(e, ids[2], 0.25, 1);
	assert_close(flow_rate(e, ids[2]), 0.25, 1e-12);
	assert_close(flow_rate(e, ids[1]), rate, 1e-12);
	assert_close(flow_rate(e, other), 14.75 - 8 * rate, 1e-12);
	assert_close(flow_remaining(e, other), 1e6 - 25, 1e-12);
	all_checked(1, 1, 2, end);
	assert_close(flow_rate(e, other), 14.75, 1e-12);
	checked(2, 65);
}

/* A flow on the side that counts three times there, and twice in weight. With 2 L for it and 10 L
 * for the even ones the side of 12 is full at 12/16: the odd ones have (20 - 7.5)/10. Without it
 * (at 4) all have 1. */
static void coefficients_and_weights_count(void **state)
{
	struct flow_use thrice;

	(void)state;
	crowd(12, 20, 0);
	thrice = (struct flow_use){side, 3};
	assert_ok(
	    engine_flow(e,
	                &(struct flow_spec){
	                    .amount = 6, .weight = 2, .uses = &thrice, .n_uses = 1, .user = N},
	                &other, &err),
	    err);
	assert_close(flow_rate(e, other), 1.5, 1e-12);
	assert_close(flow_rate(e, ids[0]), 0.75, 1e-12);
	assert_close(flow_rate(e, ids[1]), 1.25, 1e-12);
	checked(N, 4);
	assert_close(flow_rate(e, ids[0]), 1, 1e-12);
	assert_close(flow_remaining(e, ids[0]), 17, 1e-12);
	all_checked(1, 2, N, 4 + 15);           /* 5 are gone at 4 */
	all_checked(0, 2, N, 4 + 15 + 2 / 1.2); /* 2 are left, at 12/10 */
}

/* 12 hosts send to all others at once, d units to the d-th after them. Each link out has 10, each
 * link in 10.5, and n flows when those to the n nearest have gone: 10/n each, limited by the link
 * out. So the hosts' d-th messages end (12 - d)/10 after the one before. Every message's ways out
 * and in are contended, and 12 resources limit crowds that meet. */
static void all_to_all(void **state)
{
	enum { HOSTS = 12 };
	struct resource_id out[HOSTS], in[HOSTS];
	double date = 0;

	(void)state;
	engine_set_carry(e, 4, 1);
	for (uint32_t h = 0; h < HOSTS; h++) {
		out[h] = resource(10);
		in[h] = resource(10.5);
	}
	for (uint32_t h = 0; h < HOSTS; h++)
		for (uint32_t d = 1; d < HOSTS; d++)
			start(d, 0, d, (struct flow_use[]){{out[h], 1}, {in[(h + d) % HOSTS], 1}},
			      2);
	for (uint32_t d = 1; d < HOSTS; d++) {
		date += (HOSTS - d) / 10.0;
		for (uint32_t h = 0; h < HOSTS; h++)
			checked(d, date);
	}
	expect_nothing();
}

/* As many rates change at an end however many are carried: those of the one that stands for them
 * and of the other on the side. */
static void an_end_costs_no_more_where_others_are_in_the_way(void **state)
{
	struct engine_stats before, after;

	(void)state;
	crowd(15, 1, 1);
	other = start(1000, 0, N, (struct flow_use[]){{side, 1}}, 1);
	for (uint32_t i = 0; i < 4; i++)
		checked(i, (i + 1) - i * (i + 1) / 40.0);
	engine_stats(e, &before);
	for (uint32_t i = 4; i < 12; i++)
		checked(i, (i + 1) - i * (i + 1) / 40.0);
	engine_stats(e, &after);
	assert_in_range(after.rate_changes - before.rate_changes, 8, 3 * 8);
}

/* 64 flows over two links, the second nearly as narrow as the first, and one of their own. They
 * come in crowds that double: 4 + 8 + … + 64 = 124 rates are found, never four times as many as
 * there are flows, and none is carried. They all have 1 then, and end one after the other, each of
 * which changes all rates that are left: after the first end 124 + 63 is less than 4 * 63, after
 * the second 124 + 63 + 62 is more than 4 * 62, and all are carried from there on. */
static void a_crowd_is_carried_when_that_is_paid_for(void **state)
{
	enum { CROWD = 64 };
	double last, got = 0, each = 0;
	struct engine_stats s;

	(void)state;
	engine_set_carry(e, 4, 4);
	backbone = resource(CROWD);
	side = resource(CROWD + 0.5);
	for (uint32_t n = 4; n <= CROWD; n *= 2) {
		for (uint32_t i = n == 4 ? 0 : n / 2; i < n; i++)
			start(1000 - got + i, 0, i,
			      (struct flow_use[]){{resource(1000), 1}, {backbone, 1}, {side, 1}},
			      3);
		at(1);
		each = (double)CROWD / n;
		got += each;
	}
	engine_stats(e, &s);
	assert_int_equal(s.carried, 0);
	last = engine_now(e);
	for (uint32_t n = CROWD; n > 0; n--) { /* one unit more than the one before */
		last += (n == CROWD ? 1000 - got : 1) * n / CROWD;
		checked(CROWD - n, last);
		engine_stats(e, &s);
		assert_int_equal(s.carried, n == CROWD ? 0 : CROWD - 2);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(another_takes_what_they_leave),
	    TEST(a_link_in_their_way_closes_and_opens),
	    TEST(carried_ones_are_cancelled_and_bounded),
	    TEST(coefficients_and_weights_count),
	    TEST(all_to_all),
	    TEST(an_end_costs_no_more_where_others_are_in_the_way),
	    TEST(a_crowd_is_carried_when_that_is_paid_for),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
