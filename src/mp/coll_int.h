/* coll_int.h: what the authors of collective algorithms write with. Pieces of buffers, steps,
 * ranks. The algorithms themselves are one `const struct coll_alg` each, at the end of their file,
 * listed in coll_table.c. */
#ifndef ORRERY_MP_COLL_INT_H
#define ORRERY_MP_COLL_INT_H

#include "coll.h"

/* len bytes at off of a buffer. */
struct piece {
	enum coll_buf buf;
	int64_t off, len;
};
static inline struct piece piece_at(enum coll_buf buf, int64_t off, int64_t len)
{
	return (struct piece){buf, off, len};
}

/* Each appends one step (sendrecv: three, or a copy when both ends are rank itself; copy and
 * reduce: none when empty). */
void step_send(struct coll_steps *out, uint32_t peer, struct piece p);
void step_recv(struct coll_steps *out, uint32_t peer, struct piece p);
void step_isend(struct coll_steps *out, uint32_t peer, struct piece p, uint32_t req);
void step_irecv(struct coll_steps *out, uint32_t peer, struct piece p, uint32_t req);
void step_wait(struct coll_steps *out, uint32_t req);
void step_waitall(struct coll_steps *out);
void step_sendrecv(struct coll_steps *out, uint32_t rank, uint32_t to, struct piece sent,
                   uint32_t from, struct piece received);
void step_copy(struct coll_steps *out, struct piece dst, struct piece src); /* of src.len bytes */
/* n pieces of src.len bytes. */
void step_copy_strided(struct coll_steps *out, struct piece dst, int64_t stride, struct piece src,
                       int64_t src_stride, uint32_t n);
void step_reduce(struct coll_steps *out, struct piece dst, struct piece src); /* dst = dst op src */
void step_reduce_left(struct coll_steps *out, struct piece dst,
                      struct piece src); /* dst = src op dst */
void step_fold(struct coll_steps *out, int first, struct piece dst,
               struct piece src); /* a copy for the first, then reduce */

/* What a rank sends or receives as a whole, and its block of, or for, rank i. */
struct piece piece_send(const struct coll_args *a);
struct piece piece_recv(const struct coll_args *a);
struct piece piece_send_block(const struct coll_args *a,
                              uint32_t i); /* scatter, alltoall, reduce_scatter and their forms */
struct piece piece_recv_block(const struct coll_args *a,
                              uint32_t i); /* gather, allgather, alltoall and their forms */
/* Elements of blocks lo … hi-1, of reduce_scatter's send buffer or allgather's receive buffer;
 * exact even when sizes_only. */
int64_t coll_block_elements(const struct coll_args *a, uint32_t lo, uint32_t hi);
int coll_counts_equal(const struct coll_args *a); /* reduce_scatter: all ranks get as much */

/* Ranks on a ring; d < p. */
static inline uint32_t rank_add(const struct coll_args *a, uint32_t rank, uint32_t d)
{
	return rank < a->size - d ? rank + d : rank - (a->size - d);
}
static inline uint32_t rank_sub(const struct coll_args *a, uint32_t rank, uint32_t d)
{
	return rank >= d ? rank - d : rank + (a->size - d);
}
/* Rank seen from the root, and back. */
static inline uint32_t rank_virtual(const struct coll_args *a, uint32_t rank)
{
	return rank_sub(a, rank, a->root);
}
static inline uint32_t rank_real(const struct coll_args *a, uint32_t virtual_rank)
{
	return rank_add(a, virtual_rank, a->root);
}
static inline int is_pow2(uint32_t x)
{
	return (x & (x - 1)) == 0;
}
static inline uint32_t log2_floor(uint32_t x)
{
	return 31 - (uint32_t)__builtin_clz(x);
}
static inline uint32_t log2_ceil(uint32_t x)
{
	return x > 1 ? 32 - (uint32_t)__builtin_clz(x - 1) : 0;
}

/* The parameters of an algorithm: what a tuning file gives, or its own. Segments of less than a
 * byte there are none. */
static inline int64_t coll_segment(const struct coll_args *a, int64_t own)
{
	return a->segment ? a->segment : own;
}
static inline uint32_t coll_fanout(const struct coll_args *a, uint32_t own)
{
	return a->fanout ? a->fanout : own;
}

