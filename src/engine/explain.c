/* explain.c: answers about one flow, and the check of every invariant of the sharing. Not on the
 * hot path. */
#include "members.h"

#include <math.h>

static const struct activity *flow_get(struct engine *e, struct activity_id id)
{
	engine_settle(e);
	BUG_ON(id.v >= e->n_activities || e->activities[id.v].state == ACTIVITY_FREE ||
	       e->activities[id.v].state == ACTIVITY_TIMER);
	return &e->activities[id.v];
}

/* Who is where is not known of a batch. */
static void batch_asked(struct engine *e)
{
	struct err why;

	engine_settle(e);
	if (!e->broken && batch_open(e, &why))
		engine_break(e, &why);
}

double flow_rate(struct engine *e, struct activity_id id)
{
	const struct activity *a = flow_get(e, id);
	if (a->state == ACTIVITY_MEMBER)
		return class_rate(e, a);
	if (a->state == ACTIVITY_CARRIED)
		return carried_rate(e, a);
	return a->state == ACTIVITY_ACTIVE || a->state == ACTIVITY_BATCH ? a->rate : 0;
}

static double alone_remaining(const struct engine *e, const struct activity *a)
{
	if (a->state == ACTIVITY_CARRIED)
		return carried_remaining(e, a);
	if (a->state != ACTIVITY_ACTIVE && a->state != ACTIVITY_BATCH)
		return a->remaining;
	return fmax(0, a->remaining - a->rate * (e->now - a->since));
}

double flow_remaining(struct engine *e, struct activity_id id)
{
	const struct activity *a = flow_get(e, id);

	return a->state == ACTIVITY_MEMBER ? class_remaining(e, id.v) : alone_remaining(e, a);
}

/* compat, where no limiter is kept: the use of the SHARED resource with the greatest part of its
 * capacity in use. */
static uint32_t fullest_use(struct engine *e, const struct activity *a)
{
	const struct use *u = engine_uses(e, a);
	double most = 0;
	uint32_t fullest = NO_LIMITER;

	for (uint32_t k = 0; k < a->n_uses; k++) {
		struct resource *r = &e->resources[u[k].resource];
		const struct member *m = resource_members(e, r);
		double load = 0;

		for (uint32_t i = 0; i < r->n && r->kind == RESOURCE_SHARED; i++)
			load += member_coef(e, r, m[i]) * e->activities[m[i].activity].rate;
		if (load / r->capacity > most) {
			most = load / r->capacity;
			fullest = k;
		}
	}
	return fullest;
}

enum flow_limit flow_limited_by(struct engine *e, struct activity_id id,
                                struct resource_id *bottleneck)
{
	const struct activity *a = flow_get(e, id);
	if (a->state == ACTIVITY_MEMBER)
		a = class_flow(e, a);
	const struct use *u = engine_uses(e, a);
	uint32_t limiter = a->limiter;
	double n = a->class ? class_size(e, a) : 1;

	if (a->state == ACTIVITY_BATCH)
		limiter = batch_limiter(e, a);
	else if (a->state != ACTIVITY_ACTIVE && a->state != ACTIVITY_CARRIED)
		return FLOW_LATENCY;
	if (e->selective && a->rate < a->bound)
		limiter = fullest_use(e, a);
	for (uint32_t k = 0; limiter == NO_LIMITER && k < a->n_uses; k++) {
		const struct resource *r = &e->resources[u[k].resource];
		if (r->kind == RESOURCE_FATPIPE && a->rate < a->bound &&
		    a->rate >= n * r->capacity / use_coef(e, a, k) * (1 - SAME_LEVEL))
			limiter = k;
	}
	if (limiter == NO_LIMITER)
		return FLOW_AT_BOUND;
	bottleneck->v = u[limiter].resource;
	return FLOW_AT_RESOURCE;
}

int flow_alone(const struct engine *e, struct activity_id id, double *latency, double *seconds)
{
	const struct activity *a = id.v < e->n_activities ? &e->activities[id.v] : NULL;
	uint32_t place;

	if (!a || a->class ||
	    (a->state != ACTIVITY_LATENCY && a->state != ACTIVITY_ARRIVING &&
	     a->state != ACTIVITY_ACTIVE && a->state != ACTIVITY_BATCH))
		return -1;
	double rate = a->bound;
	for (uint32_t k = 0; k < a->n_uses; k++) {
		const struct resource *r = &e->resources[engine_uses(e, a)[k].resource];
		rate = fmin(rate, r->capacity / use_coef(e, a, k));
	}
	place = e->queue.pos[id.v];
	*latency = 0;
	if (a->state == ACTIVITY_LATENCY)
		*latency = fmax(
		    0,
		    (place != QUEUE_OUT ? event_date(e->queue.events[place]) : a->rate) - e->now);
	*seconds = a->remaining > 0 ? a->remaining / rate : 0;
	return 0;
}

