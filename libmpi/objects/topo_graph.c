/* topo_graph.c: graphs, given as a whole (MPI 4.0, 8.5.3) or edge by edge (8.5.4); neighbours of
 * all topologies. */
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "info.h"
#include "orr_mpi.h"
#include "topo.h"

/* --- graphs given as a whole --- */

static int graph_check(const struct orr_comm *c, int nnodes, const int *index, const int *edges)
{
	if (!c || c->remote)
		return MPI_ERR_COMM;
	if (nnodes < 0 || nnodes > c->size)
		return MPI_ERR_ARG;
	if (nnodes > 0 && (!index || !edges))
		return MPI_ERR_ARG;
	for (int i = 0; i < nnodes; i++)
		if (index[i] < (i ? index[i - 1] : 0))
			return MPI_ERR_TOPOLOGY;
	for (int i = 0; i < (nnodes ? index[nnodes - 1] : 0); i++)
		if (edges[i] < 0 || edges[i] >= nnodes)
			return MPI_ERR_TOPOLOGY;
	return MPI_SUCCESS;
}

static void fill(int *to, const int *from, int n)
{
	if (n > 0)
		memcpy(to, from, (size_t)n * sizeof *to);
}

int orr_Graph_create(MPI_Comm comm_old, int nnodes, const int index[], const int edges[],
                     int reorder, MPI_Comm *comm_graph)
{
	(void)reorder;
	struct orr_comm *parent = orr_comm_of(comm_old), *c = NULL;
	int code = graph_check(parent, nnodes, index, edges);
	if (code)
		return code;
	*comm_graph = MPI_COMM_NULL;
	struct orr_group *members = orr_topo_members(parent, nnodes);
	code = members ? orr_core_comm_make(parent, members, ORR_AGREE_ALL, &c) : MPI_ERR_NO_MEM;
	if (members)
		orr_group_drop(members);
	if (code || !c)
		return code;
	int m = index[nnodes - 1];
	struct orr_topo *t = orr_topo_new(MPI_GRAPH, nnodes, m, 0, 0);
	if (!t)
		return MPI_ERR_NO_MEM;
	t->n = nnodes;
	t->m = m;
	fill(t->a, index, nnodes);
	fill(t->b, edges, m);
	c->topo = t;
	orr_comm_inherit(parent, c);
	*comm_graph = orr_handle(c);
	return MPI_SUCCESS;
}

int orr_Graph_map(MPI_Comm comm, int nnodes, const int index[], const int edges[], int *newrank)
{
	const struct orr_comm *c = orr_comm_of(comm);
	int code = graph_check(c, nnodes, index, edges);
	if (code)
		return code;
	*newrank = c->rank < nnodes ? c->rank : MPI_UNDEFINED;
	return MPI_SUCCESS;
}

int orr_Graphdims_get(MPI_Comm comm, int *nnodes, int *nedges)
{
	const struct orr_comm *c = orr_comm_of(comm);
	const struct orr_topo *t = orr_topo_of(c, MPI_GRAPH);
	if (!t)
		return c ? MPI_ERR_TOPOLOGY : MPI_ERR_COMM;
	*nnodes = t->n;
	*nedges = t->m;
	return MPI_SUCCESS;
}

int orr_Graph_get(MPI_Comm comm, int maxindex, int maxedges, int index[], int edges[])
{
	const struct orr_comm *c = orr_comm_of(comm);
	const struct orr_topo *t = orr_topo_of(c, MPI_GRAPH);
	if (!t)
		return c ? MPI_ERR_TOPOLOGY : MPI_ERR_COMM;
	fill(index, t->a, maxindex < t->n ? maxindex : t->n);
	fill(edges, t->b, maxedges < t->m ? maxedges : t->m);
	return MPI_SUCCESS;
}

static int edges_of(const struct orr_topo *t, int rank, const int **edges)
{
	int first = rank > 0 ? t->a[rank - 1] : 0;
	*edges = t->b + first;
	return t->a[rank] - first;
}

static int graph_rank(const struct orr_comm *c, const struct orr_topo *t, int rank)
{
	if (!t)
		return c ? MPI_ERR_TOPOLOGY : MPI_ERR_COMM;
	return rank < 0 || rank >= t->n ? MPI_ERR_RANK : MPI_SUCCESS;
}

int orr_Graph_neighbors_count(MPI_Comm comm, int rank, int *nneighbors)
{
	const struct orr_comm *c = orr_comm_of(comm);
	const struct orr_topo *t = orr_topo_of(c, MPI_GRAPH);
	const int *edges;
	int code = graph_rank(c, t, rank);
	if (!code)
		*nneighbors = edges_of(t, rank, &edges);
	return code;
}

