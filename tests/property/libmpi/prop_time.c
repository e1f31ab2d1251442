/* prop_time.c: the clocks, sleeps and alarms of a simulated program (libmpi/time) beside a
 * simulated date of the test's: what is read is that date, a sleep takes what it says, and signals
 * come at their dates. The library is the one that is preloaded; its functions are called by name,
 * so that the test itself keeps the real clocks. */
#include "../prop.h"

#include "../../../libmpi/time/time.h"
#include "base/rng.h"

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/select.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { STEPS = 4000, SKIPPED = 77 };

/* --- the library --- */

static struct {
	void *handle;
	__typeof__(orrery_clock_set) *set;
	orrery_clock_switch_fn *clock_switch;
	__typeof__(clock_gettime) *clock_gettime;
	__typeof__(time) *time;
	__typeof__(timespec_get) *timespec_get;
	__typeof__(nanosleep) *nanosleep;
	__typeof__(clock_nanosleep) *clock_nanosleep;
	__typeof__(sleep) *sleep;
	__typeof__(usleep) *usleep;
	__typeof__(poll) *poll;
	__typeof__(alarm) *alarm;
	__typeof__(pause) *pause;
	__typeof__(sigsuspend) *sigsuspend;
	int (*gettimeofday)(struct timeval *t, void *zone);
	int (*select)(int n, fd_set *in, fd_set *out, fd_set *special, struct timeval *timeout);
	int (*setitimer)(int which, const struct itimerval *v, struct itimerval *old);
	int (*getitimer)(int which, struct itimerval *v);
	__typeof__(pthread_cond_timedwait) *pthread_cond_timedwait;
	__typeof__(pthread_mutex_timedlock) *pthread_mutex_timedlock;
	__typeof__(sem_timedwait) *sem_timedwait;
} lib;

static void *named(const char *name)
{
	void *p = dlsym(lib.handle, name);

	if (!p)
		fail_msg("%s is not there", name);
	return p;
}

#define FIND(name) *(void **)&lib.name = named(#name)

static int library_open(void)
{
	const char *tracer = getenv("ORRERY_TRACER_DIR");
	char path[4096];

	snprintf(path, sizeof path, "%s/../lib/orrery/liborrery_time.so", tracer ? tracer : ".");
	setenv("ORRERY_LIVE", "/dev/null", 1); /* a rank's */
	lib.handle = access(path, R_OK) == 0 ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
	return lib.handle != NULL;
}

static void library_find(void)
{
	*(void **)&lib.set = named("orrery_clock_set");
	*(void **)&lib.clock_switch = named("orrery_clock_switch");
	FIND(clock_gettime);
	FIND(time);
	FIND(timespec_get);
	FIND(nanosleep);
	FIND(clock_nanosleep);
	FIND(sleep);
	FIND(usleep);
	FIND(poll);
	FIND(alarm);
	FIND(pause);
	FIND(sigsuspend);
	FIND(gettimeofday);
	FIND(select);
	FIND(setitimer);
	FIND(getitimer);
	FIND(pthread_cond_timedwait);
	FIND(pthread_mutex_timedlock);
	FIND(sem_timedwait);
}

/* --- the simulator: a date --- */

static double date;
static int sleeps;

static double date_now(void)
{
	return date;
}

static double date_sleep(double seconds, int waited)
{
	(void)waited;
	assert_true(seconds >= 0);
	date += seconds;
	sleeps++;
	return 0;
}

static const struct orrery_clock simulated = {date_now, date_sleep, NULL};

static double seconds_of(const struct timespec *t)
{
	return (double)t->tv_sec + 1e-9 * (double)t->tv_nsec;
}

static struct timespec timespec_of(double seconds)
{
	double whole = floor(seconds); /* of a date before the begin, too */

	return (struct timespec){(time_t)whole, (long)((seconds - whole) * 1e9)};
}

