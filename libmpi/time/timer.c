/* timer.c: alarm and the real-time timer of setitimer while the rank is in MPI: their signal comes
 * when its simulated date has passed, at the end of the call of MPI, the sleep or the reading of a
 * clock that lets it pass. What is armed before MPI_Init goes on in simulated time, and what is
 * left at MPI_Finalize in real time (coroutines: time.h). Timers of processor time are real. */
#include "timer.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#define SHOWN __attribute__((visibility("default")))

static double interval;
static const struct orrery_timer_hold *held;
static void run(double now);
struct orrery_timer orrery_timer = {INFINITY, run};

/* floor() of what is not negative, nor 2^63 s: what is preloaded into every program, a shell too,
 * is linked to the C library alone, and where names are bound at once (LD_BIND_NOW, -z now) one of
 * libm's would end it before it begins. */
static double whole(double x)
{
	return (double)(int64_t)x;
}

static void run(double now)
{
	if (now < orrery_timer.due)
		return;
	orrery_timer.due = interval > 0
	                       ? orrery_timer.due +
	                             interval * (1 + whole((now - orrery_timer.due) / interval))
	                       : INFINITY;
	if (held)
		held->ring();
	else
		raise(SIGALRM);
}

SHOWN void orrery_timer_held(const struct orrery_timer_hold *h)
{
	held = h;
}

int timer_is_held(void)
{
	return held != NULL;
}

/* A due date of 0 is that of a new rank: none. */
void timer_switch(struct orrery_clock_state *from, const struct orrery_clock_state *to)
{
	if (from) {
		from->due = orrery_timer.due;
		from->interval = interval;
	}
	orrery_timer.due = to->due > 0 ? to->due : INFINITY;
	interval = to->interval;
}

static double seconds_of(const struct timeval *t)
{
	return (double)t->tv_sec + 1e-6 * (double)t->tv_usec;
}

static struct timeval timeval_of(double seconds)
{
	return (struct timeval){.tv_sec = (time_t)seconds,
	                        .tv_usec = (suseconds_t)((seconds - whole(seconds)) * 1e6)};
}

/* What is armed: time left, never 0. */
static struct itimerval left(double now)
{
	struct itimerval v = {{0, 0}, {0, 0}};
	double rest = orrery_timer.due - now;

	if (isfinite(rest)) {
		v.it_value = timeval_of(rest > 1e-6 ? rest : 1e-6);
		v.it_interval = timeval_of(interval);
	}
	return v;
}

static void arm(const struct itimerval *v, double now)
{
	double first = seconds_of(&v->it_value);

	orrery_timer.due = first > 0 ? now + first : INFINITY;
	interval = seconds_of(&v->it_interval);
}

void timer_moves(int on, double now)
{
	static const struct itimerval none;
	struct itimerval v = left(now);

	if (held) {
		orrery_timer.due = on ? orrery_timer.due : INFINITY;
		return;
	}
	if (on && syscall(SYS_setitimer, ITIMER_REAL, &none, &v) == 0) {
		arm(&v, now);
	} else if (!on && isfinite(orrery_timer.due)) {
		syscall(SYS_setitimer, ITIMER_REAL, &v, NULL);
		orrery_timer.due = INFINITY;
	}
}

int timer_interrupts(void)
{
	struct sigaction a;
	sigset_t blocked;

	if (held)
		return held->interrupts();
	pthread_sigmask(SIG_SETMASK, NULL, &blocked);
	return sigaction(SIGALRM, NULL, &a) == 0 && a.sa_handler != SIG_IGN &&
	       !sigismember(&blocked, SIGALRM);
}

SHOWN int setitimer(__itimer_which_t which, const struct itimerval *restrict v,
                    struct itimerval *restrict old)
{
	double now = timer_now();
	struct itimerval before;

	if (held && which != ITIMER_REAL) { /* one process has one, and many ranks */
		errno = ENOTSUP;
		return -1;
	}
	if (now < 0 || which != ITIMER_REAL)
		return (int)syscall(SYS_setitimer, which, v, old);
	if (v && (v->it_value.tv_usec < 0 || v->it_value.tv_usec > 999999 ||
	          v->it_interval.tv_usec < 0 || v->it_interval.tv_usec > 999999)) {
		errno = EINVAL;
		return -1;
	}
	before = left(now);
	if (v)
		arm(v, now);
	if (old)
		*old = before;
	return 0;
}

SHOWN int getitimer(__itimer_which_t which, struct itimerval *v)
{
	double now = timer_now();

	if (now < 0 || which != ITIMER_REAL)
		return (int)syscall(SYS_getitimer, which, v);
	*v = left(now);
	return 0;
}

SHOWN unsigned alarm(unsigned seconds)
{
	struct itimerval v = {{0, 0}, {(time_t)seconds, 0}}, old = {{0, 0}, {0, 0}};

	setitimer(ITIMER_REAL, &v, &old);
	return (unsigned)old.it_value.tv_sec + (old.it_value.tv_usec >= 500000 ||
	                                        (old.it_value.tv_sec == 0 && old.it_value.tv_usec));
}
