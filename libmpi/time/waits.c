/* waits.c: waits for other threads until a date (pthread_cond_timedwait, sem_timedwait and their
 * like) of a simulated program, preloaded: the date is one of the clocks that we show, and the
 * kernel knows others. A wait that ends by its date has taken the simulated time to it: a rank
 * without other threads passes it at once.
 *
 * Each is handed to the form of the C library that is told the clock (glibc 2.30). std::future and
 * the semaphores of C++, and all of Rust, ask the kernel themselves, by syscall(). */
#include "clocks.h"
#include "timer.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>

#define SHOWN __attribute__((visibility("default")))

struct deadline {
	clockid_t clock; /* as shown: this, and the date wanted */
	const struct timespec *wanted;
	struct timespec real; /* of CLOCK_MONOTONIC */
};

static double left(const struct deadline *d)
{
	struct timespec now;

	clock_gettime(d->clock, &now);
	return (double)(d->wanted->tv_sec - now.tv_sec) +
	       1e-9 * (double)(d->wanted->tv_nsec - now.tv_nsec);
}

/* 0: the date is the kernel's affair. */
static int deadline_begin(struct deadline *d, clockid_t clock, const struct timespec *wanted)
{
	double seconds;

	*d = (struct deadline){.clock = clock, .wanted = wanted};
	if (!clocks_shown(clock) || wanted->tv_nsec < 0 || wanted->tv_nsec >= 1000000000)
		return 0;
	seconds = left(d);
	if (seconds < 0 || (clocks_simulated() && !threads_others()))
		seconds = 0;
	clocks_real(&d->real);
	if (seconds > 1e9)
		seconds = 1e9;
	d->real.tv_sec += (time_t)seconds;
	d->real.tv_nsec += (long)((seconds - (double)(time_t)seconds) * 1e9);
	if (d->real.tv_nsec >= 1000000000) {
		d->real.tv_sec++;
		d->real.tv_nsec -= 1000000000;
	}
	if (seconds > 0 && clocks_simulated())
		clocks_elsewhere(timer_now() + seconds);
	return 1;
}

/* A thread is cancelled in its wait. */
static void deadline_cancel(void *none)
{
	(void)none;
	clocks_elsewhere(0);
}

/* The code of a wait that has ended. */
static int deadline_end(const struct deadline *d, int code)
{
	double seconds = code == ETIMEDOUT && clocks_simulated() ? left(d) : 0;

	clocks_elsewhere(0);
	if (seconds > 0)
		clocks_sleep(seconds);
	return code;
}

/* A condition's clock is not told by it: dates of the day lie far behind those of the others. */
static clockid_t clock_of(const struct timespec *date)
{
	return date->tv_sec >= ORRERY_EPOCH ? CLOCK_REALTIME : CLOCK_MONOTONIC;
}

typedef int wait_fn(void *object, void *mutex, clockid_t clock, const struct timespec *date);
typedef int lock_fn(void *object, clockid_t clock, const struct timespec *date);
typedef long system_fn(long number, ...);
union found {
	void *object;
	wait_fn *wait;
	lock_fn *lock;
	system_fn *system;
};

static union found found(_Atomic(void *) *kept, const char *name)
{
	union found f = {.object = atomic_load(kept)};

	if (!f.object) {
		f.object = dlsym(RTLD_NEXT, name);
		atomic_store(kept, f.object);
	}
	return f;
}

static int cond_wait(void *cond, void *mutex, clockid_t clock, const struct timespec *date)
{
	static _Atomic(void *) kept;
	union found f = found(&kept, "pthread_cond_clockwait");
	struct deadline d;
	int code;

	if (!f.wait)
		return ENOSYS;
	if (!deadline_begin(&d, clock, date))
		return f.wait(cond, mutex, clock, date);
	pthread_cleanup_push(deadline_cancel, NULL);
	code = f.wait(cond, mutex, CLOCK_MONOTONIC, &d.real);
	pthread_cleanup_pop(0);
	return deadline_end(&d, code);
}

SHOWN int pthread_cond_clockwait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex,
                                 clockid_t clock, const struct timespec *restrict date)
{
	return cond_wait(cond, mutex, clock, date);
}

