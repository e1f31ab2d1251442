/* record_wait.c: waits and tests. A test that finds nothing is no event (poll_missed) if it is one
 * of a loop that polls: the one that finds something stands for all the failed ones before it.
 *
 * A program that overlaps computes in pieces, with tests between them so that its messages move,
 * and waits at the end. Where the network is fast the first test succeeds, and the later calls find
 * null (or inactive) requests: MPI has nothing to do, but on a slower machine they are the ones
 * that find the messages there. So they are written as if the requests were still outstanding, and
 * complete.c says of the earlier tests that they only looked. Not so where the test that succeeds
 * ends a loop that does nothing but this test: that is a wait. */
#include "record.h"
#include "tracer.h"

#include <stdlib.h>

enum {
	SPIN_NS = 1000, /* less computation than this between two tests is a loop that waits */
	DUP_DONE = -2,  /* see struct completion */
	LOOK_NS = 10000 /* with more, messages may move in the second: it is written even if it
	                   completes nothing */
};

/* Is the computation before a look a turn of a loop that waits? Of less than a microsecond that is
 * so; of more it may be (polls.h), and is held until it is known. */
static int is_turn(const struct call *c)
{
	if (!thread.polled)
		thread.polls.last = NULL;
	if (tracer.counter.counter->unit == COUNTER_MADE_UP)
		return thread.polled;
	if (c->burst_ns >= SPIN_NS)
		return polls_take(&thread.polls, thread.site,
		                  (struct poll_piece){c->burst, c->burst_ns});
	thread.polls.last = thread.site;
	return thread.polled;
}

void poll_begin(const struct call *c, int found)
{
	thread.poll = found ? POLL_FOUND : POLL_MISSED;
	if (!is_turn(c))
		return;
	thread.pending -= c->burst;
	thread.pending_ns -= c->burst_ns;
	if (c->burst_ns < SPIN_NS || polls_waits(&thread.polls, thread.site))
		thread.worked -= c->burst_ns;
}

void poll_missed(void)
{
	thread.polled = 1;
	thread.missed = NULL;
}

/* The status of the i-th of the statuses that the call gave. */
static const MPI_Status *status_at(struct call *c, int64_t i)
{
	if (c->fortran && c->fortran_statuses)
		return call_status_fortran(c, (MPI_Fint *)c->fortran_statuses +
		                                  i * FORTRAN_STATUS_INTS);
	return c->statuses ? &c->statuses[i] : NULL;
}

/* MPI_Comm_idup is complete: its communicator can be used from here on. The lock is not held while
 * its members agree, so all else of the call is written before, and the request keeps its number,
 * which nobody claims, until the event is. */
static void dup_finish(uint32_t number)
{
	struct comm_dup *d = tracer.requests.slots[number].extra;
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
	request_remove(&tracer.requests, number);
	free(d);
}

/* What a wait or test names and what it completed, in the trace's numbers. */
struct completion {
	struct trace_event ev;
	int64_t *all; /* by position in the call: number, or -1 for a handle that is not in the
	               * trace; DUP_DONE - number: its MPI_Comm_idup is complete */
	int64_t *done;
	int waits;  /* this call is the last one about what it completes; else a test, which others
	               may follow */
	int news;   /* it completed what was not known to be complete */
	int looked; /* there was computation since one of the requests was tested */
};

/* How often a program tests depends on the library: not with a counter that makes two traces of a
 * program the same. */
static int writes_looks(void)
{
	return tracer.counter.counter->unit != COUNTER_MADE_UP;
}

static uint64_t place_of(const struct call *c, int64_t i)
{
	return (uint64_t)(uintptr_t)c->place + (uint64_t)i * c->place_step;
}

void half_end(uint32_t number, enum trace_op op)
{
	struct trace_event ev;

	if (number == REQUEST_NONE)
		return;
	trace_event_init(&ev, op);
	ev.req = number;
	event_put_more(&ev);
	request_remove(&tracer.requests, number);
}

