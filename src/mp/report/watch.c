/* watch.c: the closer look of an explanation, if there is one: what it is told of a message. */
#include "watch.h"
#include "mp/message/message.h"
#include "mp/transport_int.h"

void mp_set_watch(struct mp *mp, const struct mp_watch *w)
{
	mp->watch = w;
}

int mp_message_of(const struct mp *mp, uint64_t user, uint32_t *from, uint32_t *to)
{
	uint32_t slot = (uint32_t)user;

	if (user >> 32 == EVENT_LEG) {
		leg_ends(mp, slot, from, to);
		return 1;
	}
	if ((user >> 32 != EVENT_MESSAGE && user >> 32 != EVENT_SENT) || slot >= mp->n_reqs)
		return 0;
	*from = mp->reqs[slot].rank;
	*to = mp->reqs[slot].peer;
	return 1;
}

void watch_begins_tell(struct mp *mp, uint32_t send)
{
	const struct req *q = &mp->reqs[send];
	double received = q->mate == NONE ? -1 : mp->reqs[q->mate].posted;
	struct mp_transfer t = {
	    .slot = send,
	    .by = {MP_NO_TRANSFER, received > q->posted ? q->peer : q->rank},
	    .from = q->rank,
	    .to = q->peer,
	    .tag = q->tag,
	    .comm = {q->ctx & CTX_SLOT},
	    .coll = (q->ctx & CTX_COLL) != 0,
	    .bytes = q->bytes,
	    .sent = q->posted,
	    .received = received,
	    .protocol = q->flags & REQ_EAGER      ? PROTOCOL_EAGER
	                : q->flags & REQ_DETACHED ? PROTOCOL_DETACHED
	                                          : PROTOCOL_RENDEZVOUS,
	    .activity = ACTIVITY_NONE,
	    .user = event_user(mp->transport->splits && mp->transport->splits(mp, send)
	                           ? EVENT_SENT
	                           : EVENT_MESSAGE,
	                       send),
	};

	mp->watch->begins(mp->watch->self, &t, q->moved);
}

void watch_completes_tell(struct mp *mp, uint32_t r)
{
	const struct req *q = &mp->reqs[r];

	if (q->kind == REQ_SEND || (q->kind == REQ_RECV && q->mate != NONE))
		mp->watch->released(mp->watch->self, q->rank,
		                    &(struct mp_cause){q->kind == REQ_SEND ? r : q->mate, q->peer});
	else if (q->kind == REQ_HANDLE)
		watch_released_tell(mp, q->rank, NONE);
}

void watch_released_tell(struct mp *mp, uint32_t rank, uint32_t by)
{
	const struct mp_cause cause = by == NONE ? cause_now(mp)
	                                         : (struct mp_cause){MP_NO_TRANSFER, by};

	if (cause.rank != NONE && cause.rank != rank)
		mp->watch->released(mp->watch->self, rank, &cause);
	else if (cause.transfer != MP_NO_TRANSFER)
		mp->watch->released(mp->watch->self, rank, &cause);
}
