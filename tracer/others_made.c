/* others_made.c: pthread_create of the traced program: each thread that begins gets a place among
 * the others (others.h), and leaves it when it ends. Not the threads that the MPI library makes,
 * in a call of it, nor what these make: they compute nothing of the program's. */
#include "call.h"
#include "tracer.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/* No memory is asked for, which could run out: a thread for which there is no room here begins
 * unseen. */
enum { BEGINNING = 64 };
static struct beginning {
	_Atomic int taken;
	void *(*start)(void *);
	void *arg;
	int of_library;
} beginning[BEGINNING];

static struct beginning *beginning_take(void)
{
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

static void *begin(void *arg)
{
	struct beginning *b = arg;
	void *(*start)(void *) = b->start;

	arg = b->arg;
	thread.of_library = b->of_library;
	atomic_store(&b->taken, 0);
	if (!thread.of_library) {
		pthread_once(&once, key_make);
		thread.place = others_begin(&tracer.others);
		pthread_setspecific(at_end, thread.place);
	}
	return start(arg);
}

typedef int create_fn(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

/* In a program that `orrery run` started the simulator knows what threads compute. */
VISIBLE int pthread_create(pthread_t *restrict made, const pthread_attr_t *restrict attr,
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
	b = tracer.ended || getenv("ORRERY_LIVE") ? NULL : beginning_take();
	if (!b)
		return found.function(made, attr, start, arg);
	b->start = start;
	b->arg = arg;
	b->of_library = thread.inside || thread.of_library;
	code = found.function(made, attr, begin, b);
	if (code != 0)
		atomic_store(&b->taken, 0);
	return code;
}
