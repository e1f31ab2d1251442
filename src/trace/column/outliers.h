/* outliers.h: the few values of a histogram that are far above all others, each kept where it was:
 * drawn, the one second that an operating system took from one rank would be none in one run and
 * three in the next, and where it meets which message decides how long all wait. */
#ifndef ORRERY_TRACE_OUTLIERS_H
#define ORRERY_TRACE_OUTLIERS_H

#include "column.h"

enum { OUTLIERS_MOST = 32 };

struct outlier {
	double v;
	uint32_t rank, slot; /* slot: of the rank's class */
	uint64_t i;          /* when the slot was reached for the i-th time */
};
/* The greatest values, falling. */
struct outliers {
	struct outlier at[OUTLIERS_MOST];
	uint32_t n;
};
void outliers_note(struct outliers *o, const struct outlier *x);
/* How many of them are outliers among n values with this sum: those of at least `least`, and far
 * above the others. */
uint32_t outliers_count(const struct outliers *o, uint64_t n, double sum, double least);
/* The first `count`, on the grid of this ratio. */
void outliers_write(const struct outliers *o, uint32_t count, double ratio, struct str *out);

/* As they are read: rising by rank, slot, i. */
struct outliers_read {
	uint32_t n;
	double sum;
	struct outlier *at;
};
/* NULL: damaged, or no memory (*err). */
const uint8_t *outliers_read(struct outliers_read *o, double ratio, const uint8_t *p,
                             const uint8_t *end, struct arena *a, struct err *err);
/* NULL: the value is none of them. */
const struct outlier *outliers_find(const struct outliers_read *o, uint32_t rank, uint32_t slot,
                                    uint64_t i);

#endif
