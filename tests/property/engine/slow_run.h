/* slow_run.h: the slow simulation of a script: at every event all is solved anew by the textbook
 * solver, in long double. */
#ifndef ORRERY_TESTS_SLOW_RUN_H
#define ORRERY_TESTS_SLOW_RUN_H

#include "script.h"

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
	w->o = (struct oracle){w->resource, w->flow, RESOURCES, FLOWS, s->compat};
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
