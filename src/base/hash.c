/* hash.c: open addressing with linear probing. A table is at most three quarters full.
 * Invariant: between an entry's home slot and its slot, no slot is free. */
#include "hash.h"
#include "memory.h"

#include <stdlib.h>
#include <string.h>

enum { HASH_FIRST = 16 };

static int hash_full(uint32_t n, uint32_t mask)
{
	return mask == 0 || n + 1 > (mask + 1) / 4 * 3;
}

/* The next capacity, or 0 with *err set when ids of 32 bits do not reach further. */
static uint32_t hash_next_capacity(uint32_t mask, struct err *err)
{
	if (mask == 0)
		return HASH_FIRST;
	if (mask >= UINT32_MAX / 2) {
		err_set(err, ERR_LIMIT, "too many entries in a hash table: %u", mask);
		return 0;
	}
	return (mask + 1) * 2;
}

void hash64_init(struct hash64 *h)
{
	*h = (struct hash64){0};
}

void hash64_release(struct hash64 *h)
{
	free(h->slots);
	hash64_init(h);
}

/* The slot of key, or the free slot where it belongs. */
static uint32_t hash64_slot_of(const struct hash64_slot *slots, uint32_t mask, uint64_t key)
{
	uint32_t i = (uint32_t)hash_mix(key) & mask;

	while (slots[i].value != HASH_NONE && slots[i].key != key)
		i = (i + 1) & mask;
	return i;
}

static int hash64_grow(struct hash64 *h, struct err *err)
{
	uint32_t i, capacity = hash_next_capacity(h->mask, err);
	struct hash64_slot *slots;

	if (!capacity)
		return -1;
	slots = malloc((size_t)capacity * sizeof *slots);
	if (!slots)
		return err_nomem(err, "a hash table", (unsigned long long)capacity * sizeof *slots);
	memory_large_pages(slots, (size_t)capacity * sizeof *slots);
	memset(slots, 0xff, (size_t)capacity * sizeof *slots); /* every value HASH_NONE */
	for (i = 0; h->slots && i <= h->mask; i++)
		if (h->slots[i].value != HASH_NONE)
			slots[hash64_slot_of(slots, capacity - 1, h->slots[i].key)] = h->slots[i];
	free(h->slots);
	h->slots = slots;
	h->mask = capacity - 1;
	return 0;
}

int hash64_put(struct hash64 *h, uint64_t key, uint32_t value, struct err *err)
{
	uint32_t i;

	BUG_ON(value == HASH_NONE);
	if (hash_full(h->n, h->mask) && hash64_grow(h, err) < 0)
		return -1;
	i = hash64_slot_of(h->slots, h->mask, key);
	if (h->slots[i].value == HASH_NONE)
		h->n++;
	h->slots[i] = (struct hash64_slot){key, value};
	return 0;
}

/* Moves back over the hole at `i` the entries that a search would no longer reach. */
static void hash64_close_hole(struct hash64 *h, uint32_t i)
{
	uint32_t j, home;

	for (j = (i + 1) & h->mask; h->slots[j].value != HASH_NONE; j = (j + 1) & h->mask) {
		home = (uint32_t)hash_mix(h->slots[j].key) & h->mask;
		if (((j - home) & h->mask) < ((j - i) & h->mask))
			continue; /* its home lies after the hole */
		h->slots[i] = h->slots[j];
		i = j;
	}
	h->slots[i].value = HASH_NONE;
}

uint32_t hash64_remove(struct hash64 *h, uint64_t key)
{
	uint32_t i, value;

	if (h->n == 0)
		return HASH_NONE;
	i = hash64_slot_of(h->slots, h->mask, key);
	value = h->slots[i].value;
	if (value == HASH_NONE)
		return HASH_NONE;
	hash64_close_hole(h, i);
	h->n--;
	return value;
}

void hash_str_init(struct hash_str *h)
{
	*h = (struct hash_str){0};
}

void hash_str_release(struct hash_str *h)
{
	uint32_t i;

	for (i = 0; h->slots && i <= h->mask; i++)
		free(h->slots[i].key);
	free(h->slots);
	hash_str_init(h);
}

/* Mixed: short names that differ in their last digit must not cluster. */
static uint32_t text_hash(const char *s, size_t n)
{
	return (uint32_t)hash_mix(hash_text(s, n));
}

static int slot_is(const struct hash_str_slot *slot, uint32_t hash, const char *key, size_t n)
{
	return slot->hash == hash && strncmp(slot->key, key, n) == 0 && slot->key[n] == '\0';
}

uint32_t hash_str_findn(const struct hash_str *h, const char *key, size_t n)
{
	uint32_t i, hash;

	if (h->n == 0)
		return HASH_NONE;
	hash = text_hash(key, n);
	for (i = hash & h->mask; h->slots[i].key; i = (i + 1) & h->mask)
		if (slot_is(&h->slots[i], hash, key, n))
			return h->slots[i].value;
	return HASH_NONE;
}

uint32_t hash_str_find(const struct hash_str *h, const char *key)
{
	return hash_str_findn(h, key, strlen(key));
}

static int hash_str_grow(struct hash_str *h, struct err *err)
{
	uint32_t i, j, capacity = hash_next_capacity(h->mask, err);
	struct hash_str_slot *slots;

	if (!capacity)
		return -1;
	slots = calloc(capacity, sizeof *slots);
	if (!slots)
		return err_nomem(err, "a hash table", (unsigned long long)capacity * sizeof *slots);
	for (i = 0; h->slots && i <= h->mask; i++) {
		if (!h->slots[i].key)
			continue;
		for (j = h->slots[i].hash & (capacity - 1); slots[j].key;
		     j = (j + 1) & (capacity - 1))
			;
		slots[j] = h->slots[i];
	}
	free(h->slots);
	h->slots = slots;
	h->mask = capacity - 1;
	return 0;
}

int hash_str_put(struct hash_str *h, const char *key, uint32_t value, struct err *err)
{
	size_t n = strlen(key);
	uint32_t i, hash = text_hash(key, n);
	char *copy;

	BUG_ON(value == HASH_NONE);
	if (hash_full(h->n, h->mask) && hash_str_grow(h, err) < 0)
		return -1;
	for (i = hash & h->mask; h->slots[i].key; i = (i + 1) & h->mask) {
		if (slot_is(&h->slots[i], hash, key, n)) {
			h->slots[i].value = value;
			return 0;
		}
	}
	copy = strndup(key, n);
	if (!copy)
		return err_nomem(err, "a name", n + 1);
	h->slots[i] = (struct hash_str_slot){copy, hash, value};
	h->n++;
	return 0;
}
