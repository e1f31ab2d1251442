/* batch.c: many flows that arrive at one date where nobody is, and end together: a phase of a
 * program whose ranks are in step, as those of most collectives are.
 *
 * Their rates are found at once, from sums over the resources that they use: a resource's level is
 * its capacity / the weights of its flows. Where it is the lowest of all levels that its flows
 * pass, it is what limits them (water-filling; such resources are found at the same time,
 * Ros-Giralt and others, "On the bottleneck structure of congestion-controlled networks", 2019). If
 * that settles all flows, they are a batch: a flow has a rate and an end, and is no member of
 * anything. Books are not begun, promises not made, and nothing is to be undone when the last of
 * them has ended.
 *
 * Whoever comes to one of their resources meanwhile, or an end that is not the end of all, opens
 * the batch: its flows are as all others from then on, at the rates and with the limiters that they
 * have. So a flow is in a batch once at most; where arrivals are none, they are tried ever less. In
 * compat, and where what goes over each resource is counted, there are none. */
#include "engine_int.h"

#include <stdlib.h>

enum { PAUSE_MOST = 1023 };

void engine_set_batches(struct engine *e, uint32_t from)
{
	e->batch.from = from;
}

void batch_free(struct batch *b)
{
	free(b->flows.ids);
	free(b->resources.ids);
	free(b->levels);
	free(b->lowest);
}

/* They are nobody's again. */
static void resources_free(struct engine *e)
{
	struct batch *b = &e->batch;

	for (uint32_t i = 0; i < b->resources.n; i++)
		e->resources[b->resources.ids[i]].demand = 0;
	b->resources.n = 0;
}

static void batch_pause(struct engine *e)
{
	struct batch *b = &e->batch;

	b->pause = b->pause < PAUSE_MOST ? 2 * b->pause + 1 : PAUSE_MOST;
	b->skip = b->pause;
	b->date = e->now;
	b->waits = 0;
}

int batch_begins(struct engine *e)
{
	struct batch *b = &e->batch;

	b->date = e->now;
	b->waits = b->skip == 0;
	b->skip -= b->skip > 0;
	return b->waits;
}

/* --- rates --- */

static int resource_add(struct engine *e, uint32_t id, double heft, struct err *err)
{
	struct resource *r = &e->resources[id];

	if (r->demand > 0 || r->n > 0 || r->dirt != CLEAN)
		return 0;
	if (ids_add(&e->batch.resources, id, err))
		return -1;
	r->demand = DEMAND_BATCH;
	e->batch.levels[id] = heft;
	return 1;
}

/* One more, on all its resources: 1; 0 if somebody is there, -1. */
static int flow_add(struct engine *e, struct activity *a, struct err *err)
{
	const struct use *u = engine_uses(e, a);
	double *hefts = e->batch.levels;

	for (uint32_t k = 0; k < a->n_uses; k++) {
		const struct resource *r = &e->resources[u[k].resource];
		double heft = coef_at(e, a, u + k) * a->weight;

		if (r->demand == DEMAND_BATCH) {
			hefts[u[k].resource] += heft;
		} else if (r->kind == RESOURCE_FATPIPE) {
			a->fatpipe = 1;
			hefts[u[k].resource] = INFINITY; /* as its level: it limits none */
		} else {
			int added = resource_add(e, u[k].resource, heft, err);
			if (added <= 0)
				return added;
		}
	}
	return 1;
}

static int flows_add(struct engine *e, struct err *err)
{
	struct id_list *l = &e->arriving;
	uint32_t kept = 0;
	int added = 1;

	for (uint32_t i = 0; i < l->n; i++) {
		struct activity *a = &e->activities[l->ids[i]];

		if (added <= 0) {
			l->ids[kept++] = l->ids[i];
			continue;
		}
		if (a->state != ACTIVITY_ARRIVING)
			continue;          /* cancelled meanwhile */
		a->state = ACTIVITY_BATCH; /* it may be there twice */
		l->ids[kept++] = l->ids[i];
		added = a->class ? 0 : flow_add(e, a, err);
	}
	l->n = kept;
	return added;
}

static double flow_top(const struct engine *e, const struct activity *a)
{
	return __builtin_expect(a->fatpipe, 0) ? flow_ceiling(e, a) : a->bound;
}

