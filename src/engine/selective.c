/* selective.c: SimGrid 3.32's sharing, faults included, for compat:simgrid-3.32. Nothing of it is
 * used otherwise.
 *
 * What SimGrid does (its "Lazy" mode with "selective update", the default) and what of it shows in
 * times:
 *  1. At each date only a set of *modified* resources is solved. A change marks a resource, and
 *     with it all resources that can be reached through active flows. But what is marked already is
 *     not looked at again: a flow that becomes active, or ends, marks its first resource only, so
 *     when that one is marked (two flows leave one host at the same date), the flow's other
 *     resources may stay out. They do not limit it, and the flows there keep their rates although
 *     they should change: capacity is exceeded until the next event near by. With its
 *     network/optim:Full nothing stays out (whole).
 *  2. Tolerances: a resource with less than 1e-5 of its capacity left (maxmin/precision) is full,
 *     and what is left is given to nobody.
 *  3. A FATPIPE resource is full for all its flows when the heaviest (coef x weight) fills it.
 *  4. The order of changes at one date: flows whose latency ends, flows that end, flows that start.
 *     A flow that is given another bound marks all its resources when that happens (model IB: when
 *     another message ends or has started), even while it waits for its latency.
 *  5. Ends of the same date come in the order in which their dates were last set, and a solve sets
 *     the dates of all flows of marked resources: resource by resource as the walk found them,
 *     depth first, the newest member first. Timers that start at one date are set before, in
 *     reverse order. With network/optim:Full messages come in the order in which they began.
 * Source: SimGrid 3.32, its documentation of network/optim and maxmin-selective-update, and
 * experiments (tests/peer): with network/optim:Full SimGrid itself gives the times that Orrery
 * gives without compat.
 *
 * All changes of a date are kept in lists; selective_solve applies them in that order. An
 * ended flow keeps its slot until then. Flows that meet nobody mark nothing when they end; those
 * that become active are marked only when somebody else is, who may come to meet them (mark). Else
 * each is solved by itself (lone_solve).
 * Room for all resources and flows is there before a solve: memory that nobody writes to takes no
 * place. */
#include "selective_int.h"

#include <math.h>
#include <stdlib.h>

struct selective *selective_new(struct err *err)
{
	struct selective *s = calloc(1, sizeof *s);

	if (!s)
		err_nomem(err, "sharing", sizeof *s);
	return s;
}

void selective_free(struct selective *s)
{
	if (!s)
		return;
	free(s->counted);
	free(s->elements);
	free(s->marked.ids);
	free(s->started.ids);
	free(s->enabled.ids);
	free(s->ended.ids);
	free(s->timers.ids);
	free(s->walk);
	free(s->cells);
	free(s->vars);
	free(s->light);
	free(s->levels);
	free(s->stale);
	free(s->full);
	free(s);
}

void selective_whole(struct selective *s)
{
	s->whole = 1;
}

void selective_precision(struct selective *s, double time, double share)
{
	s->tolerance = share;
	s->left_tolerance = share * time;
}

/* A change of this date. */
static inline int list_add(struct selective *s, struct id_list *l, uint32_t id, struct err *err)
{
	s->changed = 1;
	return ids_add(l, id, err);
}

/* Bytes are whole numbers, which amount x pace may miss by rounding. */
static double whole(double x)
{
	return fabs(x - rint(x)) < 1e-6 ? rint(x) : x;
}

/* SimGrid's weight of a use: a double, where ours is the float next to it. */
static double coef_of(float coef)
{
	if (coef == 1) /* nearly all, or 0.05: what the rest would come to */
		return 1;
	if (coef == 0.05f)
		return 0.05;
	double millionths = (double)coef * 1e6, nearest = rint(millionths);

	return fabs(millionths - nearest) <= 1e-7 * nearest ? nearest / 1e6 : (double)coef;
}

/* What its uses weigh. */
static void flow_count(struct engine *e, const struct activity *a, const struct counted *c)
{
	struct selective *s = e->selective;
	struct element *el = s->elements + a->uses;
	const struct use *u = engine_uses(e, a);

	for (; s->n_coefs < e->n_coefs; s->n_coefs++)
		s->coefs[s->n_coefs] = coef_of(e->coefs_short[s->n_coefs]);
	for (uint32_t k = 0; k < a->n_uses; k++) {
		el[k].coef = u[k].coef != COEF_OWN ? s->coefs[u[k].coef]
		                                   : coef_of((float)coef_of_its_own(e, a, &u[k]));
		el[k].heft = el[k].coef / c->penalty;
	}
}

