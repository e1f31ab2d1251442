/* coll_select_mpich.c: MPICH 3.0's decisions, as SimGrid's selector "mpich" has them. */
#include "coll_int.h"

/* One broadcast for hosts of equal numbers of ranks, whatever the size. */
const struct coll_alg *coll_bcast_mpich(const struct coll_args *a)
{
	int64_t n = a->count * a->type_size;
	if (coll_per_node(a))
		return &coll_bcast_SMP_binomial;
	if (n < 12288 || a->size <= 8)
		return &coll_bcast_binomial_tree;
	return n < 524288 && a->size % 2 == 0 ? &coll_bcast_scatter_rdb_allgather : &coll_bcast_scatter_LR_allgather;
}
