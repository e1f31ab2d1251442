/* requests.c: see requests.h. Slots in an array, free ones as bits; slots of equal handle in a ring
 * headed by the hash table; kept ones in a list. */
#include "requests.h"

#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

void requests_init(struct requests *r)
{
	*r = (struct requests){.kept_first = REQUEST_NONE, .kept_last = REQUEST_NONE};
	hash64_init(&r->first);
	hash64_init(&r->kept);
}

void requests_release(struct requests *r)
{
	hash64_release(&r->first);
	hash64_release(&r->kept);
	free(r->slots);
	free(r->vacant);
	requests_init(r);
}

/* The least free slot among those that were in use; r->n: none is free. */
static uint32_t vacant_least(struct requests *r)
{
	uint32_t words = (r->n + 63) / 64;

	while (r->vacant_from < words && r->vacant[r->vacant_from] == 0)
		r->vacant_from++;
	return r->vacant_from == words
	           ? r->n
	           : 64 * r->vacant_from + (uint32_t)__builtin_ctzll(r->vacant[r->vacant_from]);
}

static int vacant_reserve(struct requests *r, struct err *err)
{
	uint32_t before = r->cap_vacant;
	uint64_t *p;

	if (r->n / 64 < before)
		return 0;
	p = vec_grow(r->vacant, &r->cap_vacant, sizeof *p, (size_t)r->n / 64 + 1, "requests", err);
	if (!p)
		return -1;
	memset(p + before, 0, (r->cap_vacant - before) * sizeof *p);
	r->vacant = p;
	return 0;
}

/* An unused slot, not yet taken or counted in r->n. */
static uint32_t slot_peek(struct requests *r, struct err *err)
{
	uint32_t i = vacant_least(r);
	struct request *p;

	if (i < r->n)
		return i;
	p = vec_grow(r->slots, &r->cap, sizeof *r->slots, r->n + 1, "requests", err);
	if (!p)
		return REQUEST_NONE;
	r->slots = p;
	return vacant_reserve(r, err) < 0 ? REQUEST_NONE : i;
}

/* Puts slot i last in the ring of its handle. */
static int ring_add(struct requests *r, uint32_t i, uint64_t handle, struct err *err)
{
	uint32_t first = hash64_find(&r->first, handle), last;

	if (first == HASH_NONE && hash64_put(&r->first, handle, i, err) < 0)
		return -1;
	r->slots[i].handle = handle;
	r->slots[i].next = REQUEST_NONE;
	r->slots[i].prev = i;
	r->slots[i].pass = 0;
	if (first == HASH_NONE)
		return 0;
	last = r->slots[first].prev;
	r->slots[last].next = i;
	r->slots[i].prev = last;
	r->slots[first].prev = i;
	return 0;
}

uint32_t request_add(struct requests *r, uint64_t handle, uint16_t flags, struct err *err)
{
	uint32_t i = slot_peek(r, err);

	if (i == REQUEST_NONE)
		return REQUEST_NONE;
	if (ring_add(r, i, handle, err) < 0)
		return REQUEST_NONE;
	if (i == r->n)
		r->n++;
	else
		r->vacant[i / 64] &= ~(UINT64_C(1) << i % 64);
	r->slots[i].flags = flags & (uint16_t)~REQUEST_ACTIVE;
	r->slots[i].extra = NULL;
	r->slots[i].half = REQUEST_NONE;
	if (flags & REQUEST_ACTIVE)
		request_activate(r, i);
	return i;
}

void requests_pass(struct requests *r)
{
	r->pass++;
}

uint32_t request_claim(struct requests *r, uint64_t handle)
{
	uint32_t first = hash64_find(&r->first, handle), i;
	struct request *head;

	if (first == HASH_NONE)
		return REQUEST_NONE;
	head = &r->slots[first];
	if (head->pass != r->pass) {
		head->pass = r->pass;
		head->claimed = first;
	}
	i = head->claimed;
	while (i != REQUEST_NONE && (r->slots[i].flags & REQUEST_HELD))
		i = r->slots[i].next;
	head->claimed = i == REQUEST_NONE ? i : r->slots[i].next;
	return i;
}

