/* test_path.c: how much of the end was computed, and slept, on the path to it (mp_path), worked by
 * hand for each way in which one rank waits for another. Hosts compute 1e9 a second, so that
 * COMPUTE(1e9) is 1 s; messages take some microseconds. What the path has is a derivative: where a
 * second of it may be somebody else's, sums of different seconds tell whose. */
#include "sim.h"

#define GIGA 1e9

static void path_is(const char *settings, const struct act *const *programs, uint32_t ranks,
                    double computed, double slept)
{
	struct mp_path path;
	struct sim s;

	sim_do(&s, FLAT, settings, programs, ranks);
	mp_path(s.mp, &path);
	sim_release(&s);
	assert_close(path.computed, computed, 1e-9);
	assert_close(path.slept, slept, 1e-9);
}

/* With and without what is only done where somebody looks closely, or nobody does. */
static void is(const struct act *const *programs, uint32_t ranks, double computed, double slept)
{
	static const char *const settings[] = {PLAIN, PLAIN " smpi/connections:ordered",
	                                       PLAIN " smpi/progress:calls",
	                                       PLAIN " compat:simgrid-3.32",
	                                       "network/model:constant "
	                                       "network/latency-factor:1e-5"};

	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
		path_is(settings[i], programs, ranks, computed, slept);
}

/* 1 s of the sender, then 0.25 s of the receiver, which has computed for 0.5 s. What the sender
 * does after that is no matter, but over a connection whose request it sees answered in its next
 * call. */
static void of_a_sender(void **state)
{
	const struct act sender[] = {COMPUTE(GIGA), SEND(1, 0, 100), COMPUTE(GIGA / 8), {0}};
	const struct act receiver[] = {COMPUTE(GIGA / 2), RECV(0, 0, 100), COMPUTE(GIGA / 4), {0}};
	const struct act *programs[2] = {sender, receiver};

	(void)state;
	path_is(PLAIN, programs, 2, 1.25, 0);
	path_is(PLAIN " smpi/async-small-thresh:1000", programs, 2, 1.25, 0);
	path_is(PLAIN " compat:simgrid-3.32", programs, 2, 1.25, 0);
	path_is(PLAIN " smpi/connections:ordered", programs, 2, 1.375, 0);
	path_is(PLAIN " smpi/connections:ordered smpi/async-small-thresh:1000", programs, 2, 1.25,
	        0);
}

/* What was sent long before is none of the receiver's affair. */
static void of_who_need_not_wait(void **state)
{
	const struct act sender[] = {COMPUTE(GIGA), SEND(1, 0, 100), {0}};
	const struct act receiver[] = {
	    SLEEP(0.5), COMPUTE(2 * GIGA), RECV(0, 0, 100), SLEEP(0.25), {0}};
	const struct act *programs[2] = {sender, receiver};

	(void)state;
	is(programs, 2, 2, 0.75);
}

/* What is large waits for its receiver, and keeps its sender: the receiver's 2 s, of which 1 s was
 * slept, then 0.5 s of the sender. */
static void of_a_receiver(void **state)
{
	const struct act sender[] = {COMPUTE(GIGA), SEND(1, 0, 1e6), COMPUTE(GIGA / 2), {0}};
	const struct act receiver[] = {COMPUTE(GIGA), SLEEP(1), RECV(0, 0, 1e6), {0}};
	const struct act *programs[2] = {sender, receiver};

	(void)state;
	is(programs, 2, 1.5, 1);
	path_is("network/model:loggps", programs, 2, 1.5, 1);
	path_is("network/model:loggps loggps/handshake:yes", programs, 2, 1.5, 1);
}

/* The last of several, whatever it is called: 2 s of rank 2; of any, the first: 1 s of rank 1, and
 * 3 s of its own. */
static void of_several(void **state)
{
	const struct act all[] = {
	    IRECV(1, 0, 1e9, 0), IRECV(2, 0, 1e9, 1), WAITALL(0, 2), COMPUTE(GIGA / 8), {0}};
	const struct act any[] = {IRECV(1, 0, 1e9, 0), IRECV(2, 0, 1e9, 1), WAITANY(0, 2),
	                          COMPUTE(3 * GIGA),   WAITANY(0, 2),       {0}};
	const struct act some[] = {IRECV(1, 0, 1e9, 0), IRECV(2, 0, 1e9, 1), WAITSOME(0, 2),
	                           WAITSOME(0, 2),      COMPUTE(GIGA / 8),   {0}};
	const struct act early[] = {COMPUTE(GIGA), SEND(0, 0, 100), {0}},
	                 late[] = {COMPUTE(2 * GIGA), SEND(0, 0, 100), {0}};
	const struct act *programs[3] = {all, early, late};

	(void)state;
	is(programs, 3, 2.125, 0);
	programs[0] = any;
	is(programs, 3, 4, 0);
	programs[0] = some;
	is(programs, 3, 2.125, 0);
}

/* Who probes waits for its sender. (As SimGrid's it is a loop, which computes.) */
static void of_who_is_probed_for(void **state)
{
	const struct act sender[] = {COMPUTE(GIGA), SLEEP(0.5), SEND(1, 0, 100), {0}};
	const struct act receiver[] = {PROBE(0, 0), RECV(0, 0, 100), COMPUTE(GIGA / 4), {0}};
	const struct act *programs[2] = {sender, receiver};

	(void)state;
	path_is(PLAIN, programs, 2, 1.25, 0.5);
	path_is(PLAIN " smpi/connections:ordered", programs, 2, 1.25, 0.5);
}

