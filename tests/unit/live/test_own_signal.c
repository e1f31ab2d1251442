/* test_own_signal.c: signals and limits of ranks that share a process (own_signal.c), beside POSIX:
 * what a rank does at a signal is nobody else's affair, what it has blocked waits, what it does not
 * handle ends it and not the process. */
#include "own.h"

#include <limits.h>
#include <setjmp.h>
#include <sys/resource.h>
#include <time.h>

static int came[NSIG], last[RANKS];

static void count(int number)
{
	came[number]++;
	last[all.rank] = number;
}

static void count_with(int number, siginfo_t *info, void *context)
{
	(void)context;
	assert_int_equal(info->si_signo, number);
	came[number] += 100;
}

static int begin(void **state)
{
	(void)state;
	memset(came, 0, sizeof came);
	memset(last, 0, sizeof last);
	ranks_begin();
	runs(0);
	return 0;
}

static int end(void **state)
{
	(void)state;
	ranks_end();
	return 0;
}

static void raises(void *number)
{
	own_raise((int)(intptr_t)number);
}

/* Each rank has actions of its own; what was asked for is what is told. */
static void actions(void **state)
{
	struct sigaction act = {.sa_handler = count, .sa_flags = SA_RESTART}, old;

	(void)state;
	assert_int_equal(own_sigaction(SIGUSR1, NULL, &old), 0);
	assert_ptr_equal(old.sa_handler, SIG_DFL);
	assert_int_equal(own_sigaction(SIGUSR1, &act, &old), 0);
	assert_ptr_equal(old.sa_handler, SIG_DFL);
	assert_int_equal(own_sigaction(SIGUSR1, NULL, &old), 0);
	assert_ptr_equal(old.sa_handler, count);
	assert_int_equal(old.sa_flags, SA_RESTART);
	assert_int_equal(own_raise(SIGUSR1), 0);
	assert_int_equal(came[SIGUSR1], 1);
	runs(1);
	assert_int_equal(own_sigaction(SIGUSR1, NULL, &old), 0);
	assert_ptr_equal(old.sa_handler, SIG_DFL);
	assert_ptr_equal(own_signal(SIGUSR1, SIG_IGN), SIG_DFL);
	assert_int_equal(own_raise(SIGUSR1), 0);
	assert_int_equal(came[SIGUSR1], 1);
	assert_ptr_equal(own_signal(SIGUSR1, count), SIG_IGN);
	runs(2);
	is_killed(raises, (void *)(intptr_t)SIGUSR1, SIGUSR1, "was killed by signal 10");
	runs(0);
	assert_int_equal(own_raise(SIGUSR1), 0);
	assert_int_equal(last[0], SIGUSR1);
	assert_int_equal(last[1], 0);
}

/* POSIX: no such signal, and those whose action is fixed. */
static void none(void **state)
{
	static const int bad[] = {0, -1, NSIG, 1000, SIGKILL, SIGSTOP};
	struct sigaction act = {.sa_handler = count};

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		errno = 0;
		assert_int_equal(own_sigaction(bad[i], &act, NULL), -1);
		assert_int_equal(errno, EINVAL);
		assert_ptr_equal(own_signal(bad[i], count), SIG_ERR);
	}
	assert_int_equal(own_raise(0), 0); /* is only looked at */
	assert_int_equal(own_kill(getpid(), 0), 0);
	assert_int_equal(own_raise(NSIG), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(own_kill(INT_MAX, 0), -1); /* somebody else: the kernel's answer */
	assert_int_equal(errno, ESRCH);
}

