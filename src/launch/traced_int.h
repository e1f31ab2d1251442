/* traced_int.h: a run is over: what its ranks left becomes a trace. */
#ifndef ORRERY_LAUNCH_TRACED_INT_H
#define ORRERY_LAUNCH_TRACED_INT_H

#include "traced.h"

/* Makes the folder a trace, of `ranks` at least, or its page of a profile. code: the program's exit
 * code. */
int traced_folder_finish(struct traced *t, uint32_t ranks, int code, struct str *notices,
                         struct err *err);

#endif
