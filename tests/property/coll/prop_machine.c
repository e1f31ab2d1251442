/* prop_machine.c: every algorithm, performed by processes that move real bytes in an order drawn
 * at random, leaves with each what MPI says (mpi_call.h, machine.h): blocking and non-blocking
 * forms, any counts, roots, types on both sides, operators that do not commute, hosts, selectors,
 * segments and fanouts. Nobody leaves a barrier before the last has come. Selected algorithms
 * combine whole elements only. */
#include "machine.h"

#include "coll/coll_int.h"

enum { CALLS = 9 };

static struct mpi_call call;
static struct machine machine;

static void performs(const struct coll_alg *alg, uint64_t seed, uint64_t i, uint32_t late,
                     struct rng *r)
{
	if (machine_run(&machine, &call, alg, late, r) < 0)
		fail_msg("%s %s, seed %llu, call %llu: %u ranks, root %u, k %lld of %lld bytes, "
		         "segment %lld, fanout %u: %s",
		         coll_kind_name(alg->kind), alg->name, (unsigned long long)seed,
		         (unsigned long long)i, call.p, call.root, (long long)call.k,
		         (long long)call.e, (long long)call.segment, call.fanout, machine.wrong);
}

static int refuses(const struct coll_alg *alg)
{
	struct coll_args a;

	args_of(&call, 0, &a);
	return coll_alg_refuses(alg, &a) != NULL;
}

static int is_right_alone(const struct coll_alg *alg)
{
	return !alg->defect && alg->kind < COLL_NEIGHBOR_ALLGATHER;
}

static unsigned perform_all(const struct coll_alg *alg, enum coll_kind kind,
                            const struct prop_run *run)
{
	unsigned performed = 0;

	for (uint64_t i = 0; i < run->cases; i++) {
		struct rng r;
		uint32_t late;

		rng_init(&r, run->seed + i, alg->name, kind);
		call_draw(&call, kind, 0, &r);
		late = kind == COLL_BARRIER || prop_once_in(&r, 4) ? prop_from(&r, 0, call.p - 1)
		                                                   : NOBODY;
		if (!refuses(alg)) {
			performs(alg, run->seed, i, late, &r);
			performed++;
		}
		call_release(&call);
	}
	return performed;
}

static void every_algorithm_does_what_mpi_says(void **state)
{
	struct prop_run run = prop_begin(CALLS);
	unsigned performed = 0, algs = 0;

	(void)state;
	for (const struct coll_alg *const *alg = coll_algs; *alg; alg++) {
		if (!is_right_alone(*alg))
			continue;
		performed += perform_all(*alg, (*alg)->kind, &run);
		if ((*alg)->kind == COLL_REDUCE_SCATTER)
			performed += perform_all(*alg, COLL_REDUCE_SCATTER_BLOCK, &run);
		algs++;
	}
	print_message("%u calls of %u algorithms performed\n", performed, algs);
	assert_true(performed > 3 * algs);
}

/* All ranks choose the same, with the same parameters, whatever types each describes its blocks
 * with: else nobody would receive what another sends. */
static void assert_all_choose(const struct coll_choice *choice, uint64_t seed, uint64_t i)
{
	for (uint32_t rank = 1; rank < call.p; rank++) {
		struct coll_args a;
		struct coll_choice c;

		args_of(&call, rank, &a);
		c = coll_decide(&a);
		if (c.alg != choice->alg || c.segment != choice->segment ||
		    c.fanout != choice->fanout)
			fail_msg("%s, selector %s, seed %llu, call %llu: rank 0 of %u chooses %s, "
			         "rank %u %s",
			         coll_kind_name(a.kind), call.policy.selector->name,
			         (unsigned long long)seed, (unsigned long long)i, call.p,
			         choice->alg->name, rank, c.alg->name);
	}
}

/* Whatever a selector chooses for blocking calls, and what non-blocking ones run. */
static void what_is_chosen_does_what_mpi_says(void **state)
{
	struct prop_run run = prop_begin(25);

	(void)state;
	for (int k = 0; k < COLL_NEIGHBOR_ALLGATHER; k++)
		for (uint64_t i = 0; i < run.cases; i++) {
			struct coll_args a;
			struct coll_choice choice;
			struct rng r;

			rng_init(&r, run.seed, "chosen", i * COLL_KINDS + (uint64_t)k);
			call_draw(&call, (enum coll_kind)k, 0, &r);
			args_of(&call, 0, &a);
			choice = coll_decide(&a);
			assert_all_choose(&choice, run.seed, i);
			call.segment = choice.segment;
			call.fanout = choice.fanout;
			performs(choice.alg, run.seed, i, NOBODY, &r);
			call.segment = call.fanout = 0;
			performs(coll_alg_nonblocking(a.kind, &a), run.seed, i, NOBODY, &r);
			call_release(&call);
		}
}

/* --- all that a step list may depend on --- */

static int same_message(const struct coll_step *a, const struct coll_step *b)
{
	return a->kind == b->kind && a->peer == b->peer && a->req == b->req && a->len == b->len &&
	       a->n == b->n;
}

