/* members.c: lists of members that grow, and where somebody is in a crowd (members.h). */
#include "members.h"

#include <stdlib.h>

/* --- the index of a crowd: open addressing, linear probing; what leaves closes the gap ---
 * Invariant: it has the place of each member, and nothing else. */

static uint32_t slot_first(const struct crowd *c, struct member m)
{
	return member_bits(m) * 0x9e3779b1u >> (32 - c->bits);
}

static uint32_t slot_next(const struct crowd *c, uint32_t slot)
{
	return (slot + 1) & ((1u << c->bits) - 1);
}

/* The slot of the member at a place. */
static uint32_t slot_of(const struct crowd *c, uint32_t place)
{
	uint32_t slot = slot_first(c, c->items[place]);

	for (; c->places[slot] != place; slot = slot_next(c, slot))
		BUG_ON(c->places[slot] == NO_ID);
	return slot;
}

static void slot_add(struct crowd *c, uint32_t place)
{
	uint32_t slot = slot_first(c, c->items[place]);

	while (c->places[slot] != NO_ID)
		slot = slot_next(c, slot);
	c->places[slot] = place;
}

/* What follows an empty slot and belongs before it goes there (Knuth, 6.4, algorithm R). */
static void slot_clear(struct crowd *c, uint32_t empty)
{
	uint32_t mask = (1u << c->bits) - 1, place;

	for (uint32_t slot = slot_next(c, empty); (place = c->places[slot]) != NO_ID;
	     slot = slot_next(c, slot)) {
		if (((slot - slot_first(c, c->items[place])) & mask) < ((slot - empty) & mask))
			continue;
		c->places[empty] = place;
		empty = slot;
	}
	c->places[empty] = NO_ID;
}

static void index_free(struct crowd *c)
{
	free(c->places);
	c->places = NULL;
	c->bits = c->looked = c->found = 0;
}

/* Half as many slots again as there may be members, or more. Without memory for that there is no
 * index. */
static void index_make(struct crowd *c, uint32_t n)
{
	uint32_t bits = 32 - (uint32_t)__builtin_clz(c->cap + c->cap / 2);

	index_free(c);
	c->places = malloc(sizeof *c->places << bits);
	if (!c->places)
		return;
	c->bits = bits;
	memset(c->places, 0xff, sizeof *c->places << bits);
	for (uint32_t i = 0; i < n; i++)
		slot_add(c, i);
}

static uint32_t index_find(const struct crowd *c, struct member of)
{
	for (uint32_t slot = slot_first(c, of);; slot = slot_next(c, slot)) {
		BUG_ON(c->places[slot] == NO_ID);
		if (member_bits(c->items[c->places[slot]]) == member_bits(of))
			return c->places[slot];
	}
}

/* --- where somebody is --- */

/* From the place where somebody was found the last time on, then from the beginning. */
static uint32_t crowd_scan(struct crowd *c, uint32_t from, uint32_t n, struct member of)
{
	uint32_t bits = member_bits(of), at = c->found > from && c->found < n ? c->found : from;
	const wchar_t *first = (const wchar_t *)c->items, *found;

	if (member_bits(c->items[n - 1]) == bits)
		return n - 1;
	found = wmemchr(first + at, (wchar_t)bits, n - at);
	c->looked += found ? found - (first + at) : n;
	if (!found)
		found = first + member_scan(c->items, from, n, of);
	return c->found = (uint32_t)(found - first);
}

uint32_t crowd_place(struct engine *e, const struct resource *r, uint32_t from, struct member of)
{
	enum { PASSES = 8 };
	struct crowd *c = &e->crowds[r->block];

	if (!c->places && c->looked > (uint64_t)PASSES * c->cap)
		index_make(c, r->n);
	return c->places ? index_find(c, of) : crowd_scan(c, from, r->n, of);
}

void crowd_drop(struct engine *e, const struct resource *r, uint32_t at)
{
	struct crowd *c = &e->crowds[r->block];

	if (c->places)
		slot_clear(c, slot_of(c, at));
}

void crowd_move(struct engine *e, const struct resource *r, uint32_t from, uint32_t to)
{
	struct crowd *c = &e->crowds[r->block];

	if (c->places)
		c->places[slot_of(c, from)] = to;
}

void crowd_swap(struct engine *e, const struct resource *r, uint32_t a, uint32_t b)
{
	struct crowd *c = &e->crowds[r->block];

	if (!c->places)
		return;
	uint32_t of_a = slot_of(c, a), of_b = slot_of(c, b);
	c->places[of_a] = b;
	c->places[of_b] = a;
}

/* --- room --- */

static uint32_t members_room(const struct engine *e, const struct resource *r)
{
	return r->class == CROWD ? e->crowds[r->block].cap : 1u << r->class;
}

static int crowd_widen(struct crowd *c, uint32_t n, struct err *err)
{
	void *p = vec_grow(c->items, &c->cap, sizeof *c->items, (size_t)n + 1,
	                   "flows on a resource", err);

	if (!p)
		return -1;
	c->items = p;
	if (c->places)
		index_make(c, n);
	return 0;
}

/* The members leave the pool, for good. */
static int crowd_make(struct engine *e, struct resource *r, struct err *err)
{
	struct crowd c = {0}, *p;

	p = vec_grow(e->crowds, &e->crowds_cap, sizeof *p, (size_t)e->n_crowds + 1,
	             "flows on a resource", err);
	if (!p)
		return -1;
	e->crowds = p;
	if (crowd_widen(&c, r->n, err))
		return -1;
	memcpy(c.items, resource_members(e, r), r->n * sizeof *c.items);
	pool_give(&e->members, pool_power(r->class), r->block);
	e->crowds[e->n_crowds] = c;
	r->block = e->n_crowds++;
	r->class = CROWD;
	return 0;
}

void crowds_free(struct engine *e)
{
	for (uint32_t i = 0; i < e->n_crowds; i++) {
		index_free(&e->crowds[i]);
		free(e->crowds[i].items);
	}
	free(e->crowds);
}

static int members_widen(struct engine *e, struct resource *r, struct err *err)
{
	uint32_t block = r->block;

	if (r->class == CROWD)
		return crowd_widen(&e->crowds[block], r->n, err);
	if (r->class == CROWD_CLASS)
		return crowd_make(e, r, err);
	if (r->class > 0) {
		if (pool_widen(&e->members, pool_power(r->class), &block, r->n, err))
			return -1;
	} else {
		if (pool_take(&e->members, pool_power(1), &block, err))
			return -1;
		*((struct member *)e->members.items + block) = r->only;
	}
	r->block = block;
	r->class ++;
	return 0;
}

__attribute__((noinline)) int members_add(struct engine *e, struct resource *r, struct member m,
                                          struct err *err)
{
	if (r->n == members_room(e, r) && members_widen(e, r, err))
		return -1;
	resource_members(e, r)[r->n++] = m;
	if (r->class == CROWD && e->crowds[r->block].places)
		slot_add(&e->crowds[r->block], r->n - 1);
	return 0;
}

void members_shrink(struct engine *e, struct resource *r)
{
	if (r->class == CROWD) {
		index_free(&e->crowds[r->block]);
		return;
	}
	pool_give(&e->members, pool_power(r->class), r->block);
	r->class = 0;
}
