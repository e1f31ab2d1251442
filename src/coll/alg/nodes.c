/* nodes.c: views on hosts and on their leaders. */
#include "nodes.h"

int nodes_inside(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                 struct coll_view *view)
{
	const struct coll_shape *s = whole->shape;
	uint32_t node = nodes_of(whole, rank);
	if (whole->flat == FLAT_HOST)
		return 1;
	phase->size = s ? s->first[node + 1] - s->first[node] : 1;
	phase->shape = NULL;
	phase->flat = FLAT_HOST;
	view->rank = nodes_local(whole, rank);
	view->peers = s ? s->member + s->first[node] : NULL;
	view->peer0 = rank;
	return 1;
}

int nodes_leaders(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                  struct coll_view *view)
{
	phase->size = nodes_count(whole);
	phase->shape = NULL;
	phase->flat = FLAT_LEADERS;
	view->rank = nodes_of(whole, rank);
	view->peers = whole->shape ? whole->shape->leader : NULL;
	return nodes_local(whole, rank) == 0;
}
