/* kernels.h: models of kernels for the ranks of a running program: libmpi/guest reads them. */
#ifndef ORRERY_LIVE_KERNELS_H
#define ORRERY_LIVE_KERNELS_H

#include "base/base.h"

struct live_kernels;
/* NAME=FILE of models that `orrery calibrate kernel` wrote, or NAME=SECONDS. *k: NULL at first. */
int live_kernels_add(struct live_kernels **k, const char *text, struct err *err);
/* As a rank on this host reads them (libmpi/guest/model.h), appended. Of a file with models of
 * several hosts that of the host's name, full or its first part (of several processors of a node,
 * "node/0", their mean); the mean of all where none is its. seed 0: without deviations. */
void live_kernels_text(const struct live_kernels *k, const char *host, uint64_t seed,
                       struct str *out);
void live_kernels_free(struct live_kernels *k);
/* Whether a function that can be given by its name alone is not. */
int live_kernels_hide(const struct live_kernels *k, const char *name);

#endif
