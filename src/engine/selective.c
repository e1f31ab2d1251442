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
 *     they should change: capacity is exceeded until the next event near by.
 *  2. Tolerances: a resource with less than 1e-5 of its capacity left is full, and what is left is
 *     given to nobody.
 *  3. A FATPIPE resource is full for all its flows when the heaviest (coef x weight) fills it.
 *  4. The order of changes at one date: flows whose latency ends, flows that end, flows that start.
 *  5. Ends of the same date come in the order in which their dates were last set, and a solve sets
 *     the dates of all flows of marked resources: resource by resource as the walk found them,
 *     depth first, the newest member first. Timers that start at one date are set before, in
 *     reverse order.
 * Source: SimGrid 3.32, its documentation of network/optim and maxmin-selective-update, and
 * experiments (tests/peer): with network/optim:Full SimGrid itself gives the times that Orrery
 * gives without compat.
 *
 * All changes of a date are kept in three lists; selective_solve applies them in that order. An
 * ended flow keeps its slot until then. Room for all resources and flows is there before a solve:
 * memory that nobody writes to takes no place. */
#include "engine_int.h"

#include <math.h>
#include <stdlib.h>

#define TOLERANCE 1e-5       /* SimGrid's maxmin/precision */
#define LEFT_TOLERANCE 1e-14 /* … times its surf/precision: bytes */

enum {
	VISITED = 0xfffffffeu
}; /* value of activity.moving: reached in this solve, no variable yet */

/* A marked resource; engine.touched is its place here. */
struct cell {
	uint32_t resource;
	uint32_t light; /* place among those that can still become full, or NO_ID */
	double left, usage;
	double level; /* left / usage */
};

/* A flow of a marked resource; activity.moving is its place here. */
struct variable {
	uint32_t activity;
	uint8_t fixed, saturated;
	double penalty; /* penalty_of */
	double value;
};

/* Where a walk from resource to resource is. */
struct step {
	uint32_t resource;
	uint32_t members; /* not yet looked at */
	uint32_t use;     /* of the member under way: the next one */
};

/* A flow as SimGrid counts it: what is left, in bytes, of which one unit of rate moves pace. */
struct counted {
	double left, pace;
};

struct selective {
	struct counted *counted; /* by activity */
	uint32_t counted_cap;
	struct id_list started, enabled, ended, timers;
	struct step *walk;
	uint32_t n_walk, walk_cap;
	struct cell *cells;
	struct variable *vars;
	uint32_t *light; /* places in cells */
	uint32_t *full;  /* variables on the resources that become full next */
	uint32_t n_cells, cells_cap, n_vars, vars_cap, n_light, light_cap, n_full, full_cap;
};

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
	free(s->started.ids);
	free(s->enabled.ids);
	free(s->ended.ids);
	free(s->timers.ids);
	free(s->walk);
	free(s->cells);
	free(s->vars);
	free(s->light);
	free(s->full);
	free(s);
}

static int list_add(struct id_list *l, uint32_t id, struct err *err)
{
	void *p = vec_grow(l->ids, &l->cap, sizeof *l->ids, (size_t)l->n + 1, "flows", err);

	if (!p)
		return -1;
	l->ids = p;
	l->ids[l->n++] = id;
	return 0;
}

/* Bytes are whole numbers, which amount x pace may miss by rounding. */
static double whole(double x)
{
	return fabs(x - rint(x)) < 1e-6 ? rint(x) : x;
}

int selective_start(struct engine *e, uint32_t id, double pace, struct err *err)
{
	struct selective *s = e->selective;
	double amount = e->activities[id].remaining;
	void *p = vec_grow(s->counted, &s->counted_cap, sizeof *s->counted, (size_t)id + 1, "flows",
	                   err);

	if (!p)
		return -1;
	s->counted = p;
	s->counted[id] = (struct counted){pace == 1 ? amount : whole(amount * pace), pace};
	return list_add(&s->started, id, err);
}

