/* coll_select_mvapich2.c: MVAPICH2 1.9's tables for the Stampede machine, as SimGrid's selector "mvapich2" has them. In a row, bounds are included,
 * and the last row is for all larger communicators. Tables named _leaders and _inside say what the levels of two-level algorithms use.
 *
 * Departures: SimGrid always takes the table of one rank per host for alltoall (compat does, too); entries that want multicast hardware take
 * what comes next, as there; allgather's entry that does nothing in SimGrid is recursive doubling. */
#include "coll_decision.h"

/* Stands in tables for "what the mpich selector says". */
static const struct coll_alg as_mpich = {.kind = COLL_BCAST, .name = "mpich"};

static const struct decision_row alltoall_1_rows[] = {
    {2, ":2"}, {4, "256Ki:3 :2"}, {8, "8:4 :3"}, {16, "64:4 512:5 :3"}, {32, "32:4 2Ki:5 :3"}, {UINT32_MAX, "8:4 1Ki:5 :3"},
};
static const struct decision alltoall_1 = {.algs = {&coll_alltoall_ring, &coll_alltoall_pair, &coll_alltoall_mvapich2_scatter_dest,
                                                    &coll_alltoall_rdb, &coll_alltoall_bruck},
                                           .rows = alltoall_1_rows,
                                           .inclusive = 1};

static const struct decision_row alltoall_2_rows[] = {
    {4, "32:4 :3"},        {8, "64:4 :3"},       {16, "64:4 2Ki:5 :3"},
    {32, "16:4 2Ki:5 :3"}, {64, "8:4 1Ki:5 :3"}, {UINT32_MAX, "4:4 2Ki:5 :3"},
};
static const struct decision alltoall_2 = {.algs = {&coll_alltoall_ring, &coll_alltoall_pair, &coll_alltoall_mvapich2_scatter_dest,
                                                    &coll_alltoall_rdb, &coll_alltoall_bruck},
                                           .rows = alltoall_2_rows,
                                           .inclusive = 1};

static const struct decision_row alltoall_16_rows[] = {
    {16, "2Ki:5 :3"},  {32, "2Ki:5 :3"},  {64, "2Ki:5 16Ki:3 :2"},  {128, "2Ki:5 :2"},
    {256, "1Ki:5 :2"}, {512, "1Ki:5 :2"}, {UINT32_MAX, "1Ki:5 :2"},
};
static const struct decision alltoall_16 = {.algs = {&coll_alltoall_ring, &coll_alltoall_pair, &coll_alltoall_mvapich2_scatter_dest,
                                                     &coll_alltoall_rdb, &coll_alltoall_bruck},
                                            .rows = alltoall_16_rows,
                                            .inclusive = 1};

static const struct decision_row allgather_1_rows[] = {
    {2, ":1"}, {4, "256Ki:2 :1"}, {8, "128Ki:2 :1"}, {16, "128Ki:2 :1"}, {32, "64Ki:2 :1"}, {UINT32_MAX, "32Ki:2 :1"},
};
static const struct decision allgather_1 = {
    .algs = {&coll_allgather_ring, &coll_allgather_rdb, &coll_allgather_mvapich2_smp}, .rows = allgather_1_rows, .inclusive = 1};

static const struct decision_row allgather_2_rows[] = {
    {4, "512Ki:2 :1"},  {8, "32Ki:2 512Ki:3 :1"}, {16, "16Ki:2 512Ki:3 :1"},
    {32, "512Ki:3 :1"}, {64, "512Ki:3 :1"},       {UINT32_MAX, "512Ki:3 :1"},
};
static const struct decision allgather_2 = {
    .algs = {&coll_allgather_ring, &coll_allgather_rdb, &coll_allgather_mvapich2_smp}, .rows = allgather_2_rows, .inclusive = 1};

