/* counter_time.c: counters made of clocks, and the made up one of the tests. */
#include "counter.h"

#include <stddef.h>
#include <time.h>

static void cputime_thread_close(const struct counter_use *u, struct counter_thread *t)
{
	(void)u;
	cputime_close(&t->cputime);
}

static int cputime_thread_open(const struct counter_use *u, struct counter_thread *t,
                               struct err *err)
{
	(void)err;
	cputime_open(&t->cputime, &u->ticks);
	t->by_ticks = t->cputime.page != NULL;
	return 0;
}

static int64_t cputime_units(const struct counter_use *u, struct counter_thread *t, uint64_t tick)
{
	return cputime_read(&t->cputime, &u->ticks, tick);
}

/* Of another thread. The kernel's name of its clock: clock_getcpuclockid(3). */
static int64_t cputime_other_read(struct counter_other *o, int tid)
{
	struct timespec now;

	if (tid == 0)
		o->last = o->end;
	else if (clock_gettime((clockid_t)(~(unsigned)tid << 3 | 6), &now) == 0)
		o->last = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
	return o->last;
}

const struct counter counter_cputime = {.name = "cputime",
                                        .unit = COUNTER_NANOSECONDS,
                                        .thread_open = cputime_thread_open,
                                        .thread_close = cputime_thread_close,
                                        .read = cputime_units,
                                        .other_read = cputime_other_read};

static int wall_thread_open(const struct counter_use *u, struct counter_thread *t, struct err *err)
{
	(void)err;
	t->by_ticks = u->ticks.ns > 0;
	return 0;
}

static int64_t wall_read(const struct counter_use *u, struct counter_thread *t, uint64_t tick)
{
	return t->by_ticks ? ticks_ns(&u->ticks, tick) : clock_ns();
}

/* For programs that stand in for a computation by sleeping. */
const struct counter counter_wall = {.name = "wall",
                                     .unit = COUNTER_NANOSECONDS,
                                     .thread_open = wall_thread_open,
                                     .read = wall_read};

static int64_t fake_read(const struct counter_use *u, struct counter_thread *t, uint64_t tick)
{
	(void)u;
	(void)tick;
	return ++t->reads;
}

/* The same volume before every call, whatever the machine and the MPI library: traces can be
 * compared to the letter. */
const struct counter counter_fake = {.name = "fake", .unit = COUNTER_MADE_UP, .read = fake_read};

/* The rank of a simulated run: time passes in the simulation only. */
static int64_t nothing_read(const struct counter_use *u, struct counter_thread *t, uint64_t tick)
{
	(void)u;
	(void)tick;
	(void)t;
	return 0;
}

const struct counter counter_simulated = {
    .name = "simulated", .unit = COUNTER_MADE_UP, .read = nothing_read};
