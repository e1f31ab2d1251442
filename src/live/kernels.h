/* kernels.h: models of kernels for the ranks of a running program: libmpi/guest/kernels.c reads
 * them. */
#ifndef ORRERY_LIVE_KERNELS_H
#define ORRERY_LIVE_KERNELS_H

#include "base/base.h"

/* NAME=FILE of a model that `orrery calibrate kernel` wrote, appended to *out as the ranks read it.
 * Of a file with models of several hosts their mean is taken; deviations are left out. */
int live_kernel_read(const char *text, struct str *out, struct err *err);
/* The functions that can be given, separated by blanks. */
const char *live_kernel_names(void);

#endif
