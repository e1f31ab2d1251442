/* p2p.c: sends and receives. All are one operation: a list of requests that are issued in order,
 * each send after its overhead, and then perhaps waited for (wait.c). A blocking send is issue and
 * wait of one, MPI_Sendrecv of two, MPI_Isend an issue without wait. */
#include "p2p.h"
#include "mp/comm/comm.h"
#include "mp/message/message.h"
#include "mp/transport_int.h"

#include <math.h>

enum mp_call send_call(enum mp_mode mode, int immediate)
{
	static const enum mp_call calls[2][4] = {
	    {CALL_SEND, CALL_SSEND, CALL_BSEND, CALL_RSEND},
	    {CALL_ISEND, CALL_ISSEND, CALL_IBSEND, CALL_IRSEND},
	};
	return calls[immediate][mode];
}

int message_check(struct mp *mp, uint32_t rank, enum req_kind kind, const struct mp_message *m,
                  struct err *err)
{
	const struct comm *c;

	if (message_is_plain(mp, m))
		return 0;
	c = comm_get(mp, rank, m->comm, err);
	if (!c)
		return -1;
	if (m->peer == MP_PROC_NULL)
		return 0;
	if (m->tag < 0 && !(kind == REQ_RECV && m->tag == MP_ANY))
		return mp_error(mp, rank, err, "tag %d: a tag is 0 or more", m->tag);
	if (!(m->bytes >= 0) || (kind == REQ_SEND && isinf(m->bytes)))
		return mp_error(mp, rank, err, "a message of %g bytes", m->bytes);
	if (m->peer == MP_ANY && kind == REQ_RECV)
		return 0;
	if (m->peer >= 0 && c->split &&
	    comm_same_side(c, comm_place(c, rank), comm_place(c, (uint32_t)m->peer)))
		return mp_error(
		    mp, rank, err,
		    "%s rank %d, which is not in the other group of intercommunicator %u",
		    kind == REQ_SEND ? "sends to" : "receives from", m->peer, m->comm.v);
	if (m->peer < 0 || comm_place(c, (uint32_t)m->peer) < 0)
		return mp_error(
		    mp, rank, err, "%s rank %d, which is not in communicator %u (%u ranks)",
		    kind == REQ_SEND ? "sends to" : "receives from", m->peer, m->comm.v, c->n);
	return 0;
}

uint32_t message_make(struct mp *mp, uint32_t rank, enum req_kind kind, const struct mp_message *m,
                      enum mp_call call, struct err *err)
{
	struct req *q;
	uint32_t r;

	if (message_check(mp, rank, kind, m, err) < 0)
		return NONE;
	r = req_new(mp, kind, rank, REQ_HELD, err);
	if (r == NONE)
		return NONE;
	q = &mp->reqs[r];
	q->peer = m->peer == MP_PROC_NULL ? PEER_NULL
	          : m->peer == MP_ANY     ? ANY_PEER
	                                  : (uint32_t)m->peer;
	q->tag = m->peer == MP_PROC_NULL ? MP_ANY : m->tag;
	q->ctx = comm_at(mp, m->comm.v)->ctx;
	q->bytes = m->bytes;
	q->call = (uint8_t)call;
	q->data = m->packed != 0 && mp->overheads.local ? DATA_COPIED
	          : m->types < TYPES_COMPLEX            ? m->types
	                                                : DATA_ANY;
	return data_side(mp, r, err) < 0 ? NONE : r;
}

/* Ports: a send is posted at once, and the rank goes on when its port has done with it. */
static int issue_from_port(struct mp *mp, struct op *op, struct err *err)
{
	uint32_t r = op->cursor;

	if (!op->paid) {
		op->paid = 1;
		op->bytes += mp->reqs[r].bytes;
		return mp->transport->send(mp, r, 1, err) < 0 ? MP_ERROR : MP_BLOCKED;
	}
	op->paid = 0;
	op->cursor = mp->reqs[r].wnext;
	return MP_DONE;
}

