/* watch.h: a watch of progress: whether this thread computes and computes without a step. A rank
 * that wrote into memory of whoever runs it may have made a list there go round in a circle: no
 * fault comes then, nor an end.
 *
 * Processor time is what counts, not the time of day: a computer at work for others, a run that was
 * stopped for a while and a disk that is slow are no hang. It costs a signal each period and
 * nothing between. */
#ifndef ORRERY_LIVE_CORO_WATCH_H
#define ORRERY_LIVE_CORO_WATCH_H

#include <signal.h>
#include <stdint.h>
#include <time.h>

struct watch {
	/* All are called by the handler of a signal, and only read.
	 * busy: it is the turn of somebody who may compute for as long as he likes.
	 * kept: NULL, or told at each look that he had the turn at the one before, without a step,
	 * and for how long at least.
	 * steps: another number after each step, by design or nearly always.
	 * stalled: there was none in so many looks at least; it need not return. */
	int (*busy)(void *self);
	void (*kept)(void *self, double seconds);
	uint64_t (*steps)(void *self);
	void (*stalled)(void *self, double seconds);
	void *self;
	double period; /* s of processor time between two looks */
	int looks;     /* as many without a step are a hang */
	/* its own */
	timer_t timer;
	int has_timer, looked, turn_looks;
	uint64_t last;
};

/* One at a time, of the thread that calls. Where there is no timer, nobody watches. */
void watch_begin(struct watch *w);
void watch_end(struct watch *w);

#endif
