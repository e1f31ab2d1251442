/* selective_mark.c: SimGrid's sharing: the changes of a date, in its order, and the resources that
 * they mark, and so join to what is solved. See selective.c. */
#include "members.h"
#include "selective_int.h"

static inline void cell_add(struct engine *e, uint32_t r)
{
	struct selective *s = e->selective;

	e->touched[r] = s->n_cells;
	s->cells[s->n_cells++].resource = r;
}

/* Its members are next, the newest first. */
static inline void walk_into(struct engine *e, uint32_t r, struct step *at)
{
	struct resource *res = &e->resources[r];

	cell_add(e, r);
	at->members = resource_members(e, res);
	at->n = res->n;
	at->use = 0;
}

/* Marks the resources of a flow from use *k on, up to one that has other members: that one, which
 * is not marked yet, or NO_ID. Where the flow is alone, a walk would go on with its next use. */
static inline uint32_t flow_mark(struct engine *e, const struct activity *a, uint32_t *k)
{
	const struct use *first = engine_uses(e, a), *u = first + *k, *end = first + a->n_uses;

	for (; u < end; u++) {
		uint32_t r = u->resource;

		if (e->touched[r] != NO_ID)
			continue;
		if (e->resources[r].n > 1) {
			*k = (uint32_t)(u - first) + 1;
			return r;
		}
		cell_add(e, r);
	}
	return NO_ID;
}

/* The next resource, not yet marked, of the members of the one at the end of the path; NO_ID when
 * there is none left. */
static inline uint32_t walk_next(struct engine *e, struct step *at)
{
	for (; at->n > 0; at->n--, at->use = 0) {
		struct activity *a = &e->activities[at->members[at->n - 1].activity];

		if (a->moving == VISITED)
			continue;
		uint32_t r = flow_mark(e, a, &at->use);
		if (r != NO_ID)
			return r;
		a->moving = VISITED;
	}
	return NO_ID;
}

/* What mark does with the first resource of a flow that is alone. */
void lone_mark(struct engine *e)
{
	struct selective *s = e->selective;

	for (uint32_t i = 0; i < s->n_lone; i++) {
		const struct activity *a = &e->activities[s->enabled.ids[i]];

		for (uint32_t k = 0; k < a->n_uses; k++)
			cell_add(e, engine_uses(e, a)[k].resource);
	}
	s->n_lone = 0;
}

/* Marks a resource and all that active flows join to it, depth first; nothing if it is marked
 * already. */
static inline void mark(struct engine *e, uint32_t r)
{
	struct step *walk = e->selective->walk;
	uint32_t n = 0;

	if (e->selective->n_lone > 0)
		lone_mark(e);
	if (e->touched[r] != NO_ID)
		return;
	for (uint32_t next = r; next != NO_ID || n > 0;) {
		if (next != NO_ID)
			walk_into(e, next, &walk[n++]);
		next = walk_next(e, &walk[n - 1]);
		if (next == NO_ID)
			n--;
	}
}

static void mark_first(struct engine *e, const struct activity *a)
{
	uint32_t n = e->selective->whole ? a->n_uses : a->n_uses > 0;

	for (uint32_t k = 0; k < n; k++)
		mark(e, engine_uses(e, a)[k].resource);
}

/* Is this the only flow on all that it uses? */
static int flow_is_alone(const struct engine *e, const struct activity *a)
{
	const struct use *u = engine_uses(e, a), *end = u + a->n_uses;

	while (u < end && e->resources[u->resource].n == 1)
		u++;
	return u == end;
}

/* A flow whose latency is over is active now; *alone: nobody else is on what it uses. */
static int flow_join_all(struct engine *e, uint32_t id, int *alone, struct err *err)
{
	struct activity *a = &e->activities[id];
	uint32_t others = 0;

	for (uint32_t k = 0; k < a->n_uses; k++) {
		others |= e->resources[engine_uses(e, a)[k].resource].n;
		if (resource_join(e, id, k, err))
			return -1;
	}
	a->state = ACTIVITY_ACTIVE;
	a->rate = 0;
	a->since = e->now;
	*alone = others == 0;
	return 0;
}

