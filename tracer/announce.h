/* announce.h: calls of several threads at the same time (MPI_THREAD_MULTIPLE).
 *
 * A trace has one order of events, and a replay stops at a blocking one. If a call stood where it
 * returned, a send would stand behind the receive of another thread that its message made return,
 * and two ranks could wait for each other in the replay though they never did. So once a second
 * thread has called MPI, what a call starts stands where it was entered, and what it waits for
 * where it returned: blocking calls are written as the non-blocking form and a wait. That order is
 * one in which things really happened, so that it can be replayed. */
#ifndef ORRERY_TRACER_ANNOUNCE_H
#define ORRERY_TRACER_ANNOUNCE_H

#include "call.h"

#include "trace/trace.h"

/* Before the call, with its arguments filled in. One per recorder that starts something. With a
 * single thread, under MPI_THREAD_MULTIPLE, the call is remembered: the second thread, when it
 * first calls, writes it. */
void announce_send(struct call *c, enum trace_op op);
void announce_isend(struct call *c, enum trace_op op);
void announce_recv(struct call *c, enum trace_op op);
void announce_irecv(struct call *c, enum trace_op op);
void announce_sendrecv(struct call *c, enum trace_op op);
void announce_sendrecv_replace(struct call *c, enum trace_op op);
void announce_mrecv(struct call *c, enum trace_op op);
void announce_coll(struct call *c, enum trace_op op);
void announce_icoll(struct call *c, enum trace_op op);
void announce_startall(struct call *c, enum trace_op op);
void announce_start(struct call *c, enum trace_op op);
void announce_comm_new(struct call *c, enum trace_op op);
/* The event of the new communicator is written: the number of what was announced can be used
 * again. */
void announced_comm_end(struct call *c);

/* The calling thread calls MPI for the first time. */
void announce_thread(void);
/* Have several threads called MPI? */
int concurrent(void);
/* After the call, in its recorder: 1 if the call was announced, and what follows from its return is
 * written. */
int announced_finish(struct call *c);

#endif
