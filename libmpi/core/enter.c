/* enter.c: calls of MPI begin and end: one thread at a time is in one, and what was computed
 * between two calls, where computation is measured, is charged to the rank. */
#include "link_int.h"
#include "measure.h"
#include "time/time.h"

#include <math.h>
#include <sys/syscall.h>
#include <unistd.h>

static __thread double mark;      /* processor time of this thread at the end of its last call */
static __thread int paused;       /* its next call goes on with a wait (beside.c) */
static __thread int missed;       /* its last question was a look that found nothing */
static __thread int looked;       /* its last question was a look */
static __thread uint64_t charged; /* which of the rank's charges was its last one */
__thread struct link_traced link_traced_own;

int link_measured(void)
{
	return link_now->head->computation == WIRE_MEASURED;
}

/* Volumes are whole numbers: what a trace can say in few digits. */
void link_charge(double volume)
{
	link_now->computed += nearbyint(volume);
	link_now->charged += nearbyint(volume);
}

double link_computed_takes(void)
{
	double takes = link_now->c->volume * link_now->c->takes;

	return takes > 0 ? takes : 1;
}

/* Several may be in MPI, each in a call that waits for long, and what another one computes then is
 * charged, but for what passes meanwhile. Else one at a time is: what the others do is beside its
 * call, however long that takes here, as most of them wait for it and some do so without a rest. */
static int many_call(void)
{
	return link_now->provided == MPI_THREAD_MULTIPLE && !link_now->hold;
}

/* The call has ended what was computed before it, so what other threads do is the operator's. */
double link_operator_begin(void)
{
	if (!link_measured())
		return 0;
	if (!many_call())
		threads_forget(1);
	return processor_time();
}

double link_operator_end(double begun)
{
	double own;

	if (!link_measured())
		return 0;
	processor_time_since(begun, &own);
	if (!many_call())
		own = threads_time(own, link_now->head->thread_cores);
	return nearbyint(own * link_now->c->volume);
}

double *link_operated(void)
{
	return &link_traced()->operated;
}

static void mark_set(void)
{
	threads_forget(!many_call());
	mark = processor_time();
}

/* So much between two looks is a loop that waits beside others: where these get no processor it
 * goes round the more often. */
#define LOOP 3e-6

/* What was computed for so long while another thread looked may be a wait for that one, which waits
 * for the simulator meanwhile: that is told (src/live/turn.c). */
#define BESIDE 1e-3

static void beside_count(double own, double taken)
{
	double beside = charged + 1 == link_now->charges ? taken - own : taken;

	charged = link_now->charges++;
	if (looked && many_call() && beside > BESIDE)
		link_now->c->beside += beside;
}

/* Of a call that goes on with a wait others' computation is not: what comes would wait for that. */
static void charge(void)
{
	double own, taken, now = processor_time_since(mark, &own);

	if (missed && own < LOOP && many_call())
		own = 0;
	taken = paused ? threads_own(own) : threads_time(own, link_now->head->thread_cores);
	beside_count(own, taken);
	if (taken > 0)
		link_charge(taken * link_now->c->volume);
	mark = now;
	paused = missed = looked = 0;
}

void link_paused(void)
{
	paused = 1;
}

void link_looked(int found)
{
	looked = 1;
	missed |= !found;
}

void link_rested(double seconds)
{
	mark += seconds;
}

/* Of a rank that is a process one thread is in MPI at a time, whatever level the program asked for:
 * some call from several that asked for less, and real libraries bear it mostly. */
static int locks(void)
{
	return link_now->provided == MPI_THREAD_MULTIPLE || !link_now->hold;
}

#define AHEAD 1e-5 /* s: of less it is not worth while to look what others do */

/* To wait for the others is no computation. 1: another thread was in MPI; one that sleeps and had a
 * look meanwhile may have been the one (sleep.c). */
