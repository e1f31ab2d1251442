/* sleep.c: a thread of a rank that is a process sleeps while the rank has others. All have one
 * clock, and what the others do takes its time: a sleep is over when the rank's date has come by
 * that. Only where all the others wait for one another, or sleep longer, does it let time pass by
 * itself. So a thread that looks every second whether something is to be done costs no time.
 *
 * Where the others compute, which is charged when they call MPI, or wait for what comes in real
 * time (a child, a descriptor), a sleep lasts as many real seconds at most. */
#include "base/num.h"
#include "beside.h"
#include "link.h"
#include "measure.h"

#include <dirent.h>
#include <errno.h>
#include <linux/futex.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* --- who sleeps --- */

enum { SLEEPERS = 64 }; /* more than so many at once are not known to one another */
struct link_sleepers {
	_Atomic uint32_t turn; /* a futex: somebody has begun or ended to sleep */
	struct sleeper {
		_Atomic int tid; /* 0: nobody; -1: about to be taken */
		_Atomic int elsewhere;
		_Atomic double until;
	} at[SLEEPERS];
};

static int self(void)
{
	return (int)syscall(SYS_gettid);
}

static struct sleeper *sleeper_of(int tid)
{
	struct link_sleepers *all = link_state()->sleepers;

	for (size_t i = 0; all && i < SLEEPERS; i++)
		if (atomic_load(&all->at[i].tid) == tid)
			return &all->at[i];
	return NULL;
}

static void others_wake(struct link_sleepers *all)
{
	atomic_fetch_add(&all->turn, 1);
	syscall(SYS_futex, &all->turn, FUTEX_WAKE_PRIVATE, SLEEPERS, NULL, NULL, 0);
}

static struct sleeper *sleeper_take(double until, int elsewhere)
{
	struct link_sleepers *all = link_state()->sleepers;

	for (size_t i = 0; all && i < SLEEPERS; i++) {
		int nobody = 0;

		if (!atomic_compare_exchange_strong(&all->at[i].tid, &nobody, -1))
			continue;
		atomic_store(&all->at[i].until, until);
		atomic_store(&all->at[i].elsewhere, elsewhere);
		atomic_store(&all->at[i].tid, self());
		others_wake(all);
		return &all->at[i];
	}
	return NULL;
}

static void sleeper_leave(void *sleeper)
{
	struct sleeper *me = sleeper;

	if (!me)
		return;
	atomic_store(&me->tid, 0);
	others_wake(link_state()->sleepers);
}

void sleep_begin(struct link *l)
{
	l->sleepers = calloc(1, sizeof *l->sleepers);
	l->first_tid = self();
	measure_first(l->first_tid);
}

void sleep_elsewhere(double until)
{
	if (until > 0)
		sleeper_take(until, 1);
	else
		sleeper_leave(sleeper_of(self()));
}

double sleep_next(void)
{
	struct link_sleepers *all = link_state()->sleepers;
	double next = INFINITY;

	for (size_t i = 0; all && i < SLEEPERS; i++) {
		double until = atomic_load(&all->at[i].until);

		if (atomic_load(&all->at[i].tid) > 0 && until < next)
			next = until;
	}
	return next;
}

int sleepers_due(void)
{
	struct link_sleepers *all = link_state()->sleepers;

	for (size_t i = 0; all && i < SLEEPERS; i++)
		if (atomic_load(&all->at[i].tid) > 0 && !atomic_load(&all->at[i].elsewhere) &&
		    atomic_load(&all->at[i].until) <= link_state()->told)
			return 1;
	return 0;
}

void sleepers_wake(void)
{
	if (sleepers_due())
		others_wake(link_state()->sleepers);
}

/* --- what the others do --- */

/* In a call of the system that waits for another thread, most likely one of this process. */
static int is_in_futex(int tid)
{
	char path[64], text[256];
	int64_t call;
	FILE *f;
	int is = 0;

	snprintf(path, sizeof path, "/proc/self/task/%d/syscall", tid);
	f = fopen(path, "re");
	if (f && fgets(text, sizeof text, f)) {
		const char *p = text;

		is = num_take_digits(p, &call) && call == SYS_futex;
	}
	if (f)
		fclose(f);
	return is;
}

enum others {
	OTHERS_WAIT,      /* for one another, or sleep no less long */
	OTHERS_ELSEWHERE, /* the first thread waits for what comes in real time */
	OTHERS_SOONER,    /* one of them sleeps for less long: it lets time pass */
	OTHERS_COMPUTE,
	OTHERS_CALL /* one is in a call of MPI that waits: it lets time pass */
};

