/* fault_engine.c: memory runs out at each allocation of a small simulation: an error in words, nothing leaked, and the engine stays
 * broken rather than wrong. */
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
		struct flow_use uses[] = {{{i % LINKS}, 1}, {{(i + 1 + i / LINKS) % LINKS}, 1}};
		struct flow_spec s = {.amount = 1 + i, .latency = i % 3, .weight = 1, .uses = uses, .n_uses = 2};
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

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(memory)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