int selective_enable(struct engine *e, uint32_t id, struct err *err)
{
	e->activities[id].state = ACTIVITY_ARRIVING;
	queue_remove(&e->queue, id);
	return list_add(&e->selective->enabled, id, err);
}

int selective_end(struct engine *e, uint32_t id, struct err *err)
{
	struct activity *a = &e->activities[id];

	a->state = a->state == ACTIVITY_ACTIVE ? ACTIVITY_ENDED : ACTIVITY_CANCELLED;
	return list_add(&e->selective->ended, id, err);
}

int selective_timer(struct engine *e, uint32_t id, double date, struct err *err)
{
	e->activities[id].since = date;
	return list_add(&e->selective->timers, id, err);
}

int selective_pending(const struct engine *e)
{
	const struct selective *s = e->selective;

	return s->timers.n || s->started.n || s->enabled.n || s->ended.n || s->n_cells ||
	       e->dirty.n;
}

static double less(double x, double by, double tolerance)
{
	x -= by;
	return x < tolerance ? 0 : x;
}

/* flow_set_rate, with SimGrid's rounding: of two dates that differ in the last bit, the earlier is
 * first, and who is first decides what is marked. */
static void rate_set(struct engine *e, uint32_t id, double rate)
{
	struct activity *a = &e->activities[id];
	struct counted *c = &e->selective->counted[id];

	e->stats.rate_changes++;
	if (c->left > 0)
		c->left = less(c->left, a->rate * c->pace * (e->now - a->since), LEFT_TOLERANCE);
	a->remaining = c->left / c->pace;
	a->since = e->now;
	a->rate = rate;
	double share = rate * c->pace, date = c->left > 0 ? e->now + c->left / share : e->now;
	if (date < INFINITY)
		queue_set(&e->queue, id, date);
	else
		queue_remove(&e->queue, id);
}

/* --- marking --- */

static inline void cell_add(struct engine *e, uint32_t r)
{
	struct selective *s = e->selective;

	e->touched[r] = s->n_cells;
	s->cells[s->n_cells++] = (struct cell){.resource = r, .light = NO_ID};
}

/* Pushes the resource on the path of the walk: its members are next, the newest first. */
static inline void walk_into(struct engine *e, uint32_t r)
{
	struct selective *s = e->selective;

	cell_add(e, r);
	s->walk[s->n_walk++] = (struct step){.resource = r, .members = e->resources[r].n, .use = 0};
}

/* The next resource, not yet marked, of the members of the one at the end of the path; NO_ID when
 * there is none left. Resources where a flow is alone are marked at once: a walk into them would go
 * on with the same flow's next use. */
static uint32_t walk_next(struct engine *e, struct step *at)
{
	const struct member *m = resource_members(e, &e->resources[at->resource]);

	for (; at->members > 0; at->members--, at->use = 0) {
		struct activity *a = &e->activities[m[at->members - 1].activity];
		const struct use *u = engine_uses(e, a);

		if (a->moving == VISITED)
			continue;
		for (; at->use < a->n_uses; at->use++) {
			uint32_t r = u[at->use].resource;

			if (e->touched[r] != NO_ID)
				continue;
			if (e->resources[r].n > 1)
				return r;
			cell_add(e, r);
		}
		a->moving = VISITED;
	}
	return NO_ID;
}

/* Marks a resource and all that active flows join to it, depth first; nothing if it is marked
 * already. */
static inline void mark(struct engine *e, uint32_t r)
{
	struct selective *s = e->selective;

	if (e->touched[r] != NO_ID)
		return;
	s->n_walk = 0;
	walk_into(e, r);
	while (s->n_walk > 0) {
		uint32_t next = walk_next(e, &s->walk[s->n_walk - 1]);

		if (next == NO_ID)
			s->n_walk--;
		else
			walk_into(e, next);
	}
}

static void mark_first(struct engine *e, const struct activity *a)
{
	if (a->n_uses)
		mark(e, engine_uses(e, a)[0].resource);
}

