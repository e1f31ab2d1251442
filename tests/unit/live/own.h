/* own.h: ranks that are coroutines, without programs: one of them runs when the test says so, and
 * calls what stands in for the C library (src/live/coro/own*.c). Include once per test program.
 *
 *   ranks_begin() -> runs(rank), calls, … -> ranks_end()
 *
 * What ends a rank does not return: ends() calls it on a stack of its own. */
#ifndef ORRERY_TESTS_LIVE_OWN_H
#define ORRERY_TESTS_LIVE_OWN_H

#include "live/coro/coro_int.h"

#include "test.h"

#include <errno.h>
#include <unistd.h>

enum { RANKS = 3, ENDS_STACK = 256 << 10 };

static struct coros all;
static struct coro coro[RANKS];
static char *before[] = {(char *)(uintptr_t) "N0=of all",
                         (char *)(uintptr_t) "N1=", (char *)(uintptr_t) "N2=a=b", NULL};
static char **environment_kept;

static const char *host_of(void *self, uint32_t rank)
{
	(void)self;
	return rank ? "h1" : "h0";
}

/* With output apart as --rank-output has it, or NULL. */
static inline void ranks_begin_with(const char *output, char *folder)
{
	memset(coro, 0, sizeof coro);
	all = (struct coros){.coro = coro,
	                     .environment = before,
	                     .n_slots = RANKS,
	                     .folder = folder,
	                     .named = {program_invocation_name, program_invocation_short_name}};
	all.o.ranks = RANKS;
	all.o.output = output;
	all.o.host = host_of;
	all.rank = NOBODY;
	environment_kept = environ;
	coros_now = &all;
	own_streams_find(&all);
	for (int i = 0; i < RANKS; i++) {
		coro[i].phase = CORO_LIVES;
		coro[i].is_launched = 1; /* e2e/live_starts has what a launcher adds */
	}
}

static inline void ranks_begin(void)
{
	ranks_begin_with(NULL, NULL);
}

/* As coros_run, but for the switch. */
static inline void runs(uint32_t rank)
{
	struct coro *r = &coro[rank];

	if (all.has_streams)
		own_streams_set(r->own);
	assert_int_equal(own_process_set(&all, r->own), 0);
	all.rank = rank;
	environ = r->environment ? r->environment : all.environment;
}

static inline void nobody_runs(void)
{
	all.rank = NOBODY;
	if (all.has_streams)
		own_streams_set(NULL);
	assert_int_equal(own_process_set(&all, NULL), 0);
	environ = environment_kept;
}

static inline void ranks_end(void)
{
	nobody_runs();
	for (int i = 0; i < RANKS; i++)
		own_release(&coro[i]);
	free(all.home);
	free(all.kernels);
	coros_now = NULL;
}

/* The function that stands in for that of the C library. */
static inline void *own_named(const char *name)
{
	for (const struct image_own *o = own_functions; o->name; o++)
		if (strcmp(o->name, name) == 0)
			return o->function;
	fail_msg("nothing stands in for %s", name);
	return NULL;
}

/* --- ends --- */

static struct {
	void (*f)(void *argument);
	void *argument;
	int returned;
} ending;

static void ending_begins(void *unused)
{
	(void)unused;
	ending.f(ending.argument);
	ending.returned = 1;
	coro_switch(&coro[all.rank].sp, all.sp);
}

/* How the rank ended that runs: CORO_EXITED with coros_code(), CORO_KILLED with the reason in
 * all.reason; CORO_LIVES: f has returned. */
static inline enum coro_state ends(void (*f)(void *argument), void *argument)
{
	struct coro *r = &coro[all.rank];
	char *stack = malloc(ENDS_STACK);

	assert_non_null(stack);
	ending.f = f;
	ending.argument = argument;
	ending.returned = 0;
	all.reason[0] = '\0';
	r->sp = coro_context(stack + ENDS_STACK, ending_begins, NULL);
	coro_switch(&all.sp, r->sp);
	free(stack);
	return r->phase;
}

/* What it is killed with, and why. */
static inline void is_killed(void (*f)(void *argument), void *argument, int code, const char *why)
{
	assert_int_equal(ends(f, argument), CORO_KILLED);
	assert_false(ending.returned);
	assert_int_equal(coro[all.rank].code, code);
	if (!strstr(all.reason, why))
		fail_msg("\"%s\" says nothing of \"%s\"", all.reason, why);
	coro[all.rank].phase = CORO_LIVES;
}

#endif