static enum others other_does(int tid, double until)
{
	const struct sleeper *sleeper = sleeper_of(tid);
	char path[64], text[1024], state;

	if (sleeper)
		return atomic_load(&sleeper->until) < until ? OTHERS_SOONER : OTHERS_WAIT;
	if (beside_pauses(tid))
		return OTHERS_CALL;
	snprintf(path, sizeof path, "/proc/self/task/%d/stat", tid);
	state = *beside_state(path, text, sizeof text);
	if (state == 'R' || state == 'D')
		return OTHERS_COMPUTE;
	/* a library's threads may wait for events for ever */
	return tid != link_state()->first_tid || is_in_futex(tid) ? OTHERS_WAIT : OTHERS_ELSEWHERE;
}

/* By who has the mutex, so that none of them is in MPI but waits there. */
static enum others others_do(double until)
{
	enum others all = ticket_wanted(&link_state()->lock) ? OTHERS_COMPUTE : OTHERS_WAIT;
	DIR *tasks = opendir("/proc/self/task");
	const struct dirent *e;
	int me = self();

	while (tasks && (e = readdir(tasks))) {
		enum others one;
		int64_t tid;

		if (!num_take_digits(e->d_name, &tid) || tid == me)
			continue;
		one = other_does((int)tid, until);
		all = one > all ? one : all;
	}
	if (tasks)
		closedir(tasks);
	return all;
}

/* --- the sleep --- */

static int is_first(void)
{
	return pthread_equal(pthread_self(), link_state()->first);
}

/* How far a sleep is that nobody else's doing ends: it has lasted for as long in real time, and
 * others have computed for as long. That is not the same where there are too few processors. */
struct lasted {
	int real, computed;
};

enum end { GOES_ON, PASSES, ENDS };

/* Does who sleeps until then let time pass? What the others compute is charged when they call MPI,
 * or when the first thread does. */
static enum end ends(double until, struct lasted lasted)
{
	switch (others_do(until)) {
	case OTHERS_WAIT: /* one of them may have woken another behind our back */
		return others_do(until) == OTHERS_WAIT ? PASSES : GOES_ON;
	case OTHERS_ELSEWHERE:
		return lasted.real ? PASSES : GOES_ON;
	case OTHERS_COMPUTE:
		return !lasted.computed ? GOES_ON : is_first() ? PASSES : ENDS;
	default:
		return GOES_ON;
	}
}

/* In a call. */
static double date_asked(void)
{
	return link_ask(link_sleep(WIRE_CLOCK, 0))->date;
}

/* With the mutex: 1: the sleep is over. */
static int is_over(double until, struct lasted lasted, double *rest_begun)
{
	const struct link *l = link_state();
	enum end end;
	double rest;

	if (l->depth > 0 || l->date >= until) /* in a call: of a signal's handler */
		return 1;
	if (!l->running)
		return lasted.real;
	end = ends(until, lasted);
	if (end == PASSES) {
		link_rested(rest_end(*rest_begun));
		link_enter_asleep();
		rest = until - date_asked();
		if (rest > 0) /* waited for: who waits here may be seen by others */
			link_ask(link_sleep(WIRE_SLEEP, rest));
		link_leave();
		*rest_begun = rest_begin();
	}
	return end != GOES_ON;
}

/* The mutex, of a thread that is not in a call of MPI by that: whoever calls meanwhile is not told
 * to be beside one (enter.c). 0: another thread has it. */
static int look_begin(void)
{
	struct link *l = link_state();

	atomic_fetch_add(&l->looks_begun, 1);
	if (ticket_try(&l->lock))
		return 1;
	atomic_fetch_add(&l->looks_ended, 1);
	return 0;
}

static void look_end(void)
{
	struct link *l = link_state();

	ticket_leave(&l->lock);
	atomic_fetch_add(&l->looks_ended, 1);
}

enum { SLEEPS_ON, IS_OVER, SIGNALLED };

/* The program does something at that signal, and goes on. */
static int is_handled(int signal)
{
	struct sigaction a;

	return sigaction(signal, NULL, &a) == 0 && a.sa_handler != SIG_DFL &&
	       a.sa_handler != SIG_IGN;
}

