/* topo_cart.c: Cartesian topologies (MPI 4.0, 8.5). Ranks are row-major in the coordinates, and are
 * never reordered: which process is where is the platform's and the placement's business. */
#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "orr_mpi.h"
#include "topo.h"

struct orr_topo *orr_topo_new(int kind, int n_a, int n_b, int n_c, int n_d)
{
	size_t n = (size_t)n_a + (size_t)n_b + (size_t)n_c + (size_t)n_d;
	struct orr_topo *t = calloc(1, sizeof *t + (n + 1) * sizeof t->room[0]);
	if (!t)
		return NULL;
	t->refs = 1;
	t->kind = kind;
	t->a = t->room;
	t->b = t->a + n_a;
	t->c = t->b + n_b;
	t->d = t->c + n_c;
	return t;
}

struct orr_topo *orr_topo_keep(struct orr_topo *t)
{
	t->refs++;
	return t;
}

void orr_topo_drop(struct orr_topo *t)
{
	if (--t->refs == 0)
		free(t);
}

int orr_cart_rank(const struct orr_topo *t, const int *coords)
{
	int rank = 0;
	for (int i = 0; i < t->n; i++) {
		int at = coords[i], size = t->a[i];
		if (t->b[i]) {
			at %= size;
			if (at < 0)
				at += size;
		}
		if (at < 0 || at >= size)
			return MPI_PROC_NULL;
		rank = rank * size + at;
	}
	return rank;
}

static void orr_cart_coords(const struct orr_topo *t, int rank, int n, int *coords)
{
	for (int i = t->n - 1; i >= 0; i--) {
		if (i < n)
			coords[i] = rank % t->a[i];
		rank /= t->a[i];
	}
}

struct orr_group *orr_topo_members(const struct orr_comm *c, int size)
{
	if (size == c->size)
		return orr_object_keep(c->local);
	return c->rank < size ? orr_group_new(size, c->local->member) : orr_group_new(0, NULL);
}

/* --- making --- */

static int grid_check(const struct orr_comm *c, int ndims, const int *dims, const int *periods,
                      int64_t *size)
{
	*size = 1;
	if (!c || c->remote)
		return MPI_ERR_COMM;
	if (ndims < 0)
		return MPI_ERR_DIMS;
	if (ndims > 0 && (!dims || !periods))
		return MPI_ERR_ARG;
	for (int i = 0; i < ndims; i++) {
		if (dims[i] <= 0)
			return MPI_ERR_DIMS;
		*size *= dims[i];
		if (*size > c->size)
			return MPI_ERR_DIMS;
	}
	return MPI_SUCCESS;
}

/* The members get a communicator with the topology, which is made for them. */
static int grid_make(struct orr_comm *parent, struct orr_group *members, enum orr_agreement what,
                     int ndims, const int *dims, const int *periods, MPI_Comm *out)
{
	struct orr_comm *c = NULL;
	int code = members ? orr_core_comm_make(parent, members, what, &c) : MPI_ERR_NO_MEM;
	if (members)
		orr_group_drop(members);
	*out = MPI_COMM_NULL;
	if (code || !c)
		return code;
	struct orr_topo *t = orr_topo_new(MPI_CART, ndims, ndims, ndims, 0);
	if (!t)
		return MPI_ERR_NO_MEM;
	t->n = ndims;
	for (int i = 0; i < ndims; i++) {
		t->a[i] = dims[i];
		t->b[i] = periods[i] != 0;
	}
	orr_cart_coords(t, c->rank, ndims, t->c);
	c->topo = t;
	orr_comm_inherit(parent, c);
	*out = orr_handle(c);
	return MPI_SUCCESS;
}

int orr_Cart_create(MPI_Comm comm_old, int ndims, const int dims[], const int periods[],
                    int reorder, MPI_Comm *comm_cart)
{
	(void)reorder;
	struct orr_comm *c = orr_comm_of(comm_old);
	int64_t size;
	int code = grid_check(c, ndims, dims, periods, &size);
	if (code)
		return code;
	return grid_make(c, orr_topo_members(c, (int)size), ORR_AGREE_ALL, ndims, dims, periods,
	                 comm_cart);
}

/* Those who differ from this process only in the dimensions that remain. */
static struct orr_group *slice(const struct orr_comm *c, const struct orr_topo *t,
                               const int *remain, int size)
{
	struct orr_group *g = orr_group_new(size, NULL);
	int *coords = malloc(((size_t)t->n + 1) * sizeof *coords);
	if (!g || !coords) {
		if (g)
			orr_group_drop(g);
		free(coords);
		return NULL;
	}
	memcpy(coords, t->c, (size_t)t->n * sizeof *coords);
	for (int i = 0; i < size; i++) {
		int rest = i;
		for (int d = t->n - 1; d >= 0; d--)
			if (remain[d]) {
				coords[d] = rest % t->a[d];
				rest /= t->a[d];
			}
		g->member[i] = c->local->member[orr_cart_rank(t, coords)];
	}
	free(coords);
	orr_group_ready(g);
	return g;
}

