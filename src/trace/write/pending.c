/* pending.c: see pending.h. */
#include "pending.h"

#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

void pending_init(struct pending *p)
{
	memset(p, 0, sizeof *p);
	hash64_init(&p->by_id);
	p->free = p->oldest = p->newest = PENDING_NONE;
}

void pending_release(struct pending *p)
{
	hash64_release(&p->by_id);
	free(p->slots);
	pending_init(p);
}

static uint32_t slot_new(struct pending *p, struct err *err)
{
	struct pending_request *slots;
	uint32_t i = p->free;

	if (i != PENDING_NONE) {
		p->free = p->slots[i].newer;
		return i;
	}
	slots = vec_grow(p->slots, &p->cap, sizeof *slots, (size_t)p->n + 1, "requests", err);
	if (!slots)
		return PENDING_NONE;
	p->slots = slots;
	return p->n++;
}

static void unlink_slot(struct pending *p, struct pending_request *r)
{
	if (r->older != PENDING_NONE)
		p->slots[r->older].newer = r->newer;
	else
		p->oldest = r->newer;
	if (r->newer != PENDING_NONE)
		p->slots[r->newer].older = r->older;
	else
		p->newest = r->older;
	r->outstanding = 0;
	p->outstanding--;
}

static void slot_free(struct pending *p, uint32_t slot)
{
	struct pending_request *r = &p->slots[slot];

	if (r->outstanding)
		unlink_slot(p, r);
	if (r->id >= 0 && hash64_find(&p->by_id, (uint64_t)r->id) == slot)
		hash64_remove(&p->by_id, (uint64_t)r->id);
	r->used = 0;
	r->newer = p->free;
	p->free = slot;
}

uint32_t pending_make(struct pending *p, int64_t id, struct err *err)
{
	uint32_t slot;

	if (id >= 0 && (slot = pending_find(p, id)) != PENDING_NONE) {
		p->slots[slot].persistent = 0;
		if (p->slots[slot].outstanding) { /* freed while active, and the number used again:
			                             it stays outstanding, without number */
			hash64_remove(&p->by_id, (uint64_t)id);
			p->slots[slot].id = -1;
		} else
			slot_free(p, slot);
	}
	slot = slot_new(p, err);
	if (slot == PENDING_NONE)
		return PENDING_NONE;
	p->slots[slot] = (struct pending_request){
	    .id = id, .older = PENDING_NONE, .newer = PENDING_NONE, .used = 1};
	if (id >= 0 && hash64_put(&p->by_id, (uint64_t)id, slot, err) < 0)
		return PENDING_NONE;
	return slot;
}

void pending_post(struct pending *p, uint32_t slot, int32_t src, int32_t dst, int32_t tag,
                  int receive)
{
	struct pending_request *r = &p->slots[slot];

	if (r->outstanding)
		unlink_slot(p, r);
	r->src = src;
	r->dst = dst;
	r->tag = tag;
	r->receive = receive != 0;
	r->older = p->newest;
	r->newer = PENDING_NONE;
	if (p->newest != PENDING_NONE)
		p->slots[p->newest].newer = slot;
	else
		p->oldest = slot;
	p->newest = slot;
	r->outstanding = 1;
	p->outstanding++;
}

void pending_complete(struct pending *p, uint32_t slot)
{
	struct pending_request *r = &p->slots[slot];

	if (r->outstanding)
		unlink_slot(p, r);
	if (!r->persistent)
		slot_free(p, slot);
}

uint32_t pending_find(const struct pending *p, int64_t id)
{
	return id < 0 ? PENDING_NONE : hash64_find(&p->by_id, (uint64_t)id);
}
_Static_assert((uint32_t)PENDING_NONE == (uint32_t)HASH_NONE,
               "pending_find passes the table's answer on");

uint32_t pending_find_key(const struct pending *p, int32_t src, int32_t dst, int32_t tag)
{
	uint32_t i = p->oldest;

	while (i != PENDING_NONE &&
	       (p->slots[i].src != src || p->slots[i].dst != dst || p->slots[i].tag != tag))
		i = p->slots[i].newer;
	return i;
}

uint32_t pending_latest(const struct pending *p, int receives)
{
	uint32_t i = p->newest;

	while (receives && i != PENDING_NONE && !p->slots[i].receive)
		i = p->slots[i].older;
	return i;
}

uint32_t pending_named(const struct pending *p, const struct trace_event *ev)
{
	if (ev->req >= 0)
		return pending_find(p, ev->req);
	if (ev->flags & TRACE_BY_KEY)
		return pending_find_key(p, ev->peer, ev->peer2, ev->tag);
	if (ev->flags & TRACE_OLDEST)
		return p->oldest;
	return pending_latest(p, (ev->flags & TRACE_LATEST_RECV) != 0);
}
