/* coro.c: see coro.h.
 *
 *   NEW --coros_run--> LIVES --exit, return of main--> EXITED
 *                        |  \--a fatal signal, a call that cannot be--> KILLED
 *                        give: an operation is there; the simulator runs
 */
#include "../launched.h"
#include "base/program.h"
#include "coro_int.h"
#include "launch/launch.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

enum { OP_SMALL = 256, FAULT_STACK = 512 << 10, SLOTS_SHARED = 64 };

/* --- what a rank calls --- */

static struct wire_op *room(uint32_t size)
{
	struct coros *c = coros_now;
	struct free_op *f = c->free_op;

	if (size <= OP_SMALL && f)
		c->free_op = f->next;
	else
		f = malloc(size <= OP_SMALL ? OP_SMALL : size);
	if (!f)
		coro_ends(CORO_KILLED, SIGKILL, "ended: there is no memory for what it asks");
	return coro_now()->op = (struct wire_op *)f;
}

static void give(void)
{
	coro_switch(&coro_now()->sp, coros_now->sp);
}

static const char *host(uint32_t rank)
{
	return coros_now->o.host(coros_now->o.self, rank);
}

static __attribute__((noreturn)) void end(int code)
{
	coro_ends(CORO_EXITED, code, "");
}

static void clock_told(const struct orrery_clock *simulated)
{
	if (coros_now->clock_set)
		coros_now->clock_set(simulated);
}

static char *const *words(void)
{
	return coro_words(coros_now, coro_rank());
}

static uint64_t world(uint32_t *appnum)
{
	*appnum = coro_now()->appnum;
	return coro_now()->world;
}

static void *threads(void)
{
	return coro_now()->threads_seen;
}

static void running(int on)
{
	if (own_kernels_running(on) < 0)
		coro_ends(CORO_KILLED, SIGKILL, "ended: there is no memory for its kernels");
}

/* --- stacks of faults ---
 *
 * One is the kernel's for the next fault. A rank whose handler calls MPI stays on it while others
 * run, so that these get another one; the kernel takes the former back when that handler returns.
 */

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

/* Where what is to be kept of its stack begins: its handler of a fault may be on another one. */
static unsigned char *stack_begin(const struct coros *c, const struct coro *r)
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

/* --- memory of others: in its slot, or where it was copied to --- */

static unsigned char *in_saved(const struct coros *c, const struct coro *r, uint32_t slot,
                               const unsigned char *p, size_t n)
{
	const unsigned char *sp = stack_begin(c, r), *top = slot_stack_top(&c->image, slot);
	unsigned char *at = r->saved;

	for (uint32_t i = 0; i < c->image.n; i++) {
		const struct module *m = &c->image.module[i];
		const unsigned char *from = slot_address(&c->image, slot, m, m->data_from);
		uint64_t size = m->data_to - m->data_from;

		if (p >= from && p + n <= from + size)
			return at + (p - from);
		at += size;
	}
	return p >= sp && p + n <= top ? at + (p - sp) : NULL;
}

static unsigned char *memory_of(const struct coros *c, uint32_t rank, void *p, size_t n)
{
	uint32_t slot = coro_slot(c, rank);
	const struct coro *r = &c->coro[rank];

	if (c->resident[slot] != rank && r->saved) {
		unsigned char *at = in_saved(c, r, slot, p, n);

		if (at)
			return at;
	}
	return p;
}

