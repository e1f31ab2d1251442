/* carrier.c: virtual time. All flows that a resource limits have its level, whatever it is. Where
 * they are many they are *carried*: one flow stands for them in all that is solved, the carrier's,
 * of weight 1, whose rate is the level and whose coefficient is the sum of their coef * weight. So
 * a change costs what one flow costs, though they differ in way, weight and bound.
 *
 * The virtual time of a carrier is what a flow of weight 1 has been given. A flow of weight w ends
 * when it has grown by what is left / w, at whatever levels: the ends are a heap whose order no
 * change of level disturbs, and the carrier's flow has one event, that of the first of them.
 * (Parekh and Gallager, generalized processor sharing, 1993; here also for other resources than
 * one.)
 *
 * The other resources of a carried flow are contended or not. Those that are not know its promise,
 * which is no less than its rate as long as the level is below promise / weight, its cap. The caps
 * are a second heap: when the level comes above the least, that promise is raised, or, being the
 * bound itself, the flow goes back among the others and is solved. On those that are contended the
 * carrier's flow stands for it too (carrier_uses.c); where one of them stops it below the level of
 * the carrier, it is on its own again (sweep.c). To be carried or not changes no rate.
 *
 * Who meets nobody elsewhere is carried at once. For others it costs more to come and to go: most
 * of an exchange that begins together ends together, and where levels are nearly tied flows are
 * limited now here, now there. So they are carried where each rate of the crowd has been found
 * several times already, on average: to carry them costs no more than was paid before. From then on
 * the rates that are spared are set against the flows that went back; where nothing is left of them
 * nobody comes, and after each time that this was in vain twice as much must be paid before the
 * next (as in renting skis).
 *
 * Flows that come to such a resource together are not let in one by one, at rates that the next
 * ones take away. They wait until all of a date are there. What they can have at most, the capacity
 * / the sum of coef * weight, is what they promise from the first, so that their own links are in
 * nobody's way, and if nothing else is, the carrier takes them before any rate is found. What comes
 * together is told from the date before: a program's phases come again.
 *
 * Who is carried stays a member of its other resources, after those who are not. In the list of
 * this one the carrier's flow stands for all, and their `moving` is their place in the heap of
 * ends. */
#include "carrier_int.h"

#include <math.h>
#include <stdlib.h>

enum {
	REBASE = 1024,
	GOING_BACK = 24, /* rates that are found in the time of being carried and going back */
	MOST_VAIN = 12
};

struct carriers *carriers_new(struct err *err)
{
	struct carriers *c = calloc(1, sizeof *c);

	if (!c) {
		err_nomem(err, "engine", sizeof *c);
		return NULL;
	}
	return c;
}

void carriers_free(struct carriers *c)
{
	if (!c)
		return;
	for (uint32_t i = 0; i < c->n; i++) {
		free(c->all[i].ends);
		free(c->all[i].caps);
		free(c->all[i].uses);
		hash64_release(&c->all[i].places);
	}
	free(c->all);
	free(c->changed.ids);
	free(c->pressed.ids);
	free(c->scratch.ids);
	free(c);
}

void engine_set_carry(struct engine *e, uint32_t from, uint32_t after)
{
	e->carry_from = from;
	e->carry_after = after;
}

static void carrier_advance(struct engine *e, struct carrier *c)
{
	if (c->n > 0)
		c->time = carrier_time(e, c);
	e->activities[c->flow].since = e->now;
}

double carried_rate(const struct engine *e, const struct activity *a)
{
	return carrier_level(e, carrier_of(e, a)) * a->weight;
}

double carried_remaining(const struct engine *e, const struct activity *a)
{
	const struct carrier *c = carrier_of(e, a);

	return fmax(0, c->ends[a->moving].ends - carrier_time(e, c)) * a->weight;
}

const struct activity *carrier_nth(const struct engine *e, const struct activity *flow, uint32_t i)
{
	return &e->activities[carrier_of_flow(e, flow)->ends[i].flow];
}

