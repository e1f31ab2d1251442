/* stream.c: connections (setting smpi/connections:ordered): what two processes send each other goes
 * over one connection, as MPI over TCP does.
 *
 * In each direction what is sent later comes later: a message waits until those before it have
 * passed, it does not share the links with them; its latency runs meanwhile. A message of the
 * rendezvous protocol is asked for, and its request and the answer are small messages on the same
 * connection: an answer waits behind the data that go the same way, which is why two processes that
 * exchange may do so one after the other.
 *
 *   eager         [first] --> rest --> delivered
 *   others        request --> reply --> [first] --> rest --> delivered
 *
 * The request goes when the send is posted; the reply when it is there and its receive is posted;
 * the data when the reply is there. A process sees requests and replies only when it has to wait,
 * tests or probes (smpi/progress:calls), not while it posts: of two that exchange, the later one
 * has sent its own request before it answers. A blocking send is over when all but
 * `smpi/send-buffer` bytes have left the process, which is when `first` has passed: the kernel
 * keeps the others. The same holds for eager ones; without a send buffer they are over at once. The
 * first message between two processes waits for their connection to be made
 * (smpi/connection-setup). It is held until the receiver has seen that there is somebody
 * (first_contact.h).
 *
 * A process that waits takes a while to react to what comes (smpi/notice): an interrupt, to be
 * woken, the library's loop. What has come until then it sees at once, and only then does it go on.
 * So a request that comes shortly after the message that let the process go is answered before the
 * process asks for anything itself. What a message was measured to take contains the time to react
 * to it, and so nothing is later here, but for a request of a process that has not reacted yet
 * because that takes longer than the latency of the message that let it go. A request or reply is
 * there for that time before it is seen by itself, and is seen with whatever lets the process go in
 * it. (That a send is over is told by the kernel that took its bytes: no reaction.)
 *
 * Where hosts are virtual ones of one computer, a message is also work for its processors
 * (virtual-hosts/message-work): part of its latency, longer when they have too much to do. What
 * waits behind another piece goes in the same packets.
 *
 * Messages inside a host, and models that are not flows, know no connections. Invariants: a
 * connection that has pieces has its first one under way; a send has at most one request or reply
 * under way or not polled yet. */
#include "first_contact.h"
#include "mp/message/message.h"
#include "mp/noise/noise.h"
#include "mp/report/watch.h"
#include "mp/transport_int.h"
#include "plain_int.h"
#include "stream_int.h"

#include <math.h>

enum {
	CONTROL_BYTES = 64
}; /* of a request or a reply: headers of 40 to 80 bytes in Open MPI 4.1 and UCX 1.13 */
/* Where a rendezvous is (req.stage of its send). */
enum stage { STAGE_POSTED, STAGE_ASKING, STAGE_ASKED, STAGE_ANSWERING, STAGE_MOVING };

/* How long the rank takes to react, log-normal. Without a seed too these times differ, in the same
 * way in each run: two ranks in step that are let go at the same date do not ask at the same
 * one. */
static double reaction_draw(struct streams *s, uint32_t rank)
{
	return s->delays ? s->notice * exp(s->notice_deviation * rng_normal(&s->delays[rank]))
	                 : s->notice;
}

/* The message goes over a connection. */
static int stream_carries(const struct mp *mp, uint32_t send)
{
	const struct req *q = &mp->reqs[send];

	return mp->ranks[q->rank].host.v != mp->ranks[q->peer].host.v;
}

/* Whether the rank looks at its connections now: it waits. */
static int rank_waits(const struct mp *mp, uint32_t rank)
{
	const struct op *op = mp->ranks[rank].op == NONE ? NULL : op_at(mp, mp->ranks[rank].op);

	if (mp->ranks[rank].ended || !mp->progress.in_calls)
		return 1;
	return op && op->call > CALL_SLEEP && !op->paid &&
	       (op_task(mp, op) == NONE || !op_at(mp, op_task(mp, op))->paid);
}

/* The connection of two ranks: its date of opening is that of both directions. held: the receiver
 * has not seen it. */
static struct stream stream_between(const struct mp *mp, uint32_t from, uint32_t to)
{
	const struct streams *s = streams_of(mp);
	uint32_t back = hash64_find(&s->by_pair, (uint64_t)to << 32 | from);
	struct stream made = {.first = NONE, .last = NONE, .to = to, .next_held = NONE};