static const struct decision_row allgather_16_rows[] = {
    {16, "1Ki:2 :1"}, {32, "1Ki:2 :1"}, {64, "1Ki:2 :1"}, {128, "1Ki:2 :1"}, {256, "1Ki:2 :1"}, {UINT32_MAX, "1Ki:2 :1"},
};
static const struct decision allgather_16 = {
    .algs = {&coll_allgather_ring, &coll_allgather_rdb, &coll_allgather_mvapich2_smp}, .rows = allgather_16_rows, .inclusive = 1};

static const struct decision_row gather_rows[] = {
    {16, "512Ki:1 :2"},       {32, "16Ki:1 128Ki:2 :3"}, {64, "256:3 16Ki:1 :3"},         {128, "512:3 16Ki:1 :3"},
    {256, "512:3 16Ki:1 :3"}, {512, "512:3 16Ki:1 :3"},  {UINT32_MAX, "512:3 16Ki:1 :3"},
};
static const struct decision gather = {
    .algs = {&coll_gather_ompi_basic_linear, &coll_gather_ompi_binomial, &coll_gather_mvapich2_two_level},
    .rows = gather_rows,
    .inclusive = 1};

static const struct decision_row gather_inside_rows[] = {
    {16, ":1"}, {32, ":2"}, {64, ":2"}, {128, ":2"}, {256, ":2"}, {512, ":2"}, {UINT32_MAX, ":2"},
};
static const struct decision gather_inside = {
    .algs = {&coll_gather_ompi_basic_linear, &coll_gather_ompi_binomial, &coll_gather_mvapich2_two_level},
    .rows = gather_inside_rows,
    .inclusive = 1};

static const struct decision_row allgatherv_rows[] = {
    {16, "512:1 :2"}, {32, "512:1 :2"}, {64, "256:1 :2"}, {128, "256:1 :2"}, {256, "256:1 :2"}, {UINT32_MAX, "256:1 :2"},
};
static const struct decision allgatherv = {
    .algs = {&coll_allgatherv_mpich_rdb, &coll_allgatherv_mpich_ring}, .rows = allgatherv_rows, .inclusive = 1};

static const struct decision_row allreduce_rows[] = {
    {16, "1Ki:3 :2"},   {32, "16Ki:3 :2"},  {64, "16Ki:3 :2"},   {128, "16Ki:3 :2"},
    {256, "16Ki:3 :2"}, {512, "16Ki:3 :2"}, {1024, "64Ki:3 :2"}, {UINT32_MAX, "4Ki:3 :2"},
};
static const struct decision allreduce = {
    .algs = {&coll_allreduce_rdb, &coll_allreduce_mvapich2_rs, &coll_allreduce_mvapich2_two_level},
    .rows = allreduce_rows,
    .inclusive = 1};

static const struct decision_row allreduce_leaders_rows[] = {
    {16, "1Ki:1 :2"},   {32, "16Ki:1 :2"},  {64, "16Ki:1 :2"},  {128, "16Ki:1 :2"},
    {256, "16Ki:1 :2"}, {512, "16Ki:1 :2"}, {1024, "8Ki:1 :2"}, {UINT32_MAX, "64:1 512:2 4Ki:1 :2"},
};
static const struct decision allreduce_leaders = {
    .algs = {&coll_allreduce_rdb, &coll_allreduce_mvapich2_rs}, .rows = allreduce_leaders_rows, .inclusive = 1};

static const struct decision_row bcast_rows[] = {
    {16, ":5"}, {32, ":5"}, {64, ":5"}, {128, "512Ki:5 :3"}, {256, ":5"}, {512, ":5"}, {1024, ":5"}, {UINT32_MAX, ":5"},
};
static const struct decision bcast = {.algs = {&as_mpich, &coll_bcast_binomial_tree, &coll_bcast_scatter_LR_allgather,
                                               &coll_bcast_scatter_rdb_allgather, &coll_bcast_mvapich2_two_level},
                                      .rows = bcast_rows,
                                      .inclusive = 1};