static void assert_same_lists(const struct coll_alg *alg, const struct coll_args *a,
                              const struct coll_args *b, uint32_t rank, int offsets_too)
{
	struct coll_cursor ca = {0}, cb = {0};
	struct coll_steps one, two;
	int r, s;

	do {
		one.n = two.n = 0;
		r = coll_next(alg, a, rank, &ca, &one);
		s = coll_next(alg, b, rank, &cb, &two);
		assert_int_equal(r, s);
		if (r == COLL_END)
			return;
		assert_int_equal(one.n, two.n);
		for (uint32_t i = 0; i < one.n; i++) {
			const struct coll_step *x = &one.s[i], *y = &two.s[i];

			if (!same_message(x, y) ||
			    (offsets_too && (x->off != y->off || x->src_off != y->src_off)))
				fail_msg("%s %s, rank %u of %u, round %u, step %u differs",
				         coll_kind_name(alg->kind), alg->name, rank, a->size,
				         ca.round, i);
		}
	} while (1);
}

/* Sums of counts that the caller has at hand change nothing; and who asks for sizes only (replay)
 * sends the same messages. */
static void the_same_messages_however_asked(void **state)
{
	struct prop_run run = prop_begin(6);

	(void)state;
	for (const struct coll_alg *const *alg = coll_algs; *alg; alg++)
		for (uint64_t i = 0; i < run.cases && is_right_alone(*alg); i++) {
			struct coll_args plain, given;
			struct rng r;
			uint32_t rank;

			rng_init(&r, run.seed + i, (*alg)->name, 77);
			call_draw(&call, (*alg)->kind, 0, &r);
			if (!refuses(*alg)) {
				rank = prop_from(&r, 0, call.p - 1);
				args_of(&call, rank, &plain);
				call.uses_displs = 1;
				args_of(&call, rank, &given);
				assert_same_lists(*alg, &plain, &given, rank, 1);
				call.sizes_only = 1;
				call.uses_displs = (uint8_t)rng_below(&r, 2);
				args_of(&call, rank, &given);
				assert_same_lists(*alg, &plain, &given, rank, 0);
			}
			call_release(&call);
		}
}

/* What compat alone selects, because it is wrong as its model is: the machine sees it too. */
static void defects_are_seen(void **state)
{
	struct prop_run run = prop_begin(400);

	(void)state;
	for (const struct coll_alg *const *alg = coll_algs; *alg; alg++) {
		int seen = 0;

		for (uint64_t i = 0; i < run.cases && (*alg)->defect && !seen; i++) {
			struct rng r;

			rng_init(&r, run.seed, (*alg)->name, i);
			call_draw(&call, (*alg)->kind, 0, &r);
			seen = !refuses(*alg) &&
			       machine_run(&machine, &call, *alg, i % call.p, &r) < 0;
			call_release(&call);
		}
		if ((*alg)->defect && !seen)
			fail_msg("%s %s: %s, but nothing is wrong", coll_kind_name((*alg)->kind),
			         (*alg)->name, (*alg)->defect);
	}
}

/* Wrong in longer calls than are drawn here. */
static int shows_late(const struct coll_alg *alg)
{
	return strcmp(alg->name, "smp_binomial_pipeline") == 0 ||
	       strcmp(alg->name, "flattree_pipeline") == 0;
}

/* What compat:simgrid-3.32 keeps of SMPI's mistakes is told in docs/compat.md; nothing else may be
 * wrong there. */
static const char *const told[] = {"allreduce smp_rsag",
                                   "allreduce smp_rsag_rab",
                                   "allreduce smp_binomial_pipeline",
                                   "allreduce smp_rsag_lr",
                                   "bcast flattree_pipeline",
                                   "bcast mvapich2_inter_node",
                                   "gather ompi_linear_sync",
                                   "reduce_scatter ompi_basic_recursivehalving"};

static int is_told(const struct coll_alg *alg)
{
	char name[100];

	snprintf(name, sizeof name, "%s %s", coll_kind_name(alg->kind), alg->name);
	for (size_t i = 0; i < sizeof told / sizeof *told; i++)
		if (strcmp(told[i], name) == 0)
			return 1;
	return 0;
}

static void compat_is_wrong_only_where_told(void **state)
{
	struct prop_run run = prop_begin(5);

	(void)state;
	for (const struct coll_alg *const *alg = coll_algs; *alg; alg++) {
		int seen = 0;

		for (uint64_t i = 0;
		     is_right_alone(*alg) && i < run.cases * (is_told(*alg) ? 80 : 1); i++) {
			struct rng r;
			int wrong;

			rng_init(&r, run.seed + i, (*alg)->name, 99);
			call_draw(&call, (*alg)->kind, 0, &r);
			call.compat = 1;
			/* parts that others choose may be among those told */
			call.policy = (struct coll_policy){.selector = NULL};
			wrong = !refuses(*alg) &&
			        machine_run(&machine, &call, *alg, NOBODY, &r) < 0;
			seen |= wrong;
			if (wrong && !is_told(*alg))
				fail_msg("%s %s, seed %llu, %u ranks: %s",
				         coll_kind_name((*alg)->kind), (*alg)->name,
				         (unsigned long long)(run.seed + i), call.p, machine.wrong);
			call_release(&call);
		}
		if (is_told(*alg) && !seen && !shows_late(*alg))
			fail_msg("%s %s is right with compat, too", coll_kind_name((*alg)->kind),
			         (*alg)->name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_algorithm_does_what_mpi_says),
	    cmocka_unit_test(what_is_chosen_does_what_mpi_says),
	    cmocka_unit_test(the_same_messages_however_asked),
	    cmocka_unit_test(defects_are_seen),
	    cmocka_unit_test(compat_is_wrong_only_where_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
