/* test_operators.c: what operators of reductions take whose volume a trace has, or which are the
 * program's own: dates worked by hand. T(n) = 30e-6 + (n + 16) / 125e6 is a message between two
 * hosts alone; hosts compute 1e9 a second. */
#include "test.h"

#include "sim.h"

#define FLAT SIM_CLUSTER("")
#define ONE \
	"network/latency-factor:1 network/bandwidth-factor:1 network/crosstraffic:no " \
	"network/TCP-gamma:0"
#define TRACE "# orrery-trace 1\n"

static double T(double n)
{
	return 30e-6 + (n + 16) / 125e6;
}

/* With one rank, or two that each reduce on their own: nothing but computation. */
static double alone(const char *trace, uint32_t np, const char *settings, struct replay_options o)
{
	struct sim s;

	o.scale = 1;
	assert_ok(sim_run_with(&s, FLAT, trace, np, settings, NULL, o), s.err);
	return s.time;
}

/* Durations are of computations only: an operator goes at the rate that its rank's had so far. */
static void at_the_recorded_rate(void **state)
{
	static const char
	    one[] = TRACE "0 compute 2e6 t=0.5\n0 allreduce 1 3e6 0\n",
	    mean[] = TRACE "0 compute 2e6 t=0.5\n0 compute 4e6 t=0.1\n0 allreduce 1 3e6 0\n"
	                   "0 compute 1e6 t=7\n",
	    waited[] = TRACE "0 compute 2e6 t=0.5\n0 iallreduce 1 3e6 0 req=0\n0 wait req=0\n",
	    tested[] = TRACE
	    "0 compute 2e6 t=0.5\n0 iallreduce 1 3e6 0 req=0\n0 testall reqs=0 done=0\n",
	    two[] = TRACE "0 compute 2e6 t=0.5\n0 allreduce 1 3e6 0 comm=self\n"
	                  "1 compute 2e6 t=0.1\n1 allreduce 1 3e6 0 comm=self\n";
	static const struct replay_options recorded = {.computation = REPLAY_RECORDED};

	(void)state;
	assert_close(alone(one, 1, ONE, recorded), 0.5 + 0.75, 1e-12);
	assert_close(alone(mean, 1, ONE, recorded), 0.6 + 3e6 * (0.6 / 6e6) + 7, 1e-12);
	assert_close(alone(waited, 1, ONE, recorded), 0.5 + 0.75, 1e-12);
	assert_close(alone(tested, 1, ONE, recorded), 0.5 + 0.75, 1e-12);
	assert_close(alone(two, 2, ONE, recorded), 0.5 + 0.75, 1e-12);
	/* as durations do, it does not depend on who shares the core */
	assert_close(alone(one, 1, ONE " noise/seed:1 noise/compute:0:1:2:0", recorded), 1.25,
	             1e-12);
}

/* Where there are none, it is a volume, as computations are then; and that is told. */
static void nothing_was_recorded(void **state)
{
	struct sim s;

	(void)state;
	assert_ok(sim_run_with(&s, FLAT, TRACE "0 compute 1e9\n0 allreduce 1 3e9 0\n", 1, ONE, NULL,
	                       (struct replay_options){.computation = REPLAY_RECORDED, .scale = 1}),
	          s.err);
	assert_close(s.time, 4, 1e-12);
	assert_non_null(strstr(s.report, "2 computations have no recorded duration"));
}

static void by_the_ratio_of_processors(void **state)
{
	static const char trace[] = TRACE "0 compute 2e6 t=0.5\n0 allreduce 1 3e6 0\n";
	const struct basis duration = {.kind = BASIS_DURATION, .ratio = 2},
	                   volume = {.kind = BASIS_VOLUME, .seconds = 1e-6, .ratio = 1};

	(void)state;
	assert_close(alone(trace, 1, ONE, (struct replay_options){.basis = &duration}), 1.25 / 2,
	             1e-12);
	assert_close(alone(trace, 1, ONE, (struct replay_options){.basis = &volume}), 2 + 3, 1e-12);
}

