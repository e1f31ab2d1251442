/* announced.c: what follows of a call that was announced (announce.h): when it has returned, and
 * when a second thread calls. */
#include "announce.h"
#include "record.h"
#include "tracer.h"

int concurrent(void)
{
	return tracer.multiple && tracer.threads > 1 && recording();
}

/* The thread that called MPI first is told apart from here on. What its counter had when it left
 * MPI is of use where another one reads the same (processor time). */
static void first_takes_place(void)
{
	const struct tracer_thread *first = tracer.starter;
	int same = tracer.counter.counter == &counter_cputime;

	if (!first || first == &thread || !tracer.counter.counter->other_read)
		return;
	tracer.starter_place = others_add(&tracer.others, tracer.starter_tid,
	                                  same ? first->left : -1, first->inside == THREAD_IN_CALL);
	tracer.asked_ns = first->left_ns;
}

void announce_thread(void)
{
	tracer_lock();
	if (tracer.threads++ == 1)
		first_takes_place();
	if (tracer.alone.call && recording())
		tracer.alone.put(tracer.alone.call, tracer.alone.op);
	tracer.alone.call = NULL;
	tracer_unlock();
}

void announced_comm_end(struct call *c)
{
	if (c->n_announced > 0)
		request_remove(&tracer.requests, (uint32_t)c->announced[0]);
}

/* The message that a blocking receive got; it is the first of what was announced. */
static void resolve_first(struct call *c)
{
	const struct request *q = &tracer.requests.slots[c->announced[0]];

	if ((q->flags & REQUEST_WILDCARD) && c->statuses && call_succeeded(c))
		resolve_put((uint32_t)c->announced[0], q, c->statuses);
}

static void wait_put(struct call *c)
{
	struct trace_event ev;

	trace_event_init(&ev, c->n_announced == 1 ? TRACE_WAIT : TRACE_WAITALL);
	if (c->n_announced == 1) {
		ev.req = c->announced[0];
	} else {
		ev.n_reqs = c->n_announced;
		ev.reqs = c->announced;
	}
	event_put(c, &ev);
}

int announced_finish(struct call *c)
{
	if (c->n_announced == 0)
		return 0;
	if (c->n_announced < 0)
		return 1;
	if (c->keeps_request && call_succeeded(c)) {
		struct err err;

		call_place_taken(c);
		if (request_rename(&tracer.requests, (uint32_t)c->announced[0],
		                   request_key(c->request), &err) < 0)
			tracer_mute(&err);
		tracer.requests.slots[c->announced[0]].looked = thread.worked;
		return 1;
	}
	resolve_first(c);
	wait_put(c);
	for (int i = 0; i < c->n_announced; i++)
		request_remove(&tracer.requests, (uint32_t)c->announced[i]);
	return 1;
}
