/* numbers.c: Open MPI's numbers of collectives and of their algorithms. */
#include "numbers.h"

#include "coll/algs.h"

static const enum coll_kind kinds[OMPI_COLLECTIVES] = {
    COLL_ALLGATHER,      COLL_ALLGATHERV,
    COLL_ALLREDUCE,      COLL_ALLTOALL,
    COLL_ALLTOALLV,      COLL_ALLTOALLW,
    COLL_BARRIER,        COLL_BCAST,
    COLL_EXSCAN,         COLL_GATHER,
    COLL_GATHERV,        COLL_REDUCE,
    COLL_REDUCE_SCATTER, COLL_REDUCE_SCATTER_BLOCK,
    COLL_SCAN,           COLL_SCATTER,
    COLL_SCATTERV,       COLL_KINDS,
    COLL_KINDS,          COLL_KINDS,
    COLL_KINDS,          COLL_KINDS};

/* clang-format off */
/* [0] is algorithm 1. coll_tuned_*_decision.c of 4.1.4 and 5.0.8; allgather 7 and allgatherv 6 only
 * in the latter. */
static const struct coll_alg *const algs[COLL_KINDS][OMPI_NUMBER_MAX] = {
    [COLL_ALLGATHER] = {&coll_allgather_GB, &coll_allgather_bruck,
                        &coll_allgather_ompi_recursivedoubling, &coll_allgather_NTSLR,
                        &coll_allgather_ompi_neighborexchange, &coll_allgather_pair,
                        &coll_allgather_ompi_sparbit},
    [COLL_ALLGATHERV] = {&coll_allgatherv_GB, &coll_allgatherv_ompi_bruck,
                         &coll_allgatherv_ompi_ring, &coll_allgatherv_ompi_neighborexchange,
                         &coll_allgatherv_pair, &coll_allgatherv_ompi_sparbit},
    [COLL_ALLREDUCE] = {&coll_allreduce_ompi_basic_linear, &coll_allreduce_redbcast,
                        &coll_allreduce_rdb, &coll_allreduce_ompi_ring,
                        &coll_allreduce_ompi_ring_segmented,
                        &coll_allreduce_ompi_redscat_allgather},
    [COLL_ALLTOALL] = {&coll_alltoall_basic_linear, &coll_alltoall_ring, &coll_alltoall_bruck,
                       &coll_alltoall_ompi_linear_sync, &coll_alltoall_pair},
    [COLL_ALLTOALLV] = {&coll_alltoallv_ompi_basic_linear, &coll_alltoallv_ompi_pairwise},
    [COLL_BARRIER] = {&coll_barrier_ompi_basic_linear, &coll_barrier_ompi_doublering,
                      &coll_barrier_ompi_recursivedoubling, &coll_barrier_ompi_bruck,
                      &coll_barrier_ompi_two_procs, &coll_barrier_ompi_tree},
    [COLL_BCAST] = {&coll_bcast_flattree, &coll_bcast_ompi_chain, &coll_bcast_ompi_pipeline,
                    &coll_bcast_ompi_split_bintree, &coll_bcast_ompi_binary,
                    &coll_bcast_ompi_binomial, &coll_bcast_ompi_knomial,
                    &coll_bcast_ompi_scatter_allgather, &coll_bcast_ompi_scatter_allgather_ring},
    [COLL_EXSCAN] = {&coll_exscan_ompi_linear, &coll_exscan_recursive_doubling},
    [COLL_GATHER] = {&coll_gather_ompi_basic_linear, &coll_gather_ompi_binomial,
                     &coll_gather_ompi_linear_sync},
    [COLL_REDUCE] = {&coll_reduce_ompi_basic_linear, &coll_reduce_ompi_chain,
                     &coll_reduce_ompi_pipeline, &coll_reduce_ompi_binary,
                     &coll_reduce_ompi_binomial, &coll_reduce_ompi_in_order_binary,
                     &coll_reduce_ompi_redscat_gather},
    [COLL_REDUCE_SCATTER] = {&coll_reduce_scatter_ompi_nonoverlapping,
                             &coll_reduce_scatter_ompi_basic_recursivehalving,
                             &coll_reduce_scatter_ompi_ring, &coll_reduce_scatter_ompi_butterfly},
    [COLL_REDUCE_SCATTER_BLOCK] = {&coll_reduce_scatter_ompi_nonoverlapping,
                                   &coll_reduce_scatter_mpich_rdb,
                                   &coll_reduce_scatter_ompi_basic_recursivehalving,
                                   &coll_reduce_scatter_ompi_butterfly_block},
    [COLL_SCAN] = {&coll_scan_ompi_linear, &coll_scan_recursive_doubling},
    [COLL_SCATTER] = {&coll_scatter_ompi_basic_linear, &coll_scatter_ompi_binomial,
                      &coll_scatter_ompi_linear_nb},
};
/* clang-format on */

enum coll_kind coll_ompi_kind(uint32_t number)
{
	return number < OMPI_COLLECTIVES ? kinds[number] : COLL_KINDS;
}

int coll_ompi_kind_number(enum coll_kind k)
{
	for (int i = 0; i < OMPI_COLLECTIVES; i++)
		if (kinds[i] == k && algs[k][0])
			return i;
	return -1;
}

const struct coll_alg *coll_ompi_alg(enum coll_kind k, uint32_t number)
{
	return k < COLL_KINDS && number >= 1 && number <= OMPI_NUMBER_MAX ? algs[k][number - 1]
	                                                                  : NULL;
}

uint32_t coll_ompi_alg_number(enum coll_kind k, const struct coll_alg *alg)
{
	for (uint32_t i = 0; i < OMPI_NUMBER_MAX; i++)
		if (algs[k][i] == alg)
			return i + 1;
	return 0;
}
