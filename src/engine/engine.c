/* engine.c: the clock. Starts, ends and cancels activities; shares are share.c's.
 *
 * Events up to `until` (a few ulps after the date, so that what ends together on paper ends
 * together here; in compat SimGrid's surf/precision, 1e-9 s) happen at that date, before anything
 * is solved again. */
#include "members.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CARRY_FROM = 16, CARRY_AFTER = 4, BATCH_FROM = 16 };

static void promises_init(struct engine *e)
{
	static const double quarters[4] = {1, 0x1.ae89f995ad3adp-1, 0x1.6a09e667f3bcdp-1,
	                                   0x1.306fe0a31b715p-1};

	for (int i = 0; i <= TRIM_MOST; i++)
		e->promises[i] = ldexp(quarters[i % 4], -(i / 4));
}

struct engine *engine_new(struct err *err)
{
	struct engine *e = calloc(1, sizeof *e);
	struct repair *repair = repair_new(err);
	struct groups *groups = groups_new(err);
	struct classes *classes = classes_new(err);
	struct carriers *carriers = carriers_new(err);

	if (!e || !repair || !groups || !classes || !carriers) {
		free(e);
		repair_free(repair);
		groups_free(groups);
		classes_free(classes);
		carriers_free(carriers);
		err_nomem(err, "engine", sizeof *e);
		return NULL;
	}
	queue_init(&e->queue);
	pool_init(&e->uses, sizeof(struct use), "uses of resources by flows");
	pool_init(&e->members, sizeof(struct member), "flows on resources");
	e->free_activity = NO_ID;
	e->repair = repair;
	e->groups = groups;
	e->classes = classes;
	e->carriers = carriers;
	engine_set_carry(e, CARRY_FROM, CARRY_AFTER);
	engine_set_ripples(e, 0, 0);
	engine_set_batches(e, BATCH_FROM);
	e->batch.date = e->row.date = -1;
	e->row.last = NO_ID;
	e->change_at = INFINITY;
	e->coefs[COEF_ONE] = e->coefs_short[COEF_ONE] = 1;
	e->n_coefs = 1;
	promises_init(e);
	return e;
}

void engine_free(struct engine *e)
{
	if (!e)
		return;
	queue_release(&e->queue);
	free(e->activities);
	free(e->resources);
	free(e->books);
	free(e->touched);
	free(e->meters);
	free(e->parts);
	pool_release(&e->uses);
	pool_release(&e->members);
	crowds_free(e);
	free(e->arriving.ids);
	free(e->dirty.ids);
	profiles_free(e->profiles);
	repair_free(e->repair);
	groups_free(e->groups);
	classes_free(e->classes);
	carriers_free(e->carriers);
	batch_free(&e->batch);
	selective_free(e->selective);
	free(e);
}

/* compat: places of one more resource, and of those before. */
static int touched_reserve(struct engine *e, struct err *err)
{
	uint32_t *p = vec_grow(e->touched, &e->touched_cap, sizeof *p, (size_t)e->n_resources + 1,
	                       "resources", err);

	if (!p)
		return -1;
	e->touched = p;
	p[e->n_resources] = NO_ID;
	return 0;
}

int engine_set_compat(struct engine *e, struct err *err)
{
	BUG_ON(e->stats.activities > 0 || e->selective);
	if (touched_reserve(e, err))
		return -1;
	memset(e->touched, 0xff, e->n_resources * sizeof *e->touched);
	e->selective = selective_new(err);
	if (!e->selective)
		return -1;
	engine_compat_precision(e, 1e-9, 1e-5);
	return 0;
}

void engine_compat_precision(struct engine *e, double time, double share)
{
	BUG_ON(!e->selective);
	e->together = time;
	e->until = -INFINITY; /* what ranks begin at date 0 has dates of its own, too */
	selective_precision(e->selective, time, share);
}

void engine_compat_whole(struct engine *e)
{
	BUG_ON(!e->selective);
	selective_whole(e->selective);
}

void engine_compat_mark(struct engine *e, struct resource_id r)
{
	struct err why;

	BUG_ON(!e->selective || r.v >= e->n_resources);
	if (selective_mark(e, r.v, &why) < 0)
		engine_break(e, &why);
}

/* Room for the books of all resources and of one more, and for the first. */
static int books_reserve(struct engine *e, struct err *err)
{
	struct book *p = vec_grow(e->books, &e->books_cap, sizeof *p, (size_t)e->n_resources + 2,
	                          "resources", err);

	if (!p)
		return -1;
	e->books = p;
	if (e->n_books == 0)
		p[e->n_books++] = (struct book){.n_limited = 0};
	return 0;
}

