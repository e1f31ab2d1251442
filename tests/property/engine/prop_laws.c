/* prop_laws.c: laws of simulated time on random closed programs: actors that compute, sleep and
 * send on a random machine, each drawing its next step from its own stream when the last has ended.
 *   a repeated run is the same to the bit
 *   the clock never goes back, and only moves to dates of events
 *   capacities and bounds × 2 and delays ÷ 2 halve every date exactly; amounts and delays × 2
 *   double them the invariants hold all along */
#include "engine/engine.h"
#include "test.h"

enum { ACTORS = 20, RESOURCES = 10, STEPS = 40 };

struct scale {
	double capacity, amount, delay;
};

struct run {
	struct engine *e;
	struct rng machine, actors[ACTORS];
	struct scale scale;
	int steps[ACTORS];
	double capacity[RESOURCES];
	double dates[ACTORS * STEPS];
	uint64_t users[ACTORS * STEPS];
	uint32_t n;
};

static struct err err;

static void random_step(struct run *r, uint64_t actor)
{
	struct rng *rng = &r->actors[actor];
	struct activity_id id;
	struct flow_use uses[4];
	struct flow_spec s = {.uses = uses, .user = actor};

	s.latency = rng_below(rng, 2) ? 0 : 1e-3 * rng_unit(rng) * r->scale.delay;
	s.amount = 1e3 * rng_unit(rng) * r->scale.amount;
	s.bound = rng_below(rng, 2) ? 0 : 1e6 * rng_unit(rng) * r->scale.capacity;
	s.weight = 1 + (double)rng_below(rng, 3);
	s.n_uses = (uint32_t)rng_below(rng, 5);
	uint32_t first = (uint32_t)rng_below(rng, RESOURCES);
	for (uint32_t k = 0; k < s.n_uses; k++)
		uses[k] = (struct flow_use){{(first + k) % RESOURCES},
		                            rng_below(rng, 2) ? 1 : 0.05f};
	if (s.n_uses > 0)
		assert_ok(engine_flow(r->e, &s, &id, &err), err);
	else
		assert_ok(
		    engine_timer(r->e, 1e-3 * rng_unit(rng) * r->scale.delay, actor, &id, &err),
		    err);
	if (rng_below(rng, 20) == 0)
		engine_set_capacity(r->e, (struct resource_id){first},
		                    1e6 * (0.1 + rng_unit(rng)) * r->scale.capacity);
}

static void run_start(struct run *r, uint64_t seed)
{
	struct resource_id id;

	rng_init(&r->machine, seed, "machine", 0);
	r->e = engine_new(&err);
	for (int i = 0; i < RESOURCES; i++) {
		enum resource_kind kind = rng_below(&r->machine, 6) ? RESOURCE_SHARED
		                                                    : RESOURCE_FATPIPE;
		double capacity = 1e6 * (0.1 + rng_unit(&r->machine)) * r->scale.capacity;
		assert_ok(engine_add_resource(r->e, capacity, kind, &id, &err), err);
	}
	for (uint64_t a = 0; a < ACTORS; a++) {
		rng_init(&r->actors[a], seed, "actor", a);
		random_step(r, a);
	}
}

static void run_all(struct run *r, uint64_t seed, struct scale scale, int check)
{
	struct completion c;
	double last = 0;

	memset(r, 0, sizeof *r);
	r->scale = scale;
	run_start(r, seed);
	while (engine_next(r->e, &c, &err) == 1) {
		assert_true(engine_now(r->e) >= last);
		last = engine_now(r->e);
		r->dates[r->n] = last;
		r->users[r->n++] = c.user;
		if (++r->steps[c.user] < STEPS)
			random_step(r, c.user);
		if (check && r->n % 16 == 0)
			assert_ok(engine_check(r->e, &err), err);
	}
	assert_int_equal(r->n, ACTORS * STEPS);
	engine_free(r->e);
}

static void compare(const struct run *a, const struct run *b, double factor, uint64_t seed)
{
	for (uint32_t i = 0; i < ACTORS * STEPS; i++)
		if (a->users[i] != b->users[i] || a->dates[i] * factor != b->dates[i])
			fail_msg(
			    "PROP_SEED=%llu: event %u: actor %llu at %.17g, actor %llu at %.17g",
			    (unsigned long long)seed, i, (unsigned long long)a->users[i],
			    a->dates[i], (unsigned long long)b->users[i], b->dates[i]);
}

static void laws_of_time(void **state)
{
	static struct run base, again, faster, longer;
	const char *seed_text = getenv("PROP_SEED"), *cases_text = getenv("PROP_CASES");
	uint64_t seed = seed_text ? strtoull(seed_text, NULL, 0) : 20261121;
	uint64_t cases = cases_text ? strtoull(cases_text, NULL, 0) : 60;

	(void)state;
	printf("PROP_SEED=%llu PROP_CASES=%llu\n", (unsigned long long)seed,
	       (unsigned long long)cases);
	for (uint64_t end = seed + cases; seed < end; seed++) {
		run_all(&base, seed, (struct scale){1, 1, 1}, 1);
		run_all(&again, seed, (struct scale){1, 1, 1}, 0);
		run_all(&faster, seed, (struct scale){2, 1, 0.5}, 0);
		run_all(&longer, seed, (struct scale){1, 2, 2}, 0);
		compare(&base, &again, 1, seed);
		compare(&base, &faster, 0.5, seed);
		compare(&base, &longer, 2, seed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(laws_of_time)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
