/* hash.h: two hash tables: 64-bit key -> 32-bit value, and string -> 32-bit value. Iteration order
 * is never used for results. */
#ifndef ORRERY_BASE_HASH_H
#define ORRERY_BASE_HASH_H

#include "err.h"

#include <stddef.h>
#include <stdint.h>

enum { HASH_NONE = 0xffffffffu }; /* "no value": never stored */

/* Open addressing, linear probing, backward-shift deletion: no tombstones, so a table that is warm
 * does not grow. Key and value share a slot, so that a find touches one cache line. */
struct hash64_slot {
	uint64_t key;
	uint32_t value; /* HASH_NONE marks a free slot */
};

struct hash64 {
	struct hash64_slot *slots;
	uint32_t n, mask; /* entries; capacity - 1, or 0 when nothing is allocated */
};

/* A 64-bit finaliser, bijective (Stafford's variant 13, as in splitmix64). */
static inline uint64_t hash_mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

/* FNV-1a (Fowler, Noll, Vo) of n bytes. */
static inline uint64_t hash_text(const char *s, size_t n)
{
	uint64_t x = 0xcbf29ce484222325u;
	size_t i;

	for (i = 0; i < n; i++)
		x = (x ^ (unsigned char)s[i]) * 0x100000001b3u;
	return x;
}

void hash64_init(struct hash64 *h);
void hash64_release(struct hash64 *h);
int hash64_put(struct hash64 *h, uint64_t key, uint32_t value,
               struct err *err);                        /* inserts or replaces */
uint32_t hash64_remove(struct hash64 *h, uint64_t key); /* the value removed, or HASH_NONE */

/* The value of key, or HASH_NONE. */
static inline uint32_t hash64_find(const struct hash64 *h, uint64_t key)
{
	uint32_t i;

	if (h->n == 0)
		return HASH_NONE;
	for (i = (uint32_t)hash_mix(key) & h->mask; h->slots[i].value != HASH_NONE;
	     i = (i + 1) & h->mask)
		if (h->slots[i].key == key)
			return h->slots[i].value;
	return HASH_NONE;
}

/* Keys are copied and owned by the table. Entries are never removed one by one. */
struct hash_str_slot {
	char *key; /* NULL marks a free slot */
	uint32_t hash, value;
};

struct hash_str {
	struct hash_str_slot *slots;
	uint32_t n, mask;
};

void hash_str_init(struct hash_str *h);
void hash_str_release(struct hash_str *h);
uint32_t hash_str_find(const struct hash_str *h, const char *key); /* HASH_NONE if absent */
uint32_t hash_str_findn(const struct hash_str *h, const char *key, size_t n);
int hash_str_put(struct hash_str *h, const char *key, uint32_t value,
                 struct err *err); /* inserts or replaces */

#endif
