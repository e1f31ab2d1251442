/* clocks.h: the clocks that a simulated program is shown, for what waits until one of their dates
 * (time.c has them, waits.c and pauses.c wait). */
#ifndef ORRERY_LIBMPI_CLOCKS_H
#define ORRERY_LIBMPI_CLOCKS_H

#include "time.h"

#include <signal.h>
#include <time.h>

/* Is it a clock of ours, in a process that `orrery run` started? */
int clocks_shown(clockid_t clock);
/* Does it show simulated time now? */
int clocks_simulated(void);
void clocks_sleep(double seconds); /* simulated, after as long a wait in real time */
/* The thread waits by other means, until that simulated date at most; 0: no longer. */
void clocks_elsewhere(double until);
/* The same of a program's own sleep, which a simulated timer may end: what was left then, or 0. And
 * its answer: 0, or -1 and errno, with what was left. */
double clocks_pause(double seconds);
int clocks_paused(double rest, struct timespec *left);
/* 1: a signal that waits is let by this mask. */
int clocks_lets(const sigset_t *mask);
void clocks_real(struct timespec *date); /* the kernel's CLOCK_MONOTONIC */

/* Before and after a wait that the kernel is asked for by number: as in the C library's function of
 * its name, pthread_cancel ends the thread there (POSIX, 2.9.5.2). The end returns what the kernel
 * said, and leaves errno. */
int clocks_wait_begin(void);
int clocks_wait_end(int was, long said);

/* Are there threads beside the first, or will there be one in a moment? */
int threads_others(void);

#endif
