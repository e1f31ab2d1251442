/* share.c: what starts and ends, from the cheap cases of sharing to the solve of a date.
 *
 * A flow that starts is settled here, at the cost of its route, when all its resources have the
 * room for its highest rate, or when the tightest of them limits no one yet and none of its members
 * is faster than what is left: nobody else changes. A flow that ends gives back its load; if none
 * of its resources limits anyone, nobody changes either. A start that takes from a single other
 * flow is for squeeze.c, all else for repair.c. */
#include "engine_int.h"

#include <math.h>

/* The highest rate of a flow that takes nothing from others, and which resource limits it. member:
 * is it a member of its resources? If not, those that it makes contended are, from now on. */
static double flow_room(struct engine *e, const struct activity *a, uint32_t member,
                        uint16_t *limiter)
{
	double rate = a->bound;

	*limiter = NO_LIMITER;
	for (uint32_t k = 0; k < a->n_uses; k++) {
		const struct use *u = engine_uses(e, a) + k; /* who is contended may move them */
		struct resource *r = &e->resources[u->resource];
		double room = r->capacity, coef;
		if (!use_meets(r, member ? 0 : e->parts[k]))
			continue;
		if (r->kind == RESOURCE_SHARED) {
			if (!resource_contended(r))
				resource_contend(e, r);
			coef = use_coef(e, a, k);
			if (r->n > member)
				room = room - sum2_value(&resource_book(e, r)->load) +
				       coef * a->rate;
		} else {
			coef = coef_at(e, a, u);
			room = fatpipe_room(e, a, r);
		}
		if (coef * rate > room * (1 + SAME_RATE)) {
			rate = room / coef;
			*limiter = r->kind == RESOURCE_SHARED ? (uint16_t)k : NO_LIMITER;
		}
	}
	return rate;
}

/* Reckons the parts of a flow that is to start by its promise. Resources that it makes contended
 * are, from now on. */
static void flow_demand(struct engine *e, const struct activity *a)
{
	double promise = flow_promise(e, a);

	for (uint32_t k = 0; k < a->n_uses; k++) {
		const struct use *u = engine_uses(e, a) + k; /* who is contended may move them */
		struct resource *r = &e->resources[u->resource];
		e->parts[k] = 0;
		if (r->kind == RESOURCE_FATPIPE)
			continue;
		uint32_t part = e->parts[k] = use_part(r, promise, coef_at(e, a, u));
		if (use_contends(r, part))
			resource_contend(e, r);
	}
}

/* What a flow that is to start finds on its way, if it promises no less than its bound. */
struct outlook {
	int full; /* would it take from those that a full resource limits? That only changes if some
	             of these end at this date */
	uint32_t others; /* how many of its resources are not just there for it */
	double guess;    /* full: the rate that these have, which will mostly be the most that it
	                    gets */
};

/* Reckons its parts, in one pass over the way, which is all that most flows need. */
static void flow_look(struct engine *e, struct activity *a, struct outlook *out)
{
	const struct use *u = engine_uses(e, a);
	double bound = a->bound;

	*out = (struct outlook){0, 0, bound};
	a->trim = 0;
	for (uint32_t k = 0; k < a->n_uses; k++) {
		const struct resource *r = &e->resources[u[k].resource];
		uint32_t part = e->parts[k] = use_part(r, bound, coef_at(e, a, u + k));
		out->others += (uint32_t)use_meets(r, part);
		if (r->kind == RESOURCE_FATPIPE) {
			a->fatpipe = 1;
			e->parts[k] = 0;
			continue;
		}
		if (!r->full | (r->dirt != CLEAN))
			continue;
		out->full = 1;
		double rate = resource_book(e, r)->level * a->weight;
		if (rate < out->guess)
			out->guess = rate;
	}
}

/* A flow that meets nothing full is settled where nobody else need change: 1 if it was, 0 if not,
 * -1 on error. *at: where it finds least room. */
