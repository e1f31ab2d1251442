/* class.c: many flows of one way, weight and bound under way at once have one rate at every moment:
 * they are members of a class, and take part in sharing as one flow, the class's, of their number
 * times the weight and the bound. So a change costs what one flow costs, however many they are.
 *
 * What each member has been given since the class began (`served`) is the same for all. A member
 * ends when it has grown by the member's amount: the ends are a heap, and the class's flow has one
 * event, that of the first of them.
 *
 * Who joins and leaves at a date is counted at once, and what the class's flow is worth changes
 * when the date is solved (classes_settle): until then it goes on as `rated` flows.
 *
 * Where only few flows meet nothing of this is looked at. A class begins when a flow meets a crowd
 * and finds one of its kind in it; that one, and others before it, stay flows of their own. In
 * compat there are no classes. */
#include "engine_int.h"

#include <stdlib.h>
#include <string.h>

enum { CLASS_LOOKS = 2, REBASE = 1024 };

struct class_end {
	double served; /* at which it ends */
	uint64_t seq;
	uint32_t member;
};

struct class
{
	uint32_t flow;        /* its activity, or NO_ID: free */
	uint32_t n;           /* members */
	uint32_t rated;       /* of these, how many its flow stands for */
	uint32_t next;        /* free: the next one */
	double weight, bound; /* of one member */
	double served;
	double longest; /* amount of a member */
	uint64_t key;
	uint64_t seq;
	struct class_end *ends; /* a heap */
	uint32_t ends_cap;
	uint8_t changed; /* it is in the list of changed ones */
};

struct classes {
	struct class *all;
	uint32_t n, cap, free;
	struct hash64 by_key;
	struct id_list changed;
};

struct classes *classes_new(struct err *err)
{
	struct classes *c = calloc(1, sizeof *c);

	if (!c) {
		err_nomem(err, "engine", sizeof *c);
		return NULL;
	}
	c->free = NO_ID;
	hash64_init(&c->by_key);
	return c;
}

void classes_free(struct classes *c)
{
	if (!c)
		return;
	for (uint32_t i = 0; i < c->n; i++)
		free(c->all[i].ends);
	free(c->all);
	free(c->changed.ids);
	hash64_release(&c->by_key);
	free(c);
}

static struct class *class_of_flow(const struct engine *e, const struct activity *flow)
{
	return &e->classes->all[flow->user];
}

static struct class *class_of_member(const struct engine *e, const struct activity *member)
{
	return &e->classes->all[member->uses];
}

const struct activity *class_flow(const struct engine *e, const struct activity *member)
{
	return &e->activities[class_of_member(e, member)->flow];
}

uint32_t class_size(const struct engine *e, const struct activity *flow)
{
	return class_of_flow(e, flow)->rated;
}

double class_rate(const struct engine *e, const struct activity *member)
{
	const struct class *c = class_of_member(e, member);

	return c->rated ? e->activities[c->flow].rate / c->rated : 0;
}

/* What each member has been given by now. */
static double class_served(const struct engine *e, const struct class *c)
{
	const struct activity *a = &e->activities[c->flow];

	return c->rated ? c->served + a->rate / c->rated * (e->now - a->since) : c->served;
}

double class_remaining(const struct engine *e, uint32_t member)
{
	const struct class *c = class_of_member(e, &e->activities[member]);
	uint32_t at = 0;

	while (c->ends[at].member != member)
		at++;
	return fmax(0, c->ends[at].served - class_served(e, c));
}

/* --- the heap of ends --- */

static int end_before(const struct class_end *a, const struct class_end *b)
{
	return a->served < b->served || (a->served == b->served && a->seq < b->seq);
}

static void ends_up(struct class *c, uint32_t at, struct class_end x)
{
	for (; at > 0 && end_before(&x, &c->ends[(at - 1) / 2]); at = (at - 1) / 2)
		c->ends[at] = c->ends[(at - 1) / 2];
	c->ends[at] = x;
}