int orr_Graph_neighbors(MPI_Comm comm, int rank, int maxneighbors, int neighbors[])
{
	const struct orr_comm *c = orr_comm_of(comm);
	const struct orr_topo *t = orr_topo_of(c, MPI_GRAPH);
	const int *edges;
	int code = graph_rank(c, t, rank);
	if (code)
		return code;
	int n = edges_of(t, rank, &edges);
	fill(neighbors, edges, n < maxneighbors ? n : maxneighbors);
	return MPI_SUCCESS;
}

/* --- distributed graphs --- */

static int ranks_check(const struct orr_comm *c, int n, const int *ranks)
{
	if (n < 0 || (n > 0 && !ranks))
		return MPI_ERR_ARG;
	for (int i = 0; i < n; i++)
		if (ranks[i] < 0 || ranks[i] >= c->size)
			return MPI_ERR_RANK;
	return MPI_SUCCESS;
}

/* A duplicate of the group with the topology, which it takes over. */
static int dist_make(struct orr_comm *parent, struct orr_topo *t, enum orr_agreement what,
                     MPI_Info info, MPI_Comm *out)
{
	struct orr_comm *c = NULL;
	int code = t ? orr_core_comm_make(parent, parent->local, what, &c) : MPI_ERR_NO_MEM;
	*out = MPI_COMM_NULL;
	if (!code && !c)
		code = MPI_ERR_INTERN;
	if (code) {
		if (t)
			orr_topo_drop(t);
		return code;
	}
	c->topo = t;
	if (what == ORR_AGREE_NOTHING) /* each knew some edges */
		orr_core_edges_told(c);
	orr_comm_inherit(parent, c);
	*out = orr_handle(c);
	return orr_object_info_set(&c->o, info);
}

static void fill_weights(int *to, const int *weights, int n)
{
	for (int i = 0; i < n; i++)
		to[i] = weights == MPI_UNWEIGHTED || weights == MPI_WEIGHTS_EMPTY ? 1 : weights[i];
}

int orr_Dist_graph_create_adjacent(MPI_Comm comm_old, int indegree, const int sources[],
                                   const int sourceweights[], int outdegree,
                                   const int destinations[], const int destweights[], MPI_Info info,
                                   int reorder, MPI_Comm *comm_dist_graph)
{
	(void)reorder;
	struct orr_comm *parent = orr_comm_of(comm_old);
	if (!parent || parent->remote)
		return MPI_ERR_COMM;
	int code = ranks_check(parent, indegree, sources);
	if (!code)
		code = ranks_check(parent, outdegree, destinations);
	if (!code && ((indegree && !sourceweights) || (outdegree && !destweights)))
		code = MPI_ERR_ARG;
	if (code)
		return code;
	struct orr_topo *t = orr_topo_new(MPI_DIST_GRAPH, indegree, indegree, outdegree, outdegree);
	if (t) {
		t->n = indegree;
		t->m = outdegree;
		t->weighted = sourceweights != MPI_UNWEIGHTED;
		fill(t->a, sources, indegree);
		fill_weights(t->b, sourceweights, indegree);
		fill(t->c, destinations, outdegree);
		fill_weights(t->d, destweights, outdegree);
	}
	return dist_make(parent, t, ORR_AGREE_ALL, info, comm_dist_graph);
}

struct edge {
	int from, to, weight;
};

static struct orr_topo *dist_of(const struct edge *e, int n, int rank)
{
	int in = 0, out = 0;
	for (int i = 0; i < n; i++) {
		in += e[i].to == rank;
		out += e[i].from == rank;
	}
	struct orr_topo *t = orr_topo_new(MPI_DIST_GRAPH, in, in, out, out);
	for (int i = 0; t && i < n; i++) {
		if (e[i].to == rank) {
			t->a[t->n] = e[i].from;
			t->b[t->n++] = e[i].weight;
		}
		if (e[i].from == rank) {
			t->c[t->m] = e[i].to;
			t->d[t->m++] = e[i].weight;
		}
	}
	return t;
}

static int edges_list(const struct orr_comm *c, int n, const int *sources, const int *degrees,
                      const int *destinations, const int *weights, struct edge **out, int *total)
{
	*total = 0;
	if (n < 0 || (n > 0 && (!sources || !degrees)))
		return MPI_ERR_ARG;
	int code = ranks_check(c, n, sources);
	for (int i = 0; !code && i < n; i++) {
		code = degrees[i] < 0 ? MPI_ERR_ARG : MPI_SUCCESS;
		*total += degrees[i];
	}
	if (!code)
		code = ranks_check(c, *total, destinations);
	if (!code && *total && !weights)
		code = MPI_ERR_ARG;
	if (code)
		return code;
	struct edge *e = malloc(((size_t)*total + 1) * sizeof *e);
	if (!e)
		return MPI_ERR_NO_MEM;
	int plain = weights == MPI_UNWEIGHTED || weights == MPI_WEIGHTS_EMPTY;
	for (int i = 0, k = 0; i < n; i++)
		for (int j = 0; j < degrees[i]; j++, k++)
			e[k] = (struct edge){sources[i], destinations[k], plain ? 1 : weights[k]};
	*out = e;
	return MPI_SUCCESS;
}

