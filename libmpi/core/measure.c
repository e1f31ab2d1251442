/* measure.c: processor time of a rank: of the thread that calls MPI, and of the threads that the
 * program has besides (OpenMP's, its own). Computation between two calls takes as long as the
 * thread that was busy longest, or what the user says: all of it on so many cores, or that of the
 * calling thread alone.
 *
 * A reading by system call takes half a microsecond, which programs of many short calls would be
 * told to have computed: so the time that a reading takes is subtracted, and the thread that calls
 * MPI_Init reads ticks where it can (base/cputime.h). */
#include "measure.h"

#include <dlfcn.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/cputime.h"
#include "link.h"
#include "time/threads.h"

enum { TRIES = 15 };

static struct ticks ticks; /* of this computer: the same for all ranks */
static __thread struct cputime own_time;
static __thread int own_tid; /* the kernel's number of the calling thread; 0: not asked yet */
/* What is measured where nothing is done, s; and if the second reading asked the kernel, as it does
 * after a context switch. */
static double cost, cost_switched;

double clock_seconds(clockid_t clock)
{
	struct timespec t = {0};

	syscall(SYS_clock_gettime, clock, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double processor_time(void)
{
	uint64_t tick = own_time.page ? ticks_read() : 0;

	return 1e-9 * (double)cputime_read(&own_time, &ticks, tick);
}

double processor_time_since(double mark, double *since)
{
	uint64_t asked = own_time.tick;
	double now = processor_time();

	*since = now - mark - (own_time.tick != asked ? cost_switched : cost);
	if (*since < 0)
		*since = 0;
	return now;
}

static double asked_time(void)
{
	return clock_seconds(CLOCK_THREAD_CPUTIME_ID);
}

/* The median of what is measured where nothing is done. */
static double cost_measure(double read(void))
{
	double sorted[TRIES];

	for (int n = 0; n < TRIES; n++) {
		double before = read(), took = read() - before;
		int at = n;

		for (; at > 0 && sorted[at - 1] > took; at--)
			sorted[at] = sorted[at - 1];
		sorted[at] = took;
	}
	return sorted[TRIES / 2];
}

void measure_start(double tick)
{
	ticks.ns = tick;
	cputime_open(&own_time, &ticks);
	cost = cost_measure(processor_time);
	cost_switched = cost / 2 + cost_measure(asked_time) / 2;
}

void measure_forked(void)
{
	own_time.page = NULL;
	own_tid = 0;
}

static struct orrery_threads *threads(void)
{
	static struct orrery_threads *found;
	static int looked;

	if (link_state()->hold)
		return link_state()->hold->threads();
	if (!looked) {
		found = dlsym(RTLD_DEFAULT, ORRERY_THREADS_SYMBOL);
		looked = 1;
	}
	return found;
}

/* The thread that called MPI_Init, of a rank that is a process: it is not in the table. */
static struct orrery_thread first;

void measure_first(int tid)
{
	first.mark = clock_seconds(CLOCK_THREAD_CPUTIME_ID);
	atomic_store(&first.state, tid);
}

/* How many places there are, with the first thread's behind those of the table. */
static uint32_t places(const struct orrery_threads *all)
{
	uint32_t n = all ? atomic_load(&all->n) : 0;

	return n > 0 ? n + 1 : 0;
}

static struct orrery_thread *place(struct orrery_threads *all, uint32_t i)
{
	return i + 1 < places(all) ? &all->at[i] : &first;
}

static struct orrery_thread *own_place(void)
{
	struct orrery_threads *all = threads();
	uint32_t n = places(all);

	if (n > 0 && own_tid == 0)
		own_tid = (int)syscall(SYS_gettid);
	for (uint32_t i = 0; i < n; i++)
		if (atomic_load(&place(all, i)->state) == own_tid)
			return place(all, i);
	return NULL;
}

double rest_begin(void)
{
	struct orrery_thread *me = own_place();
	double now = clock_seconds(CLOCK_THREAD_CPUTIME_ID);

	if (me)
		atomic_store(&me->rests_since, now);
	return now;
}

double rest_end(double begun)
{
	struct orrery_thread *me = own_place();
	double took = clock_seconds(CLOCK_THREAD_CPUTIME_ID) - begun;

	if (me) {
		atomic_store(&me->rested, atomic_load(&me->rested) + took);
		atomic_store(&me->rests_since, 0);
	}
	return took;
}

/* All that a thread has computed, s. */
static double thread_now(const struct orrery_thread *t, int state)
{
	double rests_since = atomic_load(&t->rests_since), now;

	/* the kernel's name of another thread's processor time (clock_getcpuclockid(3)) */
	now = state < 0 ? t->end : clock_seconds((clockid_t)(~(unsigned)state << 3 | 6));
	return (rests_since > 0 ? rests_since : now) - atomic_load(&t->rested);
}

/* What of it counts: since this was asked last, or less. */
static double thread_uncounted(const struct orrery_thread *t)
{
	int state = atomic_load(&t->state);
	double now = state != 0 ? thread_now(t, state) : 0;

	return state != 0 && now > t->mark ? now - t->mark : 0;
}

/* The same, which counts from here on. Its place is free again once it has ended. */
static double thread_time(struct orrery_thread *t)
{
	int state = atomic_load(&t->state);
	double since = thread_uncounted(t);

	t->mark += since;
	if (state < 0)
		atomic_store(&t->state, 0);
	return since;
}

double threads_time(double own, double cores)
{
	struct orrery_threads *all = threads();
	const struct orrery_thread *me = cores >= 0 ? own_place() : NULL;
	double others = 0, longest = 0;

	for (uint32_t i = 0; i < places(all) && cores >= 0; i++) {
		double t = thread_time(place(all, i));

		if (place(all, i) == me) {
			own = t < own ? t : own;
			continue;
		}
		longest = t > longest ? t : longest;
		others += t;
	}
	return cores > 0 ? (own + others) / cores : cores < 0 || own > longest ? own : longest;
}

double threads_own(double own)
{
	struct orrery_thread *me = own_place();
	double t = me ? thread_time(me) : own;

	return t < own ? t : own;
}

double threads_busiest(void)
{
	struct orrery_threads *all = threads();
	const struct orrery_thread *me = own_place();
	double longest = 0;

	for (uint32_t i = 0; i < places(all); i++) {
		double t = place(all, i) != me ? thread_uncounted(place(all, i)) : 0;

		longest = t > longest ? t : longest;
	}
	return longest;
}

double threads_passed(double seconds)
{
	struct orrery_threads *all = threads();
	const struct orrery_thread *me = places(all) > 0 ? own_place() : NULL;
	double longest = 0;
	int others = 0;

	for (uint32_t i = 0; i < places(all); i++) {
		struct orrery_thread *t = place(all, i);
		double since = t != me ? thread_uncounted(t) : 0;

		since = since < seconds ? since : seconds;
		t->mark += since;
		longest = since > longest ? since : longest;
		others += t != me && !t->mute && atomic_load(&t->state) > 0;
	}
	return others > 0 ? longest : seconds;
}

void threads_forget(int all_of_them)
{
	struct orrery_threads *all = threads();
	const struct orrery_thread *me = places(all) > 0 ? own_place() : NULL;

	for (uint32_t i = 0; i < places(all); i++)
		if (all_of_them || place(all, i) == me || place(all, i)->spins)
			thread_time(place(all, i));
}

int threads_mute(void)
{
	const struct orrery_threads *all = threads();

	return all ? atomic_load(&all->mute) : 0;
}