int orr_Cart_sub(MPI_Comm comm, const int remain_dims[], MPI_Comm *newcomm)
{
	struct orr_comm *c = orr_comm_of(comm);
	const struct orr_topo *t = orr_topo_of(c, MPI_CART);
	if (!c || !t)
		return c ? MPI_ERR_TOPOLOGY : MPI_ERR_COMM;
	if (t->n > 0 && !remain_dims)
		return MPI_ERR_ARG;
	int *kept = malloc((2 * (size_t)t->n + 1) * sizeof *kept), n = 0, size = 1;
	if (!kept)
		return MPI_ERR_NO_MEM;
	for (int i = 0; i < t->n; i++)
		if (remain_dims[i]) {
			kept[n] = t->a[i];
			kept[t->n + n++] = t->b[i];
			size *= t->a[i];
		}
	int code = grid_make(c, slice(c, t, remain_dims, size), ORR_AGREE_SPLIT, n, kept,
	                     kept + t->n, newcomm);
	free(kept);
	return code;
}

/* --- questions --- */

int orr_Cartdim_get(MPI_Comm comm, int *ndims)
{
	const struct orr_comm *c = orr_comm_of(comm);
	const struct orr_topo *t = orr_topo_of(c, MPI_CART);
	if (!t)
		return c ? MPI_ERR_TOPOLOGY : MPI_ERR_COMM;
	*ndims = t->n;
	return MPI_SUCCESS;
}

int orr_Cart_get(MPI_Comm comm, int maxdims, int dims[], int periods[], int coords[])
{
	const struct orr_comm *c = orr_comm_of(comm);
	const struct orr_topo *t = orr_topo_of(c, MPI_CART);
	if (!t)
		return c ? MPI_ERR_TOPOLOGY : MPI_ERR_COMM;
	for (int i = 0; i < t->n && i < maxdims; i++) {
		dims[i] = t->a[i];
		periods[i] = t->b[i];
		coords[i] = t->c[i];
	}
	return MPI_SUCCESS;
}

int orr_Cart_rank(MPI_Comm comm, const int coords[], int *rank)
{
	const struct orr_comm *c = orr_comm_of(comm);
	const struct orr_topo *t = orr_topo_of(c, MPI_CART);
	if (!t)
		return c ? MPI_ERR_TOPOLOGY : MPI_ERR_COMM;
	int found = orr_cart_rank(t, coords);
	if (found == MPI_PROC_NULL)
		return MPI_ERR_RANK;
	*rank = found;
	return MPI_SUCCESS;
}

int orr_Cart_coords(MPI_Comm comm, int rank, int maxdims, int coords[])
{
	const struct orr_comm *c = orr_comm_of(comm);
	const struct orr_topo *t = orr_topo_of(c, MPI_CART);
	if (!t)
		return c ? MPI_ERR_TOPOLOGY : MPI_ERR_COMM;
	if (rank < 0 || rank >= c->size)
		return MPI_ERR_RANK;
	if (maxdims < t->n)
		return MPI_ERR_ARG;
	orr_cart_coords(t, rank, maxdims, coords);
	return MPI_SUCCESS;
}

/* So many steps away; as many as a program likes, so in 64 bits. */
static int neighbour(const struct orr_topo *t, int *coords, int direction, int64_t disp)
{
	int here = coords[direction], rank = MPI_PROC_NULL;
	int64_t there = here + disp;
	if (t->b[direction])
		there %= t->a[direction];
	if (there > -t->a[direction] && there < t->a[direction]) {
		coords[direction] = (int)there;
		rank = orr_cart_rank(t, coords);
		coords[direction] = here;
	}
	return rank;
}

int orr_Cart_shift(MPI_Comm comm, int direction, int disp, int *rank_source, int *rank_dest)
{
	const struct orr_comm *c = orr_comm_of(comm);
	const struct orr_topo *t = orr_topo_of(c, MPI_CART);
	if (!t)
		return c ? MPI_ERR_TOPOLOGY : MPI_ERR_COMM;
	if (direction < 0 || direction >= t->n)
		return t->n ? MPI_ERR_ARG : MPI_ERR_TOPOLOGY;
	int *coords = malloc((size_t)t->n * sizeof *coords);
	if (!coords)
		return MPI_ERR_NO_MEM;
	memcpy(coords, t->c, (size_t)t->n * sizeof *coords);
	*rank_source = neighbour(t, coords, direction, -(int64_t)disp);
	*rank_dest = neighbour(t, coords, direction, disp);
	free(coords);
	return MPI_SUCCESS;
}

int orr_Cart_map(MPI_Comm comm, int ndims, const int dims[], const int periods[], int *newrank)
{
	const struct orr_comm *c = orr_comm_of(comm);
	int64_t size;
	int code = grid_check(c, ndims, dims, periods, &size);
	if (code)
		return code;
	*newrank = c->rank < size ? c->rank : MPI_UNDEFINED;
	return MPI_SUCCESS;
}

int orr_Topo_test(MPI_Comm comm, int *status)
{
	const struct orr_comm *c = orr_comm_of(comm);
	if (!c)
		return MPI_ERR_COMM;
	*status = c->topo ? c->topo->kind : MPI_UNDEFINED;
	return MPI_SUCCESS;
}
