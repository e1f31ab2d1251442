/* key.c: the outstanding requests of ranks that have many by source, destination and tag: how
 * SimGrid's traces say what they wait for. A table leads to the oldest with a key; those with the
 * same one are a ring in the order of posting, whose links stand beside the entries: most
 * simulations need none.
 *
 * Invariants
 *  1. The value of a key in the table is the oldest entry of its ring, and `prev` of that one is
 *     the youngest.
 *  2. Entries of one ring have one mixed key: their own may differ, so that who looks compares. */
#include "replay_int.h"

#include <stdlib.h>

struct kin { /* of an entry in the rings */
	uint32_t next, prev;
};

/* Of what a rank awaits from `peer` or, to != 0, has sent to it. */
static uint64_t key_mixed(uint32_t rank, int32_t peer, int32_t tag, int to)
{
	return hash_mix((uint64_t)rank << 32 | (uint32_t)peer) ^
	       ((uint64_t)(uint32_t)tag << 1 | (uint64_t)to);
}

/* A message to oneself has one key at both its ends. */
static uint64_t entry_mixed(const struct replay *r, uint32_t rank, uint32_t e)
{
	const struct entry *p = entry_at(r, e);

	return key_mixed(rank, p->peer, p->tag, !p->receive || p->peer == (int32_t)rank);
}

static int kin_reserve(struct replay *r, struct err *err)
{
	struct kin *k = vec_grow(r->kin, &r->cap_kin, sizeof *r->kin, r->entry.n,
	                         "requests with a key", err);

	if (k)
		r->kin = k;
	return k ? 0 : -1;
}

int key_add(struct replay *r, uint32_t rank, uint32_t e, struct err *err)
{
	uint64_t mixed = entry_mixed(r, rank, e);
	uint32_t oldest = hash64_find(&r->by_key, mixed), youngest;

	if (kin_reserve(r, err) < 0)
		return -1;
	if (oldest == HASH_NONE) {
		r->kin[e] = (struct kin){e, e};
		return hash64_put(&r->by_key, mixed, e, err);
	}
	youngest = r->kin[oldest].prev;
	r->kin[e] = (struct kin){oldest, youngest};
	r->kin[youngest].next = e;
	r->kin[oldest].prev = e;
	return 0;
}

void key_remove(struct replay *r, uint32_t rank, uint32_t e)
{
	uint64_t mixed = entry_mixed(r, rank, e);
	struct kin k = r->kin[e];
	struct err none;

	r->kin[k.prev].next = k.next;
	r->kin[k.next].prev = k.prev;
	if (hash64_find(&r->by_key, mixed) != e)
		return;
	hash64_remove(&r->by_key, mixed);
	if (k.next != e && hash64_put(&r->by_key, mixed, k.next, &none) < 0)
		BUG_ON("a table that has room for what left it");
}

uint32_t key_find(const struct replay *r, uint32_t rank, const struct key *k)
{
	int to = k->src == (int32_t)rank;
	uint32_t oldest, e;

	if (!to && k->dst != (int32_t)rank)
		return ENTRY_NONE;
	oldest = hash64_find(&r->by_key, key_mixed(rank, to ? k->dst : k->src, k->tag, to));
	if (oldest == HASH_NONE)
		return ENTRY_NONE;
	for (e = oldest; !key_is(entry_at(r, e), rank, k);)
		if ((e = r->kin[e].next) == oldest)
			return ENTRY_NONE;
	return e;
}

uint32_t key_next(const struct replay *r, uint32_t rank, uint32_t e, const struct key *k)
{
	uint32_t oldest = hash64_find(&r->by_key, entry_mixed(r, rank, e));

	while ((e = r->kin[e].next) != oldest)
		if (key_is(entry_at(r, e), rank, k))
			return e;
	return ENTRY_NONE;
}

void keys_release(struct replay *r)
{
	hash64_release(&r->by_key);
	free(r->kin);
}
