/* program.h: random programs of nested loops, for what compresses traces: loops that run another
 * number of times each time, none at all included; events that come now and then; sizes, tags and
 * requests that are the same, rise, or are drawn anew. */
#ifndef ORRERY_TESTS_PROGRAM_H
#define ORRERY_TESTS_PROGRAM_H

#include "unit/trace/trace_test.h"

#include "base/rng.h"

#include <stdio.h>

enum { RANKS = 12, NODES = 40, DEPTH = 4, EVENTS_MOST = 2500 };

/* A program: a tree of loops, whose leaves are events. */
struct part {
	int is_loop, kids, kid[6];
	int runs, varies; /* of a loop; varies: 1 by its turn, 2 now and then */
	enum trace_op op;
	int drawn; /* what of the event is drawn anew each time: bits */
	int64_t peer, tag, count;
};
struct program {
	struct part part[NODES];
	int n;
};
struct run {
	const struct program *p;
	struct rng rng;
	uint32_t rank;
	int events, turn;
	int fewer; /* events than EVENTS_MOST */
	struct str text;
	void (*put)(void *self, uint32_t rank, const struct trace_event *ev);
	void *self;
};

static inline int below(struct rng *r, int n)
{
	return (int)rng_below(r, (uint64_t)n);
}

static inline int part_make(struct program *p, struct rng *r, int depth)
{
	static const enum trace_op ops[] = {
	    TRACE_COMPUTE, TRACE_SEND,      TRACE_RECV,    TRACE_IRECV,   TRACE_ISEND,
	    TRACE_WAITALL, TRACE_IPROBE,    TRACE_BARRIER, TRACE_WAITANY, TRACE_ALLTOALLV,
	    TRACE_REDUCE,  TRACE_WIN_FENCE, TRACE_IO_OPEN};
	int me = p->n++, kids = 1 + below(r, 6);
	struct part *d = &p->part[me];

	*d = (struct part){.is_loop = depth == 0 || (depth < DEPTH && below(r, 3) == 0)};
	d->op = ops[below(r, sizeof ops / sizeof *ops)];
	d->runs = depth == 0 ? 1 + below(r, 40) : 1 + below(r, 6);
	d->varies = below(r, 4) == 0 ? 1 + below(r, 2) : 0;
	d->drawn = below(r, 3) == 0 ? below(r, 16) : 0;
	d->peer = below(r, 5);
	d->tag = below(r, 3);
	d->count = below(r, 1000);
	for (int i = 0; d->is_loop && i < kids && p->n < NODES; i++) {
		int kid = part_make(p, r, depth + 1);

		p->part[me].kid[p->part[me].kids++] = kid;
	}
	return me;
}

/* A neighbour: ahead, behind, across, beyond the edge, always the same. */
static inline int32_t peer_of(int64_t how, int64_t rank)
{
	switch (how) {
	case 0:
		return (int32_t)((rank + 1) % RANKS);
	case 1:
		return rank > 0 ? (int32_t)rank - 1 : TRACE_PROC_NULL;
	case 2:
		return (int32_t)(rank ^ 1);
	case 3:
		return (int32_t)((rank + RANKS - 3) % RANKS);
	default:
		return 5;
	}
}

/* The name of a file: always the same, by rank, by turn, by both, padded or not, or anything. */
static inline void name_of(struct run *x, const struct part *d, char name[64])
{
	int n = 1 + below(&x->rng, 20), number = d->drawn & 1 ? x->turn : (int)d->count;

	switch (d->peer) {
	case 0:
		snprintf(name, 64, "out.%0*d", (int)d->tag + 1, number);
		return;
	case 1:
		snprintf(name, 64, "job7/%d.%03d/part%u.h5", number, x->turn, x->rank);
		return;
	case 2:
		snprintf(name, 64, "%u", x->rank);
		return;
	default:
		for (int i = 0; i < n; i++)
			name[i] = "0123456789\1\2a%"[below(&x->rng, 14)];
		name[n] = 0;
		return;
	}
}

