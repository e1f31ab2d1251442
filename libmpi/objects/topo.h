/* topo.h: virtual topologies. Immutable, shared by duplicates. */
#ifndef ORRERY_LIBMPI_TOPO_H
#define ORRERY_LIBMPI_TOPO_H

#include "comm.h"

struct orr_topo {
	uint32_t refs;
	int kind; /* MPI_CART, MPI_GRAPH, MPI_DIST_GRAPH */
	int n;    /* CART: dimensions; GRAPH: nodes; DIST_GRAPH: sources */
	int m;    /* GRAPH: edges; DIST_GRAPH: destinations */
	int weighted;
	/* CART: dims, periods, coordinates of this process; GRAPH: index, edges; DIST_GRAPH:
	 * sources, weights, destinations, weights */
	int *a, *b, *c, *d;
	int room[];
};

struct orr_topo *orr_topo_new(int kind, int n_a, int n_b, int n_c, int n_d);
struct orr_topo *orr_topo_keep(struct orr_topo *t);
void orr_topo_drop(struct orr_topo *t);
/* The topology of a communicator if it is of this kind, NULL otherwise. */
static inline const struct orr_topo *orr_topo_of(const struct orr_comm *c, int kind)
{
	return c && c->topo && c->topo->kind == kind ? c->topo : NULL;
}
/* The rank at coordinates, which are wrapped or found to be outside: MPI_PROC_NULL. */
int orr_cart_rank(const struct orr_topo *t, const int *coords);
/* The first `size` processes of a communicator, or all that may be in: orr_core_comm_make's group.
 */
struct orr_group *orr_topo_members(const struct orr_comm *c, int size);

#endif
