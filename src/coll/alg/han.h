/* han.h: what han's collectives share (han.c). */
#ifndef ORRERY_COLL_HAN_H
#define ORRERY_COLL_HAN_H

#include "nodes.h"

/* Why han leaves a call to other components, or NULL; for calls with a root, who speaks for a host
 * is the rank at the root's place there. */
const char *han_refuses(const struct coll_args *a);
const char *han_refuses_rooted(const struct coll_args *a);
/* Sets phase and view to the ranks at place `local` of all hosts, and returns whether rank is one
 * and there are others. Roots are the caller's to set. */
int han_among_hosts(const struct coll_args *whole, uint32_t rank, uint32_t local,
                    struct coll_args *phase, struct coll_view *view);

#endif
