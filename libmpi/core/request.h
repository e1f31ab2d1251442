/* request.h: requests: what they are, and how they are completed.
 *
 *   made --put in the ring--> active --wait, test: the simulator says it is complete--> freed, or,
 *   if it is persistent, inactive again --start--> active
 */
#ifndef ORRERY_LIBMPI_REQUEST_H
#define ORRERY_LIBMPI_REQUEST_H

#include "link.h"
#include "objects/comm.h"
#include "objects/type.h"

enum request_kind {
	REQUEST_SEND,
	REQUEST_RECV,
	REQUEST_PART,
	REQUEST_COLL,
	REQUEST_COMM,
	REQUEST_OTHER,
};
struct coll_plan;
struct intact;
struct orr_request {
	struct orr_object o;
	uint8_t kind;
	uint8_t persistent, active;
	uint8_t seen;     /* complete, as MPI_Request_get_status has told */
	uint8_t buffered; /* MPI_Bsend_init */
	uint8_t released; /* MPI_Request_free: to be freed when complete */
	/* nobody needs to know when it is complete: a send that may not be cancelled */
	uint8_t quiet;
	uint32_t number; /* the simulator's; WIRE_NONE: it needs none */
	/* what a receive gets, a persistent send sends, any send whose buffer is looked at */
	void *buf;
	MPI_Count count;
	struct orr_type *type;
	struct orr_comm *comm;  /* kept: ranks in statuses are its */
	struct coll_plan *plan; /* of a collective: how its buffers are filled */
	/* what is to be done when it is complete: an error code */
	int (*complete)(struct orr_request *r, const struct wire_done *d, MPI_Status *status);
	void *self;
	void (*end)(struct orr_request *r); /* gives back what is behind self; or NULL */
	struct orr_request *other;          /* MPI_Isendrecv: the send, until it is complete */
	struct intact *was;                 /* with --checks: its buffers (intact.c); or NULL */
	struct grequest *general;           /* not NULL: the program completes it */
};

/* NULL: no memory. Keeps type and comm, which may be NULL. */
struct orr_request *request_new(enum request_kind kind, struct orr_comm *comm, void *buf,
                                MPI_Count count, struct orr_type *type);
void request_end(struct orr_request *r);
struct orr_request *request_of(MPI_Request request);
/* Received data into the buffer, and the status; an error code. */
int receive_finish(struct orr_comm *comm, void *buf, MPI_Count count, struct orr_type *type,
                   const struct wire_done *d, MPI_Status *status);
/* A request that is complete and stays the program's: what it brought goes into its buffers, and at
 * its completion nothing more does, as they are the program's from then on. */
void request_take(struct orr_request *r, const struct wire_done *d);
/* The same of partitions (part.c): those that the program was not told of. */
void parts_take(struct orr_request *r);
/* A rank of the communicator (of the other group, where there are two) of a process. */
int source_rank(struct orr_comm *c, int32_t process);

#endif