/* The default of these is to do nothing, of all others to end. */
static void defaults(void **state)
{
	static const int quiet[] = {SIGCHLD, SIGURG, SIGWINCH, SIGCONT},
	                 ending_ones[] = {SIGHUP, SIGINT, SIGTERM, SIGALRM, SIGUSR2, SIGKILL};

	(void)state;
	for (size_t i = 0; i < sizeof quiet / sizeof *quiet; i++)
		assert_int_equal(own_raise(quiet[i]), 0);
	for (size_t i = 0; i < sizeof ending_ones / sizeof *ending_ones; i++)
		is_killed(raises, (void *)(intptr_t)ending_ones[i], ending_ones[i],
		          strsignal(ending_ones[i]));
}

static void kills(void *number)
{
	own_kill(getpid(), (int)(intptr_t)number);
}

static void aborts(void *unused)
{
	(void)unused;
	own_abort();
}

/* 7.22.4.1 of C: abort ends, whatever a handler of SIGABRT does, and if it is ignored. */
static void aborted(void **state)
{
	(void)state;
	is_killed(aborts, NULL, SIGABRT, "Aborted");
	own_signal(SIGABRT, count);
	is_killed(aborts, NULL, SIGABRT, "Aborted");
	assert_int_equal(came[SIGABRT], 1);
	own_signal(SIGABRT, SIG_IGN);
	is_killed(aborts, NULL, SIGABRT, "Aborted");
	is_killed(kills, (void *)(intptr_t)SIGTERM, SIGTERM, "Terminated");
}

static void once(void **state)
{
	struct sigaction act = {.sa_handler = count, .sa_flags = (int)SA_RESETHAND}, old;
	struct sigaction with = {.sa_sigaction = count_with, .sa_flags = SA_SIGINFO};

	(void)state;
	own_sigaction(SIGUSR1, &act, NULL);
	assert_int_equal(own_raise(SIGUSR1), 0);
	own_sigaction(SIGUSR1, NULL, &old);
	assert_ptr_equal(old.sa_handler, SIG_DFL);
	is_killed(raises, (void *)(intptr_t)SIGUSR1, SIGUSR1, "killed");
	own_sigaction(SIGUSR2, &with, NULL);
	assert_int_equal(own_raise(SIGUSR2), 0);
	assert_int_equal(own_raise(SIGUSR2), 0);
	assert_int_equal(came[SIGUSR2], 200);
}

/* What strict C programs call for signal: the action is the default again when it has come (System
 * V's way: glibc's manual, 25.3.1). */
static void system_v(void **state)
{
	signal_handler *(*sysv)(int, signal_handler *) = own_named("__sysv_signal");

	(void)state;
	assert_ptr_equal(sysv(SIGUSR1, count), SIG_DFL);
	assert_int_equal(own_raise(SIGUSR1), 0);
	assert_int_equal(came[SIGUSR1], 1);
	assert_ptr_equal(sysv(SIGUSR1, count), SIG_DFL);
	assert_int_equal(own_raise(SIGUSR1), 0);
	is_killed(raises, (void *)(intptr_t)SIGUSR1, SIGUSR1, "killed");
	own_signal(SIGUSR1, count); /* BSD's way: it stays */
	assert_int_equal(own_raise(SIGUSR1), 0);
	assert_int_equal(own_raise(SIGUSR1), 0);
	assert_int_equal(came[SIGUSR1], 4);
}

/* A thread's signal to itself: the first thread of a rank is the rank. */
static void to_a_thread(void **state)
{
	int (*thread_kill)(pthread_t, int) = own_named("pthread_kill");

	(void)state;
	own_signal(SIGUSR1, count);
	assert_int_equal(thread_kill(pthread_self(), SIGUSR1), 0);
	assert_int_equal(came[SIGUSR1], 1);
	assert_int_equal(thread_kill(pthread_self(), 0), 0);
	assert_int_equal(thread_kill(pthread_self(), NSIG), EINVAL); /* returned, not errno */
}

/* --- masks --- */

static sigset_t set_of_two(int a, int b)
{
	sigset_t s;

	sigemptyset(&s);
	sigaddset(&s, a);
	sigaddset(&s, b);
	return s;
}

