/* prop_bounds.c: no algorithm is faster than can be (Chan, Heimlich, Purkayastha, van de Geijn,
 * Collective communication: theory, practice, and experience, CCPE 19, 2007, table 1), in the model
 * of the textbooks (hockney.h), for random sizes, counts, roots and hosts: one that were would have
 * sent less than it must. Latency: who knows something at most doubles with each message.
 * Bandwidth: what has to come in through one rank's port. Combining: each element p - 1 times, by p
 * ranks. And the time of a call is that of its messages: with all costs doubled, it doubles. */
#include "hockney.h"
#include "mpi_call.h"

#include <math.h>

static struct mpi_call call;
static struct coll_args args[CALL_RANKS];

/* Rounds of messages without which not all ranks can know of all, or of the root. */
static double rounds(void)
{
	double n = 0;

	while ((1u << (unsigned)n) < call.p)
		n++;
	return n;
}
/* Bytes that no rank can do without: the most that one rank has to get, or to give. */
static double bytes_through_one(void)
{
	int64_t most = 0;

	for (uint32_t r = 0; r < call.p; r++) {
		int64_t in = 0, out = 0;

		for (uint32_t i = 0; i < call.p; i++) {
			in += i == r ? 0 : call_block(&call, i, r);
			out += i == r ? 0 : call_block(&call, r, i);
		}
		if (call.kind == COLL_GATHER || call.kind == COLL_GATHERV)
			in = r == call.root ? in : 0;
		if (call.kind == COLL_SCATTER || call.kind == COLL_SCATTERV)
			in = r == call.root ? out : 0;
		most = in > most ? in : most;
	}
	return (double)most;
}
static struct hockney_cost least(void)
{
	double p = call.p, n = (double)(call.k * call_unit(&call));
	struct hockney_cost c = {rounds(), 0, 0};

	switch (call.kind) {
	case COLL_BARRIER:
		break;
	case COLL_BCAST:
	case COLL_SCAN:
	case COLL_EXSCAN:
		c.beta = p > 1 ? n : 0;
		break;
	case COLL_REDUCE:
		c.beta = p > 1 ? n : 0;
		c.gamma = (p - 1) / p * n;
		break;
	case COLL_ALLREDUCE:
		c.beta = 2 * (p - 1) / p * n;
		c.gamma = (p - 1) / p * n;
		break;
	case COLL_REDUCE_SCATTER:
	case COLL_REDUCE_SCATTER_BLOCK:
		n = (double)call_vector(&call, 0);
		c.beta = (p - 1) / p * n;
		c.gamma = (p - 1) / p * n;
		break;
	default:
		c.beta = bytes_through_one();
	}
	return c;
}

/* Is every rank's message there, so that nobody can leave a round out? */
static int has_content(void)
{
	for (uint32_t i = 0; i < call.p; i++)
		for (uint32_t j = 0; j < call.p; j++)
			if (call.kind != COLL_BARRIER && call_block(&call, i, j) == 0)
				return 0;
	return 1;
}

static void assert_not_faster(const struct coll_alg *alg, struct hockney_cost cost,
                              struct hockney_cost bound, const char *what)
{
	double t = hockney_time(alg, args, cost),
	       b = bound.alpha * cost.alpha + bound.beta * cost.beta + bound.gamma * cost.gamma;

	if (t < b * (1 - 1e-12))
		fail_msg("%s %s, %u ranks, k %lld: %s of %.17g, but none can be below %.17g",
		         coll_kind_name(alg->kind), alg->name, call.p, (long long)call.k, what, t,
		         b);
}

static void check(const struct coll_alg *alg, struct rng *r)
{
	struct hockney_cost bound = least(), any = {1 + rng_unit(r), rng_unit(r), rng_unit(r)},
	                    twice = {2 * any.alpha, 2 * any.beta, 2 * any.gamma};

	for (uint32_t i = 0; i < call.p; i++)
		args_of(&call, i, &args[i]);
	if (coll_alg_refuses(alg, &args[0]))
		return;
	if (has_content())
		assert_not_faster(alg, (struct hockney_cost){1, 0, 0}, bound, "latencies");
	assert_not_faster(alg, (struct hockney_cost){0, 1, 0}, bound, "bytes");
	assert_not_faster(alg, (struct hockney_cost){0, 0, 1}, bound, "combined bytes");
	assert_double_is(2 * hockney_time(alg, args, any), hockney_time(alg, args, twice));
}

static void no_algorithm_is_faster_than_can_be(void **state)
{
	struct prop_run run = prop_begin(2);

	(void)state;
	for (const struct coll_alg *const *alg = coll_algs; *alg; alg++)
		for (uint64_t i = 0; i < run.cases; i++) {
			struct rng r;

			if ((*alg)->defect || (*alg)->kind >= COLL_NEIGHBOR_ALLGATHER)
				continue;
			rng_init(&r, run.seed + i, (*alg)->name, (*alg)->kind);
			call_draw(&call, (*alg)->kind, 0, &r);
			check(*alg, &r);
			call_release(&call);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(no_algorithm_is_faster_than_can_be)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