static const struct decision_row bcast_leaders_rows[] = {
    {16, "8Ki:1 16Ki:2 64Ki:1 256Ki:3 512Ki:4 :3"},
    {32, ":1"},
    {64, ":1"},
    {128, "512Ki:1 :3"},
    {256, "128Ki:1 256Ki:3 512Ki:1 :3"},
    {512, "256Ki:1 :3"},
    {1024, "512Ki:1 :3"},
    {UINT32_MAX, "512Ki:1 :3"},
};
static const struct decision bcast_leaders = {.algs = {&as_mpich, &coll_bcast_binomial_tree, &coll_bcast_scatter_LR_allgather,
                                                       &coll_bcast_scatter_rdb_allgather, &coll_bcast_mvapich2_two_level},
                                              .rows = bcast_leaders_rows,
                                              .inclusive = 1};

static const struct decision_row bcast_inside_rows[] = {
    {16, ":1"}, {32, ":1"}, {64, ":1"}, {128, ":1"}, {256, ":1"}, {512, ":1"}, {1024, ":1"}, {UINT32_MAX, ":1"},
};
static const struct decision bcast_inside = {.algs = {&as_mpich, &coll_bcast_binomial_tree, &coll_bcast_scatter_LR_allgather,
                                                      &coll_bcast_scatter_rdb_allgather, &coll_bcast_mvapich2_two_level},
                                             .rows = bcast_inside_rows,
                                             .inclusive = 1};

static const struct decision_row reduce_rows[] = {
    {16, "256Ki:4 1Mi:2 :3"},
    {32, "64Ki:4 256Ki:1 1Mi:2 :3"},
    {64, "256Ki:4 :3"},
    {128, "8Ki:4 16Ki:1 64Ki:4 256Ki:1 1Mi:4 :3"},
    {256, "32Ki:4 64Ki:2 1Mi:4 :3"},
    {512, "8Ki:4 16Ki:1 1Mi:4 :3"},
    {1024, "8Ki:4 16Ki:1 :4"},
    {UINT32_MAX, "2Ki:4 4Ki:1 :4"},
};
static const struct decision reduce = {.algs = {&coll_reduce_mvapich2_knomial, &coll_reduce_binomial, &coll_reduce_scatter_gather,
                                                &coll_reduce_mvapich2_two_level, &coll_reduce_ompi_basic_linear},
                                       .rows = reduce_rows,
                                       .inclusive = 1};

static const struct decision_row reduce_leaders_rows[] = {
    {16, "256Ki:1 1Mi:2 :3"},
    {32, "32Ki:1 64Ki:2 256Ki:1 1Mi:2 :3"},
    {64, "16Ki:1 64Ki:2 256Ki:1 :3"},
    {128, "16Ki:1 64Ki:2 256Ki:1 1Mi:2 :3"},
    {256, "16Ki:1 1Mi:2 :3"},
    {512, "16Ki:1 1Mi:2 :3"},
    {1024, "16Ki:1 :2"},
    {UINT32_MAX, "4Ki:1 :2"},
};
static const struct decision reduce_leaders = {.algs = {&coll_reduce_mvapich2_knomial, &coll_reduce_binomial,
                                                        &coll_reduce_scatter_gather, &coll_reduce_mvapich2_two_level,
                                                        &coll_reduce_ompi_basic_linear},
                                               .rows = reduce_leaders_rows,
                                               .inclusive = 1};

