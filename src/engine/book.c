/* book.c: who uses what, and what of it: members, demand, loads, promises, limiters, rates.
 *
 * Most resources are never in anyone's way: what their members' bounds could take, their demand, is
 * within their capacity. Of these only the demand and the members are kept. The others are
 * contended, and have a load. */
#include "members.h"

#include <math.h>
#include <string.h>

static inline __attribute__((always_inline)) int resource_join_at(struct engine *e,
                                                                  struct resource *r,
                                                                  struct member m, struct err *err)
{
	if (join_has_room(r))
		join_quick(e, r, m);
	else if (join_is_first(r))
		join_first(r, m);
	else
		return members_add(e, r, m, err);
	return 0;
}

int resource_join(struct engine *e, uint32_t id, uint32_t k, struct err *err)
{
	struct resource *r = &e->resources[engine_uses(e, &e->activities[id])[k].resource];

	if (resource_join_at(e, r, member_make(id, k), err))
		return -1;
	if (resource_contended(r))
		member_came(e, r);
	return 0;
}

static inline void members_clear(struct engine *e, struct resource *r)
{
	if (r->full) {
		resource_book(e, r)->n_limited = 0;
		resource_set_full(e, r, 0);
	}
	members_empty(e, r);
}

/* The member at `from` goes to `to`, where nobody is any more. */
static inline void member_move(struct engine *e, const struct resource *r, struct member *m,
                               uint32_t from, uint32_t to)
{
	if (resource_crowded(r))
		crowd_move(e, r, from, to);
	m[to] = m[from];
}

/* One of several, that the resource limits or not. The last limited member takes its place, the
 * last that is not carried that one's, and the last of all that one's. */
static inline __attribute__((always_inline)) void members_drop(struct engine *e, struct resource *r,
                                                               struct member of, int limited)
{
	struct member *m = resource_members(e, r);
	uint32_t pos = member_place(e, r, m, limited ? 0 : resource_limits(e, r), of);

	if (resource_crowded(r))
		crowd_drop(e, r, pos);
	if (limited) {
		uint32_t last = --resource_book(e, r)->n_limited;
		resource_set_full(e, r, last > 0);
		if (pos != last)
			member_move(e, r, m, last, pos);
		pos = last;
	}
	if (__builtin_expect(resource_book(e, r)->n_carried > 0, 0)) {
		uint32_t last = resource_uncarried(e, r) - 1;
		if (pos != last)
			member_move(e, r, m, last, pos);
		pos = last;
	}
	if (pos != --r->n)
		member_move(e, r, m, r->n, pos);
}

void resource_part(struct engine *e, struct resource *r, struct member of, int limited)
{
	if (r->n == 1)
		members_clear(e, r);
	else
		members_drop(e, r, of, limited);
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
		e->books[e->n_books++] = (struct book){.n_limited = 0};
	}
	struct err why;
	int carried = e->n_carried > 0;
	if (carried && carriers_spare(e, r, &why))
		engine_break(e, &why);
	const struct member *m = resource_members(e, r);
	struct book *b = resource_book(e, r);
	b->demand = r->demand;
	resource_set_place(r, NOWHERE);
	b->load = (struct sum2){0, 0};
	b->others_level = 0;
	for (uint32_t i = 0; i < r->n; i++) {
		const struct activity *a = &e->activities[m[i].activity];
		struct use *u = use_at(e, member_use(e, r, m[i]));
		u->contended = 1;
		if (a->state == ACTIVITY_CARRIED)
			continue;
		sum2_add(&b->load, coef_at(e, a, u) * a->rate);
		b->others_level = larger(b->others_level, activity_level(a));
	}
	if (carried && carriers_contend(e, r, &why))
		engine_break(e, &why);
}

/* Does it give what fits again? Many must fit with room to spare, or the next to come would make
 * all be counted again. */
static inline int resource_fits(const struct engine *e, const struct resource *r)
{
	enum { FEW = 8, SPARE = DEMAND_FULL / 4 };

	return !r->full & (resource_book(e, r)->demand <=
	                   (uint64_t)DEMAND_FULL - (r->n > FEW) * (uint64_t)SPARE);
}

/* They fit again: its load is not kept any more. */
static inline __attribute__((always_inline)) void resource_free(struct engine *e,
                                                                struct resource *r)
{
	const struct member *m = resource_members(e, r);

	r->demand = (uint32_t)resource_book(e, r)->demand;
	for (uint32_t i = 0; i < r->n; i++)
		use_at(e, member_use(e, r, m[i]))->contended = 0;
	if (__builtin_expect(resource_book(e, r)->n_carried > 0, 0))
		carriers_uncontend(e, r);
}

