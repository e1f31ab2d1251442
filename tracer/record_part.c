/* record_part.c: partitioned requests (MPI 4.0). A partition that MPI_Parrived does not find is no
 * event, as with tests. */
#include "record.h"
#include "tracer.h"

void record_part_init(struct call *c, enum trace_op op)
{
	struct trace_event ev;

	if (!call_succeeded(c) || !p2p_event(c, op, &ev, c->dest))
		return;
	ev.count2 = c->partitions;
	ev.req = call_add_request(c, REQUEST_PERSISTENT);
	event_put(c, &ev);
}

/* n partitions, of which the i-th is first + i, or list[i]. */
static void parts_put(struct call *c, enum trace_op op, int64_t first, const int *list, int64_t n)
{
	uint32_t k;
	int64_t *parts;
	struct trace_event ev;

	if (request_refused(c))
		return;
	k = request_of(c);
	parts = thread_numbers(1, n);
	if (k == REQUEST_NONE || !parts) {
		tracer.counts[c->id]++;
		return;
	}
	for (int64_t i = 0; i < n; i++)
		parts[i] = list ? list[i] : first + i;
	trace_event_init(&ev, op);
	ev.req = k;
	ev.counts = parts;
	ev.n_counts = n;
	event_put(c, &ev);
}

void record_pready(struct call *c, enum trace_op op)
{
	parts_put(c, op, c->low, NULL, 1);
}

void record_pready_range(struct call *c, enum trace_op op)
{
	parts_put(c, op, c->low, NULL, (int64_t)c->high - c->low + 1);
}

void record_pready_list(struct call *c, enum trace_op op)
{
	parts_put(c, op, 0, c->list, c->length);
}

void record_parrived(struct call *c, enum trace_op op)
{
	poll_begin(c, !call_succeeded(c) || *c->flag);
	if (!call_succeeded(c) || *c->flag) {
		parts_put(c, op, c->low, NULL, 1);
		return;
	}
	if (c->claims)
		claims_take(c);
	poll_missed();
}
