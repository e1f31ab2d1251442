/* threads.c: pthread_create of a simulated program, and C11's thrd_create, which does not go
 * through it, preloaded: each thread that begins gets a place in a table, and leaves its processor
 * time there when it ends. */
#include "threads.h"
#include "clocks.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#define SHOWN __attribute__((visibility("default")))

extern struct orrery_threads orrery_threads;
SHOWN struct orrery_threads orrery_threads;

/* Threads that were made and have no place yet; whether a rank that shares its process ever had
 * one, whichever. */
static _Atomic int beginning_now, has_begun;

int threads_others(void)
{
	uint32_t n = atomic_load(&orrery_threads.n);

	if (atomic_load(&beginning_now) > 0 || atomic_load(&has_begun))
		return 1;
	for (uint32_t i = 0; i < n; i++)
		if (atomic_load(&orrery_threads.at[i].state) > 0 && !orrery_threads.at[i].mute)
			return 1;
	return 0;
}

struct beginning {
	union {
		void *(*posix)(void *);
		thrd_start_t c11;
	} start;
	void *arg;
	int mute, spins;
};

static int is_of(void *(*start)(void *), const char *const *names, size_t n)
{
	union {
		void *(*function)(void *);
		void *object;
	} of = {.function = start};
	const char *file;
	Dl_info info;

	if (!dladdr(of.object, &info) || !info.dli_fname)
		return 0;
	file = strrchr(info.dli_fname, '/') ? strrchr(info.dli_fname, '/') + 1 : info.dli_fname;
	for (size_t i = 0; i < n; i++)
		if (strstr(file, names[i]))
			return 1;
	return 0;
}

/* The workers of a library of BLAS compute what the thread that calls it gives them, sleep in
 * between, and know no MPI. NumPy has them made as it is loaded, and mpi4py asks for
 * MPI_THREAD_MULTIPLE: a call that waits would look again and again for the sake of them. Not so
 * OpenMP's, which run the program's own code. */
static int is_mute(void *(*start)(void *))
{
	static const char *const names[] = {"openblas", "libblis", "libmkl_", "libatlas"};

	return is_of(start, names, sizeof names / sizeof *names);
}

static int is_spinning(void *(*start)(void *))
{
	static const char *const names[] = {"libgomp", "libomp", "libiomp"};

	return is_of(start, names, sizeof names / sizeof *names);
}

static struct orrery_thread *place_take(struct orrery_threads *all, int mute, int spins)
{
	int me = (int)syscall(SYS_gettid);

	for (uint32_t i = 0; i < ORRERY_THREADS; i++) {
		struct orrery_thread *t = &all->at[i];
		int free_place = 0;
		uint32_t n = atomic_load(&all->n);

		if (!atomic_compare_exchange_strong(&t->state, &free_place, me))
			continue;
		t->mark = 0;
		atomic_store(&t->rested, 0);
		atomic_store(&t->rests_since, 0);
		t->mute = mute;
		t->spins = spins;
		while (n <= i && !atomic_compare_exchange_weak(&all->n, &n, i + 1))
			;
		return t;
	}
	return NULL;
}

static void place_leave(void *place)
{
	struct orrery_thread *t = place;
	struct timespec s;

	syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &s);
	t->end = (double)s.tv_sec + 1e-9 * (double)s.tv_nsec;
	if (t->mute)
		atomic_fetch_sub(&orrery_threads.mute, 1);
	atomic_store(&t->state, -1);
}

static pthread_key_t at_end; /* its destructor: also where pthread_exit ends a thread */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void key_make(void)
{
	pthread_key_create(&at_end, place_leave);
}

static void seen(struct orrery_threads *all, int mute, int spins)
{
	struct orrery_thread *place = place_take(all, mute, spins);

	pthread_once(&once, key_make);
	pthread_setspecific(at_end, place);
	if (mute && !place) /* nobody would see it end */
		atomic_fetch_sub(&orrery_threads.mute, 1);
}

/* Of a rank that shares its process with others (src/live/coro): *table is its own, made here; who
 * calls keeps others out. NULL: a thread will begin. */
SHOWN void orrery_thread_begins(void **table);
void orrery_thread_begins(void **table)
{
	atomic_store(&has_begun, 1);
	if (!table)
		return;
	if (!*table)
		*table = calloc(1, sizeof(struct orrery_threads));
	if (*table)
		seen(*table, 0, 0);
}

/* In the new thread. */
static struct beginning begun(void *arg)
{
	struct beginning b = *(struct beginning *)arg;

	free(arg);
	seen(&orrery_threads, b.mute, b.spins);
	if (!b.mute)
		atomic_fetch_sub(&beginning_now, 1);
	return b;
}

static void *begin(void *arg)
{
	struct beginning b = begun(arg);

	return b.start.posix(b.arg);
}

static int begin_c11(void *arg)
{
	struct beginning b = begun(arg);

	return b.start.c11(b.arg);
}

/* Before it is made: NULL: there is no memory. */
static struct beginning *counted_new(void *arg, int mute)
{
	struct beginning *b = malloc(sizeof *b);

	if (!b)
		return NULL;
	*b = (struct beginning){.arg = arg, .mute = mute};
	atomic_fetch_add(mute ? &orrery_threads.mute : &beginning_now, 1);
	return b;
}

/* It was not made. */
static void counted_free(struct beginning *b)
{
	atomic_fetch_sub(b->mute ? &orrery_threads.mute : &beginning_now, 1);
	free(b);
}

typedef int create_fn(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

SHOWN int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attr,
                         void *(*start)(void *), void *restrict arg)
{
	static _Atomic(create_fn *) next;
	union {
		void *object;
		create_fn *function;
	} found = {.function = atomic_load(&next)};
	struct beginning *b;
	int code;

	if (!found.function) {
		found.object = dlsym(RTLD_NEXT, "pthread_create");
		atomic_store(&next, found.function);
	}
	if (!found.function)
		return EAGAIN;
	if (!getenv("ORRERY_LIVE"))
		return found.function(thread, attr, start, arg);
	b = counted_new(arg, is_mute(start));
	if (!b)
		return EAGAIN;
	b->start.posix = start;
	b->spins = is_spinning(start);
	code = found.function(thread, attr, begin, b);
	if (code != 0)
		counted_free(b);
	return code;
}

typedef int c11_fn(thrd_t *, thrd_start_t, void *);

/* A program's: libraries of BLAS make theirs by pthread_create. */
SHOWN int thrd_create(thrd_t *thread, thrd_start_t start, void *arg)
{
	static _Atomic(c11_fn *) next;
	union {
		void *object;
		c11_fn *function;
	} found = {.function = atomic_load(&next)};
	struct beginning *b;
	int code;

	if (!found.function) {
		found.object = dlsym(RTLD_NEXT, "thrd_create");
		atomic_store(&next, found.function);
	}
	if (!found.function)
		return thrd_error;
	if (!getenv("ORRERY_LIVE"))
		return found.function(thread, start, arg);
	b = counted_new(arg, 0);
	if (!b)
		return thrd_nomem;
	b->start.c11 = start;
	code = found.function(thread, begin_c11, b);
	if (code != thrd_success)
		counted_free(b);
	return code;
}
