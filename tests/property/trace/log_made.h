/* log_made.h: the log of one rank of a random program (program.h), as the tracer writes it. */
#ifndef ORRERY_TESTS_LOG_MADE_H
#define ORRERY_TESTS_LOG_MADE_H

#include "program.h"

#include "trace/compressed/log.h"

struct made_log {
	struct calls calls;
	struct log_numbers numbers;
	struct str bytes;
	size_t after[EVENTS_MOST + 1]; /* where each event's entries end */
	int n;
	struct run run;
	struct program program;
};

static inline void log_take(void *self, uint32_t rank, const struct trace_event *ev)
{
	struct made_log *m = self;
	int64_t value[CALL_COLUMNS];
	struct err err;
	uint32_t call = calls_put(&m->calls, ev, value, &err);

	(void)rank;
	assert_int_not_equal(call, CALL_NONE);
	assert_ok(log_call_put(&m->numbers, &m->calls, call, value, &m->bytes, &err), err);
	m->after[m->n++] = m->bytes.n;
}

/* fewer: events than EVENTS_MOST. Notes stand at its head, as the tracer's. */
static inline void log_make(struct made_log *m, uint64_t seed, uint32_t rank, int fewer)
{
	struct rng rng;

	memset(m, 0, sizeof *m);
	str_puts(&m->bytes, LOG_MAGIC);
	log_note_put(&m->bytes, "orrery-trace 1");
	log_note_put(&m->bytes, "ranks 12");
	log_note_put(&m->bytes, "chapters 0");
	rng_init(&rng, seed, "logs", 0);
	part_make(&m->program, &rng, 0);
	m->run = (struct run){
	    .p = &m->program, .rank = rank, .put = log_take, .self = m, .fewer = fewer};
	rng_init(&m->run.rng, seed, "runs", rank);
	part_run(&m->run, 0);
}

static inline void log_release(struct made_log *m)
{
	calls_release(&m->calls);
	log_numbers_release(&m->numbers);
	str_release(&m->bytes);
	str_release(&m->run.text);
}

#endif
