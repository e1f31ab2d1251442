/* nodes.h: phases that take place inside each host, or among the leaders (first ranks) of
 * hosts. */
#ifndef ORRERY_COLL_NODES_H
#define ORRERY_COLL_NODES_H

#include "coll/coll_int.h"

/* Sets the phase's size and the view to the ranks of rank's host (returns 1), or to the leaders
 * (returns whether rank is one). Both make the phase flat. Roots are the caller's to set, in the
 * numbers of the phase. */
int nodes_inside(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                 struct coll_view *view);
int nodes_leaders(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                  struct coll_view *view);

/* Without shape every rank is alone on its host; the parts of node-aware algorithms know what they
 * are. */
static inline uint32_t nodes_count(const struct coll_args *a)
{
	return a->flat == FLAT_HOST ? 1 : a->shape ? a->shape->nodes : a->size;
}
static inline uint32_t nodes_of(const struct coll_args *a, uint32_t rank)
{
	return a->flat == FLAT_HOST ? 0 : a->shape ? a->shape->node[rank] : rank;
}
static inline uint32_t nodes_local(const struct coll_args *a, uint32_t rank)
{
	return a->flat == FLAT_HOST ? rank : a->shape ? a->shape->local[rank] : 0;
}
static inline uint32_t nodes_leader(const struct coll_args *a, uint32_t node)
{
	return a->flat == FLAT_HOST ? 0 : a->shape ? a->shape->leader[node] : node;
}

#endif