static int apply_enabled(struct engine *e, uint32_t id, struct err *err)
{
	struct activity *a = &e->activities[id];

	if (a->state != ACTIVITY_ARRIVING)
		return 0; /* cancelled meanwhile */
	for (uint32_t k = 0; k < a->n_uses; k++) {
		if (resource_join(e, id, a->uses + k, err))
			return -1;
	}
	a->state = ACTIVITY_ACTIVE;
	a->rate = 0;
	a->since = e->now;
	if (a->n_uses == 0)
		rate_set(e, id, a->bound);
	mark_first(e, a);
	return 0;
}

/* Closes the gap: members stay in the order of their arrival. */
static void member_leave(struct engine *e, const struct use *u)
{
	struct resource *r = &e->resources[u->resource];
	struct member *m = resource_members(e, r);

	r->n--;
	for (uint32_t i = u->pos; i < r->n; i++) {
		m[i] = m[i + 1];
		use_at(e, m[i].use)->pos = i;
	}
}

static void apply_ended(struct engine *e, uint32_t id)
{
	struct activity *a = &e->activities[id];

	if (a->state == ACTIVITY_ENDED) {
		mark_first(e, a);
		for (uint32_t k = 0; k < a->n_uses; k++)
			member_leave(e, &engine_uses(e, a)[k]);
	}
	activity_release(e, id);
}

/* A flow that starts marks its resources one by one, even while it waits for its latency. Those
 * without members need no mark: nothing of this date is applied after it. */
static void apply_started(struct engine *e, uint32_t id)
{
	const struct activity *a = &e->activities[id];

	if (a->state == ACTIVITY_FREE || a->state == ACTIVITY_TIMER)
		return;
	const struct use *u = engine_uses(e, a);
	for (uint32_t k = 0; k < a->n_uses; k++)
		if (e->resources[u[k].resource].n > 0)
			mark(e, u[k].resource);
}

static void apply_capacities(struct engine *e)
{
	for (uint32_t i = 0; i < e->dirty.n; i++) {
		e->resources[e->dirty.ids[i]].dirt = CLEAN;
		mark(e, e->dirty.ids[i]);
	}
	e->dirty.n = 0;
}

/* All that changed at this date, in SimGrid's order. */
static int apply_all(struct engine *e, struct err *err)
{
	struct selective *s = e->selective;

	apply_capacities(e);
	for (uint32_t i = 0; i < s->enabled.n; i++)
		if (apply_enabled(e, s->enabled.ids[i], err))
			return -1;
	for (uint32_t i = 0; i < s->ended.n; i++)
		apply_ended(e, s->ended.ids[i]);
	for (uint32_t i = 0; i < s->started.n; i++)
		apply_started(e, s->started.ids[i]);
	s->enabled.n = s->ended.n = s->started.n = 0;
	return 0;
}

/* --- filling --- */

/* SimGrid's penalty of a flow, to the bit where 1 / (1 / penalty) is the penalty, and its weight of
 * a use: a double, where ours is the float next to it. */
static double penalty_of(const struct activity *a)
{
	return 1 / a->weight;
}

static inline double coef_of(const struct use *u)
{
	if (u->coef == 1) /* nearly all, or 0.05: what the rest would come to */
		return 1;
	if (u->coef == 0.05f)
		return 0.05;
	double millionths = (double)u->coef * 1e6, whole = rint(millionths);

	return fabs(millionths - whole) <= 1e-7 * whole ? whole / 1e6 : (double)u->coef;
}

static inline double heft(const struct use *u, const struct variable *v)
{
	return coef_of(u) / v->penalty;
}

static inline struct variable *variable_of(struct engine *e, struct member m)
{
	return &e->selective->vars[e->activities[m.activity].moving];
}

