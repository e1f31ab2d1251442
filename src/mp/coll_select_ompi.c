/* coll_select_ompi.c: Open MPI's "fixed decisions" (coll/tuned), as SimGrid's selector "ompi" has
 * them: those of 4.1.2 (data/selectors/ompi-4.1.txt), and, as "ompi-1.7", the older ones that
 * SimGrid had up to 3.30. Where Open MPI's algorithm is missing in SimGrid, SimGrid's replacement
 * is kept; pair works for every p here, as in Open MPI. "ompi-4" has the same tables and Open MPI's
 * own algorithms. */
#include "coll_decision.h"
#include "coll_rules.h"

#include "selectors/ompi-4.1.h"

static int commutes(const struct coll_args *a)
{
	return a->commutative || a->null_op;
}
static int64_t whole_bytes(const struct coll_args *a)
{
	return a->count * a->type_size;
}
/* Of a block, as each rank sees it. The receiving side's elsewhere may be unknown. */
static int64_t block_bytes(const struct coll_args *a)
{
	return a->kind == COLL_SCATTER && a->count == 0 ? a->count2 * a->type_size2
	                                                : a->count * a->type_size;
}
static int64_t total_bytes(const struct coll_args *a)
{
	int64_t ts = a->kind == COLL_ALLGATHERV ? a->type_size2 : a->type_size;
	return coll_block_elements(a, 0, a->size) * ts;
}

const struct coll_alg *coll_alltoall_ompi(const struct coll_args *a)
{
	return decision_choose(&alltoall, a->size, block_bytes(a));
}

const struct coll_alg *coll_allreduce_ompi(const struct coll_args *a)
{
	return decision_choose(commutes(a) ? &allreduce : &allreduce_ordered, a->size,
	                       whole_bytes(a));
}

/* The table for a call, and the size that it is asked with; NULL: there is none. */
static const struct decision *table_of(const struct coll_args *a, int64_t *bytes)
{
	*bytes = 0;
	switch (a->kind) {
	case COLL_BARRIER:
		return &barrier;
	case COLL_ALLTOALLV:
		return &alltoallv;
	case COLL_BCAST:
	case COLL_REDUCE:
	case COLL_ALLREDUCE:
		*bytes = whole_bytes(a);
		if (a->kind == COLL_BCAST)
			return &bcast;
		if (a->kind == COLL_REDUCE)
			return commutes(a) ? &reduce : &reduce_ordered;
		return commutes(a) ? &allreduce : &allreduce_ordered;
	case COLL_GATHER:
	case COLL_SCATTER:
	case COLL_ALLGATHER:
	case COLL_ALLTOALL:
		*bytes = block_bytes(a);
		return a->kind == COLL_GATHER      ? &gather
		       : a->kind == COLL_SCATTER   ? &scatter
		       : a->kind == COLL_ALLGATHER ? &allgather
		                                   : &alltoall;
	case COLL_ALLGATHERV:
		*bytes = total_bytes(a) / a->size;
		return &allgatherv;
	case COLL_REDUCE_SCATTER:
	case COLL_REDUCE_SCATTER_BLOCK:
		*bytes = total_bytes(a);
		return commutes(a) ? &reduce_scatter : &reduce_scatter_ordered;
	default:
		return NULL;
	}
}

static const struct coll_alg *ompi_choose(const struct coll_args *a)
{
	int64_t bytes;
	const struct decision *d = table_of(a, &bytes);
	return d ? decision_choose(d, a->size, bytes) : coll_choose_default(a);
}

/* --- the same decisions with Open MPI's own algorithms, instead of SimGrid's replacements, and
 * those that SimGrid does not have. Fixed decisions ask for no segments and one chain --- */

static uint32_t ompi_4_number(const struct coll_args *a)
{
	int64_t bytes;
	if (a->kind == COLL_REDUCE_SCATTER_BLOCK) /* here the size is that of a block */
		return commutes(a) ? decision_number(&block, a->size, a->count * a->type_size) : 1;
	if (a->kind == COLL_SCAN || a->kind == COLL_EXSCAN)
		return 1; /* coll/basic's, along the line */
	const struct decision *d = table_of(a, &bytes);
	return d ? decision_number(d, a->size, bytes) : 0;
}

