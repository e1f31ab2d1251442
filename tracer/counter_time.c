/* counter_time.c: counters made of clocks, and the made up one of the tests. */
#include "counter.h"

#include <time.h>

static int64_t cputime_read(const struct counter_use *u, struct counter_thread *t)
{
	struct timespec now;

	(void)u;
	(void)t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

const struct counter counter_cputime = {
    .name = "cputime", .unit = COUNTER_NANOSECONDS, .read = cputime_read};

static int64_t wall_read(const struct counter_use *u, struct counter_thread *t)
{
	(void)u;
	(void)t;
	return clock_ns();
}

/* For programs that stand in for a computation by sleeping. */
const struct counter counter_wall = {
    .name = "wall", .unit = COUNTER_NANOSECONDS, .read = wall_read};

static int64_t fake_read(const struct counter_use *u, struct counter_thread *t)
{
	(void)u;
	return ++t->reads;
}

/* The same volume before every call, whatever the machine and the MPI library: traces can be
 * compared to the letter. */
static int64_t nothing_read(const struct counter_use *u, struct counter_thread *t)
{
	(void)u;
	(void)t;
	return 0;
}

const struct counter counter_simulated = {
    .name = "simulated", .unit = COUNTER_MADE_UP, .read = nothing_read};

const struct counter counter_fake = {.name = "fake", .unit = COUNTER_MADE_UP, .read = fake_read};
