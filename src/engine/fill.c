/* fill.c: progressive filling (Bertsekas and Gallager, 6.5.2) of the open flows over the room that
 * the background leaves.
 *
 * The level of all open flows rises together. The next resource to become full is the one with the
 * least room / heft (heft: the sum of coef * weight of its flows without a rate). Levels at which
 * resources fill up only rise while flows are fixed, so the heap holds lower bounds that are
 * renewed when they come to its top. When a resource is next, its flows whose ceiling is below that
 * level are fixed at their ceiling first (no other resource can stop them earlier), which raises
 * its level; when there are none, all its flows are fixed. */
#include "repair_int.h"

#include <math.h>
#include <string.h>

static int candidate_before(const struct candidate *a, const struct candidate *b)
{
	return a->level < b->level || (a->level == b->level && a->touched < b->touched);
}

static void heap_sift_down(struct repair *p, uint32_t place, struct candidate c)
{
	for (;;) {
		uint32_t child = 2 * place + 1;
		if (child >= p->n_heap)
			break;
		if (child + 1 < p->n_heap && candidate_before(&p->heap[child + 1], &p->heap[child]))
			child++;
		if (!candidate_before(&p->heap[child], &c))
			break;
		p->heap[place] = p->heap[child];
		place = child;
	}
	p->heap[place] = c;
}

static void heap_drop_top(struct repair *p)
{
	struct candidate last = p->heap[--p->n_heap];
	if (p->n_heap > 0)
		heap_sift_down(p, 0, last);
}

static double touched_level(const struct touched *t)
{
	double room = sum2x2_value(&t->left, ROOM);

	return room > 0 ? room / sum2x2_value(&t->left, HEFT) : 0;
}

static int fill_reserve(struct repair *p, struct err *err)
{
	if (p->n_touched <= p->heap_cap && p->n_steps <= p->through_cap &&
	    p->n_moving <= p->fixed_cap)
		return 0;
	void *q = vec_grow(p->heap, &p->heap_cap, sizeof *p->heap, p->n_touched, "resources", err);
	if (!q)
		return -1;
	p->heap = q;
	q = vec_grow(p->through, &p->through_cap, sizeof *p->through, p->n_steps, "flows", err);
	if (!q)
		return -1;
	p->through = q;
	uint32_t known = p->fixed_cap;
	q = vec_grow(p->fixed, &p->fixed_cap, sizeof *p->fixed, p->n_moving, "flows", err);
	if (!q)
		return -1;
	p->fixed = q;
	memset(p->fixed + known, 0, (p->fixed_cap - known) * sizeof *p->fixed);
	return 0;
}

static void touched_start(struct engine *e, struct touched *t, uint32_t first)
{
	const struct resource *r = &e->resources[t->resource];
	struct sum2 room = {r->capacity, 0};

	t->background = t->n < r->n;
	if (t->background) { /* else no background: all of it, whatever the sums say */
		sum2_add(&room, -e->books[t->book].load.hi);
		room.lo -= e->books[t->book].load.lo;
	}
	t->left = (struct sum2x2){{room.hi, 0}, {room.lo, 0}};
	t->first = t->end = first;
	t->open = t->n;
	t->level = -1;
	t->fastest = 0;
}

/* What suspects leave to the open flows, and which these are. */
static void moving_start(struct repair *p, uint32_t index)
{
	const struct moving *m = &p->moving[index];

	for (const struct step *s = p->steps + m->steps, *end = s + m->n_steps; s < end; s++) {
		if (!p->suspect[s->touched])
			continue;
		struct touched *t = &p->touched[s->touched];
		double coef = s->coef, old = t->background ? m->old_rate : 0;
		p->through[t->end++] = index;
		sum2x2_add(&t->left, (pair){coef, coef} * (pair){old, m->weight});
	}
}

