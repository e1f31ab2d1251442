/* blocks.h: STAR-MPI's idea of hosts: if all hosts have c ranks, host i has ranks i*c …
 * i*c+c-1, whatever the placement; else every rank is a host of its own. */
#ifndef ORRERY_COLL_BLOCKS_H
#define ORRERY_COLL_BLOCKS_H

#include "coll/coll_int.h"

static inline uint32_t blocks_c(const struct coll_args *a)
{
	uint32_t c = coll_per_node(a);
	return c ? c : 1;
}

/* A phase inside each host, or among the first ranks of all; both with root 0. */
static inline int blocks_inside(const struct coll_args *whole, uint32_t rank,
                                struct coll_args *phase, struct coll_view *view)
{
	uint32_t c = blocks_c(whole);
	phase->root = 0;
	phase->size = c;
	phase->shape = NULL;
	phase->flat = FLAT_HOST;
	view->rank = rank % c;
	view->peer0 = rank - rank % c;
	return 1;
}
static inline int blocks_leaders(const struct coll_args *whole, uint32_t rank,
                                 struct coll_args *phase, struct coll_view *view)
{
	uint32_t c = blocks_c(whole);
	phase->root = 0;
	phase->size = whole->size / c;
	phase->shape = NULL;
	phase->flat = FLAT_LEADERS;
	view->rank = rank / c;
	view->peer_stride = c;
	return rank % c == 0;
}

#endif
