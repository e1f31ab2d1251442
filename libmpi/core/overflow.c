/* overflow.c: a rank that has a fault is killed by its signal: where that was, and that the stack
 * overflowed, is told to the simulator before. Of a process; its first thread's stack has a limit
 * that somebody sets, and a handler on a stack of its own sees that. What was to be done at a fault
 * is done after it, as what faulted is then tried again; a program that has such a handler itself
 * is left alone. */
#include "link.h"

#include <signal.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

enum { HANDLER_STACK = 64 << 10 };

static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
enum { FAULTS = sizeof faults / sizeof *faults };

struct overflow {
	struct sigaction before[FAULTS]; /* what is done at each */
	uintptr_t top;                   /* of the stack, */
	uint64_t limit;                  /* and its size */
	unsigned char stack[HANDLER_STACK];
};

#if defined __x86_64__ || defined __aarch64__
static uintptr_t stack_pointer(const void *context)
{
	const ucontext_t *u = context;

#if defined __x86_64__
	return (uintptr_t)u->uc_mcontext.gregs[REG_RSP];
#else
	return (uintptr_t)u->uc_mcontext.sp;
#endif
}

/* Below what the stack may have, where the program has moved its stack pointer to, or calls push.
 */
static int is_overflow(const struct overflow *o, uintptr_t at, uintptr_t pointer)
{
	enum { BELOW_POINTER = 4096 };
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

	return at < o->top && o->top - at / page * page > o->limit && at + BELOW_POINTER >= pointer;
}

static void on_fault(int number, siginfo_t *info, void *context)
{
	const struct link *l = link_now;
	const struct overflow *o = l->overflow;
	int happens = info->si_code > 0 && atomic_load(&l->c->pid) == (uint32_t)getpid();

	if (happens && number == SIGSEGV &&
	    is_overflow(o, (uintptr_t)info->si_addr, stack_pointer(context)))
		atomic_store(&l->c->overflow, o->limit);
	for (int i = 0; i < FAULTS; i++)
		if (faults[i] == number)
			sigaction(number, &o->before[i], NULL);
	if (happens) {
		wire_fault_take(&l->c->fault, context, l->c->site);
		l->c->fault.rank = l->rank;
		l->c->fault.signal = (uint32_t)number;
	}
	if (info->si_code <= 0) /* sent: it does not happen again by itself */
		raise(number);
}

/* The name that the program was called by is the last on its stack. */
static uintptr_t stack_top(void)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), name = getauxval(AT_EXECFN);

	return name ? (name / page + 1) * page : 0;
}

/* Where the program has no handler that wants the stack that we would set. */
static int is_free(int number, struct sigaction *before)
{
	return sigaction(number, NULL, before) == 0 && !(before->sa_flags & SA_ONSTACK);
}

void overflow_watch(struct link *l)
{
	struct sigaction act = {.sa_sigaction = on_fault,
	                        .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER},
	                 before;
	uintptr_t top = stack_top();
	struct overflow *o;
	struct rlimit limit;
	stack_t stack;

	if (gettid() != getpid() || !top || getrlimit(RLIMIT_STACK, &limit) < 0 ||
	    sigaltstack(NULL, &stack) < 0)
		return;
	o = mmap(NULL, sizeof *o, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (o == MAP_FAILED)
		return;
	o->top = top;
	o->limit = limit.rlim_cur; /* RLIM_INFINITY: nothing is below it */
	l->overflow = o;
	if (stack.ss_flags & SS_DISABLE && is_free(SIGSEGV, &before)) {
		stack = (stack_t){.ss_sp = o->stack, .ss_size = HANDLER_STACK};
		if (sigaltstack(&stack, NULL) < 0)
			return;
	}
	for (int i = 0; i < FAULTS; i++)
		if (is_free(faults[i], &o->before[i]))
			sigaction(faults[i], &act, NULL);
}
#else
void overflow_watch(struct link *l)
{
	(void)l; /* where the stack pointer is in a context is not known here */
}
#endif
