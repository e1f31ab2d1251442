/* leg.c: messages that match nothing: partitions of partitioned requests, and what one-sided
 * operations send each other. They move like others, with an envelope, as soon as they are posted;
 * who posted them hears when they have arrived. */
#include "mp_int.h"

#include <stdlib.h>

struct leg {
	struct leg_call call;
	double posted;
	uint32_t next_free;
	int waiting; /* until its delay is over */
};

static uint32_t leg_new(struct mp *mp, struct err *err)
{
	uint32_t id = mp->free_leg;
	struct leg *legs;

	if (id != NONE) {
		mp->free_leg = mp->legs[id].next_free;
		return id;
	}
	legs = vec_grow(mp->legs, &mp->legs_cap, sizeof *legs, (size_t)mp->n_legs + 1,
	                "messages under way", err);
	if (!legs)
		return NONE;
	mp->legs = legs;
	return mp->n_legs++;
}

static int leg_leaves(struct mp *mp, uint32_t id, struct err *err)
{
	const struct leg_call *call = &mp->legs[id].call;
	struct activity_id a;

	mp->legs[id].waiting = 0;
	mp->legs[id].posted = engine_now(mp->engine);
	mp->stats.messages++;
	mp->stats.bytes += call->bytes;
	return net_message(mp->net, mp->ranks[call->from].host, mp->ranks[call->to].host,
	                   call->bytes + mp->envelope, event_user(EVENT_LEG, id), &a, err);
}

int leg_start(struct mp *mp, const struct leg_call *call, struct err *err)
{
	uint32_t id = leg_new(mp, err);
	struct activity_id a;

	if (id == NONE)
		return -1;
	mp->legs[id] = (struct leg){.call = *call, .waiting = call->delay > 0};
	return call->delay > 0
	           ? engine_timer(mp->engine, call->delay, event_user(EVENT_LEG, id), &a, err)
	           : leg_leaves(mp, id, err);
}

int leg_end(struct mp *mp, uint32_t id, struct err *err)
{
	const struct leg leg = mp->legs[id];
	const struct leg_call *c = &leg.call;

	if (leg.waiting)
		return leg_leaves(mp, id, err);
	mp->legs[id].next_free = mp->free_leg;
	mp->free_leg = id;
	if (mp->n_observers)
		observe_leg(mp, c, leg.posted);
	return c->arrived(mp, c->owner, c->index, err);
}

void legs_release(struct mp *mp)
{
	free(mp->legs);
}