/* Request number `number` is found complete by a test: a later call may look at it again. */
static void request_see(uint32_t number, uint64_t place)
{
	struct request *q = &tracer.requests.slots[number];
	struct err err;

	if (q->flags & REQUEST_PERSISTENT) {
		request_deactivate(&tracer.requests, number);
		q->flags |= REQUEST_SEEN;
	} else if (request_keep(&tracer.requests, number, place, &err) < 0) {
		request_remove(&tracer.requests, number);
		tracer_mute(&err);
		return;
	}
	q->looked = thread.worked;
}

/* The i-th request of the call is complete. */
static void request_finish(const struct completion *w, const struct call *c, int64_t i,
                           const MPI_Status *status)
{
	uint32_t number = (uint32_t)w->all[i];
	struct request *q = &tracer.requests.slots[number];

	if ((q->flags & REQUEST_WILDCARD) && status)
		resolve_put(number, q, status);
	half_end(q->half, w->waits || !writes_looks() ? TRACE_WAIT : TRACE_REQUEST_FREE);
	q->half = REQUEST_NONE;
	if (!w->waits && writes_looks())
		request_see(number, place_of(c, i));
	else if (q->flags & REQUEST_PERSISTENT)
		request_deactivate(&tracer.requests, number);
	else
		request_remove(&tracer.requests, number);
}

static int looks_after_work(const struct request *q)
{
	return thread.worked - q->looked >= LOOK_NS ||
	       thread.worked < q->looked /* of another thread */;
}

/* Another look at a request that a test found complete; the last one if it is a wait. */
static void request_look(struct completion *w, uint32_t number)
{
	struct request *q = &tracer.requests.slots[number];

	w->looked |= looks_after_work(q);
	if (!w->waits)
		return;
	if (q->flags & REQUEST_PERSISTENT)
		q->flags &= (uint16_t)~REQUEST_SEEN;
	else
		request_forget(&tracer.requests, number);
}

/* The i-th handle of a call, which is that of request k (-1: of none that is known): if it is null,
 * the request that was there; a number, or -1. */
static int64_t kept_find(const struct call *c, int64_t i, int64_t k)
{
	uint32_t kept = request_kept(&tracer.requests, place_of(c, i));

	if (kept == REQUEST_NONE)
		return k;
	if (k < 0 && c->handles[i] == MPI_REQUEST_NULL)
		return kept;
	request_forget(&tracer.requests, kept); /* the program has put another one there */
	return k;
}

/* Claims the requests of a call by their handles; 0 when none of them is traced, and active or
 * seen. */
static int completion_begin(struct completion *w, struct call *c, enum trace_op op)
{
	*w = (struct completion){.waits = !trace_op_has(op, TRACE_TESTS) || thread.spun};
	trace_event_init(&w->ev, op);
	w->all = claims_take(c);
	w->done = thread_numbers(1, 2 * c->n_handles);
	if (!w->all || !w->done)
		return 0;
	for (int64_t i = 0; i < c->n_handles; i++) {
		w->all[i] = kept_find(c, i, w->all[i]);
		if (w->all[i] >= 0 &&
		    !(tracer.requests.slots[w->all[i]].flags & (REQUEST_ACTIVE | REQUEST_SEEN)))
			w->all[i] = -1;
		w->ev.n_reqs += w->all[i] >= 0;
	}
	return w->ev.n_reqs > 0;
}

/* A call of several that had an error leaves some of its requests neither complete nor failed (MPI
 * 4.1, 3.7.5): is the i-th one of them? Their statuses say so, of which this one is the k-th. If
 * the program wants no statuses, a handle that is still there does, but for persistent requests,
 * whose handles always are: these are taken for complete. */
