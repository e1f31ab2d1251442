/* time.c: the clocks of a simulated program, preloaded: what libc's functions tell of the time of
 * day is simulated while the rank is in MPI, and goes on in real time from the same epoch before
 * and after, so that differences make sense. Processor times are real. Sleeps take simulated time.
 *
 * Only processes that `orrery run` started are touched (ORRERY_LIVE is set). Nothing here may call
 * what it stands in for: real clocks come from the kernel. */
#include "time.h"
#include "clocks.h"
#include "timer.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timeb.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

#define SHOWN __attribute__((visibility("default")))

static const struct orrery_clock *simulated;
/* Outside MPI: base + real time since origin, s after the epoch. Within: base + the simulated date,
 * so that no clock goes back that the program has read before MPI_Init; 0 if it has read none. */
static double base, origin;
static double shown; /* the last date outside MPI */
static double last;  /* the last simulated one */
static int active = -1;

static double real_now(void)
{
	struct timespec t;

	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int is_active(void)
{
	if (active < 0) {
		active = getenv("ORRERY_LIVE") != NULL;
		origin = real_now();
	}
	return active;
}

/* A child of the rank is no rank: the simulator is not to be asked. Timers are not inherited. */
static void in_child(void)
{
	if (!simulated)
		return;
	simulated = NULL;
	base += last;
	origin = real_now();
	orrery_timer.due = INFINITY;
}

static void children_watch(void)
{
	pthread_atfork(NULL, NULL, in_child);
}

SHOWN void orrery_clock_set(const struct orrery_clock *clock)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	double date;

	is_active();
	pthread_once(&once, children_watch);
	if (clock) {
		date = clock->now();
		if (!simulated)
			base = shown > date ? shown - date : 0;
		timer_moves(1, date);
	} else if (simulated) {
		date = simulated->now();
		base += date;
		origin = real_now();
		timer_moves(0, date);
	}
	simulated = clock;
}

SHOWN void orrery_clock_switch(struct orrery_clock_state *from, const struct orrery_clock_state *to)
{
	active = 1;
	if (from)
		*from = (struct orrery_clock_state){
		    .simulated = simulated, .base = base, .origin = origin};
	timer_switch(from, to);
	simulated = to->simulated;
	base = to->base;
	shown = 0;
	origin = to->origin > 0 ? to->origin : real_now();
}

static double now(void)
{
	double date;

	if (!simulated)
		return shown = base + real_now() - origin;
	last = date = simulated->now();
	if (date >= orrery_timer.due)
		orrery_timer.run(date);
	return base + date;
}

double timer_now(void)
{
	return simulated ? simulated->now() : timer_is_held() ? 0 : -1;
}

/* To the nearest nanosecond: 0.1 ms, whose double is a little less, is 100 us. */
static struct timespec timespec_of(double seconds)
{
	struct timespec t = {.tv_sec = (time_t)seconds};

	t.tv_nsec = (long)((seconds - (double)t.tv_sec) * 1e9 + 0.5);
	if (t.tv_nsec == 1000000000) {
		t.tv_sec++;
		t.tv_nsec = 0;
	}
	return t;
}

static struct timespec since_epoch(void)
{
	struct timespec t = timespec_of(now());

	t.tv_sec += ORRERY_EPOCH;
	return t;
}

/* --- reading --- */

static int is_of_day(clockid_t clock)
{
	return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC ||
	       clock == CLOCK_MONOTONIC_RAW || clock == CLOCK_REALTIME_COARSE ||
	       clock == CLOCK_MONOTONIC_COARSE || clock == CLOCK_BOOTTIME;
}

/* Those that are not of the day count from MONOTONIC: a date of theirs that is handed to the kernel
 * past waits.c is over, and ends a wait, where one of 2020 would never come. */
enum { MONOTONIC = 1 };
static time_t epoch_of(clockid_t clock)
{
	int is_day = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;

	return is_day ? ORRERY_EPOCH : MONOTONIC;
}