/* Of a FATPIPE resource, of the flows without a rate. */
static double heaviest_unfixed(struct engine *e, struct resource *r)
{
	const struct member *m = resource_members(e, r);
	double usage = 0;

	for (uint32_t i = r->n; i-- > 0;) {
		if (variable_of(e, m[i])->value > 0)
			continue;
		usage = fmax(usage, heft(use_at(e, m[i].use), variable_of(e, m[i])));
	}
	return usage;
}

/* The flows of a marked resource become variables: the newest first. */
static void cell_start(struct engine *e, struct cell *cell)
{
	struct selective *s = e->selective;
	struct resource *r = &e->resources[cell->resource];
	const struct member *m = resource_members(e, r);
	double usage = 0;

	for (uint32_t i = r->n; i-- > 0;) {
		struct activity *a = &e->activities[m[i].activity];

		if (a->moving >= VISITED) {
			a->moving = s->n_vars;
			s->vars[s->n_vars++] = (struct variable){.activity = m[i].activity,
			                                         .penalty = penalty_of(a)};
		}
		double h = heft(use_at(e, m[i].use), &s->vars[a->moving]);
		usage = r->kind == RESOURCE_SHARED ? usage + h : fmax(usage, h);
	}
	cell->left = r->capacity;
	cell->usage = usage;
}

static void cells_prepare(struct engine *e)
{
	struct selective *s = e->selective;

	for (uint32_t c = 0; c < s->n_cells; c++) {
		struct cell *cell = &s->cells[c];

		if (e->resources[cell->resource].n == 0)
			continue; /* who used it has ended */
		cell_start(e, cell);
		if (cell->usage > 0 && cell->left > 0) {
			cell->light = s->n_light;
			s->light[s->n_light++] = c;
		}
	}
}

static void light_remove(struct selective *s, struct cell *cell)
{
	uint32_t last = s->light[--s->n_light];

	s->light[cell->light] = last;
	s->cells[last].light = cell->light;
	cell->light = NO_ID;
}

static inline void cell_use(struct engine *e, struct cell *cell, const struct use *u,
                            double penalty, double value)
{
	double coef = coef_of(u);
	struct resource *r = &e->resources[cell->resource];

	if (r->kind == RESOURCE_SHARED) {
		cell->left = less(cell->left, coef * value, r->capacity * TOLERANCE);
		cell->usage = less(cell->usage, coef / penalty, TOLERANCE);
	} else {
		cell->usage = heaviest_unfixed(e, r);
	}
	if (cell->light != NO_ID &&
	    (cell->usage <= TOLERANCE || cell->left <= r->capacity * TOLERANCE))
		light_remove(e->selective, cell);
}

static void variable_fix(struct engine *e, struct variable *v, double value)
{
	const struct activity *a = &e->activities[v->activity];
	const struct use *u = engine_uses(e, a);

	v->value = value;
	v->fixed = 1;
	for (uint32_t k = 0; k < a->n_uses; k++) {
		uint32_t c = e->touched[u[k].resource];

		if (c != NO_ID)
			cell_use(e, &e->selective->cells[c], &u[k], v->penalty, value);
	}
}

static void full_collect(struct engine *e, struct cell *cell)
{
	struct selective *s = e->selective;
	struct resource *r = &e->resources[cell->resource];
	const struct member *m = resource_members(e, r);

	for (uint32_t i = 0; i < r->n; i++) {
		uint32_t v = e->activities[m[i].activity].moving;

		if (!s->vars[v].fixed && !s->vars[v].saturated) {
			s->vars[v].saturated = 1;
			s->full[s->n_full++] = v;
		}
	}
}

/* The lowest level at which a resource becomes full, with the flows of all resources that do so at
 * exactly this level. */
static double full_find(struct engine *e)
{
	struct selective *s = e->selective;
	double level = INFINITY;

	for (uint32_t i = 0; i < s->n_light; i++) {
		struct cell *cell = &s->cells[s->light[i]];

		cell->level = cell->left / cell->usage;
		if (cell->level < level)
			level = cell->level;
	}
	s->n_full = 0;
	for (uint32_t i = 0; i < s->n_light; i++) {
		struct cell *cell = &s->cells[s->light[i]];

		if (cell->level == level)
			full_collect(e, cell);
	}
	return level;
}

