/* pauses.c: time-outs of a simulated program, preloaded: poll, select, epoll_wait and their like
 * where they wait for no descriptor are sleeps, and take simulated time. What comes by descriptors
 * (and signals) comes in real time: they wait as many real seconds, and when nothing has come, the
 * simulated time passes, too: else a loop of events would wait for its next date for ever. */
#include "clocks.h"
#include "timer.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <threads.h>
#include <unistd.h>

#define SHOWN __attribute__((visibility("default")))

static double seconds_of(const struct timespec *t)
{
	return (double)t->tv_sec + (double)t->tv_nsec / 1e9;
}

static int is_valid(const struct timespec *t)
{
	return t->tv_sec >= 0 && t->tv_nsec >= 0 && t->tv_nsec < 1000000000;
}

/* A sleep under that mask (NULL: as it is); *rest: what was left of it when a signal ended it. 0:
 * the kernel is to do it, as a signal that waits ends it at once. */
static int paused(double seconds, const sigset_t *mask, double *rest)
{
	sigset_t was;

	*rest = 0;
	if (!mask || timer_is_held()) {
		*rest = clocks_pause(seconds);
		return 1;
	}
	if (clocks_lets(mask))
		return 0;
	pthread_sigmask(SIG_SETMASK, mask, &was);
	*rest = clocks_pause(seconds);
	pthread_sigmask(SIG_SETMASK, &was, NULL);
	return 1;
}

/* The simulated date at which a wait of so many seconds is over, or -1. */
static double over_at(double seconds)
{
	return clocks_simulated() && seconds > 0 ? timer_now() + seconds : -1;
}

/* A thread beside the first of a rank that shares its process: it sees no simulated time. */
static int is_beside(void)
{
	return timer_is_held() && threads_others() && (pid_t)syscall(SYS_gettid) != getpid();
}

/* What the kernel said of it: nothing has come. */
static int waited(int r, double until)
{
	double rest = r == 0 && until >= 0 && clocks_simulated() ? until - timer_now() : 0;

	if (rest > 0 && !is_beside())
		clocks_sleep(rest);
	return r;
}

SHOWN int thrd_sleep(const struct timespec *wanted, struct timespec *left)
{
	int code = clock_nanosleep(CLOCK_REALTIME, 0, wanted, left);

	return code == 0 ? 0 : code == EINTR ? -1 : -2;
}

/* --- poll --- */

SHOWN int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask)
{
	const double until = over_at(timeout && is_valid(timeout) ? seconds_of(timeout) : 0);
	struct timespec t;
	double rest;
	int was;

	if (clocks_simulated() && n == 0 && timeout && is_valid(timeout) &&
	    paused(seconds_of(timeout), mask, &rest))
		return clocks_paused(rest, NULL);
	if (timeout)
		t = *timeout; /* the kernel writes there */
	was = clocks_wait_begin();
	return waited(
	    clocks_wait_end(was, syscall(SYS_ppoll, fds, n, timeout ? &t : NULL, mask, _NSIG / 8)),
	    until);
}

SHOWN int poll(struct pollfd *fds, nfds_t n, int milliseconds)
{
	struct timespec t = {milliseconds / 1000, milliseconds % 1000 * 1000000L};

	return ppoll(fds, n, milliseconds < 0 ? NULL : &t, NULL);
}

/* --- select --- */

/* With what was left of it. */
static int selected(int n, fd_set *in, fd_set *out, fd_set *special, struct timespec *timeout,
                    const sigset_t *mask)
{
	struct {
		const sigset_t *mask;
		size_t bytes;
	} sixth = {mask, _NSIG / 8};
	const double until = over_at(timeout && is_valid(timeout) ? seconds_of(timeout) : 0);
	double rest;
	int was;

	if (clocks_simulated() && timeout && is_valid(timeout) &&
	    (n == 0 || (!in && !out && !special)) && paused(seconds_of(timeout), mask, &rest)) {
		*timeout = (struct timespec){0, 0};
		return clocks_paused(rest, timeout);
	}
	was = clocks_wait_begin();
	return waited(clocks_wait_end(was, syscall(SYS_pselect6, n, in, out, special, timeout,
	                                           mask ? &sixth : NULL)),
	              until);
}

