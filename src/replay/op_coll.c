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
};

/* Which of the two count arrays an operation must have, with one entry per rank of the communicator. */
static int counts_check(struct replay *r, uint32_t rank, const struct trace_event *ev, uint32_t size, struct err *err)
{
	if ((ev->counts && ev->n_counts != size) || (ev->counts2 && ev->n_counts2 != size))
		return replay_error(r, rank, err, "%s has %lld counts for a communicator of %u ranks", trace_op_name(ev->op),
		                    (long long)(ev->counts && ev->n_counts != size ? ev->n_counts : ev->n_counts2), size);
	return 0;
}

static int args_make(struct replay *r, uint32_t rank, const struct trace_event *ev, uint32_t size, struct coll_args *a,
                     struct err *err)
{
	if (ev->root < 0 || (uint32_t)ev->root >= size)
		return replay_error(r, rank, err, "root %d of %s is not in the communicator, which has %u ranks", ev->root,
		                    trace_op_name(ev->op), size);
	if (counts_check(r, rank, ev, size, err) < 0)
		return -1;
	*a = (struct coll_args){
	    .kind = (enum coll_kind)kind_of[ev->op],
	    .size = size,
	    .root = (uint32_t)ev->root,
	    .count = ev->count,
	    .count2 = ev->count2,
	    .type_size = ev->type_size,
	    .type_size2 = ev->type_size2,
	    .counts = ev->counts,
	    .counts2 = ev->counts2,
	    .commutative = !(ev->flags & TRACE_NONCOMMUTATIVE),
	    .in_place = !!(ev->flags & TRACE_IN_PLACE),
	    .basic_type = ev->type >= 0,
	    .null_op = (uint8_t)r->compat, /* SimGrid's replayer passes MPI_OP_NULL, which its scan takes for non-commutative */
	    .sizes_only = 1,
	    .compat = (uint8_t)r->compat,
	};
	return 0;
}

int op_collective(struct replay *r, struct mp *mp, uint32_t rank, const struct trace_event *ev, struct err *err)
{
	double volume = r->simulate_computation && r->options.computation != REPLAY_NONE ? ev->volume * r->options.scale : 0;
	struct coll_args a;
	struct mp_comm comm;
	struct mp_request q;
	int s;

	if (comm_find(r, mp, rank, ev->comm, &comm, err) < 0)
		return MP_ERROR;
	if (args_make(r, rank, ev, mp_comm_size(mp, comm), &a, err) < 0)
		return MP_ERROR;
	if (!(ev->flags & TRACE_NONBLOCKING))
		return mp_collective(mp, rank, comm, &a, volume, err);
	s = mp_icollective(mp, rank, comm, &a, volume, &q, err);
	if (s < 0 || entry_add(r, rank, ev, q, 0, err) < 0)
		return MP_ERROR;
	return s;
}