uint32_t carrier_size(const struct engine *e, const struct activity *flow)
{
	return carrier_of_flow(e, flow)->n;
}

/* --- carriers --- */

static void carrier_mark(struct engine *e, struct carrier *c)
{
	struct id_list *l = &e->carriers->changed;

	if (!c->changed)
		l->ids[l->n++] = (uint32_t)(c - e->carriers->all);
	c->changed = 1;
}

int carriers_changed(const struct engine *e)
{
	return e->carriers->changed.n > 0 || e->carriers->pressed.n > 0;
}

/* A resource that has carried flows keeps its carrier, so that it allocates nothing when warm. */
static int carrier_make(struct engine *e, uint32_t r, struct err *err)
{
	struct carriers *all = e->carriers;
	void *p = vec_grow(all->all, &all->cap, sizeof *all->all, (size_t)all->n + 1,
	                   "carried flows", err);

	if (!p)
		return -1;
	all->all = p;
	p = vec_grow(all->changed.ids, &all->changed.cap, sizeof *all->changed.ids,
	             (size_t)all->n + 1, "carried flows", err);
	if (!p)
		return -1;
	all->changed.ids = p;
	all->all[all->n++] = (struct carrier){.flow = NO_ID, .resource = r, .came = -1};
	resource_book(e, &e->resources[r])->carrier = all->n;
	return 0;
}

/* The flow that stands for those that resource r will carry, for none of them yet. */
static int carrier_flow(struct engine *e, uint32_t index, uint32_t r, struct err *err)
{
	struct carrier *c = &e->carriers->all[index];
	uint32_t flow, block;

	if (pool_take(&e->uses, 0, &block, err) || activity_new(e, &flow, err))
		return -1;
	e->activities[flow] = (struct activity){
	    .weight = 1,
	    .bound = INFINITY,
	    .remaining = INFINITY,
	    .since = e->now,
	    .user = index,
	    .uses = block,
	    .n_uses = 0,
	    .limiter = NO_LIMITER,
	    .moving = NO_ID,
	    .state = ACTIVITY_ACTIVE,
	    .class = 1,
	    .carrier = 1,
	};
	c->flow = flow;
	c->block = 0;
	resource_ask(e, &e->resources[r], DEMAND_MOST);
	if (carrier_uses_begin(e, c, err) || resource_join(e, flow, 0, err))
		return -1;
	flow_limit(e, flow, 0);
	return 0;
}

static int carrier_begin(struct engine *e, uint32_t r, struct err *err)
{
	const struct book *b = resource_book(e, &e->resources[r]);

	if (!b->carrier && carrier_make(e, r, err))
		return -1;
	struct carrier *c = &e->carriers->all[b->carrier - 1];
	if (c->flow != NO_ID)
		return 0;
	c->n_caps = 0;
	c->time = c->longest = 0;
	c->seq = 0;
	return carrier_flow(e, b->carrier - 1, r, err);
}

int book_churned(const struct engine *e, const struct book *b)
{
	uint32_t vain = b->carrier ? e->carriers->all[b->carrier - 1].vain : 0;

	return b->churn >= ((uint64_t)e->carry_after << vain) * b->n_limited;
}

/* It carries nothing any more. */
static void carrier_release(struct engine *e, struct carrier *c)
{
	struct resource *r = &e->resources[c->resource];

	carrier_uses_tidy(e, c);
	queue_remove(&e->queue, c->flow);
	flow_limit(e, c->flow, NO_LIMITER);
	resource_ask(e, r, -(uint64_t)DEMAND_MOST);
	resource_part(e, r, member_make(c->flow, 0), 0);
	resource_relax(e, r);
	if (resource_book(e, r)->churn > 0)
		c->vain = 0;
	else if (c->vain < MOST_VAIN)
		c->vain++;
	resource_book(e, r)->churn = 0;
	e->activities[c->flow].n_uses = (uint16_t)pool_size(c->block); /* all of its block */
	activity_release(e, c->flow);
	c->flow = NO_ID;
}

