/* model.h: how long a kernel that is not run takes on this rank's host. */
#ifndef ORRERY_LIBMPI_MODEL_H
#define ORRERY_LIBMPI_MODEL_H

#include "base/rng.h"

enum { MODEL_TERMS = 5 }; /* of mnk, mn, mk, nk, 1 (src/calibrate/kernel.h) */
struct model {
	double mean[MODEL_TERMS], deviation[MODEL_TERMS];
	int deviates;
	struct rng stream; /* of this rank and kernel */
};
/* "mnk,mn,mk,nk,1" of the mean; then perhaps ":mnk,mn,mk,nk,1#seed" of the deviation. name: the
 * kernel's. 0: it is none. */
int model_read(struct model *m, const char *name, uint64_t rank, const char *text);
/* Seconds, 0 at least. A call that deviates takes a half-normal time of this mean and deviation: no
 * call is much faster than others (Cornebize 2021, chapter 4). */
double model_seconds(struct model *m, double a, double b, double c);

#endif
