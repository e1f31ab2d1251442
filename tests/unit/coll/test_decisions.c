/* test_decisions.c: selectors whose decisions are rules, not tables, beside these rules written a
 * second time, from the libraries' papers and sources, on random calls and on the limits:
 *   ompi-1.7   Open MPI 1.7, coll_tuned_decision_fixed.c; its lines p = a n + b: Pjesivac-Grbovic
 *              et al., Performance analysis of MPI collective operations, Cluster Computing 10,
 *              2007
 *   mpich      MPICH 3.0 as SimGrid has it (smpi_mpich_selector.cpp)
 *   default    SimGrid's
 * Sizes are what these ask with: bytes, or elements where MPICH counts elements. */
#include "coll/coll.h"
#include "property/prop.h"

enum { P_MOST = 300 };

/* A call as a rule sees it: n bytes of the buffer or of a block, `count` elements of them; `total`
 * elements of all blocks. */
struct asked {
	int64_t n, count, size, total;
	double p;
	int pow2, commutes;
};
typedef const char *rule(const struct asked *q);

/* --- Open MPI 1.7 --- */

static const char *bcast_1_7(const struct asked *q)
{
	double n = (double)q->n;

	if (q->n < 2048 || q->count <= 1)
		return "binomial_tree";
	if (q->n < 370728)
		return "ompi_split_bintree";
	if (q->p < 1.6134e-6 * n + 2.1102)
		return "ompi_pipeline";
	if (q->p < 13)
		return "ompi_split_bintree";
	if (q->p < 2.3679e-6 * n + 1.1787 || q->p < 3.2118e-6 * n + 8.7936)
		return "ompi_pipeline";
	return "flattree_pipeline";
}
static const char *reduce_1_7(const struct asked *q)
{
	double kib = (double)q->n / 1024;

	if (!q->commutes)
		return q->p < 12 && q->n < 2048 ? "ompi_basic_linear" : "ompi_in_order_binary";
	if (q->p < 8 && q->n < 512)
		return "ompi_basic_linear";
	if ((q->p < 8 && q->n < 20480) || q->n < 2048 || q->count <= 1)
		return "ompi_binomial";
	if (q->p > 0.6016 * kib + 1.3496)
		return "ompi_binomial";
	if (q->p > 0.0410 * kib + 9.7128)
		return "ompi_pipeline";
	return q->p > 0.0422 * kib + 1.1614 ? "ompi_binary" : "ompi_pipeline";
}
static const char *allreduce_1_7(const struct asked *q)
{
	if (q->n < 10000)
		return "rdb";
	if (q->commutes && (double)q->count > q->p)
		return q->p * 1048576 >= (double)q->n ? "lr" : "ompi_ring_segmented";
	return "redbcast";
}
static const char *barrier_1_7(const struct asked *q)
{
	return q->p == 2 ? "ompi_two_procs" : q->pow2 ? "ompi_recursivedoubling" : "ompi_bruck";
}
static const char *alltoall_1_7(const struct asked *q)
{
	return q->n < 200 && q->p > 12 ? "bruck" : q->n < 3000 ? "basic_linear" : "ring";
}
static const char *allgather_1_7(const struct asked *q)
{
	if (q->p == 2)
		return "pair";
	if (q->n * (int64_t)q->p < 50000)
		return q->pow2 ? "rdb" : "bruck";
	return (int64_t)q->p % 2 ? "ring" : "ompi_neighborexchange";
}
static const char *allgatherv_1_7(const struct asked *q)
{
	if (q->p == 2)
		return "pair";
	if (q->total * q->size < 50000)
		return "ompi_bruck";
	return (int64_t)q->p % 2 ? "ring" : "ompi_neighborexchange";
}
static const char *gather_1_7(const struct asked *q)
{
	if (q->n > 6000)
		return "ompi_linear_sync";
	return q->p > 60 || (q->p > 10 && q->n < 1024) ? "ompi_binomial" : "ompi_basic_linear";
}
static const char *scatter_1_7(const struct asked *q)
{
	return q->p > 10 && q->n < 300 ? "ompi_binomial" : "ompi_basic_linear";
}
static const char *reduce_scatter_1_7(const struct asked *q)
{
	int64_t bytes = q->total * q->size;

	if (!q->commutes) /* and where a count is 0: no such call here */
		return "default";
	return bytes <= 12288 || (bytes <= 262144 && q->pow2) || q->p >= 0.0012 * (double)bytes + 8
	           ? "ompi_basic_recursivehalving"
	           : "ompi_ring";
}

