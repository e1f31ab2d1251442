/* repair.c: the general case of sharing: local repair.
 *
 * The flows that start are opened, and the resources that someone left or whose capacity changed
 * are touched. A sweep (sweep.c) solves the rates of the open flows alone, all other flows being
 * background, and opens on its way those for which the rule of max-min fairness would no longer
 * hold. Only what changes, and its immediate neighbours, is looked at. Here is what is open and
 * touched, and what becomes of the engine's books when the rates are known.
 *
 * A rate may be higher than its flow promised. The promise is raised then, and resources that so
 * come to be contended are counted; if one has given out more than it has, it is touched, and the
 * sweep goes on from there, as after a change of its capacity. */
#include "carrier_int.h"
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
	free(p->keys);
	free(p->stale);
	free(p->heap);
	free(p->place);
	free(p);
}

static int grow_u32(uint32_t **v, uint32_t *cap, uint32_t n, struct err *err)
{
	void *q = vec_grow(*v, cap, sizeof **v, n, "resources", err);

	if (!q)
		return -1;
	*v = q;
	return 0;
}

static int touched_widen(struct repair *p, size_t n, struct err *err)
{
	void *q = vec_grow(p->touched, &p->touched_cap, sizeof *p->touched, n, "resources", err);

	if (!q)
		return -1;
	p->touched = q;
	uint32_t had = p->keys_cap;
	q = vec_grow(p->keys, &p->keys_cap, sizeof *p->keys, (size_t)p->touched_cap + KEYS_TOGETHER,
	             "resources", err);
	if (!q)
		return -1;
	p->keys = q;
	for (uint32_t i = had; i < p->keys_cap; i++)
		p->keys[i] = KEY_NONE;
	return grow_u32(&p->stale, &p->stale_cap, p->touched_cap, err) ||
	               grow_u32(&p->heap, &p->heap_cap, p->touched_cap, err) ||
	               grow_u32(&p->place, &p->place_cap, p->touched_cap, err)
	           ? -1
	           : 0;
}

static int repair_widen(struct repair *p, uint32_t n_uses, struct err *err)
{
	void *q = vec_grow(p->moving, &p->moving_cap, sizeof *p->moving, (size_t)p->n_moving + 1,
	                   "flows", err);
	if (!q)
		return -1;
	p->moving = q;
	q = vec_grow(p->steps, &p->steps_cap, sizeof *p->steps, (size_t)p->n_steps + n_uses + 1,
	             "flows", err);
	if (!q)
		return -1;
	p->steps = q;
	return touched_widen(p, (size_t)p->n_touched + n_uses + 1, err);
}

/* place is the last that touched_widen makes room in. */
static int repair_has_room(const struct repair *p, uint32_t n_uses)
{
	return p->n_moving < p->moving_cap && p->n_steps + (uint64_t)n_uses <= p->steps_cap &&
	       p->n_touched + (uint64_t)n_uses < p->touched_cap && p->touched_cap <= p->place_cap;
}

static uint32_t touched_new(struct engine *e, struct resource *r, uint32_t id)
{
	struct repair *p = e->repair;
	uint32_t index = p->n_touched++;
	const struct book *b = resource_book(e, r);

	resource_set_place(r, index);
	p->stale[p->n_stale++] = index;
	p->touched[index] = (struct touched){
	    .resource = id,
	    .book = r->book,
	    .first = NO_ID,
	    .limited = b->n_limited & -(uint32_t)r->full,
	    .stale = 1,
	    .above = r->full & (b->others_level > b->level * e->tied),
	    .capacity = r->capacity,
	    .old_level = b->level,
	    .level = -1,
	    .lowest = INFINITY,
	};
	struct sum2 room = {r->capacity, 0};
	sum2_add(&room, -b->load.hi);
	p->touched[index].left = (struct sum2x2){{room.hi, 0}, {room.lo - b->load.lo, 0}};
	return index;
}

/* By one use of a contended resource it has a step, and counts there. What cannot be foretold is
 * without branches: which resources have a stale key, whose top is the lowest. */
static inline __attribute__((always_inline)) void moving_join(struct engine *e,
                                                              const struct moving *m,
                                                              const struct activity *a,
                                                              const struct use *u, uint32_t k,
                                                              double coef, pair has)
{
	struct repair *p = e->repair;
	struct resource *r = &e->resources[u->resource];
	uint32_t index = resource_place(r), at = p->n_steps++;

	if (index == NOWHERE)
		index = touched_new(e, r, u->resource);
	struct touched *t = &p->touched[index];
	p->steps[at] = (struct step){.touched = index,
	                             .moving = a->moving,
	                             .next = t->first,
	                             .use = (uint16_t)k,
	                             .coef = u->coef};
	t->first = at;
	t->n++;
	t->open++;
	t->lowest = m->top < t->lowest ? m->top : t->lowest;
	sum2x2_add(&t->left, (pair){coef, coef} * has);
	p->stale[p->n_stale] = index;
	p->n_stale += !t->stale;
	t->stale = 1;
}