/* Rank 2 comes last to a collective, after 2 s and 1 s of sleep, and rank 0 computes after it:
 * simulated with rows, requests and turns (is), decided as a whole, and in the background, where
 * nobody computes but before. */
static void of_a_collective(void **state)
{
	static const struct act barrier = COLL(.kind = COLL_BARRIER),
	                        behind = ICOLL(0, .kind = COLL_BARRIER),
	                        gather = COLL(.kind = COLL_GATHER, .count = 100, .count2 = 100,
	                                      .type_size = 1, .type_size2 = 1);
	const struct act calls[] = {barrier, gather, behind};

	(void)state;
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
		struct act last = i == 2 ? (struct act)WAIT(0) : (struct act)SLEEP(0);
		struct act root[] = {calls[i], last, COMPUTE(GIGA / 2), {0}},
		           late[] = {COMPUTE(2 * GIGA), SLEEP(1), calls[i], last, {0}},
		           other[] = {COMPUTE(GIGA), calls[i], last, {0}};
		const struct act *programs[4] = {root, other, late, other};

		is(programs, 4, 2.5, 1);
		path_is("network/model:psins-simple", programs, 4, 2.5, 1);
	}
}

/* A broadcast goes on behind rank 1's back, which computes for 4 s: rank 2 has it after 1 s of rank
 * 0 where the library of rank 1 sees it at once, else only when rank 1 calls it again. */
static void of_what_goes_on_in_the_background(void **state)
{
	static const struct act bcast = ICOLL(0, .kind = COLL_BCAST, .count = 1, .type_size = 8);
	const struct act root[] = {COMPUTE(GIGA), bcast, WAIT(0), {0}};
	const struct act between[] = {bcast, COMPUTE(4 * GIGA), WAIT(0), {0}};
	const struct act end[] = {bcast, WAIT(0), COMPUTE(5 * GIGA), {0}};
	const struct act *programs[3] = {root, between, end};

	(void)state;
	path_is(PLAIN " smpi/bcast:ompi_pipeline smpi/progress:async", programs, 3, 6, 0);
	path_is(PLAIN " smpi/bcast:ompi_pipeline smpi/progress:calls", programs, 3, 9, 0);
}

/* 10 GB that go first hold up what goes over the same connection behind them, which is so let go by
 * their sender's first second, not by its second one. */
static void of_a_turn_on_a_connection(void **state)
{
	const struct act sender[] = {COMPUTE(GIGA),       ISEND(1, 0, 1e10, 0), COMPUTE(GIGA),
	                             ISEND(1, 1, 100, 1), WAITALL(0, 2),        {0}};
	const struct act receiver[] = {
	    IRECV(0, 0, 1e10, 0), IRECV(0, 1, 100, 1), WAIT(1), COMPUTE(GIGA / 4), WAIT(0), {0}};
	const struct act *programs[2] = {sender, receiver};

	(void)state;
	path_is(PLAIN " smpi/connections:ordered smpi/async-small-thresh:1e11 "
	              "smpi/send-is-detached-thresh:1e11",
	        programs, 2, 1.25, 0);
}

/* Operators of reductions compute. */
static void of_operators(void **state)
{
	struct act reduce = COLL(.kind = COLL_ALLREDUCE, .count = 1, .type_size = 8);
	struct act all[] = {reduce, {0}};
	const struct act *programs[2] = {all, all};

	(void)state;
	all[0].bytes = GIGA / 2;
	path_is(PLAIN, programs, 2, 0.5, 0);
}

/* The end of a run that cannot go on is what happened last: rank 0 waits for nothing after 3 s; or
 * rank 1 ends after 3.5 s; or what it has sent then, and has not waited for, has come. */
static void of_a_deadlock(void **state)
{
	const struct act waits[] = {COMPUTE(3 * GIGA), RECV(1, 1, 100), {0}};
	const struct act early[] = {COMPUTE(GIGA), RECV(0, 1, 100), {0}},
	                 late[] = {SLEEP(0.5), COMPUTE(3 * GIGA), SEND(0, 0, 100), {0}};
	static const char *const settings[] = {PLAIN, PLAIN, PLAIN " smpi/async-small-thresh:1000"};
	const struct act *programs[2] = {waits, early};
	struct mp_path path;
	struct sim s;

	(void)state;
	for (int i = 0; i < 3; i++) {
		programs[1] = i ? late : early;
		sim_init(&s, FLAT, settings[i], programs, 2);
		sim_run(&s);
		assert_int_equal(s.result, -1);
		mp_path(s.mp, &path);
		assert_close(mp_now(s.mp), i == 0 ? 3 : i == 1 ? 3.5 : 3.5 + FLAT_TIME(100), 1e-9);
		sim_release(&s);
		assert_close(path.computed, 3, 1e-9);
		assert_close(path.slept, i ? 0.5 : 0, 1e-9);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(of_a_sender),
	    cmocka_unit_test(of_who_need_not_wait),
	    cmocka_unit_test(of_a_receiver),
	    cmocka_unit_test(of_several),
	    cmocka_unit_test(of_who_is_probed_for),
	    cmocka_unit_test(of_a_collective),
	    cmocka_unit_test(of_what_goes_on_in_the_background),
	    cmocka_unit_test(of_a_turn_on_a_connection),
	    cmocka_unit_test(of_operators),
	    cmocka_unit_test(of_a_deadlock),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