static const struct decision_row reduce_inside_rows[] = {
    {16, "64Ki:5 :2"},
    {32, "8Ki:5 16Ki:1 256Ki:5 :2"},
    {64, "8Ki:5 16Ki:1 64Ki:5 256Ki:1 :2"},
    {128, "8Ki:5 16Ki:1 64Ki:5 256Ki:1 :2"},
    {256, "8Ki:5 16Ki:1 64Ki:5 256Ki:1 :2"},
    {512, "8Ki:5 16Ki:1 64Ki:5 256Ki:1 :2"},
    {1024, "8Ki:5 16Ki:1 64Ki:5 256Ki:1 :2"},
    {UINT32_MAX, "16Ki:5 64Ki:1 128Ki:2 :5"},
};
static const struct decision reduce_inside = {.algs = {&coll_reduce_mvapich2_knomial, &coll_reduce_binomial,
                                                       &coll_reduce_scatter_gather, &coll_reduce_mvapich2_two_level,
                                                       &coll_reduce_ompi_basic_linear},
                                              .rows = reduce_inside_rows,
                                              .inclusive = 1};

static const struct decision_row reduce_scatter_rows[] = {
    {16, "64:1 64Ki:2 :3"}, {32, "64:1 128Ki:2 :3"}, {64, "1Ki:1 256Ki:2 :3"},
    {128, "128:1 :2"},      {256, "128:1 :2"},       {UINT32_MAX, "256:1 :2"},
};
static const struct decision reduce_scatter = {
    .algs = {&coll_reduce_scatter_default, &coll_reduce_scatter_ompi_basic_recursivehalving, &coll_reduce_scatter_mpich_pair},
    .rows = reduce_scatter_rows,
    .inclusive = 1};

static const struct decision_row scatter_1_rows[] = {
    {2, ":2"}, {4, ":1"}, {8, ":1"}, {16, ":1"}, {32, ":1"}, {UINT32_MAX, "32:2 :1"},
};
static const struct decision scatter_1 = {.algs = {&coll_scatter_ompi_basic_linear, &coll_scatter_ompi_binomial,
                                                   &coll_scatter_mvapich2_two_level_direct,
                                                   &coll_scatter_mvapich2_two_level_binomial},
                                          .rows = scatter_1_rows,
                                          .inclusive = 1};

static const struct decision_row scatter_1_inside_rows[] = {
    {2, ":2"}, {4, ":1"}, {8, ":1"}, {16, ":1"}, {32, ":1"}, {UINT32_MAX, ":2"},
};
static const struct decision scatter_1_inside = {.algs = {&coll_scatter_ompi_basic_linear, &coll_scatter_ompi_binomial,
                                                          &coll_scatter_mvapich2_two_level_direct,
                                                          &coll_scatter_mvapich2_two_level_binomial},
                                                 .rows = scatter_1_inside_rows,
                                                 .inclusive = 1};

static const struct decision_row scatter_2_rows[] = {
    {4, "4Ki:2 :1"}, {8, "512:3 :1"}, {16, "2Ki:3 :1"}, {32, "2Ki:3 :1"}, {64, "8Ki:3 :1"}, {UINT32_MAX, "16:2 128:4 16Ki:3 :1"},
};
static const struct decision scatter_2 = {.algs = {&coll_scatter_ompi_basic_linear, &coll_scatter_ompi_binomial,
                                                   &coll_scatter_mvapich2_two_level_direct,
                                                   &coll_scatter_mvapich2_two_level_binomial},
                                          .rows = scatter_2_rows,
                                          .inclusive = 1};

static const struct decision_row scatter_2_inside_rows[] = {
    {4, ":1"}, {8, ":2"}, {16, ":2"}, {32, ":2"}, {64, ":2"}, {UINT32_MAX, "128:1 :2"},
};
static const struct decision scatter_2_inside = {.algs = {&coll_scatter_ompi_basic_linear, &coll_scatter_ompi_binomial,
                                                          &coll_scatter_mvapich2_two_level_direct,
                                                          &coll_scatter_mvapich2_two_level_binomial},
                                                 .rows = scatter_2_inside_rows,
                                                 .inclusive = 1};