/* One request, the one at the cursor; a send is posted after its overhead. */
static int issue_one(struct mp *mp, struct op *op, struct err *err)
{
	uint32_t r = op->cursor;
	int sends = mp->reqs[r].kind == REQ_SEND && mp->reqs[r].peer != PEER_NULL;
	double cost = op->paid || !sends ? 0 : send_overhead(mp, r);
	int turns = turns_are_taken(mp) && mp->reqs[r].peer != PEER_NULL;

	if (mp->transport->send && sends)
		return issue_from_port(mp, op, err);
	if (cost > 0) {
		op->paid = 1;
		return op_sleep(mp, op, cost, err);
	}
	if (turns && !turn_posts(mp, op->rank, r)) {
		op->paid = 1;
		return MP_BLOCKED;
	}
	if (mp->reqs[r].kind == REQ_SEND && mp->reqs[r].peer != PEER_NULL)
		op->bytes += mp->reqs[r].bytes;
	op->cursor = mp->reqs[r].wnext;
	op->paid = 0;
	if (transfer_post(mp, r, err) < 0)
		return MP_ERROR;
	return turns && turn_ends(mp, op->rank) ? MP_BLOCKED : MP_DONE;
}

static int issue(struct mp *mp, struct op *op, struct err *err)
{
	int status;

	while (op->cursor != NONE) {
		status = issue_one(mp, op, err);
		if (status != MP_DONE)
			return status;
	}
	return MP_DONE;
}

enum { ISSUING, WAITING };

int issue_and_wait(struct mp *mp, struct op *op, struct err *err)
{
	int status;

	if (op->stage != ISSUING)
		return wait_go(mp, op, err);
	status = issue(mp, op, err);
	if (status != MP_DONE || op->mode == WAIT_NONE)
		return status;
	return wait_begin(mp, op, err);
}

/* One message; *out: its request, or NULL for a blocking call. */
static int message_begin(struct mp *mp, uint32_t rank, enum req_kind kind,
                         const struct mp_message *m, enum mp_mode mode, enum mp_call call,
                         struct mp_request *out, struct err *err)
{
	struct op *op;
	uint32_t r;

	if (message_is_short(mp, rank, kind, m))
		return message_short(mp, rank, kind, m, mode, call, out, err);
	op = op_begin(mp, rank, call, issue_and_wait, err);
	if (!op)
		return MP_ERROR;
	r = message_make(mp, rank, kind, m, call, err);
	if (r == NONE) {
		op_abandon(mp, op);
		return MP_ERROR;
	}
	if (kind == REQ_SEND)
		send_prepare(mp, r, mode, out != NULL);
	op->partner = m->peer >= 0 ? m->peer : -1;
	op->mode = out ? WAIT_NONE : WAIT_ALL;
	waitset_add(mp, &op->set, r);
	op->cursor = r;
	if (out)
		out->v = r;
	return op_start(mp, op, err);
}

int mp_send(struct mp *mp, uint32_t rank, const struct mp_message *m, enum mp_mode mode,
            struct err *err)
{
	return message_begin(mp, rank, REQ_SEND, m, mode, send_call(mode, 0), NULL, err);
}

int mp_recv(struct mp *mp, uint32_t rank, const struct mp_message *m, struct err *err)
{
	return message_begin(mp, rank, REQ_RECV, m, MP_STANDARD, CALL_RECV, NULL, err);
}

int mp_isend(struct mp *mp, uint32_t rank, const struct mp_message *m, enum mp_mode mode,
             struct mp_request *out, struct err *err)
{
	return message_begin(mp, rank, REQ_SEND, m, mode, send_call(mode, 1), out, err);
}

int mp_irecv(struct mp *mp, uint32_t rank, const struct mp_message *m, struct mp_request *out,
             struct err *err)
{
	return message_begin(mp, rank, REQ_RECV, m, MP_STANDARD, CALL_IRECV, out, err);
}

/* The receive of a message that a matched probe has taken; *out: NULL for a blocking call. */
static int matched_begin(struct mp *mp, uint32_t rank, struct mp_request message, double bytes,
                         struct mp_request *out, struct err *err)
{
	struct op *op = op_begin(mp, rank, out ? CALL_IMRECV : CALL_MRECV, issue_and_wait, err);
	uint32_t r = op ? req_new(mp, REQ_RECV, rank, REQ_HELD, err) : NONE;
	const struct req *s = &mp->reqs[message.v];
	struct req *q;

