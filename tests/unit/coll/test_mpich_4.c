/* test_mpich_4.c: the selector mpich-4 beside MPICH's own decision tree (4.0 to 4.3,
 * maint/tuning/coll/mpir/generic.json), read there and written here question by question, in
 * MPICH's own names of algorithms; on random calls of ranks that have a host each, and on the
 * limits. What MPICH asks: bytes of a rank's buffer or block (avg_msg_size), of all ranks
 * (total_msg_size), elements. */
#include "coll/rules/numbers.h"
#include "property/prop.h"

enum { P_MOST = 200 };

struct asked {
	int64_t avg, total, count;
	uint32_t p;
	int pow2, commutes, regular, in_place;
};
typedef const char *rule(const struct asked *q);

static uint32_t largest_power(uint32_t p)
{
	uint32_t q = 1;

	while (2 * q <= p)
		q *= 2;
	return q;
}

static const char *bcast(const struct asked *q)
{
	if (q->p < 8 || q->avg <= 12288)
		return "Bcast_intra_binomial";
	return q->pow2 && q->avg <= 524288 ? "Bcast_intra_scatter_recursive_doubling_allgather"
	                                   : "Bcast_intra_scatter_ring_allgather";
}
static const char *allreduce(const struct asked *q)
{
	if (q->avg <= 8 || !q->commutes || q->count < largest_power(q->p))
		return "Allreduce_intra_recursive_doubling";
	return "Allreduce_intra_reduce_scatter_allgather";
}
static const char *reduce(const struct asked *q)
{
	if (q->avg <= 2048 || !q->commutes || q->count < largest_power(q->p))
		return "Reduce_intra_binomial";
	return "Reduce_intra_reduce_scatter_gather";
}
static const char *allgather(const struct asked *q)
{
	if (q->pow2)
		return q->total < 524288 ? "Allgather_intra_recursive_doubling"
		                         : "Allgather_intra_ring";
	return q->total < 81920 ? "Allgather_intra_brucks" : "Allgather_intra_ring";
}
static const char *allgatherv(const struct asked *q)
{
	if (q->pow2)
		return q->total < 524288 ? "Allgatherv_intra_recursive_doubling"
		                         : "Allgatherv_intra_ring";
	return q->total < 81920 ? "Allgatherv_intra_brucks" : "Allgatherv_intra_ring";
}
static const char *reduce_scatter(const struct asked *q)
{
	if (q->commutes)
		return q->total < 524288 ? "Reduce_scatter_intra_recursive_halving"
		                         : "Reduce_scatter_intra_pairwise";
	return q->regular && q->pow2 ? "Reduce_scatter_intra_noncommutative"
	                             : "Reduce_scatter_intra_recursive_doubling";
}
/* "comm_size<8" behind a question about the call includes 8 (csel.c). */
static const char *alltoall(const struct asked *q)
{
	if (q->in_place)
		return "Alltoall_intra_pairwise_sendrecv_replace";
	if (q->p > 8 && q->avg <= 256)
		return "Alltoall_intra_brucks";
	return q->avg <= 32768 ? "Alltoall_intra_scattered" : "Alltoall_intra_pairwise";
}
static const char *alltoallv(const struct asked *q)
{
	return q->in_place ? "Alltoallv_intra_pairwise_sendrecv_replace"
	                   : "Alltoallv_intra_scattered";
}
static const char *alltoallw(const struct asked *q)
{
	return q->in_place ? "Alltoallw_intra_pairwise_sendrecv_replace"
	                   : "Alltoallw_intra_scattered";
}
static const char *gather(const struct asked *q)
{
	(void)q;
	return "Gather_intra_binomial";
}
static const char *scatter(const struct asked *q)
{
	(void)q;
	return "Scatter_intra_binomial";
}
static const char *scan(const struct asked *q)
{
	(void)q;
	return "Scan_intra_recursive_doubling"; /* of ranks that have a host each */
}
static const char *exscan(const struct asked *q)
{
	(void)q;
	return "Exscan_intra_recursive_doubling";
}
static const char *barrier(const struct asked *q)
{
	(void)q;
	return "Barrier_intra_dissemination";
}
static const char *gatherv(const struct asked *q)
{
	(void)q;
	return "Gatherv_allcomm_linear";
}
static const char *scatterv(const struct asked *q)
{
	(void)q;
	return "Scatterv_allcomm_linear";
}