/* In a clock of the day. */
static struct timespec day_date(double seconds)
{
	struct timespec t = timespec_of(seconds);

	t.tv_sec += ORRERY_EPOCH;
	return t;
}

/* Within two nanoseconds, as dates are double numbers. */
static void is_date(double seconds, double want)
{
	if (fabs(seconds - want) > 2e-9 + 1e-15 * fabs(want))
		fail_msg("%.9f s, not %.9f", seconds, want);
}

/* What is read before MPI_Init is not undone by it: the date then. */
static double begin;

/* --- reading --- */

/* From a whole second on: dates of today are not known to a nanosecond in double. */
static double read_clock(clockid_t clock, time_t from)
{
	struct timespec t;

	assert_int_equal(lib.clock_gettime(clock, &t), 0);
	assert_in_range(t.tv_nsec, 0, 999999999);
	t.tv_sec -= from;
	return seconds_of(&t);
}

static void reads(void)
{
	static const clockid_t others[] = {CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW, CLOCK_BOOTTIME,
	                                   CLOCK_MONOTONIC_COARSE};
	double want = begin + date;
	struct timeval v;
	struct timespec t;
	time_t out;

	is_date(read_clock(CLOCK_REALTIME, ORRERY_EPOCH), want);
	is_date(read_clock(CLOCK_REALTIME_COARSE, ORRERY_EPOCH), want);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		is_date(read_clock(others[i], 1), want); /* time.c: from 1 s on */
	assert_int_equal(lib.gettimeofday(&v, NULL), 0);
	assert_in_range(v.tv_usec, 0, 999999);
	assert_true(fabs((double)(v.tv_sec - ORRERY_EPOCH) + 1e-6 * (double)v.tv_usec - want) <
	            1.1e-6);
	assert_int_equal(lib.time(&out), ORRERY_EPOCH + (time_t)(want + 0.5e-9));
	assert_int_equal(out, lib.time(NULL));
	assert_int_equal(lib.timespec_get(&t, TIME_UTC), TIME_UTC);
	t.tv_sec -= ORRERY_EPOCH;
	is_date(seconds_of(&t), want);
	assert_int_equal(lib.timespec_get(&t, TIME_UTC + 5), 0);
}

/* Before MPI_Init: real time that goes by since the epoch. Of processors: always real. */
static void outside(void **state)
{
	struct timespec a, b, c;
	double last;

	(void)state;
	assert_int_equal(lib.clock_gettime(CLOCK_REALTIME, &a), 0);
	assert_in_range(a.tv_sec, ORRERY_EPOCH, ORRERY_EPOCH + 5);
	assert_int_equal(lib.clock_gettime(CLOCK_REALTIME, &b), 0);
	assert_true(seconds_of(&b) >= seconds_of(&a));
	b.tv_sec -= ORRERY_EPOCH;
	last = seconds_of(&b);
	assert_int_equal(lib.clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a), 0);
	assert_int_equal(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &c), 0);
	assert_true(seconds_of(&c) >= seconds_of(&a) && seconds_of(&c) < seconds_of(&a) + 1);
	date = 0;
	lib.set(&simulated);
	begin = read_clock(CLOCK_REALTIME, ORRERY_EPOCH);
	assert_true(begin >= last - 2e-9); /* no clock goes back */
	assert_true(begin < 5);
	reads();
}

/* --- sleeping --- */

static double sleep_draw(struct rng *r, double unit, double most)
{
	return floor(rng_unit(r) * most / unit) * unit;
}