static const struct decision_row scatter_16_rows[] = {
    {16, "256:2 :1"},  {32, "512:2 :1"},  {64, "1Ki:3 :1"},        {128, "2Ki:3 :1"},
    {256, "2Ki:3 :1"}, {512, "4Ki:3 :1"}, {1024, "32:2 4Ki:3 :1"}, {UINT32_MAX, "128:4 16Ki:3 64Ki:1 :3"},
};
static const struct decision scatter_16 = {.algs = {&coll_scatter_ompi_basic_linear, &coll_scatter_ompi_binomial,
                                                    &coll_scatter_mvapich2_two_level_direct,
                                                    &coll_scatter_mvapich2_two_level_binomial},
                                           .rows = scatter_16_rows,
                                           .inclusive = 1};

static const struct decision_row scatter_16_inside_rows[] = {
    {16, ":1"}, {32, ":1"}, {64, ":1"}, {128, ":1"}, {256, ":1"}, {512, ":2"}, {1024, ":2"}, {UINT32_MAX, "1Ki:2 :1"},
};
static const struct decision scatter_16_inside = {.algs = {&coll_scatter_ompi_basic_linear, &coll_scatter_ompi_binomial,
                                                           &coll_scatter_mvapich2_two_level_direct,
                                                           &coll_scatter_mvapich2_two_level_binomial},
                                                  .rows = scatter_16_inside_rows,
                                                  .inclusive = 1};

static int commutes(const struct coll_args *a)
{
	return a->commutative || a->null_op;
}
static int64_t whole_bytes(const struct coll_args *a)
{
	return a->count * a->type_size;
}
static int64_t block_bytes(const struct coll_args *a)
{
	return a->kind == COLL_SCATTER && a->count == 0 ? a->count2 * a->type_size2 : a->count * a->type_size;
}
static int64_t total_bytes(const struct coll_args *a)
{
	return coll_block_elements(a, 0, a->size) * (a->kind == COLL_ALLGATHERV ? a->type_size2 : a->type_size);
}
static int is_blocked(const struct coll_args *a)
{
	return !a->shape || a->shape->blocked;
}

/* Of three tables, that for as many ranks per host. */
static const struct decision *by_host(const struct coll_args *a, const struct decision *one, const struct decision *two,
                                      const struct decision *sixteen)
{
	uint32_t c = coll_per_node(a);
	return c == 2 ? two : c == 16 ? sixteen : one;
}

static const struct coll_alg *look(const struct decision *d, const struct coll_args *a, int64_t bytes)
{
	const struct coll_alg *alg = decision_choose(d, a->size, bytes);
	return alg == &as_mpich ? coll_bcast_mpich(a) : alg;
}

static const struct coll_alg *choose_reduce(const struct coll_args *a)
{
	const struct coll_alg *alg = look(&reduce, a, whole_bytes(a));
	if (!commutes(a) || (alg == &coll_reduce_scatter_gather && a->count < 1u << log2_floor(a->size)))
		return &coll_reduce_binomial;
	return alg;
}

static const struct coll_alg *choose_allreduce(const struct coll_args *a)
{
	const struct coll_alg *alg = look(&allreduce, a, whole_bytes(a));
	return alg == &coll_allreduce_mvapich2_two_level && !commutes(a) ? &coll_allreduce_rdb : alg;
}

static const struct coll_alg *choose_allgather(const struct coll_args *a)
{
	const struct coll_alg *alg = look(by_host(a, &allgather_1, &allgather_2, &allgather_16), a, a->count2 * a->type_size2);
	return alg == &coll_allgather_mvapich2_smp && !is_blocked(a) ? coll_allgather_mpich(a) : alg;
}

static const struct coll_alg *choose_allgatherv(const struct coll_args *a)
{
	const struct coll_alg *alg = look(&allgatherv, a, (total_bytes(a) + a->size - 1) / a->size);
	return alg == &coll_allgatherv_mpich_rdb && !is_pow2(a->size) ? &coll_allgatherv_ompi_bruck : alg;
}

