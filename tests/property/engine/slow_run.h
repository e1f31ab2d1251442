/* slow_run.h: random scripts of a simulation (starts, cancellations, changes of capacities and of
 * flows under way, each at its date) and the slow simulation of them: at every event all is solved
 * anew by the textbook solver, in long double. */
#ifndef ORRERY_TESTS_SLOW_RUN_H
#define ORRERY_TESTS_SLOW_RUN_H

#include "engine/engine.h"
#include "oracle.h"
#include "property/prop.h"

#include <math.h>

enum { RESOURCES = 8, FLOWS = 24, ACTIONS = 60 };

enum action_kind { START, CANCEL, CHANGE, CAPACITY };
struct action {
	enum action_kind kind;
	double date, bound, weight, capacity;
	uint32_t flow, resource;
};

struct script {
	struct action action[ACTIONS];
	uint32_t n, flows;
	double capacity[RESOURCES];
	enum resource_kind kind[RESOURCES];
	struct flow_spec spec[FLOWS];
	struct flow_use uses[FLOWS][ORACLE_USES];
};

/* --- scripts --- */

/* unlike: once in these it is not exactly like the one before; those that are make classes. */
static void flow_draw(struct script *s, struct rng *r, uint32_t i, uint64_t unlike)
{
	struct flow_spec *f = &s->spec[i];
	uint32_t first = (uint32_t)rng_below(r, RESOURCES);

	*f = (struct flow_spec){.uses = s->uses[i], .user = i};
	f->n_uses = (uint32_t)rng_below(r, 5);
	for (uint32_t k = 0; k < f->n_uses; k++)
		s->uses[i][k] = (struct flow_use){{(first + k * 3) % RESOURCES},
		                                  prop_once_in(r, 3) ? 0.05f : 1};
	f->amount = prop_once_in(r, 12) ? 0 : 1e6 * rng_unit(r);
	f->latency = prop_once_in(r, 3) ? 0 : 0.2 * rng_unit(r);
	f->bound = f->n_uses && prop_once_in(r, 2) ? 0 : 1e6 * rng_unit(r) + 1;
	f->weight = prop_once_in(r, 2) ? 1 : 0.1 + rng_unit(r);
	if (i > 0 && !prop_once_in(r, unlike)) {
		uint64_t user = f->user;

		*f = s->spec[i - 1];
		memcpy(s->uses[i], s->uses[i - 1], sizeof s->uses[i]);
		f->uses = s->uses[i];
		f->user = user;
	}
}

static void action_put(struct script *s, struct action a)
{
	assert_true(s->n < ACTIONS);
	s->action[s->n++] = a;
}

static int action_earlier(const void *a, const void *b)
{
	const struct action *x = a, *y = b;

	return (x->date > y->date) - (x->date < y->date);
}

static void script_draw(struct script *s, struct rng *r)
{
	uint64_t unlike = prop_once_in(r, 2) ? 1 : prop_once_in(r, 2) ? 3 : 12;
	double last = 0;

	memset(s, 0, sizeof *s);
	s->flows = prop_from(r, 1, FLOWS);
	for (uint32_t i = 0; i < RESOURCES; i++) {
		s->kind[i] = prop_once_in(r, 5) ? RESOURCE_FATPIPE : RESOURCE_SHARED;
		s->capacity[i] = 1e6 * (0.1 + rng_unit(r));
	}
	for (uint32_t i = 0; i < s->flows; i++) {
		flow_draw(s, r, i, unlike);
		last = prop_once_in(r, 2) ? last : last + rng_unit(r);
		action_put(s, (struct action){.kind = START, .date = last, .flow = i});
		if (prop_once_in(r, 8))
			action_put(s, (struct action){.kind = CANCEL,
			                              .date = last + 2 * rng_unit(r) + 1e-3,
			                              .flow = i});
		else if (prop_once_in(r, 6))
			action_put(s, (struct action){.kind = CHANGE,
			                              .date = last + rng_unit(r) + 1e-3,
			                              .flow = i,
			                              .bound = 1e6 * rng_unit(r) + 1,
			                              .weight = 0.1 + rng_unit(r)});
	}
	for (uint64_t k = rng_below(r, 10); k > 0 && s->n < ACTIONS; k--)
		action_put(s, (struct action){
		                  .kind = CAPACITY,
		                  .date = last * rng_unit(r) + rng_unit(r),
		                  .resource = (uint32_t)rng_below(r, RESOURCES),
		                  .capacity = prop_once_in(r, 4) ? 0 : 1e6 * (0.1 + rng_unit(r))});
	qsort(s->action, s->n, sizeof *s->action, action_earlier);
	for (uint32_t i = 1; i < s->n; i++) /* a flow's start comes first also at one date */
		assert_true(s->action[i - 1].date <= s->action[i].date);
}