/* --- who comes --- */

static struct carrier *carrier_on(const struct engine *e, const struct use *u)
{
	const struct resource *r = &e->resources[u->resource];

	return r->book && e->books[r->book].carrier ? carrier_at(e, u->resource) : NULL;
}

int carriers_meet(struct engine *e, const struct activity *a)
{
	const struct use *u = engine_uses(e, a);
	int crowd = 0;

	if (e->carriers->n == 0)
		return 0;
	for (uint32_t k = 0; k < a->n_uses; k++) {
		struct carrier *c = carrier_on(e, u + k);
		if (!c)
			continue;
		if (c->came != e->now) {
			c->came = e->now;
			c->before = c->together;
			c->together = 0;
			c->coming = 0;
		}
		c->coming += coef_at(e, a, u + k) * a->weight;
		c->together++;
		crowd |= c->together >= e->carry_from || c->before >= e->carry_from;
	}
	return crowd;
}

/* The level of a resource with those that come is at most this. */
static double level_hoped(const struct engine *e, const struct carrier *c)
{
	const struct resource *r = &e->resources[c->resource];
	double heft = c->came == e->now ? c->coming : 0, level;

	if (c->flow != NO_ID)
		heft += c->uses[0].coef;
	level = heft > 0 ? r->capacity / heft : INFINITY;
	return r->full && r->dirt == CLEAN && resource_book(e, r)->level < level
	           ? resource_book(e, r)->level
	           : level;
}

double carriers_share(const struct engine *e, const struct activity *a, uint16_t *at)
{
	const struct use *u = engine_uses(e, a);
	double share = INFINITY;

	*at = NO_LIMITER;
	for (uint32_t k = 0; e->carriers->n > 0 && k < a->n_uses; k++) {
		const struct carrier *c = carrier_on(e, u + k);
		double level = c ? level_hoped(e, c) : INFINITY;
		if (level < share) {
			share = level;
			*at = (uint16_t)k;
		}
	}
	return share * a->weight;
}

/* --- to be carried --- */

static int flow_may_be_carried(const struct engine *e, const struct activity *a)
{
	const struct use *u = engine_uses(e, a);

	if (a->state != ACTIVITY_ACTIVE || a->limiter == NO_LIMITER || a->class || a->fatpipe ||
	    a->moving != NO_ID || !(a->rate > 0))
		return 0;
	const struct book *b = resource_book(e, &e->resources[u[a->limiter].resource]);
	if (b->n_limited < e->carry_from && !carries(e, b))
		return 0;
	if (book_churned(e, b))
		return 1;
	for (uint32_t k = 0; k < a->n_uses; k++)
		if (u[k].contended && k != a->limiter)
			return 0;
	return 1;
}

/* In its heaps, with what is left of it. */
static int carrier_hold(struct engine *e, struct carrier *c, uint32_t id, double left,
                        struct err *err)
{
	struct activity *a = &e->activities[id];

	left /= a->weight;
	if (ends_add(e, c, (struct carried){c->time + left, c->seq++, id}, err) ||
	    caps_add(e, c, id, err))
		return -1;
	a->state = ACTIVITY_CARRIED;
	c->longest = larger(c->longest, left);
	e->n_carried++;
	e->stats.carried++;
	return 0;
}

/* One more, that is so heavy. */
static void carrier_gain(struct engine *e, struct carrier *c, double heft, double level, double own)
{
	e->activities[c->flow].rate = level;
	c->uses[0].n++;
	carrier_weigh(e, c, 0, heft, level, own);
	carrier_mark(e, c);
}

static int carrier_add(struct engine *e, struct carrier *c, uint32_t id, double level,
                       struct err *err)
{
	struct activity *a = &e->activities[id];
	struct resource *r = &e->resources[c->resource];
	double coef = use_coef(e, a, a->limiter);

