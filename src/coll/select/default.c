/* default.c: the selector "default". */
#include "coll/coll_int.h"

static const struct coll_alg *default_reduce_scatter(const struct coll_args *a)
{
	return coll_counts_equal(a) ? &coll_reduce_scatter_default : coll_reduce_scatter_mpich(a);
}

const struct coll_alg *coll_choose_default(const struct coll_args *a)
{
	switch (a->kind) {
	case COLL_BARRIER:
		return &coll_barrier_ompi_basic_linear;
	case COLL_BCAST:
		return &coll_bcast_binomial_tree;
	case COLL_REDUCE:
		return coll_reduce_default(a);
	case COLL_ALLREDUCE:
		return a->basic_type ? &coll_allreduce_default : coll_allreduce_ompi(a);
	case COLL_ALLTOALL:
		return coll_alltoall_ompi(a);
	case COLL_REDUCE_SCATTER:
	case COLL_REDUCE_SCATTER_BLOCK:
		return default_reduce_scatter(a);
	case COLL_SCAN:
		return &coll_scan_linear;
	case COLL_EXSCAN:
		return &coll_exscan_linear;
	default:
		return coll_alg_find(a->kind, "linear_nb");
	}
}

const struct coll_selector coll_selector_default = {
    .name = "default",
    .help = "SimGrid's default: simple, often linear algorithms; not what any real library does",
    .choose = coll_choose_default};