static inline void moving_join_by(struct engine *e, const struct moving *m,
                                  const struct activity *a, uint32_t k, pair has)
{
	const struct use *u = engine_uses(e, a) + k;

	moving_join(e, m, a, u, k, coef_at(e, a, u), has);
}

/* The flow of a carrier: all that it uses is contended. */
static void carrier_steps(struct engine *e, struct moving *m, const struct activity *flow)
{
	const struct use *u = engine_uses(e, flow);
	const struct carrier_use *use = carrier_of_flow(e, flow)->uses;
	struct repair *p = e->repair;

	for (uint32_t k = 0; k < flow->n_uses; k++) {
		moving_join(e, m, flow, u + k, k, use[k].coef, (pair){flow->rate, 1});
		p->touched[p->steps[p->n_steps - 1].touched].foreign += k > 0;
	}
	m->carrier = 1;
	m->n_steps = flow->n_uses;
	p->touched[p->steps[m->steps].touched].limited--;
}

/* Room is reserved: nothing moves meanwhile. */
static void moving_steps(struct engine *e, struct moving *m, const struct activity *a)
{
	const struct use *u = engine_uses(e, a);
	pair has = {a->rate, a->weight};

	for (uint32_t from = 0; from < a->n_uses; from += USES_MASK)
		for (uint32_t k = uses_contended(e, a, from); k; k &= k - 1)
			moving_join_by(e, m, a, from + (uint32_t)__builtin_ctz(k), has);
	m->n_steps = (uint16_t)(e->repair->n_steps - m->steps);
	if (a->limiter != NO_LIMITER)
		e->repair->touched[resource_place(&e->resources[u[a->limiter].resource])].limited--;
}

int repair_add(struct engine *e, uint32_t id, struct err *err)
{
	struct repair *p = e->repair;
	struct activity *a = &e->activities[id];

	if (a->moving != NO_ID || a->state == ACTIVITY_CARRIED)
		return 0;
	if (!repair_has_room(p, a->n_uses) && repair_widen(p, a->n_uses, err))
		return -1;
	struct moving *m = &p->moving[a->moving = p->n_moving++];
	m->activity = id;
	m->steps = p->n_steps;
	m->limiter = NO_ID;
	m->fixed = 0;
	m->carrier = 0;
	m->top = moving_ceiling(e, a) / a->weight;
	if (__builtin_expect(a->carrier, 0))
		carrier_steps(e, m, a);
	else
		moving_steps(e, m, a);
	return 0;
}

int repair_touch(struct engine *e, uint32_t r, struct err *err)
{
	struct repair *p = e->repair;
	const struct resource *res = &e->resources[r];

	if (!resource_contended(res) || resource_place(res) != NOWHERE)
		return 0;
	if (!repair_has_room(p, 1) && repair_widen(p, 1, err))
		return -1;
	touched_new(e, &e->resources[r], r);
	return 0;
}

int repair_add_all(struct engine *e, uint32_t r, struct err *err)
{
	const struct member *m = resource_members(e, &e->resources[r]),
	                    *end = m + e->resources[r].n;

	for (; m < end; m++)
		if (repair_add(e, m->activity, err))
			return -1;
	return 0;
}

/* --- when all rates are known --- */

/* The rate of a flow of a crowd was found; or that of a carrier, and so none of those that it
 * carries. */
static void moving_earns(struct engine *e, const struct moving *m)
{
	static const double FELT = 1e-9; /* less is rounding, which spares nothing */
	const struct repair *p = e->repair;
	const struct activity *a = &e->activities[m->activity];
	const struct touched *t;
	struct book *b;

	if (m->limiter == NO_ID)
		return;
	t = &p->touched[p->steps[m->limiter].touched];
	b = &e->books[t->book];
	if (m->carrier && fabs(m->rate - a->rate) > a->rate * FELT)
		book_earns(b, carrier_size(e, a));
	else if (!m->carrier && t->crowd && !carries(e, b))
		book_earns(b, 1);
}

static void moving_commit(struct engine *e, const struct moving *m)
{
	struct activity *a = &e->activities[m->activity];
	uint16_t limiter = m->limiter == NO_ID ? NO_LIMITER : e->repair->steps[m->limiter].use;

	a->moving = NO_ID;
	if (limiter != a->limiter)
		flow_limit(e, m->activity, limiter);
	if (__builtin_expect(e->repair->crowded, 0))
		moving_earns(e, m);
	if (m->rate != a->rate || a->rate == 0 || a->class)
		flow_set_rate(e, m->activity, m->rate);
	if (m->carrier)
		carrier_closed(e, m->activity);
}