int flow_user(const struct engine *e, struct activity_id id, uint64_t *user)
{
	const struct activity *a = id.v < e->n_activities ? &e->activities[id.v] : NULL;

	if (!a || !activity_is_flow(a))
		return 0;
	*user = a->user;
	return 1;
}

/* Flows that this one stands for. */
static uint32_t flows_of(const struct engine *e, const struct activity *a)
{
	return !a->class ? 1 : a->carrier ? carrier_size(e, a) : class_members(e, a);
}

static double rate_of(const struct engine *e, const struct activity *a)
{
	return a->state == ACTIVITY_CARRIED ? carried_rate(e, a) : a->rate;
}

static struct resource_user user_of(const struct engine *e, const struct activity *a, float coef,
                                    uint32_t i)
{
	if (a->carrier) {
		a = carrier_nth(e, a, i);
		coef = (float)use_coef(e, a, a->limiter);
	} else if (a->class) {
		return (struct resource_user){.user = class_user(e, a, i),
		                              .rate = a->rate / class_members(e, a),
		                              .remaining = class_left(e, a, i),
		                              .coef = coef};
	}
	return (struct resource_user){.user = a->user,
	                              .rate = rate_of(e, a),
	                              .remaining = alone_remaining(e, a),
	                              .coef = coef};
}

uint32_t resource_users(struct engine *e, struct resource_id id, struct resource_user *out,
                        uint32_t max)
{
	struct resource *r = &e->resources[id.v];
	const struct member *m;

	if (resource_may_be_batched(r))
		batch_asked(e);
	engine_settle(e);
	m = resource_members(e, r);
	uint32_t n = 0;
	for (uint32_t i = 0; i < r->n; i++) {
		const struct activity *a = &e->activities[m[i].activity];
		float coef = (float)member_coef(e, r, m[i]);
		int stands_in = a->carrier && engine_uses(e, a)->resource != id.v;
		uint32_t size = stands_in ? 0 : flows_of(e, a);
		for (uint32_t j = 0; j < size && n + j < max; j++)
			out[n + j] = user_of(e, a, coef, j);
		n += size;
	}
	return n;
}

/* Which of a flow's uses is of this resource; NO_LIMITER: none. */
static uint32_t use_of(const struct engine *e, const struct activity *a, uint32_t resource)
{
	for (uint32_t k = 0; k < a->n_uses; k++)
		if (engine_uses(e, a)[k].resource == resource)
			return k;
	return NO_LIMITER;
}

static int check_members(struct engine *e, uint32_t id, struct err *err)
{
	struct resource *r = &e->resources[id];
	const struct book *b = resource_book(e, r);
	const struct member *m = resource_members(e, r);
	int contended = resource_contended(r);
	struct sum2 load = {0, 0};
	uint64_t demand = 0;

	for (uint32_t i = 0; i < r->n; i++) {
		const struct activity *a = &e->activities[m[i].activity];
		int carried = a->state == ACTIVITY_CARRIED,
		    here = carried ? !contended || i >= resource_uncarried(e, r)
		                   : a->state == ACTIVITY_ACTIVE && i < resource_uncarried(e, r);
		uint32_t k = here ? use_of(e, a, id) : NO_LIMITER;
		const struct use *u = engine_uses(e, a) + k;
		if (k == NO_LIMITER || m[i].k != k % MEMBER_USES ||
		    member_place(e, r, m, 0, m[i]) != i || (int)u->contended != contended)
			return err_set(err, ERR_PROGRAM,
			               "resource %u: member %u does not point back", id, i);
		if ((a->limiter == k) != (i < b->n_limited))
			return err_set(err, ERR_PROGRAM,
			               "resource %u: member %u is on the wrong side", id, i);
		if (i >= b->n_limited && contended && !carried &&
		    activity_level(a) > b->others_level)
			return err_set(err, ERR_PROGRAM,
			               "resource %u: member %u is above others_level", id, i);
		if (!carried || !contended)
			sum2_add(&load, member_coef(e, r, m[i]) * rate_of(e, a));
		demand += member_part(e, r, m[i]);
	}
	if (r->kind == RESOURCE_SHARED &&
	    (demand != resource_demand(e, r) || (demand > DEMAND_FULL && !contended)))
		return err_set(err, ERR_PROGRAM,
		               "resource %u: demand %llu, %llu on record, contended %d", id,
		               (unsigned long long)demand,
		               (unsigned long long)resource_demand(e, r), contended);
	if (r->full != (b->n_limited > 0))
		return err_set(err, ERR_PROGRAM, "resource %u limits %u, full %d", id, b->n_limited,
		               r->full);
	if (!contended && (b->n_limited > 0 || (r->kind == RESOURCE_SHARED &&
	                                        sum2_value(&load) > r->capacity * (1 + 1e-12))))
		return err_set(
		    err, ERR_PROGRAM,
		    "resource %u: load %.17g of %.17g, it limits %u, and is not contended", id,
		    sum2_value(&load), r->capacity, b->n_limited);
	if (contended && r->n > 0 &&
	    fabs(sum2_value(&load) - sum2_value(&b->load)) > 1e-14 * r->capacity)
		return err_set(err, ERR_PROGRAM, "resource %u: load %.17g, %.17g on record", id,
		               sum2_value(&load), sum2_value(&b->load));
	return 0;
}