static int is_pending(int number)
{
	sigset_t s;

	assert_int_equal(own_sigpending(&s), 0);
	return sigismember(&s, number);
}

/* Blocked ones wait, however often they came, and come when they are let. */
static void blocked(void **state)
{
	sigset_t two = set_of_two(SIGUSR1, SIGUSR2), one = set_of_two(SIGUSR1, SIGUSR1), old, real;

	(void)state;
	own_signal(SIGUSR1, count);
	own_signal(SIGUSR2, count);
	assert_int_equal(own_sigprocmask(SIG_BLOCK, &two, &old), 0);
	assert_int_equal(sigismember(&old, SIGUSR1), 0);
	pthread_sigmask(SIG_SETMASK, NULL, &real);
	assert_int_equal(sigismember(&real, SIGUSR1), 0); /* the simulator's mask is its own */
	own_raise(SIGUSR1);
	own_raise(SIGUSR1);
	own_raise(SIGUSR2);
	assert_int_equal(came[SIGUSR1] + came[SIGUSR2], 0);
	assert_true(is_pending(SIGUSR1) && is_pending(SIGUSR2));
	runs(1); /* of which another rank knows nothing */
	own_signal(SIGUSR1, count);
	assert_false(is_pending(SIGUSR1));
	own_raise(SIGUSR1);
	assert_int_equal(came[SIGUSR1], 1);
	runs(0);
	assert_int_equal(own_sigprocmask(SIG_UNBLOCK, &one, &old), 0);
	assert_int_equal(sigismember(&old, SIGUSR2), 1);
	assert_int_equal(came[SIGUSR1], 2); /* once */
	assert_int_equal(came[SIGUSR2], 0);
	assert_false(is_pending(SIGUSR1));
	sigemptyset(&one);
	assert_int_equal(own_pthread_sigmask(SIG_SETMASK, &one, NULL), 0);
	assert_int_equal(came[SIGUSR2], 1);
	assert_int_equal(own_sigprocmask(SIG_BLOCK, NULL, &old), 0);
	assert_int_equal(sigismember(&old, SIGUSR2), 0);
}

