/* profile.c: changes of resources at dates of their own: availability profiles. A source is asked
 * for the date of its next change, and, when the clock stands there, to make it. Sources do not
 * hold activities and do not keep a simulation alive. When there is none, the clock compares each
 * date with infinity, and that is all.
 *
 * A change comes before what ends at its date (SimGrid's order). In compat changes happen at their
 * own dates, however near: SimGrid's precision joins what ends, not what changes. Flows without a
 * rate wait for a change that gives them one; if many changes in a row give none, nothing will (a
 * link that is at 0 in every round). */
#include "engine_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHANGES_IN_VAIN = 1 << 20 };

struct profiles {
	struct engine_source *sources;
	uint32_t n, cap, in_vain;
	struct heap dates;
};

void profiles_free(struct profiles *p)
{
	if (!p)
		return;
	heap_release(&p->dates);
	free(p->sources);
	free(p);
}

static void next_date(struct engine *e)
{
	const struct heap_item *top = heap_top(&e->profiles->dates);

	e->change_at = top ? top->date : INFINITY;
}

/* The last date of a change that happens now. */
static double change_until(const struct engine *e)
{
	return e->selective ? e->now : e->until;
}

/* Makes all changes of source i that are due, and puts the date of the next one into the heap. */
static int source_run(struct engine *e, uint32_t i, struct err *err)
{
	const struct engine_source *s = &e->profiles->sources[i];
	double date = s->next(s->self);

	for (; date <= change_until(e); date = s->next(s->self)) {
		if (s->change(s->self, err) < 0)
			return -1;
	}
	return date < INFINITY ? heap_set(&e->profiles->dates, i, date, i, err) : 0;
}

int engine_add_source(struct engine *e, const struct engine_source *s, struct err *err)
{
	struct profiles *p = e->profiles;
	void *grown;

	if (!p) {
		p = e->profiles = calloc(1, sizeof *p);
		if (!p)
			return err_nomem(err, "profiles", sizeof *p);
		heap_init(&p->dates);
	}
	grown = vec_grow(p->sources, &p->cap, sizeof *p->sources, (size_t)p->n + 1, "profiles",
	                 err);
	if (!grown)
		return -1;
	p->sources = grown;
	p->sources[p->n++] = *s;
	if (source_run(e, p->n - 1, err) < 0)
		return -1;
	next_date(e);
	return 0;
}

int profiles_change(struct engine *e, struct err *err)
{
	struct heap *dates = &e->profiles->dates;

	e->profiles->in_vain = queue_empty(&e->queue) ? e->profiles->in_vain + 1 : 0;
	while (heap_top(dates) && heap_top(dates)->date <= change_until(e)) {
		if (source_run(e, heap_pop(dates).id, err) < 0)
			return -1;
	}
	next_date(e);
	return 0;
}

int profiles_hope(const struct engine *e)
{
	return e->n_live > 0 && e->change_at < INFINITY && e->profiles->in_vain < CHANGES_IN_VAIN;
}

/* --- flows under way --- */

int engine_flows_on(struct engine *e, struct resource_id r, engine_flow_fn *visit, void *self,
                    struct err *err)
{
	for (uint32_t i = 0; i < e->n_activities; i++) {
		const struct activity *a = &e->activities[i];
		uint64_t user = a->user;

		if (!activity_is_flow(a))
			continue;
		if (a->state == ACTIVITY_MEMBER)
			a = class_flow(e, a);
		uint32_t n = a->class ? class_size(e, a) : 1;
		for (uint32_t k = 0; k < a->n_uses; k++) {
			const struct use *u = use_at(e, a->uses + k);
			struct engine_flow_state s = {
			    .id = {i},
			    .user = user,
			    .bound = isinf(a->bound) ? 0 : a->bound / n,
			    .weight = a->weight / n,
			    .penalty = e->selective ? selective_penalty(e, i) : 0,
			    .coef = (float)use_coef(e, a, k),
			};

			if (u->resource != r.v)
				continue;
			if (visit(self, &s, err) < 0)
				return -1;
			break;
		}
	}
	return 0;
}

/* A member of a class goes on alone, with another bound and weight. */
static int secede(struct engine *e, uint32_t id, double bound, double weight, struct err *err)
{
	struct activity *a = &e->activities[id];
	const struct activity *flow = class_flow(e, a);
	double left = class_remaining(e, id);
	struct activity own = *a;

	if (flow_share_uses(e, flow, &own, err) || class_part(e, id, err))
		return -1;
	a->uses = own.uses;
	a->n_uses = own.n_uses;
	a->own_coefs = own.own_coefs;
	a->remaining = left;
	a->bound = bound;
	a->weight = weight;
	a->limiter = NO_LIMITER;
	return flow_wait(e, id, err);
}

void engine_compat_change_flow(struct engine *e, struct activity_id id, double bound,
                               double penalty)
{
	struct err why;

	BUG_ON(id.v >= e->n_activities || !e->selective || !(penalty > 0));
	bound = bound > 0 ? bound : INFINITY;
	if (e->activities[id.v].bound == bound && selective_penalty(e, id.v) == penalty)
		return;
	if (selective_change(e, id.v, bound, penalty, &why))
		engine_break(e, &why);
}

void engine_change_flow(struct engine *e, struct activity_id id, double bound, double weight)
{
	struct activity *a = &e->activities[id.v];

	BUG_ON(id.v >= e->n_activities || a->state == ACTIVITY_FREE || a->state == ACTIVITY_TIMER ||
	       !(weight > 0));
	struct err why;
	bound = bound > 0 ? bound : INFINITY;
	if (a->state == ACTIVITY_MEMBER) {
		if (secede(e, id.v, bound, weight, &why))
			engine_break(e, &why);
		return;
	}
	if (a->bound == bound && a->weight == weight)
		return;
	if (e->selective) {
		engine_compat_change_flow(
		    e, id, bound, a->weight == weight ? selective_penalty(e, id.v) : 1 / weight);
		return;
	}
	if (a->state == ACTIVITY_CARRIED && flow_uncarry(e, id.v, &why))
		engine_break(e, &why);
	if (a->state == ACTIVITY_BATCH && batch_open(e, &why))
		engine_break(e, &why);
	a->weight = weight;
	if (a->state != ACTIVITY_ACTIVE) {
		a->bound = bound;
		return;
	}
	flow_repromise(e, id.v, bound);
	flow_promise_for(e, id.v, bound);
	for (uint32_t k = 0; k < a->n_uses; k++)
		resource_mark(e, use_at(e, a->uses + k)->resource, DIRTY_ALL);
	if (a->n_uses == 0)
		flow_set_rate(e, id.v, bound);
}
