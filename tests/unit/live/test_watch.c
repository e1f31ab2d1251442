/* test_watch.c: a watch of progress (coro/watch.c): who computes without a step is told of, who
 * makes steps, sleeps, or may take his time is not. */
#include "live/coro/watch.h"
#include "test.h"

#include <time.h>

#define PERIOD 0.02
enum { LOOKS = 4 };

static struct seen {
	volatile uint64_t steps;
	volatile int busy, stalls, kept;
	volatile double seconds;
} seen;

static int busy(void *self)
{
	return ((struct seen *)self)->busy;
}

static uint64_t steps(void *self)
{
	return ((struct seen *)self)->steps;
}

static void stalled(void *self, double seconds)
{
	struct seen *s = self;

	s->stalls++;
	s->seconds = seconds;
}

static void kept(void *self, double seconds)
{
	struct seen *s = self;

	s->kept++;
	s->seconds = seconds;
}

static double processor(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* So many periods of processor time, with steps or without. */
static void compute(double periods, int with_steps)
{
	double end = processor() + periods * PERIOD;

	while (processor() < end && !seen.stalls)
		seen.steps += with_steps != 0;
}

static int begin(void **state)
{
	static struct watch w;

	seen = (struct seen){0};
	w = (struct watch){.busy = busy,
	                   .kept = kept,
	                   .steps = steps,
	                   .stalled = stalled,
	                   .self = &seen,
	                   .period = PERIOD,
	                   .looks = LOOKS};
	watch_begin(&w);
	*state = &w;
	return 0;
}

static int end(void **state)
{
	watch_end(*state);
	return 0;
}

static void hangs(void **state)
{
	double began = processor();

	(void)state;
	compute(100, 0);
	assert_int_equal(seen.stalls, 1);
	assert_true(seen.seconds == LOOKS * PERIOD);
	assert_true(processor() - began >= LOOKS * PERIOD); /* not before */
}

static void steps_are_made(void **state)
{
	(void)state;
	compute(4 * LOOKS, 1);
	assert_int_equal(seen.stalls, 0);
	compute(100, 0); /* and then none */
	assert_int_equal(seen.stalls, 1);
}

static void takes_its_time(void **state)
{
	(void)state;
	seen.busy = 1;
	compute(4 * LOOKS, 0);
	assert_int_equal(seen.stalls, 0);
	seen.busy = 0; /* what it took is no part of a hang */
	compute(LOOKS - 1, 0);
	assert_int_equal(seen.stalls, 0);
}

/* Whoever has the turn, without a step: told at each look but the first, and for how long. */
static void keeps_the_turn(void **state)
{
	double began = processor();

	(void)state;
	seen.busy = 1;
	/* on a loaded virtual machine several periods may pass between two looks */
	while (seen.kept < LOOKS && processor() - began < 100 * LOOKS * PERIOD)
		;
	assert_int_equal(seen.kept, LOOKS);
	assert_true(seen.seconds == LOOKS * PERIOD);
	assert_true(processor() - began >= LOOKS * PERIOD); /* not before */
	seen.kept = 0;
	compute(2 * LOOKS, 1);
	assert_in_range(seen.kept, 0, 1); /* the look in which the first step was not there yet */
	seen.busy = 0;
	seen.kept = 0;
	compute(LOOKS - 1, 0);
	assert_int_equal(seen.kept, 0);
}

static void sleeps(void **state)
{
	const struct timespec span = {.tv_nsec = (long)(1e9 * PERIOD)};

	(void)state;
	for (int i = 0; i < 3 * LOOKS; i++)
		assert_int_equal(nanosleep(&span, NULL), 0);
	assert_int_equal(seen.stalls, 0);
}

static void is_over(void **state)
{
	watch_end(*state);
	compute(4 * LOOKS, 0);
	assert_int_equal(seen.stalls, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(hangs, begin, end),
	    cmocka_unit_test_setup_teardown(steps_are_made, begin, end),
	    cmocka_unit_test_setup_teardown(takes_its_time, begin, end),
	    cmocka_unit_test_setup_teardown(keeps_the_turn, begin, end),
	    cmocka_unit_test_setup_teardown(sleeps, begin, end),
	    cmocka_unit_test_setup_teardown(is_over, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
