/* repair.c: the general case of sharing: local repair.
 *
 * The flows that a change concerns directly are opened: those that start, and those limited by a resource that someone left or whose
 * capacity changed. Their rates are solved alone, all other flows being background (fill.c). Then the resources they use are checked
 * against the rule of max-min fairness: who is limited by a resource must find it full and find no one faster there. Flows for which
 * this no longer holds are opened too, and so on until it holds for all. Only what changes, and its immediate neighbours, is looked at.
 *
 * Right, because the rule, true of every flow, characterises the max-min solution (Bertsekas and Gallager, 6.5.2): it holds for the
 * open flows by filling and by the check of the background at their limiters; for the background at touched resources by the check;
 * elsewhere because nothing changed. It ends, because the set of open flows only grows, at worst to the connected component.
 *
 * Levels within SAME_LEVEL are tied: two resources that fill up together are found so by different sums. */
#include "repair_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct repair *repair_new(struct err *err)
{
	struct repair *p = calloc(1, sizeof *p);
	if (!p)
		err_nomem(err, "engine", sizeof *p);
	return p;
}

void repair_free(struct repair *p)
{
	if (!p)
		return;
	free(p->moving);
	free(p->steps);
	free(p->touched);
	free(p->heap);
	free(p->through);
	free(p->fixed);
	free(p);
}

static int repair_widen(struct repair *p, uint32_t n_uses, struct err *err)
{
	void *q = vec_grow(p->moving, &p->moving_cap, sizeof *p->moving, (size_t)p->n_moving + 1, "flows", err);
	if (!q)
		return -1;
	p->moving = q;
	q = vec_grow(p->steps, &p->steps_cap, sizeof *p->steps, (size_t)p->n_steps + n_uses + 1, "flows", err);
	if (!q)
		return -1;
	p->steps = q;
	q = vec_grow(p->touched, &p->touched_cap, sizeof *p->touched, (size_t)p->n_touched + n_uses + 1, "resources", err);
	if (!q)
		return -1;
	p->touched = q;
	return 0;
}

static int repair_has_room(const struct repair *p, uint32_t n_uses)
{
	return p->n_moving < p->moving_cap && p->n_steps + (uint64_t)n_uses <= p->steps_cap &&
	       p->n_touched + (uint64_t)n_uses <= p->touched_cap;
}

static void touched_new(struct engine *e, struct resource *r, uint32_t id)
{
	struct repair *p = e->repair;
	struct touched *t = &p->touched[p->n_touched];
	struct sum2 room = {r->capacity, 0};

	sum2_add(&room, -r->load.hi);
	r->touched = p->n_touched++;
	t->resource = id;
	t->n = 0;
	t->limited_open = 0;
	t->capacity = r->capacity;
	t->before = (struct sum2x2){{room.hi, 0}, {room.lo - r->load.lo, 0}};
}

/* One step for each use. Room is reserved: nothing moves meanwhile. */
static void moving_add_steps(struct engine *e, struct moving *m, const struct use *uses)
{
	struct resource *resources = e->resources;
	struct touched *touched = e->repair->touched;
	struct step *steps = e->repair->steps;
	uint32_t self = (uint32_t)(m - e->repair->moving), end = m->steps + m->n_steps;
	pair uses_of = {m->old_rate, m->weight};

	for (uint32_t s = m->steps; s < end; s++, uses++) {
		struct resource *r = &resources[uses->resource];
		double coef = uses->coef;
		steps[s] = (struct step){NO_ID, self, uses->coef};
		if (r->kind == RESOURCE_FATPIPE) {
			m->ceiling = fmin(m->ceiling, r->capacity / coef);
			continue;
		}
		if (r->touched == NO_ID)
			touched_new(e, r, uses->resource);
		struct touched *t = &touched[r->touched];
		steps[s].touched = r->touched;
		t->n++;
		sum2x2_add(&t->before, (pair){coef, coef} * uses_of);
	}
}

int repair_add(struct engine *e, uint32_t id, struct err *err)
{
	struct repair *p = e->repair;
	struct activity *a = &e->activities[id];

	if (a->moving != NO_ID)
		return 0;
	if (!repair_has_room(p, a->n_uses) && repair_widen(p, a->n_uses, err))
		return -1;
	a->moving = p->n_moving++;
	struct moving *m = &p->moving[a->moving];
	*m = (struct moving){
	    .activity = id,
	    .steps = p->n_steps,
	    .n_steps = a->n_uses,
	    .weight = a->weight,
	    .old_rate = a->rate,
	    .ceiling = a->bound,
	};
	moving_add_steps(e, m, engine_uses(e, a));
	p->n_steps += a->n_uses;
	return 0;
}