void resource_relax(struct engine *e, struct resource *r)
{
	if (resource_fits(e, r))
		resource_free(e, r);
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
	for (unsigned quarter = 1; quarter < 4; quarter++)
		trim += ratio * e->promises[quarter] >= 1;
	return (uint8_t)(trim < TRIM_MOST ? trim : TRIM_MOST);
}

/* What a resource that is contended, or one that is not, is asked for by use k of a flow whose
 * promise was another before. */
static inline void contended_follow(struct engine *e, const struct activity *a, uint32_t k,
                                    double before, double promise)
{
	const struct use *u = engine_uses(e, a) + k;
	struct resource *r = &e->resources[u->resource];
	double unit = part_unit(r, coef_at(e, a, u));
	uint32_t part = part_of(unit, promise), old = part_of(unit, before);

	resource_book(e, r)->demand += (uint64_t)part - old;
	if ((part < old) & resource_fits(e, r))
		resource_free(e, r);
}

/* 1 if it is contended now. */
static inline int free_follow(struct engine *e, const struct activity *a, uint32_t k, double before,
                              double promise)
{
	const struct use *u = engine_uses(e, a) + k;
	struct resource *r = &e->resources[u->resource];
	double unit = part_unit(r, coef_at(e, a, u));

	if (r->kind == RESOURCE_FATPIPE)
		return 0;
	r->demand += part_of(unit, promise) - part_of(unit, before);
	if (r->demand <= DEMAND_FULL)
		return 0;
	resource_contend(e, r);
	return 1;
}

/* The promise of a member was another: the demand of its resources follows. 1 if one of them is
 * contended now that was not. */
