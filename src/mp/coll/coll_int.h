/* coll_int.h: what the files that perform collectives call of each other. */
#ifndef ORRERY_MP_COLL_INT_H
#define ORRERY_MP_COLL_INT_H

#include "collective.h"

/* coll_order.c */
/* Checks that member of c calls what the others call as their next collective on it; *number: which
 * one it is. The elements by which data is cut become the first caller's, if its bytes are as
 * many. */
int coll_call_begin(struct mp *mp, struct comm *c, uint32_t member, struct coll_call *call,
                    uint32_t *number, struct err *err);

/* coll_exec.c */
op_fn task_background; /* as task_run, of one whose call has returned; 0, -1 */
int task_run(struct mp *mp, uint32_t id, struct err *err);   /* goes on: enum mp_status */
int icoll_go(struct mp *mp, struct op *op, struct err *err); /* op_fn of non-blocking ones */
int task_complete(struct mp *mp, uint32_t id,
                  struct err *err); /* the request of a non-blocking collective is complete */

/* segments.c. A step that is a send or a receive becomes one with what its rank posted before: 1,
 * or 0: it is to be posted. */
int send_joins(struct mp *mp, uint32_t task, const struct coll_step *s);
int receive_joins(struct mp *mp, struct op *t, const struct coll_step *s);
/* A receive that is matched stands for others that arrive with it; one of them has been waited
 * for. */
int receive_has_more(const struct mp *mp, uint32_t r);
void receive_give_one(struct mp *mp, struct op *t, uint32_t r);

/* The overhead of a segment, `seconds`, is added to what the rank owes: 1; 0: to be paid now. */
int segment_owed(struct mp *mp, struct op *t, double bytes, double seconds);
/* What the rank owes for segments, s: to be paid now. */
double segments_due(const struct mp *mp, struct op *t);

/* row.c: receives that need no request */
/* A step becomes a receive of its rank's row: 1; 0: it is to be a request; -1. */
int row_post(struct mp *mp, struct op *t, const struct coll_step *s, struct err *err);
/* The outstanding request of this number is of the row, and waited for from now on. */
int row_waits_one(struct op *t, uint32_t number);
uint32_t row_pending(const struct op *t); /* of those waited for: not come */
/* The task blocks, and does not wait for all: its row must not have been posted before. */
int row_blocks(struct mp *mp, struct op *t, struct err *err);
void row_forget_one(struct op *t); /* it has been waited for */
void row_forget(struct op *t);     /* all have */

/* whole.c: a collective that the model decides as a whole, until it ends. */
struct whole {
	struct members come;
	double sent, received; /* bytes, as net_collective wants them */
	double moved;          /* date at which the last one came */
	struct mp_path path;   /* to that date */
};
int whole_go(struct mp *mp, uint32_t task, struct err *err); /* as task_run */

/* period.c */
/* Whether a call on so many ranks has to ask ring_go before each round. */
int ring_may_be_long(const struct mp *mp, const struct coll_args *a);
/* The task has done a round, or waits for the other members: MP_DONE if it is to go on. */
int ring_go(struct mp *mp, uint32_t task, struct err *err);

#endif
