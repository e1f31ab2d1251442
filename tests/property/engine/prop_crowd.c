/* prop_crowd.c: hundreds of flows that share one resource, alike (classes) or each with a link of
 * its own (virtual time) or of a few kinds; they come, go and are cancelled, and the capacity
 * changes. Beside it a loop that fills the resource anew at every event: level L where the sum of
 * min(bound, weight x L) is the capacity.
 *
 * And thousands that meet nobody, each at its bound; and a crowd that stays while its flows change,
 * so long that what is counted for all of them must be counted anew. */
#include "engine/engine.h"
#include "property/prop.h"

#include <math.h>

enum { FLOWS = 200, CHANGES = 4, TIMERS = FLOWS, MANY = 6000 };

enum crowd { ALIKE, OWN_LINKS, FEW_KINDS, CROWDS };

struct one {
	double amount, bound, weight, start, leave; /* leave: cancelled then, or INFINITY */
	long double left, rate, end;
	enum { UNBORN, HERE, GONE } state;
	struct activity_id id;
};

struct world {
	enum crowd kind;
	struct one one[FLOWS];
	double capacity[CHANGES], change_at[CHANGES]; /* the first from the start on */
};

/* What happens besides ends: users of timers. */
enum what { START, LEAVE, CHANGE };

static struct err err;
static uint64_t seed_now;

static void one_draw(struct world *w, struct rng *r, uint32_t i)
{
	struct one *o = &w->one[i];

	*o = (struct one){.bound = 40, .weight = 1, .leave = INFINITY, .end = INFINITY};
	if (w->kind == OWN_LINKS) {
		o->bound = 1 + 400 * rng_unit(r);
		o->weight = 0.1 + rng_unit(r);
	} else if (w->kind == FEW_KINDS) {
		o->bound = 10 + 20 * (double)rng_below(r, 3);
		o->weight = 1 + (double)rng_below(r, 2);
	}
	o->amount = 1 + 100 * rng_unit(r);
	o->start = prop_once_in(r, 2) ? 0 : (double)rng_below(r, 80) / 4;
	if (prop_once_in(r, 4))
		o->leave = o->start + 20 * rng_unit(r);
}

static void world_draw(struct world *w, struct rng *r, enum crowd kind)
{
	w->kind = kind;
	for (uint32_t i = 0; i < FLOWS; i++)
		one_draw(w, r, i);
	for (uint32_t i = 0; i < CHANGES; i++) {
		w->capacity[i] = 100 + 1500 * rng_unit(r);
		w->change_at[i] = i ? w->change_at[i - 1] + 8 * rng_unit(r) : 0;
	}
}

/* --- the slow way --- */

static void slow_fill(struct world *w, double capacity)
{
	int over = 1;

	for (uint32_t i = 0; i < FLOWS; i++)
		w->one[i].rate = -1;
	while (over) {
		long double room = capacity, heft = 0;

		over = 0;
		for (uint32_t i = 0; i < FLOWS; i++) {
			if (w->one[i].state != HERE)
				continue;
			if (w->one[i].rate < 0)
				heft += w->one[i].weight;
			else
				room -= w->one[i].rate;
		}
		for (uint32_t i = 0; i < FLOWS; i++) {
			struct one *o = &w->one[i];

			if (o->state == HERE && o->rate < 0 && o->weight * room / heft > o->bound) {
				o->rate = o->bound;
				over = 1;
			}
		}
		for (uint32_t i = 0; i < FLOWS && !over; i++)
			if (w->one[i].rate < 0)
				w->one[i].rate = w->one[i].weight * room / heft;
	}
}

/* From `now`, where nothing happens but ends, to `until`; INFINITY: to the last end. */
static void slow_run(struct world *w, double capacity, long double now, long double until)
{
	for (;;) {
		struct one *first = NULL;
		long double next = until;

		slow_fill(w, capacity);
		for (uint32_t i = 0; i < FLOWS; i++) {
			struct one *o = &w->one[i];

			if (o->state == HERE && now + o->left / o->rate < next) {
				next = now + o->left / o->rate;
				first = o;
			}
		}
		for (uint32_t i = 0; i < FLOWS && next < INFINITY; i++)
			if (w->one[i].state == HERE)
				w->one[i].left -= w->one[i].rate * (next - now);
		now = next;
		if (!first)
			return;
		first->state = GONE;
		first->end = now;
	}
}

