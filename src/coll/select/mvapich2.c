/* mvapich2.c: MVAPICH2 1.9's tables for the Stampede machine, as SimGrid's selector
 * "mvapich2" has them (data/selectors/mvapich2-1.9.txt).
 *
 * Departures: SimGrid always takes the table of one rank per host for alltoall (compat does, too);
 * entries that want multicast hardware take what comes next, as there; allgather's entry that does
 * nothing in SimGrid is recursive doubling. */
#include "decision.h"
#include "sizes.h"

/* Stands in tables for "what the mpich selector says". */
static const struct coll_alg as_mpich = {.kind = COLL_BCAST, .name = "mpich"};

#include "selectors/mvapich2-1.9.h"

static int is_blocked(const struct coll_args *a)
{
	return !a->shape || a->shape->blocked;
}

/* Of three tables, that for as many ranks per host. */
static const struct decision *by_host(const struct coll_args *a, const struct decision *one,
                                      const struct decision *two, const struct decision *sixteen)
{
	uint32_t c = coll_per_node(a);
	return c == 2 ? two : c == 16 ? sixteen : one;
}

static const struct coll_alg *look(const struct decision *d, const struct coll_args *a,
                                   int64_t bytes)
{
	const struct coll_alg *alg = decision_choose(d, a->size, bytes);
	return alg == &as_mpich ? coll_bcast_mpich(a) : alg;
}

/* Without elements the library returns at once; so do the algorithms that stand here. */
static const struct coll_alg *choose_bcast(const struct coll_args *a)
{
	return a->count ? look(&bcast, a, whole_bytes(a)) : &coll_bcast_scatter_rdb_allgather;
}

static const struct coll_alg *choose_reduce(const struct coll_args *a)
{
	const struct coll_alg *alg = look(&reduce, a, whole_bytes(a));
	if (!commutes(a) || a->count == 0 ||
	    (alg == &coll_reduce_scatter_gather && a->count < 1u << log2_floor(a->size)))
		return &coll_reduce_binomial;
	return alg;
}

static const struct coll_alg *choose_allreduce(const struct coll_args *a)
{
	if (a->count == 0)
		return &coll_allreduce_mvapich2_rs;
	const struct coll_alg *alg = look(&allreduce, a, whole_bytes(a));
	return alg == &coll_allreduce_mvapich2_two_level && !commutes(a) ? &coll_allreduce_rdb
	                                                                 : alg;
}

static const struct coll_alg *choose_allgather(const struct coll_args *a)
{
	const struct coll_alg *alg = look(by_host(a, &allgather_1, &allgather_2, &allgather_16), a,
	                                  a->count2 * a->type_size2);
	return alg == &coll_allgather_mvapich2_smp && !is_blocked(a) ? coll_allgather_mpich(a)
	                                                             : alg;
}

static const struct coll_alg *choose_allgatherv(const struct coll_args *a)
{
	const struct coll_alg *alg = look(&allgatherv, a, (total_bytes(a) + a->size - 1) / a->size);
	return alg == &coll_allgatherv_mpich_rdb && !is_pow2(a->size) ? &coll_allgatherv_ompi_bruck
	                                                              : alg;
}

static const struct coll_alg *choose_scatter(const struct coll_args *a)
{
	const struct coll_alg *alg = look(by_host(a, &scatter_1, &scatter_2, &scatter_16), a,
	                                  block_bytes(a));
	int two_level = alg == &coll_scatter_mvapich2_two_level_direct ||
	                alg == &coll_scatter_mvapich2_two_level_binomial;
	return two_level && !is_blocked(a) ? &coll_scatter_ompi_binomial : alg;
}

static const struct coll_alg *choose_gather(const struct coll_args *a)
{
	const struct coll_alg *alg = look(&gather, a, block_bytes(a));
	if (a->compat) /* SimGrid does not know yet whether ranks are blocked, unless another
	                  operation asked before */
		return &coll_gather_ompi_binomial;
	return is_blocked(a) && (coll_per_node(a) || alg != &coll_gather_mvapich2_two_level)
	           ? alg
	           : &coll_gather_ompi_binomial;
}

