/* record_start.c: starting, freeing and cancelling requests. */
#include "record.h"
#include "tracer.h"

#include <stdlib.h>

/* A wildcard receive that is started: an irecv of its own (record_recv_init says why). */
static void wildcard_start(uint32_t number)
{
	const struct request *q = &tracer.requests.slots[number];
	struct trace_event ev;

	trace_event_init(&ev, TRACE_IRECV);
	ev.peer = q->source;
	ev.tag = q->tag;
	ev.count = q->count;
	ev.type = q->type;
	ev.type_size = q->type_size;
	ev.comm = tracer.comms.items[q->comm].id;
	ev.req = number;
	event_put_more(&ev);
}

/* A persistent collective: each start is a non-blocking one. */
static void coll_start(uint32_t number)
{
	struct trace_event ev = *(const struct trace_event *)tracer.requests.slots[number].extra;

	ev.req = number;
	event_put_more(&ev);
}

void starts_put(struct call *c, enum trace_op op)
{
	struct trace_event ev;
	int64_t *started = claims_take(c); /* those that a start event names move to its front */

	if (!started)
		return;
	trace_event_init(&ev, op);
	for (int64_t i = 0; i < c->n_handles; i++) {
		int64_t k = started[i];

		if (k < 0) { /* of a persistent operation that is not traced */
			tracer.counts[c->id]++;
			continue;
		}
		request_activate(&tracer.requests, (uint32_t)k);
		tracer.requests.slots[k].looked = thread.worked;
		if (tracer.requests.slots[k].flags & REQUEST_COLL)
			coll_start((uint32_t)k);
		else if (tracer.requests.slots[k].flags & REQUEST_WILDCARD)
			wildcard_start((uint32_t)k);
		else
			started[ev.n_reqs++] = k;
	}
	ev.reqs = started;
	if (ev.n_reqs > 0)
		event_put_more(&ev);
}

void record_startall(struct call *c, enum trace_op op)
{
	if (!announced_finish(c) && call_succeeded(c))
		starts_put(c, op);
}

void record_start(struct call *c, enum trace_op op)
{
	record_startall(c, op);
}

/* The event that stands for a persistent collective, and its communicator (own_comm_make). */
static void coll_free(struct trace_event *ev, uint16_t flags)
{
	if (flags & REQUEST_OWN)
		comm_persistent_free(ev->comm);
	free(ev);
}

void record_request_free(struct call *c, enum trace_op op)
{
	uint32_t k = request_refused(c) ? REQUEST_NONE : request_of(c);
	struct trace_event ev;
	uint16_t flags;

	if (k == REQUEST_NONE)
		return;
	flags = tracer.requests.slots[k].flags;
	if (flags & REQUEST_COLL)
		coll_free(tracer.requests.slots[k].extra, flags);
	half_end(tracer.requests.slots[k].half, op);
	request_remove(&tracer.requests, k);
	if (flags & REQUEST_COLL || ((flags & REQUEST_PERSISTENT) && (flags & REQUEST_WILDCARD)))
		return;
	trace_event_init(&ev, op);
	ev.req = k;
	event_put(c, &ev);
}

void record_cancel(struct call *c, enum trace_op op)
{
	uint32_t k = request_refused(c) ? REQUEST_NONE : request_of(c);
	struct trace_event ev;

	if (k == REQUEST_NONE)
		return;
	tracer.requests.slots[k].flags |= REQUEST_CANCELLED;
	trace_event_init(&ev, op);
	ev.req = k;
	event_put(c, &ev);
}