static int flow_try(struct engine *e, uint32_t id, const struct outlook *met, uint16_t *at,
                    struct err *err)
{
	struct activity *a = &e->activities[id];
	uint16_t limiter = NO_LIMITER;
	double rate = a->bound;

	if (met->others > 0)
		rate = flow_room(e, a, 0, &limiter);
	*at = limiter;
	if (limiter != NO_LIMITER) {
		const struct resource *r = &e->resources[engine_uses(e, a)[limiter].resource];
		if (!(rate > 0) || r->full ||
		    resource_book(e, r)->others_level > rate / a->weight * (1 + SAME_LEVEL))
			return 0;
	}
	return flow_take(e, id, rate, limiter, err) ? -1 : 1;
}

void flow_expect(struct engine *e, struct activity *a, double rate)
{
	a->trim = rate * PROMISE_LOOSE < a->bound && a->bound < INFINITY
	              ? flow_trim(e, a->bound, rate)
	              : 0;
	flow_demand(e, a);
}

/* The cheap cases of a start: 1 when the flow has its rate and at most one other changes, 0 when
 * share_solve must be asked, -1 on error. */
static int flow_settle(struct engine *e, uint32_t id, struct err *err)
{
	struct outlook met;
	uint16_t at;

	if (carriers_meet(e, &e->activities[id]))
		return 0;
	flow_look(e, &e->activities[id], &met);
	if (met.full)
		return 0;
	int settled = flow_try(e, id, &met, &at, err);
	return settled == 0 ? flow_squeeze(e, id, at, err) : settled;
}

int flow_wait(struct engine *e, uint32_t id, struct err *err)
{
	if (ids_add(&e->arriving, id, err))
		return -1;
	e->activities[id].state = ACTIVITY_ARRIVING;
	queue_remove(&e->queue, id);
	return 0;
}

/* It has its rate now, or waits for the solve. */
static int flow_come(struct engine *e, uint32_t id, struct err *err)
{
	int settled = flow_settle(e, id, err);

	return settled < 0 || (settled == 0 && flow_wait(e, id, err)) ? -1 : 0;
}

/* 1 when it is of a class now, which arrives if it is a new one; 0 when it is not; -1. */
static int flow_join(struct engine *e, uint32_t id, struct err *err)
{
	uint32_t made;
	int joined = e->activities[id].class ? 0 : class_join(e, id, &made, err);

	return joined > 0 && made != NO_ID && flow_come(e, made, err) ? -1 : joined;
}

/* Several flows that are one take part as one of all their weights. */
static void flow_multiply(struct activity *a)
{
	double n = a->since + 1;

	a->weight *= n;
	a->bound *= n;
	a->remaining *= n;
	a->since = 0;
}

/* Is it on a single resource, which has room for its bound? A computation on a core of its own is
 * this case, of which nothing needs to be looked up. */
static int flow_is_apart(const struct engine *e, struct activity *a)
{
	const struct resource *r;

	if (a->n_uses != 1)
		return 0;
	r = &e->resources[engine_uses(e, a)->resource];
	if (!resource_is_free(r) || r->n >= CLASS_CROWD)
		return 0;
	e->parts[0] = use_part(r, a->bound, use_coef(e, a, 0));
	a->trim = 0;
	return !use_contends(r, e->parts[0]);
}

int flow_arrive(struct engine *e, uint32_t id)
{
	struct activity *a = &e->activities[id];
	struct err why;

	if (e->selective)
		return selective_enable(e, id, &why) ? engine_break(e, &why) : 0;
	if (a->since > 0)
		flow_multiply(a);
	if (flow_is_apart(e, a))
		return flow_take(e, id, a->bound, NO_LIMITER, &why) ? engine_break(e, &why) : 0;
	if (__builtin_expect(e->batch.n > 0, 0))
		batch_meets(e, a);
	if (batch_waits(e)) {
		carriers_meet(e, a);
		return flow_wait(e, id, &why) ? engine_break(e, &why) : 0;
	}
	int joined = flow_join(e, id, &why);

	return joined < 0 || (!joined && flow_come(e, id, &why)) ? engine_break(e, &why) : 0;
}