int engine_add_resource(struct engine *e, double capacity, enum resource_kind kind,
                        struct resource_id *out, struct err *err)
{
	if (!(capacity > 0 && capacity < INFINITY))
		return err_set(err, ERR_INPUT,
		               "the capacity of a resource must be positive and finite, not %g",
		               capacity);
	if (e->n_resources >= MAX_RESOURCES - 1)
		return err_set(err, ERR_LIMIT, "more than %d links and hosts in use",
		               MAX_RESOURCES - 1);
	if (books_reserve(e, err))
		return -1;
	void *p = vec_grow(e->resources, &e->resources_cap, sizeof *e->resources,
	                   (size_t)e->n_resources + 1, "resources", err);
	if (!p)
		return -1;
	e->resources = p;
	p = vec_grow(e->dirty.ids, &e->dirty.cap, sizeof *e->dirty.ids, (size_t)e->n_resources + 1,
	             "resources", err);
	if (!p)
		return -1;
	e->dirty.ids = p;
	if (e->selective && touched_reserve(e, err))
		return -1;
	if (e->meters && meter_widen(e, err))
		return -1;
	e->resources[e->n_resources] = (struct resource){
	    .capacity = capacity,
	    .kind = kind,
	    .demand = kind == RESOURCE_FATPIPE ? DEMAND_NONE : 0};
	out->v = e->n_resources++;
	return 0;
}

/* If so, the batch is opened. */
static void batch_end(struct engine *e, int so)
{
	struct err why;

	if (so && batch_open(e, &why))
		engine_break(e, &why);
}

void engine_set_capacity(struct engine *e, struct resource_id r, double capacity)
{
	BUG_ON(r.v >= e->n_resources || !(capacity >= 0 && capacity < INFINITY));
	if (e->resources[r.v].capacity == capacity)
		return;
	batch_end(e, resource_may_be_batched(&e->resources[r.v]));
	e->resources[r.v].capacity = capacity;
	resource_recount(e, &e->resources[r.v]);
	resource_mark(e, r.v, DIRTY_ALL);
}

void engine_fetch(const struct engine *e, struct resource_id r)
{
	__builtin_prefetch(&e->resources[r.v], 1);
}

double engine_capacity(const struct engine *e, struct resource_id r)
{
	BUG_ON(r.v >= e->n_resources);
	return e->resources[r.v].capacity;
}

enum resource_kind engine_kind(const struct engine *e, struct resource_id r)
{
	BUG_ON(r.v >= e->n_resources);
	return (enum resource_kind)e->resources[r.v].kind;
}

double engine_now(const struct engine *e)
{
	return e->now;
}

/* Events have finite dates; time as such has no end. */
static int date_check(const struct engine *e, double delay, struct err *err)
{
	return e->now + delay < INFINITY
	           ? 0
	           : err_set(err, ERR_INPUT, "%g s after %g s is a date too large to be told",
	                     delay, e->now);
}

int engine_timer(struct engine *e, double delay, uint64_t user, struct activity_id *out,
                 struct err *err)
{
	uint32_t id;

	if (!(delay >= 0 && delay < INFINITY))
		return err_set(err, ERR_INPUT, "a delay must be finite and not negative, not %g s",
		               delay);
	if (date_check(e, delay, err) || activity_new(e, &id, err))
		return -1;
	e->activities[id].state = ACTIVITY_TIMER;
	e->activities[id].user = user;
	out->v = id;
	if (e->selective && selective_timer(e, id, e->now + delay, err)) {
		activity_release(e, id);
		return -1;
	}
	if (!e->selective)
		queue_set(&e->queue, id, e->now + delay);
	return 0;
}

static int flow_spec_check(const struct flow_spec *s, struct err *err)
{
	if (!(s->amount >= 0 && s->amount < INFINITY && s->latency >= 0 && s->latency < INFINITY))
		return err_set(
		    err, ERR_INPUT,
		    "a flow's amount (%g) and latency (%g s) must be finite and not negative",
		    s->amount, s->latency);
	if (!(s->weight > 0 && s->weight < INFINITY) || s->bound != s->bound)
		return err_set(err, ERR_INPUT,
		               "a flow's weight (%g) must be positive and its bound (%g) a number",
		               s->weight, s->bound);
	if (s->n_uses == 0 && s->amount > 0 && !(s->bound > 0 && s->bound < INFINITY))
		return err_set(err, ERR_INPUT, "a flow that uses no resource must have a bound");
	if (s->n_uses > MAX_USES)
		return err_set(err, ERR_LIMIT,
		               "a flow through %u resources: at most %d can be held", s->n_uses,
		               MAX_USES);
	return 0;
}

