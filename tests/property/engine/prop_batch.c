/* prop_batch.c: phases of a program in step: hosts on a ring exchange with those at a distance of a
 * power of two, all at one date. By hand: of a block of 2 d hosts the d that send to the right
 * share the link in the middle, so each has capacity / d, and all end together.
 *
 * And phases that are disturbed, by other sizes, somebody who comes, is cancelled or changed, or a
 * link that changes, once with batches and once without: the same flows end at the same dates. */
#include "engine/engine.h"
#include "property/prop.h"

#include <math.h>

enum { HOSTS = 64, LINKS = 2 * HOSTS, MOST = HOSTS + 2 };

static struct err err;

/* The links to the right of each host, then those to the left. */
static void ring_add(struct engine *e, uint32_t hosts, double capacity)
{
	struct resource_id r;

	for (uint32_t i = 0; i < 2 * hosts; i++)
		assert_ok(engine_add_resource(e, capacity, RESOURCE_SHARED, &r, &err), err);
}

/* From a host to the one that differs by bit d; back: what its acknowledgements take. */
static uint32_t ring_way(uint32_t hosts, uint32_t from, uint32_t d, float back,
                         struct flow_use *use)
{
	uint32_t first = from & d ? from - d : from, n = 0;

	for (uint32_t i = first; i < first + d; i++)
		use[n++] = (struct flow_use){{from & d ? hosts + i : i}, 1};
	for (uint32_t i = first; back > 0 && i < first + d; i++)
		use[n++] = (struct flow_use){{from & d ? i : hosts + i}, back};
	return n;
}

static void steps_take_what_they_take_by_hand(void **state)
{
	struct prop_run prop = prop_begin(100);

	(void)state;
	for (uint64_t c = 0; c < prop.cases; c++) {
		struct rng r;
		rng_init(&r, prop.seed + c, "steps", 0);
		uint32_t hosts = 1u << prop_from(&r, 4, 6);
		float back = prop_once_in(&r, 2) ? 0.05f : 0;
		double capacity = 1 + 100 * rng_unit(&r), amount = 1 + rng_unit(&r), date = 0;
		double latency = 0.01 + rng_unit(&r);
		struct engine *e = engine_new(&err);
		struct engine_stats stats;
		uint64_t flows = 0;

		ring_add(e, hosts, capacity);
		for (uint32_t d = 1; d < hosts; d *= 2) {
			for (uint32_t i = 0; i < hosts; i++) {
				struct flow_use use[LINKS];
				struct activity_id a;
				struct flow_spec f = {.amount = amount,
				                      .latency = latency,
				                      .weight = 0.5,
				                      .uses = use,
				                      .n_uses = ring_way(hosts, i, d, back, use)};
				assert_ok(engine_flow(e, &f, &a, &err), err);
			}
			date += latency + amount * d * (1 + (double)back) / capacity;
			for (uint32_t i = 0; i < hosts; i++, flows++) {
				struct completion end;
				assert_int_equal(engine_next(e, &end, &err), 1);
				assert_close(engine_now(e), date, 1e-12);
				assert_ok(engine_check(e, &err), err);
			}
		}
		engine_stats(e, &stats);
		assert_int_equal(stats.batched, flows);
		engine_free(e);
	}
}

/* --- disturbed --- */

struct phase {
	uint32_t hosts, distance, flows;
	struct flow_use use[MOST][LINKS];
	struct flow_spec spec[MOST];
	double capacity;
	double when[3]; /* one is cancelled, one is changed, a link is; INFINITY: never */
	uint32_t whom[3];
	int few; /* seldom anything but the ring */
};

enum { CANCEL, CHANGE, LINK, TIMERS = 3 };

