/* coll_select_ompi.c: Open MPI's "fixed decisions" (coll/tuned), as SimGrid's selector "ompi" has them: those of 4.1.2, and, as "ompi-1.7",
 * the older ones that SimGrid had up to 3.30. Where Open MPI's algorithm is missing in SimGrid, SimGrid's replacement is kept: basic linear bcast
 * is NTSL, chain is pipeline, binary is NTSB, k-nomial has k = 4, linear_sync alltoall is basic_linear, basic and nonoverlapping allreduce
 * are redbcast, double ring barrier is linear. pair works for every p here, as in Open MPI. */
#include "coll_decision.h"
#include "coll_rules.h"

static const struct decision_row allreduce_ordered_rows[] = {
    {3, "128Ki:3 :1"},        {7, ":3"}, {15, "1Mi:3 :2"}, {127, ":3"}, {255, "128Ki:2 512Ki:3 :2"}, {511, "4Ki:2 512Ki:3 :2"},
    {UINT32_MAX, "2Ki:2 :3"},
};
static const struct decision_row allreduce_rows[] = {
    {3, "8:4 4Ki:3 8Ki:4 16Ki:3 64Ki:4 256Ki:5 :6"},
    {7, "16:4 8Ki:3 :6"},
    {15, "8Ki:3 :6"},
    {31, "64:5 4Ki:3 :6"},
    {63, "128:5 :6"},
    {127, "256Ki:3 :6"},
    {255, "128Ki:2 256Ki:3 :6"},
    {511, "4Ki:2 :6"},
    {2047, "2Ki:2 16Ki:3 :6"},
    {4095, "2Ki:2 4Ki:5 16Ki:3 :6"},
    {UINT32_MAX, "2Ki:2 16Ki:5 32Ki:3 :6"},
};
static const struct decision allreduce_ordered = {.algs = {&coll_allreduce_redbcast, &coll_allreduce_redbcast, &coll_allreduce_rdb,
                                                           &coll_allreduce_lr, &coll_allreduce_ompi_ring_segmented,
                                                           &coll_allreduce_rab_rdb},
                                                  .rows = allreduce_ordered_rows};

static const struct decision allreduce = {.algs = {&coll_allreduce_redbcast, &coll_allreduce_redbcast, &coll_allreduce_rdb,
                                                   &coll_allreduce_lr, &coll_allreduce_ompi_ring_segmented,
                                                   &coll_allreduce_rab_rdb},
                                          .rows = allreduce_rows};

static const struct decision_row alltoall_rows[] = {
    {2, "2:2 4:5 16:2 64:5 256:2 4Ki:5 32Ki:2 256Ki:4 1Mi:5 :2"},
    {7, "8Ki:4 16Ki:1 64Ki:4 512Ki:1 1Mi:2 :1"},
    {15, "256Ki:4 :1"},
    {31, "4:4 512:3 8Ki:4 32Ki:1 256Ki:4 512Ki:1 :4"},
    {63, "512:3 512Ki:1 :4"},
    {127, "1Ki:3 2Ki:1 4Ki:4 256Ki:1 :2"},
    {255, "1Ki:3 2Ki:4 256Ki:1 :2"},
    {511, "1Ki:3 8Ki:4 32Ki:1 :2"},
    {1023, "512:3 8Ki:4 16Ki:1 128Ki:4 256Ki:1 :2"},
    {2047, "512:3 1Ki:4 2Ki:1 16Ki:4 256Ki:1 :4"},
    {4095, "1Ki:3 4Ki:4 8Ki:1 128Ki:4 :1"},
    {UINT32_MAX, "2Ki:3 8Ki:4 16Ki:1 32Ki:4 64Ki:1 :4"},
};
static const struct decision alltoall = {.algs = {&coll_alltoall_basic_linear, &coll_alltoall_pair, &coll_alltoall_bruck,
                                                  &coll_alltoall_basic_linear, &coll_alltoall_basic_linear},
                                         .rows = alltoall_rows};

static const struct decision_row alltoallv_rows[] = {
    {3, ":2"}, {63, ":1"}, {127, ":2"}, {255, ":1"}, {1023, ":2"}, {UINT32_MAX, ":1"},
};
static const struct decision alltoallv = {.algs = {&coll_alltoallv_ompi_basic_linear, &coll_alltoallv_pair},
                                          .rows = alltoallv_rows};