static void slow_act(struct world *w, enum what what, uint32_t i)
{
	if (what == START) {
		w->one[i].state = HERE;
		w->one[i].left = w->one[i].amount;
	} else if (what == LEAVE) {
		w->one[i].state = GONE;
	}
}

/* --- the engine --- */

static void flow_begin(struct engine *e, struct world *w, uint32_t i)
{
	struct one *o = &w->one[i];
	struct flow_use uses[2] = {{{0}, 1}, {{1 + i}, 1}};
	struct flow_spec s = {.amount = o->amount,
	                      .bound = o->bound,
	                      .weight = o->weight,
	                      .uses = uses,
	                      .n_uses = w->kind == OWN_LINKS ? 2 : 1,
	                      .user = i};

	assert_ok(engine_flow(e, &s, &o->id, &err), err);
}

static void timers_begin(struct engine *e, const struct world *w)
{
	struct activity_id ignored;

	for (uint32_t i = 0; i < FLOWS; i++) {
		const struct one *o = &w->one[i];

		assert_ok(engine_timer(e, o->start, TIMERS + 3 * i + START, &ignored, &err), err);
		if (o->leave < INFINITY)
			assert_ok(engine_timer(e, o->leave, TIMERS + 3 * i + LEAVE, &ignored, &err),
			          err);
	}
	for (uint32_t i = 1; i < CHANGES; i++)
		assert_ok(engine_timer(e, w->change_at[i], TIMERS + 3 * i + CHANGE, &ignored, &err),
		          err);
}

static void lefts_compare(struct engine *e, const struct world *w)
{
	struct resource_user users[FLOWS];
	uint32_t n = resource_users(e, (struct resource_id){0}, users, FLOWS), here = 0;

	for (uint32_t i = 0; i < FLOWS; i++)
		here += w->one[i].state == HERE;
	if (n != here)
		fail_msg("PROP_SEED=%llu: %u flows at %g, not %u", (unsigned long long)seed_now, n,
		         engine_now(e), here);
	for (uint32_t k = 0; k < n; k++) {
		const struct one *o = &w->one[users[k].user];

		if (fabs(users[k].remaining - (double)o->left) > 1e-9 * o->amount ||
		    fabs(flow_remaining(e, o->id) - (double)o->left) > 1e-9 * o->amount)
			fail_msg("PROP_SEED=%llu: flow %llu has %.17g left at %g, not %.17Lg",
			         (unsigned long long)seed_now, (unsigned long long)users[k].user,
			         users[k].remaining, engine_now(e), o->left);
	}
}

static void ends_compare(const struct world *w, const double *end)
{
	for (uint32_t i = 0; i < FLOWS; i++)
		if (end[i] != (double)w->one[i].end &&
		    !(fabs(end[i] - (double)w->one[i].end) <= 1e-10 * end[i]))
			fail_msg("PROP_SEED=%llu: kind %d: flow %u ends at %.17g, not %.17Lg",
			         (unsigned long long)seed_now, w->kind, i, end[i], w->one[i].end);
}

static void timer_done(struct engine *e, struct world *w, uint64_t user, double *capacity)
{
	enum what what = (enum what)((user - TIMERS) % 3);
	uint32_t i = (uint32_t)((user - TIMERS) / 3);

	if (what == CHANGE) {
		*capacity = w->capacity[i];
		engine_set_capacity(e, (struct resource_id){0}, *capacity);
	} else if (what == START) {
		flow_begin(e, w, i);
	} else if (w->one[i].state == HERE) {
		engine_cancel(e, w->one[i].id);
	}
	if (what != LEAVE || w->one[i].state == HERE)
		slow_act(w, what, i);
}

static void world_run(struct world *w)
{
	struct engine *e = engine_new(&err);
	struct resource_id r;
	struct completion done;
	double end[FLOWS], capacity = w->capacity[0], last = 0;

	for (uint32_t i = 0; i <= FLOWS; i++)
		assert_ok(engine_add_resource(e, i ? 1000 : capacity, RESOURCE_SHARED, &r, &err),
		          err);
	for (uint32_t i = 0; i < FLOWS; i++)
		end[i] = INFINITY;
	timers_begin(e, w);
	while (engine_next(e, &done, &err) == 1) {
		if (done.user < FLOWS) {
			end[done.user] = engine_now(e);
			continue;
		}
		slow_run(w, capacity, last, engine_now(e));
		last = engine_now(e);
		timer_done(e, w, done.user, &capacity);
		if (done.user % 16 == 0)
			lefts_compare(e, w);
	}
	slow_run(w, capacity, last, INFINITY);
	ends_compare(w, end);
	engine_free(e);
}