/* Two signals cannot be blocked; a change that is none is told. */
static void not_blocked(void **state)
{
	sigset_t both = set_of_two(SIGKILL, SIGSTOP), old;

	(void)state;
	assert_int_equal(own_sigprocmask(SIG_BLOCK, &both, NULL), 0);
	assert_int_equal(own_sigprocmask(SIG_BLOCK, NULL, &old), 0);
	assert_false(sigismember(&old, SIGKILL) || sigismember(&old, SIGSTOP));
	errno = 0;
	assert_int_equal(own_sigprocmask(77, &both, NULL), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(own_pthread_sigmask(77, &both, NULL), EINVAL);
	assert_int_equal(own_sigprocmask(77, NULL, &old), 0); /* how it is asked does not matter */
	is_killed(raises, (void *)(intptr_t)SIGKILL, SIGKILL, "Killed");
}

/* A blocked signal that is ignored is no news; one that is not handled ends the rank later. */
static void pending_defaults(void **state)
{
	sigset_t one = set_of_two(SIGTERM, SIGUSR1), none_blocked;

	(void)state;
	sigemptyset(&none_blocked);
	own_sigprocmask(SIG_BLOCK, &one, NULL);
	own_raise(SIGUSR1);
	own_signal(SIGUSR1, SIG_IGN);
	assert_int_equal(own_sigprocmask(SIG_SETMASK, &none_blocked, NULL), 0);
	assert_int_equal(came[SIGUSR1], 0);
	own_sigprocmask(SIG_BLOCK, &one, NULL);
	assert_int_equal(own_raise(SIGTERM), 0); /* waits */
	assert_true(is_pending(SIGTERM));
}

static void lets_all(void *unused)
{
	sigset_t s;

	(void)unused;
	sigemptyset(&s);
	own_sigprocmask(SIG_SETMASK, &s, NULL);
}

static void pending_ends(void **state)
{
	sigset_t one = set_of_two(SIGTERM, SIGTERM);

	(void)state;
	own_sigprocmask(SIG_BLOCK, &one, NULL);
	own_raise(SIGTERM);
	is_killed(lets_all, NULL, SIGTERM, "Terminated");
}

/* --- waiting for one --- */

static void waits(void **state)
{
	sigset_t two = set_of_two(SIGUSR1, SIGUSR2), none_blocked, mask;
	int number = 0;

	(void)state;
	sigemptyset(&none_blocked);
	own_signal(SIGUSR1, count);
	own_signal(SIGUSR2, count);
	own_sigprocmask(SIG_BLOCK, &two, NULL);
	own_raise(SIGUSR2);
	own_raise(SIGUSR1);
	assert_int_equal(own_sigwait(&two, &number), 0);
	assert_int_equal(number, SIGUSR1); /* the lowest number first, as the kernel has it */
	assert_false(is_pending(SIGUSR1));
	assert_int_equal(came[SIGUSR1], 0); /* taken, not handled */
	/* a suspension handles what it lets, and ends with EINTR and the mask as it was */
	errno = 0;
	assert_int_equal(own_sigsuspend(&none_blocked), -1);
	assert_int_equal(errno, EINTR);
	assert_int_equal(came[SIGUSR2], 1);
	own_sigprocmask(SIG_BLOCK, NULL, &mask);
	assert_true(sigismember(&mask, SIGUSR1) && sigismember(&mask, SIGUSR2));
}

/* --- the simulated alarm --- */

static void alarms(void **state)
{
	sigset_t one = set_of_two(SIGALRM, SIGALRM);

	(void)state;
	assert_false(own_timer.interrupts()); /* it has asked for nothing yet */
	own_signal(SIGALRM, count);
	assert_true(own_timer.interrupts());
	own_timer.ring();
	assert_int_equal(came[SIGALRM], 1);
	own_sigprocmask(SIG_BLOCK, &one, NULL);
	assert_false(own_timer.interrupts());
	own_timer.ring();
	assert_int_equal(came[SIGALRM], 1);
	assert_true(is_pending(SIGALRM));
	own_sigprocmask(SIG_UNBLOCK, &one, NULL);
	assert_int_equal(came[SIGALRM], 2);
	own_signal(SIGALRM, SIG_IGN);
	assert_false(own_timer.interrupts());
	own_timer.ring();
	assert_int_equal(came[SIGALRM], 2);
}

/* With nothing to be delivered a suspension waits, in simulated time, for the alarm. */
static int suspended_with_alarm;

static int suspends(const sigset_t *mask)
{
	suspended_with_alarm = sigismember(mask, SIGALRM) == 0 && own_timer.interrupts();
	own_timer.ring();
	return -1;
}

static void alarm_awaited(void **state)
{
	sigset_t one = set_of_two(SIGALRM, SIGALRM), none_blocked;

	(void)state;
	sigemptyset(&none_blocked);
	all.suspend = suspends;
	own_signal(SIGALRM, count);
	own_sigprocmask(SIG_BLOCK, &one, NULL);
	errno = 0;
	assert_int_equal(own_sigsuspend(&none_blocked), -1);
	assert_int_equal(errno, EINTR);
	assert_true(suspended_with_alarm);
	assert_int_equal(came[SIGALRM], 1);
	assert_false(own_timer.interrupts()); /* blocked again */
}

/* --- limits --- */

static void lowers(void *unused)
{
	struct rlimit v = {1, 1};

	(void)unused;
	own_setrlimit(RLIMIT_NOFILE, &v);
}

/* What a rank has set is what it is told, and the process goes on as it was; less than there is
 * would be the simulator's limit, too. */
static void limits(void **state)
{
	struct rlimit real, v, old, now;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_STACK, &real), 0);
	assert_int_equal(own_getrlimit(RLIMIT_STACK, &v), 0);
	assert_true(v.rlim_cur == real.rlim_cur && v.rlim_max == real.rlim_max);
	v.rlim_cur = v.rlim_max = RLIM_INFINITY;
	assert_int_equal(own_setrlimit(RLIMIT_STACK, &v), 0);
	assert_int_equal(own_getrlimit(RLIMIT_STACK, &v), 0);
	assert_true(v.rlim_cur == RLIM_INFINITY);
	assert_int_equal(getrlimit(RLIMIT_STACK, &now), 0);
	assert_true(now.rlim_cur == real.rlim_cur);
	runs(1);
	assert_int_equal(own_getrlimit(RLIMIT_STACK, &v), 0);
	assert_true(v.rlim_cur == real.rlim_cur);
	/* cores, where each size is fine */
	v = (struct rlimit){0, 0};
	assert_int_equal(own_prlimit(0, RLIMIT_CORE, &v, &old), 0);
	assert_int_equal(own_prlimit(getpid(), RLIMIT_CORE, NULL, &now), 0);
	assert_true(now.rlim_cur == 0 && now.rlim_max == 0);
	v = (struct rlimit){.rlim_cur = 5, .rlim_max = 4};
	errno = 0;
	assert_int_equal(own_setrlimit(RLIMIT_CORE, &v), -1); /* POSIX: EINVAL */
	assert_int_equal(errno, EINVAL);
	assert_int_equal(own_getrlimit(1000, &v), -1);
	assert_int_equal(errno, EINVAL);
	is_killed(lowers, NULL, SIGSYS, "setrlimit");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