static const struct decision_row barrier_rows[] = {
    {3, ":3"}, {7, ":1"}, {63, ":3"}, {255, ":4"}, {511, ":6"}, {1023, ":4"}, {4095, ":6"}, {UINT32_MAX, ":4"},
};
static const struct decision barrier = {.algs = {&coll_barrier_ompi_basic_linear, &coll_barrier_ompi_basic_linear,
                                                 &coll_barrier_ompi_recursivedoubling, &coll_barrier_ompi_bruck,
                                                 &coll_barrier_ompi_two_procs, &coll_barrier_ompi_tree},
                                        .rows = barrier_rows};

static const struct decision_row bcast_rows[] = {
    {3, "32:3 256:5 512:3 1Ki:7 32Ki:1 128Ki:5 256Ki:2 512Ki:1 1Mi:6 :5"},
    {7, "64:5 128:6 2Ki:5 8Ki:6 1Mi:1 :2"},
    {15, "8:7 64:5 4Ki:7 16Ki:5 32Ki:6 :1"},
    {31, "4Ki:7 1Mi:6 :8"},
    {63, "2Ki:6 :7"},
    {127, ":7"},
    {255, "2:6 16Ki:5 32Ki:1 64Ki:5 :7"},
    {1023, "16Ki:7 32Ki:4 :7"},
    {2047, "512Ki:7 :8"},
    {4095, "256Ki:7 :8"},
    {UINT32_MAX, "8Ki:7 16Ki:5 256Ki:7 :8"},
};
static const struct decision bcast = {.algs = {&coll_bcast_NTSL, &coll_bcast_ompi_pipeline, &coll_bcast_ompi_pipeline,
                                               &coll_bcast_ompi_split_bintree, &coll_bcast_NTSB, &coll_bcast_binomial_tree,
                                               &coll_bcast_mvapich2_knomial_intra_node, &coll_bcast_scatter_rdb_allgather,
                                               &coll_bcast_scatter_LR_allgather},
                                      .rows = bcast_rows};

static const struct decision_row reduce_ordered_rows[] = {
    {3, "8:6 :1"}, {7, ":1"}, {15, "1Ki:6 8Ki:1 16Ki:6 256Ki:1 :6"}, {127, ":6"}, {255, "512:6 1Ki:1 :6"}, {UINT32_MAX, ":6"},
};
static const struct decision_row reduce_rows[] = {
    {3, "8:7 16:4 32:3 256Ki:1 512Ki:3 1Mi:2 :3"},
    {7, "4Ki:4 64Ki:2 256Ki:5 512Ki:1 1Mi:5 :1"},
    {15, "8Ki:4 :5"},
    {31, "4Ki:4 :5"},
    {255, ":5"},
    {511, "8Ki:5 16Ki:6 :5"},
    {2047, ":5"},
    {4095, "512:5 1Ki:6 8Ki:5 16Ki:6 :5"},
    {UINT32_MAX, "16:5 32:6 1Ki:5 2Ki:6 8Ki:5 16Ki:6 :5"},
};
static const struct decision reduce_ordered = {
    .algs = {&coll_reduce_ompi_basic_linear, &coll_reduce_ompi_chain, &coll_reduce_ompi_pipeline, &coll_reduce_ompi_binary,
             &coll_reduce_ompi_binomial, &coll_reduce_ompi_in_order_binary, &coll_reduce_ompi_basic_linear},
    .rows = reduce_ordered_rows};

static const struct decision reduce = {.algs = {&coll_reduce_ompi_basic_linear, &coll_reduce_ompi_chain, &coll_reduce_ompi_pipeline,
                                                &coll_reduce_ompi_binary, &coll_reduce_ompi_binomial,
                                                &coll_reduce_ompi_in_order_binary, &coll_reduce_ompi_basic_linear},
                                       .rows = reduce_rows};

