/* random_run.h: a run drawn at random: calls of ranks that follow each other without overlapping,
 * some of no duration, some that never end; messages; communicators; names with all kinds of
 * characters. What is told to a recorder is kept as lists, in the order in which a recording gives
 * it back: states by their ends, open ones last; messages by their arrival. */
#ifndef ORRERY_TESTS_RANDOM_RUN_H
#define ORRERY_TESTS_RANDOM_RUN_H

#include "property/prop.h"
#include "tmp.h"

#include "observe/observe.h"

enum { RUN_RANKS = 7, RUN_MOST = 1200 };

struct random_run {
	uint32_t ranks, n_states, n_messages;
	struct rec_state state[RUN_MOST];
	struct rec_message message[RUN_MOST];
	double makespan;
	char program[64];
};

/* Dates: exact in binary, or not; close together, or far. */
static inline double random_step(struct rng *r, int kind)
{
	switch (kind) {
	case 0:
		return (double)prop_from(r, 0, 4) / 8;
	case 1:
		return rng_unit(r) * 1e-6;
	default:
		return prop_once_in(r, 5) ? 0 : rng_unit(r) * 10;
	}
}

static inline enum mp_call random_call(struct rng *r)
{
	static const enum mp_call calls[] = {CALL_COMPUTE,
	                                     CALL_SLEEP,
	                                     CALL_SEND,
	                                     CALL_RECV,
	                                     CALL_WAITALL,
	                                     CALL_COMM,
	                                     CALL_FILE_READ,
	                                     (enum mp_call)(CALL_COLL + COLL_BCAST),
	                                     (enum mp_call)(CALL_COLL + COLL_BARRIER)};

	return calls[prop_from(r, 0, sizeof calls / sizeof *calls - 1)];
}

static inline double random_bytes(struct rng *r)
{
	return prop_once_in(r, 4) ? 0 : (double)(rng_u64(r) >> prop_from(r, 12, 63));
}

static inline void random_states(struct random_run *run, struct rng *r, int kind)
{
	double last[RUN_RANKS] = {0};

	for (uint32_t i = 0; i < run->n_states; i++) {
		struct rec_state *s = &run->state[i];

		s->rank = prop_from(r, 0, run->ranks - 1);
		s->call = random_call(r);
		s->flags = 0;
		s->enter = last[s->rank] + (prop_once_in(r, 2) ? random_step(r, kind) : 0);
		s->leave = s->enter + random_step(r, kind);
		s->partner = (int32_t)prop_from(r, 0, run->ranks) - 1;
		s->bytes = random_bytes(r);
		s->wait = (s->leave - s->enter) * (prop_once_in(r, 2) ? 0 : rng_unit(r));
		last[s->rank] = s->leave;
		run->makespan = s->leave > run->makespan ? s->leave : run->makespan;
	}
}

static inline void random_messages(struct random_run *run, struct rng *r)
{
	for (uint32_t i = 0; i < run->n_messages; i++) {
		struct rec_message *m = &run->message[i];

		m->from = prop_from(r, 0, run->ranks - 1);
		m->to = prop_from(r, 0, run->ranks - 1);
		m->tag = (int32_t)rng_u64(r);
		m->comm = prop_from(r, 0, 5);
		m->coll = prop_once_in(r, 3);
		m->bytes = random_bytes(r);
		m->sent = rng_unit(r) * run->makespan;
		m->received = m->sent + rng_unit(r) * (run->makespan - m->sent);
		m->moved = m->sent + rng_unit(r) * (m->received - m->sent);
	}
}

static inline int random_by_leave(const void *a, const void *b)
{
	const struct rec_state *x = a, *y = b;

	if (x->leave != y->leave)
		return x->leave < y->leave ? -1 : 1;
	if (x->enter != y->enter)
		return x->enter < y->enter ? -1 : 1;
	return (x > y) - (x < y);
}

static inline int random_by_arrival(const void *a, const void *b)
{
	const struct rec_message *x = a, *y = b;

	return (x->received > y->received) - (x->received < y->received);
}

static inline void random_run_draw(struct random_run *run, struct rng *r, uint32_t most)
{
	static const char *const programs[] = {"./ring", "a \"b\" 'c'",      "x,y;z", "é\\n\ttab",
	                                       "",       "%s%d <b>&amp;</b>"};

	memset(run, 0, sizeof *run);
	run->ranks = prop_from(r, 1, RUN_RANKS);
	run->n_states = prop_from(r, 0, most);
	run->n_messages = prop_from(r, 0, most);
	snprintf(run->program, sizeof run->program, "%s",
	         programs[prop_from(r, 0, sizeof programs / sizeof *programs - 1)]);
	random_states(run, r, (int)prop_from(r, 0, 2));
	random_messages(run, r);
	qsort(run->state, run->n_states, sizeof *run->state, random_by_leave);
	qsort(run->message, run->n_messages, sizeof *run->message, random_by_arrival);
}

static inline const char *random_host(void *self, uint32_t rank, char *buf, size_t n)
{
	(void)self;
	snprintf(buf, n, "node-%u \"%c\"", (unsigned)rank / 2, 'a' + (int)rank);
	return buf;
}

/* As it happened: the messages that have come when a call ends are told before it. */
static inline void random_run_tell(const struct random_run *run, const struct mp_observer *o)
{
	uint32_t m = 0;

	for (uint32_t i = 0; i <= run->n_states; i++) {
		const struct rec_state *s = &run->state[i];
		double until = i < run->n_states ? s->leave : run->makespan + 1;

		for (; o->message && m < run->n_messages && run->message[m].received <= until;
		     m++) {
			const struct rec_message *q = &run->message[m];

			o->message(o->self, &(struct mp_arrival){.from = q->from,
			                                         .to = q->to,
			                                         .tag = q->tag,
			                                         .comm = {q->comm},
			                                         .bytes = q->bytes,
			                                         .sent = q->sent,
			                                         .moved = q->moved,
			                                         .received = q->received,
			                                         .coll = (int)q->coll});
		}
		if (i == run->n_states)
			return;
		o->enter(o->self, s->rank, s->call, s->enter);
		o->leave(o->self, s->rank, s->call, s->leave, s->partner, s->bytes, s->wait);
	}
}

/* Recorded to the file, and opened. */
static inline struct recording *random_run_record(const struct random_run *run, const char *path)
{
	const struct run_info info = {.ranks = run->ranks,
	                              .program = run->program,
	                              .machine = "m \\ \"x\"",
	                              .model = "lv08",
	                              .settings = "a:1 b:2",
	                              .trace = "t/é"};
	struct err err;
	struct recorder *w = recorder_open(path, &info, random_host, NULL, &err);
	struct recording *rec;
	struct mp_observer o;

	assert_non_null(w);
	o = recorder_observer(w);
	random_run_tell(run, &o);
	assert_ok(recorder_close(w, run->makespan, &err), err);
	rec = recording_open(path, &err);
	assert_non_null(rec);
	assert_string_equal(recording_notice(rec), "");
	return rec;
}

#endif