/* What is left of the capacity tells the new load, as exactly as the sum of its terms would. */
static void touched_commit(struct engine *e, struct touched *t)
{
	struct book *b = &e->books[t->book];

	resource_set_place(&e->resources[t->resource], NOWHERE);
	t->crowd = (b->carrier > 0) | (t->n + t->limited >= e->carry_from);
	e->repair->crowded |= t->crowd;
	b->load = (struct sum2){t->capacity, 0};
	sum2_add(&b->load, -t->left.hi[ROOM]);
	b->load.lo -= t->left.lo[ROOM];
	/* else some still are, at the same level */
	b->level = number_of((t->level >= 0) & (t->limited == 0), t->level, b->level);
	b->others_level = larger(
	    number_if(t->n != resource_uncarried(e, &e->resources[t->resource]), b->others_level),
	    t->fastest);
}

/* Did it meet resources that are far from full? A lower promise may avoid that. */
static int moving_in_vain(const struct repair *p, const struct moving *m)
{
	static const double FAR = 0.25;
	int far = 0;

	for (const struct step *s = p->steps + m->steps, *end = s + m->n_steps; s < end; s++) {
		const struct touched *t = &p->touched[s->touched];
		far |= t->left.hi[ROOM] > FAR * t->capacity;
	}
	return far;
}

int repair_touch_over(struct engine *e, uint32_t id, struct err *err)
{
	const struct activity *a = &e->activities[id];

	for (uint32_t k = 0; k < a->n_uses; k++) {
		uint32_t at = engine_uses(e, a)[k].resource;
		const struct resource *r = &e->resources[at];
		if (resource_contended(r) &&
		    sum2_value(&resource_book(e, r)->load) >
		        r->capacity * (1 + larger(FULL, e->ripple_end)) &&
		    repair_touch(e, at, err))
			return -1;
	}
	return 0;
}

/* Now that it is known whom it limits. */
static void touched_crowd(const struct engine *e, struct touched *t)
{
	const struct book *b = &e->books[t->book];

	t->crowd = t->crowd && (b->n_limited >= e->carry_from || carries(e, b));
	t->churned = book_churned(e, b);
}

/* For its limiter; flow_carry knows what else it takes. */
static int moving_may_be_carried(const struct repair *p, const struct moving *m)
{
	const struct touched *t;

	if (m->limiter == NO_ID || m->carrier)
		return 0;
	t = &p->touched[p->steps[m->limiter].touched];
	return t->crowd && (t->churned || m->n_steps == 1);
}

/* Makes the promises fit the rates: those that are too low are raised, those that are too high and
 * in the way are lowered. */
static int repair_promises(struct engine *e, uint32_t n, struct err *err)
{
	struct repair *p = e->repair;

	for (uint32_t i = 0; i < n; i++) {
		struct moving *m = &p->moving[i];
		const struct activity *a = &e->activities[m->activity];
		if (promise_is_loose(e, a)) {
			if (moving_in_vain(p, m))
				flow_promise_for(e, m->activity, m->rate);
		} else if (a->trim > 0 && m->rate > flow_promise(e, a)) {
			if (flow_promise_for(e, m->activity, m->rate))
				m->fixed = 2;
		}
	}
	p->n_moving = p->n_steps = p->n_touched = 0;
	for (uint32_t i = 0; p->crowded && i < n; i++)
		if (p->moving[i].carrier)
			carrier_end_if_empty(e, p->moving[i].activity);
	for (uint32_t i = 0; p->crowded && i < n; i++)
		if (moving_may_be_carried(p, &p->moving[i]) &&
		    flow_carry(e, p->moving[i].activity, err))
			return -1;
	for (uint32_t i = 0; i < n; i++)
		if (p->moving[i].fixed == 2 && repair_touch_over(e, p->moving[i].activity, err))
			return -1;
	return 0;
}

int repair_commit(struct engine *e, struct err *err)
{
	struct repair *p = e->repair;

	p->crowded = 0;
	for (uint32_t i = 0; i < p->n_touched; i++)
		touched_commit(e, &p->touched[i]);
	for (uint32_t i = 0; i < p->n_moving; i++)
		moving_commit(e, &p->moving[i]);
	for (uint32_t i = 0; p->crowded && i < p->n_touched; i++)
		touched_crowd(e, &p->touched[i]);
	return repair_promises(e, p->n_moving, err);
}

uint32_t repair_size(const struct engine *e)
{
	return e->repair->n_moving;
}
