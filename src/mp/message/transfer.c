/* transfer.c: the protocols: when a message moves, and when its two sides are complete (SMPI's
 * rules, docs/models.md).
 *
 *   eager       (size < E, not synchronous)                moves when sent
 *   detached    (size < D or buffered, not synchronous)    its send is complete when posted; it
 *               moves when received, unless eager
 *   rendezvous  (the others)                               moves when both sides are posted; both
 *               are complete when it has arrived
 *
 * Life of a message, with the function behind each arrow:
 *   made --transfer_post--> queued --transfer_join--> matched --transport.matched--> moving
 *   --transfer_end--> delivered
 *   eager:                  queued --transport.post--> moving --transfer_end--> arrived
 *                           --transfer_join--> delivered
 *
 * How it moves is the transport's business (plain.c, stream.c, port.c).
 */
#include "message.h"
#include "mp/comm/comm.h"
#include "mp/report/report.h"
#include "mp/report/watch.h"
#include "mp/transport_int.h"

#include <math.h>

void send_prepare(struct mp *mp, uint32_t r, enum mp_mode mode, int isend)
{
	struct req *q = &mp->reqs[r];

	if (isend)
		q->flags |= REQ_ISEND;
	if (mode == MP_SYNCHRONOUS) {
		q->flags |= REQ_SYNC;
		return;
	}
	if (mode == MP_BUFFERED || q->bytes < mp->detached)
		q->flags |= REQ_DETACHED;
	if (q->bytes < mp->eager)
		q->flags |= REQ_EAGER;
}

/* To a receive without a request, of a collective. completes: so is the send, by that. */
static int row_deliver(struct mp *mp, uint32_t send, int completes, struct err *err)
{
	if (completes && req_complete(mp, send, err) < 0)
		return -1;
	mp->rows.arrives(mp, send);
	req_release(mp, send, REQ_LIVE);
	return 0;
}

/* Both sides are there and the message has arrived. sent: the send is complete too, unless it was
 * before. Else that is told apart (transfer_sent), and until then its request is live. */
static int deliver(struct mp *mp, uint32_t send, int sent, struct err *err)
{
	uint32_t recv = mp->reqs[send].mate;
	int complete = mp->reqs[send].flags & (REQ_DETACHED | REQ_DONE);

	for (uint32_t i = 0; mp->observers.of_messages && i < req_messages(&mp->reqs[send]); i++)
		observe_message(mp, send);
	if (recv == MATE_ROW)
		return row_deliver(mp, send, !complete && sent, err);
	mp->reqs[recv].moved = mp->reqs[send].moved;
	if ((!complete && sent ? both_complete(mp, send, recv, err) : req_complete(mp, recv, err)) <
	    0)
		return -1;
	if (complete || sent)
		req_release(mp, send, REQ_LIVE);
	req_release(mp, recv, REQ_LIVE);
	return 0;
}

/* A message is longer than its receive. Of a running program, whose data its library has, that is
 * told to the rank. */
static int __attribute__((cold))
truncated(struct mp *mp, uint32_t send, uint32_t recv, struct err *err)
{
	const struct req *s = &mp->reqs[send], *r = &mp->reqs[recv];
	char from[REQ_TEXT_MAX], to[REQ_TEXT_MAX];

	if (mp->data && !(s->ctx & CTX_COLL))
		return 0;
	if (mp->program.longer && !(s->ctx & CTX_COLL)) {
		mp_wrong(mp, "%s has %.0f bytes, %s takes at most %.0f (%s)",
		         req_describe(mp, send, from, sizeof from), s->bytes,
		         req_describe(mp, recv, to, sizeof to), r->bytes, mp->program.longer);
		return 0;
	}
	return mp_error(
	    mp, mp->running, err,
	    "a message would be truncated (MPI_ERR_TRUNCATE):\n  sent:     %.0f bytes, %s\n"
	    "  received: at most %.0f bytes, %s",
	    s->bytes, req_describe(mp, send, from, sizeof from), r->bytes,
	    req_describe(mp, recv, to, sizeof to));
}

/* In a collective both sides know how much it is. */
static void __attribute__((cold)) counts_differ(struct mp *mp, uint32_t send, uint32_t recv)
{
	const struct req *s = &mp->reqs[send], *r = &mp->reqs[recv];
	char from[WHERE_MAX], to[WHERE_MAX];

	where_text(mp, s->rank, s->op, from, sizeof from);
	where_text(mp, r->rank, r->op, to, sizeof to);
	mp_wrong(mp,
	         "%s: rank %u (its %s) sends %.0f bytes to rank %u (its %s), which expects %.0f",
	         mp_call_name(s->call), s->rank, from, s->bytes, r->rank, to, r->bytes);
}

/* Signatures (MPI 4.0, 3.3.1): bytes and derived types may stand for anything. */
static void __attribute__((cold)) types_differ(struct mp *mp, uint32_t send, uint32_t recv)
{
	char from[REQ_TEXT_MAX], to[REQ_TEXT_MAX];

	mp_wrong(mp, "%s has %s, %s takes %s", req_describe(mp, send, from, sizeof from),
	         coll_types_text(mp->reqs[send].data), req_describe(mp, recv, to, sizeof to),
	         coll_types_text(mp->reqs[recv].data));
}

