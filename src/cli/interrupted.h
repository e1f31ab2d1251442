/* interrupted.h: a verb that is told to end while it measures writes what it has, then ends of the
 * signal. A second signal ends it at once. */
#ifndef ORRERY_CLI_INTERRUPTED_H
#define ORRERY_CLI_INTERRUPTED_H

#include "ending.h"

#include <stdatomic.h>

struct interrupted {
	atomic_int stop; /* the signal, once there was one */
	struct ending ending;
};

/* From here to its end a signal that ends the process sets `stop`. Threads are started after this.
 */
void interrupted_begin(struct interrupted *i);
/* After all is written, or r is -1: the process ends of the signal, if there was one and there is
 * no error to tell. */
void interrupted_end(struct interrupted *i, int r);

#endif