	made.open = engine_now(mp->engine) + s->setup;
	if (back != HASH_NONE)
		made.open = s->stream[back].open;
	else
		made.held = s->period > 0 && !s->contact[to].met;
	return made;
}

static int piece_turn(struct mp *mp, uint32_t id, struct err *err);

/* Its receiver has seen it: what is left of making it, and its first message goes. */
static int stream_accept(struct mp *mp, uint32_t at, struct err *err)
{
	struct streams *s = streams_of(mp);
	struct stream *held = &s->stream[at];

	held->held = 0;
	held->open = engine_now(mp->engine) + s->setup * (1 - FIRST_CONTACT_THERE);
	if (held->first == NONE)
		return 0;
	piece_at(s, held->first)->since = engine_now(mp->engine);
	path_goes_on(mp, &mp->reqs[piece_at(s, held->first)->send].path);
	return piece_turn(mp, held->first, err);
}

/* The rank looks all the time from now on, and sees who wants to speak with it. */
static int contact_made(struct mp *mp, uint32_t rank, struct err *err)
{
	struct first_contact *c = &streams_of(mp)->contact[rank];
	uint32_t at;

	c->met = 1;
	while ((at = c->held) != NONE) {
		c->held = streams_of(mp)->stream[at].next_held;
		if (stream_accept(mp, at, err) < 0)
			return -1;
	}
	return 0;
}

/* Somebody waits for the rank to see that he has connected, and the rank waits too. */
static int contact_timer(struct mp *mp, uint32_t rank, double wait, struct err *err)
{
	struct activity_id a;

	return wait > 0 ? engine_timer(mp->engine, wait, event_user(EVENT_CONTACT, rank), &a, err)
	                : contact_made(mp, rank, err);
}

/* The rank begins to wait, or tests; or it is time to look. */
static int contact_look(struct mp *mp, uint32_t rank, struct err *err)
{
	struct first_contact *c = &streams_of(mp)->contact[rank];
	double wait;

	if (c->met || !(streams_of(mp)->period > 0))
		return 0;
	wait = first_contact_enter(c, streams_of(mp)->period, engine_now(mp->engine));
	return c->held == NONE ? 0 : contact_timer(mp, rank, wait, err);
}

/* A connection has reached its receiver's kernel. */
static int stream_reaches(struct mp *mp, uint32_t at, struct err *err)
{
	struct streams *s = streams_of(mp);
	const uint32_t to = s->stream[at].to;
	struct first_contact *c = &s->contact[to];

	if (c->met)
		return stream_accept(mp, at, err);
	s->stream[at].next_held = c->held;
	c->held = at;
	if (!rank_waits(mp, to))
		return 0;
	return contact_timer(mp, to, first_contact_next(c, s->period, engine_now(mp->engine)), err);
}

static int stream_get(struct mp *mp, uint32_t from, uint32_t to, uint32_t *out, struct err *err)
{
	struct streams *s = streams_of(mp);
	uint64_t key = (uint64_t)from << 32 | to;
	struct activity_id a;
	struct stream *grown;

	*out = hash64_find(&s->by_pair, key);
	if (*out != HASH_NONE)
		return 0;
	if (contact_made(mp, from, err) < 0) /* who connects looks for what comes, too */
		return -1;
	grown = vec_grow(s->stream, &s->cap, sizeof *grown, (size_t)s->n + 1, "connections", err);
	if (!grown)
		return -1;
	s->stream = grown;
	grown[s->n] = stream_between(mp, from, to);
	*out = s->n++;
	if (hash64_put(&s->by_pair, key, *out, err) < 0)
		return -1;
	return grown[*out].held ? engine_timer(mp->engine, s->setup * FIRST_CONTACT_THERE,
	                                       event_user(EVENT_REACHED, *out), &a, err)
	                        : contact_made(mp, to, err);
}

static const struct stream *stream_at(const struct mp *mp, uint32_t from, uint32_t to)
{
	return &streams_of(mp)
	            ->stream[hash64_find(&streams_of(mp)->by_pair, (uint64_t)from << 32 | to)];
}

