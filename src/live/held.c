/* held.c: ranks that are coroutines: started, waited for, ended. What differs from processes is
 * that nobody waits: a rank runs when it is asked for its next operation, and at no other time. */
#include "live_int.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *host(void *self, uint32_t rank)
{
	return live_host(self, rank);
}

static int goes_on(void *self)
{
	const struct live *l = self;

	return mp_alive(l->mp) > 0;
}

static uint64_t steps(void *self)
{
	const struct live *l = self;
	double now = mp_now(l->mp);
	struct mp_stats s;
	uint64_t date;

	memcpy(&date, &now, sizeof date);
	mp_stats(l->mp, &s);
	return l->calls + s.operations + s.messages + date;
}

static void keeps(void *self, uint32_t rank, double seconds)
{
	turn_look(self, rank, seconds);
}

static void stopped(void *self, uint32_t rank, int signal)
{
	struct live *l = self;
	char text[512];

	stopped_text(text, sizeof text, rank, live_host(l, rank), signal, getpid());
	if (l->o.stopped)
		l->o.stopped(l->o.self, text);
}

int held_start(struct live *l, struct err *err)
{
	struct coro_options o = {
	    .command = l->o.command,
	    .library = l->o.library,
	    .ranks = l->ranks,
	    .world = l->head->world,
	    .stack = l->o.stack,
	    .slots = l->o.slots,
	    .mpich = l->o.mpich,
	    .folds = l->o.folds,
	    .tracer = l->o.tracer,
	    .output = l->o.output,
	    .kernels = l->o.kernels,
	    .seed = l->o.seed,
	    .head = l->head,
	    .heap = &l->heap,
	    .channel = wire_channel(l->head, 0),
	    .host = host,
	    .goes_on = goes_on,
	    .steps = steps,
	    .keeps = keeps,
	    .told_after = l->o.told_after,
	    .stopped = stopped,
	    .self = l,
	};

	l->coros = coros_new(&o, err);
	return l->coros ? 0 : -1;
}

/* As if it had been a process. */
static void end_take(struct live *l, uint32_t rank)
{
	int code = coros_code(l->coros, rank);

	if (coros_state(l->coros, rank) == CORO_KILLED)
		l->rank[rank].end = (struct launch_end){.signal = code};
	else
		l->rank[rank].end = (struct launch_end){.code = code};
}

static int ended(struct live *l, uint32_t rank, struct err *err)
{
	struct lrank *r = &l->rank[rank];
	const char *when = r->inside ? "without MPI_Finalize" : "before MPI_Init";
	const char *less = r->inside && r->c->less_threads ? WIRE_LESS_THREADS : "";
	const char *why = r->inside ? less : live_within(l);
	int code = coros_code(l->coros, rank);
	char at[512];

	end_take(l, rank);
	if (r->over)
		return 0; /* processes_end tells */
	fflush(NULL);
	if (coros_state(l->coros, rank) == CORO_KILLED && code == SIGSYS) /* refused: own.c */
		return live_error(l, rank, err, "%s", coros_reason(l->coros, rank));
	if (coros_state(l->coros, rank) == CORO_KILLED)
		return live_error(l, rank, err, "%s%s %s%s", coros_reason(l->coros, rank),
		                  fault_where(l, rank, code, at, sizeof at), when, why);
	if (!r->inside && code == 0) {
		r->over = 1; /* it never called MPI */
		return 0;
	}
	return live_error(l, rank, err, "exited with code %d %s%s", code, when, why);
}

int held_wait(struct live *l, uint32_t rank, struct err *err)
{
	segment_rates(l, rank);
	if (coros_run(l->coros, rank, err) < 0)
		return -1;
	return coros_state(l->coros, rank) == CORO_LIVES ? 0 : ended(l, rank, err);
}

/* What the program does after MPI_Finalize takes no time. */
int held_finish(struct live *l, uint32_t rank, struct err *err)
{
	if (coros_state(l->coros, rank) == CORO_LIVES && held_wait(l, rank, err) < 0)
		return -1;
	return coros_op(l->coros, rank) ? live_error(l, rank, err, "calls MPI after MPI_Finalize")
	                                : 0;
}

int held_order(struct live *l, uint32_t rank, struct err *err)
{
	struct wire_channel *c = l->rank[rank].c;

	atomic_store(&c->command, c->order.what);
	if (coros_run(l->coros, rank, err) < 0)
		return -1;
	if (coros_state(l->coros, rank) == CORO_LIVES)
		return c->order.ended ? order_ended(l, rank, err) : 0;
	return ended(l, rank, err) < 0
	           ? -1
	           : live_error(l, rank, err, "ended in an operator of its own");
}
