/* intact.h: with --checks: buffers of operations under way are as they were when these began. */
#ifndef ORRERY_LIBMPI_INTACT_H
#define ORRERY_LIBMPI_INTACT_H

#include "objects/remote.h"
#include "request.h"

/* Are buffers looked at? */
int intact_watches(void);
/* The request begins, in a call and before its operation is written: its buffers are looked at. */
void intact_begin(struct orr_request *r);
/* It is complete, in a call; nothing was put into its buffers yet. The simulator is told if they
 * have changed. Nothing, of a request that was not looked at. */
void intact_end(struct orr_request *r);

/* touch.c: one-sided operations that this completes: their buffers are looked at. */
void touches_end(uint32_t win, enum orr_win_sync what, int process);
/* The same of any memory: a sum of it; 0: it is not looked at. */
int intact_sum(const void *buf, MPI_Count count, struct orr_type *type, uint64_t *sum);

#endif
