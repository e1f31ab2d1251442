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
	uint32_t id = mp->legs.free;
	struct leg *legs;

	if (id != NONE) {
		mp->legs.free = mp->legs.at[id].next_free;
		return id;
	}
	legs = vec_grow(mp->legs.at, &mp->legs.cap, sizeof *legs, (size_t)mp->legs.n + 1,
	                "messages under way", err);
	if (!legs)
		return NONE;
	mp->legs.at = legs;
	return mp->legs.n++;
}

static int leg_leaves(struct mp *mp, uint32_t id, struct err *err)
{
	const struct leg_call *call = &mp->legs.at[id].call;
	struct net_sent sent;

	mp->legs.at[id].waiting = 0;
	mp->legs.at[id].posted = engine_now(mp->engine);
	mp->stats.messages++;
	mp->stats.bytes += call->bytes;
	return net_message(mp->net,
	                   &(struct net_send){.from = mp->ranks[call->from].host,
	                                      .to = mp->ranks[call->to].host,
	                                      .bytes = call->bytes + mp->envelope,
	                                      .stretch = 1,
	                                      .user = event_user(EVENT_LEG, id)},
	                   &sent, err);
}

int leg_start(struct mp *mp, const struct leg_call *call, struct err *err)
{
	uint32_t id = leg_new(mp, err);
	struct activity_id a;

	if (id == NONE)
		return -1;
	mp->legs.at[id] = (struct leg){.call = *call, .waiting = call->delay > 0};
	return call->delay > 0
	           ? engine_timer(mp->engine, call->delay, event_user(EVENT_LEG, id), &a, err)
	           : leg_leaves(mp, id, err);
}

int leg_end(struct mp *mp, uint32_t id, struct err *err)
{
	const struct leg leg = mp->legs.at[id];
	const struct leg_call *c = &leg.call;

	if (leg.waiting)
		return leg_leaves(mp, id, err);
	mp->legs.at[id].next_free = mp->legs.free;
	mp->legs.free = id;
	if (mp->observers.n)
		observe_leg(mp, c, leg.posted);
	return c->arrived(mp, c->owner, c->index, err);
}

void legs_release(struct mp *mp)
{
	free(mp->legs.at);
}
