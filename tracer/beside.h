/* beside.h: what threads computed that never called MPI, OpenMP's for one: no computation of the
 * trace counts it. It becomes a note, "beside N ms", so that whoever traces is told. */
#ifndef ORRERY_TRACER_BESIDE_H
#define ORRERY_TRACER_BESIDE_H

#include "base/err.h"

/* When the trace begins, and before it ends; both by the thread that calls MPI. */
void beside_begin(void);
int beside_put(struct err *err);

#endif
