/* others.h: the threads of a process that call no MPI, OpenMP's for one. Between two MPI calls a
 * rank computes as long as the busiest of its threads, so what these did is asked beside what the
 * thread that calls MPI counts. Knows no MPI.
 *
 *     place = others_begin(o)     by each thread that begins (others_made.c)
 *     others_end(place)           by the same when it ends
 *     others_start(o, use)        when the trace begins
 *     others_since(o, self)       when an MPI call is left, and when the next one is entered
 *     others_stop(o)
 *
 * Of a place, the thread in it writes until its state is its number, and its end before its state
 * is ENDED; all else is of the thread that calls MPI, which frees it. No lock: a process may fork
 * at any moment. */
#ifndef ORRERY_TRACER_OTHERS_H
#define ORRERY_TRACER_OTHERS_H

#include "counter.h"

#include <stdatomic.h>
#include <stdint.h>

enum { OTHERS = 512 }; /* more at once are not seen */
enum { OTHER_FREE = 0, OTHER_ENDED = -1, OTHER_BEGINS = -2 };

struct other {
	_Atomic int state; /* one of these, or the kernel's number of the thread */
	struct counter_other counter;
	int64_t mark; /* what it had counted when it was asked last */
	_Atomic int64_t
	    stopped; /* 1 + what it had counted when it came into MPI; 0: it is not there */
};

/* Zero to begin with. */
struct others {
	_Atomic uint32_t n;                    /* places ever used */
	const struct counter_use *_Atomic use; /* NULL: nothing is counted */
	struct other at[OTHERS];
};

/* NULL: there is no place. */
struct other *others_begin(struct others *o);
void others_end(struct other *place); /* may be NULL */
/* Nothing is started for a counter that cannot be read of another thread, or need not be. */
void others_start(struct others *o, const struct counter_use *use);
void others_stop(struct others *o);
/* The most that one of them has counted since this was asked last, but for the place `self` of who
 * asks, which may be NULL. */
int64_t others_since(struct others *o, const struct other *self);

/* --- where several threads call MPI --- */

/* A place for a thread that made none: its number; what it had counted when it left MPI, or -1:
 * what it has now; whether it is in MPI. NULL: there is none, or it cannot be told what it counts.
 */
struct other *others_add(struct others *o, int tid, int64_t mark, int inside);
/* Who calls comes into MPI: what it does there is no computation; is out of it again. */
void others_enter(struct others *o, struct other *self);
void others_leave(struct others *o, struct other *self);
/* The most that one of them, or who asks, has counted since this was asked last, out of MPI. */
int64_t others_busiest(struct others *o);

/* Whether to ask: no system call, and two loads where the process has never made a thread. */
static inline int others_any(const struct others *o)
{
	return atomic_load_explicit(&o->n, memory_order_relaxed) > 0 && atomic_load(&o->use);
}

#endif
