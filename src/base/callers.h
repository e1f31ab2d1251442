/* callers.h: the calls that the calling thread is in, from the innermost on. */
#ifndef ORRERY_BASE_CALLERS_H
#define ORRERY_BASE_CALLERS_H

#include <stdint.h>

/* An address to return to, or 0. Returns 0 to go on, else it was the last one. */
typedef int callers_see(void *self, uintptr_t address);

/* The first ones are callers_walk's own. The last one is at most one in code that lies in no file,
 * which a program has made while it runs: what it says of its caller may be wrong (LuaJIT's is),
 * and the unwinder of libgcc aborts the program where it believes it. Before glibc 2.35 that is not
 * known, and not looked at. */
void callers_walk(callers_see *see, void *self);

/* The first n of them into at[]; how many there are. */
int callers_take(void **at, int n);

#endif
