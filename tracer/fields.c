/* fields.c: from arguments and statuses of a call to fields of events and to requests: what the
 * recorders share. */
#include "record.h"
#include "tracer.h"

const struct comm *call_comm(struct call *c)
{
	uint32_t i = comm_find(&tracer.comms, c->comm);

	if (i != COMM_NONE)
		return &tracer.comms.items[i];
	tracer.counts[c->id]++;
	return NULL;
}

void call_place_taken(const struct call *c)
{
	uint32_t kept = c->place ? request_kept(&tracer.requests, (uint64_t)(uintptr_t)c->place)
	                         : REQUEST_NONE;

	if (kept != REQUEST_NONE)
		request_forget(&tracer.requests, kept);
}

int64_t call_add_request(struct call *c, uint16_t flags)
{
	struct err err;
	uint32_t i;

	if (!recording())
		return -1;
	call_place_taken(c);
	i = request_add(&tracer.requests, request_key(c->request), flags, &err);
	if (i == REQUEST_NONE) {
		tracer_mute(&err);
		return -1;
	}
	tracer.requests.slots[i].looked = thread.worked;
	return i;
}

int32_t tag_event(int tag)
{
	return tag == MPI_ANY_TAG ? TRACE_ANY : tag;
}

void status_read(const MPI_Status *s, const struct comm *comm, int32_t *peer, int32_t *tag)
{
	*peer = comm_world_rank(comm, s->MPI_SOURCE);
	*tag = tag_event(s->MPI_TAG);
}

void wildcard_read(const struct call *c, const struct comm *comm, struct trace_event *ev)
{
	status_read(c->statuses, comm, &ev->peer, &ev->tag);
	if (c->source == MPI_PROC_NULL)
		return;
	ev->flags |= c->source == MPI_ANY_SOURCE ? TRACE_WILD_SOURCE : 0;
	ev->flags |= c->tag == MPI_ANY_TAG ? TRACE_WILD_TAG : 0;
}

int is_wildcard(const struct call *c)
{
	return c->source != MPI_PROC_NULL && (c->source == MPI_ANY_SOURCE || c->tag == MPI_ANY_TAG);
}

const struct comm *p2p_event(struct call *c, enum trace_op op, struct trace_event *ev, int rank)
{
	const struct comm *comm = call_comm(c);

	if (!comm)
		return NULL;
	trace_event_init(ev, op);
	ev->comm = comm->id;
	ev->peer = comm_world_rank(comm, rank);
	ev->tag = tag_event(c->tag);
	ev->count = c->count;
	type_get(&tracer.types, c->type, &ev->type, &ev->type_size);
	return comm;
}

void wildcard_keep(const struct call *c, const struct trace_event *ev, const struct comm *comm)
{
	struct request *q = &tracer.requests.slots[ev->req];

	q->comm = (uint32_t)(comm - tracer.comms.items);
	q->source = ev->peer;
	q->tag = ev->tag;
	q->count = c->count;
	q->type = ev->type;
	q->type_size = ev->type_size;
}

void resolve_put(uint32_t number, const struct request *q, const MPI_Status *status)
{
	struct trace_event ev;
	int cancelled = 0;

	if (q->flags & REQUEST_CANCELLED)
		PMPI_Test_cancelled(status, &cancelled);
	if (cancelled)
		return;
	trace_event_init(&ev, TRACE_RESOLVE);
	ev.req = number;
	ev.comm = tracer.comms.items[q->comm].id;
	status_read(status, &tracer.comms.items[q->comm], &ev.peer, &ev.tag);
	event_put_more(&ev);
}
