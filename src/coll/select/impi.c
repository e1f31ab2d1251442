/* impi.c: Intel MPI 4.1's tables, as SimGrid's selector "impi" has them
 * (data/selectors/impi-4.1.txt): one for each of 1, 2, 4, 8 and 16 ranks per host; with other
 * numbers the first is used. Some entries leave the choice to MVAPICH2's tables. */
#include "decision.h"
#include "sizes.h"

/* Stands in tables for "what the mvapich2 selector says". */
static const struct coll_alg as_mvapich2 = {.kind = COLL_BARRIER, .name = "mvapich2"};

#include "selectors/impi-4.1.h"

enum { HOST_SIZES = 5 };
static const uint32_t host_sizes[HOST_SIZES] = {1, 2, 4, 8, 16};

static const struct decision *const allreduce[HOST_SIZES] = {
    &allreduce_1, &allreduce_2, &allreduce_4, &allreduce_8, &allreduce_16};
static const struct decision *const alltoall[HOST_SIZES] = {&alltoall_1, &alltoall_2, &alltoall_4,
                                                            &alltoall_8, &alltoall_16};
static const struct decision *const barrier[HOST_SIZES] = {&barrier_1, &barrier_2, &barrier_4,
                                                           &barrier_8, &barrier_16};
static const struct decision *const bcast[HOST_SIZES] = {&bcast_1, &bcast_2, &bcast_4, &bcast_8,
                                                         &bcast_16};
static const struct decision *const reduce[HOST_SIZES] = {&reduce_1, &reduce_2, &reduce_4,
                                                          &reduce_8, &reduce_16};
static const struct decision *const reduce_scatter[HOST_SIZES] = {
    &reduce_scatter_1, &reduce_scatter_2, &reduce_scatter_4, &reduce_scatter_8, &reduce_scatter_16};
static const struct decision *const allgather[HOST_SIZES] = {
    &allgather_1, &allgather_2, &allgather_4, &allgather_8, &allgather_16};
static const struct decision *const allgatherv[HOST_SIZES] = {
    &allgatherv_1, &allgatherv_2, &allgatherv_4, &allgatherv_8, &allgatherv_16};
static const struct decision *const gather[HOST_SIZES] = {&gather_1, &gather_2, &gather_4,
                                                          &gather_8, &gather_16};
static const struct decision *const scatter[HOST_SIZES] = {&scatter_1, &scatter_2, &scatter_4,
                                                           &scatter_8, &scatter_16};
static const struct decision *const alltoallv[HOST_SIZES] = {
    &alltoallv_1, &alltoallv_2, &alltoallv_4, &alltoallv_8, &alltoallv_16};

/* What the tables say of a call: &as_mvapich2 too. */
static const struct coll_alg *entry(const struct decision *const *tables, const struct coll_args *a,
                                    int64_t bytes)
{
	uint32_t i = HOST_SIZES - 1;
	while (i > 0 && host_sizes[i] != coll_per_node(a))
		i--;
	return decision_choose(tables[i], a->size, bytes);
}

static const struct coll_alg *entry_of(const struct coll_args *a)
{
	switch (a->kind) {
	case COLL_BARRIER:
		return entry(barrier, a, 1);
	case COLL_BCAST:
		return entry(bcast, a, whole_bytes(a));
	case COLL_REDUCE:
		return entry(reduce, a, whole_bytes(a));
	case COLL_ALLREDUCE:
		return entry(allreduce, a, whole_bytes(a));
	case COLL_GATHER:
		return entry(gather, a, block_bytes(a));
	case COLL_SCATTER:
		return entry(scatter, a, block_bytes(a));
	case COLL_ALLGATHER:
		return entry(allgather, a, a->count2 * a->type_size2);
	case COLL_ALLGATHERV:
		return entry(allgatherv, a, total_bytes(a));
	case COLL_ALLTOALL:
		return entry(alltoall, a, block_bytes(a));
	case COLL_ALLTOALLV:
		return entry(alltoallv, a, 1);
	case COLL_REDUCE_SCATTER:
	case COLL_REDUCE_SCATTER_BLOCK:
		return entry(reduce_scatter, a, total_bytes(a));
	default:
		return NULL;
	}
}

int coll_impi_asks_mvapich2(const struct coll_args *a)
{
	return entry_of(a) == &as_mvapich2;
}

static const struct coll_alg *impi_choose(const struct coll_args *a)
{
	const struct coll_alg *alg = entry_of(a);
	if (!alg)
		return coll_choose_default(a);
	if (alg == &coll_reduce_scatter_ompi_basic_recursivehalving && !commutes(a))
		return coll_choose_mvapich2(a);
	if (alg != &as_mvapich2)
		return alg;
	struct coll_args b = *a;
	if (a->kind == COLL_GATHER)
		b.compat = 0; /* here SimGrid has asked which ranks share hosts */
	return coll_choose_mvapich2(&b);
}

const struct coll_selector coll_selector_impi = {
    .name = "impi", .help = "Intel MPI 4.1's tables", .choose = impi_choose};
