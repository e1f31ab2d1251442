/* both_runs.h: a script in the engine, by timers and a source of changes, beside the slow
 * simulation of it. Every flow ends at the same date in both, or never in both; what is left of it
 * on the way is the same, its rate, and what is said to limit it does; who uses a resource is the
 * same, and what is seen by who watches adds up. */
#ifndef ORRERY_TESTS_BOTH_RUNS_H
#define ORRERY_TESTS_BOTH_RUNS_H

#include "slow_run.h"

static struct err err;
static uint64_t seed_now;

/* Of rates and dates. */
static double accuracy(const struct script *s)
{
	return s->compat ? 1e-5 : 1e-9;
}

struct fast {
	struct engine *e;
	const struct script *s;
	struct activity_id id[FLOWS];
	int alive[FLOWS];
	double end[FLOWS];
	uint32_t change; /* the source's next action */
	/* As whoever watches sees it: what has moved until that date, and the rate from there. */
	double moved[FLOWS], rate[FLOWS], watched;
};

static void fast_watch(void *self, double date)
{
	struct fast *f = self;

	assert_double_is(date, engine_now(f->e));
	for (uint32_t i = 0; i < f->s->flows; i++) {
		f->moved[i] += f->rate[i] * (date - f->watched);
		f->rate[i] = f->alive[i] ? flow_rate(f->e, f->id[i]) : 0;
	}
	f->watched = date;
}

/* A flow ends: what has been seen of it is its amount. */
static void fast_end(struct fast *f, uint32_t i)
{
	double moved = f->moved[i] + f->rate[i] * (engine_now(f->e) - f->watched),
	       amount = f->s->spec[i].amount;

	assert_true(f->alive[i]);
	f->alive[i] = 0;
	f->end[i] = engine_now(f->e);
	if (!(fabs(moved - amount) <= 10 * accuracy(f->s) * amount + 1e-9))
		fail_msg("PROP_SEED=%llu: of flow %u %.17g was seen to move, not %.17g",
		         (unsigned long long)seed_now, i, moved, amount);
}

static double source_next(void *self)
{
	struct fast *f = self;

	while (f->change < f->s->n && f->s->action[f->change].kind != CAPACITY)
		f->change++;
	return f->change < f->s->n ? f->s->action[f->change].date : INFINITY;
}

static int source_change(void *self, struct err *e)
{
	struct fast *f = self;
	const struct action *a = &f->s->action[f->change++];

	(void)e;
	engine_set_capacity(f->e, (struct resource_id){a->resource}, a->capacity);
	assert_double_is(engine_capacity(f->e, (struct resource_id){a->resource}), a->capacity);
	return 0;
}

static void fast_act(struct fast *f, const struct action *a)
{
	switch (a->kind) {
	case START:
		assert_ok(engine_flow(f->e, &f->s->spec[a->flow], &f->id[a->flow], &err), err);
		f->alive[a->flow] = 1;
		break;
	case CANCEL:
		if (f->alive[a->flow])
			engine_cancel(f->e, f->id[a->flow]);
		f->alive[a->flow] = 0;
		break;
	case CHANGE:
		if (f->alive[a->flow])
			engine_change_flow(f->e, f->id[a->flow], a->bound, a->weight);
		break;
	case CAPACITY:
		break;
	}
}

/* A flow's bottleneck (Bertsekas and Gallager): it is full, and nobody has a higher level there. */
static void bottleneck_check(const struct slow *w, uint32_t i, uint32_t r)
{
	long double level = w->flow[i].rate / w->flow[i].weight, load = 0;

	for (uint32_t k = 0; k < FLOWS; k++) {
		const struct oracle_flow *o = &w->flow[k];
		const struct flow_use *u = oracle_use(o, r);

		if (!u || (w->resource[r].kind == RESOURCE_FATPIPE && k != i))
			continue;
		load += u->coef * o->rate;
		assert_true(o->rate / o->weight <= level * (1 + 1e-9L));
	}
	assert_non_null(oracle_use(&w->flow[i], r));
	assert_true(load >= w->resource[r].capacity * (1 - 1e-9L));
}

