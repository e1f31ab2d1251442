/* book.c: who uses what, and what of it: members, demand, loads, promises, limiters, rates.
 *
 * Most resources are never in anyone's way: what their members' bounds could take, their demand, is
 * within their capacity. Of these only the demand and the members are kept. The others are
 * contended, and have a load. */
#include "engine_int.h"

#include <math.h>
#include <string.h>

static void member_put(struct engine *e, struct resource *r, uint32_t pos, struct member m)
{
	resource_members(e, r)[pos] = m;
	use_at(e, m.use)->pos = pos;
}

static uint32_t members_room(const struct engine *e, const struct resource *r)
{
	if (!r->wide)
		return 1;
	return r->members.many.class == CROWD ? e->crowds[r->members.many.block].cap
	                                      : 1u << r->members.many.class;
}

static int crowd_widen(struct crowd *c, uint32_t n, struct err *err)
{
	void *p = vec_grow(c->items, &c->cap, sizeof *c->items, (size_t)n + 1,
	                   "flows on a resource", err);

	if (!p)
		return -1;
	c->items = p;
	return 0;
}

/* The members leave the pool, for good. */
static int crowd_make(struct engine *e, struct resource *r, struct err *err)
{
	struct crowd c = {NULL, 0}, *p;

	p = vec_grow(e->crowds, &e->crowds_cap, sizeof *p, (size_t)e->n_crowds + 1,
	             "flows on a resource", err);
	if (!p)
		return -1;
	e->crowds = p;
	if (crowd_widen(&c, r->n, err))
		return -1;
	memcpy(c.items, resource_members(e, r), r->n * sizeof *c.items);
	pool_give(&e->members, pool_power(r->members.many.class), r->members.many.block);
	e->crowds[e->n_crowds] = c;
	r->members.many.block = e->n_crowds++;
	r->members.many.class = CROWD;
	return 0;
}

static int members_widen(struct engine *e, struct resource *r, struct err *err)
{
	uint32_t block, class = 1;

	if (r->wide && r->members.many.class == CROWD)
		return crowd_widen(&e->crowds[r->members.many.block], r->n, err);
	if (r->wide && r->members.many.class == CROWD_CLASS)
		return crowd_make(e, r, err);
	if (r->wide) {
		block = r->members.many.block;
		class = r->members.many.class;
		if (pool_widen(&e->members, pool_power(class ++), &block, r->n, err))
			return -1;
	} else {
		if (pool_take(&e->members, pool_power(class), &block, err))
			return -1;
		*((struct member *)e->members.items + block) = r->members.only;
	}
	r->members.many.block = block;
	r->members.many.class = class;
	r->wide = 1;
	return 0;
}

/* The commonest case of one more member, among others: its block has room. */
static inline int join_has_room(const struct resource *r)
{
	return r->wide && r->members.many.class < CROWD_CLASS && r->n >> r->members.many.class == 0;
}

static inline void join_quick(struct engine *e, struct resource *r, struct use *u, struct member m)
{
	u->pos = r->n++;
	((struct member *)e->members.items + r->members.many.block)[u->pos] = m;
}

/* The other one: nobody is there. */
static inline int join_is_first(const struct resource *r)
{
	return r->n == 0 && !r->wide;
}

static inline void join_first(struct resource *r, struct use *u, struct member m)
{
	r->members.only = m;
	u->pos = 0;
	r->n = 1;
}

int resource_join(struct engine *e, uint32_t id, uint32_t use, struct err *err)
{
	struct use *u = use_at(e, use);
	struct resource *r = &e->resources[u->resource];

	if (join_has_room(r)) {
		join_quick(e, r, u, (struct member){id, use});
		return 0;
	}
	if (join_is_first(r)) {
		join_first(r, u, (struct member){id, use});
		return 0;
	}
	if (r->n == members_room(e, r) && members_widen(e, r, err))
		return -1;
	member_put(e, r, r->n++, (struct member){id, use});
	return 0;
}

/* An empty resource keeps room for a few members, not for many: those of a phase of the program
 * that is over would hold the memory of the next. */
