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
/* --- the threads of a rank: what each has computed and was not counted yet --- */

/* What a stretch of computation takes in which the calling thread was busy for `own`, and others,
 * since this was asked last, for what they were: it is counted then. cores: 0: as the longest of
 * them; less: as the calling one; else all of it shared by so many cores. */
double threads_time(double own, double cores);
/* The same of the calling one alone: what the others did is counted later. */
double threads_own(double own);
/* How long the busiest of the others was. */
double threads_busiest(void);
/* So many seconds have passed otherwise: as much of what the others did does not count. How much of
 * them that was; all if there are no others, but workers of a library of BLAS. */
double threads_passed(double seconds);
/* What was done up to here does not count: of all; 0: of the calling thread and of those that
 * compute while they wait. */
void threads_forget(int all_of_them);
/* The calling thread, whose number is that, is the first one of a rank that is a process. */
void measure_first(int tid);
/* What the calling thread does from here on is no computation; until here: how long that took. */
double rest_begin(void);
double rest_end(double begun);
/* How many threads of this process never call MPI: workers of a library of BLAS. */
int threads_mute(void);

#endif