/* --- the slow simulation --- */

struct slow {
	struct oracle o;
	struct oracle_flow flow[FLOWS];
	struct oracle_resource resource[RESOURCES];
	long double left[FLOWS], ready[FLOWS], end[FLOWS], levels[RESOURCES];
	enum { UNBORN, WAITING, RUNNING, GONE } state[FLOWS];
	long double now;
};

static void slow_start(struct slow *w, const struct script *s)
{
	memset(w, 0, sizeof *w);
	w->o = (struct oracle){w->resource, w->flow, RESOURCES, FLOWS, 0};
	for (uint32_t i = 0; i < RESOURCES; i++)
		w->resource[i] = (struct oracle_resource){s->capacity[i], s->kind[i]};
	for (uint32_t i = 0; i < FLOWS; i++)
		w->end[i] = INFINITY;
}

static void slow_act(struct slow *w, const struct script *s, const struct action *a)
{
	const struct flow_spec *f = &s->spec[a->flow];

	switch (a->kind) {
	case START:
		w->flow[a->flow] = (struct oracle_flow){
		    .weight = f->weight, .bound = f->bound, .n_uses = f->n_uses};
		memcpy(w->flow[a->flow].uses, f->uses, f->n_uses * sizeof *f->uses);
		w->left[a->flow] = f->amount;
		w->ready[a->flow] = w->now + f->latency;
		w->state[a->flow] = WAITING;
		break;
	case CANCEL:
		w->state[a->flow] = GONE;
		break;
	case CHANGE:
		w->flow[a->flow].bound = a->bound;
		w->flow[a->flow].weight = a->weight;
		break;
	case CAPACITY:
		w->resource[a->resource].capacity = a->capacity;
	}
}

/* When the flow does something next. */
static long double slow_due(const struct slow *w, uint32_t i)
{
	if (w->state[i] == WAITING)
		return w->ready[i];
	if (w->state[i] != RUNNING || !(w->flow[i].rate > 0))
		return w->state[i] == RUNNING && w->left[i] <= 0 ? w->now : INFINITY;
	return w->now + w->left[i] / w->flow[i].rate;
}

static void slow_to(struct slow *w, long double date)
{
	for (uint32_t i = 0; i < FLOWS; i++)
		if (w->state[i] == RUNNING)
			w->left[i] -= w->flow[i].rate * (date - w->now);
	w->now = date;
}

/* All ends and starts of transfers up to `until`; rates are right then. */
static void slow_run(struct slow *w, long double until)
{
	for (;;) {
		uint32_t next = 0;

		for (uint32_t i = 0; i < FLOWS; i++)
			w->flow[i].active = w->state[i] == RUNNING;
		oracle_solve(&w->o, w->levels);
		for (uint32_t i = 1; i < FLOWS; i++)
			if (slow_due(w, i) < slow_due(w, next))
				next = i;
		if (!(slow_due(w, next) < until))
			break;
		slow_to(w, slow_due(w, next));
		if (w->state[next] == WAITING && w->left[next] > 0) {
			w->state[next] = RUNNING;
		} else {
			w->state[next] = GONE;
			w->end[next] = w->now;
		}
	}
	if (until < INFINITY)
		slow_to(w, until);
}

#endif
