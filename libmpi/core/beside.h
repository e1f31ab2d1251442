/* beside.h: threads of a rank that is a process, as those see that wait for one another (beside.c:
 * calls that wait; sleep.c: sleeps). */
#ifndef ORRERY_LIBMPI_BESIDE_H
#define ORRERY_LIBMPI_BESIDE_H

#include <stddef.h>

struct link;

/* What stands behind the name of a process or thread, in its line in /proc: "S 1 …"; "" if it has
 * ended. */
const char *beside_state(const char *path, char *text, size_t n);
/* Does thread `tid` stand in a pause of a call that waits? It sleeps or looks about, and computes
 * nothing. */
int beside_pauses(int tid);

/* Are there threads beside this one that may do something? 10 us where there ever were. */
int beside_others(void);

/* --- sleep.c --- */

/* Of a rank that is a process: what it keeps of those that sleep. */
void sleep_begin(struct link *l);
/* A sleep of so many simulated seconds beside other threads (waited: it has waited for as many real
 * ones already): what was left of it when a signal ended it, or 0. */
double sleep_until(double seconds, int waited);
/* This thread waits elsewhere, until that date at most; 0: no longer. */
void sleep_elsewhere(double until);
/* The date at which the next of those that sleep goes on; INFINITY: none does. */
double sleep_next(void);
/* Has one slept for long enough, and not gone on yet? It is woken. */
int sleepers_due(void);
void sleepers_wake(void);

#endif
