/* squeeze.c: the cheap case of a start that takes: from one other flow, on one resource, which
 * limits both from now on. Two messages that meet on a link, or go between the same two hosts in
 * opposite directions, are this case, and the commonest that is not for share.c alone.
 *
 * The level of both is what others leave of the resource / their heft (sweep.c). It is right, and
 * what repair.c would find, if
 *   the start finds room for its rate everywhere else, with what the other one gives back there,
 *   and meets nobody limited elsewhere; the other one does come down, and nobody gains by that:
 *   what limits it limits only it, and nothing else on its way limits anybody; on the resource
 *   nobody else has a higher level.
 * If any of this fails, or takes long to see, nothing is changed. */
#include "engine_int.h"

/* The one member of r that a start could take from: the one that r limits, or if it limits none the
 * fastest. That must be limited by nothing else, or by a resource that limits only it: nobody gains
 * by what it loses there. */
static const struct member *squeeze_whom(struct engine *e, struct resource *r)
{
	enum { FEW = 8 };
	const struct member *m = resource_members(e, r), *found = m;
	uint32_t limited = resource_limits(e, r), n = resource_uncarried(e, r);

	if (limited > 1 || n == 0 || n > FEW || r->dirt != CLEAN)
		return NULL;
	if (limited == 1)
		return m;
	for (uint32_t i = 1; i < n; i++)
		if (activity_level(&e->activities[m[i].activity]) >
		    activity_level(&e->activities[found->activity]))
			found = m + i;
	const struct activity *a = &e->activities[found->activity];
	if (a->carrier)
		return NULL; /* it stands for many */
	if (a->limiter == NO_LIMITER)
		return found;
	const struct resource *its = &e->resources[engine_uses(e, a)[a->limiter].resource];
	return resource_limits(e, its) == 1 && its->dirt == CLEAN ? found : NULL;
}

/* Does anybody on r, those two apart, stand above this level? If not, others_level is the highest
 * of them. */
static int squeeze_others(struct engine *e, struct resource *r, uint32_t one, double level)
{
	const struct member *m = resource_members(e, r);
	double highest = 0;

	for (uint32_t i = 0; i < resource_uncarried(e, r); i++) {
		double its = activity_level(&e->activities[m[i].activity]);
		if (m[i].activity != one && its > highest)
			highest = its;
	}
	if (highest > level * (1 + SAME_LEVEL))
		return 0;
	resource_book(e, r)->others_level = highest;
	return 1;
}

/* What a flow gives back on a resource by losing this much. */
static double squeeze_gives(const struct engine *e, const struct activity *a, uint32_t resource,
                            double less)
{
	const struct use *u = engine_uses(e, a);

	for (uint32_t k = 0; k < a->n_uses; k++)
		if (u[k].resource == resource)
			return use_coef(e, a, k) * less;
	return 0;
}

/* Does this rate of a flow that starts concern nobody on its resources but r, when b loses this
 * much? */
static int squeeze_fits(const struct engine *e, const struct activity *a, const struct resource *r,
                        double rate, const struct activity *b, double less)
{
	const struct use *u = engine_uses(e, a);

	for (uint32_t k = 0; k < a->n_uses; k++) {
		const struct resource *q = &e->resources[u[k].resource];
		if (q == r)
			continue;
		double coef = use_coef(e, a, k);
		if (q->kind == RESOURCE_FATPIPE && coef * rate > q->capacity)
			return 0;
		if (!resource_contended(q))
			continue;
		double over = sum2_value(&resource_book(e, q)->load) + coef * rate -
		              q->capacity * (1 + FULL);
		if (q->full || (over > 0 && over > squeeze_gives(e, b, u[k].resource, less)))
			return 0;
	}
	return rate <= flow_promise(e, a);
}

/* Could others gain by what this flow loses? */
static int squeeze_frees(const struct engine *e, const struct activity *a)
{
	const struct use *u = engine_uses(e, a);

	for (uint32_t k = 0; k < a->n_uses; k++)
		if (k != a->limiter && e->resources[u[k].resource].full)
			return 1;
	return 0;
}

/* Does it end at this date? Then it is nobody to take from. */
static int squeeze_late(const struct engine *e, uint32_t id)
{
	uint32_t place = e->queue.pos[id];

	return place != QUEUE_OUT && event_date(e->queue.events[place]) <= e->until;
}

int flow_squeeze(struct engine *e, uint32_t id, uint16_t at, struct err *err)
{
	const struct activity *a = &e->activities[id];
	const struct use *u = engine_uses(e, a) + at;
	struct resource *r = &e->resources[u->resource];
	const struct member *whom = squeeze_whom(e, r);

	if (!whom || squeeze_late(e, whom->activity))
		return 0;
	uint32_t other = whom->activity, use = member_use(e, r, *whom);
	const struct activity *b = &e->activities[other];
	double coef = coef_at(e, b, use_at(e, use));
	double heft = coef * b->weight + use_coef(e, a, at) * a->weight;
	struct sum2 room = {r->capacity, 0};
	sum2_add(&room, -resource_book(e, r)->load.hi);
	room.lo -= resource_book(e, r)->load.lo;
	sum2_add(&room, coef * b->rate);
	double level = sum2_value(&room) / heft, rate = level * a->weight, rest = level * b->weight;

	if (!(level > 0) || rest >= b->rate * (1 - SAME_RATE) ||
	    !squeeze_fits(e, a, r, rate, b, b->rate - rest) || squeeze_frees(e, b) ||
	    !squeeze_others(e, r, other, level))
		return 0;
	if (flow_take(e, id, rate, at, err))
		return -1;
	flow_change(e, other, rest, (uint16_t)(use - b->uses));
	return 1;
}