static int lock_take(void)
{
	uint32_t ended = atomic_load(&link_now->looks_ended);
	uint32_t begun = atomic_load(&link_now->looks_begun);
	double since;
	int met;

	if (ticket_try(&link_now->lock))
		return 0;
	met = ended == begun && atomic_load(&link_now->looks_begun) == begun;
	since = link_now->running && link_measured() ? rest_begin() : 0;
	ticket_take(&link_now->lock);
	if (since > 0)
		link_rested(rest_end(since));
	return met;
}

static void enter(void)
{
	if (link_now->depth++ == 0 && link_now->running && !link_traced()->stopped &&
	    link_measured())
		charge();
}

/* With --checks: this thread may not call, by the level of threads that MPI_Init has given, or not
 * now. Told once of each rank. */
static void thread_check(struct link *l, int met)
{
	int stray = l->provided < MPI_THREAD_SERIALIZED && !pthread_equal(pthread_self(), l->first);

	if (!l->initialised || !l->running || l->depth > 1 || l->hold || l->strayed ||
	    l->provided == MPI_THREAD_MULTIPLE || !(stray || met))
		return;
	l->strayed = 1;
	link_wrong(met ? WIRE_WRONG_AT_ONCE : WIRE_WRONG_STRAY,
	           l->provided >= MPI_THREAD_SERIALIZED ? WIRE_SERIALIZED
	           : l->provided >= MPI_THREAD_FUNNELED ? WIRE_FUNNELED
	                                                : WIRE_SINGLE,
	           0, 0);
}

static int take_and_enter(void)
{
	int met = 0;

	if (link_now->ahead > AHEAD && !paused && !ticket_mine(&link_now->lock))
		link_catch_up();
	if (locks())
		met = lock_take();
	enter();
	return met;
}

void link_enter(void)
{
	int met = take_and_enter();

	if (link_now->head->checks)
		thread_check(link_now, met);
}

void link_enter_asleep(void)
{
	take_and_enter();
}

int link_enter_first(void)
{
	int within;

	if (locks())
		lock_take();
	within = link_now->depth > 0; /* this thread's: the others are kept out */
	if (!within)
		enter();
	else if (locks())
		ticket_leave(&link_now->lock);
	return !within;
}

void link_leave(void)
{
	int last = --link_now->depth == 0;
	double date = link_now->date;

	if (last && link_now->running && !link_traced()->stopped && link_measured())
		mark_set();
	if (locks())
		ticket_leave(&link_now->lock);
	if (link_now->timer && last && date >= link_now->timer->due)
		link_now->timer->run(date);
}

/* How deep the calling thread is in calls, which it is in no longer. */
static int calls_leave(void)
{
	int depth = link_now->depth;

	link_now->depth = 0;
	for (int i = 0; i < depth; i++)
		ticket_leave(&link_now->lock);
	return depth;
}

static void calls_enter(int depth)
{
	for (int i = 0; i < depth; i++)
		ticket_take(&link_now->lock);
	link_now->depth = depth;
}

void link_yield(void)
{
	int depth;

	if (link_now->provided != MPI_THREAD_MULTIPLE)
		return;
	depth = calls_leave();
	syscall(SYS_sched_yield);
	calls_enter(depth);
}

int link_release(void)
{
	if (!locks())
		return link_now->depth;
	return ticket_mine(&link_now->lock) ? calls_leave() : 0;
}

void link_regain(int depth)
{
	if (locks())
		calls_enter(depth + 1);
	link_now->depth = depth + 1;
	if (depth == 0 && link_now->running && !link_traced()->stopped && link_measured())
		mark_set();
}

void link_time_stop(void)
{
	if (link_traced()->stopped++ == 0 && link_now->running && link_measured() &&
	    link_now->depth == 0)
		charge();
}

void link_time_start(void)
{
	if (--link_traced()->stopped == 0 && link_now->running && link_measured() &&
	    link_now->depth == 0)
		mark_set();
}
