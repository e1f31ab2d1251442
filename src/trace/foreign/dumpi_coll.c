/* dumpi_coll.c: collectives (dumpi_put.h). */
#include "dumpi_put.h"

enum { OP_USER = 15 };

static int coll_begin(struct dumpi *d, struct trace_event *ev, int op, int64_t number,
                      struct err *err)
{
	uint32_t comm;

	foreign_event(ev, (enum trace_op)op);
	if (dumpi_comm_of(d, number, &comm, err) < 0)
		return -1;
	ev->comm = d->f->comms[comm].id;
	return 0;
}

/* number: of the communicator, as in coll_begin. */
static int root_put(struct dumpi *d, struct trace_event *ev, int64_t number, int64_t root,
                    struct err *err)
{
	uint32_t comm;
	int32_t in_world;

	if (dumpi_comm_of(d, number, &comm, err) < 0 ||
	    ((comm != 1 || root != 0) && foreign_member(d->f, comm, root, &in_world, err) < 0))
		return -1;
	ev->root = (int32_t)root;
	return 0;
}

static int barrier_put(struct dumpi *d, const struct dumpi_call *c, int op, struct err *err)
{
	struct trace_event ev;

	return coll_begin(d, &ev, op, c->v[0], err) < 0 ? -1 : dumpi_event_put(d, &ev, err);
}

/* count type root communicator */
static int bcast_put(struct dumpi *d, const struct dumpi_call *c, int op, struct err *err)
{
	struct trace_event ev;

	if (coll_begin(d, &ev, op, c->v[3], err) < 0 ||
	    dumpi_type_put(d, c->v[1], &ev.type, &ev.type_size, err) < 0)
		return -1;
	ev.count = c->v[0];
	if (root_put(d, &ev, c->v[3], c->v[2], err) < 0)
		return -1;
	return dumpi_event_put(d, &ev, err);
}

/* count type operator [root] communicator */
static int reduce_put(struct dumpi *d, const struct dumpi_call *c, int op, struct err *err)
{
	int rooted = op == TRACE_REDUCE;
	struct trace_event ev;

	if (coll_begin(d, &ev, op, c->v[rooted ? 4 : 3], err) < 0 ||
	    dumpi_type_put(d, c->v[1], &ev.type, &ev.type_size, err) < 0)
		return -1;
	ev.count = c->v[0];
	if (rooted && root_put(d, &ev, c->v[4], c->v[3], err) < 0)
		return -1;
	if (c->v[2] >= OP_USER)
		ev.flags |= TRACE_COMMUTATIVE_UNKNOWN;
	return dumpi_event_put(d, &ev, err);
}

/* members, counts, type, operator, communicator */
static int reduce_scatter_put(struct dumpi *d, const struct dumpi_call *c, int op, struct err *err)
{
	struct trace_event ev;

	if (coll_begin(d, &ev, op, c->v[3], err) < 0 ||
	    dumpi_type_put(d, c->v[1], &ev.type, &ev.type_size, err) < 0)
		return -1;
	ev.counts2 = c->a[0].at;
	ev.n_counts2 = c->a[0].n;
	if (c->v[2] >= OP_USER)
		ev.flags |= TRACE_COMMUTATIVE_UNKNOWN;
	return dumpi_event_put(d, &ev, err);
}

/* me, count type root communicator, (count type) at the root: gather's are first what is sent,
 * scatter's what is received. */
static int gather_put(struct dumpi *d, const struct dumpi_call *c, int op, struct err *err)
{
	const int64_t *v = c->v;
	int at_root = v[0] == v[3], gather = op == TRACE_GATHER;
	struct trace_event ev;
	int32_t type, other;
	int64_t size, other_size;

	if (coll_begin(d, &ev, op, v[4], err) < 0 ||
	    dumpi_type_put(d, v[2], &type, &size, err) < 0 ||
	    dumpi_type_put(d, at_root ? v[6] : v[2], &other, &other_size, err) < 0)
		return -1;
	if (root_put(d, &ev, v[4], v[3], err) < 0)
		return -1;
	ev.count = gather || !at_root ? v[1] : v[5];
	ev.count2 = !gather || !at_root ? v[1] : v[5];
	ev.type = gather ? type : other;
	ev.type_size = gather ? size : other_size;
	ev.type2 = gather ? other : type;
	ev.type_size2 = gather ? other_size : size;
	return dumpi_event_put(d, &ev, err);
}

/* gatherv: me, members, count, type, root, communicator, (counts, places), type: the last one is
 * there on all, and MPI looks at it on the root only. */
static int gatherv_put(struct dumpi *d, const struct dumpi_call *c, int op, struct err *err)
{
	struct trace_event ev;

	if (coll_begin(d, &ev, op, c->v[5], err) < 0 ||
	    dumpi_type_put(d, c->v[3], &ev.type, &ev.type_size, err) < 0 ||
	    dumpi_type_put(d, c->v[0] == c->v[4] ? c->v[6] : c->v[3], &ev.type2, &ev.type_size2,
	                   err) < 0)
		return -1;
	ev.count = c->v[2];
	if (root_put(d, &ev, c->v[5], c->v[4], err) < 0)
		return -1;
	ev.counts2 = c->a[0].at;
	ev.n_counts2 = c->a[0].n;
	return dumpi_event_put(d, &ev, err);
}

