/* leg.c: messages that match nothing: partitions of partitioned requests, and what one-sided
 * operations send each other. They move like others, with an envelope, as soon as they are posted;
 * who posted them hears when they have arrived. */
#include "mp_int.h"

struct leg {
	struct leg_call call;
	double posted;
	uint32_t next_free;
	int waiting; /* until its delay is over */
};

void legs_init(struct mp *mp)
{
	slots_init(&mp->legs, sizeof(struct leg), offsetof(struct leg, next_free),
	           "messages under way");
}

static struct leg *leg_at(const struct mp *mp, uint32_t id)
{
	return slots_at(&mp->legs, id, sizeof(struct leg));
}

static int leg_leaves(struct mp *mp, uint32_t id, struct err *err)
{
	struct leg *leg = leg_at(mp, id);
	const struct leg_call *call = &leg->call;
	struct net_sent sent;

	leg->waiting = 0;
	leg->posted = engine_now(mp->engine);
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
	uint32_t id = slots_take(&mp->legs, err);
	struct activity_id a;

	if (id == NONE)
		return -1;
	*leg_at(mp, id) = (struct leg){.call = *call, .waiting = call->delay > 0};
	return call->delay > 0
	           ? engine_timer(mp->engine, call->delay, event_user(EVENT_LEG, id), &a, err)
	           : leg_leaves(mp, id, err);
}

int leg_end(struct mp *mp, uint32_t id, struct err *err)
{
	const struct leg leg = *leg_at(mp, id);
	const struct leg_call *c = &leg.call;

	if (leg.waiting)
		return leg_leaves(mp, id, err);
	slots_give(&mp->legs, id);
	if (mp->observers.n)
		observe_leg(mp, c, leg.posted);
	return c->arrived(mp, c->owner, c->index, err);
}

void legs_release(struct mp *mp)
{
	slots_release(&mp->legs);
}