static int stream_has_data(const struct mp *mp, uint32_t from, uint32_t to)
{
	uint32_t at = hash64_find(&streams_of(mp)->by_pair, (uint64_t)from << 32 | to);

	return at != HASH_NONE && streams_of(mp)->stream[at].data > 0;
}

static int is_split(const struct streams *s, const struct req *q)
{
	return s->buffer > 0 && q->bytes > s->buffer && !(q->flags & REQ_DETACHED);
}

/* Its data go in two pieces: the first ends with EVENT_SENT. */
static int stream_splits(const struct mp *mp, uint32_t send)
{
	return stream_carries(mp, send) && is_split(streams_of(mp), &mp->reqs[send]);
}

/* How much of the message's transfer a piece of its data is, and since when its latency has run. */
static double piece_part(const struct mp *mp, const struct piece *p, double *waited)
{
	const struct req *q = &mp->reqs[p->send];
	int split = is_split(streams_of(mp), q);

	*waited = p->kind == PIECE_REST && split ? INFINITY : engine_now(mp->engine) - p->since;
	if (p->kind == PIECE_FIRST)
		return 1 - streams_of(mp)->buffer / q->bytes;
	return p->kind == PIECE_REST && split ? streams_of(mp)->buffer / q->bytes : 1;
}

/* What a request or reply costs the two processes, s: as a message of its size. Nobody is in a call
 * for it, so it adds to its latency. */
static double control_cost(const struct mp *mp, uint32_t from, uint32_t to)
{
	const struct overheads *f = &mp->overheads.at[mp->ranks[from].overheads],
	                       *t = &mp->overheads.at[mp->ranks[to].overheads];

	return noise_run(mp, CONTROL_BYTES) * (overhead_lookup(&f->os, CONTROL_BYTES, 0) +
	                                       overhead_lookup(&t->or_, CONTROL_BYTES, 0));
}

static int is_control(const struct piece *p)
{
	return p->kind == PIECE_REQUEST || p->kind == PIECE_REPLY;
}

/* What the latency of a piece that was just started has of the time to react to it. waited: s that
 * were taken off it. */
static void reaction_part(struct mp *mp, uint32_t id, uint32_t to, double waited, double latency)
{
	struct streams *s = streams_of(mp);
	struct piece *p = piece_at(s, id);

	if (is_control(p))
		p->polling_delay = fmin(fmax(s->notice - fmax(waited - latency, 0), 0), s->notice);
	else
		p->short_ = fmax(0, reaction_draw(s, to) - latency);
}

/* What net is told of a piece that starts now between two ranks. */
static struct net_part part_describe(struct mp *mp, const struct piece *p, uint32_t from,
                                     uint32_t to)
{
	struct net_part part = {.answered = stream_has_data(mp, to, from),
	                        .backlog = mp->noise ? 2 * noise_unit(mp->noise, from) : 1};
	double open = stream_at(mp, from, to)->open, now = engine_now(mp->engine);

	part.part = piece_part(mp, p, &part.waited);
	part.joined = p->since < now && !p->worked;
	if (is_control(p))
		part.waited -= control_cost(mp, from, to);
	if (p->kind == PIECE_REST && part.part < 1)
		part.backlog = 0;
	if (open > now)
		part.waited -= open - now;
	if (is_control(p))
		part.waited += streams_of(mp)->notice;
	return part;
}

/* The first piece of a connection, which is free for it now. */
static int piece_start(struct mp *mp, uint32_t id, struct err *err)
{
	const struct piece p = *piece_at(streams_of(mp), id);
	const struct req *q = &mp->reqs[p.send];
	const int control = is_control(&p), back = p.kind == PIECE_REPLY;
	const uint32_t from = back ? q->peer : q->rank, to = back ? q->rank : q->peer;
	const enum event_kind event = control                 ? EVENT_CONTROL
	                              : p.kind == PIECE_FIRST ? EVENT_SENT
	                                                      : EVENT_MESSAGE;
	const struct net_part part = part_describe(mp, &p, from, to);
	const struct net_send send = {.from = mp->ranks[from].host,
	                              .to = mp->ranks[to].host,
	                              .bytes = (control ? CONTROL_BYTES : q->bytes) + mp->envelope,
	                              .stretch = p.factor,
	                              .user = event_user(event, p.send),
	                              .part = &part};
	struct net_sent sent = {.activity = ACTIVITY_NONE};

	mp->reqs[p.send].path = *path_now(mp);
	if (!control && (p.kind == PIECE_FIRST || part.part == 1)) {
		mp->reqs[p.send].moved = engine_now(mp->engine);
		watch_begins(mp, p.send);
	}
	if (net_message(mp->net, &send, &sent, err) < 0)
		return message_refused(mp, p.send, err);
	if (!control)
		watch_moves(mp, p.send, sent.activity);
	if (streams_of(mp)->notice > 0)
		reaction_part(mp, id, to, part.waited, sent.latency);
	return 0;
}