static void crowds_fill_what_they_share(void **state)
{
	struct prop_run prop = prop_begin(60);
	static struct world w;

	(void)state;
	for (uint64_t i = 0; i < prop.cases; i++) {
		struct rng r;

		seed_now = prop.seed + i;
		rng_init(&r, seed_now, "crowd", 0);
		world_draw(&w, &r, (enum crowd)(seed_now % CROWDS));
		world_run(&w);
	}
}

/* --- many that meet nobody --- */

static double many_bound(uint32_t i)
{
	return 1 + i / 8192.0;
}

/* Flow i ends after its amount / bound, all of them different; a third is cancelled. */
static void many_at_their_bounds(void **state)
{
	static struct activity_id id[MANY];
	struct engine *e = engine_new(&err);
	struct resource_id r;
	struct flow_use use = {{0}, 1};
	struct completion done;
	uint32_t left = 0;

	(void)state;
	assert_ok(engine_add_resource(e, 3 * MANY, RESOURCE_SHARED, &r, &err), err);
	for (uint32_t i = 0; i < MANY; i++) {
		struct flow_spec s = {.amount = 100,
		                      .bound = many_bound(i),
		                      .weight = 1,
		                      .uses = &use,
		                      .n_uses = 1,
		                      .user = i};
		assert_ok(engine_flow(e, &s, &id[i], &err), err);
	}
	assert_int_equal(resource_users(e, r, NULL, 0), MANY);
	for (uint32_t i = 0; i < MANY; i++)
		if (i % 3 == 1)
			engine_cancel(e, id[i]);
		else
			left++;
	assert_ok(engine_check(e, &err), err);
	for (uint32_t i = MANY; i-- > 0;) { /* the fastest first */
		if (i % 3 == 1)
			continue;
		assert_int_equal(engine_next(e, &done, &err), 1);
		assert_int_equal(done.user, i);
		assert_close(engine_now(e), 100 / many_bound(i), 1e-14);
		assert_int_equal(resource_users(e, r, NULL, 0), --left);
	}
	assert_int_equal(engine_next(e, &done, &err), 0);
	engine_free(e);
}

/* --- a crowd that stays --- */

enum { STAYING = 20, ENDS = 60000 };

struct staying {
	double amount, start;
};

static void staying_begin(struct engine *e, struct rng *r, int own_links, struct staying *one,
                          uint32_t i)
{
	struct flow_use uses[2] = {{{0}, 1}, {{1 + i}, 1}};
	struct flow_spec s = {.weight = 1, .uses = uses, .n_uses = own_links ? 2 : 1, .user = i};
	struct activity_id ignored;

	*one = (struct staying){50 + 50 * rng_unit(r), engine_now(e)};
	s.amount = one->amount;
	s.bound = 100;
	assert_ok(engine_flow(e, &s, &ignored, &err), err);
}

/* Whoever ends is followed by another: all have 1/20 of 1500 all the time. */
static void a_crowd_stays(int own_links)
{
	struct staying one[STAYING];
	struct engine *e = engine_new(&err);
	struct completion done;
	struct resource_id id;
	struct rng r;

	rng_init(&r, 20261124, "staying", 0);
	for (uint32_t i = 0; i <= STAYING; i++)
		assert_ok(engine_add_resource(e, 1500, RESOURCE_SHARED, &id, &err), err);
	for (uint32_t i = 0; i < STAYING; i++)
		staying_begin(e, &r, own_links, &one[i], i);
	for (uint32_t n = 0; n < ENDS; n++) {
		assert_int_equal(engine_next(e, &done, &err), 1);
		const struct staying *o = &one[done.user];

		if (!(fabs(engine_now(e) - o->start - o->amount / 75) <= 1e-9))
			fail_msg("end %u: %g from %.17g on is over at %.17g", n, o->amount,
			         o->start, engine_now(e));
		staying_begin(e, &r, own_links, &one[done.user], (uint32_t)done.user);
	}
	engine_free(e);
}

static void alike_that_stay(void **state)
{
	(void)state;
	a_crowd_stays(0);
}

static void carried_that_stay(void **state)
{
	(void)state;
	a_crowd_stays(1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(crowds_fill_what_they_share), cmocka_unit_test(many_at_their_bounds),
	    cmocka_unit_test(alike_that_stay), cmocka_unit_test(carried_that_stay)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
