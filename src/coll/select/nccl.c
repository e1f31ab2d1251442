/* nccl.c: what NCCL-like libraries choose: two trees for short allreduces, rings for
 * long ones and for everything else (data/selectors/nccl.txt). What they do not have is that of a
 * plain MPI: all at once for alltoall and its kin, doubling for barriers and scans. */
#include "decision.h"
#include "sizes.h"

#include "selectors/nccl.h"

static const struct coll_alg *choose_allreduce(const struct coll_args *a)
{
	int one_host = a->flat == FLAT_HOST || (a->shape && a->shape->nodes == 1);
	return one_host ? &coll_allreduce_nccl_ring
	                : decision_choose(&allreduce, a->size, whole_bytes(a));
}

static const struct coll_alg *nccl_choose(const struct coll_args *a)
{
	switch (a->kind) {
	case COLL_BARRIER:
		return &coll_barrier_ompi_bruck;
	case COLL_BCAST:
		return &coll_bcast_nccl_ring;
	case COLL_REDUCE:
		return &coll_reduce_nccl_ring;
	case COLL_ALLREDUCE:
		return choose_allreduce(a);
	case COLL_ALLGATHER:
		return &coll_allgather_nccl_ring;
	case COLL_ALLGATHERV:
		return &coll_allgatherv_nccl_ring;
	case COLL_REDUCE_SCATTER:
	case COLL_REDUCE_SCATTER_BLOCK:
		return &coll_reduce_scatter_nccl_ring;
	case COLL_ALLTOALL:
		return &coll_alltoall_basic_linear;
	case COLL_SCAN:
		return &coll_scan_recursive_doubling;
	case COLL_EXSCAN:
		return &coll_exscan_recursive_doubling;
	default:
		return coll_choose_default(a);
	}
}

const struct coll_selector coll_selector_nccl = {
    .name = "nccl",
    .help = "NCCL-like libraries: rings in the order of hosts, double binary trees",
    .choose = nccl_choose};
