/* pool.h: blocks of 2^k and 3 * 2^k items in one growing array, named by their first index, reused
 * by size. For lists whose lengths differ and change: the uses of a flow, the members of a
 * resource.
 * Invariants: (1) a block of class c has pool_size(c) items: 1, 2, 3, 4, 6, 8, 12, 16, …; (2) a
 * free block is in the free list of its class, linked through its first four bytes; (3) when warm
 * nothing is allocated. Where lists grow longer one by one, short blocks are left behind: what lies
 * side by side is joined when much is free, and larger blocks are cut, before the array grows. One
 * is cut at a time, from its beginning: what is left of it is no block, and nobody writes to it.
 * Behind the last block POOL_SPARE items may be read, whatever is in them: who reads several at a
 * time need not end with the block.
 * Pointers into the pool die at the next pool_take. */
#ifndef ORRERY_ENGINE_POOL_H
#define ORRERY_ENGINE_POOL_H

#include "base/base.h"

#include <stdint.h>

enum { POOL_CLASSES = 63 };
enum { POOL_NONE = 0xffffffffu };
enum { POOL_SPARE = 3 };

struct pool {
	void *items;
	uint32_t n, cap;
	uint32_t n_free; /* items in free blocks, and left of the one that is cut: */
	uint32_t left, n_left;
	uint32_t join_at; /* n at which it is worth while to join free blocks again */
	uint32_t elem;    /* bytes of one item, at least 4 */
	const char *what;
	uint64_t has; /* bit c: there is a free block of class c */
	uint32_t free[POOL_CLASSES];
};

void pool_init(struct pool *p, uint32_t elem, const char *what);
void pool_release(struct pool *p);
/* The class of blocks of 2^k items. */
static inline unsigned pool_power(unsigned k)
{
	return k > 0 ? 2 * k - 1 : 0;
}
extern const uint32_t pool_sizes[POOL_CLASSES];
static inline uint32_t pool_size(unsigned class)
{
	return pool_sizes[class];
}
/* The smallest class whose blocks hold n items: of few, as most ways have, from a table. */
enum { POOL_FEW = 32 };
extern const uint8_t pool_class_of_few[POOL_FEW + 1];
static inline unsigned pool_class(uint32_t n)
{
	if (n <= POOL_FEW)
		return pool_class_of_few[n];
	unsigned k = 32 - (unsigned)__builtin_clz(n - 1);
	return 2 * k - (n <= (uint32_t)3 << (k - 2) ? 2 : 1);
}
/* A block of this class, not cleared: 0 with its first index in *out. */
int pool_take(struct pool *p, unsigned class, uint32_t *out, struct err *err);
void pool_give(struct pool *p, unsigned class, uint32_t block);
/* Moves n items into a block of twice the size: 0 with *block changed; on error the old block
 * stays. */
int pool_widen(struct pool *p, unsigned class, uint32_t *block, uint32_t n, struct err *err);

#endif
