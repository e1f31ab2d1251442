/* comm.h: who is in a communicator. */
#ifndef ORRERY_MP_COMM_COMM_H
#define ORRERY_MP_COMM_COMM_H

#include "mp/mp_int.h"

/* comm.c */
int comm_init(struct mp *mp, struct err *err); /* the world */
void comms_release(struct mp *mp);
static inline struct comm *comm_at(const struct mp *mp, uint32_t i)
{
	return slots_at(&mp->comms, i, sizeof(struct comm));
}
struct comm *comm_get(struct mp *mp, uint32_t rank, struct mp_comm c,
                      struct err *err); /* NULL: rank is not a member, or it does not exist */
int comm_shape_make(struct mp *mp, struct comm *c,
                    struct err *err);                     /* which members share a host */
int32_t comm_place(const struct comm *c, uint32_t world); /* or -1 */
/* Drops it if all members have freed it and nothing needs it any more: no collective under way, no
 * window made on it. */
void comm_settle(struct mp *mp, uint32_t i);
/* Takes the memory that mp_comm_free needs: where it is called when nothing may fail any more. */
int comm_free_prepare(struct comm *c, struct err *err);
static inline uint32_t comm_member(const struct comm *c, uint32_t i) /* world rank */
{
	return c->members ? c->members[i] : c->first + i * c->stride;
}

static inline const struct comm *comm_of_ctx(const struct mp *mp, uint32_t ctx)
{
	return comm_at(mp, ctx & CTX_SLOT);
}

static inline int comm_same_side(const struct comm *c, int32_t a, int32_t b)
{
	return ((uint32_t)a < c->split) == ((uint32_t)b < c->split);
}

/* topology.c */
void topology_free(struct comm *c);
/* Fills the neighbours of a member; -1 if c has no topology. */
int topology_neighbors(struct mp *mp, struct comm *c, uint32_t member, struct coll_args *a,
                       struct err *err);

#endif
