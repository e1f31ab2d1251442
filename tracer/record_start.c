/* record_start.c: starting, freeing and cancelling requests. */
#include "record.h"
#include "tracer.h"

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

void record_startall(struct call *c, enum trace_op op)
{
	struct trace_event ev;
	int64_t *started = thread_numbers(0, c->n_handles);

	if (!call_succeeded(c) || !started)
		return;
	trace_event_init(&ev, op);
	requests_pass(&tracer.requests);
	for (int64_t i = 0; i < c->n_handles; i++) {
		uint32_t k = request_claim(&tracer.requests, request_key(c->handles[i]));

		if (k == REQUEST_NONE) { /* of a persistent operation that is not traced */
			tracer.counts[c->id]++;
			continue;
		}
		request_activate(&tracer.requests, k);
		if (tracer.requests.slots[k].flags & REQUEST_WILDCARD)
			wildcard_start(k);
		else
			started[ev.n_reqs++] = k;
	}
	ev.reqs = started;
	if (ev.n_reqs > 0)
		event_put(c, &ev);
}

void record_start(struct call *c, enum trace_op op)
{
	record_startall(c, op);
}

/* The request of a call with one; REQUEST_NONE if it is not in the trace. */
static uint32_t request_of(struct call *c)
{
	requests_pass(&tracer.requests);
	return c->n_handles == 1 ? request_claim(&tracer.requests, request_key(c->handles[0])) : REQUEST_NONE;
}

void record_request_free(struct call *c, enum trace_op op)
{
	uint32_t k = request_of(c);
	struct trace_event ev;
	uint16_t flags;

	if (k == REQUEST_NONE)
		return;
	flags = tracer.requests.slots[k].flags;
	request_remove(&tracer.requests, k);
	if ((flags & REQUEST_PERSISTENT) && (flags & REQUEST_WILDCARD))
		return;
	trace_event_init(&ev, op);
	ev.req = k;
	event_put(c, &ev);
}

void record_cancel(struct call *c, enum trace_op op)
{
	uint32_t k = request_of(c);
	struct trace_event ev;

	if (k == REQUEST_NONE)
		return;
	tracer.requests.slots[k].flags |= REQUEST_CANCELLED;
	trace_event_init(&ev, op);
	ev.req = k;
	event_put(c, &ev);
}