/* POSIX: a signal is blocked while its handler runs, and what else the action says; one that comes
 * meanwhile waits until the handler has returned. */
static int inside, deepest;

static void again(int number)
{
	sigset_t now;

	if (++inside > deepest)
		deepest = inside;
	own_sigprocmask(SIG_BLOCK, NULL, &now);
	assert_int_equal(sigismember(&now, SIGUSR1), 1);
	assert_int_equal(sigismember(&now, SIGUSR2), 1);
	if (came[number]++ < 2)
		own_raise(number);
	inside--;
}

static void handlers_block(void **state)
{
	struct sigaction act = {.sa_handler = again};
	sigset_t now;

	(void)state;
	inside = deepest = 0;
	sigaddset(&act.sa_mask, SIGUSR2);
	own_sigaction(SIGUSR1, &act, NULL);
	own_raise(SIGUSR1);
	assert_int_equal(came[SIGUSR1], 3);
	assert_int_equal(deepest, 1);
	own_sigprocmask(SIG_BLOCK, NULL, &now);
	assert_int_equal(sigismember(&now, SIGUSR1), 0);
	assert_int_equal(sigismember(&now, SIGUSR2), 0);
}

static sigjmp_buf place;

static void leaves(int number)
{
	came[number]++;
	own_longjmp(place, number);
}

/* siglongjmp puts back what was blocked, if that was kept; else the handler's mask stays. */
static void handlers_are_left(void **state)
{
	sigset_t now;

	(void)state;
	own_signal(SIGUSR1, leaves);
	for (volatile int i = 0; i < 2; i++)
		if (sigsetjmp(place, 1) == 0)
			own_raise(SIGUSR1);
	own_sigprocmask(SIG_BLOCK, NULL, &now);
	assert_int_equal(sigismember(&now, SIGUSR1), 0);
	assert_int_equal(came[SIGUSR1], 2);
	if (sigsetjmp(place, 0) == 0)
		own_raise(SIGUSR1);
	own_sigprocmask(SIG_BLOCK, NULL, &now);
	assert_int_equal(sigismember(&now, SIGUSR1), 1);
}

/* A fault that is blocked, ignored or left alone is not the rank's; nor one that has filled the
 * stack, without another one. */
