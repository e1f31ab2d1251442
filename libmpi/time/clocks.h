/* clocks.h: the clocks that a simulated program is shown, for what waits until one of their dates
 * (time.c has them, waits.c waits). */
#ifndef ORRERY_LIBMPI_CLOCKS_H
#define ORRERY_LIBMPI_CLOCKS_H

#include "time.h"

#include <time.h>

/* Is it a clock of ours, in a process that `orrery run` started? */
int clocks_shown(clockid_t clock);
/* Does it show simulated time now? */
int clocks_simulated(void);
void clocks_sleep(double seconds);       /* simulated */
void clocks_real(struct timespec *date); /* the kernel's CLOCK_MONOTONIC */

/* Are there threads beside the first, or will there be one in a moment? */
int threads_others(void);

#endif
