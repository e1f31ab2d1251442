/* summary.c: see summary.h. Made by visiting (visit.c); operations and computations are those of
 * summary_ops.c. */
#include "summary_int.h"

#include <stdlib.h>

static int events_visit(struct trace *t, uint32_t rank, const struct trace_visitor *v,
                        struct err *err)
{
	struct trace_event ev;
	int s, r = 0;

	while (r == 0 && (s = trace_next(t, rank, &ev, err)) != 0) {
		struct trace_seen seen = {.rank = rank,
		                          .times = 1,
		                          .volume = ev.volume,
		                          .seconds = ev.duration > 0 ? ev.duration : 0,
		                          .ev = &ev};

		r = s < 0 ? -1 : v->call(v->self, &seen, err);
	}
	return r;
}

/* A visitor of a trace that names its call sites: regions bear these names, as in trace_next. */
struct naming {
	const struct trace_visitor *v;
	struct site_names *sites;
};

static int named_call(void *self, const struct trace_seen *x, struct err *err)
{
	const struct naming *n = self;
	struct trace_seen named = *x;
	struct trace_event ev;

	if (x->ev->op != TRACE_REGION)
		return n->v->call(n->v->self, x, err);
	ev = *x->ev;
	ev.text = site_names_region(n->sites, ev.text, err);
	named.ev = &ev;
	return ev.text ? n->v->call(n->v->self, &named, err) : -1;
}

static int named_loop(void *self, uint32_t rank, uint64_t times, int enters, struct err *err)
{
	const struct naming *n = self;

	return n->v->loop(n->v->self, rank, times, enters, err);
}

static int structure_visit(struct trace *t, uint32_t rank, const struct trace_visitor *v,
                           struct err *err)
{
	struct naming n = {v, t->sites};
	const struct trace_visitor named = {
	    .self = &n, .call = named_call, .loop = v->loop ? named_loop : NULL};

	return compressed_visit(t, rank, t->sites ? &named : v, err);
}

int trace_visit(struct trace *t, const struct trace_visitor *v, struct err *err)
{
	int r = 0;

	for (uint32_t rank = 0; r == 0 && rank < t->ranks; rank++)
		r = t->format == &trace_format_nest ? structure_visit(t, rank, v, err)
		                                    : events_visit(t, rank, v, err);
	return r;
}

static int is_put(enum trace_op op)
{
	return op == TRACE_PUT || op == TRACE_ACCUMULATE || op == TRACE_GET_ACCUMULATE;
}

static int is_local(enum trace_op op)
{
	return op == TRACE_COMPUTE || op == TRACE_SLEEP || op == TRACE_LOCATION ||
	       op == TRACE_REGION || op == TRACE_RESOLVE;
}

static int comm_add(struct trace_summary *s, const struct trace_seen *x, double bytes,
                    struct err *err)
{
	uint32_t i = hash64_find(&s->comm_index, x->ev->comm);
	struct trace_of_comm *c;

	if (i == HASH_NONE) {
		c = vec_grow(s->comm, &s->cap_comms, sizeof *c, (size_t)s->comms + 1,
		             "communicators of a trace", err);
		if (!c)
			return -1;
		s->comm = c;
		i = s->comms++;
		c[i] = (struct trace_of_comm){.comm = x->ev->comm};
		if (hash64_put(&s->comm_index, x->ev->comm, i, err) < 0)
			return -1;
	}
	s->comm[i].calls += x->times;
	s->comm[i].bytes += bytes;
	return 0;
}

static int cell_add(struct trace_summary *s, const struct trace_seen *x, double bytes,
                    struct err *err)
{
	uint64_t key = (uint64_t)x->rank << 32 | (uint32_t)x->ev->peer;
	uint32_t i = hash64_find(&s->cell_index, key);
	struct trace_cell *c;

	if (i == HASH_NONE) {
		c = vec_grow(s->cell, &s->cap_cells, sizeof *c, (size_t)s->cells + 1,
		             "pairs of ranks", err);
		if (!c)
			return -1;
		s->cell = c;
		i = s->cells++;
		c[i] = (struct trace_cell){.from = x->rank, .to = (uint32_t)x->ev->peer};
		if (hash64_put(&s->cell_index, key, i, err) < 0)
			return -1;
	}
	s->cell[i].messages += x->times;
	s->cell[i].bytes += bytes;
	return 0;
}

static void size_add(struct trace_summary *s, double each, uint64_t times)
{
	uint64_t n = each >= 1 && each < 9e18 ? (uint64_t)each : 0;

	s->size[n ? 63 - __builtin_clzll(n) : 0] += times;
	s->messages += times;
}