static int is_pending(const struct completion *w, struct call *c, int64_t i, int64_t k)
{
	const MPI_Status *status = status_at(c, k);
	int class = MPI_SUCCESS;
	const char *place = c->place;

	if (c->rc == MPI_SUCCESS)
		return 0;
	PMPI_Error_class(c->rc, &class);
	if (class != MPI_ERR_IN_STATUS)
		return 0;
	if (status) {
		PMPI_Error_class(status->MPI_ERROR, &class);
		return class == MPI_ERR_PENDING;
	}
	if (!place || tracer.requests.slots[w->all[i]].flags & REQUEST_PERSISTENT)
		return 0;
	place += (size_t)i * c->place_step;
	return (c->fortran ? PMPI_Request_f2c(*(const MPI_Fint *)place)
	                   : *(const MPI_Request *)place) != MPI_REQUEST_NULL;
}

/* The i-th request of the call is complete; its status is the k-th that the call gave. Those of
 * MPI_Comm_idup are in no list: their event is the communicator's (dups_finish). */
static void completion_add(struct completion *w, struct call *c, int64_t i, int64_t k)
{
	uint16_t flags;

	if (i < 0 || i >= c->n_handles || w->all[i] < 0)
		return;
	if (is_pending(w, c, i, k)) { /* the call did nothing about it */
		w->all[i] = -1;
		w->ev.n_reqs--;
		return;
	}
	flags = tracer.requests.slots[w->all[i]].flags;
	if (flags & REQUEST_DUP) {
		w->ev.n_reqs--;
		tracer.requests.slots[w->all[i]].flags |= REQUEST_HELD;
		w->all[i] = DUP_DONE - w->all[i];
		return;
	}
	w->done[w->ev.n_done++] = w->all[i];
	w->news |= (flags & REQUEST_ACTIVE) != 0;
	if (flags & REQUEST_ACTIVE)
		request_finish(w, c, i, status_at(c, k));
	else if (flags & REQUEST_SEEN) /* not if this very call has made too many */
		request_look(w, (uint32_t)w->all[i]);
}

static void dups_finish(struct completion *w, const struct call *c)
{
	for (int64_t i = 0; i < c->n_handles; i++)
		if (w->all[i] <= DUP_DONE)
			dup_finish((uint32_t)(DUP_DONE - w->all[i]));
}

/* MPI passes over null and inactive requests where a call completes some of many: it tells nothing
 * about these. */
static void seen_drop(struct completion *w, const struct call *c)
{
	for (int64_t i = 0; i < c->n_handles; i++)
		if (w->all[i] >= 0 && tracer.requests.slots[w->all[i]].flags & REQUEST_SEEN) {
			w->all[i] = -1;
			w->ev.n_reqs--;
		}
}

/* Writes the event of a call, unless it completed nothing new, and hardly anything was computed
 * since the last such call. */
static void completion_put(struct completion *w, struct call *c)
{
	for (int64_t i = 0; i < c->n_handles && w->looked; i++)
		if (w->all[i] >= 0)
			tracer.requests.slots[w->all[i]].looked = thread.worked;
	if (w->news || w->waits || w->looked)
		event_put(c, &w->ev);
	if (!w->news && !w->waits)
		poll_missed();
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
		completion_put(w, c);
	dups_finish(w, c);
}

