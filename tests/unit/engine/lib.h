/* lib.h: an engine that each test begins with, and shorthands of what is done with it. */
#ifndef ORRERY_TESTS_UNIT_ENGINE_LIB_H
#define ORRERY_TESTS_UNIT_ENGINE_LIB_H

#include "engine/engine.h"
#include "test.h"

static struct engine *e;
static struct err err;

static inline int set_up(void **state)
{
	(void)state;
	e = engine_new(&err);
	return e ? 0 : -1;
}

static inline int tear_down(void **state)
{
	(void)state;
	engine_free(e);
	return 0;
}

static inline struct resource_id resource(double capacity)
{
	struct resource_id r;
	assert_ok(engine_add_resource(e, capacity, RESOURCE_SHARED, &r, &err), err);
	return r;
}

static inline struct activity_id timer(double delay, uint64_t user)
{
	struct activity_id a;
	assert_ok(engine_timer(e, delay, user, &a, &err), err);
	return a;
}

static inline struct activity_id flow(double amount, double latency, struct resource_id r,
                                      uint64_t user)
{
	struct flow_use use = {r, 1};
	struct flow_spec s = {.amount = amount,
	                      .latency = latency,
	                      .weight = 1,
	                      .uses = &use,
	                      .n_uses = 1,
	                      .user = user};
	struct activity_id a;
	assert_ok(engine_flow(e, &s, &a, &err), err);
	return a;
}

static inline void expect(uint64_t user, double date)
{
	struct completion c;
	assert_int_equal(engine_next(e, &c, &err), 1);
	assert_int_equal(c.user, user);
	assert_double_is(engine_now(e), date);
}

static inline void expect_nothing(void)
{
	struct completion c;
	assert_int_equal(engine_next(e, &c, &err), 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

#endif