void request_activate(struct requests *r, uint32_t i)
{
	struct request *q = &r->slots[i];

	if (q->flags & REQUEST_ACTIVE)
		return;
	q->flags = (uint16_t)((q->flags & ~REQUEST_SEEN) | REQUEST_ACTIVE);
	r->active++;
	if (q->flags & REQUEST_WILDCARD)
		r->wildcards++;
}

void request_deactivate(struct requests *r, uint32_t i)
{
	struct request *q = &r->slots[i];

	if (!(q->flags & REQUEST_ACTIVE))
		return;
	q->flags &= (uint16_t) ~(REQUEST_ACTIVE | REQUEST_CANCELLED);
	r->active--;
	if (q->flags & REQUEST_WILDCARD)
		r->wildcards--;
}

/* Takes slot i out of the ring of its handle. */
static void ring_remove(struct requests *r, uint32_t i)
{
	struct request *q = &r->slots[i];
	uint32_t first = hash64_find(&r->first, q->handle);

	if (first != i) {
		r->slots[q->prev].next = q->next;
		if (q->next != REQUEST_NONE)
			r->slots[q->next].prev = q->prev;
		else
			r->slots[first].prev = q->prev;
		return;
	}
	if (q->next == REQUEST_NONE) {
		hash64_remove(&r->first, q->handle);
		return;
	}
	r->slots[q->next].prev = q->prev;
	r->slots[q->next].pass = q->pass;
	r->slots[q->next].claimed = q->claimed;
	hash64_remove(&r->first, q->handle);
	hash64_put(&r->first, q->handle, q->next,
	           NULL); /* takes the place just left: needs no memory */
}

int request_rename(struct requests *r, uint32_t i, uint64_t handle, struct err *err)
{
	ring_remove(r, i);
	return ring_add(r, i, handle, err);
}

static void slot_free(struct requests *r, uint32_t i)
{
	r->slots[i].flags = 0;
	r->slots[i].extra = NULL;
	r->vacant[i / 64] |= UINT64_C(1) << i % 64;
	if (i / 64 < r->vacant_from)
		r->vacant_from = i / 64;
}

void request_remove(struct requests *r, uint32_t i)
{
	request_deactivate(r, i);
	ring_remove(r, i);
	slot_free(r, i);
}

int request_keep(struct requests *r, uint32_t i, uint64_t place, struct err *err)
{
	struct request *q = &r->slots[i];
	uint32_t older = request_kept(r, place);

	if (older != REQUEST_NONE)
		request_forget(r, older);
	if (r->n_kept == REQUESTS_KEPT)
		request_forget(r, r->kept_first);
	if (hash64_put(&r->kept, place, i, err) < 0)
		return -1;
	request_deactivate(r, i);
	ring_remove(r, i);
	q->flags |= REQUEST_SEEN;
	q->handle = place;
	q->next = REQUEST_NONE;
	q->prev = r->kept_last;
	if (r->kept_last == REQUEST_NONE)
		r->kept_first = i;
	else
		r->slots[r->kept_last].next = i;
	r->kept_last = i;
	r->n_kept++;
	return 0;
}

uint32_t request_kept(const struct requests *r, uint64_t place)
{
	return r->n_kept > 0 ? hash64_find(&r->kept, place) : REQUEST_NONE;
}
_Static_assert((uint32_t)REQUEST_NONE == (uint32_t)HASH_NONE,
               "request_kept passes the table's answer on");

void request_forget(struct requests *r, uint32_t i)
{
	struct request *q = &r->slots[i];

	hash64_remove(&r->kept, q->handle);
	if (q->prev == REQUEST_NONE)
		r->kept_first = q->next;
	else
		r->slots[q->prev].next = q->next;
	if (q->next == REQUEST_NONE)
		r->kept_last = q->prev;
	else
		r->slots[q->next].prev = q->prev;
	r->n_kept--;
	slot_free(r, i);
}

int requests_refer(const struct requests *r, uint32_t comm, uint16_t flags)
{
	for (uint32_t i = 0; i < r->n; i++)
		if (r->slots[i].comm == comm && (r->slots[i].flags & flags) == flags &&
		    !(r->vacant[i / 64] >> i % 64 & 1))
			return 1;
	return 0;
}
