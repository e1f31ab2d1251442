/* short.c: the shortest way of the commonest calls: sends and receives of plain messages, and waits
 * for one request that is complete already. What such a call does, and in which order, is what
 * p2p.c and wait.c do; but an operation is made only if the call blocks, and then as it would be
 * found in its wait, or while it waits for its next turn (turns.c). A call takes the long way if
 * its rank pays for sending (overheads, or a port that sends), or has collectives to push on, or if
 * anything looks closer (locked mailboxes, an explanation).
 *
 *   send, receive:  request made --transfer_post--> complete: ended | operation that waits (wait.c
 *                   goes on with it) | operation that has posted (p2p.c does) */
#include "mp/comm/comm.h"
#include "mp/message/message.h"
#include "mp/report/report.h"
#include "mp/transport_int.h"
#include "p2p.h"

void shortcuts_choose(struct mp *mp)
{
	const struct mp_transport *t = mp->transport;
	int watched = mp->watch || mp->rules.turns;

	mp->shortcuts.calls = !mp->watch && !mp->turns.post && t->short_way && !mp->overheads.local;
	mp->shortcuts.segments = !watched && t->alike && !mp->data && !mp->noise;
	mp->shortcuts.sends = !watched && !t->reacts && !t->send && !mp->data;
	/* no shortcuts: dates depend on them, and so not on who looks */
	mp->periods.messages = mp->rules.turns ? 0 : config_number(mp->cfg, CFG_SMPI_RING_MESSAGES);
	mp->segment_error = t->alike && !mp->noise && !mp->rules.turns
	                        ? config_number(mp->cfg, CFG_SMPI_SEGMENT_ERROR)
	                        : 0;
}

int message_is_short(const struct mp *mp, uint32_t rank, enum req_kind kind,
                     const struct mp_message *m)
{
	return mp->shortcuts.calls && message_is_plain(mp, m) && !mp->ranks[rank].stalled &&
	       (kind == REQ_RECV || (!mp->transport->send && overheads_none(mp, rank)));
}

/* The call has ended, and got r if that is a receive. bytes: as observers see them. */
static void ended(struct mp *mp, uint32_t rank, enum mp_call call, const struct req *got,
                  int32_t partner, double bytes)
{
	mp->result.source = got ? (int32_t)got->peer : MP_ANY;
	mp->result.tag = got ? got->tag : MP_ANY;
	mp->result.bytes = got ? got->bytes : 0;
	mp->result.flag = 0;
	if (mp->observers.n)
		observe_leave(mp, rank, call, partner, bytes, 0);
}

/* The operation that the call is from here on: its message is posted. NULL on error. */
static struct op *posted(struct mp *mp, uint32_t rank, uint32_t r, enum mp_call call,
                         int32_t partner, enum wait_mode mode, struct err *err)
{
	struct op *op = op_make(mp, rank, call, issue_and_wait, err);
	struct req *q = &mp->reqs[r];

	if (!op)
		return NULL;
	op->partner = partner;
	op->bytes = q->kind == REQ_SEND ? q->bytes : 0;
	op->mode = (uint8_t)mode;
	op->set.first = op->set.last = r;
	q->wnext = NONE;
	return op;
}

static int blocks(struct mp *mp, uint32_t rank, uint32_t r, enum mp_call call, int32_t partner,
                  struct err *err)
{
	struct op *op = posted(mp, rank, r, call, partner, WAIT_ALL, err);

	return op ? wait_begin(mp, op, err) : MP_ERROR;
}

int message_short(struct mp *mp, uint32_t rank, enum req_kind kind, const struct mp_message *m,
                  enum mp_mode mode, enum mp_call call, struct mp_request *out, struct err *err)
{
	struct req *q;
	uint32_t r;

	call_begin(mp, rank);
	r = req_new(mp, kind, rank, REQ_HELD, err);
	if (r == NONE)
		return MP_ERROR;
	q = &mp->reqs[r];
	q->peer = (uint32_t)m->peer;
	q->tag = m->tag;
	q->ctx = comm_at(mp, MP_COMM_WORLD.v)->ctx;
	q->bytes = m->bytes;
	q->data = m->types < TYPES_COMPLEX ? m->types : DATA_ANY;
	q->call = (uint8_t)call;
	if (kind == REQ_SEND)
		send_prepare(mp, r, mode, out != NULL);
	if (data_side(mp, r, err) < 0)
		return MP_ERROR;
	if (mp->observers.n)
		observe_enter(mp, rank, call);
	if (transfer_post(mp, r, err) < 0)
		return MP_ERROR;
	q = &mp->reqs[r];
	if (out)
		out->v = r;
	if (turns_are_taken(mp) && turn_ends(mp, rank))
		return posted(mp, rank, r, call, m->peer, out ? WAIT_NONE : WAIT_ALL, err)
		           ? MP_BLOCKED
		           : MP_ERROR;
	if (!out) {
		if (!(q->flags & REQ_DONE) || recv_overhead(mp, r) > 0)
			return blocks(mp, rank, r, call, m->peer, err);
		if (turns_are_taken(mp))
			turn_waits(mp, rank);
		req_release(mp, r, REQ_HELD);
	}
	mp->result.n = 0;
	ended(mp, rank, call, kind == REQ_RECV && !out ? q : NULL, m->peer,
	      kind == REQ_SEND || !out ? q->bytes : 0);
	return MP_DONE;
}

int wait_is_short(const struct mp *mp, uint32_t rank, struct mp_request q)
{
	const struct req *r = &mp->reqs[q.v];

	return mp->shortcuts.calls && q.v < mp->n_reqs && r->rank == rank &&
	       (!turns_are_taken(mp) || mp->ready.n == 0 || r->flags & REQ_DETACHED) &&
	       (r->kind == REQ_SEND || r->kind == REQ_RECV) && r->peer < mp->n_ranks &&
	       !mp->ranks[rank].stalled &&
	       (r->flags & (REQ_HELD | REQ_DONE | REQ_CANCELLED | REQ_INTERNAL | REQ_STARTED)) ==
	           (REQ_HELD | REQ_DONE) &&
	       !(recv_overhead(mp, q.v) > 0);
}

int wait_short(struct mp *mp, uint32_t rank, uint32_t r, enum mp_call call, struct err *err)
{
	const struct req *q = &mp->reqs[r];
	int receives = q->kind == REQ_RECV;

	call_begin(mp, rank);
	if (turns_are_taken(mp))
		turn_waits(mp, rank);
	if (mp->observers.n)
		observe_enter(mp, rank, call);
	mp->result.n = 0;
	if (result_add(mp, 0, err) < 0)
		return MP_ERROR;
	req_release(mp, r, REQ_HELD);
	ended(mp, rank, call, receives ? q : NULL, (int32_t)q->peer, receives ? q->bytes : 0);
	return MP_DONE;
}
