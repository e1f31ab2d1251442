/* repair.c: the general case of sharing: local repair.
 *
 * The flows that a change concerns directly are opened: those that start, and those limited by a
 * resource that someone left or whose capacity changed. Their rates are solved alone, all other
 * flows being background (fill.c). Then the resources they use are checked against the rule of
 * max-min fairness: who is limited by a resource must find it full and find no one faster there.
 * Flows for which this no longer holds are opened too, and so on until it holds for all. Only what
 * changes, and its immediate neighbours, is looked at.
 *
 * Of the resources that open flows use, most limit nobody and will not: filling looks at suspects
 * only (repair_int.h), and the loads of the others are verified afterwards. One that was given out
 * too freely becomes suspect, and the rates are solved again.
 *
 * Right, because the rule, true of every flow, characterises the max-min solution (Bertsekas and
 * Gallager, 6.5.2): it holds for the open flows by filling and by the check of the background at
 * their limiters; for the background at touched resources by the check; elsewhere because nothing
 * changed. It ends, because the set of open flows only grows, at worst to the connected component.
 *
 * Levels within SAME_LEVEL are tied: two resources that fill up together are found so by different
 * sums. */
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
	free(p->suspect);
	free(p->load);
	free(p->heap);
	free(p->through);
	free(p->fixed);
	free(p);
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
	q = vec_grow(p->touched, &p->touched_cap, sizeof *p->touched,
	             (size_t)p->n_touched + n_uses + 1, "resources", err);
	if (!q)
		return -1;
	p->touched = q;
	q = vec_grow(p->suspect, &p->suspect_cap, sizeof *p->suspect, p->touched_cap, "resources",
	             err);
	if (!q)
		return -1;
	p->suspect = q;
	q = vec_grow(p->load, &p->load_cap, sizeof *p->load, p->touched_cap, "resources", err);
	if (!q)
		return -1;
	p->load = q;
	return 0;
}

static int repair_has_room(const struct repair *p, uint32_t n_uses)
{
	return p->n_moving < p->moving_cap && p->n_steps + (uint64_t)n_uses <= p->steps_cap &&
	       p->n_touched + (uint64_t)n_uses <= p->touched_cap && p->touched_cap <= p->load_cap &&
	       p->touched_cap <= p->suspect_cap;
}

static uint32_t touched_new(struct engine *e, const struct resource *r, uint32_t id)
{
	struct repair *p = e->repair;
	uint32_t index = p->n_touched++;
	struct touched *t = &p->touched[index];

	e->touched[id] = index;
	t->resource = id;
	t->book = r->book;
	t->n = 0;
	t->limited_open = 0;
	p->suspect[index] = r->full;
	t->capacity = r->capacity;
	return index;
}

/* One step for each use of a contended resource. Room is reserved: nothing moves meanwhile. */
static void moving_add_steps(struct engine *e, struct moving *m, const struct use *uses, uint32_t n)
{
	struct repair *p = e->repair;
	struct step *s = p->steps + m->steps;

	for (uint32_t k = 0; k < n; k++) {
		const struct resource *r = &e->resources[uses[k].resource];
		if (!r->contended) {
			if (r->kind == RESOURCE_FATPIPE)
				m->ceiling = fmin(m->ceiling, r->capacity / uses[k].coef);
			continue;
		}
		uint32_t t = e->touched[uses[k].resource];
		if (t == NO_ID)
			t = touched_new(e, r, uses[k].resource);
		*s++ = (struct step){t, uses[k].coef};
		p->touched[t].n++;
	}
	m->n_steps = (uint16_t)(s - (p->steps + m->steps));
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
	    .weight = a->weight,
	    .old_rate = a->rate,
	    .ceiling = a->bound,
	};
	moving_add_steps(e, m, engine_uses(e, a), a->n_uses);
	p->n_steps += m->n_steps;
	return 0;
}

void repair_suspect(struct engine *e, uint32_t r)
{
	if (e->touched[r] != NO_ID)
		e->repair->suspect[e->touched[r]] = 1;
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
	uint32_t n = resource_limits(e, &e->resources[r]);

	if (n == 0 || (e->touched[r] != NO_ID && e->repair->touched[e->touched[r]].limited_open))
		return 0;
	if (repair_add_members(e, r, n, err))
		return -1;
	e->repair->touched[e->touched[r]].limited_open = 1;
	return 0;
}

