/* call.h: one MPI call on its way through the tracer. The wrappers (generated, wrap_c.c and
 * wrap_fortran.c) go through it in this order:
 *
 *   call_enter    stops the computation before the call. 0: not to be traced (not started, stopped,
 *                 or made inside another MPI call)
 *   …             fill in the arguments by name
 *   the function
 *   call_return   stops the call
 *   …             fill in what it gave
 *   record_*      one function per kind of call (record.h): makes events of the arguments
 *   call_leave    starts the next computation
 *
 * What happens between call_return and call_leave, and inside the recorders, is in nobody's
 * time. */
#ifndef ORRERY_TRACER_CALL_H
#define ORRERY_TRACER_CALL_H

#include "counter.h"

#include "mpi_late.h"

#include <stddef.h>
#include <stdint.h>

#if defined(OPEN_MPI)
enum { FORTRAN_STATUS_INTS = sizeof(MPI_Status) / sizeof(MPI_Fint) };
#else
enum { FORTRAN_STATUS_INTS = MPI_F_STATUS_SIZE };
#endif

#define VISIBLE __attribute__((visibility("default")))
/* Where the application called the wrapper that this stands in. */
#define SITE __builtin_return_address(0)

struct call_counts {
	const void *p; /* int, or MPI_Count if large */
	int large;
};
struct call_types {
	const void *p; /* MPI_Datatype, or MPI_Fint if fortran */
	int fortran;
};

struct call {
	enum call_id id;
	int rc;
	int64_t entered, returned; /* clock_ns() */
	int64_t burst,
	    burst_ns; /* the computation that this call ended: counter units, nanoseconds */

	/* arguments by the standard's names; send side and receive side where there are two */
	int64_t count, count2;
	MPI_Datatype type, type2;
	int dest, source, tag, tag2, root;
	MPI_Comm comm, peer;
	MPI_Op op;
	struct call_counts counts, counts2;
	struct call_types types, types2;
	int in_place;
	MPI_Message message;
	int partitions, low,
	    high; /* of partitioned requests; those that are ready: low to high, or a list */
	const int *list;
	int64_t length;
	MPI_Win win;
	MPI_Group group;
	int lock, assertion;
	int64_t bytes;
	MPI_File file;
	const char *name; /* of a file: length name_length and blanks at its end (Fortran), or with
	                     a NUL (-1) */
	int64_t name_length;
	/* results */
	MPI_Request request;
	MPI_Comm newcomm;
	MPI_Status *statuses; /* ours or the user's; NULL if nobody wants them */
	const int *flag, *index, *outcount, *indices;
	/* wait, test, start…: the handles before the call */
	MPI_Request *handles;
	int64_t n_handles;
	const void *place; /* where they are, or the one that the call gives; NULL: not known */
	size_t place_step; /* bytes from one to the next */
	int64_t *claims;   /* their requests, if they were claimed before the call (claims_hold) */
	int index_base;    /* 1 in Fortran */
	int fortran;       /* newcomm_place is Fortran's, statuses are fortran_statuses */
	void *newcomm_place; /* MPI_Comm_idup: where the new communicator will be */
	void *fortran_statuses;
	MPI_Status status_copy;
	MPI_Request one_handle;
	/* numbers given before the call, where several threads call (announce.h) */
	int n_announced;
	int keeps_request; /* it is the application's, who waits for it */
	int64_t announced[2];
	uint32_t freed;   /* MPI_Comm_free: index in comms.h; windows, files: in requests.h */
	void *extra;      /* from a before_* function to its recorder */
	char *characters; /* Fortran's MPI_COMM_SPAWN: what it is called with */
	void *outer;   /* where the call is from whose attribute's function made this one; NULL */
	int64_t inner; /* ns of calls before it that the same functions made */
};

int call_enter(struct call *c, enum call_id id, void *site);
void call_return(struct call *c, int rc);
void call_leave(struct call *c);
/* Right before a function that copies or deletes attributes: what their functions call is the
 * program's, and is recorded as well, before the call itself. What such functions compute is not.
 */
void call_opens(const struct call *c, int fortran);
/* Between call_enter and the function, which may call the program's functions: calls that these
 * make are the program's, until one of ours comes by call_enter again. */
void call_suspend(void);
static inline int call_succeeded(const struct call *c)
{
	return c->rc == MPI_SUCCESS;
}
/* MPI refused it (errors being returned to the program): wrong arguments, most often. It did
 * nothing, and is counted instead of recorded: its arguments would make a trace that nobody can
 * read. Not so what was done with an error: a message longer than what receives it; some of several
 * requests (MPI_ERR_IN_STATUS). */
int call_refused(const struct call *c);

/* MPI_Init and MPI_Init_thread: nothing is known before. record_init does the rest. */
int call_enter_init(struct call *c, void *site);
void call_leave_init(void);

/* Functions that are not traced. call_count: from C, nothing but counting. call_enter_count and
 * call_leave_count: from Fortran, where the library may call its own C functions, which shall not
 * count again. */
void call_count(enum call_id id);
int call_enter_count(struct call *c, enum call_id id);
void call_leave_count(struct call *c);

/* The n handles that a wait or test is given, before it changes them. */
void call_copy_requests(struct call *c, int64_t n, const MPI_Request *requests);
void call_copy_fortran(struct call *c, int64_t n, const void *requests);
/* Statuses for c->count requests: the user's, or our own if she ignores them and we need them, or
 * as given. */
MPI_Status *call_statuses(struct call *c, MPI_Status *given);
void *call_statuses_fortran(struct call *c, void *given);
/* A Fortran status in C. */
MPI_Status *call_status_fortran(struct call *c, void *status);

/* Fortran: the next definition of a symbol; whether a buffer is MPI_IN_PLACE; the user's status, or
 * own if she ignores it. */
void *fortran_next(const char *symbol);
int fortran_in_place(const void *buf, int is_descriptor);
void *fortran_status(void *given, void *own);
/* What indices count from in the mpi_f08 binding of this library: 1, but 0 in some. */
int fortran_index_base_f08(void);

#endif