static int copy(uint32_t rank, int write, const struct iovec *mine, size_t n_mine,
                const struct iovec *its, size_t n_its)
{
	const struct coros *c = coros_now;
	size_t i = 0, k = 0, a = 0, b = 0;

	while (i < n_mine && k < n_its) {
		size_t left = mine[i].iov_len - a, there = its[k].iov_len - b;
		size_t n = left < there ? left : there;
		unsigned char *here = (unsigned char *)mine[i].iov_base + a;
		unsigned char *other = memory_of(c, rank, (char *)its[k].iov_base + b, n);

		if (n > 0)
			memmove(write ? other : here, write ? here : other, n);
		a += n;
		b += n;
		if (a == mine[i].iov_len)
			i++, a = 0;
		if (b == its[k].iov_len)
			k++, b = 0;
	}
	while (i < n_mine && mine[i].iov_len == 0)
		i++;
	return i == n_mine ? 0 : -1;
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

/* --- and where it hangs at once --- */

static int rank_runs(void *self)
{
	const struct coros *c = self;

	return c->rank != NOBODY || !c->o.goes_on(c->o.self);
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
static void progress_watch(struct coros *c)
{
	enum { SECONDS = 50, LOOKS = 6, RANKS_PER_SECOND = 8192 };

	c->watch = (struct watch){.busy = rank_runs,
	                          .steps = steps,
	                          .stalled = stalled,
	                          .self = c,
	                          .period = SECONDS + (double)c->o.ranks / RANKS_PER_SECOND,
	                          .looks = LOOKS};
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

/* After a rank's turn: it died of a fault, or waits on that stack. */
static int fault_stack_left(struct coros *c, const struct coro *r, struct err *err)
{
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
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (overflows)
		snprintf(text, sizeof text,
		         "overflowed its stack of %llu KiB (--stack-size gives it more)",
		         (unsigned long long)((c->image.stack - image_page()) >> 10));
	else
		snprintf(text, sizeof text, "was killed by signal %d (%s)", number,
		         strsignal(number));
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

static int faults_catch(struct coros *c, struct err *err)
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

static void faults_leave(struct coros *c)
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

/* --- life --- */

static int program_find(struct coros *c, struct err *err)
{
	char *file = program_file(c->o.command[0]);

	if (!file)
		return err_set(err, ERR_INPUT, "%s: not found, or not a program", c->o.command[0]);
	snprintf(c->program, sizeof c->program, "%s", file);
	free(file);
	return 0;
}

union library_function {
	void *object;
	void (*set)(const struct orrery_clock *clock);
	void (*swap)(struct clock_state *from, const struct clock_state *to);
	void (*hold)(const struct orrery_timer_hold *h);
	int (*folded)(const void *p, size_t n);
	int (*memory)(const void *p, size_t n, size_t *same);
	void (*begins)(void **table);
	int (*suspend)(const sigset_t *mask);
};

/* The clocks that programs read; folded memory, if that is asked for. */
static int firsts_open(struct coros *c, struct err *err)
{
	char clocks[PATH_MAX], guest[PATH_MAX];
	const char *first[3] = {NULL};
	union library_function f;
	int n = 0, has_clocks;

	snprintf(clocks, sizeof clocks, "%s/liborrery_time.so", c->o.library);
	snprintf(guest, sizeof guest, "%s/liborrery_guest.so", c->o.library);
	has_clocks = access(clocks, R_OK) == 0;
	if (has_clocks)
		first[n++] = clocks;
	if (c->o.folds || c->o.kernels)
		first[n] = guest;
	if (image_read(&c->image,
	               &(struct image_words){.program = c->program,
	                                     .library = c->o.library,
	                                     .first = first,
	                                     .preload = c->o.tracer,
	                                     .own = own_functions,
	                                     .hides = first[n] ? own_kernel_hides : NULL,
	                                     .guard = own_thread_guard},
	               err) < 0)
		return -1;
	if (has_clocks) {
		f.object = dlsym(c->image.shared[0], "orrery_clock_set");
		c->clock_set = f.set;
		f.object = dlsym(c->image.shared[0], "orrery_clock_switch");
		c->clock_switch = f.swap;
		f.object = dlsym(c->image.shared[0], "sigsuspend");
		c->suspend = f.suspend;
		c->hold.timer = dlsym(c->image.shared[0], "orrery_timer");
		f.object = dlsym(c->image.shared[0], "orrery_timer_held");
		if (f.hold)
			f.hold(&own_timer);
		f.object = dlsym(c->image.shared[0], "orrery_thread_begins");
		c->thread_begins = f.begins;
	}
	c->guest = first[n] ? c->image.shared[n] : NULL;
	f.object = c->o.folds ? dlsym(c->guest, "orrery_folded") : NULL;
	c->folded = f.folded;
	f.object = c->o.folds ? dlsym(c->guest, "orrery_memory") : NULL;
	c->memory = f.memory;
	return 0;
}

static void files(hold_file_fn *see, void *self)
{
	const struct image *im = &coros_now->image;

	for (uint32_t i = 0; i < im->n; i++)
		see(self, im->module[i].path, im->module[i].at,
		    im->module[i].at + im->module[i].span);
}

static uintptr_t within(uintptr_t address)
{
	const struct coros *c = coros_now;

	return address - (uintptr_t)slot_at(&c->image, coro_slot(c, coro_rank()));
}

/* Who names no library of MPI (an interpreter) may open one later. */
static int library_open(struct coros *c, struct err *err)
{
	union {
		void *object;
		orrery_hold_fn *function;
	} hold = {NULL};

	if (!c->image.mpi && image_mpi(&c->image, c->o.mpich ? "libmpich.so.12" : "libmpi.so.40",
	                               c->o.library, err) < 0)
		return -1;
	hold.object = dlsym(c->image.mpi, HOLD_SYMBOL);
	if (!hold.function)
		return err_set(err, ERR_LIMIT, "%s is of another version", c->image.mpi_path);
	c->hold = (struct hold){.head = c->o.head,
	                        .heap = c->o.heap,
	                        .channel = c->o.channel,
	                        .identity = c->identity,
	                        .words = words,
	                        .world = world,
	                        .can_spawn = coro_can_spawn,
	                        .room = room,
	                        .give = give,
	                        .host = host,
	                        .end = end,
	                        .clock = clock_told,
	                        .copy = copy,
	                        .threads = threads,
	                        .running = c->guest ? running : NULL,
	                        .timer = c->hold.timer,
	                        .folded = c->folded,
	                        .one_calls = image_has_threads(&c->image),
	                        .memory = c->memory,
	                        .files = files,
	                        .within = within};
	hold.function(&c->hold, &c->library);
	return 0;
}

static int slots_make(struct coros *c, struct err *err)
{
	uint32_t most = image_slots_max(&c->image), n = c->o.slots ? c->o.slots : most;

	if (!c->o.slots && most < c->o.ranks && most > SLOTS_SHARED)
		n = SLOTS_SHARED; /* those that take turns want no more pages than caches hold */
	if (c->image.module[0].is_fixed)
		n = 1; /* however many --slots says */
	c->n_slots = n > c->o.ranks ? c->o.ranks : n;
	c->resident = malloc(c->n_slots * sizeof *c->resident);
	c->pristine = calloc(c->n_slots, sizeof *c->pristine);
	if (!c->resident || !c->pristine)
		return err_nomem(err, "slots of ranks", c->n_slots);
	for (uint32_t i = 0; i < c->n_slots; i++)
		c->resident[i] = NOBODY;
	return image_slots(&c->image, c->n_slots, c->o.stack ? c->o.stack : CORO_STACK, err);
}

/* Of our library, whatever is of no other. */
static void copies_tell(const struct coros *c)
{
	const void *base = NULL;
	Dl_info info;

	if (dladdr((const void *)(uintptr_t)c->library.enter, &info))
		base = info.dli_fbase;
	for (uint32_t i = 0; i < c->image.n_fix; i++) {
		const struct fix *f = &c->image.fix[i];
		const void *own = (const void *)(uintptr_t)f->source;

		if (f->source && dladdr(own, &info) && info.dli_fbase == base)
			c->library.moved(own, f->where);
	}
}

/* Sanitizers know one stack a thread. */
static int has_sanitizer(void)
{
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
	return 1;
#else
	return 0;
#endif
}

struct coros *coros_new(const struct coro_options *o, struct err *err)
{
	struct coros *c = has_sanitizer() ? NULL : calloc(1, sizeof *c);

	if (has_sanitizer()) {
		err_set(err, ERR_LIMIT,
		        "this orrery was built with sanitizers, which know no coroutines: --hold "
		        "processes");
		return NULL;
	}
	if (!c) {
		err_nomem(err, "coroutines", sizeof *c);
		return NULL;
	}
	c->o = *o;
	c->rank = c->last = NOBODY;
	setenv("OPENBLAS_NUM_THREADS", "1", 0); /* a rank has one thread */
	setvbuf(stdout, NULL, _IOLBF, 0);       /* as a rank's (libmpi/core/lines.c) */
	c->environment = environ;
	own_streams_find(c);
	pthread_mutex_init(&c->threads, NULL);
	c->coro = calloc(o->ranks, sizeof *c->coro);
	c->identity = malloc(o->ranks * sizeof *c->identity);
	if (!c->coro || !c->identity) {
		err_nomem(err, "coroutines", o->ranks * sizeof *c->coro);
		coros_free(c);
		return NULL;
	}
	for (uint32_t i = 0; i < o->ranks; i++)
		c->identity[i] = (int32_t)i;
	coros_now = c;
	c->thread_dies = own_thread_dies;
	if (program_find(c, err) < 0 || firsts_open(c, err) < 0 ||
	    coro_tls_check(&c->image, err) < 0 || library_open(c, err) < 0 ||
	    slots_make(c, err) < 0 || own_environment_find(c, err) < 0 ||
	    own_kernels_begin(c, err) < 0 ||
	    own_output_files(o->output, o->world, &c->folder, err) < 0 ||
	    faults_catch(c, err) < 0) {
		coros_free(c);
		return NULL;
	}
	c->tls = c->image.tls;
	copies_tell(c);
	progress_watch(c);
	return c;
}

static void coro_release(struct coros *c, struct coro *r)
{
	if (r->state) {
		c->library.leave(r->state);
		free(r->state);
	}
	own_threads_stop(r);
	if (r->op)
		free(r->op);
	free(r->saved);
	free(r->tls);
	free(r->kernels);
	free(r->words);
	own_release(r);
	r->state = r->op = r->kernels = NULL;
	r->saved = r->tls = NULL;
	r->words = NULL;
}

void coros_free(struct coros *c)
{
	if (!c)
		return;
	watch_end(&c->watch);
	damage_tell(c, GRIEF);
	damage_bound(c);
	for (uint32_t i = 0; c->coro && i < c->o.ranks; i++)
		coro_release(c, &c->coro[i]);
	while (c->free_op) {
		struct free_op *f = c->free_op;

		c->free_op = f->next;
		free(f);
	}
	for (uint32_t i = 0; c->pristine && i < c->n_slots; i++)
		free(c->pristine[i]);
	environ = c->environment;
	image_release(&c->image);
	faults_leave(c);
	if (!c->is_damaged)
		alarm(0);
	free(c->pristine);
	free(c->resident);
	free(c->identity);
	launched_free(c->launched);
	free(c->folder);
	free(c->home);
	free(c->kernels);
	free(c->coro);
	coros_now = NULL;
	free(c);
}

/* --- who is in a slot --- */

static int put_out(struct coros *c, uint32_t slot, struct err *err)
{
	uint32_t rank = c->resident[slot];
	struct coro *r = rank == NOBODY ? NULL : &c->coro[rank];
	const unsigned char *top = slot_stack_top(&c->image, slot);
	size_t stack, size;

	c->resident[slot] = NOBODY;
	if (!r || r->phase != CORO_LIVES)
		return 0;
	stack = (size_t)(top - stack_begin(c, r));
	size = c->image.swap + stack;
	if (size > UINT32_MAX)
		return err_set(err, ERR_LIMIT, "rank %u has more than 4 GiB to be copied", rank);
	if (r->saved_size != size) {
		free(r->saved);
		r->saved = malloc(size);
		r->saved_size = (uint32_t)size;
	}
	if (!r->saved)
		return err_nomem(err, "data and stack of a rank", size);
	slot_save(&c->image, slot, r->saved);
	memcpy(r->saved + c->image.swap, stack_begin(c, r), stack);
	return 0;
}

static int put_in(struct coros *c, uint32_t slot, uint32_t rank, struct err *err)
{
	struct coro *r = &c->coro[rank];

	if (r->phase == CORO_LIVES) {
		slot_restore(&c->image, slot, r->saved);
		memcpy(stack_begin(c, r), r->saved + c->image.swap, r->saved_size - c->image.swap);
	} else if (slot_lay(&c->image, slot, err) < 0) {
		return -1;
	} else if (c->n_slots < c->o.ranks && !c->pristine[slot]) {
		c->pristine[slot] = malloc(c->image.swap + 1);
		if (!c->pristine[slot])
			return err_nomem(err, "data of a program", c->image.swap);
		slot_save(&c->image, slot, c->pristine[slot]);
	} else if (c->pristine[slot]) {
		slot_restore(&c->image, slot, c->pristine[slot]);
	}
	c->resident[slot] = rank;
	return slot_patch(&c->image, slot, r->in_mpi, err);
}

/* --- switching --- */

static void first(void *arguments)
{
	own_begin(coros_now, coros_now->rank, arguments);
}

static int coro_begins(struct coros *c, uint32_t rank, struct err *err)
{
	struct coro *r = &c->coro[rank];
	uint32_t slot = coro_slot(c, rank);
	void *arguments;

	r->state = calloc(1, c->library.state);
	r->tls = c->image.tls ? calloc(1, c->image.tls) : NULL;
	if (!r->state || (c->image.tls && !r->tls))
		return err_nomem(err, "state of a rank", c->library.state + c->image.tls);
	if (r->tls)
		coro_tls_fill(c, slot, 0, c->image.n_first_modules, r->tls);
	arguments = own_arguments(c, rank, slot_stack_top(&c->image, slot));
	r->sp = coro_context(arguments, first, arguments);
	r->phase = CORO_LIVES;
	return 0;
}

static void others_leave(struct coros *c)
{
	struct coro *r = c->last == NOBODY ? NULL : &c->coro[c->last];

	if (!r || r->phase != CORO_LIVES)
		return;
	if (c->clock_switch)
		c->clock_switch(&r->clock, &r->clock);
	if (r->tls)
		memcpy(r->tls, coro_tls_now(&c->image), c->image.tls);
}

static void takes_place(struct coros *c, uint32_t rank)
{
	struct coro *r = &c->coro[rank];

	others_leave(c);
	if (c->clock_switch)
		c->clock_switch(NULL, &r->clock);
	own_environment_enter(c, r);
	if (r->tls)
		memcpy(coro_tls_now(&c->image), r->tls, c->image.tls);
	c->library.enter(r->state, rank);
	*c->library.place = slot_at(&c->image, coro_slot(c, rank));
	c->last = rank;
}

int coros_run(struct coros *c, uint32_t rank, struct err *err)
{
	struct coro *r = &c->coro[rank];
	uint32_t slot = coro_slot(c, rank);

	if (c->resident[slot] != rank &&
	    (put_out(c, slot, err) < 0 || put_in(c, slot, rank, err) < 0))
		return -1;
	if (r->phase == CORO_NEW && coro_begins(c, rank, err) < 0)
		return -1;
	if (c->last != rank)
		takes_place(c, rank);
	if (c->has_streams)
		own_streams_set(r->own);
	if (own_process_set(c, r->own) < 0)
		return err_sys(err, errno, "rank %u cannot go back to %s, where it worked", rank,
		               r->own ? r->own->folder : c->home);
	c->rank = c->ran = rank;
	c->turns++;
	c->err = err;
	errno = r->error;
	coro_switch(&c->sp, r->sp);
	r->error = errno;
	c->rank = NOBODY;
	if (fault_stack_of(c, r->sp) && fault_stack_left(c, r, err) < 0)
		return -1;
	if (c->has_streams)
		own_streams_set(NULL);
	if (own_process_set(c, NULL) < 0)
		return err_sys(err, errno, "cannot go back to %s", c->home);
	if (r->phase == CORO_LIVES)
		return 0;
	environ = c->environment;
	if (!c->is_damaged)
		coro_release(c, r);
	c->last = NOBODY;
	return 0;
}

enum coro_state coros_state(const struct coros *c, uint32_t rank)
{
	return (enum coro_state)c->coro[rank].phase;
}

int coros_code(const struct coros *c, uint32_t rank)
{
	return c->coro[rank].code;
}

const char *coros_reason(const struct coros *c, uint32_t rank)
{
	return c->coro[rank].phase == CORO_KILLED ? c->reason : "";
}

const struct wire_op *coros_op(const struct coros *c, uint32_t rank)
{
	return c->coro[rank].op;
}

void coros_op_done(struct coros *c, uint32_t rank)
{
	struct coro *r = &c->coro[rank];
	struct free_op *f = (struct free_op *)r->op;

	if (r->op->size > OP_SMALL) {
		free(f);
	} else {
		f->next = c->free_op;
		c->free_op = f;
	}
	r->op = NULL;
}