SHOWN int pthread_cond_timedwait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex,
                                 const struct timespec *restrict date)
{
	return cond_wait(cond, mutex, clock_of(date), date);
}

SHOWN int cnd_timedwait(cnd_t *restrict cond, mtx_t *restrict mutex,
                        const struct timespec *restrict date)
{
	int code = cond_wait(cond, mutex, CLOCK_REALTIME, date);

	return code == 0 ? thrd_success : code == ETIMEDOUT ? thrd_timedout : thrd_error;
}

static int lock(union found f, void *object, clockid_t clock, const struct timespec *date)
{
	struct deadline d;

	if (!f.lock)
		return ENOSYS;
	if (!deadline_begin(&d, clock, date))
		return f.lock(object, clock, date);
	return deadline_end(&d, f.lock(object, CLOCK_MONOTONIC, &d.real));
}

/* Locks, with the clock and without. */
#define LOCK(type, clocked, timed) \
	SHOWN int clocked(__typeof__(type) *restrict object, clockid_t clock, \
	                  const struct timespec *restrict date) \
	{ \
		static _Atomic(void *) kept; \
\
		return lock(found(&kept, #clocked), object, clock, date); \
	} \
	SHOWN int timed(__typeof__(type) *restrict object, const struct timespec *restrict date) \
	{ \
		return clocked(object, CLOCK_REALTIME, date); \
	}
LOCK(pthread_mutex_t, pthread_mutex_clocklock, pthread_mutex_timedlock)
LOCK(pthread_rwlock_t, pthread_rwlock_clockrdlock, pthread_rwlock_timedrdlock)
LOCK(pthread_rwlock_t, pthread_rwlock_clockwrlock, pthread_rwlock_timedwrlock)

SHOWN int mtx_timedlock(mtx_t *restrict mutex, const struct timespec *restrict date)
{
	int code = pthread_mutex_timedlock((pthread_mutex_t *)mutex, date);

	return code == 0 ? thrd_success : code == ETIMEDOUT ? thrd_timedout : thrd_error;
}

/* A semaphore tells by errno. */
SHOWN int sem_clockwait(sem_t *restrict semaphore, clockid_t clock,
                        const struct timespec *restrict date)
{
	static _Atomic(void *) kept;
	union found f = found(&kept, "sem_clockwait");
	struct deadline d;
	int code, error;

	if (!f.lock) {
		errno = ENOSYS;
		return -1;
	}
	if (!deadline_begin(&d, clock, date))
		return f.lock(semaphore, clock, date);
	pthread_cleanup_push(deadline_cancel, NULL);
	code = f.lock(semaphore, CLOCK_MONOTONIC, &d.real);
	pthread_cleanup_pop(0);
	error = deadline_end(&d, code == 0 ? 0 : errno);
	if (code != 0)
		errno = error;
	return code;
}

SHOWN int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict date)
{
	return sem_clockwait(semaphore, CLOCK_REALTIME, date);
}

/* What a thread asks the kernel by number: six words, of which each call reads its own. A wait for
 * a futex until a date is the one that is another here; ours (src/live/wire.c) name who is woken.
 */
SHOWN long syscall(long number, ...)
{
	static _Atomic(void *) kept;
	union found f = found(&kept, "syscall");
	struct deadline d;
	long word[6], r;
	va_list words;
	int error;

	va_start(words, number);
	for (int i = 0; i < 6; i++)
		word[i] = va_arg(words, long);
	va_end(words);
	if (number == SYS_futex && (word[1] & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET && word[3] &&
	    (uint32_t)word[5] == FUTEX_BITSET_MATCH_ANY &&
	    deadline_begin(&d, word[1] & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC,
	                   (const struct timespec *)word[3])) {
		r = f.system(number, word[0], word[1] & ~(long)FUTEX_CLOCK_REALTIME, word[2],
		             &d.real, word[4], word[5]);
		error = deadline_end(&d, r == 0 ? 0 : errno);
		if (r != 0)
			errno = error;
		return r;
	}
	return f.system(number, word[0], word[1], word[2], word[3], word[4], word[5]);
}
