/* others_made.c: pthread_create of the traced program, and C11's thrd_create, which does not go
 * through it: each thread that begins gets a place among the others (others.h), and leaves it when
 * it ends. Not the threads that the MPI library makes, in a call of it, nor what these make: they
 * compute nothing of the program's. */
#include "call.h"
#include "tracer.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <threads.h>

/* No memory is asked for, which could run out: a thread for which there is no room here begins
 * unseen. */
enum { BEGINNING = 64 };
static struct beginning {
	_Atomic int taken;
	union {
		void *(*posix)(void *);
		thrd_start_t c11;
	} start;
	void *arg;
	int of_library;
} beginning[BEGINNING];

/* NULL also where nobody is to see it: in a program that `orrery run` started the simulator knows
 * what threads compute. */
static struct beginning *beginning_take(void)
{
	if (tracer.ended || getenv("ORRERY_LIVE"))
		return NULL;
	for (int i = 0; i < BEGINNING; i++)
		if (!atomic_exchange(&beginning[i].taken, 1))
			return &beginning[i];
	return NULL;
}

static pthread_key_t at_end; /* its destructor: also where pthread_exit ends a thread */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void place_leave(void *place)
{
	others_end(place);
}

static void key_make(void)
{
	pthread_key_create(&at_end, place_leave);
}

/* In the thread that begins; what is to be called in it. */
static struct beginning beginning_end(struct beginning *b)
{
	struct beginning of = {.start = b->start, .arg = b->arg};

	thread.of_library = b->of_library;
	atomic_store(&b->taken, 0);
	if (!thread.of_library) {
		pthread_once(&once, key_make);
		thread.place = others_begin(&tracer.others);
		pthread_setspecific(at_end, thread.place);
	}
	return of;
}

static void *begin_posix(void *arg)
{
	struct beginning of = beginning_end(arg);

	return of.start.posix(of.arg);
}

static int begin_c11(void *arg)
{
	struct beginning of = beginning_end(arg);

	return of.start.c11(of.arg);
}

static int is_of_library(void)
{
	return thread.inside || thread.of_library;
}

typedef int posix_fn(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

VISIBLE int pthread_create(pthread_t *restrict made, const pthread_attr_t *restrict attr,
                           void *(*start)(void *), void *restrict arg)
{
	static _Atomic(posix_fn *) next;
	union {
		void *object;
		posix_fn *function;
	} found = {.function = atomic_load(&next)};
	struct beginning *b;
	int code;

	if (!found.function) {
		found.object = dlsym(RTLD_NEXT, "pthread_create");
		atomic_store(&next, found.function);
	}
	if (!found.function)
		return EAGAIN;
	b = beginning_take();
	if (!b)
		return found.function(made, attr, start, arg);
	b->start.posix = start;
	b->arg = arg;
	b->of_library = is_of_library();
	code = found.function(made, attr, begin_posix, b);
	if (code != 0)
		atomic_store(&b->taken, 0);
	return code;
}

typedef int c11_fn(thrd_t *, thrd_start_t, void *);

VISIBLE int thrd_create(thrd_t *made, thrd_start_t start, void *arg)
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
	b = beginning_take();
	if (!b)
		return found.function(made, start, arg);
	b->start.c11 = start;
	b->arg = arg;
	b->of_library = is_of_library();
	code = found.function(made, begin_c11, b);
	if (code != thrd_success)
		atomic_store(&b->taken, 0);
	return code;
}