/* Its resources are marked one by one, even if nobody is on them: not again when one who comes
 * there at this date marks its first. */
static void apply_changed(struct engine *e, uint32_t id)
{
	const struct activity *a = &e->activities[id];

	if (a->state == ACTIVITY_FREE || a->state == ACTIVITY_TIMER)
		return;
	if (a->n_uses == 0 && a->state == ACTIVITY_ACTIVE)
		selective_rate(e, id, a->bound);
	for (uint32_t k = 0; k < a->n_uses; k++)
		mark(e, engine_uses(e, a)[k].resource);
}

static int apply_enabled(struct engine *e, uint32_t id, struct err *err)
{
	struct selective *s = e->selective;
	struct activity *a = &e->activities[id & ~CHANGED];

	if (id & CHANGED) {
		apply_changed(e, id & ~CHANGED);
		return 0;
	}
	int alone;

	if (a->state != ACTIVITY_ARRIVING) /* it was cancelled meanwhile */
		return 0;
	if (flow_join_all(e, id, &alone, err))
		return -1;
	if (a->n_uses == 0) {
		selective_rate(e, id, a->bound);
	} else if (alone && s->n_cells == 0) {
		a->moving = VISITED;
		s->enabled.ids[s->n_lone++] = id;
	} else {
		mark_first(e, a);
	}
	return 0;
}

/* A flow is on this resource that is alone, and not marked yet: it would be, with the resource. */
static int is_lone(struct engine *e, struct resource *r)
{
	return e->selective->n_lone > 0 && r->n == 1 &&
	       e->activities[resource_members(e, r)->activity].moving == VISITED;
}

/* Closes the gap: members stay in the order of their arrival. */
static void member_leave(struct engine *e, struct resource *r, struct member of)
{
	struct member *m = resource_members(e, r);
	uint32_t at = member_scan(m, 0, r->n, of);

	r->n--;
	memmove(m + at, m + at + 1, (r->n - at) * sizeof *m);
}

/* Resources that nobody else is on need no mark: nobody is left there. */
static void apply_ended(struct engine *e, uint32_t id)
{
	struct activity *a = &e->activities[id];

	if (a->state == ACTIVITY_ENDED) {
		if (!flow_is_alone(e, a))
			mark_first(e, a);
		for (uint32_t k = 0; k < a->n_uses; k++)
			member_leave(e, &e->resources[engine_uses(e, a)[k].resource],
			             member_make(id, k));
	}
	activity_release(e, id);
}

/* A flow that starts marks its resources one by one, even while it waits for its latency. Those
 * without members need no mark: nothing of this date is applied after it. */
static void apply_started(struct engine *e, uint32_t id)
{
	if (id & CHANGED) {
		apply_changed(e, id & ~CHANGED);
		return;
	}
	const struct activity *a = &e->activities[id];

	if (a->state == ACTIVITY_FREE || a->state == ACTIVITY_TIMER)
		return;
	const struct use *u = engine_uses(e, a);
	for (uint32_t k = 0; k < a->n_uses; k++) {
		struct resource *r = &e->resources[u[k].resource];

		if (r->n > 0 && !is_lone(e, r))
			mark(e, u[k].resource);
	}
}

static void apply_capacities(struct engine *e)
{
	for (uint32_t i = 0; i < e->dirty.n; i++) {
		e->resources[e->dirty.ids[i]].dirt = CLEAN;
		mark(e, e->dirty.ids[i]);
	}
	e->dirty.n = 0;
}

/* All that changed at this date, in SimGrid's order. */
int selective_apply(struct engine *e, struct err *err)
{
	struct selective *s = e->selective;

	apply_capacities(e);
	for (uint32_t i = 0; i < s->marked.n; i++)
		mark(e, s->marked.ids[i]);
	for (uint32_t i = 0; i < s->enabled.n; i++)
		if (apply_enabled(e, s->enabled.ids[i], err))
			return -1;
	for (uint32_t i = 0; i < s->ended.n; i++)
		apply_ended(e, s->ended.ids[i]);
	for (uint32_t i = 0; i < s->started.n; i++)
		apply_started(e, s->started.ids[i]);
	s->marked.n = s->enabled.n = s->ended.n = s->started.n = 0;
	return 0;
}