static void one_put(struct call *c, enum trace_op op)
{
	struct completion w;

	if (!completion_begin(&w, c, op))
		return;
	completion_add(&w, c, 0, 0);
	if (w.all[0] < 0) {
		dups_finish(&w, c);
		return;
	}
	w.ev.req = w.all[0];
	w.ev.n_reqs = 0;
	w.ev.done = w.done;
	completion_put(&w, c);
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

/* A call that completes some of many found nothing but null and inactive requests: all are
 * complete. */
static void none_put(struct completion *w, struct call *c)
{
	for (int64_t i = 0; i < c->n_handles; i++)
		completion_add(w, c, i, i);
	completion_end(w, c);
}

static void any_put(struct call *c, enum trace_op op)
{
	struct completion w;

	if (!completion_begin(&w, c, op))
		return;
	if (*c->index == MPI_UNDEFINED) {
		none_put(&w, c);
		return;
	}
	seen_drop(&w, c);
	completion_add(&w, c, *c->index - c->index_base, 0);
	completion_end(&w, c);
}

static void some_put(struct call *c, enum trace_op op)
{
	struct completion w;

	if (!completion_begin(&w, c, op))
		return;
	if (*c->outcount == MPI_UNDEFINED) {
		none_put(&w, c);
		return;
	}
	seen_drop(&w, c);
	for (int64_t k = 0; k < *c->outcount; k++)
		completion_add(&w, c, c->indices[k] - c->index_base, k);
	completion_end(&w, c);
}

int request_refused(struct call *c)
{
	if (!call_refused(c))
		return 0;
	if (c->claims)
		claims_take(c);
	return 1;
}

void record_wait(struct call *c, enum trace_op op)
{
	if (!request_refused(c))
		one_put(c, op);
}

void record_waitall(struct call *c, enum trace_op op)
{
	if (!request_refused(c))
		all_put(c, op);
}

void record_waitany(struct call *c, enum trace_op op)
{
	if (!request_refused(c))
		any_put(c, op);
}

void record_waitsome(struct call *c, enum trace_op op)
{
	if (!request_refused(c))
		some_put(c, op);
}

/* A test that found nothing: written, without what it completed, if its requests have not been
 * looked at for a while of computation. */
static void missed_put(struct call *c, enum trace_op op)
{
	struct completion w;

	if (!completion_begin(&w, c, op))
		return;
	for (int64_t i = 0; i < c->n_handles; i++) {
		struct request *q = w.all[i] >= 0 ? &tracer.requests.slots[w.all[i]] : NULL;

		if (q && (q->flags & (REQUEST_SEEN | REQUEST_DUP))) {
			w.all[i] = -1;
		} else if (q) {
			w.looked |= looks_after_work(q);
		}
	}
	if (!w.looked)
		return;
	w.ev.flags |= TRACE_NO_DONE;
	if (op == TRACE_TEST) {
		w.ev.req = w.all[0];
		w.ev.n_reqs = 0;
		completion_put(&w, c);
	} else {
		completion_end(&w, c);
	}
}

/* Tests: the same, when they found something. A test of nothing at all (null or inactive requests
 * only) counts as neither. */
static void test_put(struct call *c, enum trace_op op, int found,
                     void (*put)(struct call *, enum trace_op))
{
	thread.spun = thread.polled && thread.missed == c->place;
	poll_begin(c, found);
	thread.spun = thread.spun &&
	              (c->burst_ns < SPIN_NS || polls_waits(&thread.polls, thread.site));
	if (found) {
		put(c, op);
		thread.spun = 0;
		return;
	}
	if (writes_looks())
		missed_put(c, op);
	else if (c->claims)
		claims_take(c);
	poll_missed();
	thread.missed = c->place;
}

void record_test(struct call *c, enum trace_op op)
{
	if (!request_refused(c))
		test_put(c, op, *c->flag, one_put);
}

void record_testall(struct call *c, enum trace_op op)
{
	if (!request_refused(c))
		test_put(c, op, *c->flag, all_put);
}

void record_testany(struct call *c, enum trace_op op)
{
	if (!request_refused(c))
		test_put(c, op, *c->flag, any_put);
}

void record_testsome(struct call *c, enum trace_op op)
{
	if (!request_refused(c))
		test_put(c, op, *c->outcount != 0, some_put);
}

/* MPI_Request_get_status and its family complete nothing: whoever finds a request complete waits
 * for it or tests it later, which is written. A loop of them is no computation. */
void record_request_status(struct call *c)
{
	int found = c->flag ? *c->flag : c->outcount && *c->outcount != 0;

	if (c->claims)
		claims_take(c);
	poll_begin(c, found);
	if (call_succeeded(c) && !found)
		poll_missed();
}