static void limit_check(struct fast *f, const struct slow *w, uint32_t i)
{
	struct resource_id r = {UINT32_MAX};
	enum flow_limit limit = flow_limited_by(f->e, f->id[i], &r);

	assert_int_equal(limit == FLOW_LATENCY, w->state[i] == WAITING);
	if (f->s->compat) /* no limiter is kept, and tolerances leave something of it */
		return;
	if (limit == FLOW_AT_BOUND)
		assert_close((double)w->flow[i].rate, w->flow[i].bound, 1e-9);
	if (limit == FLOW_AT_RESOURCE)
		bottleneck_check(w, i, r.v);
}

static void flow_compare(struct fast *f, const struct slow *w, uint32_t i)
{
	double left, want = (double)w->left[i], rate;

	if (f->alive[i] != (w->state[i] == WAITING || w->state[i] == RUNNING))
		fail_msg("PROP_SEED=%llu: flow %u is %s at %.17Lg", (unsigned long long)seed_now, i,
		         f->alive[i] ? "alive" : "gone", w->now);
	if (!f->alive[i])
		return;
	left = flow_remaining(f->e, f->id[i]);
	rate = flow_rate(f->e, f->id[i]);
	if (fabs(left - want) > 10 * accuracy(f->s) * f->s->spec[i].amount + 1e-9)
		fail_msg("PROP_SEED=%llu: flow %u has %.17g left at %.17Lg, not %.17g",
		         (unsigned long long)seed_now, i, left, w->now, want);
	want = w->state[i] == RUNNING ? (double)w->flow[i].rate : 0;
	if (fabs(rate - want) > accuracy(f->s) * want)
		fail_msg("PROP_SEED=%llu: flow %u goes at %.17g at %.17Lg, not %.17g",
		         (unsigned long long)seed_now, i, rate, w->now, want);
	limit_check(f, w, i);
}

static void users_compare(struct fast *f, const struct slow *w, uint32_t r)
{
	struct resource_user users[FLOWS];
	uint32_t n = resource_users(f->e, (struct resource_id){r}, users, FLOWS), want = 0;

	for (uint32_t i = 0; i < f->s->flows; i++)
		want += w->state[i] == RUNNING && oracle_use(&w->flow[i], r);
	if (n != want)
		fail_msg("PROP_SEED=%llu: %u flows use %u, not %u", (unsigned long long)seed_now, n,
		         r, want);
	for (uint32_t k = 0; k < n; k++) {
		const struct oracle_flow *o = &w->flow[users[k].user];
		const struct flow_use *u = oracle_use(o, r);

		assert_true(u && u->coef == users[k].coef);
		assert_close(users[k].rate, (double)o->rate, accuracy(f->s));
	}
}

struct visit {
	const struct slow *w;
	uint32_t r, n, last;
};

static int flow_visited(void *self, const struct engine_flow_state *flow, struct err *ignored)
{
	struct visit *v = self;
	const struct oracle_flow *o = &v->w->flow[flow->user];
	const struct flow_use *u = NULL;

	(void)ignored;
	for (uint32_t k = 0; k < o->n_uses; k++)
		if (o->uses[k].resource.v == v->r)
			u = &o->uses[k];
	assert_true(u && u->coef == flow->coef);
	assert_true(v->n++ == 0 || flow->id.v > v->last);
	v->last = flow->id.v;
	assert_close(flow->weight, o->weight, 1e-15);
	if (!(fabs(flow->bound - fmax(o->bound, 0)) <= 1e-15 * flow->bound))
		fail_msg("PROP_SEED=%llu: flow %llu is bound by %.17g, not %.17g",
		         (unsigned long long)seed_now, (unsigned long long)flow->user, flow->bound,
		         o->bound);
	return 0;
}

/* Those that wait for their latency, too. */
static void visits_compare(struct fast *f, const struct slow *w, uint32_t r)
{
	struct visit v = {.w = w, .r = r};
	uint32_t want = 0;

	assert_ok(engine_flows_on(f->e, (struct resource_id){r}, flow_visited, &v, &err), err);
	for (uint32_t i = 0; i < f->s->flows; i++)
		for (uint32_t k = 0; k < w->flow[i].n_uses; k++)
			want += (w->state[i] == WAITING || w->state[i] == RUNNING) &&
			        w->flow[i].uses[k].resource.v == r;
	assert_int_equal(v.n, want);
}

/* What ends now may have been seen to end, or not yet. */
static void waits_end(struct fast *f, struct slow *w, uint32_t i)
{
	struct resource_id limiter;

	if (w->state[i] != WAITING || w->ready[i] > w->now)
		return;
	if (w->left[i] > 0 && flow_limited_by(f->e, f->id[i], &limiter) != FLOW_LATENCY)
		w->state[i] = RUNNING;
	if (!(w->left[i] > 0) && !f->alive[i]) {
		w->state[i] = GONE;
		w->end[i] = w->now;
	}
}