static int engine_is_broken(const struct engine *e, struct err *err)
{
	return e->broken ? err_set(err, e->broken_err.kind, "%s", e->broken_err.text) : 0;
}

/* Has anything changed since the last solve? */
static int engine_unsolved(const struct engine *e)
{
	return e->selective ? selective_pending(e)
	                    : e->arriving.n > 0 || e->dirty.n > 0 || classes_changed(e) ||
	                          carriers_changed(e) || e->batch.left;
}

int engine_settle(struct engine *e)
{
	struct err why;

	if (e->broken)
		return -1;
	if (!engine_unsolved(e))
		return 0;
	return (e->selective ? selective_solve(e, &why) : share_solve(e, &why))
	           ? engine_break(e, &why)
	           : 0;
}

/* Its latency ends at this date. */
static void latency_begin(struct engine *e, uint32_t id, double date)
{
	struct row *row = &e->row;
	struct activity *a = &e->activities[id];

	if (a->remaining > 0 && !e->selective) {
		uint32_t before = row->last;

		e->n_latency++;
		row->last = id;
		if (before != NO_ID && row->date == date) {
			e->activities[before].moving = id;
			a->rate = date;
			return;
		}
		row->date = date;
	}
	queue_set(&e->queue, id, date);
}

int engine_flow(struct engine *e, const struct flow_spec *s, struct activity_id *out,
                struct err *err)
{
	uint32_t id, block;
	int own;

	if (engine_is_broken(e, err) || flow_spec_check(s, err) || date_check(e, s->latency, err))
		return -1;
	own = flow_copy_uses(e, s->uses, s->n_uses, &block, err);
	if (own < 0 || activity_new(e, &id, err))
		return -1;
	e->activities[id] = (struct activity){
	    .weight = s->weight,
	    .bound = s->bound > 0 ? s->bound : INFINITY,
	    .remaining = s->amount,
	    .user = s->user,
	    .uses = block,
	    .n_uses = (uint16_t)s->n_uses,
	    .own_coefs = own & 1,
	    .limiter = NO_LIMITER,
	    .moving = NO_ID,
	    .state = ACTIVITY_LATENCY,
	};
	out->v = id;
	if (e->selective && selective_start(e, id, s, err)) {
		activity_release(e, id);
		return -1;
	}
	e->stats.flows++;
	if (__builtin_expect(e->meters != NULL, 0))
		meter_flow(e, &e->activities[id]);
	if (s->latency > 0 || s->amount == 0)
		latency_begin(e, id, e->now + s->latency);
	else if (flow_arrive(e, id))
		return engine_is_broken(e, err);
	return 0;
}

static int flow_meets_fatpipe(const struct engine *e, const struct activity *a)
{
	const struct use *u = engine_uses(e, a);

	for (uint32_t k = 0; k < a->n_uses; k++)
		if (e->resources[u[k].resource].kind == RESOURCE_FATPIPE)
			return 1;
	return 0;
}

int engine_flow_again(struct engine *e, struct activity_id id, uint64_t user)
{
	struct activity *a = &e->activities[id.v];

	if (e->selective || id.v >= e->n_activities || a->state != ACTIVITY_LATENCY ||
	    a->user != user || (a->since == 0 && flow_meets_fatpipe(e, a)))
		return 0;
	a->since++;
	e->stats.flows++;
	if (e->meters)
		meter_flow(e, a);
	return 1;
}

/* Gives back what it uses, and its slot. In compat an active flow stays among the members of its
 * resources until the solve. */
static void activity_end(struct engine *e, uint32_t id)
{
	enum activity_state state = (enum activity_state)e->activities[id].state;
	struct err why;

	if (e->selective && (state == ACTIVITY_ACTIVE || state == ACTIVITY_ARRIVING)) {
		if (selective_end(e, id, &why))
			engine_break(e, &why);
		return;
	}
	if (state == ACTIVITY_MEMBER && class_part(e, id, &why)) {
		engine_break(e, &why);
		return;
	}
	if (state == ACTIVITY_ACTIVE)
		flow_leave(e, id);
	if (state == ACTIVITY_CARRIED)
		carried_leave(e, id);
	if (state == ACTIVITY_BATCH)
		batch_part(e);
	activity_release(e, id);
}