static void ends_down(struct class *c, uint32_t at, struct class_end x)
{
	for (uint32_t child; (child = 2 * at + 1) < c->n; at = child) {
		if (child + 1 < c->n && end_before(&c->ends[child + 1], &c->ends[child]))
			child++;
		if (end_before(&x, &c->ends[child]))
			break;
		c->ends[at] = c->ends[child];
	}
	c->ends[at] = x;
}

static void ends_remove(struct class *c, uint32_t at)
{
	struct class_end last = c->ends[--c->n];

	if (at == c->n)
		return;
	if (at > 0 && end_before(&last, &c->ends[(at - 1) / 2]))
		ends_up(c, at, last);
	else
		ends_down(c, at, last);
}

/* --- joining --- */

/* Of the way, weight and bound: equal for equals. */
static uint64_t class_key(const struct engine *e, const struct activity *a)
{
	const struct use *u = engine_uses(e, a);
	uint64_t key, part;

	memcpy(&key, &a->weight, sizeof key);
	memcpy(&part, &a->bound, sizeof part);
	key = hash_mix(key ^ hash_mix(part) ^ a->n_uses);
	for (uint32_t k = 0; k < a->n_uses; k++) {
		float coef = (float)use_coef(e, a, k);
		uint32_t bits;
		memcpy(&bits, &coef, sizeof bits);
		key = hash_mix(key ^ ((uint64_t)u[k].resource << 32 | bits));
	}
	return key;
}

static int uses_same(const struct engine *e, const struct activity *a, const struct activity *b)
{
	const struct use *u = engine_uses(e, a), *v = engine_uses(e, b);

	if (a->n_uses != b->n_uses)
		return 0;
	for (uint32_t k = 0; k < a->n_uses; k++)
		if (u[k].resource != v[k].resource || use_coef(e, a, k) != use_coef(e, b, k))
			return 0;
	return 1;
}

/* Is one of its kind among the last on this resource? */
static int class_worth(struct engine *e, const struct activity *a, uint32_t resource)
{
	struct resource *r = &e->resources[resource];
	const struct member *m = resource_members(e, r);

	for (uint32_t i = 1; i <= CLASS_LOOKS && i <= r->n; i++) {
		const struct activity *b = &e->activities[m[r->n - i].activity];
		if (!b->class && a->weight == b->weight && a->bound == b->bound &&
		    uses_same(e, a, b))
			return 1;
	}
	return 0;
}

static int class_mark(struct engine *e, struct class *c, struct err *err)
{
	if (c->changed)
		return 0;
	if (ids_add(&e->classes->changed, (uint32_t)(c - e->classes->all), err))
		return -1;
	c->changed = 1;
	return 0;
}

/* The activity of a class that gets its way from its first member. */
static int class_new_flow(struct engine *e, uint32_t id, uint32_t class, struct err *err)
{
	uint32_t flow;

	if (activity_new(e, &flow, err))
		return -1;
	const struct activity *a = &e->activities[id];
	e->activities[flow] = (struct activity){
	    .weight = a->weight,
	    .bound = a->bound,
	    .remaining = INFINITY, /* its members tell when they end */
	    .since = e->now,
	    .user = class,
	    .uses = a->uses,
	    .n_uses = a->n_uses,
	    .own_coefs = a->own_coefs,
	    .limiter = NO_LIMITER,
	    .moving = NO_ID,
	    .state = ACTIVITY_ARRIVING,
	    .class = 1,
	};
	e->classes->all[class].flow = flow;
	return 0;
}

