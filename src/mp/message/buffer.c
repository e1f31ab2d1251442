/* buffer.c: the buffer of buffered sends (MPI_Bsend, MPI_Ibsend, started MPI_Bsend_init). Such a
 * send is over at once: its message lies in the buffer. The buffer can be given back only when all
 * of them have gone (MPI 4.0, section 3.6): MPI_Buffer_detach waits for that.
 *
 * A message has gone when it has arrived. One that moves without waiting for its receive, and that
 * nothing holds up, is the network's as soon as it is sent: libraries count it as gone then. Over
 * connections it may have to wait behind others, and is in the buffer until it has passed.
 *
 * MPI_Buffer_iflush (MPI 4.1) waits for the same in the background. */
#include "message.h"
#include "mp/report/watch.h"
#include "mp/transport_int.h"

#include <stdlib.h>

enum { BEFORE, WAITING, OVER };

/* A request of MPI_Buffer_iflush that is not complete, and the sends that it waits for. Sends after
 * it are none of them: their receives may come after its completion. */
struct flush {
	struct flush *next;
	uint32_t request, n;
	uint32_t sends[];
};

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

static void flush_forget(struct flush *f, uint32_t send)
{
	for (uint32_t i = 0; i < f->n; i++)
		if (f->sends[i] == send) {
			f->sends[i] = f->sends[--f->n];
			return;
		}
}

static int flushes_hear(struct mp *mp, uint32_t send, struct err *err)
{
	struct flush **at = &mp->flushes, *f;
	uint32_t r;

	while ((f = *at)) {
		flush_forget(f, send);
		if (f->n > 0) {
			at = &f->next;
			continue;
		}
		*at = f->next;
		r = f->request;
		free(f);
		mp->reqs[r].moved = mp->reqs[send].moved;
		if (req_complete(mp, r, err) < 0)
			return -1;
		req_release(mp, r, REQ_LIVE);
	}
	return 0;
}

/* The rank that waits for its whole buffer. */
static void detach_hears(struct mp *mp, uint32_t send)
{
	const struct req *q = &mp->reqs[send];
	struct op *op;

	if (mp->buffered[q->rank] > 0 || mp->ranks[q->rank].op == NONE)
		return;
	op = op_of(mp, q->rank);
	if (op->call != CALL_BUFFER_DETACH || op->stage != WAITING)
		return;
	watch_completes(mp, send);
	op->set.moved = q->moved;
	rank_released(mp, q->rank);
}

int buffer_empty(struct mp *mp, uint32_t send, struct err *err)
{
	if (!is_held(mp, &mp->reqs[send]))
		return 0;
	mp->buffered[mp->reqs[send].rank]--;
	detach_hears(mp, send);
	return flushes_hear(mp, send, err);
}

/* A message in the rank's buffer, from this request on. */
static uint32_t buffer_next(const struct mp *mp, uint32_t rank, uint32_t r)
{
	for (; r < mp->n_reqs; r++) {
		const struct req *q = &mp->reqs[r];

		if (is_buffered(q) && q->rank == rank && is_held(mp, q) &&
		    (q->flags & (REQ_LIVE | REQ_ARRIVED)) == REQ_LIVE)
			return r;
	}
	return NONE;
}

uint32_t buffer_first(const struct mp *mp, uint32_t rank)
{
	return buffer_next(mp, rank, 0);
}

double mp_buffer_fill(const struct mp *mp, uint32_t rank, double least)
{
	double sum = 0;

	if (!mp->buffered || mp->buffered[rank] == 0)
		return 0;
	for (uint32_t r = buffer_first(mp, rank); r != NONE; r = buffer_next(mp, rank, r + 1))
		sum += mp->reqs[r].bytes > least ? mp->reqs[r].bytes : 0;
	return sum;
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

static int flush_new(struct mp *mp, uint32_t request, uint32_t n, struct err *err)
{
	struct flush *f = malloc(sizeof *f + n * sizeof f->sends[0]);
	uint32_t rank = mp->reqs[request].rank, r;

	if (!f)
		return err_nomem(err, "a flush", sizeof *f + n * sizeof f->sends[0]);
	*f = (struct flush){.next = mp->flushes, .request = request};
	for (r = buffer_first(mp, rank); r != NONE; r = buffer_next(mp, rank, r + 1)) {
		BUG_ON(f->n == n);
		f->sends[f->n++] = r;
	}
	BUG_ON(f->n != n);
	mp->flushes = f;
	mp->reqs[request].flags |= REQ_LIVE;
	return 0;
}

int mp_buffer_iflush(struct mp *mp, uint32_t rank, struct mp_request *out, struct err *err)
{
	uint32_t r = req_new(mp, REQ_HANDLE, rank, REQ_HELD, err),
	         n = mp->buffered ? mp->buffered[rank] : 0;

	if (r == NONE)
		return MP_ERROR;
	mp->reqs[r].peer = PEER_NULL;
	mp->reqs[r].call = CALL_BUFFER_DETACH;
	mp->reqs[r].bytes = 0;
	out->v = r;
	return (n > 0 ? flush_new(mp, r, n, err) : req_complete(mp, r, err)) < 0 ? MP_ERROR
	                                                                         : MP_DONE;
}

void buffers_release(struct mp *mp)
{
	struct flush *next;

	for (struct flush *f = mp->flushes; f; f = next) {
		next = f->next;
		free(f);
	}
	free(mp->buffered);
}
