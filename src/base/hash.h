/* hash.h: two hash tables: 64-bit key -> 32-bit value, and string -> 32-bit value. Iteration order is never used for results. */
#ifndef ORRERY_BASE_HASH_H
#define ORRERY_BASE_HASH_H

#include "err.h"

#include <stddef.h>
#include <stdint.h>

enum { HASH_NONE = 0xffffffffu }; /* "no value": never stored */

/* Open addressing, linear probing, backward-shift deletion: no tombstones, so a table that is warm does not grow. */
struct hash64 {
	uint64_t *keys;
	uint32_t *values; /* HASH_NONE marks a free slot */
	uint32_t n, mask; /* entries; capacity - 1, or 0 when nothing is allocated */
};

void hash64_init(struct hash64 *h);
void hash64_release(struct hash64 *h);
uint32_t hash64_find(const struct hash64 *h, uint64_t key);                            /* HASH_NONE if absent */
int hash64_put(struct hash64 *h, uint64_t key, uint32_t value, struct err *err);       /* inserts or replaces */
uint32_t hash64_remove(struct hash64 *h, uint64_t key);                                /* the value removed, or HASH_NONE */
uint64_t hash_mix(uint64_t x);                                                         /* a 64-bit finaliser (bijective) */

/* Keys are copied and owned by the table. */
struct hash_str {
	char **keys;
	uint32_t *hashes, *values;
	uint32_t n, mask;
};

void hash_str_init(struct hash_str *h);
void hash_str_release(struct hash_str *h);
uint32_t hash_str_find(const struct hash_str *h, const char *key);
uint32_t hash_str_findn(const struct hash_str *h, const char *key, size_t n);
int hash_str_put(struct hash_str *h, const char *key, uint32_t value, struct err *err);

#endif
