/* plain.c: messages that go by themselves: each is one flow of net, from the date at which the
 * protocol lets it move (transfer.c). */
#include "mp/message/message.h"
#include "mp/noise/noise.h"
#include "mp/report/watch.h"
#include "mp/transport_int.h"
#include "plain_int.h"

/* To oneself: a copy, where these take time. */
static int message_to_oneself(struct mp *mp, uint32_t send, struct err *err)
{
	const struct req *q = &mp->reqs[send];
	struct activity_id a;

	watch_begins(mp, send);
	if (engine_timer(mp->engine, copy_cost(mp, q->rank, q->bytes),
	                 event_user(EVENT_MESSAGE, send), &a, err) < 0)
		return -1;
	watch_moves(mp, send, a);
	return 0;
}

static int message_start(struct mp *mp, uint32_t send, struct err *err)
{
	struct req *q = &mp->reqs[send];
	struct net_sent sent = {.activity = ACTIVITY_NONE};
	double stretch;

	q->flags |= REQ_MOVING;
	q->moved = engine_now(mp->engine);
	q->path = *path_now(mp);
	mp->stats.messages++;
	mp->stats.bytes += q->bytes;
	if (q->flags & REQ_INTERNAL)
		q->activity = q->rider = NONE;
	if (mp->overheads.local && q->rank == q->peer && copies_take_time(mp, q->rank))
		return message_to_oneself(mp, send, err);
	stretch = mp->noise ? noise_message(mp->noise, q->rank, q->bytes) : 1;
	watch_begins(mp, send);
	if (net_message(mp->net,
	                &(struct net_send){.from = mp->ranks[q->rank].host,
	                                   .to = mp->ranks[q->peer].host,
	                                   .bytes = q->bytes + mp->envelope,
	                                   .stretch = stretch,
	                                   .user = event_user(EVENT_MESSAGE, send)},
	                &sent, err) < 0)
		return message_refused(mp, send, err);
	if (q->flags & REQ_INTERNAL)
		q->activity = sent.activity.v;
	watch_moves(mp, send, sent.activity);
	return 0;
}

int plain_post(struct mp *mp, uint32_t send, uint32_t mate, struct err *err)
{
	return mate == NONE && mp->reqs[send].flags & REQ_EAGER ? message_start(mp, send, err) : 0;
}

int plain_matched(struct mp *mp, uint32_t send, struct err *err)
{
	return mp->reqs[send].flags & REQ_MOVING ? 0 : message_start(mp, send, err);
}

static int plain_event(struct mp *mp, enum event_kind kind, uint32_t send, struct err *err)
{
	uint32_t rider;

	BUG_ON(kind != EVENT_MESSAGE);
	for (; mp->reqs[send].flags & REQ_INTERNAL && mp->reqs[send].rider != NONE; send = rider) {
		rider = mp->reqs[send].rider;
		if (transfer_end(mp, send, 1, err) < 0)
			return -1;
	}
	return transfer_end(mp, send, 1, err);
}

static int plain_init(struct mp *mp, const struct host_id *host, struct err *err)
{
	(void)mp, (void)host, (void)err;
	return 1;
}

const struct mp_transport transport_plain = {
    .init = plain_init,
    .post = plain_post,
    .matched = plain_matched,
    .event = plain_event,
    .short_way = 1,
    .alike = 1,
};