static const struct coll_alg *choose_scatter(const struct coll_args *a)
{
	const struct coll_alg *alg = look(by_host(a, &scatter_1, &scatter_2, &scatter_16), a, block_bytes(a));
	int two_level = alg == &coll_scatter_mvapich2_two_level_direct || alg == &coll_scatter_mvapich2_two_level_binomial;
	return two_level && !is_blocked(a) ? &coll_scatter_ompi_binomial : alg;
}

static const struct coll_alg *choose_gather(const struct coll_args *a)
{
	const struct coll_alg *alg = look(&gather, a, block_bytes(a));
	if (a->compat) /* SimGrid does not know yet whether ranks are blocked, unless another operation asked before */
		return &coll_gather_ompi_binomial;
	return is_blocked(a) && (coll_per_node(a) || alg != &coll_gather_mvapich2_two_level) ? alg : &coll_gather_ompi_binomial;
}

static const struct coll_alg *choose_reduce_scatter(const struct coll_args *a)
{
	if (commutes(a))
		return look(&reduce_scatter, a, total_bytes(a));
	return is_pow2(a->size) && coll_counts_equal(a) ? &coll_reduce_scatter_mpich_noncomm : &coll_reduce_scatter_mpich_rdb;
}

const struct coll_alg *coll_choose_mvapich2(const struct coll_args *a)
{
	switch (a->kind) {
	case COLL_BARRIER:
		return &coll_barrier_mvapich2_pair;
	case COLL_BCAST:
		return look(&bcast, a, whole_bytes(a));
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
		return look(a->compat ? &alltoall_1 : by_host(a, &alltoall_1, &alltoall_2, &alltoall_16), a, block_bytes(a));
	case COLL_ALLTOALLV:
		return &coll_alltoallv_ring;
	case COLL_REDUCE_SCATTER:
	case COLL_REDUCE_SCATTER_BLOCK:
		return choose_reduce_scatter(a);
	default:
		return coll_choose_default(a);
	}
}

const struct coll_selector coll_selector_mvapich2 = {
    .name = "mvapich2", .help = "MVAPICH2 1.9's tables for Stampede", .choose = coll_choose_mvapich2};

/* Is the operation's algorithm chosen by these tables? impi refers to them as well. */
static int is_selected(const struct coll_args *a)
{
	const struct coll_policy *p = a->policy;
	if (!p || p->fixed[a->kind])
		return 0;
	const struct coll_selector *s = p->selectors[a->kind] ? p->selectors[a->kind] : p->selector;
	return s == &coll_selector_mvapich2 || s == &coll_selector_impi;
}

/* Inside a host, shared memory's linear reduction has room for 128 KiB per rank. */
static const struct coll_alg *inside_reduce(const struct coll_args *a)
{
	const struct coll_alg *alg = look(&reduce_inside, a, whole_bytes(a));
	uint32_t c = coll_per_node(a) ? coll_per_node(a) : 1;
	return alg == &coll_reduce_ompi_basic_linear && whole_bytes(a) >= c * 131072ll ? &coll_reduce_mvapich2_knomial : alg;
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
		l.inside = look(by_host(a, &scatter_1_inside, &scatter_2_inside, &scatter_16_inside), a, block_bytes(a));
	}
	return l;
}

const struct decision *const coll_mvapich2_tables[] = {&alltoall_1,
                                                       &alltoall_2,
                                                       &alltoall_16,
                                                       &allgather_1,
                                                       &allgather_2,
                                                       &allgather_16,
                                                       &gather,
                                                       &gather_inside,
                                                       &allgatherv,
                                                       &allreduce,
                                                       &allreduce_leaders,
                                                       &bcast,
                                                       &bcast_leaders,
                                                       &bcast_inside,
                                                       &reduce,
                                                       &reduce_leaders,
                                                       &reduce_inside,
                                                       &reduce_scatter,
                                                       &scatter_1,
                                                       &scatter_1_inside,
                                                       &scatter_2,
                                                       &scatter_2_inside,
                                                       &scatter_16,
                                                       &scatter_16_inside,
                                                       NULL};
