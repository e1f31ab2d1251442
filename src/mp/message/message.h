/* message.h: a message from its posting to its end: what the other parts of this room call. */
#ifndef ORRERY_MP_MESSAGE_MESSAGE_H
#define ORRERY_MP_MESSAGE_MESSAGE_H

#include "mp/mp_int.h"

/* request.c */
uint32_t req_new(struct mp *mp, enum req_kind kind, uint32_t rank, uint16_t flags,
                 struct err *err); /* NONE on error */
void req_release(
    struct mp *mp, uint32_t r,
    uint16_t flag); /* drops REQ_HELD or REQ_LIVE; reuses the slot when both are gone */
int req_check(struct mp *mp, uint32_t rank, struct mp_request q,
              struct err *err); /* it is one that this rank holds */
/* One that waits and stands for others too is one again: the next of them stands for those left. */
int req_part(struct mp *mp, uint32_t r, struct err *err);
/* How many messages it is, if it is of a collective. */
static inline uint32_t req_messages(const struct req *q)
{
	return q->flags & REQ_INTERNAL && q->kind <= REQ_RECV ? 1 + q->more : 1;
}
void waitset_init(struct waitset *s);
void waitset_add(struct mp *mp, struct waitset *s, uint32_t r);

/* match.c */
void match_init(struct match *m);
void match_release(struct match *m);
/* Posts one side: *mate is the other, taken out of its queue, or NONE: then r is queued. */
int match_send(struct mp *mp, uint32_t r, uint32_t *mate, struct err *err);
int match_recv(struct mp *mp, uint32_t r, uint32_t *mate, struct err *err);
void match_remove(struct mp *mp, uint32_t r); /* a queued one */
/* The first that waits in the queue of this key: a send or a receive, or NONE. */
uint32_t match_first(struct mp *mp, uint32_t ctx, uint32_t dst, uint32_t src, int32_t tag);
/* other comes to wait right behind r, in its queue. */
void match_follow(struct mp *mp, uint32_t r, uint32_t other);
/* *out: the message that a receive of this pattern (ANY_PEER, MP_ANY) would get, or NONE. */
int match_peek(struct mp *mp, uint32_t dst, uint32_t ctx, uint32_t peer, int32_t tag, uint32_t *out,
               struct err *err);
/* *out: the first message from anybody, with this tag or MP_ANY, that the program takes, and as
 * what: *m; or NONE. */
int match_among(struct mp *mp, uint32_t dst, uint32_t ctx, int32_t tag, struct mp_message *m,
                uint32_t *out, struct err *err);

/* transfer.c: the protocols */
void send_prepare(struct mp *mp, uint32_t r, enum mp_mode mode,
                  int isend); /* sets the flags of a send from its size and mode */
int transfer_post(struct mp *mp, uint32_t r, struct err *err);
/* For transports: the sender of a synchronous message has done its part; the message has arrived
 * (sent: its sender has done its part with that). */
int transfer_sent(struct mp *mp, uint32_t send, struct err *err);
int transfer_end(struct mp *mp, uint32_t send, int sent, struct err *err);

int transfer_join(struct mp *mp, uint32_t send, uint32_t recv,
                  struct err *err); /* a message meets its receive, or a row */

/* complete.c: who waits for a request hears that it is complete */
int req_complete(struct mp *mp, uint32_t r, struct err *err);
/* A message is complete on both sides. */
int both_complete(struct mp *mp, uint32_t send, uint32_t recv, struct err *err);
double request_due(struct mp *mp, uint32_t r);              /* s, from the rank that completes it */
void task_pay(struct mp *mp, struct op *t, double seconds); /* what a collective's rank owes */

/* overhead.c */
int overheads_init(struct mp *mp, struct err *err);
void overheads_release(struct mp *mp);
double send_overhead(const struct mp *mp, uint32_t r); /* s, before it is posted */
double recv_overhead(const struct mp *mp,
                     uint32_t r); /* s, when it is completed; 0 if none is due */
double isend_overhead(const struct mp *mp, uint32_t rank,
                      double bytes); /* s, of a non-blocking send */
/* s, of a process that answers `bytes` to a message of `got` bytes. */
double answer_overhead(const struct mp *mp, uint32_t rank, double got, double bytes);
static inline int copies_take_time(const struct mp *mp, uint32_t rank)
{
	return mp->overheads.at[mp->ranks[rank].overheads].copy_rate.n > 0;
}
double copy_cost(const struct mp *mp, uint32_t rank, double bytes);      /* s */
double reduce_cost(const struct mp *mp, uint32_t rank, double elements); /* s */
static inline int overheads_none(const struct mp *mp, uint32_t rank)
{
	return mp->overheads.at[mp->ranks[rank].overheads].none;
}

/* buffer.c: MPI_Bsend's buffer */
static inline int is_buffered(const struct req *q)
{
	return q->kind == REQ_SEND && (q->call == CALL_BSEND || q->call == CALL_IBSEND);
}
static inline int is_flush(const struct req *q)
{
	return q->kind == REQ_HANDLE && q->call == CALL_BUFFER_DETACH;
}
void buffers_release(struct mp *mp);
int buffer_fill(struct mp *mp, uint32_t send,
                struct err *err); /* the message is in it from now on */
int buffer_empty(struct mp *mp, uint32_t send, struct err *err); /* no longer */
uint32_t buffer_first(const struct mp *mp,
                      uint32_t rank); /* a message in the rank's buffer, or NONE; slow */

/* leg.c */
void legs_init(struct mp *mp);
int leg_start(struct mp *mp, const struct leg_call *call, struct err *err);
int leg_end(struct mp *mp, uint32_t id, struct err *err);
/* What happens now depends on: the leg that arrives, or the rank that runs. */
struct mp_cause cause_now(const struct mp *mp);
void leg_ends(const struct mp *mp, uint32_t id, uint32_t *from, uint32_t *to);
void legs_release(struct mp *mp);

/* data.c: what is told to who moves data, if anybody does */
int data_side_tell(struct mp *mp, uint32_t r, struct err *err);
int data_again_tell(struct mp *mp, uint32_t r, uint32_t pattern, struct err *err);
int data_meet_tell(struct mp *mp, uint32_t send, uint32_t recv, struct err *err);
int data_step_side_tell(struct mp *mp, uint32_t task, uint32_t r, const struct coll_step *s,
                        struct err *err);
int data_begins_tell(struct mp *mp, uint32_t task, struct err *err);
int data_last_tell(struct mp *mp, const struct op *t, struct err *err);
int data_acts_tell(struct mp *mp, uint32_t task, const struct coll_step *s, struct err *err);
int data_is_there(const struct mp *mp, uint32_t task);
int data_carry_tell(struct mp *mp, uint32_t from, const struct coll_step *send, uint32_t to,
                    const struct coll_step *recv, struct err *err);
static inline int data_side(struct mp *mp, uint32_t r, struct err *err)
{
	return mp->data ? data_side_tell(mp, r, err) : 0;
}

#endif