	resource_part(e, r, member_make(id, a->limiter), 1);
	resource_ask(e, r, -(uint64_t)use_part(r, flow_promise(e, a), coef));
	queue_remove(&e->queue, id);
	if (carrier_hold(e, c, id, larger(0, a->remaining - a->rate * (e->now - a->since)), err))
		return -1;
	carrier_gain(e, c, coef * a->weight, level, -coef * a->rate);
	return carried_uses_join(e, c, id, level, err);
}

int flow_carry(struct engine *e, uint32_t id, struct err *err)
{
	if (!flow_may_be_carried(e, &e->activities[id]))
		return 0;
	uint32_t r = carried_use(e, &e->activities[id])->resource;
	const struct book *b = resource_book(e, &e->resources[r]);
	if (carrier_begin(e, r, err))
		return -1;
	struct carrier *c = carrier_at(e, r);
	if (!carrier_has_room(e, c, e->activities[id].n_uses))
		return 0;
	carrier_advance(e, c);
	return carrier_add(e, c, id, c->n > 0 ? carrier_level(e, c) : b->level, err);
}

/* Have the other resources of an arriving flow room for what it promised? */
static int flow_meets_only(const struct engine *e, const struct activity *a, uint16_t at)
{
	const struct use *u = engine_uses(e, a);

	for (uint32_t k = 0; k < a->n_uses; k++)
		if (k != at && resource_contended(&e->resources[u[k].resource]))
			return 0;
	return !a->class && !a->fatpipe;
}

/* A member of all but this one, at the promise whose parts have been reckoned. */
static int join_others(struct engine *e, uint32_t id, uint16_t at, struct err *err)
{
	const struct activity *a = &e->activities[id];

	for (uint32_t k = 0; k < a->n_uses; k++) {
		struct use *u = use_at(e, a->uses + k);
		u->contended = k == at;
		if (k == at)
			continue;
		e->resources[u->resource].demand += e->parts[k];
		if (resource_join(e, id, k, err))
			return -1;
	}
	return 0;
}

int carrier_take(struct engine *e, uint32_t id, uint16_t at, struct err *err)
{
	uint32_t r = engine_uses(e, &e->activities[id])[at].resource;
	const struct carrier *it = carrier_at(e, r);

	if (!flow_meets_only(e, &e->activities[id], at) ||
	    (it->flow == NO_ID && it->together < e->carry_from))
		return 0;
	if (!resource_contended(&e->resources[r])) /* it will be, by those who follow */
		resource_contend(e, &e->resources[r]);
	if (carrier_begin(e, r, err) || join_others(e, id, at, err))
		return -1;
	struct activity *a = &e->activities[id];
	struct carrier *c = carrier_at(e, r);
	double level = c->n > 0 ? carrier_level(e, c) : 0; /* until it is opened */
	carrier_advance(e, c);
	a->limiter = at;
	if (carrier_hold(e, c, id, a->remaining, err))
		return -1;
	carrier_gain(e, c, use_coef(e, a, at) * a->weight, level, 0);
	c->grown = 1;
	e->carriers->n_grown++;
	return 1;
}

int carriers_grown(const struct engine *e)
{
	return e->carriers->n_grown > 0;
}

int carriers_open(struct engine *e, struct err *err)
{
	struct carriers *all = e->carriers;

	for (uint32_t i = 0; all->n_grown > 0 && i < all->changed.n; i++) {
		struct carrier *c = &all->all[all->changed.ids[i]];
		if (c->grown && c->flow != NO_ID && repair_add(e, c->flow, err))
			return -1;
		c->grown = 0;
	}
	all->n_grown = 0;
	return 0;
}

/* --- to be carried no more --- */

/* Takes it out, at the level that the carrier has. own: the load that it goes on with. */
static void carrier_drop(struct engine *e, struct carrier *c, const struct activity *a, double own)
{
	double level = carrier_level(e, c);

	e->n_carried--;
	ends_remove(e, c, a->moving);
	c->uses[0].n--;
	carrier_weigh(e, c, 0, -use_coef(e, a, a->limiter) * a->weight, level, own);
	carrier_mark(e, c);
}