/* Signals that came while they were blocked, and are let by that mask. */
static int has_come(const sigset_t *mask)
{
	sigset_t waiting;

	sigpending(&waiting);
	for (int i = 1; i < _NSIG; i++)
		if (sigismember(&waiting, i) == 1 && sigismember(mask, i) == 0 && is_handled(i))
			return 1;
	return 0;
}

/* The same, where nobody is in MPI. To look what others do is to call what may end a thread that is
 * cancelled: not with the mutex. A signal that comes meanwhile has come in the sleep. */
static int tried(double until, struct lasted lasted, double *rest_begun)
{
	static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
	sigset_t signals, mask;
	int result, was;

	sigfillset(&signals);
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		sigdelset(&signals, own[i]);
	pthread_sigmask(SIG_BLOCK, &signals, &mask);
	if (look_begin()) {
		pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &was);
		result = is_over(until, lasted, rest_begun) ? IS_OVER : SLEEPS_ON;
		look_end();
		pthread_setcancelstate(was, NULL);
	} else {
		result = SLEEPS_ON;
	}
	if (result == SLEEPS_ON && has_come(&mask))
		result = SIGNALLED;
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	return result;
}

/* Another thread may be in a call for long, or for a moment: 0: the mutex is not to be had. */
static int mutex_take(void)
{
	static const struct timespec moment = {.tv_nsec = 50000};

	for (int i = 0; i < 20; i++) {
		if (look_begin())
			return 1;
		syscall(SYS_nanosleep, &moment, NULL); /* libc's takes simulated time */
	}
	return 0;
}

/* What the first thread has computed up to here is before its sleep. Another one begins where the
 * clock was seen last: it is not to keep the first one out of MPI. */
static double date_now(void)
{
	struct link *l = link_state();
	double now = l->date;

	if (!is_first() || !mutex_take())
		return now;
	if (l->depth == 0) { /* not of a signal's handler in a call */
		link_enter_asleep();
		now = date_asked();
		link_leave();
	}
	look_end();
	return now;
}

static double real_now(void)
{
	return clock_seconds(CLOCK_MONOTONIC);
}

/* What the other threads have computed, s. */
static double others_time(void)
{
	return clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - clock_seconds(CLOCK_THREAD_CPUTIME_ID);
}

/* Looks grow from 20 us to 5 ms: so much later than the others' date it goes on. */
#define LOOK_FIRST 2e-5
#define LOOK_LAST 5e-3

/* 0, or -1: a signal came. */
static int looks_about(uint32_t turn, double *look, double rest)
{
	struct link_sleepers *all = link_state()->sleepers;
	double seconds = rest > 0 && rest < *look ? rest : *look;
	struct timespec t = {.tv_nsec = 1 + (long)(seconds * 1e9)};

	*look = *look * 1.5 < LOOK_LAST ? *look * 1.5 : LOOK_LAST;
	if (!all)
		return (int)syscall(SYS_nanosleep, &t, NULL);
	return syscall(SYS_futex, &all->turn, FUTEX_WAIT_PRIVATE, turn, &t, NULL, 0) < 0 &&
	               errno == EINTR
	           ? -1
	           : 0;
}

/* What is left of it as a signal came, or 0. real: seconds that it lasts at most; rest_begun: the
 * thread's processor time, what it takes for looks. */
static double slept(double until, double real, double *rest_begun)
{
	struct link_sleepers *all = link_state()->sleepers;
	double real_end = real_now() + real, computed_end = others_time() + real;
	double look = LOOK_FIRST;

	for (;;) {
		uint32_t turn = all ? atomic_load(&all->turn) : 0;
		double rest = real_end - real_now();
		struct lasted lasted = {rest <= 0, others_time() >= computed_end};
		int how = tried(until, lasted, rest_begun);

		if (how == IS_OVER)
			return 0;
		pthread_testcancel();
		if (how == SIGNALLED || looks_about(turn, &look, rest) < 0) {
			rest = until - link_state()->date;
			return rest > 1e-9 ? rest : 1e-9;
		}
	}
}

double sleep_until(double seconds, int waited)
{
	double real = link_measured() ? seconds / link_computed_takes() : seconds;
	double until = date_now() + seconds, rest_begun = rest_begin(), left;
	int error = errno;

	pthread_cleanup_push(sleeper_leave, sleeper_take(until, 0));
	left = slept(until, waited ? 0 : real, &rest_begun);
	pthread_cleanup_pop(1);
	link_rested(rest_end(rest_begun));
	errno = error;
	return left;
}