enum { KEEPS_CLASS = 4 };

static __attribute__((noinline)) void members_shrink(struct engine *e, struct resource *r)
{
	if (r->members.many.class == CROWD)
		return;
	pool_give(&e->members, pool_power(r->members.many.class), r->members.many.block);
	r->wide = 0;
}

static inline void members_clear(struct engine *e, struct resource *r)
{
	r->n = 0;
	if (r->full) {
		resource_book(e, r)->n_limited = 0;
		resource_set_full(e, r, 0);
	}
	if (r->wide && r->members.many.class > KEEPS_CLASS)
		members_shrink(e, r);
}

/* One of several. */
static inline void members_drop(struct engine *e, struct resource *r, uint32_t pos)
{
	struct member *m = resource_members(e, r);
	if (r->full &&
	    pos < resource_book(e, r)->n_limited) { /* the last limited member takes its place, the
		                                       last member that one's */
		uint32_t limited = --resource_book(e, r)->n_limited;
		resource_set_full(e, r, limited > 0);
		member_put(e, r, pos, m[limited]);
		pos = limited;
	}
	if (pos != --r->n)
		member_put(e, r, pos, m[r->n]);
}

void resource_part(struct engine *e, struct resource *r, uint32_t pos)
{
	if (r->n == 1)
		members_clear(e, r);
	else
		members_drop(e, r, pos);
}

void resource_mark(struct engine *e, uint32_t r, enum resource_dirt dirt)
{
	struct resource *res = &e->resources[r];

	if (res->dirt == CLEAN)
		e->dirty.ids[e->dirty.n++] = r;
	if (res->dirt < dirt)
		res->dirt = (uint8_t)dirt;
}

/* --- demand: who could ever be in another's way --- */

/* From now on its load is kept, and counted now. */
void resource_contend(struct engine *e, struct resource *r)
{
	if (!r->book) {
		r->book = e->n_books & MAX_RESOURCES; /* room is reserved */
		e->books[e->n_books].carrier = e->books[e->n_books].n_limited = 0;
		e->n_books++;
	}
	resource_uncarry(e, r);
	const struct member *m = resource_members(e, r);
	struct book *b = resource_book(e, r);
	r->contended = 1;
	b->load = (struct sum2){0, 0};
	b->others_level = 0;
	for (uint32_t i = 0; i < r->n; i++) {
		const struct activity *a = &e->activities[m[i].activity];
		use_at(e, m[i].use)->contended = 1;
		sum2_add(&b->load, member_coef(e, &m[i]) * a->rate);
		b->others_level = larger(b->others_level, activity_level(a));
	}
}

/* They fit again: its load is not kept any more. Many must fit with room to spare, or the next to
 * come would make all be counted again. */
void resource_relax(struct engine *e, struct resource *r)
{
	enum { FEW = 8, SPARE = DEMAND_FULL / 4 };
	const struct member *m;

	if (r->full || r->demand > (r->n <= FEW ? DEMAND_FULL : DEMAND_FULL - SPARE))
		return;
	m = resource_members(e, r);
	r->contended = 0;
	for (uint32_t i = 0; i < r->n; i++)
		use_at(e, m[i].use)->contended = 0;
}

/* The lowest promise that leaves this rate some slack: the binary logarithm of bound / rate in
 * quarters, from the bits of the quotient. */
uint8_t flow_trim(const struct engine *e, double bound, double rate)
{
	double ratio = bound / (rate * PROMISE_SLACK);
	uint64_t bits;

	if (!(ratio > 1))
		return 0;
	memcpy(&bits, &ratio, sizeof bits);
	unsigned trim = 4 * ((unsigned)(bits >> 52) - 1023);
	if (trim >= TRIM_MOST)
		return TRIM_MOST;
	ratio *= e->promises[trim]; /* a power of two: in [1, 2) */
	while (trim < TRIM_MOST && ratio * e->promises[trim % 4 + 1] >= 1 && trim % 4 < 3)
		trim++;
	return (uint8_t)trim;
}

/* Its promise was another: the demand of its resources follows. 1 if one of them is contended now
 * that was not. */
