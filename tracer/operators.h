/* operators.h: what the program's own operators of reductions compute.
 *
 * MPI calls them within its calls, whose time is nobody's computation. So MPI is given functions of
 * ours instead, one for each function of the program's, which count what that one does. They stay
 * for good: MPI may use an operator after MPI_Op_free. Of more functions than there is room for
 * nothing is counted: so many calls of MPI_Op_create are told as not traced. */
#ifndef ORRERY_TRACER_OPERATORS_H
#define ORRERY_TRACER_OPERATORS_H

#include "trace/trace.h"
#include "tracer.h"

/* function: the address of an argument of MPI_Op_create, which becomes ours; it stays what it is if
 * it is ours already, or there is no room. In any language. Returns whether it is ours. */
int operator_wrap(void *function);
/* An operator whose function is ours was made, is about to be freed. */
void operator_made(MPI_Op op);
void operator_freed(MPI_Op op);
/* Forgets which were made. */
void operators_release(void);
/* TRACE_OWN_OPERATOR, if its function is ours. */
uint16_t operator_flags(MPI_Op op);
/* Writes the note, if there is anything to say. */
int operators_put(struct err *err);

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
