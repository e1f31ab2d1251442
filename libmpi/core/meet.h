/* meet.h: the members of a communicator tell each other something through the simulator.
 *
 * Where other threads of the rank may call MPI meanwhile, nothing waits in the ring: the rank looks
 * again and again, and lets them call in between. */
#ifndef ORRERY_LIBMPI_MEET_H
#define ORRERY_LIBMPI_MEET_H

#include "mp/mp.h"
#include "p2p.h"

struct told { /* what everybody said: n lengths, then the texts */
	uint64_t block;
	uint32_t n;
	const uint64_t *length;
};

/* Between link_enter and link_leave. Everybody in c, or, without, the members of g. key: of no
 * other meeting that not all have left. */
void meet(struct orr_comm *c, const struct orr_group *g, uint64_t key, uint32_t what,
          const void *data, size_t bytes, struct told *out);
/* The same of all in c, but they are told of some only, in the order that WIRE_TOLD_ has. */
void meet_some(struct orr_comm *c, uint64_t key, uint32_t what, const void *data, size_t bytes,
               uint32_t of, struct told *out);
/* The same in two halves, in no time: the second one waits if that is still needed. */
struct orr_giving;
void meet_begin(struct orr_comm *c, const struct orr_group *among, uint64_t key, const void *data,
                size_t bytes, struct orr_giving *g);
void meet_end(struct orr_comm *c, const struct orr_group *among, const struct orr_giving *g,
              struct told *out);
const void *told_text(const struct told *t, uint32_t i);
void told_end(struct told *t);
/* They agree on something, which takes what it takes, and tell nothing. */
void agree(struct orr_comm *c, enum mp_agreement what);
void agree_over(uint32_t comm, enum mp_agreement what); /* a communicator by its number */
struct mp_bridge;
void agree_bridge(uint32_t comm, const struct mp_bridge *b);
/* Before a call of all members that blocks the whole rank: if threads call MPI at once, such calls
 * are made in the same order at all ranks. count: of such calls on this object, at this rank. */
void take_turn(struct orr_comm *c, uint64_t object, uint32_t *count);

/* Two numbers as one name; the highest bit, which is mp's, is free. */
uint64_t name_mix(uint64_t x, uint64_t y);

#endif