/* It leaves its row: 1 if only those before it can let it go. */
static int row_leave(struct engine *e, uint32_t id)
{
	struct activity *a = &e->activities[id];

	if (a->state != ACTIVITY_LATENCY || e->selective || a->remaining == 0)
		return 0;
	e->n_latency--;
	if (!queue_has(&e->queue, id)) {
		a->state = ACTIVITY_CANCELLED;
		e->n_live--;
		return 1;
	}
	if (a->moving != NO_ID)
		queue_pass(&e->queue, id, a->moving);
	if (e->row.last == id)
		e->row.last = NO_ID;
	return 0;
}

void engine_cancel(struct engine *e, struct activity_id a)
{
	BUG_ON(a.v >= e->n_activities || e->activities[a.v].state == ACTIVITY_FREE);
	batch_end(e, e->activities[a.v].state == ACTIVITY_BATCH);
	if (e->activities[a.v].state == ACTIVITY_BATCH)
		batch_scatter(e);
	if (row_leave(e, a.v))
		return;
	queue_remove(&e->queue, a.v);
	activity_end(e, a.v);
}

static void activity_complete(struct engine *e, uint32_t id, struct completion *out)
{
	*out = (struct completion){e->activities[id].user, {id}};
	activity_end(e, id);
}

/* The last date that SimGrid takes for this one: less than its precision apart, as doubles. */
static double until_compat(double date, double precision)
{
	double last = date + precision, next;

	while (last - date >= precision && last > date)
		last = nextafter(last, 0);
	while ((next = nextafter(last, INFINITY)) - date < precision)
		last = next;
	return last;
}

static void clock_advance(struct engine *e, double date)
{
	BUG_ON(!(date >= e->now));
	e->now = date;
	e->until = e->selective ? until_compat(date, e->together) : date_together(date);
}

/* The clock leaves its date, of which all is solved. */
static void clock_leave(struct engine *e, double date)
{
	if (e->settled && date > e->now)
		e->settled(e->settled_self, e->now);
	clock_advance(e, date);
}

/* All events of the date were told. In compat what follows from them is not part of it, as near as
 * it may be: SimGrid takes out the events that are due before anything else goes on. */
static void date_close(struct engine *e)
{
	if (e->selective)
		e->until = -INFINITY;
}

/* The next thing to happen is a change of a profile. */
static int clock_change(struct engine *e, struct err *err)
{
	if (e->change_at > e->now || e->until < e->now)
		clock_leave(e, fmax(e->change_at, e->now));
	return profiles_change(e, err);
}

/* One of those that this flow stands for ends. */
static int class_complete(struct engine *e, uint32_t flow, struct completion *out)
{
	uint32_t member;
	struct err why;

	if (e->activities[flow].carrier)
		carrier_end(e, flow, &member);
	else if (class_end(e, flow, &member, &why))
		return engine_break(e, &why);
	*out = (struct completion){e->activities[member].user, {member}};
	activity_release(e, member);
	return 1;
}

/* Are there so many that they may be a batch? */
static int row_is_long(const struct engine *e, uint32_t id)
{
	uint32_t n = 1;

	while (n < e->batch.from && (id = e->activities[id].moving) != NO_ID)
		n++;
	return n >= e->batch.from;
}

/* The latencies of a row are over. */
static int row_arrive(struct engine *e, uint32_t id)
{
	if (event_date(queue_top(&e->queue)) == e->row.date)
		e->row.last = NO_ID;
	if (e->batch.date != e->now && e->activities[id].moving != NO_ID && row_is_long(e, id))
		batch_begins(e);
	while (id != NO_ID) {
		struct activity *a = &e->activities[id];
		uint32_t next = a->moving;

		if (next != NO_ID)
			__builtin_prefetch(&e->activities[next], 1);
		if (a->state == ACTIVITY_CANCELLED) {
			queue_remove(&e->queue, id);
			e->n_live++;
			activity_release(e, id);
		} else {
			a->moving = NO_ID;
			a->rate = 0;
			e->n_latency--;
			if (flow_arrive(e, id))
				return -1;
		}
		id = next;
	}
	return 0;
}

/* Handles the event at the root, which is due: 1 if an activity ended, 0 if a flow's latency
 * did. */
static int engine_step(struct engine *e, struct completion *out)
{
	uint32_t id = event_id(queue_top(&e->queue));

	if (e->activities[id].state == ACTIVITY_CANCELLED ||
	    (e->activities[id].state == ACTIVITY_LATENCY && e->activities[id].remaining > 0))
		return e->selective ? flow_arrive(e, id) : row_arrive(e, id);
	if (e->activities[id].class)
		return class_complete(e, id, out);
	queue_pop(&e->queue);
	activity_complete(e, id, out);
	return 1;
}