int orr_Dist_graph_create(MPI_Comm comm_old, int n, const int sources[], const int degrees[],
                          const int destinations[], const int weights[], MPI_Info info, int reorder,
                          MPI_Comm *comm_dist_graph)
{
	(void)reorder;
	struct orr_comm *parent = orr_comm_of(comm_old);
	if (!parent || parent->remote)
		return MPI_ERR_COMM;
	struct edge *mine = NULL;
	int n_mine;
	int code = edges_list(parent, n, sources, degrees, destinations, weights, &mine, &n_mine);
	if (code)
		return code;
	/* All edges of all ranks, in the order of the ranks that gave them. */
	size_t bytes;
	uint64_t kept;
	const struct edge *all = orr_core_edges(parent, mine, (size_t)n_mine * sizeof *mine, &bytes,
	                                        &kept);
	free(mine);
	struct orr_topo *t = dist_of(all, (int)(bytes / sizeof *all), parent->rank);
	orr_core_taken(kept);
	if (t)
		t->weighted = weights != MPI_UNWEIGHTED;
	return dist_make(parent, t, ORR_AGREE_NOTHING, info, comm_dist_graph);
}

int orr_Dist_graph_neighbors_count(MPI_Comm comm, int *indegree, int *outdegree, int *weighted)
{
	const struct orr_comm *c = orr_comm_of(comm);
	const struct orr_topo *t = orr_topo_of(c, MPI_DIST_GRAPH);
	if (!t)
		return c ? MPI_ERR_TOPOLOGY : MPI_ERR_COMM;
	*indegree = t->n;
	*outdegree = t->m;
	*weighted = t->weighted;
	return MPI_SUCCESS;
}

int orr_Dist_graph_neighbors(MPI_Comm comm, int maxindegree, int sources[], int sourceweights[],
                             int maxoutdegree, int destinations[], int destweights[])
{
	const struct orr_comm *c = orr_comm_of(comm);
	const struct orr_topo *t = orr_topo_of(c, MPI_DIST_GRAPH);
	if (!t)
		return c ? MPI_ERR_TOPOLOGY : MPI_ERR_COMM;
	int in = maxindegree < t->n ? maxindegree : t->n;
	int out = maxoutdegree < t->m ? maxoutdegree : t->m;
	fill(sources, t->a, in);
	fill(destinations, t->c, out);
	if (sourceweights != MPI_UNWEIGHTED && t->weighted)
		fill(sourceweights, t->b, in);
	if (destweights != MPI_UNWEIGHTED && t->weighted)
		fill(destweights, t->d, out);
	return MPI_SUCCESS;
}

/* --- neighbours, for collectives --- */

/* Cartesian: for each dimension the one below and the one above, on both sides. */
static void cart_neighbours(const struct orr_topo *t, int *out)
{
	for (int d = 0; d < t->n; d++)
		for (int side = -1; side <= 1; side += 2) {
			int *at = &t->c[d], here = *at;
			*at = here + side;
			*out++ = orr_cart_rank(t, t->c);
			*at = here;
		}
}

static int two_lists(int n_in, const int *in_from, int n_out, const int *out_from, int **in,
                     int **out)
{
	*in = malloc(((size_t)n_in + 1) * sizeof **in);
	*out = malloc(((size_t)n_out + 1) * sizeof **out);
	if (!*in || !*out) {
		free(*in);
		free(*out);
		*in = *out = NULL; /* the caller frees what it has */
		return MPI_ERR_NO_MEM;
	}
	fill(*in, in_from, in_from ? n_in : 0);
	fill(*out, out_from, out_from ? n_out : 0);
	return MPI_SUCCESS;
}

int orr_comm_neighbours(struct orr_comm *c, int *n_in, int **in, int *n_out, int **out)
{
	const struct orr_topo *t = c->topo;
	const int *edges = NULL;
	if (!t)
		return MPI_ERR_TOPOLOGY;
	if (t->kind == MPI_DIST_GRAPH) {
		*n_in = t->n;
		*n_out = t->m;
		return two_lists(t->n, t->a, t->m, t->c, in, out);
	}
	*n_in = *n_out = t->kind == MPI_CART ? 2 * t->n : edges_of(t, c->rank, &edges);
	int code = two_lists(*n_in, edges, *n_out, edges, in, out);
	if (!code && t->kind == MPI_CART) {
		cart_neighbours(t, *in);
		fill(*out, *in, *n_in);
	}
	return code;
}
