/* trail.h: what became of each operation of a schedule that was simulated: when, and because of
 * what. Whoever is to explain or to draw a run asks for it; it takes 112 bytes an operation.
 *
 * The path (schedule_path) is walked back along it: from what ended last to what that had waited
 * for, and so on to date 0 (Yang and Miller, 1988). */
#ifndef ORRERY_SCHEDULE_TRAIL_H
#define ORRERY_SCHEDULE_TRAIL_H

#include "trace/schedule.h"

#include <assert.h>

/* What held a processor or an interface until somebody who waited for it had it. */
struct schedule_holder {
	uint32_t op;
	enum schedule_held {
		HELD_NOT,       /* nobody waited */
		HELD_BY_WORK,   /* the processor: an operation that ran on it */
		HELD_BY_TAKING, /* the processor: the message of that send, which it took in */
		HELD_BY_OUT,    /* the interface: what it sent, g + G (k - 1) */
		HELD_BY_IN      /* the same: what it received */
	} how;
};

/* Dates in s. */
struct schedule_done {
	double ready;  /* what it waits for was over; of a receive: it was posted, or could be */
	double posted; /* of a receive */
	double began, ended;   /* its processor worked on it: a computation, a send */
	double moved, arrived; /* of a send: its message began to move, had arrived */
	double taking, taken;  /* the receiver's processor worked on it */
	double latency, alone; /* s of its movement, if nothing else were there; alone < 0: not
	                          known */
	uint32_t ready_by;     /* the operation that it waited for last, or SCHEDULE_NONE */
	uint32_t with;         /* of a send its receive, of a receive its send */
	struct schedule_holder before;        /* who held what it wanted when it was ready */
	struct schedule_holder before_taking; /* and its message, when that had arrived */
	uint8_t ready_at_start;               /* it waited for that one's start */
	uint8_t is_over_when_sent;            /* the send is, when its processor is free again */
	uint8_t moved_late, met_late;         /* because its receive was posted */
};
static_assert(sizeof(struct schedule_done) == 112, "one of each operation");

struct schedule_trail {
	struct schedule_done *op; /* n */
	uint32_t n;
	/* In LogGOPS a message is taken in whether or not its receive is posted, in
	 * receive_overhead s and what its bytes take; with flows afterwards. */
	uint8_t is_taken_first;
	double receive_overhead;
	/* While it runs: who has had each processor, interface last. */
	struct schedule_holder *cpu, *out, *in;
};
/* For a run of s. 0; -1: memory. */
int schedule_trail_init(struct schedule_trail *t, const struct trace_schedule *s, struct err *err);
void schedule_trail_release(struct schedule_trail *t);

/* s, from 0 on, when the operation was over. */
double schedule_over(const struct schedule_trail *t, const struct trace_schedule *s, uint32_t op);

/* A part of the path, without gaps from the end of the run back to 0. */
struct schedule_stretch {
	double from, until; /* s */
	enum schedule_spent {
		SPENT_COMPUTING, /* by the rank of op */
		SPENT_SENDING,   /* by the rank of op */
		SPENT_MOVING,    /* the message of op */
		SPENT_TAKING,    /* by the receiver of the message of op: its overhead */
		SPENT_BYTES,     /* by the same: its bytes */
		SPENT_INTERFACE  /* waiting for the interface, which op's message held */
	} what;
	uint32_t op, rank;
};
/* Calls told for each stretch that lasts; returns the rank that ended last. */
uint32_t schedule_path(const struct schedule_trail *t, const struct trace_schedule *s,
                       void (*told)(void *self, const struct schedule_stretch *x), void *self);

#endif