int repair_add_all(struct engine *e, uint32_t r, struct err *err)
{
	return repair_add_members(e, r, e->resources[r].n, err);
}

/* Opens a flow that is faster than the rule allows, and with it all that its limiter limits: they
 * gain what it loses. */
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
	struct book *b = resource_book(e, res);
	double highest = 0;

	if (b->others_level <= level * (1 + SAME_LEVEL))
		return 0;
	for (uint32_t i = b->n_limited; i < res->n; i++) {
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
	b->others_level = highest;
	return 0;
}

/* Does the rule hold for the flows that r limits and that are not open? */
static int limited_hold(const struct engine *e, const struct touched *t)
{
	double level = e->books[t->book].level;

	if (sum2x2_value(&t->left, ROOM) > FULL * t->capacity ||
	    t->fastest > level * (1 + SAME_LEVEL))
		return 0;
	return t->level < 0 || fabs(t->level - level) <= SAME_LEVEL * level;
}

static int touched_check(struct engine *e, uint32_t i, struct err *err)
{
	struct repair *p = e->repair;
	uint32_t r = p->touched[i].resource;

	if (!p->suspect[i])
		return 0;
	if (e->books[p->touched[i].book].n_limited > 0 && !p->touched[i].limited_open &&
	    !limited_hold(e, &p->touched[i]))
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

/* The loads of resources that filling did not look at. Those that are far from full were met in
 * vain: lower promises may avoid it. */
static void others_commit(struct engine *e, struct moving *m)
{
	static const double FAR = 0.75;
	struct repair *p = e->repair;
	double level = m->rate / m->weight;

	m->in_vain = 0;

	for (const struct step *s = p->steps + m->steps, *end = s + m->n_steps; s < end; s++) {
		const struct touched *t = &p->touched[s->touched];
		if (p->suspect[s->touched])
			continue;
		struct book *b = &e->books[t->book];
		if (m->rate != m->old_rate) {
			sum2_add(&b->load, -(double)s->coef * m->old_rate);
			sum2_add(&b->load, (double)s->coef * m->rate);
		}
		m->in_vain |= p->load[s->touched] < FAR * t->capacity;
		if (b->others_level < level)
			b->others_level = level;
	}
}

/* Which use of the flow is that of the resource that limits it? */
static uint16_t moving_limiter(const struct engine *e, const struct moving *m,
                               const struct activity *a)
{
	const struct use *u = engine_uses(e, a);
	uint16_t k = a->limiter;

	if (m->limiter == NO_ID)
		return NO_LIMITER;
	uint32_t r = e->repair->touched[m->limiter].resource;
	if (k != NO_LIMITER && u[k].resource == r)
		return k;
	for (k = 0; u[k].resource != r; k++)
		;
	return k;
}

static void moving_commit(struct engine *e, struct moving *m)
{
	struct activity *a = &e->activities[m->activity];
	uint16_t limiter = moving_limiter(e, m, a);

	a->moving = NO_ID;
	others_commit(e, m);
	if (limiter != a->limiter)
		flow_limit(e, m->activity, limiter);
	if (m->rate != m->old_rate || m->old_rate == 0)
		flow_set_rate(e, m->activity, m->rate);
}

/* What is left of the capacity tells the new load, as exactly as the sum of its terms would. */
static void touched_commit(struct engine *e, uint32_t index)
{
	const struct touched *t = &e->repair->touched[index];
	const struct resource *r = &e->resources[t->resource];
	struct book *b = &e->books[t->book];
	int kept = b->n_limited > 0 && !t->limited_open &&
	           t->n < r->n; /* some were limited here and still are, at the same level */

	e->touched[t->resource] = NO_ID;
	if (!e->repair->suspect[index]) {
		if (t->n == r->n)
			b->others_level = 0; /* others_commit finds it again */
		return;
	}
	b->load = (struct sum2){t->capacity, 0};
	sum2_add(&b->load, -t->left.hi[ROOM]);
	b->load.lo -= t->left.lo[ROOM];
	if (t->level >= 0 && !kept)
		b->level = t->level;
	if (b->others_level < t->fastest || t->n == r->n)
		b->others_level = t->fastest;
}

static void repair_commit(struct engine *e)
{
	struct repair *p = e->repair;

	for (uint32_t i = 0; i < p->n_touched; i++)
		touched_commit(e, i);
	for (uint32_t i = 0; i < p->n_moving; i++)
		moving_commit(e, &p->moving[i]);
	for (uint32_t i = 0; i < p->n_moving; i++) {
		const struct moving *m = &p->moving[i];
		if (m->in_vain && promise_is_loose(e, &e->activities[m->activity]))
			flow_promise_for(e, m->activity, m->rate);
	}
	p->n_moving = p->n_steps = p->n_touched = 0;
}

/* Which of the resources that filling did not look at have given out too much? 1 if there are any:
 * they are suspect from now on. After a few rounds all are, so that no long chain of suspicions is
 * followed link by link. */
static int repair_verify(struct engine *e, uint32_t round)
{
	enum { ROUNDS = 4 };
	struct repair *p = e->repair;
	int found = 0;

	for (uint32_t i = 0; i < p->n_touched; i++)
		p->load[i] = sum2_value(&e->books[p->touched[i].book].load);
	for (uint32_t i = 0; i < p->n_moving; i++) {
		const struct moving *m = &p->moving[i];
		double more = m->rate - m->old_rate;
		if (more == 0)
			continue;
		for (const struct step *s = p->steps + m->steps, *end = s + m->n_steps; s < end;
		     s++)
			p->load[s->touched] += s->coef * more;
	}
	for (uint32_t i = 0; i < p->n_touched; i++)
		if (!p->suspect[i] && p->load[i] > p->touched[i].capacity * (1 + FULL))
			p->suspect[i] = found = 1;
	if (found && round >= ROUNDS)
		memset(p->suspect, 1, p->n_touched);
	return found;
}

/* Raises the promises that are less than the rates found: 1 if a resource came to be contended by
 * that, which no rate found takes note of. */
static int repair_promise(struct engine *e)
{
	struct repair *p = e->repair;
	int contended = 0;

	for (uint32_t i = 0; i < p->n_moving; i++) {
		const struct moving *m = &p->moving[i];
		const struct activity *a = &e->activities[m->activity];
		if (a->trim > 0 && m->rate > flow_promise(e, a))
			contended |= flow_promise_for(e, m->activity, m->rate);
	}
	return contended;
}

/* Takes note of resources that came to be contended: the steps of all open flows anew. What is
 * known of touched resources stays. */
static int repair_restep(struct engine *e, struct err *err)
{
	struct repair *p = e->repair;

	for (uint32_t i = 0; i < p->n_touched; i++)
		p->touched[i].n = 0;
	p->n_steps = 0;
	for (uint32_t i = 0; i < p->n_moving; i++) {
		const struct activity *a = &e->activities[p->moving[i].activity];
		if (!repair_has_room(p, a->n_uses) && repair_widen(p, a->n_uses, err))
			return -1;
		p->moving[i].steps = p->n_steps;
		moving_add_steps(e, &p->moving[i], engine_uses(e, a), a->n_uses);
		p->n_steps += p->moving[i].n_steps;
	}
	return 0;
}

uint32_t repair_size(const struct engine *e)
{
	return e->repair->n_moving;
}

int repair_run(struct engine *e, uint32_t *size, struct err *err)
{
	uint32_t round = 0;
	int again, opened;

	do {
		if (repair_fill(e, err))
			return -1;
		again = repair_verify(e, round++);
		opened = repair_check(e, err); /* mostly the same flows would be opened by the right
		                                  rates: one filling less */
		if (opened < 0)
			return -1;
		again |= opened;
		if (!again && repair_promise(e)) {
			if (repair_restep(e, err))
				return -1;
			again = 1;
		}
	} while (again);
	*size = e->repair->n_moving;
	repair_commit(e);
	return 0;
}
