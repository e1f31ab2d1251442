/* coro_slot.c: who is in a slot. Where there are more ranks than slots, those of a slot take turns
 * in it: what they may change, the used part of the stack included, is copied out and in; others
 * find there, or in the copy, what they read of a rank's memory. */
#include "coro_int.h"

#include <string.h>

static unsigned char *in_saved(const struct coros *c, const struct coro *r, uint32_t slot,
                               const unsigned char *p, size_t n)
{
	const unsigned char *sp = coro_stack_begin(c, r), *top = slot_stack_top(&c->image, slot);
	unsigned char *at = r->saved;

	for (uint32_t i = 0; i < c->image.n; i++) {
		const struct module *m = &c->image.module[i];
		const unsigned char *from = slot_address(&c->image, slot, m, m->data_from);
		uint64_t size = m->data_to - m->data_from;

		if (p >= from && p + n <= from + size)
			return at + (p - from);
		at += size;
	}
	return p >= sp && p + n <= top ? at + (p - sp) : NULL;
}

unsigned char *coro_memory_of(const struct coros *c, uint32_t rank, void *p, size_t n)
{
	uint32_t slot = coro_slot(c, rank);
	const struct coro *r = &c->coro[rank];

	if (c->resident[slot] != rank && r->saved) {
		unsigned char *at = in_saved(c, r, slot, p, n);

		if (at)
			return at;
	}
	return p;
}

int coro_put_out(struct coros *c, uint32_t slot, struct err *err)
{
	uint32_t rank = c->resident[slot];
	struct coro *r = rank == NOBODY ? NULL : &c->coro[rank];
	const unsigned char *top = slot_stack_top(&c->image, slot);
	size_t stack, size;

	c->resident[slot] = NOBODY;
	if (!r || r->phase != CORO_LIVES)
		return 0;
	stack = (size_t)(top - coro_stack_begin(c, r));
	size = c->image.swap + stack;
	if (size > UINT32_MAX)
		return err_set(err, ERR_LIMIT, "rank %u has more than 4 GiB to be copied", rank);
	if (r->saved_size != size) {
		free(r->saved);
		r->saved = malloc(size);
		r->saved_size = (uint32_t)size;
	}
	if (!r->saved)
		return err_nomem(err, "data and stack of a rank", size);
	slot_save(&c->image, slot, r->saved);
	memcpy(r->saved + c->image.swap, coro_stack_begin(c, r), stack);
	return 0;
}

int coro_put_in(struct coros *c, uint32_t slot, uint32_t rank, struct err *err)
{
	struct coro *r = &c->coro[rank];

	if (r->phase == CORO_LIVES) {
		slot_restore(&c->image, slot, r->saved);
		memcpy(coro_stack_begin(c, r), r->saved + c->image.swap,
		       r->saved_size - c->image.swap);
	} else if (slot_lay(&c->image, slot, err) < 0) {
		return -1;
	} else if (c->n_slots < c->o.ranks && !c->pristine[slot]) {
		c->pristine[slot] = malloc(c->image.swap + 1);
		if (!c->pristine[slot])
			return err_nomem(err, "data of a program", c->image.swap);
		slot_save(&c->image, slot, c->pristine[slot]);
	} else if (c->pristine[slot]) {
		slot_restore(&c->image, slot, c->pristine[slot]);
	}
	c->resident[slot] = rank;
	return slot_patch(&c->image, slot, r->in_mpi, err);
}
