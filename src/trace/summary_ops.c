/* summary_ops.c: the summary of a trace by operation, and by what is computed from one call to the
 * next. */
#include "summary_int.h"

#include <stdlib.h>

/* Whether a rank of the program gets what this says: no file, no window's size, no call that takes.
 */
static int is_given(const struct trace_event *ev)
{
	if (op_has(ev->op, TRACE_RECEIVES | TRACE_PROBES) && !op_has(ev->op, TRACE_SENDS))
		return 0;
	if (op_has(ev->op, TRACE_SENDS | TRACE_REMOTE))
		return ev->peer != TRACE_PROC_NULL && ev->op != TRACE_GET;
	return op_has(ev->op, TRACE_COLLECTIVE);
}

double trace_event_sent(const struct trace_event *ev)
{
	const int scatters = ev->op == TRACE_REDUCE_SCATTER; /* what all get is given by each */
	const int64_t *counts = scatters ? ev->counts2 : ev->counts;
	int64_t n = scatters ? ev->n_counts2 : ev->n_counts;
	double elements = (double)ev->count, sum = 0;

	if (!is_given(ev))
		return 0;
	if (op_has(ev->op, TRACE_PARTITIONED))
		elements *= (double)ev->count2;
	for (int64_t i = 0; counts && i < n; i++)
		sum += (double)counts[i];
	if (n > 0) /* beside them, count is the size of a buffer */
		elements = sum;
	return elements > 0 ? elements * (double)ev->type_size : 0;
}

static void sum_add(struct trace_of_op *s, const struct trace_seen *x)
{
	s->events += x->times;
	s->bytes += trace_event_sent(x->ev) * (double)x->times;
	s->volume += x->ev->op == TRACE_SLEEP ? 0 : x->volume;
	s->seconds += x->seconds;
}

static int region_define(struct trace_summary *s, const struct trace_seen *x, struct err *err)
{
	uint32_t before = s->regions.n;
	struct trace_of_region *all;

	if (trace_regions_define(&s->regions, x->rank, x->ev, err) < 0)
		return -1;
	all = vec_grow(s->region, &s->cap_regions, sizeof *all, s->regions.n, "regions", err);
	if (!all)
		return -1;
	s->region = all;
	if (s->regions.n > before)
		all[before] = (struct trace_of_region){.id = before};
	return 0;
}

static void region_add(struct trace_summary *s, const struct trace_seen *x)
{
	int64_t id = trace_regions_find(&s->regions, x->rank, x->ev);

	if (id < 0)
		return;
	s->region[id].times += x->times;
	s->region[id].volume += x->volume;
	s->region[id].seconds += x->seconds;
}

int summary_op_add(struct trace_summary *s, const struct trace_seen *x, struct err *err)
{
	sum_add(&s->op[x->ev->op][!!(x->ev->flags & TRACE_NONBLOCKING)], x);
	sum_add(&s->all, x);
	if (x->ev->op == TRACE_REGION)
		return region_define(s, x, err);
	if (x->ev->op == TRACE_COMPUTE)
		region_add(s, x);
	return 0;
}

/* Time first; of equal ones volume, and the first to be defined. */
static int by_cost(const void *a, const void *b)
{
	const struct trace_of_region *x = a, *y = b;

	if (x->seconds != y->seconds)
		return (x->seconds < y->seconds) - (x->seconds > y->seconds);
	return x->volume != y->volume ? (x->volume < y->volume) - (x->volume > y->volume)
	                              : (x->id > y->id) - (x->id < y->id);
}

void summary_ops_sort(struct trace_summary *s)
{
	if (s->regions.n > 0)
		qsort(s->region, s->regions.n, sizeof *s->region, by_cost);
}

void summary_ops_release(struct trace_summary *s)
{
	trace_regions_release(&s->regions);
	free(s->region);
}