static void ompi_4_decide(const struct coll_args *a, struct coll_choice *out)
{
	uint32_t number = ompi_4_number(a);
	out->alg = coll_ompi_alg(a->kind, number);
	if (!out->alg) {
		out->alg = coll_choose_default(a);
		return;
	}
	out->segment = a->kind == COLL_BCAST || a->kind == COLL_REDUCE || a->kind == COLL_ALLREDUCE
	                   ? COLL_WHOLE
	                   : 0;
	out->fanout = number == 2 && (a->kind == COLL_BCAST || a->kind == COLL_REDUCE) ? 1 : 0;
}

static const struct coll_alg *ompi_4_choose(const struct coll_args *a)
{
	struct coll_choice c = {0};
	ompi_4_decide(a, &c);
	return c.alg;
}

const struct coll_selector coll_selector_ompi_4 = {
    .name = "ompi-4",
    .help = "Open MPI 4.1 and 5.0 (tuned): their fixed decisions, and their own algorithms",
    .choose = ompi_4_choose,
    .decide = ompi_4_decide};

/* --- Open MPI 5: han acts where it can, on whole communicators; it leaves the other operations to
 * tuned --- */

static const struct coll_alg *han_of(enum coll_kind k)
{
	return k == COLL_BARRIER     ? &coll_barrier_ompi_han
	       : k == COLL_BCAST     ? &coll_bcast_ompi_han
	       : k == COLL_REDUCE    ? &coll_reduce_ompi_han
	       : k == COLL_ALLREDUCE ? &coll_allreduce_ompi_han
	       : k == COLL_GATHER    ? &coll_gather_ompi_han
	       : k == COLL_SCATTER   ? &coll_scatter_ompi_han
	       : k == COLL_ALLGATHER ? &coll_allgather_ompi_han
	                             : NULL;
}

static void ompi_5_decide(const struct coll_args *a, struct coll_choice *out)
{
	const struct coll_alg *han = han_of(a->kind);
	if (han && coll_per_node(a) > 1 && (!han->needs_commutative || commutes(a)) &&
	    !han->refuses(a))
		out->alg = han;
	else
		ompi_4_decide(a, out);
}

static const struct coll_alg *ompi_5_choose(const struct coll_args *a)
{
	struct coll_choice c = {0};
	ompi_5_decide(a, &c);
	return c.alg;
}

const struct coll_selector coll_selector_ompi_5 = {
    .name = "ompi-5",
    .help = "Open MPI 5.0: in two levels (han) where hosts have several ranks; else as ompi-4",
    .choose = ompi_5_choose,
    .decide = ompi_5_decide};

const struct coll_selector coll_selector_ompi = {
    .name = "ompi",
    .help = "Open MPI 4.1.2's fixed decisions (SimGrid 3.31 and later)",
    .choose = ompi_choose};

/* --- the decisions of Open MPI 1.7: measured limits and fitted lines p = a n + b (Pjesivac-Grbovic
 * et al., Cluster Computing 10, 2007) --- */

static const struct coll_alg *bcast_1_7(const struct coll_args *a)
{
	double n = (double)whole_bytes(a), p = a->size;
	if (n < 2048 || a->count <= 1)
		return &coll_bcast_binomial_tree;
	if (n < 370728)
		return &coll_bcast_ompi_split_bintree;
	if (p < 1.6134e-6 * n + 2.1102)
		return &coll_bcast_ompi_pipeline;
	if (p < 13)
		return &coll_bcast_ompi_split_bintree;
	if (p < 2.3679e-6 * n + 1.1787 || p < 3.2118e-6 * n + 8.7936)
		return &coll_bcast_ompi_pipeline;
	return &coll_bcast_flattree_pipeline;
}

static const struct coll_alg *reduce_1_7(const struct coll_args *a)
{
	double n = (double)whole_bytes(a), p = a->size;
	if (!commutes(a))
		return p < 12 && n < 2048 ? &coll_reduce_ompi_basic_linear
		                          : &coll_reduce_ompi_in_order_binary;
	if (p < 8 && n < 512)
		return &coll_reduce_ompi_basic_linear;
	if ((p < 8 && n < 20480) || n < 2048 || a->count <= 1 || p > 0.6016 / 1024 * n + 1.3496)
		return &coll_reduce_ompi_binomial;
	if (p > 0.0410 / 1024 * n + 9.7128)
		return &coll_reduce_ompi_pipeline;
	return p > 0.0422 / 1024 * n + 1.1614 ? &coll_reduce_ompi_binary
	                                      : &coll_reduce_ompi_pipeline;
}