static const struct {
	enum coll_kind kind;
	rule *rule;
	int64_t limits[3]; /* bytes of a rank's, or of all; 0: none */
	int of_all;
} rules[] = {
    {COLL_BCAST, bcast, {12288, 524288}, 0},
    {COLL_ALLREDUCE, allreduce, {8, 64}, 0},
    {COLL_REDUCE, reduce, {2048, 64}, 0},
    {COLL_ALLGATHER, allgather, {524288, 81920}, 1},
    {COLL_ALLGATHERV, allgatherv, {524288, 81920}, 1},
    {COLL_REDUCE_SCATTER, reduce_scatter, {524288}, 1},
    {COLL_ALLTOALL, alltoall, {256, 32768}, 0},
    {COLL_ALLTOALLV, alltoallv, {256}, 0},
    {COLL_ALLTOALLW, alltoallw, {256}, 0},
    {COLL_GATHER, gather, {2048}, 0},
    {COLL_SCATTER, scatter, {2048}, 0},
    {COLL_SCAN, scan, {2048}, 0},
    {COLL_EXSCAN, exscan, {2048}, 0},
    {COLL_BARRIER, barrier, {0}, 0},
    {COLL_GATHERV, gatherv, {2048}, 0},
    {COLL_SCATTERV, scatterv, {2048}, 0},
};

static int64_t count_draw(const int64_t *limits, int of_all, uint32_t p, int64_t size,
                          struct rng *r)
{
	int64_t limit = limits[rng_below(r, 3)], near;

	if (limit == 0 || prop_once_in(r, 4))
		return prop_from(r, 1, prop_once_in(r, 2) ? 300 : 300000);
	near = limit / (of_all ? p : 1) / size + (int64_t)rng_below(r, 5) - 2;
	return near < 1 ? 1 : near;
}

static void check(size_t i, struct rng *r)
{
	static const int64_t sizes[] = {1, 1, 4, 8, 24};
	static int64_t counts[P_MOST];
	struct coll_policy policy = {.selector = coll_selector_find("mpich-4")};
	uint32_t p = prop_once_in(r, 2) ? 1u << prop_from(r, 1, 7) : prop_from(r, 2, P_MOST);
	int64_t size = sizes[rng_below(r, 5)],
	        count = count_draw(rules[i].limits, rules[i].of_all, p, size, r);
	struct coll_args a = {.kind = rules[i].kind,
	                      .size = p,
	                      .count = count,
	                      .count2 = count,
	                      .type_size = size,
	                      .type_size2 = size,
	                      .commutative = !prop_once_in(r, 4),
	                      .in_place = prop_once_in(r, 4),
	                      .basic_type = 1,
	                      .policy = &policy};
	struct asked q = {.avg = count * size,
	                  .count = count,
	                  .p = p,
	                  .pow2 = largest_power(p) == p,
	                  .commutes = a.commutative,
	                  .regular = prop_once_in(r, 2),
	                  .in_place = a.in_place};
	const char *parameters, *name;
	struct coll_choice c;

	for (uint32_t k = 0; k < p; k++) {
		counts[k] = count + (!q.regular && k == 1);
		q.total += counts[k] * size;
	}
	if (a.kind == COLL_ALLGATHERV || a.kind == COLL_REDUCE_SCATTER || a.kind == COLL_GATHERV)
		a.counts2 = counts;
	else
		q.total = count * size * p;
	if (a.kind == COLL_ALLTOALLV || a.kind == COLL_ALLTOALLW || a.kind == COLL_SCATTERV)
		a.counts = a.counts2 = counts;
	c = coll_decide(&a);
	name = coll_mpich_name(c.wanted ? c.wanted : c.alg, &parameters);
	if (!name || strcmp(name, rules[i].rule(&q)) != 0)
		fail_msg("%s, %u ranks, %lld of %lld bytes, commutes %d, in place %d: %s, not %s",
		         coll_kind_name(a.kind), p, (long long)count, (long long)size, q.commutes,
		         q.in_place, name ? name : c.alg->name, rules[i].rule(&q));
}

static void decisions_are_mpichs(void **state)
{
	struct prop_run run = prop_begin(2000);

	(void)state;
	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
		for (uint64_t k = 0; k < run.cases; k++) {
			struct rng r;

			rng_init(&r, run.seed + k, "mpich-4", i);
			check(i, &r);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(decisions_are_mpichs)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
