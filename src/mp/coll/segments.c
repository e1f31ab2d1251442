/* segments.c: the segments of one message of a collective that are under way at once are one.
 *
 * Some algorithms cut a message into pieces of 8 KiB and let go of all of them at once: 10 GB to
 * twelve children are 15 million messages under way. Those that two ranks have for one another are
 * alike: one sender, one receiver, one size, posted at one date in one call. While they wait, all
 * sends are one request, and all receives are; a receive that finds a send parts both (request.c).
 * A segment that begins to move at the date at which the one before it began is that message too:
 * their flows have the same rate at every moment and end together (engine_flow_again). So memory
 * and time go with the messages that differ. Every segment arrives when it would by itself, but for
 * the last bit of rounding.
 *
 * A receive of several that moves or is complete stands for segments `windex` and those after it.
 * Who waits for one of them waits for all, as they arrive together. Each is paid for: a wait for
 * all by their number, a wait for one by one.
 *
 * Eager segments move before they have a receive. A receive that takes the first of several is
 * matched with the request that the flow is of; those left are its `rider`, which waits, and has a
 * rider itself when it is parted. When the flow ends all of them have arrived (plain.c). The
 * receive of the next segment takes from the rider what it adds to the first.
 *
 * Only where nobody can tell: no noise of each message, no copies that take time, no order of a
 * connection, no turns, nobody who watches single messages (short.c); sends that are complete when
 * posted.
 *
 * A rank that spends time on each send posts each at a date of its own. Where there are very many,
 * and eager, and go one way (coll_alg.one_way), it owes what they cost, and pays a row of them
 * together: at the end of the row, before it waits for what has not come, and at the end of the
 * collective. What it does takes as long in all, and nothing leaves before it has come; but a
 * segment may leave up to a row's overheads too early, and a row that leaves together arrives
 * together, up to two rows' transfers too late (itself, and the next, which shares its way). A row
 * is of smpi/segment-error * n / 2 p segments of n, p being the ranks: who passes the message on
 * works for n segments, on n transfers, and no rank is further than p from the root. So along
 * chains and trees the end is wrong by that share at most (docs/models.md). Where ranks wait for
 * what depends on their own sends (rings, receives that segments wait for) such a delay would come
 * back at each segment: there each is paid by itself. Rows depend on the call alone, not on who
 * looks. */
#include "coll_int.h"
#include "mp/comm/comm.h"
#include "mp/message/message.h"
#include "mp/transport_int.h"

/* --- what they cost a rank --- */

int segment_owed(struct mp *mp, struct op *t, double bytes, double seconds)
{
	enum { LEAST = 512 }; /* bytes: less is a signal */
	const struct coll_args *a = t->args;
	double row;

	if (!(mp->segment_error > 0) || bytes < LEAST || bytes >= mp->eager ||
	    !args_of(t)->alg->one_way || t->apart || !(seconds > 0))
		return 0;
	row = mp->segment_error * (double)a->count * (double)a->type_size /
	      (2 * (double)a->size * bytes);
	if (!(row >= 2) || t->debt + seconds > row * seconds)
		return 0;
	t->debt += seconds;
	mp->segments_owed++;
	return 1;
}

double segments_due(const struct mp *mp, struct op *t)
{
	double debt = t->debt;

	if (!(mp->segment_error > 0) || t->apart || t->row != NO_ROW)
		return 0;
	t->debt = 0;
	return debt;
}

static int ranks_alone(const struct mp *mp, uint32_t sender, uint32_t receiver)
{
	return sender != receiver && !(mp->overheads.local && (copies_take_time(mp, sender) ||
	                                                       copies_take_time(mp, receiver)));
}

/* It began to move at this date, and goes on. */
static int has_just_left(const struct mp *mp, const struct req *send)
{
	return send->kind == REQ_SEND && send->flags & REQ_INTERNAL &&
	       (send->flags & (REQ_MOVING | REQ_ARRIVED)) == REQ_MOVING &&
	       send->moved == engine_now(mp->engine);
}

/* One segment more moves as this message, which may wait for its receive. */
static int message_grows(struct mp *mp, uint32_t send)
{
	struct req *q = &mp->reqs[send];
	struct activity_id flow = {q->activity};

	if (q->more == NONE - 1 ||
	    !net_message_again(mp->net, flow, event_user(EVENT_MESSAGE, send)))
		return 0;
	q->more++;
	if (q->mate != NONE)
		mp->reqs[q->mate].more++;
	mp->stats.messages++;
	mp->stats.bytes += q->bytes;
	return 1;
}

/* --- a send --- */

/* The receive that was posted before this one, which waits, if it is that of the segment before it
 * and moves; or NONE. It is in the list of its owner, and this one is next there. */
static uint32_t receive_before(const struct mp *mp, uint32_t recv)
{
	const struct req *r = &mp->reqs[recv], *b;

	if (r->before == NONE || !(r->flags & REQ_INTERNAL))
		return NONE;
	b = &mp->reqs[r->before];
	return b->kind == REQ_RECV && (b->flags & (REQ_LIVE | REQ_DONE)) == REQ_LIVE &&
	               b->owner == r->owner && b->wnext == recv && b->mate != NONE &&
	               b->windex + b->more + 1 == r->windex && b->bytes == r->bytes &&
	               b->peer == r->peer && b->ctx == r->ctx && b->tag == r->tag
	           ? r->before
	           : NONE;
}