static const struct decision_row reduce_scatter_ordered_rows[] = {
    {UINT32_MAX, ":1"},
};
static const struct decision_row reduce_scatter_rows[] = {
    {3, "64Ki:3 128Ki:4 :3"},
    {7, "8:1 256Ki:2 :3"},
    {31, "256Ki:2 :3"},
    {63, "64:1 2Ki:2 512Ki:4 :3"},
    {127, "256:1 512:2 2Ki:4 4Ki:2 :4"},
    {255, "256:1 512:2 :4"},
    {511, "256:1 1Ki:2 :4"},
    {1023, "512:1 2Ki:2 8Ki:4 16Ki:2 :4"},
    {2047, "512:1 4Ki:2 16Ki:4 32Ki:2 :4"},
    {4095, "512:1 4Ki:2 :4"},
    {UINT32_MAX, "1Ki:1 8Ki:2 :4"},
};
static const struct decision reduce_scatter_ordered = {
    .algs = {&coll_reduce_scatter_default, &coll_reduce_scatter_ompi_basic_recursivehalving, &coll_reduce_scatter_ompi_ring,
             &coll_reduce_scatter_ompi_butterfly},
    .rows = reduce_scatter_ordered_rows};

static const struct decision reduce_scatter = {.algs = {&coll_reduce_scatter_default,
                                                        &coll_reduce_scatter_ompi_basic_recursivehalving,
                                                        &coll_reduce_scatter_ompi_ring, &coll_reduce_scatter_ompi_butterfly},
                                               .rows = reduce_scatter_rows};

static const struct decision_row allgather_rows[] = {
    {2, ":6"},
    {31, ":3"},
    {63, "1Ki:3 64Ki:5 :4"},
    {127, "512:3 64Ki:5 :4"},
    {255, "512:3 128Ki:5 512Ki:4 1Mi:5 :4"},
    {511, "32:3 128:2 1Ki:3 128Ki:5 512Ki:4 1Mi:5 :4"},
    {1023, "64:3 256:2 2Ki:3 :5"},
    {2047, "4:3 8:2 16:3 32:2 256:3 512:2 4Ki:3 :5"},
    {4095, "32:2 128:3 512:2 4Ki:3 :5"},
    {UINT32_MAX, "2:3 8:2 16:3 512:2 4Ki:3 :5"},
};
static const struct decision allgather = {.algs = {&coll_allgather_NTSLR_NB, &coll_allgather_bruck, &coll_allgather_rdb,
                                                   &coll_allgather_ring, &coll_allgather_ompi_neighborexchange,
                                                   &coll_allgather_pair},
                                          .rows = allgather_rows};

static const struct decision_row allgatherv_rows[] = {
    {2, "2Ki:3 4Ki:5 8Ki:3 :5"},
    {7, "256:1 4Ki:4 8Ki:3 16Ki:4 256Ki:2 :4"},
    {15, "1Ki:1 :2"},
    {31, "128:1 256Ki:2 :3"},
    {63, "256:1 8Ki:2 :3"},
    {127, "256:1 4Ki:2 :3"},
    {255, "1Ki:2 64Ki:4 :3"},
    {511, "1Ki:2 :3"},
    {1023, "512:2 1Ki:1 4Ki:2 1Mi:4 :3"},
    {UINT32_MAX, "4Ki:2 :4"},
};
static const struct decision allgatherv = {.algs = {&coll_allgatherv_GB, &coll_allgatherv_ompi_bruck, &coll_allgatherv_mpich_ring,
                                                    &coll_allgatherv_ompi_neighborexchange, &coll_allgatherv_pair},
                                           .rows = allgatherv_rows};

static const struct decision_row gather_rows[] = {
    {3, "2:3 4:1 32Ki:2 64Ki:1 128Ki:2 :3"},
    {7, "1Ki:2 8Ki:1 32Ki:2 256Ki:1 :3"},
    {255, ":2"},
    {511, "2Ki:2 8Ki:1 :2"},
    {UINT32_MAX, ":2"},
};
static const struct decision gather = {
    .algs = {&coll_gather_ompi_basic_linear, &coll_gather_ompi_binomial, &coll_gather_ompi_linear_sync}, .rows = gather_rows};