/* The lowest level on its way, or its own. */
static double flow_lowest(const struct engine *e, const struct activity *a, double top)
{
	const struct use *u = engine_uses(e, a);
	double lowest = top / a->weight;

	for (uint32_t k = 0; k < a->n_uses; k++) {
		double level = e->batch.levels[u[k].resource];
		lowest = level < lowest ? level : lowest;
	}
	return lowest;
}

/* Each gets the lowest level that it passes, which is right where that is one level for all: 0 if
 * one may never end. */
static int flows_rate(struct engine *e)
{
	double least = INFINITY, most = 0, slowest = INFINITY, longest = 0;

	for (uint32_t i = 0; i < e->arriving.n; i++) {
		struct activity *a = &e->activities[e->arriving.ids[i]];
		double top = flow_top(e, a), level = flow_lowest(e, a, top);

		a->rate = level * a->weight < top ? level * a->weight : top;
		least = level < least ? level : least;
		most = larger(most, level);
		slowest = a->rate < slowest ? a->rate : slowest;
		longest = larger(longest, a->remaining);
	}
	e->batch.uneven = most > least * (1 + SAME_LEVEL);
	return longest / slowest < INFINITY;
}

/* Room for a number of each resource. */
static int numbers_reserve(const struct engine *e, double **numbers, uint32_t *cap, struct err *err)
{
	void *p = vec_grow(*numbers, cap, sizeof **numbers, e->n_resources, "resources", err);

	if (!p)
		return -1;
	*numbers = p;
	return 0;
}

/* The lowest rate / weight of the flows of each resource. */
static int resources_lowest(struct engine *e, struct err *err)
{
	struct batch *b = &e->batch;
	double *lowest;

	if (numbers_reserve(e, &b->lowest, &b->lowest_cap, err))
		return -1;
	lowest = b->lowest;
	for (uint32_t i = 0; i < b->resources.n; i++)
		lowest[b->resources.ids[i]] = INFINITY;
	for (uint32_t i = 0; i < e->arriving.n; i++) {
		const struct activity *a = &e->activities[e->arriving.ids[i]];
		const struct use *u = engine_uses(e, a);
		double level = activity_level(a);

		for (uint32_t k = 0; k < a->n_uses; k++)
			if (level < lowest[u[k].resource])
				lowest[u[k].resource] = level;
	}
	return 0;
}

/* The resource that limits it: one that gives it its level, and no flow less. NO_LIMITER: none. */
static uint16_t flow_limiter(const struct engine *e, const struct activity *a)
{
	const struct batch *b = &e->batch;
	const struct use *u = engine_uses(e, a);
	double top = activity_level(a) * (1 + SAME_LEVEL);

	for (uint16_t k = 0; k < a->n_uses; k++) {
		double level = b->levels[u[k].resource];

		if (level <= top &&
		    (!b->uneven || b->lowest[u[k].resource] >= level * (1 - SAME_LEVEL)))
			return k;
	}
	return NO_LIMITER;
}

static int flow_is_at_top(const struct engine *e, const struct activity *a)
{
	return a->rate >= flow_top(e, a) * (1 - SAME_RATE);
}

uint16_t batch_limiter(const struct engine *e, const struct activity *a)
{
	return flow_is_at_top(e, a) ? NO_LIMITER : flow_limiter(e, a);
}

/* Does the lowest level limit each of them, as it would if all were filled step by step? */
static int flows_are_limited(struct engine *e, struct err *err)
{
	if (resources_lowest(e, err))
		return -1;
	for (uint32_t i = 0; i < e->arriving.n; i++) {
		const struct activity *a = &e->activities[e->arriving.ids[i]];
		if (!flow_is_at_top(e, a) && flow_limiter(e, a) == NO_LIMITER)
			return 0;
	}
	return 1;
}

/* Finds the rates of all that arrive: 1 if they are right, 0, -1. */
static int batch_solve(struct engine *e, struct err *err)
{
	struct batch *b = &e->batch;
	int added = numbers_reserve(e, &b->levels, &b->levels_cap, err) ? -1 : flows_add(e, err);

	if (added <= 0)
		return added;
	for (uint32_t i = 0; i < b->resources.n; i++) {
		double *level = &b->levels[b->resources.ids[i]];
		*level = e->resources[b->resources.ids[i]].capacity / *level;
		if (!(*level > 0))
			return 0; /* it gives nothing for now */
	}
	if (!flows_rate(e))
		return 0;
	return b->uneven ? flows_are_limited(e, err) : 1;
}