/* The cheap case of a departure: the resource limited a single flow, which rises into what is left
 * until another resource, that limits no one yet, or its ceiling stops it. 1 when that is all, 0
 * when it is not so simple. */
static int resource_settle(struct engine *e, struct resource *r)
{
	uint32_t id = resource_members(e, r)->activity;
	const struct activity *a = &e->activities[id];
	uint16_t limiter;

	double rate = flow_room(e, a, 1, &limiter);
	if (a->carrier && limiter != 0)
		return 0; /* some of those that it carries */
	if (rate < a->rate * (1 - SAME_RATE))
		return 0;
	if (rate <= a->rate * (1 + SAME_RATE))
		rate = a->rate;
	if (limiter != NO_LIMITER) {
		const struct resource *l = &e->resources[engine_uses(e, a)[limiter].resource];
		const struct book *b = resource_book(e, l);
		if (b->n_limited > (l == r) ||
		    b->others_level > rate / a->weight * (1 + SAME_LEVEL))
			return 0;
	}
	if (a->trim > 0 && rate > flow_promise(e, a) && flow_promise_for(e, id, rate))
		return 0; /* one of the others may limit it now */
	flow_change(e, id, rate, limiter);
	return 1;
}

/* The first full resource of a flow. */
static uint16_t flow_full(const struct engine *e, const struct activity *a)
{
	const struct use *u = engine_uses(e, a);
	uint16_t k = 0;

	while (!e->resources[u[k].resource].full || e->resources[u[k].resource].dirt != CLEAN)
		k++;
	return k;
}

/* One that takes from others, or will from those that come with it: by a carrier, at its use `at`,
 * or from one other flow. As flow_settle. */
static int arrival_take(struct engine *e, uint32_t id, const struct outlook *met, uint16_t at,
                        struct err *err)
{
	struct activity *a = &e->activities[id];
	uint16_t full = met->full ? flow_full(e, a) : NO_LIMITER;

	flow_expect(e, a, met->guess); /* which may make the full one dirty */
	int taken = at != NO_LIMITER ? carrier_take(e, id, at, err) : 0;
	if (taken != 0 || full == NO_LIMITER)
		return taken;
	taken = flow_squeeze(e, id, full, err);
	return taken > 0 && flow_carry(e, id, err) ? -1 : taken;
}

static int arrival_settle(struct engine *e, uint32_t id, struct err *err)
{
	const struct activity *a = &e->activities[id];
	struct outlook met;
	uint16_t at;

	flow_look(e, &e->activities[id], &met);
	double share = carriers_share(e, a, &at);
	if (share <= met.guess)
		met.guess = share;
	else
		at = NO_LIMITER;
	if (met.full || met.guess * PROMISE_LOOSE < a->bound)
		return arrival_take(e, id, &met, at, err);
	int settled = flow_try(e, id, &met, &at, err);
	return settled == 0 ? flow_squeeze(e, id, at, err) : settled;
}

/* Lets in the flows that arrived, except those that find room now (others ended at the same date);
 * `arriving` keeps who entered. */
static int share_arrivals(struct engine *e, struct err *err)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < e->arriving.n; i++) {
		uint32_t id = e->arriving.ids[i];
		if (e->activities[id].state != ACTIVITY_ARRIVING)
			continue; /* cancelled meanwhile */
		int joined = flow_join(e, id, err);
		if (joined < 0)
			return -1;
		if (joined)
			continue; /* those before it have made the crowd */
		int settled = arrival_settle(e, id, err);
		if (settled < 0 || (settled == 0 && flow_enter(e, id, err)))
			return -1;
		if (!settled)
			e->arriving.ids[kept++] = id;
	}
	e->arriving.n = kept;
	return 0;
}