/* The first segment of a receive that waits has gone over to the one before it. */
static void receive_gives(struct mp *mp, uint32_t recv, uint32_t before)
{
	struct req *r = &mp->reqs[recv];
	struct waitset *set = &op_at(mp, r->owner)->set;

	if (r->more > 0) {
		r->more--;
		r->windex++;
		return;
	}
	match_remove(mp, recv);
	mp->reqs[before].wnext = r->wnext;
	if (set->last == recv)
		set->last = before;
	else if (mp->reqs[r->wnext].kind == REQ_RECV)
		mp->reqs[r->wnext].before = before;
	r->flags &= (uint16_t)~REQ_LIVE;
	req_release(mp, recv, REQ_HELD);
}

static int send_follows(struct mp *mp, uint32_t id, uint32_t recv, double bytes)
{
	uint32_t before = receive_before(mp, recv), send;
	const struct req *s;

	if (before == NONE || mp->reqs[recv].bytes != bytes)
		return 0;
	send = mp->reqs[before].mate;
	s = &mp->reqs[send];
	if (s->owner != id || s->rank != op_at(mp, id)->rank || s->bytes != bytes ||
	    !has_just_left(mp, s) || !message_grows(mp, send))
		return 0;
	receive_gives(mp, recv, before);
	return 1;
}

/* The last that waits in this queue of sends becomes one more. */
static int send_waits_too(struct mp *mp, uint32_t id, uint32_t first, double bytes)
{
	struct req *last = &mp->reqs[mp->reqs[first].bin.prev];

	if (last->owner != id || !(last->flags & REQ_INTERNAL) || last->bytes != bytes ||
	    last->posted != engine_now(mp->engine) || last->more == NONE - 1)
		return 0;
	if (last->flags & REQ_EAGER)
		return has_just_left(mp, last) && message_grows(mp, mp->reqs[first].bin.prev);
	last->more++;
	return 1;
}

int send_joins(struct mp *mp, uint32_t id, const struct coll_step *s)
{
	const struct op *t = op_at(mp, id);
	double bytes = (double)s->len;
	uint32_t peer, first;

	if (bytes >= mp->detached || !mp->shortcuts.segments)
		return 0;
	peer = comm_member(comm_of_ctx(mp, t->ctx), s->peer);
	if (!ranks_alone(mp, t->rank, peer))
		return 0;
	first = match_first(mp, t->ctx, peer, t->rank, (int32_t)t->number);
	if (first == NONE)
		return 0;
	return mp->reqs[first].kind == REQ_SEND ? send_waits_too(mp, id, first, bytes)
	                                        : send_follows(mp, id, first, bytes);
}

/* --- a receive --- */

/* It waits still, and so does the one to be posted. */
static int receive_waits_too(struct mp *mp, struct req *last)
{
	if (last->mate != NONE || last->flags & REQ_DONE)
		return 0;
	last->more++;
	if (mp->transport->received)
		mp->transport->received(mp, last->rank);
	return 1;
}

/* The message that waits for it, of those that move as `before` does, becomes part of that. */
static int rider_rejoins(struct mp *mp, uint32_t before, uint32_t rider)
{
	struct req *b = &mp->reqs[before];

	if (b->rider != rider || b->more == NONE - 1)
		return 0;
	b->more++;
	mp->reqs[b->mate].more++;
	if (mp->reqs[rider].more == 0)
		b->rider = NONE;
	return 1;
}

/* The one before it got its message, which moves, and the next of that sender waits. */
static int receive_follows(struct mp *mp, uint32_t recv)
{
	const struct req *r = &mp->reqs[recv], *s;
	struct req *next;
	uint32_t first;

	if (r->mate == NONE || r->flags & REQ_DONE || !mp->shortcuts.segments ||
	    !ranks_alone(mp, r->peer, r->rank))
		return 0;
	s = &mp->reqs[r->mate];
	first = match_first(mp, r->ctx, r->rank, r->peer, r->tag);
	next = first == NONE ? NULL : &mp->reqs[first];
	if (!next || next->kind != REQ_SEND || !(next->flags & REQ_DETACHED) ||
	    next->owner != s->owner || next->bytes != s->bytes || !(next->flags & REQ_INTERNAL))
		return 0;
	if (next->flags & REQ_MOVING ? !rider_rejoins(mp, r->mate, first)
	                             : !has_just_left(mp, s) || !message_grows(mp, r->mate))
		return 0;
	if (next->more > 0) {
		next->more--;
		return 1;
	}
	match_remove(mp, first);
	req_release(mp, first, REQ_LIVE);
	return 1;
}

int receive_joins(struct mp *mp, struct op *t, const struct coll_step *s)
{
	uint32_t last = t->set.last;
	struct req *q;

	if (s->kind != STEP_IRECV || last == NONE || mp->data)
		return 0;
	q = &mp->reqs[last];
	if (q->kind != REQ_RECV || q->bytes != (double)s->len ||
	    q->windex + q->more + 1 != s->req || q->posted != engine_now(mp->engine) ||
	    q->peer != comm_member(comm_of_ctx(mp, t->ctx), s->peer))
		return 0;
	return receive_waits_too(mp, q) || receive_follows(mp, last);
}

/* --- waiting --- */

int receive_has_more(const struct mp *mp, uint32_t r)
{
	const struct req *q = &mp->reqs[r];

	return q->kind == REQ_RECV && q->more > 0;
}

void receive_give_one(struct mp *mp, struct op *t, uint32_t r)
{
	mp->reqs[r].more--;
	mp->reqs[r].windex++;
	t->bytes += mp->reqs[r].bytes;
}
