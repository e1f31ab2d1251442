/* coro_fault.c: a fault in a process that all ranks share: of a rank (it dies, or handles it), or
 * of the simulator, which most probably a rank has damaged. Who reads nothing any more (SIGPIPE),
 * and who computes without a step (watch.h), are told apart in the same way.
 *
 * Stacks of faults: one is the kernel's for the next fault. A rank whose handler calls MPI stays on
 * it while others run, so that these get another one; the kernel takes the former back when that
 * handler returns. */
#include "coro_int.h"

#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

enum { FAULT_STACK = 512 << 10 };

struct fault_stack {
	unsigned char room[FAULT_STACK];
	struct fault_stack *next;
};

/* On which of them; NULL: on none. */
static struct fault_stack *fault_stack_of(const struct coros *c, const void *p)
{
	struct fault_stack *s = c->fault_stack;

	while (s && !((const unsigned char *)p >= s->room &&
	              (const unsigned char *)p < s->room + FAULT_STACK))
		s = s->next;
	return s;
}

static int fault_stack_add(struct coros *c, struct err *err)
{
	struct fault_stack *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE,
	                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	stack_t stack = {.ss_size = FAULT_STACK - image_page()};

	if (s == MAP_FAILED)
		return err_nomem(err, "stack of signals", FAULT_STACK);
	mprotect(s->room, image_page(), PROT_NONE);
	stack.ss_sp = s->room + image_page();
	s->next = c->fault_stack;
	c->fault_stack = s;
	sigaltstack(&stack, NULL);
	return 0;
}

unsigned char *coro_stack_begin(const struct coros *c, const struct coro *r)
{
	return fault_stack_of(c, r->sp) ? r->below : r->sp;
}

/* The rank that runs has a fault. All of its stack is kept where it was not there. */
static void below_take(const struct coros *c, uintptr_t stack_pointer)
{
	enum { RED_ZONE = 128 };
	uint32_t slot = coro_slot(c, c->rank);
	uintptr_t low = (uintptr_t)slot_at(&c->image, slot) + image_page();
	uintptr_t top = (uintptr_t)slot_stack_top(&c->image, slot), p = stack_pointer - RED_ZONE;

	coro_now()->below = (void *)(p < low || p > top ? low : p);
}

/* --- faults --- */

/* In the guard; or, of a function whose variables go beyond the guard, between where its stack
 * would be and the end of it. */
static int is_overflow(const struct coros *c, uintptr_t p, uintptr_t stack_pointer)
{
	uintptr_t low = (uintptr_t)slot_at(&c->image, coro_slot(c, c->rank));

	return p < low + image_page() && (p >= low || p + 4096 >= stack_pointer);
}

static uintptr_t stack_pointer(const void *context)
{
#if defined(__x86_64__)
	const ucontext_t *u = context;

	return (uintptr_t)u->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
	const ucontext_t *u = context;

	return (uintptr_t)u->uc_mcontext.sp;
#else
	(void)context;
	return UINTPTR_MAX;
#endif
}

static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
_Static_assert(sizeof fatal / sizeof *fatal == CORO_FATAL, "what was there before has room");

#define GRIEF "came to grief"

/* Where nothing is wrong yet, this is, should the process die of what ranks did to its memory. */
static void damage_tell(const struct coros *c, const char *how)
{
	if (c->err && c->err->kind == ERR_NONE)
		err_set(c->err, ERR_PROGRAM,
		        "the simulator %s after rank %u had its turn: coroutines share its memory, "
		        "and a rank has probably written where it should not. With --hold "
		        "processes it is killed where it does so",
		        how, c->ran);
}

/* Memory that is damaged may hang who walks it, too. Where nobody had a fault it mostly is not: a
 * good run is not to be lost on a computer that is busy, or was stopped meanwhile. */
static void damage_bound(const struct coros *c)
{
	enum { SECONDS = 10, SECONDS_GOOD = 120, RANKS_PER_SECOND = 1024 };

	alarm((c->is_damaged ? SECONDS : SECONDS_GOOD) + c->o.ranks / RANKS_PER_SECOND);
}

void coro_damage_expect(const struct coros *c)
{
	damage_tell(c, GRIEF);
	damage_bound(c);
}

/* --- and where it hangs at once --- */

static int rank_runs(void *self)
{
	const struct coros *c = self;

	return c->rank != NOBODY || !c->o.goes_on(c->o.self);
}

static void rank_keeps(void *self, double seconds)
{
	const struct coros *c = self;

	if (c->rank != NOBODY && c->o.keeps)
		c->o.keeps(c->o.self, c->rank, seconds);
}

static uint64_t steps(void *self)
{
	const struct coros *c = self;

	return c->turns + c->o.steps(c->o.self);
}

static void stalled(void *self, double seconds)
{
	const struct coros *c = self;
	char text[80];

	snprintf(text, sizeof text, "computed for %.0f s without a step", seconds);
	damage_tell(c, text);
	signal(SIGALRM, SIG_DFL); /* as damage_bound */
	raise(SIGALRM);
}

/* The longest that is between two steps of a good run is the sharing of as many flows as there are
 * ranks, or the choice of who is first among them. */
