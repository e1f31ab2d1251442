/* plain_int.h: messages by themselves, for the transport that leaves some to that one. */
#ifndef ORRERY_MP_PLAIN_INT_H
#define ORRERY_MP_PLAIN_INT_H

#include "mp/mp_int.h"

int plain_post(struct mp *mp, uint32_t send, uint32_t mate, struct err *err);
int plain_matched(struct mp *mp, uint32_t send, struct err *err);

#endif
