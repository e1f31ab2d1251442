/* oracle.h: the textbook solver that the engine is compared with: progressive filling (Bertsekas
 * and Gallager, Data Networks, 6.5.2), straight from the definition, in long double, without any
 * incremental state. Slow on purpose. */
#ifndef ORRERY_TESTS_ORACLE_H
#define ORRERY_TESTS_ORACLE_H

#include "engine/engine.h"

#include <math.h>

enum { ORACLE_USES = 8 };

struct oracle_flow {
	int active;
	double weight, bound; /* bound <= 0: none */
	uint32_t n_uses;
	struct flow_use uses[ORACLE_USES];
	long double rate;
	int fixed;
};

struct oracle_resource {
	double capacity;
	enum resource_kind kind;
};

struct oracle {
	struct oracle_resource *resources;
	struct oracle_flow *flows;
	uint32_t n_resources, n_flows;
	int fatpipe_as_one; /* SimGrid's rule: a FATPIPE resource stops all its flows when the
	                       heaviest fills it */
};

static long double oracle_ceiling(const struct oracle *o, const struct oracle_flow *f)
{
	long double ceiling = f->bound > 0 ? f->bound : INFINITY;

	for (uint32_t k = 0; k < f->n_uses; k++) {
		const struct oracle_resource *r = &o->resources[f->uses[k].resource.v];
		if (r->kind == RESOURCE_FATPIPE && !o->fatpipe_as_one &&
		    r->capacity / (long double)f->uses[k].coef < ceiling)
			ceiling = r->capacity / (long double)f->uses[k].coef;
	}
	return ceiling;
}

static const struct flow_use *oracle_use(const struct oracle_flow *f, uint32_t resource)
{
	for (uint32_t k = 0; f->active && k < f->n_uses; k++)
		if (f->uses[k].resource.v == resource)
			return &f->uses[k];
	return NULL;
}

/* The level at which the flows without a rate fill the resource; INFINITY if there are none. */
static long double oracle_level(const struct oracle *o, uint32_t resource)
{
	const struct oracle_resource *r = &o->resources[resource];
	long double room = r->capacity, heft = 0, heaviest = 0;

	for (uint32_t i = 0; i < o->n_flows; i++) {
		const struct oracle_flow *f = &o->flows[i];
		const struct flow_use *u = oracle_use(f, resource);
		if (!u)
			continue;
		if (f->fixed) {
			room -= u->coef * f->rate;
		} else {
			heft += (long double)u->coef * f->weight;
			heaviest = fmaxl(heaviest, (long double)u->coef * f->weight);
		}
	}
	if (heft == 0 || (r->kind == RESOURCE_FATPIPE && !o->fatpipe_as_one))
		return INFINITY;
	if (r->kind == RESOURCE_FATPIPE)
		return r->capacity / heaviest;
	return fmaxl(room, 0) / heft;
}

static int oracle_on_level(const struct oracle *o, const struct oracle_flow *f,
                           const long double *levels, long double level)
{
	for (uint32_t k = 0; k < f->n_uses; k++)
		if (levels[f->uses[k].resource.v] <= level)
			return 1;
	(void)o;
	return 0;
}

/* One step of filling: fixes the flows that stop rising first. */
static int oracle_step(struct oracle *o, long double *levels)
{
	long double lowest = INFINITY, level;
	int left = 0;

	for (uint32_t r = 0; r < o->n_resources; r++)
		lowest = fminl(lowest, levels[r] = oracle_level(o, r));
	level = lowest;
	for (uint32_t i = 0; i < o->n_flows; i++)
		if (o->flows[i].active && !o->flows[i].fixed)
			level = fminl(level, oracle_ceiling(o, &o->flows[i]) / o->flows[i].weight);
	for (uint32_t i = 0; i < o->n_flows; i++) {
		struct oracle_flow *f = &o->flows[i];
		if (!f->active || f->fixed)
			continue;
		left = 1;
		if (oracle_ceiling(o, f) / f->weight > level &&
		    !(lowest <= level && oracle_on_level(o, f, levels, level)))
			continue;
		f->rate = fminl(level * f->weight, oracle_ceiling(o, f));
		f->fixed = 2; /* counted as fixed from the next step on: levels[] is of this one */
	}
	for (uint32_t i = 0; i < o->n_flows; i++)
		if (o->flows[i].fixed == 2)
			o->flows[i].fixed = 1;
	return left;
}

static void oracle_solve(struct oracle *o, long double *levels)
{
	for (uint32_t i = 0; i < o->n_flows; i++) {
		o->flows[i].fixed = 0;
		o->flows[i].rate = 0;
	}
	while (oracle_step(o, levels))
		;
}

#endif
