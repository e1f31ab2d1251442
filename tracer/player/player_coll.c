/* player_coll.c: collectives of a trace, on a real MPI: bytes, or doubles and ints that are added
 * where the trace reduces those. */
#include "player.h"

#include <stdlib.h>

struct call {
	MPI_Comm comm;
	MPI_Request *q; /* NULL: blocking */
	char *send, *recv;
	int n, m; /* bytes of a block, sent and received */
	int size, root;
	MPI_Datatype type; /* of reductions */
	MPI_Op op;
	int count;
};

static void second(void *in, void *inout, int *n, MPI_Datatype *type)
{
	(void)in, (void)inout, (void)n, (void)type;
}

static void reduction_set(struct player *p, const struct trace_event *ev, struct call *c)
{
	int64_t bytes = ev->count * ev->type_size;

	c->type = ev->type_size == 8 ? MPI_DOUBLE : ev->type_size == 4 ? MPI_INT : MPI_BYTE;
	c->op = ev->type_size == 8 || ev->type_size == 4 ? MPI_SUM : MPI_BOR;
	c->count = (int)(ev->type_size == 8 || ev->type_size == 4 ? ev->count : bytes);
	if (!(ev->flags & TRACE_NONCOMMUTATIVE))
		return;
	if (p->noncommutative == MPI_OP_NULL)
		MPI_Op_create(second, 0, &p->noncommutative);
	c->op = p->noncommutative;
}

/* Lists in bytes, and where each begins. */
static int lists_set(struct player *p, const struct trace_event *ev, int size, int64_t *total,
                     struct err *err)
{
	/* a list may have the receive side's elements under the first type */
	int64_t size2 = ev->op == TRACE_REDUCE_SCATTER ? ev->type_size : ev->type_size2;
	int64_t sums[2] = {0, 0};

	if ((uint32_t)size > p->cap_counts) {
		int **lists[] = {&p->counts, &p->counts2, &p->places, &p->places2};

		for (int i = 0; i < 4; i++) {
			free(*lists[i]);
			*lists[i] = calloc((size_t)size, sizeof(int));
			if (!*lists[i]) {
				p->cap_counts = 0;
				return err_nomem(err, "counts", (size_t)size * sizeof(int));
			}
		}
		p->cap_counts = (uint32_t)size;
	}
	for (int i = 0; i < size; i++) {
		p->places[i] = (int)sums[0];
		p->places2[i] = (int)sums[1];
		p->counts[i] = i < ev->n_counts ? (int)(ev->counts[i] * ev->type_size) : 0;
		p->counts2[i] = i < ev->n_counts2 ? (int)(ev->counts2[i] * size2) : 0;
		sums[0] += p->counts[i];
		sums[1] += p->counts2[i];
	}
	*total = sums[0] > sums[1] ? sums[0] : sums[1];
	return 0;
}

/* Neighbours on the side that has more. */
static int neighbours_of(MPI_Comm comm)
{
	int kind = MPI_UNDEFINED, in = 0, out = 0, weighted;

	MPI_Topo_test(comm, &kind);
	if (kind == MPI_CART) {
		MPI_Cartdim_get(comm, &in);
		return 2 * in;
	}
	if (kind == MPI_DIST_GRAPH)
		MPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
	return in > out ? in : out;
}

/* How many blocks or counts MPI looks at, at most: one of each of the other side, of our own group
 * (reduce_scatter), of each neighbour, of whom a small communicator may have more than ranks. */
static int others(MPI_Comm comm, enum trace_op op)
{
	int inter = 0, n;

	MPI_Comm_test_inter(comm, &inter);
	if (trace_op_is_neighborhood(op))
		return neighbours_of(comm);
	if (inter && op != TRACE_REDUCE_SCATTER && op != TRACE_REDUCE_SCATTER_BLOCK)
		MPI_Comm_remote_size(comm, &n);
	else
		MPI_Comm_size(comm, &n);
	return n;
}

