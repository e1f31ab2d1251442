/* record_probe.c: probes, matched or not, and receives of matched messages.
 *
 * A matched message is taken out of the queue by its probe, and gets a number by which it is
 * received. Until then the table `messages` remembers, by handle, who sent it. */
#include "record.h"
#include "tracer.h"

/* The fields of a probe that found a message. */
static const struct comm *probe_event(struct call *c, enum trace_op op, struct trace_event *ev)
{
	const struct comm *comm = call_comm(c);

	if (!comm)
		return NULL;
	trace_event_init(ev, op);
	ev->comm = comm->id;
	ev->peer = comm_world_rank(comm, c->source);
	ev->tag = tag_event(c->tag);
	ev->count = op == TRACE_IPROBE; /* found */
	if (call_succeeded(c) && c->source != MPI_PROC_NULL)
		wildcard_read(c, comm, ev);
	return comm;
}

void record_probe(struct call *c, enum trace_op op)
{
	struct trace_event ev;

	if (!call_refused(c) && probe_event(c, op, &ev))
		event_put(c, &ev);
}

void record_iprobe(struct call *c, enum trace_op op)
{
	poll_begin(c, !call_succeeded(c) || *c->flag);
	if (!call_succeeded(c) || *c->flag)
		record_probe(c, op);
	else
		poll_missed();
}

static uint64_t message_key(MPI_Message m)
{
	return (uint64_t)(uintptr_t)m;
}

void record_mprobe(struct call *c, enum trace_op op)
{
	struct trace_event ev;
	struct err err;
	const struct comm *comm = call_succeeded(c) ? probe_event(c, op, &ev) : NULL;
	uint32_t i;

	if (!comm || !recording())
		return;
	i = request_add(&tracer.messages, message_key(c->message), 0, &err);
	if (i == REQUEST_NONE) {
		tracer_mute(&err);
		return;
	}
	ev.message = i;
	event_put(c, &ev);
	tracer.messages.slots[i].source = ev.peer;
	tracer.messages.slots[i].tag = ev.tag;
	tracer.messages.slots[i].comm = (uint32_t)(comm - tracer.comms.items);
}

void record_improbe(struct call *c, enum trace_op op)
{
	poll_begin(c, !call_succeeded(c) || *c->flag);
	if (!call_succeeded(c) || *c->flag)
		record_mprobe(c, op);
	else
		poll_missed();
}

int matched_event(struct call *c, enum trace_op op, struct trace_event *ev)
{
	const struct request *m;
	uint32_t i;

	requests_pass(&tracer.messages);
	i = request_claim(&tracer.messages, message_key(c->message));
	if (i == REQUEST_NONE)
		return 0;
	m = &tracer.messages.slots[i];
	trace_event_init(ev, op);
	ev->message = i;
	ev->peer = m->source;
	ev->tag = m->tag;
	ev->comm = tracer.comms.items[m->comm].id;
	ev->count = c->count;
	type_get(&tracer.types, c->type, &ev->type, &ev->type_size);
	request_remove(&tracer.messages, i);
	return 1;
}

void record_mrecv(struct call *c, enum trace_op op)
{
	struct trace_event ev;

	if (announced_finish(c) || call_refused(c))
		return;
	if (matched_event(c, op, &ev))
		event_put(c, &ev);
	else
		tracer.counts[c->id]++;
}

void record_imrecv(struct call *c, enum trace_op op)
{
	struct trace_event ev;

	if (!call_succeeded(c))
		return;
	if (!matched_event(c, op, &ev)) {
		tracer.counts[c->id]++;
		return;
	}
	ev.req = call_add_request(c, REQUEST_ACTIVE);
	event_put(c, &ev);
}
