/* record.h: the recorders: from the arguments of a call to events of the trace. Which function of
 * MPI goes to which recorder is a column of data/mpi_calls.def; which arguments a recorder finds in
 * struct call is their names in that table. `op` is the event's.
 *
 * before_* are called with the arguments filled in, before the function itself. */
#ifndef ORRERY_TRACER_RECORD_H
#define ORRERY_TRACER_RECORD_H

#include "announce.h"
#include "call.h"

#include "trace/trace.h"

/* record_life.c */
void record_init(struct call *c, int rc);
void before_finalize(struct call *c);
void record_finalize(struct call *c, enum trace_op op);
void before_abort(struct call *c);
void record_abort(struct call *c);
void record_other(struct call *c);

/* session.c */
/* Open MPI 5 has sessions, and says that it is of MPI 3.1. */
#ifdef MPI_SESSION_NULL
/* After MPI_Session_init; c: NULL if tracing has begun. */
void record_session_init(struct call *c, int rc, MPI_Session session);
/* Around a further session from Fortran; session_enter: 0 if the call is from within another. */
int session_enter(void);
void session_leave(void);
void before_session_finalize(struct call *c);
void record_session_finalize(struct call *c);
#endif
/* The trace began with a session, and one of them has not ended. */
int session_goes_on(void);
/* The tracer's own session, if it has one, after tracer_stop. */
void session_close(void);

/* record_p2p.c */
void record_send(struct call *c, enum trace_op op);
void record_isend(struct call *c, enum trace_op op);
void record_send_init(struct call *c, enum trace_op op);
void record_buffer_detach(struct call *c, enum trace_op op);
void record_recv(struct call *c, enum trace_op op);
void record_irecv(struct call *c, enum trace_op op);
void record_recv_init(struct call *c, enum trace_op op);
void record_sendrecv(struct call *c, enum trace_op op);
void record_sendrecv_replace(struct call *c, enum trace_op op);
void record_isendrecv(struct call *c, enum trace_op op);
void record_isendrecv_replace(struct call *c, enum trace_op op);
/* record_probe.c */
void record_probe(struct call *c, enum trace_op op);
void record_iprobe(struct call *c, enum trace_op op);
void record_mprobe(struct call *c, enum trace_op op);
void record_improbe(struct call *c, enum trace_op op);
void record_mrecv(struct call *c, enum trace_op op);
void record_imrecv(struct call *c, enum trace_op op);

/* record_wait.c */
void record_wait(struct call *c, enum trace_op op);
void record_waitall(struct call *c, enum trace_op op);
void record_waitany(struct call *c, enum trace_op op);
void record_waitsome(struct call *c, enum trace_op op);
void record_test(struct call *c, enum trace_op op);
void record_testall(struct call *c, enum trace_op op);
void record_testany(struct call *c, enum trace_op op);
void record_testsome(struct call *c, enum trace_op op);
void record_request_status(struct call *c);
/* record_start.c */
void record_start(struct call *c, enum trace_op op);
void record_startall(struct call *c, enum trace_op op);
void record_request_free(struct call *c, enum trace_op op);
void record_cancel(struct call *c, enum trace_op op);
/* record_win.c */
void record_win_new(struct call *c, enum trace_op op);
void before_win_free(struct call *c);
void record_win_free(struct call *c, enum trace_op op);
void record_win(struct call *c, enum trace_op op);
void record_win_target(struct call *c, enum trace_op op);
void record_win_group(struct call *c, enum trace_op op);
void record_win_test(struct call *c, enum trace_op op);
void record_rma(struct call *c, enum trace_op op);
void record_rma_fetch(struct call *c, enum trace_op op);
void record_rma_request(struct call *c, enum trace_op op);
void record_rma_fetch_request(struct call *c, enum trace_op op);
/* record_file.c */
void record_file_open(struct call *c, enum trace_op op);
void before_file_close(struct call *c);
void record_file_close(struct call *c, enum trace_op op);
void record_file_delete(struct call *c, enum trace_op op);
void record_file_all(struct call *c, enum trace_op op);
void record_file_view(struct call *c, enum trace_op op);
void record_file_data(struct call *c, enum trace_op op);
void record_file_idata(struct call *c, enum trace_op op);
void record_file_begin(struct call *c, enum trace_op op);
void record_file_end(struct call *c, enum trace_op op);
/* record_part.c */
void record_part_init(struct call *c, enum trace_op op);
void record_pready(struct call *c, enum trace_op op);
void record_pready_range(struct call *c, enum trace_op op);
void record_pready_list(struct call *c, enum trace_op op);
void record_parrived(struct call *c, enum trace_op op);