int selective_start(struct engine *e, uint32_t id, const struct flow_spec *spec, struct err *err)
{
	struct selective *s = e->selective;
	const struct activity *a = &e->activities[id];
	double amount = a->remaining, pace = spec->pace > 0 ? spec->pace : 1;
	void *p = vec_grow(s->counted, &s->counted_cap, sizeof *s->counted, (size_t)id + 1, "flows",
	                   err);

	if (!p)
		return -1;
	s->counted = p;
	p = vec_grow(s->elements, &s->elements_cap, sizeof *s->elements, (size_t)e->uses.n + 1,
	             "uses of resources by flows", err);
	if (!p)
		return -1;
	s->elements = p;
	s->counted[id] = (struct counted){.left = pace == 1 ? amount : whole(amount * pace),
	                                  .pace = pace,
	                                  .penalty = spec->penalty > 0 ? spec->penalty
	                                                               : 1 / a->weight,
	                                  .number = s->whole ? queue_number(&e->queue) : 0};
	flow_count(e, a, &s->counted[id]);
	return list_add(s, &s->started, id, err);
}

int selective_enable(struct engine *e, uint32_t id, struct err *err)
{
	e->activities[id].state = ACTIVITY_ARRIVING;
	queue_remove(&e->queue, id);
	return list_add(e->selective, &e->selective->enabled, id, err);
}

int selective_end(struct engine *e, uint32_t id, struct err *err)
{
	struct activity *a = &e->activities[id];

	a->state = a->state == ACTIVITY_ACTIVE ? ACTIVITY_ENDED : ACTIVITY_CANCELLED;
	return list_add(e->selective, &e->selective->ended, id, err);
}

uint32_t selective_ended(const struct engine *e)
{
	return e->selective->ended.n;
}

int selective_mark(struct engine *e, uint32_t resource, struct err *err)
{
	return list_add(e->selective, &e->selective->marked, resource, err);
}

double selective_penalty(const struct engine *e, uint32_t id)
{
	return e->selective->counted[id].penalty;
}

/* Bounds change when a message of model IB ends or has started: among those, in their order. */
int selective_change(struct engine *e, uint32_t id, double bound, double penalty, struct err *err)
{
	struct selective *s = e->selective;
	struct activity *a = &e->activities[id];

	a->bound = bound;
	a->weight = 1 / penalty;
	if (s->counted[id].penalty != penalty) {
		s->counted[id].penalty = penalty;
		flow_count(e, a, &s->counted[id]);
	}
	return list_add(s, s->started.n ? &s->started : &s->enabled, id | CHANGED, err);
}

int selective_timer(struct engine *e, uint32_t id, double date, struct err *err)
{
	e->activities[id].since = date;
	return list_add(e->selective, &e->selective->timers, id, err);
}

int selective_pending(const struct engine *e)
{
	return e->selective->changed || e->dirty.n > 0;
}

void selective_rate(struct engine *e, uint32_t id, double rate)
{
	struct activity *a = &e->activities[id];
	struct counted *c = &e->selective->counted[id];

	e->stats.rate_changes++;
	if (c->left > 0)
		c->left = less(c->left, a->rate * c->pace * (e->now - a->since),
		               e->selective->left_tolerance);
	a->remaining = c->left / c->pace;
	a->since = e->now;
	a->rate = rate;
	double share = rate * c->pace, date = c->left > 0 ? e->now + c->left / share : e->now;
	if (!(date < INFINITY))
		queue_remove(&e->queue, id);
	else if (e->selective->whole && c->pace != 1) /* a message: computations have no pace */
		queue_set_as(&e->queue, id, date, c->number);
	else
		queue_set(&e->queue, id, date);
}

/* The last of those that began at this date is first among those that end together. */
static void timers_set(struct engine *e)
{
	struct id_list *l = &e->selective->timers;

	while (l->n > 0) {
		uint32_t id = l->ids[--l->n];

		if (e->activities[id].state == ACTIVITY_TIMER && !queue_has(&e->queue, id))
			queue_set(&e->queue, id, e->activities[id].since);
	}
}

