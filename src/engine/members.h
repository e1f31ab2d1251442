/* members.h: the flows on a resource: a list in a block of the pool, or a crowd's own.
 *
 * A use does not know where in the list its member is: what a flow uses is half as long so, and a
 * member that moves costs no look at its flow. Who takes a member out looks for it, in a list of up
 * to 4,096. A crowd is searched from where somebody was found the last time, as flows mostly leave
 * in the order in which they came; where that has cost too much it gets an index, a hash table of
 * places, until it is empty. */
#ifndef ORRERY_ENGINE_MEMBERS_H
#define ORRERY_ENGINE_MEMBERS_H

#include "engine_int.h"

#include <string.h>
#include <wchar.h>

static inline uint32_t member_bits(struct member m)
{
	uint32_t bits;

	memcpy(&bits, &m, sizeof bits);
	return bits;
}

static inline int resource_crowded(const struct resource *r)
{
	return __builtin_expect(r->class == CROWD, 0);
}

/* Of a crowd: the place of a member, not before `from`; the index, if it has one, is told that the
 * member at a place leaves, moves where nobody is, or changes places with another. */
uint32_t crowd_place(struct engine *e, const struct resource *r, uint32_t from, struct member of);
void crowd_drop(struct engine *e, const struct resource *r, uint32_t at);
void crowd_move(struct engine *e, const struct resource *r, uint32_t from, uint32_t to);
void crowd_swap(struct engine *e, const struct resource *r, uint32_t a, uint32_t b);

/* The place of a member that is one of n: few are before it, or the C library compares several at a
 * time. */
static inline uint32_t member_scan(const struct member *m, uint32_t from, uint32_t n,
                                   struct member of)
{
	enum { FEW = 8 };
	uint32_t at = from, bits = member_bits(of);
	static_assert(sizeof(wchar_t) == sizeof *m, "members are searched as wide characters");

	while (member_bits(m[at]) != bits)
		if (__builtin_expect(++at == from + FEW, 0))
			return at + (uint32_t)(wmemchr((const wchar_t *)(m + at), (wchar_t)bits,
			                               n - at) -
			                       (const wchar_t *)(m + at));
	return at;
}

/* The same of a list of r, which begins at m. */
static inline uint32_t member_place(struct engine *e, const struct resource *r,
                                    const struct member *m, uint32_t from, struct member of)
{
	return resource_crowded(r) ? crowd_place(e, r, from, of) : member_scan(m, from, r->n, of);
}

/* --- those that others carry: the last ones of a contended resource (carrier_uses.c) --- */
void members_swap(struct engine *e, const struct resource *r, uint32_t a, uint32_t b);
void members_carry(struct engine *e, struct resource *r); /* those whose state says so, all */
/* One that the resource does not limit; one of the last is among the others again, or goes. */
void member_carry(struct engine *e, struct resource *r, struct member of);
void member_uncarry(struct engine *e, struct resource *r, struct member of);
void member_leave_carried(struct engine *e, struct resource *r, struct member of);
/* The same member, by another use. */
void member_rename(struct engine *e, struct resource *r, struct member of, struct member to);

/* Who has come last, to a contended resource, stands before them. */
static inline void member_came(struct engine *e, struct resource *r)
{
	if (__builtin_expect(resource_book(e, r)->n_carried > 0, 0))
		members_swap(e, r, r->n - 1, resource_uncarried(e, r) - 1);
}

/* One more: 0 or -1. */
int members_add(struct engine *e, struct resource *r, struct member m, struct err *err);

/* Of one more member, the case that nobody is there, */
static inline int join_is_first(const struct resource *r)
{
	return r->n == 0 && r->class == 0;
}

static inline void join_first(struct resource *r, struct member m)
{
	r->only = m;
	r->n = 1;
}

/* and the commonest one: among others, in a block that has room. */
static inline int join_has_room(const struct resource *r)
{
	return r->class > 0 && r->class < CROWD_CLASS && r->n >> r->class == 0;
}

static inline void join_quick(struct engine *e, struct resource *r, struct member m)
{
	((struct member *)e->members.items + r->block)[r->n++] = m;
}

/* An empty resource keeps room for a few members, not for many: those of a phase of the program
 * that is over would hold the memory of the next. */
enum { KEEPS_CLASS = 4 };
void members_shrink(struct engine *e, struct resource *r);

static inline void members_empty(struct engine *e, struct resource *r)
{
	r->n = 0;
	if (r->class > KEEPS_CLASS)
		members_shrink(e, r);
}

void crowds_free(struct engine *e);

#endif
