/* fault_many.c: memory runs out at each allocation of simulations that keep more than a flow and
 * its uses: crowds that are alike or carried, with others in their way or without, a resource of
 * thousands, SimGrid's sharing, sources of changes. A start that fails can be repeated, and nothing
 * differs then; or the engine is broken, and says the same at each later call. */
#include "engine/engine.h"

#include "fault/fault.h"
#include "test.h"

#include <math.h>

enum { CROWD = 40 };

/* What is simulated. */
struct plan {
	int compat, sources, own_links, hosts; /* hosts: each sends to each of so many */
	uint32_t flows;
	double bound, step; /* of flow i: bound + i step */
};

/* Halves and doubles the first resource's capacity, once a second. */
struct beat {
	struct engine *e;
	double date;
};

static double beat_next(void *self)
{
	return ((struct beat *)self)->date;
}

static int beat_change(void *self, struct err *err)
{
	struct beat *b = self;

	(void)err;
	engine_set_capacity(b->e, (struct resource_id){0}, fmod(b->date, 2) == 0 ? 1000 : 500);
	b->date += 1;
	return 0;
}

/* A broken engine says why, each time. */
static void broken_check(struct engine *e, const struct err *why)
{
	struct completion c;
	struct activity_id a;
	struct err again;
	const struct flow_spec s = {.amount = 1, .bound = 1, .weight = 1};

	for (int i = 0; i < 2; i++) {
		assert_int_equal(engine_next(e, &c, &again), -1);
		assert_string_equal(again.text, why->text);
		assert_int_equal(engine_flow(e, &s, &a, &again), -1);
		assert_string_equal(again.text, why->text);
		assert_int_equal(engine_check(e, &again), -1);
		assert_string_equal(again.text, why->text);
	}
}

/* Once more if it failed: nothing may have come of the first call. */
static int flow_start(struct engine *e, const struct plan *p, uint32_t i, struct err *err)
{
	struct flow_use uses[] = {{{0}, 1}, {{1 + i % CROWD}, 1}};

	if (p->hosts) { /* from the link of one to that of another */
		uses[0].resource.v = i % (uint32_t)p->hosts;
		uses[1].resource.v = (uint32_t)p->hosts + i / (uint32_t)p->hosts;
	}
	struct flow_spec s = {.amount = 10 + i % 7,
	                      .latency = i % 3,
	                      .bound = p->bound + p->step * i,
	                      .weight = 1,
	                      .uses = uses,
	                      .n_uses = p->own_links || p->hosts ? 2 : 1,
	                      .user = i};
	struct activity_id a;
	struct engine_stats before, after;
	struct err again;

	engine_stats(e, &before);
	if (!engine_flow(e, &s, &a, err))
		return 0;
	engine_stats(e, &after);
	if (engine_flow(e, &s, &a, &again)) {
		broken_check(e, err);
		return -1;
	}
	assert_int_equal(after.active, before.active);
	assert_int_equal(after.flows, before.flows);
	return 0;
}

static int resources_make(struct engine *e, struct err *err)
{
	struct resource_id r, again;

	for (uint32_t i = 0; i <= CROWD; i++) {
		int failed = engine_add_resource(e, i ? 400 : 1000, RESOURCE_SHARED, &r, err);

		if (failed && engine_add_resource(e, i ? 400 : 1000, RESOURCE_SHARED, &again, err))
			return -1;
		assert_int_equal(failed ? again.v : r.v, i);
	}
	return 0;
}

static int plan_start(struct engine *e, const struct plan *p, struct beat *beat, struct err *err)
{
	struct engine_source source = {beat, beat_next, beat_change};

	if (resources_make(e, err) || (p->sources && engine_add_source(e, &source, err)))
		return -1;
	for (uint32_t i = 0; i < p->flows; i++)
		if (flow_start(e, p, i, err))
			return -1;
	return 0;
}

static int plan_run(void *arg, struct err *err)
{
	const struct plan *p = arg;
	struct engine *e = engine_new(err);
	struct beat beat = {e, 0.5};
	struct completion c;
	uint32_t ended = 0;
	int result;

	if (!e)
		return -1;
	if (p->hosts)
		engine_set_carry(e, 3, 1);
	result = p->compat ? engine_set_compat(e, err) : 0;
	if (result == 0)
		result = plan_start(e, p, &beat, err);
	while (result == 0 && (result = engine_next(e, &c, err)) == 1) {
		double now = engine_now(e);

		fault_told(&now, sizeof now);
		fault_told(&c.user, sizeof c.user);
		ended++;
		result = 0;
	}
	if (result == 0)
		assert_int_equal(ended, p->flows);
	engine_free(e);
	return result;
}

static void sweep(struct plan p, int least)
{
	assert_true(fault_sweep(FAULT_ALLOC, plan_run, &p) >= least);
}

static void alike(void **state)
{
	(void)state;
	sweep((struct plan){.flows = 3 * CROWD, .bound = 50}, 15);
}

static void carried(void **state)
{
	(void)state;
	sweep((struct plan){.flows = CROWD, .bound = 200, .step = 1, .own_links = 1}, 15);
}

static void carried_in_the_way_of_others(void **state)
{
	(void)state;
	sweep((struct plan){.flows = 64, .bound = 200, .step = 1, .hosts = 8}, 15);
}

static void thousands(void **state)
{
	(void)state;
	sweep((struct plan){.flows = 5000, .bound = 0.1, .step = 1e-6}, 15);
}

static void compat(void **state)
{
	(void)state;
	sweep(
	    (struct plan){
	        .flows = 3 * CROWD, .bound = 50, .own_links = 1, .sources = 1, .compat = 1},
	    15);
}

static void sources(void **state)
{
	(void)state;
	sweep((struct plan){.flows = CROWD, .bound = 50, .sources = 1}, 15);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(alike),     cmocka_unit_test(carried),
	    cmocka_unit_test(thousands), cmocka_unit_test(compat),
	    cmocka_unit_test(sources),   cmocka_unit_test(carried_in_the_way_of_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
