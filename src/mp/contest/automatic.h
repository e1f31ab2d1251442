/* automatic.h: the selector that takes the fastest algorithm. */
#ifndef ORRERY_MP_AUTOMATIC_H
#define ORRERY_MP_AUTOMATIC_H

#include "mp/mp_int.h"

/* coll_auto.c */
int automatic_choose(struct mp *mp, const struct op *t, const struct comm *c,
                     struct coll_choice *out, struct err *err);
void automatic_release(struct automatic *m);

#endif
