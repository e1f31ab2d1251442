/* program_kept.h: what the random programs of program.h did, kept event by event: each as its line
 * without what it cost, and what it cost. */
#ifndef ORRERY_TESTS_PROGRAM_KEPT_H
#define ORRERY_TESTS_PROGRAM_KEPT_H

#include "program.h"

struct kept_event {
	char *line; /* without volume and duration */
	double volume, duration;
	uint8_t op;
};
struct kept_rank {
	struct kept_event *event;
	uint32_t n, cap;
};
struct kept_program {
	struct program program;
	struct kept_rank rank[RANKS];
	struct trace_writer *writer; /* or NULL: only kept */
};

static inline char *line_without_costs(uint32_t rank, struct trace_event ev)
{
	struct str s = {0};

	ev.volume = 0;
	ev.duration = -1;
	ev.place = 0;
	ev.drawn = 0;
	trace_event_format(&s, rank, &ev);
	assert_false(s.failed);
	return s.s;
}

static inline void event_keep(void *self, uint32_t rank, const struct trace_event *ev)
{
	struct kept_program *k = self;
	struct kept_rank *r = &k->rank[rank];
	struct err err;

	if (r->n == r->cap) {
		r->cap = r->cap ? 2 * r->cap : 64;
		r->event = realloc(r->event, r->cap * sizeof *r->event);
		assert_non_null(r->event);
	}
	r->event[r->n++] = (struct kept_event){.line = line_without_costs(rank, *ev),
	                                       .volume = ev->volume,
	                                       .duration = ev->duration,
	                                       .op = ev->op};
	if (k->writer)
		assert_ok(trace_writer_put(k->writer, rank, ev, &err), err);
}

/* The program of a seed, run by all ranks; costs: of its costs and of what is drawn anew, the
 * seed; fewer: events than EVENTS_MOST. */
static inline void program_run(struct kept_program *k, uint64_t seed, uint64_t costs, int fewer)
{
	struct rng rng;

	k->program.n = 0;
	rng_init(&rng, seed, "programs kept", 0);
	part_make(&k->program, &rng, 0);
	for (uint32_t rank = 0; rank < RANKS; rank++) {
		struct run x = {
		    .p = &k->program, .rank = rank, .put = event_keep, .self = k, .fewer = fewer};

		k->rank[rank] = (struct kept_rank){.n = 0};
		rng_init(&x.rng, costs, "runs kept", seed % 2 ? 0 : rank);
		part_run(&x, 0);
		str_release(&x.text);
	}
}

/* To a compressed trace under a precision level. */
static inline void program_write(struct kept_program *k, uint64_t seed, uint64_t costs, int fewer,
                                 const char *path, int precision)
{
	struct err err;

	k->writer = trace_writer_open(path, TRACE_WRITE_COMPRESSED, RANKS, &err);
	if (!k->writer)
		fail_msg("%s", err.text);
	trace_writer_precision(k->writer, precision);
	program_run(k, seed, costs, fewer);
	assert_ok(trace_writer_commit(k->writer, NULL, NULL, &err), err);
	k->writer = NULL;
}

static inline void program_release(struct kept_program *k)
{
	for (uint32_t rank = 0; rank < RANKS; rank++) {
		for (uint32_t i = 0; i < k->rank[rank].n; i++)
			free(k->rank[rank].event[i].line);
		free(k->rank[rank].event);
	}
}

#endif
