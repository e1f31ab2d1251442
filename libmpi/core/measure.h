/* measure.h: processor time of a rank (measure.c), s. */
#ifndef ORRERY_LIBMPI_MEASURE_H
#define ORRERY_LIBMPI_MEASURE_H

#include <time.h>

/* A clock of the kernel's: libc's show simulated time. */
double clock_seconds(clockid_t clock);
/* The calling thread measures by ticks of so many nanoseconds from here on, where the kernel lets
 * it; 0: it asks the kernel each time. */
void measure_start(double tick);
/* In a child of the process: what the kernel counted for its parent's thread is not there. */
void measure_forked(void);
/* Of this thread. */
double processor_time(void);
/* The same, and in *since what was done since it was `mark`: less what measuring that took. */
double processor_time_since(double mark, double *since);
/* What a stretch of computation takes in which the calling thread was busy for `own`, and others,
 * since this was asked last, for what they were. cores: 0: as the longest of them; less: as the
 * calling one; else all of it shared by so many cores. */
double threads_time(double own, double cores);
/* The calling thread, whose number is that, is the first one of a rank that is a process. */
void measure_first(int tid);
/* What the calling thread has computed up to this time is charged. */
void measure_marked(double mark);
/* What the calling thread does from here on is no computation; until here: how long that took. */
double rest_begin(void);
double rest_end(double begun);
/* How many threads of this process never call MPI: workers of a library of BLAS. */
int threads_mute(void);

#endif
