/* op_coll.c: a collective event becomes the arguments of a collective of mp. */
#include "replay_int.h"

static const uint8_t kind_of[TRACE_OPS] = {
    [TRACE_BARRIER] = COLL_BARRIER,
    [TRACE_BCAST] = COLL_BCAST,
    [TRACE_REDUCE] = COLL_REDUCE,
    [TRACE_ALLREDUCE] = COLL_ALLREDUCE,
    [TRACE_GATHER] = COLL_GATHER,
    [TRACE_GATHERV] = COLL_GATHERV,
    [TRACE_SCATTER] = COLL_SCATTER,
    [TRACE_SCATTERV] = COLL_SCATTERV,
    [TRACE_ALLGATHER] = COLL_ALLGATHER,
    [TRACE_ALLGATHERV] = COLL_ALLGATHERV,
    [TRACE_ALLTOALL] = COLL_ALLTOALL,
    [TRACE_ALLTOALLV] = COLL_ALLTOALLV,
    [TRACE_ALLTOALLW] = COLL_ALLTOALLW,
    [TRACE_REDUCE_SCATTER] = COLL_REDUCE_SCATTER,
    [TRACE_REDUCE_SCATTER_BLOCK] = COLL_REDUCE_SCATTER_BLOCK,
    [TRACE_SCAN] = COLL_SCAN,
    [TRACE_EXSCAN] = COLL_EXSCAN,
    [TRACE_NEIGHBOR_ALLGATHER] = COLL_NEIGHBOR_ALLGATHER,
    [TRACE_NEIGHBOR_ALLGATHERV] = COLL_NEIGHBOR_ALLGATHERV,
    [TRACE_NEIGHBOR_ALLTOALL] = COLL_NEIGHBOR_ALLTOALL,
    [TRACE_NEIGHBOR_ALLTOALLV] = COLL_NEIGHBOR_ALLTOALLV,
    [TRACE_NEIGHBOR_ALLTOALLW] = COLL_NEIGHBOR_ALLTOALLW,
};

/* One count per rank of the communicator; on an intercommunicator, of the other group, but of one's
 * own where what is reduced is scattered. */
static int counts_check(struct replay *r, uint32_t rank, const struct trace_event *ev,
                        const struct mp_groups *g, struct err *err)
{
	if (trace_op_is_neighborhood(ev->op))
		return 0; /* one count per neighbour: mp knows how many there are */
	uint32_t size = g->remote && ev->op != TRACE_REDUCE_SCATTER ? g->remote : g->local;

	if ((ev->counts && ev->n_counts != size) || (ev->counts2 && ev->n_counts2 != size))
		return replay_error(
		    r, rank, err, "%s has %lld counts for a communicator of %u ranks",
		    trace_op_name(ev->op),
		    (long long)(ev->counts && ev->n_counts != size ? ev->n_counts : ev->n_counts2),
		    size);
	return 0;
}

static uint32_t root_make(const struct trace_event *ev)
{
	return ev->root == TRACE_ROOT        ? COLL_ROOT
	       : ev->root == TRACE_PROC_NULL ? COLL_NO_ROOT
	                                     : (uint32_t)ev->root;
}

static int has_two_types(uint8_t op)
{
	return op == TRACE_GATHER || op == TRACE_SCATTER || op == TRACE_ALLGATHER ||
	       op == TRACE_ALLTOALL;
}

/* Who has no data for some rank may have other types than that one. */
static int is_vector(uint8_t op)
{
	return op == TRACE_GATHERV || op == TRACE_SCATTERV || op == TRACE_ALLGATHERV ||
	       op == TRACE_ALLTOALLV;
}

/* What cannot be compared with the calls of others: SimGrid's derived types, which have no size;
 * second types that may be nothing but the default of a trace that says one (0 or 6, SimGrid's
 * two); types of vector forms; operators that nobody knows. */