/* --- MPICH 3.0, on one rank a host --- */

static const char *bcast_mpich(const struct asked *q)
{
	(void)q;
	return "SMP_binomial"; /* hosts are uniform */
}
static int64_t largest_power(double p)
{
	int64_t q = 1;

	while (2 * (double)q <= p)
		q *= 2;
	return q;
}
static const char *reduce_mpich(const struct asked *q)
{
	return q->commutes ? "mvapich2_two_level" : "binomial";
}
static const char *allreduce_mpich(const struct asked *q)
{
	return q->commutes ? "mvapich2_two_level" : "rdb";
}
static const char *barrier_mpich(const struct asked *q)
{
	(void)q;
	return "ompi_bruck";
}
static const char *alltoall_mpich(const struct asked *q)
{
	if (q->n < 256 && q->p >= 8)
		return "bruck";
	return q->n < 32768 ? "mvapich2_scatter_dest" : q->pow2 ? "pair" : "ring";
}
static const char *allgather_mpich(const struct asked *q)
{
	int64_t all = q->n * (int64_t)q->p;

	return q->pow2 && all < 524288 ? "rdb" : all <= 81920 ? "bruck" : "ring";
}
static const char *allgatherv_mpich(const struct asked *q) /* in elements */
{
	if (q->pow2 && q->total < 524288)
		return "mpich_rdb";
	return q->total <= 81920 ? "ompi_bruck" : "mpich_ring";
}
static const char *binomial_mpich(const struct asked *q)
{
	(void)q;
	return "ompi_binomial";
}
static const char *reduce_scatter_mpich(const struct asked *q) /* in elements; counts differ */
{
	return q->commutes && q->total > 524288 ? "mpich_pair" : "mpich_rdb";
}
static const char *alltoallv_mpich(const struct asked *q)
{
	(void)q;
	return "bruck";
}

/* Inside a host or among leaders ("flat"): no levels below. */
static const char *bcast_mpich_flat(const struct asked *q)
{
	if (q->n < 12288 || q->p <= 8)
		return "binomial_tree";
	return q->n < 524288 && (int64_t)q->p % 2 == 0 ? "scatter_rdb_allgather"
	                                               : "scatter_LR_allgather";
}
static const char *reduce_mpich_flat(const struct asked *q)
{
	return q->count < largest_power(q->p) || q->n < 2048 || !q->commutes ? "binomial"
	                                                                     : "scatter_gather";
}
static const char *allreduce_mpich_flat(const struct asked *q)
{
	return q->n > 2048 && q->count >= largest_power(q->p) && q->commutes ? "rab_rdb" : "rdb";
}

static const struct decided {
	const char *selector;
	enum coll_kind kind;
	rule *rule;
	int flat;
	int64_t limits[6]; /* bytes, or elements, near which calls are drawn */
} decided[] = {
    {"ompi-1.7", COLL_BCAST, bcast_1_7, 0, {2048, 370728}},
    {"ompi-1.7", COLL_REDUCE, reduce_1_7, 0, {512, 2048, 20480}},
    {"ompi-1.7", COLL_ALLREDUCE, allreduce_1_7, 0, {10000, 1 << 20, 5 << 20}},
    {"ompi-1.7", COLL_BARRIER, barrier_1_7, 0, {0}},
    {"ompi-1.7", COLL_ALLTOALL, alltoall_1_7, 0, {200, 3000}},
    {"ompi-1.7", COLL_ALLGATHER, allgather_1_7, 0, {50000 / 7, 50000 / 8, 50000 / 64}},
    {"ompi-1.7", COLL_ALLGATHERV, allgatherv_1_7, 0, {50000 / 7, 50000 / 8, 50000 / 64}},
    {"ompi-1.7", COLL_GATHER, gather_1_7, 0, {1024, 6000}},
    {"ompi-1.7", COLL_SCATTER, scatter_1_7, 0, {300}},
    {"ompi-1.7", COLL_REDUCE_SCATTER, reduce_scatter_1_7, 0, {12288 / 9, 262144 / 16, 262144 / 64}},
    {"mpich", COLL_BCAST, bcast_mpich, 0, {12288, 524288}},
    {"mpich", COLL_REDUCE, reduce_mpich, 0, {2048}},
    {"mpich", COLL_ALLREDUCE, allreduce_mpich, 0, {2048}},
    {"mpich", COLL_BARRIER, barrier_mpich, 0, {0}},
    {"mpich", COLL_ALLTOALL, alltoall_mpich, 0, {256, 32768}},
    {"mpich",
     COLL_ALLGATHER,
     allgather_mpich,
     0,
     {524288 / 16, 524288 / 64, 81920 / 5, 81920 / 48}},
    {"mpich", COLL_ALLGATHERV, allgatherv_mpich, 0, {524288 / 16, 524288 / 64, 81920 / 5}},
    {"mpich", COLL_GATHER, binomial_mpich, 0, {1024}},
    {"mpich", COLL_SCATTER, binomial_mpich, 0, {1024}},
    {"mpich", COLL_REDUCE_SCATTER, reduce_scatter_mpich, 0, {524288 / 9, 524288 / 16}},
    {"mpich", COLL_ALLTOALLV, alltoallv_mpich, 0, {1024}},
    {"mpich", COLL_BCAST, bcast_mpich_flat, 1, {12288, 524288}},
    {"mpich", COLL_REDUCE, reduce_mpich_flat, 1, {2048, 64, 256}},
    {"mpich", COLL_ALLREDUCE, allreduce_mpich_flat, 1, {2048, 64, 256}},
};