static int fill_start(struct engine *e, struct err *err)
{
	struct repair *p = e->repair;
	uint32_t first = 0;

	if (fill_reserve(p, err))
		return -1;
	if (++p->round == 0) { /* after 2^32 rounds the marks are worn out */
		memset(p->fixed, 0, p->fixed_cap * sizeof *p->fixed);
		p->round = 1;
	}
	p->n_heap = 0;
	for (uint32_t i = 0; i < p->n_touched; i++) {
		struct touched *t = &p->touched[i];
		if (!p->suspect[i])
			continue;
		touched_start(e, t, first);
		first += t->n;
		p->heap[p->n_heap++].touched = i;
	}
	for (uint32_t i = 0; i < p->n_moving; i++)
		moving_start(p, i);
	for (uint32_t i = p->n_heap; i-- > 0;) {
		p->heap[i].level = touched_level(&p->touched[p->heap[i].touched]);
		if (i < p->n_heap / 2)
			heap_sift_down(p, i, p->heap[i]);
	}
	return 0;
}

/* Gives m its rate. A rate that is the old one but for rounding is the old one: its neighbours then
 * need not change either. */
static void moving_fix(struct repair *p, uint32_t index, double rate, double level,
                       uint32_t limiter)
{
	struct moving *m = &p->moving[index];

	if (fabs(rate - m->old_rate) <= SAME_RATE * m->old_rate)
		rate = m->old_rate;
	m->rate = rate;
	m->limiter = limiter;
	p->fixed[index] = p->round;
	pair given = {-rate, -m->weight};
	level *= 1 + 2 * SAME_RATE; /* not below rate / weight, whatever the rounding */
	for (const struct step *s = p->steps + m->steps, *end = s + m->n_steps; s < end; s++) {
		if (!p->suspect[s->touched])
			continue;
		struct touched *t = &p->touched[s->touched];
		double coef = s->coef;
		sum2x2_add(&t->left, (pair){coef, coef} * given);
		t->open--;
		if (t->fastest < level && s->touched != limiter)
			t->fastest = level;
	}
}

/* Fixes the flows whose ceiling comes first; keeps in the list of the resource those that still
 * have no rate. */
static uint32_t fix_ceilings(struct repair *p, struct touched *t, double level)
{
	uint32_t fixed = 0, kept = t->first;

	level *= 1 + SAME_RATE;
	for (uint32_t i = t->first; i < t->end; i++) {
		uint32_t f = p->through[i];
		const struct moving *m = &p->moving[f];
		if (p->fixed[f] == p->round)
			continue;
		if (m->ceiling <= level * m->weight) {
			moving_fix(p, f, m->ceiling, m->ceiling / m->weight, NO_ID);
			fixed++;
		} else {
			p->through[kept++] = f;
		}
	}
	t->end = kept;
	return fixed;
}

/* After fix_ceilings, which left in the list only flows without a rate. */
static uint32_t fix_at_resource(struct repair *p, uint32_t index, double level)
{
	struct touched *t = &p->touched[index];

	for (uint32_t i = t->first; i < t->end; i++) {
		uint32_t f = p->through[i];
		moving_fix(p, f, level * p->moving[f].weight, level, index);
	}
	t->level = level;
	return t->end - t->first;
}

/* What no suspect limits has its ceiling. */
static void fix_rest(struct repair *p)
{
	for (uint32_t i = 0; i < p->n_moving; i++) {
		const struct moving *m = &p->moving[i];
		if (p->fixed[i] != p->round)
			moving_fix(p, i, m->ceiling, m->ceiling / m->weight, NO_ID);
	}
}

int repair_fill(struct engine *e, struct err *err)
{
	struct repair *p = e->repair;
	uint32_t left = p->n_moving;

	if (fill_start(e, err))
		return -1;
	while (left > 0 && p->n_heap > 0) {
		struct candidate top = p->heap[0];
		struct touched *t = &p->touched[top.touched];
		if (t->open == 0) {
			heap_drop_top(p);
			continue;
		}
		double level = touched_level(t);
		if (level > top.level) {
			heap_sift_down(p, 0, (struct candidate){level, top.touched});
			if (p->heap[0].touched != top.touched)
				continue;
		}
		uint32_t fixed = fix_ceilings(p, t, level);
		left -= fixed;
		if (fixed == 0) {
			left -= fix_at_resource(p, top.touched, level);
			heap_drop_top(p);
		}
	}
	if (left > 0)
		fix_rest(p);
	return 0;
}