static const struct coll_alg *allreduce_1_7(const struct coll_args *a)
{
	int64_t n = whole_bytes(a);
	if (n < 10000)
		return &coll_allreduce_rdb;
	if (!commutes(a) || a->count <= a->size)
		return &coll_allreduce_redbcast;
	return (int64_t)a->size << 20 >= n ? &coll_allreduce_lr
	                                   : &coll_allreduce_ompi_ring_segmented;
}

static int some_count_is_zero(const struct coll_args *a)
{
	for (uint32_t i = 0; i < a->size; i++)
		if (coll_block_elements(a, i, i + 1) == 0)
			return 1;
	return 0;
}

static const struct coll_alg *reduce_scatter_1_7(const struct coll_args *a)
{
	int64_t n = total_bytes(a);
	if (!commutes(a) || some_count_is_zero(a))
		return coll_choose_default(a);
	if (n <= 12 << 10 || (n <= 256 << 10 && is_pow2(a->size)) ||
	    a->size >= 0.0012 * (double)n + 8)
		return &coll_reduce_scatter_ompi_basic_recursivehalving;
	return &coll_reduce_scatter_ompi_ring;
}

static const struct coll_alg *allgather_1_7(const struct coll_args *a)
{
	if (a->size == 2)
		return &coll_allgather_pair;
	if (block_bytes(a) * a->size < 50000)
		return is_pow2(a->size) ? &coll_allgather_rdb : &coll_allgather_bruck;
	return a->size % 2 ? &coll_allgather_ring : &coll_allgather_ompi_neighborexchange;
}

static const struct coll_alg *allgatherv_1_7(const struct coll_args *a)
{
	if (a->size == 2)
		return &coll_allgatherv_pair;
	if (total_bytes(a) < 50000)
		return &coll_allgatherv_ompi_bruck;
	return a->size % 2 ? &coll_allgatherv_ring : &coll_allgatherv_ompi_neighborexchange;
}

static const struct coll_alg *gather_1_7(const struct coll_args *a)
{
	int64_t m = block_bytes(a);
	if (m > 6000)
		return &coll_gather_ompi_linear_sync;
	return a->size > 60 || (a->size > 10 && m < 1024) ? &coll_gather_ompi_binomial
	                                                  : &coll_gather_ompi_basic_linear;
}

static const struct coll_alg *alltoall_1_7(const struct coll_args *a)
{
	int64_t m = block_bytes(a);
	if (m < 200 && a->size > 12)
		return &coll_alltoall_bruck;
	return m < 3000 ? &coll_alltoall_basic_linear : &coll_alltoall_ring;
}

static const struct coll_alg *barrier_1_7(const struct coll_args *a)
{
	if (a->size == 2)
		return &coll_barrier_ompi_two_procs;
	return is_pow2(a->size) ? &coll_barrier_ompi_recursivedoubling : &coll_barrier_ompi_bruck;
}

static const struct coll_alg *ompi_1_7_choose(const struct coll_args *a)
{
	switch (a->kind) {
	case COLL_BARRIER:
		return barrier_1_7(a);
	case COLL_BCAST:
		return bcast_1_7(a);
	case COLL_REDUCE:
		return reduce_1_7(a);
	case COLL_ALLREDUCE:
		return allreduce_1_7(a);
	case COLL_GATHER:
		return gather_1_7(a);
	case COLL_SCATTER:
		return a->size > 10 && block_bytes(a) < 300 ? &coll_scatter_ompi_binomial
		                                            : &coll_scatter_ompi_basic_linear;
	case COLL_ALLGATHER:
		return allgather_1_7(a);
	case COLL_ALLGATHERV:
		return allgatherv_1_7(a);
	case COLL_ALLTOALL:
		return alltoall_1_7(a);
	case COLL_ALLTOALLV:
		return &coll_alltoallv_ring;
	case COLL_REDUCE_SCATTER:
	case COLL_REDUCE_SCATTER_BLOCK:
		return reduce_scatter_1_7(a);
	default:
		return coll_choose_default(a);
	}
}

const struct coll_selector coll_selector_ompi_1_7 = {
    .name = "ompi-1.7",
    .help = "Open MPI 1.7's fixed decisions (SimGrid up to 3.30)",
    .choose = ompi_1_7_choose};