static const struct coll_alg *choose_reduce_scatter(const struct coll_args *a)
{
	if (commutes(a))
		return look(&reduce_scatter, a, total_bytes(a));
	return is_pow2(a->size) && coll_counts_equal(a) ? &coll_reduce_scatter_mpich_noncomm
	                                                : &coll_reduce_scatter_mpich_rdb;
}

const struct coll_alg *coll_choose_mvapich2(const struct coll_args *a)
{
	switch (a->kind) {
	case COLL_BARRIER:
		return &coll_barrier_mvapich2_pair;
	case COLL_BCAST:
		return choose_bcast(a);
	case COLL_REDUCE:
		return choose_reduce(a);
	case COLL_ALLREDUCE:
		return choose_allreduce(a);
	case COLL_GATHER:
		return choose_gather(a);
	case COLL_SCATTER:
		return choose_scatter(a);
	case COLL_ALLGATHER:
		return choose_allgather(a);
	case COLL_ALLGATHERV:
		return choose_allgatherv(a);
	case COLL_ALLTOALL:
		return look(a->compat ? &alltoall_1
		                      : by_host(a, &alltoall_1, &alltoall_2, &alltoall_16),
		            a, block_bytes(a));
	case COLL_ALLTOALLV:
		return &coll_alltoallv_ring;
	case COLL_REDUCE_SCATTER:
	case COLL_REDUCE_SCATTER_BLOCK:
		return choose_reduce_scatter(a);
	default:
		return coll_choose_default(a);
	}
}

const struct coll_selector coll_selector_mvapich2 = {.name = "mvapich2",
                                                     .help = "MVAPICH2 1.9's tables for Stampede",
                                                     .choose = coll_choose_mvapich2};

/* Is the operation's algorithm chosen by these tables? impi refers to them as well, but where its
 * own tables name the algorithm in two levels: then nobody has looked for those of the levels. */
static int is_selected(const struct coll_args *a)
{
	const struct coll_policy *p = a->policy;
	if (!p || p->fixed[a->kind])
		return 0;
	const struct coll_selector *s = p->selectors[a->kind] ? p->selectors[a->kind] : p->selector;
	return s == &coll_selector_mvapich2 ||
	       (s == &coll_selector_impi && coll_impi_asks_mvapich2(a));
}

/* Inside a host, shared memory's linear reduction has room for 128 KiB per rank. */
static const struct coll_alg *inside_reduce(const struct coll_args *a)
{
	const struct coll_alg *alg = look(&reduce_inside, a, whole_bytes(a));
	uint32_t c = coll_per_node(a) ? coll_per_node(a) : 1;
	return alg == &coll_reduce_ompi_basic_linear && whole_bytes(a) >= c * 131072ll
	           ? &coll_reduce_mvapich2_knomial
	           : alg;
}

struct coll_levels coll_mvapich2_levels(const struct coll_args *a)
{
	struct coll_levels l = {0};
	if (!is_selected(a))
		return l;
	if (a->kind == COLL_ALLREDUCE) {
		l.inside_reduces = 1;
		l.leaders = look(&allreduce_leaders, a, whole_bytes(a));
	} else if (a->kind == COLL_REDUCE) {
		l.inside = inside_reduce(a);
		l.leaders = look(&reduce_leaders, a, whole_bytes(a));
	} else if (a->kind == COLL_BCAST) {
		l.leaders = decision_choose(&bcast_leaders, a->size, whole_bytes(a));
		l.inside = decision_choose(&bcast_inside, a->size, whole_bytes(a));
		l.leaders = l.leaders == &as_mpich ? NULL : l.leaders;
		l.inside = l.inside == &as_mpich ? NULL : l.inside;
		l.from_tables = 1;
	} else if (a->kind == COLL_GATHER) {
		l.inside = look(&gather_inside, a, block_bytes(a));
	} else if (a->kind == COLL_SCATTER) {
		l.inside = look(
		    by_host(a, &scatter_1_inside, &scatter_2_inside, &scatter_16_inside), a,
		    block_bytes(a));
	}
	return l;
}