void coro_progress_watch(struct coros *c)
{
	enum { SECONDS = 5, PER_SECOND = 10, LOOKS = 60, RANKS_PER_SECOND = 81920 };
	/* a turn is known to be long at its second look */
	double often = fmin(SECONDS, fmax(1.0 / PER_SECOND, c->o.told_after / 6));

	c->watch = (struct watch){.busy = rank_runs,
	                          .kept = rank_keeps,
	                          .steps = steps,
	                          .stalled = stalled,
	                          .self = c,
	                          .period = often + (double)c->o.ranks / RANKS_PER_SECOND,
	                          .looks = (int)(LOOKS * SECONDS / often)};
	watch_begin(&c->watch);
}

/* A fault of the simulator: whoever was to be told before us is, when it happens again. */
static void fault_pass(const struct coros *c, int number, const siginfo_t *info)
{
	if (c)
		damage_tell(c, GRIEF);
	signal(number, SIG_DFL);
	for (size_t i = 0; c && i < CORO_FATAL; i++)
		if (fatal[i] == number)
			sigaction(number, &c->before[i], NULL);
	if (info->si_code <= 0) /* sent: it does not happen again by itself */
		raise(number);
}

int coro_fault_after(struct coros *c, const struct coro *r, struct err *err)
{
	if (!fault_stack_of(c, r->sp))
		return 0;
	if (r->phase == CORO_LIVES)
		return fault_stack_add(c, err);
	c->is_damaged = 1;
	damage_bound(c);
	return 0;
}

static void on_fault(int number, siginfo_t *info, void *context)
{
	struct coros *c = coros_now;
	uintptr_t pointer = stack_pointer(context);
	char text[CORO_REASON];
	sigset_t none;
	int overflows;

	if (!c || (c->rank == NOBODY && !*coro_tls_thread())) {
		fault_pass(c, number, info);
		return;
	}
	overflows = number == SIGSEGV && !*coro_tls_thread() &&
	            is_overflow(c, (uintptr_t)info->si_addr, pointer);
	/* One in a handler of a fault is the end: memory that is damaged has wild handlers too, or
	 * comes to grief where they are looked for. */
	if (!*coro_tls_thread() && !fault_stack_of(c, (const void *)pointer)) {
		below_take(c, pointer);
		if (own_fault(number, info, context, overflows) && number != SIGABRT)
			return; /* from abort nobody returns */
	}
	c->is_damaged = 1;
	damage_bound(c);
	if (info->si_code > 0 && number != SIGABRT) {
		wire_fault_take(&c->o.channel->fault, context, c->o.channel->site);
		c->o.channel->fault.rank = coro_rank();
		c->o.channel->fault.in_mpi = (uint32_t)c->copies;
		c->o.channel->fault.signal = (uint32_t)number;
	}
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (overflows)
		snprintf(text, sizeof text,
		         "overflowed its stack of %llu KiB (--stack-size gives it more)",
		         (unsigned long long)((c->image.stack - image_page()) >> 10));
	else
		coro_killed_text(number, text);
	/* in short, should whoever tells more come to grief */
	err_set(c->err, ERR_PROGRAM, "rank %u %s", coro_rank(), text);
	coro_ends(CORO_KILLED, number, text);
}

/* Nobody reads what a rank writes: what it wants done then is; who wants nothing ends the run as
 * any program ends, if that was our standard output, or is told of. */
static void on_pipe(int number)
{
	const struct coros *c = coros_now;
	const struct sigaction *a = NULL;
	struct pollfd out = {.fd = STDOUT_FILENO};
	int unread = poll(&out, 1, 0) > 0 && out.revents & POLLERR;

	if (c && c->rank != NOBODY && coro_now()->own && coro_now()->own->action)
		a = &coro_now()->own->action[number];
	if (c && c->rank != NOBODY && (!unread || (a && a->sa_handler != SIG_DFL))) {
		own_raise(number);
		return;
	}
	signal(number, SIG_DFL);
	raise(number);
}

static void pipes_catch(struct coros *c)
{
	struct sigaction act = {.sa_handler = on_pipe, .sa_flags = SA_NODEFER};

	sigaction(SIGPIPE, NULL, &c->before_pipe);
	if (c->before_pipe.sa_handler == SIG_DFL) /* who started us may want none (nohup) */
		sigaction(SIGPIPE, &act, NULL);
}

int coro_faults_catch(struct coros *c, struct err *err)
{
	struct sigaction act = {.sa_sigaction = on_fault,
	                        .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};

	if (fault_stack_add(c, err) < 0)
		return -1;
	for (size_t i = 0; i < CORO_FATAL; i++)
		sigaction(fatal[i], &act, &c->before[i]);
	pipes_catch(c);
	return 0;
}

void coro_faults_leave(struct coros *c)
{
	stack_t none = {.ss_flags = SS_DISABLE};

	if (!c->fault_stack)
		return;
	for (size_t i = 0; i < CORO_FATAL; i++)
		sigaction(fatal[i], &c->before[i], NULL);
	sigaction(SIGPIPE, &c->before_pipe, NULL);
	sigaltstack(&none, NULL);
	while (c->fault_stack) {
		struct fault_stack *s = c->fault_stack;

		c->fault_stack = s->next;
		munmap(s, sizeof *s);
	}
}
