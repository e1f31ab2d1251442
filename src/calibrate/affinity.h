/* affinity.h: the processors that a process may use, however many the machine has: a cpu_set_t of
 * fixed size ends at 1,024 (CPU_SET(3)). */
#ifndef ORRERY_CALIBRATE_AFFINITY_H
#define ORRERY_CALIBRATE_AFFINITY_H

#include "base/base.h"

enum { AFFINITY_CPUS = 8192 }; /* the most that Linux can be built for (NR_CPUS) */

/* Those of this process, ascending. *cpu is the caller's to free, *n how many. -1: the kernel does
 * not say, or memory: *cpu is NULL. */
int affinity_get(int **cpu, int *n, struct err *err);
/* Binds the calling thread to that processor. -1: errno says why not. */
int affinity_set(int cpu);

#endif
