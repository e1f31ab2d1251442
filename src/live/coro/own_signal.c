/* own_signal.c: signals and limits of a rank that shares a process. What a rank does at a signal is
 * its own affair; signals that it sends to itself, abort, the simulated alarm and those that the
 * kernel sends for its faults reach it. A fault that it does not handle is the simulator's, to say
 * which rank had one. Its handlers run on the stack where it is, or, of a fault, on one that the
 * simulator has for that, never on that of sigaltstack, of which it is told what it set. */
#include "coro_int.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { SIGNALS = 65 };

static struct sigaction *action(int number)
{
	struct own *o = own_now();

	if (number < 1 || number >= SIGNALS || number == SIGKILL || number == SIGSTOP) {
		errno = EINVAL;
		return NULL;
	}
	if (!o->action)
		o->action = calloc(SIGNALS, sizeof *o->action);
	if (!o->action)
		coro_ends(CORO_KILLED, SIGKILL, "ended: there is no memory for its signals");
	return &o->action[number];
}

int own_sigaction(int number, const struct sigaction *act, struct sigaction *old)
{
	struct sigaction *a = action(number), was;

	if (!a)
		return -1;
	was = *a;
	if (act)
		*a = *act;
	if (old)
		*old = was;
	return 0;
}

signal_handler *own_signal(int number, signal_handler *handler)
{
	struct sigaction act = {.sa_handler = handler}, old;

	return own_sigaction(number, &act, &old) < 0 ? SIG_ERR : old.sa_handler;
}

/* What strict C programs call for signal: for one time. */
signal_handler *own_sysv_signal(int number, signal_handler *handler)
{
	struct sigaction act = {.sa_handler = handler, .sa_flags = (int)SA_RESETHAND}, old;

	return own_sigaction(number, &act, &old) < 0 ? SIG_ERR : old.sa_handler;
}

void coro_killed_text(int number, char text[CORO_REASON])
{
	const char *name = sigdescr_np(number);

	snprintf(text, CORO_REASON, "was killed by signal %d (%s)", number,
	         name ? name : "a real-time one");
}

_Noreturn static void killed(int number)
{
	char text[CORO_REASON];

	coro_killed_text(number, text);
	coro_ends(CORO_KILLED, number, text);
}

static int is_quiet(int number)
{
	return number == SIGCHLD || number == SIGURG || number == SIGWINCH || number == SIGCONT;
}

static int stops(int number)
{
	return number == SIGTSTP || number == SIGTTIN || number == SIGTTOU;
}

/* All ranks are, until somebody continues the process: who runs would have been waited for. */
static int stopped(int number)
{
	const struct coros *c = coros_now;

	if (c->o.stopped)
		c->o.stopped(c->o.self, coro_rank(), number);
	return kill(getpid(), SIGSTOP);
}

/* --- signals that it has blocked wait: those that it sends itself, and the alarm. What the kernel
 * sends is the simulator's, whose mask is left alone. --- */

static uint64_t bit(int number)
{
	return number >= 1 && number < SIGNALS ? (uint64_t)1 << (number - 1) : 0;
}

static uint64_t bits_of(const sigset_t *set)
{
	uint64_t bits = 0;

	for (int i = 1; i < SIGNALS; i++)
		if (sigismember(set, i) == 1)
			bits |= bit(i);
	return bits & ~(bit(SIGKILL) | bit(SIGSTOP));
}

static void set_of(uint64_t bits, sigset_t *set)
{
	sigemptyset(set);
	for (int i = 1; i < SIGNALS; i++)
		if (bits & bit(i))
			sigaddset(set, i);
}

static int pending_deliver(struct own *o);

/* What it blocks meanwhile; of a thread of its own that is the kernel's. */
static void handler_runs(const struct sigaction *a, int number, siginfo_t *info, void *context)
{
	struct own *o = *coro_tls_thread() ? NULL : own_now();
	uint64_t before = o ? o->blocked : 0;
	uint32_t depth = o ? o->handlers : 0;

	if (o) {
		if (o->handlers++ == 0)
			o->blocked_outside = before;
		o->blocked |= bits_of(&a->sa_mask) |
		              (a->sa_flags & (int)SA_NODEFER ? 0 : bit(number));
	}
	if (a->sa_flags & SA_SIGINFO)
		a->sa_sigaction(number, info, context);
	else
		a->sa_handler(number);
	if (!o)
		return;
	o->handlers = depth;
	o->blocked = before;
	pending_deliver(o);
}

