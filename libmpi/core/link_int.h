/* link_int.h: what the files of the link share. */
#ifndef ORRERY_LIBMPI_LINK_INT_H
#define ORRERY_LIBMPI_LINK_INT_H

#include "link.h"

/* enter.c: of the thread that calls; of the rank, where ranks share a thread. */
extern __thread struct link_traced link_traced_own;
static inline struct link_traced *link_traced(void)
{
	return link_now->hold ? &link_now->traced : &link_traced_own;
}

/* enter.c: what this thread does from here on is nobody's time, or is the rank's again. They nest.
 */
void link_time_stop(void);
void link_time_start(void);

/* link.c: what readings of the clock took, before what follows them. They begin no call. */
void link_readings_put(struct link *l);

#endif