static int class_new(struct engine *e, uint32_t id, uint64_t key, uint32_t *index, struct err *err)
{
	struct classes *all = e->classes;

	if (all->free == NO_ID) {
		void *p = vec_grow(all->all, &all->cap, sizeof *all->all, (size_t)all->n + 1,
		                   "classes of flows", err);
		if (!p)
			return -1;
		all->all = p;
		all->all[all->n] = (struct class){.next = NO_ID};
		all->free = all->n++;
	}
	*index = all->free;
	struct class *c = &all->all[*index];
	uint32_t next = c->next;
	if (hash64_put(&all->by_key, key, *index, err) || class_new_flow(e, id, *index, err))
		return -1;
	all->free = next;
	c->n = c->rated = 0;
	c->weight = e->activities[id].weight;
	c->bound = e->activities[id].bound;
	c->served = c->longest = 0;
	c->key = key;
	c->seq = 0;
	c->changed = 0;
	return 0;
}

static int class_add(struct engine *e, struct class *c, uint32_t id, struct err *err)
{
	struct activity *a = &e->activities[id];
	void *p = vec_grow(c->ends, &c->ends_cap, sizeof *c->ends, (size_t)c->n + 1, "flows", err);

	if (!p)
		return -1;
	c->ends = p;
	if (class_mark(e, c, err))
		return -1;
	c->longest = fmax(c->longest, a->remaining);
	double end = class_served(e, c) + a->remaining;
	a->uses = (uint32_t)(c - e->classes->all);
	a->n_uses = 0;
	a->state = ACTIVITY_MEMBER;
	queue_remove(&e->queue, id);
	ends_up(c, c->n, (struct class_end){end, c->seq++, id});
	c->n++;
	return 0;
}

static int class_takes(const struct engine *e, const struct class *c, const struct activity *a)
{
	return c->weight == a->weight && c->bound == a->bound &&
	       uses_same(e, a, &e->activities[c->flow]);
}

int class_meets(struct engine *e, uint32_t id, uint32_t *made, struct err *err)
{
	const struct activity *a = &e->activities[id];
	const struct use *u = engine_uses(e, a);

	*made = NO_ID;
	if (e->resources[u[a->n_uses - 1].resource].n < CLASS_CROWD)
		return 0;
	uint64_t key = class_key(e, a);
	uint32_t index = hash64_find(&e->classes->by_key, key);
	if (index != HASH_NONE) {
		struct class *c = &e->classes->all[index];
		if (!class_takes(e, c, a))
			return 0; /* another way of the same key */
		const struct activity alone = *a;
		if (class_add(e, c, id, err))
			return -1;
		flow_give_uses(e, &alone);
		return 1;
	}
	if (!class_worth(e, a, u[0].resource) && !class_worth(e, a, u[a->n_uses - 1].resource))
		return 0;
	if (class_new(e, id, key, &index, err) || class_add(e, &e->classes->all[index], id, err))
		return -1;
	e->classes->all[index].rated = 1;
	*made = e->classes->all[index].flow;
	return 1;
}

/* --- ends --- */

static void class_advance(struct engine *e, struct class *c)
{
	c->served = class_served(e, c);
	e->activities[c->flow].since = e->now;
}

void class_set_rate(struct engine *e, uint32_t flow, double rate)
{
	struct activity *a = &e->activities[flow];
	struct class *c = class_of_flow(e, a);

	class_advance(e, c);
	a->rate = rate;
	double left = c->n > 0 ? c->ends[0].served - c->served : INFINITY;
	double date = left > 0 ? e->now + left / (rate / c->rated) : e->now;
	if (date < INFINITY)
		queue_set(&e->queue, flow, date);
	else
		queue_remove(&e->queue, flow);
}

/* Does the first of those left end at this date too? */
static int class_ends_now(const struct engine *e, const struct class *c)
{
	double left = c->n > 0 ? c->ends[0].served - c->served : INFINITY;

	return left <= 0 || e->now + left / (e->activities[c->flow].rate / c->rated) <= e->until;
}