static void handle(struct sigaction *a, int number, siginfo_t *info, void *context)
{
	struct sigaction was = *a;

	if (was.sa_flags & (int)SA_RESETHAND)
		a->sa_handler = SIG_DFL;
	handler_runs(&was, number, info, context);
}

static int deliver(int number)
{
	int is_told = number != SIGKILL && number != SIGSTOP; /* the others cannot be handled */
	struct sigaction *a = is_told ? action(number) : NULL;
	siginfo_t info = {.si_signo = number, .si_code = SI_TKILL};

	if (number == SIGSTOP || (a && a->sa_handler == SIG_DFL && stops(number)))
		return stopped(number);
	if (number == SIGKILL || (a && a->sa_handler == SIG_DFL && !is_quiet(number)))
		killed(number);
	if (!a || a->sa_handler == SIG_IGN || a->sa_handler == SIG_DFL)
		return a ? 0 : -1;
	handle(a, number, &info, NULL);
	return 0;
}

/* How many that are no longer blocked came. */
static int pending_deliver(struct own *o)
{
	int n = 0;

	for (int i = 1; i < SIGNALS; i++)
		if (o->pending & ~o->blocked & bit(i)) {
			o->pending &= ~bit(i);
			deliver(i);
			n++;
		}
	return n;
}

/* A handler that is left without a return: what was blocked before it is no more, where the place
 * that is gone to has kept what was blocked. (What it kept is the simulator's mask, which is the
 * same always.) */
_Noreturn void own_longjmp(struct __jmp_buf_tag *place, int value)
{
	struct own *o = *coro_tls_thread() ? NULL : coro_now()->own;

	if (o && o->handlers > 0 && place->__mask_was_saved) {
		o->handlers = 0;
		o->blocked = o->blocked_outside;
		pending_deliver(o);
	}
	siglongjmp(place, value);
}

int own_fault(int number, siginfo_t *info, void *context, int is_overflow)
{
	const struct own *o = coro_now()->own;
	struct sigaction *a = o && o->action ? &o->action[number] : NULL;

	if (!a || a->sa_handler == SIG_DFL || a->sa_handler == SIG_IGN)
		return 0;
	if (!*coro_tls_thread() && (o->blocked & bit(number)))
		return 0;
	if (is_overflow && !(a->sa_flags & SA_ONSTACK && o->has_stack))
		return 0;
	handle(a, number, info, context);
	return 1;
}

int own_sigaltstack(const stack_t *stack, stack_t *old)
{
	struct own *o;

	if (*coro_tls_thread())
		return sigaltstack(stack, old);
	o = own_now();
	if (stack && stack->ss_flags & ~SS_DISABLE & ~SS_ONSTACK) {
		errno = EINVAL;
		return -1;
	}
	if (stack && !(stack->ss_flags & SS_DISABLE) && stack->ss_size < (size_t)MINSIGSTKSZ) {
		errno = ENOMEM;
		return -1;
	}
	if (old)
		*old = o->has_stack ? o->stack : (stack_t){.ss_flags = SS_DISABLE};
	if (stack) {
		o->has_stack = !(stack->ss_flags & SS_DISABLE);
		o->stack = *stack;
		o->stack.ss_flags = 0;
	}
	return 0;
}

int own_raise(int number)
{
	struct own *o = coro_now()->own;

	if (number == 0) /* is only looked at */
		return 0;
	if (*coro_tls_thread() || !o || !(o->blocked & bit(number)))
		return deliver(number);
	o->pending |= bit(number);
	return 0;
}

