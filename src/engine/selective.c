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
 *     A flow that is given another bound marks all its resources when that happens (model IB: when
 *     another message ends or has started), even while it waits for its latency.
 *  5. Ends of the same date come in the order in which their dates were last set, and a solve sets
 *     the dates of all flows of marked resources: resource by resource as the walk found them,
 *     depth first, the newest member first. Timers that start at one date are set before, in
 *     reverse order.
 * Source: SimGrid 3.32, its documentation of network/optim and maxmin-selective-update, and
 * experiments (tests/peer): with network/optim:Full SimGrid itself gives the times that Orrery
 * gives without compat.
 *
 * All changes of a date are kept in three lists; selective_solve applies them in that order. An
 * ended flow keeps its slot until then. Flows that meet nobody mark nothing when they end; those
 * that become active are marked only when somebody else is, who may come to meet them (mark). Else
 * each is solved by itself (lone_solve).
 * Room for all resources and flows is there before a solve: memory that nobody writes to takes no
 * place. */
#include "engine_int.h"

#include <math.h>
#include <stdlib.h>

#define TOLERANCE 1e-5       /* SimGrid's maxmin/precision */
#define LEFT_TOLERANCE 1e-14 /* … times its surf/precision: bytes */

enum {
	VISITED =
	    0xfffffffeu, /* value of activity.moving: reached in this solve, no variable yet */
	CHANGED = 0x80000000u, /* in the lists of a date: the flow has another bound or weight */
};

/* Of a cell with one flow at most, besides enum resource_kind: it is full when that has a rate. */
enum { ALONE = RESOURCE_FATPIPE + 1 };

/* A marked resource; engine.touched is its place here. */
struct cell {
	uint32_t resource;
	uint32_t light; /* place among those that can still become full, or NO_ID */
	uint8_t kind;   /* of resource, or ALONE */
	uint8_t stale;  /* its level is to be found again */
	double left, usage;
	double little; /* what counts as nothing left of its capacity */
};

/* A flow of a marked resource; activity.moving is its place here. */
struct variable {
	uint32_t activity;
	uint32_t uses;
	uint16_t n_uses;
	uint8_t fixed, saturated;
	double penalty, bound; /* penalty_of; its bound as a level */
	double value;
};

/* Where a walk from resource to resource is. */
struct step {
	const struct member *members;
	uint32_t n;   /* members not yet looked at */
	uint32_t use; /* of the member under way: the next one */
};

/* A flow as SimGrid counts it: what is left, in bytes, of which one unit of rate moves pace; its
 * penalty, of this weight. */
struct counted {
	double left, pace;
	double weight, penalty;
};

/* A use as SimGrid counts it, in the place that the use has in the pool: found once for a flow,
 * since they are divided and rounded at each solve otherwise. */
struct element {
	double coef;
	double heft; /* coef / penalty */
};

