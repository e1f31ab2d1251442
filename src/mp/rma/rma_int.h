/* rma_int.h: windows, and the messages of one-sided communication, for the files that are about
 * them. */
#ifndef ORRERY_MP_RMA_INT_H
#define ORRERY_MP_RMA_INT_H

#include "coll/write.h"
#include "mp/mp_int.h"

enum rma_kind {
	RMA_FREE,
	RMA_DATA,
	RMA_ACK,
	RMA_LOCK,
	RMA_GRANT,
	RMA_RELEASE,
	RMA_POST,
	RMA_COMPLETE
};
/* Of DATA: where it is. Long ones are asked for if the target's process takes them in (rma.c). */
enum rma_stage { STAGE_THERE, STAGE_BACK, STAGE_ASKED, STAGE_ANSWERED };

/* A message, or a request and its answer. */
struct rma {
	uint8_t kind, exclusive, all;
	uint8_t awaited; /* the origin is blocked until it is over */
	uint8_t seen;    /* the target has been in a call since it arrived */
	uint8_t stage;   /* while it waits for that */
	uint32_t win;
	uint32_t origin, target; /* members */
	uint32_t next, prev;     /* DATA: of the origin; LOCK: queued at the target */
	uint32_t held;           /* next of those that wait for a call of the same rank */
	uint32_t handle;         /* request, or NONE */
	double there, back;      /* bytes; of the answer, < 0: none */
};

/* Bytes: what has no data is yet something to send (overheads of nothing are 0). */
enum { RMA_HEADER = 1 };
/* Of a lock: op->mode, and what a pair notes. */
enum { LOCK_SHARED, LOCK_EXCLUSIVE, LOCK_UNCHECKED };

struct win_side {       /* one member */
	uint32_t first; /* its DATA under way */
	uint32_t *touched, n_touched,
	    cap_touched; /* targets that got something since it last asked for an acknowledgement */
	uint32_t *group, n_group;       /* of its start */
	uint32_t *notified, n_notified; /* of its post; n_notified: not told yet */
	uint32_t completes, posted; /* notices that came; ranks in its post, who leave `notified`
	                               with their notice */
	uint32_t queue, queue_last; /* lock requests that wait */
	uint32_t holders;           /* of its lock, if shared */
	uint32_t locks;             /* that it has asked for and not given back */
	uint8_t exclusive, joined, left, waits; /* waits: enum rma_waits */
	uint8_t locked_all, unchecked_all, started, exposed,
	    fenced;   /* what it is in the middle of; has ever fenced */
	uint8_t told; /* that it accesses others outside of an epoch */
};

struct window {
	uint32_t comm, n;
	uint32_t next, previous;         /* of the same communicator, + 1; 0: none */
	uint32_t ended_next;             /* of those of it that may be let go, if it is one */
	uint32_t ended;                  /* 1: it is one */
	uint32_t exclusives, shared_all; /* exclusive locks held; lock_alls */
	uint32_t live, left;             /* messages under way; members that have freed it */
	uint32_t maker, event;           /* world rank that made it first, and where */
	struct win_side *side;
};

enum rma_pair { PAIR_POSTS, PAIR_LOCK };
/* What the blocked call of a member waits for: answers, until none is pending; or notices, each of
 * which may be the last. Notices that come while answers are pending wake nobody. */
enum rma_waits { WAITS_NOT, WAITS_ANSWERS, WAITS_NOTICES };

static inline struct rma *rma_at(const struct mp *mp, uint32_t id)
{
	return slots_at(&mp->rma.slots, id, sizeof(struct rma));
}
static inline struct window *window_at(const struct mp *mp, uint32_t id)
{
	return slots_at(&mp->rma.windows, id, sizeof(struct window));
}

/* rma.c */
uint64_t pair_key(uint32_t win, uint32_t a, uint32_t b, enum rma_pair what);
uint32_t rma_new(struct mp *mp, const struct rma *init, struct err *err); /* NONE on error */
/* From one member to another; what it means is done when it arrives. */
int rma_send(struct mp *mp, uint32_t id, uint32_t from, uint32_t to, double bytes,
             enum rma_stage stage, struct err *err);
int rma_data_send(struct mp *mp, uint32_t id,
                  struct err *err); /* the operation leaves its origin */
int rma_notice(struct mp *mp, enum rma_kind kind, uint32_t win, uint32_t origin, uint32_t target,
               struct err *err);
/* The target answers when all that the origin has sent it has arrived. */
int rma_ack(struct mp *mp, uint32_t win, uint32_t origin, uint32_t target, struct err *err);
uint32_t rma_world(const struct mp *mp, const struct window *w, uint32_t member);

/* window.c */
void window_release(struct window *w);
/* It has one member or one message fewer: the last of both may be gone. */
void window_lessen(struct mp *mp, uint32_t id);
/* The rank's side of a window that it has made and not freed. */
int window_get(struct mp *mp, uint32_t rank, struct mp_win win, uint32_t *member, struct err *err);
/* The member that a rank of the world is; an error if it is none. */
int window_target(struct mp *mp, uint32_t rank, const struct window *w, int32_t world,
                  uint32_t *out, struct err *err);
/* Member that calls an operation on a window (op->cursor). */
uint32_t window_side(const struct mp *mp, const struct op *op);

#endif