/* At calibrated rates it is a computation of no region. */
static void at_calibrated_rates(void **state)
{
	struct rates rates = {.speed = 5e8};
	struct err err;

	(void)state;
	assert_ok(rates_ready(&rates, &err), err);
	assert_close(alone(TRACE "0 compute 2e6\n0 allreduce 1 3e6 0\n", 1, ONE,
	                   (struct replay_options){.rates = &rates}),
	             5e6 / 5e8, 1e-12);
	rates_release(&rates);
}

/* Every computation takes twice as long: a mixture of one normal distribution without deviation. */
static void with_noise(void **state)
{
	static const char twice[] = ONE " noise/seed:1 noise/compute:0:1:2:0",
	                  large[] = ONE " noise/seed:1 noise/compute:0:1:1:0;2e6:1:3:0";
	static const char told[] = TRACE "0 reduce 1000 5e6 0 1\n1 reduce 1000 0 0 1\n",
	                  waited[] = TRACE
	                  "0 ireduce 1000 5e6 0 1 req=0\n1 ireduce 1000 0 0 1 req=0\n"
	                  "0 wait req=0\n1 wait req=0\n";
	const struct basis volume = {.kind = BASIS_VOLUME, .seconds = 1e-8, .ratio = 1};

	(void)state;
	assert_close(sim_time(FLAT, told, 2, ONE), T(4000) + 5e-3, 1e-12);
	assert_close(sim_time(FLAT, told, 2, twice), T(4000) + 10e-3, 1e-12);
	assert_close(sim_time(FLAT, waited, 2, twice), T(4000) + 10e-3, 1e-12);
	/* by the volume that the trace has, whatever that takes here */
	assert_close(alone(TRACE "0 allreduce 1 1e6 0\n0 allreduce 1 3e6 0\n", 1, large,
	                   (struct replay_options){.basis = &volume}),
	             1e-2 + 3 * 3e-2, 1e-12);
}

/* Rates of reductions, a million elements a second, are for the library's operators: what the
 * program's own take is in the trace, also where that was nothing, or is in computations. */
static void rates_of_reductions(void **state)
{
	static const char rate[] = ONE " smpi/reduce-rate:1e6";
	static const char own[] = TRACE "0 reduce 1000 0 0 1 op=own\n1 reduce 1000 0 0 1 op=own\n",
	                  waited[] = TRACE "0 ireduce 1000 0 0 1 req=0 op=own_noncommutative\n"
	                                   "1 ireduce 1000 0 0 1 req=0 op=own_noncommutative\n"
	                                   "0 wait req=0\n1 wait req=0\n0 compute 5e6\n",
	                  others[] = TRACE "0 reduce 1000 0 0 1 op=noncommutative\n"
	                                   "1 reduce 1000 0 0 1 op=noncommutative\n";
	struct sim s;

	(void)state;
	assert_close(sim_time(FLAT, own, 2, rate), T(4000), 1e-12);
	assert_close(sim_time(FLAT, waited, 2, rate), T(4000) + 5e-3, 1e-12);
	assert_close(sim_time(FLAT, others, 2, rate), T(4000) + 1e-3, 1e-12);
	/* without computations nobody else says what they take */
	assert_close(
	    sim_time(FLAT, own, 2, ONE " smpi/reduce-rate:1e6 smpi/simulate-computation:no"),
	    T(4000) + 1e-3, 1e-12);
	assert_ok(sim_run_with(&s, FLAT, own, 2, rate, NULL,
	                       (struct replay_options){.computation = REPLAY_NONE, .scale = 1}),
	          s.err);
	assert_close(s.time, T(4000) + 1e-3, 1e-12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(at_the_recorded_rate),
	    cmocka_unit_test(nothing_was_recorded),
	    cmocka_unit_test(by_the_ratio_of_processors),
	    cmocka_unit_test(at_calibrated_rates),
	    cmocka_unit_test(with_noise),
	    cmocka_unit_test(rates_of_reductions),
	};

	return cmocka_run_group_tests_name("replay/operators", tests, NULL, NULL);
}
