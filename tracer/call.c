/* call.c: see call.h: the clockwork around every call. */
#include "call.h"
#include "operators.h"
#include "record.h"
#include "tracer.h"

#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

static int64_t at_least_zero(int64_t n)
{
	return n > 0 ? n : 0;
}

void tracer_thread_end(void *p)
{
	struct tracer_thread *t = p;

	if (t->opened)
		counter_thread_close(&tracer.counter, &t->counter);
	t->opened = 0;
	polls_release(&t->polls);
	free(t->handles);
	free(t->statuses);
	free(t->numbers);
	free(t->numbers2);
	t->handles = NULL;
	t->statuses = NULL;
	t->numbers = t->numbers2 = NULL;
	t->handles_cap = t->statuses_cap = t->numbers_cap = t->numbers2_cap = 0;
}

/* The first call of a thread: what it computed before is not known. */
static int thread_begin(struct tracer_thread *t)
{
	struct err err;

	if (counter_thread_open(&tracer.counter, &t->counter, &err) < 0) {
		tracer_mute(&err);
		return -1;
	}
	t->opened = 1;
	if (tracer.ends_known)
		pthread_setspecific(tracer.ends, t);
	announce_thread();
	t->left = counter_leave(&tracer.counter, &t->counter, &t->left_ns);
	return 0;
}

/* Nobody gives threads work for less, and to ask takes as long as some of them. */
enum { SHARED_NS = 10000 };

/* Of one that calls MPI. */
static int others_count(void)
{
	return others_any(&tracer.others) && tracer.threads == 1;
}

/* Of several that call MPI all have a place, the first one since a second one calls (event.c). */
static int several_count(void)
{
	return others_any(&tracer.others) && tracer.threads > 1;
}

/* A rank computes as long as the busiest of its threads. What asking them takes is neither in the
 * computation nor in the call. */
static void others_count_add(struct call *c)
{
	int64_t most;

	if (c->burst_ns < SHARED_NS)
		return;
	most = others_since(&tracer.others, thread.place);
	if (tracer.counter.counter->unit == COUNTER_NANOSECONDS && most > c->burst_ns)
		most = c->burst_ns; /* the stretch in which it was asked is a little longer */
	if (most > c->burst)
		c->burst = most;
	c->entered = counter_ns(&tracer.counter);
}

static void computation_stop(struct call *c)
{
	struct tracer_thread *t = &thread;
	int64_t units;

	if (tracer.simulated) {
		tracer.simulated->stop();
		c->burst = c->burst_ns = c->entered = 0;
	}
	if (!t->opened && thread_begin(t) < 0)
		return;
	if (tracer.simulated)
		return;
	if (c->outer) { /* it is stopped */
		c->burst = c->burst_ns = 0;
		c->entered = tracer_ns();
		return;
	}
	units = counter_enter(&tracer.counter, &t->counter, &c->entered);
	c->burst = at_least_zero(units - t->left - tracer.counter_bias);
	c->burst_ns = at_least_zero(c->entered - t->left_ns - tracer.clock_bias);
	if (others_count())
		others_count_add(c);
	if (several_count()) {
		if (!t->place && t == tracer.starter)
			t->place = tracer.starter_place;
		others_enter(&tracer.others, t->place);
	}
	t->entered = 1;
	t->poll = POLL_NONE;
	t->pending += c->burst;
	t->pending_ns += c->burst_ns;
	t->worked += c->burst_ns;
}

static void computation_start(void)
{
	struct tracer_thread *t = &thread;

	if (tracer.simulated) {
		tracer.simulated->start();
		return;
	}
	if (t->operated > 0)
		operated_leave(t);
	if (others_count())
		others_since(&tracer.others, t->place); /* what they did during the call */
	if (several_count()) {
		tracer_lock();
		others_leave(&tracer.others, t->place);
		tracer_unlock();
	}
	t->left = counter_leave(&tracer.counter, &t->counter, &t->left_ns);
}

/* Before anything of the library is called. */
static void link_once(void)
{
	if (tracer.linked)
		return;
	mpi_link();
	simulated_find();
	tracer.linked = 1;
}

/* The call that begins is from there; NULL: it ends. */
static void site_is(void *site)
{
	thread.inside = site ? THREAD_IN_CALL : THREAD_OUTSIDE;
	if (site) {
		thread.site = site;
		thread.here = 0;
	}
	if (tracer.simulated)
		tracer.simulated->called(site);
}

/* Whether this call, within one that is in progress, is of a function of an attribute. */
static int of_function(enum call_id id)
{
	if (thread.inside == THREAD_IN_CALL && thread.functions == FUNCTIONS_BEHIND &&
	    thread.within == id)
		thread.functions = FUNCTIONS_CALLED;
	else if (thread.inside == THREAD_IN_CALL)
		return thread.functions == FUNCTIONS_CALLED;
	return 0;
}