/* SimGrid's bound * penalty, to the bit where 1 / (1 / penalty) is the penalty: on a FATPIPE
 * resource that is its route's narrowest the heaviest flow reaches its bound and fills the resource
 * at one level, and rounding decides whether it stops the others there. */
static double bound_level(const struct engine *e, const struct variable *v)
{
	return e->activities[v->activity].bound * v->penalty;
}

static void full_fix(struct engine *e, double level)
{
	struct selective *s = e->selective;
	double bound = INFINITY;

	for (uint32_t i = 0; i < s->n_full; i++) {
		double b = bound_level(e, &s->vars[s->full[i]]);

		if (b < level)
			bound = fmin(bound, b);
	}
	for (uint32_t i = 0; i < s->n_full; i++) {
		struct variable *v = &s->vars[s->full[i]];

		v->saturated = 0;
		if (bound == INFINITY)
			variable_fix(e, v, level / v->penalty);
		else if (fabs(bound - bound_level(e, v)) < TOLERANCE)
			variable_fix(e, v, e->activities[v->activity].bound);
	}
}

/* A single flow: what filling would give it, without what that leaves to others. */
static void fill_alone(struct engine *e)
{
	struct selective *s = e->selective;
	struct variable *v = &s->vars[0];
	const struct activity *a = &e->activities[v->activity];
	double level = INFINITY;

	for (uint32_t i = 0; i < s->n_light; i++) {
		const struct cell *cell = &s->cells[s->light[i]];

		if (cell->left / cell->usage < level)
			level = cell->left / cell->usage;
	}
	if (s->n_light > 0)
		v->value = bound_level(e, v) < level ? a->bound : level / v->penalty;
}

static void fill(struct engine *e)
{
	struct selective *s = e->selective;

	if (s->n_vars == 1) {
		fill_alone(e);
		return;
	}
	while (s->n_light > 0) {
		double level = full_find(e);

		if (s->n_full ==
		    0) /* rounding: a resource without flows left that counts as not yet full */
			light_remove(s, &s->cells[s->light[s->n_light - 1]]);
		else
			full_fix(e, level);
	}
}

static void finish(struct engine *e)
{
	struct selective *s = e->selective;

	for (uint32_t i = 0; i < s->n_vars; i++) {
		uint32_t id = s->vars[i].activity;

		e->activities[id].moving = NO_ID;
		rate_set(e, id, s->vars[i].value); /* also the same rate again: it decides who
		                                           is first among equal dates */
	}
	for (uint32_t i = 0; i < s->n_cells; i++)
		e->touched[s->cells[i].resource] = NO_ID;
	s->n_vars = s->n_cells = s->n_light = 0;
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
	p = vec_grow(s->vars, &s->vars_cap, sizeof *s->vars, flows, "flows to share", err);
	if (!p)
		return -1;
	s->vars = p;
	p = vec_grow(s->full, &s->full_cap, sizeof *s->full, flows, "flows to share", err);
	if (!p)
		return -1;
	s->full = p;
	return 0;
}

static int has_room(const struct selective *s, uint32_t resources, uint32_t flows)
{
	return s->cells_cap >= resources && s->walk_cap >= resources && s->light_cap >= resources &&
	       s->vars_cap >= flows && s->full_cap >= flows;
}

int selective_solve(struct engine *e, struct err *err)
{
	struct selective *s = e->selective;
	uint32_t resources = e->n_resources + 1, flows = e->n_activities + 1;

	e->stats.solves++;
	if ((!has_room(s, resources, flows) && room(s, resources, flows, err)) || apply_all(e, err))
		return -1;
	cells_prepare(e);
	fill(e);
	timers_set(e);
	finish(e);
	return 0;
}
