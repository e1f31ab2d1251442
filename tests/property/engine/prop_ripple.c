/* prop_ripple.c: exchanges of all with all, of random sizes over random links, once exactly and
 * once with changes that end where they are small (engine_set_ripples): every resource keeps within
 * that share after each end (engine_check), the same flows end, and each about when it does
 * exactly. */
#include "engine/engine.h"
#include "property/prop.h"

#include <math.h>

enum { PORTS = 14, MOST = PORTS * PORTS };

struct exchange {
	uint32_t ports;
	double up[PORTS], down[PORTS], middle, size[MOST], begin[MOST];
};

static struct err err;

static void exchange_draw(struct exchange *x, struct rng *r)
{
	x->ports = 4 + (uint32_t)rng_below(r, PORTS - 3);
	x->middle = prop_once_in(r, 2) ? 30 * x->ports * (0.5 + rng_unit(r)) : 1e9;
	for (uint32_t i = 0; i < x->ports; i++) {
		x->up[i] = 50 + 50 * rng_unit(r);
		x->down[i] = 50 + 50 * rng_unit(r);
	}
	int alike = prop_once_in(r, 5), late = prop_once_in(r, 2);
	for (uint32_t i = 0; i < x->ports * x->ports; i++) {
		x->size[i] = alike ? 100 : 1 + 200 * rng_unit(r);
		x->begin[i] = late ? 10 * rng_unit(r) : 0;
	}
}

static struct resource_id resource(struct engine *e, double capacity)
{
	struct resource_id r;

	assert_ok(engine_add_resource(e, capacity, RESOURCE_SHARED, &r, &err), err);
	return r;
}

/* The dates of all ends, by flow; how many dates were solved with a ripple ended. */
static uint64_t exchange_run(const struct exchange *x, double share, double *end)
{
	struct engine *e = engine_new(&err);
	struct engine_stats stats;
	struct resource_id up[PORTS], down[PORTS], middle;
	struct completion c;
	uint32_t n = x->ports * x->ports, ended = 0;

	assert_non_null(e);
	engine_set_ripples(e, share, 1);
	engine_set_carry(e, 4, 2);
	middle = resource(e, x->middle);
	for (uint32_t i = 0; i < x->ports; i++) {
		up[i] = resource(e, x->up[i]);
		down[i] = resource(e, x->down[i]);
	}
	for (uint32_t i = 0; i < n; i++) {
		struct flow_use uses[] = {
		    {up[i / x->ports], 1}, {middle, 1}, {down[i % x->ports], 1}};
		struct activity_id a;
		assert_ok(engine_flow(e,
		                      &(struct flow_spec){.amount = x->size[i],
		                                          .latency = x->begin[i],
		                                          .weight = 1,
		                                          .uses = uses,
		                                          .n_uses = 3,
		                                          .user = i},
		                      &a, &err),
		          err);
		end[i] = -1;
	}
	while (engine_next(e, &c, &err) == 1) {
		end[c.user] = engine_now(e);
		ended++;
		assert_ok(engine_check(e, &err), err);
	}
	assert_int_equal(ended, n);
	engine_stats(e, &stats);
	engine_free(e);
	return stats.rippled;
}

static void ends_are_near(void **state)
{
	static struct exchange x;
	static double exact[MOST], near[MOST];
	double sum = 0, worst = 0;
	struct prop_run prop = prop_begin(40);
	uint64_t rippled = 0, n = 0;

	(void)state;
	for (uint64_t i = 0; i < prop.cases; i++) {
		uint64_t seed = prop.seed + i;
		struct rng r;
		rng_init(&r, seed, "ripple", 0);
		double share = 0.002 + 0.03 * rng_unit(&r);

		exchange_draw(&x, &r);
		exchange_run(&x, 0, exact);
		rippled += exchange_run(&x, share, near);
		for (uint32_t k = 0; k < x.ports * x.ports; k++, n++) {
			double off = fabs(near[k] - exact[k]) / exact[k] / share;
			sum += off;
			worst = fmax(worst, off);
			if (!(off <= 4))
				fail_msg("seed %llu: flow %u ends at %.17g, exactly at %.17g: off "
				         "by %g of the share %g",
				         (unsigned long long)seed, k, near[k], exact[k], off,
				         share);
		}
	}
	assert_true(rippled > 0);
	assert_true(sum / (double)n < 0.1);
	assert_true(worst > 0); /* else nothing was tried */
	print_message("of the share: %.3f on average, %.3f at worst\n", sum / (double)n, worst);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(ends_are_near)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
