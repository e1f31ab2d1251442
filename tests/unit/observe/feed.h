/* feed.h: runs told to observers by hand, with dates that are exact in binary. */
#ifndef ORRERY_TESTS_FEED_H
#define ORRERY_TESTS_FEED_H

#include "observe/observe.h"

#include <stdio.h>

/* Three ranks, makespan 8 s:
 *   rank 0: computes 0..4, sends 1000 bytes to 1 during 4..5, barrier 5..6
 *   rank 1: receives from 0 during 0..5 (waits for 4 s), barrier 5..6, computes 6..8
 *   rank 2: between calls 0..1, computes 1..2, barrier 2..6 (waits for 3 s), done at 6
 * Per class, s: compute 4+2+1 = 7; p2p 1+1 = 2; coll 1+1+1 = 3; wait 4+3 = 7; other 1; idle 2+0+2 =
 * 4; in all 24 = 3 x 8. */
static inline void feed_three(const struct mp_observer *o)
{
	enum mp_call barrier = (enum mp_call)(CALL_COLL + COLL_BARRIER);
	static const uint32_t members[3] = {2, 0, 1};

	if (o->comm)
		o->comm(o->self, (struct mp_comm){7}, members, 3);
	o->enter(o->self, 0, CALL_COMPUTE, 0);
	o->enter(o->self, 1, CALL_RECV, 0);
	o->enter(o->self, 2, CALL_COMPUTE, 1);
	o->leave(o->self, 2, CALL_COMPUTE, 2, -1, 0, 0);
	o->enter(o->self, 2, barrier, 2);
	o->leave(o->self, 0, CALL_COMPUTE, 4, -1, 0, 0);
	o->enter(o->self, 0, CALL_SEND, 4);
	if (o->message)
		o->message(
		    o->self,
		    &(struct mp_arrival){
		        .to = 1, .tag = 42, .bytes = 1000, .sent = 4, .moved = 4, .received = 5});
	o->leave(o->self, 1, CALL_RECV, 5, 0, 1000, 4);
	o->leave(o->self, 0, CALL_SEND, 5, 1, 1000, 0);
	o->enter(o->self, 0, barrier, 5);
	o->enter(o->self, 1, barrier, 5);
	if (o->message)
		o->message(o->self,
		           &(struct mp_arrival){
		               .from = 2, .sent = 2, .moved = 5, .received = 6, .coll = 1});
	o->leave(o->self, 0, barrier, 6, -1, 0, 0);
	o->leave(o->self, 1, barrier, 6, -1, 0, 0);
	o->leave(o->self, 2, barrier, 6, -1, 0, 3);
	o->enter(o->self, 1, CALL_COMPUTE, 6);
	o->leave(o->self, 1, CALL_COMPUTE, 8, -1, 0, 0);
}

/* n rounds of computation and exchange of each rank with its neighbour, from a date on; a round
 * lasts a second. */
static inline void feed_rounds(const struct mp_observer *o, uint32_t ranks, uint32_t from,
                               uint32_t n)
{
	uint32_t k, r;

	for (k = from; k < from + n; k++) {
		for (r = 0; r < ranks; r++)
			o->enter(o->self, r, CALL_COMPUTE, k);
		for (r = 0; r < ranks; r++) {
			o->leave(o->self, r, CALL_COMPUTE, k + 0.5, -1, 0, 0);
			o->enter(o->self, r, CALL_SENDRECV, k + 0.5);
		}
		for (r = 0; r < ranks; r++) {
			if (o->message)
				o->message(o->self, &(struct mp_arrival){.from = r,
				                                         .to = (r + 1) % ranks,
				                                         .tag = (int32_t)k,
				                                         .bytes = 8.0 * k,
				                                         .sent = k + 0.5,
				                                         .moved = k + 0.625,
				                                         .received = k + 1});
			o->leave(o->self, r, CALL_SENDRECV, k + 1, (int32_t)((r + 1) % ranks),
			         16.0 * k, 0.125);
		}
	}
}

static inline const char *feed_host(void *self, uint32_t rank, char *buf, size_t n)
{
	(void)self;
	snprintf(buf, n, "node-%u", (unsigned)rank);
	return buf;
}

static const struct run_info feed_info = {
    .ranks = 3,
    .program = "./ring \"quoted\"",
    .machine = "graphene",
    .model = "hybrid",
    .settings = "smpi/os:0:1",
    .trace = "ring.trace",
    .date = "2026-01-02",
};

#endif