static int repair_add_members(struct engine *e, uint32_t r, uint32_t n, struct err *err)
{
	for (uint32_t i = 0; i < n; i++)
		if (repair_add(e, resource_members(e, &e->resources[r])[i].activity, err))
			return -1;
	return 0;
}

int repair_add_limited(struct engine *e, uint32_t r, struct err *err)
{
	const struct resource *res = &e->resources[r];

	if (res->n_limited == 0 || (res->touched != NO_ID && e->repair->touched[res->touched].limited_open))
		return 0;
	if (repair_add_members(e, r, res->n_limited, err))
		return -1;
	e->repair->touched[res->touched].limited_open = 1;
	return 0;
}

int repair_add_all(struct engine *e, uint32_t r, struct err *err)
{
	return repair_add_members(e, r, e->resources[r].n, err);
}

/* Opens a flow that is faster than the rule allows, and with it all that its limiter limits: they gain what it loses. */
static int open_faster(struct engine *e, uint32_t id, struct err *err)
{
	const struct activity *a = &e->activities[id];

	if (a->limiter == NO_LIMITER)
		return repair_add(e, id, err);
	return repair_add_limited(e, engine_uses(e, a)[a->limiter].resource, err);
}

int repair_add_faster(struct engine *e, uint32_t r, double level, struct err *err)
{
	struct resource *res = &e->resources[r];
	double highest = 0;

	if (res->others_level <= level * (1 + SAME_LEVEL))
		return 0;
	for (uint32_t i = res->n_limited; i < res->n; i++) {
		uint32_t id = resource_members(e, res)[i].activity;
		const struct activity *a = &e->activities[id];
		double l = activity_level(a);
		if (a->moving != NO_ID)
			continue; /* counted at commit */
		if (l <= level * (1 + SAME_LEVEL))
			highest = fmax(highest, l);
		else if (open_faster(e, id, err))
			return -1;
	}
	res->others_level = highest;
	return 0;
}

/* Does the rule hold for the flows that r limits and that are not open? */
static int limited_hold(const struct engine *e, const struct touched *t)
{
	const struct resource *r = &e->resources[t->resource];

	if (sum2x2_value(&t->left, ROOM) > FULL * t->capacity || t->fastest > r->level * (1 + SAME_LEVEL))
		return 0;
	return t->level < 0 || fabs(t->level - r->level) <= SAME_LEVEL * r->level;
}

static int touched_check(struct engine *e, uint32_t i, struct err *err)
{
	struct repair *p = e->repair;
	uint32_t r = p->touched[i].resource;

	if (e->resources[r].n_limited > 0 && !p->touched[i].limited_open && !limited_hold(e, &p->touched[i]))
		if (repair_add_limited(e, r, err))
			return -1;
	return p->touched[i].level >= 0 ? repair_add_faster(e, r, p->touched[i].level, err) : 0;
}

/* Opens the flows for which the rule no longer holds: their number, or -1. */
static int repair_check(struct engine *e, struct err *err)
{
	struct repair *p = e->repair;
	uint32_t before = p->n_moving, n_touched = p->n_touched;

	for (uint32_t i = 0; i < n_touched; i++)
		if (touched_check(e, i, err))
			return -1;
	return p->n_moving > before;
}

static void moving_commit(struct engine *e, const struct moving *m)
{
	struct activity *a = &e->activities[m->activity];

	a->moving = NO_ID;
	if (m->limiter != a->limiter)
		flow_limit(e, m->activity, m->limiter);
	if (m->rate != m->old_rate || m->old_rate == 0)
		flow_set_rate(e, m->activity, m->rate);
}

/* What is left of the capacity tells the new load, as exactly as the sum of its terms would. */
static void touched_commit(struct engine *e, const struct touched *t)
{
	struct resource *r = &e->resources[t->resource];
	int kept = r->n_limited > 0 && !t->limited_open &&
	           t->n < r->n; /* some were limited here and still are, at the same level */

	r->touched = NO_ID;
	r->load = (struct sum2){t->capacity, 0};
	sum2_add(&r->load, -t->left.hi[ROOM]);
	r->load.lo -= t->left.lo[ROOM];
	if (t->level >= 0 && !kept)
		r->level = t->level;
	if (r->others_level < t->fastest || t->n == r->n)
		r->others_level = t->fastest;
}

static void repair_commit(struct engine *e)
{
	struct repair *p = e->repair;

	for (uint32_t i = 0; i < p->n_touched; i++)
		touched_commit(e, &p->touched[i]);
	for (uint32_t i = 0; i < p->n_moving; i++)
		moving_commit(e, &p->moving[i]);
	p->n_moving = p->n_steps = p->n_touched = 0;
}

int repair_run(struct engine *e, struct err *err)
{
	int opened;

	do {
		if (repair_fill(e, err))
			return -1;
		opened = repair_check(e, err);
	} while (opened > 0);
	if (opened == 0)
		repair_commit(e);
	return opened;
}
