/* ticks.h: the time-stamp counter as a clock of nanoseconds, where the kernel keeps time by it too
 * (it runs at one speed, on all processors alike): a third of what clock_gettime takes. */
#ifndef ORRERY_BASE_TICKS_H
#define ORRERY_BASE_TICKS_H

#include <stdint.h>

/* Zero: it is not used. */
struct ticks {
	double ns; /* of one; 0: the monotonic clock is asked instead */
	uint64_t from;
};

/* Takes some milliseconds. 0 where there are none that can be trusted: t->ns is 0 then. */
int ticks_start(struct ticks *t);
static inline uint64_t ticks_read(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#else
	return 0;
#endif
}
static inline int64_t ticks_ns(const struct ticks *t, uint64_t tick)
{
	return (int64_t)((double)(tick - t->from) * t->ns);
}

#endif