int own_pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	struct own *o;
	uint64_t was;

	if (*coro_tls_thread())
		return pthread_sigmask(how, set, old);
	o = own_now();
	was = o->blocked;
	if (set && how == SIG_BLOCK)
		o->blocked |= bits_of(set);
	else if (set && how == SIG_UNBLOCK)
		o->blocked &= ~bits_of(set);
	else if (set && how == SIG_SETMASK)
		o->blocked = bits_of(set);
	else if (set)
		return EINVAL;
	if (old)
		set_of(was, old);
	pending_deliver(o);
	return 0;
}

int own_sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	int code = own_pthread_sigmask(how, set, old);

	if (code == 0)
		return 0;
	errno = code;
	return -1;
}

int own_sigpending(sigset_t *set)
{
	if (*coro_tls_thread())
		return sigpending(set);
	set_of(own_now()->pending, set);
	return 0;
}

int own_sigsuspend(const sigset_t *mask)
{
	int (*waits)(const sigset_t *mask) = coros_now->suspend ? coros_now->suspend : sigsuspend;
	struct own *o = own_now();
	uint64_t was = o->blocked;

	if (*coro_tls_thread())
		return sigsuspend(mask);
	o->blocked = bits_of(mask);
	if (pending_deliver(o) == 0)
		waits(mask); /* which the simulated alarm ends, or somebody outside */
	o->blocked = was;
	errno = EINTR;
	return -1;
}

int own_sigwait(const sigset_t *set, int *number)
{
	struct own *o = own_now();
	uint64_t there = *coro_tls_thread() ? 0 : o->pending & bits_of(set);

	if (!there)
		return sigwait(set, number);
	*number = __builtin_ctzll(there) + 1;
	o->pending &= ~bit(*number);
	return 0;
}

/* The first thread of a rank is the simulator's: what is sent to it is sent to the rank. */
int own_pthread_kill(pthread_t thread, int number)
{
	if (*coro_tls_thread() || !pthread_equal(thread, pthread_self()))
		return pthread_kill(thread, number);
	return own_raise(number) < 0 ? errno : 0;
}

_Noreturn void own_abort(void)
{
	const struct sigaction *a = action(SIGABRT);

	if (a->sa_handler != SIG_DFL && a->sa_handler != SIG_IGN)
		deliver(SIGABRT);
	killed(SIGABRT);
}

/* --- the simulated alarm (libmpi/time): it rings for the rank that runs --- */

static void ring(void)
{
	own_raise(SIGALRM);
}

static int ends_sleeps(void)
{
	const struct own *o = coro_now()->own;

	return o && o->action && o->action[SIGALRM].sa_handler != SIG_IGN &&
	       !(o->blocked & bit(SIGALRM));
}

const struct orrery_timer_hold own_timer = {ring, ends_sleeps};

/* --- limits --- */

static int own_limit(int resource, const struct rlimit *v, struct rlimit *old)
{
	struct own *o = own_now();
	struct rlimit now;

	if (getrlimit((__rlimit_resource_t)resource, &now) < 0)
		return -1;
	if (o->limited >> resource & 1)
		now = o->limit[resource];
	if (v && v->rlim_cur > v->rlim_max) {
		errno = EINVAL;
		return -1;
	}
	if (v && v->rlim_cur < now.rlim_cur && resource != RLIMIT_CORE)
		coro_ends(CORO_KILLED, SIGSYS,
		          "calls setrlimit for less than it has, which a rank that shares the "
		          "simulator's process cannot: --hold processes can");
	if (old)
		*old = now;
	if (v) {
		o->limit[resource] = *v;
		o->limited |= 1u << resource;
	}
	return 0;
}

/* A limit that grows, and one of core files, is told, and changes nothing: a stack has what
 * --stack-size says. */
int own_setrlimit(int resource, const struct rlimit *v)
{
	return own_limit(resource, v, NULL);
}

int own_getrlimit(int resource, struct rlimit *v)
{
	return own_limit(resource, NULL, v);
}

int own_prlimit(pid_t pid, int resource, const struct rlimit *v, struct rlimit *old)
{
	pid_t real = own_number_real(pid);

	return real == 0 || real == getpid() ? own_limit(resource, v, old)
	                                     : prlimit(real, (__rlimit_resource_t)resource, v, old);
}
