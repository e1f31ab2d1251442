/* test_row.c: receives of collectives without requests end when those with requests do: every
 * algorithm runs in both ways. An overhead of messages of more than 1e15 bytes costs nothing here,
 * and makes them requests. */
#include "sim.h"

#include "mp/mp_int.h"

#define REQUESTS " smpi/or:1e15:1:0"

static const struct {
	struct act act;
	const char *setting;
} calls[] = {
    {COLL(.kind = COLL_BCAST, .root = 1, .count = 30, .type_size = 8), "smpi/bcast"},
    {COLL(.kind = COLL_REDUCE, .root = 2, .count = 30, .type_size = 8, .commutative = 1,
          .basic_type = 1),
     "smpi/reduce"},
    {COLL(.kind = COLL_ALLREDUCE, .count = 30, .type_size = 8, .commutative = 1, .basic_type = 1),
     "smpi/allreduce"},
    {COLL(.kind = COLL_GATHER, .root = 5, .count = 30, .type_size = 8, .count2 = 30,
          .type_size2 = 8),
     "smpi/gather"},
    {COLL(.kind = COLL_SCATTER, .root = 3, .count = 30, .type_size = 8, .count2 = 30,
          .type_size2 = 8),
     "smpi/scatter"},
    {COLL(.kind = COLL_ALLGATHER, .count = 30, .type_size = 8, .count2 = 30, .type_size2 = 8),
     "smpi/allgather"},
    {COLL(.kind = COLL_ALLTOALL, .count = 30, .type_size = 8, .count2 = 30, .type_size2 = 8),
     "smpi/alltoall"},
    {COLL(.kind = COLL_BARRIER), "smpi/barrier"},
};

/* Members are there in this order, at dates that are near to what messages take; late: the last of
 * them. */
static void both_ways(const struct act *call, const char *settings, int late)
{
	static const uint32_t turned[] = {4, 2, 0, 5, 1, 3};
	struct act acts[6][6] = {{{0}}};
	const struct act *programs[6];
	char requests[300];
	struct sim rows, other;

	for (uint32_t i = 0; i < 6; i++) {
		acts[i][0] = (struct act)COMM(1, 5, turned, 6);
		acts[i][1] = (struct act)SLEEP((i + (uint32_t)late) % 6 * 11e-6);
		acts[i][2] = acts[i][3] = acts[i][4] = *call;
		acts[i][3].comm = 1;
		programs[i] = acts[i];
	}
	snprintf(requests, sizeof requests, "%s" REQUESTS, settings);
	sim_do(&rows, FLAT, settings, programs, 6);
	sim_do(&other, FLAT, requests, programs, 6);
	for (uint32_t i = 0; i < 6; i++)
		for (uint32_t k = 2; k < 5; k++)
			assert_double_is(sim_date(&rows, i, k), sim_date(&other, i, k));
	sim_release(&rows);
	sim_release(&other);
}

static void as_requests(void **state)
{
	static const char *const how[] = {"", " smpi/async-small-thresh:60000",
	                                  " smpi/send-is-detached-thresh:0"};
	unsigned ran = 0;

	(void)state;
	for (const struct coll_alg *const *alg = coll_algs; *alg; alg++) {
		for (size_t c = 0; c < sizeof calls / sizeof *calls; c++) {
			char settings[200];

			if ((*alg)->kind != calls[c].act.coll.kind || (*alg)->defect)
				continue;
			for (size_t k = 0; k < 3; k++) {
				snprintf(settings, sizeof settings, PLAIN "%s %s:%s", how[k],
				         calls[c].setting, (*alg)->name);
				both_ways(&calls[c].act, settings, (int)(k + ran) % 6);
			}
			ran++;
		}
	}
	assert_true(ran > 100);
}

/* A slot for each request ever needed at once: the seven messages that go to the root, or come from
 * it, and no receive. */
static void slots(const char *settings, uint32_t most)
{
	const struct act acts[] = {COLL(.kind = COLL_ALLREDUCE, .count = 1, .type_size = 8,
	                                .commutative = 1, .basic_type = 1),
	                           {0}};
	struct sim s;

	all_do(&s, settings, acts, 8);
	assert_int_equal(s.mp->n_reqs, most);
	sim_release(&s);
}

static void memory(void **state)
{
	(void)state;
	slots(PLAIN, 7);
	slots(PLAIN REQUESTS, 7 + 7 + 7); /* and a receive for each, and those of the broadcast */
}

/* Who waits for whom is told as of requests. */
static void deadlock(void **state)
{
	const struct act late[] = {{0}},
	                 acts[] = {COLL(.kind = COLL_ALLREDUCE, .count = 1, .type_size = 8,
	                                .commutative = 1, .basic_type = 1),
	                           {0}},
	                 *programs[] = {acts, acts, late, acts};
	char first[2][4000];

	(void)state;
	for (int k = 0; k < 2; k++) {
		struct sim s;

		sim_init(&s, FLAT, k ? PLAIN REQUESTS : PLAIN, programs, 4);
		sim_run(&s);
		assert_int_equal(s.result, -1);
		snprintf(first[k], sizeof first[k], "%s", s.err.text);
		sim_release(&s);
	}
	assert_string_equal(first[0], first[1]);
	assert_non_null(strstr(first[0], "waits for a message from rank 2"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(as_requests),
	    cmocka_unit_test(memory),
	    cmocka_unit_test(deadlock),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
