/* counter.c: choosing a counter. */
#include "counter.h"

#include <string.h>
#include <time.h>

const struct counter *const counters[] = {&counter_perf, &counter_papi, &counter_cputime,
                                          &counter_wall, &counter_fake, NULL};
/* PAPI reads the same kernel events as perf on Linux, through a library that takes long to load: on
 * demand only. */
static const struct counter *const counters_auto[] = {&counter_perf, &counter_cputime, NULL};

int64_t clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int counter_thread_open(const struct counter_use *u, struct counter_thread *t, struct err *err)
{
	return u->counter->thread_open ? u->counter->thread_open(u, t, err) : 0;
}

void counter_thread_close(const struct counter_use *u, struct counter_thread *t)
{
	if (u->counter->thread_close)
		u->counter->thread_close(u, t);
}

const char *counter_clock_name(const struct counter_use *u, const struct counter_thread *t)
{
	if (u->ticks.ns <= 0)
		return "clock_gettime";
	if (u->counter == &counter_cputime)
		return t->cputime.page ? "time-stamp counter, corrected by context switches"
		                       : "clock_gettime, durations by time-stamp counter";
	return "time-stamp counter";
}

static int counter_open(struct counter_use *u, struct counter_thread *t, const struct counter *c,
                        double rate, struct err *err)
{
	*u = (struct counter_use){.counter = c, .ticks = u->ticks};
	if (c->unit != COUNTER_INSTRUCTIONS)
		u->rate = rate > 0                     ? rate
		          : c->unit == COUNTER_MADE_UP ? COUNTER_FAKE_RATE
		                                       : COUNTER_RATE;
	u->scale = c->unit == COUNTER_INSTRUCTIONS  ? 1
	           : c->unit == COUNTER_NANOSECONDS ? u->rate / 1e9
	                                            : u->rate;
	t->by_ticks = 0;
	if (c->open && c->open(u, err) < 0)
		return -1;
	return counter_thread_open(u, t, err);
}

int counter_choose(struct counter_use *u, struct counter_thread *t, const char *wanted, double rate,
                   struct err *err)
{
	int any = !wanted || !*wanted || strcmp(wanted, "auto") == 0;

	ticks_start(&u->ticks);
	for (const struct counter *const *c = any ? counters_auto : counters; *c; c++) {
		if (!any && strcmp((*c)->name, wanted) != 0)
			continue;
		if (counter_open(u, t, *c, rate, err) == 0)
			return 0;
		if (!any)
			return -1;
	}
	if (any)
		return -1;
	return err_set(
	    err, ERR_INPUT,
	    "there is no counter \"%s\"; there are auto, perf, papi, cputime, wall and fake",
	    wanted);
}