/* record_coll.c */
void record_coll(struct call *c, enum trace_op op);
void record_icoll(struct call *c, enum trace_op op);
void record_coll_init(struct call *c, enum trace_op op);

/* record_comm.c */
struct comm;
void record_comm_new(struct call *c, enum trace_op op);
/* The world of spawned processes, which is not that of the trace. */
void comm_own_world(const struct comm *world);
/* The intercommunicator in c->newcomm, whose groups have met (worlds.h). */
void comm_met(const struct call *c, uint64_t parent, uint16_t how, int root);
/* worlds.c: the command of MPI_Comm_spawn is replaced at its root */
void before_spawn(struct call *c, const char **command, char ***argv);
void before_spawn_multiple(struct call *c, int n, char ***commands, char ****argvs);
/* Characters and their lengths; what they are replaced by is freed after the call. */
void before_spawn_fortran(struct call *c, int n, void **commands, void **argvs,
                          size_t *command_length, size_t *argv_length);
void after_spawn_fortran(struct call *c);
void record_spawn(struct call *c, enum trace_op op);
/* Made without another communicator: from a group, from a socket. */
void record_comm_alone(struct call *c, enum trace_op op);
void before_comm_idup(struct call *c);
void record_comm_idup(struct call *c, enum trace_op op);
void before_comm_free(struct call *c);
void record_comm_free(struct call *c, enum trace_op op);
void record_comm_size(struct call *c, enum trace_op op);
/* The event of a communicator that is in the table. */
struct comm;
void comm_event(const struct call *c, enum trace_op op, uint64_t parent, const struct comm *made,
                int64_t req);

/* A name that a persistent collective has for itself (comm_persistent_id): a duplicate of its
 * communicator, for which nobody waits; and that it is gone. */
int comm_persistent_put(const struct comm *of, uint64_t id, struct err *err);
void comm_persistent_free(uint64_t id);

/* --- shared by recorders and announce.c --- */
struct request;
int is_wildcard(const struct call *c);
/* The fields that sends and receives share; NULL when the communicator has no place in the trace.
 * rank: of the partner. */
const struct comm *p2p_event(struct call *c, enum trace_op op, struct trace_event *ev, int rank);
/* What to remember of a receive whose message is only known when it has come. */
void wildcard_keep(const struct call *c, const struct trace_event *ev, const struct comm *comm);
/* The receive of a matched message, which is not outstanding any more; 0 when its probe was not
 * traced. */
int matched_event(struct call *c, enum trace_op op, struct trace_event *ev);
const struct comm *coll_event(struct call *c, enum trace_op op, struct trace_event *ev);
/* The events of MPI_Start, MPI_Startall. */
void starts_put(struct call *c, enum trace_op op);
/* The message that a wildcard receive got. */
void resolve_put(uint32_t number, const struct request *q, const MPI_Status *status);
/* The send of an MPI_Isendrecv, number `number`, if there is one, is over: waited for (TRACE_WAIT)
 * or left (TRACE_REQUEST_FREE). */
void half_end(uint32_t number, enum trace_op op);
/* The communicator of a call, or NULL when it has no place in the trace: then the call is counted
 * as not traced. */
const struct comm *call_comm(struct call *c);
/* Adds the handle in c->request to the table; its number, or -1 (tracing has stopped). */
uint32_t request_of(struct call *c); /* of a call with one: its number, or REQUEST_NONE */
int64_t call_add_request(struct call *c, uint16_t flags);
/* The place that the call has put a request in: what was there before is forgotten. */
void call_place_taken(const struct call *c);
/* Sender (world rank) and tag in a status of a message on a communicator. */
void status_read(const MPI_Status *s, const struct comm *comm, int32_t *peer, int32_t *tag);
/* The same of a receive or probe that succeeded, into its event, and what of it was a wildcard. */
void wildcard_read(const struct call *c, const struct comm *comm, struct trace_event *ev);
int32_t tag_event(int tag); /* MPI_ANY_TAG becomes TRACE_ANY */
static inline uint64_t request_key(MPI_Request r)
{
	return (uint64_t)(uintptr_t)r;
}
/* The requests that a call names, by position: numbers, or -1 for a handle that is not in the
 * trace; NULL when memory ran out. Claimed after the call; with several threads before it, and held
 * meanwhile: the library may give a finished request's handle to another thread before we hear that
 * it is finished. */
void claims_hold(struct call *c);
int64_t *claims_take(struct call *c);
/* The same where MPI refused the call: its requests are as they were, and what it gives is not set.
 */
int request_refused(struct call *c);
/* A test or probe, which found something or not: begin takes away the computation of a loop that
 * does nothing but poll (polls.h); missed: it found nothing, and is no event. */
void poll_begin(const struct call *c, int found);
void poll_missed(void);

#endif