static void compare(struct fast *f, struct slow *w)
{
	for (uint32_t i = 0; i < f->s->flows; i++)
		waits_end(f, w, i);
	for (uint32_t i = 0; i < f->s->flows; i++)
		w->flow[i].active = w->state[i] == RUNNING;
	oracle_solve(&w->o, w->levels);
	for (uint32_t i = 0; i < f->s->flows; i++)
		flow_compare(f, w, i);
	for (uint32_t r = 0; r < RESOURCES; r++)
		users_compare(f, w, r);
	for (uint32_t r = 0; r < RESOURCES; r++)
		visits_compare(f, w, r);
	assert_ok(engine_check(f->e, &err), err);
}

/* The first action after this one with another date. */
static uint32_t date_end(const struct script *s, uint32_t i)
{
	double date = s->action[i].date;

	while (i < s->n && s->action[i].date == date)
		i++;
	return i;
}

static void fast_start(struct fast *f, const struct script *s, uint32_t carry)
{
	struct engine_source source = {f, source_next, source_change};
	struct activity_id ignored;
	struct resource_id id;

	memset(f, 0, sizeof *f);
	f->s = s;
	f->e = engine_new(&err);
	engine_set_carry(f->e, carry, carry % 3);
	engine_set_batches(f->e, carry); /* small ones */
	if (s->compat)
		assert_ok(engine_set_compat(f->e, &err), err);
	for (uint32_t i = 0; i < RESOURCES; i++)
		assert_ok(engine_add_resource(f->e, s->capacity[i], s->kind[i], &id, &err), err);
	for (uint32_t i = 0; i < FLOWS; i++)
		f->end[i] = INFINITY;
	for (uint32_t i = 0; i < s->n; i = date_end(s, i))
		if (s->action[i].kind != CAPACITY) /* which comes from the source, at any time */
			assert_ok(engine_timer(f->e, s->action[i].date, FLOWS + i, &ignored, &err),
			          err);
	assert_ok(engine_add_source(f->e, &source, &err), err);
	engine_watch(f->e, fast_watch, f);
}

/* All actions before this one. */
static void slow_follow(struct slow *w, const struct script *s, uint32_t *at, uint32_t until)
{
	for (; *at < until; ++*at) {
		slow_run(w, s->action[*at].date);
		slow_act(w, s, &s->action[*at]);
	}
}

static void ends_compare(const struct fast *f, const struct slow *w)
{
	for (uint32_t i = 0; i < f->s->flows; i++)
		if (!(f->end[i] == (double)w->end[i] ||
		      fabs(f->end[i] - (double)w->end[i]) <= accuracy(f->s) * (double)w->end[i]))
			fail_msg("PROP_SEED=%llu: flow %u ends at %.17g, not %.17Lg",
			         (unsigned long long)seed_now, i, f->end[i], w->end[i]);
}

/* carry: engine_set_carry. */
static void script_run(const struct script *s, uint32_t carry)
{
	static struct slow w;
	static struct fast f;
	struct completion done;
	uint32_t at = 0;
	int got;

	fast_start(&f, s, carry);
	slow_start(&w, s);
	while ((got = engine_next(f.e, &done, &err)) == 1) {
		if (done.user < FLOWS) {
			fast_end(&f, (uint32_t)done.user);
			continue;
		}
		uint32_t first = (uint32_t)done.user - FLOWS, end = date_end(s, first);
		slow_follow(&w, s, &at, end);
		for (uint32_t i = first; i < end; i++)
			fast_act(&f, &s->action[i]);
		compare(&f, &w);
	}
	assert_int_equal(got, 0);
	slow_follow(&w, s, &at, s->n);
	slow_run(&w, INFINITY);
	ends_compare(&f, &w);
	engine_free(f.e);
}

static void scripts_run(int compat)
{
	struct prop_run prop = prop_begin(250);
	static struct script s;

	for (uint64_t i = 0; i < prop.cases; i++) {
		struct rng r;

		seed_now = prop.seed + i;
		rng_init(&r, seed_now, "runs", 0);
		script_draw(&s, &r, compat);
		script_run(&s, prop_from(&r, 1, 16));
	}
}

#endif
