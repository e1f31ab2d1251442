/* coll.h: collectives: what a call sends and receives, as a plan that can be carried out once or
 * again and again. The plan_* functions are what the three forms of each collective (blocking,
 * non-blocking, persistent) have in common; the forms are generated (coll_forms.py). */
#ifndef ORRERY_LIBMPI_COLL_H
#define ORRERY_LIBMPI_COLL_H

#include "objects/op.h"
#include "request.h"

struct coll_piece { /* count elements at buf: their packed form follows that of the piece before */
	void *buf;
	MPI_Count count;
	struct orr_type *type; /* kept */
};
struct coll_plan {
	struct wire_coll w;
	struct orr_comm *comm; /* kept */
	struct orr_op *op;     /* of the program, kept; or NULL */
	uint32_t shadow;       /* persistent: a communicator of its own (comm.c), or 0 */
	int64_t *counts;       /* w.n_counts, then w.n_counts2 */
	struct coll_piece *piece;
	uint32_t n_send, n_recv, cap; /* send pieces first */
	int64_t bytes[2];             /* of what is sent, and of what is received */
	uint8_t fills;                /* the receive buffer is filled before (bcast's root) */
	uint8_t keeps;                /* and not read after */
	uint8_t packed;               /* a type has gaps */
	uint8_t typed;                /* a piece that is not empty was seen */
	uint8_t taken;                /* what was received is in its buffers */
	uint8_t beside;               /* a blocking call of one of several threads */
};

void coll_plan_free(struct coll_plan *p);
/* What is sent lies where is received: an error, with which the plan is freed. */
int coll_alias_check(struct coll_plan *p);
int coll_run(struct coll_plan *p);                           /* and frees it */
int coll_begin(struct coll_plan *p, MPI_Request *request);   /* which owns it then */
int coll_prepare(struct coll_plan *p, MPI_Request *request); /* persistent */
void coll_plan_start(struct orr_request *r);
/* What was received goes into its buffers, once in each carrying out. */
void coll_plan_take(struct coll_plan *p);
void coll_plan_finish(struct coll_plan *p);

#endif
