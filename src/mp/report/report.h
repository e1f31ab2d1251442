/* report.h: observers and words: requests, calls, deadlocks. */
#ifndef ORRERY_MP_REPORT_REPORT_H
#define ORRERY_MP_REPORT_REPORT_H

#include "mp/mp_int.h"

/* observe.c */
void observe_begin(struct mp *mp);
void observe_enter(struct mp *mp, uint32_t rank, enum mp_call call);
void observe_leave(struct mp *mp, uint32_t rank, enum mp_call call, int32_t partner, double bytes,
                   double waited);
void observe_message(struct mp *mp, uint32_t send);
void observe_leg(struct mp *mp, uint32_t slot, const struct leg_call *leg, double posted,
                 double moved);
int observe_comm(struct mp *mp, struct mp_comm comm, struct err *err);

/* describe.c: for messages */
enum { REQ_TEXT_MAX = 640 };
const char *req_describe(struct mp *mp, uint32_t r, char *buf,
                         size_t n); /* "a receive from rank 2, tag 7, posted by rank 3 at 1.25 s" */

/* deadlock.c */
int deadlock_explain(struct mp *mp, struct err *err); /* sets *err, returns -1 */

#endif
