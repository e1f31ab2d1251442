/* leg.c: messages that match nothing: partitions of partitioned requests, and what one-sided
 * operations send each other. They move like others, with an envelope, as soon as they are posted;
 * who posted them hears when they have arrived. */
#include "message.h"
#include "mp/report/report.h"
#include "mp/report/watch.h"

struct leg {
	struct leg_call call;
	double posted, moved;
	uint32_t by; /* the rank that it goes back to */
	uint32_t next_free;
	int waiting; /* until its delay is over */
	struct mp_path path;
};

void legs_init(struct mp *mp)
{
	mp->arriving = NONE;
	slots_init(&mp->legs, sizeof(struct leg), offsetof(struct leg, next_free),
	           "messages under way");
}

static struct leg *leg_at(const struct mp *mp, uint32_t id)
{
	return slots_at(&mp->legs, id, sizeof(struct leg));
}

struct mp_cause cause_now(const struct mp *mp)
{
	uint32_t id = mp->arriving;

	return id == NONE ? (struct mp_cause){MP_NO_TRANSFER, mp->running}
	                  : (struct mp_cause){id | MP_LEG, leg_at(mp, id)->by};
}

void leg_ends(const struct mp *mp, uint32_t id, uint32_t *from, uint32_t *to)
{
	*from = leg_at(mp, id)->call.from;
	*to = leg_at(mp, id)->call.to;
}

/* A leg begins: now, if it has no delay. */
static void begins_tell(struct mp *mp, uint32_t id, const struct mp_cause *by)
{
	const struct leg *leg = leg_at(mp, id);
	const struct leg_call *call = &leg->call;
	const struct mp_transfer t = {.slot = id | MP_LEG,
	                              .by = *by,
	                              .from = call->from,
	                              .to = call->to,
	                              .tag = call->tag,
	                              .comm = {call->ctx & CTX_SLOT},
	                              .bytes = call->bytes,
	                              .sent = leg->posted,
	                              .received = -1,
	                              .protocol = PROTOCOL_UNMATCHED,
	                              .activity = ACTIVITY_NONE,
	                              .user = event_user(EVENT_LEG, id)};

	mp->watch->begins(mp->watch->self, &t, leg->posted + call->delay);
}

static int leg_leaves(struct mp *mp, uint32_t id, struct err *err)
{
	struct leg *leg = leg_at(mp, id);
	const struct leg_call *call = &leg->call;
	struct net_sent sent;
	int status;

	leg->waiting = 0;
	leg->moved = engine_now(mp->engine);
	mp->stats.messages++;
	mp->stats.bytes += call->bytes;
	status = net_message(mp->net,
	                     &(struct net_send){.from = mp->ranks[call->from].host,
	                                        .to = mp->ranks[call->to].host,
	                                        .bytes = call->bytes + mp->envelope,
	                                        .stretch = 1,
	                                        .user = event_user(EVENT_LEG, id)},
	                     &sent, err);
	if (status == 0)
		watch_moves(mp, id | MP_LEG, sent.activity);
	return status;
}

int leg_start(struct mp *mp, const struct leg_call *call, struct err *err)
{
	uint32_t id = slots_take(&mp->legs, err);
	struct mp_cause by = cause_now(mp);
	struct activity_id a;

	if (id == NONE)
		return -1;
	if (by.rank == NONE)
		by.rank = call->from;
	*leg_at(mp, id) = (struct leg){.call = *call,
	                               .posted = engine_now(mp->engine),
	                               .by = by.rank,
	                               .path = *path_now(mp),
	                               .waiting = call->delay > 0};
	if (mp->watch)
		begins_tell(mp, id, &by);
	return call->delay > 0
	           ? engine_timer(mp->engine, call->delay, event_user(EVENT_LEG, id), &a, err)
	           : leg_leaves(mp, id, err);
}

int leg_end(struct mp *mp, uint32_t id, struct err *err)
{
	const struct leg *leg = leg_at(mp, id);
	const struct leg_call c = leg->call;
	int status;

	if (leg->waiting)
		return leg_leaves(mp, id, err);
	path_goes_on(mp, &leg->path);
	watch_arrived(mp, id | MP_LEG);
	if (mp->observers.of_messages)
		observe_leg(mp, id | MP_LEG, &c, leg->posted, leg->moved);
	mp->arriving = id;
	status = c.arrived(mp, c.owner, c.index, err);
	mp->arriving = NONE;
	slots_give(&mp->legs, id);
	return status;
}

void legs_release(struct mp *mp)
{
	slots_release(&mp->legs);
}
