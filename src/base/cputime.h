/* cputime.h: processor time of the calling thread, without a system call between two of its context
 * switches. Knows no trace and no MPI: the tracer and the library of simulated programs measure
 * with it. */
#ifndef ORRERY_BASE_CPUTIME_H
#define ORRERY_BASE_CPUTIME_H

#include "ticks.h"

/* Of one thread, which alone may use it. Zero to begin with: every reading asks the kernel. */
struct cputime {
	void *page;    /* what the kernel counts switches in, or NULL */
	uint32_t seen; /* that count when the clock was asked last, */
	uint64_t tick; /* the ticks then, 0: it never was, */
	int64_t base;  /* and what it said */
};

/* Ticks are used from here on, if the kernel lets us see context switches. */
void cputime_open(struct cputime *t, const struct ticks *ticks);
void cputime_close(struct cputime *t);
/* Nanoseconds. tick: what ticks_read gave just now, if there is a page. */
int64_t cputime_read(struct cputime *t, const struct ticks *ticks, uint64_t tick);

/* A counter of a thread of the process in user space, of the kernel's types (perf_event_open(2));
 * closed by exec. tid: the kernel's number of the thread, 0: the calling one. Its descriptor, or -1
 * (errno). */
int perf_open(uint32_t type, uint64_t config, int tid);

#endif