SHOWN int clock_gettime(clockid_t clock, struct timespec *t)
{
	if (!is_active() || !is_of_day(clock))
		return (int)syscall(SYS_clock_gettime, clock, t);
	*t = since_epoch();
	t->tv_sec += epoch_of(clock) - ORRERY_EPOCH;
	return 0;
}

/* --- for waits.c and pauses.c --- */

int clocks_shown(clockid_t clock)
{
	return is_active() && is_of_day(clock);
}

int clocks_simulated(void)
{
	return simulated != NULL;
}

void clocks_sleep(double seconds)
{
	simulated->sleep(seconds, 1);
}

void clocks_elsewhere(double until)
{
	if (simulated && simulated->elsewhere)
		simulated->elsewhere(until);
}

void clocks_real(struct timespec *date)
{
	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, date);
}

SHOWN int gettimeofday(struct timeval *restrict t, void *restrict zone)
{
	struct timespec s;

	if (!is_active())
		return (int)syscall(SYS_gettimeofday, t, zone);
	s = since_epoch();
	*t = (struct timeval){s.tv_sec, s.tv_nsec / 1000};
	return 0;
}

SHOWN time_t time(time_t *out)
{
	struct timespec t;

	if (is_active())
		t = since_epoch();
	else
		syscall(SYS_clock_gettime, CLOCK_REALTIME, &t);
	if (out)
		*out = t.tv_sec;
	return t.tv_sec;
}

SHOWN int timespec_get(struct timespec *t, int what)
{
	return what == TIME_UTC && clock_gettime(CLOCK_REALTIME, t) == 0 ? what : 0;
}

SHOWN int ftime(struct timeb *out)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	*out = (struct timeb){.time = t.tv_sec, .millitm = (unsigned short)(t.tv_nsec / 1000000)};
	return 0;
}

/* Ticks since some date, as those of the kernel; processor times are its own. */
SHOWN clock_t times(struct tms *out)
{
	struct timespec t;
	long ticks = sysconf(_SC_CLK_TCK);
	clock_t real = (clock_t)syscall(SYS_times, out);

	if (!is_active())
		return real;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (clock_t)(t.tv_sec * ticks + t.tv_nsec * ticks / 1000000000);
}

/* --- sleeping --- */

/* A simulated sleep: how much of it was left when a signal ended it; 0: none did. */
double clocks_pause(double seconds)
{
	double begin = 0, until = 0, left;

	if (orrery_timer.due < 1e300) { /* one is armed */
		begin = simulated->now();
		until = begin + seconds;
	}
	while (orrery_timer.due < until) {
		double due = orrery_timer.due;
		int interrupts = timer_interrupts();

		left = simulated->sleep(due > begin ? due - begin : 0, 0);
		if (left > 0)
			return until - due + left;
		begin = due > begin ? due : begin;
		orrery_timer.run(due);
		if (interrupts)
			return until - due;
		seconds = until - begin;
	}
	return simulated->sleep(seconds, 0);
}

static double seconds_of(const struct timespec *t)
{
	return (double)t->tv_sec + (double)t->tv_nsec / 1e9;
}

static int is_valid(const struct timespec *t)
{
	return t->tv_sec >= 0 && t->tv_nsec >= 0 && t->tv_nsec < 1000000000;
}

int clocks_paused(double rest, struct timespec *left)
{
	if (rest <= 0)
		return 0;
	if (left)
		*left = timespec_of(rest);
	errno = EINTR;
	return -1;
}

int clocks_wait_begin(void)
{
	int was;

	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &was);
	return was;
}

int clocks_wait_end(int was, long said)
{
	int error = errno;

	pthread_setcanceltype(was, NULL);
	errno = error;
	return (int)said;
}

SHOWN int nanosleep(const struct timespec *wanted, struct timespec *left)
{
	int was;

	pthread_testcancel();
	if (!simulated) {
		was = clocks_wait_begin();
		return clocks_wait_end(was, syscall(SYS_nanosleep, wanted, left));
	}
	if (!is_valid(wanted)) {
		errno = EINVAL;
		return -1;
	}
	return clocks_paused(clocks_pause(seconds_of(wanted)), left);
}