int transfer_join(struct mp *mp, uint32_t send, uint32_t recv, struct err *err)
{
	struct req *s = &mp->reqs[send], *r;

	if (recv == MATE_ROW) {
		s->mate = recv;
		return s->flags & REQ_ARRIVED ? deliver(mp, send, 1, err)
		                              : mp->transport->matched(mp, send, err);
	}
	r = &mp->reqs[recv];
	if (mp->data && data_meet_tell(mp, send, recv, err) < 0)
		return -1;
	if (s->bytes > r->bytes && truncated(mp, send, recv, err) < 0)
		return -1;
	if (s->bytes < r->bytes && s->ctx & CTX_COLL)
		counts_differ(mp, send, recv);
	if (s->data != r->data && s->data % DATA_COPIED && r->data % DATA_COPIED && s->bytes > 0)
		types_differ(mp, send, recv);
	s->mate = recv;
	r->mate = send;
	r->peer = s->rank;
	r->tag = s->tag;
	r->bytes = s->bytes;
	if (s->flags & (REQ_DETACHED | REQ_EAGER))
		r->flags |= REQ_PAYS_OR;
	if (s->flags & REQ_MOVING)
		watch_matched(mp, send, r->posted);
	if (s->flags & REQ_ARRIVED) {
		if (mp->overheads.local &&
		    s->rank != r->rank) /* it waits in a buffer of the library */
			r->data = DATA_COPIED;
		return deliver(mp, send, 1, err);
	}
	return mp->transport->matched(mp, send, err);
}

/* The message was queued: a rank that probes for it goes on. One of a collective is none that a
 * look could find. */
static void prober_wake(struct mp *mp, uint32_t send)
{
	const struct req *q = &mp->reqs[send];
	const struct op *op = op_of(mp, q->peer);

	if (q->ctx != comm_at(mp, op->probe.comm.v)->ctx)
		return;
	if ((op->probe.peer == MP_ANY || op->probe.peer == (int32_t)q->rank) &&
	    (op->probe.tag == MP_ANY || op->probe.tag == q->tag)) {
		watch_released_by(mp, q->peer, q->rank);
		rank_released(mp, q->peer);
	}
}

static int post_send(struct mp *mp, uint32_t r, struct err *err)
{
	uint32_t mate;

	if (is_buffered(&mp->reqs[r]) && buffer_fill(mp, r, err) < 0)
		return -1;
	if (match_send(mp, r, &mate, err) < 0 || mp->transport->post(mp, r, mate, err) < 0)
		return -1;
	if (mate != NONE) {
		if (transfer_join(mp, r, mate, err) < 0)
			return -1;
	} else if (mp->ranks[mp->reqs[r].peer].probing) {
		prober_wake(mp, r);
	} else if (!(mp->reqs[r].ctx & CTX_COLL)) {
		watch_glimpsed_by(mp, mp->reqs[r].peer, mp->reqs[r].rank);
		rank_event(mp, mp->reqs[r].peer);
	}
	return mp->reqs[r].flags & REQ_DETACHED ? req_complete(mp, r, err) : 0;
}

int transfer_sent(struct mp *mp, uint32_t send, struct err *err)
{
	path_goes_on(mp, &mp->reqs[send].path);
	if (req_complete(mp, send, err) < 0)
		return -1;
	if (mp->reqs[send].flags & REQ_ARRIVED)
		req_release(mp, send, REQ_LIVE);
	return 0;
}

int transfer_post(struct mp *mp, uint32_t r, struct err *err)
{
	struct req *q = &mp->reqs[r];
	uint32_t mate;

	if (q->peer == PEER_NULL) {
		q->bytes = 0;
		return req_complete(mp, r, err);
	}
	q->flags |= REQ_LIVE;
	q->posted = engine_now(mp->engine);
	if (q->kind == REQ_SEND)
		return post_send(mp, r, err);
	if (mp->transport->received)
		mp->transport->received(mp, q->rank);
	if (q->mate != NONE) /* a matched probe has found its message */
		return transfer_join(mp, q->mate, r, err);
	if (match_recv(mp, r, &mate, err) < 0)
		return -1;
	return mate == NONE ? 0 : transfer_join(mp, mate, r, err);
}

int transfer_end(struct mp *mp, uint32_t send, int sent, struct err *err)
{
	mp->reqs[send].flags |= REQ_ARRIVED;
	path_goes_on(mp, &mp->reqs[send].path);
	if (is_buffered(&mp->reqs[send]) && buffer_empty(mp, send, err) < 0)
		return -1;
	watch_arrived(mp, send);
	if (mp->reqs[send].mate != NONE)
		return deliver(mp, send, sent, err);
	if (mp->reqs[send].flags & REQ_CANCELLED)
		req_release(mp, send, REQ_LIVE);
	return 0;
}