static const struct decision_row scatter_rows[] = {
    {3, "2:3 128Ki:1 256Ki:3 :1"}, {7, "2Ki:2 4Ki:1 8Ki:2 32Ki:1 1Mi:3 :1"},
    {15, "16Ki:2 1Mi:3 :1"},       {31, "16Ki:2 32Ki:1 :3"},
    {63, "512:2 8Ki:3 16Ki:2 :3"}, {UINT32_MAX, "512:2 :3"},
};
static const struct decision scatter = {
    .algs = {&coll_scatter_ompi_basic_linear, &coll_scatter_ompi_binomial, &coll_scatter_ompi_linear_nb}, .rows = scatter_rows};

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
	return a->kind == COLL_SCATTER && a->count == 0 ? a->count2 * a->type_size2 : a->count * a->type_size;
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
	return decision_choose(commutes(a) ? &allreduce : &allreduce_ordered, a->size, whole_bytes(a));
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

/* --- the same decisions with Open MPI's own algorithms, instead of SimGrid's replacements, and those that SimGrid does not have. Fixed decisions ask
 * for no segments and one chain --- */

static const struct decision_row block_rows[] = {
    {3, "4:2 8:4 16:3 128:4 256:3 4Ki:4 8Ki:3 128Ki:4 :1"},
    {7, "8:3 32:2 256:4 8Ki:3 16Ki:4 1Mi:3 :1"},
    {15, "4:1 32:3 128:4 512Ki:3 4Mi:1 :4"},
    {31, "32:1 512Ki:3 2Mi:1 4Mi:3 :4"},
    {UINT32_MAX, "4:3 16:1 64Ki:4 256Ki:1 :4"},
};
static const struct decision block = {.algs = {&coll_reduce_scatter_default, &coll_reduce_scatter_mpich_rdb,
                                               &coll_reduce_scatter_ompi_basic_recursivehalving,
                                               &coll_reduce_scatter_ompi_butterfly},
                                      .rows = block_rows};

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
	out->segment = a->kind == COLL_BCAST || a->kind == COLL_REDUCE || a->kind == COLL_ALLREDUCE ? COLL_WHOLE : 0;
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

const struct coll_selector coll_selector_ompi = {
    .name = "ompi", .help = "Open MPI 4.1.2's fixed decisions (SimGrid 3.31 and later)", .choose = ompi_choose};

/* --- the decisions of Open MPI 1.7: measured limits and fitted lines p = a n + b (Pjesivac-Grbovic et al., Cluster Computing 10, 2007) --- */

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
		return p < 12 && n < 2048 ? &coll_reduce_ompi_basic_linear : &coll_reduce_ompi_in_order_binary;
	if (p < 8 && n < 512)
		return &coll_reduce_ompi_basic_linear;
	if ((p < 8 && n < 20480) || n < 2048 || a->count <= 1 || p > 0.6016 / 1024 * n + 1.3496)
		return &coll_reduce_ompi_binomial;
	if (p > 0.0410 / 1024 * n + 9.7128)
		return &coll_reduce_ompi_pipeline;
	return p > 0.0422 / 1024 * n + 1.1614 ? &coll_reduce_ompi_binary : &coll_reduce_ompi_pipeline;
}

static const struct coll_alg *allreduce_1_7(const struct coll_args *a)
{
	int64_t n = whole_bytes(a);
	if (n < 10000)
		return &coll_allreduce_rdb;
	if (!commutes(a) || a->count <= a->size)
		return &coll_allreduce_redbcast;
	return (int64_t)a->size << 20 >= n ? &coll_allreduce_lr : &coll_allreduce_ompi_ring_segmented;
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
	if (n <= 12 << 10 || (n <= 256 << 10 && is_pow2(a->size)) || a->size >= 0.0012 * (double)n + 8)
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
	return a->size > 60 || (a->size > 10 && m < 1024) ? &coll_gather_ompi_binomial : &coll_gather_ompi_basic_linear;
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
		return a->size > 10 && block_bytes(a) < 300 ? &coll_scatter_ompi_binomial : &coll_scatter_ompi_basic_linear;
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
    .name = "ompi-1.7", .help = "Open MPI 1.7's fixed decisions (SimGrid up to 3.30)", .choose = ompi_1_7_choose};

/* The tables, for tests. */
const struct decision *const coll_ompi_tables[] = {
    &allreduce,      &allreduce_ordered,      &alltoall,  &alltoallv,  &barrier, &bcast,   &reduce, &reduce_ordered,
    &reduce_scatter, &reduce_scatter_ordered, &allgather, &allgatherv, &gather,  &scatter, &block,  NULL};
