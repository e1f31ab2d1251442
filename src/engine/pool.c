#include "pool.h"

#include <stdlib.h>
#include <string.h>

const uint32_t pool_sizes[POOL_CLASSES] = {
    1,         2,         3,         4,          6,          8,           12,          16,
    24,        32,        48,        64,         96,         128,         192,         256,
    384,       512,       768,       1024,       1536,       2048,        3072,        4096,
    6144,      8192,      12288,     16384,      24576,      32768,       49152,       65536,
    98304,     131072,    196608,    262144,     393216,     524288,      786432,      1048576,
    1572864,   2097152,   3145728,   4194304,    6291456,    8388608,     12582912,    16777216,
    25165824,  33554432,  50331648,  67108864,   100663296,  134217728,   201326592,   268435456,
    402653184, 536870912, 805306368, 1073741824, 1610612736, 2147483648u, 3221225472u,
};

const uint8_t pool_class_of_few[POOL_FEW + 1] = {
    0, 0, 1, 2, 3, 4, 4, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7,
    8, 8, 8, 8, 8, 8, 8, 8, 9, 9, 9, 9, 9, 9, 9, 9,
};

void pool_init(struct pool *p, uint32_t elem, const char *what)
{
	memset(p, 0, sizeof *p);
	p->elem = elem;
	p->what = what;
	memset(p->free, 0xff, sizeof p->free);
}

void pool_release(struct pool *p)
{
	free(p->items);
	pool_init(p, p->elem, p->what);
}

static unsigned char *item_at(struct pool *p, uint32_t i)
{
	return (unsigned char *)p->items + (size_t)i * p->elem;
}

static uint32_t block_next(struct pool *p, uint32_t b)
{
	uint32_t next;

	memcpy(&next, item_at(p, b), sizeof next);
	return next;
}

static void block_push(struct pool *p, unsigned class, uint32_t block)
{
	memcpy(item_at(p, block), &p->free[class], sizeof block);
	p->free[class] = block;
	p->has |= (uint64_t)1 << class;
	p->n_free += pool_size(class);
}

static uint32_t block_pop(struct pool *p, unsigned class)
{
	uint32_t b = p->free[class];

	p->free[class] = block_next(p, b);
	if (p->free[class] == POOL_NONE)
		p->has &= ~((uint64_t)1 << class);
	p->n_free -= pool_size(class);
	return b;
}

/* --- what is free, as a whole --- */

static void bits_set(uint64_t *bits, uint32_t from, uint32_t n)
{
	for (uint32_t i = from; i < from + n; i++)
		bits[i / 64] |= (uint64_t)1 << i % 64;
}

/* Items from `from` on that are alike: free or not. */
static uint32_t bits_run(const uint64_t *bits, uint32_t from, uint32_t n)
{
	uint64_t like = bits[from / 64] >> from % 64 & 1 ? ~(uint64_t)0 : 0;
	uint32_t i = from;

	while (i < n) {
		uint64_t other = (bits[i / 64] ^ like) >> i % 64;
		if (other)
			return i + (uint32_t)__builtin_ctzll(other) < n
			           ? i + (uint32_t)__builtin_ctzll(other) - from
			           : n - from;
		i = (i / 64 + 1) * 64;
	}
	return n - from;
}

/* Blocks as large as they fit, the largest first. */
static void run_cut(struct pool *p, uint32_t from, uint32_t n)
{
	while (n > 0) {
		unsigned class = pool_class(n);
		class -= class == POOL_CLASSES || pool_size(class) > n;
		block_push(p, class, from);
		from += pool_size(class);
		n -= pool_size(class);
	}
}

/* What is left of the block that was cut becomes blocks again. */
static void left_give(struct pool *p)
{
	uint32_t n = p->n_left;

	p->n_left = 0;
	p->n_free -= n;
	run_cut(p, p->left, n);
}

/* Free blocks that lie side by side become larger ones. Without memory for that they stay. */
static void pool_join(struct pool *p)
{
	uint64_t *bits = calloc(p->n / 64 + 1, sizeof *bits);

	if (!bits)
		return;
	left_give(p);
	for (unsigned c = 0; c < POOL_CLASSES; c++)
		while (p->free[c] != POOL_NONE)
			bits_set(bits, block_pop(p, c), pool_size(c));
	for (uint32_t i = 0, n; i < p->n; i += n) {
		n = bits_run(bits, i, p->n);
		if (bits[i / 64] >> i % 64 & 1)
			run_cut(p, i, n);
	}
	free(bits);
}

/* Is a quarter free, in blocks that nobody wants: those of lists that have become longer? And has
 * the pool grown by an eighth since this was last of use? */
static int pool_is_untidy(const struct pool *p)
{
	enum { MUCH = 4096 };

	return p->n_free >= MUCH && p->n_free >= p->n / 4 && p->n >= p->join_at;
}

/* The beginning of a larger free block; POOL_NONE: there is none. What is left of it is for those
 * that come next: as blocks it would be written to, and taken apart again, each time. */
static uint32_t pool_split(struct pool *p, unsigned class)
{
	uint64_t large = p->has >> class;
	uint32_t size = pool_size(class);

	if (p->n_left < size) {
		if (large == 0)
			return POOL_NONE;
		left_give(p);
		unsigned c = class + (unsigned)__builtin_ctzll(p->has >> class);
		p->left = block_pop(p, c);
		p->n_left = pool_size(c);
		p->n_free += p->n_left;
	}
	p->left += size;
	p->n_left -= size;
	p->n_free -= size;
	return p->left - size;
}

static int pool_grow(struct pool *p, unsigned class, uint32_t *out, struct err *err)
{
	size_t need = (size_t)p->n + pool_size(class);

	if (need >= POOL_NONE)
		return err_set(err, ERR_LIMIT, "more than 2^32 %s at once", p->what);
	if (need + POOL_SPARE > p->cap) {
		void *items = vec_grow(p->items, &p->cap, p->elem, need + POOL_SPARE, p->what, err);
		if (!items)
			return -1;
		p->items = items;
	}
	*out = p->n;
	p->n = (uint32_t)need;
	return 0;
}

static __attribute__((noinline)) int pool_find(struct pool *p, unsigned class, uint32_t *out,
                                               struct err *err)
{
	*out = pool_split(p, class);
	if (*out == POOL_NONE && pool_is_untidy(p)) {
		pool_join(p);
		p->join_at = p->n < UINT32_MAX / 2 ? p->n + p->n / 8 : UINT32_MAX;
		*out = pool_split(p, class);
	}
	return *out == POOL_NONE ? pool_grow(p, class, out, err) : 0;
}

int pool_take(struct pool *p, unsigned class, uint32_t *out, struct err *err)
{
	if (p->free[class] == POOL_NONE)
		return pool_find(p, class, out, err);
	*out = block_pop(p, class);
	return 0;
}

void pool_give(struct pool *p, unsigned class, uint32_t block)
{
	block_push(p, class, block);
}

int pool_widen(struct pool *p, unsigned class, uint32_t *block, uint32_t n, struct err *err)
{
	uint32_t wide;
	if (pool_take(p, class + (class ? 2 : 1), &wide, err))
		return -1;
	memcpy(item_at(p, wide), item_at(p, *block), (size_t)n * p->elem);
	pool_give(p, class, *block);
	*block = wide;
	return 0;
}
