/* own_thread.c: threads of a rank: real ones, beside the simulator's. A rank's own thread computes
 * in the rank's memory whoever's turn it is; its thread-local variables are its own by nature, as
 * the room for them is the simulator's thread-local storage. What holds for the rank whose turn it
 * is, MPI and simulated clocks, is not for it: calls lead elsewhere (image_guard.c).
 *
 * When the rank is over its threads are stopped where they are, as its memory may go: it is waited
 * for until they are. */
#include "coro_int.h"
#include "launch/launch.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { STOP_US = 50, STOP_TIMES = 100000 }; /* at most 5 s: a thread may be within the kernel */

struct thread {
	struct thread *next, **back;
	struct coro *coro;
	pthread_t self;
	void *(*start)(void *);
	void *argument;
};

static void stopped(int number)
{
	sigset_t all;

	if (number)
		atomic_fetch_add(&(*coro_tls_thread())->stopped, 1);
	sigfillset(&all);
	for (;;)
		sigsuspend(&all);
}

/* Signals that are not a thread's own fault are the simulator's affair. */
static void signals_block(sigset_t *was)
{
	static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
	sigset_t all;

	sigfillset(&all);
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		sigdelset(&all, own[i]);
	sigdelset(&all, SIGRTMAX);
	pthread_sigmask(SIG_SETMASK, &all, was);
}

static void thread_leaves(void *argument)
{
	struct thread *t = argument;
	struct coros *c = coros_now;

	pthread_mutex_lock(&c->threads);
	*t->back = t->next;
	if (t->next)
		t->next->back = t->back;
	pthread_mutex_unlock(&c->threads);
	free(t);
}

static void thread_enters(struct thread *t)
{
	struct coros *c = coros_now;
	struct coro *r = t->coro;

	t->self = pthread_self();
	pthread_mutex_lock(&c->threads);
	if (r->phase != CORO_LIVES) { /* it has just ended */
		pthread_mutex_unlock(&c->threads);
		atomic_fetch_sub(&r->starting, 1);
		stopped(0);
	}
	t->next = r->threads;
	t->back = &r->threads;
	if (t->next)
		t->next->back = &t->next;
	r->threads = t;
	if (c->thread_begins)
		c->thread_begins(&r->threads_seen);
	pthread_mutex_unlock(&c->threads);
	atomic_fetch_sub(&r->starting, 1);
}

static void *begin(void *argument)
{
	const struct coros *c = coros_now;
	struct thread *t = argument;
	uint32_t slot = coro_slot(c, (uint32_t)(t->coro - c->coro));
	void *value;

	*coro_tls_thread() = t->coro;
	coro_tls_begin(c, slot, 0, c->image.n_first_modules);
	for (uint32_t k = 1; k <= c->image.n_parts; k++)
		if (slot_has(&c->image, slot, k))
			coro_tls_begin(c, slot, c->image.part[k].first, c->image.part[k].n);
	if (t->coro->own && t->coro->own->locale)
		own_locale_set(t->coro->own);
	thread_enters(t);
	pthread_cleanup_push(thread_leaves, t);
	value = t->start(t->argument);
	pthread_cleanup_pop(1);
	return value;
}

int own_thread_start(pthread_t *out, const pthread_attr_t *attr, void *(*start)(void *),
                     void *argument)
{
	struct sigaction act = {.sa_handler = stopped};
	struct thread *t = malloc(sizeof *t);
	sigset_t was;
	int code;

	if (!t)
		return EAGAIN;
	*t = (struct thread){.coro = coro_now(), .start = start, .argument = argument};
	sigfillset(&act.sa_mask);
	sigaction(SIGRTMAX, &act, NULL);
	signals_block(&was);
	atomic_fetch_add(&t->coro->starting, 1);
	if (coros_now->thread_begins) /* a wait for it may come before it runs */
		coros_now->thread_begins(NULL);
	code = pthread_create(out, attr, begin, t);
	pthread_sigmask(SIG_SETMASK, &was, NULL);
	if (code != 0) {
		atomic_fetch_sub(&coro_now()->starting, 1);
		free(t);
	}
	return code;
}

int own_pthread_create(pthread_t *out, const pthread_attr_t *attr, void *(*start)(void *),
                       void *argument)
{
	const struct coros *c = coros_now;

	if (c->n_slots < c->o.ranks)
		coro_ends(CORO_KILLED, SIGSYS,
		          c->image.module[0].is_fixed
		              ? "makes a thread, which ranks that take turns cannot, and they do: "
		                "the program is not linked with -pie (--hold processes can)"
		              : "makes a thread, which ranks that take turns in a place cannot: "
		                "--slots gives them more, --hold processes can");
	own_now(); /* it is there before there are several to make it */
	return own_thread_start(out, attr, start, argument);
}

_Noreturn void own_pthread_exit(void *value)
{
	if (!*coro_tls_thread())
		coro_ends(
		    CORO_KILLED, SIGSYS,
		    "calls pthread_exit in its first thread, which is the simulator's: --hold "
		    "processes can");
	pthread_exit(value);
}

/* --- what is for the rank whose turn it is --- */

_Noreturn static void no_mpi(void)
{
	own_thread_dies(coro_now(),
	                "calls MPI, which only the first thread of a rank that shares the "
	                "simulator's process can: --hold processes has no such limit");
}

static int is_of(const void *library, const void *address)
{
	struct link_map *l = NULL;
	Dl_info info;

	return library && dladdr(address, &info) &&
	       dlinfo((void *)(uintptr_t)library, RTLD_DI_LINKMAP, &l) == 0 &&
	       (uintptr_t)info.dli_fbase == l->l_addr;
}

void *own_thread_guard(const char *name, const void *address)
{
	const struct image *im = &coros_now->image;

	if (is_of(im->mpi, address))
		return (void *)(uintptr_t)no_mpi;
	for (uint32_t i = 0; i < im->n_first; i++)
		if (is_of(im->shared[i], address)) /* the C library's: real time */
			return dlsym(RTLD_DEFAULT, name);
	return NULL;
}

/* --- ends --- */

__attribute__((noreturn)) void own_thread_dies(const struct coro *r, const char *reason)
{
	const struct coros *c = coros_now;
	uint32_t rank = (uint32_t)(r - c->coro);
	char text[2 * CORO_REASON + WIRE_NAME];

	snprintf(text, sizeof text, "orrery: rank %u on %s: a thread of it %s\n", rank,
	         c->o.host(c->o.self, rank), reason);
	launch_dies(text); /* the simulator's thread may be anywhere, the rank's in a lock */
}

void own_threads_stop(struct coro *r)
{
	uint32_t n = 0;

	for (int i = 0; i < STOP_TIMES && atomic_load(&r->starting) > 0; i++)
		usleep(STOP_US);
	pthread_mutex_lock(&coros_now->threads);
	for (struct thread *t = r->threads; t; t = t->next, n++)
		pthread_kill(t->self, SIGRTMAX);
	pthread_mutex_unlock(&coros_now->threads);
	for (int i = 0; i < STOP_TIMES && atomic_load(&r->stopped) < n; i++)
		usleep(STOP_US);
}