static void flow_draw(struct phase *p, struct rng *r, uint32_t i)
{
	struct flow_spec *f = &p->spec[i];

	*f = (struct flow_spec){.amount = p->few && !prop_once_in(r, 40) ? 1 : prop_from(r, 1, 3),
	                        .latency = 0.5,
	                        .weight = p->few ? 1 : (double)prop_from(r, 1, 2),
	                        .uses = p->use[i],
	                        .user = i};
	f->bound = prop_once_in(r, 8) ? 0.5 + rng_unit(r) : 0;
	if (i < p->hosts) {
		f->n_uses = ring_way(p->hosts, i, p->distance, 0.05f, p->use[i]);
		return;
	}
	f->latency = 0.1 + rng_unit(r); /* somebody who comes by */
	f->n_uses = 2;
	for (uint32_t k = 0; k < f->n_uses; k++)
		p->use[i][k] = (struct flow_use){{k * p->hosts + (uint32_t)rng_below(r, p->hosts)},
		                                 1};
}

static void phase_draw(struct phase *p, struct rng *r)
{
	p->hosts = 1u << prop_from(r, 3, 6);
	p->distance = 1u << rng_below(r, 3);
	p->capacity = prop_from(r, 1, 20);
	p->few = prop_once_in(r, 2);
	p->flows = p->hosts + (uint32_t)rng_below(r, 3);
	for (uint32_t i = 0; i < p->flows; i++)
		flow_draw(p, r, i);
	for (int t = 0; t < TIMERS; t++) {
		p->when[t] = prop_once_in(r, 2) ? INFINITY : prop_from(r, 0, 8) / 8.0;
		p->whom[t] = (uint32_t)rng_below(r, p->hosts);
	}
}

static void disturb(struct engine *e, const struct phase *p, const struct activity_id *id,
                    double *end, int what)
{
	uint32_t i = p->whom[what];

	if (what == LINK)
		engine_set_capacity(e, (struct resource_id){i}, p->capacity / 2);
	else if (end[i] == 0 && what == CHANGE)
		engine_change_flow(e, id[i], 0.25, 2);
	else if (end[i] == 0) {
		engine_cancel(e, id[i]);
		end[i] = -1;
	}
}

/* The dates of the ends; how many flows were in a batch. */
static uint64_t phase_run(const struct phase *p, uint32_t batches, double *end)
{
	struct engine *e = engine_new(&err);
	struct engine_stats stats;
	struct activity_id id[MOST], timer;
	struct completion c;

	engine_set_batches(e, batches);
	ring_add(e, p->hosts, p->capacity);
	for (int t = 0; t < TIMERS; t++)
		if (p->when[t] < INFINITY)
			assert_ok(engine_timer(e, p->when[t], MOST + (uint64_t)t, &timer, &err),
			          err);
	for (uint32_t i = 0; i < p->flows; i++) {
		end[i] = 0;
		assert_ok(engine_flow(e, &p->spec[i], &id[i], &err), err);
	}
	while (engine_next(e, &c, &err) == 1) {
		if (c.user >= MOST)
			disturb(e, p, id, end, (int)(c.user - MOST));
		else
			end[c.user] = engine_now(e);
		assert_ok(engine_check(e, &err), err);
	}
	engine_stats(e, &stats);
	engine_free(e);
	return stats.batched;
}

static void disturbed_steps_are_those_without_batches(void **state)
{
	static struct phase p;
	static double with[MOST], without[MOST];
	struct prop_run prop = prop_begin(2000);
	uint64_t batched = 0;

	(void)state;
	for (uint64_t c = 0; c < prop.cases; c++) {
		struct rng r;

		rng_init(&r, prop.seed + c, "disturbed", 0);
		phase_draw(&p, &r);
		batched += phase_run(&p, (uint32_t)prop_from(&r, 1, 8), with);
		assert_int_equal(phase_run(&p, UINT32_MAX, without), 0);
		for (uint32_t i = 0; i < p.flows; i++)
			if (fabs(with[i] - without[i]) > 1e-11)
				fail_msg("case %llu: flow %u ends at %.17g, not %.17g",
				         (unsigned long long)c, i, with[i], without[i]);
	}
	assert_true(batched > prop.cases);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(steps_take_what_they_take_by_hand),
	    cmocka_unit_test(disturbed_steps_are_those_without_batches)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
