/* counter_papi.c: PAPI_TOT_INS, for machines where PAPI counts and perf_event does not. The library
 * is opened at run time, so that the tracer needs it only where it is asked for. */
#include "counter.h"

#include <dlfcn.h>
#include <stdio.h>

#if __has_include(<papi.h>)
#include <papi.h>
#include <pthread.h>

static int papi_find(struct papi_functions *f, struct err *err)
{
	char name[64];
	void *lib;

	snprintf(name, sizeof name, "libpapi.so.%d.%d", PAPI_VERSION_MAJOR(PAPI_VER_CURRENT),
	         PAPI_VERSION_MINOR(PAPI_VER_CURRENT));
	lib = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	if (!lib)
		return err_set(err, ERR_LIMIT, "PAPI: %s", dlerror());
	*(void **)&f->library_init = dlsym(lib, "PAPI_library_init");
	*(void **)&f->thread_init = dlsym(lib, "PAPI_thread_init");
	*(void **)&f->create_eventset = dlsym(lib, "PAPI_create_eventset");
	*(void **)&f->add_event = dlsym(lib, "PAPI_add_event");
	*(void **)&f->start = dlsym(lib, "PAPI_start");
	*(void **)&f->read = dlsym(lib, "PAPI_read");
	*(void **)&f->stop = dlsym(lib, "PAPI_stop");
	*(void **)&f->strerror = dlsym(lib, "PAPI_strerror");
	if (!f->library_init || !f->thread_init || !f->create_eventset || !f->add_event ||
	    !f->start || !f->read || !f->stop || !f->strerror)
		return err_set(err, ERR_LIMIT, "PAPI: %s lacks a function", name);
	return 0;
}

static int papi_open(struct counter_use *u, struct err *err)
{
	int version;

	if (papi_find(&u->papi, err) < 0)
		return -1;
	version = u->papi.library_init(PAPI_VER_CURRENT);
	if (version != PAPI_VER_CURRENT)
		return err_set(err, ERR_LIMIT, "PAPI: the library refuses to start (code %d)",
		               version);
	u->papi.thread_init((unsigned long (*)(void))pthread_self);
	return 0;
}

static int papi_thread_open(const struct counter_use *u, struct counter_thread *t, struct err *err)
{
	const struct papi_functions *f = &u->papi;
	int rc;

	t->event_set = PAPI_NULL;
	rc = f->create_eventset(&t->event_set);
	if (rc == PAPI_OK)
		rc = f->add_event(t->event_set, PAPI_TOT_INS);
	if (rc == PAPI_OK)
		rc = f->start(t->event_set);
	if (rc != PAPI_OK)
		return err_set(err, ERR_LIMIT, "PAPI cannot count instructions here: %s",
		               f->strerror(rc));
	return 0;
}

static void papi_thread_close(const struct counter_use *u, struct counter_thread *t)
{
	long long value;

	u->papi.stop(t->event_set, &value);
}

static int64_t papi_read(const struct counter_use *u, struct counter_thread *t, uint64_t tick)
{
	long long value = 0;

	(void)tick;
	u->papi.read(t->event_set, &value);
	return value;
}
#else
static int papi_open(struct counter_use *u, struct err *err)
{
	(void)u;
	return err_set(err, ERR_LIMIT, "this tracer was built without PAPI (Debian: libpapi-dev)");
}
static int papi_thread_open(const struct counter_use *u, struct counter_thread *t, struct err *err)
{
	(void)u;
	(void)t;
	(void)err;
	return -1;
}
static void papi_thread_close(const struct counter_use *u, struct counter_thread *t)
{
	(void)u;
	(void)t;
}
static int64_t papi_read(const struct counter_use *u, struct counter_thread *t, uint64_t tick)
{
	(void)u;
	(void)t;
	(void)tick;
	return 0;
}
#endif

const struct counter counter_papi = {
    .name = "papi",
    .unit = COUNTER_INSTRUCTIONS,
    .open = papi_open,
    .thread_open = papi_thread_open,
    .thread_close = papi_thread_close,
    .read = papi_read,
};