static int pressed_add(struct engine *e, uint32_t id, struct err *err)
{
	return ids_add(&e->carriers->pressed, id, err);
}

int flow_uncarry(struct engine *e, uint32_t id, struct err *err)
{
	struct activity *a = &e->activities[id];
	struct carrier *c = carrier_of(e, a);
	uint16_t limiter = a->limiter;
	double coef = use_coef(e, a, limiter), level = carrier_level(e, c);

	carrier_advance(e, c);
	a->rate = level * a->weight;
	a->remaining = carried_remaining(e, a);
	a->since = e->now;
	struct resource *r = &e->resources[carried_use(e, a)->resource];
	carrier_drop(e, c, a, coef * a->rate);
	carried_uses_part(e, c, id, level);
	a->state = ACTIVITY_ACTIVE;
	a->limiter = NO_LIMITER;
	a->moving = NO_ID;
	resource_ask(e, r, use_part(r, flow_promise(e, a), coef));
	if (resource_join(e, id, limiter, err))
		return -1;
	flow_limit(e, id, limiter);
	if (a->rate > 0)
		queue_set(&e->queue, id, e->now + a->remaining / a->rate);
	if (c->grown) /* it has no rate of this date */
		resource_mark(e, c->resource, DIRTY_ALL);
	book_pays(resource_book(e, r), GOING_BACK);
	if (c->n == 0 && e->activities[c->flow].moving == NO_ID)
		carrier_release(e, c);
	return a->rate > flow_promise(e, a) ? pressed_add(e, id, err) : 0;
}

/* It ends, or is cancelled. */
void carried_leave(struct engine *e, uint32_t id)
{
	struct activity *a = &e->activities[id];
	struct carrier *c = carrier_of(e, a);

	carrier_advance(e, c);
	double level = carrier_level(e, c);
	carrier_drop(e, c, a, 0);
	if (e->activities[c->flow].n_uses > 1)
		carried_uses_leave(e, c, id, level);
	flow_leave_others(e, id, a->limiter);
	resource_mark(e, c->resource, DIRTY_LIMITED);
	if (c->n == 0)
		carrier_release(e, c);
}

void carrier_closed(struct engine *e, uint32_t flow)
{
	carrier_uses_tidy(e, carrier_of_flow(e, &e->activities[flow]));
}

void carrier_end_if_empty(struct engine *e, uint32_t flow)
{
	struct carrier *c = carrier_of_flow(e, &e->activities[flow]);

	if (c->n == 0 && c->flow == flow)
		carrier_release(e, c);
}

/* --- the clock --- */

void carrier_set_rate(struct engine *e, uint32_t flow, double rate)
{
	struct activity *a = &e->activities[flow];
	struct carrier *c = carrier_of_flow(e, a);

	carrier_advance(e, c);
	a->rate = rate;
	carrier_mark(e, c);
}

static double first_end(const struct engine *e, const struct carrier *c)
{
	double left = c->ends[0].ends - c->time;

	return left > 0 ? e->now + left / carrier_level(e, c) : e->now;
}

void carrier_end(struct engine *e, uint32_t flow, uint32_t *id)
{
	struct carrier *c = carrier_of_flow(e, &e->activities[flow]);
	uint32_t index = (uint32_t)(c - e->carriers->all);

	*id = c->ends[0].flow;
	carried_leave(e, *id);
	c = &e->carriers->all[index];
	if (c->flow != flow)
		return; /* that was the last */
	if (first_end(e, c) <= e->until)
		queue_set(&e->queue, flow, e->now);
	else
		queue_remove(&e->queue, flow);
}

/* --- the solve --- */

/* Another promise for a carried flow, that fits this rate: its other resources are told. One that
 * comes to be contended by that sends it back among the others. */