SHOWN int pselect(int n, fd_set *restrict in, fd_set *restrict out, fd_set *restrict special,
                  const struct timespec *restrict timeout, const sigset_t *restrict mask)
{
	struct timespec t;

	if (timeout)
		t = *timeout;
	return selected(n, in, out, special, timeout ? &t : NULL, mask);
}

SHOWN int select(int n, fd_set *restrict in, fd_set *restrict out, fd_set *restrict special,
                 struct timeval *restrict timeout)
{
	struct timespec t;
	int r;

	if (!timeout)
		return selected(n, in, out, special, NULL, NULL);
	t = (struct timespec){timeout->tv_sec + timeout->tv_usec / 1000000,
	                      timeout->tv_usec % 1000000 * 1000};
	r = selected(n, in, out, special, &t, NULL);
	*timeout = (struct timeval){t.tv_sec, t.tv_nsec / 1000};
	return r;
}

/* --- epoll --- */

/* The kernel lists what it waits for. */
static int epoll_is_empty(int set)
{
	char path[64], line[256];
	int found = 0;
	FILE *f;

	snprintf(path, sizeof path, "/proc/self/fdinfo/%d", set);
	f = fopen(path, "re");
	if (!f)
		return 0;
	while (!found && fgets(line, sizeof line, f))
		found = strncmp(line, "tfd:", 4) == 0;
	fclose(f);
	return !found;
}

SHOWN int epoll_pwait(int set, struct epoll_event *events, int n, int milliseconds,
                      const sigset_t *mask)
{
	const double until = over_at(milliseconds / 1e3);
	double rest;
	int was;

	/* no time to wait: it says what is wrong with the rest */
	if (clocks_simulated() && milliseconds > 0 && !(mask && clocks_lets(mask)) &&
	    epoll_is_empty(set)) {
		int r = (int)syscall(SYS_epoll_pwait, set, events, n, 0, mask, _NSIG / 8);

		if (r == 0 && paused(milliseconds / 1e3, mask, &rest))
			return clocks_paused(rest, NULL);
		if (r != 0)
			return r;
	}
	was = clocks_wait_begin();
	return waited(clocks_wait_end(was, syscall(SYS_epoll_pwait, set, events, n, milliseconds,
	                                           mask, _NSIG / 8)),
	              until);
}

SHOWN int epoll_wait(int set, struct epoll_event *events, int n, int milliseconds)
{
	return epoll_pwait(set, events, n, milliseconds, NULL);
}

/* --- signals --- */

static int real_wait(const sigset_t *set, siginfo_t *info, const struct timespec *timeout)
{
	int was = clocks_wait_begin();

	return clocks_wait_end(was, syscall(SYS_rt_sigtimedwait, set, info, timeout, _NSIG / 8));
}

/* A child or another thread may send one, in real time: as many real seconds, and then the
 * simulated time. A timer that rings before has its date. */
SHOWN int sigtimedwait(const sigset_t *restrict set, siginfo_t *restrict info,
                       const struct timespec *restrict timeout)
{
	double rest, until;
	int r;

	if (!clocks_simulated() || !timeout || !is_valid(timeout))
		return real_wait(set, info, timeout);
	if (timer_is_held()) { /* no signal of another process is one rank's */
		rest = clocks_pause(seconds_of(timeout));
		errno = rest > 0 ? EINTR : EAGAIN;
		return -1;
	}
	until = timer_now() + seconds_of(timeout);
	if (sigismember(set, SIGALRM) == 1 && orrery_timer.due < until) {
		rest = orrery_timer.due - timer_now();
		clocks_pause(rest > 0 ? rest : 0);
	}
	r = real_wait(set, info, timeout);
	if (r < 0 && errno == EAGAIN) {
		rest = until - timer_now();
		if (rest > 0)
			clocks_sleep(rest);
		errno = EAGAIN;
	}
	return r;
}
