/* record_wait.c: waits and tests. A test that finds nothing is no event (poll_missed); one that finds something stands for all the failed
 * ones before it. */
#include "record.h"
#include "tracer.h"

#include <stdlib.h>

enum { SPIN_NS = 1000 };

void poll_begin(const struct call *c)
{
	if (!thread.polled || (c->burst_ns >= SPIN_NS && tracer.counter.counter->unit != COUNTER_MADE_UP))
		return;
	thread.pending -= c->burst;
	thread.pending_ns -= c->burst_ns;
}

void poll_missed(void)
{
	thread.polled = 1;
}

/* The status of the i-th of the statuses that the call gave. */
static const MPI_Status *status_at(struct call *c, int64_t i)
{
	if (c->fortran && c->fortran_statuses)
		return call_status_fortran(c, (MPI_Fint *)c->fortran_statuses + i * FORTRAN_STATUS_INTS);
	return c->statuses ? &c->statuses[i] : NULL;
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

/* MPI_Comm_idup is complete: its communicator can be used from here on. */
static void dup_finish(struct comm_dup *d, uint32_t number)
{
	struct err err;
	uint64_t parent = d->parent;
	MPI_Comm comm;
	uint32_t i;

	tracer_unlock();
	comm = comm_dup_wait(d);
	tracer_lock();
	i = comm_add(&tracer.comms, comm, d->id, &err);
	if (i != COMM_NONE)
		comm_event(NULL, TRACE_COMM_DUP, parent, &tracer.comms.items[i], number);
	else
		tracer_mute(&err);
	free(d);
}

/* Request number `number` is complete. */
static void request_finish(uint32_t number, const MPI_Status *status)
{
	struct request *q = &tracer.requests.slots[number];
	struct comm_dup *d = q->flags & REQUEST_DUP ? q->extra : NULL;

	if ((q->flags & REQUEST_WILDCARD) && status)
		resolve_put(number, q, status);
	if (q->flags & REQUEST_PERSISTENT)
		request_deactivate(&tracer.requests, number);
	else
		request_remove(&tracer.requests, number);
	if (d)
		dup_finish(d, number);
}

/* What a wait or test names and what it completed, in the trace's numbers. */
struct completion {
	struct trace_event ev;
	int64_t *all; /* by position in the call: number, or -1 for a handle that is not in the trace */
	int64_t *done;
};

/* Looks the handles of a call up. */
static int64_t *claims_make(const struct call *c, uint16_t mark)
{
	int64_t *claims = thread_numbers(0, c->n_handles);

	requests_pass(&tracer.requests);
	for (int64_t i = 0; claims && i < c->n_handles; i++) {
		uint32_t k = request_claim(&tracer.requests, request_key(c->handles[i]));

		claims[i] = k != REQUEST_NONE ? (int64_t)k : -1;
		if (claims[i] >= 0)
			tracer.requests.slots[k].flags |= mark;
	}
	return claims;
}

void claims_hold(struct call *c)
{
	if (!concurrent())
		return;
	tracer_lock();
	c->claims = claims_make(c, REQUEST_HELD);
	tracer_unlock();
}

int64_t *claims_take(struct call *c)
{
	int64_t *claims = c->claims;

	if (!claims)
		return claims_make(c, 0);
	for (int64_t i = 0; i < c->n_handles; i++)
		if (claims[i] >= 0)
			tracer.requests.slots[claims[i]].flags &= (uint16_t)~REQUEST_HELD;
	c->claims = NULL;
	return claims;
}

/* Claims the requests of a call by their handles; 0 when none of them is traced and active. */
static int completion_begin(struct completion *w, struct call *c, enum trace_op op)
{
	trace_event_init(&w->ev, op);
	w->all = claims_take(c);
	w->done = thread_numbers(1, 2 * c->n_handles);
	if (!w->all || !w->done)
		return 0;
	for (int64_t i = 0; i < c->n_handles; i++) {
		if (w->all[i] >= 0 && !(tracer.requests.slots[w->all[i]].flags & REQUEST_ACTIVE))
			w->all[i] = -1;
		w->ev.n_reqs += w->all[i] >= 0;
	}
	return w->ev.n_reqs > 0;
}

/* The i-th request of the call is complete; its status is the k-th that the call gave. Those of MPI_Comm_idup are in no list: their
 * event is the communicator's. */
static void completion_add(struct completion *w, struct call *c, int64_t i, int64_t k)
{
	if (i < 0 || i >= c->n_handles || w->all[i] < 0)
		return;
	if (tracer.requests.slots[w->all[i]].flags & REQUEST_DUP) {
		w->ev.n_reqs--;
		request_finish((uint32_t)w->all[i], NULL);
		w->all[i] = -1;
		return;
	}
	w->done[w->ev.n_done++] = w->all[i];
	request_finish((uint32_t)w->all[i], status_at(c, k));
}

/* Writes the event, with the numbers of the call's requests in their order. */
static void completion_end(struct completion *w, struct call *c)
{
	int64_t *reqs = w->done + c->n_handles, n = 0;

	for (int64_t i = 0; i < c->n_handles; i++)
		if (w->all[i] >= 0)
			reqs[n++] = w->all[i];
	w->ev.reqs = reqs;
	w->ev.n_reqs = n;
	w->ev.done = w->done;
	if (n > 0)
		event_put(c, &w->ev);
}

static void one_put(struct call *c, enum trace_op op)
{
	struct completion w;

	if (!completion_begin(&w, c, op))
		return;
	completion_add(&w, c, 0, 0);
	if (w.all[0] < 0)
		return;
	w.ev.req = w.all[0];
	w.ev.n_reqs = 0;
	w.ev.done = w.done;
	event_put(c, &w.ev);
}

static void all_put(struct call *c, enum trace_op op)
{
	struct completion w;

	if (!completion_begin(&w, c, op))
		return;
	for (int64_t i = 0; i < c->n_handles; i++)
		completion_add(&w, c, i, i);
	completion_end(&w, c);
}

static void any_put(struct call *c, enum trace_op op)
{
	struct completion w;

	if (!completion_begin(&w, c, op) || *c->index == MPI_UNDEFINED)
		return;
	completion_add(&w, c, *c->index - c->index_base, 0);
	completion_end(&w, c);
}

static void some_put(struct call *c, enum trace_op op)
{
	struct completion w;

	if (!completion_begin(&w, c, op) || *c->outcount == MPI_UNDEFINED)
		return;
	for (int64_t k = 0; k < *c->outcount; k++)
		completion_add(&w, c, c->indices[k] - c->index_base, k);
	completion_end(&w, c);
}

void record_wait(struct call *c, enum trace_op op)
{
	one_put(c, op);
}

void record_waitall(struct call *c, enum trace_op op)
{
	all_put(c, op);
}

void record_waitany(struct call *c, enum trace_op op)
{
	any_put(c, op);
}

void record_waitsome(struct call *c, enum trace_op op)
{
	some_put(c, op);
}

/* Tests: the same, when they found something. A test of nothing at all (null or inactive requests only) counts as neither. */
static void test_put(struct call *c, enum trace_op op, int found, void (*put)(struct call *, enum trace_op))
{
	poll_begin(c);
	if (found) {
		put(c, op);
		return;
	}
	if (c->claims)
		claims_take(c);
	poll_missed();
}

void record_test(struct call *c, enum trace_op op)
{
	test_put(c, op, *c->flag, one_put);
}

void record_testall(struct call *c, enum trace_op op)
{
	test_put(c, op, *c->flag, all_put);
}

void record_testany(struct call *c, enum trace_op op)
{
	test_put(c, op, *c->flag, any_put);
}

void record_testsome(struct call *c, enum trace_op op)
{
	test_put(c, op, *c->outcount != 0, some_put);
}