/* One way to sleep: how long it must take. */
static double sleeps_for(struct rng *r)
{
	double s = sleep_draw(r, 1e-9, rng_below(r, 3) ? 1e-3 : 50);
	struct timespec t = timespec_of(s), left = {9, 9};
	struct timeval v;

	switch (rng_below(r, 8)) {
	case 0:
		assert_int_equal(lib.nanosleep(&t, &left), 0);
		return seconds_of(&t);
	case 1:
		assert_int_equal(lib.clock_nanosleep(CLOCK_MONOTONIC, 0, &t, &left), 0);
		return seconds_of(&t);
	case 2: /* until a date, perhaps one that is over */
		s = rng_below(r, 3) ? s : -s;
		t = day_date(begin + date + s);
		assert_int_equal(lib.clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &t, NULL), 0);
		return s > 0 ? s : 0;
	case 3:
		s = floor(s);
		assert_int_equal(lib.sleep((unsigned)s), 0);
		return s;
	case 4:
		s = floor(s * 1e6);
		assert_int_equal(lib.usleep((useconds_t)s), 0);
		return s * 1e-6;
	case 5:
		s = floor(s * 1e3);
		assert_int_equal(lib.poll(NULL, 0, (int)s), 0);
		return s * 1e-3;
	case 6:
		v = (struct timeval){t.tv_sec, t.tv_nsec / 1000};
		s = (double)v.tv_sec + 1e-6 * (double)v.tv_usec;
		assert_int_equal(lib.select(0, NULL, NULL, NULL, &v), 0);
		assert_int_equal(v.tv_sec + v.tv_usec, 0); /* Linux: what is left */
		return s;
	default:
		t.tv_nsec = 1000000000;
		assert_int_equal(lib.nanosleep(&t, &left), -1);
		assert_int_equal(errno, EINVAL);
		return 0;
	}
}

static void sleeping(void **state)
{
	struct rng r;

	(void)state;
	rng_init(&r, prop_seed(1), "sleeps", 0);
	for (int i = 0; i < STEPS; i++) {
		double before = date, want = sleeps_for(&r);

		if (fabs(date - before - want) > 2e-9 + 1e-15 * date)
			fail_msg("step %d: %.12g s passed, not %.12g", i, date - before, want);
		if (i % 10 == 0)
			reads();
		date += sleep_draw(&r, 1e-9, 1e-2); /* computed */
	}
}

/* From the date 0: a sleep of so many microseconds is the double nearest to that, and clocks show
 * exactly that many, though the double may be a little less. */
static void whole_microseconds(void **state)
{
	struct orrery_clock_state kept, fresh = {.simulated = &simulated, .due = INFINITY};
	double was = date;

	(void)state;
	lib.clock_switch(&kept, &fresh);
	for (useconds_t us = 1; us < STEPS; us++) {
		struct timespec t;
		struct timeval v;

		date = 0;
		assert_int_equal(lib.usleep(us), 0);
		if (date != us / 1e6)
			fail_msg("%.17g s, not %.17g", date, us / 1e6);
		assert_int_equal(lib.clock_gettime(CLOCK_REALTIME, &t), 0);
		assert_int_equal(t.tv_nsec, us * 1000);
		assert_int_equal(lib.gettimeofday(&v, NULL), 0);
		assert_int_equal(v.tv_usec, us);
	}
	lib.clock_switch(NULL, &kept);
	date = was;
}

/* --- signals --- */

static int rang;
static double rang_at;

static void on_alarm(int number)
{
	(void)number;
	rang++;
	rang_at = date;
}

static void armed_is(double first, double interval)
{
	struct itimerval v;

	assert_int_equal(lib.getitimer(ITIMER_REAL, &v), 0);
	assert_true(fabs((double)v.it_value.tv_sec + 1e-6 * (double)v.it_value.tv_usec - first) <
	            2e-6);
	assert_true(fabs((double)v.it_interval.tv_sec + 1e-6 * (double)v.it_interval.tv_usec -
	                 interval) < 2e-6);
}

static struct timeval timeval_of(double seconds)
{
	return (struct timeval){(time_t)seconds,
	                        (suseconds_t)llround((seconds - floor(seconds)) * 1e6)};
}

/* A sleep ends at the first signal, and tells what was left; the next one is due an interval after
 * that date. */