static int demand_follow(struct engine *e, const struct activity *a, double before)
{
	const struct use *u = engine_uses(e, a);
	double promise = flow_promise(e, a);
	int contended = 0;

	if (promise == before)
		return 0;
	for (uint32_t k = 0; k < a->n_uses; k++) {
		struct resource *r = &e->resources[u[k].resource];
		if (r->kind == RESOURCE_FATPIPE)
			continue;
		double unit = part_unit(r, use_coef(e, a, k));
		uint32_t part = part_of(unit, promise), old = part_of(unit, before);
		r->demand += (uint64_t)part - old;
		if (part < old && r->contended) {
			resource_relax(e, r);
		} else if (r->demand > DEMAND_FULL && !r->contended) {
			resource_contend(e, r);
			contended = 1;
		}
	}
	return contended;
}

int flow_promise_for(struct engine *e, uint32_t id, double rate)
{
	struct activity *a = &e->activities[id];
	double before = flow_promise(e, a);

	a->trim = flow_trim(e, a->bound, rate);
	return demand_follow(e, a, before);
}

void flow_repromise(struct engine *e, uint32_t id, double bound)
{
	struct activity *a = &e->activities[id];
	double before = flow_promise(e, a);

	a->bound = bound;
	demand_follow(e, a, before);
}

void resource_recount(struct engine *e, struct resource *r)
{
	const struct member *m = resource_members(e, r);

	r->demand = 0;
	for (uint32_t i = 0; i < r->n && r->kind == RESOURCE_SHARED; i++)
		r->demand += use_part(r, flow_promise(e, &e->activities[m[i].activity]),
		                      member_coef(e, &m[i]));
	if (r->demand > DEMAND_FULL && !r->contended)
		resource_contend(e, r);
}

/* A flow that starts becomes a member, and its part is asked for. That of a FATPIPE resource, which
 * nobody asks about, is counted and taken away like the others. */
static inline int demand_join(struct engine *e, struct resource *r, uint32_t id, uint32_t use,
                              uint32_t part, struct err *err)
{
	struct use *u = use_at(e, use);

	r->demand += part;
	u->contended = r->contended;
	if (join_has_room(r)) {
		join_quick(e, r, u, (struct member){id, use});
		return 0;
	}
	if (!join_is_first(r))
		return resource_join(e, id, use, err);
	join_first(r, u, (struct member){id, use});
	return 0;
}

void flow_leave(struct engine *e, uint32_t id)
{
	const struct activity *a = &e->activities[id];
	const struct use *u = engine_uses(e, a);
	double promise = flow_promise(e, a);

	for (uint32_t k = 0; k < a->n_uses; k++) {
		struct resource *r = &e->resources[u[k].resource];
		if (r->n == 1) {
			r->demand = 0; /* without reckoning its part */
			members_clear(e, r);
		} else {
			double coef = use_coef(e, a, k);
			r->demand -= use_part(r, promise, coef);
			if (r->contended)
				sum2_add(&resource_book(e, r)->load, -coef * a->rate);
			members_drop(e, r, u[k].pos);
		}
		if (r->full)
			resource_mark(e, u[k].resource, DIRTY_LIMITED);
		else if (r->contended)
			resource_relax(e, r);
	}
}

static void members_swap(struct engine *e, struct resource *r, uint32_t i, uint32_t j)
{
	struct member *m = resource_members(e, r), mi = m[i], mj = m[j];

	member_put(e, r, i, mj);
	member_put(e, r, j, mi);
}

void flow_limit(struct engine *e, uint32_t id, uint16_t limiter)
{
	struct activity *a = &e->activities[id];
	const struct use *u = engine_uses(e, a);

	if (a->limiter == limiter)
		return;
	if (a->limiter != NO_LIMITER) {
		struct resource *r = &e->resources[u[a->limiter].resource];
		uint32_t limited = --resource_book(e, r)->n_limited;
		resource_set_full(e, r, limited > 0);
		members_swap(e, r, u[a->limiter].pos, limited);
	}
	if (limiter != NO_LIMITER) {
		struct resource *r = &e->resources[u[limiter].resource];
		resource_set_full(e, r, 1);
		members_swap(e, r, u[limiter].pos, resource_book(e, r)->n_limited++);
	}
	a->limiter = limiter;
}

