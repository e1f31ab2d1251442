/* walk.h: one phase of an algorithm made of others, for who walks them (next.c, parts.c). */
#ifndef ORRERY_COLL_WALK_H
#define ORRERY_COLL_WALK_H

#include "coll_int.h"

struct phase_run {
	const struct coll_alg *alg;
	struct coll_args args;
	struct coll_view view;
};
/* Phase i of alg for rank: 1, or 0 when the rank takes no part, or -1 when alg has no such
 * phase. */
int coll_phase_open(const struct coll_alg *alg, const struct coll_args *a, uint32_t rank,
                    const struct coll_cursor *c, uint32_t i, struct phase_run *run);

#endif
