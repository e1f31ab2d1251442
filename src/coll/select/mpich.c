/* mpich.c: MPICH 3.0's decisions, as SimGrid's selector "mpich" has them. Node-aware
 * algorithms are used on whole communicators, and flat ones in their parts. Thresholds of
 * reduce_scatter and allgatherv are in elements, as there. */
#include "sizes.h"

static int as_many_elements_as_pof2(const struct coll_args *a)
{
	return a->count >= 1u << log2_floor(a->size);
}

const struct coll_alg *coll_bcast_mpich(const struct coll_args *a)
{
	int64_t n = whole_bytes(a);
	if (!a->flat && coll_per_node(a))
		return &coll_bcast_SMP_binomial;
	if (n < 12288 || a->size <= 8)
		return &coll_bcast_binomial_tree;
	return n < 524288 && a->size % 2 == 0 ? &coll_bcast_scatter_rdb_allgather
	                                      : &coll_bcast_scatter_LR_allgather;
}

const struct coll_alg *coll_reduce_mpich(const struct coll_args *a)
{
	if (!a->flat && commutes(a))
		return &coll_reduce_mvapich2_two_level;
	if (!as_many_elements_as_pof2(a) || whole_bytes(a) < 2048 || !commutes(a))
		return &coll_reduce_binomial;
	return &coll_reduce_scatter_gather;
}

const struct coll_alg *coll_allreduce_mpich(const struct coll_args *a)
{
	if (!a->flat && commutes(a))
		return &coll_allreduce_mvapich2_two_level;
	return whole_bytes(a) > 2048 && as_many_elements_as_pof2(a) && commutes(a)
	           ? &coll_allreduce_rab_rdb
	           : &coll_allreduce_rdb;
}

/* SimGrid tests for an odd p where MPICH tests for a power of two, and then aborts; even p, powers
 * of two too, get ring there. */
static const struct coll_alg *alltoall(const struct coll_args *a)
{
	int64_t m = whole_bytes(a);
	if (m < 256 && a->size >= 8)
		return &coll_alltoall_bruck;
	if (m < 32768)
		return &coll_alltoall_mvapich2_scatter_dest;
	return is_pow2(a->size) && !a->compat ? &coll_alltoall_pair : &coll_alltoall_ring;
}

const struct coll_alg *coll_reduce_scatter_mpich(const struct coll_args *a)
{
	if (commutes(a))
		return coll_block_elements(a, 0, a->size) > 524288 ? &coll_reduce_scatter_mpich_pair
		                                                   : &coll_reduce_scatter_mpich_rdb;
	return is_pow2(a->size) && coll_counts_equal(a) ? &coll_reduce_scatter_mpich_noncomm
	                                                : &coll_reduce_scatter_mpich_rdb;
}

const struct coll_alg *coll_allgather_mpich(const struct coll_args *a)
{
	int64_t n = whole_bytes(a) * a->size;
	if (is_pow2(a->size) && n < 524288)
		return &coll_allgather_rdb;
	return n <= 81920 ? &coll_allgather_bruck : &coll_allgather_ring;
}

static const struct coll_alg *allgatherv(const struct coll_args *a)
{
	int64_t n = coll_block_elements(a, 0, a->size);
	if (n == 0 || (is_pow2(a->size) && n < 524288)) /* it skips what is empty */
		return &coll_allgatherv_mpich_rdb;
	return n <= 81920 ? &coll_allgatherv_ompi_bruck : &coll_allgatherv_mpich_ring;
}

static const struct coll_alg *mpich_choose(const struct coll_args *a)
{
	switch (a->kind) {
	case COLL_BARRIER:
		return &coll_barrier_ompi_bruck;
	case COLL_BCAST:
		return coll_bcast_mpich(a);
	case COLL_REDUCE:
		return coll_reduce_mpich(a);
	case COLL_ALLREDUCE:
		return coll_allreduce_mpich(a);
	case COLL_GATHER:
		return &coll_gather_ompi_binomial;
	case COLL_SCATTER:
		return &coll_scatter_ompi_binomial;
	case COLL_ALLGATHER:
		return coll_allgather_mpich(a);
	case COLL_ALLGATHERV:
		return allgatherv(a);
	case COLL_ALLTOALL:
		return alltoall(a);
	case COLL_ALLTOALLV:
		return &coll_alltoallv_bruck;
	case COLL_REDUCE_SCATTER:
	case COLL_REDUCE_SCATTER_BLOCK:
		return coll_reduce_scatter_mpich(a);
	default:
		return coll_choose_default(a);
	}
}

const struct coll_selector coll_selector_mpich = {
    .name = "mpich", .help = "MPICH 3.0's decisions", .choose = mpich_choose};