static void interrupted(void **state)
{
	struct rng r;

	(void)state;
	signal(SIGALRM, on_alarm);
	rng_init(&r, prop_seed(1), "alarms", 0);
	for (int i = 0; i < 500; i++) {
		double first = 1e-6 + sleep_draw(&r, 1e-6, 3), every = sleep_draw(&r, 1e-6, 2),
		       length = sleep_draw(&r, 1e-6, 5), from = date, due = date + first;
		struct itimerval v = {timeval_of(every), timeval_of(first)};
		struct timespec t = timespec_of(length), left = {0};

		every = rng_below(&r, 3) ? every : 0;
		v.it_interval = timeval_of(every);
		rang = 0;
		assert_int_equal(lib.setitimer(ITIMER_REAL, &v, NULL), 0);
		armed_is(first, every);
		if (fabs(length - first) < 1e-5)
			continue;
		if (length < first) {
			assert_int_equal(lib.nanosleep(&t, &left), 0);
			assert_int_equal(rang, 0);
			armed_is(first - length, every);
			continue;
		}
		assert_int_equal(lib.nanosleep(&t, &left), -1);
		assert_int_equal(errno, EINTR);
		assert_int_equal(rang, 1);
		assert_true(fabs(rang_at - due) < 1e-6);
		assert_true(fabs(seconds_of(&left) - (length - first)) < 1e-6);
		assert_true(fabs(date - from - first) < 1e-6);
		armed_is(every, every);
	}
}

/* Nobody sleeps: the signal comes with the next reading of a clock; several that were missed are
 * one, and the rhythm stays. */
static void missed(void **state)
{
	struct itimerval v = {{0, 250000}, {0, 500000}}, none = {{0, 0}, {0, 0}}, old;
	double from = date;

	(void)state;
	rang = 0;
	assert_int_equal(lib.setitimer(ITIMER_REAL, &v, NULL), 0);
	date = from + 0.4;
	lib.time(NULL);
	assert_int_equal(rang, 0);
	date = from + 1.3; /* due at 0.5, 0.75, 1, 1.25 */
	lib.time(NULL);
	assert_int_equal(rang, 1);
	armed_is(0.2, 0.25);
	assert_int_equal(lib.setitimer(ITIMER_REAL, &none, &old), 0);
	assert_int_equal(old.it_interval.tv_usec, 250000);
	date += 100;
	lib.time(NULL);
	assert_int_equal(rang, 1);
	armed_is(0, 0);
	v.it_value.tv_usec = 1000000;
	assert_int_equal(lib.setitimer(ITIMER_REAL, &v, NULL), -1);
	assert_int_equal(errno, EINVAL);
	armed_is(0, 0);
}

/* alarm tells whole seconds of the one before, to the nearest one, but never 0 of one that is
 * armed.
 */
static void alarms(void **state)
{
	(void)state;
	assert_int_equal(lib.alarm(10), 0);
	date += 3.2;
	assert_int_equal(lib.alarm(5), 7); /* 6.8 */
	date += 1.6;
	assert_int_equal(lib.alarm(1), 3); /* 3.4 */
	date += 0.9;
	assert_int_equal(lib.alarm(0), 1); /* 0.1 */
	assert_int_equal(lib.alarm(0), 0);
	/* one that is blocked or ignored ends no sleep */
	signal(SIGALRM, SIG_IGN);
	lib.alarm(1);
	double from = date;
	assert_int_equal(lib.sleep(3), 0);
	assert_true(fabs(date - from - 3) < 1e-6);
	signal(SIGALRM, on_alarm);
}

/* Who waits for a signal waits for the simulated alarm: POSIX's pages of pause and sigsuspend,
 * which lets for its time what is blocked. */