/* The first piece of a connection may go. */
static int stream_worked(struct mp *mp, uint32_t piece, struct err *err)
{
	struct piece *p = piece_at(streams_of(mp), piece);

	path_goes_on(mp, &mp->reqs[p->send].path);
	p->worked = 1;
	p->since = engine_now(mp->engine) -
	           streams_of(mp)
	               ->work; /* this much of its latency is over, however long it took */
	return piece_start(mp, piece, err);
}

/* Its turn has come. What follows other pieces goes with them. */
static int piece_turn(struct mp *mp, uint32_t id, struct err *err)
{
	const struct piece *p = piece_at(streams_of(mp), id);

	if (!(streams_of(mp)->work > 0) || p->since < engine_now(mp->engine))
		return piece_start(mp, id, err);
	mp->reqs[p->send].path = *path_now(mp);
	return net_work(mp->net, streams_of(mp)->work, event_user(EVENT_WORKED, id), err);
}

/* Sends whose bytes, with those before them, are in the kernel's hands. */
static int kept_complete(struct mp *mp, uint32_t at, struct err *err)
{
	double bytes = 0;

	for (uint32_t id = streams_of(mp)->stream[at].first, next; id != NONE; id = next) {
		const struct piece p = *piece_at(streams_of(mp), id);

		next = p.next;
		bytes += p.bytes;
		if (bytes > streams_of(mp)->buffer)
			break;
		if (p.kind == PIECE_REST && !(mp->reqs[p.send].flags & (REQ_DONE | REQ_DETACHED)) &&
		    req_complete(mp, p.send, err) < 0)
			return -1;
	}
	return 0;
}

static int piece_push(struct mp *mp, uint32_t send, enum piece_kind kind, double factor,
                      struct err *err)
{
	const struct req *q = &mp->reqs[send];
	struct streams *s = streams_of(mp);
	double waited;
	uint32_t to = kind == PIECE_REPLY ? q->rank : q->peer, id = slots_take(&s->pieces, err), at;

	if (id == NONE || stream_get(mp, kind == PIECE_REPLY ? q->peer : q->rank, to, &at, err) < 0)
		return -1;
	*piece_at(s, id) = (struct piece){.send = send,
	                                  .next = NONE,
	                                  .kind = (uint8_t)kind,
	                                  .since = engine_now(mp->engine),
	                                  .factor = factor};
	if (kind == PIECE_FIRST || kind == PIECE_REST)
		piece_at(s, id)->bytes = q->bytes * piece_part(mp, piece_at(s, id), &waited);
	if (s->stream[at].first != NONE) {
		piece_at(s, s->stream[at].last)->next = id;
		s->stream[at].last = id;
		return 0;
	}
	s->stream[at].first = s->stream[at].last = id;
	return s->stream[at].held ? 0 : piece_turn(mp, id, err);
}

static double noise(struct mp *mp, uint32_t rank, double bytes)
{
	return mp->noise ? noise_message(mp->noise, rank, bytes) : 1;
}

/* Its data go, behind what is on the connection already. */
static int data_push(struct mp *mp, uint32_t send, struct err *err)
{
	struct req *q = &mp->reqs[send];
	double factor = noise(mp, q->rank, q->bytes);
	int split = is_split(streams_of(mp), q);
	uint32_t at;

	q->stage = STAGE_MOVING;
	q->flags |= REQ_MOVING;
	q->moved = engine_now(mp->engine);
	mp->stats.messages++;
	mp->stats.bytes += q->bytes;
	if ((split && piece_push(mp, send, PIECE_FIRST, factor, err) < 0) ||
	    piece_push(mp, send, PIECE_REST, factor, err) < 0)
		return -1;
	if (!(streams_of(mp)->buffer > 0))
		return 0;
	q = &mp->reqs[send];
	return stream_get(mp, q->rank, q->peer, &at, err) < 0 ? -1 : kept_complete(mp, at, err);
}

