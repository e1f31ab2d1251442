/* ompi_1_7.c: the decisions of Open MPI 1.7, which SimGrid's selector "ompi" had up to 3.30:
 * measured limits and fitted lines p = a n + b (Pjesivac-Grbovic et al., Cluster Computing 10,
 * 2007). */
#include "ompi.h"

static const struct coll_alg *bcast_1_7(const struct coll_args *a)
{
	double n = (double)whole_bytes(a), p = a->size;
	if (n < 2048 || a->count <= 1)
		return &coll_bcast_binomial_tree;
	if (n < 370728)
		return &coll_bcast_ompi_split_bintree;
	if (p < 1.6134e-6 * n + 2.1102)
		return &coll_bcast_ompi_pipeline;
	if (p < 13)
		return &coll_bcast_ompi_split_bintree;
	if (p < 2.3679e-6 * n + 1.1787 || p < 3.2118e-6 * n + 8.7936)
		return &coll_bcast_ompi_pipeline;
	return &coll_bcast_flattree_pipeline;
}

static const struct coll_alg *reduce_1_7(const struct coll_args *a)
{
	double n = (double)whole_bytes(a), p = a->size;
	if (!commutes(a))
		return p < 12 && n < 2048 ? &coll_reduce_ompi_basic_linear
		                          : &coll_reduce_ompi_in_order_binary;
	if (p < 8 && n < 512)
		return &coll_reduce_ompi_basic_linear;
	if ((p < 8 && n < 20480) || n < 2048 || a->count <= 1 || p > 0.6016 / 1024 * n + 1.3496)
		return &coll_reduce_ompi_binomial;
	if (p > 0.0410 / 1024 * n + 9.7128)
		return &coll_reduce_ompi_pipeline;
	return p > 0.0422 / 1024 * n + 1.1614 ? &coll_reduce_ompi_binary
	                                      : &coll_reduce_ompi_pipeline;
}

static const struct coll_alg *allreduce_1_7(const struct coll_args *a)
{
	int64_t n = whole_bytes(a);
	if (n < 10000)
		return &coll_allreduce_rdb;
	if (!commutes(a) || a->count <= a->size)
		return &coll_allreduce_redbcast;
	return (int64_t)a->size << 20 >= n ? &coll_allreduce_lr
	                                   : &coll_allreduce_ompi_ring_segmented;
}

static int some_count_is_zero(const struct coll_args *a)
{
	for (uint32_t i = 0; i < a->size; i++)
		if (coll_block_elements(a, i, i + 1) == 0)
			return 1;
	return 0;
}

static const struct coll_alg *reduce_scatter_1_7(const struct coll_args *a)
{
	int64_t n = total_bytes(a);
	if (!commutes(a) || some_count_is_zero(a))
		return coll_choose_default(a);
	if (n <= 12 << 10 || (n <= 256 << 10 && is_pow2(a->size)) ||
	    a->size >= 0.0012 * (double)n + 8)
		return &coll_reduce_scatter_ompi_basic_recursivehalving;
	return &coll_reduce_scatter_ompi_ring;
}

static const struct coll_alg *allgather_1_7(const struct coll_args *a)
{
	if (a->size == 2)
		return &coll_allgather_pair;
	if (block_bytes(a) * a->size < 50000)
		return is_pow2(a->size) ? &coll_allgather_rdb : &coll_allgather_bruck;
	return a->size % 2 ? &coll_allgather_ring : &coll_allgather_ompi_neighborexchange;
}

static const struct coll_alg *allgatherv_1_7(const struct coll_args *a)
{
	if (a->size == 2)
		return &coll_allgatherv_pair;
	if (total_bytes(a) < 50000)
		return &coll_allgatherv_ompi_bruck;
	return a->size % 2 ? &coll_allgatherv_ring : &coll_allgatherv_ompi_neighborexchange;
}

static const struct coll_alg *gather_1_7(const struct coll_args *a)
{
	int64_t m = block_bytes(a);
	if (m > 6000)
		return &coll_gather_ompi_linear_sync;
	return a->size > 60 || (a->size > 10 && m < 1024) ? &coll_gather_ompi_binomial
	                                                  : &coll_gather_ompi_basic_linear;
}

static const struct coll_alg *alltoall_1_7(const struct coll_args *a)
{
	int64_t m = block_bytes(a);
	if (m < 200 && a->size > 12)
		return &coll_alltoall_bruck;
	return m < 3000 ? &coll_alltoall_basic_linear : &coll_alltoall_ring;
}

static const struct coll_alg *barrier_1_7(const struct coll_args *a)
{
	if (a->size == 2)
		return &coll_barrier_ompi_two_procs;
	return is_pow2(a->size) ? &coll_barrier_ompi_recursivedoubling : &coll_barrier_ompi_bruck;
}

static const struct coll_alg *ompi_1_7_choose(const struct coll_args *a)
{
	switch (a->kind) {
	case COLL_BARRIER:
		return barrier_1_7(a);
	case COLL_BCAST:
		return bcast_1_7(a);
	case COLL_REDUCE:
		return reduce_1_7(a);
	case COLL_ALLREDUCE:
		return allreduce_1_7(a);
	case COLL_GATHER:
		return gather_1_7(a);
	case COLL_SCATTER:
		return a->size > 10 && block_bytes(a) < 300 ? &coll_scatter_ompi_binomial
		                                            : &coll_scatter_ompi_basic_linear;
	case COLL_ALLGATHER:
		return allgather_1_7(a);
	case COLL_ALLGATHERV:
		return allgatherv_1_7(a);
	case COLL_ALLTOALL:
		return alltoall_1_7(a);
	case COLL_ALLTOALLV:
		return &coll_alltoallv_ring;
	case COLL_REDUCE_SCATTER:
	case COLL_REDUCE_SCATTER_BLOCK:
		return reduce_scatter_1_7(a);
	default:
		return coll_choose_default(a);
	}
}

const struct coll_selector coll_selector_ompi_1_7 = {
    .name = "ompi-1.7",
    .help = "Open MPI 1.7's fixed decisions (SimGrid up to 3.30)",
    .choose = ompi_1_7_choose};