/* Is the i-th member above the level of what it passes, or not at the level of what limits it?
 * Ripples end where loads are nearly right, so that a flow that counts for little may be at any
 * level: then it is so if that makes more of a difference than this share of the capacity. */
static int is_off_level(struct engine *e, struct resource *r, uint32_t i, double share)
{
	const struct book *b = resource_book(e, r);
	struct member m = resource_members(e, r)[i];
	const struct activity *a = &e->activities[m.activity];
	double level = activity_level(a),
	       off = level > b->level || i < b->n_limited ? fabs(level - b->level) : 0;

	if (e->stats.rippled == 0)
		return off > share * b->level;
	return member_coef(e, r, m) * rate_of(e, a) * off > level * share * r->capacity;
}

static int check_capacity(struct engine *e, uint32_t id, struct err *err)
{
	struct resource *r = &e->resources[id];
	const struct book *b = resource_book(e, r);
	const struct member *m = resource_members(e, r);
	double load = sum2_value(&b->load);
	double tolerance = e->stats.rippled > 0 ? 4 * e->ripples.share : 1e-12;

	if (!resource_contended(r) || r->n == 0)
		return 0;
	if (load > r->capacity * (1 + tolerance))
		return err_set(err, ERR_PROGRAM, "resource %u: load %.17g over capacity %.17g", id,
		               load, r->capacity);
	if (b->n_limited > 0 && load < r->capacity * (1 - tolerance))
		return err_set(err, ERR_PROGRAM,
		               "resource %u limits %u flows with load %.17g of %.17g", id,
		               b->n_limited, load, r->capacity);
	for (uint32_t i = 0; b->n_limited > 0 && i < resource_uncarried(e, r); i++)
		if (is_off_level(e, r, i, tolerance))
			return err_set(err, ERR_PROGRAM,
			               "resource %u: member %u at level %.17g, not %.17g", id, i,
			               activity_level(&e->activities[m[i].activity]), b->level);
	return 0;
}

static int check_flow(const struct engine *e, uint32_t id, struct err *err)
{
	const struct activity *a = &e->activities[id];
	double ceiling;

	if (a->state == ACTIVITY_CARRIED && carried_rate(e, a) > flow_promise(e, a) * (1 + 1e-12))
		return err_set(err, ERR_PROGRAM,
		               "flow %u: it is carried at %.17g, and promised %.17g", id,
		               carried_rate(e, a), flow_promise(e, a));
	if (a->state != ACTIVITY_ACTIVE)
		return 0;
	ceiling = flow_ceiling(e, a);
	if (a->rate > ceiling * (1 + 1e-12) ||
	    (a->limiter == NO_LIMITER && a->rate < ceiling * (1 - 1e-12)))
		return err_set(err, ERR_PROGRAM, "flow %u: rate %.17g, ceiling %.17g, limiter %u",
		               id, a->rate, ceiling, a->limiter);
	if (a->rate > 0 && e->queue.pos[id] == QUEUE_OUT)
		return err_set(err, ERR_PROGRAM, "flow %u: it runs but has no end", id);
	return 0;
}

static int check_latency(const struct engine *e, struct err *err)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < e->n_activities; i++)
		n += e->activities[i].state == ACTIVITY_LATENCY && e->activities[i].remaining > 0;
	return n == e->n_latency
	           ? 0
	           : err_set(err, ERR_PROGRAM, "%u flows are in their latency, %u on record", n,
	                     e->n_latency);
}

int engine_check(struct engine *e, struct err *err)
{
	if (engine_settle(e))
		return err_set(err, e->broken_err.kind, "%s", e->broken_err.text);
	if (e->selective)
		return 0; /* SimGrid's sharing breaks them */
	for (uint32_t r = 0; r < e->n_resources; r++)
		if (e->resources[r].demand == DEMAND_BATCH)
			continue;
		else if (check_members(e, r, err) || check_capacity(e, r, err))
			return -1;
	for (uint32_t a = 0; a < e->n_activities; a++)
		if (check_flow(e, a, err))
			return -1;
	return check_latency(e, err) || batch_check(e, err) || carriers_check(e, err) ? -1 : 0;
}
