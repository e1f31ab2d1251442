/* prop_timers.c: timers, started and cancelled as time goes, beside a list of them: the next to end
 * is that of the earliest date, and of these the one that was started first. */
#include "engine/engine.h"
#include "property/prop.h"

#include <math.h>

enum { TIMERS = 300 };

struct list {
	struct engine *e;
	struct activity_id id[TIMERS];
	double due[TIMERS]; /* NAN: not, or no longer, running */
	uint32_t n;
};

static struct err err;

/* Many fall on one date. */
static void timers_start(struct list *l, struct rng *r)
{
	while (l->n < TIMERS && !prop_once_in(r, 3)) {
		double delay = prop_from(r, 0, 24) / 8.0;

		assert_ok(engine_timer(l->e, delay, l->n, &l->id[l->n], &err), err);
		l->due[l->n++] = engine_now(l->e) + delay;
	}
}

static void timers_cancel(struct list *l, struct rng *r)
{
	for (uint32_t k = 0; k < l->n; k++)
		if (!isnan(l->due[k]) && prop_once_in(r, 40)) {
			engine_cancel(l->e, l->id[k]);
			l->due[k] = NAN;
		}
}

/* TIMERS: none is running. */
static uint32_t timers_first(const struct list *l)
{
	uint32_t first = TIMERS;

	for (uint32_t k = 0; k < l->n; k++)
		if (!isnan(l->due[k]) && (first == TIMERS || l->due[k] < l->due[first]))
			first = k;
	return first;
}

static void one_history(uint64_t seed)
{
	struct list l = {.e = engine_new(&err)};
	struct completion done;
	uint32_t first;
	struct rng r;

	rng_init(&r, seed, "timers", 0);
	do {
		timers_start(&l, &r);
		timers_cancel(&l, &r);
		first = timers_first(&l);
		assert_int_equal(engine_next(l.e, &done, &err), first < TIMERS);
		if (first == TIMERS)
			continue;
		if (done.user != first || engine_now(l.e) != l.due[first])
			fail_msg("PROP_SEED=%llu: timer %llu at %g, not %u at %g",
			         (unsigned long long)seed, (unsigned long long)done.user,
			         engine_now(l.e), first, l.due[first]);
		l.due[first] = NAN;
	} while (first < TIMERS || l.n < TIMERS);
	engine_free(l.e);
}

static void timers_are_a_sorted_list(void **state)
{
	struct prop_run prop = prop_begin(60);

	(void)state;
	for (uint64_t i = 0; i < prop.cases; i++)
		one_history(prop.seed + i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(timers_are_a_sorted_list)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