int class_end(struct engine *e, uint32_t flow, uint32_t *member, struct err *err)
{
	struct class *c = class_of_flow(e, &e->activities[flow]);

	class_advance(e, c);
	*member = c->ends[0].member;
	ends_remove(c, 0);
	if (class_mark(e, c, err))
		return -1;
	if (class_ends_now(e, c))
		queue_set(&e->queue, flow, e->now);
	else
		queue_remove(&e->queue, flow);
	return 0;
}

int class_part(struct engine *e, uint32_t member, struct err *err)
{
	struct class *c = class_of_member(e, &e->activities[member]);
	uint32_t at = 0;

	while (c->ends[at].member != member)
		at++;
	ends_remove(c, at);
	return class_mark(e, c, err);
}

/* --- the solve --- */

static void class_release(struct engine *e, struct class *c)
{
	struct activity *a = &e->activities[c->flow];

	queue_remove(&e->queue, c->flow);
	if (a->state == ACTIVITY_ACTIVE)
		flow_leave(e, c->flow);
	activity_release(e, c->flow);
	hash64_remove(&e->classes->by_key, c->key);
	free(c->ends);
	c->ends = NULL;
	c->ends_cap = 0;
	c->flow = NO_ID;
	c->next = e->classes->free;
	e->classes->free = (uint32_t)(c - e->classes->all);
}

int classes_changed(const struct engine *e)
{
	return e->classes->changed.n > 0;
}

/* Ends the classes that nobody is in any more; `changed` keeps the others. */
void classes_leave(struct engine *e)
{
	struct id_list *l = &e->classes->changed;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < l->n; i++) {
		struct class *c = &e->classes->all[l->ids[i]];
		if (c->n > 0) {
			l->ids[kept++] = l->ids[i];
			continue;
		}
		c->changed = 0;
		class_release(e, c);
	}
	l->n = kept;
}

/* What is added to a large number loses its last digits: begins to count anew. */
static void class_rebase(struct class *c)
{
	if (c->served < REBASE * c->longest)
		return;
	for (uint32_t i = 0; i < c->n; i++)
		c->ends[i].served -= c->served;
	c->served = 0;
}

/* The flow of a class that has gained or lost members, for what they are worth now: 1 if it is to
 * be opened. */
static int class_weigh(struct engine *e, struct class *c)
{
	struct activity *a = &e->activities[c->flow];

	c->changed = 0;
	class_advance(e, c);
	class_rebase(c);
	if (c->rated == c->n && a->state == ACTIVITY_ACTIVE) { /* as many, with another first end */
		class_set_rate(e, c->flow, a->rate);
		return 0;
	}
	c->rated = c->n;
	a->weight = c->n * c->weight;
	if (a->state != ACTIVITY_ACTIVE) {
		a->bound = c->n * c->bound;
		return 0; /* it arrives at this date */
	}
	flow_repromise(e, c->flow, c->n * c->bound);
	return 1;
}

void classes_weigh(struct engine *e)
{
	struct id_list *l = &e->classes->changed;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < l->n; i++)
		if (class_weigh(e, &e->classes->all[l->ids[i]]))
			l->ids[kept++] = l->ids[i];
	l->n = kept;
}

int classes_open(struct engine *e, struct err *err)
{
	struct id_list *l = &e->classes->changed;
	uint32_t n = l->n;

	l->n = 0;
	for (uint32_t i = 0; i < n; i++)
		if (repair_add(e, e->classes->all[l->ids[i]].flow, err))
			return -1;
	return 0;
}

/* --- for those who ask --- */

uint64_t class_user(const struct engine *e, const struct activity *flow, uint32_t i)
{
	return e->activities[class_of_flow(e, flow)->ends[i].member].user;
}

double class_left(const struct engine *e, const struct activity *flow, uint32_t i)
{
	const struct class *c = class_of_flow(e, flow);

	return fmax(0, c->ends[i].served - class_served(e, c));
}

uint32_t class_members(const struct engine *e, const struct activity *flow)
{
	return class_of_flow(e, flow)->n;
}
