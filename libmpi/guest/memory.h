/* memory.h: allocations of the program. */
#ifndef ORRERY_LIBMPI_MEMORY_H
#define ORRERY_LIBMPI_MEMORY_H

/* Ranks are coroutines of this process (src/live/coro). */
void memory_held(void);

#endif
