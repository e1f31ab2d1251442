/* collective.h: collectives under way, for who begins them and for who reports on them. */
#ifndef ORRERY_MP_COLLECTIVE_H
#define ORRERY_MP_COLLECTIVE_H

#include "mp/task_int.h"

/* coll_call.c: collectives, and other calls that all members of a communicator make and that work
 * like one. */
struct coll_form {
	const struct coll_alg *alg; /* NULL: as the policy says */
	enum mp_call call;          /* how all members call it */
	const struct task_owner *owner;
	int nonblocking;
};
int coll_begin(struct mp *mp, uint32_t rank, struct mp_comm comm, const struct coll_args *a,
               double volume, const struct coll_form *form, struct err *err);
int icoll_begin(struct mp *mp, uint32_t rank, struct mp_comm comm, const struct coll_args *a,
                double volume, const struct coll_form *form, struct mp_request *out,
                struct err *err);

/* An operation under way becomes such a call: sets op->task. */
int coll_join(struct mp *mp, struct op *op, struct mp_comm comm, const struct coll_args *a,
              double volume, const struct coll_form *form, struct err *err);
int coll_go(struct mp *mp, struct op *op, struct err *err); /* op_fn of the blocking collectives */

/* coll_order.c: which members have called which collective, in words */
void coll_order_report(struct mp *mp, struct comm *c, struct str *out, uint32_t *lines,
                       uint32_t most);

/* row.c: receives of collectives that have no request */
void rows_init(struct mp *mp);
int rows_part(struct mp *mp, struct err *err); /* they all become requests */

/* whole.c */
void wholes_init(struct mp *mp);
int whole_end(struct mp *mp, uint32_t id, struct err *err); /* its time is over */
uint32_t whole_absent(
    const struct mp *mp,
    uint32_t task); /* the first member that a task waits for: a world rank, or NONE */
void wholes_release(struct mp *mp);

/* period.c */
void periods_init(struct mp *mp);
int period_end(struct mp *mp, uint32_t id, struct err *err); /* its time is over */
void periods_release(struct mp *mp);

#endif