/* Room for n of each. */
static int room(struct selective *s, uint32_t resources, uint32_t flows, struct err *err)
{
	void *p = vec_grow(s->cells, &s->cells_cap, sizeof *s->cells, resources, "resources", err);

	if (!p)
		return -1;
	s->cells = p;
	p = vec_grow(s->walk, &s->walk_cap, sizeof *s->walk, resources, "resources", err);
	if (!p)
		return -1;
	s->walk = p;
	p = vec_grow(s->light, &s->light_cap, sizeof *s->light, resources, "resources", err);
	if (!p)
		return -1;
	s->light = p;
	p = vec_grow(s->levels, &s->levels_cap, sizeof *s->levels, resources, "resources", err);
	if (!p)
		return -1;
	s->levels = p;
	p = vec_grow(s->stale, &s->stale_cap, sizeof *s->stale, resources, "resources", err);
	if (!p)
		return -1;
	s->stale = p;
	p = vec_grow(s->vars, &s->vars_cap, sizeof *s->vars, flows, "flows to share", err);
	if (!p)
		return -1;
	s->vars = p;
	p = vec_grow(s->full, &s->full_cap, sizeof *s->full, flows, "flows to share", err);
	if (!p)
		return -1;
	s->full = p;
	s->room_resources = resources;
	s->room_flows = flows;
	return 0;
}

/* All that is marked. */
static void solve_marked(struct engine *e)
{
	selective_fill(e);
	timers_set(e);
	selective_finish(e);
}

/* The level at which a flow that meets nobody fills what it uses; INFINITY: it uses nothing that
 * has a capacity. */
static double level_alone(const struct engine *e, const struct activity *a)
{
	const struct element *el = e->selective->elements + a->uses;
	const struct use *u = engine_uses(e, a);
	double level = INFINITY;

	for (uint32_t k = 0; k < a->n_uses; k++) {
		double capacity = e->resources[u[k].resource].capacity;

		if (capacity > 0 && capacity / el[k].heft < level)
			level = capacity / el[k].heft;
	}
	return level;
}

/* What fill_alone would find. */
static double rate_alone(const struct engine *e, const struct activity *a, double penalty)
{
	double level = level_alone(e, a);

	if (level == INFINITY)
		return 0;
	return a->bound * penalty < level ? a->bound : level / penalty;
}

/* Another flow that stops at its bound, at exactly this level, would stop this one at its own. */
static int rounding_decides(const struct engine *e, uint32_t id)
{
	const struct activity *a = &e->activities[id];
	double penalty = e->selective->counted[id].penalty, level = level_alone(e, a);
	double above = a->bound * penalty - level;

	return above >= 0 && above < e->selective->tolerance && a->bound != level / penalty;
}

/* Can each of several be solved by itself? */
static int lone_are_apart(const struct engine *e)
{
	const struct selective *s = e->selective;

	for (uint32_t i = 0; s->n_lone > 1 && i < s->n_lone; i++)
		if (rounding_decides(e, s->enabled.ids[i]))
			return 0;
	return 1;
}

/* Flows that are alone became active, and nobody is marked. */
static void lone_solve(struct engine *e)
{
	struct selective *s = e->selective;

	timers_set(e);
	for (uint32_t i = 0; i < s->n_lone; i++) {
		uint32_t id = s->enabled.ids[i];
		struct activity *a = &e->activities[id];

		a->moving = NO_ID;
		selective_rate(e, id, rate_alone(e, a, s->counted[id].penalty));
	}
	s->n_lone = 0;
}

int selective_solve(struct engine *e, struct err *err)
{
	struct selective *s = e->selective;

	e->stats.solves++;
	s->changed = 0;
	if ((s->room_resources <= e->n_resources || s->room_flows <= e->n_activities) &&
	    room(s, e->resources_cap + 1, e->activities_cap + 1, err))
		return -1;
	if (selective_apply(e, err))
		return -1;
	if (s->n_cells == 0 && !lone_are_apart(e))
		lone_mark(e);
	if (s->n_cells == 0)
		lone_solve(e);
	else
		solve_marked(e);
	return 0;
}
