/* coll_int.h: what the rest of the room shares: the algorithms by name, and what selectors choose
 * for algorithms and selectors made of others. */
#ifndef ORRERY_COLL_INT_H
#define ORRERY_COLL_INT_H

#include "algs.h"
#include "write.h"

extern const struct coll_alg coll_alltoallv_rotating; /* parts of others, not registered */
/* A round of alltoall and its vector forms: step i sends to rank+i and receives from rank-i; step 0
 * is a copy. Pair: partners by exclusive or if p is a power of two, else the same. */
coll_round_fn alltoall_ring_round, alltoall_pair_round;

/* Arguments of a phase whose temporary buffer begins where the whole's does: it goes on with what
 * an earlier phase left there. */
static inline int phase_on_tmp(const struct coll_args *whole, uint32_t rank,
                               struct coll_args *phase, struct coll_view *view)
{
	(void)whole, (void)rank, (void)phase;
	view->off[BUF_TMP] = 0;
	return 1;
}

/* Makes phase a broadcast from rank 0 of so many bytes that an allgather has received: in the
 * elements that all its ranks cut by. */
void coll_bcast_received(const struct coll_args *whole, struct coll_args *phase, int64_t bytes);

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
/* Do Intel MPI's tables leave this call to MVAPICH2's? */
int coll_impi_asks_mvapich2(const struct coll_args *a);
const struct coll_alg *coll_bcast_mpich(const struct coll_args *a);
const struct coll_alg *coll_reduce_mpich(const struct coll_args *a);
const struct coll_alg *coll_allreduce_mpich(const struct coll_args *a);
const struct coll_alg *coll_allgather_mpich(const struct coll_args *a);
const struct coll_alg *coll_reduce_scatter_mpich(const struct coll_args *a);
const struct coll_alg *coll_allreduce_ompi(const struct coll_args *a);
extern const struct coll_selector coll_selector_default, coll_selector_ompi, coll_selector_ompi_1_7,
    coll_selector_ompi_4, coll_selector_mpich, coll_selector_mpich_4, coll_selector_ompi_5,
    coll_selector_nccl, coll_selector_mvapich2, coll_selector_impi;
/* The algorithm that SimGrid's "default" uses, for composed ones. */
const struct coll_alg *coll_reduce_default(const struct coll_args *a);
const struct coll_alg *coll_alltoall_ompi(const struct coll_args *a);

/* decide.c: does the selector that decides for this operation, if one does, skip what is empty? */
int coll_policy_skips_empty(const struct coll_policy *p, enum coll_kind k);

#endif
