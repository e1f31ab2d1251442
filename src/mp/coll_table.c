/* coll_table.c: the list of algorithms. To add one: write it, declare it in coll_int.h, list it here; the verifier's tests walk this list. */
#include "coll_int.h"

#include <assert.h>
#include <string.h>

/* clang-format off */
static const char *const kind_names[] = {"barrier",  "bcast",     "reduce",    "allreduce",      "gather",
                                         "gatherv",  "scatter",   "scatterv",  "allgather",      "allgatherv",
                                         "alltoall", "alltoallv", "alltoallw", "reduce_scatter", "reduce_scatter_block",
                                         "scan",     "exscan"};
static_assert(sizeof kind_names / sizeof *kind_names == COLL_KINDS, "one name per kind");

const struct coll_alg *const coll_algs[] = {&coll_barrier_ompi_basic_linear,
                                            &coll_barrier_linear_nb,
                                            &coll_barrier_ompi_bruck,
                                            &coll_barrier_ompi_recursivedoubling,
                                            &coll_barrier_mvapich2_pair,
                                            &coll_barrier_ompi_tree,
                                            &coll_barrier_ompi_two_procs,
                                            &coll_barrier_ompi_doublering,
                                            &coll_barrier_mpich_smp,
                                            &coll_barrier_mpich_recexch,
                                            &coll_barrier_mpich_k_dissemination,
                                            &coll_bcast_binomial_tree,
                                            &coll_bcast_linear_nb,
                                            &coll_bcast_flattree,
                                            &coll_bcast_flattree_pipeline,
                                            &coll_bcast_mvapich2_knomial_intra_node,
                                            &coll_bcast_ompi_pipeline,
                                            &coll_bcast_ompi_split_bintree,
                                            &coll_bcast_NTSL,
                                            &coll_bcast_NTSL_Isend,
                                            &coll_bcast_NTSB,
                                            &coll_bcast_scatter_LR_allgather,
                                            &coll_bcast_scatter_rdb_allgather,
                                            &coll_bcast_SMP_linear,
                                            &coll_bcast_SMP_binary,
                                            &coll_bcast_SMP_binomial,
                                            &coll_bcast_mvapich2_two_level,
                                            &coll_bcast_mvapich2_intra_node,
                                            &coll_bcast_ompi_chain,
                                            &coll_bcast_ompi_binary,
                                            &coll_bcast_ompi_binomial,
                                            &coll_bcast_ompi_knomial,
                                            &coll_bcast_mpich_kary,
                                            &coll_bcast_mpich_knomial_1,
                                            &coll_bcast_mpich_knomial_2,
                                            &coll_reduce_linear_nb,
                                            &coll_reduce_ompi_basic_linear,
                                            &coll_reduce_flat_tree,
                                            &coll_reduce_binomial,
                                            &coll_reduce_NTSL,
                                            &coll_reduce_scatter_gather,
                                            &coll_reduce_ompi_chain,
                                            &coll_reduce_ompi_pipeline,
                                            &coll_reduce_ompi_binary,
                                            &coll_reduce_ompi_binomial,
                                            &coll_reduce_ompi_in_order_binary,
                                            &coll_reduce_mvapich2_knomial,
                                            &coll_reduce_mvapich2_two_level,
                                            &coll_reduce_rab,
                                            &coll_allreduce_default,
                                            &coll_allreduce_linear_nb,
                                            &coll_allreduce_redbcast,
                                            &coll_allreduce_rdb,
                                            &coll_allreduce_rab_rdb,
                                            &coll_allreduce_mvapich2_rs,
                                            &coll_allreduce_mvapich2_two_level,
                                            &coll_allreduce_smp_binomial,
                                            &coll_allreduce_smp_binomial_pipeline,
                                            &coll_allreduce_smp_rdb,
                                            &coll_allreduce_smp_rsag,
                                            &coll_allreduce_smp_rsag_lr,
                                            &coll_allreduce_smp_rsag_rab,
                                            &coll_allreduce_rab,
                                            &coll_allreduce_rab1,
                                            &coll_allreduce_rab2,
                                            &coll_allreduce_lr,
                                            &coll_allreduce_ompi_ring_segmented,
                                            &coll_allreduce_ompi_basic_linear,
                                            &coll_allreduce_mpich_kary,
                                            &coll_allreduce_mpich_knomial_1,
                                            &coll_allreduce_mpich_knomial_2,
                                            &coll_allreduce_mpich_recexch,
                                            &coll_allreduce_mpich_recursive_multiplying,
                                            &coll_allreduce_mpich_k_reduce_scatter_allgather,
                                            &coll_allreduce_circulant,
                                            &coll_allreduce_swing,
                                            &coll_allreduce_swing_latency,
                                            &coll_gather_linear_nb,
                                            &coll_gather_ompi_basic_linear,
                                            &coll_gather_ompi_binomial,
                                            &coll_gather_ompi_linear_sync,
                                            &coll_gather_mvapich2_two_level,
                                            &coll_gatherv_linear_nb,
                                            &coll_scatter_linear_nb,
                                            &coll_scatter_ompi_basic_linear,
                                            &coll_scatter_ompi_linear_nb,
                                            &coll_scatter_ompi_binomial,
                                            &coll_scatter_mvapich2_two_level_direct,
                                            &coll_scatter_mvapich2_two_level_binomial,
                                            &coll_scatterv_linear_nb,
                                            &coll_allgather_linear_nb,
                                            &coll_allgather_GB,
                                            &coll_allgather_ring,
                                            &coll_allgather_pair,
                                            &coll_allgather_spreading_simple,
                                            &coll_allgather_NTSLR,
                                            &coll_allgather_NTSLR_NB,
                                            &coll_allgather_ompi_neighborexchange,
                                            &coll_allgather_bruck,
                                            &coll_allgather_rdb,
                                            &coll_allgather_rhv,
                                            &coll_allgather_2dmesh,
                                            &coll_allgather_3dmesh,
                                            &coll_allgather_SMP_NTS,
                                            &coll_allgather_smp_simple,
                                            &coll_allgather_loosely_lr,
                                            &coll_allgather_mvapich2_smp,
                                            &coll_allgather_ompi_sparbit,
                                            &coll_allgather_mpich_recexch,
                                            &coll_allgather_ompi_recursivedoubling,
                                            &coll_allgather_k_bruck,
                                            &coll_allgather_circulant,
                                            &coll_allgather_swing,
                                            &coll_allgatherv_linear_nb,
                                            &coll_allgatherv_GB,
                                            &coll_allgatherv_ring,
                                            &coll_allgatherv_pair,
                                            &coll_allgatherv_ompi_neighborexchange,
                                            &coll_allgatherv_ompi_bruck,
                                            &coll_allgatherv_mpich_rdb,
                                            &coll_allgatherv_mpich_ring,
                                            &coll_allgatherv_ompi_sparbit,
                                            &coll_allgatherv_ompi_ring,
                                            &coll_allgatherv_circulant,
                                            &coll_alltoall_basic_linear,
                                            &coll_alltoall_bruck,
                                            &coll_alltoall_pair,
                                            &coll_alltoall_ring,
                                            &coll_alltoall_rdb,
                                            &coll_alltoall_2dmesh,
                                            &coll_alltoall_3dmesh,
                                            &coll_alltoall_mvapich2_scatter_dest,
                                            &coll_alltoall_pair_light_barrier,
                                            &coll_alltoall_pair_mpi_barrier,
                                            &coll_alltoall_pair_one_barrier,
                                            &coll_alltoall_ring_light_barrier,
                                            &coll_alltoall_ring_mpi_barrier,
                                            &coll_alltoall_ring_one_barrier,
                                            &coll_alltoall_ompi_linear_sync,
                                            &coll_alltoall_mpich_scattered,
                                            &coll_alltoall_k_bruck,
                                            &coll_alltoallv_linear_nb,
                                            &coll_alltoallv_ompi_basic_linear,
                                            &coll_alltoallv_pair,
                                            &coll_alltoallv_ring,
                                            &coll_alltoallv_bruck,
                                            &coll_alltoallv_pair_light_barrier,
                                            &coll_alltoallv_pair_mpi_barrier,
                                            &coll_alltoallv_pair_one_barrier,
                                            &coll_alltoallv_ring_light_barrier,
                                            &coll_alltoallv_ring_mpi_barrier,
                                            &coll_alltoallv_ring_one_barrier,
                                            &coll_alltoallv_ompi_pairwise,
                                            &coll_alltoallv_mpich_scattered,
                                            &coll_alltoallw_linear_nb,
                                            &coll_alltoallw_pairwise,
                                            &coll_alltoallw_mpich_scattered,
                                            &coll_reduce_scatter_default,
                                            &coll_reduce_scatter_mpich_pair,
                                            &coll_reduce_scatter_mpich_rdb,
                                            &coll_reduce_scatter_mpich_noncomm,
                                            &coll_reduce_scatter_linear_nb,
                                            &coll_reduce_scatter_ompi_basic_recursivehalving,
                                            &coll_reduce_scatter_ompi_ring,
                                            &coll_reduce_scatter_ompi_butterfly,
                                            &coll_reduce_scatter_circulant,
                                            &coll_reduce_scatter_swing,
                                            &coll_scan_linear,
                                            &coll_scan_linear_nb,
                                            &coll_scan_ompi_linear,
                                            &coll_scan_recursive_doubling,
                                            &coll_scan_mpich_smp,
                                            &coll_exscan_linear,
                                            &coll_exscan_linear_nb,
                                            &coll_exscan_ompi_linear,
                                            &coll_exscan_recursive_doubling,
                                            NULL};
/* clang-format on */

const char *coll_kind_name(enum coll_kind k)
{
	BUG_ON(k >= COLL_KINDS);
	return kind_names[k];
}

enum coll_kind coll_kind_find(const char *name)
{
	int k = 0;
	while (k < COLL_KINDS && strcmp(kind_names[k], name) != 0)
		k++;
	return (enum coll_kind)k;
}

const struct coll_alg *coll_alg_find(enum coll_kind k, const char *name)
{
	if (k == COLL_REDUCE_SCATTER_BLOCK)
		k = COLL_REDUCE_SCATTER; /* the same algorithms, without counts2 */
	for (const struct coll_alg *const *alg = coll_algs; *alg; alg++)
		if ((*alg)->kind == k && strcmp((*alg)->name, name) == 0)
			return *alg;
	return NULL;
}

const struct coll_alg *coll_alg_nonblocking(enum coll_kind k, const struct coll_args *a)
{
	if (k == COLL_BARRIER && !a->compat)
		return &coll_barrier_ompi_basic_linear;
	if (k == COLL_ALLTOALL)
		return &coll_alltoall_basic_linear;
	return coll_alg_find(k, "linear_nb");
}
