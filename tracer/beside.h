/* beside.h: what threads computed that never called MPI, OpenMP's for one. It becomes a note, so
 * that whoever traces is told: "threads N ms" where computations of the trace are those of the
 * busiest thread, of whose time what it spins for the others is a part; "beside N ms" where the
 * counter is that of the thread that calls MPI alone, or nobody saw the others begin. */
#ifndef ORRERY_TRACER_BESIDE_H
#define ORRERY_TRACER_BESIDE_H

#include "base/err.h"

/* When the trace begins, and before it ends; both by the thread that calls MPI. */
void beside_begin(void);
int beside_put(struct err *err);

#endif