/* --- their life --- */

static double flow_end(const struct engine *e, uint32_t id)
{
	const struct activity *a = &e->activities[id];

	return a->since + a->remaining / a->rate;
}

/* They are flows under way from now on. Do they end at one date? */
static int flows_start(struct engine *e)
{
	struct batch *b = &e->batch;
	double first = INFINITY, last = 0;

	for (uint32_t i = 0; i < b->n; i++) {
		struct activity *a = &e->activities[b->flows.ids[i]];
		double end;

		a->since = e->now;
		end = flow_end(e, b->flows.ids[i]);
		first = end < first ? end : first;
		last = larger(last, end);
	}
	b->end = first;
	return last <= date_together(first);
}

/* The next of those that end together is in the queue. */
static void next_set(struct engine *e)
{
	const struct batch *b = &e->batch;

	queue_set_as(&e->queue, b->flows.ids[b->next], b->end, b->number + b->next);
}

static void batch_start(struct engine *e)
{
	struct batch *b = &e->batch;
	struct id_list had = b->flows;

	b->flows = e->arriving;
	e->arriving = had;
	e->arriving.n = 0;
	b->n = b->flows.n;
	b->next = 0;
	b->together = flows_start(e);
	if (b->together) {
		b->number = queue_numbers(&e->queue, b->n);
		next_set(e);
	}
	for (uint32_t i = 0; !b->together && i < b->n; i++)
		queue_set(&e->queue, b->flows.ids[i], flow_end(e, b->flows.ids[i]));
	e->stats.rate_changes += b->n;
	e->stats.batched += b->n;
}

int batch_take(struct engine *e, struct err *err)
{
	struct batch *b = &e->batch;
	int solved;

	if (e->arriving.n < b->from || !b->waits || b->date != e->now || b->n > 0 || e->meters ||
	    e->n_latency > e->arriving.n) /* those on their way would open it */
		return 0;
	solved = batch_solve(e, err);
	if (solved > 0) {
		batch_start(e);
		b->pause = 0;
		return 0;
	}
	for (uint32_t i = 0; i < e->arriving.n; i++) {
		struct activity *a = &e->activities[e->arriving.ids[i]];

		if (a->state == ACTIVITY_BATCH) {
			a->state = ACTIVITY_ARRIVING;
			a->rate = 0;
		}
	}
	resources_free(e);
	batch_pause(e);
	return solved;
}

void batch_part(struct engine *e)
{
	struct batch *b = &e->batch;

	b->next++;
	b->left = --b->n > 0;
	if (b->n > 0 && b->together)
		next_set(e);
	if (b->n > 0)
		return;
	resources_free(e);
	b->flows.n = 0;
	b->together = 0;
}

/* It arrives anew. */
static int flow_return(struct engine *e, uint32_t id, struct err *err)
{
	struct activity *a = &e->activities[id];

	if (ids_add(&e->arriving, id, err))
		return -1;
	a->remaining = larger(a->remaining - a->rate * (e->now - a->since), 0);
	a->rate = a->since = 0;
	a->state = ACTIVITY_ARRIVING;
	carriers_meet(e, a);
	queue_remove(&e->queue, id);
	return 0;
}

/* It is a flow as all others from now on, at the rate and with the end that it has. */
static int flow_stay(struct engine *e, uint32_t id, struct err *err)
{
	struct activity *a = &e->activities[id];
	uint16_t limiter = batch_limiter(e, a);

	flow_expect(e, a, a->rate);
	if (limiter != NO_LIMITER) {
		struct resource *r = &e->resources[engine_uses(e, a)[limiter].resource];
		if (!resource_contended(r))
			resource_contend(e, r);
	}
	return flow_place(e, id, a->rate, limiter, err);
}

/* In a crowd it may be of a class, or be carried: that is told when it arrives. */
static int flow_open(struct engine *e, uint32_t id, struct err *err)
{
	const struct activity *a = &e->activities[id];
	int crowded = a->n_uses > 0 && e->resources[engine_uses(e, a)->resource].n >= CLASS_CROWD;

	return crowded ? flow_return(e, id, err) : flow_stay(e, id, err);
}