/* clang-format off */
extern const struct coll_alg
	coll_barrier_ompi_basic_linear, coll_barrier_linear_nb, coll_barrier_ompi_bruck, coll_barrier_ompi_recursivedoubling,
	coll_barrier_mvapich2_pair, coll_barrier_ompi_tree, coll_barrier_ompi_two_procs, coll_barrier_ompi_doublering, coll_barrier_mpich_smp,
	coll_bcast_binomial_tree, coll_bcast_linear_nb, coll_bcast_flattree, coll_bcast_flattree_pipeline,
	coll_bcast_mvapich2_knomial_intra_node, coll_bcast_ompi_pipeline, coll_bcast_ompi_split_bintree, coll_bcast_NTSL,
	coll_bcast_NTSL_Isend, coll_bcast_NTSB, coll_bcast_scatter_LR_allgather, coll_bcast_scatter_rdb_allgather,
	coll_bcast_SMP_linear, coll_bcast_SMP_binary, coll_bcast_SMP_binomial, coll_bcast_mvapich2_two_level, coll_bcast_mvapich2_intra_node,
	coll_reduce_linear_nb, coll_reduce_ompi_basic_linear, coll_reduce_flat_tree, coll_reduce_binomial, coll_reduce_NTSL,
	coll_reduce_scatter_gather, coll_reduce_ompi_chain, coll_reduce_ompi_pipeline, coll_reduce_ompi_binary, coll_reduce_ompi_binomial,
	coll_reduce_ompi_in_order_binary, coll_reduce_mvapich2_knomial, coll_reduce_mvapich2_two_level, coll_reduce_rab,
	coll_allreduce_default, coll_allreduce_linear_nb, coll_allreduce_redbcast, coll_allreduce_rdb, coll_allreduce_rab_rdb,
	coll_allreduce_mvapich2_rs, coll_allreduce_mvapich2_two_level, coll_allreduce_smp_binomial, coll_allreduce_smp_binomial_pipeline, coll_allreduce_smp_rdb, coll_allreduce_smp_rsag, coll_allreduce_smp_rsag_lr, coll_allreduce_smp_rsag_rab, coll_allreduce_rab, coll_allreduce_rab1, coll_allreduce_rab2, coll_allreduce_lr,
	coll_allreduce_ompi_ring_segmented,
	coll_gather_linear_nb, coll_gather_ompi_basic_linear, coll_gather_ompi_binomial, coll_gather_ompi_linear_sync, coll_gather_mvapich2_two_level,
	coll_gatherv_linear_nb,
	coll_scatter_linear_nb, coll_scatter_ompi_basic_linear, coll_scatter_ompi_linear_nb, coll_scatter_ompi_binomial, coll_scatter_mvapich2_two_level_direct, coll_scatter_mvapich2_two_level_binomial,
	coll_scatterv_linear_nb,
	coll_allgather_linear_nb, coll_allgather_GB, coll_allgather_ring, coll_allgather_pair, coll_allgather_spreading_simple,
	coll_allgather_NTSLR, coll_allgather_NTSLR_NB, coll_allgather_ompi_neighborexchange, coll_allgather_bruck, coll_allgather_rdb,
	coll_allgather_rhv, coll_allgather_2dmesh, coll_allgather_3dmesh, coll_allgather_SMP_NTS, coll_allgather_smp_simple, coll_allgather_loosely_lr, coll_allgather_mvapich2_smp,
	coll_allgatherv_linear_nb, coll_allgatherv_GB, coll_allgatherv_ring, coll_allgatherv_pair, coll_allgatherv_ompi_neighborexchange,
	coll_allgatherv_ompi_bruck, coll_allgatherv_mpich_rdb, coll_allgatherv_mpich_ring,
	coll_alltoall_basic_linear, coll_alltoall_bruck, coll_alltoall_pair, coll_alltoall_ring, coll_alltoall_rdb, coll_alltoall_2dmesh,
	coll_alltoall_3dmesh, coll_alltoall_mvapich2_scatter_dest, coll_alltoall_pair_light_barrier, coll_alltoall_pair_mpi_barrier,
	coll_alltoall_pair_one_barrier, coll_alltoall_ring_light_barrier, coll_alltoall_ring_mpi_barrier, coll_alltoall_ring_one_barrier,
	coll_alltoallv_linear_nb, coll_alltoallv_ompi_basic_linear, coll_alltoallv_pair, coll_alltoallv_ring, coll_alltoallv_bruck,
	coll_alltoallv_pair_light_barrier, coll_alltoallv_pair_mpi_barrier, coll_alltoallv_pair_one_barrier,
	coll_alltoallv_ring_light_barrier, coll_alltoallv_ring_mpi_barrier, coll_alltoallv_ring_one_barrier,
	coll_alltoallw_linear_nb,
	coll_reduce_scatter_default, coll_reduce_scatter_mpich_pair, coll_reduce_scatter_mpich_rdb, coll_reduce_scatter_mpich_noncomm,
	coll_reduce_scatter_linear_nb,
	coll_reduce_scatter_ompi_basic_recursivehalving, coll_reduce_scatter_ompi_ring, coll_reduce_scatter_ompi_butterfly,
	coll_reduce_scatter_ompi_butterfly_block, coll_reduce_scatter_ompi_nonoverlapping,
	coll_scan_linear, coll_scan_linear_nb, coll_exscan_linear, coll_exscan_linear_nb,
	coll_allreduce_ompi_ring, coll_allreduce_ompi_redscat_allgather, coll_bcast_ompi_scatter_allgather, coll_bcast_ompi_scatter_allgather_ring,
	coll_bcast_arrival_pattern_aware, coll_bcast_arrival_pattern_aware_wait, coll_bcast_arrival_scatter, coll_reduce_arrival_pattern_aware,
	coll_bcast_ompi_adapt_binomial, coll_bcast_ompi_adapt_in_order_binomial, coll_bcast_ompi_adapt_binary, coll_bcast_ompi_adapt_pipeline, coll_bcast_ompi_adapt_chain, coll_bcast_ompi_adapt_linear,
	coll_reduce_ompi_adapt_binomial, coll_reduce_ompi_adapt_in_order_binomial, coll_reduce_ompi_adapt_binary, coll_reduce_ompi_adapt_pipeline, coll_reduce_ompi_adapt_chain, coll_reduce_ompi_adapt_linear,
	coll_bcast_mpich_scatterv_recexch_allgatherv, coll_bcast_mpich_scatterv_ring_allgatherv,
	coll_reduce_mpich_kary, coll_reduce_mpich_knomial_1, coll_reduce_mpich_knomial_2,
	coll_gather_mpich_knomial,
	coll_scatter_mpich_knomial,
	coll_allgather_mpich_recexch_halving,
	coll_allgatherv_mpich_recexch, coll_allgatherv_mpich_recexch_halving, coll_allgatherv_k_bruck,
	coll_reduce_scatter_mpich_recexch,
	coll_gather_ompi_han,
	coll_scatter_ompi_han,
	coll_allgather_ompi_han,
	coll_reduce_ompi_redscat_gather,
	coll_bcast_mpich_flat, coll_reduce_mpich_flat, coll_allreduce_mpich_flat,
	coll_bcast_mvapich2_inter_node, coll_alltoall_pair_rma,
	coll_bcast_mpich_smp, coll_bcast_mpich_alpha, coll_bcast_mpich_beta, coll_reduce_mpich_alpha, coll_reduce_mpich_beta, coll_allreduce_mpich_smp,
	coll_allreduce_mpich_reduce_scatter_allgather,
	coll_reduce_mpich_reduce_scatter_gather,
	coll_allgatherv_mpich_pipelined_ring,
	coll_allreduce_nccl_ring, coll_allreduce_nccl_tree, coll_allreduce_two_level_ring, coll_bcast_nccl_ring, coll_reduce_nccl_ring, coll_allgather_nccl_ring, coll_allgatherv_nccl_ring, coll_reduce_scatter_nccl_ring,
	coll_bcast_ompi_han, coll_reduce_ompi_han, coll_allreduce_ompi_han, coll_barrier_ompi_han,
	coll_bcast_double_tree, coll_reduce_double_tree, coll_allreduce_double_tree, coll_bcast_ompi_chain,
	coll_bcast_ompi_binary,
	coll_bcast_ompi_binomial,
	coll_bcast_ompi_knomial,
	coll_bcast_mpich_kary,
	coll_bcast_mpich_knomial_1,
	coll_bcast_mpich_knomial_2,
	coll_allreduce_ompi_basic_linear,
	coll_allreduce_mpich_kary,
	coll_allreduce_mpich_knomial_1,
	coll_allreduce_mpich_knomial_2,
	coll_allreduce_mpich_recexch,
	coll_allreduce_mpich_recursive_multiplying,
	coll_allreduce_mpich_k_reduce_scatter_allgather,
	coll_allreduce_circulant,
	coll_allreduce_swing,
	coll_allreduce_swing_latency,
	coll_barrier_mpich_recexch,
	coll_barrier_mpich_k_dissemination,
	coll_allgather_ompi_sparbit, coll_allgather_mpich_recexch,
	coll_allgather_ompi_recursivedoubling,
	coll_allgather_k_bruck,
	coll_allgather_circulant,
	coll_allgather_swing,
	coll_allgatherv_ompi_sparbit,
	coll_allgatherv_ompi_ring,
	coll_allgatherv_circulant,
	coll_alltoall_ompi_linear_sync,
	coll_alltoall_mpich_scattered,
	coll_alltoall_k_bruck,
	coll_alltoallv_ompi_pairwise,
	coll_alltoallv_mpich_scattered,
	coll_alltoallw_pairwise,
	coll_alltoallw_mpich_scattered,
	coll_reduce_scatter_circulant,
	coll_reduce_scatter_swing,
	coll_scan_ompi_linear,
	coll_scan_recursive_doubling,
	coll_scan_mpich_smp,
	coll_exscan_ompi_linear,
	coll_exscan_recursive_doubling,
	coll_neighbor_allgather_linear_nb,
	coll_neighbor_allgatherv_linear_nb,
	coll_neighbor_alltoall_linear_nb,
	coll_neighbor_alltoallv_linear_nb,
	coll_neighbor_alltoallw_linear_nb;
