/* interned.c: byte strings by number: calls, lists of numbers, texts (call.h). */
#include "call.h"
#include "trace/column/column.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS_FIRST = 64 };

static uint64_t bytes_hash(const uint8_t *p, size_t n)
{
	uint64_t h = n * UINT64_C(0x9e3779b97f4a7c15), w;

	for (; n >= 8; n -= 8, p += 8) {
		memcpy(&w, p, 8);
		h = (h ^ w) * UINT64_C(0xff51afd7ed558ccd);
		h ^= h >> 32;
	}
	w = 0;
	if (n > 0)
		memcpy(&w, p, n);
	return hash_mix(h ^ w);
}

static int slots_grow(struct interned *t, struct err *err)
{
	uint32_t size = t->mask ? 2 * (t->mask + 1) : SLOTS_FIRST;
	uint32_t *slot = calloc(size, sizeof *slot);

	if (!slot)
		return err_nomem(err, "a table of a trace", size * sizeof *slot);
	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t at = (uint32_t)t->item[i].hash & (size - 1);

		while (slot[at])
			at = (at + 1) & (size - 1);
		slot[at] = i + 1;
	}
	free(t->slot);
	t->slot = slot;
	t->mask = size - 1;
	return 0;
}

static int item_add(struct interned *t, const void *bytes, size_t n, uint64_t hash, struct err *err)
{
	struct interned_item *item = vec_grow(t->item, &t->cap, sizeof *item, (size_t)t->n + 1,
	                                      "a table of a trace", err);
	uint32_t padded = (uint32_t)(n + 7) & ~7u;
	uint8_t *room;

	if (!item)
		return -1;
	t->item = item;
	if (n > UINT32_MAX - 8 || t->used > UINT32_MAX - padded)
		return err_set(err, ERR_LIMIT, "the lists of a trace take more than 4 GiB");
	room = vec_grow(t->bytes, &t->bytes_cap, 1, (size_t)t->used + padded + 8,
	                "a table of a trace", err);
	if (!room)
		return -1;
	t->bytes = room;
	memset(room + t->used, 0, padded + 8);
	if (n > 0)
		memcpy(room + t->used, bytes, n);
	item[t->n++] = (struct interned_item){hash, t->used, (uint32_t)n};
	t->used += padded;
	return 0;
}

/* Where it is, or would be. */
static uint32_t slot_find(const struct interned *t, const void *bytes, size_t n, uint64_t hash)
{
	uint32_t at = (uint32_t)hash & t->mask;

	for (; t->slot[at]; at = (at + 1) & t->mask) {
		const struct interned_item *i = &t->item[t->slot[at] - 1];

		if (i->hash == hash && i->n == n && memcmp(t->bytes + i->at, bytes, n) == 0)
			break;
	}
	return at;
}

uint32_t interned_find(const struct interned *t, const void *bytes, size_t n)
{
	uint32_t at = t->n ? slot_find(t, bytes, n, bytes_hash(bytes, n)) : 0;

	return t->n && t->slot[at] ? t->slot[at] - 1 : CALL_NONE;
}

uint32_t interned_put(struct interned *t, const void *bytes, size_t n, struct err *err)
{
	uint64_t hash;
	uint32_t at;

	if (t->n == 0) {
		if (slots_grow(t, err) < 0 || item_add(t, NULL, 0, bytes_hash(NULL, 0), err) < 0)
			return CALL_NONE;
		t->slot[(uint32_t)t->item[0].hash & t->mask] = 1;
	}
	if (n == 0)
		return 0;
	if (2 * t->n >= t->mask && slots_grow(t, err) < 0)
		return CALL_NONE;
	hash = bytes_hash(bytes, n);
	at = slot_find(t, bytes, n, hash);
	if (t->slot[at])
		return t->slot[at] - 1;
	if (item_add(t, bytes, n, hash, err) < 0)
		return CALL_NONE;
	t->slot[at] = t->n;
	return t->n - 1;
}

const void *interned_get(const struct interned *t, uint32_t i, uint32_t *n)
{
	static const uint64_t nothing;

	*n = 0;
	if (i >= t->n)
		return &nothing;
	*n = t->item[i].n;
	return t->bytes + t->item[i].at;
}

void interned_release(struct interned *t)
{
	free(t->item);
	free(t->bytes);
	free(t->slot);
	*t = (struct interned){0};
}

void interned_lists_put(const struct interned *t, struct str *out)
{
	varint_put(out, t->n ? t->n - 1 : 0);
	for (uint32_t i = 1; i < t->n; i++) {
		uint32_t n;
		const int64_t *list = interned_get(t, i, &n);

		varint_put(out, n / sizeof *list);
		column_put(out, list, n / sizeof *list);
	}
}
