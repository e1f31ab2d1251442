/* layer.h: a library between the tracer and MPI that has functions of MPI of its own, as a profiler
 * that the program is linked with has (mpiP). The tracer calls what is behind it, PMPI_, so that it
 * sees no call. Its name becomes a note, "layer libmpiP.so", and whoever traces is told. */
#ifndef ORRERY_TRACER_LAYER_H
#define ORRERY_TRACER_LAYER_H

#include "base/err.h"

/* When the trace begins. 0, or -1. */
int layer_put(struct err *err);

#endif