static int carried_promise(struct engine *e, uint32_t id, double rate)
{
	struct activity *a = &e->activities[id];
	uint16_t limiter = a->limiter;
	double before = flow_promise(e, a);
	int contended = 0;

	a->trim = flow_trim(e, a->bound, rate);
	double promise = flow_promise(e, a);
	for (uint32_t k = 0; k < a->n_uses; k++) {
		struct resource *r = &e->resources[use_at(e, a->uses + k)->resource];
		double coef = use_coef(e, a, k);
		if (k != limiter)
			resource_ask(
			    e, r, (uint64_t)use_part(r, promise, coef) - use_part(r, before, coef));
	}
	for (uint32_t k = 0; k < a->n_uses; k++) {
		struct resource *r = &e->resources[use_at(e, a->uses + k)->resource];
		if (k == limiter || resource_contended(r) || r->demand <= DEMAND_FULL)
			continue;
		resource_contend(e, r);
		contended = 1;
	}
	return contended;
}

/* Those whose cap is below the level. */
static int carrier_raise(struct engine *e, uint32_t index, struct err *err)
{
	for (;;) {
		struct carrier *c = &e->carriers->all[index];
		if (c->flow == NO_ID || c->n_caps == 0 || c->caps[0].level >= carrier_level(e, c))
			return 0;
		struct cap x = c->caps[0];
		struct activity *a = &e->activities[x.flow];
		int holds = cap_holds(e, c, &x);
		caps_pop(c);
		if (!holds)
			continue;
		double rate = carried_rate(e, a);
		int pressed = 1;
		if (a->trim > 0 && rate <= a->bound)
			pressed = carried_promise(e, x.flow, rate);
		else if (flow_uncarry(e, x.flow, err))
			return -1;
		if ((a->state == ACTIVITY_CARRIED && caps_add(e, c, x.flow, err)) ||
		    (pressed && pressed_add(e, x.flow, err)))
			return -1;
	}
}

/* Flows that went back with more than they may have are open now, resources that have given out
 * more than they have are touched. */
static int pressed_open(struct engine *e, struct err *err)
{
	struct id_list *l = &e->carriers->pressed;

	/* All promises before any is open: what comes to be contended sends others back. */
	for (uint32_t i = 0; i < l->n; i++) {
		const struct activity *a = &e->activities[l->ids[i]];
		if (a->state == ACTIVITY_ACTIVE && !a->class && a->rate > flow_promise(e, a))
			flow_promise_for(e, l->ids[i], a->rate);
	}
	for (uint32_t i = 0; i < l->n; i++) {
		uint32_t id = l->ids[i];
		const struct activity *a = &e->activities[id];
		int carried = a->state == ACTIVITY_CARRIED;
		if ((a->state != ACTIVITY_ACTIVE && !carried) || a->class)
			continue;
		if (!carried && a->rate > a->bound * (1 + SAME_RATE)
		        ? repair_add(e, id, err)
		        : repair_touch_over(e, id, err))
			return -1;
	}
	l->n = 0;
	return 0;
}

/* What is added to a large number loses its last digits: begins to count anew. */
static void carrier_rebase(struct carrier *c)
{
	if (c->time < REBASE * c->longest)
		return;
	for (uint32_t i = 0; i < c->n; i++)
		c->ends[i].ends -= c->time;
	c->time = 0;
}

int carriers_raise(struct engine *e, int *again, struct err *err)
{
	const struct id_list *l = &e->carriers->changed;

	*again = 0;
	for (uint32_t i = 0; i < l->n; i++)
		if (carrier_raise(e, l->ids[i], err) < 0)
			return -1;
	if (e->carriers->pressed.n == 0)
		return 0;
	*again = 1;
	return pressed_open(e, err);
}

void carriers_schedule(struct engine *e)
{
	struct id_list *l = &e->carriers->changed;

	for (uint32_t i = 0; i < l->n; i++) {
		struct carrier *c = &e->carriers->all[l->ids[i]];
		c->changed = 0;
		if (c->flow == NO_ID)
			continue;
		carrier_advance(e, c);
		carrier_rebase(c);
		double date = first_end(e, c);
		if (date < INFINITY)
			queue_set(&e->queue, c->flow, date);
		else
			queue_remove(&e->queue, c->flow);
	}
	l->n = 0;
}