static void faults(void **state)
{
	siginfo_t info = {.si_signo = SIGSEGV, .si_code = SEGV_MAPERR};
	struct sigaction act = {.sa_handler = count};
	sigset_t set;

	(void)state;
	assert_int_equal(own_fault(SIGSEGV, &info, NULL, 0), 0);
	own_signal(SIGSEGV, SIG_IGN);
	assert_int_equal(own_fault(SIGSEGV, &info, NULL, 0), 0);
	own_signal(SIGSEGV, count);
	assert_int_equal(own_fault(SIGSEGV, &info, NULL, 0), 1);
	assert_int_equal(own_fault(SIGBUS, &info, NULL, 0), 0);
	runs(1);
	assert_int_equal(own_fault(SIGSEGV, &info, NULL, 0), 0);
	runs(0);
	assert_int_equal(came[SIGSEGV], 1);
	sigemptyset(&set);
	sigaddset(&set, SIGSEGV);
	own_sigprocmask(SIG_BLOCK, &set, NULL);
	assert_int_equal(own_fault(SIGSEGV, &info, NULL, 0), 0);
	own_sigprocmask(SIG_UNBLOCK, &set, NULL);
	assert_int_equal(own_fault(SIGSEGV, &info, NULL, 1), 0);
	act.sa_flags = SA_ONSTACK;
	own_sigaction(SIGSEGV, &act, NULL);
	assert_int_equal(own_fault(SIGSEGV, &info, NULL, 1), 0);
	assert_int_equal(
	    own_sigaltstack(&(stack_t){.ss_sp = came, .ss_size = (size_t)MINSIGSTKSZ}, NULL), 0);
	assert_int_equal(own_fault(SIGSEGV, &info, NULL, 1), 1);
	assert_int_equal(came[SIGSEGV], 2);
}

/* sigaltstack(2): what is wrong with a stack, and that there is none at first, nor again. */
static void alternative_stacks(void **state)
{
	stack_t stack = {.ss_sp = came, .ss_size = 1 << 16}, none = {.ss_flags = SS_DISABLE}, old,
	        outside, after;

	(void)state;
	sigaltstack(NULL, &outside);
	assert_int_equal(own_sigaltstack(&stack, &old), 0);
	assert_int_equal(old.ss_flags, SS_DISABLE);
	assert_int_equal(own_sigaltstack(NULL, &old), 0);
	assert_ptr_equal(old.ss_sp, came);
	assert_int_equal(old.ss_size, 1 << 16);
	assert_int_equal(old.ss_flags, 0);
	runs(1);
	assert_int_equal(own_sigaltstack(NULL, &old), 0);
	assert_int_equal(old.ss_flags, SS_DISABLE);
	runs(0);
	stack.ss_size = 1;
	assert_int_equal(own_sigaltstack(&stack, NULL), -1);
	assert_int_equal(errno, ENOMEM);
	stack.ss_flags = 0x40;
	assert_int_equal(own_sigaltstack(&stack, NULL), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(own_sigaltstack(&none, &old), 0);
	assert_ptr_equal(old.ss_sp, came);
	assert_int_equal(own_sigaltstack(NULL, &old), 0);
	assert_int_equal(old.ss_flags, SS_DISABLE);
	sigaltstack(NULL, &after); /* that of the process is left alone */
	assert_ptr_equal(after.ss_sp, outside.ss_sp);
	assert_int_equal(after.ss_flags, outside.ss_flags);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(actions),
	    TEST(handlers_block),
	    TEST(handlers_are_left),
	    TEST(faults),
	    TEST(alternative_stacks),
	    TEST(none),
	    TEST(defaults),
	    TEST(aborted),
	    TEST(once),
	    TEST(system_v),
	    TEST(blocked),
	    TEST(not_blocked),
	    TEST(waits),
	    TEST(to_a_thread),
	    TEST(alarms),
	    TEST(pending_defaults),
	    TEST(limits),
	    TEST(pending_ends),
	    TEST(alarm_awaited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
