/* announce.c: see announce.h. The request of a call that has not returned yet is in the table under
 * a handle made up for it. */
#include "announce.h"
#include "record.h"
#include "tracer.h"

static uint64_t made_up_handle(const struct call *c, int which)
{
	return (uint64_t)(uintptr_t)c |
	       (uint64_t)(1 + which) << 60; /* no address of a program, and no small integer */
}

/* A request for a call that has not returned; its number, or -1. */
static int64_t number_reserve(struct call *c, uint16_t flags)
{
	struct err err;
	uint32_t i = request_add(&tracer.requests, made_up_handle(c, c->n_announced),
	                         REQUEST_ACTIVE | flags, &err);

	if (i == REQUEST_NONE) {
		tracer_mute(&err);
		return -1;
	}
	c->announced[c->n_announced++] = i;
	return i;
}

static void locked(struct call *c, enum trace_op op, void (*put)(struct call *, enum trace_op))
{
	c->n_announced = 0;
	if (!tracer.multiple || !recording())
		return;
	tracer_lock();
	if (tracer.threads > 1) {
		put(c, op);
	} else {
		tracer.alone.call = c;
		tracer.alone.op = op;
		tracer.alone.put = put;
	}
	tracer_unlock();
}

static enum trace_op non_blocking(enum trace_op op)
{
	return op == TRACE_SEND    ? TRACE_ISEND
	       : op == TRACE_SSEND ? TRACE_ISSEND
	       : op == TRACE_BSEND ? TRACE_IBSEND
	                           : TRACE_IRSEND;
}

static void isend_put(struct call *c, enum trace_op op)
{
	struct trace_event ev;

	if (!p2p_event(c, op, &ev, c->dest))
		return;
	ev.req = number_reserve(c, 0);
	event_put_more(&ev);
}

static void irecv_put(struct call *c, enum trace_op op)
{
	struct trace_event ev;
	uint16_t wild = is_wildcard(c) ? REQUEST_WILDCARD : 0;
	const struct comm *comm = p2p_event(c, op, &ev, c->source);

	if (!comm)
		return;
	ev.req = number_reserve(c, wild);
	if (wild && ev.req >= 0)
		wildcard_keep(c, &ev, comm);
	event_put_more(&ev);
}

/* The receive first, as in MPI's own advice. */
static void sendrecv_put(struct call *c, enum trace_op op)
{
	struct call receive = *c;

	(void)op;
	receive.tag = c->tag2;
	receive.count = c->count2;
	receive.type = c->type2;
	irecv_put(&receive, TRACE_IRECV);
	c->n_announced = receive.n_announced;
	c->announced[0] = receive.announced[0];
	if (c->n_announced > 0)
		isend_put(c, TRACE_ISEND);
}

static void mrecv_put(struct call *c, enum trace_op op)
{
	struct trace_event ev;

	if (!matched_event(c, op, &ev))
		return;
	ev.req = number_reserve(c, 0);
	event_put_more(&ev);
}

static void icoll_put(struct call *c, enum trace_op op)
{
	struct trace_event ev;

	if (!coll_event(c, op, &ev))
		return;
	ev.flags |= c->keeps_request ? TRACE_NONBLOCKING : TRACE_NONBLOCKING | TRACE_BESIDE;
	ev.req = number_reserve(c, 0);
	event_put_more(&ev);
}

void announce_send(struct call *c, enum trace_op op)
{
	locked(c, non_blocking(op), isend_put);
}

void announce_isend(struct call *c, enum trace_op op)
{
	c->keeps_request = 1;
	locked(c, op, isend_put);
}

void announce_recv(struct call *c, enum trace_op op)
{
	(void)op;
	locked(c, TRACE_IRECV, irecv_put);
}

void announce_irecv(struct call *c, enum trace_op op)
{
	c->keeps_request = 1;
	locked(c, op, irecv_put);
}

void announce_sendrecv(struct call *c, enum trace_op op)
{
	locked(c, op, sendrecv_put);
}

void announce_sendrecv_replace(struct call *c, enum trace_op op)
{
	c->count2 = c->count;
	c->type2 = c->type;
	locked(c, op, sendrecv_put);
}

void announce_mrecv(struct call *c, enum trace_op op)
{
	(void)op;
	locked(c, TRACE_IMRECV, mrecv_put);
}

void announce_coll(struct call *c, enum trace_op op)
{
	locked(c, op, icoll_put);
}

void announce_icoll(struct call *c, enum trace_op op)
{
	c->keeps_request = 1;
	locked(c, op, icoll_put);
}

/* A communicator that is made by all of its parent: what they exchange for it begins here, and it
 * is there when the call has returned. */
static void comm_put(struct call *c, enum trace_op op)
{
	const struct comm *parent = call_comm(c);
	struct trace_event ev;

	if (!parent || parent->remote)
		return;
	trace_event_init(&ev, TRACE_COMM_IDUP);
	ev.flags |= op == TRACE_COMM_SPLIT            ? TRACE_BESIDE | TRACE_BESIDE_SPLIT
	            : c->id == CALL_Dist_graph_create ? TRACE_BESIDE | TRACE_BESIDE_GRAPH
	                                              : TRACE_BESIDE;
	ev.parent = parent->id;
	ev.req = number_reserve(c, 0);
	if (ev.req >= 0)
		event_put_more(&ev);
}

void announce_comm_new(struct call *c, enum trace_op op)
{
	c->n_announced = 0;
	if (op == TRACE_COMM_DUP || op == TRACE_COMM_SPLIT || op == TRACE_COMM_CREATE)
		locked(c, op, comm_put);
}

static void start_put(struct call *c, enum trace_op op)
{
	starts_put(c, op);
	c->n_announced = -1; /* no request of its own */
}

void announce_startall(struct call *c, enum trace_op op)
{
	locked(c, op, start_put);
}

void announce_start(struct call *c, enum trace_op op)
{
	locked(c, op, start_put);
}