static int control_push(struct mp *mp, uint32_t send, enum piece_kind kind, struct err *err)
{
	struct req *q = &mp->reqs[send];

	q->stage = kind == PIECE_REQUEST ? STAGE_ASKING : STAGE_ANSWERING;
	return piece_push(mp, send, kind,
	                  noise(mp, kind == PIECE_REQUEST ? q->rank : q->peer, CONTROL_BYTES), err);
}

static int stream_post(struct mp *mp, uint32_t send, uint32_t mate, struct err *err)
{
	const struct req *q = &mp->reqs[send];
	uint32_t at;

	if (!stream_carries(mp, send))
		return plain_post(mp, send, mate, err);
	mp->reqs[send].stage = STAGE_POSTED;
	mp->reqs[send].path = *path_now(mp);
	if (stream_get(mp, q->rank, q->peer, &at, err) < 0)
		return -1;
	streams_of(mp)->stream[at].data++;
	if (mp->reqs[send].flags & REQ_EAGER) {
		if (streams_of(mp)->buffer > 0 && !is_buffered(q))
			mp->reqs[send]
			    .flags &= (uint16_t)~REQ_DETACHED; /* kept_complete, or EVENT_SENT */
		return data_push(mp, send, err);
	}
	if (streams_of(mp)->notice > 0 &&
	    streams_of(mp)->reacts[q->rank].until > engine_now(mp->engine)) {
		struct activity_id a;

		return engine_timer(mp->engine,
		                    streams_of(mp)->reacts[q->rank].until - engine_now(mp->engine),
		                    event_user(EVENT_ASK, send), &a, err);
	}
	return control_push(mp, send, PIECE_REQUEST, err);
}

static int stream_matched(struct mp *mp, uint32_t send, struct err *err)
{
	if (!stream_carries(mp, send))
		return plain_matched(mp, send, err);
	return mp->reqs[send].stage == STAGE_ASKED ? control_push(mp, send, PIECE_REPLY, err) : 0;
}

/* A request or reply is seen by whom it concerns. */
static int control_seen(struct mp *mp, uint32_t send, struct err *err)
{
	struct req *q = &mp->reqs[send];

	if (q->stage != STAGE_ASKING)
		return data_push(mp, send, err);
	q->stage = STAGE_ASKED;
	return q->mate == NONE ? 0 : control_push(mp, send, PIECE_REPLY, err);
}

static int unpolled_add(struct mp *mp, uint32_t rank, uint32_t send, struct err *err)
{
	struct streams *s = streams_of(mp);
	uint32_t id = slots_take(&s->pieces, err), *at;

	if (id == NONE)
		return -1;
	*piece_at(s, id) = (struct piece){.send = send, .next = NONE};
	for (at = &s->unpolled[rank]; *at != NONE; at = &piece_at(s, *at)->next)
		;
	*at = id;
	return 0;
}

static int streams_see(struct mp *mp, uint32_t rank, struct err *err)
{
	struct streams *s = streams_of(mp);
	uint32_t id, send;

	while ((id = s->unpolled[rank]) != NONE) {
		s->unpolled[rank] = piece_at(s, id)->next;
		send = piece_at(s, id)->send;
		slots_give(&s->pieces, id);
		path_goes_on(mp, &mp->reqs[send].path);
		if (control_seen(mp, send, err) < 0)
			return -1;
	}
	return 0;
}

static int streams_react(struct mp *mp, uint32_t rank, struct err *err)
{
	struct reaction *r = streams_of(mp)->reacts ? &streams_of(mp)->reacts[rank] : NULL;

	if (!r || !r->let_go) /* what it waited for was there: it has not looked */
		return 0;
	r->let_go = 0;
	return streams_see(mp, rank, err);
}

/* It is asked for, its rank having reacted. */
static int stream_ask(struct mp *mp, uint32_t send, struct err *err)
{
	uint32_t rank = mp->reqs[send].rank;

	path_goes_on(mp, &mp->reqs[send].path);
	if (rank_waits(mp, rank) && streams_see(mp, rank, err) < 0)
		return -1;
	return control_push(mp, send, PIECE_REQUEST, err);
}

