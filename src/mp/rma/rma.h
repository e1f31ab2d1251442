/* rma.h: one-sided communication: what others call of it. */
#ifndef ORRERY_MP_RMA_RMA_H
#define ORRERY_MP_RMA_RMA_H

#include "mp/mp_int.h"

/* rma/ */
int rma_init(struct mp *mp, struct err *err); /* after streams_init */
int rma_progress(struct mp *mp, uint32_t rank, struct err *err);
uint32_t windows_left(const struct mp *mp,
                      uint32_t *first); /* not freed by all, and the first of them */
const char *window_where(const struct mp *mp, uint32_t win, char *buf,
                         size_t n); /* who made it, and where */
/* The rank that a call on a window is blocked by, and what it has not done; NONE. */
uint32_t window_awaits(const struct mp *mp, const struct op *op, const char **what);
void rmas_release(struct mp *mp);

#endif
