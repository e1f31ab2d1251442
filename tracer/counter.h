/* counter.h: what a processor did between two MPI calls: instructions where they can be counted,
 * else time. One file per counter.
 *
 * A counter is read twice per MPI call, by the thread that calls; the difference between a read
 * when a call is entered and the read when the previous one was left is the volume of the
 * computation between them. Nothing here knows MPI. */
#ifndef ORRERY_TRACER_COUNTER_H
#define ORRERY_TRACER_COUNTER_H

#include "base/cputime.h"
#include "base/err.h"
#include "base/ticks.h"

#include <stdint.h>

enum counter_unit {
	COUNTER_INSTRUCTIONS,
	COUNTER_NANOSECONDS, /* volume = seconds x nominal rate */
	COUNTER_MADE_UP /* for tests: every read gives one more; volume = reads x nominal rate; no
	                   durations */
};

struct counter;

/* What counter_papi.c finds in the library. */
struct papi_functions {
	int (*library_init)(int version);
	int (*thread_init)(unsigned long (*id)(void));
	int (*create_eventset)(int *set);
	int (*add_event)(int set, int event);
	int (*start)(int set);
	int (*read)(int set, long long *values);
	int (*stop)(int set, long long *values);
	char *(*strerror)(int code);
};

/* A counter in use. Zero to begin with. */
struct counter_use {
	const struct counter *counter;
	double scale; /* volume per unit of read() */
	double rate; /* nominal rate: volume per second, or per read for the made up counter; 0 when
	                instructions are counted */
	struct papi_functions papi;
	struct ticks ticks;
};

/* What one thread keeps. Zero to begin with. */
struct counter_thread {
	int64_t reads; /* the made up counter */
	int fd;        /* perf: of the event */
	int64_t base,
	    last;      /* perf: what earlier events of the thread had counted; the last count */
	void *page;    /* perf: what the kernel shares for reading without a system call, or NULL */
	int event_set; /* papi */
	int by_ticks;  /* read() takes what it gives from the tick that it is given */
	struct cputime cputime;
};

/* What is kept of a thread that another one asks about (others.h). Zero to begin with, fd -1. */
struct counter_other {
	int fd;       /* perf: of the event; -1: none */
	int64_t last; /* what it had counted when it was read last */
	int64_t end;  /* processor time when it ended, ns */
};

struct counter {
	const char *name; /* as the user names it */
	enum counter_unit unit;
	int (*open)(struct counter_use *u, struct err *err); /* NULL: nothing to do */
	int (*thread_open)(const struct counter_use *u, struct counter_thread *t,
	                   struct err *err);                                         /* likewise */
	void (*thread_close)(const struct counter_use *u, struct counter_thread *t); /* likewise */
	/* tick: what ticks_read gave just now; of no meaning unless t->by_ticks. */
	int64_t (*read)(const struct counter_use *u, struct counter_thread *t, uint64_t tick);
	/* What another thread has counted, in the units of read(). tid: the kernel's number of it;
	 * 0: it has ended. NULL: it cannot be told, or what is counted is no thread's; open and
	 * close: nothing to do. */
	void (*other_open)(struct counter_other *o, int tid);
	int64_t (*other_read)(struct counter_other *o, int tid);
	void (*other_close)(struct counter_other *o);
};

extern const struct counter counter_perf, counter_papi, counter_cputime, counter_wall, counter_fake,
    counter_simulated; /* nothing is counted: the MPI library of `orrery run` knows what was */
/* "auto" tries those marked so, in this order; NULL-terminated. */
extern const struct counter *const counters[];

/* Nominal rates unless the user gives one: volumes made from time are nanoseconds; a made up read
 * counts a million. */
enum { COUNTER_RATE = 1000000000, COUNTER_FAKE_RATE = 1000000 };

/* Opens the counter `wanted` (NULL or "auto": instructions if this machine counts them for us, else
 * thread CPU time) for the process and the calling thread. rate: nominal rate, 0 for COUNTER_RATE.
 * -1: the name is unknown, or that counter does not work here. */
int counter_choose(struct counter_use *u, struct counter_thread *t, const char *wanted, double rate,
                   struct err *err);
int counter_thread_open(const struct counter_use *u, struct counter_thread *t, struct err *err);
void counter_thread_close(const struct counter_use *u, struct counter_thread *t);

/* The monotonic clock, in nanoseconds. */
int64_t clock_ns(void);
/* A clock of nanoseconds, from anywhere: durations are measured with it whatever the counter. */
static inline int64_t counter_ns(const struct counter_use *u)
{
	return u->ticks.ns > 0 ? ticks_ns(&u->ticks, ticks_read()) : clock_ns();
}
/* The counter, and that clock: when a call is entered, the clock last; when it is left, the clock
 * first, so that what reading the counter takes is in no call's time. At one moment where the
 * counter is made of ticks, which are read once then. */
static inline int64_t counter_enter(const struct counter_use *u, struct counter_thread *t,
                                    int64_t *ns)
{
	uint64_t tick = t->by_ticks ? ticks_read() : 0;
	int64_t units = u->counter->read(u, t, tick);

	*ns = tick ? ticks_ns(&u->ticks, tick) : counter_ns(u);
	return units;
}
static inline int64_t counter_leave(const struct counter_use *u, struct counter_thread *t,
                                    int64_t *ns)
{
	uint64_t tick = t->by_ticks ? ticks_read() : 0;

	*ns = tick ? ticks_ns(&u->ticks, tick) : counter_ns(u);
	return u->counter->read(u, t, tick);
}
/* "time-stamp counter, corrected by context switches", for what is in use. */
const char *counter_clock_name(const struct counter_use *u, const struct counter_thread *t);

#endif