static int demand_follow(struct engine *e, const struct activity *a, double before)
{
	double promise = flow_promise(e, a);
	int contended = 0;

	if (promise == before)
		return 0;
	for (uint32_t k = 0; k < a->n_uses; k++) {
		if (engine_uses(e, a)[k].contended)
			contended_follow(e, a, k, before, promise);
		else
			contended |= free_follow(e, a, k, before, promise);
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

uint32_t member_part(const struct engine *e, const struct resource *r, struct member m)
{
	const struct activity *a = &e->activities[m.activity];
	uint32_t use = member_use(e, r, m);

	return a->carrier && use != a->uses
	           ? 0 /* its flows ask for themselves */
	           : use_part(r, flow_promise(e, a), coef_at(e, a, use_at(e, use)));
}

void resource_recount(struct engine *e, struct resource *r)
{
	const struct member *m = resource_members(e, r);
	uint64_t demand = 0;

	if (r->kind == RESOURCE_FATPIPE)
		return;
	for (uint32_t i = 0; i < r->n; i++)
		demand += member_part(e, r, m[i]);
	if (demand > DEMAND_FULL && !resource_contended(r))
		resource_contend(e, r);
	if (resource_contended(r))
		resource_book(e, r)->demand = demand;
	else
		r->demand = (uint32_t)demand;
}

/* One of a resource that limits nobody. */
static inline void member_drop(struct engine *e, struct resource *r, struct member of)
{
	struct member *m = resource_members(e, r);
	uint32_t pos = member_place(e, r, m, 0, of);

	if (resource_crowded(r))
		crowd_drop(e, r, pos);
	if (pos != --r->n)
		member_move(e, r, m, r->n, pos);
}

/* By a use of a resource that is not contended: its member is this one. */
static inline void leave_quick(struct engine *e, const struct activity *a, struct resource *r,
                               const struct use *u, struct member of, double promise)
{
	if (!resource_is_free(r)) {
		resource_part(e, r, of, 0);
	} else if (r->n == 1) {
		r->demand = 0; /* without reckoning its part */
		members_empty(e, r);
	} else {
		r->demand -= use_part(r, promise, coef_at(e, a, u));
		member_drop(e, r, of);
	}
}

void flow_leave_others(struct engine *e, uint32_t id, uint16_t but)
{
	const struct activity *a = &e->activities[id];
	const struct use *u = engine_uses(e, a);
	double promise = flow_promise(e, a);

	for (uint32_t k = 0; k < a->n_uses; k++)
		if (k != but && !u[k].contended)
			leave_quick(e, a, &e->resources[u[k].resource], u + k, member_make(id, k),
			            promise);
}

/* By one of a contended resource. */
static inline void leave_contended(struct engine *e, uint32_t id, uint32_t k, double promise)
{
	const struct activity *a = &e->activities[id];
	const struct use *u = engine_uses(e, a) + k;
	struct resource *r = &e->resources[u->resource];
	struct book *b = resource_book(e, r);

	if (r->n == 1) {
		b->demand = 0;
		members_clear(e, r);
	} else {
		double coef = coef_at(e, a, u);
		b->demand -= use_part(r, promise, coef);
		sum2_add(&b->load, -coef * a->rate);
		members_drop(e, r, member_make(id, k), k == a->limiter);
	}
	if (r->full)
		resource_mark(e, u->resource, DIRTY_LIMITED);
	else if (resource_fits(e, r))
		resource_free(e, r);
}

void flow_leave(struct engine *e, uint32_t id)
{
	const struct activity *a = &e->activities[id];
	const struct use *u = engine_uses(e, a);
	double promise = flow_promise(e, a);

	for (uint32_t k = 0; k < a->n_uses; k++) {
		if (u[k].contended)
			leave_contended(e, id, k, promise);
		else
			leave_quick(e, a, &e->resources[u[k].resource], u + k, member_make(id, k),
			            promise);
	}
}

/* A member changes places with that at pos, before which it is not. The one that has come last has
 * the last place: it is looked for from there. */
static inline void member_limit(struct engine *e, struct resource *r, struct member of,
                                uint32_t pos)
{
	struct member *m = resource_members(e, r);
	uint32_t at = resource_uncarried(e, r) - 1, bits = member_bits(of);

	if (member_bits(m[pos]) == bits)
		return;
	if (resource_crowded(r)) {
		at = crowd_place(e, r, pos, of);
		crowd_swap(e, r, at, pos);
	}
	while (member_bits(m[at]) != bits)
		at--;
	m[at] = m[pos];
	m[pos] = of;
}

/* And after which it is not. */
static inline void member_unlimit(struct engine *e, struct resource *r, struct member of,
                                  uint32_t pos)
{
	struct member *m = resource_members(e, r);
	uint32_t at = member_place(e, r, m, 0, of);

	if (at == pos)
		return;
	if (resource_crowded(r))
		crowd_swap(e, r, at, pos);
	m[at] = m[pos];
	m[pos] = of;
}

void flow_limit(struct engine *e, uint32_t id, uint16_t limiter)
{
	struct activity *a = &e->activities[id];
	struct use *u = engine_uses(e, a);

	if (a->limiter == limiter)
		return;
	if (a->limiter != NO_LIMITER) {
		struct resource *r = &e->resources[u[a->limiter].resource];
		uint32_t limited = --resource_book(e, r)->n_limited;
		resource_set_full(e, r, limited > 0);
		member_unlimit(e, r, member_make(id, a->limiter), limited);
	}
	if (limiter != NO_LIMITER) {
		struct resource *r = &e->resources[u[limiter].resource];
		resource_set_full(e, r, 1);
		member_limit(e, r, member_make(id, limiter), resource_book(e, r)->n_limited++);
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
		struct use *u = use_at(e, a->uses + k);
		struct resource *r = &e->resources[u->resource];
		uint32_t carried = 0;
		if (resource_contended(r)) {
			u->contended = 1;
			resource_book(e, r)->demand += e->parts[k];
			carried = resource_book(e, r)->n_carried;
		} else {
			u->contended = 0;
			r->demand += e->parts[k];
		}
		if (resource_join_at(e, r, member_make(id, k), err))
			return -1;
		if (__builtin_expect(carried > 0, 0))
			member_came(e, r);
	}
	a->state = ACTIVITY_ACTIVE;
	a->limiter = NO_LIMITER;
	a->rate = 0;
	a->since = e->now;
	return 0;
}

int flow_place(struct engine *e, uint32_t id, double rate, uint16_t limiter, struct err *err)
{
	struct activity *a = &e->activities[id];
	double level = rate / a->weight;

	a->state = ACTIVITY_ACTIVE;
	for (uint32_t k = 0; k < a->n_uses; k++) {
		struct use *u = use_at(e, a->uses + k);
		struct resource *r = &e->resources[u->resource];
		uint32_t carried = 0;
		if (resource_contended(r)) {
			struct book *b = resource_book(e, r);
			carried = b->n_carried;
			u->contended = 1;
			b->demand += e->parts[k];
			sum2_add(&b->load, coef_at(e, a, u) * rate);
			if (k != limiter && b->others_level < level)
				b->others_level = level;
		} else {
			u->contended = 0;
			r->demand += e->parts[k];
		}
		if (resource_join_at(e, r, member_make(id, k), err))
			return -1;
		if (__builtin_expect(carried > 0, 0))
			member_came(e, r);
	}
	if (limiter != NO_LIMITER) {
		resource_book(e, &e->resources[use_at(e, a->uses + limiter)->resource])
		    ->level = level;
		flow_limit(e, id, limiter);
	}
	return 0;
}

int flow_take(struct engine *e, uint32_t id, double rate, uint16_t limiter, struct err *err)
{
	e->activities[id].since = e->now;
	if (flow_place(e, id, rate, limiter, err))
		return -1;
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
		double coef = coef_at(e, a, u + k);
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
