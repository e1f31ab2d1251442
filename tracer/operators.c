/* operators.c: see operators.h.
 *
 * C, C with large counts and Fortran call an operator with four addresses. Bindings for other
 * languages have the library call it with more words: Open MPI's for C++ with five, for Java with
 * seven. Eight are handed on. Those that do not fit into registers are read from the caller's
 * frame, which is there if they are not, too. */
#include "operators.h"
#include "call.h"

#include <assert.h>
#include <stdatomic.h>
#include <string.h>

typedef void operator_function(void *, void *, void *, void *, void *, void *, void *, void *);

static int64_t at_least_zero(int64_t n)
{
	return n > 0 ? n : 0;
}

static operator_function *function_of(uintptr_t address)
{
	operator_function *f;

	memcpy(&f, &address, sizeof f);
	return f;
}

static void run(int i, void *a, void *b, void *c, void *d, void *e, void *f, void *g, void *h)
{
	operator_function *own = function_of(atomic_load(&tracer.operators[i]));
	struct tracer_thread *t = &thread;
	int64_t units, units_after, ns, ns_after;

	/* in MPI_Reduce_local it is a part of the computation around it, which may be another
	 * operator */
	if (t->inside != THREAD_IN_CALL || !t->opened || t->operates) {
		own(a, b, c, d, e, f, g, h);
		return;
	}
	t->operates = 1;
	units = counter_leave(&tracer.counter, &t->counter, &ns);
	own(a, b, c, d, e, f, g, h);
	t->operates = 0;
	units_after = counter_enter(&tracer.counter, &t->counter, &ns_after);
	t->operated += at_least_zero(units_after - units - tracer.counter_bias);
	t->operated_ns += at_least_zero(ns_after - ns - tracer.clock_bias);
}

/* Ours, by octal numbers. */
#define OURS(n) \
	static void ours_##n(void *a, void *b, void *c, void *d, void *e, void *f, void *g, \
	                     void *h) \
	{ \
		run(0##n, a, b, c, d, e, f, g, h); \
	}
#define NAME(n) ours_##n,
#define EIGHT(X, n) X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7)
#define ALL(X, n) \
	EIGHT(X, n##0) \
	EIGHT(X, n##1) \
	EIGHT(X, n##2) EIGHT(X, n##3) EIGHT(X, n##4) EIGHT(X, n##5) EIGHT(X, n##6) EIGHT(X, n##7)
#define EACH(X) ALL(X, 0) ALL(X, 1) ALL(X, 2) ALL(X, 3)
EACH(OURS)
static operator_function *const ours[] = {EACH(NAME)};
static_assert(sizeof ours / sizeof *ours == TRACER_OPERATORS, "one for each place");

static int is_ours(uintptr_t address)
{
	for (int i = 0; i < TRACER_OPERATORS; i++)
		if (function_of(address) == ours[i])
			return 1;
	return 0;
}

int operator_wrap(void *function)
{
	uintptr_t own;

	memcpy(&own, function, sizeof own);
	if (!own || tracer.simulated)
		return 0;
	if (is_ours(own))
		return 1;
	for (int i = 0; i < TRACER_OPERATORS; i++) {
		uintptr_t there = 0;

		if (atomic_compare_exchange_strong(&tracer.operators[i], &there, own) ||
		    there == own) {
			memcpy(function, &ours[i], sizeof own);
			return 1;
		}
	}
	atomic_fetch_add(&tracer.operators_left, 1);
	return 0;
}

void operator_made(MPI_Op op)
{
	struct err err;

	tracer_lock();
	if (recording() && hash64_put(&tracer.own_operators, (uintptr_t)op, 0, &err) < 0)
		tracer_mute(&err);
	tracer_unlock();
}

void operator_freed(MPI_Op op)
{
	tracer_lock();
	hash64_remove(&tracer.own_operators, (uintptr_t)op);
	tracer_unlock();
}

void operators_release(void)
{
	hash64_release(&tracer.own_operators);
}

uint16_t operator_flags(MPI_Op op)
{
	return hash64_find(&tracer.own_operators, (uintptr_t)op) == HASH_NONE ? 0
	                                                                      : TRACE_OWN_OPERATOR;
}

int operators_put(struct err *err)
{
	return tracer.operators_left ? writer_note(&tracer.out, err, "untraced %u MPI_Op_create",
	                                           tracer.operators_left)
	                             : 0;
}

static int reduces(uint8_t op)
{
	return op == TRACE_REDUCE || op == TRACE_ALLREDUCE || op == TRACE_SCAN ||
	       op == TRACE_EXSCAN || op == TRACE_REDUCE_SCATTER || op == TRACE_REDUCE_SCATTER_BLOCK;
}

void operated_take(struct trace_event *ev)
{
	if (!reduces(ev->op))
		return;
	if (tracer.simulated) {
		double volume = tracer.simulated->operated();

		ev->flags |= volume >= 0 ? TRACE_OWN_OPERATOR : 0;
		ev->volume = volume > 0 ? volume : 0;
		return;
	}
	ev->volume = (double)(int64_t)((double)thread.operated * tracer.counter.scale + 0.5);
	thread.operated = thread.operated_ns = 0;
}

/* Of collectives that do not block, within a call that waits, mostly: their events are written. */
void operated_leave(struct tracer_thread *t)
{
	t->pending += t->operated;
	t->pending_ns += t->operated_ns;
	t->worked += t->operated_ns;
	t->operated = t->operated_ns = 0;
}