static int call_set(struct player *p, const struct trace_event *ev, struct call *c, struct err *err)
{
	int64_t n = ev->count * ev->type_size, m = ev->count2 * ev->type_size2, total = 0;

	c->comm = player_comm_find(p, ev->comm, err);
	if (c->comm == MPI_COMM_NULL)
		return -1;
	c->size = others(c->comm, (enum trace_op)ev->op);
	if (lists_set(p, ev, c->size, &total, err) < 0)
		return -1;
	if (n < 0 || m < 0 || n > INT32_MAX || m > INT32_MAX)
		return err_set(err, ERR_INPUT, "a block of more than 2 GiB");
	c->n = (int)n;
	c->m = (int)m;
	c->root = ev->root == TRACE_ROOT        ? MPI_ROOT
	          : ev->root == TRACE_PROC_NULL ? MPI_PROC_NULL
	                                        : ev->root;
	n = (n > m ? n : m) * (c->size > 0 ? c->size : 1);
	total = total > n ? total : n;
	c->send = player_bytes(p, total, 0, err);
	c->recv = c->send ? player_bytes(p, total, 1, err) : NULL;
	reduction_set(p, ev, c);
	c->q = ev->flags & TRACE_NONBLOCKING ? player_request(p, ev->req, err) : NULL;
	return c->recv && (c->q || !(ev->flags & TRACE_NONBLOCKING)) ? 0 : -1;
}

static int rooted(struct player *p, const struct trace_event *ev, const struct call *c)
{
	char *s = c->send, *r = c->recv;
	MPI_Datatype b = MPI_BYTE;

	switch (ev->op) {
	case TRACE_BCAST:
		return c->q ? MPI_Ibcast(r, c->n, b, c->root, c->comm, c->q)
		            : MPI_Bcast(r, c->n, b, c->root, c->comm);
	case TRACE_REDUCE:
		return c->q ? MPI_Ireduce(s, r, c->count, c->type, c->op, c->root, c->comm, c->q)
		            : MPI_Reduce(s, r, c->count, c->type, c->op, c->root, c->comm);
	case TRACE_GATHER:
		return c->q ? MPI_Igather(s, c->n, b, r, c->m, b, c->root, c->comm, c->q)
		            : MPI_Gather(s, c->n, b, r, c->m, b, c->root, c->comm);
	case TRACE_SCATTER:
		return c->q ? MPI_Iscatter(s, c->n, b, r, c->m, b, c->root, c->comm, c->q)
		            : MPI_Scatter(s, c->n, b, r, c->m, b, c->root, c->comm);
	case TRACE_GATHERV:
		return c->q ? MPI_Igatherv(s, c->n, b, r, p->counts2, p->places2, b, c->root,
		                           c->comm, c->q)
		            : MPI_Gatherv(s, c->n, b, r, p->counts2, p->places2, b, c->root,
		                          c->comm);
	default:
		return c->q
		           ? MPI_Iscatterv(s, p->counts, p->places, b, r, c->m, b, c->root, c->comm,
		                           c->q)
		           : MPI_Scatterv(s, p->counts, p->places, b, r, c->m, b, c->root, c->comm);
	}
}

static int all_to_all(struct player *p, const struct trace_event *ev, const struct call *c)
{
	char *s = c->send, *r = c->recv;
	MPI_Datatype b = MPI_BYTE;

	switch (ev->op) {
	case TRACE_ALLGATHER:
		return c->q ? MPI_Iallgather(s, c->n, b, r, c->m, b, c->comm, c->q)
		            : MPI_Allgather(s, c->n, b, r, c->m, b, c->comm);
	case TRACE_ALLGATHERV:
		return c->q ? MPI_Iallgatherv(s, c->n, b, r, p->counts2, p->places2, b, c->comm,
		                              c->q)
		            : MPI_Allgatherv(s, c->n, b, r, p->counts2, p->places2, b, c->comm);
	case TRACE_ALLTOALL:
		return c->q ? MPI_Ialltoall(s, c->n, b, r, c->m, b, c->comm, c->q)
		            : MPI_Alltoall(s, c->n, b, r, c->m, b, c->comm);
	default: /* alltoallw is bytes too */
		return c->q ? MPI_Ialltoallv(s, p->counts, p->places, b, r, p->counts2, p->places2,
		                             b, c->comm, c->q)
		            : MPI_Alltoallv(s, p->counts, p->places, b, r, p->counts2, p->places2,
		                            b, c->comm);
	}
}