static int real_sleep(clockid_t clock, int flags, const struct timespec *wanted,
                      struct timespec *left)
{
	int was = clocks_wait_begin();

	return clocks_wait_end(was, syscall(SYS_clock_nanosleep, clock, flags, wanted, left)) < 0
	           ? errno
	           : 0;
}

SHOWN int clock_nanosleep(clockid_t clock, int flags, const struct timespec *wanted,
                          struct timespec *left)
{
	struct timespec rest;
	double seconds;

	pthread_testcancel();
	if (!clocks_shown(clock) || !is_valid(wanted))
		return real_sleep(clock, flags, wanted, left);
	seconds = seconds_of(wanted);
	if (flags & TIMER_ABSTIME) {
		/* whole seconds first: a date of today, in double, is known to 0.2 us */
		seconds = (double)(wanted->tv_sec - epoch_of(clock)) +
		          1e-9 * (double)wanted->tv_nsec - now();
		seconds = seconds > 0 ? seconds : 0;
		left = NULL;
	}
	if (simulated)
		return clocks_paused(clocks_pause(seconds), left) < 0 ? EINTR : 0;
	rest = timespec_of(seconds);
	return real_sleep(CLOCK_MONOTONIC, 0, &rest, left);
}

/* Who waits so for what another rank does to memory that they share lets time pass, as who reads a
 * clock; beside other threads it is one of these that is waited for. */
SHOWN int sched_yield(void)
{
	if (simulated && !threads_others())
		now();
	return (int)syscall(SYS_sched_yield);
}

/* Until the simulated timer rings: 1, errno is EINTR. 0: it is none that would end a wait. */
static int timer_awaited(void)
{
	static const struct timespec long_enough = {.tv_sec = 1000000000};

	if (!simulated || orrery_timer.due > 1e300 || !timer_interrupts())
		return 0;
	nanosleep(&long_enough, NULL);
	return 1;
}

static int real_suspend(const sigset_t *mask)
{
	int was = clocks_wait_begin();

	return clocks_wait_end(was, syscall(SYS_rt_sigsuspend, mask, _NSIG / 8));
}

SHOWN int pause(void)
{
	sigset_t mask;

	if (timer_awaited())
		return -1;
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	return real_suspend(&mask);
}

/* A signal that waits and is let by this mask ends it at once: the kernel knows. */
int clocks_lets(const sigset_t *mask)
{
	sigset_t waiting;

	sigpending(&waiting);
	for (int i = 1; i < _NSIG; i++)
		if (sigismember(&waiting, i) == 1 && sigismember(mask, i) == 0)
			return 1;
	return 0;
}

/* Where ranks share a process who holds them has the mask in place (src/live/coro). */
SHOWN int sigsuspend(const sigset_t *mask)
{
	sigset_t was;
	int rang;

	if (timer_is_held())
		return timer_awaited() ? -1 : real_suspend(mask);
	if (!simulated || clocks_lets(mask))
		return real_suspend(mask);
	pthread_sigmask(SIG_SETMASK, mask, &was);
	rang = timer_awaited();
	pthread_sigmask(SIG_SETMASK, &was, NULL);
	if (!rang)
		return real_suspend(mask);
	errno = EINTR;
	return -1;
}

SHOWN unsigned sleep(unsigned seconds)
{
	struct timespec t = {.tv_sec = (time_t)seconds}, left = {0};

	return nanosleep(&t, &left) < 0 && errno == EINTR ? (unsigned)left.tv_sec : 0;
}

SHOWN int usleep(useconds_t microseconds)
{
	struct timespec t = {.tv_sec = (time_t)(microseconds / 1000000),
	                     .tv_nsec = (long)(microseconds % 1000000) * 1000};

	return nanosleep(&t, NULL);
}