int call_enter(struct call *c, enum call_id id, void *site)
{
	link_once();
	if (tracer.state == TRACER_OFF || (thread.inside && !of_function(id)))
		return 0;
	c->outer = thread.inside ? thread.site : NULL;
	c->inner = thread.inner;
	thread.inner = 0;
	thread.functions = FUNCTIONS_NONE;
	site_is(site);
	c->id = id;
	c->in_place = 0;
	c->fortran = 0;
	c->index_base = 0;
	c->n_handles = 0;
	c->claims = NULL;
	c->place = NULL;
	c->statuses = NULL;
	c->fortran_statuses = NULL;
	c->extra = NULL;
	c->flag = c->outcount = NULL;
	c->n_announced = c->keeps_request = 0;
	computation_stop(c);
	return 1;
}

void call_opens(const struct call *c, int fortran)
{
	thread.functions = fortran ? FUNCTIONS_BEHIND : FUNCTIONS_CALLED;
	thread.within = c->id;
}

void call_return(struct call *c, int rc)
{
	int64_t inner = thread.inner;

	thread.functions = FUNCTIONS_NONE;
	c->returned = tracer_ns();
	thread.inner = c->outer ? c->inner + c->returned - c->entered : 0;
	c->entered += inner; /* each call takes what is its own */
	c->rc = rc;
	tracer_lock();
	tracer.alone.call = NULL;
}

void call_leave(struct call *c)
{
	tracer_unlock();
	site_is(c->outer);
	if (c->outer)
		thread.functions = FUNCTIONS_CALLED;
	if (c->outer && tracer.simulated)
		tracer.simulated->start();
	else if (!c->outer && tracer.state != TRACER_OFF)
		computation_start();
}

void call_suspend(void)
{
	site_is(NULL);
	computation_start();
}

int call_refused(const struct call *c)
{
	int class = MPI_ERR_UNKNOWN;

	if (c->rc == MPI_SUCCESS)
		return 0;
	PMPI_Error_class(c->rc, &class);
	if (class == MPI_ERR_TRUNCATE || class == MPI_ERR_IN_STATUS)
		return 0;
	tracer.counts[c->id]++;
	return 1;
}

int call_enter_init(struct call *c, void *site)
{
	link_once();
	if (thread.inside || tracer.state != TRACER_OFF)
		return 0;
	worlds_tell();
	site_is(site);
	if (tracer.simulated)
		tracer.simulated->stop();
	c->entered = tracer.simulated ? 0 : clock_ns(); /* no counter yet */
	return 1;
}

void call_leave_init(void)
{
	site_is(NULL);
	if (tracer.state != TRACER_OFF || tracer.simulated)
		computation_start();
}

void call_count(enum call_id id)
{
	link_once();
	if (!thread.inside)
		__atomic_fetch_add(&tracer.counts[id], 1, __ATOMIC_RELAXED);
}

int call_enter_count(struct call *c, enum call_id id)
{
	if (thread.inside)
		return 0;
	call_count(id);
	thread.inside = THREAD_IN_LOCAL;
	c->id = id;
	return 1;
}

void call_leave_count(struct call *c)
{
	(void)c;
	thread.inside = 0;
}

void tracer_calibrate(void)
{
	struct call c = {0};
	int64_t units = INT64_MAX, ns = INT64_MAX;

	tracer.counter_bias = tracer.clock_bias = 0;
	if (tracer.counter.counter->unit == COUNTER_MADE_UP)
		return;
	for (int i = 0; i < 200; i++) {
		computation_start();
		computation_stop(&c);
		if (c.burst < units)
			units = c.burst;
		if (c.burst_ns < ns)
			ns = c.burst_ns;
	}
	tracer.counter_bias = units;
	tracer.clock_bias = ns;
	thread.pending = thread.pending_ns = 0;
}

/* --- requests and statuses --- */

/* Room for n handles; NULL when memory ran out (the tracer is mute then). */
static MPI_Request *handles_reserve(int64_t n)
{
	struct err err;
	MPI_Request *p = vec_grow(thread.handles, &thread.handles_cap, sizeof *p, (size_t)n,
	                          "request handles", &err);

	if (p)
		thread.handles = p;
	else
		tracer_mute(&err);
	return p;
}

static MPI_Request *handles_for(struct call *c, int64_t n)
{
	c->n_handles = 0;
	c->handles = n == 1 ? &c->one_handle : n > 0 ? handles_reserve(n) : NULL;
	if (c->handles)
		c->n_handles = n;
	return c->handles;
}

void call_copy_requests(struct call *c, int64_t n, const MPI_Request *requests)
{
	if (!handles_for(c, n))
		return;
	memcpy(c->handles, requests, (size_t)n * sizeof *requests);
	c->place = requests;
	c->place_step = sizeof *requests;
	claims_hold(c);
}

void call_copy_fortran(struct call *c, int64_t n, const void *requests)
{
	const MPI_Fint *r = requests;

	if (!handles_for(c, n))
		return;
	for (int64_t i = 0; i < n; i++)
		c->handles[i] = PMPI_Request_f2c(r[i]);
	c->place = requests;
	c->place_step = sizeof *r;
	claims_hold(c);
}

MPI_Status *call_statuses(struct call *c, MPI_Status *given)
{
	MPI_Status *ours = NULL;

	if (given == MPI_STATUSES_IGNORE && tracer.requests.wildcards > 0 && c->count > 0)
		ours = thread_statuses(c->count);
	if (ours)
		given = ours;
	c->statuses = given == MPI_STATUSES_IGNORE ? NULL : given;
	return given;
}
