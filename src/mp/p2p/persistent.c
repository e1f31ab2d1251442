/* persistent.c: persistent requests, and the giving up of requests (MPI_Request_free, MPI_Cancel).
 *
 * A persistent request is a pattern. Started, it makes an ordinary request, its mate, which is what
 * matches, moves and is waited for; complete, the mate is given back and the pattern is inactive
 * again. So that a detached send may be started again while its last message still waits. */
#include "mp/message/message.h"
#include "mp/transport_int.h"
#include "p2p.h"

static int persistent_make(struct mp *mp, uint32_t rank, enum req_kind kind,
                           const struct mp_message *m, enum mp_call call, struct mp_request *out,
                           struct err *err)
{
	uint32_t r = message_make(mp, rank, kind, m, call, err);

	if (r == NONE)
		return MP_ERROR;
	mp->reqs[r].kind = REQ_PERSISTENT;
	out->v = r;
	return MP_DONE;
}

int mp_send_init(struct mp *mp, uint32_t rank, const struct mp_message *m, enum mp_mode mode,
                 struct mp_request *out, struct err *err)
{
	return persistent_make(mp, rank, REQ_SEND, m, send_call(mode, 0), out, err);
}

int mp_recv_init(struct mp *mp, uint32_t rank, const struct mp_message *m, struct mp_request *out,
                 struct err *err)
{
	return persistent_make(mp, rank, REQ_RECV, m, CALL_RECV, out, err);
}

static enum mp_mode mode_of(enum mp_call call)
{
	return call == CALL_SSEND   ? MP_SYNCHRONOUS
	       : call == CALL_BSEND ? MP_BUFFERED
	       : call == CALL_RSEND ? MP_READY
	                            : MP_STANDARD;
}

static int is_partitioned(enum mp_call call)
{
	return call == CALL_PSEND || call == CALL_PRECV;
}

/* The request that a start of `pattern` makes; NONE on error. */
static uint32_t start_one(struct mp *mp, uint32_t rank, uint32_t pattern, struct err *err)
{
	enum mp_call call = mp->reqs[pattern].call;
	enum req_kind kind = is_partitioned(call) ? REQ_HANDLE
	                     : call == CALL_RECV  ? REQ_RECV
	                                          : REQ_SEND;
	uint32_t r = req_new(mp, kind, rank, REQ_HELD | REQ_STARTED, err);
	const struct req *p = &mp->reqs[pattern];
	struct req *q;

	if (r == NONE)
		return NONE;
	q = &mp->reqs[r];
	q->peer = p->peer;
	q->tag = p->tag;
	q->ctx = p->ctx;
	q->bytes = p->bytes;
	q->call = p->call;
	q->data = p->data;
	q->owner = pattern;
	mp->reqs[pattern].mate = r;
	/* SMPI: a persistent send pays the overhead of a blocking one. */
	if (q->kind == REQ_SEND)
		send_prepare(mp, r, mode_of(call), 0);
	if (mp->data && q->kind != REQ_HANDLE && data_again_tell(mp, r, pattern, err) < 0)
		return NONE;
	return r;
}

static int start_check(struct mp *mp, uint32_t rank, struct mp_request q, struct err *err)
{
	if (req_check(mp, rank, q, err) < 0)
		return -1;
	if (mp->reqs[q.v].kind != REQ_PERSISTENT)
		return mp_error(mp, rank, err, "starts request %u, which is not persistent", q.v);
	if (mp->reqs[q.v].mate != NONE)
		return mp_error(mp, rank, err, "starts request %u, which is active", q.v);
	return 0;
}

int mp_start(struct mp *mp, uint32_t rank, const struct mp_request *reqs, uint32_t n,
             struct err *err)
{
	struct op *op = op_begin(mp, rank, CALL_START, issue_and_wait, err);
	uint32_t i, r;

	if (!op)
		return MP_ERROR;
	for (i = 0; i < n; i++) {
		if (start_check(mp, rank, reqs[i], err) < 0)
			return MP_ERROR;
		r = start_one(mp, rank, reqs[i].v, err);
		if (r == NONE)
			return MP_ERROR;
		if (mp->reqs[r].kind != REQ_HANDLE)
			waitset_add(mp, &op->set, r);
		else if (part_start(mp, reqs[i].v, r, err) < 0)
			return MP_ERROR;
	}
	op->mode = WAIT_NONE;
	op->cursor = op->set.first;
	return op_start(mp, op, err);
}

int mp_request_free(struct mp *mp, uint32_t rank, struct mp_request req, struct err *err)
{
	uint32_t active;

	if (req.v == NONE)
		return MP_DONE;
	if (req_check(mp, rank, req, err) < 0)
		return MP_ERROR;
	if (mp->reqs[req.v].kind == REQ_COLL)
		return mp_error(mp, rank, err, "frees the request of a non-blocking collective");
	active = mp->reqs[req.v].kind == REQ_PERSISTENT ? mp->reqs[req.v].mate : NONE;
	if (mp->reqs[req.v].kind == REQ_PERSISTENT && is_partitioned(mp->reqs[req.v].call)) {
		if (active != NONE)
			return mp_error(mp, rank, err,
			                "frees a partitioned request that is active");
		part_free(mp, mp->reqs[req.v].side);
	}
	if (active != NONE) {
		mp->reqs[active].owner = NONE;
		req_release(mp, active, REQ_HELD);
	}
	req_release(mp, req.v, REQ_HELD);
	return MP_DONE;
}

/* Only what has no mate yet can be given up; otherwise nothing happens, as MPI says. */
int mp_cancel(struct mp *mp, uint32_t rank, struct mp_request req, struct err *err)
{
	uint32_t r = req.v;
	struct req *q;
	int moves;

	if (req_check(mp, rank, req, err) < 0)
		return MP_ERROR;
	mp->result.flag = 0;
	if (mp->reqs[r].kind == REQ_PERSISTENT)
		r = mp->reqs[r].mate;
	if (r == NONE || mp->reqs[r].kind == REQ_COLL)
		return mp_error(mp, rank, err, "cancels request %u, which is %s", req.v,
		                r == NONE ? "inactive" : "a collective");
	q = &mp->reqs[r];
	moves = (q->flags & (REQ_MOVING | REQ_ARRIVED)) == REQ_MOVING;
	if (q->kind == REQ_HANDLE || !(q->flags & REQ_LIVE) || q->mate != NONE ||
	    (q->kind == REQ_SEND && mp->transport->keeps && mp->transport->keeps(mp, r)))
		return MP_DONE;
	match_remove(mp, r);
	q->flags |= REQ_CANCELLED | REQ_DONE;
	mp->result.flag = 1;
	if (moves) /* an eager message: dropped when it arrives (transfer.c) */
		return MP_DONE;
	if (is_buffered(q) && buffer_empty(mp, r, err) < 0)
		return MP_ERROR;
	req_release(mp, r, REQ_LIVE);
	return MP_DONE;
}
