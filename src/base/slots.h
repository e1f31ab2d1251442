/* slots.h: records that are taken and given back, each known by a number. A pointer to a record is
 * good until its slot is given back, whatever else is taken meanwhile: records lie in segments,
 * which never move. Ids are small: those given out so far are below `n`.
 *
 *   struct slots s;
 *   slots_init(&s, sizeof(struct leg), offsetof(struct leg, next), "messages under way");
 *   id = slots_take(&s, err); if (id == SLOTS_NONE) return -1;
 *   struct leg *leg = slots_at(&s, id, sizeof *leg);
 *   slots_give(&s, id);
 *   slots_release(&s);
 *
 * Rules
 *  1. What is in a record that is taken is not set: it is as it was left, but for its link, or as
 *     malloc left it.
 *  2. The slot given back last is taken first: it is the one in cache. So ids depend on the order
 *     of calls alone.
 *  3. The link of a record, four bytes of it, is the room's while its slot is free, and its owner's
 *     while it is taken. The others stay as they were: who goes through all ids below n (from 0)
 *     marks there which of them are free.
 *  4. Taking allocates only when all slots ever taken are in use; giving back never fails.
 *  5. What a record owns is its owner's: slots_release frees the records alone. */
#ifndef ORRERY_BASE_SLOTS_H
#define ORRERY_BASE_SLOTS_H

#include "err.h"

#include <stddef.h>
#include <stdint.h>

enum { SLOTS_NONE = 0xffffffffu };
enum { SLOTS_SHIFT = 6, SLOTS_EACH = 1 << SLOTS_SHIFT }; /* records of a segment */

struct slots {
	void **segment;
	uint32_t n;             /* slots ever taken */
	uint32_t free;          /* the first free one, or SLOTS_NONE */
	uint32_t segments, cap; /* made; room in the table */
	uint32_t size, link;    /* bytes of a record; where its link is */
	const char *what;
};

/* size: bytes of a record, a multiple of what its alignment asks for, as sizeof is; link: where in
 * it a uint32_t is that the owner does not need while the slot is free; what: the records, for
 * messages; kept, not copied. Takes no memory. */
void slots_init(struct slots *s, size_t size, size_t link, const char *what);
/* All at once, taken or not; then it is as after slots_init. Of zeros: nothing. */
void slots_release(struct slots *s);

/* The record of an id below n. size is that of slots_init, said again by who knows it when
 * compiling: the way to a record is then two loads, and no multiplication by a variable. */
static inline void *slots_at(const struct slots *s, uint32_t id, size_t size)
{
	return (char *)s->segment[id >> SLOTS_SHIFT] + id % SLOTS_EACH * size;
}

/* slots_take when none is free. */
uint32_t slots_widen(struct slots *s, struct err *err);

/* SLOTS_NONE with *err set (ERR_LIMIT) when memory is exhausted, or ids are: then all is as it was.
 * size and link: those of slots_init again, for who counts instructions. */
static inline uint32_t slots_take_of(struct slots *s, size_t size, size_t link, struct err *err)
{
	uint32_t id = s->free;

	if (id == SLOTS_NONE)
		return slots_widen(s, err);
	s->free = *(uint32_t *)(void *)((char *)slots_at(s, id, size) + link);
	return id;
}
static inline uint32_t slots_take(struct slots *s, struct err *err)
{
	return slots_take_of(s, s->size, s->link, err);
}

/* One that is taken, whose link this is. */
static inline void slots_give_by(struct slots *s, uint32_t id, uint32_t *link)
{
	*link = s->free;
	s->free = id;
}
static inline void slots_give(struct slots *s, uint32_t id)
{
	slots_give_by(s, id, (uint32_t *)(void *)((char *)slots_at(s, id, s->size) + s->link));
}

#endif
