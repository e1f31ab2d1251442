/* record_win.c: one-sided communication. A window has a number in a table of its own (requests.h),
 * and beside it the world ranks of its group: its communicator may be freed before it. */
#include "record.h"
#include "tracer.h"

#include <stdlib.h>

static uint64_t win_key(MPI_Win w)
{
	return (uint64_t)(uintptr_t)w;
}

/* World ranks of a group; NULL when memory ran out. */
static int32_t *group_translate(MPI_Group group, int *n)
{
	MPI_Group all;
	int32_t *world;

	PMPI_Group_size(group, n);
	world = malloc(((size_t)*n + 1) * sizeof *world);
	PMPI_Comm_group(tracer.world, &all);
	for (int i = 0; world && i < *n; i++) {
		int32_t there = worlds_rank(group, i, all);

		world[i] = there < 0 ? TRACE_PROC_NULL : there;
	}
	PMPI_Group_free(&all);
	return world;
}

static void no_memory(void)
{
	struct err err;

	err_nomem(&err, "a window", 0);
	tracer_mute(&err);
}

void record_win_new(struct call *c, enum trace_op op)
{
	const struct comm *comm = call_refused(c) ? NULL : call_comm(c);
	struct trace_event ev;
	struct err err;
	MPI_Group group;
	uint32_t i;
	int n;

	if (!comm || !recording())
		return;
	i = request_add(&tracer.windows, win_key(c->win), 0, &err);
	if (i == REQUEST_NONE) {
		tracer_mute(&err);
		return;
	}
	PMPI_Win_get_group(c->win, &group);
	tracer.windows.slots[i].extra = group_translate(group, &n);
	PMPI_Group_free(&group);
	if (!tracer.windows.slots[i].extra) { /* later calls do not find it */
		request_remove(&tracer.windows, i);
		no_memory();
		return;
	}
	trace_event_init(&ev, op);
	ev.comm = comm->id;
	ev.object = i;
	ev.count = c->bytes;
	event_put(c, &ev);
}

/* Its number, or REQUEST_NONE: then the call is counted. */
static uint32_t window_of(struct call *c)
{
	uint32_t i;

	requests_pass(&tracer.windows);
	i = request_claim(&tracer.windows, win_key(c->win));
	if (i == REQUEST_NONE)
		tracer.counts[c->id]++;
	return i;
}

static int32_t target_world(uint32_t win, int target)
{
	return target < 0 ? TRACE_PROC_NULL
	                  : ((const int32_t *)tracer.windows.slots[win].extra)[target];
}

/* The fields that all share; 0 when it has no place in the trace. */
static int win_event(struct call *c, enum trace_op op, struct trace_event *ev)
{
	uint32_t i = call_refused(c) ? REQUEST_NONE : window_of(c);

	if (i == REQUEST_NONE)
		return 0;
	trace_event_init(ev, op);
	ev->object = i;
	return 1;
}

void record_win(struct call *c, enum trace_op op)
{
	struct trace_event ev;

	if (!win_event(c, op, &ev))
		return;
	if (op == TRACE_WIN_LOCK_ALL && c->assertion & MPI_MODE_NOCHECK)
		ev.flags = TRACE_UNCHECKED;
	event_put(c, &ev);
}

/* Before the call: afterwards the handle is null. */
void before_win_free(struct call *c)
{
	tracer_lock();
	requests_pass(&tracer.windows);
	c->freed = request_claim(&tracer.windows, win_key(c->win));
	tracer_unlock();
}

void record_win_free(struct call *c, enum trace_op op)
{
	struct trace_event ev;

	if (c->freed == REQUEST_NONE || !call_succeeded(c)) {
		tracer.counts[c->id]++;
		return;
	}
	trace_event_init(&ev, op);
	ev.object = c->freed;
	event_put(c, &ev);
	free(tracer.windows.slots[c->freed].extra);
	request_remove(&tracer.windows, c->freed);
}

void record_win_target(struct call *c, enum trace_op op)
{
	struct trace_event ev;

	if (!win_event(c, op, &ev))
		return;
	ev.peer = target_world((uint32_t)ev.object, c->dest);
	if (op == TRACE_WIN_LOCK)
		ev.flags = c->assertion & MPI_MODE_NOCHECK ? TRACE_UNCHECKED
		           : c->lock == MPI_LOCK_EXCLUSIVE ? TRACE_EXCLUSIVE
		                                           : 0;
	event_put(c, &ev);
}

void record_win_group(struct call *c, enum trace_op op)
{
	struct trace_event ev;
	int32_t *world;
	int n;

	if (!win_event(c, op, &ev))
		return;
	world = group_translate(c->group, &n);
	if (!world) {
		no_memory();
		return;
	}
	ev.members = world;
	ev.n_members = n;
	event_put(c, &ev);
	free(world);
}

/* MPI_Win_test that found nothing is no event. */
void record_win_test(struct call *c, enum trace_op op)
{
	poll_begin(c, call_refused(c) || *c->flag);
	if (call_refused(c))
		return;
	if (*c->flag)
		record_win(c, op);
	else
		poll_missed();
}

static int rma_event(struct call *c, enum trace_op op, struct trace_event *ev)
{
	if (!win_event(c, op, ev))
		return 0;
	ev->peer = target_world((uint32_t)ev->object, c->dest);
	if (op != TRACE_FETCH_AND_OP && op != TRACE_COMPARE_AND_SWAP) /* of one element: no count */
		ev->count = c->count;
	type_get(&tracer.types, c->type, &ev->type, &ev->type_size);
	return 1;
}

void record_rma(struct call *c, enum trace_op op)
{
	struct trace_event ev;

	if (rma_event(c, op, &ev))
		event_put(c, &ev);
}

/* What comes back is as large as what the result takes; the origin may give nothing (MPI_NO_OP). */
void record_rma_fetch(struct call *c, enum trace_op op)
{
	c->count = c->count2;
	c->type = c->type2;
	record_rma(c, op);
}

void record_rma_request(struct call *c, enum trace_op op)
{
	struct trace_event ev;

	if (!rma_event(c, op, &ev))
		return;
	ev.req = call_add_request(c, REQUEST_ACTIVE);
	event_put(c, &ev);
}

void record_rma_fetch_request(struct call *c, enum trace_op op)
{
	c->count = c->count2;
	c->type = c->type2;
	record_rma_request(c, op);
}
