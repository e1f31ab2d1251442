/* mpich4.c: what MPICH 4.0 to 4.3 choose (device ch4): data/selectors/mpich-4.0.txt.
 * Compositions for communicators of which some host has several ranks ("levels"); inside hosts,
 * what MPICH sends there when it does not use shared memory. Whether an operator is MPI's own is
 * not in a trace: one that commutes is taken for such. */
#include "decision.h"
#include "sizes.h"

#include "selectors/mpich-4.0.h"

static int has_levels(const struct coll_args *a)
{
	return !a->flat && a->shape && a->shape->nodes < a->size;
}
static int fewer_elements_than_pof2(const struct coll_args *a)
{
	return a->count < 1ll << log2_floor(a->size);
}

static const struct coll_alg *look(const struct decision *d, const struct coll_args *a,
                                   int64_t bytes)
{
	return decision_choose(d, a->size, bytes);
}

static const struct coll_alg *choose_bcast(const struct coll_args *a)
{
	const struct decision *flat = is_pow2(a->size) ? &bcast_pow2 : &bcast;
	const struct decision *levels = is_pow2(a->size) ? &bcast_levels_pow2 : &bcast_levels;
	return look(has_levels(a) ? levels : flat, a, whole_bytes(a));
}

static const struct coll_alg *choose_allreduce(const struct coll_args *a)
{
	if (has_levels(a) && a->shape->nodes > 1 && commutes(a))
		return &coll_allreduce_mpich_smp;
	if (!commutes(a) || fewer_elements_than_pof2(a))
		return &coll_allreduce_rdb;
	return look(&allreduce, a, whole_bytes(a));
}

static const struct coll_alg *choose_reduce(const struct coll_args *a)
{
	if (has_levels(a) && commutes(a))
		return look(&reduce_levels, a, whole_bytes(a));
	return !commutes(a) || fewer_elements_than_pof2(a) ? &coll_reduce_binomial
	                                                   : look(&reduce, a, whole_bytes(a));
}

static const struct coll_alg *choose_reduce_scatter(const struct coll_args *a)
{
	if (commutes(a))
		return look(&reduce_scatter, a, total_bytes(a));
	return is_pow2(a->size) && coll_counts_equal(a) ? &coll_reduce_scatter_mpich_noncomm
	                                                : &coll_reduce_scatter_mpich_rdb;
}

static const struct coll_alg *choose_alltoall(const struct coll_args *a)
{
	return a->in_place ? &coll_alltoall_ring : look(&alltoall, a, whole_bytes(a));
}

static const struct coll_alg *mpich4_choose(const struct coll_args *a)
{
	switch (a->kind) {
	case COLL_BARRIER:
		return has_levels(a) ? &coll_barrier_mpich_smp : &coll_barrier_ompi_bruck;
	case COLL_BCAST:
		return choose_bcast(a);
	case COLL_REDUCE:
		return choose_reduce(a);
	case COLL_ALLREDUCE:
		return choose_allreduce(a);
	case COLL_GATHER:
		return &coll_gather_ompi_binomial;
	case COLL_SCATTER:
		return &coll_scatter_mpich_binomial;
	case COLL_ALLGATHER:
		return look(is_pow2(a->size) ? &allgather_pow2 : &allgather, a,
		            a->count2 * a->type_size2 * a->size);
	case COLL_ALLGATHERV:
		return look(is_pow2(a->size) ? &allgatherv_pow2 : &allgatherv, a, total_bytes(a));
	case COLL_ALLTOALL:
		return choose_alltoall(a);
	case COLL_ALLTOALLV:
		return a->in_place ? &coll_alltoallv_ompi_pairwise
		                   : &coll_alltoallv_mpich_scattered;
	case COLL_ALLTOALLW:
		return a->in_place ? &coll_alltoallw_pairwise : &coll_alltoallw_mpich_scattered;
	case COLL_REDUCE_SCATTER:
	case COLL_REDUCE_SCATTER_BLOCK:
		return choose_reduce_scatter(a);
	case COLL_SCAN:
		return has_levels(a) && a->shape->blocked ? &coll_scan_mpich_smp
		                                          : &coll_scan_recursive_doubling;
	case COLL_EXSCAN:
		return &coll_exscan_recursive_doubling;
	default:
		return coll_choose_default(a);
	}
}

const struct coll_selector coll_selector_mpich_4 = {
    .name = "mpich-4",
    .help = "MPICH 4.0 to 4.3 (ch4): their decisions and their own algorithms",
    .choose = mpich4_choose};
