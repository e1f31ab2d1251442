/* progress.h: a progress line that a room reports to and only the cli shows. */
#ifndef ORRERY_BASE_PROGRESS_H
#define ORRERY_BASE_PROGRESS_H

#include <stdint.h>

/* The caller of a long operation passes one (or NULL). The operation calls `tick` now and then
 * (every few thousand units, never per event); the receiver decides when to draw. */
struct progress {
	void (*tick)(struct progress *p);
	int stop;             /* set in `tick`: a run is to end here, as an error */
	uint64_t done, total; /* units (actions); total 0 when unknown */
	double simulated;     /* simulated date, s */
	void *self;           /* the receiver's own */
	const char *what; /* NULL: actions. Else what is done, of which `done` says only the part:
	                     "measurements" */
};

#endif