static void io_add(struct trace_summary *s, const struct trace_seen *x)
{
	enum trace_op op = (enum trace_op)x->ev->op;
	int system = trace_op_has(op, TRACE_SYSTEM_IO);
	struct trace_io *io = system ? &s->system_io : &s->mpi_io;
	double one = system ? 1 : (double)x->ev->type_size; /* the system counts bytes */
	double bytes = (double)x->times * (double)x->ev->count * one;

	io->calls += x->times;
	io->seconds += x->seconds;
	if (trace_op_has(op, TRACE_READS))
		io->read += bytes;
	if (trace_op_has(op, TRACE_WRITES))
		io->written += bytes;
}

static int call_add(struct trace_summary *s, const struct trace_seen *x, struct err *err)
{
	const struct trace_event *ev = x->ev;
	enum trace_op op = (enum trace_op)ev->op;
	struct trace_of_rank *r = &s->rank[x->rank];
	double each = trace_event_sent(ev), bytes = each * (double)x->times;

	if (op == TRACE_COMPUTE) {
		r->computation += x->seconds;
		r->volume += x->volume;
	}
	if (is_local(op))
		return 0;
	r->calls += x->times;
	r->communication += x->seconds;
	if (trace_op_has(op, TRACE_MPI_IO | TRACE_SYSTEM_IO)) {
		io_add(s, x);
		return op == TRACE_FILE_OPEN ? comm_add(s, x, 0, err) : 0;
	}
	r->bytes += bytes;
	if (trace_op_sends(op) && ev->peer != TRACE_PROC_NULL)
		size_add(s, each, x->times);
	if ((trace_op_sends(op) || is_put(op)) && ev->peer >= 0 && cell_add(s, x, bytes, err) < 0)
		return -1;
	return trace_op_has(op, TRACE_IN_COMM) ? comm_add(s, x, bytes, err) : 0;
}

static int comm_compare(const void *a, const void *b)
{
	const struct trace_of_comm *x = a, *y = b;

	return (x->comm > y->comm) - (x->comm < y->comm);
}

static int cell_compare(const void *a, const void *b)
{
	const struct trace_cell *x = a, *y = b;

	return x->from != y->from ? (x->from > y->from) - (x->from < y->from)
	                          : (x->to > y->to) - (x->to < y->to);
}

static int call_seen(void *self, const struct trace_seen *x, struct err *err)
{
	struct trace_summary *s = self;

	return summary_op_add(s, x, err) < 0 ? -1 : call_add(s, x, err);
}

/* Puts everything into its order. */
static void summary_sort(struct trace_summary *s)
{
	summary_ops_sort(s);
	if (s->comms > 0)
		qsort(s->comm, s->comms, sizeof *s->comm, comm_compare);
	if (s->cells > 0)
		qsort(s->cell, s->cells, sizeof *s->cell, cell_compare);
}

int trace_summary_read(struct trace_summary *s, struct trace *t, struct err *err)
{
	struct trace_visitor v = {.self = s, .call = call_seen};

	*s = (struct trace_summary){.ranks = trace_ranks(t)};
	s->rank = calloc(s->ranks, sizeof *s->rank);
	if (!s->rank)
		return err_nomem(err, "the ranks of a trace", s->ranks * sizeof *s->rank);
	if (trace_visit(t, &v, err) < 0) {
		trace_summary_release(s);
		return -1;
	}
	summary_sort(s);
	return 0;
}

static double measure_of(const struct trace_of_rank *r, enum trace_measure of)
{
	switch (of) {
	case TRACE_COMPUTATION_SECONDS:
		return r->computation;
	case TRACE_COMPUTATION_VOLUME:
		return r->volume;
	case TRACE_CALLS_SECONDS:
		return r->communication;
	default:
		return r->bytes;
	}
}

struct trace_spread trace_summary_spread(const struct trace_summary *s, enum trace_measure of)
{
	struct trace_spread p = {0};

	for (uint32_t i = 0; i < s->ranks; i++) {
		double v = measure_of(&s->rank[i], of);

		p.mean += v / s->ranks;
		if (i == 0 || v < p.least)
			p.least = v, p.least_rank = i;
		if (i == 0 || v > p.most)
			p.most = v, p.most_rank = i;
	}
	return p;
}

void trace_summary_release(struct trace_summary *s)
{
	summary_ops_release(s);
	free(s->comm);
	free(s->rank);
	free(s->cell);
	hash64_release(&s->comm_index);
	hash64_release(&s->cell_index);
	*s = (struct trace_summary){0};
}
