/* extents.h: which parts of a merged file a rank has not come to yet, in a few bytes each. */
#ifndef ORRERY_TRACE_EXTENTS_H
#define ORRERY_TRACE_EXTENTS_H

#include "base/err.h"

#include <stdint.h>

struct extent {
	uint64_t from, to,
	    line; /* [from, to) in the file, whole lines; line: number of the first */
};
struct extents_code;
/* Extents in the order of the file: coded ones, and the last one, which may still grow. All zero is
 * empty. */
struct extents {
	/* NULL: there never were two at a time, as in a file sorted by rank */
	struct extents_code *code;
	struct extent last;
};
int extents_add(struct extents *q, uint64_t from, uint64_t to, uint64_t line, struct err *err);
/* The first one: 1, 0 when there is none. */
int extents_take(struct extents *q, struct extent *out);
void extents_release(struct extents *q);

#endif
