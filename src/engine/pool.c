#include "pool.h"

#include <stdlib.h>
#include <string.h>

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

unsigned pool_class(uint32_t n)
{
	return n <= 1 ? 0 : 32 - (unsigned)__builtin_clz(n - 1);
}

static unsigned char *item_at(struct pool *p, uint32_t i)
{
	return (unsigned char *)p->items + (size_t)i * p->elem;
}

int pool_take(struct pool *p, unsigned class, uint32_t *out, struct err *err)
{
	uint32_t b = p->free[class];
	if (b != POOL_NONE) {
		memcpy(&p->free[class], item_at(p, b), sizeof b);
		*out = b;
		return 0;
	}
	size_t need = (size_t)p->n + ((size_t)1 << class);
	if (need >= POOL_NONE)
		return err_set(err, ERR_LIMIT, "more than 2^32 %s at once", p->what);
	if (need > p->cap) {
		void *items = vec_grow(p->items, &p->cap, p->elem, need, p->what, err);
		if (!items)
			return -1;
		p->items = items;
	}
	*out = p->n;
	p->n = (uint32_t)need;
	return 0;
}

void pool_give(struct pool *p, unsigned class, uint32_t block)
{
	memcpy(item_at(p, block), &p->free[class], sizeof block);
	p->free[class] = block;
}

int pool_widen(struct pool *p, unsigned class, uint32_t *block, uint32_t n, struct err *err)
{
	uint32_t wide;
	if (pool_take(p, class + 1, &wide, err))
		return -1;
	memcpy(item_at(p, wide), item_at(p, *block), (size_t)n * p->elem);
	pool_give(p, class, *block);
	*block = wide;
	return 0;
}