/* Settles the resources that lost a member where that is simple; `dirty` keeps the others. */
static void share_departures(struct engine *e)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < e->dirty.n; i++) {
		struct resource *r = &e->resources[e->dirty.ids[i]];
		uint32_t limited = resource_limits(e, r);
		if (r->dirt == DIRTY_LIMITED &&
		    (limited == 0 || (limited == 1 && resource_settle(e, r))))
			r->dirt = CLEAN;
		else
			e->dirty.ids[kept++] = e->dirty.ids[i];
	}
	e->dirty.n = kept;
}

static int share_open_dirty(struct engine *e, uint32_t r, struct err *err)
{
	uint8_t dirt = e->resources[r].dirt;

	e->resources[r].dirt = CLEAN;
	return dirt == DIRTY_ALL ? repair_add_all(e, r, err) : repair_touch(e, r, err);
}

/* A change by its number: first the flows that arrive, then the dirty resources. */
static int share_open(struct engine *e, uint32_t i, struct err *err)
{
	return i < e->arriving.n ? repair_add(e, e->arriving.ids[i], err)
	                         : share_open_dirty(e, e->dirty.ids[i - e->arriving.n], err);
}

static int share_together(struct engine *e, uint32_t n, struct err *err)
{
	uint32_t size;

	for (uint32_t i = 0; i < n; i++)
		if (share_open(e, i, err))
			return -1;
	return repair_run(e, &size, err);
}

static int share_open_group(struct engine *e, uint32_t i, struct err *err)
{
	for (; i != NO_ID; i = groups_next(e, i))
		if (share_open(e, i, err))
			return -1;
	return 0;
}

/* Group by group; from the first one on whose repair goes far beyond it, all the others at once. */
static int share_apart(struct engine *e, uint32_t n, struct err *err)
{
	uint32_t size = 0, own = 0;
	int together = 0, one = groups_make(e, err);

	if (one)
		return one < 0 ? -1 : share_together(e, n, err);
	for (uint32_t i = 0; i < n; i++) {
		if (!groups_leads(e, i))
			continue;
		if (share_open_group(e, i, err))
			return -1;
		if (together)
			continue;
		own = repair_size(e);
		if (repair_run(e, &size, err))
			return -1;
		together = size > 4 * own + 16;
	}
	return together ? repair_run(e, &size, err) : 0;
}

/* Levels that have risen may be above what some of the flows that are carried promised. */
static int share_carried(struct engine *e, struct err *err)
{
	uint32_t size;

	for (int again;;) {
		if (carriers_raise(e, &again, err))
			return -1;
		if (!again)
			break;
		if (repair_run(e, &size, err))
			return -1;
	}
	carriers_schedule(e);
	return e->broken ? -1 : 0;
}

int share_solve(struct engine *e, struct err *err)
{
	enum { FEW = 4 };

	e->stats.solves++;
	e->repair_uses = 0;
	if ((e->batch.left && batch_open(e, err)) || batch_take(e, err))
		return -1;
	classes_leave(e);
	if (share_arrivals(e, err))
		return -1;
	share_departures(e);
	int joined = classes_changed(e) || carriers_grown(e);
	classes_weigh(e);
	uint32_t n = e->arriving.n + e->dirty.n, changes = n;
	int together = n < FEW || joined;
	if (classes_open(e, err) || carriers_open(e, err))
		return -1;
	if ((n > 0 || repair_size(e) > 0) &&
	    (together ? share_together(e, n, err) : share_apart(e, n, err)))
		return -1;
	e->arriving.n = e->dirty.n = 0;
	if (carriers_changed(e) && share_carried(e, err))
		return -1;
	if (__builtin_expect((e->repair_uses >= RIPPLE_SMALL) | (e->ripple_end > 0), 0))
		ripples_learn(e, changes);
	return 0;
}