void flow_set_rate(struct engine *e, uint32_t id, double rate)
{
	struct activity *a = &e->activities[id];

	e->stats.rate_changes++;
	if (a->class) {
		if (a->carrier)
			carrier_set_rate(e, id, rate);
		else
			class_set_rate(e, id, rate);
		return;
	}
	a->remaining -= a->rate * (e->now - a->since);
	if (a->remaining < 0)
		a->remaining = 0;
	a->since = e->now;
	a->rate = rate;
	double date = a->remaining > 0 ? e->now + a->remaining / rate : e->now;
	if (date < INFINITY)
		queue_set(&e->queue, id, date);
	else
		queue_remove(&e->queue, id);
}

/* The most that a FATPIPE resource gives: to each flow its capacity. */
double fatpipe_room(const struct engine *e, const struct activity *a, const struct resource *r)
{
	return a->class ? r->capacity * class_size(e, a) : r->capacity;
}

double flow_ceiling(const struct engine *e, const struct activity *a)
{
	const struct use *u = engine_uses(e, a);
	double ceiling = a->bound;

	for (uint32_t k = 0; k < a->n_uses; k++) {
		const struct resource *r = &e->resources[u[k].resource];
		if (r->kind != RESOURCE_FATPIPE)
			continue;
		double most = fatpipe_room(e, a, r) / use_coef(e, a, k);
		if (most < ceiling)
			ceiling = most;
	}
	return ceiling;
}

/* Makes an arriving flow a member of its resources, at rate 0. */
int flow_enter(struct engine *e, uint32_t id, struct err *err)
{
	struct activity *a = &e->activities[id];

	for (uint32_t k = 0; k < a->n_uses; k++) {
		struct resource *r = &e->resources[use_at(e, a->uses + k)->resource];
		if (demand_join(e, r, id, a->uses + k, e->parts[k], err))
			return -1;
	}
	a->state = ACTIVITY_ACTIVE;
	a->limiter = NO_LIMITER;
	a->rate = 0;
	a->since = e->now;
	return 0;
}

int flow_take(struct engine *e, uint32_t id, double rate, uint16_t limiter, struct err *err)
{
	struct activity *a = &e->activities[id];
	double level = rate / a->weight;

	a->state = ACTIVITY_ACTIVE;
	a->since = e->now;
	for (uint32_t k = 0; k < a->n_uses; k++) {
		const struct use *u = use_at(e, a->uses + k);
		struct resource *r = &e->resources[u->resource];
		if (r->contended) {
			struct book *b = resource_book(e, r);
			sum2_add(&b->load, use_coef(e, a, k) * rate);
			if (k != limiter && b->others_level < level)
				b->others_level = level;
		}
		if (demand_join(e, r, id, a->uses + k, e->parts[k], err))
			return -1;
	}
	if (limiter != NO_LIMITER) {
		resource_book(e, &e->resources[use_at(e, a->uses + limiter)->resource])
		    ->level = level;
		flow_limit(e, id, limiter);
	}
	flow_set_rate(e, id, rate);
	return 0;
}

void flow_change(struct engine *e, uint32_t id, double rate, uint16_t limiter)
{
	struct activity *a = &e->activities[id];
	const struct use *u = engine_uses(e, a);
	double level = rate / a->weight;

	for (uint32_t k = 0; k < a->n_uses; k++) {
		if (!u[k].contended)
			continue;
		struct book *b = resource_book(e, &e->resources[u[k].resource]);
		double coef = use_coef(e, a, k);
		sum2_add(&b->load, -coef * a->rate);
		sum2_add(&b->load, coef * rate);
		if (k != limiter && b->others_level < level)
			b->others_level = level;
	}
	flow_limit(e, id, limiter);
	if (limiter != NO_LIMITER)
		resource_book(e, &e->resources[u[limiter].resource])->level = level;
	if (rate != a->rate)
		flow_set_rate(e, id, rate);
}