/* clang-format on */

/* coll_args.flat */
enum { FLAT_NOT, FLAT_LEADERS, FLAT_HOST }; /* one rank of each host; all ranks on one host */

/* Ranks per host if all have as many, else 0. */
static inline uint32_t coll_per_node(const struct coll_args *a)
{
	return a->flat == FLAT_HOST ? a->size : a->shape ? a->shape->per_node : 1;
}

extern const struct coll_alg coll_alltoallv_rotating; /* parts of others, not registered */

/* For phases: what the policy says. */
const struct coll_alg *coll_selected(const struct coll_args *a);
/* What MVAPICH2's tables say of the two levels of a reduce or allreduce of the whole communicator;
 * NULL when they are not selected. */
struct coll_levels {
	const struct coll_alg *inside, *leaders;
	uint8_t inside_reduces; /* allreduce: inside, a selected reduce instead */
	uint8_t from_tables;    /* bcast: NULL is MPICH's choice */
};
struct coll_levels coll_mvapich2_levels(const struct coll_args *a);

/* What selectors choose, for algorithms and selectors made of others. */
const struct coll_alg *coll_choose_default(const struct coll_args *a);
const struct coll_alg *coll_choose_mvapich2(const struct coll_args *a);
const struct coll_alg *coll_bcast_mpich(const struct coll_args *a);
const struct coll_alg *coll_reduce_mpich(const struct coll_args *a);
const struct coll_alg *coll_allreduce_mpich(const struct coll_args *a);
const struct coll_alg *coll_allgather_mpich(const struct coll_args *a);
const struct coll_alg *coll_allreduce_ompi(const struct coll_args *a);
extern const struct coll_selector coll_selector_default, coll_selector_ompi, coll_selector_ompi_1_7,
    coll_selector_ompi_4, coll_selector_mpich, coll_selector_mpich_4, coll_selector_ompi_5,
    coll_selector_nccl, coll_selector_mvapich2, coll_selector_impi, coll_selector_automatic;
/* The algorithm that SimGrid's "default" uses, for composed ones. */
const struct coll_alg *coll_reduce_default(const struct coll_args *a);
const struct coll_alg *coll_alltoall_ompi(const struct coll_args *a);

#endif