static void unchecked_set(struct coll_args *a, const struct trace_event *ev)
{
	int two = has_two_types(ev->op);

	a->types = is_vector(ev->op) ? TYPES_UNKNOWN : types_of(ev->type);
	if (two && (types_of(ev->type2) != a->types || ev->flags & TRACE_IN_PLACE))
		a->types = TYPES_UNKNOWN;
	if ((ev->type < 0 && ev->type_size == 0) || (two && ev->type2 < 0 && ev->type_size2 == 0))
		a->unchecked |= COUNTS_UNCHECKED;
	if (two && ev->type != ev->type2 && (ev->type2 == 0 || ev->type2 == 6))
		a->unchecked |= COUNTS_UNCHECKED;
	if (ev->flags & TRACE_COMMUTATIVE_UNKNOWN)
		a->unchecked |= OPERATOR_UNCHECKED;
}

static int args_make(struct replay *r, uint32_t rank, const struct trace_event *ev,
                     const struct mp_groups *g, struct coll_args *a, struct err *err)
{
	uint32_t size = g->remote ? g->remote : g->local;

	if ((ev->root < 0 && !g->remote) || (ev->root >= 0 && (uint32_t)ev->root >= size))
		return replay_error(r, rank, err,
		                    "root %d of %s is not in the communicator, which has %u ranks",
		                    ev->root, trace_op_name(ev->op), size);
	if (counts_check(r, rank, ev, g, err) < 0)
		return -1;
	*a = (struct coll_args){
	    .kind = (enum coll_kind)kind_of[ev->op],
	    .size = size,
	    .root = root_make(ev),
	    .count = ev->count,
	    .count2 = ev->count2,
	    .type_size = ev->type_size,
	    .type_size2 = ev->type_size2,
	    .counts = ev->counts,
	    .counts2 = ev->counts2,
	    .n_destinations = trace_op_is_neighborhood(ev->op) ? (uint32_t)ev->n_counts : 0,
	    .n_sources = trace_op_is_neighborhood(ev->op) ? (uint32_t)ev->n_counts2 : 0,
	    .commutative = !(ev->flags & TRACE_NONCOMMUTATIVE),
	    .in_place = !!(ev->flags & TRACE_IN_PLACE),
	    .basic_type = ev->type >= 0,
	    .own_operator = !!(ev->flags & TRACE_OWN_OPERATOR) &&
	                    r->options.computation != REPLAY_NONE && r->simulate_computation,
	    .null_op = (uint8_t)r->compat, /* SimGrid's replayer passes MPI_OP_NULL, which its scan
	                                      takes for non-commutative */
	    .sizes_only = 1,
	    .compat = (uint8_t)r->compat,
	};
	if (a->in_place && (a->kind == COLL_ALLGATHER ||
	                    a->kind == COLL_ALLTOALL)) { /* the send side is not significant */
		a->count = a->count2;
		a->type_size = a->type_size2;
	}
	unchecked_set(a, ev);
	return 0;
}

/* What the trace has of the operator, executed where the collective ends. */
static double operator_volume(const struct replay *r, const struct trace_event *ev)
{
	int runs = (r->simulate_computation || r->compat) && r->options.computation != REPLAY_NONE;

	return runs ? ev->volume * r->options.scale : 0;
}

int op_collective(struct replay *r, struct mp *mp, uint32_t rank, const struct trace_event *ev,
                  struct err *err)
{
	double volume = operator_volume(r, ev);
	struct mp_groups groups;
	struct coll_args a;
	struct mp_comm comm;
	struct mp_request q;
	int s;

	BUG_ON(!trace_op_is_collective(ev->op));
	if (comm_find(r, mp, rank, ev->comm, &comm, err) < 0)
		return MP_ERROR;
	groups = mp_comm_groups(mp, comm, rank);
	if (args_make(r, rank, ev, &groups, &a, err) < 0)
		return MP_ERROR;
	if (!(ev->flags & TRACE_NONBLOCKING))
		return mp_collective(mp, rank, comm, &a, volume, err);
	s = ev->flags & TRACE_BESIDE ? mp_collective_beside(mp, rank, comm, &a, volume, &q, err)
	                             : mp_icollective(mp, rank, comm, &a, volume, &q, err);
	if (s < 0 || entry_add(r, rank, ev, q, 0, err) < 0)
		return MP_ERROR;
	return s;
}
