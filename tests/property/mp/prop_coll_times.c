/* prop_coll_times.c: collectives of mp on a network without sharing take what the textbooks' model
 * says (property/coll/hockney.h): where no rank sends or receives two messages at once, and none is
 * short enough to be sent on before it is received, alpha is the latency and the envelope, beta the
 * bandwidth's inverse; whatever the number of ranks and the count. */
#include "property/coll/hockney.h"
#include "property/prop.h"
#include "unit/mp/sim.h"

enum { RANKS_MOST = 13 };

/* As FLAT, with a host for each rank. */
#define WIDE \
	"<platform version='4.1'><cluster id='c' prefix='n' suffix='' radical='0-12' speed='1Gf' " \
	"core='2' bw='100MBps' lat='10us' loopback_bw='1GBps' loopback_lat='1us'/></platform>"

static const struct {
	enum coll_kind kind;
	const char *names;
} one_at_a_time[] = {
    {COLL_BARRIER, "ompi_bruck ompi_recursivedoubling mvapich2_pair ompi_doublering mpich_smp "
                   "mpich_recexch mpich_k_dissemination ompi_two_procs"},
    {COLL_BCAST, "binomial_tree scatter_LR_allgather scatter_rdb_allgather SMP_binomial "
                 "mvapich2_two_level mvapich2_inter_node mvapich2_intra_node mpich_smp "
                 "mpich_alpha mpich_beta ompi_adapt_pipeline nccl_ring ompi_scatter_allgather "
                 "ompi_scatter_allgather_ring mpich_flat"},
    {COLL_REDUCE, "ompi_basic_linear flat_tree binomial scatter_gather "
                  "mpich_reduce_scatter_gather ompi_redscat_gather mvapich2_two_level "
                  "mpich_flat mpich_knomial_1 rab nccl_ring"},
    {COLL_ALLREDUCE, "rdb rab_rdb mpich_reduce_scatter_allgather mvapich2_rs mvapich2_two_level "
                     "mpich_flat smp_binomial smp_rdb smp_rsag smp_rsag_lr smp_rsag_rab rab lr "
                     "ompi_ring_segmented ompi_ring ompi_redscat_allgather mpich_recexch "
                     "mpich_recursive_multiplying mpich_k_reduce_scatter_allgather circulant "
                     "nccl_ring two_level_ring swing swing_latency"},
    {COLL_GATHER, "ompi_basic_linear ompi_binomial mvapich2_two_level mpich_knomial"},
    {COLL_SCATTER, "ompi_basic_linear ompi_binomial mvapich2_two_level_direct "
                   "mvapich2_two_level_binomial mpich_binomial"},
    {COLL_ALLGATHER, "ring pair NTSLR NTSLR_NB ompi_neighborexchange bruck rdb rhv SMP_NTS "
                     "loosely_lr mvapich2_smp mpich_recexch mpich_recexch_halving "
                     "ompi_recursivedoubling k_bruck circulant nccl_ring swing"},
    {COLL_ALLTOALL, "bruck pair ring rdb pair_light_barrier ring_light_barrier k_bruck"},
    {COLL_SCAN, "ompi_linear recursive_doubling mpich_smp"},
    {COLL_EXSCAN, "ompi_linear recursive_doubling"},
    {COLL_ALLGATHERV, "ring pair ompi_neighborexchange ompi_bruck mpich_rdb mpich_ring ompi_ring "
                      "circulant mpich_recexch mpich_recexch_halving k_bruck nccl_ring"},
    {COLL_ALLTOALLV, "pair ring ompi_pairwise"},
    {COLL_ALLTOALLW, "pairwise"},
    {COLL_REDUCE_SCATTER,
     "mpich_pair mpich_rdb mpich_noncomm ompi_basic_recursivehalving ompi_ring "
     "ompi_butterfly ompi_butterfly_block circulant mpich_recexch nccl_ring swing"},
};

static int64_t counts[RANKS_MOST];

/* Messages are not short: no block has less than the bytes from which a send waits (65,536), and
 * none of the parts that these algorithms cut whole buffers into. */
static struct coll_args call_draw(enum coll_kind k, uint32_t p, struct rng *r)
{
	int64_t block = 70000 + (int64_t)rng_below(r, 100000),
	        n = k >= COLL_GATHER && k <= COLL_ALLTOALLW ? block : block * p;
	struct coll_args a = {
	    .kind = k, .type_size = 1, .type_size2 = 1, .commutative = 1, .basic_type = 1};

	for (uint32_t i = 0; i < p; i++)
		counts[i] = block;
	a.count = a.count2 = k == COLL_BARRIER ? 0 : n;
	if (k == COLL_ALLTOALLV || k == COLL_ALLTOALLW)
		a.counts = a.counts2 = counts;
	if (k == COLL_ALLGATHERV || k == COLL_REDUCE_SCATTER)
		a.counts2 = counts;
	return a;
}

static double simulated(const struct coll_alg *alg, const struct coll_args *a, uint32_t p)
{
	const struct act acts[2] = {{.k = ACT_COLL, .coll = *a}, {.k = ACT_END}};
	const struct act *programs[RANKS_MOST];
	char setting[200];
	struct sim s;
	double end = 0;

	for (uint32_t i = 0; i < p; i++)
		programs[i] = acts;
	snprintf(setting, sizeof setting, PLAIN " smpi/%s:%s", coll_kind_name(alg->kind),
	         alg->name);
	sim_do(&s, WIDE, setting, programs, p);
	for (uint32_t i = 0; i < p; i++)
		end = fmax(end, sim_date(&s, i, 0));
	sim_release(&s);
	return end;
}

static void check(const struct coll_alg *alg, struct rng *r)
{
	static const struct hockney_cost wide = {20e-6 + 16 / 100e6, 1 / 100e6, 0};
	uint32_t p = prop_from(r, 2, RANKS_MOST);
	struct coll_args args[RANKS_MOST], a = call_draw(alg->kind, p, r);
	double got, want;

	for (uint32_t i = 0; i < p; i++) {
		args[i] = a;
		args[i].size = p;
	}
	if (coll_alg_refuses(alg, &args[0]))
		return;
	got = simulated(alg, &a, p);
	want = hockney_time(alg, args, wide);
	if (fabs(got - want) > 1e-9 * want)
		fail_msg("%s %s, %u ranks, counts of %lld: %.12g s, not %.12g",
		         coll_kind_name(alg->kind), alg->name, p, (long long)a.count, got, want);
}

static void collectives_take_what_the_model_says(void **state)
{
	struct prop_run run = prop_begin(2);
	unsigned algs = 0;

	(void)state;
	for (size_t i = 0; i < sizeof one_at_a_time / sizeof *one_at_a_time; i++)
		for (const char *at = one_at_a_time[i].names; *at; at += strspn(at, " ")) {
			char name[64];
			const struct coll_alg *alg;

			snprintf(name, sizeof name, "%.*s", (int)strcspn(at, " "), at);
			alg = coll_alg_find(one_at_a_time[i].kind, name);
			if (!alg)
				fail_msg("no %s", name);
			for (uint64_t k = 0; k < run.cases; k++) {
				struct rng r;

				rng_init(&r, run.seed + k, name, one_at_a_time[i].kind);
				check(alg, &r);
			}
			at += strcspn(at, " ");
			algs++;
		}
	print_message("%u algorithms\n", algs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(collectives_take_what_the_model_says)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