	if (r == NONE)
		return MP_ERROR;
	q = &mp->reqs[r];
	q->bytes = bytes;
	q->call = op->call;
	q->peer = PEER_NULL;
	q->tag = MP_ANY;
	q->ctx = 0;
	if (message.v != NONE) {
		BUG_ON(message.v >= mp->n_reqs || s->kind != REQ_SEND || s->peer != rank ||
		       s->mate != NONE);
		q->peer = s->rank;
		q->tag = s->tag;
		q->ctx = s->ctx;
		q->mate = message.v;
		op->partner = (int32_t)s->rank;
	}
	if (data_side(mp, r, err) < 0)
		return MP_ERROR;
	op->mode = out ? WAIT_NONE : WAIT_ALL;
	waitset_add(mp, &op->set, r);
	op->cursor = r;
	if (out)
		out->v = r;
	return op_start(mp, op, err);
}

int mp_mrecv(struct mp *mp, uint32_t rank, struct mp_request message, double bytes, struct err *err)
{
	return matched_begin(mp, rank, message, bytes, NULL, err);
}

int mp_imrecv(struct mp *mp, uint32_t rank, struct mp_request message, double bytes,
              struct mp_request *out, struct err *err)
{
	return matched_begin(mp, rank, message, bytes, out, err);
}

/* To and from oneself: a copy, which takes no time (SMPI). */
static int sendrecv_self(struct mp *mp, struct op *op, struct err *err)
{
	(void)mp;
	(void)op;
	(void)err;
	return MP_DONE;
}

static int __attribute__((cold))
self_truncated(struct mp *mp, uint32_t rank, double sent, double most, struct err *err)
{
	if (!mp->program.longer)
		return mp_error(
		    mp, rank, err,
		    "sends %.0f bytes to itself and receives at most %.0f (MPI_ERR_TRUNCATE)", sent,
		    most);
	mp_wrong(mp,
	         "MPI_Sendrecv of rank %u has %.0f bytes for itself and takes at most %.0f (%s)",
	         rank, sent, most, mp->program.longer);
	return 0;
}

static int sendrecv_with_self(struct mp *mp, uint32_t rank, const struct mp_message *send,
                              const struct mp_message *recv, struct err *err)
{
	struct op *op;

	if (message_check(mp, rank, REQ_SEND, send, err) < 0 ||
	    message_check(mp, rank, REQ_RECV, recv, err) < 0)
		return MP_ERROR;
	if (send->bytes > recv->bytes &&
	    self_truncated(mp, rank, send->bytes, recv->bytes, err) < 0)
		return MP_ERROR;
	op = op_begin(mp, rank, CALL_SENDRECV, sendrecv_self, err);
	if (!op)
		return MP_ERROR;
	op->probe = *send;
	op->partner = (int32_t)rank;
	op->bytes = 2 * send->bytes;
	return op_start(mp, op, err);
}

int mp_sendrecv(struct mp *mp, uint32_t rank, const struct mp_message *send,
                const struct mp_message *recv, struct err *err)
{
	struct op *op;
	uint32_t s, r;

	if (send->peer == (int32_t)rank && recv->peer == (int32_t)rank)
		return sendrecv_with_self(mp, rank, send, recv, err);
	op = op_begin(mp, rank, CALL_SENDRECV, issue_and_wait, err);
	if (!op)
		return MP_ERROR;
	s = message_make(mp, rank, REQ_SEND, send, CALL_SENDRECV, err);
	r = s == NONE ? NONE : message_make(mp, rank, REQ_RECV, recv, CALL_SENDRECV, err);
	if (r == NONE) {
		if (s != NONE)
			req_release(mp, s, REQ_HELD);
		op_abandon(mp, op);
		return MP_ERROR;
	}
	send_prepare(mp, s, MP_STANDARD, 1);
	op->partner = recv->peer >= 0 ? recv->peer : -1;
	op->mode = WAIT_ALL;
	/* Over connections it matters that libraries receive first (stream.c); SMPI sends first. */
	waitset_add(mp, &op->set, mp->transport->ordered ? r : s);
	waitset_add(mp, &op->set, mp->transport->ordered ? s : r);
	op->cursor = op->set.first;
	return op_start(mp, op, err);
}