struct selective {
	struct counted *counted;  /* by activity */
	struct element *elements; /* by use */
	uint32_t counted_cap, elements_cap;
	double coefs[N_COEFS]; /* coef_of of the engine's */
	uint32_t n_coefs;
	int changed; /* something is in these lists */
	struct id_list started, enabled, ended, timers;
	uint32_t n_lone; /* the first of `enabled`: alone on all that they use, not marked yet */
	struct step *walk;
	uint32_t walk_cap;
	struct cell *cells;
	struct variable *vars;
	uint32_t *light;                     /* places in cells */
	double *levels;                      /* of these, left / usage */
	uint32_t *stale;                     /* cells whose levels are to be found again */
	uint32_t *full;                      /* variables on the resources that become full next */
	uint32_t n_unfixed;                  /* variables */
	uint32_t room_resources, room_flows; /* there is room for so many */
	uint32_t n_cells, cells_cap, n_vars, vars_cap, n_light, light_cap, levels_cap, n_stale,
	    stale_cap, n_full, full_cap;
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
	free(s->elements);
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

static __attribute__((noinline)) int list_widen(struct id_list *l, struct err *err)
{
	void *p = vec_grow(l->ids, &l->cap, sizeof *l->ids, (size_t)l->n + 1, "flows", err);

	if (!p)
		return -1;
	l->ids = p;
	return 0;
}

/* A change of this date. */
static inline int list_add(struct selective *s, struct id_list *l, uint32_t id, struct err *err)
{
	if (l->n == l->cap && list_widen(l, err))
		return -1;
	l->ids[l->n++] = id;
	s->changed = 1;
	return 0;
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

/* Its penalty, to the bit where 1 / (1 / penalty) is the penalty, and what its uses weigh. */
static void flow_count(struct engine *e, const struct activity *a, struct counted *c)
{
	struct selective *s = e->selective;
	struct element *el = s->elements + a->uses;
	const struct use *u = engine_uses(e, a);

	for (; s->n_coefs < e->n_coefs; s->n_coefs++)
		s->coefs[s->n_coefs] = coef_of(e->coefs_short[s->n_coefs]);
	c->weight = a->weight;
	c->penalty = 1 / a->weight;
	for (uint32_t k = 0; k < a->n_uses; k++) {
		el[k].coef = u[k].coef != COEF_OWN ? s->coefs[u[k].coef]
		                                   : coef_of(coef_of_its_own(e, a, &u[k]));
		el[k].heft = el[k].coef / c->penalty;
	}
}

/* Its weight may have changed since. */
static inline const struct counted *flow_recount(struct engine *e, const struct activity *a,
                                                 uint32_t id)
{
	struct counted *c = &e->selective->counted[id];

	if (c->weight != a->weight)
		flow_count(e, a, c);
	return c;
}

int selective_start(struct engine *e, uint32_t id, double pace, struct err *err)
{
	struct selective *s = e->selective;
	const struct activity *a = &e->activities[id];
	double amount = a->remaining;
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
	                                  .pace = pace};
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

/* Bounds change when a message of model IB ends or has started: among those, in their order. */
int selective_change(struct engine *e, uint32_t id, struct err *err)
{
	struct selective *s = e->selective;

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

static inline double less(double x, double by, double tolerance)
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
	s->cells[s->n_cells++].resource = r;
}

/* Its members are next, the newest first. */
static inline void walk_into(struct engine *e, uint32_t r, struct step *at)
{
	struct resource *res = &e->resources[r];

	cell_add(e, r);
	at->members = resource_members(e, res);
	at->n = res->n;
	at->use = 0;
}

/* Marks the resources of a flow from use *k on, up to one that has other members: that one, which
 * is not marked yet, or NO_ID. Where the flow is alone, a walk would go on with its next use. */
static inline uint32_t flow_mark(struct engine *e, const struct activity *a, uint32_t *k)
{
	const struct use *first = engine_uses(e, a), *u = first + *k, *end = first + a->n_uses;

	for (; u < end; u++) {
		uint32_t r = u->resource;

		if (e->touched[r] != NO_ID)
			continue;
		if (e->resources[r].n > 1) {
			*k = (uint32_t)(u - first) + 1;
			return r;
		}
		cell_add(e, r);
	}
	return NO_ID;
}

/* The next resource, not yet marked, of the members of the one at the end of the path; NO_ID when
 * there is none left. */
static inline uint32_t walk_next(struct engine *e, struct step *at)
{
	for (; at->n > 0; at->n--, at->use = 0) {
		struct activity *a = &e->activities[at->members[at->n - 1].activity];

		if (a->moving == VISITED)
			continue;
		uint32_t r = flow_mark(e, a, &at->use);
		if (r != NO_ID)
			return r;
		a->moving = VISITED;
	}
	return NO_ID;
}

/* What mark does with the first resource of a flow that is alone. */
static void lone_mark(struct engine *e)
{
	struct selective *s = e->selective;

	for (uint32_t i = 0; i < s->n_lone; i++) {
		const struct activity *a = &e->activities[s->enabled.ids[i]];

		for (uint32_t k = 0; k < a->n_uses; k++)
			cell_add(e, engine_uses(e, a)[k].resource);
	}
	s->n_lone = 0;
}

/* Marks a resource and all that active flows join to it, depth first; nothing if it is marked
 * already. */
static inline void mark(struct engine *e, uint32_t r)
{
	struct step *walk = e->selective->walk;
	uint32_t n = 0;

	if (e->selective->n_lone > 0)
		lone_mark(e);
	if (e->touched[r] != NO_ID)
		return;
	for (uint32_t next = r; next != NO_ID || n > 0;) {
		if (next != NO_ID)
			walk_into(e, next, &walk[n++]);
		next = walk_next(e, &walk[n - 1]);
		if (next == NO_ID)
			n--;
	}
}

static void mark_first(struct engine *e, const struct activity *a)
{
	if (a->n_uses)
		mark(e, engine_uses(e, a)[0].resource);
}

/* Is this the only flow on all that it uses? */
static int flow_is_alone(const struct engine *e, const struct activity *a)
{
	const struct use *u = engine_uses(e, a), *end = u + a->n_uses;

	while (u < end && e->resources[u->resource].n == 1)
		u++;
	return u == end;
}

/* A flow whose latency is over is active now; *alone: nobody else is on what it uses. */
static int flow_join_all(struct engine *e, uint32_t id, int *alone, struct err *err)
{
	struct activity *a = &e->activities[id];
	uint32_t others = 0;

	for (uint32_t k = 0; k < a->n_uses; k++) {
		others |= e->resources[engine_uses(e, a)[k].resource].n;
		if (resource_join(e, id, k, err))
			return -1;
	}
	a->state = ACTIVITY_ACTIVE;
	a->rate = 0;
	a->since = e->now;
	*alone = others == 0;
	return 0;
}

/* Its resources are marked one by one, even if nobody is on them: not again when one who comes
 * there at this date marks its first. */
static void apply_changed(struct engine *e, uint32_t id)
{
	const struct activity *a = &e->activities[id];

	if (a->state == ACTIVITY_FREE || a->state == ACTIVITY_TIMER)
		return;
	if (a->n_uses == 0 && a->state == ACTIVITY_ACTIVE)
		rate_set(e, id, a->bound);
	for (uint32_t k = 0; k < a->n_uses; k++)
		mark(e, engine_uses(e, a)[k].resource);
}

static int apply_enabled(struct engine *e, uint32_t id, struct err *err)
{
	struct selective *s = e->selective;
	struct activity *a = &e->activities[id & ~CHANGED];

	if (id & CHANGED) {
		apply_changed(e, id & ~CHANGED);
		return 0;
	}
	int alone;

	if (a->state != ACTIVITY_ARRIVING) /* it was cancelled meanwhile */
		return 0;
	if (flow_join_all(e, id, &alone, err))
		return -1;
	if (a->n_uses == 0) {
		rate_set(e, id, a->bound);
	} else if (alone && s->n_cells == 0) {
		a->moving = VISITED;
		s->enabled.ids[s->n_lone++] = id;
		flow_recount(e, a, id);
	} else {
		mark_first(e, a);
	}
	return 0;
}

/* A flow is on this resource that is alone, and not marked yet: it would be, with the resource. */
static int is_lone(struct engine *e, struct resource *r)
{
	return e->selective->n_lone > 0 && r->n == 1 &&
	       e->activities[resource_members(e, r)->activity].moving == VISITED;
}

/* Closes the gap: members stay in the order of their arrival. */
static void member_leave(struct engine *e, const struct use *u)
{
	struct resource *r = &e->resources[u->resource];
	struct member *m = resource_members(e, r);

	r->n--;
	for (uint32_t i = u->pos; i < r->n; i++) {
		m[i] = m[i + 1];
		use_at(e, member_use(e, r, m[i]))->pos = i;
	}
}

/* Resources that nobody else is on need no mark: nobody is left there. */
static void apply_ended(struct engine *e, uint32_t id)
{
	struct activity *a = &e->activities[id];

	if (a->state == ACTIVITY_ENDED) {
		if (!flow_is_alone(e, a))
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
	if (id & CHANGED) {
		apply_changed(e, id & ~CHANGED);
		return;
	}
	const struct activity *a = &e->activities[id];

	if (a->state == ACTIVITY_FREE || a->state == ACTIVITY_TIMER)
		return;
	const struct use *u = engine_uses(e, a);
	for (uint32_t k = 0; k < a->n_uses; k++) {
		struct resource *r = &e->resources[u[k].resource];

		if (r->n > 0 && !is_lone(e, r))
			mark(e, u[k].resource);
	}
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

/* Of a FATPIPE resource, of the flows without a rate. */
static double heaviest_unfixed(struct engine *e, struct resource *r)
{
	const struct selective *s = e->selective;
	const struct member *m = resource_members(e, r);
	double usage = 0;

	for (uint32_t i = r->n; i-- > 0;) {
		if (s->vars[e->activities[m[i].activity].moving].value > 0)
			continue;
		usage = fmax(usage, s->elements[member_use(e, r, m[i])].heft);
	}
	return usage;
}

/* SimGrid's bound * penalty, to the bit where 1 / (1 / penalty) is the penalty: on a FATPIPE
 * resource that is its route's narrowest the heaviest flow reaches its bound and fills the resource
 * at one level, and rounding decides whether it stops the others there. */
static inline void variable_new(struct engine *e, uint32_t id)
{
	struct selective *s = e->selective;
	struct activity *a = &e->activities[id];
	const struct counted *c = flow_recount(e, a, id);

	a->moving = s->n_vars;
	s->vars[s->n_vars++] = (struct variable){.activity = id,
	                                         .uses = a->uses,
	                                         .n_uses = a->n_uses,
	                                         .penalty = c->penalty,
	                                         .bound = a->bound * c->penalty};
}

/* The flows of a marked resource become variables: the newest first. */
static double cell_usage_of_one(struct engine *e, const struct resource *r, struct member m)
{
	if (e->activities[m.activity].moving >= VISITED)
		variable_new(e, m.activity);
	return e->selective->elements[member_use(e, r, m)].heft;
}

static double cell_usage(struct engine *e, struct resource *r)
{
	const struct element *elements = e->selective->elements;
	const struct member *first = resource_members(e, r), *m = first + r->n;
	int shared = r->kind == RESOURCE_SHARED;
	double usage = 0;

	while (m-- > first) {
		if (e->activities[m->activity].moving >= VISITED)
			variable_new(e, m->activity);
		double h = elements[member_use(e, r, *m)].heft;
		usage = shared ? usage + h : larger(usage, h);
	}
	return usage;
}

static void cells_prepare(struct engine *e)
{
	struct selective *s = e->selective;
	struct cell *cell = s->cells;
	double *levels = s->levels;
	uint32_t *light = s->light, n_light = 0, n = s->n_cells;

	for (uint32_t c = 0; c < n; c++, cell++) {
		struct resource *r = &e->resources[cell->resource];

		cell->light = NO_ID;
		cell->stale = 0;
		cell->kind = r->n > 1 ? r->kind : ALONE;
		if (r->n == 0)
			continue; /* who used it has ended */
		double capacity = r->capacity,
		       usage = r->n == 1 ? cell_usage_of_one(e, r, *resource_members(e, r))
		                         : cell_usage(e, r);

		cell->left = capacity;
		cell->usage = usage;
		cell->little = capacity * TOLERANCE;
		if (usage > 0 && capacity > 0) {
			levels[n_light] = capacity / usage;
			light[n_light] = c;
			cell->light = n_light++;
		}
	}
	s->n_light = n_light;
}

static void light_remove(struct selective *s, struct cell *cell)
{
	uint32_t last = --s->n_light;

	s->light[cell->light] = s->light[last];
	s->levels[cell->light] = s->levels[last];
	s->cells[s->light[last]].light = cell->light;
	cell->light = NO_ID;
}

static inline void cell_use(struct engine *e, uint32_t index, const struct element *el,
                            double value)
{
	struct selective *s = e->selective;
	struct cell *cell = &s->cells[index];

	if (cell->light == NO_ID)
		return;
	if (cell->kind == RESOURCE_SHARED) {
		cell->left = less(cell->left, el->coef * value, cell->little);
		cell->usage = less(cell->usage, el->heft, TOLERANCE);
	} else if (cell->kind == RESOURCE_FATPIPE) {
		cell->usage = heaviest_unfixed(e, &e->resources[cell->resource]);
	} else {
		cell->usage = 0;
	}
	if (cell->usage <= TOLERANCE || cell->left <= cell->little) {
		light_remove(s, cell);
	} else if (!cell->stale) {
		cell->stale = 1;
		s->stale[s->n_stale++] = index;
	}
}

static void variable_fix(struct engine *e, struct variable *v, double value)
{
	const struct use *u = use_at(e, v->uses), *end = u + v->n_uses;
	const struct element *el = e->selective->elements + v->uses;

	v->value = value;
	v->fixed = 1;
	e->selective->n_unfixed--;
	for (; u < end; u++, el++) {
		uint32_t c = e->touched[u->resource];

		if (c != NO_ID)
			cell_use(e, c, el, value);
	}
}

static void full_collect(struct engine *e, const struct cell *cell)
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

static void levels_renew(struct selective *s)
{
	while (s->n_stale > 0) {
		struct cell *cell = &s->cells[s->stale[--s->n_stale]];

		cell->stale = 0;
		if (cell->light != NO_ID)
			s->levels[cell->light] = cell->left / cell->usage;
	}
}

static double levels_least(const struct selective *s)
{
	double least = INFINITY;

	for (uint32_t i = 0; i < s->n_light; i++)
		least = s->levels[i] < least ? s->levels[i] : least;
	return least;
}

/* The lowest level at which a resource becomes full, with the flows of all resources that do so at
 * exactly this level. */
static double full_find(struct engine *e)
{
	struct selective *s = e->selective;
	const double *levels = s->levels;
	uint32_t n = s->n_light, first = 0;

	levels_renew(s);
	for (uint32_t i = 1; i < n; i++)
		first = levels[i] < levels[first] ? i : first;
	s->n_full = 0;
	for (uint32_t i = first; i < n; i++)
		if (levels[i] == levels[first])
			full_collect(e, &s->cells[s->light[i]]);
	return levels[first];
}

/* Those of them that stop at this bound; INFINITY: all do. */
static int stops_at(const struct variable *v, double bound)
{
	return bound == INFINITY || fabs(bound - v->bound) < TOLERANCE;
}

/* No flow is left without a rate then: nobody asks what is left of the resources. */
static int full_ends(const struct selective *s, double bound)
{
	uint32_t i = 0;

	if (s->n_full < s->n_unfixed)
		return 0;
	while (i < s->n_full && stops_at(&s->vars[s->full[i]], bound))
		i++;
	return i == s->n_full;
}

static void full_fix(struct engine *e, double level)
{
	struct selective *s = e->selective;
	double bound = INFINITY;

	for (uint32_t i = 0; i < s->n_full; i++) {
		double b = s->vars[s->full[i]].bound;

		if (b < level && b < bound)
			bound = b;
	}
	int ends = full_ends(s, bound);
	for (uint32_t i = 0; i < s->n_full; i++) {
		struct variable *v = &s->vars[s->full[i]];

		v->saturated = 0;
		if (!stops_at(v, bound))
			continue;
		double value = bound == INFINITY ? level / v->penalty
		                                 : e->activities[v->activity].bound;
		if (ends)
			v->value = value;
		else
			variable_fix(e, v, value);
	}
	if (ends)
		s->n_light = 0;
}

/* A single flow: what filling would give it, without what that leaves to others. */
static void fill_alone(struct engine *e)
{
	struct selective *s = e->selective;
	struct variable *v = &s->vars[0];
	double level = levels_least(s);

	if (s->n_light > 0)
		v->value = v->bound < level ? e->activities[v->activity].bound : level / v->penalty;
}

static void fill(struct engine *e)
{
	struct selective *s = e->selective;

	if (s->n_vars == 1) {
		fill_alone(e);
		return;
	}
	s->n_unfixed = s->n_vars;
	while (s->n_light > 0) {
		double level = full_find(e);

		if (s->n_full ==
		    0) /* rounding: a resource without flows left that counts as not yet full */
			light_remove(s, &s->cells[s->light[s->n_light - 1]]);
		else
			full_fix(e, level);
	}
	s->n_stale = 0;
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
	cells_prepare(e);
	fill(e);
	timers_set(e);
	finish(e);
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

	return above >= 0 && above < TOLERANCE && a->bound != level / penalty;
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
		rate_set(e, id, rate_alone(e, a, s->counted[id].penalty));
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
	if (apply_all(e, err))
		return -1;
	if (s->n_cells == 0 && !lone_are_apart(e))
		lone_mark(e);
	if (s->n_cells == 0)
		lone_solve(e);
	else
		solve_marked(e);
	return 0;
}
