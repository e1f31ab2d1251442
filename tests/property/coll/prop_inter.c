/* prop_inter.c: collectives on intercommunicators leave with each rank what MPI says of two groups
 * (MPI 4.0, 6.2.2 and 6.2.3), performed on real bytes in an order drawn at random (machine.h): the
 * root's data in the other group, each group's reduction in the other, roots in either group, any
 * sizes of groups, counts and types, and whatever selector has to say inside the groups. Nobody
 * leaves a barrier before all of the other group have come. */
#include "machine.h"

static struct mpi_call call;
static struct machine machine;

static void performs(enum coll_kind k, uint64_t seed, uint64_t i)
{
	struct rng r;
	uint32_t late;

	rng_init(&r, seed + i, "inter", k);
	call_draw(&call, k, 1, &r);
	call.segment = call.fanout = 0; /* tuning files are for the parts */
	late = k == COLL_BARRIER || prop_once_in(&r, 3) ? prop_from(&r, 0, call.p - 1) : NOBODY;
	if (machine_run(&machine, &call, coll_inter_alg(k), late, &r) < 0)
		fail_msg("%s between %u and %u ranks, root %u, seed %llu, call %llu, selector %s: "
		         "%s",
		         coll_kind_name(k), call.split, call.p - call.split, call.root,
		         (unsigned long long)seed, (unsigned long long)i,
		         call.policy.selector->name, machine.wrong);
	call_release(&call);
}

static void two_groups_get_what_mpi_says(void **state)
{
	struct prop_run run = prop_begin(120);

	(void)state;
	for (int k = 0; k < COLL_KINDS; k++)
		for (uint64_t i = 0; coll_inter_alg((enum coll_kind)k) && i < run.cases; i++)
			performs((enum coll_kind)k, run.seed, i);
}

/* MPI 4.0, 6.2.2: all but scans, and neighbourhoods, which need a topology. */
static void which_there_are(void **state)
{
	(void)state;
	for (int k = 0; k < COLL_KINDS; k++)
		assert_int_equal(coll_inter_alg((enum coll_kind)k) != NULL,
		                 k != COLL_SCAN && k != COLL_EXSCAN && k < COLL_NEIGHBOR_ALLGATHER);
}

/* Only the leaders and the root speak with the other group, where a leader is enough (inter.c):
 * groups of any size, one message each way. */
static uint64_t messages_between(enum coll_kind k)
{
	uint64_t n = 0;

	for (uint32_t rank = 0; rank < call.p; rank++) {
		struct coll_cursor c = {0};
		struct coll_steps out = {.n = 0};
		struct coll_args a;

		args_of(&call, rank, &a);
		while (out.n = 0, coll_next(coll_inter_alg(k), &a, rank, &c, &out) != COLL_END)
			for (uint32_t i = 0; i < out.n; i++)
				n += (out.s[i].kind == STEP_SEND || out.s[i].kind == STEP_ISEND) &&
				     !call_same_group(&call, rank, out.s[i].peer);
	}
	return n;
}

static void leaders_speak_for_their_groups(void **state)
{
	static const struct {
		enum coll_kind kind;
		uint64_t messages;
	} of[] = {{COLL_BARRIER, 2},   {COLL_BCAST, 1},         {COLL_REDUCE, 1},
	          {COLL_GATHER, 1},    {COLL_SCATTER, 1},       {COLL_ALLREDUCE, 2},
	          {COLL_ALLGATHER, 2}, {COLL_REDUCE_SCATTER, 2}};

	(void)state;
	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		for (uint64_t seed = 0; seed < 20; seed++) {
			struct rng r;

			rng_init(&r, seed, "leaders", i);
			call_draw(&call, of[i].kind, 1, &r);
			assert_int_equal(messages_between(of[i].kind), of[i].messages);
			call_release(&call);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(two_groups_get_what_mpi_says),
	    cmocka_unit_test(which_there_are),
	    cmocka_unit_test(leaders_speak_for_their_groups),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