static inline void event_run(struct run *x, const struct part *d)
{
	static const int32_t type = 6;
	struct trace_event ev;
	int64_t list[RANKS], done[2];
	char name[64];
	struct rng *r = &x->rng;

	trace_event_init(&ev, d->op);
	if (++x->events > EVENTS_MOST - x->fewer)
		return;
	for (int i = 0; i < RANKS; i++)
		list[i] = d->drawn & 1 ? below(r, 100) : i;
	switch (d->op) {
	case TRACE_COMPUTE:
		ev.volume = d->drawn & 1 ? below(r, 1000000) : d->drawn & 2 ? rng_unit(r) : 1e6;
		break;
	case TRACE_WAITALL:
	case TRACE_WAITANY:
		ev.reqs = list;
		ev.n_reqs = 1 + d->count % 4;
		ev.done = done;
		ev.n_done = d->op == TRACE_WAITANY;
		done[0] = list[below(r, 4)];
		break;
	case TRACE_ALLTOALLV:
		ev.counts = ev.counts2 = list;
		ev.n_counts = ev.n_counts2 = RANKS;
		ev.type = ev.type2 = type;
		ev.type_size = ev.type_size2 = 1;
		break;
	case TRACE_WIN_FENCE:
		ev.object = d->count % 2;
		break;
	case TRACE_IO_OPEN:
		name_of(x, d, name);
		ev.object = d->count % 2;
		ev.text = name;
		break;
	default:
		if (d->op != TRACE_BARRIER && d->op != TRACE_IPROBE) {
			ev.count = d->drawn & 1 ? below(r, 5000) : d->count;
			ev.type = type;
			ev.type_size = 1;
		}
		if (d->op == TRACE_IPROBE)
			ev.count = below(r, 2);
		if (d->op == TRACE_BARRIER || d->op == TRACE_REDUCE)
			break;
		ev.peer = peer_of(d->peer, x->rank);
		ev.tag = d->drawn & 2 ? x->turn : (int32_t)d->tag;
		if (d->op == TRACE_RECV && d->drawn & 4) {
			ev.flags |= TRACE_WILD_SOURCE;
			ev.peer = below(r, RANKS);
		}
		if (d->op == TRACE_ISEND || d->op == TRACE_IRECV)
			ev.req = d->drawn & 8 ? x->turn : d->tag;
		break;
	}
	if (below(r, 2))
		ev.duration = (double)below(r, 100000) / 1e9;
	trace_event_format(&x->text, x->rank, &ev);
	x->put(x->self, x->rank, &ev);
}

static inline void part_run(struct run *x, int number)
{
	const struct part *d = &x->p->part[number];
	int runs = d->runs;

	if (d->varies == 1)
		runs = x->turn % (d->runs + 1);
	if (d->varies == 2 && below(&x->rng, 3) == 0)
		runs = below(&x->rng, 2 * d->runs);
	if (!d->is_loop) {
		event_run(x, d);
		return;
	}
	for (int i = 0; i < runs && x->events < EVENTS_MOST - x->fewer; i++) {
		x->turn++;
		for (int k = 0; k < d->kids; k++)
			part_run(x, d->kid[k]);
	}
}

/* The lines of a rank, as they are read, are those that were written. */
static inline void rank_same(struct trace *t, struct run *x)
{
	struct trace_event ev;
	struct str line = {0};
	struct err err;
	size_t at = 0;
	int s;

	while ((s = trace_next(t, x->rank, &ev, &err)) > 0) {
		str_clear(&line);
		trace_event_format(&line, x->rank, &ev);
		if (at + line.n > x->text.n || memcmp(x->text.s + at, line.s, line.n) != 0)
			fail_msg("rank %u: %s, not %.*s", x->rank, line.s,
			         (int)strcspn(x->text.s + at, "\n"), x->text.s + at);
		at += line.n;
	}
	if (s < 0)
		fail_msg("%s", err.text);
	assert_int_equal(at, x->text.n);
	str_release(&line);
}

#endif
