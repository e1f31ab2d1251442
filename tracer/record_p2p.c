/* record_p2p.c: sends and receives. */
#include "record.h"
#include "tracer.h"

void record_send(struct call *c, enum trace_op op)
{
	struct trace_event ev;

	if (!announced_finish(c) && !call_refused(c) && p2p_event(c, op, &ev, c->dest))
		event_put(c, &ev);
}

static void send_request(struct call *c, enum trace_op op, uint16_t flags)
{
	struct trace_event ev;

	if (announced_finish(c) || call_refused(c) || !p2p_event(c, op, &ev, c->dest))
		return;
	ev.req = call_add_request(c, flags);
	event_put(c, &ev);
}

void record_isend(struct call *c, enum trace_op op)
{
	send_request(c, op, REQUEST_ACTIVE);
}

void record_send_init(struct call *c, enum trace_op op)
{
	send_request(c, op, REQUEST_PERSISTENT);
}

void record_buffer_detach(struct call *c, enum trace_op op)
{
	struct trace_event ev;

	if (!call_succeeded(c))
		return;
	trace_event_init(&ev, op);
	event_put(c, &ev);
}

void record_recv(struct call *c, enum trace_op op)
{
	struct trace_event ev;
	const struct comm *comm = announced_finish(c) || call_refused(c)
	                              ? NULL
	                              : p2p_event(c, op, &ev, c->source);

	if (!comm)
		return;
	if (is_wildcard(c) && call_succeeded(c))
		wildcard_read(c, comm, &ev);
	event_put(c, &ev);
}

/* The number of its request; < 0: it has none. */
static int64_t irecv_put(struct call *c, enum trace_op op)
{
	struct trace_event ev;
	uint16_t wild = is_wildcard(c) ? REQUEST_WILDCARD : 0;
	const struct comm *comm = !announced_finish(c) && call_succeeded(c)
	                              ? p2p_event(c, op, &ev, c->source)
	                              : NULL;

	if (!comm)
		return -1;
	ev.req = call_add_request(c, REQUEST_ACTIVE | wild);
	if (wild && ev.req >= 0)
		wildcard_keep(c, &ev, comm);
	event_put(c, &ev);
	return ev.req;
}

void record_irecv(struct call *c, enum trace_op op)
{
	irecv_put(c, op);
}

/* A persistent wildcard receive gets another message each time it is started: every start becomes
 * an event of its own, an irecv (record_start.c), and its init and free none. */
void record_recv_init(struct call *c, enum trace_op op)
{
	struct trace_event ev;
	uint16_t wild = is_wildcard(c) ? REQUEST_WILDCARD : 0;
	const struct comm *comm = call_succeeded(c) ? p2p_event(c, op, &ev, c->source) : NULL;

	if (!comm)
		return;
	ev.req = call_add_request(c, REQUEST_PERSISTENT | wild);
	if (!wild)
		event_put(c, &ev);
	else if (ev.req >= 0)
		wildcard_keep(c, &ev, comm);
}

static void sendrecv_put(struct call *c, enum trace_op op)
{
	struct trace_event ev;
	const struct comm *comm = announced_finish(c) || call_refused(c)
	                              ? NULL
	                              : p2p_event(c, op, &ev, c->dest);

	if (!comm)
		return;
	ev.peer2 = comm_world_rank(comm, c->source);
	ev.tag2 = tag_event(c->tag2);
	if (c->source != MPI_PROC_NULL && (c->source == MPI_ANY_SOURCE || c->tag2 == MPI_ANY_TAG) &&
	    call_succeeded(c)) {
		status_read(c->statuses, comm, &ev.peer2, &ev.tag2);
		ev.flags |= c->source == MPI_ANY_SOURCE ? TRACE_WILD_SOURCE : 0;
		ev.flags |= c->tag2 == MPI_ANY_TAG ? TRACE_WILD_TAG : 0;
	}
	ev.count2 = c->count2;
	type_get(&tracer.types, c->type2, &ev.type2, &ev.type_size2);
	event_put(c, &ev);
}

void record_sendrecv(struct call *c, enum trace_op op)
{
	sendrecv_put(c, op);
}

void record_sendrecv_replace(struct call *c, enum trace_op op)
{
	c->count2 = c->count;
	c->type2 = c->type;
	sendrecv_put(c, op);
}

/* MPI_Isendrecv is a receive, which is what its request stands for, and a send, which is waited for
 * before the receive is (record_wait.c). */
static void send_put(struct call *c, int64_t receive)
{
	struct trace_event ev;
	struct err err;
	uint32_t i;

	if (!recording() || !p2p_event(c, TRACE_ISEND, &ev, c->dest))
		return;
	i = request_add(&tracer.requests, (uint64_t)(uintptr_t)c | 1ull << 63, REQUEST_ACTIVE,
	                &err);
	if (i == REQUEST_NONE) {
		tracer_mute(&err);
		return;
	}
	ev.req = i;
	event_put_more(&ev);
	if (receive >= 0)
		tracer.requests.slots[receive].half = i;
	else
		half_end(i, TRACE_REQUEST_FREE);
}

void record_isendrecv(struct call *c, enum trace_op op)
{
	struct call receive = *c;

	if (!call_succeeded(c))
		return;
	receive.tag = c->tag2;
	receive.count = c->count2;
	receive.type = c->type2;
	send_put(c, irecv_put(&receive, op));
}

void record_isendrecv_replace(struct call *c, enum trace_op op)
{
	c->count2 = c->count;
	c->type2 = c->type;
	record_isendrecv(c, op);
}
