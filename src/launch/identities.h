/* identities.h: communicators in the trace of a simulated run get the names of a traced one. */
#ifndef ORRERY_LAUNCH_IDENTITIES_H
#define ORRERY_LAUNCH_IDENTITIES_H

#include "base/base.h"

/* In the ranks' files of a folder. */
int identities_count(const char *dir, uint32_t ranks, struct err *err);

#endif
