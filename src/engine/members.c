/* members.c: lists of members that grow, and where somebody is in a crowd (members.h). */
#include "members.h"

#include <stdlib.h>

/* --- the index of a crowd: by member, its place ---
 * Invariant: it has the place of each member, and nothing else. */

static void index_free(struct crowd *c)
{
	hash64_release(&c->places);
	c->looked = c->found = 0;
}

static int has_index(const struct crowd *c)
{
	return c->places.n > 0;
}

/* The member at `from` will be at `to`. Without memory for that there is no index. */
static void index_set(struct crowd *c, uint32_t from, uint32_t to)
{
	struct err nomem;

	if (hash64_put(&c->places, member_bits(c->items[from]), to, &nomem) < 0)
		index_free(c);
}

static void index_make(struct crowd *c, uint32_t n)
{
	index_set(c, 0, 0);
	for (uint32_t i = 1; i < n && has_index(c); i++)
		index_set(c, i, i);
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

	if (!has_index(c) && c->looked > (uint64_t)PASSES * c->cap)
		index_make(c, r->n);
	if (!has_index(c))
		return crowd_scan(c, from, r->n, of);
	uint32_t at = hash64_find(&c->places, member_bits(of));
	BUG_ON(at == HASH_NONE);
	return at;
}

void crowd_drop(struct engine *e, const struct resource *r, uint32_t at)
{
	struct crowd *c = &e->crowds[r->block];

	hash64_remove(&c->places, member_bits(c->items[at]));
}

void crowd_move(struct engine *e, const struct resource *r, uint32_t from, uint32_t to)
{
	struct crowd *c = &e->crowds[r->block];

	if (has_index(c))
		index_set(c, from, to);
}

void crowd_swap(struct engine *e, const struct resource *r, uint32_t a, uint32_t b)
{
	crowd_move(e, r, a, b);
	crowd_move(e, r, b, a);
}

/* --- those that others carry --- */

void members_swap(struct engine *e, const struct resource *r, uint32_t a, uint32_t b)
{
	struct crowd *c = resource_crowded(r) ? &e->crowds[r->block] : NULL;
	struct member *m = c ? c->items : (struct member *)e->members.items + r->block, was;

	if (a == b) /* the only member is not in a block */
		return;
	was = m[a];
	m[a] = m[b];
	m[b] = was;
	if (c && has_index(c)) {
		index_set(c, a, a);
		if (has_index(c))
			index_set(c, b, b);
	}
}

void members_carry(struct engine *e, struct resource *r)
{
	uint32_t end = r->n;

	for (uint32_t i = 0; i < end;) {
		uint32_t id = resource_members(e, r)[i].activity;
		if (e->activities[id].state == ACTIVITY_CARRIED)
			members_swap(e, r, i, --end);
		else
			i++;
	}
	resource_book(e, r)->n_carried = r->n - end;
}

void member_carry(struct engine *e, struct resource *r, struct member of)
{
	uint32_t at = member_place(e, r, resource_members(e, r), resource_limits(e, r), of);

	resource_book(e, r)->n_carried++;
	members_swap(e, r, at, resource_uncarried(e, r));
}

void member_uncarry(struct engine *e, struct resource *r, struct member of)
{
	uint32_t first = resource_uncarried(e, r),
	         at = member_place(e, r, resource_members(e, r), first, of);

	resource_book(e, r)->n_carried--;
	members_swap(e, r, at, first);
}

void member_leave_carried(struct engine *e, struct resource *r, struct member of)
{
	uint32_t first = resource_uncarried(e, r),
	         at = member_place(e, r, resource_members(e, r), first, of);

	resource_book(e, r)->n_carried--;
	members_swap(e, r, at, r->n - 1);
	if (resource_crowded(r))
		crowd_drop(e, r, r->n - 1);
	r->n--;
}

void member_rename(struct engine *e, struct resource *r, struct member of, struct member to)
{
	struct member *m = resource_members(e, r);
	uint32_t at = member_place(e, r, m, 0, of);

	if (resource_crowded(r))
		crowd_drop(e, r, at);
	m[at] = to;
	if (resource_crowded(r))
		crowd_move(e, r, at, at);
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
	if (r->class == CROWD)
		crowd_move(e, r, r->n - 1, r->n - 1);
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