/* scatterv: me, members, type, count, type, root, communicator, (counts, places). */
static int scatterv_put(struct dumpi *d, const struct dumpi_call *c, int op, struct err *err)
{
	struct trace_event ev;

	if (coll_begin(d, &ev, op, c->v[6], err) < 0 ||
	    dumpi_type_put(d, c->v[0] == c->v[5] ? c->v[2] : c->v[4], &ev.type, &ev.type_size,
	                   err) < 0 ||
	    dumpi_type_put(d, c->v[4], &ev.type2, &ev.type_size2, err) < 0)
		return -1;
	ev.count2 = c->v[3];
	if (root_put(d, &ev, c->v[6], c->v[5], err) < 0)
		return -1;
	ev.counts = c->a[0].at;
	ev.n_counts = c->a[0].n;
	return dumpi_event_put(d, &ev, err);
}

/* count type count type communicator */
static int allgather_put(struct dumpi *d, const struct dumpi_call *c, int op, struct err *err)
{
	struct trace_event ev;

	if (coll_begin(d, &ev, op, c->v[4], err) < 0 ||
	    dumpi_type_put(d, c->v[1], &ev.type, &ev.type_size, err) < 0 ||
	    dumpi_type_put(d, c->v[3], &ev.type2, &ev.type_size2, err) < 0)
		return -1;
	ev.count = c->v[0];
	ev.count2 = c->v[2];
	return dumpi_event_put(d, &ev, err);
}

/* members, count, type, counts, places, type, communicator */
static int allgatherv_put(struct dumpi *d, const struct dumpi_call *c, int op, struct err *err)
{
	struct trace_event ev;

	if (coll_begin(d, &ev, op, c->v[4], err) < 0 ||
	    dumpi_type_put(d, c->v[2], &ev.type, &ev.type_size, err) < 0 ||
	    dumpi_type_put(d, c->v[3], &ev.type2, &ev.type_size2, err) < 0)
		return -1;
	ev.count = c->v[1];
	ev.counts2 = c->a[0].at;
	ev.n_counts2 = c->a[0].n;
	return dumpi_event_put(d, &ev, err);
}

/* members, counts, places, type, counts, places, type, communicator */
static int alltoallv_put(struct dumpi *d, const struct dumpi_call *c, int op, struct err *err)
{
	struct trace_event ev;

	if (coll_begin(d, &ev, op, c->v[3], err) < 0 ||
	    dumpi_type_put(d, c->v[1], &ev.type, &ev.type_size, err) < 0 ||
	    dumpi_type_put(d, c->v[2], &ev.type2, &ev.type_size2, err) < 0)
		return -1;
	ev.counts = c->a[0].at;
	ev.n_counts = c->a[0].n;
	ev.counts2 = c->a[2].at;
	ev.n_counts2 = c->a[2].n;
	return dumpi_event_put(d, &ev, err);
}

/* The same with a type for each: lists counts, places, types, counts, places, types. In bytes. */
static int alltoallw_put(struct dumpi *d, const struct dumpi_call *c, int op, struct err *err)
{
	uint32_t n = c->a[0].n < c->a[3].n ? c->a[0].n : c->a[3].n;
	int64_t *bytes = dumpi_scratch(d, 2 * (size_t)n, err);
	struct trace_event ev;

	if (c->a[2].n < n || c->a[5].n < n)
		return err_set(err, ERR_INPUT,
		               "%s: damaged: an MPI_Alltoallw with %u counts and %u and %u types",
		               d->f->path, n, c->a[2].n, c->a[5].n);
	if (!bytes || coll_begin(d, &ev, op, c->v[1], err) < 0)
		return -1;
	for (uint32_t i = 0; i < n; i++) {
		struct dumpi_type s, r;

		if (dumpi_type_find(d, c->a[2].at[i], &s, err) < 0 ||
		    dumpi_type_find(d, c->a[5].at[i], &r, err) < 0)
			return -1;
		if (__builtin_mul_overflow(c->a[0].at[i], s.size, &bytes[i]) ||
		    __builtin_mul_overflow(c->a[3].at[i], r.size, &bytes[n + i]))
			return err_set(err, ERR_INPUT,
			               "%s: a message of more bytes than 64 bits can tell",
			               d->file.path);
	}
	ev.counts = bytes;
	ev.counts2 = bytes + n;
	ev.n_counts = ev.n_counts2 = n;
	return dumpi_event_put(d, &ev, err);
}

/* clang-format off */
const struct dumpi_row dumpi_coll_rows[] = {
    {"Barrier", barrier_put, TRACE_BARRIER}, {"Bcast", bcast_put, TRACE_BCAST},
    {"Reduce", reduce_put, TRACE_REDUCE}, {"Allreduce", reduce_put, TRACE_ALLREDUCE},
    {"Scan", reduce_put, TRACE_SCAN}, {"Exscan", reduce_put, TRACE_EXSCAN},
    {"Reduce_scatter", reduce_scatter_put, TRACE_REDUCE_SCATTER},
    {"Gather", gather_put, TRACE_GATHER}, {"Scatter", gather_put, TRACE_SCATTER},
    {"Gatherv", gatherv_put, TRACE_GATHERV}, {"Scatterv", scatterv_put, TRACE_SCATTERV},
    {"Allgather", allgather_put, TRACE_ALLGATHER}, {"Alltoall", allgather_put, TRACE_ALLTOALL},
    {"Allgatherv", allgatherv_put, TRACE_ALLGATHERV},
    {"Alltoallv", alltoallv_put, TRACE_ALLTOALLV}, {"Alltoallw", alltoallw_put, TRACE_ALLTOALLW},
    {NULL, NULL, 0},
};
/* clang-format on */