static int reduction(struct player *p, const struct trace_event *ev, const struct call *c)
{
	int unit = c->type == MPI_BYTE ? 1 : (int)ev->type_size;

	for (int i = 0; ev->op == TRACE_REDUCE_SCATTER && i < c->size; i++)
		p->counts2[i] = i < ev->n_counts2 ? (int)(ev->counts2[i] * ev->type_size / unit)
		                                  : 0;
	switch (ev->op) {
	case TRACE_ALLREDUCE:
		return c->q ? MPI_Iallreduce(c->send, c->recv, c->count, c->type, c->op, c->comm,
		                             c->q)
		            : MPI_Allreduce(c->send, c->recv, c->count, c->type, c->op, c->comm);
	case TRACE_SCAN:
		return c->q ? MPI_Iscan(c->send, c->recv, c->count, c->type, c->op, c->comm, c->q)
		            : MPI_Scan(c->send, c->recv, c->count, c->type, c->op, c->comm);
	case TRACE_EXSCAN:
		return c->q ? MPI_Iexscan(c->send, c->recv, c->count, c->type, c->op, c->comm, c->q)
		            : MPI_Exscan(c->send, c->recv, c->count, c->type, c->op, c->comm);
	case TRACE_REDUCE_SCATTER:
		return c->q ? MPI_Ireduce_scatter(c->send, c->recv, p->counts2, c->type, c->op,
		                                  c->comm, c->q)
		            : MPI_Reduce_scatter(c->send, c->recv, p->counts2, c->type, c->op,
		                                 c->comm);
	default:
		return c->q ? MPI_Ireduce_scatter_block(c->send, c->recv, c->count, c->type, c->op,
		                                        c->comm, c->q)
		            : MPI_Reduce_scatter_block(c->send, c->recv, c->count, c->type, c->op,
		                                       c->comm);
	}
}

/* Of neighbourhoods: vector forms have a count per neighbour. */
static int neighbourhood(struct player *p, const struct trace_event *ev, const struct call *c)
{
	char *s = c->send, *r = c->recv;
	MPI_Datatype b = MPI_BYTE;

	switch (ev->op) {
	case TRACE_NEIGHBOR_ALLGATHER:
		return c->q ? MPI_Ineighbor_allgather(s, c->n, b, r, c->m, b, c->comm, c->q)
		            : MPI_Neighbor_allgather(s, c->n, b, r, c->m, b, c->comm);
	case TRACE_NEIGHBOR_ALLTOALL:
		return c->q ? MPI_Ineighbor_alltoall(s, c->n, b, r, c->m, b, c->comm, c->q)
		            : MPI_Neighbor_alltoall(s, c->n, b, r, c->m, b, c->comm);
	case TRACE_NEIGHBOR_ALLGATHERV:
		return c->q ? MPI_Ineighbor_allgatherv(s, c->n, b, r, p->counts2, p->places2, b,
		                                       c->comm, c->q)
		            : MPI_Neighbor_allgatherv(s, c->n, b, r, p->counts2, p->places2, b,
		                                      c->comm);
	default:
		return c->q ? MPI_Ineighbor_alltoallv(s, p->counts, p->places, b, r, p->counts2,
		                                      p->places2, b, c->comm, c->q)
		            : MPI_Neighbor_alltoallv(s, p->counts, p->places, b, r, p->counts2,
		                                     p->places2, b, c->comm);
	}
}

int player_collective(struct player *p, const struct trace_event *ev, struct err *err)
{
	struct call c = {0};

	if (call_set(p, ev, &c, err) < 0)
		return -1;
	if (ev->op == TRACE_BARRIER)
		return c.q ? MPI_Ibarrier(c.comm, c.q) : MPI_Barrier(c.comm);
	if (trace_op_is_neighborhood((enum trace_op)ev->op))
		return neighbourhood(p, ev, &c);
	switch (ev->op) {
	case TRACE_BCAST:
	case TRACE_REDUCE:
	case TRACE_GATHER:
	case TRACE_GATHERV:
	case TRACE_SCATTER:
	case TRACE_SCATTERV:
		return rooted(p, ev, &c);
	case TRACE_ALLGATHER:
	case TRACE_ALLGATHERV:
	case TRACE_ALLTOALL:
	case TRACE_ALLTOALLV:
	case TRACE_ALLTOALLW:
		return all_to_all(p, ev, &c);
	default:
		return reduction(p, ev, &c);
	}
}