static void suspended(void **state)
{
	sigset_t alarm_alone, none, was;
	double from = date;

	(void)state;
	sigemptyset(&none);
	sigemptyset(&alarm_alone);
	sigaddset(&alarm_alone, SIGALRM);
	signal(SIGALRM, on_alarm);
	signal(SIGUSR1, on_alarm);
	rang = 0;
	lib.alarm(4);
	errno = 0;
	assert_int_equal(lib.pause(), -1);
	assert_int_equal(errno, EINTR);
	assert_int_equal(rang, 1);
	assert_true(fabs(date - from - 4) < 1e-6);
	pthread_sigmask(SIG_BLOCK, &alarm_alone, NULL);
	from = date;
	lib.alarm(3);
	date += 1;
	errno = 0;
	assert_int_equal(lib.sigsuspend(&none), -1);
	assert_int_equal(errno, EINTR);
	assert_int_equal(rang, 2);
	assert_true(fabs(date - from - 3) < 1e-6);
	pthread_sigmask(SIG_SETMASK, NULL, &was);
	assert_int_equal(sigismember(&was, SIGALRM), 1); /* as before */
	/* one that has come already ends it at once, and the alarm stays */
	sigaddset(&alarm_alone, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &alarm_alone, NULL);
	lib.alarm(5);
	raise(SIGUSR1);
	from = date;
	assert_int_equal(lib.sigsuspend(&none), -1);
	assert_int_equal(rang, 3);
	assert_true(date - from < 1e-6);
	armed_is(5, 0);
	lib.alarm(0);
	pthread_sigmask(SIG_UNBLOCK, &alarm_alone, NULL);
	assert_int_equal(rang, 3);
}

/* --- waits until a date: who is alone has nobody to wait for --- */

static void waits(void **state)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, taken = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
	struct timespec t;
	sem_t semaphore;
	double from;

	(void)state;
	assert_int_equal(sem_init(&semaphore, 0, 1), 0);
	t = day_date(begin + date + 5);
	from = date;
	assert_int_equal(lib.sem_timedwait(&semaphore, &t), 0); /* at once */
	assert_true(date - from < 1e-6);
	assert_int_equal(lib.sem_timedwait(&semaphore, &t), -1);
	assert_int_equal(errno, ETIMEDOUT);
	assert_true(fabs(date - from - 5) < 1e-6);
	pthread_mutex_lock(&mutex);
	t = day_date(begin + date + 7.5);
	from = date;
	assert_int_equal(lib.pthread_cond_timedwait(&cond, &mutex, &t), ETIMEDOUT);
	assert_true(fabs(date - from - 7.5) < 1e-6);
	from = date; /* over already */
	assert_int_equal(lib.pthread_cond_timedwait(&cond, &mutex, &t), ETIMEDOUT);
	assert_true(date - from < 1e-6);
	pthread_mutex_unlock(&mutex);
	pthread_mutex_lock(&taken);
	t = day_date(begin + date + 0.25);
	assert_int_equal(lib.pthread_mutex_timedlock(&taken, &t), ETIMEDOUT);
	assert_true(fabs(date - from - 0.25) < 1e-6);
	pthread_mutex_unlock(&taken);
	sem_destroy(&semaphore);
}

/* After MPI_Finalize clocks go on from the last date, in real time. */
static void after(void **state)
{
	double last = begin + date, now;

	(void)state;
	lib.set(NULL);
	now = read_clock(CLOCK_REALTIME, ORRERY_EPOCH);
	assert_true(now >= last - 1e-6 && now < last + 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(outside),
	                                   cmocka_unit_test(sleeping),
	                                   cmocka_unit_test(whole_microseconds),
	                                   cmocka_unit_test(interrupted),
	                                   cmocka_unit_test(missed),
	                                   cmocka_unit_test(alarms),
	                                   cmocka_unit_test(waits),
	                                   cmocka_unit_test(suspended),
	                                   cmocka_unit_test(after)};

	if (!library_open()) {
		puts("the library of clocks was not built");
		return SKIPPED;
	}
	library_find();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