int engine_more(struct engine *e, struct completion *out)
{
	while (!e->broken && !queue_empty(&e->queue) &&
	       event_date(queue_top(&e->queue)) <= e->until)
		if (engine_step(e, out) > 0)
			return 1;
	date_close(e);
	return 0;
}

/* In compat it is rounded as SimGrid's, which adds up what lies between events: of dates that only
 * rounding tells apart, it decides which comes first. */
static double date_next(const struct engine *e)
{
	double date = event_date(queue_top(&e->queue));

	return e->selective ? e->now + (date - e->now) : date;
}

int engine_next(struct engine *e, struct completion *out, struct err *err)
{
	while (!e->broken) {
		if (!queue_empty(&e->queue) && event_date(queue_top(&e->queue)) <= e->until) {
			if (engine_step(e, out) > 0)
				return 1;
		} else if (engine_unsolved(e)) {
			date_close(e);
			engine_settle(e);
		} else if (queue_empty(&e->queue)) {
			if (!profiles_hope(e))
				return 0;
			if (clock_change(e, err) < 0)
				return -1;
		} else if (event_date(queue_top(&e->queue)) >= e->change_at) {
			if (clock_change(e, err) < 0)
				return -1;
		} else {
			clock_leave(e, date_next(e));
		}
	}
	return engine_is_broken(e, err);
}

/* What the end of a flow looks at, in two steps: its uses (16 are two lines of the cache), then the
 * resources that they name. A timer has none: what stands there is of who had its place before. */
static int has_uses(const struct activity *a)
{
	return a->state != ACTIVITY_TIMER && !a->class;
}

static void fetch_uses(const struct engine *e, const struct activity *a)
{
	const char *u = (const char *)engine_uses(e, a);

	if (!has_uses(a))
		return;
	__builtin_prefetch(u, 1);
	__builtin_prefetch(u + 64, 1);
}

static void fetch_resources(const struct engine *e, const struct activity *a)
{
	const struct use *u = engine_uses(e, a);

	for (uint32_t k = 0; has_uses(a) && k < a->n_uses; k++)
		__builtin_prefetch(&e->resources[u[k].resource], 1);
}

/* Of a batch that ends, whose order is known. */
static int batch_likely(const struct engine *e, uint64_t user[ENGINE_LIKELY])
{
	const struct batch *b = &e->batch;
	int n = 0;

	if (b->next + ENGINE_LIKELY + 1 < b->flows.n) {
		const struct activity
		    *a = &e->activities[b->flows.ids[b->next + ENGINE_LIKELY + 1]];
		__builtin_prefetch(a, 1);
	}
	for (uint32_t i = b->next; i < b->flows.n && n < ENGINE_LIKELY; i++)
		user[n++] = e->activities[b->flows.ids[i]].user;
	return n;
}

/* The way down the heap on which all rise by a level when the next takes the root: that one, one of
 * the four behind it, one of the next sixteen, and so on. So an event is told once on each level,
 * and stays there for about as many others as there are places; one level before, its activity is
 * fetched. */
int engine_likely(const struct engine *e, uint64_t user[ENGINE_LIKELY])
{
	const struct queue *q = &e->queue;
	uint32_t place = QUEUE_ROOT, id[ENGINE_LIKELY + 1], n = 0;

	if (e->batch.together && e->batch.next > 0)
		return batch_likely(e, user);
	if (!q->hole)
		return 0;
	while (n <= ENGINE_LIKELY && 4 * (place - 2) < q->end) {
		place = queue_least_child(q, place);
		id[n++] = event_id(q->events[place]);
	}
	if (n > ENGINE_LIKELY)
		__builtin_prefetch(&e->activities[id[--n]], 1);
	if (n == 0)
		return 0;
	fetch_resources(e, &e->activities[id[0]]);
	if (n > 1)
		fetch_uses(e, &e->activities[id[1]]);
	for (uint32_t i = 0; i < n; i++)
		user[i] = e->activities[id[i]].user;
	return (int)n;
}

void engine_watch(struct engine *e, void (*settled)(void *self, double date), void *self)
{
	e->settled = settled;
	e->settled_self = self;
}

void engine_stats(const struct engine *e, struct engine_stats *out)
{
	*out = e->stats;
	out->active = e->n_live - (e->selective ? selective_ended(e) : 0);
}
