/* operators.h: what the program's own operators of reductions compute.
 *
 * MPI calls them within its calls, whose time is nobody's computation. So MPI is given functions of
 * ours instead, one for each function of the program's, which count what that one does. They stay
 * for good: MPI may use an operator after MPI_Op_free. */
#ifndef ORRERY_TRACER_OPERATORS_H
#define ORRERY_TRACER_OPERATORS_H

#include "trace/trace.h"
#include "tracer.h"

/* function: the address of an argument of MPI_Op_create, which becomes ours; it stays what it is if
 * it is ours already, or there is no room. In any language. */
void operator_wrap(void *function);

/* operators.c */
void operated_take(struct trace_event *ev);
void operated_leave(struct tracer_thread *t);

/* A collective that has ended: what operators did within the call is its volume, if it reduces. */
static inline void operated_put(struct trace_event *ev)
{
	if (thread.operated > 0 || tracer.simulated)
		operated_take(ev);
}
#endif