/* A rank that waits sees what has come. */
static int streams_look(struct mp *mp, uint32_t rank, struct err *err)
{
	return rank_waits(mp, rank) ? streams_see(mp, rank, err) : 0;
}

/* It begins to wait, or tests. */
static int streams_enter(struct mp *mp, uint32_t rank, struct err *err)
{
	return contact_look(mp, rank, err) < 0 ? -1 : streams_see(mp, rank, err);
}

/* A request or reply has come to whom it concerns. */
static int control_arrived(struct mp *mp, uint32_t send, uint32_t rank, double polling_delay,
                           struct err *err)
{
	struct activity_id a;

	if (rank_waits(mp, rank) &&
	    (polling_delay <= 0 || mp->ranks[rank].ended)) /* and what came before it */
		return streams_see(mp, rank, err) < 0 ? -1 : control_seen(mp, send, err);
	if (unpolled_add(mp, rank, send, err) < 0)
		return -1;
	return polling_delay > 0
	           ? engine_timer(mp->engine, polling_delay, event_user(EVENT_LOOK, rank), &a, err)
	           : 0;
}

/* The first piece of a connection has passed: the next one may. */
static int stream_pop(struct mp *mp, uint32_t from, uint32_t to, struct err *err)
{
	struct streams *s = streams_of(mp);
	uint32_t at = hash64_find(&s->by_pair, (uint64_t)from << 32 | to), id = s->stream[at].first;

	s->stream[at].first = piece_at(s, id)->next;
	slots_give(&s->pieces, id);
	if (s->stream[at].first == NONE)
		return 0;
	if (piece_turn(mp, s->stream[at].first, err) < 0)
		return -1;
	return s->buffer > 0 ? kept_complete(mp, at, err) : 0;
}

/* A piece has passed: of a message (MESSAGE, SENT), or a request or reply (CONTROL). */
static int piece_passed(struct mp *mp, enum event_kind kind, uint32_t send, struct err *err)
{
	const uint32_t from = mp->reqs[send].rank, to = mp->reqs[send].peer;
	int back = kind == EVENT_CONTROL && mp->reqs[send].stage == STAGE_ANSWERING;
	struct stream *s;
	struct piece p;

	if (!stream_carries(mp, send))
		return transfer_end(mp, send, 1, err);
	path_goes_on(mp, &mp->reqs[send].path);
	s = &streams_of(mp)
	         ->stream[hash64_find(&streams_of(mp)->by_pair, back ? (uint64_t)to << 32 | from
	                                                             : (uint64_t)from << 32 | to)];
	p = *piece_at(streams_of(mp), s->first);
	if (kind == EVENT_MESSAGE)
		s->data--;
	if (stream_pop(mp, back ? to : from, back ? from : to, err) < 0)
		return -1;
	if (kind == EVENT_CONTROL)
		return control_arrived(mp, send, back ? from : to, p.polling_delay, err);
	if (kind == EVENT_SENT)
		return transfer_sent(mp, send, err);
	if (streams_of(mp)->notice > 0 && rank_waits(mp, to))
		streams_of(mp)->reacts[to] = (struct reaction){engine_now(mp->engine) + p.short_,
		                                               1};
	return transfer_end(mp, send, 1, err);
}

static int stream_event(struct mp *mp, enum event_kind kind, uint32_t slot, struct err *err)
{
	switch (kind) {
	case EVENT_LOOK:
		return streams_look(mp, slot, err);
	case EVENT_WORKED:
		return stream_worked(mp, slot, err);
	case EVENT_REACHED:
		return stream_reaches(mp, slot, err);
	case EVENT_CONTACT:
		return rank_waits(mp, slot) ? contact_look(mp, slot, err) : 0;
	case EVENT_ASK:
		return stream_ask(mp, slot, err);
	default:
		return piece_passed(mp, kind, slot, err);
	}
}

const struct mp_transport transport_streams = {
    .init = streams_init,
    .release = streams_release,
    .post = stream_post,
    .matched = stream_matched,
    .event = stream_event,
    .looks = streams_enter,
    .reacts = streams_react,
    .splits = stream_splits,
    .keeps = stream_carries, /* the receiver knows of it */
    .ordered = 1,
};
