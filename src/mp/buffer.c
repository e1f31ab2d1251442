/* buffer.c: the buffer of buffered sends (MPI_Bsend, MPI_Ibsend, started MPI_Bsend_init). Such a
 * send is over at once: its message lies in the buffer. The buffer can be given back only when all
 * of them have gone (MPI 4.0, section 3.6): MPI_Buffer_detach waits for that.
 *
 * A message has gone when it has arrived. One that moves without waiting for its receive, and that
 * nothing holds up, is the network's as soon as it is sent: libraries count it as gone then. Over
 * connections it may have to wait behind others, and is in the buffer until it has passed. */
#include "mp_int.h"

#include <stdlib.h>

enum { BEFORE, WAITING, OVER };

/* It waits for others: its receiver, or what is before it on its connection. */
static int is_held(const struct mp *mp, const struct req *q)
{
	return !(q->flags & REQ_EAGER) || mp->transport->ordered;
}

int buffer_fill(struct mp *mp, uint32_t send, struct err *err)
{
	const struct req *q = &mp->reqs[send];

	if (!is_held(mp, q))
		return 0;
	if (!mp->buffered && !(mp->buffered = calloc(mp->n_ranks, sizeof *mp->buffered)))
		return err_nomem(err, "buffers of ranks", mp->n_ranks * sizeof *mp->buffered);
	mp->buffered[q->rank]++;
	return 0;
}

void buffer_empty(struct mp *mp, uint32_t send)
{
	const struct req *q = &mp->reqs[send];
	struct op *op;

	if (!is_held(mp, q) || --mp->buffered[q->rank] > 0 || mp->ranks[q->rank].op == NONE)
		return;
	op = op_of(mp, q->rank);
	if (op->call != CALL_BUFFER_DETACH || op->stage != WAITING)
		return;
	watch_completes(mp, send);
	op->set.moved = q->moved;
	rank_wake(mp, q->rank);
}

uint32_t buffer_first(const struct mp *mp, uint32_t rank)
{
	for (uint32_t r = 0; r < mp->n_reqs; r++) {
		const struct req *q = &mp->reqs[r];

		if (is_buffered(q) && q->rank == rank && is_held(mp, q) &&
		    (q->flags & (REQ_LIVE | REQ_ARRIVED)) == REQ_LIVE)
			return r;
	}
	return NONE;
}

static int detach_go(struct mp *mp, struct op *op, struct err *err)
{
	double now = engine_now(mp->engine);

	if (op->stage == BEFORE) {
		op->stage = WAITING;
		op->wait_since = now;
		if (!mp->buffered || mp->buffered[op->rank] == 0)
			return MP_DONE;
		return rank_looks(mp, op->rank, err) < 0 ? MP_ERROR : MP_BLOCKED;
	}
	if (op->stage == WAITING) {
		if (mp->buffered[op->rank] > 0)
			return MP_BLOCKED;
		op->stage = OVER;
		watch_waited(mp, op->rank, op->wait_since);
		if (op->set.moved > op->wait_since)
			op->waited += op->set.moved - op->wait_since;
	}
	return rank_reacts(mp, op->rank, err) < 0 ? MP_ERROR : MP_DONE;
}

int mp_buffer_detach(struct mp *mp, uint32_t rank, struct err *err)
{
	struct op *op = op_begin(mp, rank, CALL_BUFFER_DETACH, detach_go, err);

	return op ? op_start(mp, op, err) : MP_ERROR;
}
