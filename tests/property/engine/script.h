/* script.h: random scripts of a simulation: starts, cancellations, changes of capacities and of
 * flows under way, each at its date, on a random machine. */
#ifndef ORRERY_TESTS_SCRIPT_H
#define ORRERY_TESTS_SCRIPT_H

#include "engine/engine.h"
#include "oracle.h"
#include "property/prop.h"

#include <math.h>

enum { RESOURCES = 8, FLOWS = 48, ACTIONS = 120 };

enum action_kind { START, CANCEL, CHANGE, CAPACITY };
struct action {
	enum action_kind kind;
	double date, bound, weight, capacity;
	uint32_t flow, resource;
};

struct script {
	int compat; /* for SimGrid's sharing: see prop_compat.c */
	int even;   /* dates of starts and latencies are eighths of a second: many are equal */
	struct action action[ACTIONS];
	uint32_t n, flows;
	double capacity[RESOURCES];
	enum resource_kind kind[RESOURCES];
	struct flow_spec spec[FLOWS];
	struct flow_use uses[FLOWS][ORACLE_USES];
};

/* unlike: once in these it is not exactly like the one before; those that are make classes. */
static void flow_draw(struct script *s, struct rng *r, uint32_t i, uint64_t unlike)
{
	struct flow_spec *f = &s->spec[i];
	uint32_t first = (uint32_t)rng_below(r, RESOURCES);

	*f = (struct flow_spec){.uses = s->uses[i], .user = i};
	f->n_uses = (uint32_t)rng_below(r, 5);
	if (s->compat && f->n_uses == 0)
		f->n_uses = 1;
	if (s->compat)
		first = 0;
	for (uint32_t k = 0; k < f->n_uses; k++)
		s->uses[i][k] = (struct flow_use){{(first + k * 3) % RESOURCES},
		                                  prop_once_in(r, 3) ? 0.05f : 1};
	f->amount = prop_once_in(r, 12) ? 0 : 1e6 * rng_unit(r);
	f->latency = prop_once_in(r, 3) ? 0
	             : s->even          ? prop_from(r, 1, 3) / 8.0
	                                : 0.2 * rng_unit(r);
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

	if (x->date != y->date)
		return x->date < y->date ? -1 : 1;
	return (x->kind > y->kind) - (x->kind < y->kind); /* the start of a flow first */
}

/* At once, or within `most` seconds. */
static double soon(struct rng *r, double most)
{
	return prop_once_in(r, 4) ? 0 : most * rng_unit(r) + 1e-3;
}

static void script_draw(struct script *s, struct rng *r, int compat)
{
	uint64_t unlike = prop_once_in(r, 2) ? 1 : prop_once_in(r, 2) ? 3 : 12;
	double last = 0;

	memset(s, 0, sizeof *s);
	s->compat = compat;
	s->even = !compat && prop_once_in(r, 2);
	s->flows = prop_from(r, 1, FLOWS);
	for (uint32_t i = 0; i < RESOURCES; i++) {
		s->kind[i] = prop_once_in(r, 5) ? RESOURCE_FATPIPE : RESOURCE_SHARED;
		s->capacity[i] = 1e6 * (0.1 + rng_unit(r));
	}
	for (uint32_t i = 0; i < s->flows; i++) {
		flow_draw(s, r, i, unlike);
		last += prop_once_in(r, 2) ? 0 : s->even ? prop_from(r, 1, 4) / 8.0 : rng_unit(r);
		action_put(s, (struct action){.kind = START, .date = last, .flow = i});
		if (prop_once_in(r, 8))
			action_put(s, (struct action){
			                  .kind = CANCEL, .date = last + soon(r, 2), .flow = i});
		else if (prop_once_in(r, 6))
			action_put(s, (struct action){.kind = CHANGE,
			                              .date = last + soon(r, 1),
			                              .flow = i,
			                              .bound = 1e6 * rng_unit(r) + 1,
			                              .weight = 0.1 + rng_unit(r)});
	}
	for (uint64_t k = rng_below(r, 10); k > 0 && s->n < ACTIONS; k--)
		action_put(s, (struct action){.kind = CAPACITY,
		                              .date = last * rng_unit(r) + rng_unit(r),
		                              .resource = (uint32_t)rng_below(r, RESOURCES),
		                              .capacity = !compat && prop_once_in(r, 4)
		                                              ? 0
		                                              : 1e6 * (0.1 + rng_unit(r))});
	qsort(s->action, s->n, sizeof *s->action, action_earlier);
}

#endif
