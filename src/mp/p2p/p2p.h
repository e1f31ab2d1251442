/* p2p.h: sends, receives, waits and tests of a program: what the files about them, and others,
 * call. */
#ifndef ORRERY_MP_P2P_P2P_H
#define ORRERY_MP_P2P_P2P_H

#include "mp/mp_int.h"

/* p2p.c: requests are issued, then waited for */
int issue_and_wait(struct mp *mp, struct op *op, struct err *err); /* an op_fn */
uint32_t message_make(struct mp *mp, uint32_t rank, enum req_kind kind, const struct mp_message *m,
                      enum mp_call call, struct err *err);
/* In the world, to or from a rank of it, with a tag and a size: nearly all messages, and nothing to
 * look up. */
static inline int message_is_plain(const struct mp *mp, const struct mp_message *m)
{
	return m->comm.v == MP_COMM_WORLD.v && m->peer >= 0 && (uint32_t)m->peer < mp->n_world &&
	       m->tag >= 0 && m->bytes >= 0 && m->bytes < INFINITY;
}
int message_check(struct mp *mp, uint32_t rank, enum req_kind kind, const struct mp_message *m,
                  struct err *err);
enum mp_call send_call(enum mp_mode mode, int immediate);

/* short.c */
void shortcuts_choose(struct mp *mp); /* all is known that the run depends on */
int message_is_short(const struct mp *mp, uint32_t rank, enum req_kind kind,
                     const struct mp_message *m);
int message_short(struct mp *mp, uint32_t rank, enum req_kind kind, const struct mp_message *m,
                  enum mp_mode mode, enum mp_call call, struct mp_request *out, struct err *err);
int wait_is_short(const struct mp *mp, uint32_t rank, struct mp_request q);
int wait_short(struct mp *mp, uint32_t rank, uint32_t r, enum mp_call call, struct err *err);

/* wait.c */
int wait_begin(struct mp *mp, struct op *op, struct err *err);
/* Whether something has to be waited for: all of the requests, or any. Libraries do not look at
 * their connections for what is there already. */
int wait_lacks(const struct mp *mp, const struct waitset *s, int all);
int wait_go(struct mp *mp, struct op *op, struct err *err);
int wait_finish(struct mp *mp, struct op *op,
                struct err *err); /* gives back what was completed, sets the result */
int requests_take(struct mp *mp, struct op *op, const struct mp_request *reqs, uint32_t n,
                  struct err *err);

/* test.c */
int test_go(struct mp *mp, struct op *op, struct err *err); /* an op_fn */
int test_others(struct mp *mp, struct op *op, struct err *err);

/* part.c */
void parts_init(struct mp *mp);
int part_start(struct mp *mp, uint32_t pattern, uint32_t r, struct err *err);
void part_free(struct mp *mp, uint32_t id);
void parts_release(struct mp *mp);

#endif
