/* fault_engine.c: memory runs out at each allocation of a small simulation: an error in words,
 * nothing leaked, and the engine stays broken rather than wrong. And once warm it asks for none. */
#include "engine/engine.h"

#include "fault/fault.h"
#include "test.h"

enum { LINKS = 20, FLOWS = 100 };

static int start_all(struct engine *e, struct err *err)
{
	struct resource_id r;
	struct activity_id a;

	for (uint32_t i = 0; i < LINKS; i++)
		if (engine_add_resource(e, 10 + i, RESOURCE_SHARED, &r, err))
			return -1;
	for (uint32_t i = 0; i < FLOWS; i++) {
		float coef = 1 + (float)(i % LINKS); /* many: some flows have their own */
		struct flow_use uses[] = {{{i % LINKS}, 1}, {{(i + 1 + i / LINKS) % LINKS}, coef}};
		struct flow_spec s = {
		    .amount = 1 + i, .latency = i % 3, .weight = 1, .uses = uses, .n_uses = 2};
		if (engine_flow(e, &s, &a, err) || engine_timer(e, i, 0, &a, err))
			return -1;
	}
	return 0;
}

static int simulate(void *arg, struct err *err)
{
	struct engine *e = engine_new(err);
	struct completion c;
	struct err again;
	int result, ended = 0;

	(void)arg;
	if (!e)
		return -1;
	result = start_all(e, err);
	while (result == 0 && (result = engine_next(e, &c, err)) == 1) {
		double now = engine_now(e);

		fault_told(&now, sizeof now);
		ended++;
		result = 0;
	}
	if (result == 0)
		assert_int_equal(ended, 2 * FLOWS);
	else
		assert_true(engine_next(e, &c, &again) < 0 || ended == 0);
	engine_free(e);
	return result;
}

static void memory(void **state)
{
	(void)state;
	assert_true(fault_sweep(FAULT_ALLOC, simulate, NULL) >= 20);
}

/* --- a warm engine allocates nothing --- */

enum { HOSTS = 24, ROUNDS_WARM = 3, ROUNDS = 6 };

static uint32_t draw(uint32_t *x, uint32_t below)
{
	*x = *x * 1664525 + 1013904223;
	return (*x >> 8) % below;
}

/* Everybody sends to everybody through an up link, a backbone and a down link, and computes
 * meanwhile; the sizes are the same in all rounds. */
static void all_to_all(struct engine *e)
{
	struct activity_id a;
	struct completion c;
	struct err err;
	uint32_t x = 1;

	for (uint32_t s = 0; s < HOSTS; s++) {
		for (uint32_t d = 0; d < HOSTS; d++) {
			struct flow_use uses[] = {
			    {{2 * s}, 1}, {{2 * d + 1}, 1}, {{2 * HOSTS}, 1}, {{2 * d}, 0.05f}};
			struct flow_spec f = {.amount = 1e5 + draw(&x, 100000),
			                      .latency = 1e-4 * draw(&x, 3),
			                      .bound = 1e8,
			                      .weight = 1 + draw(&x, 3),
			                      .uses = uses,
			                      .n_uses = s == d ? 1 : 4};
			assert_ok(engine_flow(e, &f, &a, &err), err);
			assert_ok(engine_timer(e, 1e-3 * draw(&x, 10), 0, &a, &err), err);
		}
	}
	while (engine_next(e, &c, &err) == 1)
		;
}

static void a_warm_engine_allocates_nothing(void **state)
{
	struct err err;
	struct engine *e = engine_new(&err);
	struct resource_id r;

	(void)state;
	assert_non_null(e);
	for (uint32_t i = 0; i < 2 * HOSTS + 1; i++)
		assert_ok(
		    engine_add_resource(e, i < 2 * HOSTS ? 1e8 : 1e9, RESOURCE_SHARED, &r, &err),
		    err);
	for (int i = 0; i < ROUNDS_WARM; i++)
		all_to_all(e);
	fault_start(FAULT_ALLOC, 1); /* the next one would fail, and be told */
	for (int i = 0; i < ROUNDS; i++)
		all_to_all(e);
	assert_int_equal(fault_stop(), 0);
	engine_free(e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(memory),
	                                   cmocka_unit_test(a_warm_engine_allocates_nothing)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