/* All but those that end at this date. */
static int flows_open(struct engine *e, struct err *err)
{
	struct batch *b = &e->batch;
	uint32_t kept = 0;

	batch_scatter(e);
	for (uint32_t i = 0; i < b->flows.n; i++) {
		uint32_t id = b->flows.ids[i];

		if (e->activities[id].state != ACTIVITY_BATCH)
			continue; /* it has ended */
		if (flow_end(e, id) <= e->until)
			b->flows.ids[kept++] = id;
		else if (flow_open(e, id, err))
			return -1;
	}
	b->n = b->flows.n = kept;
	return 0;
}

/* Those that are limited where others have ended may go faster. */
static void resources_mark(struct engine *e)
{
	const struct id_list *l = &e->batch.resources;

	for (uint32_t i = 0; i < l->n; i++) {
		const struct resource *r = &e->resources[l->ids[i]];

		if (r->full &&
		    r->capacity - sum2_value(&resource_book(e, r)->load) > FULL * r->capacity)
			resource_mark(e, l->ids[i], DIRTY_LIMITED);
	}
}

int batch_open(struct engine *e, struct err *err)
{
	struct batch *b = &e->batch;

	if (b->n == 0)
		return 0;
	for (uint32_t i = 0; i < b->resources.n; i++)
		e->resources[b->resources.ids[i]].demand = 0;
	if (!b->together || b->end > e->until) {
		if (flows_open(e, err))
			return -1;
		resources_mark(e);
	} /* else all that are left end at this date: they are in nobody's way */
	b->resources.n = 0;
	b->left = 0;
	return 0;
}

void batch_scatter(struct engine *e)
{
	struct batch *b = &e->batch;

	for (uint32_t i = b->next; b->together && i < b->flows.n; i++)
		queue_set_as(&e->queue, b->flows.ids[i], b->end, b->number + i);
	b->together = 0;
}

void batch_meets(struct engine *e, const struct activity *a)
{
	const struct use *u = engine_uses(e, a);
	struct err why;

	for (uint32_t k = 0; k < a->n_uses; k++) {
		if (e->resources[u[k].resource].demand != DEMAND_BATCH)
			continue;
		if (batch_open(e, &why))
			engine_break(e, &why);
		return;
	}
}

/* --- for those who ask --- */

static double load_of(struct engine *e, uint32_t resource, double *fastest)
{
	double load = 0;

	*fastest = 0;
	for (uint32_t i = 0; i < e->batch.flows.n; i++) {
		const struct activity *a = &e->activities[e->batch.flows.ids[i]];
		const struct use *u = engine_uses(e, a);

		for (uint32_t k = 0; a->state == ACTIVITY_BATCH && k < a->n_uses; k++) {
			if (u[k].resource != resource)
				continue;
			load += a->rate * coef_at(e, a, u + k);
			*fastest = larger(*fastest, activity_level(a));
		}
	}
	return load;
}

static int check_limiter(struct engine *e, const struct activity *a)
{
	const struct use *u = engine_uses(e, a);
	double fastest;

	for (uint32_t k = 0; k < a->n_uses; k++)
		if (e->resources[u[k].resource].kind == RESOURCE_SHARED &&
		    load_of(e, u[k].resource, &fastest) >=
		        e->resources[u[k].resource].capacity * (1 - 1e-12) &&
		    fastest <= activity_level(a) * (1 + 1e-12))
			return 1;
	return a->rate >= flow_ceiling(e, a) * (1 - 1e-12);
}

int batch_check(struct engine *e, struct err *err)
{
	const struct batch *b = &e->batch;
	double fastest;

	if (b->n < b->flows.n || b->resources.n == 0)
		return 0; /* those that are left end at this date */
	for (uint32_t i = 0; i < b->resources.n; i++) {
		uint32_t r = b->resources.ids[i];
		if (load_of(e, r, &fastest) > e->resources[r].capacity * (1 + 1e-12))
			return err_set(err, ERR_PROGRAM, "resource %u: its batch is over capacity",
			               r);
	}
	for (uint32_t i = 0; i < b->flows.n; i++)
		if (!check_limiter(e, &e->activities[b->flows.ids[i]]))
			return err_set(err, ERR_PROGRAM, "flow %u of a batch could have more",
			               b->flows.ids[i]);
	return 0;
}
