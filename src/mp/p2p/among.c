/* among.c: a receive that takes the first to come of several messages that the program names
 * (mp_program.takes), and no other: MPI_ANY_SOURCE for a program that can go on with some senders
 * only.
 *
 * While none is there the operation is posted nowhere, but its rank is told of messages to it as
 * one that probes; the receive is made when the message is there, at that same date, as a plain one
 * from its sender. For the rest it is a receive that waits since the call.
 *
 *   looks --found--> issue_and_wait (p2p.c)
 *     |  ^
 *     v  | probe_notify
 *   waits */
#include "mp/comm/comm.h"
#include "mp/message/message.h"
#include "mp/transport_int.h"
#include "p2p.h"

static int receive(struct mp *mp, struct op *op, const struct mp_message *m, struct err *err)
{
	double since = op->wait_since;
	uint32_t r = message_make(mp, op->rank, REQ_RECV, m, CALL_RECV, err);
	int status;

	if (r == NONE)
		return MP_ERROR;
	op->run = issue_and_wait;
	op->among = 0;
	op->probe = MESSAGE_NONE;
	op->partner = m->peer;
	op->mode = WAIT_ALL;
	waitset_add(mp, &op->set, r);
	op->cursor = r;
	status = issue_and_wait(mp, op, err);
	if (status == MP_BLOCKED && op->set.pending > 0)
		op->wait_since = since;
	return status;
}

static int among_go(struct mp *mp, struct op *op, struct err *err)
{
	struct mp_message taken = op->probe;
	uint32_t found;

	if (match_among(mp, op->rank, comm_at(mp, op->probe.comm.v)->ctx, op->probe.tag, &taken,
	                &found, err) < 0)
		return MP_ERROR;
	mp->ranks[op->rank].probing = found == NONE;
	if (found != NONE)
		return receive(mp, op, &taken, err);
	return rank_looks(mp, op->rank, err) < 0 ? MP_ERROR : MP_BLOCKED;
}

int mp_recv_among(struct mp *mp, uint32_t rank, const struct mp_message *m, struct err *err)
{
	struct op *op;

	if (message_check(mp, rank, REQ_RECV, m, err) < 0)
		return MP_ERROR;
	op = op_begin(mp, rank, CALL_RECV, among_go, err);
	if (!op)
		return MP_ERROR;
	op->probe = *m;
	op->among = 1;
	op->wait_since = engine_now(mp->engine);
	return op_start(mp, op, err);
}