/* Elements near a limit, in bytes or in elements; or any. */
static int64_t count_draw(const struct decided *d, int64_t size, struct rng *r)
{
	int64_t limit = d->limits[rng_below(r, 6)], near = limit + (int64_t)rng_below(r, 5) - 2;

	if (limit == 0 || prop_once_in(r, 4))
		return prop_from(r, 1, prop_once_in(r, 2) ? 3000 : 3000000);
	near = prop_once_in(r, 2) ? near : near / size;
	return near < 1 ? 1 : near;
}

static void check(const struct decided *d, struct rng *r)
{
	static const int64_t sizes[] = {1, 1, 4, 8, 24};
	static int64_t counts[P_MOST];
	struct coll_policy policy = {.selector = coll_selector_find(d->selector)};
	int64_t size = sizes[rng_below(r, 5)], count = count_draw(d, size, r);
	uint32_t p = prop_once_in(r, 2) ? 1u << prop_from(r, 1, 8) : prop_from(r, 2, P_MOST);
	struct coll_args a = {.kind = d->kind,
	                      .size = p,
	                      .count = count,
	                      .count2 = count,
	                      .type_size = size,
	                      .type_size2 = size,
	                      .flat = (uint8_t)(d->flat ? 1 : 0),
	                      .commutative = !prop_once_in(r, 4),
	                      .basic_type = 1,
	                      .policy = &policy};
	struct asked q = {count * size, count, size, 0, p, (p & (p - 1)) == 0, a.commutative};
	struct coll_choice c;

	for (uint32_t i = 0; i < p; i++) { /* not all equal */
		counts[i] = count + (i == 0) - (i == 1 && count > 1);
		q.total += counts[i];
	}
	if (d->kind == COLL_ALLGATHERV || d->kind == COLL_REDUCE_SCATTER)
		a.counts2 = counts;
	if (d->kind == COLL_ALLTOALLV)
		a.counts = a.counts2 = counts;
	c = coll_decide(&a);
	if (d->kind == COLL_REDUCE_SCATTER && strcmp(d->rule(&q), "default") == 0)
		return; /* left to another selector, which has its own rules */
	if (strcmp((c.wanted ? c.wanted : c.alg)->name, d->rule(&q)) != 0)
		fail_msg("%s %s, %u ranks, %lld of %lld bytes: %s, not %s", d->selector,
		         coll_kind_name(d->kind), p, (long long)count, (long long)size,
		         (c.wanted ? c.wanted : c.alg)->name, d->rule(&q));
}

static void rules_decide(void **state)
{
	struct prop_run run = prop_begin(1500);

	(void)state;
	for (size_t i = 0; i < sizeof decided / sizeof *decided; i++)
		for (uint64_t k = 0; k < run.cases; k++) {
			struct rng r;

			rng_init(&r, run.seed + k, "decided", i);
			check(&decided[i], &r);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(rules_decide)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
