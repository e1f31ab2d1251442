/* ompi_tables.c: the fixed decisions of Open MPI 4.1.2 as tables (data/selectors/ompi-4.1.txt). */
#include "ompi.h"

#include "selectors/ompi-4.1.h"

const struct decision *const ompi_block_table = &block;

const struct coll_alg *coll_alltoall_ompi(const struct coll_args *a)
{
	return decision_choose(&alltoall, a->size, block_bytes(a));
}

const struct coll_alg *coll_allreduce_ompi(const struct coll_args *a)
{
	return decision_choose(commutes(a) ? &allreduce : &allreduce_ordered, a->size,
	                       whole_bytes(a));
}

const struct decision *ompi_table_of(const struct coll_args *a, int64_t *bytes)
{
	*bytes = 0;
	switch (a->kind) {
	case COLL_BARRIER:
		return &barrier;
	case COLL_ALLTOALLV:
		return &alltoallv;
	case COLL_BCAST:
	case COLL_REDUCE:
	case COLL_ALLREDUCE:
		*bytes = whole_bytes(a);
		if (a->kind == COLL_BCAST)
			return &bcast;
		if (a->kind == COLL_REDUCE)
			return commutes(a) ? &reduce : &reduce_ordered;
		return commutes(a) ? &allreduce : &allreduce_ordered;
	case COLL_GATHER:
	case COLL_SCATTER:
	case COLL_ALLGATHER:
	case COLL_ALLTOALL:
		*bytes = block_bytes(a);
		return a->kind == COLL_GATHER      ? &gather
		       : a->kind == COLL_SCATTER   ? &scatter
		       : a->kind == COLL_ALLGATHER ? &allgather
		                                   : &alltoall;
	case COLL_ALLGATHERV:
		*bytes = total_bytes(a) / a->size;
		return &allgatherv;
	case COLL_REDUCE_SCATTER:
	case COLL_REDUCE_SCATTER_BLOCK:
		*bytes = total_bytes(a);
		return commutes(a) ? &reduce_scatter : &reduce_scatter_ordered;
	default:
		return NULL;
	}
}
