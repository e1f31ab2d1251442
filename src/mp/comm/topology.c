/* topology.c: Cartesian and graph topologies: who the neighbours of a member are, for the
 * neighbourhood collectives.
 *
 * A Cartesian grid is its dimensions; the neighbours of a member are made when it first asks for
 * them, and kept, because an algorithm reads them at each of its rounds. In a graph each member
 * says who its own are (MPI 4.0, 8.5.4), and only they know. */
#include "comm.h"

#include <stdlib.h>

/* Of one member: sources, then destinations. */
struct neighbors {
	/* NULL: not known yet, or nobody; of a grid both are the same and stand once */
	int32_t *list;
	uint32_t n_in, n_out;
};

struct topology {
	uint32_t n_dims; /* 0: a graph */
	int64_t *dims, *periods;
	struct neighbors *of; /* by member */
};

void topology_free(struct comm *c)
{
	struct topology *t = c->topology;
	uint32_t i;

	if (!t)
		return;
	for (i = 0; i < c->n; i++)
		free(t->of[i].list);
	free(t->of);
	free(t->dims);
	free(t);
	c->topology = NULL;
}

static struct topology *topology_get(struct comm *c, struct err *err)
{
	struct topology *t;

	if (c->topology)
		return c->topology;
	t = calloc(1, sizeof *t);
	if (t)
		t->of = calloc(c->n, sizeof *t->of);
	if (!t || !t->of) {
		free(t);
		err_nomem(err, "a topology", c->n * sizeof *t->of);
		return NULL;
	}
	return c->topology = t;
}

/* --- Cartesian --- */

static int dims_differ(const struct topology *t, const int64_t *dims, const int64_t *periods,
                       uint32_t n)
{
	uint32_t i;

	if (t->n_dims != n)
		return 1;
	for (i = 0; i < n && t->dims[i] == dims[i] && t->periods[i] == periods[i]; i++)
		;
	return i < n;
}

static int dims_check(struct mp *mp, uint32_t rank, const struct comm *c, const int64_t *dims,
                      uint32_t n, struct err *err)
{
	int64_t cells = 1;
	uint32_t i;

	for (i = 0; i < n && cells <= c->n; i++)
		cells = dims[i] < 1 ? INT64_MAX : cells * dims[i];
	return cells == c->n
	           ? 0
	           : mp_error(
	                 mp, rank, err,
	                 "a grid whose dimensions do not make the %u ranks of its communicator",
	                 c->n);
}

int mp_comm_cart(struct mp *mp, uint32_t rank, struct mp_comm comm, const int64_t *dims,
                 const int64_t *periods, uint32_t n, struct err *err)
{
	struct comm *c = comm_get(mp, rank, comm, err);
	int known = c && c->topology;
	struct topology *t;
	uint32_t i;

	if (!c || dims_check(mp, rank, c, dims, n, err) < 0)
		return MP_ERROR;
	t = topology_get(c, err);
	if (!t)
		return MP_ERROR;
	if (known)
		return dims_differ(t, dims, periods, n)
		           ? mp_error(mp, rank, err,
		                      "makes a grid that differs from that of rank %u", c->maker)
		           : MP_DONE;
	t->dims = malloc(2 * (n ? n : 1) * sizeof *t->dims);
	if (!t->dims)
		return err_nomem(err, "a topology", 2 * n * sizeof *t->dims);
	t->n_dims = n;
	t->periods = t->dims + n;
	for (i = 0; i < n; i++) {
		t->dims[i] = dims[i];
		t->periods[i] = periods[i];
	}
	return MP_DONE;
}

/* The neighbour one step away in a dimension of `size` whose ranks lie `stride` apart. */
static int32_t shifted(int64_t member, int64_t stride, int64_t size, int periodic, int step)
{
	int64_t at = member / stride % size, to = at + step;

	if (to < 0 || to >= size) {
		if (!periodic)
			return MP_PROC_NULL;
		to = (to + size) % size;
	}
	return (int32_t)(member + (to - at) * stride);
}

/* MPI 4.0, 8.6: dimension by dimension, first the one before, then the one after; the same to
 * receive from and to send to. */
static int cart_neighbors(const struct topology *t, uint32_t member, struct neighbors *out,
                          struct err *err)
{
	int64_t stride = 1;
	uint32_t d, n = 2 * t->n_dims;

	out->list = malloc((n ? n : 1) * sizeof *out->list);
	if (!out->list)
		return err_nomem(err, "neighbours", n * sizeof *out->list);
	out->n_in = out->n_out = n;
	for (d = t->n_dims; d-- > 0; stride *= t->dims[d]) {
		out->list[2 * d] = shifted(member, stride, t->dims[d], t->periods[d] != 0, -1);
		out->list[2 * d + 1] = shifted(member, stride, t->dims[d], t->periods[d] != 0, 1);
	}
	return 0;
}

/* --- graphs --- */

static int neighbors_check(struct mp *mp, uint32_t rank, const struct comm *c, const int64_t *list,
                           uint32_t n, struct err *err)
{
	uint32_t i;

	for (i = 0; i < n; i++) {
		if (list[i] != MP_PROC_NULL && (list[i] < 0 || list[i] >= c->n))
			return mp_error(mp, rank, err,
			                "a neighbour %lld in a communicator of %u ranks",
			                (long long)list[i], c->n);
	}
	return 0;
}

int mp_comm_graph(struct mp *mp, uint32_t rank, struct mp_comm comm, const int64_t *sources,
                  uint32_t n_sources, const int64_t *destinations, uint32_t n_destinations,
                  struct err *err)
{
	struct comm *c = comm_get(mp, rank, comm, err);
	struct topology *t;
	struct neighbors *mine;
	uint32_t i;

	if (!c || neighbors_check(mp, rank, c, sources, n_sources, err) < 0 ||
	    neighbors_check(mp, rank, c, destinations, n_destinations, err) < 0)
		return MP_ERROR;
	t = topology_get(c, err);
	if (!t)
		return MP_ERROR;
	mine = &t->of[comm_place(c, rank)];
	if (mine->list)
		return mp_error(mp, rank, err, "gives its neighbours twice");
	mine->list = malloc((n_sources + n_destinations + 1) * sizeof *mine->list);
	if (!mine->list)
		return err_nomem(err, "neighbours",
		                 (n_sources + n_destinations) * sizeof *mine->list);
	mine->n_in = n_sources;
	mine->n_out = n_destinations;
	for (i = 0; i < n_sources; i++)
		mine->list[i] = (int32_t)sources[i];
	for (i = 0; i < n_destinations; i++)
		mine->list[n_sources + i] = (int32_t)destinations[i];
	return MP_DONE;
}

/* --- asking --- */

int topology_neighbors(struct mp *mp, struct comm *c, uint32_t member, struct coll_args *a,
                       struct err *err)
{
	struct topology *t = c->topology;
	struct neighbors *mine;

	if (!t)
		return mp_error(mp, comm_member(c, member), err,
		                "a neighbourhood collective on a communicator without topology");
	mine = &t->of[member];
	if (!mine->list && t->dims && cart_neighbors(t, member, mine, err) < 0)
		return -1;
	a->sources = mine->list;
	a->n_sources = mine->n_in;
	a->destinations = t->dims ? mine->list : mine->list + mine->n_in;
	a->n_destinations = mine->n_out;
	return 0;
}
